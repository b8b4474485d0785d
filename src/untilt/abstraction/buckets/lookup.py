"""Looking up buckets: one hand, or many hands on all boards of a deal at once."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.abstraction.buckets.board_rows import (
    UNCHANGED,
    RowTables,
    canonical,
    column_of,
    live_place,
    renamed_board,
)
from untilt.abstraction.buckets.rivers import LevelRows, Levels, RiverScratch, rank_board
from untilt.cards.evaluator.evaluator_tables import EvaluatorTables
from untilt.numeric.kernel import allocates, inlined, kernel

Bytes = npt.NDArray[np.uint8]
Buckets = npt.NDArray[np.uint16]
Places = npt.NDArray[np.uint32]
Combos = npt.NDArray[np.int32]

_ONE = np.uint64(1)


class LookUpTables(NamedTuple):
    """The tables of the kernels; flop, turn and river are of one type."""

    rows: RowTables
    preflop: Buckets
    """[4096] the bucket of cards a and b at 64 a + b"""
    flop: LevelRows
    """[1755, 1176] buckets"""
    turn: LevelRows
    """[16432, 1128] buckets"""
    river: LevelRows
    """[134459, 1129] buckets; no rows if they are computed when they are needed"""
    river_offsets: Buckets
    """[134459] what a board's texture adds to the buckets of the river; empty if nothing"""
    levels: Levels
    """[1981] the bucket of every equity, without texture"""
    evaluator: EvaluatorTables


@kernel
def bucket_in_rows(
    rows: RowTables, table: LevelRows, board: np.uint64, card: int, other: int
) -> int:
    """Return the bucket of a hand on a flop or turn."""
    row, renaming = canonical(rows, board)
    renamed = renamed_board(board, renaming)
    column = column_of(live_place(card, renaming, renamed), live_place(other, renaming, renamed))
    return int(table[row, column])


@kernel
def row_of_board(rows: RowTables, board: np.uint64) -> int:
    """Return the row of a board."""
    return canonical(rows, board)[0]


@kernel
@allocates
def deal_buckets(
    tables: LookUpTables, boards: Bytes, hands: Bytes, scratch: RiverScratch, buckets: Buckets
) -> None:
    """Write the buckets [deals, streets, hands] of all hands on each street of each deal.

    `boards` [deals, 5] and `hands` [deals, hands, 2] are cards, `hands` without those of the board.
    """
    num_hands = hands.shape[1]
    flop, turn, river = tables.flop.reshape(-1), tables.turn.reshape(-1), tables.river.reshape(-1)
    has_river = len(river) > 0
    on_flop = np.empty(num_hands, dtype=np.uint32)
    on_turn = np.empty(num_hands, dtype=np.uint32)
    on_river = np.empty(num_hands, dtype=np.uint32)
    for deal in range(len(boards)):
        shown, held = boards[deal], hands[deal]
        board = _ONE << np.uint64(shown[0]) | _ONE << np.uint64(shown[1])
        board |= _ONE << np.uint64(shown[2])
        _place_hands(tables.rows, tables.flop.shape[1], board, held, on_flop)
        board |= _ONE << np.uint64(shown[3])
        _place_hands(tables.rows, tables.turn.shape[1], board, held, on_turn)
        board |= _ONE << np.uint64(shown[4])
        if has_river:
            _place_hands(tables.rows, tables.river.shape[1], board, held, on_river)
        # All loads follow one another, so the processor waits for many cache lines at once.
        found = buckets[deal]
        for hand in range(num_hands):
            pair = np.uint32(held[hand, 0]) << np.uint32(6) | np.uint32(held[hand, 1])
            found[0, hand] = tables.preflop[pair]
            found[1, hand] = flop[on_flop[hand]]
            found[2, hand] = turn[on_turn[hand]]
            if has_river:
                found[3, hand] = river[on_river[hand]]
        if not has_river:
            _rank_river(tables, board, held, scratch, found[3])


@inlined
def _place_hands(
    rows: RowTables, num_columns: int, board: np.uint64, hands: Bytes, places: Places
) -> None:
    """Write where in a flat table each hand's bucket is."""
    row, renaming = canonical(rows, board)
    renamed = renamed_board(board, renaming)
    for hand in range(len(hands)):
        column = column_of(
            live_place(int(hands[hand, 0]), renaming, renamed),
            live_place(int(hands[hand, 1]), renaming, renamed),
        )
        places[hand] = row * num_columns + column


@inlined
def _rank_river(
    tables: LookUpTables, board: np.uint64, hands: Bytes, scratch: RiverScratch, buckets: Buckets
) -> None:
    """Look up the river without a table: one sort of all hands on the board."""
    rank_board(tables.evaluator, board, scratch)
    offset = 0
    if len(tables.river_offsets):
        offset = int(tables.river_offsets[canonical(tables.rows, board)[0]])
    for hand in range(len(hands)):
        column = column_of(
            live_place(int(hands[hand, 0]), UNCHANGED, board),
            live_place(int(hands[hand, 1]), UNCHANGED, board),
        )
        buckets[hand] = offset + int(tables.levels[scratch.equities[column]])


@kernel
def board_buckets(
    rows: RowTables, table: LevelRows, board: np.uint64, combos: Bytes, buckets: Combos
) -> None:
    """Write [1326] the bucket of every combo on a flop or turn, −1 if it holds a card of it.

    `combos` [1326, 2] are cards.
    """
    row, renaming = canonical(rows, board)
    renamed = renamed_board(board, renaming)
    for combo in range(len(combos)):
        card, other = int(combos[combo, 0]), int(combos[combo, 1])
        mask = _ONE << np.uint64(card) | _ONE << np.uint64(other)
        column = column_of(
            live_place(card, renaming, renamed), live_place(other, renaming, renamed)
        )
        buckets[combo] = -1 if mask & board else int(table[row, column])


@kernel
def river_buckets(
    evaluator: EvaluatorTables,
    levels: Levels,
    board: np.uint64,
    combos: Bytes,
    scratch: RiverScratch,
    buckets: Combos,
) -> None:
    """Write [1326] the level of every combo on a complete board, −1 if it holds a card of it."""
    rank_board(evaluator, board, scratch)
    for combo in range(len(combos)):
        card, other = int(combos[combo, 0]), int(combos[combo, 1])
        mask = _ONE << np.uint64(card) | _ONE << np.uint64(other)
        buckets[combo] = -1
        if mask & board == 0:
            column = column_of(
                live_place(card, UNCHANGED, board), live_place(other, UNCHANGED, board)
            )
            buckets[combo] = levels[scratch.equities[column]]
