"""`equities` as a state abstraction of hold'em and River of Blood."""

import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.abstraction.buckets.tables import made_up, scattered
from tests.reference.buckets import river_equity
from tests.reference.hands import DECK as NAMES

from untilt.abstraction import equities, street
from untilt.abstraction.buckets.equity_states import EquityBuckets
from untilt.abstraction.buckets.long_boards import equity_on
from untilt.abstraction.buckets.recipe import FLOP, PREFLOP, TURN, BucketRecipe
from untilt.abstraction.buckets.store import path_of, write_table
from untilt.cards import parse_cards
from untilt.errors import GameError, InvalidOption


def infoset(hand: str, board: str = "") -> SimpleNamespace:
    return SimpleNamespace(hand=tuple(parse_cards(hand)), board=tuple(parse_cards(board)))


def test_the_entries_are_for_no_board_and_then_each_number_of_cards(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("UNTILT_CACHE_DIR", str(tmp_path))
    for number, count in ((PREFLOP, 8), (FLOP, 40), (TURN, 30)):
        recipe = BucketRecipe(number, count, bins=50, iterations=30)
        write_table(path_of(recipe), made_up(recipe))
    cards = equities((8, 40, 30, 20, 10))
    assert cards(infoset("AsAh")) == scattered(PREFLOP, 8)[0, 0]
    assert 0 <= cards(infoset("AsKh", "Td9d6h")) < 40  # type: ignore[operator]
    assert cards(infoset("AsKs", "QsJsTs2d3c")) == 19
    assert cards(infoset("AsKs", "QsJsTs2d3c4h")) == 9
    assert cards(infoset("AsKs", "QsJsTs2d3c4h5h6d")) == 9
    for board in ("QsJsTs2d3c", "QsJsTs2d3c4h", "QsJsTs2d3c4h5h"):
        count = 20 if len(board) == 10 else 10
        exact = equity_on(parse_cards("9h8d"), parse_cards(board))
        assert cards(infoset("9h8d", board)) == min(int(exact * count), count - 1)


def test_equities_on_long_boards_agree_with_hands_ranked_from_the_rules() -> None:
    board, hand = NAMES[0:30:5], ("Ks", "Kd")
    assert not set(board) & set(hand)
    exact = river_equity(hand, board)
    found = equity_on(parse_cards("".join(hand)), parse_cards("".join(board)))
    assert Fraction(found).limit_denominator(10**6) == exact


def test_a_hand_is_looked_up_once_per_board() -> None:
    read = EquityBuckets((8, 40, 40, 40), 50, 30)
    calls = []
    read._bucket = lambda hand, board: calls.append((hand, board)) or 5  # type: ignore
    for _ in range(3):
        assert read(infoset("AsKh", "Td9d6h")) == 5
    assert read(infoset("AsKh", "Td9d6h2c")) == 5
    assert len(calls) == 2


def test_equal_arguments_make_equal_abstractions() -> None:
    assert equities((8, 40)) * street == street * equities([8, 40], dimension=50)
    assert equities((8, 40)) != equities((8, 40), dimension=40)
    assert str(equities((8, 40))) == "equities((8, 40), dimension=50, maxiter=30)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((),), "give numbers of buckets"),
        ((8,), "equities(8): give numbers of buckets for no board, 3, 4, 5, … cards"),
        (((8, 2.5),), "give numbers of buckets"),
        (((8, 0),), "flop is 0; use an integer from 1 to 65,536"),
        (((400, 8),), "preflop is 400; use an integer from 1 to 169"),
        (((8, 8, 8, 8, 0),), "river is 0; use an integer from 1 to 1,981"),
        (((8,), 1), "dimension is 1; use an integer from 2 to 250"),
        (((8,), 50, 0), "maxiter is 0; use an integer from 1 to 10,000"),
    ],
)
def test_wrong_arguments_are_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(InvalidOption) as error:
        equities(*arguments)  # type: ignore[arg-type]
    assert message in str(error.value)


def test_a_board_of_two_cards_is_refused() -> None:
    with pytest.raises(GameError, match="does not know boards of 2 cards"):
        equities((8, 8))(infoset("AsKh", "Td9d"))


def test_writing_the_abstraction_down_compiles_nothing() -> None:

    code = (
        "import sys; from untilt.abstraction import equities, street\n"
        "equities((8, 40)) * street; print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
