"""Buckets of cards as a figure: the distribution of the final equity in each."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

_PANEL_INCHES = 3.4
_DARKEST = 0.995
"""Quantile of the shares above which everything has the darkest colour."""


def draw_buckets(
    path: Path,
    streets: Mapping[str, npt.NDArray[np.float64]],
    examples: Mapping[str, Sequence[tuple[int, str]]],
) -> None:
    """Draw a panel per street to `path`: a column per bucket, the weakest at the left.

    `streets` are histograms [K, B] of the final equity, `examples` some buckets with a hand, whose
    histograms are drawn at the right.
    """
    from untilt.charts.figures.picture import Picture

    height = _PANEL_INCHES * len(streets)
    figure = Picture(figsize=(10.0, height), layout="constrained")
    grid = figure.subplots(len(streets), 2, squeeze=False, width_ratios=[3, 2])
    for (left, right), (street, histograms) in zip(grid, streets.items(), strict=True):
        _draw_map(left, street, histograms)
        _draw_examples(right, histograms, examples[street])
    figure.save(path)


def _draw_map(axes: Any, street: str, histograms: npt.NDArray[np.float64]) -> None:
    count = len(histograms)
    middles = (np.arange(histograms.shape[1]) + 0.5) / histograms.shape[1]
    axes.imshow(
        histograms.T,
        origin="lower",
        aspect="auto",
        cmap="Blues",
        vmax=float(np.quantile(histograms, _DARKEST)),
        extent=(-0.5, count - 0.5, 0.0, 1.0),
        interpolation="nearest",
    )
    axes.plot(range(count), histograms @ middles, color="black", linewidth=1.0, label="mean")
    axes.set_title(f"{count} {street} buckets", fontsize="medium")
    axes.set_xlabel("bucket")
    axes.set_ylabel("equity on the river")
    axes.legend(loc="upper left", fontsize="small", frameon=False)


def _draw_examples(
    axes: Any, histograms: npt.NDArray[np.float64], examples: Sequence[tuple[int, str]]
) -> None:
    num_bins = histograms.shape[1]
    edges = np.linspace(0.0, 1.0, num_bins + 1)
    for bucket, hand in examples:
        axes.stairs(100.0 * histograms[bucket], edges, label=f"{bucket}: {hand}", linewidth=1.2)
    axes.set_xlabel("equity on the river")
    axes.set_ylabel("% of run-outs")
    axes.set_xlim(0.0, 1.0)
    axes.legend(fontsize="x-small", frameon=False)
