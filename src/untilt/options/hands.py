"""Options of the commands for folders of hands."""

from dataclasses import replace
from pathlib import Path

from untilt.options.option import Option, integer
from untilt.options.run import AS_JSON, CSV, OUTPUT, PROCESSES, told

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
        "stacks.",
        metavar="BLUEPRINT",
    ),
    Option(
        "think",
        str,
        None,
        "Solve the streets that a thinking agent solves, and judge by the solution: 0.3s.",
        metavar="TIME",
    ),
    BOARDS,
    told(OUTPUT, "The folder of the review; leaks by default."),
    replace(PROCESSES, help="Processes that judge."),
    AS_JSON,
)
REPORT = (
    Option("html", Path, None, "Write the report as a page.", metavar="FILE"),
    told(CSV, "Write all decisions as CSV."),
    AS_JSON,
)
