"""Rows and columns: every class of hands has its place, and equivalent hands share it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilt.abstraction.buckets.board_rows import (
    NUM_COLUMNS,
    NUM_ROWS,
    boards_of,
    locate,
    row_tables,
)
from untilt.abstraction.buckets.histograms import list_equivalents, new_scratch
from untilt.abstraction.buckets.recipe import FLOP, TURN
from untilt.cards.card import DECK, cards_of
from untilt.cards.isomorphism import Isomorphism
from untilt.cards.suits import RENAMINGS


def places(boards: list[list[int]], hands: list[list[int]]) -> list[tuple[int, int]]:
    masks = np.array([sum(1 << card for card in board) for board in boards], dtype=np.uint64)
    rows, columns = (np.empty(len(boards), dtype=np.int64) for _ in range(2))
    locate(row_tables(), masks, np.array(hands, dtype=np.uint8), rows, columns)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def test_boards_up_to_renaming_suits_stand_for_all_boards() -> None:
    for size, total in ((3, 22_100), (4, 270_725), (5, 2_598_960)):
        boards = boards_of(size)
        assert len(boards.masks) == NUM_ROWS[size]
        assert boards.counts.sum() == total


@pytest.mark.parametrize("size", [3, 4, 5])
def test_the_row_of_a_board_is_its_isomorphic_index(size: int) -> None:
    rng = np.random.default_rng(size)
    cards = np.array([rng.permutation(DECK)[: size + 2] for _ in range(2000)], dtype=np.uint8)
    found = places(cards[:, :size].tolist(), cards[:, size:].tolist())
    expected = Isomorphism((size,)).index_hands(np.ascontiguousarray(cards[:, :size]))
    assert [row for row, _ in found] == expected.tolist()


@pytest.mark.parametrize("size", [3, 4, 5])
def test_pairs_of_live_cards_of_a_canonical_board_are_its_columns_in_order(size: int) -> None:
    for row in (0, 7, NUM_ROWS[size] // 2, NUM_ROWS[size] - 1):
        board = cards_of(int(boards_of(size).masks[row]))
        live = sorted(card for card in DECK if card not in board)
        pairs = [[live[low], live[high]] for high in range(len(live)) for low in range(high)]
        assert places([board] * len(pairs), pairs) == [
            (row, column) for column in range(NUM_COLUMNS[size])
        ]


@given(st.permutations(DECK), st.sampled_from([3, 4, 5]), st.sampled_from(RENAMINGS))
def test_renaming_suits_leads_to_an_equivalent_hand(
    deck: list[int], size: int, renaming: tuple[int, ...]
) -> None:
    board, hand = deck[:size], deck[size : size + 2]
    other = [card & 15 | renaming[card >> 4] << 4 for card in (*board, *hand)]
    (row, column), (new_row, new_column) = places([board, other[:size]], [hand, other[size:]])
    assert row == new_row
    if size < 5:
        equivalents = np.empty((1, NUM_COLUMNS[size]), dtype=np.int16)
        list_equivalents(boards_of(size).masks[row : row + 1], new_scratch(size, 1), equivalents)
        assert equivalents[0, column] == equivalents[0, new_column]


def classes(size: int, rows: slice) -> tuple[int, int]:
    """Return how many classes the boards hold by our columns, and by the isomorphic index.

    Fails unless both group the hands in the same way.
    """
    masks = boards_of(size).masks[rows]
    equivalents = np.empty((len(masks), NUM_COLUMNS[size]), dtype=np.int16)
    list_equivalents(masks, new_scratch(size, 1), equivalents)
    index = Isomorphism((2, size))
    numbers = []
    for mask in masks.tolist():
        board = cards_of(mask)
        live = np.array(sorted(card for card in DECK if card not in board), dtype=np.uint8)
        high, low = np.tril_indices(len(live), -1)
        hands = np.empty((len(high), 2 + size), dtype=np.uint8)
        hands[:, 0], hands[:, 1], hands[:, 2:] = live[low], live[high], board
        numbers.append(index.index_hands(hands))
    indices = np.array(numbers)
    assert (np.take_along_axis(indices, equivalents.astype(np.int64), axis=1) == indices).all()
    ours = int((equivalents == np.arange(NUM_COLUMNS[size])).sum())
    # `unique` would take far longer than all the rest.
    is_met = np.zeros(index.size, dtype=np.bool_)
    is_met[indices] = True
    return ours, int(is_met.sum())


def test_every_flop_class_has_one_place_and_all_its_hands_agree() -> None:
    assert classes(FLOP, slice(None)) == (1_286_792, 1_286_792)
    assert Isomorphism((2, 3)).size == 1_286_792


def test_turn_classes_of_some_boards_have_one_place() -> None:
    ours, expected = classes(TURN, slice(0, None, 400))
    assert ours == expected


@pytest.mark.long
def test_every_turn_class_has_one_place_and_all_its_hands_agree() -> None:
    assert classes(TURN, slice(None)) == (13_960_050, 13_960_050)
