"""The views of the page, one file each. `web/src/views/all.ts` has the same list."""

from typing import TYPE_CHECKING

from untilt.dashboard.sources.source import Holdings, Json, NotAvailable
from untilt.dashboard.view import View, may_show
from untilt.dashboard.views import (
    branch,
    chart,
    convergence,
    facts,
    noise,
    play,
    pushfold,
    spot,
    strategy,
)
from untilt.errors import FormatError

if TYPE_CHECKING:
    from untilt.dashboard.sources.run_folder import ServedRun

VIEWS: tuple[View, ...] = (
    convergence.VIEW,
    spot.VIEW,
    noise.VIEW,
    chart.VIEW,
    strategy.VIEW,
    pushfold.VIEW,
    branch.VIEW,
    play.VIEW,
    facts.VIEW,
)
"""In the order of the tabs."""


def views_of(run: Holdings) -> list[str]:
    """Return the names of the views that a run offers, of those that its kind may."""
    return [
        view.name
        for view in VIEWS
        if (run.record is None or may_show(run.record, view.name)) and view.offered(run)
    ]


def detail_of(source: "ServedRun") -> Json:
    """Return the `RunDetail` of a run."""
    summary = source.summary()
    lists: Json = {}
    for view in VIEWS:
        is_offered = view.name in summary["views"]
        try:
            lists |= {key: read(source) if is_offered else [] for key, read in view.details.items()}
        except (NotAvailable, FormatError):
            lists |= {key: [] for key in view.details}
            summary = source.summary()  # it now reports the damage
    return {**summary, **source.asked(), **lists}
