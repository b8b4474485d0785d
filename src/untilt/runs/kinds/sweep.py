"""Push/fold charts of many stacks, which are computed at once and only shown from their folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from untilt.errors import RunError
from untilt.formats.base.files import shown
from untilt.formats.kinds.sweep_file import FILE_NAME
from untilt.runs.kinds.kind import RunKind

if TYPE_CHECKING:
    from untilt.formats.run.run_file import RunRecord
    from untilt.runs.pushfold.sweep_folder import SweepRun
    from untilt.runs.watching import Watcher


class SweepKind(RunKind):
    """Push/fold charts of many stacks."""

    name: ClassVar[str] = "sweep"
    noun: ClassVar[str] = "push/fold charts of many stacks"
    command: ClassVar[str] = "chart"
    shown_by: ClassVar[str] = "serve"
    result_file: ClassVar[str] = FILE_NAME
    views: ClassVar[frozenset[str]] = frozenset({"pushfold", "facts"})
    is_whole_or_nothing: ClassVar[bool] = True

    def advice(self, folder: Path) -> str:
        """Return how to look at the charts: there is nothing to continue."""
        return f"look at them with `untilt {self.shown_by} {shown(folder)}`"

    def played_otherwise(self, folder: Path) -> str:
        """Return what to play instead of many charts."""
        return (
            "has charts of many stacks, but only one strategy can be played: give a run of a "
            "single stack, for example from `untilt solve pushfold -p stack=10`"
        )

    def takes(self, subject: object) -> bool:
        """Whether it is solved as a run: `untilt.pushfold.chart_sweep` computes charts."""
        del subject
        return False

    def task(self, subject: Any, /, **arguments: Any) -> NoReturn:
        """Sweeps have no task."""
        raise AssertionError("a sweep is not solved as a run")

    def prepare(self, *_: Any, **__: Any) -> NoReturn:
        """Sweeps have no material."""
        raise AssertionError("a sweep is not solved as a run")

    def read(self, record: "RunRecord") -> NoReturn:
        """Raise RunError: the charts are computed at once, so none can be continued."""
        folder = record.path.parent
        raise RunError(
            f"{shown(folder)} holds {self.noun}, which are computed at once and not continued; "
            f"{self.advice(folder)}"
        )

    def load(self, record: "RunRecord", watcher: "Watcher") -> "SweepRun":
        """Return the charts of a folder."""
        from untilt.runs.pushfold.sweep_folder import load_sweep

        del watcher
        return load_sweep(record.path.parent)
