"""The textbook's formulation finds the same equilibria, in more time."""

from functools import cache

import numpy as np
import pytest

from untilt.errors import InvalidOption
from untilt.game.compiled import CompiledGame, compile_histories
from untilt.games import resolve
from untilt.numeric.arrays import Floats
from untilt.solvers.qre.branches.arclength import trace
from untilt.solvers.qre.points.classic import DEFAULT_DEFINITION, SCHEDULE, classic
from untilt.solvers.qre.points.newton import newton
from untilt.solvers.qre.problem import QuantalProblem


@cache
def game_named(name: str) -> CompiledGame:
    return compile_histories(resolve(name).game)


def behaviour(problem: QuantalProblem, log_odds: Floats) -> Floats:
    problem.respond(log_odds)
    return problem.system.response.behaviour.copy()


@pytest.mark.parametrize("definition", ["agent", "counterfactual", "ex-ante"])
@pytest.mark.parametrize("beta", [0.5, 1.0, 3.0, 10.0])
def test_all_methods_agree_on_kuhn(definition: str, beta: float) -> None:
    problem = QuantalProblem(game_named("kuhn"), definition)
    # Where an action has all but vanished R no longer feels its logit: at β = 10 the agents'
    # residual of 1e-8 is reached but not 1e-9.
    tolerance = 1e-8 if (definition, beta) == ("agent", 10.0) else 1e-9
    textbook = classic(problem, beta, tolerance=tolerance)
    assert textbook.converged
    assert textbook.residual_norm < tolerance
    assert textbook.residual_norm == pytest.approx(
        problem.residual_norm(textbook.log_odds, beta), abs=1e-14
    )
    found = behaviour(problem, textbook.log_odds)
    traced = trace(problem.system, beta, tolerance=1e-10).log_odds[-1]
    bound = 1e-8 if tolerance < 1e-8 else 1e-7
    assert np.abs(found - behaviour(problem, newton(problem, beta).log_odds)).max() <= bound
    assert np.abs(found - behaviour(problem, traced)).max() <= bound


@pytest.mark.parametrize("definition", ["counterfactual", "ex-ante"])
def test_all_methods_agree_on_leduc(definition: str) -> None:
    problem = QuantalProblem(game_named("leduc"), definition)
    result = classic(problem, 10.0, schedule=[0.5, 1.0, 3.0, 6.0], tolerance=2e-9)
    assert result.converged
    for beta, log_odds in result.points:
        traced = trace(problem.system, beta, tolerance=1e-10).log_odds[-1]
        found = behaviour(problem, log_odds)
        assert np.abs(found - behaviour(problem, traced)).max() <= 1e-8


def test_agents_of_leduc_agree_while_no_action_vanishes() -> None:
    problem = QuantalProblem(game_named("leduc"), "agent")
    result = classic(problem, 0.2, schedule=[0.05, 0.1], tolerance=1e-9)
    assert result.converged
    traced = trace(problem.system, 0.2, tolerance=1e-10).log_odds[-1]
    found = behaviour(problem, result.log_odds)
    assert np.abs(found - behaviour(problem, traced)).max() <= 1e-8


def test_kuhn_at_beta_ten_takes_fewer_than_the_published_39_iterations() -> None:
    result = classic(QuantalProblem(game_named("kuhn"), DEFAULT_DEFINITION), 10.0)
    assert result.converged
    assert result.iterations < 39
    assert [beta for beta, _ in result.points] == [*SCHEDULE, 10.0]
    # Singular but for the damping: the condition number is about that of λ.
    assert max(step.condition for step in result.steps) > 1e6


def test_the_schedule_ends_at_beta() -> None:
    problem = QuantalProblem(game_named("kuhn"), DEFAULT_DEFINITION)
    assert [beta for beta, _ in classic(problem, 0.1).points] == [0.01, 0.05, 0.1]
    assert [beta for beta, _ in classic(problem, 1.0, schedule=[0.3]).points] == [0.3, 1.0]
    with pytest.raises(InvalidOption, match="above beta"):
        classic(problem, 1.0, schedule=[3.0])


def test_without_rationality_play_is_uniform_at_once() -> None:
    result = classic(QuantalProblem(game_named("leduc"), DEFAULT_DEFINITION), 0.0)
    assert result.converged
    assert result.iterations == 0
    assert not result.log_odds.any()


def test_two_different_betas() -> None:
    problem = QuantalProblem(game_named("kuhn"), DEFAULT_DEFINITION, (1.0, 0.2))
    found = behaviour(problem, classic(problem, 8.0, tolerance=1e-10).log_odds)
    assert np.abs(found - behaviour(problem, newton(problem, 8.0).log_odds)).max() <= 1e-9


def test_an_unreachable_tolerance_gives_the_best_that_was_found() -> None:
    result = classic(QuantalProblem(game_named("kuhn"), DEFAULT_DEFINITION), 2.0, tolerance=1e-30)
    assert not result.converged
    assert result.residual_norm <= 1e-13
