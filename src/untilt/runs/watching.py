"""Reports of a run to its watchers."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from untilt.errors import InvalidOption
from untilt.solvers.progress import Progress


@dataclass(frozen=True)
class Status:
    """The progress of a run."""

    phase: Literal["compiling", "solving"]
    folder: Path | None = None
    """Where the run is saved."""
    histories: int | None = None
    """How many histories have been walked so far, while the game is compiled."""
    progress: Progress | None = None
    exploitability: float | None = None
    """The last one measured."""
    drift: float | None = None
    """The last one measured, if exploitability cannot be measured."""
    regret: float | None = None
    """The last one measured: largest positive regrets summed over infosets, per iteration."""
    lbr: float | None = None
    """The last one measured: what local best response wins, in mbb per hand."""
    lbr_margin: float | None = None
    """Half of its 95 % interval."""
    rate: float | None = None
    """Iterations per second of solver time."""
    node_rate: float | None = None
    """Nodes per second of solver time, for sampling solvers."""
    seconds_left: float | None = None
    note: str | None = None
    """What a user should know before the run begins, such as how much memory it takes."""


Watcher = Callable[[Status], None]


def report_nothing(status: Status) -> None:
    """Ignore `status`: the watcher of a run without one."""


def verified(watcher: Watcher | None) -> Watcher:
    """Return the watcher, or one that does nothing; raise InvalidOption if it is no function."""
    if watcher is not None and not callable(watcher):
        raise InvalidOption.of("watcher", watcher, "it must be a function of a Status")
    return watcher or report_nothing
