"""Options of a push/fold training."""

from dataclasses import replace
from pathlib import Path

from untilt.number import Integer, Number
from untilt.options.option import MANY, Check, Option, checked_by
from untilt.options.run import AS_JSON, FOLLOWED, OUTPUT, PACE, PROCESSES, RESUME, SEED, TIME, told

STACK = Option(
    "stack",
    str,
    None,
    "Stack in big blinds before posting, such as 7.5 or 7.5bb, a multiple of 0.5; 10 by default.",
    metavar="BB",
)
STAKES_STACK = Option(
    "stack",
    str,
    "10",
    "Stack in big blinds, before posting, such as 10, 7.5 or 7.5bb; 12/8 if the small blind has 12 "
    "and the big blind 8.",
    metavar="BB",
)
ANTE = Option("ante", float, 0.0, "Ante of each player, in big blinds.", metavar="BB")
BB_ANTE = Option("bb_ante", float, 0.0, "Ante that the big blind posts for both.", metavar="BB")
BLINDS = Option(
    "blinds", str, "0.5/1", "Small and big blind; only their ratio matters.", metavar="S/B"
)
HANDS = Option(
    "hands",
    int,
    None,
    "Stop after this many hands in total, including those in the regret file; 10,000,000 unless "
    "--time is given.",
    checked_by(Integer(1, MANY)),
    can_change=True,
)
REGRET_FILE = Option(
    "regret_file",
    Path,
    None,
    "Keep the regrets in this file: created if missing, continued if it exists. FILE.json next to "
    "it records stack, hands and seed.",
    metavar="FILE",
    can_change=True,
)
HANDS_SEED = replace(SEED, help="Seed of the hands.")
BATCH = Option(
    "batch",
    int,
    # As good as learning after every hand, and threads seldom wait for one another; see
    # docs/regret-storage.md.
    1_000_000,
    "The most hands played before the strategy is updated; with 1 it learns after every hand. "
    "Changes the result.",
    checked_by(Integer(1, 10**7)),
)
CHOICE = Option(
    "choice",
    str,
    "sign",
    "Act by the sign of the regret, or in proportion to it.",
    choices=("sign", "matching"),
)
BOARDS = Option(
    "boards",
    str,
    "random",
    "What decides a called push: a random board, or its exact equity.",
    choices=("random", "exact"),
)
BYTES = Option(
    "bytes", int, 4, "Bytes per regret: 1, 2 or 4.", Check("1, 2 or 4", (1, 2, 4).__contains__)
)
GROWTH = Option(
    "growth",
    str,
    "linear",
    "Scale of the stored integers, in small blinds.",
    choices=("linear", "log"),
)
LEARNING = (STACK, HANDS_SEED, BATCH, CHOICE, BOARDS, BYTES, GROWTH)
"""What the regrets depend on, except the number of hands."""
THREADS = Option(
    "threads",
    int,
    1,
    "Threads to use; the result is the same for any number.",
    checked_by(Integer(1, 256)),
    can_change=True,
)
TRAIN = (
    STACK,
    HANDS,
    replace(TIME, help="Stop after this many seconds of playing."),
    REGRET_FILE,
    CHOICE,
    BOARDS,
    BYTES,
    GROWTH,
    BATCH,
    HANDS_SEED,
    THREADS,
    told(
        OUTPUT,
        "Record the training in this run folder; with --watch runs/pushfold-train-{n} by default.",
    ),
    told(
        RESUME,
        "Continue the training in this run folder; a finished one is only loaded. --time is the "
        "time in all.",
    ),
    *FOLLOWED,
    PACE,
    AS_JSON,
)
"""The options of `untilt pushfold train`."""

SWEEP = Option(
    "sweep",
    str,
    None,
    "Solve all stacks from A to B, and show for each hand at which stacks to play it.",
    metavar="A:B:STEP",
)
QUESTIONS = (
    Option(
        "against_call",
        str,
        None,
        "Show the best pushes against this calling range.",
        metavar="RANGE",
    ),
    Option(
        "against_push",
        str,
        None,
        "Show the best calls against this pushing range.",
        metavar="RANGE",
    ),
    Option(
        "compare",
        str,
        None,
        "Mark what another strategy does otherwise, and what that costs: hune (published), "
        "ranges.txt, a CSV chart, a strategy file, regret.dat, a run or 'push=RANGE;call=RANGE'.",
        metavar="STRATEGY",
    ),
)
"""What a chart is held against."""
FILES = (
    Option("png", Path, None, "Draw the chart as PNG.", metavar="FILE"),
    Option("svg", Path, None, "Draw the chart as SVG.", metavar="FILE"),
    Option("csv", Path, None, "Write the chart as CSV.", metavar="FILE"),
    Option("html", Path, None, "Write the chart as a self-contained HTML page.", metavar="FILE"),
)
EV = Option("ev", bool, False, "Also show each hand's gain over folding, in bb.")
SEATS = Option(
    "seats",
    int,
    None,
    "Solve a whole table with this many seats, 2 to 9: a chart for each seat and everyone who may "
    "be all-in before it.",
    metavar="N",
)
PRIZES = Option(
    "prizes",
    str,
    None,
    "Play for prizes, the best first, instead of chips: 50,30,20.",
    metavar="P,P,…",
)
OTHERS = Option(
    "others",
    str,
    None,
    "With --prizes: stacks at other tables of the tournament, in the same unit.",
    metavar="STACK,…",
)
BOUNTY = Option(
    "bounty",
    str,
    None,
    "With --prizes: what is on every head, in the unit of the prizes, or a number for each player; "
    "half is paid for a knock-out, half goes to the winner's head.",
    metavar="P",
)
BOUNTY_OF_PRIZES = replace(
    BOUNTY, help="What is on every head, in the unit of the prizes, or a number for each player."
)
STACKS = Option(
    "stacks",
    str,
    None,
    "Stack of every seat in big blinds, in the order in which they act before the flop: the last "
    "two are the blinds.",
    metavar="BB,BB,…",
)
OF_TABLE = (
    STACKS,
    PRIZES,
    OTHERS,
    BOUNTY,
    Option(
        "max_all_in",
        int,
        None,
        "Seats that can be all-in at the same time; 4 by default.",
        checked_by(Integer(2, 4)),
        metavar="N",
    ),
    Option(
        "locked",
        str,
        None,
        "Keep these ranges and solve the rest: 'button: 45%', or a file as for --compare.",
        metavar="RANGES",
    ),
    Option(
        "audit",
        str,
        None,
        "Check the solution by this many random full deals, such as 10M.",
        metavar="DEALS",
    ),
    Option(
        "target",
        float,
        None,
        "Stop when best responses gain this together, in big blinds or shares of the pool.",
        checked_by(Number(least=0)),
        metavar="GAIN",
    ),
    Option("save", Path, None, "Keep the charts in this file, which Python reads.", metavar="FILE"),
    replace(
        THREADS,
        default=None,
        help="Threads to use; all processors by default. The result is the same for any number.",
    ),
)
"""The options of a whole table."""
CHART_METHOD = Option("method", str, "lp", "How it is solved.", short="-m")
CHART = (
    STAKES_STACK,
    SWEEP,
    SEATS,
    *OF_TABLE,
    ANTE,
    BB_ANTE,
    BLINDS,
    *QUESTIONS,
    *FILES,
    EV,
    told(
        PROCESSES.by_default(None),
        "Processes that share a --sweep; one per processor by default.",
        metavar="N",
    ),
    told(
        OUTPUT,
        "Save a --sweep for `untilt serve`; with --watch runs/pushfold-sweep-{n} by default.",
        metavar="FOLDER",
    ),
    CHART_METHOD,
)
"""The options of `untilt chart`."""
