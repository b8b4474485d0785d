"""Make the table of preflop match-ups from scratch, in seconds.

    python -m untilt.cards.equity.build_preflop

writes `data/preflop.bin` next to this file; `preflop_table` explains it. The count of `match_up`
without flushes depends only on the ranks of the two combos. The correction for a suit depends on
the ranks and on which of the four cards have that suit. Each of these is counted once, for all
match-ups that share it.
"""

from pathlib import Path

import numpy as np

from untilt.cards.card import NUM_RANKS, NUM_SUITS
from untilt.cards.combos import COMBO_CARDS
from untilt.cards.equity.match_up import BoardRanks, board_ranks, correct_flushes, count_plain
from untilt.cards.equity.preflop_table import (
    DATA_NAME,
    Counts,
    PreflopMatrix,
    match_ups,
    matrix_of_table,
    pack_rows,
    table_of_rows,
)
from untilt.cards.evaluator.evaluator_tables import EvaluatorTables, load_tables
from untilt.numeric.kernel import allocates, kernel

DATA_FILE = Path(__file__).parents[1] / "data" / DATA_NAME

_NUM_HOLE_CARDS = 4
"""The hole cards of both combos."""


def build_rows() -> Counts:
    """Return [47008, 2] wins and ties of the first combo of every match-up."""
    found = match_ups()
    cards = np.concatenate([COMBO_CARDS[found.first], COMBO_CARDS[found.second]], axis=1)
    ranks = cards.astype(np.int64) & 15
    suits = cards >> 4
    patterns, pattern_of_row = np.unique(ranks, axis=0, return_inverse=True)
    # [rows, 4] which of the four cards have each suit, as bits.
    bits = 1 << np.arange(_NUM_HOLE_CARDS)
    subsets = np.stack([(suits == suit) @ bits for suit in range(NUM_SUITS)], axis=1)
    cases, case_of_suit = np.unique(
        pattern_of_row[:, np.newaxis] << _NUM_HOLE_CARDS | subsets, return_inverse=True
    )
    tables, boards = load_tables(), board_ranks()
    plain = np.empty((len(patterns), 2), dtype=np.int64)
    _count_patterns(tables, boards, patterns, plain)
    corrections = np.empty((len(cases), 2), dtype=np.int64)
    _count_corrections(tables, boards, patterns, cases, corrections)
    rows: Counts = plain[pattern_of_row] + corrections[case_of_suit.reshape(-1, NUM_SUITS)].sum(1)
    return rows


def build_matrix() -> PreflopMatrix:
    """Return the 169 × 169 matrix of `preflop_table.preflop_matrix`, computed from scratch."""
    return matrix_of_table(table_of_rows(build_rows()))


@kernel
@allocates
def _count_patterns(
    tables: EvaluatorTables, boards: BoardRanks, patterns: Counts, plain: Counts
) -> None:
    """Write wins and ties without flushes for ranks `patterns` [P, 4] of both combos."""
    left = np.ones(NUM_RANKS + 1, dtype=np.int64)
    for number in range(len(patterns)):
        a, b, c, d = patterns[number]
        left[:NUM_RANKS] = NUM_SUITS
        for rank in patterns[number]:
            left[rank] -= 1
        first_key = boards.keys[1 + a] + boards.keys[1 + b]
        second_key = boards.keys[1 + c] + boards.keys[1 + d]
        wins, ties = count_plain(tables, boards, left, first_key, second_key)
        plain[number, 0] = wins
        plain[number, 1] = ties


@kernel
@allocates
def _count_corrections(
    tables: EvaluatorTables,
    boards: BoardRanks,
    patterns: Counts,
    cases: Counts,
    corrections: Counts,
) -> None:
    """Write the corrections; a case is a pattern and, in four bits, the cards of the suit."""
    others = np.ones(NUM_RANKS + 1, dtype=np.int64)
    for case in range(len(cases)):
        pattern = patterns[cases[case] >> _NUM_HOLE_CARDS]
        a, b, c, d = pattern
        others[:NUM_RANKS] = NUM_SUITS - 1
        first_lane = np.uint64(0)
        second_lane = np.uint64(0)
        for place in range(_NUM_HOLE_CARDS):
            if cases[case] >> place & 1 == 0:
                others[pattern[place]] -= 1
            elif place < 2:
                first_lane |= np.uint64(1) << np.uint64(pattern[place])
            else:
                second_lane |= np.uint64(1) << np.uint64(pattern[place])
        free = np.uint64((1 << NUM_RANKS) - 1) & ~(first_lane | second_lane)
        first_key = boards.keys[1 + a] + boards.keys[1 + b]
        second_key = boards.keys[1 + c] + boards.keys[1 + d]
        wins, ties = correct_flushes(
            tables, boards, free, others, first_lane, second_lane, first_key, second_key
        )
        corrections[case, 0] = wins
        corrections[case, 1] = ties


if __name__ == "__main__":
    DATA_FILE.parent.mkdir(exist_ok=True)
    DATA_FILE.write_bytes(pack_rows(build_rows()))
