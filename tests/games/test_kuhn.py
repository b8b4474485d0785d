"""The rules of Kuhn poker, played by hand."""

import pytest

from untilt.errors import GameError
from untilt.games.kuhn import Kuhn

from .census import take_census
from .playing import play


@pytest.mark.parametrize(
    ("hand", "payoff"),
    [
        ("J Q check check", -1),
        ("K Q check check", 1),
        ("J K bet fold", 1),
        ("Q J bet call", 2),
        ("Q K bet call", -2),
        ("K J check bet fold", -1),
        ("K J check bet call", 2),
        ("J Q check bet call", -2),
    ],
)
def test_hands_pay_what_the_rules_say(hand: str, payoff: float) -> None:
    end = play(Kuhn(), hand)
    assert end.terminal
    assert end.payoff(0) == payoff
    assert end.payoff(1) == -payoff


def test_labels_and_actions_of_all_infosets() -> None:
    menus = {str(i): actions for i, actions in take_census(Kuhn()).actions_of_infoset.items()}
    assert menus == {
        f"P{player}:{card}:{line}": actions
        for card in "JQK"
        for player, line, actions in (
            (0, "", ("check", "bet")),
            (0, "cb", ("fold", "call")),
            (1, "c", ("check", "bet")),
            (1, "b", ("fold", "call")),
        )
    }


def test_the_second_card_differs_from_the_first() -> None:
    assert Kuhn().apply("Q").chances() == [("J", 0.5), ("K", 0.5)]


@pytest.mark.parametrize(
    ("hand", "move"),
    [("", "A"), ("Q", "Q"), ("Q K", "fold"), ("Q K bet", "check"), ("Q K bet call", "bet")],
)
def test_illegal_moves_are_refused(hand: str, move: str) -> None:
    with pytest.raises(GameError, match=f"'{move}' is not legal here"):
        play(Kuhn(), hand).apply(move)
