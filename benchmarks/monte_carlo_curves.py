"""Draw how fast sampling converges, from real runs: the figure in docs/monte-carlo.md.

    uv run --extra plot python benchmarks/monte_carlo_curves.py [--output FILE]

It compares chance, external and outcome sampling (with and without baselines) and full-width CFR,
on Kuhn and on Leduc with 936 infosets. Each curve is the median of three seeds at fixed numbers of
iterations. Seconds are CPU time of iterations on one thread, without compilation and evaluation.
"""

import argparse
import math
import os
import statistics
import time
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as on the command line

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from untilt.evaluation.best_response import evaluate_plans
from untilt.game.compiled import CompiledGame, compile_histories
from untilt.game.histories.tree import GameTree
from untilt.games import kuhn, leduc
from untilt.options.option import Options
from untilt.solvers.cfr import CfrSolver
from untilt.solvers.mccfr.solver import MccfrSolver
from untilt.solvers.methods import METHODS

OUTPUT = Path(__file__).parents[1] / "docs" / "monte-carlo-convergence.svg"
SEEDS = 3
MAX_SECONDS = 3.0
POINTS_PER_DECADE = 4
FIRST_NODES = 1_000
"""Curves begin at the first point with at least this many nodes."""


class Recipe(NamedTuple):
    """One curve: a method with options, and its style."""

    name: str
    method: str
    options: Options
    colour: str
    marker: str


# Okabe and Ito's colours, which colour-blind readers can distinguish; markers differ as well.
RECIPES = (
    Recipe("full width (cfr)", "cfr", {}, "#000000", "D"),
    Recipe("chance", "mccfr-chance", {}, "#E69F00", "s"),
    Recipe("external", "mccfr-external", {}, "#0072B2", "o"),
    Recipe("outcome, baselines", "mccfr-outcome", {}, "#009E73", "^"),
    Recipe("outcome, no baselines", "mccfr-outcome", {"baseline": "none"}, "#D55E00", "v"),
)


class Point(NamedTuple):
    """What a solver had done and achieved at one moment."""

    nodes: float
    seconds: float
    nash_conv: float


def measured(game: CompiledGame, recipe: Recipe, seed: int, max_seconds: float) -> list[Point]:
    """Run one solver for the given time; return its points."""
    method = METHODS[recipe.method]
    options = {**recipe.options, "on": "tree"} if method.is_sampling else recipe.options
    solver = method.build(game, method.options(options), None, seed=seed)
    assert isinstance(solver, CfrSolver | MccfrSolver)
    solver.warm_up()
    form, tree = game.exact_form(), game.require(GameTree)
    points: list[Point] = []
    seconds, exponent = 0.0, 0
    while seconds < max_seconds:
        begin = time.process_time()
        solver.advance(round(10 ** (exponent / POINTS_PER_DECADE)) - solver.iteration)
        seconds += time.process_time() - begin
        exponent += 1
        # A full-width iteration is counted as one walk over the whole tree for each player.
        if isinstance(solver, CfrSolver):
            nodes = 2 * len(tree.parent) * solver.iteration
        else:
            nodes = solver.nodes
        evaluation = evaluate_plans(form, form.plans(solver.snapshot().behaviours))
        points.append(Point(nodes, seconds, evaluation.nash_conv))
    return points


def curve(game: CompiledGame, recipe: Recipe, max_seconds: float) -> list[Point]:
    """Return the medians over the seeds, point by point."""
    count = SEEDS if METHODS[recipe.method].is_sampling else 1
    runs = [measured(game, recipe, seed, max_seconds) for seed in range(count)]
    medians = [
        Point(*(statistics.median(column) for column in zip(*points, strict=True)))
        for points in zip(*runs, strict=False)
    ]
    return [point for point in medians if point.nodes >= FIRST_NODES]


def power_of_ten(number: float, position: int | None) -> str:
    """Return 10ⁿ as plain text, which any font can show; matplotlib's own needs a certain font."""
    exponent = str(round(math.log10(number)))
    return "10" + exponent.translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def draw(axes: Axes, curves: list[list[Point]], coordinate: str) -> None:
    """Draw nash_conv against nodes or seconds, both logarithmic."""
    for recipe, points in zip(RECIPES, curves, strict=True):
        axes.loglog(
            [getattr(point, coordinate) for point in points],
            [point.nash_conv for point in points],
            color=recipe.colour,
            marker=recipe.marker,
            markersize=4.5,
            markevery=POINTS_PER_DECADE,
            linewidth=1.4,
            clip_on=False,
            label=recipe.name,
        )
    axes.grid(visible=True, which="major", color="#dddddd", linewidth=0.6)
    axes.minorticks_off()
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(power_of_ten))
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=OUTPUT, help="SVG or PNG file")
    parser.add_argument("--seconds", type=float, default=MAX_SECONDS, help="per run")
    arguments = parser.parse_args()
    games = {
        "Kuhn": compile_histories(kuhn()),
        "Leduc (936 infosets)": compile_histories(leduc(suits="distinguished")),
    }
    # Keep text as text, and ids the same in every run: only the curves differ.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "untilt", "font.size": 9})
    figure = Figure(figsize=(8.6, 6.4), layout="constrained", facecolor="white")
    panels = figure.subplots(2, 2, sharey="row")
    for (name, game), row in zip(games.items(), panels, strict=True):
        curves = [curve(game, recipe, arguments.seconds) for recipe in RECIPES]
        for axes, coordinate in zip(row, ("nodes", "seconds"), strict=True):
            draw(axes, curves, coordinate)
            axes.set_title(name, loc="left", fontweight="bold")
            axes.set_xlabel(
                "nodes visited" if coordinate == "nodes" else "CPU-seconds of iterations"
            )
        row[0].set_ylabel("nash_conv of the average, chips")
        for recipe, points in zip(RECIPES, curves, strict=True):
            last = points[-1]
            print(
                f"{name}, {recipe.name}: nash_conv {last.nash_conv:.2e} after "
                f"{last.nodes:.2e} nodes, {last.seconds:.2f} s"
            )
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(RECIPES), frameon=False)
    is_svg = arguments.output.suffix == ".svg"
    figure.savefig(arguments.output, dpi=110, metadata={"Date": None} if is_svg else None)


if __name__ == "__main__":
    main()
