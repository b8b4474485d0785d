"""The dilated quantal response: the logit choice among reduced plans, and its limits."""

import math
import random
from functools import lru_cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.game.trees import AGAINST_NATURE, GENERAL_SUM, NATURE_AGAINST, random_tree, random_trees
from tests.reference.games import Matrix

from untilt.errors import InvalidOption, NotZeroSum
from untilt.evaluation.best_response import evaluate_plans
from untilt.game.compiled import CompiledGame, compile  # noqa: A004
from untilt.game.protocol import Game
from untilt.game.sequence.sequence_form import SequenceForm, Side
from untilt.games import kuhn, leduc
from untilt.numeric.arrays import Floats
from untilt.solvers.qre.soft.dilated import (
    DilatedPoint,
    DilatedResult,
    DilatedStep,
    solve_dilated,
)
from untilt.solvers.qre.soft.dilated_newton import apply_newton_matrix, newton_step
from untilt.solvers.qre.soft.soft_response import (
    Soft,
    apply_covariance,
    residual_norm,
    respond_softly,
    soft_best_responses,
)

LEDUC_VALUE = -0.085606424078


@lru_cache
def compiled(name: str) -> CompiledGame:
    return compile(kuhn() if name == "kuhn" else leduc())


def form_of(game: Game) -> SequenceForm:
    return compile(game).zero_sum_form()


KUHN = compiled("kuhn").zero_sum_form()


def operator(form: SequenceForm) -> Floats:
    """Return player 0's payoffs as a dense matrix over pairs of sequences."""
    side = form.sides[0]
    dense = np.zeros((side.num_sequences, form.sides[1].num_sequences))
    for row in range(side.num_sequences):
        for pair in range(int(side.row_start[row]), int(side.row_start[row + 1])):
            dense[row, side.opponent_sequence[pair]] += side.payoff[pair]
    return dense


def pure_plans(side: Side) -> Floats:
    """Return all reduced pure plans, one per row: 1 where the plan leads itself.

    An infoset that the plan's own moves rule out is left open, hence «reduced».
    """

    def following(sequence: int) -> list[set[int]]:
        ways: list[set[int]] = [{sequence}]
        for infoset in np.flatnonzero(side.parent_sequence == sequence).tolist():
            block = range(int(side.first_sequence[infoset]), int(side.first_sequence[infoset + 1]))
            here = [way for choice in block for way in following(choice)]
            ways = [one | other for one in ways for other in here]
        return ways

    plans = following(0)
    table = np.zeros((len(plans), side.num_sequences))
    for row, plan in enumerate(plans):
        table[row, sorted(plan)] = 1.0
    return table


def softmax(values: Floats) -> Floats:
    powers = np.exp(values - values.max())
    shares: Floats = powers / powers.sum()
    return shares


def behaviour_of(side: Side, plan: Floats) -> Floats:
    behaviour = plan.copy()
    for infoset in range(side.num_infosets):
        block = slice(int(side.first_sequence[infoset]), int(side.first_sequence[infoset + 1]))
        behaviour[block] /= plan[side.parent_sequence[infoset]]
    return behaviour


def normal_form_logit(
    form: SequenceForm, beta: float, scale: tuple[float, float] = (1.0, 1.0)
) -> tuple[Floats, Floats]:
    """Return the logit equilibrium among explicit plans, by a damped fixed-point iteration."""
    plans = (pure_plans(form.sides[0]), pure_plans(form.sides[1]))
    payoffs = plans[0] @ operator(form) @ plans[1].T
    logits = (np.zeros(len(plans[0])), np.zeros(len(plans[1])))
    strength = beta * beta * scale[0] * scale[1] * np.ptp(payoffs) ** 2 / 4.0
    damping = 1.0 / (1.0 + strength)
    for _ in range(200_000):
        goals = (
            beta * scale[0] * (payoffs @ softmax(logits[1])),
            -beta * scale[1] * (payoffs.T @ softmax(logits[0])),
        )
        moves = [damping * (goal - logit) for goal, logit in zip(goals, logits, strict=True)]
        logits = (logits[0] + moves[0], logits[1] + moves[1])
        if max(float(np.abs(move).max()) for move in moves) < 1e-12 * damping:
            break
    return (
        behaviour_of(form.sides[0], softmax(logits[0]) @ plans[0]),
        behaviour_of(form.sides[1], softmax(logits[1]) @ plans[1]),
    )


def farthest(some: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> float:
    return max(float(np.abs(a - b).max()) for a, b in zip(some, other, strict=True))


def few_plans(form: SequenceForm, limit: int = 80) -> bool:
    def count(side: Side) -> float:
        number = np.ones(side.num_sequences)
        for infoset in reversed(range(side.num_infosets)):
            begin, end = side.first_sequence[infoset : infoset + 2].tolist()
            number[side.parent_sequence[infoset]] *= number[begin:end].sum()
        return float(number[0])

    return max(count(form.sides[0]), count(form.sides[1])) <= limit


# --- the notion


def test_beta_zero_is_uniform_over_reduced_plans() -> None:
    solved = solve_dilated(KUHN, 0.0)
    table = compiled("kuhn").infosets[0]
    # With a jack: check-fold, check-call, bet. Two of three plans check.
    assert solved.behaviours[0][table.block(table.index("P0:J:"))] == pytest.approx([2 / 3, 1 / 3])
    assert solved.behaviours[0][table.block(table.index("P0:J:cb"))] == pytest.approx([0.5, 0.5])
    for side, plan in zip(KUHN.sides, solved.plans, strict=True):
        np.testing.assert_allclose(plan, pure_plans(side).mean(axis=0), atol=1e-15)
    assert solved.converged
    assert solved.iterations == 0
    assert solved.residual_norm <= 1e-15


def test_the_path_begins_at_beta_zero_without_a_jump() -> None:
    start, near = solve_dilated(KUHN, 0.0), solve_dilated(KUHN, 1e-9)
    assert farthest(start.behaviours, near.behaviours) < 1e-9


@pytest.mark.parametrize("beta", [0.5, 2.0, 5.0])
def test_kuhn_equals_the_logit_equilibrium_of_its_explicit_plans(beta: float) -> None:
    assert len(pure_plans(KUHN.sides[0])) == 27
    assert len(pure_plans(KUHN.sides[1])) == 64
    solved = solve_dilated(KUHN, beta, tolerance=1e-12)
    assert farthest(solved.behaviours, normal_form_logit(KUHN, beta)) < 1e-11


@pytest.mark.parametrize("beta", [0.5, 2.0, 5.0])
def test_random_games_equal_the_logit_equilibrium_of_their_explicit_plans(beta: float) -> None:
    compared = 0
    for seed in range(200):
        form = form_of(random_tree(random.Random(seed), 5))
        if min(side.num_infosets for side in form.sides) < 2 or not few_plans(form):
            continue
        solved = solve_dilated(form, beta, tolerance=1e-11)
        assert solved.converged
        assert farthest(solved.behaviours, normal_form_logit(form, beta)) < 1e-9
        compared += 1
        if compared == 10:
            return
    raise AssertionError("too few of the games are small enough")


@pytest.mark.parametrize("scale", [(1.0, 0.3), (0.25, 1.0), (1.0, 0.0), (0.0, 1.0)])
def test_players_may_differ_in_rationality(scale: tuple[float, float]) -> None:
    solved = solve_dilated(KUHN, 5.0, scale=scale, tolerance=1e-12)
    assert solved.converged
    assert solved.residual_norm < 1e-11
    assert farthest(solved.behaviours, normal_form_logit(KUHN, 5.0, scale)) < 1e-11


def test_who_never_errs_gains_from_who_does() -> None:
    even = solve_dilated(KUHN, 10.0).payoffs[0]
    assert solve_dilated(KUHN, 10.0, scale=(1.0, 0.2)).payoffs[0] > even
    assert solve_dilated(KUHN, 10.0, scale=(0.2, 1.0)).payoffs[0] < even


def test_a_matrix_game_with_one_free_player_has_plain_logit_shares() -> None:
    solved = solve_dilated(form_of(Matrix(((1.0, 1.0), (0.0, 0.0)))), 2.0)
    share = 1.0 / (1.0 + math.exp(-2.0))
    assert solved.behaviours[0][1:] == pytest.approx([share, 1.0 - share], abs=1e-12)
    assert solved.behaviours[1][1:] == pytest.approx([0.5, 0.5], abs=1e-12)
    assert solved.values[0][0] == pytest.approx(math.log(math.exp(2.0) + 1.0) / 2.0, abs=1e-12)


@pytest.mark.parametrize("game", [AGAINST_NATURE, NATURE_AGAINST], ids=["0 alone", "1 alone"])
def test_games_in_which_one_player_decides_are_solved_at_once(game: Game) -> None:
    form = form_of(game)
    solved = solve_dilated(form, 3.0, tolerance=1e-12)
    assert solved.converged
    assert farthest(solved.behaviours, normal_form_logit(form, 3.0)) < 1e-12


# --- limits


def test_the_value_of_kuhn_tends_to_minus_one_eighteenth() -> None:
    gaps = [abs(solve_dilated(KUHN, beta).payoffs[0] + 1 / 18) for beta in (1e2, 1e4, 1e6)]
    assert gaps[0] < 1e-3
    assert gaps[1] < 1e-6
    assert gaps[2] < 1e-9


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_exploitability_falls_like_one_over_beta(name: str) -> None:
    form = compiled(name).zero_sum_form()
    scaled = [
        beta * evaluate_plans(form, solve_dilated(form, beta).plans).exploitability
        for beta in (1e2, 1e3, 1e4)
    ]
    assert max(scaled) < 12.0
    assert max(scaled) < 3.0 * min(scaled)


def test_leduc_at_beta_20_is_a_fixed_point() -> None:
    solved = solve_dilated(compiled("leduc").zero_sum_form(), 20.0)
    assert solved.converged
    assert solved.residual_norm <= 1e-8


def test_leduc_reaches_beta_1000() -> None:
    form = compiled("leduc").zero_sum_form()
    solved = solve_dilated(form, 1000.0)
    assert solved.converged
    assert solved.beta == 1000.0
    assert solved.residual_norm <= 1e-6
    assert solved.payoffs[0] == pytest.approx(LEDUC_VALUE, abs=2e-4)
    assert all(np.isfinite(values).all() for values in solved.values)


def test_soft_values_lie_above_best_responses_by_at_most_the_log_of_plans() -> None:
    form = compiled("leduc").zero_sum_form()
    solved = solve_dilated(form, 50.0, tolerance=1e-10)
    evaluation = evaluate_plans(form, solved.plans)
    for player in (0, 1):
        best = evaluation.values[player] + evaluation.gains[player]
        plans = solve_dilated(form, 0.0).plans[player]
        # At β = 0 a plan of probability 1/N is as likely as any other.
        entropy = -math.log(pure_plan_probability(form.sides[player], plans))
        assert best <= solved.values[player][0] <= best + entropy / 50.0


def pure_plan_probability(side: Side, plan: Floats) -> float:
    """Return the probability under `plan` of the pure plan that takes every first action."""
    behaviour = behaviour_of(side, plan)
    reached = {0}
    probability = 1.0
    for infoset in range(side.num_infosets):
        if int(side.parent_sequence[infoset]) in reached:
            first = int(side.first_sequence[infoset])
            reached.add(first)
            probability *= float(behaviour[first])
    return probability


# --- kernels and their slow twins


def slow_soft_response(side: Side, beta: float, gains: Floats) -> Floats:
    """Return the soft best response by recursion over infosets, in plain sums."""
    behaviour = np.ones(side.num_sequences)

    def weight(sequence: int) -> float:
        total = math.exp(beta * gains[sequence])
        for infoset in np.flatnonzero(side.parent_sequence == sequence).tolist():
            block = range(int(side.first_sequence[infoset]), int(side.first_sequence[infoset + 1]))
            weights = [weight(choice) for choice in block]
            for choice, part in zip(block, weights, strict=True):
                behaviour[choice] = part / sum(weights)
            total *= sum(weights)
        return total

    weight(0)
    return behaviour


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
@pytest.mark.parametrize("beta", [0.0, 0.7, 4.0])
def test_soft_best_responses_equal_their_slow_twin(name: str, beta: float) -> None:
    form = compiled(name).zero_sum_form()
    rng = np.random.default_rng(5)
    behaviours, plans = [], []
    for side in form.sides:
        behaviour, plan = rng.random(side.num_sequences) + 0.01, np.ones(side.num_sequences)
        for infoset in range(side.num_infosets):
            block = slice(int(side.first_sequence[infoset]), int(side.first_sequence[infoset + 1]))
            behaviour[block] /= behaviour[block].sum()
            plan[block] = plan[side.parent_sequence[infoset]] * behaviour[block]
        behaviour[0] = 1.0
        behaviours.append(behaviour)
        plans.append(plan)
    dense = operator(form)
    slow = (
        slow_soft_response(form.sides[0], beta, dense @ plans[1]),
        slow_soft_response(form.sides[1], 0.5 * beta, -dense.T @ plans[0]),
    )
    fast = soft_best_responses(form, (behaviours[0], behaviours[1]), beta, (1.0, 0.5))
    assert farthest(fast, slow) < 1e-13
    gap = math.sqrt(sum(float(((a - b) ** 2).sum()) for a, b in zip(behaviours, slow, strict=True)))
    norm = residual_norm(form, (behaviours[0], behaviours[1]), beta, (1.0, 0.5))
    assert norm == pytest.approx(gap, rel=1e-12)


def soft_of(side: Side, beta: float, gains: Floats) -> Soft:
    soft = Soft(*(np.ones(side.num_sequences) for _ in range(4)))
    respond_softly(side, beta, gains, soft)
    return soft


def covariance_times(side: Side, beta: float, soft: Soft, moves: Floats) -> tuple[Floats, float]:
    out = np.empty(side.num_sequences)
    size = apply_covariance(side, beta, soft, moves, np.empty(side.num_sequences), out)
    return out, size


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_the_covariance_is_the_derivative_of_the_plan(name: str) -> None:
    rng = np.random.default_rng(3)
    for side in compiled(name).zero_sum_form().sides:
        gains, moves = rng.normal(size=(2, side.num_sequences)) * 0.3
        soft = soft_of(side, 2.0, gains)
        found, size = covariance_times(side, 2.0, soft, moves)
        ahead = soft_of(side, 2.0, gains + 1e-6 * moves)
        behind = soft_of(side, 2.0, gains - 1e-6 * moves)
        np.testing.assert_allclose(found, (ahead.plan - behind.plan) / 2e-6, atol=1e-8)
        rates = (ahead.log_odds - behind.log_odds)[1:] / 2e-6
        assert size == pytest.approx(
            float((np.abs(rates) / (1.0 + np.abs(soft.log_odds[1:]))).max()), rel=1e-6
        )


def test_the_covariance_is_that_of_explicit_plans() -> None:
    side = KUHN.sides[1]
    gains = np.random.default_rng(8).normal(size=side.num_sequences)
    plans = pure_plans(side)
    shares = softmax(3.0 * plans @ gains)
    mean = shares @ plans
    covariance = 3.0 * (plans.T * shares @ plans - np.outer(mean, mean))
    soft = soft_of(side, 3.0, gains)
    found = np.array(
        [covariance_times(side, 3.0, soft, row)[0] for row in np.eye(side.num_sequences)]
    )
    np.testing.assert_allclose(found, covariance, atol=1e-14)


@settings(deadline=None, max_examples=25)
@given(game=random_trees(), seed=st.integers(0, 2**32 - 1), beta=st.floats(0.1, 30.0))
def test_the_newton_matrix_is_self_adjoint_and_at_least_the_identity(
    game: Game, seed: int, beta: float
) -> None:
    form = form_of(game)
    rng = np.random.default_rng(seed)
    counts = [side.num_sequences for side in form.sides]
    softs = (
        soft_of(form.sides[0], beta, rng.normal(size=counts[0])),
        soft_of(form.sides[1], beta, rng.normal(size=counts[1])),
    )

    def image(vector: Floats) -> tuple[Floats, Floats]:
        moved = covariance_times(form.sides[1], beta, softs[1], vector)[0]
        out, along = np.empty(counts[1]), np.empty(counts[0])
        scratch = (np.empty(counts[0]), np.empty(counts[0]))
        apply_newton_matrix(form.sides, beta, softs, vector, moved, along, scratch, out)
        return moved, out

    some, other = rng.normal(size=(2, counts[1]))
    (moved_some, image_some), (moved_other, image_other) = image(some), image(other)
    size = 1.0 + abs(float(moved_some @ image_some)) + abs(float(moved_other @ image_other))
    assert abs(float(moved_some @ image_other - moved_other @ image_some)) <= 1e-12 * size
    assert float(moved_some @ image_some) >= float(moved_some @ some) - 1e-12 * size


# --- what a caller sees


def test_the_path_is_kept_and_every_point_of_it_is_converged() -> None:
    seen: list[DilatedPoint] = []
    steps: list[DilatedStep] = []
    solved = solve_dilated(
        KUHN, 30.0, tolerance=1e-10, keep_path=True, on_point=seen.append, on_step=steps.append
    )
    assert [point.beta for point in seen] == [point.beta for point in solved.path]
    betas = [point.beta for point in solved.path]
    assert betas[0] == 0.0
    assert betas[-1] == 30.0
    assert betas == sorted(set(betas))
    assert len(steps) == solved.iterations == sum(point.iterations for point in solved.path)
    assert sum(step.cg_steps for step in steps) == solved.cg_steps
    assert steps[-1].correction == solved.correction <= 1e-10
    for point in solved.path:
        assert residual_norm(KUHN, point.behaviours, point.beta) < 1e-9
    assert farthest(solved.path[-1].behaviours, solved.behaviours) == 0.0
    assert solved.path[-1].payoffs == solved.payoffs


def test_without_being_asked_no_path_is_kept() -> None:
    assert solve_dilated(KUHN, 1.0).path == ()


def test_the_way_to_beta_does_not_matter() -> None:
    form = compiled("leduc").zero_sum_form()
    direct = solve_dilated(form, 40.0, tolerance=1e-11)
    careful = solve_dilated(form, 40.0, tolerance=1e-11, keep_path=True)
    assert farthest(direct.behaviours, careful.behaviours) < 1e-9


def test_the_same_call_gives_the_same_bits() -> None:
    form = compiled("leduc").zero_sum_form()
    some, other = solve_dilated(form, 100.0), solve_dilated(form, 100.0)
    assert farthest(some.behaviours, other.behaviours) == 0.0
    assert some.cg_steps == other.cg_steps


def test_newton_converges_quadratically() -> None:
    form = compiled("leduc").zero_sum_form()
    solved = solve_dilated(form, 30.0, tolerance=1e-12)
    dense = operator(form)
    exact = (dense @ solved.plans[1], -dense.T @ solved.plans[0])
    rng = np.random.default_rng(2)
    gains = (
        exact[0] + 1e-3 * rng.normal(size=len(exact[0])),
        exact[1] + 1e-3 * rng.normal(size=len(exact[1])),
    )
    steps = (np.zeros(len(gains[0])), np.zeros(len(gains[1])))
    softs = (soft_of(form.sides[0], 30.0, gains[0]), soft_of(form.sides[1], 30.0, gains[1]))
    corrections = []
    for _ in range(5):
        _, correction, _ = newton_step(form.sides, 30.0, 30.0, gains, softs, steps, 0.0)
        corrections.append(correction)
        gains[0][:] += steps[0]
        gains[1][:] += steps[1]
    assert corrections[0] > 0.05
    assert corrections[3] < 1e-9
    assert all(then <= 5.0 * now**2 + 1e-10 for now, then in pairwise(corrections))


def test_a_tolerance_beyond_rounding_is_reported_with_the_best_point() -> None:
    solved: DilatedResult = solve_dilated(compiled("leduc").zero_sum_form(), 100.0, tolerance=1e-30)
    assert not solved.converged
    assert solved.beta == 100.0
    assert solved.residual_norm < 1e-9


def test_larger_leduc_goes_to_beta_100_in_few_steps() -> None:
    solved = solve_dilated(form_of(leduc(ranks=13)), 100.0)
    assert solved.converged
    assert solved.residual_norm <= 1e-8
    assert solved.cg_steps + 2 * solved.iterations <= 150


def test_games_that_are_not_zero_sum_are_refused() -> None:
    form = compile(GENERAL_SUM).exact_form()
    with pytest.raises(NotZeroSum, match="zero-sum games only"):
        solve_dilated(form, 1.0)


@pytest.mark.parametrize("beta", [-1.0, math.nan, math.inf])
def test_impossible_betas_are_refused(beta: float) -> None:
    with pytest.raises(InvalidOption, match="beta is"):
        solve_dilated(KUHN, beta)


@pytest.mark.parametrize("scale", [(0.5, 0.5), (2.0, 1.0), (-1.0, 1.0), (math.nan, 1.0)])
def test_impossible_shares_are_refused(scale: tuple[float, float]) -> None:
    with pytest.raises(InvalidOption, match="shares of beta"):
        solve_dilated(KUHN, 1.0, scale=scale)


def test_impossible_tolerances_and_limits_are_refused() -> None:
    with pytest.raises(InvalidOption, match="tolerance"):
        solve_dilated(KUHN, 1.0, tolerance=0.0)
    with pytest.raises(InvalidOption, match="max_iterations"):
        solve_dilated(KUHN, 1.0, max_iterations=0)


def test_a_path_that_is_lost_ends_at_its_last_good_point() -> None:
    form = compiled("leduc").zero_sum_form()
    # One Newton step a point is not enough to follow the path far.
    solved = solve_dilated(form, 1e4, max_iterations=1)
    assert not solved.converged
    assert solved.beta < 1e4
    assert all(np.isfinite(behaviour).all() for behaviour in solved.behaviours)


def test_a_kept_path_goes_on_where_rounding_forbids_the_tolerance() -> None:
    solved = solve_dilated(KUHN, 1e4, tolerance=1e-17, keep_path=True)
    assert solved.path[-1].beta == 1e4
    assert solved.payoffs[0] == pytest.approx(-1 / 18, abs=1e-6)
