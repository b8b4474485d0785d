"""Options of the commands for folders of hands."""

from dataclasses import replace
from pathlib import Path

from untilt.number import Number
from untilt.options.option import Option, checked_by, integer
from untilt.options.run import AS_JSON, CLUSTER, CSV, OUTPUT, PLOT, PROCESSES, SEED, told

PLAYER = Option(
    "player",
    str,
    None,
    "A player's name, or `me` for the owner of the records.",
    metavar="NAME",
)
FILTERS = (
    PLAYER,
    Option("pot", str, None, "The pot in big blinds, such as '>20bb' or '10-20bb'."),
    Option("street", str, None, "Hands that got to preflop, flop, turn or river."),
    Option(
        "line",
        str,
        None,
        "Actions with which the street begins, or any street: 'check, bet, ?', where ? is any.",
    ),
)
"""Which hands of a folder are wanted."""

LIMIT = Option("limit", int, None, "Show at most this many hands; 50 in a table.", integer(1))
LIST = (*FILTERS, LIMIT, AS_JSON)
IMPORT = (told(OUTPUT, "The folder of hands; hands by default."), AS_JSON)
FORMAT = Option("to", str, "phh", "The format.", choices=("phh",))
EXPORT = (
    *FILTERS,
    FORMAT,
    Option("output", Path, None, "The file; hands.phhs by default.", short="-o"),
    AS_JSON,
)

BOARDS = Option(
    "boards", int, 400, "Boards from which the values of actions are computed.", integer(2, 10**6)
)
REVIEW = (
    PLAYER,
    Option(
        "agent",
        list,
        None,
        "A blueprint that judges; repeatable: each hand is judged by the one of the nearest "
        "stacks. pushfold judges pushes, calls and folds of up to 20 big blinds by charts.",
        metavar="BLUEPRINT",
    ),
    Option(
        "think",
        str,
        None,
        "Solve the streets that a thinking agent solves, and judge by the solution: 0.3s.",
        metavar="TIME",
    ),
    Option(
        "ranges",
        str,
        None,
        "Ranges with which players come to the flop: pots of two players at larger tables are then "
        "solved from the flop on. A file, or `default`; `untilt hands ranges` writes one.",
        metavar="FILE",
    ),
    BOARDS,
    told(OUTPUT, "The folder of the review; leaks by default."),
    replace(PROCESSES, help="Processes that judge."),
    CLUSTER,
    AS_JSON,
)
RANGES = (told(OUTPUT, "The file; ranges.toml by default."),)
REPORT = (
    Option("html", Path, None, "Write the report as a page.", metavar="FILE"),
    told(CSV, "Write all decisions as CSV."),
    AS_JSON,
)

WINDOW = Option("window", int, 200, "Hands of the player in a period.", integer(1), metavar="N")
LOSS = Option(
    "loss",
    float,
    40.0,
    "A loss of as many big blinds in a hand is large.",
    checked_by(Number(above=0)),
    metavar="BB",
)
AFTER = Option(
    "after",
    int,
    20,
    "How many hands after a large loss are compared with all others.",
    integer(1, 10**6),
    metavar="N",
)
TILT = (
    told(PLAYER, "The player of the review, to be sure that it is theirs."),
    WINDOW,
    LOSS,
    AFTER,
    told(SEED, "Seed of the shuffles that measure how strong a change is."),
    told(PLOT, "Draw noise over time as .svg, .png or .pdf (extra: plot)."),
    AS_JSON,
)
