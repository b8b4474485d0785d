"""The rules of liar's dice, played by hand, and its value."""

from fractions import Fraction

import pytest

import untilt
from untilt.errors import GameError, InvalidOption
from untilt.games import liars_dice

from .playing import play


@pytest.mark.parametrize(
    ("hand", "winner"),
    [
        ("1 1 2-1 liar", 0),
        ("1 2 2-1 liar", 1),
        ("1 4 2-1 liar", 0),  # the highest face counts as every face
        ("1 4 1-3 2-3 liar", 0),
        ("3 4 1-3 2-3 liar", 1),
        ("1 2 1-4 liar", 1),
    ],
)
def test_the_bidder_wins_if_the_bid_is_true(hand: str, winner: int) -> None:
    end = play(liars_dice(), hand)
    assert end.terminal
    assert (end.payoff(winner), end.payoff(1 - winner)) == (1.0, -1.0)


def test_rolls_of_several_dice_have_the_probabilities_of_their_orders() -> None:
    rolls = dict(liars_dice(dice=3, sides=2).chances())
    assert rolls == {"111": 1 / 8, "112": 3 / 8, "122": 3 / 8, "222": 1 / 8}
    assert str(play(liars_dice(2, 6), "26 13").infoset(0)) == "P0:26:"


def test_bids_rise_by_quantity_and_then_by_face() -> None:
    actions = play(liars_dice(), "1 1 1-3").infoset(1).actions()
    assert actions == ("1-4", "2-1", "2-2", "2-3", "2-4", "liar")
    assert play(liars_dice(), "1 1 2-4").infoset(1).actions() == ("liar",)


@pytest.mark.long
def test_the_usual_dice_are_worth_minus_seven_258ths() -> None:
    assert untilt.solve(liars_dice(sides=6), "lp", save=False).value == pytest.approx(
        float(Fraction(-7, 258)), abs=1e-9
    )


@pytest.mark.parametrize(("dice", "sides"), [(0, 6), (6, 6), (1, 1), (1, 10), (True, 6)])
def test_bad_parameters_are_refused(dice: int, sides: int) -> None:
    with pytest.raises(InvalidOption, match="allowed: "):
        liars_dice(dice, sides)


@pytest.mark.parametrize(("hand", "move"), [("", "5"), ("1 1", "liar"), ("1 1 2-1", "1-4")])
def test_illegal_moves_are_refused(hand: str, move: str) -> None:
    with pytest.raises(GameError, match=f"'{move}' is not legal here"):
        play(liars_dice(), hand).apply(move)
