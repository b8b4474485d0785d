"""Paths of quantal response that other programs sent as JSON; they are only shown."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from untilt.errors import RunError
from untilt.formats.base.files import shown
from untilt.runs.kinds.kind import RunKind

if TYPE_CHECKING:
    from untilt.formats.run.run_file import RunRecord


class DocumentKind(RunKind):
    """A path of quantal response from a JSON document."""

    name: ClassVar[str] = "document"
    noun: ClassVar[str] = "a path of quantal response from a document"
    command: ClassVar[str] = "qre"
    shown_by: ClassVar[str] = "serve"
    is_from_elsewhere: ClassVar[bool] = True
    views: ClassVar[frozenset[str]] = frozenset({"convergence", "strategy", "branch", "facts"})

    def advice(self, folder: Path) -> str:
        """Return how to look at the path: there is nothing to continue."""
        return f"look at it with `untilt {self.shown_by} {shown(folder)}`"

    def takes(self, subject: object) -> bool:
        """Whether it is solved as a run: documents come from elsewhere."""
        del subject
        return False

    def task(self, subject: Any, /, **arguments: Any) -> NoReturn:
        """Documents have no task."""
        raise AssertionError("a document is not solved as a run")

    def prepare(self, *_: Any, **__: Any) -> NoReturn:
        """Documents have no material."""
        raise AssertionError("a document is not solved as a run")

    def read(self, record: "RunRecord") -> NoReturn:
        """Raise RunError: what made the path is not known, so it cannot be continued."""
        folder = record.path.parent
        raise RunError(
            f"{shown(folder)} holds {self.noun}, which cannot be continued; {self.advice(folder)}"
        )

    def load(self, record: "RunRecord", watcher: object) -> NoReturn:
        """Raise RunError: the rules of its game are not known, so it is only shown."""
        folder = record.path.parent
        raise RunError(
            f"{shown(folder)} holds {self.noun}, which is only shown; {self.advice(folder)}"
        )
