"""Sheets of grids as a self-contained HTML page: no script, no other file.

Pointing at a cell shows the number of its hand; a check box shows all numbers. The page prints
well and follows the reader's light or dark setting.
"""

from collections.abc import Iterable, Sequence
from html import escape

from untilt.cards.card import NUM_RANKS
from untilt.cards.combos import CLASS_NAMES
from untilt.charts.sheet import (
    MARK,
    PALE_GREY,
    ActionCell,
    ActionGrid,
    ActionSheet,
    Fill,
    ListGrid,
    ListSheet,
    number_text,
)

_MAX_LINES = 4
"""Texts that fit into a cell; pointing at it shows all."""

_COLOURS = "/* colours */"
"""Placeholder for the colours of the actions in the style of a page."""

_STYLE = f"""
:root {{ color-scheme: light dark; --page: #ffffff; --ink: #1a1a1a; --soft: #5f6368; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --page: #16181b; --ink: #f1f3f4; --soft: #a8adb3; }}
}}
* {{ box-sizing: border-box; }}
body {{ margin: 2rem auto; max-width: 84rem; padding: 0 1rem; background: var(--page);
  color: var(--ink); font: 16px/1.45 system-ui, sans-serif; }}
h1 {{ font-size: 1.6rem; margin: 0 0 .2rem; }}
h2 {{ font-size: 1.1rem; margin: 0 0 .6rem; }}
p {{ margin: .3rem 0; }}
.soft {{ color: var(--soft); }}
.both {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr));
  gap: 2rem; margin: 1.2rem 0; }}
.both > section {{ min-width: 0; }}
.grid {{ display: grid; grid-template-columns: repeat({NUM_RANKS}, minmax(0, 1fr)); gap: 2px; }}
.cell {{ position: relative; aspect-ratio: 1; border-radius: 3px; overflow: hidden;
  background: {PALE_GREY}; color: #1a1a1a; display: flex; flex-direction: column;
  align-items: center; justify-content: center; font-weight: 600;
  font-size: clamp(.55rem, 1.1vw, .85rem); print-color-adjust: exact;
  -webkit-print-color-adjust: exact; }}
.cell i {{ position: absolute; inset: 0 auto 0 0; }}
.cell b, .cell small {{ position: relative; font-weight: inherit; }}
.cell small {{ font-weight: 400; font-size: .78em; line-height: 1.15; text-align: center; }}
.dense {{ font-size: clamp(.4rem, .75vw, .62rem); line-height: 1.1; }}
.on {{ color: #ffffff; }}
.mixed b, .mixed small {{ text-shadow: 0 0 2px #fff, 0 0 2px #fff, 0 0 3px #fff, 0 0 4px #fff; }}
{_COLOURS}
.marked {{ outline: 3px solid {MARK}; outline-offset: -3px; }}
.ev {{ display: none; }}
#ev:checked ~ .both .ev {{ display: inline; }}
.cell:hover, .cell:focus {{ outline: 2px solid var(--ink); }}
.cell:hover .ev, .cell:focus .ev {{ display: inline; }}
.key {{ display: inline-block; width: 1em; height: 1em; border-radius: 3px; vertical-align: -.12em;
  border: 1px solid #9aa0a6; margin: 0 .3em 0 1em; print-color-adjust: exact;
  -webkit-print-color-adjust: exact; }}
.key:first-child {{ margin-left: 0; }}
code {{ font-size: .85rem; overflow-wrap: anywhere; }}
table {{ border-collapse: collapse; margin-top: 1rem; font-variant-numeric: tabular-nums; }}
td, th {{ padding: .15rem .8rem; text-align: right; }}
th {{ color: var(--soft); font-weight: 500; }}
@media screen and (max-width: 40rem) {{
  body {{ margin: 1rem auto; padding: 0 .5rem; }}
  h1 {{ font-size: 1.3rem; }}
  .grid {{ gap: 1px; }}
  .cell {{ aspect-ratio: 3 / 4; font-size: .55rem; letter-spacing: -.02em; }}
  .cell small {{ font-size: .5rem; }}
  .cell .ev {{ font-size: .42rem; }}
  .wide {{ overflow-x: auto; }}
  .wide .grid {{ width: 40rem; }}
  .wide .cell {{ aspect-ratio: 1; font-size: .75rem; }}
  .wide .cell small {{ font-size: .55rem; }}
  td, th {{ padding: .15rem .4rem; }}
}}
@media print {{ body {{ margin: 0; max-width: none; }} .both {{ gap: 1rem;
  grid-template-columns: 1fr 1fr; }} label, #ev {{ display: none; }} }}
"""


def action_page(sheet: ActionSheet, *, with_numbers: bool = False) -> bytes:
    """Return the sheet as HTML; `with_numbers` shows the numbers of all hands from the start."""
    checked = " checked" if with_numbers else ""
    body = [
        f"<h1>{escape(sheet.title)}</h1>",
        f'<p class="soft">{escape(sheet.subtitle)}; {escape(sheet.remark)}</p>',
        f'<input type="checkbox" id="ev"{checked}> <label for="ev">{escape(sheet.prompt)}</label>',
        '<div class="both">',
        *(_action_section(grid) for grid in sheet.grids),
        "</div>",
        f'<p class="soft">{escape(sheet.footnote)}</p>',
    ]
    fills = [
        fill for grid in sheet.grids for fill in (*grid.fills, Fill(grid.rest, grid.rest_colour))
    ]
    return _page(sheet.title, fills, body)


def list_page(sheet: ListSheet) -> bytes:
    """Return the sheet as HTML: grids, and the table below them."""
    sections = "".join(_list_section(grid) for grid in sheet.grids)
    table = "".join([_row("th", sheet.header), *(_row("td", row) for row in sheet.rows)])
    body = [
        f"<h1>{escape(sheet.title)}</h1>",
        f'<p class="soft">{escape(sheet.subtitle)}; {escape(sheet.remark)}</p>',
        f'<div class="both">{sections}</div>',
        f"<table>{table}</table>",
    ]
    return _page(sheet.title, [grid.fill for grid in sheet.grids], body)


def _page(title: str, fills: Iterable[Fill], body: list[str]) -> bytes:
    colours = "\n".join(
        f".{fill.name} i, .rest-{fill.name} {{ background: {fill.colour}; }}"
        for fill in dict.fromkeys(fills)
    )
    lines = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{escape(title)}</title><style>{_STYLE.replace(_COLOURS, colours)}</style>"
        "</head><body>",
        *body,
        "</body></html>",
    ]
    return ("\n".join(lines) + "\n").encode()


def _row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _action_section(grid: ActionGrid) -> str:
    numbers = grid.numbers.values.tolist()
    cells = [
        _action_cell(grid, cell, number_text(number))
        for cell, number in zip(grid.cells(), numbers, strict=True)
    ]
    keys = [_key(fill.name, fill.colour) for fill in grid.fills]
    rest = _key(f"{grid.rest}, {grid.rest_remark}", grid.rest_colour)
    return "\n".join(
        (
            f"<section><h2>{escape(grid.heading)}</h2>",
            f'<div class="grid">{"".join(cells)}</div>',
            f"<p>{''.join(keys)}{rest}</p>",
            *([f"<p>{escape(grid.marks_meaning)}</p>"] if grid.marks_meaning else []),
            f"<p>mixed: {grid.mixed_text}</p>",
            f"<p><code>{escape(grid.range_text)}</code></p></section>",
        )
    )


def _key(words: str, colour: str) -> str:
    return f'<span class="key" style="background:{colour}"></span>{escape(words)}'


def _action_cell(grid: ActionGrid, cell: ActionCell, number: str) -> str:
    first, *others = zip(cell.ends(), grid.fills, strict=True)
    tone = " mixed" if cell.is_mixed else " on" if cell.is_full else ""
    tone += " marked" if cell.mark else ""
    parts = [f'<i style="width:{100.0 * first[0]:.2f}%"></i>']
    begin = first[0]
    for end, fill in others:
        # The class of the cell colours its first action; the others need an inline colour.
        place = f"left:{100.0 * begin:.2f}%;width:{100.0 * (end - begin):.2f}%"
        parts.append(f'<i style="{place};background:{fill.colour}"></i>')
        begin = end
    shares = ", ".join(
        f"{fill.name} {100.0 * share:.4g} %"
        for fill, share in zip(grid.fills, cell.shares, strict=True)
    )
    percent = f"<small>{100.0 * cell.share:.0f} %</small>" if cell.is_mixed else ""
    title = escape(f"{cell.name}: {shares}, {grid.numbers.hint.format(number)}")
    return (
        f'<div class="cell {grid.fills[0].name}{tone} rest-{grid.rest}" tabindex="0" '
        f'title="{title}">'
        f"{''.join(parts)}<b>{cell.mark}{cell.name}</b>{percent}"
        f'<small class="ev">{number}</small></div>'
    )


def _list_section(grid: ListGrid) -> str:
    cells = [
        _list_cell(grid, hand, *cell)
        for hand, cell in enumerate(zip(CLASS_NAMES, grid.depths, grid.lines, strict=True))
    ]
    return (
        f"<section><h2>{escape(grid.heading)}</h2>"
        f'<div class="wide"><div class="grid">{"".join(cells)}</div></div></section>'
    )


def _list_cell(grid: ListGrid, hand: int, name: str, depth: float, lines: Sequence[str]) -> str:
    text = "<br>".join(map(escape, lines[:_MAX_LINES])) or "–"
    if len(lines) > _MAX_LINES:
        text += " …"
    tone = (" on" if grid.is_white_on(hand) else "") + (" dense" if len(lines) > 2 else "")
    title = escape(f"{name}: {';'.join(lines) or 'never'}")
    return (
        f'<div class="cell {grid.fill.name}{tone}" title="{title}">'
        f'<i style="width:100%;opacity:{depth:.3f}"></i>'
        f"<b>{name}</b><small>{text}</small></div>"
    )
