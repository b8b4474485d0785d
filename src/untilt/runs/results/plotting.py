"""`untilt.plot`: the convergence of runs as one figure."""

import os
from typing import TYPE_CHECKING, Any

from untilt.charts.figures.plot_file import FORMATS, plot_path
from untilt.charts.figures.run_curves import RunCurve, plot_curves
from untilt.errors import Argument, InvalidOption, shortened
from untilt.formats.base.files import path_of
from untilt.formats.run.progress_table import ProgressTable
from untilt.formats.run.run_folder import RunFolder
from untilt.result import Run

if TYPE_CHECKING:
    from untilt.charts.figures.picture import Picture


def plot(
    *runs: Run[Any] | str | os.PathLike[str],
    path: str | os.PathLike[str] | None = None,
    by: str = "iteration",
    measure: str | None = None,
    title: str | None = None,
) -> "Picture":
    """Return the convergence of one or several runs as a figure on logarithmic axes.

    A run is one that was solved or loaded, a solution of a spot, or the path of a run folder.
    `by` is `iteration` or `seconds`; `measure` is `exploitability` unless the runs have none.
    With `path`, which ends in .svg, .png or .pdf, the figure is also written there, replacing an
    older file of that name. It needs Matplotlib, `pip install 'untilt[plot]'`.

    >>> import untilt
    >>> runs = [
    ...     untilt.solve("kuhn", method, iterations=100, save=False) for method in ("cfr", "cfr+")
    ... ]
    >>> picture = untilt.plot(*runs, path="convergence.svg", by="seconds")
    >>> [line.get_label() for line in picture.axes[0].lines[:2]]
    ['cfr', 'cfr+']
    """
    if not runs:
        raise InvalidOption("give at least one run to plot, such as untilt.plot(run)")
    if not (title is None or isinstance(title, str)):
        raise InvalidOption.of("title", title, "it must be text")
    plot_path(path)  # refused before runs are read
    curves = [_curve(run) for run in runs]
    return plot_curves(curves, path, by=by, measure=measure, title=title)


def _curve(run: object) -> RunCurve:
    if isinstance(run, Run):
        return run.curve
    if isinstance(run, str | os.PathLike):
        folder = path_of(run)
        if folder.suffix in FORMATS and not folder.is_dir():
            raise InvalidOption(
                f"{shortened(str(folder))} is not a run; the file to write is given by name: ",
                Argument("path", str(folder)),
            )
        record = RunFolder(folder).record()
        return RunCurve(
            record.title,
            record.method,
            {**record.parameters, **record.options},
            folder,
            "chips" if record.terms is None else record.terms.unit,
            record.stop.target,
            ProgressTable.read(RunFolder(folder).progress_file),
        )
    if isinstance(run, list | tuple):
        raise InvalidOption(
            f"{shortened(run)} is a list of runs; give them one by one: untilt.plot(*runs)"
        )
    raise InvalidOption(
        f"{shortened(run)} is not a run: give a run, a solution, or the folder of a run"
    )
