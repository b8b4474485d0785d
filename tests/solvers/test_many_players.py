"""CFR, values and best responses with three and four players."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.game.many_players import random_game
from tests.reference.cfr import ReferenceCfr
from tests.reference.values import best_response_value, expected_value

import untilt
from untilt.errors import GameError, StrategyError, UntiltError
from untilt.evaluation.action_values import action_values
from untilt.evaluation.best_response import best_response, evaluate, evaluate_plans
from untilt.evaluation.comparison import head_to_head
from untilt.formats.exchange.efg import write_efg
from untilt.formats.run.compiled_game import read_game, write_game
from untilt.game.compiled import CompiledGame, compile_histories
from untilt.game.sequence.plan_form import PlanForm
from untilt.game.sequence.sequence_form import SequenceForm
from untilt.game.sequence.terminal_form import TerminalForm
from untilt.game.strategy.strategy import profile_from_arrays, random_profile, uniform_profile
from untilt.regret.rule import UpdateRule
from untilt.solvers.cfr import CfrSolver
from untilt.solvers.methods import method_named

KUHN = untilt.games.compile("kuhn", parameters={"players": 3})


def solved(game: CompiledGame, rule: UpdateRule, iterations: int) -> CfrSolver:
    solver = CfrSolver(game.plan_form(), rule)
    solver.advance(iterations)
    return solver


ALTERNATING = UpdateRule()
PLUS = UpdateRule(is_clipped=True, gamma=1.0)


def test_only_two_players_have_a_sequence_form_and_more_have_a_terminal_form() -> None:
    two = untilt.games.compile("kuhn")
    assert two.has(SequenceForm)
    assert not two.has(TerminalForm)
    assert KUHN.has(TerminalForm)
    assert KUHN.has(PlanForm)
    assert not KUHN.has(SequenceForm)
    for needs_two in (KUHN.exact_form, KUHN.zero_sum_form):
        with pytest.raises(GameError, match="needs a game of two players, and the game has 3"):
            needs_two()
    with pytest.raises(GameError, match="a game of two players has no terminal form"):
        two.require(TerminalForm)


@pytest.mark.parametrize("first", range(0, 500, 100))
def test_values_and_best_responses_are_those_of_the_slow_twin(first: int) -> None:
    rng = np.random.default_rng(first)
    for seed in range(first, first + 100):
        players = 3 + seed % 2
        game = random_game(seed, players, depth=4 if players == 4 else 5)
        compiled = compile_histories(game)
        form = compiled.plan_form()
        profile = random_profile(compiled, rng)
        plain: dict[str, Any] = {
            **profile.to_dict(),
            **{label: {action: 1.0} for label, action in compiled.forced.items()},
        }
        found = evaluate(form, profile)
        for player in range(players):
            value = expected_value(game, plain, player)
            best = best_response_value(game, plain, player)
            assert found.values[player] == pytest.approx(value, abs=1e-12)
            assert found.gains[player] == pytest.approx(best - value, abs=1e-12)
            response, worth = best_response(form, profile, player)
            assert worth == pytest.approx(best, abs=1e-12)
            seated = list(profile.strategies)
            seated[player] = response
            again = evaluate(form, type(profile)(tuple(seated)))
            assert again.values[player] == pytest.approx(best, abs=1e-12)
        assert found.nash_conv == pytest.approx(sum(found.gains))
        assert found.exploitability == pytest.approx(sum(found.gains) / players)


def policy_of(game: Any, strategy: Mapping[str, Mapping[str, float]]) -> dict[str, list[Any]]:
    """Return a strategy by the information states of a game of OpenSpiel that a file describes.

    Their names end with the labels of the file: `0-0-3-LABEL`.
    """
    found: dict[str, list[Any]] = {}
    stack = [game.new_initial_state()]
    while stack:
        state = stack.pop()
        if state.is_terminal():
            continue
        if not state.is_chance_node():
            name = state.information_state_string()
            row = strategy[name.split("-", 3)[3]]
            legal = state.legal_actions()
            found[name] = [(action, row[state.action_to_string(action)]) for action in legal]
        stack.extend(state.child(action) for action in state.legal_actions())
    return found


@pytest.mark.parametrize("first", range(0, 500, 100))
def test_nash_conv_of_random_games_is_that_of_openspiel(first: int, tmp_path: Path) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    rng = np.random.default_rng(first)
    file = tmp_path / "game.efg"
    for seed in range(first, first + 100):
        players = 3 + seed % 2
        compiled = compile_histories(random_game(seed, players, depth=4 if players == 4 else 5))
        profile = random_profile(compiled, rng)
        # It reads no fractions.
        text = re.sub(
            r"(\d+)/(\d+)", lambda m: repr(int(m[1]) / int(m[2])), write_efg(compiled, "random")
        )
        file.write_text(text, "utf-8")
        theirs = pyspiel.load_game(f"efg_game(filename={file})")
        policy = pyspiel.TabularPolicy(policy_of(theirs, profile.to_dict()))
        found = evaluate(compiled.plan_form(), profile)
        assert found.nash_conv == pytest.approx(pyspiel.nash_conv(theirs, policy), abs=1e-9)


@pytest.mark.parametrize("variant", ["cfr", "cfr+", "linear", "dcfr", "dcfr+", "pcfr+", "sapcfr+"])
@pytest.mark.parametrize("seed", range(4))
def test_every_variant_is_that_of_the_slow_twin(variant: str, seed: int) -> None:
    game = random_game(seed, 3 + seed % 2, depth=4)
    compiled = compile_histories(game)
    method = method_named(variant)
    solver = method.build(compiled, method.options({}), 1_000)
    assert isinstance(solver, CfrSolver)
    twin = ReferenceCfr(game, variant)
    for _ in range(6):
        solver.advance(1)
        twin.iterate()
    current = profile_from_arrays(compiled, solver.current_behaviours()).to_dict()
    for label, actions in current.items():
        assert actions == pytest.approx(twin.current[label], abs=1e-9), label


def test_cfr_of_three_player_kuhn_has_the_digits_of_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("kuhn_poker(players=3)")
    form = KUHN.plan_form()
    for rule, make in ((ALTERNATING, pyspiel.CFRSolver), (PLUS, pyspiel.CFRPlusSolver)):
        mine, other = CfrSolver(form, rule), make(theirs)
        for target in (10, 1_000):
            while mine.iteration < target:
                mine.advance(1)
                other.evaluate_and_update_policy()
            found = evaluate_plans(form, mine.average_plans()).nash_conv
            expected = pyspiel.nash_conv(theirs, other.average_policy())
            assert found == pytest.approx(expected, abs=1e-12)
    published = {ALTERNATING: 3.9223354e-3, PLUS: 3.202848e-5}
    for rule, expected in published.items():
        found = evaluate_plans(form, solved(KUHN, rule, 1_000).average_plans()).nash_conv
        assert found == pytest.approx(expected, rel=1e-6)


def test_cfr_plus_of_three_player_leduc_has_the_digits_of_openspiel() -> None:
    game = untilt.games.compile("leduc", parameters={"players": 3})
    assert (game.num_infosets, game.num_terminals) == (7_428, 126_996)
    form = game.plan_form()
    found = evaluate_plans(form, solved(game, PLUS, 10).average_plans()).nash_conv
    assert found == pytest.approx(2.023141686950556, abs=1e-12)


def test_player_1_of_three_player_kuhn_gets_minus_one_48th() -> None:
    form = KUHN.plan_form()
    found = evaluate_plans(form, solved(KUHN, PLUS, 10_000).average_plans())
    assert found.nash_conv <= 1e-6
    assert found.values[1] == pytest.approx(-1 / 48, abs=1e-6)
    assert sum(found.values) == pytest.approx(0.0, abs=1e-12)


def test_action_values_average_to_the_value() -> None:
    compiled = compile_histories(random_game(3, 3))
    form, profile = compiled.plan_form(), random_profile(compiled, np.random.default_rng(0))
    found = evaluate(form, profile)
    for player in range(3):
        view = action_values(form, profile, player)
        assert view.counterfactual[0] == pytest.approx(found.values[player])
        assert np.all(view.opponent_reach <= 1.0 + 1e-12)


def test_head_to_head_is_one_seat_against_the_others() -> None:
    form, uniform = KUHN.plan_form(), uniform_profile(KUHN)
    other = random_profile(KUHN, np.random.default_rng(1))
    match = head_to_head(form, uniform, other)
    for player in range(3):
        seated = list(other.strategies)
        seated[player] = uniform.strategies[player]
        expected = evaluate(form, type(other)(tuple(seated))).values[player]
        assert match.as_player[player] == pytest.approx(expected)
    assert match.mean == pytest.approx(sum(match.as_player) / 3)
    assert head_to_head(form, uniform, uniform).mean == pytest.approx(0.0, abs=1e-12)


def test_a_game_file_keeps_the_terminal_form(tmp_path: Path) -> None:
    write_game(tmp_path / "game.bin", KUHN)
    again = read_game(tmp_path / "game.bin")
    assert again == KUHN
    assert again.plan_form().num_meetings == 312
    with pytest.raises(GameError, match="needs a game of two players"):
        again.exact_form()


def test_a_form_that_does_not_fit_together_is_not_made() -> None:
    form = KUHN.require(TerminalForm)
    side = form.sides[1]
    broken = [
        side._replace(others=side.others[:, ::-1].copy()),
        side._replace(others=side.others + np.uint32(100)),
        side._replace(payoff=side.payoff * np.inf),
        side._replace(row_start=side.row_start[::-1].copy()),
        side._replace(parent_sequence=side.parent_sequence + np.uint32(30)),
    ]
    for each in broken:
        sides = (form.sides[0], each, form.sides[2])
        with pytest.raises(GameError, match="terminal form of player 1 is inconsistent"):
            TerminalForm(sides, form.infosets, form.num_terminals, is_zero_sum=True)


def test_a_profile_of_another_number_of_players_is_refused() -> None:
    two = untilt.strategies.uniform("kuhn")
    with pytest.raises(StrategyError, match="of a game of 2 players; this game has 3"):
        evaluate(KUHN.plan_form(), two)
    with pytest.raises(UntiltError, match="player is 3; it must be 0, 1 or 2"):
        best_response(KUHN.plan_form(), uniform_profile(KUHN), 3)


def test_a_run_of_three_players_is_saved_resumed_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    parameters = {"players": 3}
    run = untilt.solve("kuhn", "cfr+", parameters=parameters, iterations=300, output="run")
    assert len(run.values) == len(run.gains) == 3
    assert run.exploitability == pytest.approx(sum(run.gains) / 3)
    document = run.to_json()
    assert document["gains"] == list(run.gains)
    assert document["players"] == ["player 0", "player 1", "player 2"]
    assert document["nash_conv"] == pytest.approx(3 * document["exploitability"])
    again = untilt.load("run")
    assert again == run
    longer = untilt.solve("kuhn", "cfr+", parameters=parameters, iterations=600, save=False)
    resumed = untilt.resume("run", iterations=600)
    assert resumed.result == longer.result
    assert set(run.result.to_frame()["player"]) == {0, 1, 2}
