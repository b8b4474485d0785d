"""Options of a blueprint: its game, its card buckets, and how it is trained."""

import math
from dataclasses import replace

from untilt.number import Integer, Number
from untilt.options.option import Check, Option, checked_by
from untilt.options.run import AS_JSON, CLUSTER, ITERATIONS, OUTPUT, RESUME, SEED, TIME, told

STACK = Option(
    "stack",
    str,
    None,
    "Stacks, in big blinds (100bb, the default, or 92.5bb); a number without a unit is in chips of "
    "half a big blind.",
    metavar="AMOUNT",
)
MENU = Option(
    "menu",
    str,
    None,
    "Bets that players consider, in pots: '0.5, 1, 2, a / 0.5, 1, a' by default, before the flop "
    'and from there on; or calls such as "pot_fractions(1) | raise_multiples(3)".',
    metavar="SIZES",
)
CAP = Option(
    "cap",
    int,
    None,
    "The most bets and raises on a street, a blind among them; 4 by default, none if the menu has "
    "calls.",
    metavar="N",
)
BUCKETS = (
    Option("preflop", int, None, "Buckets before the flop; 169 by default.", metavar="N"),
    Option("flop", int, None, "Buckets on the flop; 200 by default.", metavar="N"),
    Option("turn", int, None, "Buckets on the turn; 200 by default.", metavar="N"),
    Option(
        "river",
        int,
        None,
        "Buckets on the river; by default 9 for each texture of the board, 198 in all.",
        metavar="N",
    ),
)
CARDS = (
    *BUCKETS,
    Option(
        "texture",
        str,
        None,
        "Streets whose buckets are divided by the texture of the board: river.",
        metavar="STREETS",
    ),
)
"""The card buckets."""

DEALS = replace(
    ITERATIONS,
    help="Stop after this many deals, each with 16 hands and learnt from in both seats.",
    metavar="N",
)
SECONDS = replace(
    TIME, help="Stop after this much time; 60 seconds unless -n is given.", metavar="SECONDS"
)

RULE = Option(
    "rule", str, "linear", "How deals are weighted.", choices=("linear", "dcfr+", "rm+", "rm")
)
ALPHA = Option(
    "alpha",
    float,
    None,
    "Exponent of the discount of regrets, at least 1; by default that of the rule.",
    # With less, the weights of regrets outgrow every power of the deals, and overflow float32.
    Check("a number, at least 1", Number(least=1.0, most=math.inf, or_infinite=True).accepts),
)
GAMMA = Option(
    "gamma",
    float,
    None,
    "Deal t weighs t^gamma in the average; at most 3, by default that of the rule.",
    # Strategies are summed in float32: the weights t^γ of four billion deals stay below 3.4e38.
    Check("a number, at least 0 and at most 3", Number(least=0.0, most=3.0).accepts),
)
DEFER_AVERAGING = Option(
    "defer_averaging",
    int,
    None,
    "Leave the first N deals out of the average; by default as many as the rule does.",
    checked_by(Integer(0, 1 << 60)),
    metavar="N",
)
THREADS = Option(
    "threads",
    int,
    1,
    "Threads to use. The result is the same for any number, unless --unsynchronised.",
    checked_by(Integer(1, 1 << 10)),
    metavar="N",
    can_change=True,
)
BATCH = Option(
    "batch",
    int,
    256,
    "Deals between two updates; 16,384 on a cluster. Changes the result.",
    checked_by(Integer(1, 1 << 20)),
    metavar="N",
)
SYNCHRONISED = Option(
    "synchronised",
    bool,
    True,
    "Update without waiting for other threads: faster, but not reproducible.",
    flag="--unsynchronised",
)
PRECISION = Option(
    "precision",
    str,
    "float32",
    "How numbers are stored. Tables of float16 and bfloat16 have half the size, the latter are "
    "less exact; sparse keeps only positive regrets, for dcfr+ and rm+: smaller still, and slower.",
    choices=("float32", "float16", "bfloat16", "sparse"),
)
SAMPLING = Option(
    "sampling",
    str,
    "external",
    "What is drawn: cards and the opponent's actions, or cards only, for small trees.",
    choices=("external", "chance"),
)
VISITS = Option("visits", bool, False, "Count how often each infoset is learnt from.")
LBR = Option(
    "lbr",
    int,
    0,
    "Measure local best response on this many deals whenever training has doubled, for the "
    "progress, with its 95 % interval. It costs extra time and changes nothing else.",
    checked_by(Integer(0, 1_000_000)),
    metavar="DEALS",
    is_neutral=True,
)
FINISH = Option(
    "finish",
    bool,
    True,
    "Write the strategy as learnt, also where it has learnt from few hands.",
    flag="--no-finish",
    is_neutral=True,
)
CHUNKS = Option(
    "chunks",
    int,
    None,
    "With --cluster: parts in which a batch is walked; 8 by default. Changes the result.",
    checked_by(Integer(1, 1 << 10)),
    metavar="N",
)

TRAINING = (
    RULE,
    ALPHA,
    GAMMA,
    DEFER_AVERAGING,
    THREADS,
    BATCH,
    SYNCHRONISED,
    PRECISION,
    SAMPLING,
    VISITS,
    LBR,
    FINISH,
    CHUNKS,
)
"""How a blueprint is trained; in run.json, in this order."""

TRAIN_SEED = replace(
    SEED,
    help="Seed of the deals.",
    check=Check("an integer from 0 to 2⁶³ − 1", Integer(0, 2**63 - 1).accepts),
)
TRAIN = (
    STACK,
    MENU,
    CAP,
    *CARDS,
    DEALS,
    SECONDS,
    *TRAINING,
    CLUSTER,
    TRAIN_SEED,
    told(OUTPUT, "The run folder; runs/holdem-blueprint-{n} by default."),
    told(
        RESUME,
        "Continue this training bit for bit. -n and --time count from its beginning: --time is "
        "the time in all.",
    ),
    AS_JSON,
)
"""The options of `untilt blueprint train`."""

_THREADS = replace(THREADS, help="Threads to use; they do not change the result.")
LBR_DEALS = (
    Option(
        "deals",
        int,
        None,
        "Deals, each played in both seats by every variant; 5,000 unless --time is given.",
        checked_by(Integer(1, 10**12 // 2)),
        metavar="N",
    ),
    replace(SECONDS, help="Stop after this much time."),
    _THREADS,
    replace(SEED, help="Seed of deals and decisions."),
)
"""The options of `untilt blueprint lbr`."""
LEARNT = (*CARDS, DEALS, SECONDS, _THREADS, TRAIN_SEED)
"""The options of learning to win from a blueprint."""

SHOWN_LINE = Option(
    "line", str, "", "The betting so far: 'cr6', 'call, raise 6' or 'call, raise 3bb'."
)
SHOWN_BOARD = Option("board", str, "", "The board, after the flop: Td9d6h.", metavar="CARDS")
EXPLOITER = told(OUTPUT, "Write the exploiter here, as a blueprint.", metavar="FILE")
