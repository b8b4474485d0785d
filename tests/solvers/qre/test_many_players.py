"""Quantal response with three players and more, beside Gambit and a slow twin."""

import io
import re

import numpy as np
import pytest
from tests.game.many_players import random_game
from tests.reference.qre import action_payoffs, logit_residual

import untilt
from untilt.errors import GameError, InvalidOption
from untilt.formats.exchange.efg import write_efg
from untilt.game.compiled import compile_histories
from untilt.solvers.qre.branches.arclength import trace
from untilt.solvers.qre.problem import QuantalProblem

KUHN = {"players": 3}


@pytest.mark.parametrize("first", [0, 10, 20, 30, 40])
def test_gambit_plays_the_same_in_random_games(first: int) -> None:
    gambit = pytest.importorskip("pygambit", minversion="17.0.0b2")
    for seed in range(first, first + 10):
        compiled = compile_histories(random_game(seed, 3, depth=4))
        problem = QuantalProblem(compiled)
        theirs = gambit.read_efg(io.StringIO(write_efg(compiled, "random")))
        for beta, point in zip(
            (0.5, 2.0), gambit.qre.logit_solve_lambda(theirs, [0.5, 2.0]), strict=True
        ):
            ours = problem.profile(trace(problem.system, beta, tolerance=1e-12).log_odds[-1])
            for table, found in zip(compiled.infosets, point.profile, strict=True):
                for label, (_, distribution) in zip(table.labels, found, strict=True):
                    assert ours[label] == pytest.approx(dict(distribution), abs=1e-8)


@pytest.mark.parametrize("definition", ["agent", "counterfactual", "ex-ante"])
@pytest.mark.parametrize("seed", range(8))
def test_the_path_is_its_own_logit_response_by_the_slow_twin(definition: str, seed: int) -> None:
    players = 3 + seed % 2
    game = random_game(seed, players, depth=4)
    problem = QuantalProblem(compile_histories(game), definition)
    branch = trace(problem.system, 2.0, tolerance=1e-12)
    assert branch.betas[-1] == 2.0
    profile = problem.profile(branch.log_odds[-1]).to_dict()
    residual = logit_residual(game, profile, definition, (2.0,) * players)
    assert max(abs(gap) for row in residual.values() for gap in row.values()) < 1e-9
    worth = action_payoffs(game, profile, definition)
    values = problem.action_values(branch.log_odds[-1])
    for table, found in zip(problem.game.infosets, values, strict=True):
        for index, (label, actions) in enumerate(table.items()):
            mine = dict(zip(actions, found[table.block(index)].tolist(), strict=True))
            expected = worth[label]
            if definition == "ex-ante":  # the twin adds what is won elsewhere in the game
                mine, expected = _from_first(mine), _from_first(expected)
            assert mine == pytest.approx(expected, abs=1e-9)


def _from_first(row: dict[str, float]) -> dict[str, float]:
    first = next(iter(row.values()))
    return {action: value - first for action, value in row.items()}


def test_newton_and_the_branch_agree_and_the_branch_selects_an_equilibrium_of_kuhn() -> None:
    branch = untilt.qre("kuhn", 10.0, parameters=KUHN, trace=True, save=False)
    newton = untilt.qre("kuhn", 10.0, parameters=KUHN, path="newton", save=False)
    assert branch.converged
    assert branch.betas == (10.0, 10.0, 10.0)
    for label, actions in branch.strategy.items():
        assert newton.strategy[label] == pytest.approx(actions, abs=1e-9)
    far = untilt.qre("kuhn", 1_000.0, parameters=KUHN, save=False)
    assert far.exploitability < 2e-4
    assert far.values[1] == pytest.approx(-1 / 48, abs=1e-4)
    assert np.allclose(sum(far.values), 0.0)


@pytest.mark.parametrize("option", [{"limit": True}, {"definition": "dilated"}])
def test_what_needs_two_players_is_refused(option: dict[str, object]) -> None:
    with pytest.raises(GameError, match="needs a game of two players, and the game has 3"):
        untilt.qre("kuhn", 2.0, parameters=KUHN, save=False, **option)  # type: ignore[arg-type]


def test_a_rationality_for_each_player_is_refused() -> None:
    with pytest.raises(InvalidOption, match=re.escape("and this one has 3: give one beta for all")):
        untilt.qre("kuhn", (1.0, 2.0), parameters=KUHN, save=False)
