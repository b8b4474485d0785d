"""Classes of hands: against the rules on many boards, and cases that anybody can check."""

import random

import numpy as np
import pytest
from tests.reference.hand_classes import all_hands, draws_of, made_hand
from tests.reference.hands import DECK

from untilt.cards.card import parse_cards
from untilt.cards.combos import NUM_COMBOS, combo_index
from untilt.cards.made_hands import BLOCKED, DRAWS, MADE, hand_classes
from untilt.errors import CardError


def classes(hand: str, board: str) -> tuple[str, set[str]]:
    made, draws = hand_classes(parse_cards(board))
    combo = combo_index(*parse_cards(hand))
    return MADE[made[combo]], {
        name for name, has in zip(DRAWS, draws[:, combo], strict=True) if has
    }


@pytest.mark.parametrize(
    ("hand", "board", "made", "draws"),
    [
        ("AsAh", "Td9d6h", "overpair", set()),
        ("TsTh", "Td9d6h", "set", set()),
        ("Ts9s", "Td9d6h", "two pair", set()),
        ("AdTs", "Td9d6h", "top pair", {"backdoor flush"}),
        ("8s7s", "Td9d6h", "straight", set()),
        ("AdKd", "Td9d6h", "ace high", {"flush draw"}),
        ("QsJs", "Td9d6h", "air", {"open-ended"}),
        ("8h5h", "Td9d6h", "air", {"gutshot", "backdoor flush"}),
        ("7s7h", "Td9d6h", "underpair", {"gutshot"}),
        ("6s5s", "Td9d6h", "low pair", set()),
        ("AsKs", "2c2d2h3c", "ace high", set()),  # the board's three are nobody's
        ("2s7h", "2c2d9h3c", "trips", set()),
        ("5c4c", "AdKd3s2h", "straight", set()),
        ("Ah2h", "KdKsQc7d2s", "low pair", set()),
        ("3d2d", "AsKsQsJsTs", "straight flush", set()),
    ],
)
def test_a_hand_is_what_players_call_it(hand: str, board: str, made: str, draws: set[str]) -> None:
    assert classes(hand, board) == (made, draws)


@pytest.mark.parametrize("seed", range(12))
def test_every_hand_is_classed_as_by_the_rules(seed: int) -> None:
    deck = random.Random(seed)
    board = deck.sample(DECK, 3 + seed % 3)
    if seed >= 9:  # boards on which a straight or a flush is near
        board = [["9h", "8h", "7h"], ["Ah", "5c", "4d", "2s"], ["Kd", "Kh", "Qd", "Jd", "Td"]][
            seed - 9
        ]
    made, draws = hand_classes(parse_cards("".join(board)))
    hands = all_hands(board)
    assert np.count_nonzero(made != BLOCKED) == len(hands)
    for hand in deck.sample(hands, 300):
        combo = combo_index(*parse_cards("".join(hand)))
        assert MADE[made[combo]] == made_hand(hand, board), (hand, board)
        found = {name for name, has in zip(DRAWS, draws[:, combo], strict=True) if has}
        assert found == draws_of(hand, board), (hand, board)


def test_classes_partition_the_hands_and_do_not_depend_on_the_order_of_the_board() -> None:
    made, draws = hand_classes(parse_cards("Td9d6h"))
    assert made.shape == (NUM_COMBOS,)
    assert draws.shape == (len(DRAWS), NUM_COMBOS)
    again = hand_classes(parse_cards("6hTd9d"))
    assert (made == again[0]).all()
    assert (draws == again[1]).all()
    assert not draws[:, made == BLOCKED].any()
    # 3 × 3 × 3 hands pair two of the board, 3 × 3 are sets, 4 × 4 make 8–7.
    counts = np.bincount(made[made != BLOCKED], minlength=len(MADE))
    assert [int(counts[MADE.index(name)]) for name in ("two pair", "set", "straight")] == [
        27,
        9,
        16,
    ]


def test_no_hand_draws_on_the_river() -> None:
    assert not hand_classes(parse_cards("Td9d6hQc2s"))[1].any()


@pytest.mark.parametrize("board", ["", "Td9d", "Td9d6hQc2s3s"])
def test_other_boards_are_refused(board: str) -> None:
    with pytest.raises(CardError, match="3, 4 or 5 cards"):
        hand_classes(parse_cards(board))
