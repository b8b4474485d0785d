"""Push/fold charts as PNG or SVG, by Matplotlib: two grids, a legend, stack and value.

A cell is filled from the left as often as its hand is played; dark fills with white names
stand against pale ones with dark names, so that a print in black and white reads as well.
"""

import io
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from untilt.cards.card import NUM_RANKS
from untilt.cards.combos import CLASS_NAMES
from untilt.charts.push_fold import (
    COLOURS,
    FOLD_COLOUR,
    MIXED,
    PushFoldChart,
    PushFoldSweep,
    Seat,
    intervals_text,
)
from untilt.errors import InvalidOption

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patheffects import AbstractPathEffect
    from matplotlib.text import Text

_INK = "#1a1a1a"
_MAX_LINES = 4
"""Intervals that find room in a cell."""
_HALO = 2.4
"""Width of the white rim of names that stand on two colours, in points."""


def verify_matplotlib(option: str) -> None:
    """Raise InvalidOption, naming the `option`, if Matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise InvalidOption(
            f"{option} needs matplotlib: pip install 'untilt[plot]', or uv run --extra plot"
        ) from None


def chart_image(chart: PushFoldChart, form: str, *, with_ev: bool = False) -> bytes:
    """Return the chart as an image; `form` is `png` or `svg`."""
    with _style():
        figure, both = _two_grids(chart.title, chart.stakes_text)
        for axes, seat in zip(both, chart.seats, strict=True):
            _draw_seat(axes, seat, with_ev=with_ev)
        return _saved(figure, form)


def sweep_image(sweep: PushFoldSweep, form: str) -> bytes:
    """Return the sweep as an image: in each cell the stacks at which the hand is played."""
    with _style():
        figure, both = _two_grids(sweep.title, sweep.charts[0].stakes_text)
        halves = (("push", sweep.push, "small blind"), ("call", sweep.call, "big blind"))
        for axes, (action, intervals, player) in zip(both, halves, strict=True):
            _begin(axes, f"{player}: stacks at which each hand is {action}ed")
            for hand, name in enumerate(CLASS_NAMES):
                own = intervals[name]
                steps = sum(
                    1 for stack in sweep.stacks if any(low <= stack <= high for low, high in own)
                )
                share = steps / len(sweep.stacks)
                _rectangle(axes, hand, 1.0, FOLD_COLOUR)
                _rectangle(axes, hand, 1.0, COLOURS[action], alpha=share)
                ink = "white" if share > 0.75 else _INK
                _name(axes, hand, name, ink, height=0.3)
                text = intervals_text(own[:_MAX_LINES], "\n") or "–"
                if len(own) > _MAX_LINES:
                    text += " …"
                x, y = _place(hand)
                size = 4.6 if len(own) < _MAX_LINES else 3.9
                axes.text(
                    x + 0.5, y + 0.68, text, ha="center", va="center", color=ink, fontsize=size
                )
        return _saved(figure, form)


@contextmanager
def _style() -> Iterator[None]:
    from matplotlib import rc_context

    # A fixed salt makes the same chart the same SVG.
    with rc_context({"svg.hashsalt": "untilt", "font.family": ["DejaVu Sans"]}):
        yield


def _two_grids(title: str, subtitle: str) -> "tuple[Figure, tuple[Axes, Axes]]":
    from matplotlib.figure import Figure

    # Places are fixed: fitting a layout to 338 texts takes seconds.
    figure = Figure(figsize=(14.0, 8.4), facecolor="white")
    figure.text(0.5, 0.955, title, ha="center", fontsize=16, fontweight="bold", color=_INK)
    figure.text(0.5, 0.925, subtitle, ha="center", fontsize=11, color="#555555")
    left = figure.add_axes((0.015, 0.085, 0.475, 0.79))
    right = figure.add_axes((0.51, 0.085, 0.475, 0.79))
    return figure, (left, right)


def _begin(axes: "Axes", heading: str) -> None:
    axes.set_xlim(0, NUM_RANKS)
    axes.set_ylim(NUM_RANKS, 0)
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_title(heading, fontsize=12, color=_INK)


def _draw_seat(axes: "Axes", seat: Seat, *, with_ev: bool) -> None:
    from matplotlib.patches import Patch
    from matplotlib.patheffects import withStroke

    _begin(axes, f"{seat.player}: {seat.action} {seat.percent:.2f} % of hands")
    colour = COLOURS[seat.action]
    rim: list[AbstractPathEffect] = [withStroke(linewidth=_HALO, foreground="white")]
    gains = (seat.ev - seat.fold_ev).tolist()
    for hand, share in enumerate(seat.frequency.tolist()):
        is_mixed = MIXED < share < 1.0 - MIXED
        _rectangle(axes, hand, 1.0, FOLD_COLOUR)
        if share > MIXED:
            _rectangle(axes, hand, share if is_mixed else 1.0, colour)
        ink = "white" if share >= 1.0 - MIXED else _INK
        has_second_line = with_ev or is_mixed
        name = _name(axes, hand, CLASS_NAMES[hand], ink, height=0.36 if has_second_line else 0.5)
        if not has_second_line:
            continue
        lines = [f"{100.0 * share:.1f} %"] if is_mixed else []
        if with_ev:
            lines.append("–" if math.isnan(gains[hand]) else f"{gains[hand]:+z.3f}")
        x, y = _place(hand)
        second = axes.text(
            x + 0.5, y + 0.72, "\n".join(lines), ha="center", va="center", color=ink, fontsize=6.5
        )
        if is_mixed:
            name.set_path_effects(rim)
            second.set_path_effects(rim)
    patches = [
        Patch(facecolor=colour, label=seat.action),
        Patch(facecolor=FOLD_COLOUR, edgecolor="#9aa0a6", label="fold"),
    ]
    note = "mixed cells are filled as often as they are played"
    if with_ev:
        note += f"; numbers: bb that {seat.action}ing gains over folding"
    axes.legend(
        handles=patches,
        title=note,
        title_fontsize=8,
        fontsize=9,
        ncols=2,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        frameon=False,
    )


def _place(hand: int) -> tuple[int, int]:
    row, column = divmod(hand, NUM_RANKS)
    return column, row


def _rectangle(axes: "Axes", hand: int, share: float, colour: str, alpha: float = 1.0) -> None:
    from matplotlib.patches import Rectangle

    x, y = _place(hand)
    gap = 0.03
    axes.add_artist(
        Rectangle(
            (x + gap, y + gap), share * (1 - 2 * gap), 1 - 2 * gap, color=colour, alpha=alpha, lw=0
        )
    )


def _name(axes: "Axes", hand: int, name: str, ink: str, height: float) -> "Text":
    x, y = _place(hand)
    return axes.text(
        x + 0.5, y + height, name, ha="center", va="center", color=ink, fontsize=9, weight="bold"
    )


def _saved(figure: "Figure", form: str) -> bytes:
    image = io.BytesIO()
    # Without the date the same chart is the same file.
    metadata = {"Date": None} if form == "svg" else None
    figure.savefig(image, format=form, dpi=150, metadata=metadata)
    return image.getvalue()
