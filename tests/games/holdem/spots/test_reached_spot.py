"""Spots that a policy reaches: its ranges, the pot and the stacks there."""

from pathlib import Path

import numpy as np
import pytest
from tests.abstraction.buckets.tables import stored
from tests.play.blueprints import random_blueprint

from untilt.abstraction import Translation, abstract, capped_bets, hand_class, pot_fractions, street
from untilt.cards.card import mask_of, parse_cards
from untilt.cards.combos import blocked_combos
from untilt.errors import InvalidOption
from untilt.exploitation.exploit import exploit
from untilt.games import holdem
from untilt.games.holdem.spots.reached_spot import Reaching
from untilt.games.holdem.spots.spot import Spot
from untilt.policy.blueprint import BlueprintPolicy
from untilt.policy.code import as_policy
from untilt.policy.nodes.public_state import follow
from untilt.policy.policy import Policy
from untilt.policy.simple import always_call, always_fold
from untilt.policy.spot import SpotPolicy
from untilt.policy.translated import translated_policy
from untilt.runs.solve import solve

__all__ = ["stored"]  # a fixture

RULES = holdem(stack=40).rules
BOARD = "Ks7h2d"


@pytest.fixture(scope="module")
def trained() -> Policy:
    root = holdem(stack=40)
    game = abstract(root, street * hand_class, capped_bets(pot_fractions(1.0, all_in=True), 2))
    run = solve(game, "es-linear", iterations=3_000, save=False)
    return translated_policy("trained", Translation(game, run.profile))


def test_the_ranges_are_those_that_get_there_and_the_big_blind_acts_first(trained: Policy) -> None:
    spot = Spot.from_policy(trained, "raise 3bb, call", BOARD)
    board = tuple(parse_cards(BOARD))
    state = follow(trained, RULES, "r6c/", board)
    assert (spot.pot, spot.stack, spot.bb) == (12, 34, 2)
    for player, seat in ((0, 1), (1, 0)):
        reach = state.reach[seat]
        found = spot.ranges[player].weights
        live = ~blocked_combos(mask_of(board))
        np.testing.assert_allclose(found[live], (reach / reach.max())[live])
    assert not np.allclose(spot.ranges[0].weights, spot.ranges[1].weights)


def test_later_streets_follow_without_signs_of_their_ends(trained: Policy) -> None:
    early = Spot.from_policy(trained, "call, check, check, check", "Ks7h2d3c")
    late = Spot.from_policy(trained, "cc/cc/", "Ks7h2d3c")
    assert early == late
    assert early.street == "turn"
    assert early.pot == 4


def test_arguments_replace_what_was_found() -> None:
    spot = Spot.from_policy(always_call(), "cc/", BOARD, rules=RULES, pot=20, ranges=("AA", "KK"))
    assert spot.pot == 20
    assert len(spot.combos(0)) == 6


@pytest.mark.parametrize(
    ("line", "board", "message"),
    [
        ("raise 6", BOARD, "does not lead to the beginning of a street"),
        ("raise 6, call, check", BOARD, "does not lead to the beginning of a street"),
        ("call, check", "Ks7h", "does not lead to the beginning of a street"),
        ("call, check", "Ks7h2d3c", "leads to the flop, where 3 lie"),
        ("fold, call", BOARD, "the hand is over before 'call'"),
        ("raise 3, call", BOARD, "'raise 3' in 'raise 3, call' is not possible there: give fold"),
        ("raise 2.25bb, call", BOARD, "is not possible there"),
        ("all-in 40, call", BOARD, "does not lead to the beginning"),
    ],
)
def test_lines_that_lead_to_no_street_are_refused(line: str, board: str, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        Spot.from_policy(always_call(), line, board, rules=RULES)


def test_a_line_that_is_never_played_is_refused() -> None:
    with pytest.raises(InvalidOption, match="the small blind never plays 'call, check'"):
        Spot.from_policy(always_fold(), "call, check", BOARD, rules=RULES)
    with pytest.raises(InvalidOption, match="does not say what it does with other hands"):
        Spot.from_policy(as_policy(lambda label: "call"), "cc/", BOARD, rules=RULES)


@pytest.mark.parametrize("given", ["text", "path", "blueprint", "policy"])
def test_a_blueprint_is_given_in_any_form(given: str, stored: Path, tmp_path: Path) -> None:
    path = tmp_path / "blueprint.bin"
    blueprint = random_blueprint(path)
    forms: dict[str, Reaching] = {
        "text": str(path),
        "path": path,
        "blueprint": blueprint,
        "policy": BlueprintPolicy(path),
    }
    spot = Spot.from_policy(forms[given], "raise 3bb, call", BOARD)
    assert spot == Spot.from_policy(BlueprintPolicy(blueprint), "raise 6, call", BOARD)


def test_what_plays_any_game_needs_the_rules() -> None:
    found = Spot.from_policy("call", "call, check", BOARD, rules=RULES)
    assert found == Spot.from_policy(always_call(), "call, check", BOARD, rules=RULES)
    with pytest.raises(InvalidOption, match="call plays any game"):
        Spot.from_policy("call", "call, check", BOARD)
    with pytest.raises(InvalidOption, match="the rules"):
        Spot.from_policy(always_call(), "call, check", BOARD)


def test_a_solved_spot_says_how_to_solve_its_streets() -> None:
    solution = solve(Spot("2c2d2h3c3d", ("AA, QQ", "KK"), 100, 100), iterations=5, save=False)
    with pytest.raises(InvalidOption, match="is a solved spot, which does not play hands"):
        Spot.from_policy(SpotPolicy(solution), "call, check", BOARD)
    with pytest.raises(InvalidOption, match="deals is for whole hands; leave it out"):
        exploit(solution, 2)
