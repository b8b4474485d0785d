"""The quantal response branch by beta; its infosets come from the routes of the strategy view."""

from typing import TYPE_CHECKING

from untilt.dashboard.sources.source import Holdings
from untilt.dashboard.view import View

if TYPE_CHECKING:
    from untilt.dashboard.sources.run_folder import ServedRun


def offered(run: Holdings) -> bool:
    """Whether the rows of the progress have a beta."""
    return run.is_branch


def _folds(source: "ServedRun") -> list[float]:
    return source.folds()


VIEW = View("branch", offered, details={"folds": _folds})
