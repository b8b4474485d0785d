"""The rules of Goofspiel, played by hand."""

import pytest

from untilt.errors import GameError, InvalidOption
from untilt.games import goofspiel

from .census import take_census
from .playing import play


@pytest.mark.parametrize(
    ("bids", "points", "win"),
    [
        # Prizes 3, 2, 1; player 0 bids first.
        ("3 1 2 3 1 2", 3 - 2 - 1, 0),
        ("3 2 1 1 2 3", 3 - 1, 1),  # the second prize ties and is lost
        ("1 2 2 3 3 1", -3 - 2 + 1, -1),
    ],
)
def test_hands_pay_what_the_rules_say(bids: str, points: int, win: int) -> None:
    for kind, gain in (("difference", points), ("win", win)):
        end = play(goofspiel(3, points=kind), bids)  # type: ignore[arg-type]
        assert end.terminal
        assert (end.payoff(0), end.payoff(1)) == (gain, -gain)


def test_players_learn_who_won_but_not_with_which_card() -> None:
    limited, full = (
        play(goofspiel(4, information=kind), "4 1 2 3") for kind in ("limited", "full")
    )
    assert str(limited.infoset(0)) == "P0:4,2:4,3,2:01"
    assert str(limited.infoset(1)) == "P1:1,3:4,3,2:01"
    assert str(full.infoset(0)) == "P0:4,2:4,3,2:0(1)1(3)"
    assert limited.infoset(0).actions() == ("1", "3")


def test_player_1_does_not_see_the_bid_of_the_present_prize() -> None:
    root = goofspiel(3)
    assert len({root.apply(card).infoset(1) for card in "123"}) == 1


def test_random_prizes_are_drawn_from_those_left() -> None:
    root = goofspiel(3, order="random")
    assert root.chances() == [(card, 1 / 3) for card in "123"]
    later = play(root, "2 1 3")
    assert later.chance
    assert [prize for prize, _ in later.chances()] == ["1", "3"]


def test_all_cards_but_the_last_are_choices() -> None:
    census = take_census(goofspiel(3))
    assert {len(actions) for actions in census.choices.values()} == {2, 3}
    assert census.infosets < len(census.actions_of_infoset)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cards": 1}, "cards=1; allowed: an integer from 2 to 13"),
        ({"order": "sideways"}, "order='sideways'; allowed: descending, ascending, random"),
        ({"information": "none"}, "allowed: limited, full"),
        ({"points": "double"}, "allowed: win, difference"),
    ],
)
def test_bad_parameters_are_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        goofspiel(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(("hand", "move"), [("", "5"), ("4", "0"), ("4 1", "4")])
def test_illegal_moves_are_refused(hand: str, move: str) -> None:
    with pytest.raises(GameError, match=f"'{move}' is not legal here"):
        play(goofspiel(), hand).apply(move)
