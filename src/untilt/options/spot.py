"""Options of a spot of hold'em: what describes it, and how it is solved."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from untilt.number import Number
from untilt.options.option import Check, Option, checked_by, integer
from untilt.options.run import (
    AS_JSON,
    CLUSTER,
    FOLLOWED,
    ITERATIONS,
    OUTPUT,
    RESUME,
    TARGET,
    TIME,
    TRUST,
    VERBOSE,
    told,
)

STREETS = ("flop", "turn", "river")
SEATS = ("oop", "ip")
KINDS = ("bets", "raises", "donk")


def size_flags() -> list[str]:
    """Return the names of sizes that have a flag: bets, flop_bets, oop_bets, oop_flop_bets …"""
    names = []
    for kind in KINDS:
        seats = ("", *(f"{seat}_" for seat in (SEATS if kind != "donk" else SEATS[:1])))
        streets = ("", *(f"{street}_" for street in STREETS))
        names += [f"{seat}{street}{kind}" for seat in seats for street in streets]
    return names


def _sizes() -> Iterator[Option]:
    """Yield an option for every list of sizes except `bets` and `raises`."""
    for name in size_flags():
        if name in ("bets", "raises"):
            continue
        words = name.split("_")
        kind = {"donk": "donk bets (out of position, after calling)"}.get(words[-1], words[-1])
        where = " ".join(word for word in words[:-1] if word in STREETS)
        who = "".join(f" of {word}" for word in words[:-1] if word in SEATS)
        text = f"Sizes of {f'{where} ' if where else ''}{kind}{who}."
        yield Option(name, str, None, text, metavar="SIZES")


LINE = Option(
    "line",
    str,
    None,
    "With RUN or --from: solve the street that begins after this betting, on --board, with the "
    "ranges that get there.",
)
AGENT = Option(
    "agent",
    str,
    None,
    "A blueprint or another agent of hold'em: solve the street that begins after --line on "
    "--board, with the ranges that it gets there with.",
    metavar="AGENT",
    flag="--from",
)
TRUST_AGENT = replace(
    TRUST, help="With --from: allow running the Python code that the agent names.", can_change=False
)
RESPOND = Option(
    "respond",
    str,
    None,
    "With RUN: the best response of this player to the other's strategy there, changed by --lock.",
    Check("oop or ip", SEATS.__contains__),
    metavar="oop|ip",
)
BOARD = Option("board", str, None, "Three to five cards: Td9d6h.")
RANGES = (
    Option("oop", str, None, "The range out of position: '66+, A8s+'.", metavar="RANGE"),
    Option("ip", str, None, "The range in position.", metavar="RANGE"),
)
MONEY = (
    Option(
        "pot",
        str,
        None,
        "What is in the middle: chips such as 105, or big blinds such as 10.5bb.",
        metavar="AMOUNT",
    ),
    Option("stack", str, None, "What each player has left: 925, or 92.5bb.", metavar="AMOUNT"),
    Option(
        "bb",
        int,
        None,
        "The chips of a big blind; amounts are then shown in big blinds. 100 by default if --pot "
        "and --stack are in big blinds.",
        metavar="CHIPS",
    ),
)
BETTING = (
    Option(
        "bets",
        str,
        None,
        "Bet sizes: '33%, 75%, a', of the pot, 100c for chips, e geometric, a all-in; 60% by "
        "default.",
        metavar="SIZES",
    ),
    Option(
        "raises",
        str,
        None,
        "Sizes of raises, such as 2.5x; '2.5x; a' for the first and later ones. 2.5x by default.",
        metavar="SIZES",
    ),
    Option(
        "max_raises", int, None, "Raises of a bet on a street, at most.", integer(0), metavar="N"
    ),
)
HOUSE = (
    Option("rake", str, None, "Share of the pot that the house takes, 5%."),
    Option("rake_cap", str, None, "The most that the house takes: 30, or 3bb.", metavar="AMOUNT"),
)
THRESHOLDS = (
    Option(
        "add_all_in", float, None, "Offer all-in up to this multiple of the pot; 1.5 by default."
    ),
    Option(
        "force_all_in",
        float,
        None,
        "A bet becomes all-in if at most this multiple of the pot is left behind; 0.15 by default.",
    ),
    Option("merge", float, None, "How different sizes must be; 0.1 by default."),
)
LOCK = Option(
    "lock",
    list,
    None,
    "Fix a part of a strategy: 'check: AA bet 100%', 'check: 22+ bet; rest check', or all hands, "
    "': all check'; repeatable.",
    metavar="LOCK",
)
SIZES = tuple(_sizes())
"""Every list of sizes except `bets` and `raises`."""
DESCRIPTION = (BOARD, *RANGES, *MONEY, *BETTING, *HOUSE, *THRESHOLDS, LOCK, *SIZES)
"""What describes a spot."""

SHARE_TARGET = replace(
    TARGET,
    type=str,
    help="Stop at this exploitability: 0.1% of the pot, or chips. With --noise, at this residual.",
    check=None,
)
TARGET_MAX = Option(
    "target_max",
    float,
    None,
    "With --noise: stop when no hand's probabilities are further from the response than this.",
    Check("a number above 0 up to 1", Number(above=0.0, most=1.0).accepts),
    can_change=True,
)
LADDER = Option(
    "ladder",
    str,
    None,
    "Solve for players who make mistakes at a ladder of noises, each from the one before: 20%..1%.",
    metavar="FROM..TO",
)
RUNGS = Option(
    "rungs", int, None, "With --ladder: how many noises; 9 by default.", integer(2, 50), metavar="N"
)
DRY_RUN = Option("dry_run", bool, False, "Only print the size of the tree, memory and time needed.")
PER_HAND = Option(
    "per_hand", bool, False, "With --json: include every hand at the root.", can_change=True
)
SOURCE = (LINE, AGENT, TRUST_AGENT, RESPOND)
"""What a spot is taken from, or answers."""
ME = Option(
    "me",
    str,
    None,
    "Your own seat, oop or ip: with --noise me=1%,villain=FILE.json, whose noise `untilt fit` or "
    "`untilt hands tilt` found, and with --observed.",
    choices=("oop", "ip"),
)
OBSERVED = Option(
    "observed",
    Path,
    None,
    "With RUN and --me: hands that were seen, as `untilt fit --spot` reads them. The other player "
    "is locked to take actions as often as there.",
    metavar="HANDS.csv",
)
SHRINK = Option(
    "shrink",
    float,
    20.0,
    "With --observed: for how many hands the solution in RUN counts beside those that were seen.",
    checked_by(Number(above=0)),
    metavar="HANDS",
)
SPOT = (
    ITERATIONS,
    SHARE_TARGET,
    TARGET_MAX,
    TIME,
    LADDER,
    RUNGS,
    told(OUTPUT, "Run folder; runs/spot-{board}-{n} by default."),
    RESUME,
    CLUSTER,
    DRY_RUN,
    PER_HAND,
    *FOLLOWED,
    AS_JSON,
    VERBOSE,
)
"""The options of solving a spot, beside its description and those of its method."""
