"""Strategies to and from OpenSpiel: the same exploitability there, and the same strategy back."""

import sys
from typing import Any

import pytest

import untilt
from untilt.errors import GameError, InvalidOption, StrategyError

pyspiel: Any = pytest.importorskip("pyspiel")


@pytest.mark.parametrize(
    ("game", "parameters", "infosets"),
    [
        ("kuhn", {}, 12),
        ("leduc", {}, 936),
        ("leduc", {"suits": "distinguished"}, 936),
        ("openspiel:leduc_poker(suit_isomorphism=True)", {}, 288),
    ],
)
def test_a_policy_is_as_exploitable_there_and_comes_back(
    game: str, parameters: dict[str, Any], infosets: int
) -> None:
    run = untilt.solve(game, "cfr+", parameters=parameters, iterations=50, save=False)
    policy = untilt.openspiel.policy(run)
    theirs = untilt.openspiel.game(run)
    assert len(policy.policy_table()) == infosets
    assert pyspiel.nash_conv(theirs, policy) == pytest.approx(run.nash_conv, abs=1e-12)
    back = untilt.openspiel.profile(policy, game, parameters)
    assert untilt.strategies.distance(run.game, back, run).largest < 1e-12
    found = untilt.openspiel.policy(run, untilt.strategies.uniform(run.game))
    uniform = pyspiel.UniformRandomPolicy(theirs)
    assert pyspiel.nash_conv(theirs, found) == pytest.approx(pyspiel.nash_conv(theirs, uniform))


def test_policies_of_open_spiels_python_are_taken_too() -> None:
    policies = pytest.importorskip("open_spiel.python.policy")
    tabular = policies.TabularPolicy(pyspiel.load_game("kuhn_poker"))
    assert untilt.openspiel.profile(tabular, "kuhn") == untilt.strategies.uniform("kuhn")


def test_a_policy_that_tells_suits_apart_needs_suits() -> None:
    theirs = pyspiel.load_game("leduc_poker")
    policy = pyspiel.GetRandomPolicy(theirs, 1)
    with pytest.raises(StrategyError, match="plays suits differently"):
        untilt.openspiel.profile(policy, "leduc")
    found = untilt.openspiel.profile(policy, "leduc", {"suits": "distinguished"})
    game = untilt.games.compile("leduc", parameters={"suits": "distinguished"})
    measured = untilt.evaluate(game, found)
    assert measured.nash_conv == pytest.approx(pyspiel.nash_conv(theirs, policy), abs=1e-12)


def test_games_that_differ_are_refused() -> None:
    others: list[tuple[str, dict[str, Any]]] = [
        ("kuhn", {"cards": 4}),
        ("leduc", {"bets": 3}),
        ("leduc", {"ranks": 4}),
    ]
    for game, parameters in others:
        run = untilt.solve(game, "cfr", parameters=parameters, iterations=2, save=False)
        with pytest.raises(GameError):
            untilt.openspiel.policy(run)
    pennies = untilt.solve("matching-pennies", "cfr", iterations=2, save=False)
    with pytest.raises(InvalidOption, match="no twin in OpenSpiel"):
        untilt.openspiel.policy(pennies)


@pytest.mark.parametrize("junk", [None, 5, "nonsense", [], object()])
def test_anything_else_is_refused(junk: Any) -> None:
    for use in (untilt.openspiel.policy, untilt.openspiel.game):
        with pytest.raises(untilt.UntiltError):
            use(junk)
    with pytest.raises(untilt.UntiltError):
        untilt.openspiel.profile(junk, "kuhn")


def test_without_openspiel_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(InvalidOption, match=r"pip install 'untilt\[openspiel\]'"):
        untilt.openspiel.game("kuhn")


@pytest.mark.parametrize(
    ("name", "iterations"), [("kuhn", 300), pytest.param("leduc", 10, marks=pytest.mark.long)]
)
def test_strategies_of_three_players_have_the_same_exploitability_there(
    name: str, iterations: int
) -> None:
    parameters = {"players": 3}
    run = untilt.solve(name, "cfr+", parameters=parameters, iterations=iterations, save=False)
    policy = untilt.openspiel.policy(run)
    theirs = pyspiel.nash_conv(untilt.openspiel.game(run), policy)
    assert theirs == pytest.approx(run.nash_conv, abs=1e-9)
    back = untilt.openspiel.profile(policy, name, parameters)
    assert untilt.strategies.distance(run.game, run.profile, back).largest < 1e-12


@pytest.mark.long
def test_three_players_who_tell_suits_apart_come_back() -> None:
    parameters = {"players": 3, "suits": "distinguished"}
    run = untilt.solve("leduc", "cfr+", parameters=parameters, iterations=3, save=False)
    policy = untilt.openspiel.policy(run)
    assert len(policy.policy_table()) == 25_800
    theirs = untilt.openspiel.game(run)
    assert (theirs.num_players(), theirs.get_parameters()["suit_isomorphism"]) == (3, False)
    back = untilt.openspiel.profile(policy, "leduc", parameters)
    assert untilt.strategies.distance(run.game, run.profile, back).largest < 1e-12
