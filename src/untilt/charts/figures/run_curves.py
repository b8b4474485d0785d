"""The convergence of runs as one figure, with names that tell them apart."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from untilt.charts.figures.convergence_figure import Curve, convergence_figure
from untilt.charts.figures.plot_file import plot_path, saved
from untilt.formats.run.progress_table import ProgressTable

if TYPE_CHECKING:
    from untilt.charts.figures.picture import Picture


class RunCurve(NamedTuple):
    """The part of a run that the figure shows."""

    title: str
    """Of the game."""
    method: str
    settings: Mapping[str, Any]
    """Parameters of the game and options of the method."""
    folder: Path | None
    unit: str
    target: float | None
    progress: ProgressTable


def plot_curves(
    runs: Sequence[RunCurve],
    path: str | os.PathLike[str] | None,
    *,
    by: str,
    measure: str | None = None,
    title: str | None = None,
) -> "Picture":
    """Return runs as one figure, and write it if there is a path; see `untilt.plot`."""
    file = plot_path(path)
    titles = list(dict.fromkeys(run.title for run in runs))
    units = list(dict.fromkeys(run.unit for run in runs))
    targets = {run.target for run in runs}
    figure = convergence_figure(
        [Curve(name, run.progress) for name, run in zip(_names(runs), runs, strict=True)],
        by=by,
        measure=measure,
        title=_default_title(runs, titles) if title is None else title,
        unit=" or ".join(units),
        target=targets.pop() if len(targets) == 1 else None,
    )
    return saved(figure, file)


def _default_title(runs: Sequence[RunCurve], titles: Sequence[str]) -> str:
    if len(titles) > 1:
        return ""
    return f"{titles[0]}, {runs[0].method}" if len(runs) == 1 else titles[0]


def _names(runs: Sequence[RunCurve]) -> list[str]:
    """Return the shortest name for each run that tells them apart."""
    namings: list[Callable[[RunCurve], str]] = [lambda run: run.method]
    if len({run.title for run in runs}) > 1:
        namings = [lambda run: f"{run.title}, {run.method}"]
    differing = _differing([run.settings for run in runs])
    namings.append(
        lambda run: ", ".join(
            [run.method]
            + [f"{name} {run.settings[name]}" for name in differing if name in run.settings]
        )
    )
    namings.append(lambda run: run.method if run.folder is None else run.folder.name)
    for naming in namings:
        names = [naming(run) for run in runs]
        if len(set(names)) == len(names):
            return names
    return [f"{number}: {run.method}" for number, run in enumerate(runs, start=1)]


def _differing(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the settings that not all runs share."""
    names = dict.fromkeys(name for each in settings for name in each)
    return [name for name in names if len({repr(each.get(name)) for each in settings}) > 1]
