"""Preflop equities by lookup: every match-up of two combos, exact.

Two disjoint combos are a *match-up*. Up to renaming suits and exchanging the two combos there are
47,008 of them. For each, the file `data/preflop.bin` holds on how many of the 1,712,304 boards the
first combo wins and on how many both tie.
`python -m untilt.cards.equity.build_preflop` makes it from scratch, in seconds:

    8 bytes   `untiltpf`
    16 bytes  BLAKE2b of everything that follows
    rows      47,008 × (wins, ties), 3 bytes each, little-endian

The row of a match-up is found in two steps. Every class has one *representative*, its lowest
combo; the suits are renamed so that the first combo becomes the representative of its class.
Renamings that keep the representative may still change the second combo; the lowest of its images
stands for all. So an ordered match-up becomes (class, combo). The table stores the smaller of this
pair and the pair for the exchanged combos; rows are in this order.

Nothing here needs compiled code. The outcomes of all combos against a range are one matrix
product: [169, 1326] outcomes of representatives × [1326, 24] the range under all renamings.
"""

from functools import lru_cache
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.cards.card import NUM_SUITS
from untilt.cards.combos import (
    CLASS_OF_COMBO,
    COMBO_CARDS,
    COMBO_MASKS,
    COMBOS_OF_CLASS,
    COMBOS_WITH_CARD,
    NUM_CLASSES,
    NUM_COMBOS,
    NUM_COMBOS_OF_CLASS,
    Combos,
)
from untilt.cards.data_file import read_data, sealed, unsealed
from untilt.cards.equity.outcomes import HandOutcomes
from untilt.cards.suits import renamed_combos
from untilt.numeric.arrays import Bools, Floats, Ints

Counts = npt.NDArray[np.int64]

NUM_MATCH_UPS = 47_008
NUM_BOARDS = comb(48, 5)
"""The number of boards for two combos: 1,712,304."""

DATA_NAME = "preflop.bin"
MAGIC = b"untiltpf"
_NUMBER_BYTES = 3


class MatchUps(NamedTuple):
    """The rows of the table, and the row of every match-up of a representative."""

    first: Combos
    """[47008] a representative of its class"""
    second: Combos
    """[47008]"""
    row_of: Ints
    """[169, 1326] the row of this class's representative against a combo; −1 if they share a
    card."""
    is_exchanged: Bools
    """[169, 1326] whether the row has the representative as its second combo."""


class PreflopTable(NamedTuple):
    """On how many of the 1,712,304 boards a class's representative wins and ties.

    Arrays are float64. Sums and products with integer weights are exact: no sum reaches 2⁵³.
    """

    wins: Floats
    """[169, 1326] against each combo; 0 if they share a card."""
    ties: Floats
    """[169, 1326]"""
    boards: Floats
    """[169, 1326] 1,712,304, or 0 if they share a card."""


class PreflopMatrix(NamedTuple):
    """All-in match-ups of classes, summed over their combos and all boards.

    Classes are in the order of the grid (see `combos`). `wins + ties + wins.T` is `pairs`
    times 1,712,304.
    """

    wins: Counts
    """[169, 169] boards that the row's class wins."""
    ties: Counts
    """[169, 169]"""
    pairs: Counts
    """[169, 169] how many pairs of disjoint combos the two classes have."""


@lru_cache(maxsize=1)
def match_ups() -> MatchUps:
    """Return the rows of the table in their order."""
    combos = renamed_combos()
    representatives = np.array([members[0] for members in COMBOS_OF_CLASS])
    # [169, 1326] the lowest image under all renamings that keep the representative.
    lowest = np.empty((NUM_CLASSES, NUM_COMBOS), dtype=np.int64)
    for hand_class, representative in enumerate(representatives):
        keeps = combos[:, representative] == representative
        lowest[hand_class] = combos[keeps].min(axis=0)
    renaming = renaming_to_representative()
    keys = np.arange(NUM_CLASSES)[:, np.newaxis] * NUM_COMBOS + lowest
    other_class = CLASS_OF_COMBO.astype(np.int64)
    exchanged = combos[renaming[np.newaxis, :], representatives[:, np.newaxis]]
    exchanged_keys = other_class * NUM_COMBOS + lowest[other_class, exchanged]

    is_possible = (COMBO_MASKS[representatives][:, np.newaxis] & COMBO_MASKS) == 0
    least = np.minimum(keys, exchanged_keys)
    is_row = np.zeros(NUM_CLASSES * NUM_COMBOS, dtype=bool)
    is_row[least[is_possible]] = True
    row_of_key = np.cumsum(is_row, dtype=np.int32) - 1
    stored = np.flatnonzero(is_row)
    return MatchUps(
        first=representatives[stored // NUM_COMBOS],
        second=(stored % NUM_COMBOS).astype(np.int16),
        row_of=np.where(is_possible, row_of_key[least], -1).astype(np.int32),
        is_exchanged=exchanged_keys < keys,
    )


@lru_cache(maxsize=1)
def renaming_to_representative() -> Counts:
    """Return [1326] a renaming, by number, that makes each combo its class's representative."""
    representatives = np.array([members[0] for members in COMBOS_OF_CLASS])
    is_hit = renamed_combos() == representatives[CLASS_OF_COMBO]
    numbers: Counts = is_hit.argmax(axis=0)
    return numbers


@lru_cache(maxsize=1)
def preflop_table() -> PreflopTable:
    """Return the table that comes with the package.

    Raises FormatError if its file is damaged.
    """
    return table_of_rows(unpack_rows(read_data(DATA_NAME)))


def table_of_rows(rows: Counts) -> PreflopTable:
    """Return the table for its `rows` [47008, 2], wins and ties."""
    found = match_ups()
    wins = np.append(rows[:, 0], 0)
    ties = np.append(rows[:, 1], 0)
    boards = np.append(np.full(len(rows), NUM_BOARDS), 0)
    # Row −1, of combos that share a card, is the zero at the end.
    losses = boards - wins - ties
    return PreflopTable(
        wins=np.where(found.is_exchanged, losses[found.row_of], wins[found.row_of]).astype(float),
        ties=ties[found.row_of].astype(float),
        boards=boards[found.row_of].astype(float),
    )


def preflop_outcomes(weights: Floats) -> HandOutcomes:
    """Return the wins and ties of every combo against the range `weights` [1326], exactly."""
    table = preflop_table()
    renaming = renaming_to_representative()
    # The representative meets the renamed opponent's combos.
    combos = renamed_combos()
    renamed = np.zeros((len(combos), NUM_COMBOS))
    np.put_along_axis(renamed, combos.astype(np.int64), weights[np.newaxis, :], axis=1)
    place = (CLASS_OF_COMBO, renaming)
    return HandOutcomes(
        wins=_products(table.wins, renamed)[place],
        ties=_products(table.ties, renamed)[place],
        totals=NUM_BOARDS * _possible(weights),
    )


def _products(rows: Floats, columns: Floats) -> Floats:
    """Return rows @ columns.T without threads, whose start would take longer than the product."""
    products: Floats = np.vecdot(rows[:, np.newaxis], columns)
    return products


def _possible(weights: Floats) -> Floats:
    """Return [1326] the weight of the range's combos that share no card with each combo."""
    with_card = weights[COMBOS_WITH_CARD].sum(axis=1)
    place = (COMBO_CARDS & 15) * NUM_SUITS + (COMBO_CARDS >> 4)
    # The combo itself was subtracted twice, once with each of its cards.
    possible: Floats = weights.sum() - with_card[place].sum(axis=1) + weights
    return possible


@lru_cache(maxsize=1)
def preflop_matrix() -> PreflopMatrix:
    """Return the exact 169 × 169 matrix of class against class, in the order of the grid.

    It is summed from the table of match-ups in a few milliseconds, so it is not shipped
    separately; `build_preflop.build_matrix` computes it from scratch.
    """
    return matrix_of_table(preflop_table())


def matrix_of_table(table: PreflopTable) -> PreflopMatrix:
    """Return the matrix of classes for a table of match-ups."""
    by_class = np.argsort(CLASS_OF_COMBO, kind="stable")
    begins = np.searchsorted(CLASS_OF_COMBO[by_class], np.arange(NUM_CLASSES))

    def summed(values: Floats) -> Counts:
        # Every combo of the row's class has the same outcomes as its representative.
        sums = np.add.reduceat(values[:, by_class], begins, axis=1)
        return sums.astype(np.int64) * NUM_COMBOS_OF_CLASS[:, np.newaxis]

    return PreflopMatrix(
        wins=summed(table.wins),
        ties=summed(table.ties),
        pairs=summed(table.boards) // NUM_BOARDS,
    )


def pack_rows(rows: Counts) -> bytes:
    """Return the content of the data file for `rows` [47008, 2], wins and ties."""
    numbers = rows.astype("<u4").reshape(-1, 1).view(np.uint8)
    return sealed(MAGIC, numbers[:, :_NUMBER_BYTES].tobytes())


def unpack_rows(data: bytes) -> Counts:
    """Return [47008, 2] wins and ties of the data file.

    Raises FormatError if a byte was changed or is missing.
    """
    content = unsealed(MAGIC, data, "the table of preflop equities")
    numbers = np.zeros((2 * NUM_MATCH_UPS, 4), dtype=np.uint8)
    numbers[:, :_NUMBER_BYTES] = np.frombuffer(content, np.uint8).reshape(-1, _NUMBER_BYTES)
    return numbers.view("<u4").reshape(NUM_MATCH_UPS, 2).astype(np.int64)
