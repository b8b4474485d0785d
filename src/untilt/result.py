"""`Run`: the result of any run, finished or interrupted, new or loaded from its folder."""

import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from untilt.lazy import provided

if TYPE_CHECKING:
    from pathlib import Path

    from untilt.charts.figures.picture import Picture
    from untilt.charts.figures.run_curves import RunCurve
    from untilt.formats.run.progress_table import ProgressTable

Result_co = TypeVar("Result_co", covariant=True)


class Run(ABC, Generic[Result_co]):
    """A finished or interrupted run, of any kind.

    Every kind adds what only it knows: a `GameRun` its game and exploitability, a `Solution` its
    nodes, a `Blueprint` its charts.

    >>> import untilt
    >>> run = untilt.solve("kuhn", iterations=10, save=False)
    >>> isinstance(run, untilt.Run), run.result == run.strategy
    (True, True)
    """

    if TYPE_CHECKING:  # fields of some kinds, properties of others

        @property
        def path(self) -> Path | None:
            """Where it is saved; None if it is not."""

        @property
        def iterations(self) -> int | None:
            """Iterations done; None for a method without iterations."""

        @property
        def seconds(self) -> float:
            """Wall time in iterations and stopping tests."""

        @property
        def is_finished(self) -> bool:
            """Whether it reached its stop; False if it was interrupted."""

    @property
    @abstractmethod
    def result(self) -> Result_co:
        """What was found: a strategy, a solution, a blueprint or a chart."""

    @property
    @abstractmethod
    def progress(self) -> "ProgressTable | None":
        """How it converged; None if that was not recorded."""

    @property
    @abstractmethod
    def curve(self) -> "RunCurve":
        """The convergence with what a figure says about it."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the run as the object that `--json` prints."""

    def plot(
        self, path: str | os.PathLike[str] | None = None, *, by: str = "iteration"
    ) -> "Picture":
        """Return the convergence as a figure on logarithmic axes; see `untilt.plot`."""
        picture: Picture = provided("the figure of runs")([self.curve], path, by=by)
        return picture
