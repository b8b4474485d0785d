"""Branches: exact block elimination, folds passed in order, large β, and Gambit's points."""

import numpy as np
import pytest
from tests.reference.games import Matrix

from untilt.evaluation.best_response import evaluate
from untilt.game.compiled import compile_histories
from untilt.games import kuhn, leduc
from untilt.games.leduc import Suits
from untilt.numeric.arrays import Floats
from untilt.solvers.qre.branches.arclength import converge, refine, trace
from untilt.solvers.qre.branches.branch import ENDINGS, REACHED, Branch
from untilt.solvers.qre.problem import QuantalProblem
from untilt.solvers.qre.response import DEFINITIONS


def bimatrix(payoffs: tuple[Floats, Floats]) -> QuantalProblem:
    """Both move at once; `agent`, which in one shot is the logit equilibrium of the matrices."""
    rows = [tuple(tuple(row) for row in matrix.tolist()) for matrix in payoffs]
    return QuantalProblem(compile_histories(Matrix(rows[0], rows[1])))


def random_payoffs(seed: int, size: int) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    return rng.uniform(0, 10, (size, size)), rng.uniform(0, 10, (size, size))


def logit_residual(
    payoffs: tuple[Floats, Floats], problem: QuantalProblem, log_odds: Floats, beta: float
) -> float:
    """How far a point is from the logit response to itself, from the matrices alone."""
    behaviours = problem.profile(log_odds).behaviours
    own, other = behaviours[0][1:], behaviours[1][1:]
    worst = 0.0
    for mine, values in ((own, payoffs[0] @ other), (other, payoffs[1].T @ own)):
        answer = np.exp(beta * (values - values.max()))
        worst = max(worst, float(np.abs(mine - answer / answer.sum()).max()))
    return worst


def largest_step(problem: QuantalProblem, branch: Branch) -> float:
    """The largest change of a probability between consecutive points."""
    behaviours = [np.concatenate(problem.profile(z).behaviours) for z in branch.log_odds]
    return float(np.abs(np.diff(behaviours, axis=0)).max())


def fine_branch(payoffs: tuple[Floats, Floats], beta: float) -> tuple[Floats, list[float]]:
    """Follow the branch in tiny steps of fixed length, dense, in z and β; slow and simple.

    Returns the log-odds where it first meets `beta`, and where β turned on the way.
    """
    size = payoffs[0].shape[0]
    first = np.vstack((-np.ones(size - 1), np.eye(size - 1)))  # actions from log-odds, differences

    def shares(log_odds: Floats) -> Floats:
        raw = np.exp(np.concatenate(([0.0], log_odds)) - max(0.0, log_odds.max()))
        normal: Floats = raw / raw.sum()
        return normal

    def equations(point: Floats) -> tuple[Floats, Floats]:
        own, other = shares(point[: size - 1]), shares(point[size - 1 : -1])
        gaps = [first.T @ (payoffs[0] @ other), first.T @ (payoffs[1].T @ own)]
        residual = point[:-1] - point[-1] * np.concatenate(gaps)
        jacobian = np.zeros((2 * size - 2, 2 * size - 1))
        jacobian[:, :-1] = np.eye(2 * size - 2)
        spread = [(np.diag(p) - np.outer(p, p))[:, 1:] for p in (own, other)]
        jacobian[: size - 1, size - 1 : -1] = -point[-1] * first.T @ payoffs[0] @ spread[1]
        jacobian[size - 1 :, : size - 1] = -point[-1] * first.T @ payoffs[1].T @ spread[0]
        jacobian[:, -1] = -np.concatenate(gaps)
        return residual, jacobian

    point = np.zeros(2 * size - 1)
    direction = np.zeros(2 * size - 1)
    direction[-1] = 1.0
    turns: list[float] = []
    for _ in range(100_000):
        _, jacobian = equations(point)
        border = np.vstack((jacobian, direction))
        target = np.zeros(2 * size - 1)
        target[-1] = 1.0
        tangent = np.linalg.solve(border, target)
        tangent /= np.linalg.norm(tangent)
        if tangent[-1] * direction[-1] < 0.0:
            turns.append(float(point[-1]))
        direction = tangent
        before = point
        point = point + 0.01 * direction
        for _ in range(4):
            residual, jacobian = equations(point)
            right = -np.concatenate((residual, [direction @ (point - before) - 0.01]))
            point = point + np.linalg.solve(np.vstack((jacobian, direction)), right)
        if point[-1] >= beta:
            log_odds = before[:-1] + (beta - before[-1]) / (point[-1] - before[-1]) * (
                point[:-1] - before[:-1]
            )
            return log_odds, turns
    raise AssertionError("the slow path did not arrive")


@pytest.mark.parametrize(
    ("size", "seed", "beta", "num_folds"),
    [(2, 0, 2.0, 0), (3, 1, 2.0, 0), (3, 82, 1.5, 2), (3, 120, 1.5, 2), (4, 88, 4.0, 2)],
)
def test_a_branch_passes_its_folds_like_a_slow_walk(
    size: int, seed: int, beta: float, num_folds: int
) -> None:
    payoffs = random_payoffs(seed, size)
    problem = bimatrix(payoffs)
    branch = trace(problem.system, beta)
    log_odds, turns = fine_branch(payoffs, beta)
    assert len(branch.folds) == num_folds
    np.testing.assert_allclose(branch.folds, turns, rtol=0.02)
    np.testing.assert_allclose(branch.log_odds[-1], log_odds, atol=0.01)
    assert logit_residual(payoffs, problem, branch.log_odds[-1], beta) < 1e-8


@pytest.mark.parametrize("size", [2, 3, 4])
def test_branches_of_random_bimatrix_games_end_in_nash_equilibria(size: int) -> None:
    for seed in range(60):
        problem = bimatrix(random_payoffs(seed, size))
        branch = trace(problem.system, 1e4)
        assert ENDINGS[branch.ending] == "reached", seed
        assert branch.betas[-1] == 1e4
        assert len(branch.folds) % 2 == 0
        assert largest_step(problem, branch) < 0.6, seed
        profile = problem.profile(branch.log_odds[-1])
        assert evaluate(problem.game.exact_form(), profile).exploitability < 2e-4, seed


@pytest.mark.parametrize(("size", "seed"), [(3, 82), (4, 88), (4, 139)])
def test_refined_points_are_equilibria_beside_folds_too(size: int, seed: int) -> None:
    payoffs = random_payoffs(seed, size)
    problem = bimatrix(payoffs)
    branch = trace(problem.system, 5.0)
    exact = refine(problem.system, branch, 1e-11)
    assert len(exact.betas) == len(branch.betas)
    assert len(exact.folds) == len(branch.folds) == 2
    for beta, log_odds in zip(exact.betas, exact.log_odds, strict=True):
        assert logit_residual(payoffs, problem, log_odds, float(beta)) < 1e-9


def test_refine_keeps_the_points_that_were_chosen() -> None:
    problem = QuantalProblem(compile_histories(kuhn()))
    branch = trace(problem.system, 10.0)
    exact = refine(problem.system, branch, 1e-10, np.array([0, 5, len(branch.betas) - 1]))
    assert exact.betas.tolist() == branch.betas[[0, 5, -1]].tolist()
    assert problem.residual_norm(branch.log_odds[5], float(branch.betas[5])) > 1e-6
    assert problem.residual_norm(exact.log_odds[1], float(exact.betas[1])) < 1e-9


def test_the_slope_of_an_equilibrium_is_a_difference_quotient() -> None:
    problem = QuantalProblem(compile_histories(kuhn()))
    middle = trace(problem.system, 5.0).log_odds[-1]
    points = [converge(problem.system, middle, beta, 1e-12) for beta in (4.999, 5.0, 5.001)]
    assert all(point.is_converged for point in points)
    quotient = (points[2].log_odds - points[0].log_odds) / 0.002
    np.testing.assert_allclose(points[1].slope, quotient, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_kuhn_reaches_a_million_under_every_definition(definition: str) -> None:
    problem = QuantalProblem(compile_histories(kuhn()), definition)
    branch = trace(problem.system, 1e6)
    assert branch.ending == REACHED
    assert branch.folds == ()
    assert problem.payoffs(branch.log_odds[-1])[0] == pytest.approx(-1 / 18, abs=1e-5)


@pytest.mark.parametrize("suits", ["merged", "distinguished"])
def test_leduc_reaches_a_hundred_thousand_without_a_fold(suits: Suits) -> None:
    problem = QuantalProblem(compile_histories(leduc(suits=suits)))
    branch = trace(problem.system, 1e5)
    assert branch.ending == REACHED
    assert branch.folds == ()
    profile = problem.profile(branch.log_odds[-1])
    assert evaluate(problem.game.exact_form(), profile).exploitability < 5e-6


def test_ex_ante_leduc_winds_through_the_same_folds_whatever_the_elimination() -> None:
    problem = QuantalProblem(compile_histories(leduc()), "ex-ante")
    branch = trace(problem.system, 1e3)
    assert branch.ending == REACHED
    # From a run with steps a tenth as long, points exact to 1e-9.
    turns = [151.84, 106.39, 133.28, 115.06, 116.64, 65.45, 68.02, 62.60, 73.85, 72.29]
    turns += [141.94, 138.25, 689.30, 248.42]
    np.testing.assert_allclose(branch.folds, turns, rtol=0.01)


def test_a_branch_continues_where_another_ended() -> None:
    problem = QuantalProblem(compile_histories(kuhn()))
    whole = trace(problem.system, 100.0)
    first = trace(problem.system, 10.0)
    second = trace(problem.system, 100.0, after=first)
    assert second.betas[0] == pytest.approx(10.0, rel=1e-14)
    np.testing.assert_allclose(second.log_odds[-1], whole.log_odds[-1], rtol=1e-9)


def test_beta_zero_is_uniform_play() -> None:
    problem = QuantalProblem(compile_histories(kuhn()))
    branch = trace(problem.system, 0.0)
    assert branch.ending == REACHED
    assert branch.betas.tolist() == [0.0]
    assert not branch.log_odds.any()


def test_too_few_points_are_reported() -> None:
    problem = QuantalProblem(compile_histories(kuhn()))
    branch = trace(problem.system, 10.0, max_points=4)
    assert ENDINGS[branch.ending] == "too many points"
    assert len(branch.betas) == 4
    assert branch.betas[-1] < 10.0


def test_an_unreachable_tolerance_is_told_by_the_last_correction() -> None:
    problem = QuantalProblem(compile_histories(leduc()))
    branch = trace(problem.system, 1e4, tolerance=1e-16)
    assert branch.ending == REACHED
    assert 1e-16 < branch.last_correction < 1e-6


def test_gambit_traces_the_same_bimatrix_branch() -> None:
    gambit = pytest.importorskip("pygambit")
    payoffs = random_payoffs(82, 3)
    game = gambit.StrategicGame.from_arrays(*payoffs)
    problem = bimatrix(payoffs)
    for beta in (0.5, 2.0):
        profile = gambit.qre.logit_solve_lambda(game, [beta])[0].profile
        theirs = [float(share) for mixed in profile for _, share in mixed]
        behaviours = problem.profile(trace(problem.system, beta).log_odds[-1]).behaviours
        ours = np.concatenate((behaviours[0][1:], behaviours[1][1:]))
        np.testing.assert_allclose(ours, theirs, atol=1e-6)
