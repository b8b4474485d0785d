"""Sheets of grids as PNG or SVG, drawn by Matplotlib: grids side by side, a legend, a title.

Each action fills a cell, from the left, in proportion to its frequency. Dark fills have white
names and pale ones dark names, so charts are readable in black and white too.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from untilt.cards.card import NUM_RANKS
from untilt.cards.combos import CLASS_NAMES
from untilt.charts.sheet import (
    MARK,
    PALE_GREY,
    ActionCell,
    ActionGrid,
    ActionSheet,
    ListGrid,
    ListSheet,
    number_text,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patheffects import AbstractPathEffect
    from matplotlib.text import Text

    from untilt.charts.figures.picture import Picture

_INK = "#1a1a1a"
_MAX_LINES = 4
"""Texts that fit into a cell."""
_WIDTH = 7.0
"""Width of a grid, in inches."""
_HALO = 2.4
"""Width of the white halo around names on two colours, in points."""


def action_figure(sheet: ActionSheet, form: str, *, with_numbers: bool = False) -> bytes:
    """Return the sheet as an image; `form` is `png` or `svg`."""
    return sheet_figure(sheet, with_numbers=with_numbers).to_bytes(form)


def list_figure(sheet: ListSheet, form: str) -> bytes:
    """Return the sheet as an image; `form` is `png` or `svg`."""
    return sheet_figure(sheet).to_bytes(form)


def sheet_figure(sheet: ActionSheet | ListSheet, *, with_numbers: bool = False) -> "Picture":
    """Return the grids of a sheet side by side; `with_numbers` adds those of actions."""
    from untilt.charts.figures.picture import drawing_style

    with drawing_style():
        figure, places = begin_figure(sheet.title, sheet.subtitle, len(sheet.grids))
        grids: Sequence[ActionGrid | ListGrid] = sheet.grids
        for axes, grid in zip(places, grids, strict=True):
            if isinstance(grid, ActionGrid):
                _draw_actions(axes, grid, with_numbers=with_numbers)
            else:
                _draw_lists(axes, grid)
        return figure


def begin_figure(title: str, subtitle: str, count: int) -> "tuple[Picture, list[Axes]]":
    """Return a figure with places for `count` grids."""
    from untilt.charts.figures.picture import Picture

    # Positions are fixed: computing a layout for hundreds of texts takes seconds.
    figure = Picture(figsize=(_WIDTH * count, 8.4), facecolor="white")
    figure.text(0.5, 0.955, title, ha="center", fontsize=16, fontweight="bold", color=_INK)
    figure.text(0.5, 0.925, subtitle, ha="center", fontsize=11, color="#555555")
    return figure, [
        figure.add_axes(((0.03 + 0.99 * place) / count, 0.085, 0.95 / count, 0.79))
        for place in range(count)
    ]


def begin_grid(axes: "Axes", heading: str) -> None:
    """Prepare the axes of a grid of 13 × 13 cells."""
    axes.set_xlim(0, NUM_RANKS)
    axes.set_ylim(NUM_RANKS, 0)
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_title(heading, fontsize=12, color=_INK)


def _draw_actions(axes: "Axes", grid: ActionGrid, *, with_numbers: bool) -> None:
    from matplotlib.patches import Patch

    begin_grid(axes, grid.heading)
    numbers = grid.numbers.values.tolist()
    for hand, cell in enumerate(grid.cells()):
        lines = [f"{100.0 * cell.share:.1f} %"] if cell.is_mixed else []
        if with_numbers:
            lines.append(number_text(numbers[hand]))
        _draw_cell(axes, hand, cell, grid, lines)
    patches = [Patch(facecolor=fill.colour, label=fill.name) for fill in grid.fills]
    patches.append(Patch(facecolor=grid.rest_colour, label=grid.rest))
    note = "a mixed cell is filled in proportion to how often the hand is played"
    if with_numbers:
        note += f"; numbers: {grid.numbers.meaning}"
    if grid.marks_meaning:
        note += f"\n{grid.marks_meaning}"
    legend = axes.legend(
        handles=patches,
        title=note,
        title_fontsize=8,
        fontsize=9,
        ncols=len(patches),
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        frameon=False,
    )
    legend.get_title().set_parse_math(False)


def _draw_cell(
    axes: "Axes", hand: int, cell: ActionCell, grid: ActionGrid, lines: list[str]
) -> None:
    from matplotlib.patheffects import withStroke

    fill_cell(axes, hand, 0.0, 1.0, grid.rest_colour)
    begin = 0.0
    for end, fill in zip(cell.ends(), grid.fills, strict=True):
        if end > begin:
            fill_cell(axes, hand, begin, end, fill.colour)
        begin = end
    if cell.mark:
        _frame_cell(axes, hand)
    ink = "white" if cell.is_full else _INK
    texts = [
        write_cell(axes, hand, 0.36 if lines else 0.5, cell.mark + cell.name, ink, 9, weight="bold")
    ]
    if lines:
        texts.append(write_cell(axes, hand, 0.72, "\n".join(lines), ink, 6.5))
    if cell.is_mixed:
        rim: list[AbstractPathEffect] = [withStroke(linewidth=_HALO, foreground="white")]
        for text in texts:
            text.set_path_effects(rim)


def _draw_lists(axes: "Axes", grid: ListGrid) -> None:
    begin_grid(axes, grid.heading)
    cells = zip(CLASS_NAMES, grid.depths, grid.lines, strict=True)
    for hand, (name, depth, lines) in enumerate(cells):
        fill_cell(axes, hand, 0.0, 1.0, PALE_GREY)
        fill_cell(axes, hand, 0.0, 1.0, grid.fill.colour, alpha=depth)
        ink = "white" if grid.is_white_on(hand) else _INK
        write_cell(axes, hand, 0.3, name, ink, 9, weight="bold")
        text = "\n".join(lines[:_MAX_LINES]) or "–"
        if len(lines) > _MAX_LINES:
            text += " …"
        write_cell(axes, hand, 0.68, text, ink, 4.6 if len(lines) < _MAX_LINES else 3.9)


def _place(hand: int) -> tuple[int, int]:
    row, column = divmod(hand, NUM_RANKS)
    return column, row


def fill_cell(
    axes: "Axes", hand: int, begin: float, end: float, colour: str, alpha: float = 1.0
) -> None:
    """Fill the cell of a class of hands from `begin` to `end` of its width."""
    from matplotlib.patches import Rectangle

    x, y = _place(hand)
    gap = 0.03
    inside = 1 - 2 * gap
    axes.add_artist(
        Rectangle(
            (x + gap + begin * inside, y + gap),
            (end - begin) * inside,
            inside,
            color=colour,
            alpha=alpha,
            lw=0,
        )
    )


def _frame_cell(axes: "Axes", hand: int) -> None:
    from matplotlib.patches import Rectangle

    x, y = _place(hand)
    axes.add_artist(Rectangle((x + 0.05, y + 0.05), 0.9, 0.9, fill=False, edgecolor=MARK, lw=2.0))


def write_cell(
    axes: "Axes", hand: int, height: float, text: str, ink: str, size: float, weight: str = "normal"
) -> "Text":
    """Write into the cell of a class of hands, at a height from 0, its top, to 1."""
    x, y = _place(hand)
    return axes.text(
        x + 0.5, y + height, text, ha="center", va="center", color=ink, fontsize=size, weight=weight
    )
