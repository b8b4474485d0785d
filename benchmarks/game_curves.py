"""Every method on common games: the tables and figures of docs/game-benchmarks.md.

    uv run --extra plot python benchmarks/game_curves.py [--seconds 0.3] [--only leduc,goofspiel-5]

Each method iterates for the given time on one thread, with its default options; the exact linear
program is solved once. Seconds are CPU time of iterations, without compilation and measurements.
Exploitability is exact. The page and its figures are rewritten with what was found; it takes a few
minutes.
"""

import argparse
import math
import os
import platform
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as on the command line

import untilt
from untilt.charts.figures.convergence_figure import Curve, convergence_figure
from untilt.evaluation.best_response import evaluate_plans
from untilt.formats.run.progress_table import ProgressTable
from untilt.game.compiled import CompiledGame, compile_histories
from untilt.games import resolve
from untilt.solvers.cfr import CfrSolver
from untilt.solvers.mccfr.solver import MccfrSolver
from untilt.solvers.methods import METHODS

PAGE = Path(__file__).parents[1] / "docs" / "game-benchmarks.md"
FIGURES = PAGE.with_suffix("")
_SECTION = r"(<!-- {} -->\n).*?(<!-- end -->)"
"""The markers around the results of a game."""


class Case(NamedTuple):
    """A game on the page."""

    title: str
    reference: str
    parameters: Mapping[str, Any]


GAMES = {
    "kuhn": Case("Kuhn poker", "kuhn", {}),
    "kuhn-13": Case("Kuhn poker, 13 cards", "kuhn", {"cards": 13}),
    "leduc": Case("Leduc hold'em", "leduc", {}),
    "goofspiel-4": Case("Goofspiel, 4 cards", "goofspiel", {}),
    "goofspiel-5": Case("Goofspiel, 5 cards", "goofspiel", {"cards": 5}),
    "liars-dice": Case("Liar's dice, one die of 4 sides", "liars-dice", {}),
    "matching-pennies": Case("Matching pennies", "matching-pennies", {}),
    "matrix": Case(
        "Rock, paper, scissors with a strong rock", "matrix", {"payoffs": "0 -1 2; 1 0 -1; -2 1 0"}
    ),
}
FULL_WIDTH = ("cfr", "cfr+", "linear", "dcfr", "dcfr+", "pcfr+", "sapcfr+")
SAMPLING = ("mccfr-chance", "mccfr-external", "mccfr-outcome", "es+", "es-linear")
ITERATIONS = (10, 100, 1_000)
POINTS_PER_DECADE = 12
MOST_POINTS = 1 + 6 * POINTS_PER_DECADE
"""A million iterations, at most."""
COMPARED = (("cfr", "cfr+"), ("cfr+", "dcfr"), ("cfr+", "pcfr+"), ("dcfr", "pcfr+"))
"""Pairs that papers compare."""
SHARES = (0.01, 0.1, 1.0)
"""Shares of the given time at which exploitability is listed."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--only", default=",".join(GAMES))
    asked = parser.parse_args()
    for name in asked.only.split(","):
        print(name, flush=True)
        _write(name, _section(name, GAMES[name], asked.seconds))
    _write("published", _ratios())
    _write("machine", [_machine(asked.seconds)])


def _write(name: str, lines: Iterable[str]) -> None:
    """Put lines into their place on the page."""
    pattern = re.compile(_SECTION.format(re.escape(name)), re.DOTALL)
    body = "\n".join(["", *lines, "", ""])
    page, count = pattern.subn(
        lambda found: found[1] + body + found[2], PAGE.read_text(encoding="utf-8")
    )
    assert count == 1, f"{PAGE} has no place for {name}"
    PAGE.write_text(page, encoding="utf-8")


def _section(name: str, case: Case, seconds: float) -> Iterator[str]:
    exact = untilt.solve(case.reference, "lp", parameters=case.parameters, save=False)
    game = compile_histories(resolve(case.reference, case.parameters).game)
    runs = {method: _measured(game, method, seconds) for method in (*FULL_WIDTH, *SAMPLING)}
    yield f"### {case.title}"
    yield ""
    yield (
        f"{game.num_infosets:,} infosets, {game.num_action_variables:,} action variables, "
        f"{game.num_terminals:,} terminals; value {exact.value:+.9f}, by `lp` in "
        f"{exact.seconds:.2g} s with exploitability {_power(exact.exploitability)}."
    )
    yield ""
    if any((runs[method]["exploitability"] > 0.0).any() for method in FULL_WIDTH):
        FIGURES.mkdir(exist_ok=True)
        for by, chosen in (("iteration", FULL_WIDTH), ("seconds", (*FULL_WIDTH, *SAMPLING))):
            curves = [Curve(method, runs[method]) for method in chosen]
            file = FIGURES / f"{name}-{by}.svg"
            convergence_figure(curves, by=by, title=case.title).save(file)
            words = "iterations" if by == "iteration" else "seconds"
            yield f"![{case.title}: exploitability by {words}]({FIGURES.name}/{file.name})"
            yield ""
    else:
        yield "Uniform play, with which full-width methods begin, is its equilibrium."
        yield ""
    yield from _table(runs, seconds)


def _measured(game: CompiledGame, method: str, seconds: float) -> ProgressTable:
    """Run a method for this many CPU-seconds of iterations; return its progress."""
    kind = METHODS[method]
    given = {"on": "tree", "threads": 1} if kind.is_sampling else {}
    solver = kind.build(game, kind.options(given), None, seed=1)
    assert isinstance(solver, CfrSolver | MccfrSolver)
    solver.warm_up()
    form = game.exact_form()
    rows: list[dict[str, float]] = []
    spent = 0.0
    for exponent in range(MOST_POINTS):
        count = round(10 ** (exponent / POINTS_PER_DECADE)) - (solver.iteration or 0)
        if not count:  # rounding repeats the first counts
            continue
        begin = time.process_time()
        solver.advance(count)
        spent += time.process_time() - begin
        found = evaluate_plans(form, form.plans(solver.snapshot().behaviours))
        rows.append(
            {
                "iteration": solver.iteration or 0,
                "seconds": spent,
                "exploitability": found.exploitability,
            }
        )
        if spent >= seconds:
            break
    return ProgressTable(rows)


def _table(runs: Mapping[str, ProgressTable], seconds: float) -> Iterator[str]:
    heads = ["method", "iterations", *(f"at {count:,}" for count in ITERATIONS)]
    heads += [f"after {share * seconds:g} s" for share in SHARES]
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    for method, run in runs.items():
        by_count: Sequence[str] = ["–"] * len(ITERATIONS)
        if method in FULL_WIDTH:
            by_count = [_power(_until(run, "iteration", count)) for count in ITERATIONS]
        by_time = [_power(_until(run, "seconds", share * seconds)) for share in SHARES]
        cells = [f"`{method}`", f"{run['iteration'][-1]:,.0f}", *by_count, *by_time]
        yield f"| {' | '.join(cells)} |"


def _ratios() -> Iterator[str]:
    """Yield how far one method is ahead of another, as the tables of the page say."""
    yield f"| game | {' | '.join(f'{one} : {other}' for one, other in COMPARED)} |"
    yield f"| --- |{' --- |' * len(COMPARED)}"
    page = PAGE.read_text(encoding="utf-8")
    for name, case in GAMES.items():
        section = re.search(_SECTION.format(re.escape(name)), page, re.DOTALL)
        rows = re.findall(r"^\| `(.+?)` \| (.*) \|$", section[0] if section else "", re.MULTILINE)
        last = {
            method: float(cells.split(" | ")[3]) for method, cells in rows if method in FULL_WIDTH
        }
        if last and all(last[one] > 0.0 and last[other] > 0.0 for one, other in COMPARED):
            ratios = (_times(last[one] / last[other]) for one, other in COMPARED)
            yield f"| {case.title} | {' | '.join(ratios)} |"


def _times(ratio: float) -> str:
    """Return a ratio with two digits."""
    digits = 1 - math.floor(math.log10(ratio))
    return f"{round(ratio, digits):,.{max(digits, 0)}f}"


def _until(run: ProgressTable, axis: str, limit: float) -> float:
    """Return the last exploitability measured up to a limit; nan if there is none."""
    measured = run["exploitability"][run[axis] <= limit]
    return float(measured[-1]) if len(measured) else math.nan


def _power(value: float) -> str:
    if math.isnan(value):
        return "–"
    return "0" if value < 1e-15 else f"{value:.1e}"


def _machine(seconds: float) -> str:
    return (
        f"Measured with Untilt {untilt.__version__}, Python {platform.python_version()}, on "
        f"{platform.machine()} with {os.cpu_count()} cores, one thread. Seconds are CPU time "
        f"of iterations, {seconds:g} per method."
    )


if __name__ == "__main__":
    main()
