"""Convergence of runs as a figure: a measure against iterations or seconds, on log axes.

    curves = [Curve("cfr+", run.progress), Curve("dcfr", other.progress)]
    convergence_figure(curves, title="Leduc Hold'em").save(Path("convergence.svg"))

Runs have the colours of the page, by their position. Several runs are named at the ends of their
lines, moved apart so that no name covers another.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.charts.palette import is_run_dashed, run_colour
from untilt.errors import InvalidOption, UnknownName, shortened
from untilt.formats.run.progress import COLUMNS
from untilt.formats.run.progress_table import ProgressTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from untilt.charts.figures.picture import Picture

AXES = ("iteration", "seconds")
"""The quantities against which convergence is drawn."""
MEASURES = ("exploitability", "nash_conv", "regret", "residual", "drift", "lbr")
"""The quantities that can be drawn; the first that the runs have is the default."""

_INK, _SOFT, _GRID = "#1c2024", "#566069", "#eceef0"
_DASHES = (0, (6, 2, 1.5, 2))
_PLOT_INCHES = (6.6, 4.4)
_LEFT, _RIGHT, _TOP, _BOTTOM = 0.85, 0.25, 0.5, 0.6
"""Room around the plot, in inches."""
_NAME_POINTS = 9.0
_LEAD_INCHES = 0.25
"""Room between the plot and the names, for the lines that lead to them."""
_LONGEST_NAME = 32
_DOTS_BELOW = 60
"""With fewer points than this, each is marked by a dot."""


class Curve(NamedTuple):
    """One run of the figure."""

    name: str
    progress: ProgressTable


class _Line(NamedTuple):
    name: str
    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]


def convergence_figure(
    curves: Sequence[Curve],
    *,
    by: str = "iteration",
    measure: str | None = None,
    title: str = "",
    unit: str = "chips",
    target: float | None = None,
) -> "Picture":
    """Return the convergence of one or several runs as a figure with logarithmic axes.

    `by` is `iteration` or `seconds`. `measure` is one of `MEASURES`; by default the first that all
    runs have, else the first that one has. `unit` is that of the game; `target` is drawn as a line.
    Points that are not positive cannot be drawn; InvalidOption if no run has any.
    """
    from untilt.charts.figures.picture import Picture, drawing_style

    _verify_choice("axis", by, AXES)
    chosen = _chosen_measure(curves, by, measure)
    lines = [_line(curve, by, chosen) for curve in curves]
    if not any(len(line.x) for line in lines):
        raise InvalidOption(f"no run has {chosen} above 0 to draw against its {by}")
    names = [_shortened(line.name) for line in lines] if len(lines) > 1 else []
    width, height = _PLOT_INCHES
    room = _room_for(names)
    with drawing_style():
        whole_width, whole_height = _LEFT + width + _RIGHT + room, _BOTTOM + height + _TOP
        figure = Picture(figsize=(whole_width, whole_height), facecolor="white")
        axes = figure.add_axes(
            (
                _LEFT / whole_width,
                _BOTTOM / whole_height,
                width / whole_width,
                height / whole_height,
            )
        )
        _draw_lines(axes, lines)
        if target is not None and target > 0.0:
            axes.axhline(target, color="#146c43", linewidth=1.0, linestyle=(0, (8, 3, 2, 3)))
        _label(axes, by, chosen, unit, title)
        if names:
            _name_lines(axes, lines, names, height)
    return figure


def _chosen_measure(curves: Sequence[Curve], by: str, measure: str | None) -> str:
    if measure is not None:
        _verify_choice("measure", measure, MEASURES)
        return measure
    counts = [
        (sum(len(_line(curve, by, name).x) > 0 for curve in curves), name) for name in MEASURES
    ]
    most = max(count for count, _ in counts)
    return next(name for count, name in counts if count == most)


def _verify_choice(what: str, given: object, allowed: Sequence[str]) -> None:
    if not isinstance(given, str) or given not in allowed:
        raise UnknownName.among(what, shortened(given).strip("'"), allowed)


def _line(curve: Curve, by: str, measure: str) -> _Line:
    """Return the points of a curve that logarithmic axes can show."""
    nothing = np.empty(0)
    if by not in curve.progress or measure not in curve.progress:
        return _Line(curve.name, nothing, nothing)
    x, y = curve.progress[by], curve.progress[measure]
    is_drawable = (x > 0.0) & (y > 0.0) & np.isfinite(x) & np.isfinite(y)
    return _Line(curve.name, x[is_drawable], y[is_drawable])


def _draw_lines(axes: "Axes", lines: Sequence[_Line]) -> None:
    for position, line in enumerate(lines):
        axes.plot(
            line.x,
            line.y,
            color=run_colour(position),
            linestyle=_DASHES if is_run_dashed(position) else "-",
            linewidth=1.8,
            marker="o" if len(line.x) < _DOTS_BELOW else "",
            markersize=3.0,
            label=line.name,
        )


def _label(axes: "Axes", by: str, measure: str, unit: str, title: str) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    units = {column.name: unit if column.unit == "game" else column.unit for column in COLUMNS}
    axes.set_xlabel("iterations" if by == "iteration" else "seconds", color=_INK)
    of = units[measure]
    axes.set_ylabel(f"{measure}, {of}" if of else measure, color=_INK)
    if title:
        axes.set_title(title, color=_INK, fontsize=12)
    axes.grid(color=_GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(colors=_SOFT)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _name_lines(
    axes: "Axes", lines: Sequence[_Line], names: Sequence[str], height_inches: float
) -> None:
    """Write the names beside the plot, joined to the ends of their lines."""
    points = 72.0 * height_inches
    ends = {
        place: axes.transAxes.inverted().transform(
            axes.transData.transform((float(line.x[-1]), float(line.y[-1])))
        )
        for place, line in enumerate(lines)
        if len(line.x)
    }
    order = sorted(ends, key=lambda place: -ends[place][1])
    heights = _apart([float(ends[place][1]) for place in order], 1.3 * _NAME_POINTS / points)
    begin = 1.0 + _LEAD_INCHES / _PLOT_INCHES[0]
    for place, at in zip(order, heights, strict=True):
        colour = run_colour(place)
        axes.plot(
            [ends[place][0], begin - 0.008],
            [ends[place][1], at],
            color=colour,
            linewidth=0.9,
            linestyle=(0, (1, 3)),
            transform=axes.transAxes,
            clip_on=False,
        )
        axes.text(
            begin,
            at,
            names[place],
            color=colour,
            fontsize=_NAME_POINTS,
            va="center",
            transform=axes.transAxes,
            parse_math=False,
        )


def _apart(heights: Sequence[float], gap: float) -> list[float]:
    """Return descending heights at least `gap` apart, as near to those given as that allows."""
    placed: list[float] = []
    most = 1.0
    for height in heights:
        placed.append(min(height, most))
        most = placed[-1] - gap
    least = 0.0
    for place in reversed(range(len(placed))):
        placed[place] = max(placed[place], least)
        least = placed[place] + gap
    return placed


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _room_for(names: Sequence[str]) -> float:
    """Return the inches that the names need beside the plot."""
    if not names:
        return 0.0
    return _LEAD_INCHES + 0.65 * _NAME_POINTS / 72.0 * max(map(len, names))
