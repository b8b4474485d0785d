"""Values, residuals and their derivatives, against finite differences and against a slow twin."""

import random
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from tests.game.trees import FORCED, GENERAL_SUM, TreeGame, random_tree
from tests.reference import qre as twin

from untilt.game.compiled import CompiledGame, compile_histories
from untilt.game.protocol import Game
from untilt.games import kuhn, leduc, leduc_276, resolve
from untilt.numeric.arrays import Floats
from untilt.solvers.qre.branches.bordered import BlockMatrix, new_matrix
from untilt.solvers.qre.branches.dissection import Dissection, undivided
from untilt.solvers.qre.points.newton import fill_gap, fill_log_odds_differences
from untilt.solvers.qre.problem import QuantalProblem
from untilt.solvers.qre.response import DEFINITIONS, fill_jacobian

LIARS_DICE = f"{Path(__file__).parents[3] / 'examples' / 'liars_dice.py'}:game"


def trust_of_depth_seven() -> TreeGame:
    """Return a random general-sum game that is large enough to be worth it."""
    games = (random_tree(random.Random(seed), 7, is_zero_sum=False) for seed in range(100))
    return next(game for game in games if compile_histories(game).num_infosets >= 40)


GAMES: dict[str, Callable[[], Game]] = {
    "kuhn": kuhn,
    "leduc": leduc,
    "leduc-276": leduc_276,
    "liar's dice": lambda: resolve(LIARS_DICE, {"sides": 3}).game,
    "trust": lambda: GENERAL_SUM,
    "forced": lambda: FORCED,
    "random": trust_of_depth_seven,
}

all_games = pytest.mark.parametrize("name", GAMES)
all_definitions = pytest.mark.parametrize("definition", DEFINITIONS)
both_ratios = pytest.mark.parametrize("scale", [(1.0, 1.0), (0.3, 1.0)], ids=["one β", "two βs"])


@cache
def game_named(name: str) -> tuple[Game, CompiledGame]:
    game = GAMES[name]()
    return game, compile_histories(game)


def random_log_odds(problem: QuantalProblem, seed: int) -> Floats:
    return np.random.default_rng(seed).normal(0.0, 1.5, problem.variables.num_variables)


def filled(
    problem: QuantalProblem, dissection: Dissection, log_odds: Floats, beta: float
) -> BlockMatrix:
    system, matrix = problem.system, new_matrix(dissection)
    betas = tuple(beta * share for share in problem.shares)
    problem.respond(log_odds)
    fill_jacobian(
        system.decisions,
        system.variables,
        dissection,
        system.definition,
        betas,
        system.response,
        matrix,
    )
    return matrix


def dense_jacobian(problem: QuantalProblem, log_odds: Floats, beta: float) -> Floats:
    matrix = filled(problem, undivided(problem.variables), log_odds, beta)
    return matrix.entries.reshape((len(log_odds) + 1, len(log_odds) + 1))[:-1, :-1]


@all_games
@all_definitions
@both_ratios
def test_the_jacobian_is_that_of_finite_differences(
    name: str, definition: str, scale: tuple[float, float]
) -> None:
    problem = QuantalProblem(game_named(name)[1], definition, scale)
    system = problem.system
    for seed, beta in enumerate((0.3, 2.0)):
        log_odds = random_log_odds(problem, seed)
        differences = np.empty((len(log_odds), len(log_odds)))
        fill_log_odds_differences(
            system.decisions,
            system.variables,
            system.definition,
            (beta * scale[0], beta * scale[1]),
            log_odds,
            len(log_odds),
            system.response,
            differences,
        )
        exact = dense_jacobian(problem, log_odds, beta)
        assert np.abs(exact - differences).max() <= 1e-6


@all_games
@all_definitions
def test_blocks_hold_what_the_dense_jacobian_holds(name: str, definition: str) -> None:
    problem = QuantalProblem(game_named(name)[1], definition, (1.0, 0.7))
    variables, dissection = problem.variables, problem.dissection
    log_odds = random_log_odds(problem, 3)
    dense = dense_jacobian(problem, log_odds, 1.7)
    matrix = filled(problem, dissection, log_odds, 1.7)

    members: dict[int, list[int]] = {block: [] for block in range(-1, len(dissection.size))}
    order = np.lexsort((dissection.position, dissection.block))
    for infoset in order.tolist():
        begin, end = variables.first_variable[infoset : infoset + 2].tolist()
        members[int(dissection.block[infoset])] += range(begin, end)
    root = members.pop(-1)
    width = dissection.num_root + 1

    assembled = np.zeros_like(dense)
    entries = matrix.entries
    below = entries[matrix.first_below[-1] :].reshape((width, width))
    assembled[np.ix_(root, root)] = below[:-1, :-1]
    for block, inside in members.items():
        size = len(inside)
        begin = matrix.first_inside[block]
        part = entries[begin : begin + size * size].reshape((size, size))
        assembled[np.ix_(inside, inside)] = part
        begin = matrix.first_right[block]
        part = entries[begin : begin + size * width].reshape((size, width))
        assembled[np.ix_(inside, root)] = part[:, :-1]
        begin = matrix.first_below[block]
        part = entries[begin : begin + size * width].reshape((width, size))
        assembled[np.ix_(root, inside)] = part[:-1]
    assert np.array_equal(assembled, dense)


def test_leduc_falls_into_blocks() -> None:
    assert len(QuantalProblem(game_named("leduc")[1]).dissection.size) > 1


@pytest.mark.parametrize(
    ("name", "definition"),
    [
        *product(["kuhn", "trust", "forced", "random"], DEFINITIONS),
        ("leduc", "agent"),
        ("leduc", "counterfactual"),  # for `ex-ante` the twin walks the game once per action
    ],
)
def test_values_and_residuals_are_those_of_plain_recursion(name: str, definition: str) -> None:
    game, compiled = game_named(name)
    problem = QuantalProblem(compiled, definition, (1.0, 0.4))
    log_odds = random_log_odds(problem, 5)
    profile = problem.profile(log_odds).to_dict()
    payoffs = twin.action_payoffs(game, profile, definition)
    labels = [label for table in compiled.infosets for label in table.labels]
    expected = np.array([payoff for label in labels for payoff in payoffs[label].values()])
    found = np.concatenate([values[1:] for values in problem.action_values(log_odds)])
    if definition == "ex-ante":  # only differences between an infoset's actions are defined
        first = problem.variables.first_action
        counts = np.diff(first)
        expected -= np.repeat(expected[first[:-1]], counts)
        found -= np.repeat(found[first[:-1]], counts)
    assert found == pytest.approx(expected, abs=1e-12)

    residual = twin.logit_residual(game, profile, definition, (1.3, 0.4 * 1.3))
    gap = np.empty(problem.variables.num_actions)
    problem.respond(log_odds)
    fill_gap(problem.variables, (1.3, 0.4 * 1.3), problem.system.response, gap)
    slow = np.array([value for label in labels for value in residual[label].values()])
    assert gap == pytest.approx(slow, abs=1e-12)
    assert problem.residual_norm(log_odds, 1.3) == pytest.approx(float(np.linalg.norm(slow)))


def test_the_residual_norm_stays_finite_at_the_ends_of_the_scale() -> None:
    problem = QuantalProblem(game_named("leduc")[1])
    log_odds = 400.0 * random_log_odds(problem, 6)
    gap = np.empty(problem.variables.num_actions)
    problem.respond(log_odds)
    fill_gap(problem.variables, (1e6, 1e6), problem.system.response, gap)
    assert np.isfinite(gap).all()
    assert float(np.linalg.norm(gap)) == pytest.approx(problem.residual_norm(log_odds, 1e6))
