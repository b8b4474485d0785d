"""Push/fold charts as one HTML page that needs nothing else: no script, no other file.

What a hand gains appears on pointing at its cell, or in all cells
at once by a check box. It prints well and follows the reader's light or dark setting.
"""

import math
from collections.abc import Iterator
from html import escape

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

_MAX_LINES = 4
"""Intervals that find room in a cell; pointing at it tells all."""

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
  background: {FOLD_COLOUR}; color: #1a1a1a; display: flex; flex-direction: column;
  align-items: center; justify-content: center; font-weight: 600;
  font-size: clamp(.55rem, 1.1vw, .85rem); print-color-adjust: exact;
  -webkit-print-color-adjust: exact; }}
.cell i {{ position: absolute; inset: 0 auto 0 0; }}
.cell b, .cell small {{ position: relative; font-weight: inherit; }}
.cell small {{ font-weight: 400; font-size: .78em; line-height: 1.15; text-align: center; }}
.dense {{ font-size: clamp(.4rem, .75vw, .62rem); line-height: 1.1; }}
.on {{ color: #ffffff; }}
.mixed b, .mixed small {{ text-shadow: 0 0 2px #fff, 0 0 2px #fff, 0 0 3px #fff, 0 0 4px #fff; }}
.push i {{ background: {COLOURS["push"]}; }}
.call i {{ background: {COLOURS["call"]}; }}
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


def chart_page(chart: PushFoldChart, *, with_ev: bool = False) -> Iterator[bytes]:
    """Yield the chart as HTML; `with_ev` shows what hands gain from the start."""
    checked = " checked" if with_ev else ""
    body = [
        f"<h1>{escape(chart.title)}</h1>",
        f'<p class="soft">{escape(chart.stakes_text)}; '
        f"exploitability {1000.0 * chart.exploitability:.4f} mbb/hand</p>",
        f'<input type="checkbox" id="ev"{checked}> '
        '<label for="ev">show what each hand gains over folding, in bb</label>',
        '<div class="both">',
        *(_section(seat) for seat in chart.seats),
        "</div>",
        '<p class="soft">Stacks count before the blinds are posted. A mixed cell is filled as '
        "often as the hand is played. Rake and tournament equity (ICM) are not modelled.</p>",
    ]
    yield _page(chart.title, body)


def sweep_page(sweep: PushFoldSweep) -> Iterator[bytes]:
    """Yield the sweep as HTML: in each cell the stacks at which the hand is played."""
    halves = (("push", "small blind", sweep.push), ("call", "big blind", sweep.call))
    sections = []
    for action, player, intervals in halves:
        cells = []
        for name in CLASS_NAMES:
            own = intervals[name]
            text = intervals_text(own[:_MAX_LINES], "<br>") or "–"
            if len(own) > _MAX_LINES:
                text += " …"
            inside = sum(any(low <= stack <= high for low, high in own) for stack in sweep.stacks)
            share = inside / len(sweep.stacks)
            tone = (" on" if share > 0.75 else "") + (" dense" if len(own) > 2 else "")
            title = f"{name}: {intervals_text(own) or 'never'}"
            cells.append(
                f'<div class="cell {action}{tone}" title="{title}">'
                f'<i style="width:100%;opacity:{share:.3f}"></i>'
                f"<b>{name}</b><small>{text}</small></div>"
            )
        sections.append(
            f"<section><h2>{player}: stacks at which each hand is {action}ed</h2>"
            f'<div class="wide"><div class="grid">{"".join(cells)}</div></div></section>'
        )
    rows = "".join(
        f"<tr><td>{chart.stack:g}</td><td>{chart.value:+.7f}</td>"
        f"<td>{chart.push.percent:.2f}</td><td>{chart.call.percent:.2f}</td></tr>"
        for chart in sweep.charts
    )
    body = [
        f"<h1>{escape(sweep.title)}</h1>",
        f'<p class="soft">{escape(sweep.charts[0].stakes_text)}; stacks are those solved, both '
        "ends included; the darker, the more of them</p>",
        f'<div class="both">{"".join(sections)}</div>',
        "<table><tr><th>stack, bb</th><th>value, bb/hand</th><th>push, %</th><th>call, %</th></tr>"
        f"{rows}</table>",
    ]
    yield _page(sweep.title, body)


def _page(title: str, body: list[str]) -> bytes:
    lines = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>",
        *body,
        "</body></html>",
    ]
    return ("\n".join(lines) + "\n").encode()


def _section(seat: Seat) -> str:
    cells = [
        _cell(seat, name, share, gain)
        for name, share, gain in zip(
            CLASS_NAMES, seat.frequency.tolist(), (seat.ev - seat.fold_ev).tolist(), strict=True
        )
    ]
    mixed = ", ".join(f"{name} {100.0 * share:.2f} %" for name, share in seat.mixed.items())
    return "\n".join(
        (
            f"<section><h2>{seat.player}: {seat.action} {seat.percent:.2f} % of hands</h2>",
            f'<div class="grid">{"".join(cells)}</div>',
            f'<p><span class="key" style="background:{COLOURS[seat.action]}"></span>{seat.action}'
            f'<span class="key" style="background:{FOLD_COLOUR}"></span>fold, '
            f"which gains {seat.fold_ev:+g} bb</p>",
            f"<p>mixed: {mixed or 'none'}</p>",
            f"<p><code>{escape(seat.range_text())}</code></p></section>",
        )
    )


def _cell(seat: Seat, name: str, share: float, gain: float) -> str:
    is_mixed = MIXED < share < 1.0 - MIXED
    width = 100.0 * share if is_mixed else 100.0 * round(share)
    tone = " mixed" if is_mixed else " on" if share > 0.5 else ""
    shown = "–" if math.isnan(gain) else f"{gain:+z.3f}"
    percent = f"<small>{100.0 * share:.0f} %</small>" if is_mixed else ""
    title = f"{name}: {seat.action} {100.0 * share:.4g} %, gains {shown} bb over folding"
    return (
        f'<div class="cell {seat.action}{tone}" tabindex="0" title="{title}">'
        f'<i style="width:{width:.2f}%"></i><b>{name}</b>{percent}'
        f'<small class="ev">{shown}</small></div>'
    )
