"""Options of every run: when it ends, where it is kept, and how it is followed."""

from dataclasses import replace
from pathlib import Path

from untilt.number import Integer, Number
from untilt.options.option import MANY, Check, Option, checked_by, integer

ITERATIONS = Option(
    "iterations",
    int,
    None,
    "Stop after this many iterations.",
    checked_by(Integer(1, MANY)),
    short="-n",
    can_change=True,
)
TARGET = Option(
    "target",
    float,
    None,
    "Stop at this exploitability, in chips.",
    checked_by(Number(least=0)),
    can_change=True,
)
TIME = Option(
    "time",
    float,
    None,
    "Stop after this many seconds of solving.",
    checked_by(Number(above=0)),
    can_change=True,
)
STOPS = (ITERATIONS, TARGET, TIME)
"""When a run ends: at the first of these."""

SEED = Option(
    "seed",
    int,
    0,
    "Seed of sampling methods; always recorded.",
    Check("an integer from 0 to 2⁶⁴ − 1", Integer(0, 2**64 - 1).accepts),
)
METHOD = Option("method", str, None, "How it is solved.", short="-m")
PARAMETER = Option(
    "parameter",
    list,
    None,
    "A parameter of the game; repeatable.",
    short="-p",
    metavar="NAME=VALUE",
)
STRATEGY_GAME = Option(
    "game",
    str,
    None,
    "The game of a strategy file, as for `untilt solve`; not needed for a run.",
    short="-g",
    metavar="GAME",
)
OUTPUT = Option("output", Path, None, "Run folder.", short="-o")
RESUME = Option(
    "resume",
    Path,
    None,
    "Continue this run to its original stop or a new one. -n and --time count from its beginning: "
    "--time is the time in all.",
    metavar="RUN",
    can_change=True,
)
SAVE = Option("save", bool, True, "Keep the run in a folder.", is_flag=False)
TRUST = Option(
    "trust",
    bool,
    False,
    "With --resume: allow running the Python code of the run's game.",
    can_change=True,
)
MAX_NODES = Option(
    "max_nodes", int, None, "Do not compile games with more histories than this.", integer(1)
)
GRID = Option(
    "grid",
    list,
    None,
    "Many runs, as a table: method=cfr+,dcfr seed=1:20 makes every combination.",
    metavar="NAME=VALUES",
)
KEEP = Option(
    "keep",
    int,
    None,
    "With --grid or several methods: keep the first N runs as run folders, 0 for none; by default "
    "up to 100 and 1 GiB.",
    integer(0),
    metavar="N",
)
PROCESSES = Option("processes", int, 1, "Processes that share the work.", integer(1, 256))
CLUSTER = Option(
    "cluster",
    str,
    None,
    "Work on several processes or machines: local:N, auto, ray://HOST:PORT (extra: ray), or "
    "in-process.",
    metavar="WHERE",
    can_change=True,
)
WATCH = Option(
    "watch",
    bool,
    False,
    "Follow the run on a web page, and keep serving that page until Ctrl-C.",
    can_change=True,
)
PORT = Option(
    "port",
    int,
    None,
    "With --watch: port of the page; 8080 or the next free one by default.",
    Check("0 (any free one) to 65535", Integer(0, 65535).accepts),
    can_change=True,
)
NO_OPEN = Option("no_open", bool, False, "With --watch: do not open a browser.", can_change=True)
PACE = Option(
    "pace",
    float,
    None,
    "Slow the run down to take S seconds, for watching; the result stays the same.",
    Check("a number of seconds", Number(least=-MANY, most=MANY).accepts),
    metavar="S",
    can_change=True,
)
FOLLOWED = (WATCH, PORT, NO_OPEN)
"""How a run is followed on a page."""

STRATEGY = Option("strategy", bool, False, "With --json: include the strategy.", can_change=True)
VERBOSE = Option("verbose", bool, False, "Print a line per measurement.", can_change=True)
AS_JSON = Option(
    "as_json",
    bool,
    False,
    "Print one JSON object to stdout, nothing else.",
    flag="--json",
    can_change=True,
)
CSV = Option("csv", Path, None, "Write the rows as CSV.", metavar="FILE", can_change=True)
PLOT = Option(
    "plot",
    Path,
    None,
    "Draw the rows as .svg, .png or .pdf (extra: plot).",
    metavar="FILE",
    can_change=True,
)
REPLACE = Option("replace", bool, False, "Replace a file that exists.", is_flag=False)
FORCE = Option("force", bool, False, "Replace the file if it exists.")
MOST_DRAWN = Option(
    "max_nodes", int, 300, "Draw at most this many nodes: as many whole levels as fit.", integer(2)
)
DRAWING = (Option("depth", int, None, "Draw at most this many moves.", integer(1)), MOST_DRAWN)
"""How much of a game's tree is drawn."""


def told(option: Option, help_text: str, *, metavar: str | None = None) -> Option:
    """Return the option with other words in the help of a command."""
    return replace(option, help=help_text, metavar=metavar or option.metavar)


SOLVE = (
    *STOPS,
    SEED,
    PARAMETER,
    told(OUTPUT, "Run folder; runs/{game}-{method}-{n} by default."),
    RESUME,
    TRUST,
    MAX_NODES,
    GRID,
    KEEP,
    CLUSTER,
    *FOLLOWED,
    PACE,
    STRATEGY,
    AS_JSON,
    VERBOSE,
)
"""The options of solving a game, beside those of its method."""

TREE = (
    Option(
        "strategy",
        Path,
        None,
        "Draw each action as wide as this run or strategy file plays it.",
        short="-s",
        metavar="RUN_OR_STRATEGY.json",
    ),
    Option(
        "after",
        str,
        "",
        "Begin after these moves, such as 'J, Q, check'; chance outcomes are moves.",
        metavar="MOVES",
    ),
    *DRAWING,
    told(
        OUTPUT,
        "The SVG file to write; {game}-tree.svg in the current folder by default.",
        metavar="FILE",
    ),
    PARAMETER,
    FORCE,
    AS_JSON,
)
"""The options of `untilt tree`."""

EXPORTED = (
    Option(
        "line",
        str,
        None,
        "Spots: only the node after this line, such as 'check, bet 120'; '' for the first. Without "
        "it, all decisions.",
    ),
    Option("below", str, None, "Spots: all decisions from this line on.", metavar="LINE"),
    Option(
        "board",
        str,
        None,
        "Spots: the board of --line; else only boards that begin with these cards.",
    ),
    Option(
        "street",
        str,
        None,
        "Spots: only the decisions of this street.",
        metavar="flop|turn|river",
    ),
    Option("player", str, None, "Spots: only the decisions of this player.", metavar="oop|ip"),
)
"""Which part of a solved spot is exported."""
DRY_RUN = Option("dry_run", bool, False, "Spots: only print how large the file would be.")
EXPORT = (
    told(
        OUTPUT,
        "The file to write, - for stdout; {run}.{to} in the current folder by default.",
        metavar="FILE",
    ),
    *EXPORTED,
    DRY_RUN,
    Option(
        "checkpoint",
        bool,
        False,
        "With --to ares: regrets and sums of the training instead of the strategy.",
    ),
    PARAMETER,
    FORCE,
    AS_JSON,
)
"""The options of `untilt export`, besides the format."""

MATCH = (
    Option(
        "hands",
        int,
        None,
        "Play this many hands, a multiple of the number of players: each deal in every seat. By "
        "default 10,000, or the next multiple.",
        short="-n",
        metavar="N",
    ),
    replace(SEED, help="Seed of deals and decisions."),
    Option(
        "aivat",
        bool,
        True,
        "At hold'em, also show the result without luck that is known, which takes a few "
        "milliseconds a hand.",
    ),
)
"""The options of `untilt match`, besides the agents and their game."""
