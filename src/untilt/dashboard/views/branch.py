"""The branch of quantal responses by beta; its infosets come from the routes of the strategy."""

from untilt.dashboard.source import Holdings, Source
from untilt.dashboard.view import View


def offered(run: Holdings) -> bool:
    """Whether rows have a beta."""
    return run.is_branch


def _folds(source: Source) -> list[float]:
    return source.folds()


VIEW = View("branch", offered, details={"folds": _folds})
