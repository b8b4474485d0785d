"""Damped Newton at fixed β: it agrees with the traced branch, and its errors square."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from tests.game.trees import AGAINST_NATURE, GENERAL_SUM, NATURE_AGAINST, TreeGame
from tests.reference.games import Matrix

from untilt.errors import InvalidOption, UnknownName
from untilt.evaluation.best_response import evaluate
from untilt.game.compiled import CompiledGame, compile_histories
from untilt.games import resolve
from untilt.numeric.arrays import Floats
from untilt.solvers.qre.branches.arclength import trace
from untilt.solvers.qre.points.newton import NewtonStep, climb, newton
from untilt.solvers.qre.problem import QuantalProblem
from untilt.solvers.qre.response import DEFINITIONS

all_definitions = pytest.mark.parametrize("definition", DEFINITIONS)

LADDER = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.5, 2.1, 3.0, 4.5, 6.7, 10.0)


@cache
def game_named(name: str) -> CompiledGame:
    return compile_histories(resolve(name).game)


def traced(problem: QuantalProblem, beta: float) -> Floats:
    last: Floats = trace(problem.system, beta, tolerance=1e-10).log_odds[-1]
    return last


def distance(first: Floats, second: Floats) -> float:
    """Return the largest difference of log-odds, relative where they are large."""
    return float((np.abs(first - second) / (1.0 + np.abs(second))).max())


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
@all_definitions
def test_newton_finds_the_points_of_the_traced_branch(name: str, definition: str) -> None:
    problem = QuantalProblem(game_named(name), definition)
    result = newton(problem, 10.0, schedule=LADDER)
    assert result.converged
    assert result.residual_norm <= 1e-11
    assert [beta for beta, _ in result.points] == list(LADDER)
    for beta, log_odds in result.points:
        if beta in (0.5, 1.0, 3.0, 10.0):
            assert distance(log_odds, traced(problem, beta)) <= 1e-8


@pytest.mark.parametrize(("name", "value"), [("kuhn", -0.033625), ("leduc", -0.148617)])
def test_agent_values_at_beta_one_are_gambits(name: str, value: float) -> None:
    problem = QuantalProblem(game_named(name))
    result = newton(problem, 1.0)
    assert problem.payoffs(result.log_odds)[0] == pytest.approx(value, abs=5e-7)


@all_definitions
def test_two_different_betas_and_payoffs_of_any_sum(definition: str) -> None:
    problem = QuantalProblem(compile_histories(GENERAL_SUM), definition, (0.25, 1.0))
    result = newton(problem, 6.0)
    assert result.converged
    assert problem.residual_norm(result.log_odds, 6.0) <= 1e-12
    assert distance(result.log_odds, traced(problem, 6.0)) <= 1e-8


@all_definitions
def test_the_default_schedule_climbs_far(definition: str) -> None:
    problem = QuantalProblem(game_named("kuhn"), definition)
    result = newton(problem, 1_000.0)
    assert result.converged
    assert distance(result.log_odds, traced(problem, 1_000.0)) <= 1e-8
    form = problem.game.exact_form()
    assert evaluate(form, problem.profile(result.log_odds)).exploitability <= 0.01


def test_lost_points_are_approached_more_slowly() -> None:
    problem = QuantalProblem(game_named("leduc-276"))
    result = newton(problem, 60.0)
    assert result.converged
    betas = [beta for beta, _ in result.points]
    assert betas == sorted(betas)
    assert min(after / before for before, after in pairwise(betas)) < 1.3
    assert distance(result.log_odds, traced(problem, 60.0)) <= 1e-8


def test_finite_differences_lead_to_the_same_point() -> None:
    problem = QuantalProblem(game_named("kuhn"))
    analytic = newton(problem, 5.0)
    differences = newton(problem, 5.0, jacobian="finite-difference")
    assert differences.converged
    assert distance(differences.log_odds, analytic.log_odds) <= 1e-9
    assert differences.iterations == analytic.iterations


@all_definitions
def test_errors_square_near_the_solution(definition: str) -> None:
    problem = QuantalProblem(game_named("kuhn"), definition)
    solution = newton(problem, 4.0, tolerance=1e-13).log_odds
    # One Jacobian more each time: the errors are those of one solve, iteration by iteration.
    errors = []
    for count in range(1, 8):
        stopped = newton(problem, 4.0, schedule=[], tolerance=1e-300, max_iterations=count)
        errors.append(float(np.linalg.norm(stopped.log_odds - solution)))
    near = [(now, then) for now, then in pairwise(errors) if 1e-7 < now < 0.5]
    assert len(near) >= 2
    assert all(then <= 2.0 * now**2 + 1e-13 for now, then in near)
    assert errors[-1] <= 1e-12


def test_every_iteration_is_reported() -> None:
    problem = QuantalProblem(game_named("kuhn"))
    seen: list[NewtonStep] = []
    result = newton(problem, 2.0, schedule=[0.5], on_step=seen.append)
    assert tuple(seen) == result.steps
    assert result.iterations == len(seen)
    assert [beta for beta, _ in result.points] == [0.5, 2.0]
    assert {step.beta for step in seen} == {0.5, 2.0}
    for beta in (0.5, 2.0):
        steps = [step for step in seen if step.beta == beta]
        assert [step.iteration for step in steps] == list(range(1, len(steps) + 1))
        assert steps[0].damping == pytest.approx(1e-6)
        assert all(after.damping < now.damping for now, after in pairwise(steps))
        assert all(0.0 <= step.step <= 1.0 for step in steps)
        assert all(1.0 <= step.condition < 1e3 for step in steps)
    assert seen[-1].residual_norm == result.residual_norm
    assert result.residual_norm == pytest.approx(problem.residual_norm(result.log_odds, 2.0))
    assert 0.0 < result.seconds < 5.0


@dataclass
class Plain:
    """Equations given by two functions; solved where the residual is below 1e-12."""

    function: Callable[[Floats], Floats]
    derivative: Callable[[Floats], Floats]
    origin: Floats

    def set_beta(self, beta: float) -> None:
        pass

    def start(self) -> Floats:
        return self.origin

    def residual(self, x: Floats) -> Floats:
        return self.function(x)

    def jacobian(self, x: Floats) -> Floats:
        return self.derivative(x)

    def is_solved(self, residual: Floats) -> bool:
        return float(np.abs(residual).max()) < 1e-12

    def is_last(self, x: Floats, residual: Floats, jacobian: Floats, step: Floats) -> bool:
        return False

    def log_odds(self, x: Floats) -> Floats:
        return x.copy()

    def residual_norm(self, x: Floats) -> float:
        return float(np.abs(self.residual(x)).max())


def test_the_condition_number_is_that_of_the_damped_matrix() -> None:
    matrix = np.random.default_rng(1).normal(size=(6, 6))
    equations = Plain(lambda x: matrix @ x - 1.0, lambda _: matrix, np.zeros(6))
    step = climb(equations, [1.0], 1, None).steps[0]
    exact = np.linalg.cond(matrix.T @ matrix + 1e-6 * np.eye(6), 1)
    assert exact / 3.0 <= step.condition <= exact * 1.001


def test_where_no_step_helps_damping_rises_to_its_cap_and_the_search_ends() -> None:
    uphill = Plain(lambda x: x - 5.0, lambda _: np.array([[-1.0]]), np.array([2.0]))
    result = climb(uphill, [1.0], 50, None)
    assert not result.converged
    assert result.log_odds == [2.0]
    assert [(step.damping, step.step) for step in result.steps] == [(1e6, 0.0)]


def test_without_a_solution_the_least_residual_is_found() -> None:
    rootless = Plain(lambda x: x * x + 1.0, lambda x: np.diag(2.0 * x), np.array([3.0]))
    result = climb(rootless, [1.0], 100, None)
    assert not result.converged
    assert result.residual_norm == pytest.approx(1.0, abs=1e-3)


def test_steps_too_long_are_halved() -> None:
    # Newton's own steps on arctan fly off from 3.
    steep = Plain(np.arctan, lambda x: np.diag(1.0 / (1.0 + x * x)), np.array([3.0]))
    result = climb(steep, [1.0], 50, None)
    assert result.converged
    assert result.steps[0].step < 1.0
    assert result.steps[-1].step == 1.0


def test_a_singular_jacobian_is_no_obstacle() -> None:
    twice = Plain(
        lambda x: np.full(2, np.tanh(x.sum() - 1.0)),
        lambda x: np.full((2, 2), 1.0 - np.tanh(x.sum() - 1.0) ** 2),
        np.zeros(2),
    )
    result = climb(twice, [1.0], 50, None)
    assert result.converged
    assert result.log_odds == pytest.approx([0.5, 0.5])


@all_definitions
def test_without_rationality_play_is_uniform_at_once(definition: str) -> None:
    problem = QuantalProblem(game_named("leduc"), definition)
    result = newton(problem, 0.0)
    assert result.converged
    assert result.iterations == 0
    assert not result.log_odds.any()
    assert result.residual_norm <= 1e-14


def test_symmetric_games_stay_uniform() -> None:
    game = Matrix(((0.0, -1.0, 1.0), (1.0, 0.0, -1.0), (-1.0, 1.0, 0.0)))
    result = newton(QuantalProblem(compile_histories(game)), 100.0)
    assert result.converged
    assert np.abs(result.log_odds).max() <= 1e-12


@pytest.mark.parametrize("game", [AGAINST_NATURE, NATURE_AGAINST], ids=["one", "other"])
def test_games_with_one_decider(game: TreeGame) -> None:
    problem = QuantalProblem(compile_histories(game))
    result = newton(problem, 2.0)
    assert result.converged
    assert result.residual_norm <= 1e-13


def test_a_single_decision_is_the_logit_of_its_payoffs() -> None:
    problem = QuantalProblem(compile_histories(NATURE_AGAINST))
    profile = problem.profile(newton(problem, 2.0).log_odds)
    assert profile["P1:sun"]["out"] == pytest.approx(1.0 / (1.0 + math.exp(2.0 * 2.0)))


def test_an_unreachable_tolerance_gives_the_best_that_was_found() -> None:
    problem = QuantalProblem(game_named("kuhn"))
    result = newton(problem, 7.0, tolerance=1e-30)
    assert not result.converged
    assert result.residual_norm <= 1e-13
    assert distance(result.log_odds, traced(problem, 7.0)) <= 1e-8


def test_too_few_iterations_are_no_convergence() -> None:
    problem = QuantalProblem(game_named("kuhn"))
    result = newton(problem, 3.0, schedule=[], max_iterations=2)
    assert not result.converged
    assert result.iterations == 2
    assert result.residual_norm > 1e-8


@pytest.mark.parametrize("beta", [-1.0, math.nan, math.inf])
def test_impossible_betas_are_refused(beta: float) -> None:
    with pytest.raises(InvalidOption, match=r"beta is .*; it must be a finite number"):
        newton(QuantalProblem(game_named("kuhn")), beta)


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        ([1.0, 0.5], "schedule has 1.0 before 0.5; it must be ascending"),
        ([1.0, 1.0], "it must be ascending"),
        ([1.0, 20.0], "above beta=10.0"),
        ([-1.0, 2.0], "schedule has -1.0; every value must be a finite number"),
        ([math.nan], "schedule has nan; every value must be a finite number"),
    ],
)
def test_impossible_schedules_are_refused(schedule: list[float], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        newton(QuantalProblem(game_named("kuhn")), 10.0, schedule=schedule)


def test_impossible_options_are_refused() -> None:
    problem = QuantalProblem(game_named("kuhn"))
    for tolerance in (0.0, -1e-9, math.nan, math.inf):
        with pytest.raises(InvalidOption, match=r"^tolerance is"):
            newton(problem, 1.0, tolerance=tolerance)
    with pytest.raises(InvalidOption, match="max_iterations is 0"):
        newton(problem, 1.0, max_iterations=0)
    with pytest.raises(UnknownName, match="did you mean 'analytic'"):
        newton(problem, 1.0, jacobian="analytical")
