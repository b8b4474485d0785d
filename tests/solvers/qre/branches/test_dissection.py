"""Dissections: few operations, no coupling between components, and exact elimination."""

from pathlib import Path

import numpy as np
import pytest
from tests.reference.games import Matrix

from untilt.game.compiled import compile_histories
from untilt.game.protocol import Game
from untilt.games import kuhn, leduc, resolve
from untilt.numeric.arrays import Floats
from untilt.solvers.qre.branches.bordered import (
    BlockMatrix,
    factorise,
    new_matrix,
    set_border,
    solve_in_place,
)
from untilt.solvers.qre.branches.dissection import ROOT, Dissection, undivided
from untilt.solvers.qre.problem import QuantalProblem
from untilt.solvers.qre.response import DEFINITIONS, fill_jacobian

LIARS_DICE = f"{Path(__file__).parents[4] / 'examples' / 'liars_dice.py'}:game"
GAMES: dict[str, Game] = {
    "kuhn": kuhn(),
    "leduc": leduc(),
    "liars-dice": resolve(LIARS_DICE, {"sides": 3}).game,
    "market-maker": resolve("market-maker").game,
    "general-sum": Matrix(((3.0, 0.0, 1.0), (2.0, 2.0, 0.0)), ((1.0, 2.0, 0.0), (0.0, 1.0, 4.0))),
}


def assembled(dissection: Dissection, matrix: BlockMatrix) -> Floats:
    """Return the bordered matrix over variables, the border last."""
    total, width = int(dissection.first[-1]), dissection.num_root + 1
    whole = np.zeros((total + width, total + width))
    for block, size in enumerate(dissection.size.tolist()):
        at = slice(int(dissection.first[block]), int(dissection.first[block + 1]))
        begin = int(matrix.first_inside[block])
        whole[at, at] = matrix.entries[begin : begin + size * size].reshape(size, size)
        begin = int(matrix.first_right[block])
        whole[at, total:] = matrix.entries[begin : begin + size * width].reshape(size, width)
        begin = int(matrix.first_below[block])
        whole[total:, at] = matrix.entries[begin : begin + size * width].reshape(width, size)
    whole[total:, total:] = matrix.entries[int(matrix.first_below[-1]) :].reshape(width, width)
    order = np.append(dissection.order, total + width - 1)
    result = np.empty_like(whole)
    result[np.ix_(order, order)] = whole
    return result


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("divides", [True, False])
def test_block_elimination_agrees_with_dense_lu(game: str, definition: str, divides: bool) -> None:
    problem = QuantalProblem(compile_histories(GAMES[game]), definition)
    variables, decisions = problem.variables, problem.decisions
    dissection = problem.dissection if divides else undivided(variables)
    matrix = new_matrix(dissection)
    rng = np.random.default_rng(5)
    size = variables.num_variables
    problem.respond(rng.normal(size=size))
    fill_jacobian(
        decisions,
        variables,
        dissection,
        DEFINITIONS[definition],
        (3.0, 3.0),
        problem.system.response,
        matrix,
    )
    set_border(variables, dissection, matrix, rng.normal(size=size), rng.normal(size=size), 0.7)
    dense = assembled(dissection, matrix)
    right = rng.normal(size=size + 1)
    expected = np.linalg.solve(dense, right)
    factorise(dissection, matrix)
    solution = right[:-1].copy()
    border = solve_in_place(variables, dissection, matrix, solution, float(right[-1]))
    np.testing.assert_allclose(np.append(solution, border), expected, rtol=1e-8, atol=1e-10)


def test_leduc_splits_into_fifteen_subgames_below_the_first_street() -> None:
    problem = QuantalProblem(compile_histories(leduc()))
    dissection = problem.dissection
    assert (len(dissection.size), dissection.num_root) == (15, 24)
    assert dissection.size.sum() + dissection.num_root == problem.variables.num_variables
    assert dissection.flops == pytest.approx(1.03e6, rel=0.01)
    assert undivided(problem.variables).flops > 30 * dissection.flops


@pytest.mark.parametrize("game", GAMES)
def test_components_meet_only_in_the_root(game: str) -> None:
    problem = QuantalProblem(compile_histories(GAMES[game]))
    decisions, dissection = problem.decisions, problem.dissection
    for node, parent in enumerate(decisions.parent.tolist()):
        below = dissection.block[decisions.infoset[node]]
        ancestor = parent
        while ancestor >= 0:
            above = dissection.block[decisions.infoset[ancestor]]
            assert ROOT in (below, above) or below == above
            ancestor = int(decisions.parent[ancestor])


@pytest.mark.parametrize("game", GAMES)
def test_every_variable_has_one_place(game: str) -> None:
    problem = QuantalProblem(compile_histories(GAMES[game]))
    for dissection in (problem.dissection, undivided(problem.variables)):
        assert sorted(dissection.order) == list(range(problem.variables.num_variables))
