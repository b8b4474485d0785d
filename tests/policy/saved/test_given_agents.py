"""Agents that are given as objects name their game, saved or not."""

import random
from pathlib import Path
from typing import Any

import pytest
from tests.play.test_resolving_agent import path, stored

import untilt
from untilt.abstraction import abstract, hand_class, pot_fractions, street
from untilt.errors import InvalidOption, StrategyError, UntiltError
from untilt.policy.spot import SpotPolicy
from untilt.runs.run import GameRun

__all__ = ["path", "stored"]  # fixtures

SMALL = {"stack": 6, "board": "3", "ranks": 4, "suits": 2}


@pytest.fixture(scope="module")
def run() -> GameRun:
    return untilt.solve(untilt.games.holdem(**SMALL), iterations=20, save=False)  # type: ignore[arg-type]


def test_a_run_that_is_not_saved_plays_its_game_as_a_saved_one_does(tmp_path: Path) -> None:
    kept = untilt.solve("kuhn", iterations=100, output=tmp_path / "run")
    run = untilt.solve("kuhn", iterations=100, save=False)
    results = [
        untilt.match(each, "call", 100, seed=1).value for each in (run, kept, tmp_path / "run")
    ]
    assert len(set(results)) == 1
    # Named by the caller, it is the same.
    assert untilt.match(run, "call", 100, seed=1, game="kuhn").value == results[0]


def test_a_run_of_holdem_that_is_not_saved_is_exploited_and_reviews_a_hand(run: GameRun) -> None:
    found = untilt.exploit(run, 4, variants=["fold or call"])
    assert found.deals == 4
    root = untilt.games.holdem(**SMALL)  # type: ignore[arg-type]
    hand = untilt.play.record_hand(root, [root.sample(random.Random(1)), "call", "check"])
    first = untilt.review(hand, run).decisions[0].advice
    assert first is not None
    assert sum(first.mix.values()) == pytest.approx(1.0)
    kuhn = untilt.solve("kuhn", iterations=20, save=False)
    with pytest.raises(StrategyError, match="is a run of kuhn, which is not hold'em"):
        untilt.review(hand, kuhn)


def test_an_abstract_run_that_is_not_saved_plays_the_real_game() -> None:
    root = untilt.games.holdem(stack=10)
    game = abstract(root, street * hand_class, pot_fractions(1, all_in=True))
    run = untilt.solve(game, "es", iterations=50, save=False)
    assert untilt.match(run, "call", 20, seed=1).big_blind == 2.0


def test_policies_that_have_a_game_name_it(path: Path) -> None:
    resolving = untilt.play.ResolvingPolicy(path, think="20ms")
    assert untilt.match(resolving, "call", 2, seed=1).big_blind == 2.0
    spot = untilt.Spot("KsTh7c4d2c", ("KK,QQ,AK", "AA,77,KJs"), pot=20, stack=60)
    solution = untilt.solve(spot, iterations=20, save=False)
    results = [untilt.match(each, "call", 20) for each in (solution, SpotPolicy(solution))]
    assert results[0].value == results[1].value


def test_what_load_agents_returns_needs_no_game_in_a_match(tmp_path: Path) -> None:
    untilt.solve("kuhn", iterations=50, output=tmp_path / "run")
    game, [agent] = untilt.play.load_agents([tmp_path / "run"])
    found = untilt.match(agent, "call", 100, seed=1)
    assert found.value == untilt.match(tmp_path / "run", "call", 100, seed=1).value
    own = agent.own_game()
    assert own is not None
    assert own.described == game.described
    untilt.solve("leduc", iterations=2, output=tmp_path / "leduc")
    _, [other] = untilt.play.load_agents([tmp_path / "leduc"])
    with pytest.raises(UntiltError, match="must play the same game"):
        untilt.match(agent, other, 2)


def test_charts_of_push_fold_play_however_they_are_given(tmp_path: Path) -> None:
    def won(*agents: Any, **game: Any) -> float:
        return untilt.match(agents[0], agents[1], 400, seed=2, **game).value

    chart = untilt.pushfold.chart(10)
    run = untilt.solve("pushfold", "lp", parameters={"stack": 10}, output=tmp_path / "run")
    ten = {"game": "pushfold", "parameters": {"stack": 10}}
    ranges = "push=22+, A2s+; call=QQ+"
    beaten = won(ranges, "nash", **ten)
    assert beaten < 0.0
    # The equilibrium as a name, a chart, a run, its folder; the game from any of them.
    assert won(ranges, chart) == won(ranges, chart, **ten) == pytest.approx(beaten, abs=1e-12)
    assert won(ranges, run) == won(ranges, tmp_path / "run") == pytest.approx(beaten, abs=0.01)
    assert won("hune", chart) == -won(chart, "hune")
    twelve = untilt.pushfold.chart(12)
    with pytest.raises(UntiltError, match="must play the same game"):
        untilt.match(chart, twelve, 2)
    # Where the game is given, both play at its stakes.
    assert won(twelve, twelve, **ten) == 0.0
    for agent in ("hune", ranges, chart):
        with pytest.raises(InvalidOption, match=r"kuhn"):
            untilt.match(agent, "call", 2, game="kuhn")
    with pytest.raises(InvalidOption, match="no agent says which game"):
        untilt.match("hune", "call", 2)
