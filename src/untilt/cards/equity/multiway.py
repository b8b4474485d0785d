"""Two to six ranges all-in: every deal if there are few, random deals otherwise.

A deal is one combo of each range, without common cards, and a complete board. Its weight is the
product of the weights of its combos. The pot goes to the best hand, or is split equally between all
best hands. So the result is, for each side and each k, the weight of the deals in which the side is
one of k best hands.

A random deal draws a combo of each range, by weight, and starts again if two share a card. This
gives each possible deal the right probability. Chunk n of the deals uses stream n of the seed, so
results do not depend on the number of threads.
"""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.cards.card import BOARD_SIZE, DECK, NUM_CARDS
from untilt.cards.combos import COMBO_CARDS, COMBO_MASKS
from untilt.cards.equity.runouts import Runouts
from untilt.cards.evaluator.evaluator import rank_of_key
from untilt.cards.evaluator.evaluator_tables import START_KEY, EvaluatorTables, load_tables
from untilt.errors import CardError
from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.bits import lowest_bit, popcount
from untilt.numeric.chunks import OnShare, in_chunks
from untilt.numeric.kernel import allocates, inlined, kernel
from untilt.numeric.streams import draw, root_of, split

Words = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int64]

_DEALS_PER_CHUNK = 1 << 21
"""The approximate number of deals between two reports of progress."""
_SAMPLES_PER_CHUNK = 1 << 14
_TRIES_PER_SAMPLE = 10_000
"""Ranges that need more draws per deal than this on average count as impossible together."""


class Sides(NamedTuple):
    """The combos of all ranges, one range after the other: N in total, for S sides."""

    begins: Offsets
    """[S + 1]"""
    masks: Words
    """[N] as sets of cards"""
    keys: Words
    """[N] what they add to the key of a board"""
    weights: Floats
    """[N]"""
    shares: Floats
    """[N] cumulative weight, including this combo, as a share of its side's total"""


def sides_of(ranges: Sequence[Floats]) -> Sides:
    """Return the combos of `ranges`; each is an array of weights [1326], not all 0."""
    combos = [np.flatnonzero(weights) for weights in ranges]
    together = np.concatenate(combos)
    weights = [each[chosen] for each, chosen in zip(ranges, combos, strict=True)]
    shares = [np.cumsum(each) / each.sum() for each in weights]
    for each in shares:
        each[-1] = 1.0
    return Sides(
        begins=np.cumsum([0, *map(len, combos)]),
        masks=COMBO_MASKS[together],
        keys=load_tables().card_keys[COMBO_CARDS[together]].sum(axis=1, dtype=np.uint64),
        weights=np.concatenate(weights),
        shares=np.concatenate(shares),
    )


def num_deals(ranges: Sequence[Floats], num_boards: int) -> int:
    """Return the maximum number of deals that enumeration has to try."""
    return num_boards * prod(int(np.count_nonzero(weights)) for weights in ranges)


def enumerate_deals(
    runouts: Runouts, ranges: Sequence[Floats], threads: int = 1, watcher: OnShare | None = None
) -> Floats:
    """Return [S, S + 1] the weight of all deals in which a side is among k best hands.

    They are integers if all weights are, and the same bits for any number of `threads`.
    """
    sides = sides_of(ranges)
    tables = load_tables()
    deals_per_board = num_deals(ranges, 1)
    size = max(1, _DEALS_PER_CHUNK // deals_per_board)

    def work(chunk: int) -> Floats:
        part = slice(chunk * size, (chunk + 1) * size)
        shared = np.zeros((len(ranges), len(ranges) + 1))
        _enumerate_boards(tables, sides, runouts.boards[part], runouts.counts[part], shared)
        return shared

    num_chunks = -(-len(runouts.boards) // size)
    total = np.zeros((len(ranges), len(ranges) + 1))
    for shared in in_chunks(work, num_chunks, threads, watcher):
        total += shared
    return total


def sample_deals(
    board: int,
    dead: int,
    ranges: Sequence[Floats],
    num_samples: int,
    seed: int,
    threads: int = 1,
    watcher: OnShare | None = None,
) -> Counts:
    """Return [S, S + 1] in how many of `num_samples` random deals a side is among k best hands.

    The result has the same bits for any number of `threads`. Raises CardError if the ranges can
    never, or hardly ever, be dealt together.
    """
    sides = sides_of(ranges)
    tables = load_tables()

    def work(chunk: int) -> Counts | None:
        count = min(_SAMPLES_PER_CHUNK, num_samples - chunk * _SAMPLES_PER_CHUNK)
        shared = np.zeros((len(ranges), len(ranges) + 1), dtype=np.int64)
        is_done = _sample_chunk(
            tables,
            sides,
            np.uint64(board),
            np.uint64(dead),
            np.uint64(seed),
            np.uint64(chunk),
            count,
            shared,
        )
        return shared if is_done else None

    num_chunks = -(-num_samples // _SAMPLES_PER_CHUNK)
    total = np.zeros((len(ranges), len(ranges) + 1), dtype=np.int64)
    for shared in in_chunks(work, num_chunks, threads, watcher):
        if shared is None:
            raise CardError(
                f"the ranges overlap so much that fewer than one of {_TRIES_PER_SAMPLE:,} random "
                "choices of hands is possible: give ranges that can be dealt together"
            )
        total += shared
    return total


@inlined
def key_of(tables: EvaluatorTables, cards: np.uint64) -> np.uint64:
    """Return the key of a set of cards, with START_KEY."""
    key = START_KEY
    while cards:
        key += tables.card_keys[lowest_bit(cards)]
        cards &= cards - np.uint64(1)
    return key


@kernel
@allocates
def _enumerate_boards(
    tables: EvaluatorTables, sides: Sides, boards: Words, counts: Offsets, shared: Floats
) -> None:
    """Add the weight of all deals on these boards; shared [S, S + 1] is modified."""
    num_sides = len(shared)
    begins = sides.begins
    ranks = np.empty(len(sides.masks), dtype=np.int64)
    place = np.zeros(num_sides, dtype=np.int64)
    used = np.zeros(num_sides + 1, dtype=np.uint64)
    weight = np.ones(num_sides + 1)
    best = np.zeros(num_sides + 1, dtype=np.int64)
    best[0] = 1 << 16
    for number in range(len(boards)):
        board = boards[number]
        board_key = key_of(tables, board)
        for hand in range(len(ranks)):
            mask = sides.masks[hand]
            ranks[hand] = rank_of_key(tables, board_key + sides.keys[hand], board | mask)
        used[0] = board
        weight[0] = np.float64(counts[number])
        # Depth first: a hand of the first side, then one of the second, …
        side = 0
        place[0] = 0
        while side >= 0:
            hand = place[side]
            if hand == begins[side + 1]:
                side -= 1
                if side >= 0:
                    place[side] += 1
                continue
            if sides.masks[hand] & used[side]:
                place[side] += 1
                continue
            used[side + 1] = used[side] | sides.masks[hand]
            weight[side + 1] = weight[side] * sides.weights[hand]
            best[side + 1] = min(best[side], ranks[hand])
            if side + 1 < num_sides:
                side += 1
                place[side] = begins[side]
                continue
            _share(ranks, place, best[num_sides], weight[num_sides], shared)
            place[side] += 1


@inlined
def _share(ranks: Counts, place: Counts, best: int, weight: float, shared: Floats | Counts) -> None:
    num_best = 0
    for side in range(len(place)):
        num_best += ranks[place[side]] == best
    for side in range(len(place)):
        if ranks[place[side]] == best:
            shared[side, num_best] += weight


@kernel
@allocates
def _sample_chunk(
    tables: EvaluatorTables,
    sides: Sides,
    board: np.uint64,
    dead: np.uint64,
    seed: np.uint64,
    stream: np.uint64,
    num_samples: int,
    shared: Counts,
) -> bool:
    """Count random deals; return whether they were possible. shared [S, S + 1] is modified."""
    num_sides = len(shared)
    deck = np.array(DECK, dtype=np.uint64)
    origin = split(root_of(seed), stream)
    counter = 0
    num_tries = 0
    hands = np.empty(num_sides, dtype=np.int64)
    ranks = np.empty(num_sides, dtype=np.int64)
    places = np.arange(num_sides)
    num_missing = BOARD_SIZE - int(popcount(board))
    for _ in range(num_samples):
        used = board | dead
        side = 0
        while side < num_sides:
            hand = _draw_hand(sides, side, draw(origin, counter))
            counter += 1
            if sides.masks[hand] & used:
                used = board | dead
                side = 0
                num_tries += 1
                if num_tries > _TRIES_PER_SAMPLE * num_samples:
                    return False
                continue
            used |= sides.masks[hand]
            hands[side] = hand
            side += 1
        whole = board
        num_dealt = 0
        while num_dealt < num_missing:
            card = np.uint64(1) << deck[int(draw(origin, counter) * NUM_CARDS)]
            counter += 1
            if card & used == 0:
                used |= card
                whole |= card
                num_dealt += 1
        board_key = key_of(tables, whole)
        best = 1 << 16
        for side in range(num_sides):
            mask = sides.masks[hands[side]]
            rank = rank_of_key(tables, board_key + sides.keys[hands[side]], whole | mask)
            ranks[side] = rank
            best = min(best, ranks[side])
        _share(ranks, places, best, 1, shared)
    return True


@inlined
def _draw_hand(sides: Sides, side: int, uniform: float) -> int:
    """Return the hand of a side whose part of the interval [0, 1) contains `uniform`."""
    low = sides.begins[side]
    high = sides.begins[side + 1] - 1
    while low < high:
        middle = (low + high) // 2
        if sides.shares[middle] > uniform:
            high = middle
        else:
            low = middle + 1
    return int(low)
