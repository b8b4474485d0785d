"""Push/fold charts of many stacks in a folder, which the dashboard shows with a slider."""

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from untilt.errors import InvalidOption, RunError
from untilt.formats.base.files import shown
from untilt.formats.kinds.sweep_file import FILE_NAME, Sweep, read_sweep, write_sweep
from untilt.games.pushfold.analysis import sweep_of
from untilt.games.pushfold.chart import PushFoldSweep
from untilt.games.pushfold.game import PushFold, Stakes
from untilt.policy.saved.pushfold_charts import chart_of_sweep
from untilt.result import Run
from untilt.runs.recorder import Recorder
from untilt.runs.task import describe_origin

if TYPE_CHECKING:
    from untilt.charts.figures.picture import Picture


@dataclass(frozen=True, repr=False)
class SweepRun(Run[PushFoldSweep]):
    """The charts of a folder; they are computed at once, so they have no progress."""

    path: Path
    charts: PushFoldSweep

    iterations: ClassVar[None] = None
    seconds: ClassVar[float] = math.nan
    """Not recorded."""
    is_finished: ClassVar[bool] = True
    progress: ClassVar[None] = None

    @property
    def result(self) -> PushFoldSweep:
        """The charts, and for each hand the stacks at which it is played."""
        return self.charts

    @property
    def curve(self) -> NoReturn:
        """Raise InvalidOption: there is nothing that converges."""
        raise InvalidOption(
            f"{shown(self.path)} holds push/fold charts, which have no convergence to plot; "
            "see them with .plot(), or with `untilt serve`"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the charts as `untilt chart --sweep --json` prints them."""
        return self.charts.to_json()

    def plot(
        self, path: str | os.PathLike[str] | None = None, *, by: str = "iteration"
    ) -> "Picture":
        """Return grids with the stacks at which each hand is played; `by` has no effect."""
        del by
        return self.charts.plot(path)

    def __repr__(self) -> str:
        return f"<SweepRun: {self.charts.title}>"

    def _repr_html_(self) -> str:
        """Return a small table of some stacks, for notebooks."""
        return self.charts._repr_html_()


def load_sweep(folder: Path) -> SweepRun:
    """Return the charts in a folder; raise RunError if they are not finished."""
    file = folder / FILE_NAME
    if not file.exists():
        raise RunError(f"{shown(folder)} has no charts yet; they are written at the end")
    stored = read_sweep(file)
    return SweepRun(folder, sweep_of([chart_of_sweep(stored, n) for n in range(len(stored.stack))]))


class SweepFolder:
    """A folder for the charts of a sweep, while they are computed."""

    def __init__(self, recorder: Recorder, path: Path) -> None:
        self._recorder = recorder
        self.path = path

    def save(self, found: PushFoldSweep) -> None:
        """Write the charts."""
        sweep = _sweep_of(found)
        self._recorder.finish(
            {"stacks": len(found.charts)}, lambda folder: write_sweep(folder / FILE_NAME, sweep)
        )


@contextmanager
def sweep_folder(
    all_stakes: Sequence[Stakes], method: str, output: Path | None
) -> Iterator[SweepFolder]:
    """Provide the folder for the charts of `all_stakes`; remove it if the sweep is not finished."""
    first, last = all_stakes[0], all_stakes[-1]
    document = {
        **describe_origin(),
        "kind": "sweep",
        "game": "pushfold",
        "title": "Push/Fold Hold'em",
        "method": method,
        "parameters": {
            "stack": f"{first.stack:g}–{last.stack:g}",
            "small_blind": first.small_blind,
            "ante": first.ante,
            "bb_ante": first.bb_ante,
        },
        "terms": PushFold.terms.to_json(),
    }
    with Recorder.create(output, "pushfold", "sweep") as recorder:
        recorder.begin(document, is_whole_or_nothing=True)
        assert recorder.folder is not None
        yield SweepFolder(recorder, recorder.folder)


def _sweep_of(found: PushFoldSweep) -> Sweep:
    charts = found.charts
    first = charts[0]
    return Sweep(
        small_blind=float(first.small_blind),
        ante=float(first.ante),
        bb_ante=float(first.bb_ante),
        stack=np.array([chart.stack for chart in charts]),
        value=np.array([chart.value for chart in charts]),
        exploitability=np.array([chart.exploitability for chart in charts]),
        push=np.array([chart.push.frequency for chart in charts]),
        call=np.array([chart.call.frequency for chart in charts]),
        push_ev=np.array([chart.push.ev for chart in charts]),
        call_ev=np.array([chart.call.ev for chart in charts]),
        fold_ev=np.array([[seat.fold_ev for seat in chart.seats] for chart in charts]),
    )


def save_sweep(found: PushFoldSweep, method: str, output: Path | None = None) -> Path:
    """Write the charts to the folder `output`, or runs/pushfold-sweep-{n}, and return it."""
    ends = [
        Stakes(chart.stack, chart.small_blind, chart.ante, chart.bb_ante)
        for chart in (found.charts[0], found.charts[-1])
    ]
    with sweep_folder(ends, method, output) as folder:
        folder.save(found)
    return folder.path
