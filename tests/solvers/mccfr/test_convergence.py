"""Sampling finds the equilibria of Kuhn and comes near those of Leduc, whatever the options."""

from typing import Any

import pytest
from tests.solvers.mccfr.solving import SCHEMES, by_label, solver_of

from untilt.solvers.mccfr.solver import MccfrSolver

KUHN_VALUE = -1 / 18
LEDUC_VALUE = -0.085606424078


PINNED: dict[str, Any] = {"regret": "rm", "average": "stochastic", "batch": 50, "period": 10_000}
"""Bounds below are for these options, whatever the defaults are."""


def finished(game: str, iterations: int, **recipe: Any) -> MccfrSolver:
    if recipe["method"] == "mccfr-outcome":
        recipe = {"exploration": 0.6, **recipe}
    solver = solver_of(game, **{**PINNED, **recipe})
    solver.advance(iterations)
    return solver


def nash_conv(solver: MccfrSolver) -> float:
    found = solver._evaluate(solver._average())
    assert found is not None
    return found.nash_conv


@pytest.mark.parametrize("on", ["tree", "objects"])
@pytest.mark.parametrize(
    ("scheme", "iterations"),
    [
        ("chance", 1_000_000),
        ("external", 1_000_000),
        ("outcome", 2_000_000),
        ("outcome with baselines", 2_000_000),
    ],
)
def test_kuhn_converges_to_a_member_of_the_family(scheme: str, iterations: int, on: str) -> None:
    solver = finished("kuhn", iterations, **SCHEMES[scheme], on=on)
    found = by_label(solver, solver.snapshot().behaviours)
    near: dict[str, Any] = {"abs": 0.02}
    alpha = found["P0:J:"]["bet"]
    assert -0.02 <= alpha <= 1 / 3 + 0.02
    assert found["P0:K:"]["bet"] == pytest.approx(3 * alpha, abs=0.04)
    assert found["P0:Q:"]["bet"] == pytest.approx(0.0, **near)
    assert found["P0:J:cb"]["call"] == pytest.approx(0.0, **near)
    assert found["P0:Q:cb"]["call"] == pytest.approx(alpha + 1 / 3, **near)
    assert found["P0:K:cb"]["call"] == pytest.approx(1.0, **near)
    assert found["P1:J:c"]["bet"] == pytest.approx(1 / 3, **near)
    assert found["P1:Q:c"]["bet"] == pytest.approx(0.0, **near)
    assert found["P1:K:c"]["bet"] == pytest.approx(1.0, **near)
    assert found["P1:J:b"]["call"] == pytest.approx(0.0, **near)
    assert found["P1:Q:b"]["call"] == pytest.approx(1 / 3, **near)
    assert found["P1:K:b"]["call"] == pytest.approx(1.0, **near)
    evaluation = solver._evaluate(solver._average())
    assert evaluation is not None
    assert evaluation.value == pytest.approx(KUHN_VALUE, abs=0.003)


KUHN_BOUNDS: dict[str, dict[str, float]] = {
    "chance": {"rm": 0.011, "rm+": 0.007, "linear": 0.018, "discounted": 0.011},
    "external": {"rm": 0.013, "rm+": 0.012, "linear": 0.010, "discounted": 0.012},
    "outcome": {"rm": 0.038, "rm+": 0.047, "linear": 0.012, "discounted": 0.018},
    "outcome with baselines": {"rm": 0.014, "rm+": 0.008, "linear": 0.016, "discounted": 0.015},
}
"""NashConv after 200,000 iterations: 1.5 times what seed 0 reaches; uniform play has 0.917."""


@pytest.mark.parametrize("average", ["stochastic", "lazy"])
@pytest.mark.parametrize("regret", ["rm", "rm+", "linear", "discounted"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_combination_of_options_converges_on_kuhn(
    scheme: str, regret: str, average: str
) -> None:
    solver = finished("kuhn", 200_000, **{**SCHEMES[scheme], "regret": regret, "average": average})
    assert nash_conv(solver) <= KUHN_BOUNDS[scheme][regret]


@pytest.mark.parametrize(
    ("scheme", "iterations", "bound"),
    [
        ("chance", 20_000, 0.35),
        ("external", 100_000, 0.17),
        ("outcome", 500_000, 0.38),
        ("outcome with baselines", 500_000, 0.13),
    ],
)
def test_leduc_comes_near_its_equilibrium(scheme: str, iterations: int, bound: float) -> None:
    # 1.5 times what seed 0 reaches; uniform play has 4.747.
    solver = finished("leduc", iterations, **SCHEMES[scheme])
    evaluation = solver._evaluate(solver._average())
    assert evaluation is not None
    assert evaluation.nash_conv <= bound
    assert evaluation.value == pytest.approx(LEDUC_VALUE, abs=0.03)


def test_baselines_help_outcome_sampling() -> None:
    plain, helped = (
        nash_conv(finished("leduc", 300_000, method="mccfr-outcome", baseline=baseline))
        for baseline in ("none", "history")
    )
    assert helped < 0.7 * plain


def test_small_batches_converge_as_sequential_iterations_do() -> None:
    sequential, batched = (
        nash_conv(finished("leduc", 200_000, method="mccfr-external", batch=batch))
        for batch in (1, 200)
    )
    assert batched < 1.5 * sequential
