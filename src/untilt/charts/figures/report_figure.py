"""A report as a figure: a bar per board, split by action, and the values of both players."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from untilt.charts.palette import LIGHT, styles_of

_BAR_INCHES = 0.16
_WIDEST_INCHES = 60.0
_MOST_NAMES = 200
"""With more boards, their names would cover one another."""


def draw_report(
    path: Path,
    title: str,
    actions: Sequence[str],
    boards: Sequence[str],
    frequencies: Sequence[Mapping[str, float]],
    values: Mapping[str, Sequence[float]],
) -> None:
    """Draw to `path`: per board, how often each action is taken, and below the `values` by seat."""
    from untilt.charts.figures.picture import Picture

    width = min(max(7.0, 1.6 + _BAR_INCHES * len(boards)), _WIDEST_INCHES)
    figure = Picture(figsize=(width, 6.0), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1.3])
    places = range(len(boards))
    bottom = [0.0] * len(boards)
    for action, style in zip(actions, styles_of(actions), strict=True):
        shares = [100.0 * row[action] for row in frequencies]
        upper.bar(
            places, shares, 0.9, bottom=bottom, color=LIGHT[style.name], label=action, linewidth=0
        )
        bottom = [low + share for low, share in zip(bottom, shares, strict=True)]
    upper.set_ylim(0.0, 100.0)
    upper.set_ylabel("% of the range")
    upper.set_title(title)
    upper.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", frameon=False)
    for seat, dashes in zip(values, ("-", "--"), strict=True):
        lower.plot(places, values[seat], dashes, color="black", linewidth=1.0, label=seat)
    lower.set_ylabel("EV, chips")
    lower.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", frameon=False)
    lower.grid(alpha=0.3, axis="y")
    if len(boards) <= _MOST_NAMES:
        lower.set_xticks(list(places), boards, rotation=90, fontsize="x-small")
    lower.set_xlim(-0.6, len(boards) - 0.4)
    figure.save(path)
