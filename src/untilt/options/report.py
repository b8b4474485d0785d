"""Options of a report: a line of a spot over many boards."""

from dataclasses import replace

from untilt.options.option import Option
from untilt.options.run import (
    AS_JSON,
    CLUSTER,
    CSV,
    ITERATIONS,
    OUTPUT,
    PLOT,
    PROCESSES,
    RESUME,
    TIME,
    told,
)
from untilt.options.spot import SHARE_TARGET

LINE = Option(
    "line",
    str,
    None,
    "The betting, such as 'check, check' or 'check, check / bet 120'.",
    can_change=True,
)
BOARD = Option("board", str, None, "Only boards that begin with these cards, such as a turn.")
FLOPS = Option(
    "flops",
    str,
    None,
    "Solve the spot on all flops, on N that stand for all, or on AsKs2h,7c7d2s.",
    metavar="all|N|LIST",
)
SORT = Option(
    "sort",
    str,
    "board",
    "Sort rows by board, weight, ev, equity, eqr, or an action's name.",
    can_change=True,
)
PLACE = (LINE, BOARD, FLOPS)
SOLVING = (
    told(ITERATIONS, "With --flops: iterations for each flop."),
    told(SHARE_TARGET, "With --flops: exploitability for each, 0.1% of the pot or chips."),
    told(TIME, "With --flops: seconds of solving for each flop."),
    replace(
        PROCESSES,
        help="With --flops: solve this many flops at the same time.",
        metavar="N",
        can_change=True,
    ),
    CLUSTER,
    told(
        OUTPUT, "With --flops: folder that keeps what is solved; runs/report-flops-{n} by default."
    ),
    told(RESUME, "Solve the flops that this report lacks.", metavar="REPORT"),
    SORT,
    CSV,
    PLOT,
    AS_JSON,
)
"""The options of `untilt report`, beside those of its method."""
