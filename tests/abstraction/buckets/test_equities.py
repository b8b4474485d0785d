"""Equities on complete boards, and histograms over run-outs."""

import numpy as np
import pytest
from tests.reference.buckets import river_equity

from untilt.abstraction.buckets.board_rows import NUM_COLUMNS, NUM_ROWS, boards_of, row_tables
from untilt.abstraction.buckets.clustering import Bytes, width_of
from untilt.abstraction.buckets.histograms import count_preflop, fill_histograms, new_scratch
from untilt.abstraction.buckets.rivers import (
    MOST,
    ROW_LENGTH,
    equal_width,
    fill_rows,
    hand_equity,
    rank_board,
)
from untilt.abstraction.buckets.rivers import new_scratch as river_scratch
from untilt.cards import equity, equity_histograms
from untilt.cards.card import DECK, card_name, cards_name, cards_of, mask_of, parse_cards
from untilt.cards.combos import CLASS_OF_COMBO, COMBO_OF_CARDS
from untilt.cards.evaluator.evaluator_tables import load_tables
from untilt.cards.isomorphism import Isomorphism

BOARDS = ["2c3d4h5s7c", "TsJsQsKsAs", "AcAdAhAsKc", "Td9d6hQc2s", "8h8d3s3c3h", "4h9hJhKh2d"]


def row_of(board: str) -> dict[tuple[int, int], int]:
    """Return the equity of every hand on a board, by the sweep over all hands."""
    cards = parse_cards(board)
    scratch = river_scratch()
    rank_board(load_tables(), np.uint64(mask_of(cards)), scratch)
    live = sorted(card for card in DECK if card not in cards)
    pairs = [(live[low], live[high]) for high in range(len(live)) for low in range(high)]
    return dict(zip(pairs, scratch.equities.tolist(), strict=True))


@pytest.mark.parametrize("board", BOARDS)
def test_the_sweep_agrees_with_comparing_one_hand_with_all_others(board: str) -> None:
    mask = np.uint64(mask_of(parse_cards(board)))
    cards = np.zeros(64, dtype=np.uint8)
    for hand, expected in list(row_of(board).items())[::7]:
        hand_set = np.uint64(mask_of(hand))
        assert hand_equity(load_tables(), mask, hand_set, cards) == expected


def test_equities_agree_with_hands_ranked_from_the_rules() -> None:
    board = "Td9d6hQc2s"
    row = row_of(board)
    names = [board[place : place + 2] for place in range(0, 10, 2)]
    for hand in (("As", "Kh"), ("Jd", "8d"), ("2c", "2d")):
        cards = sorted(parse_cards("".join(hand)))
        assert row[cards[0], cards[1]] == river_equity(hand, names) * MOST


@pytest.mark.parametrize("board", BOARDS)
def test_equities_sum_to_half_of_everything(board: str) -> None:
    equities = list(row_of(board).values())
    assert sum(equities) == len(equities) * MOST // 2
    if board == "TsJsQsKsAs":
        assert set(equities) == {MOST // 2}


def test_levels_cut_the_equities_into_equal_parts() -> None:
    levels = equal_width(4)
    assert levels[[0, 494, 495, 989, 990, 1485, 1979, 1980]].tolist() == [0, 0, 1, 1, 2, 3, 3, 3]
    assert equal_width(MOST + 1).max() == MOST
    assert len(set(equal_width(MOST).tolist())) == MOST


def rivers_after(board: list[int], num_bins: int) -> Bytes:
    """Return the river table with those rows filled that can follow a board."""
    left = [card for card in DECK if card not in board]
    more = 5 - len(board)
    runouts = (
        [[card] for card in left]
        if more == 1
        else [[left[low], left[high]] for high in range(len(left)) for low in range(high)]
    )
    whole = np.array([[*board, *runout] for runout in runouts], dtype=np.uint8)
    rows = np.unique(Isomorphism((5,)).index_hands(whole))
    table = np.empty((NUM_ROWS[5], ROW_LENGTH), dtype=np.uint8)
    filled = np.empty((len(rows), ROW_LENGTH), dtype=np.uint8)
    masks = boards_of(5).masks[rows]
    levels = equal_width(num_bins)
    fill_rows(load_tables(), masks, levels, num_bins, river_scratch(), filled)
    table[rows] = filled
    return table


def cumulative(board: list[int], row: int, columns: list[int], num_bins: int) -> Bytes:
    size = len(board)
    cdfs = np.full((len(columns), width_of(num_bins)), 255, dtype=np.uint8)
    fill_histograms(
        row_tables(),
        rivers_after(board, num_bins),
        boards_of(size).masks[row : row + 1],
        np.array(columns, dtype=np.int16),
        np.array([0, len(columns)], dtype=np.int64),
        new_scratch(size, num_bins),
        cdfs,
    )
    return cdfs


@pytest.mark.parametrize(("size", "row"), [(3, 0), (3, 400), (3, 1700), (4, 77), (4, 12_345)])
@pytest.mark.parametrize("num_bins", [50, 64])
def test_histograms_of_all_hands_agree_with_counting_run_outs(
    size: int, row: int, num_bins: int
) -> None:
    board = cards_of(int(boards_of(size).masks[row]))
    cdfs = cumulative(board, row, list(range(NUM_COLUMNS[size])), num_bins)
    counted = equity_histograms("random", cards_name(board), num_bins)
    live = sorted(card for card in DECK if card not in board)
    pairs = [(live[low], live[high]) for high in range(len(live)) for low in range(high)]
    below = np.cumsum([counted[COMBO_OF_CARDS[pair]] for pair in pairs], axis=1)
    assert set(below[:, -1].tolist()) == {1081 if size == 3 else 46}
    exact = 255 * below / below[:, -1:]
    assert np.abs(cdfs[:, :num_bins] - exact).max() <= 0.5 + 1e-4
    assert (cdfs[:, num_bins:] == 255).all()


def test_preflop_histograms_count_every_board_of_every_hand() -> None:
    boards = boards_of(5)
    rows = slice(100_000, 100_040)
    masks, counts = boards.masks[rows].copy(), boards.counts[rows].copy()
    table = np.empty((len(masks), ROW_LENGTH), dtype=np.uint8)
    fill_rows(load_tables(), masks, equal_width(10), 10, river_scratch(), table)
    class_of_hand = CLASS_OF_COMBO[np.maximum(COMBO_OF_CARDS, 0)].astype(np.uint8)
    bins = np.zeros((169, 11), dtype=np.int64)
    count_preflop(table, masks, counts, class_of_hand, np.zeros(64, dtype=np.uint8), bins)
    expected = np.zeros((169, 11), dtype=np.int64)
    for mask, count in zip(masks.tolist(), counts.tolist(), strict=True):
        board = "".join(card_name(card) for card in cards_of(mask))
        for hand, value in row_of(board).items():
            expected[CLASS_OF_COMBO[COMBO_OF_CARDS[hand]], min(value * 10 // MOST, 9)] += count
    assert np.array_equal(bins, expected)


def test_an_equity_is_that_of_the_equity_command() -> None:
    cards = parse_cards("AsKh")
    found = row_of("Td9d6hQc2s")[min(cards), max(cards)] / MOST
    assert found == pytest.approx(equity("AsKh", "random", board="Td9d6hQc2s").equities[0])
