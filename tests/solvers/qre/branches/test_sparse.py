"""The branch by sparse LU, for games too large for dense blocks."""

from pathlib import Path

import numpy as np
import pytest

from untilt.errors import GameTooLarge
from untilt.game.compiled import compile_histories
from untilt.game.protocol import Game
from untilt.games import kuhn, leduc, resolve
from untilt.solvers.qre import system
from untilt.solvers.qre.branches.arclength import converge, refine, trace
from untilt.solvers.qre.branches.branch import REACHED
from untilt.solvers.qre.branches.sparse import trace_sparse
from untilt.solvers.qre.problem import QuantalProblem
from untilt.solvers.qre.response import DEFINITIONS

LIARS_DICE = f"{Path(__file__).parents[4] / 'examples' / 'liars_dice.py'}:game"
GAMES: dict[str, Game] = {
    "kuhn": kuhn(),
    "leduc": leduc(),
    "liars-dice": resolve(LIARS_DICE, {"sides": 3}).game,
    "market-maker": resolve("market-maker").game,
}


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("game", GAMES)
def test_sparse_and_dense_elimination_follow_one_branch(game: str, definition: str) -> None:
    problem = QuantalProblem(compile_histories(GAMES[game]), definition)
    dense = trace(problem.system, 5.0, tolerance=1e-11)
    sparse = trace_sparse(problem.system, 5.0, tolerance=1e-11)
    assert (dense.ending, sparse.ending) == (REACHED, REACHED)
    np.testing.assert_allclose(sparse.log_odds[-1], dense.log_odds[-1], atol=1e-9, rtol=1e-9)


def test_a_game_beyond_dense_blocks_is_traced_but_not_polished(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(system, "MAX_ENTRIES", 10)
    problem = QuantalProblem(compile_histories(kuhn()))
    assert problem.system.is_sparse
    branch = trace(problem.system, 1.0)
    assert problem.payoffs(branch.log_odds[-1])[0] == pytest.approx(-0.033625, abs=5e-7)
    chosen = refine(problem.system, branch, 1e-9, np.array([0, len(branch.betas) - 1]))
    assert chosen.betas.tolist() == [0.0, 1.0]
    with pytest.raises(GameTooLarge, match="can be traced, but not polished"):
        converge(problem.system, branch.log_odds[-1], 1.0)
