"""Equities of hands on complete boards against a random hand.

An equity is an integer, 0 … 1,980: twice the number of the 990 possible opponent hands that lose,
plus those that tie. A board costs one sort of its 1,081 hands by strength and one sweep with card
removal, as in `cards/showdown/showdown.py`, here with whole numbers: a hand with cards a and b
meets

    N − N_a − N_b

of the N weaker hands, where N_a of them hold a. The equity is this number before and after the
hands of equal strength are added. A single hand is compared with its 990 opponents directly.
"""

from math import comb
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from untilt.abstraction.buckets.board_rows import NUM_COLUMNS, Words, list_live, places_of_columns
from untilt.abstraction.buckets.recipe import RIVER
from untilt.cards.card import NUM_CARDS, NUM_HAND_RANKS
from untilt.cards.evaluator.evaluator import rank_of_key
from untilt.cards.evaluator.evaluator_tables import START_KEY, EvaluatorTables
from untilt.numeric.bits import lowest_bit
from untilt.numeric.kernel import allocates, inlined, kernel

Levels: TypeAlias = npt.NDArray[np.uint16]
"""[1981] a level, such as a bucket, for every equity."""
LevelRows: TypeAlias = npt.NDArray[np.unsignedinteger[Any]]
"""[rows, columns] a level for every hand on every board: uint8, or uint16 for more than 256."""

NUM_OPPONENTS = comb(NUM_CARDS - RIVER - 2, 2)
MOST = 2 * NUM_OPPONENTS
"""The equity of a hand that always wins."""

_NUM_LIVE = NUM_CARDS - RIVER
ROW_LENGTH = comb(_NUM_LIVE + 1, 2) + 1
"""A row ends with a column for each live card together with a card of the board, and one for two
cards of the board: a lookup need not check whether the cards of a hand have been dealt."""

_LOW_BITS = 7
_LOW = (1 << _LOW_BITS) - 1
_NUM_LOW = 1 << _LOW_BITS
_NUM_HIGH = (NUM_HAND_RANKS >> _LOW_BITS) + 1
_ONE = np.uint64(1)


class RiverScratch(NamedTuple):
    """Work space for one board."""

    cards: npt.NDArray[np.uint8]
    """[64] the live cards"""
    ranks: npt.NDArray[np.uint16]
    """[1081] by column"""
    first: npt.NDArray[np.uint8]
    second: npt.NDArray[np.uint8]
    """[1081] the places of a column's cards"""
    half_order: npt.NDArray[np.uint16]
    order: npt.NDArray[np.uint16]
    """[1081] columns after the first and the second pass of sorting, the weakest first"""
    equities: npt.NDArray[np.uint16]
    """[1081] by column: the result"""


def new_scratch() -> RiverScratch:
    """Return work space."""
    ranks, half_order, order, equities = np.empty((4, NUM_COLUMNS[RIVER]), dtype=np.uint16)
    first, second = places_of_columns(RIVER)
    cards = np.empty(64, dtype=np.uint8)
    return RiverScratch(cards, ranks, first, second, half_order, order, equities)


def equal_width(num_levels: int) -> Levels:
    """Return the level of every equity if [0, 1] is cut into equal parts, the last one closed."""
    levels = np.arange(MOST + 1) * num_levels // MOST
    return np.minimum(levels, num_levels - 1).astype(np.uint16)


@kernel
def fill_rows(
    evaluator: EvaluatorTables,
    boards: Words,
    levels: Levels,
    dead: int,
    scratch: RiverScratch,
    rows: LevelRows,
) -> None:
    """Write the level of every hand on each of `boards`; hands with a dealt card get `dead`."""
    for number in range(len(boards)):
        rank_board(evaluator, boards[number], scratch)
        row = rows[number]
        for column in range(len(scratch.equities)):
            row[column] = levels[scratch.equities[column]]
        row[len(scratch.equities) :] = dead


@kernel
@allocates
def rank_board(evaluator: EvaluatorTables, board: np.uint64, scratch: RiverScratch) -> None:
    """Write the equity of every hand on a board of five cards, by column, into the scratch."""
    ranks, order, half_order = scratch.ranks, scratch.order, scratch.half_order
    low_begins = np.zeros(_NUM_LOW + 1, dtype=np.int32)
    high_begins = np.zeros(_NUM_HIGH + 1, dtype=np.int32)
    board_key = START_KEY
    left = board
    while left:
        board_key += evaluator.card_keys[lowest_bit(left)]
        left &= left - _ONE
    num_live = list_live(board, scratch.cards)
    column = 0
    for high in range(num_live):
        card = np.uint64(scratch.cards[high])
        key = board_key + evaluator.card_keys[card]
        mask = board | _ONE << card
        for low in range(high):
            other = np.uint64(scratch.cards[low])
            rank = rank_of_key(evaluator, key + evaluator.card_keys[other], mask | _ONE << other)
            ranks[column] = rank
            # Descending, as the best hand has rank 1: digits are counted from the other end.
            low_begins[_NUM_LOW - (rank & _LOW)] += 1
            high_begins[_NUM_HIGH - (rank >> _LOW_BITS)] += 1
            column += 1
    for digit in range(_NUM_LOW):
        low_begins[digit + 1] += low_begins[digit]
    for digit in range(_NUM_HIGH):
        high_begins[digit + 1] += high_begins[digit]
    for hand in range(len(ranks)):
        digit = _NUM_LOW - 1 - (ranks[hand] & _LOW)
        half_order[low_begins[digit]] = hand
        low_begins[digit] += 1
    for place in range(len(ranks)):
        hand = half_order[place]
        digit = _NUM_HIGH - 1 - (ranks[hand] >> _LOW_BITS)
        order[high_begins[digit]] = hand
        high_begins[digit] += 1
    _sweep(scratch)


@inlined
@allocates
def _sweep(scratch: RiverScratch) -> None:
    ranks, order = scratch.ranks, scratch.order
    first, second, equities = scratch.first, scratch.second, scratch.equities
    with_card = np.zeros(_NUM_LIVE, dtype=np.int32)
    total = 0
    begin = 0
    while begin < len(order):
        rank = ranks[order[begin]]
        end = begin
        while end < len(order) and ranks[order[end]] == rank:
            hand = order[end]
            equities[hand] = total - with_card[first[hand]] - with_card[second[hand]]
            end += 1
        for place in range(begin, end):
            hand = order[place]
            with_card[first[hand]] += 1
            with_card[second[hand]] += 1
        total += end - begin
        for place in range(begin, end):
            hand = order[place]
            # The hand itself was subtracted twice and counted once.
            equities[hand] += total - with_card[first[hand]] - with_card[second[hand]] + 1
        begin = end


@kernel
def hand_equity(
    evaluator: EvaluatorTables, board: np.uint64, hand: np.uint64, cards: npt.NDArray[np.uint8]
) -> int:
    """Return the equity of one hand on a board of five cards; `cards` [64] is work space."""
    board_key = START_KEY
    left = board
    while left:
        board_key += evaluator.card_keys[lowest_bit(left)]
        left &= left - _ONE
    hand_key = board_key
    left = hand
    while left:
        hand_key += evaluator.card_keys[lowest_bit(left)]
        left &= left - _ONE
    own_rank = rank_of_key(evaluator, hand_key, board | hand)
    num_live = list_live(board | hand, cards)
    equity = 0
    for high in range(num_live):
        card = np.uint64(cards[high])
        key = board_key + evaluator.card_keys[card]
        mask = board | _ONE << card
        for low in range(high):
            other = np.uint64(cards[low])
            rank = rank_of_key(evaluator, key + evaluator.card_keys[other], mask | _ONE << other)
            equity += int(rank > own_rank) + int(rank >= own_rank)
    return equity
