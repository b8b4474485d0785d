"""The agent logit equilibria of Kuhn and Leduc, beside Gambit's."""

import io

import pytest

from untilt.formats.exchange.efg import write_efg
from untilt.game.compiled import compile_histories
from untilt.game.protocol import Game
from untilt.games import kuhn, leduc
from untilt.solvers.qre.branches.arclength import trace
from untilt.solvers.qre.problem import QuantalProblem


@pytest.mark.parametrize(
    ("game", "betas"),
    [(kuhn(), [0.5, 1.0, 3.0, 10.0, 30.0]), pytest.param(leduc(), [1.0], marks=pytest.mark.long)],
    ids=["kuhn", "leduc"],
)
def test_gambit_plays_the_same_at_every_infoset(game: Game, betas: list[float]) -> None:
    gambit = pytest.importorskip("pygambit", minversion="17.0.0b2")
    compiled = compile_histories(game)
    problem = QuantalProblem(compiled)
    theirs = gambit.read_efg(io.StringIO(write_efg(compiled, "game", position=game)))
    for beta, point in zip(betas, gambit.qre.logit_solve_lambda(theirs, betas), strict=True):
        ours = problem.profile(trace(problem.system, beta, tolerance=1e-12).log_odds[-1])
        # Gambit lists infosets by the numbers of the file, which are ours.
        for table, found in zip(compiled.infosets, point.profile, strict=True):
            for label, (_, distribution) in zip(table.labels, found, strict=True):
                assert ours[label] == pytest.approx(dict(distribution), abs=1e-9)
