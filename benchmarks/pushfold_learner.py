"""Measure the push/fold regret learner: speed, threads, convergence and storage.

    uv run python benchmarks/pushfold_learner.py [speed | batches | storage | deep | all]
    uv run --extra plot python benchmarks/pushfold_learner.py storage --plot docs/regret-storage.svg

`speed` plays 20 M hands alternately on one thread and on two, several times, and compares the bits.
`batches` measures exploitability against hands for several batch sizes, `storage` for regrets of 1,
2 and 4 bytes, linear and logarithmic, and `deep` does the same at 100 big blinds. Figures are means
of three seeds for the last strategy in mbb/hand, with the standard deviation of one run at the end.
"""

import argparse
import os
import statistics
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as on the command line

from untilt.games.pushfold.form import build_form
from untilt.games.pushfold.game import Stakes
from untilt.games.pushfold.learner import RegretLearner, Settings
from untilt.games.pushfold.regret_code import RegretCode
from untilt.runs.pushfold.trainee import evaluate_strategy

SEEDS = 3
SPEED_HANDS = 20_000_000
ROUNDS = 5
MOMENTS = (*(digit * 10**power for power in range(4, 8) for digit in (1, 2, 5)), 10**8)


class Recipe(NamedTuple):
    """One curve."""

    name: str
    code: RegretCode = RegretCode()
    batch: int = 100_000
    choice: str = "sign"
    boards: str = "random"
    stack: float = 10.0
    last: int = 10**8
    """Number of hands at which it ends."""

    def settings(self, seed: int) -> Settings:
        return Settings(
            stack=self.stack,
            seed=seed,
            batch=self.batch,
            choice="sign" if self.choice == "sign" else "matching",
            boards="random" if self.boards == "random" else "exact",
            code=self.code,
        )


BATCHES = (
    Recipe("1", batch=1, last=10**6),
    Recipe("1,000", batch=1_000, last=10**7),
    Recipe("10,000", batch=10_000),
    Recipe("100,000", batch=100_000),
    Recipe("1,000,000", batch=1_000_000),
    Recipe("100,000, matching", choice="matching"),
    Recipe("100,000, exact", boards="exact"),
)

STORAGE = (
    Recipe("4 bytes, linear", RegretCode(4)),
    Recipe("2 bytes, linear", RegretCode(2)),
    Recipe("2 bytes, log", RegretCode(2, "log")),
    Recipe("1 byte, log", RegretCode(1, "log")),
    Recipe("1 byte, linear", RegretCode(1)),
    Recipe("1 byte, log, batch 1", RegretCode(1, "log"), batch=1, last=5 * 10**6),
    Recipe("2 bytes, linear, batch 1", RegretCode(2), batch=1, last=5 * 10**6),
    Recipe("1 byte, linear, batch 1", RegretCode(1), batch=1, last=5 * 10**6),
)

DEEP = (
    Recipe("4 bytes, linear, 100 bb", RegretCode(4), stack=100.0),
    Recipe("2 bytes, linear, 100 bb", RegretCode(2), stack=100.0),
    Recipe("2 bytes, log, 100 bb", RegretCode(2, "log"), stack=100.0),
    Recipe("1 byte, log, 100 bb", RegretCode(1, "log"), stack=100.0),
)


class Curve(NamedTuple):
    """Exploitability after given numbers of hands."""

    recipe: Recipe
    hands: list[int]
    means: list[float]
    deviation: float
    """Standard deviation of one run at the end."""
    num_cut: int


def measured(recipe: Recipe, most_hands: int) -> Curve:
    """Return the mean curve over the seeds."""
    form = build_form(Stakes(recipe.stack))
    hands = [moment for moment in MOMENTS if moment <= min(recipe.last, most_hands)]
    runs = []
    for seed in range(SEEDS):
        learner = RegretLearner(recipe.settings(seed))
        run = []
        for moment in hands:
            learner.advance(moment)
            run.append(1e3 * evaluate_strategy(form, learner.probabilities()).exploitability)
        runs.append(run)
    means = [statistics.mean(column) for column in zip(*runs, strict=True)]
    deviation = statistics.stdev(run[-1] for run in runs)
    return Curve(recipe, hands, means, deviation, learner.num_cut)


def report(recipes: Iterable[Recipe], most_hands: int) -> list[Curve]:
    """Measure and print a table."""
    shown = [10**power for power in range(4, 9)]
    print(f"{'':26}" + "".join(f"{hands:>13,}" for hands in shown) + "   ± at the end   cut")
    curves = []
    for recipe in recipes:
        curve = measured(recipe, most_hands)
        at = dict(zip(curve.hands, curve.means, strict=True))
        cells = "".join(f"{at[hands]:13.3f}" if hands in at else f"{'':13}" for hands in shown)
        print(f"{recipe.name:26}{cells}   {curve.deviation:12.3f}   {curve.num_cut:3}", flush=True)
        curves.append(curve)
    return curves


def speed() -> None:
    """Print nanoseconds per hand, alternately on one thread and on two, and the speed-up."""
    gains = []
    for _ in range(ROUNDS):
        seconds, bits = [], []
        for threads in (1, 2):
            learner = RegretLearner(Settings(), threads=threads)
            learner.warm_up()
            begin = time.perf_counter()
            learner.advance(SPEED_HANDS)
            seconds.append(time.perf_counter() - begin)
            bits.append(learner.codes.tobytes())
        assert bits[0] == bits[1], "threads must not change the result"
        gains.append(seconds[0] / seconds[1])
        each = ", ".join(f"{1e9 * spent / SPEED_HANDS:.1f} ns" for spent in seconds)
        print(f"one thread, two threads: {each} a hand; gain {gains[-1]:.2f}", flush=True)
    print(f"median gain {statistics.median(gains):.2f}, the same bits")


def plot(curves: list[Curve], output: Path) -> None:
    """Draw the storage curves."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams["svg.hashsalt"] = "untilt"
    # Okabe and Ito's colours, which colour-blind readers can distinguish.
    colours = ("#000000", "#E69F00", "#0072B2", "#009E73", "#D55E00")
    figure = Figure(figsize=(7.5, 4.8), layout="constrained")
    axes = figure.subplots()
    drawn = [curve for curve in curves if curve.recipe.batch > 1]
    for curve, colour, marker in zip(drawn, colours, "Dso^v", strict=True):
        axes.loglog(
            curve.hands, curve.means, color=colour, marker=marker, ms=4, label=curve.recipe.name
        )
    axes.set_xlabel("hands played")
    axes.set_ylabel("exploitability, mbb/hand")
    axes.set_title("Push/fold at 10 bb: what a regret is stored in")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(output, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", default="all", choices=_PARTS)
    parser.add_argument("--hands", type=int, default=10**8, help="end curves here")
    parser.add_argument("--plot", type=Path, help="draw the curves of storage to this file")
    given = parser.parse_args()
    if given.what in {"speed", "all"}:
        speed()
    if given.what in {"batches", "all"}:
        report(BATCHES, given.hands)
    if given.what in {"storage", "all"}:
        curves = report(STORAGE, given.hands)
        if given.plot is not None:
            plot(curves, given.plot)
    if given.what in {"deep", "all"}:
        report(DEEP, given.hands)


_PARTS = ("speed", "batches", "storage", "deep", "all")

if __name__ == "__main__":
    main()
