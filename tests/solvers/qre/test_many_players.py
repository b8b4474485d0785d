"""Quantal response with three players and more, beside Gambit and a slow twin."""

import io
import re
from pathlib import Path

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


@pytest.mark.parametrize("path", ["arclength", "newton", "classic"])
@pytest.mark.parametrize("seed", range(4))
def test_players_of_different_rationality_respond_by_the_slow_twin(seed: int, path: str) -> None:
    players = 3 + seed % 2
    game = random_game(seed, players, depth=4)
    betas = (2.0, 0.5, 1.5, 0.0)[:players]
    found = untilt.qre(game, betas, path=path, definition="agent", save=False)
    assert found.converged
    assert found.betas == pytest.approx(betas)
    residual = logit_residual(game, found.strategy.to_dict(), "agent", betas)
    assert max(abs(gap) for row in residual.values() for gap in row.values()) < 1e-7


def test_a_run_with_a_beta_for_each_player_is_saved_with_all_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = untilt.qre("kuhn", (6, 3, 12), parameters=KUHN, trace=True, output="run")
    assert found.betas == (6.0, 3.0, 12.0)
    frame = found.to_frame()
    for player in (1, 2):
        assert frame[f"value_{player}"].iloc[-1] == pytest.approx(found.values[player])
    again = untilt.load("run")
    assert isinstance(again, untilt.GameRun)
    assert again.result == found.run.result
    assert again.outcome["betas"] == [6.0, 3.0, 12.0]


@pytest.mark.parametrize("betas", [(1.0, 2.0), (1.0, 2.0, 3.0, 4.0)])
def test_betas_of_another_number_of_players_are_refused(betas: tuple[float, ...]) -> None:
    words = f"{len(betas)} betas were given, and the game has 3 players"
    with pytest.raises(InvalidOption, match=re.escape(words)):
        untilt.qre("kuhn", betas, parameters=KUHN, save=False)
    with pytest.raises(InvalidOption, match="3 betas were given, and the game has 2 players"):
        untilt.qre("kuhn", (1.0, 2.0, 3.0), save=False)
