"""Gap-free numbers for hands, where hands that differ only in the names of suits share a number.

`Isomorphism(rounds)` numbers hands dealt in rounds; `rounds` gives the number of cards in each.
Within a round the order of the cards does not matter, between rounds it does:

    (2,) and (2, 3)               preflop 169, flop 1,286,792
    (2, 4) and (2, 5)             board as a set: turn 13,960,050, river 123,156,254
    (2, 3, 1) and (2, 3, 1, 1)    street order kept: turn 55,190,538, river 2,428,287,420
    (3,), (4,) and (5,)           boards alone: 1,755, 16,432 and 134,459

The method is that of Waugh 2013, "A fast and optimal hand isomorphism algorithm":

1. The *shape* of a suit is how many cards it has in each round, written as a number with one digit
   per round. The *index* of a suit, among all suits of that shape, says which ranks it has: for
   each round the colexicographic number of its ranks among those that the suit has not yet used.
2. The four suits are sorted by shape, then index, both descending; this removes their names.
   The four sorted shapes are the *layout* of the hand.
3. Suits of equal shape are a multiset of indices, numbered colexicographically. The
   multisets are the digits of a number in mixed radix, and each layout has an offset.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, product
from math import comb, prod, sqrt
from typing import Any, NamedTuple, TypeVar

import numpy as np

from untilt.cards.card import DECK_MASK, NUM_RANKS, NUM_SUITS, card_name, is_card, is_integer
from untilt.cards.combos import CardArray
from untilt.errors import CardError, shortened
from untilt.numeric.arrays import AnyArray, Offsets
from untilt.numeric.bits import popcount
from untilt.numeric.kernel import allocates, inlined, kernel

Array = TypeVar("Array", bound=AnyArray)

MAX_CARDS = 7
"""Two private and five public cards."""

_SHAPE_SHIFT = 32
"""A suit's sort key has its shape above this bit and its index below: 7 cards of one suit have at
most 13!/6! < 2²⁴ indices."""

_LANE = (1 << NUM_RANKS) - 1
"""The 13 used bits of a suit in a set of cards."""


class _Tables(NamedTuple):
    """Tables for R rounds, S shapes and L layouts; all are int64."""

    round_ends: Offsets
    """[R] the column after the last card of each round."""
    shape_of_card: Offsets
    """[R] what a card of this round adds to the shape of its suit."""
    binomials: Offsets
    """[14, 8] n choose k"""
    num_suit_indices: Offsets
    """[S] how many indices a suit of each shape has."""
    num_cards: Offsets
    """[S, R] the digits of each shape."""
    rank_sets: Offsets
    """[8192] sets of ranks, 13 bits, by size and then by number: the colexicographic order, which
    begins with sets of low ranks."""
    first_rank_set: Offsets
    """[14] where the sets of each size begin."""
    row_of_pair: Offsets
    """[S, S] the row in `layout_of_row` for the two largest shapes."""
    layout_of_row: Offsets
    """[rows, S] the layout by row and third shape; the fourth follows from the others."""
    offsets: Offsets
    """[L + 1] the first index of each layout, then the total number of indices."""
    shapes: Offsets
    """[L, 4] the shapes of each layout, descending."""
    places: Offsets
    """[L, 4] how many suits of equal shape follow, including itself."""
    radices: Offsets
    """[L, 4] the place value of the suit's multiset."""


class Isomorphism:
    """Numbers hands up to renaming suits; see the module."""

    def __init__(self, rounds: Sequence[int]) -> None:
        if not isinstance(rounds, Iterable) or not all(map(is_integer, rounds)):
            raise CardError(f"rounds are {shortened(rounds)}: give integers, such as (2, 3, 1, 1)")
        self.rounds = tuple(rounds)
        """The number of cards that each round deals."""
        if not self.rounds or min(self.rounds) < 1 or sum(self.rounds) > MAX_CARDS:
            raise CardError(
                f"rounds are {self.rounds}: give at least one card per round and at most "
                f"{MAX_CARDS} in total, such as (2, 3, 1, 1)"
            )
        self.num_cards = sum(self.rounds)
        """The number of cards of all rounds together."""
        self._tables = _build_tables(self.rounds)
        self.size = int(self._tables.offsets[-1])
        """The number of hands; their indices are 0 … size − 1."""

    def index_hands(self, hands: CardArray) -> Offsets:
        """Return [N] the index of every hand of `hands` [N, num_cards], uint8, round after round.

        Raises CardError if something is not a card, or if a hand has a repeated card.
        """
        if (
            not isinstance(hands, np.ndarray)
            or hands.dtype != np.uint8
            or hands.ndim != 2
            or hands.shape[1] != self.num_cards
        ):
            raise CardError(
                f"hands are {_described(hands)}: give an array of uint8 "
                f"with the shape (N, {self.num_cards})"
            )
        indices = np.empty(len(hands), dtype=np.int64)
        done = _index_hands(_for_kernel(hands), self._tables, indices)
        if done < len(hands):
            raise CardError(_fault(hands[done].tolist(), done))
        return indices

    def hands_at(self, indices: Offsets) -> CardArray:
        """Return [N, num_cards] a hand of every index of `indices` [N], int64.

        Equal indices give the same hand. Its suits are spades, then hearts, diamonds and clubs as
        needed: AsAh, AsKs, AsKh.
        """
        indices = self._checked(indices)
        hands = np.empty((len(indices), self.num_cards), dtype=np.uint8)
        _hands_at(indices, self._tables, hands)
        return hands

    def num_hands_at(self, indices: Offsets) -> Offsets:
        """Return [N] how many hands share each index of `indices` [N], int64: 1 to 24.

        The sum over all indices is the number of deals: 1,326 for the 169 preflop hands.
        """
        indices = self._checked(indices)
        num_hands = np.empty(len(indices), dtype=np.int64)
        _num_hands_at(indices, self._tables, num_hands)
        return num_hands

    def _checked(self, indices: Offsets) -> Offsets:
        if not isinstance(indices, np.ndarray) or indices.dtype != np.int64 or indices.ndim != 1:
            raise CardError(
                f"indices are {_described(indices)}: give an array of int64 with the shape (N,)"
            )
        is_outside = (indices < 0) | (indices >= self.size)
        if is_outside.any():
            outside = indices[is_outside.argmax()]
            raise CardError(f"no hand has index {outside}: use 0 to {self.size - 1}")
        return _for_kernel(indices)


def _for_kernel(array: Array) -> Array:
    # For a read-only or strided array Numba would compile another version of the kernel.
    return np.require(array, requirements=["C", "A", "W"])


def _described(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with the shape {value.shape}"
    return f"a {type(value).__name__}"


def _fault(hand: list[int], row: int) -> str:
    for place, card in enumerate(hand):
        if not is_card(card):
            return f"row {row} of the hands has {card}, which is not a card: rank | suit << 4"
        if card in hand[:place]:
            return f"row {row} of the hands has {card_name(card)} twice: deal each card once"
    raise AssertionError("the hand is valid")


@lru_cache(maxsize=16)
def _build_tables(rounds: tuple[int, ...]) -> _Tables:
    shapes = list(product(*(range(count + 1) for count in rounds)))
    number = {shape: index for index, shape in enumerate(shapes)}
    num_suit_indices = [
        prod(comb(NUM_RANKS - sum(shape[:place]), count) for place, count in enumerate(shape))
        for shape in shapes
    ]
    layouts = [
        [number[shape] for shape in layout] for layout in _layouts(rounds, shapes, NUM_SUITS)
    ]
    pairs = sorted({(layout[0], layout[1]) for layout in layouts})
    row_of_pair = np.zeros((len(shapes), len(shapes)), dtype=np.int64)
    layout_of_row = np.zeros((len(pairs), len(shapes)), dtype=np.int64)
    for row, (first, second) in enumerate(pairs):
        row_of_pair[first, second] = row
    offsets, places, radices = [0], [], []
    for index, layout in enumerate(layouts):
        layout_of_row[pairs.index((layout[0], layout[1])), layout[2]] = index
        radix = 1
        places.append(list[int]())
        radices.append(list[int]())
        for shape, equal in groupby(layout):
            count = len(list(equal))
            places[-1].extend(range(count, 0, -1))
            radices[-1].extend([radix] * count)
            radix *= comb(num_suit_indices[shape] + count - 1, count)
        offsets.append(offsets[-1] + radix)
    return _Tables(
        round_ends=np.cumsum(rounds, dtype=np.int64),
        shape_of_card=_numbers(
            [prod(count + 1 for count in rounds[deal + 1 :]) for deal in range(len(rounds))]
        ),
        binomials=_numbers(
            [[comb(n, k) for k in range(MAX_CARDS + 1)] for n in range(NUM_RANKS + 1)]
        ),
        num_suit_indices=_numbers(num_suit_indices),
        num_cards=_numbers(shapes),
        rank_sets=_numbers(sorted(range(1 << NUM_RANKS), key=int.bit_count)),
        first_rank_set=_numbers(
            [sum(comb(NUM_RANKS, less) for less in range(size)) for size in range(NUM_RANKS + 1)]
        ),
        row_of_pair=row_of_pair,
        layout_of_row=layout_of_row,
        offsets=_numbers(offsets),
        shapes=_numbers(layouts),
        places=_numbers(places),
        radices=_numbers(radices),
    )


def _numbers(values: Sequence[Any]) -> Offsets:
    return np.array(values, dtype=np.int64)


def _layouts(
    left: tuple[int, ...], shapes: list[tuple[int, ...]], num_suits: int
) -> Iterator[list[tuple[int, ...]]]:
    """Yield the descending lists of `num_suits` of the ascending `shapes` that sum to `left`."""
    if num_suits == 0:
        if not any(left):
            yield []
        return
    for place, shape in enumerate(shapes):
        if all(count <= most for count, most in zip(shape, left, strict=True)):
            rest = tuple(most - count for count, most in zip(shape, left, strict=True))
            for others in _layouts(rest, shapes[: place + 1], num_suits - 1):
                yield [shape, *others]


@kernel
@allocates
def _index_hands(hands: CardArray, tables: _Tables, indices: Offsets) -> int:
    """Write the index of every hand; return the first invalid row, or how many rows there are."""
    suits = np.empty(4, dtype=np.int64)
    for row in range(len(hands)):
        suits[0] = suits[1] = suits[2] = suits[3] = 0
        shapes = 0  # of all suits, each in its 16 bits as in a set of cards
        used = 0
        begin = 0
        for deal in range(len(tables.round_ends)):
            end = tables.round_ends[deal]
            dealt = 0
            longer = shapes
            is_valid = True
            for column in range(begin, end):
                card = int(hands[row, column])
                bit = 1 << (card & 63)
                is_valid &= card < 64 and bit & DECK_MASK & ~(used | dealt) != 0
                dealt |= bit
                longer += tables.shape_of_card[deal] << (card & 48)
            if not is_valid:
                return row
            for column in range(begin, end):
                card = int(hands[row, column])
                below = ((1 << card) - 1) & (_LANE << (card & 48))
                rank = (card & 15) - popcount(used & below)
                place = popcount(dealt & below) + 1
                # The shape after the previous rounds, whose digits come first.
                radix = tables.num_suit_indices[shapes >> (card & 48) & 0xFFFF]
                suits[card >> 4] += tables.binomials[rank, place] * radix
            shapes = longer
            used |= dealt
            begin = end
        indices[row] = _index_of_suits(
            (shapes & 0xFFFF) << _SHAPE_SHIFT | suits[0],
            (shapes >> 16 & 0xFFFF) << _SHAPE_SHIFT | suits[1],
            (shapes >> 32 & 0xFFFF) << _SHAPE_SHIFT | suits[2],
            (shapes >> 48 & 0xFFFF) << _SHAPE_SHIFT | suits[3],
            tables,
        )
    return len(hands)


@inlined
def _index_of_suits(a: int, b: int, c: int, d: int, tables: _Tables) -> int:
    # A sorting network, descending.
    a, b = max(a, b), min(a, b)
    c, d = max(c, d), min(c, d)
    a, c = max(a, c), min(a, c)
    b, d = max(b, d), min(b, d)
    b, c = max(b, c), min(b, c)
    row = tables.row_of_pair[a >> _SHAPE_SHIFT, b >> _SHAPE_SHIFT]
    layout = tables.layout_of_row[row, c >> _SHAPE_SHIFT]
    places = tables.places
    radices = tables.radices
    low = (1 << _SHAPE_SHIFT) - 1
    index: int = tables.offsets[layout]
    index += multiset_part(a & low, places[layout, 0]) * radices[layout, 0]
    index += multiset_part(b & low, places[layout, 1]) * radices[layout, 1]
    index += multiset_part(c & low, places[layout, 2]) * radices[layout, 2]
    index += (d & low) * radices[layout, 3]
    return index


@inlined
def multiset_part(index: int, place: int) -> int:
    """Return the binomial coefficient of `index + place - 1` and `place`, for a place of 1–4."""
    part = index
    if place > 1:
        part = part * (index + 1) // 2
    if place > 2:
        part = part * (index + 2) // 3
    if place > 3:
        part = part * (index + 3) // 4
    return part


@kernel
@allocates
def _hands_at(indices: Offsets, tables: _Tables, hands: CardArray) -> None:
    num_rounds = len(tables.round_ends)
    next_column = np.empty(num_rounds, dtype=np.int64)
    suits = np.empty(4, dtype=np.int64)
    for row in range(len(indices)):
        for deal in range(num_rounds):
            next_column[deal] = tables.round_ends[deal - 1] if deal else 0
        layout = _split_index(indices[row], tables, suits)
        for suit in range(4):
            shape = tables.shapes[layout, suit]
            _write_suit(suits[suit], shape, 3 - suit, tables, next_column, hands, row)


@kernel
@allocates
def _num_hands_at(indices: Offsets, tables: _Tables, num_hands: Offsets) -> None:
    suits = np.empty(4, dtype=np.int64)
    for row in range(len(indices)):
        layout = _split_index(indices[row], tables, suits)
        # 24 ways to name the suits; renaming suits with the same cards changes nothing.
        num_names = 24
        num_equal = 1
        for suit in range(1, 4):
            has_equal_shape = tables.shapes[layout, suit] == tables.shapes[layout, suit - 1]
            is_equal = has_equal_shape and suits[suit] == suits[suit - 1]
            num_equal = num_equal + 1 if is_equal else 1
            num_names //= num_equal
        num_hands[row] = num_names


@inlined
def _split_index(index: int, tables: _Tables, suits: Offsets) -> int:
    """Write the index of each of the four suits in sorted order; return their layout."""
    layout = int(np.searchsorted(tables.offsets, index, side="right")) - 1
    left = index - tables.offsets[layout]
    multiset = 0
    for suit in range(4):
        shape = tables.shapes[layout, suit]
        place = tables.places[layout, suit]
        if shape == 0:
            suits[suit] = 0
            continue
        if suit == 0 or shape != tables.shapes[layout, suit - 1]:
            size = multiset_part(tables.num_suit_indices[shape], place)
            multiset = left % size
            left //= size
        suits[suit] = _greatest_index(multiset, place, tables.num_suit_indices[shape])
        multiset -= multiset_part(suits[suit], place)
    return layout


@inlined
def _greatest_index(multiset: int, place: int, num_suit_indices: int) -> int:
    """Return the largest index whose part of the multiset's number does not exceed it."""
    if place == 1:
        return multiset
    if place == 2:
        return int((sqrt(8 * multiset + 1) - 1) / 2)
    low = 0
    high = num_suit_indices
    while high - low > 1:
        middle = (low + high) // 2
        if multiset_part(middle, place) <= multiset:
            low = middle
        else:
            high = middle
    return low


@inlined
def _write_suit(
    index: int,
    shape: int,
    suit: int,
    tables: _Tables,
    next_column: Offsets,
    hands: CardArray,
    row: int,
) -> None:
    """Write the cards of one suit into a row, starting at `next_column` of each round."""
    used = 0
    num_used = 0
    for deal in range(len(tables.round_ends)):
        num_cards = tables.num_cards[shape, deal]
        if num_cards == 0:
            continue
        size = tables.binomials[NUM_RANKS - num_used, num_cards]
        ranks = tables.rank_sets[tables.first_rank_set[num_cards] + index % size]
        index //= size
        # These are ranks among the unused ones: insert each used rank, from below.
        left = used
        while left:
            below = (left & -left) - 1
            ranks = (ranks & below) | (ranks & ~below) << 1
            left &= left - 1
        used |= ranks
        num_used += num_cards
        next_column[deal] += num_cards
        column = next_column[deal]
        while ranks:
            column -= 1
            hands[row, column] = suit << 4 | popcount((ranks & -ranks) - 1)
            ranks &= ranks - 1
