"""One combo against another before the flop, exactly, without looking at every board.

Without flushes only ranks matter: the 1,712,304 boards are at most 6,175 multisets of five ranks,
each with a number of choices of suits. For each suit in which someone can make a flush, that sum is
corrected: on boards with enough cards of the suit the true outcome replaces the plain one. Such a
board is a set of ranks of the suit and a multiset of ranks of the other suits. No board belongs to
two suits. In total this takes about ten thousand comparisons of two hands.

The table of `preflop_table` is built from this. `sum_match_ups` is for ranges with dead cards, for
which there is no table.
"""

from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from math import comb, factorial, prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.cards.card import BOARD_SIZE, NUM_CARDS, NUM_RANKS, NUM_SUITS
from untilt.cards.combos import COMBO_MASKS, NUM_COMBOS
from untilt.cards.equity.outcomes import HandOutcomes
from untilt.cards.evaluator.evaluator import rank_of_key
from untilt.cards.evaluator.evaluator_tables import (
    RANK_KEYS,
    SUIT_SUM_MASK,
    EvaluatorTables,
    load_tables,
)
from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.bits import popcount
from untilt.numeric.chunks import OnShare, in_chunks
from untilt.numeric.kernel import allocates, called, inlined, kernel

Words = npt.NDArray[np.uint64]

_FEWEST_OF_SUIT = 3
"""The number of cards of a suit that a board needs for a flush."""
_LANE = np.uint64((1 << NUM_RANKS) - 1)
_NO_MASK = np.uint64(0)
_NO_RANK = NUM_RANKS
_PAIRS_PER_CHUNK = 256


class BoardRanks(NamedTuple):
    """Multisets of 0, 1, 2 and 5 ranks, N in total, and sets of 3, 4 and 5 ranks of a suit.

    The number of choices of suits of a multiset follows from how many cards of each rank are left:
    n choose k for a rank that appears k times, which is n (n − 1) … (n − k + 1) / k!.
    """

    keys: Words
    """[N] the sum of rank keys"""
    ranks: Offsets
    """[N, 5] ascending, then 13 for no rank"""
    times_before: Offsets
    """[N, 5] how often the same rank appears before"""
    divisors: Offsets
    """[N] product of k! over ranks"""
    begins: Offsets
    """[7] where the multisets of 0 … 5 ranks begin, and the end."""
    suit_sets: Words
    """sets of ranks, 13 bits, by size"""


@lru_cache(maxsize=1)
def board_ranks() -> BoardRanks:
    """Return the multisets and sets of ranks that boards are made of."""
    sizes = (0, 1, 2, BOARD_SIZE)
    multisets = [
        ranks for size in sizes for ranks in combinations_with_replacement(range(NUM_RANKS), size)
    ]
    padded = [ranks + (_NO_RANK,) * (BOARD_SIZE - len(ranks)) for ranks in multisets]
    lengths = np.array([len(ranks) for ranks in multisets])
    return BoardRanks(
        keys=np.array([sum(RANK_KEYS[rank] for rank in ranks) for ranks in multisets], np.uint64),
        ranks=np.array(padded),
        # Padding counts as a rank with one card left: a factor of 1.
        times_before=np.array(
            [
                [0 if rank == _NO_RANK else ranks[:place].count(rank) for place, rank in each]
                for ranks, each in ((ranks, list(enumerate(ranks))) for ranks in padded)
            ]
        ),
        divisors=np.array(
            [prod(factorial(ranks.count(rank)) for rank in set(ranks)) for ranks in multisets]
        ),
        begins=np.searchsorted(lengths, np.arange(BOARD_SIZE + 2)),
        suit_sets=np.array(
            [
                sum(1 << rank for rank in ranks)
                for size in range(_FEWEST_OF_SUIT, BOARD_SIZE + 1)
                for ranks in combinations(range(NUM_RANKS), size)
            ],
            np.uint64,
        ),
    )


def sum_match_ups(
    ranges: tuple[Floats, Floats], dead: int, threads: int = 1, watcher: OnShare | None = None
) -> list[HandOutcomes]:
    """Return the outcomes of the hands of each of two `ranges` against the other, over all boards.

    Ranges are weights [1326] without combos that hold a card of the set `dead`. A pair of
    combos takes a fifth of a millisecond.
    """
    firsts, seconds = np.flatnonzero(ranges[0]), np.flatnonzero(ranges[1])
    first, second = np.repeat(firsts, len(seconds)), np.tile(seconds, len(firsts))
    is_possible = COMBO_MASKS[first] & COMBO_MASKS[second] == 0
    first, second = first[is_possible], second[is_possible]
    tables, boards = load_tables(), board_ranks()
    counts = np.empty((len(first), 2), dtype=np.int64)

    def work(chunk: int) -> None:
        part = slice(chunk * _PAIRS_PER_CHUNK, (chunk + 1) * _PAIRS_PER_CHUNK)
        masks = COMBO_MASKS[first[part]], COMBO_MASKS[second[part]]
        _count_match_ups(tables, boards, *masks, np.uint64(dead), counts[part])

    in_chunks(work, -(-len(first) // _PAIRS_PER_CHUNK), threads, watcher)
    wins, ties = counts.T
    num_boards = comb(NUM_CARDS - 4 - dead.bit_count(), BOARD_SIZE)
    losses = num_boards - wins - ties

    def outcomes(hands: Offsets, weights: Floats, wins: Offsets) -> HandOutcomes:
        def summed(values: Offsets | int) -> Floats:
            return np.bincount(hands, weights * values, NUM_COMBOS).astype(np.float64)

        return HandOutcomes(summed(wins), summed(ties), summed(num_boards))

    return [
        outcomes(first, ranges[1][second], wins),
        outcomes(second, ranges[0][first], losses),
    ]


@kernel
def _count_match_ups(
    tables: EvaluatorTables,
    boards: BoardRanks,
    firsts: Words,
    seconds: Words,
    dead: np.uint64,
    counts: Offsets,
) -> None:
    for pair in range(len(firsts)):
        wins, ties = count_match_up(tables, boards, firsts[pair], seconds[pair], dead)
        counts[pair, 0] = wins
        counts[pair, 1] = ties


@kernel
@allocates
def count_match_up(
    tables: EvaluatorTables,
    boards: BoardRanks,
    first: np.uint64,
    second: np.uint64,
    dead: np.uint64,
) -> tuple[int, int]:
    """Return on how many boards `first` wins and on how many both tie.

    All three are disjoint sets of cards; the two combos have two cards each.
    """
    gone = first | second | dead
    left = np.ones(NUM_RANKS + 1, dtype=np.int64)
    first_key = np.uint64(0)
    second_key = np.uint64(0)
    for rank in range(NUM_RANKS):
        left[rank] = NUM_SUITS - _num_of_rank(gone, rank)
        # The multisets of one rank follow the empty one.
        key = boards.keys[1 + rank]
        first_key += key * np.uint64(_num_of_rank(first, rank))
        second_key += key * np.uint64(_num_of_rank(second, rank))
    wins, ties = count_plain(tables, boards, left, first_key, second_key)
    others = np.ones(NUM_RANKS + 1, dtype=np.int64)
    for suit in range(NUM_SUITS):
        shift = np.uint64(16 * suit)
        free = ~(gone >> shift) & _LANE
        for rank in range(NUM_RANKS):
            others[rank] = left[rank] - np.int64(free >> np.uint64(rank) & np.uint64(1))
        first_lane = first >> shift & _LANE
        second_lane = second >> shift & _LANE
        more_wins, more_ties = correct_flushes(
            tables, boards, free, others, first_lane, second_lane, first_key, second_key
        )
        wins += more_wins
        ties += more_ties
    return wins, ties


@inlined
def _num_of_rank(card_set: np.uint64, rank: int) -> int:
    column = np.uint64(0x0001_0001_0001_0001) << np.uint64(rank)
    return int(popcount(card_set & column))


@inlined
def _num_choices(boards: BoardRanks, row: int, left: Offsets) -> int:
    ways = 1
    for place in range(BOARD_SIZE):
        ways *= int(left[boards.ranks[row, place]] - boards.times_before[row, place])
    return ways // int(boards.divisors[row])


@called
def count_plain(
    tables: EvaluatorTables,
    boards: BoardRanks,
    left: Offsets,
    first_key: np.uint64,
    second_key: np.uint64,
) -> tuple[int, int]:
    """Return wins and ties of the first hand as if there were no flushes.

    `left` [14] is how many cards of each rank the board can have, then 1; the keys are the sums
    of rank keys of the two hands.
    """
    wins = 0
    ties = 0
    for row in range(boards.begins[BOARD_SIZE], boards.begins[BOARD_SIZE + 1]):
        count = _num_choices(boards, row, left)
        if count:
            key = boards.keys[row]
            first = rank_of_key(tables, key + first_key, _NO_MASK)
            second = rank_of_key(tables, key + second_key, _NO_MASK)
            wins += count * int(first < second)
            ties += count * int(first == second)
    return wins, ties


@called
@allocates
def correct_flushes(
    tables: EvaluatorTables,
    boards: BoardRanks,
    free: np.uint64,
    others: Offsets,
    first_lane: np.uint64,
    second_lane: np.uint64,
    first_key: np.uint64,
    second_key: np.uint64,
) -> tuple[int, int]:
    """Return the correction of `count_plain` for flushes of one suit.

    - `free`: the ranks of the suit that can come onto the board.
    - `others` [14]: the number of cards of other suits left of each rank, then 1.
    - `first_lane`, `second_lane`: the ranks of the suit in each hand.
    """
    most_in_hand = max(int(popcount(first_lane)), int(popcount(second_lane)))
    fewest = BOARD_SIZE - most_in_hand
    num_choices = np.empty(boards.begins[3], dtype=np.int64)
    for row in range(len(num_choices)):
        num_choices[row] = _num_choices(boards, row, others)
    wins = 0
    ties = 0
    for suit_set in boards.suit_sets:
        size = int(popcount(suit_set))
        if suit_set & ~free or size < fewest:
            continue
        suit_key = np.uint64(tables.suit_keys[suit_set] & SUIT_SUM_MASK)
        first_flush = tables.flush_ranks[suit_set | first_lane]
        second_flush = tables.flush_ranks[suit_set | second_lane]
        num_others = BOARD_SIZE - size
        for row in range(boards.begins[num_others], boards.begins[num_others + 1]):
            count = int(num_choices[row])
            if count == 0:
                continue
            key = suit_key + boards.keys[row]
            first = rank_of_key(tables, key + first_key, _NO_MASK)
            second = rank_of_key(tables, key + second_key, _NO_MASK)
            wins -= count * int(first < second)
            ties -= count * int(first == second)
            # A hand with a flush has nothing better, except a straight flush.
            first = first_flush if first_flush else first
            second = second_flush if second_flush else second
            wins += count * int(first < second)
            ties += count * int(first == second)
    return wins, ties
