"""Values of actions if both follow a blueprint: against all pairs of hands, and a slow walk."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.abstraction.buckets.tables import stored
from tests.play.blueprints import random_blueprint, thinking
from tests.play.test_resolving_agent import SMALL, at_river, followed

from untilt.abstraction.blueprint import Blueprint
from untilt.abstraction.blueprint_translation import BlueprintTranslation
from untilt.cards.card import parse_cards
from untilt.cards.combos import NUM_COMBOS, combo_index
from untilt.game.actions import action_data
from untilt.games.holdem.game import Holdem
from untilt.policy.thinking import rollout_values
from untilt.policy.thinking.blueprint_values import blueprint_values
from untilt.policy.thinking.public_hand import PublicHand
from untilt.policy.thinking.rollout_values import Outlooks
from untilt.policy.thinking.solved_street import compiled_subgame

__all__ = ["stored"]  # a fixture

OWN = tuple(parse_cards("AsKh"))
FEW = ("QcQd", "Jc8c")


@pytest.fixture(scope="module")
def translation(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> BlueprintTranslation:
    path = tmp_path_factory.mktemp("outlook") / "blueprint.bin"
    random_blueprint(path)
    return BlueprintTranslation(Blueprint(path))


def with_few_hands(hand: PublicHand) -> PublicHand:
    """Return the same hand with a narrow range of the player who is not to act."""
    weights = np.zeros(NUM_COMBOS)
    for number, text in enumerate(FEW, start=1):
        weights[combo_index(*parse_cards(text))] = number
    ranges = list(hand.ranges)
    ranges[1 - hand.betting.player] = weights / weights.sum()
    return replace(hand, ranges=(ranges[0], ranges[1]))


def walked(
    translation: BlueprintTranslation, position: Holdem, sight: Any, player: int, board: list[int]
) -> float:
    """Return the expected payoff of `player`, by walking positions of the real game."""
    if position.terminal:
        return position.payoff(player)
    if position.chance:
        count = position.num_dealt_next
        shown = len(position.board)
        after = position.apply(tuple(board[shown : shown + count]))
        if not after.terminal and not after.chance:
            sight = translation.after_deal(sight, after.betting)
        return walked(translation, after, sight, player, board)
    infoset = position.infoset(position.active)
    total = 0.0
    for action, number, share in translation.mix(infoset, sight):
        seen = translation.after_own(sight, position.betting, number, action)
        if seen is None:
            seen = translation.after_action(sight, position.betting, action)[0][0]
        total += share * walked(translation, position.apply(action), seen, player, board)
    return total


def test_on_the_river_the_mix_of_values_is_the_value_of_the_hand(
    translation: BlueprintTranslation,
) -> None:
    hand = at_river(thinking(translation, None))
    found = Outlooks(translation).at(hand, (OWN[0], OWN[1]))
    assert found.is_exact
    place = translation.bets.aligned(hand.sight, hand.betting)
    mix = translation.blueprint.row_at(place.node, (OWN[0], OWN[1]), hand.board)
    form = compiled_subgame(hand.board, hand.ranges, hand.betting, SMALL)
    seat = hand.betting.player
    values = blueprint_values(translation.blueprint, place, form, hand.betting, seat)
    expected = values[combo_index(*OWN)]
    assert float(mix @ list(found.values.values())) == pytest.approx(expected, rel=1e-3, abs=1e-2)


def turn(translation: BlueprintTranslation) -> PublicHand:
    early = "call", "check", "/Td9d6h", "check", "check", "/2c"
    return with_few_hands(followed(thinking(translation, None), *early))


def test_on_the_turn_all_cards_and_moves_are_counted(translation: BlueprintTranslation) -> None:
    hand = turn(translation)
    player = hand.betting.player
    found = Outlooks(translation).at(
        hand, (OWN[0], OWN[1]), more=[action_data("bet 3"), action_data("check")]
    )
    assert found.is_exact
    for name in ("check", "bet 3"):
        total = count = 0.0
        for text, weight in zip(FEW, (1, 2), strict=True):
            other = tuple(parse_cards(text))
            out = {*hand.board, *OWN, *other}
            hands = (OWN, other) if player == 0 else (other, OWN)
            position = Holdem(translation.blueprint.rules)
            position = position.apply((*hands[0], *hands[1]))
            for move in ("call", "check", hand.board[:3], "check", "check", hand.board[3:]):
                position = position.apply(move)
            action = action_data(name)
            seen = translation.after_action(hand.sight, hand.betting, action)
            sight = max(seen, key=lambda each: each[1])[0]
            after = position.apply(action)
            for card in set(range(64)) & set(translation.blueprint.rules.deck) - out:
                board = [*hand.board, card]
                total += weight * walked(translation, after, sight, player, board)
                count += weight
        assert found.values[name] == pytest.approx(total / count, abs=1e-6), name


def test_drawn_boards_give_the_same_values_within_their_error(
    translation: BlueprintTranslation, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand = turn(translation)
    own = OWN[0], OWN[1]
    exact = Outlooks(translation).at(hand, own)
    monkeypatch.setattr(rollout_values, "_COUNTED_CARDS", 0)
    monkeypatch.setattr(rollout_values, "_SMALL", 0.2)
    drawn = Outlooks(translation).at(hand, own, num_runouts=150)
    assert not drawn.is_exact
    assert drawn.num_runouts == 150
    best = max(drawn.values, key=drawn.values.__getitem__)
    for name, (behind, error) in drawn.behind.items():
        expected = exact.values[best] - exact.values[name]
        assert (error > 0.0) == (name != best)
        assert abs(behind - expected) <= 4.0 * error
    again = Outlooks(translation).at(hand, own, num_runouts=150)
    assert again.values == drawn.values


def test_folding_costs_what_is_in_the_pot(translation: BlueprintTranslation) -> None:
    hand = followed(thinking(translation, None), "raise 6")
    found = Outlooks(translation).at(hand, (OWN[0], OWN[1]), num_runouts=3)
    assert found.values["fold"] == pytest.approx(-2.0)
