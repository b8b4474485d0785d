"""The Nash equilibrium that a branch selects."""

import numpy as np
import pytest
from tests.reference.games import Matrix

from untilt.evaluation.best_response import evaluate
from untilt.game.compiled import compile_histories
from untilt.games import kuhn, leduc
from untilt.solvers.qre.branches.limit import nash_limit
from untilt.solvers.qre.problem import QuantalProblem


@pytest.mark.parametrize(
    ("definition", "alpha"),
    [("agent", 0.20174), ("counterfactual", 0.20076), ("ex-ante", 0.20076)],
)
def test_kuhns_branches_select_their_own_bluffing_frequency(definition: str, alpha: float) -> None:
    limit = nash_limit(QuantalProblem(compile_histories(kuhn()), definition))
    assert limit.converged
    assert limit.exploitability < 1e-14
    bluff = limit.profile["P0:J:"]["bet"]
    assert bluff == pytest.approx(alpha, abs=5e-5)
    assert limit.profile["P0:K:"]["bet"] == pytest.approx(3 * bluff, abs=1e-12)
    assert limit.profile["P0:Q:cb"]["call"] == pytest.approx(bluff + 1 / 3, abs=1e-12)
    assert limit.profile["P0:Q:"]["bet"] == 0.0
    assert 0.0 < limit.distance < 5e-3


@pytest.mark.parametrize("definition", ["agent", "counterfactual"])
def test_leducs_limit_is_an_exact_equilibrium(definition: str) -> None:
    problem = QuantalProblem(compile_histories(leduc()), definition)
    limit = nash_limit(problem)
    assert limit.converged
    evaluation = evaluate(problem.game.exact_form(), limit.profile)
    assert evaluation.exploitability == limit.exploitability <= 1e-12
    assert evaluation.value == pytest.approx(-0.0856064, abs=1e-7)
    for player in (0, 1):
        assert not limit.profile.behaviours[player][~limit.supports[player]].any()


def test_where_supports_stay_unclear_the_branchs_own_point_is_returned() -> None:
    problem = QuantalProblem(compile_histories(leduc()))
    limit = nash_limit(problem, start_beta=2.0, max_beta=4.0)
    assert not limit.converged
    assert (limit.beta, limit.distance) == (4.0, 0.0)
    assert limit.exploitability > 0.01


def test_general_sum_limits_are_equilibria() -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        matrices = [tuple(map(tuple, rng.uniform(0, 10, (3, 3)).tolist())) for _ in (0, 1)]
        problem = QuantalProblem(compile_histories(Matrix(matrices[0], matrices[1])))
        limit = nash_limit(problem)
        assert limit.converged
        assert evaluate(problem.game.exact_form(), limit.profile).exploitability < 1e-11


def test_small_payoffs_do_not_make_any_profile_an_equilibrium() -> None:
    # Tiny payoffs hardly move the branch from uniform play, whose gains are below 1e-12 chips too.
    rows = ((1e-13, 2e-13), (0.0, 1e-13))
    loses = tuple(tuple(-payoff for payoff in row) for row in rows)
    limit = nash_limit(QuantalProblem(compile_histories(Matrix(rows, loses))), max_beta=1e4)
    assert not limit.converged
