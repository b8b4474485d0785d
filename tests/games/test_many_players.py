"""Games of three players and more against OpenSpiel's, and Gambit files of them."""

import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from tests.game.many_players import random_game

import untilt
from untilt.errors import FormatError, InvalidOption
from untilt.evaluation.best_response import evaluate
from untilt.formats.exchange.efg import write_efg
from untilt.formats.exchange.nfg import write_nfg
from untilt.game.compiled import CompiledGame, compile_histories
from untilt.game.histories.tree import TERMINAL, GameTree
from untilt.game.strategy.strategy import (
    Profile,
    profile_from_dict,
    random_profile,
    uniform_profile,
)
from untilt.games.efg import parse_efg
from untilt.games.nfg import parse_nfg

PAIRS: list[tuple[str, dict[str, Any], str]] = [
    ("kuhn", {"players": 3}, "kuhn_poker(players=3)"),
    ("kuhn", {"players": 4}, "kuhn_poker(players=4)"),
    ("leduc", {"players": 3}, "leduc_poker(players=3,suit_isomorphism=True)"),
    (
        "goofspiel",
        {"players": 3, "cards": 3},
        "turn_based_simultaneous_game(game=goofspiel(players=3,num_cards=3,imp_info=True,"
        "points_order=descending,returns_type=win_loss))",
    ),
]


@pytest.mark.parametrize(("name", "parameters", "theirs"), PAIRS)
def test_ends_and_infosets_are_those_of_openspiel(
    name: str, parameters: dict[str, Any], theirs: str
) -> None:
    pytest.importorskip("pyspiel")
    ours = untilt.games.compile(name, parameters=parameters)
    other = untilt.games.compile(f"openspiel:{theirs}")
    assert ours.num_infosets == other.num_infosets
    assert ours.num_action_variables == other.num_action_variables
    assert ours.num_terminals == other.num_terminals
    assert _ends(ours) == _ends(other)
    mine = evaluate(ours.plan_form(), uniform_profile(ours))
    found = evaluate(other.plan_form(), uniform_profile(other))
    assert mine.values == pytest.approx(found.values, abs=1e-12)
    assert mine.gains == pytest.approx(found.gains, abs=1e-12)


def test_liars_dice_of_three_players_is_between_the_bidder_and_the_accuser() -> None:
    position: Any = untilt.games.resolve("liars-dice", {"players": 3, "sides": 2}).game
    for roll in "121":
        position = position.apply(roll)
    position = position.apply("1-1").apply("3-1").apply("liar")
    assert position.terminal
    # Player 1 said that all three dice show 1 or the wild 2, which is true; player 2 doubted it.
    assert [position.payoff(player) for player in range(3)] == [0.0, 1.0, -1.0]
    game = untilt.games.compile("liars-dice", parameters={"players": 3, "sides": 2})
    assert game.is_zero_sum


def _ends(game: CompiledGame) -> Counter[tuple[float, ...]]:
    tree = game.require(GameTree)
    ends = tree.payoffs[tree.player == TERMINAL]
    return Counter(map(tuple, np.round(ends, 9).tolist()))


@pytest.mark.parametrize("seed", range(20))
def test_openspiel_measures_an_exported_strategy_alike(seed: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = compile_histories(random_game(seed, 3 + seed % 2, depth=4))
    # Their reader takes decimals only.
    text = re.sub(
        r"(-?\d+)/(\d+)",
        lambda share: f"{int(share[1]) / int(share[2]):.17g}",
        write_efg(game, "random"),
    )
    theirs = pyspiel.load_efg_game(text)
    profile = random_profile(game, np.random.default_rng(seed))
    policy = pyspiel.TabularPolicy(_policy_of(theirs, profile))
    found = evaluate(game.plan_form(), profile)
    assert found.nash_conv == pytest.approx(pyspiel.nash_conv(theirs, policy), abs=1e-9)


def _policy_of(theirs: Any, profile: Profile) -> dict[str, list[tuple[int, float]]]:
    policy: dict[str, list[tuple[int, float]]] = {}
    stack = [theirs.new_initial_state()]
    while stack:
        state = stack.pop()
        if state.is_terminal():
            continue
        moves = state.legal_actions()
        if not state.is_chance_node():
            # Their string is `0-0-1-` and the name of the infoset.
            label = state.information_state_string()
            played = profile[label.split("-", 3)[3]]
            policy[label] = [(move, played[state.action_to_string(move)]) for move in moves]
        stack += [state.child(move) for move in moves]
    return policy


@pytest.mark.parametrize("seed", range(10))
def test_a_tree_file_keeps_a_game_of_several_players(seed: int) -> None:
    game = compile_histories(random_game(seed, 3 + seed % 3, depth=4))
    again = compile_histories(parse_efg(write_efg(game, "random")))
    assert again.num_players == game.num_players
    assert [dict(names.items()) for names in again.infosets] == [
        dict(names.items()) for names in game.infosets
    ]
    plain = random_profile(game, np.random.default_rng(seed)).to_dict()
    found, expected = (
        evaluate(each.plan_form(), profile_from_dict(each, plain)) for each in (again, game)
    )
    assert found.values == pytest.approx(expected.values, abs=1e-12)
    assert found.gains == pytest.approx(expected.gains, abs=1e-12)


THREE = """NFG 1 R "three" { "Ann" "Bob" "Cy" } { 2 2 2 }
1 2 3  4 5 6  7 8 9  10 11 12  13 14 15  16 17 18  19 20 21  22 23 24
"""


def test_a_table_file_of_three_players_is_read_first_player_fastest() -> None:
    root = parse_nfg(THREE)
    assert root.num_players == 3
    assert root.terms.seats == ("Ann", "Bob", "Cy")
    position: Any = root.apply("2").apply("1").apply("2")
    assert [position.payoff(player) for player in range(3)] == [16.0, 17.0, 18.0]
    game = compile_histories(root)
    again = compile_histories(parse_nfg(write_nfg(game, "three")))
    assert again == game
    assert not game.is_zero_sum


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (THREE.replace("{ 2 2 2 }", "{ 2 2 }"), "strategies of 2 players, of 3 are needed"),
        (THREE.replace(" 24", ""), "expected a payoff, found the end of the file"),
    ],
)
def test_a_table_file_that_mixes_numbers_of_players_is_refused(text: str, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        parse_nfg(text)


def test_a_tree_file_with_payoffs_for_two_of_three_players_is_refused() -> None:
    with pytest.raises(FormatError, match="2 payoffs for 3 players"):
        parse_efg('EFG 2 R "" { "a" "b" "c" } t "" 1 "" { 1 2 }')
    with pytest.raises(FormatError, match="player 4 does not exist; use 1 to 3"):
        parse_efg('EFG 2 R "" { "a" "b" "c" } p "" 4 1 "" { "x" } 0 t "" 1 "" { 1 2 3 }')


@pytest.mark.parametrize(
    ("name", "parameters", "words"),
    [
        ("kuhn", {"players": 1}, "players=1; allowed: an integer from 2 to 8"),
        ("kuhn", {"players": 3, "cards": 14}, "cards=14; allowed: an integer from 3 to 13"),
        ("leduc", {"players": 7}, "players=7; allowed"),
        ("leduc", {"players": 5, "ranks": 1}, "ranks=1; allowed"),
        ("goofspiel", {"players": 9}, "players=9; allowed"),
        ("liars-dice", {"players": 0}, "players=0; allowed"),
    ],
)
def test_numbers_of_players_out_of_range_are_refused(
    name: str, parameters: dict[str, Any], words: str
) -> None:
    with pytest.raises(InvalidOption, match=words):
        untilt.games.resolve(name, parameters)
