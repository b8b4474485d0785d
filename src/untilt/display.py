"""Results in notebooks: a small table and a small line chart, in plain HTML and SVG.

Everything is escaped, and bounded in size whatever the result holds.
"""

import math
from collections.abc import Sequence
from html import escape
from typing import TypeAlias

Cell: TypeAlias = str | float | int | None

MAX_TEXT = 60
"""Most characters of a text in a table."""
MAX_ROWS = 24
MAX_COLUMNS = 10
MAX_POINTS = 120
"""Most points of a line."""

_WIDTH, _HEIGHT = 360, 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 10, 10, 30
_STYLE = "text-align:right;padding:1px 8px"
_SOFT = "opacity:0.7;font-size:90%"


def short_number(value: float | int | None, digits: int = 4) -> str:
    """Return a number in a few characters; `–` if it is unknown."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, int) or (math.isfinite(value) and value == int(value) and value < 1e15):
        return f"{int(value):,}"
    return f"{value:.{digits}g}"


def gain_text(amount: float, spec: str = ".4g", gains: str = "wins", loses: str = "loses") -> str:
    """Return a gain in words: `wins 0.25`, or `loses 0.25` if it is negative.

    `spec` formats the number, without its sign; what rounds to 0 is not lost.
    """
    number = format(abs(amount), spec)
    return f"{loses if amount < 0.0 and float(number) else gains} {number}"


def shortened_text(text: str) -> str:
    """Return a text of at most `MAX_TEXT` characters on one line."""
    line = " ".join(str(text).split())
    return line if len(line) <= MAX_TEXT else f"{line[: MAX_TEXT - 1]}…"


def html_table(
    title: str,
    rows: Sequence[Sequence[Cell]],
    *,
    header: Sequence[str] = (),
    note: str = "",
    picture: str = "",
) -> str:
    """Return a table with a heading; `picture` is SVG below it, `note` a line at its end.

    Rows and columns beyond `MAX_ROWS` and `MAX_COLUMNS` are left out.
    """
    parts = [f"<div><strong>{_text(title)}</strong>", '<table style="border-collapse:collapse">']
    if header:
        cells = "".join(
            f'<th style="{_aligned(place)}">{_text(name)}</th>'
            for place, name in enumerate(header[:MAX_COLUMNS])
        )
        parts.append(f"<thead><tr>{cells}</tr></thead>")
    parts.append("<tbody>")
    for row in rows[:MAX_ROWS]:
        cells = "".join(
            f'<td style="{_aligned(place)}">{_text(_shown(cell))}</td>'
            for place, cell in enumerate(row[:MAX_COLUMNS])
        )
        parts.append(f"<tr>{cells}</tr>")
    parts.append("</tbody></table>")
    if picture:
        parts.append(picture)
    if note:
        parts.append(f'<div style="{_SOFT}">{_text(note)}</div>')
    return "".join([*parts, "</div>"])


def line_chart(
    x: Sequence[float],
    y: Sequence[float],
    *,
    colour: str,
    x_name: str,
    y_name: str,
) -> str:
    """Return one line on logarithmic axes as SVG; nothing if fewer than two points are positive.

    At most `MAX_POINTS` points are drawn, evenly spaced among those given.
    """
    points = [
        (math.log10(across), math.log10(up))
        for across, up in zip(x, y, strict=True)
        if 0.0 < across < math.inf and 0.0 < up < math.inf
    ]
    if len(points) < 2:
        return ""
    if len(points) > MAX_POINTS:
        step = (len(points) - 1) / (MAX_POINTS - 1)
        points = [points[round(place * step)] for place in range(MAX_POINTS)]
    across = _span([point[0] for point in points])
    up = _span([point[1] for point in points])
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def place_x(log: float) -> float:
        return _LEFT + (right - _LEFT) * (log - across[0]) / (across[1] - across[0])

    def place_y(log: float) -> float:
        return bottom - (bottom - _TOP) * (log - up[0]) / (up[1] - up[0])

    path = " ".join(f"{place_x(log_x):.1f},{place_y(log_y):.1f}" for log_x, log_y in points)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" font-size="10" font-family="sans-serif" '
        f'fill="currentColor"><title>{_text(y_name)} by {_text(x_name)}</title>'
    ]
    for power in _ticks(up):
        at = place_y(power)
        parts.append(
            f'<path d="M{_LEFT},{at:.1f}H{right}" stroke="currentColor" stroke-opacity="0.2"/>'
            f'<text x="{_LEFT - 4}" y="{at + 3:.1f}" text-anchor="end">{_power(power)}</text>'
        )
    for power in _ticks(across):
        at = place_x(power)
        parts.append(
            f'<path d="M{at:.1f},{_TOP}V{bottom}" stroke="currentColor" stroke-opacity="0.2"/>'
            f'<text x="{at:.1f}" y="{bottom + 12}" text-anchor="middle">{_power(power)}</text>'
        )
    middle = (_LEFT + right) / 2
    parts.append(
        f'<polyline points="{path}" fill="none" stroke="{_text(colour)}" stroke-width="1.8" '
        'stroke-linejoin="round"/>'
        f'<text x="{middle:.0f}" y="{_HEIGHT - 4}" text-anchor="middle">{_text(x_name)}</text>'
        f'<text x="10" y="{(_TOP + bottom) / 2:.0f}" text-anchor="middle" '
        f'transform="rotate(-90 10 {(_TOP + bottom) / 2:.0f})">{_text(y_name)}</text></svg>'
    )
    return "".join(parts)


def _span(logs: Sequence[float]) -> tuple[float, float]:
    low, high = min(logs), max(logs)
    return (low, high) if high - low > 1e-9 else (low - 0.5, high + 0.5)


def _ticks(span: tuple[float, float]) -> list[int]:
    """Return whole powers of ten inside the span, at most five."""
    powers = list(range(math.ceil(span[0] - 1e-9), math.floor(span[1] + 1e-9) + 1))
    return powers[:: max(1, math.ceil(len(powers) / 5))]


def _power(power: int) -> str:
    if 0 <= power <= 3:
        return f"{10**power:,}"
    digits = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{digits}"


def _aligned(place: int) -> str:
    return _STYLE if place else _STYLE.replace("right", "left", 1)


def _shown(cell: Cell) -> str:
    return cell if isinstance(cell, str) else short_number(cell)


def _text(text: str) -> str:
    return escape(shortened_text(text))
