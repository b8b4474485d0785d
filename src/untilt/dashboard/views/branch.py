"""The quantal response branch by beta; its infosets come from the routes of the strategy view."""

from untilt.dashboard.sources.source import Holdings, Source
from untilt.dashboard.view import View


def offered(run: Holdings) -> bool:
    """Whether the rows of the progress have a beta."""
    return run.is_branch


def _folds(source: Source) -> list[float]:
    return source.folds()


VIEW = View("branch", offered, details={"folds": _folds})
