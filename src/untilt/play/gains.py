"""What variants of an exploiter win from agents: rows for frames, tables and figures."""

import os
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from untilt.display import html_table
from untilt.errors import require

if TYPE_CHECKING:
    from pandas import DataFrame

    from untilt.charts.picture import Picture


class Gain(NamedTuple):
    """What one variant wins from one agent, in thousandths of a big blind per hand."""

    agent: str
    variant: str
    mbb: float
    interval: tuple[float, float] | None
    """The 95 % confidence interval; None if it is not known."""


def gain_words(gain: Gain, width: int = 0) -> str:
    """Return a gain and its interval in words; the number has at least `width` characters."""
    text = f"{gain.mbb:+{width or ''}.1f} mbb a hand"
    if gain.interval is None:
        return text
    low, high = gain.interval
    return f"{text} (95 %: {low:+.1f} to {high:+.1f})"


def gains_frame(gains: Sequence[Gain]) -> "DataFrame":
    """Return a pandas frame with a row per agent and variant."""
    pandas = require("pandas", "to_frame")
    unknown = float("nan"), float("nan")
    frame: DataFrame = pandas.DataFrame(
        [(*gain[:3], *(gain.interval or unknown)) for gain in gains],
        columns=["agent", "variant", "mbb", "low", "high"],
    )
    return frame


def gains_table(gains: Sequence[Gain], title: str, note: str) -> str:
    """Return a small table for notebooks."""
    rows = [
        [
            gain.variant,
            gain.agent,
            f"{gain.mbb:+.1f}",
            "–" if gain.interval is None else "{:+.1f} to {:+.1f}".format(*gain.interval),
        ]
        for gain in gains
    ]
    header = ("variant", "agent", "mbb a hand", "95 %")
    return html_table(title, rows, header=header, note=note)


def plot_gains(
    gains: Sequence[Gain], title: str, path: "str | os.PathLike[str] | None"
) -> "Picture":
    """Return the gains with their intervals as a figure, and write it if there is a path."""
    # Figures are drawn above this package.
    charts = import_module("untilt.charts.gains_figure")
    picture: Picture = charts.plot_gains(gains, title, path)
    return picture
