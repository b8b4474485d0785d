"""The table of preflop match-ups: known sums, enumeration of boards, and a damaged file."""

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import suits as reference

from untilt.cards import equity, evaluate, mask_of, parse_cards, preflop_matrix
from untilt.cards.card import DECK, card_of, rank_of, suit_of
from untilt.cards.combos import COMBO_CARDS, COMBO_MASKS, NUM_COMBOS_OF_CLASS, class_index
from untilt.cards.equity import build_preflop
from untilt.cards.equity.build_preflop import DATA_FILE, build_matrix, build_rows
from untilt.cards.equity.match_up import board_ranks, count_match_up
from untilt.cards.equity.preflop_table import (
    NUM_BOARDS,
    NUM_MATCH_UPS,
    match_ups,
    pack_rows,
    unpack_rows,
)
from untilt.cards.evaluator.evaluator_tables import load_tables
from untilt.errors import FormatError


@pytest.fixture(scope="module")
def stored() -> Any:
    return unpack_rows(DATA_FILE.read_bytes())


def test_the_matrix_has_the_known_sums() -> None:
    matrix = preflop_matrix()
    assert matrix.pairs.sum() == 1326 * 1225
    assert matrix.wins.sum() == 1_334_125_369_292
    assert matrix.ties.sum() == 113_130_263_816


def test_every_board_of_every_pair_is_won_tied_or_lost() -> None:
    matrix = preflop_matrix()
    assert NUM_BOARDS == comb(48, 5) == 1_712_304
    assert np.array_equal(matrix.wins + matrix.ties + matrix.wins.T, matrix.pairs * NUM_BOARDS)
    assert np.array_equal(matrix.ties, matrix.ties.T)
    # Classes without a rank in common: every combo beside every combo.
    pairs = NUM_COMBOS_OF_CLASS[class_index("AKs")] * NUM_COMBOS_OF_CLASS[class_index("QJo")]
    assert matrix.pairs[class_index("AKs"), class_index("QJo")] == pairs == 48
    assert matrix.pairs[class_index("AA"), class_index("AA")] == 6


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("AA", "KK", 0.819461), ("AKs", "QQ", 0.460485), ("22", "AKo", 0.526492)],
)
def test_classes_have_their_known_equities(first: str, second: str, expected: float) -> None:
    matrix = preflop_matrix()
    cell = class_index(first), class_index(second)
    total = matrix.pairs[cell] * NUM_BOARDS
    assert (matrix.wins[cell] + matrix.ties[cell] / 2) / total == pytest.approx(expected, abs=5e-7)


@pytest.mark.long
def test_building_from_nothing_gives_the_file_and_the_matrix(
    stored: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = build_rows()
    assert np.array_equal(rows, stored)
    # It takes seconds: once is enough.
    monkeypatch.setattr(build_preflop, "build_rows", lambda: rows)
    for built, kept in zip(build_matrix(), preflop_matrix(), strict=True):
        assert np.array_equal(built, kept)


def test_the_file_is_small_and_packing_is_undone_by_unpacking(stored: Any) -> None:
    assert DATA_FILE.stat().st_size < 600_000
    assert stored.shape == (NUM_MATCH_UPS, 2)
    assert pack_rows(stored) == DATA_FILE.read_bytes()


@pytest.mark.parametrize("place", [0, 10, 24, 150_000, -1])
def test_a_changed_byte_of_the_file_is_noticed(place: int) -> None:
    data = bytearray(DATA_FILE.read_bytes())
    data[place] ^= 1
    with pytest.raises(FormatError, match="the table of preflop equities is damaged"):
        unpack_rows(bytes(data))
    with pytest.raises(FormatError, match="damaged"):
        unpack_rows(DATA_FILE.read_bytes()[:-1])


def test_rows_differ_by_more_than_suits_and_order() -> None:
    found = match_ups()
    assert len(found.first) == NUM_MATCH_UPS == 47_008

    def canonical(first: int, second: int) -> reference.Deal:
        deals = []
        for cards in ((first, second), (second, first)):
            row = [int(card) for combo in cards for card in COMBO_CARDS[combo]]
            deals.append(reference.canonical(reference.deal_of(row, (2, 2))))
        return min(deals)

    picked = np.random.default_rng(1).permutation(NUM_MATCH_UPS)[:3_000]
    rows = {canonical(int(found.first[row]), int(found.second[row])) for row in picked}
    assert len(rows) == len(picked)


def boards_won(first: str, second: str, dead: str = "") -> tuple[int, int]:
    """Return wins and ties of the first combo by ranking both hands on every board."""
    gone = parse_cards(first + second + dead)
    rest = np.array([card for card in DECK if card not in gone], dtype=np.uint64)
    places = np.array(list(combinations(range(len(rest)), 5)), dtype=np.int8)
    boards = np.bitwise_or.reduce((np.uint64(1) << rest)[places], axis=1)
    ranks = [evaluate(boards | np.uint64(mask_of(parse_cards(hand)))) for hand in (first, second)]
    return int((ranks[0] < ranks[1]).sum()), int((ranks[0] == ranks[1]).sum())


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("AsAh", "KdKc"),
        ("AsKs", "QsJs"),  # one suit for all
        ("7c2d", "7d2c"),
        *(
            pytest.param(*hands, marks=pytest.mark.long)
            for hands in (("AsAh", "AdAc"), ("AsKs", "AhKh"), ("5d4d", "Td9c"), ("JhTs", "9h8s"))
        ),
    ],
)
def test_ranking_every_board_gives_the_wins_and_ties_of_the_table(first: str, second: str) -> None:
    found = equity(first, second)
    assert found.method == "table"
    assert (found.wins[0], found.ties[0]) == boards_won(first, second)
    exchanged = equity(second, first)
    assert exchanged.wins == found.wins[::-1]
    assert exchanged.losses == found.losses[::-1]


@pytest.mark.parametrize("dead", ["2c", "AdAc", "KsQsJsTs9s", "2c3d4h5s6c7d8h9sTcJd"])
def test_counting_suits_agrees_with_ranking_every_board_left(dead: str) -> None:
    found = equity("AsAh", "KdKc", dead=dead)
    assert found.method == "exact"
    assert (found.wins[0], found.ties[0]) == boards_won("AsAh", "KdKc", dead)
    assert found.boards == comb(48 - len(dead) // 2, 5)
    assert found.wins[0] + found.ties[0] + found.losses[0] == found.boards


def test_counting_suits_agrees_with_the_table_on_random_match_ups(stored: Any) -> None:
    found = match_ups()
    tables, boards = load_tables(), board_ranks()
    for row in np.random.default_rng(2).integers(0, NUM_MATCH_UPS, 200):
        masks = COMBO_MASKS[found.first[row]], COMBO_MASKS[found.second[row]]
        counted = count_match_up(tables, boards, *masks, np.uint64(0))
        assert list(counted) == stored[row].tolist()


@given(
    st.lists(st.sampled_from(DECK), unique=True, min_size=4, max_size=4),
    st.permutations(range(4)),
)
def test_renaming_suits_changes_nothing(cards: list[int], suits: list[int]) -> None:
    other = [card_of(rank_of(card), suits[suit_of(card)]) for card in cards]
    assert equity(cards[:2], cards[2:]) == equity(other[:2], other[2:])
