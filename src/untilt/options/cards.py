"""Options of computations with cards: equities, and the buckets of the card abstraction."""

from dataclasses import replace
from pathlib import Path

from untilt.options.option import Option
from untilt.options.run import AS_JSON, SEED

_THREADS = Option(
    "threads",
    int,
    None,
    "Threads to use; all processors by default. The result is the same for any number.",
    metavar="N",
)
EQUITY = (
    Option(
        "board",
        str,
        "",
        "3, 4 or 5 cards, such as Td9d6h; more if the board is complete, as in River of Blood, for "
        "two hands or ranges.",
        metavar="CARDS",
    ),
    Option(
        "dead",
        str,
        "",
        "Cards that are in no hand and cannot come on the board.",
        metavar="CARDS",
    ),
    Option("per_hand", bool, False, "For two ranges: also show the equity of each hand."),
    Option(
        "samples",
        int,
        None,
        "Estimate from N random deals. By default the result is exact, unless three or more ranges "
        "have too many deals; then it is estimated from 1,000,000.",
        metavar="N",
    ),
    replace(SEED, help="Seed of the random deals."),
    _THREADS,
    AS_JSON,
)
"""The options of `untilt equity`."""

CLUSTERING = (
    Option("preflop", int, 169, "Buckets before the flop, up to the 169 classes.", metavar="N"),
    Option("flop", int, 200, "Buckets on the flop.", metavar="N"),
    Option("turn", int, 200, "Buckets on the turn.", metavar="N"),
    Option("river", int, 200, "Buckets on the river: equal parts of the equity.", metavar="N"),
    Option(
        "texture",
        str,
        "",
        "Streets whose buckets are divided by the texture of the board: flop,turn,river.",
        metavar="STREETS",
    ),
    Option("features", str, "suits,pairs,straights", "What makes a texture.", metavar="NAMES"),
    Option("bins", int, 64, "Bins of an equity histogram.", metavar="N"),
    Option("iterations", int, 25, "Steps of clustering at most.", metavar="N"),
    replace(SEED, help="Seed of the clustering."),
    _THREADS,
)
"""What determines card buckets, and the threads that build them."""
BOARD = Option(
    "board",
    str,
    None,
    "Also show which hands share a bucket on this board of 0, 3, 4 or 5 cards.",
    metavar="CARDS",
)
PLOT = Option(
    "plot", Path, None, "Draw the buckets as .svg, .png or .pdf (extra: plot).", metavar="FILE"
)
BUCKETS = (*CLUSTERING, BOARD, PLOT, AS_JSON)
"""The options of `untilt buckets`."""
COMMON_BOARD = Option("board", str, "", "Cards that belong to every hand.", metavar="CARDS")
"""The board of `untilt rank`."""
