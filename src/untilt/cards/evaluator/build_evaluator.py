"""Make the tables of the hand evaluator from the rules of poker.

    python -m untilt.cards.evaluator.build_evaluator

writes `data/evaluator.bin` next to this file, in a few seconds. `evaluator_tables.py` explains the
format and the hash.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from pathlib import Path

import numpy as np
import numpy.typing as npt

from untilt.cards.card import NUM_HAND_RANKS, NUM_RANKS
from untilt.cards.evaluator.evaluator_tables import (
    HAND_SIZES,
    RANK_KEYS,
    ROW_BITS,
    ROW_MASK,
    pack_arrays,
)
from untilt.numeric.kernel import allocates, kernel

Ranks = tuple[int, ...]
Value = tuple[int, ...]
"""Category from 8 (straight flush) to 0 (high card), then the ranks that break ties; the greater
tuple wins."""

DATA_FILE = Path(__file__).parents[1] / "data" / "evaluator.bin"

_WHEEL = (12, 3, 2, 1, 0)
_CATEGORY_OF_SHAPE = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}


def build() -> bytes:
    """Return the content of the data file."""
    plain = {ranks: _value(ranks) for ranks in _multisets(5)}
    suited: dict[Ranks, Value] = {
        ranks: _value(ranks, is_flush=True) for ranks in combinations(range(NUM_RANKS), 5)
    }
    order = sorted({*plain.values(), *suited.values()}, reverse=True)
    assert len(order) == NUM_HAND_RANKS
    number_of = {value: number for number, value in enumerate(order, start=1)}
    plain_rank = {ranks: number_of[value] for ranks, value in plain.items()}
    suited_rank = {ranks: number_of[value] for ranks, value in suited.items()}

    arrays = [_flush_ranks(suited_rank)]
    for num_cards in HAND_SIZES:
        best = {
            ranks: min(plain_rank[five] for five in combinations(ranks, 5))
            for ranks in _multisets(num_cards)
        }
        arrays += _displaced(best)
    return pack_arrays(arrays)


def _multisets(num_cards: int) -> Iterator[Ranks]:
    """Yield the ranks that `num_cards` cards can have, ascending, at most four of each."""
    for ranks in combinations_with_replacement(range(NUM_RANKS), num_cards):
        if max(Counter(ranks).values()) <= 4:
            yield ranks


def _value(ranks: Ranks, *, is_flush: bool = False) -> Value:
    """Return the value of five cards."""
    count = Counter(ranks)
    # Quads before kicker, trips before pair, then by rank.
    order = tuple(sorted(count, key=lambda rank: (count[rank], rank), reverse=True))
    if len(order) < 5:
        return (_CATEGORY_OF_SHAPE[tuple(count[rank] for rank in order)], *order)
    if order[0] - order[4] == 4:
        return (8 if is_flush else 4, order[0])
    if order == _WHEEL:
        return (8 if is_flush else 4, order[1])
    return (5 if is_flush else 0, *order)


def _flush_ranks(suited_rank: dict[Ranks, int]) -> npt.NDArray[np.uint16]:
    table = np.zeros(1 << NUM_RANKS, dtype=np.uint16)
    for ranks_mask in range(1 << NUM_RANKS):
        ranks = [rank for rank in range(NUM_RANKS) if ranks_mask >> rank & 1]
        if len(ranks) >= 5:
            table[ranks_mask] = min(suited_rank[five] for five in combinations(ranks, 5))
    return table


def _displaced(rank_of_ranks: dict[Ranks, int]) -> list[npt.NDArray[np.uint16]]:
    """Return `offsets` and `ranks` of the hash for these multisets."""
    keys = np.array(RANK_KEYS)
    sums = np.array([keys[list(ranks)].sum() for ranks in rank_of_ranks])
    assert len(np.unique(sums)) == len(sums)
    rows = sums & int(ROW_MASK)
    columns = sums >> int(ROW_BITS)
    order = np.lexsort((columns, rows))
    num_rows = int(ROW_MASK) + 1
    first = np.searchsorted(rows[order], np.arange(num_rows + 1))
    fullest_first = np.argsort(-np.diff(first), kind="stable")
    values = np.array(list(rank_of_ranks.values()))[order]
    table = np.zeros(1 << 20, dtype=np.int64)
    offsets = _place_rows(first, columns[order], values, fullest_first, table)
    # Seven aces are not a hand, but an unchecked batch may contain them.
    num_entries = int(offsets.max()) + (7 * RANK_KEYS[-1] >> int(ROW_BITS)) + 1
    assert table[num_entries:].max() == 0
    assert offsets.max() < 1 << 16
    return [offsets.astype(np.uint16), table[:num_entries].astype(np.uint16)]


@kernel
@allocates
def _place_rows(
    first: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int64],
    values: npt.NDArray[np.int64],
    row_order: npt.NDArray[np.int64],
    table: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Put each row at the first offset where its cells are free or agree; `table` is modified.

    Row r has the entries first[r] … first[r + 1] of `columns` and `values`; 0 is a free cell.
    """
    offsets = np.zeros(len(row_order), dtype=np.int64)
    for row in row_order:
        begin = first[row]
        end = first[row + 1]
        offset = 0
        entry = begin
        while entry < end:
            cell = table[columns[entry] + offset]
            if cell in (0, values[entry]):
                entry += 1
            else:
                offset += 1
                entry = begin
        offsets[row] = offset
        for entry in range(begin, end):
            table[columns[entry] + offset] = values[entry]
    return offsets


if __name__ == "__main__":
    DATA_FILE.parent.mkdir(exist_ok=True)
    DATA_FILE.write_bytes(build())
