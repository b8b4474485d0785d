"""Count all three-way all-ins of classes before the flop, exactly, in about 15 seconds.

`three_way_table` explains the result. As for two hands (`match_up`), a count has two parts:

1. *As if there were no flushes.* The order of three hands then depends only on ranks: those of the
   hands, 91 · 92 · 93 / 6 triples of pairs of ranks, and those of the board, 6,175 multisets. A
   multiset stands for Π C(4 − u_r, m_r) boards, where u_r and m_r are the numbers of cards of rank
   r in the hands and on the board. The number of ways to deal the classes without a common card
   multiplies that.
2. *Corrections for boards with three or more cards of a suit.* Classes are symmetric in the suits,
   so the corrections for spades count four times. A card is now a spade or one of the three other
   cards of its rank: there are 338 *types* of hands, and a board is a set of spades and a multiset
   of other ranks, which stands for Π C(3 − v_r, m_r) boards, where v_r counts the other cards in
   the hands. A correction is the number of boards with a true order minus the number with that
   order in part 1. With three spades on the board someone needs two for a flush, and with four,
   one. Five spades change the order of all hands, even if nobody holds a spade.

Whether one type of hand is stronger than another, and whether they tie, are bits, one for each
board. The order of three types on 64 boards then follows from a few operations on words. The boards
of a word have the same multiset of other ranks, and so the same weight.
"""

from itertools import combinations, combinations_with_replacement
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.cards.card import BOARD_SIZE, NUM_RANKS, NUM_SUITS
from untilt.cards.combos import CLASS_OF_COMBO, COMBO_CARDS, COMBO_MASKS, NUM_CLASSES
from untilt.cards.equity.three_way_sums import sorted_triple
from untilt.cards.equity.three_way_table import (
    NUM_ORDERS,
    NUM_TRIPLES,
    ORDER_BEFORE_SORTING,
    Counts,
    place_of,
)
from untilt.cards.evaluator.evaluator_tables import RANK_KEYS, ROW_BITS, ROW_MASK, load_tables
from untilt.numeric.arrays import Floats, Ints, Offsets
from untilt.numeric.bits import popcount
from untilt.numeric.chunks import OnShare, in_chunks
from untilt.numeric.kernel import allocates, inlined, kernel

Words = npt.NDArray[np.uint64]

Strengths = npt.NDArray[np.int16]
"""Ranks of hands; 1 is the best."""

_SPADES = 3
"""The suit that stands for all four."""
_FEWEST_OF_SUIT = 3
_NUM_RANK_PAIRS = NUM_RANKS * (NUM_RANKS + 1) // 2
_MOST_TYPES = 3
"""The types of hands of one class."""
_MOST_MEMBERS = 6
"""The combos of one class and type."""
_WORD_BITS = 64
_NO_RANK = NUM_RANKS
_NUM_FACTORS = 2 * NUM_RANKS + 1
_BLOCK_ROWS = 400_000
"""Corrections of types that are kept at a time, to bound the memory."""
_PLAIN_SHARE = 0.15
"""The approximate share of part 1 in the time."""
_ORDER_REVERSED = np.array([0, 1, 2, 3, 5, 4, 6, 7, 8, 9, 10, 12, 11])
"""[13] the order of three hands if a comparison of the second with the third is reversed that
decides only between two orders: the first hand beats both, or loses to both."""


class HandTypes(NamedTuple):
    """The types of hands, and which combos of each class have them.

    Types with two spades come first, then those with one, then those with none.
    """

    spades: Words
    """[338] the ranks of the spades, 13 bits"""
    num_spades: Ints
    """[338]"""
    others: Ints
    """[338, 2] the ranks of the cards that are not spades; 13 for none"""
    rank_pair: Ints
    """[338] both ranks, as a number 0–90"""
    of_class: Ints
    """[169, 3] the types of the combos of a class; −1 if there are fewer"""
    members: Words
    """[169, 3, 6] the combos of a class with each of its types, as sets of cards; 0 for none"""
    rank_pair_of_class: Ints
    """[169]"""


class SuitedBoards(NamedTuple):
    """Boards with a number of spades, and how types of hands compare on them.

    Boards are W · M words: word w · M + m has the bits of 64 sets of spades with multiset m of the
    other ranks.
    """

    avoids: Words
    """[338, W] the sets of spades that have no card in common with a type"""
    factors: Offsets
    """[2, W · M] the two factors of the number of boards of each bit; see `_factors`"""
    row_of_type: Offsets
    """[338]"""
    better: Words
    """[row pairs, W · M] whether the first row wins; row pairs are numbered by `_pair`"""
    equal: Words
    """[row pairs, W · M]"""


def build_three_way(threads: int = 1, watcher: OnShare | None = None) -> Counts:
    """Return [818805, 13] the counts of `three_way_table`, computed from nothing.

    The result does not depend on `threads`.
    """
    types = hand_types()

    def part(begin: float, end: float) -> OnShare:
        return lambda share: watcher(begin + (end - begin) * share) if watcher else None

    # Corrections are negative, too: sums are modulo 2³², and the counts themselves below it.
    table = np.zeros((NUM_TRIPLES, NUM_ORDERS), dtype=np.uint32)
    plain = count_plain_triples(threads, part(0.0, _PLAIN_SHARE))
    in_chunks(lambda last: _add_plain(types, plain, last, table), NUM_CLASSES, threads, None)
    _add_corrections(types, table, threads, part(_PLAIN_SHARE, 1.0))
    return table


def hand_types() -> HandTypes:
    """Return the types of hands."""
    ranks = (COMBO_CARDS & 15).astype(np.int64)
    is_spade = COMBO_CARDS >> 4 == _SPADES
    spades = (is_spade.astype(np.int64) << ranks).sum(axis=1)
    others = np.sort(np.where(is_spade, _NO_RANK, ranks), axis=1)
    num_others = 2 - is_spade.sum(axis=1)
    keys = np.stack([num_others, spades, others[:, 0], others[:, 1]], axis=1)
    found, first, numbers = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    of_combo = numbers.ravel()
    of_class = np.full((NUM_CLASSES, _MOST_TYPES), -1, dtype=np.int32)
    members = np.zeros((NUM_CLASSES, _MOST_TYPES, _MOST_MEMBERS), dtype=np.uint64)
    for hand_class in range(NUM_CLASSES):
        combos = np.flatnonzero(hand_class == CLASS_OF_COMBO)
        for place, number in enumerate(np.unique(of_combo[combos]).tolist()):
            own = combos[of_combo[combos] == number]
            of_class[hand_class, place] = number
            members[hand_class, place, : len(own)] = COMBO_MASKS[own]
    low, high = np.sort(ranks, axis=1).T
    rank_pair = _pair(low, high).astype(np.int32)
    rank_pair_of_class = np.zeros(NUM_CLASSES, dtype=np.int32)
    rank_pair_of_class[CLASS_OF_COMBO] = rank_pair
    return HandTypes(
        spades=found[:, 1].astype(np.uint64),
        num_spades=(2 - found[:, 0]).astype(np.int32),
        others=found[:, 2:].astype(np.int32),
        rank_pair=rank_pair[first],
        of_class=of_class,
        members=members,
        rank_pair_of_class=rank_pair_of_class,
    )


def _pair(first: Offsets, second: Offsets) -> Offsets:
    """Return the number of each pair `first` ≤ `second`."""
    return second * (second + 1) // 2 + first


def _rank_pairs() -> Offsets:
    """Return [91, 2] the pairs of ranks, the lower first, by their number."""
    return np.array([(low, high) for high in range(NUM_RANKS) for low in range(high + 1)])


def _keys_of(ranks: Offsets) -> Words:
    """Return the sums of rank keys over the last axis; 13 stands for no card."""
    sums: Words = np.array([*RANK_KEYS, 0], dtype=np.uint64)[ranks].sum(axis=-1, dtype=np.uint64)
    return sums


def _plain_strengths(keys: Words) -> Strengths:
    """Return the ranks of hands with these sums of rank keys, as if there were no flushes."""
    tables = load_tables()
    sums = keys.astype(np.uint32)
    rows = tables.offsets[sums & ROW_MASK].astype(np.uint32)
    ranks: Strengths = tables.ranks[rows + (sums >> ROW_BITS)].astype(np.int16)
    return ranks


def count_plain_triples(threads: int = 1, watcher: OnShare | None = None) -> Offsets:
    """Return [129766, 13] the boards of each order for triples of pairs of ranks.

    As if there were no flushes. Rows are in the order of `place_of`; impossible triples have 0.
    """
    multisets = np.array(list(combinations_with_replacement(range(NUM_RANKS), BOARD_SIZE)))
    times = (multisets[:, :, np.newaxis] == np.arange(NUM_RANKS)).sum(axis=1)
    strengths = _plain_strengths(_keys_of(_rank_pairs())[:, np.newaxis] + _keys_of(multisets))
    choices = np.array(
        [[comb(left, chosen) for chosen in range(BOARD_SIZE + 1)] for left in range(NUM_SUITS + 1)]
    )
    free = choices[NUM_SUITS, times]
    shares = choices[::-1] / np.maximum(choices[NUM_SUITS], 1)
    # [rank, cards of that rank in the hands, board] by which they reduce the number of boards
    reductions = np.ascontiguousarray(shares[:, times].transpose(2, 0, 1))
    num_boards = free.prod(axis=1).astype(np.float64)
    rank_pairs = _rank_pairs()
    counts = np.zeros((place_of(0, 0, _NUM_RANK_PAIRS), NUM_ORDERS), dtype=np.int64)

    def work(last: int) -> None:
        _count_plain(strengths, num_boards, reductions, rank_pairs, last, counts)

    in_chunks(work, _NUM_RANK_PAIRS, threads, watcher)
    return counts


@kernel
@allocates
def _count_plain(
    strengths: Strengths,
    free: Floats,
    reductions: Floats,
    rank_pairs: Offsets,
    last: int,
    counts: Offsets,
) -> None:
    """Write the counts of all triples with the pair of ranks `last` and lower ones."""
    num_boards = strengths.shape[1]
    products = np.empty(num_boards)
    weights = np.empty(num_boards, dtype=np.int32)
    held = np.empty(NUM_RANKS, dtype=np.int64)
    row = last * (last + 1) * (last + 2) // 6
    for middle in range(last + 1):
        for least in range(middle + 1):
            held[:] = 0
            for place in range(2):
                held[rank_pairs[least, place]] += 1
                held[rank_pairs[middle, place]] += 1
                held[rank_pairs[last, place]] += 1
            most = 0
            for rank in range(NUM_RANKS):
                most = max(most, held[rank])
            if most <= NUM_SUITS:
                products[:] = free
                for rank in range(NUM_RANKS):
                    if held[rank]:
                        products *= reductions[rank, held[rank]]
                for board in range(num_boards):
                    weights[board] = np.int32(products[board] + 0.5)
                _sum_orders(
                    strengths[least], strengths[middle], strengths[last], weights, counts[row]
                )
            row += 1


@inlined
def _sum_orders(
    first: Strengths, second: Strengths, third: Strengths, weights: Ints, sums: Offsets
) -> None:
    """Add the weights of boards by the order of three hands; sums [13] is modified."""
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = s8 = s9 = s10 = s11 = s12 = np.int64(0)
    none = np.int64(0)
    for board in range(len(weights)):
        a = first[board]
        b = second[board]
        c = third[board]
        weight = np.int64(weights[board])
        s0 += weight if (a == b) & (b == c) else none
        s1 += weight if (a == b) & (b < c) else none
        s2 += weight if (a == c) & (c < b) else none
        s3 += weight if (a < b) & (b == c) else none
        s4 += weight if (a < b) & (b < c) else none
        s5 += weight if (a < c) & (c < b) else none
        s6 += weight if (b < a) & (b == c) else none
        s7 += weight if (b < a) & (a == c) else none
        s8 += weight if (b < a) & (a < c) else none
        s9 += weight if (c < a) & (a == b) else none
        s10 += weight if (c < a) & (a < b) else none
        s11 += weight if (b < c) & (c < a) else none
        s12 += weight if (c < b) & (b < a) else none
    for order, count in enumerate((s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12)):
        sums[order] += count


@inlined
def _num_deals(firsts: Words, seconds: Words, thirds: Words) -> int:
    """Return how many triples of these combos, up to the first 0 of each, have no common card."""
    none = np.uint64(0)
    deals = 0
    for first in firsts:
        if first == none:
            break
        for second in seconds:
            if second == none:
                break
            if first & second:
                continue
            for third in thirds:
                if third == none:
                    break
                deals += (first | second) & third == none
    return deals


@kernel
def _add_plain(types: HandTypes, plain: Offsets, last: int, table: Counts) -> None:
    """Add part 1 to the rows of the table whose last class is `last`."""
    row = last * (last + 1) * (last + 2) // 6
    for middle in range(last + 1):
        for least in range(middle + 1):
            deals = 0
            for a in range(_MOST_TYPES):
                for b in range(_MOST_TYPES):
                    for c in range(_MOST_TYPES):
                        deals += _num_deals(
                            types.members[least, a],
                            types.members[middle, b],
                            types.members[last, c],
                        )
            x = types.rank_pair_of_class[least]
            y = types.rank_pair_of_class[middle]
            z = types.rank_pair_of_class[last]
            x, y, z, way = sorted_triple(x, y, z)
            source = z * (z + 1) * (z + 2) // 6 + y * (y + 1) // 2 + x
            for order in range(NUM_ORDERS):
                table[row, ORDER_BEFORE_SORTING[way, order]] += np.uint32(
                    deals * plain[source, order]
                )
            row += 1


def suited_boards(types: HandTypes, size: int) -> tuple[SuitedBoards, SuitedBoards]:
    """Return the boards with `size` spades, 3 to 5: as they are, and as if without flushes."""
    ranks_of_set = np.array(list(combinations(range(NUM_RANKS), size)))
    sets = (1 << ranks_of_set).sum(axis=1).astype(np.uint64)
    others = list(combinations_with_replacement(range(NUM_RANKS), BOARD_SIZE - size))
    multisets = np.array([(*ranks, _NO_RANK, _NO_RANK)[:2] for ranks in others])
    # Sets of spades are padded to whole words; `avoids` leaves the padding out.
    num_words = -(-len(sets) // _WORD_BITS)
    padded = np.resize(np.arange(len(sets)), num_words * _WORD_BITS)
    board_keys = _keys_of(ranks_of_set)[padded, np.newaxis] + _keys_of(multisets)
    # Hands that can make a flush have a row for their spades, after the 91 of pairs of ranks.
    has_flush = types.num_spades + size >= BOARD_SIZE
    kinds, rows = np.unique(types.spades[has_flush], return_inverse=True)
    flushes = load_tables().flush_ranks[kinds[:, np.newaxis] | sets[padded]]
    # [rows, sets, multisets]
    strengths = np.empty((_NUM_RANK_PAIRS + len(kinds), *board_keys.shape), dtype=np.int16)
    for row, key in enumerate(_keys_of(_rank_pairs())):
        strengths[row] = _plain_strengths(board_keys + key)
    strengths[_NUM_RANK_PAIRS:] = flushes[:, :, np.newaxis]
    num_pairs = len(strengths) * (len(strengths) + 1) // 2
    better = np.zeros((num_pairs, num_words * len(multisets)), dtype=np.uint64)
    equal = np.zeros_like(better)
    _compare(strengths, better, equal)
    bits = np.zeros((len(types.spades), num_words * _WORD_BITS), dtype=np.uint8)
    bits[:, : len(sets)] = (types.spades[:, np.newaxis] & sets) == 0
    row_of_rank_pair = types.rank_pair.astype(np.int64)
    row_of_type = row_of_rank_pair.copy()
    row_of_type[has_flush] = _NUM_RANK_PAIRS + rows
    true = SuitedBoards(
        avoids=np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(np.uint64),
        factors=np.tile(_factors(multisets), num_words),
        row_of_type=row_of_type,
        better=better,
        equal=equal,
    )
    return true, true._replace(row_of_type=row_of_rank_pair)


def _factors(multisets: Offsets) -> Offsets:
    """Return [2, M] which factors make the number of choices of up to two other ranks.

    Factor r, below 13, is how many cards of rank r are left; factor 13 + r how many pairs of them;
    factor 26 is 1.
    """
    low, high = multisets.T
    is_pair = (low == high) & (low != _NO_RANK)
    one = _NUM_FACTORS - 1
    first = np.where(is_pair, NUM_RANKS + low, np.where(low == _NO_RANK, one, low))
    second = np.where(is_pair | (high == _NO_RANK), one, high)
    return np.stack([first, second])


@kernel
def _compare(strengths: Strengths, better: Words, equal: Words) -> None:
    """Set the bits of all pairs of rows of strengths [rows, sets, multisets]."""
    num_rows, num_sets, num_multisets = strengths.shape
    pair = 0
    for second in range(num_rows):
        for first in range(second + 1):
            for number in range(num_sets):
                begin = number // _WORD_BITS * num_multisets
                shift = np.uint64(number % _WORD_BITS)
                own = strengths[first, number]
                other = strengths[second, number]
                wins = better[pair, begin : begin + num_multisets]
                ties = equal[pair, begin : begin + num_multisets]
                for place in range(num_multisets):
                    wins[place] |= np.uint64(own[place] < other[place]) << shift
                    ties[place] |= np.uint64(own[place] == other[place]) << shift
            pair += 1


def _add_corrections(
    types: HandTypes, table: Counts, threads: int, watcher: OnShare | None
) -> None:
    """Add part 2 to the table, in blocks of types that fit in memory."""
    num_types = len(types.spades)
    # [types] the pairs of types that can follow each in a sorted triple
    num_pairs = np.cumsum(np.arange(1, num_types + 1))[::-1]
    sizes = range(_FEWEST_OF_SUIT, BOARD_SIZE + 1)
    # The first type of a triple has the most spades.
    relevant = [np.flatnonzero(types.num_spades + size >= BOARD_SIZE) for size in sizes]
    total = sum(int(num_pairs[firsts].sum()) for firsts in relevant)
    done = 0
    for size, firsts in zip(sizes, relevant, strict=True):
        boards: tuple[SuitedBoards, ...] = ()  # those of the last size are freed
        boards = suited_boards(types, size)
        ends = np.cumsum(num_pairs[firsts])
        for block in np.split(firsts, np.flatnonzero(np.diff(ends // _BLOCK_ROWS)) + 1):
            begins = np.zeros(num_types + 1, dtype=np.int64)
            begins[block[0] + 1 : block[-1] + 2] = np.cumsum(num_pairs[block])
            begins[block[-1] + 2 :] = begins[block[-1] + 1]
            corrections = np.zeros((begins[-1], NUM_ORDERS), dtype=np.int32)

            def correct(
                place: int,
                block: Offsets = block,
                begins: Offsets = begins,
                corrections: Ints = corrections,
                boards: tuple[SuitedBoards, ...] = boards,
            ) -> None:
                first = int(block[place])
                rows = corrections[begins[first] : begins[first + 1]]
                for each, sign in zip(boards, (1, -1), strict=True):
                    correct_types(types, each, first, sign, rows)

            def add(
                last: int,
                block: Offsets = block,
                begins: Offsets = begins,
                rows: Ints = corrections,
            ) -> None:
                _add_block(types, int(block[0]), int(block[-1]), begins, rows, last, table)

            in_chunks(correct, len(block), threads, None)
            in_chunks(add, NUM_CLASSES, threads, None)
            done += len(corrections)
            del corrections
            if watcher:
                watcher(done / total)


@kernel
@allocates
def correct_types(
    types: HandTypes, boards: SuitedBoards, first: int, sign: int, corrections: Ints
) -> None:
    """Add the boards of each order for all sorted triples that begin with type `first`.

    corrections [pairs of types, 13], from pair (first, first), is modified.
    """
    num_words = boards.better.shape[1]
    num_multisets = num_words // boards.avoids.shape[1]
    num_types = len(types.spades) - first
    none = np.uint64(0)
    # [types, 3, words] where `first` wins, ties and loses against each type, and neither has a
    # spade of the board
    against = np.empty((num_types, 3, num_words), dtype=np.uint64)
    for other in range(num_types):
        row = boards.row_of_type[first]
        other_row = boards.row_of_type[first + other]
        is_swapped = row > other_row
        pair = max(row, other_row) * (max(row, other_row) + 1) // 2 + min(row, other_row)
        for word in range(num_words):
            group = word // num_multisets
            free = boards.avoids[first, group] & boards.avoids[first + other, group]
            better = boards.better[pair, word] & free
            equal = boards.equal[pair, word] & free
            worse = free & ~better & ~equal
            against[other, 0, word] = worse if is_swapped else better
            against[other, 1, word] = equal
            against[other, 2, word] = better if is_swapped else worse
    left = np.empty(NUM_RANKS + 1, dtype=np.int64)
    factors = np.ones(_NUM_FACTORS, dtype=np.uint64)
    weights = np.empty(num_words, dtype=np.uint64)
    sums = np.empty(NUM_ORDERS, dtype=np.uint64)
    for last in range(num_types):
        third = first + last
        for middle in range(last + 1):
            second = first + middle
            if (
                types.spades[first] & types.spades[second]
                or (types.spades[first] | types.spades[second]) & types.spades[third]
            ) != none:
                continue
            left[:] = NUM_SUITS - 1
            for place in range(2):
                left[types.others[first, place]] -= 1
                left[types.others[second, place]] -= 1
                left[types.others[third, place]] -= 1
            least = left[0]
            for rank in range(NUM_RANKS):
                least = min(least, left[rank])
                factors[rank] = np.uint64(left[rank])
                factors[NUM_RANKS + rank] = np.uint64(left[rank] * (left[rank] - 1) // 2)
            if least < 0:
                continue
            for word in range(num_multisets):
                weights[word] = factors[boards.factors[0, word]] * factors[boards.factors[1, word]]
            for word in range(num_multisets, num_words):
                weights[word] = weights[word - num_multisets]
            row = boards.row_of_type[second]
            other_row = boards.row_of_type[third]
            pair = max(row, other_row) * (max(row, other_row) + 1) // 2 + min(row, other_row)
            _sum_bits(
                against[middle],
                against[last],
                boards.better[pair],
                boards.equal[pair],
                weights,
                sums,
            )
            place = last * (last + 1) // 2 + middle
            for order in range(NUM_ORDERS):
                count = sign * np.int64(sums[order])
                if row > other_row:
                    corrections[place, _ORDER_REVERSED[order]] += count
                else:
                    corrections[place, order] += count


@inlined
def _sum_bits(
    second: Words, third: Words, better: Words, equal: Words, weights: Words, sums: Words
) -> None:
    """Write the weights of boards by the order of three hands to sums [13].

    `second` and `third` [3, words] say where the first hand wins, ties and loses against each;
    `better` and `equal` how the second compares with the third.
    """
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = s8 = s9 = s10 = s11 = s12 = np.uint64(0)
    for word in range(len(weights)):
        weight = weights[word]
        wins = better[word]
        ties = equal[word]
        above = second[0, word] & third[0, word]
        below = second[2, word] & third[2, word]
        s0 += weight * popcount(second[1, word] & third[1, word])
        s1 += weight * popcount(second[1, word] & third[0, word])
        s2 += weight * popcount(second[0, word] & third[1, word])
        s3 += weight * popcount(above & ties)
        s4 += weight * popcount(above & wins)
        s5 += weight * popcount(above & ~ties & ~wins)
        s6 += weight * popcount(below & ties)
        s7 += weight * popcount(second[2, word] & third[1, word])
        s8 += weight * popcount(second[2, word] & third[0, word])
        s9 += weight * popcount(second[1, word] & third[2, word])
        s10 += weight * popcount(second[0, word] & third[2, word])
        s11 += weight * popcount(below & wins)
        s12 += weight * popcount(below & ~ties & ~wins)
    for order, count in enumerate((s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12)):
        sums[order] = count


@kernel
def _add_block(
    types: HandTypes,
    begin: int,
    end: int,
    begins: Offsets,
    corrections: Ints,
    last: int,
    table: Counts,
) -> None:
    """Add the corrections of triples whose first type is `begin` … `end`, for all four suits.

    Rows of the table whose last class is `last` are modified.
    """
    row = last * (last + 1) * (last + 2) // 6
    for middle in range(last + 1):
        for least in range(middle + 1):
            for a in range(_MOST_TYPES):
                first = types.of_class[least, a]
                for b in range(_MOST_TYPES):
                    second = types.of_class[middle, b]
                    for c in range(_MOST_TYPES):
                        third = types.of_class[last, c]
                        x, y, z, way = sorted_triple(first, second, third)
                        if x < begin or x > end:
                            continue
                        deals = _num_deals(
                            types.members[least, a],
                            types.members[middle, b],
                            types.members[last, c],
                        )
                        if deals == 0:
                            continue
                        source = begins[x] + (z - x) * (z - x + 1) // 2 + y - x
                        for order in range(NUM_ORDERS):
                            table[row, ORDER_BEFORE_SORTING[way, order]] += np.uint32(
                                NUM_SUITS * deals * corrections[source, order]
                            )
            row += 1
