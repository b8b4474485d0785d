"""`untilt.plot`: the convergence of runs as one figure."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from untilt.charts.convergence import Curve, convergence_figure
from untilt.charts.plot_file import plot_path, saved
from untilt.errors import InvalidOption, shortened
from untilt.formats.files import path_of
from untilt.formats.progress_table import ProgressTable
from untilt.formats.run_folder import RunFolder
from untilt.games.holdem.solution import Solution
from untilt.runs.run import Run

if TYPE_CHECKING:
    from untilt.charts.picture import Picture


class _Subject(NamedTuple):
    """What the figure needs to know about a run."""

    title: str
    """Of the game."""
    method: str
    settings: Mapping[str, Any]
    """Parameters of the game and options of the method."""
    folder: Path | None
    unit: str
    target: float | None
    progress: ProgressTable


def plot(
    *runs: "Run | Solution | str | os.PathLike[str]",
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
    file = plot_path(path)
    subjects = [_subject(run) for run in runs]
    titles = list(dict.fromkeys(subject.title for subject in subjects))
    units = list(dict.fromkeys(subject.unit for subject in subjects))
    targets = {subject.target for subject in subjects}
    figure = convergence_figure(
        [
            Curve(name, subject.progress)
            for name, subject in zip(_names(subjects), subjects, strict=True)
        ],
        by=by,
        measure=measure,
        title=_default_title(subjects, titles) if title is None else title,
        unit=" or ".join(units),
        target=targets.pop() if len(targets) == 1 else None,
    )
    return saved(figure, file)


def _default_title(subjects: Sequence[_Subject], titles: Sequence[str]) -> str:
    if len(titles) > 1:
        return ""
    return f"{titles[0]}, {subjects[0].method}" if len(subjects) == 1 else titles[0]


def _subject(run: object) -> _Subject:
    if isinstance(run, Run):
        request = run.request
        return _Subject(
            request.title,
            request.method,
            {**request.parameters, **request.options},
            run.path,
            request.terms.unit,
            request.stop.target,
            run.progress,
        )
    if isinstance(run, Solution):
        if run.progress is None:
            raise InvalidOption(f"{run!r} has no convergence: it was made without recording it")
        facts = run.facts
        return _Subject(
            f"Spot {run.spot.board_text}",
            facts.method,
            facts.options,
            facts.path,
            "chips",
            facts.target,
            run.progress,
        )
    if isinstance(run, str | os.PathLike):
        folder = path_of(run)
        record = RunFolder(folder).record()
        return _Subject(
            record.title,
            record.method,
            {**record.parameters, **record.options},
            folder,
            "chips" if record.terms is None else record.terms.unit,
            record.stop.target,
            ProgressTable.read(RunFolder(folder).progress_file),
        )
    raise InvalidOption(
        f"{shortened(run)} is not a run: give a run, a solution, or the folder of a run"
    )


def _names(subjects: Sequence[_Subject]) -> list[str]:
    """Return the shortest name for each run that tells them apart."""
    namings: list[Callable[[_Subject], str]] = [lambda subject: subject.method]
    if len({subject.title for subject in subjects}) > 1:
        namings = [lambda subject: f"{subject.title}, {subject.method}"]
    differing = _differing([subject.settings for subject in subjects])
    namings.append(
        lambda subject: ", ".join(
            [subject.method]
            + [f"{name} {subject.settings[name]}" for name in differing if name in subject.settings]
        )
    )
    namings.append(
        lambda subject: subject.method if subject.folder is None else subject.folder.name
    )
    for naming in namings:
        names = [naming(subject) for subject in subjects]
        if len(set(names)) == len(names):
            return names
    return [f"{number}: {subject.method}" for number, subject in enumerate(subjects, start=1)]


def _differing(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the settings that not all runs share."""
    names = dict.fromkeys(name for each in settings for name in each)
    return [name for name in names if len({repr(each.get(name)) for each in settings}) > 1]
