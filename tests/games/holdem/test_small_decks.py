"""Hold'em on a few cards, solved exactly, against numbers counted hand by hand."""

from itertools import combinations

import pytest

import untilt
from untilt.cards.card import DECK, rank_of, suit_of
from untilt.cards.hand import rank_hand
from untilt.games import holdem, river_of_blood
from untilt.games.holdem.game import Holdem

EIGHT_CARDS = [card for card in DECK if rank_of(card) >= 9 and suit_of(card) < 2]
"""Jacks to aces of clubs and diamonds."""


def compare(first: tuple[int, ...], second: tuple[int, ...], board: tuple[int, ...]) -> int:
    ranks = rank_hand((*first, *board)), rank_hand((*second, *board))
    return (ranks[0] < ranks[1]) - (ranks[0] > ranks[1])


def test_with_the_big_blind_all_in_each_hand_calls_if_that_loses_less_than_folding() -> None:
    total = 0.0
    hands = list(combinations(EIGHT_CARDS, 2))
    for own in hands:
        won, count = 0, 0
        for other in combinations([card for card in EIGHT_CARDS if card not in own], 2):
            left = [card for card in EIGHT_CARDS if card not in (*own, *other)]
            for board in combinations(left, 3):
                won += compare(own, other, board)
                count += 1
        total += max(-1.0, 2.0 * won / count)
    run = untilt.solve(holdem(stack=2, board="3", ranks=4, suits=2), "lp", save=False)
    assert run.value == pytest.approx(total / len(hands), abs=1e-9)


def test_three_chips_have_one_value_by_two_methods() -> None:
    game = holdem(stack=3, board="3", ranks=4, suits=2)
    exact = untilt.solve(game, "lp", save=False)
    learned = untilt.solve(game, "cfr+", target=1e-3, save=False)
    assert learned.value == pytest.approx(exact.value, abs=2e-3)
    assert exact.exploitability < 1e-9
    # The small blind may fold every hand, and the big blind may check and call with every hand.
    assert -1.0 <= exact.value < 1.0


def test_a_small_river_of_blood_runs_on_and_ends_with_the_deck() -> None:
    game: Holdem = river_of_blood(stack=3, board="2/1", ranks=4, suits=2)
    lengths = set()
    stack = [game]
    while stack:
        position = stack.pop()
        if position.terminal and position.betting.folded < 0:
            lengths.add(len(position.board))
            # The last card is red only if none is left.
            assert suit_of(position.board[-1]) == 0 or len(position.board) == 4
        elif position.chance:
            # Two deals of each kind are enough to see both colours.
            outcomes = [outcome for outcome, _ in position.chances()]
            stack += [position.apply(outcome) for outcome in (outcomes[0], outcomes[-1])]
        elif not position.terminal:
            stack.append(position.apply(position.betting.passive_actions()[-1]))
    assert lengths == {3, 4}
