"""The columns of `progress.jsonl`: what a row of a run's progress may hold.

All code that writes, reads, shows or explains rows takes the names from here.
"""

from typing import Any, NamedTuple


class Column(NamedTuple):
    """One number of a row."""

    name: str
    type: type[int] | type[float]
    meaning: str
    unit: str = ""
    """`game`: the unit that the game declares, such as chips; empty for a pure number."""
    is_always: bool = True
    """Whether every row has it (null if unknown); others appear only if a method measures them."""


COLUMNS = (
    Column("iteration", int, "iterations done; hands of a push/fold training"),
    Column("seconds", float, "solver time: iterations and stopping tests", "s"),
    Column("exploitability", float, "mean gain of the best responses per player", "game"),
    Column("nash_conv", float, "sum of both best-response gains", "game"),
    Column("value", float, "expected payoff of player 0", "game"),
    Column(
        "value_1", float, "expected payoff of player 1, if not zero-sum", "game", is_always=False
    ),
    Column("regret", float, "sum over infosets of the largest positive regret, per iteration"),
    Column("rate", float, "iterations per second since the run began or was resumed", "1/s"),
    Column("beta", float, "rationality, for quantal response", is_always=False),
    Column("residual", float, "norm of σ − LogitBR(σ), for quantal response", is_always=False),
    Column(
        "drift",
        float,
        "mean distance the average strategy moved since the last row",
        is_always=False,
    ),
    Column("nodes", int, "nodes visited so far, for sampling methods", is_always=False),
    Column(
        "infosets", int, "infosets met so far, if positions or deals are sampled", is_always=False
    ),
    Column(
        "lbr", float, "what local best response wins, for blueprints", "mbb/hand", is_always=False
    ),
    Column(
        "lbr_margin",
        float,
        "half of the 95 % interval of `lbr`",
        "mbb/hand",
        is_always=False,
    ),
    Column("seconds_left", float, "estimate of the solver time still to come", "s"),
)

COLUMN_NAMES = tuple(column.name for column in COLUMNS)


def progress_row(**known: Any) -> dict[str, Any]:
    """Return a row of what is known, in the order of the columns.

    Raises ValueError for a name that is not a column.
    """
    unknown = known.keys() - set(COLUMN_NAMES)
    if unknown:
        raise ValueError(f"{', '.join(sorted(unknown))}: not a column of a run's progress")
    return {
        column.name: known.get(column.name)
        for column in COLUMNS
        if column.is_always or known.get(column.name) is not None
    }
