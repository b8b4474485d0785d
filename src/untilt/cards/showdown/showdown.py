"""All hands against a range on one board at once: sort by strength, then sweep with card removal.

On a complete board every hand gets its rank, and hands are sorted, the weakest first. One sweep
then keeps the weight of all opponent hands so far, W, and for each card c the weight W_c of
those that hold it. A hand with cards a and b beats

    W − W_a − W_b

where W is taken before hands of equal rank are added. The hand cannot meet hands with a or b, and
only the hand itself holds both, which has not been added yet. After hands of equal rank are added,
the same sum plus the hand's own weight also includes ties. A board thus costs one sort instead of
a comparison of every pair of hands.

`HandOutcomes` sums over the run-outs of a board, `equity_histograms` counts them by equity.
Kernels of other modules use `rank_and_sort` and `sweep` for a single board.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.cards.card import NUM_CARDS, NUM_SUITS
from untilt.cards.combos import COMBO_CARDS, COMBO_MASKS, NUM_COMBOS
from untilt.cards.equity.outcomes import HandOutcomes
from untilt.cards.equity.runouts import Runouts
from untilt.cards.evaluator.evaluator import rank_of_key
from untilt.cards.evaluator.evaluator_tables import START_KEY, EvaluatorTables, load_tables
from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.bits import lowest_bit
from untilt.numeric.chunks import OnShare, in_chunks
from untilt.numeric.kernel import allocates, called, inlined, kernel

Words = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int64]
HandNumbers = npt.NDArray[np.uint16]

_BOARDS_PER_CHUNK = 128
_LOW_BITS = 7
_LOW = (1 << _LOW_BITS) - 1
_NUM_LOW = 1 << _LOW_BITS
_NUM_HIGH = 1 << 6
"""Ranks have 13 bits, and are sorted by the lower seven bits, then by the upper six."""
_ON_THE_EDGE = 1e-9
"""An equity that rounding put this little below the edge of a bin counts as above it."""


class RankedCombos(NamedTuple):
    """The N combos that take part, as hands 0 … N − 1."""

    masks: Words
    """[N] as sets of cards"""
    keys: Words
    """[N] what they add to the key of a board, see `evaluator`"""
    low: npt.NDArray[np.uint8]
    """[N] 0–51, the place of one card in `DECK`"""
    high: npt.NDArray[np.uint8]
    """[N] the place of the other card"""


class Sorting(NamedTuple):
    """Work space and result of sorting up to N hands by rank."""

    order: HandNumbers
    """[N] hands, the weakest first"""
    ranks: HandNumbers
    """[N] rank of each hand in that order, descending"""
    half_order: HandNumbers
    half_ranks: HandNumbers
    """[N] after the first of two passes"""


class Showdown(NamedTuple):
    """Wins and ties of each of N hands on one board, as weights of the opponent's hands."""

    wins: Floats
    """[N]"""
    ties: Floats
    """[N]"""
    totals: Floats
    """[N] wins, ties and losses together"""


def hands_of(combos: Offsets) -> RankedCombos:
    """Return the hands of these combos."""
    cards = COMBO_CARDS[combos]
    keys = load_tables().card_keys[cards].sum(axis=1, dtype=np.uint64)
    places = (cards & 15) * NUM_SUITS + (cards >> 4)
    return RankedCombos(COMBO_MASKS[combos], keys, places[:, 0].copy(), places[:, 1].copy())


def new_sorting(num_hands: int) -> Sorting:
    """Return arrays for sorting up to `num_hands` hands."""
    return Sorting(*(np.empty(num_hands, dtype=np.uint16) for _ in range(4)))


def new_showdown(num_hands: int) -> Showdown:
    """Return arrays for the showdown of `num_hands` hands."""
    return Showdown(*(np.zeros(num_hands) for _ in range(3)))


def sum_showdowns(
    runouts: Runouts,
    ranges: tuple[Floats, Floats],
    num_sides: int = 2,
    threads: int = 1,
    watcher: OnShare | None = None,
) -> list[HandOutcomes]:
    """Return the outcomes of the hands of each of two `ranges` against the other, on all run-outs.

    With `num_sides` = 1, only for the hands of the first. Ranges are weights [1326] without combos
    that hold a card of the board or a dead one. `threads` do not change the result.
    """
    combos = np.flatnonzero((ranges[0] > 0) | (ranges[1] > 0))
    hands = hands_of(combos)
    weights = np.stack([ranges[0][combos], ranges[1][combos]])
    tables = load_tables()

    def work(chunk: int) -> Floats:
        sums = np.zeros((num_sides, 3, len(combos)))
        part = slice(chunk * _BOARDS_PER_CHUNK, (chunk + 1) * _BOARDS_PER_CHUNK)
        _sum_boards(
            tables,
            hands,
            runouts.boards[part],
            runouts.counts[part],
            weights,
            new_sorting(len(combos)),
            new_showdown(len(combos)),
            sums,
        )
        return sums

    num_chunks = -(-len(runouts.boards) // _BOARDS_PER_CHUNK)
    total = np.zeros((num_sides, 3, len(combos)))
    for sums in in_chunks(work, num_chunks, threads, watcher):
        total += sums

    def outcomes(side: int) -> HandOutcomes:
        by_combo = np.zeros((NUM_COMBOS, 3))
        by_combo[combos] = total[side].T
        # With fractional weights, differences of equal sums may be just below zero.
        whole = np.maximum(runouts.spread(by_combo), 0.0)
        whole[ranges[side] == 0.0] = 0.0
        return HandOutcomes(*(column.copy() for column in whole.T))

    return [outcomes(side) for side in range(num_sides)]


def count_equities(
    runouts: Runouts,
    combos: Offsets,
    weights: Floats,
    num_bins: int,
    threads: int = 1,
    watcher: OnShare | None = None,
) -> Floats:
    """Return [1326, num_bins] the number of run-outs on which each combo's equity is in each bin.

    `combos` are all that are possible on the board, `weights` [1326] the opponent's range.
    """
    hands = hands_of(combos)
    tables = load_tables()

    def work(chunk: int) -> Counts:
        counts = np.zeros((len(combos), num_bins), dtype=np.int64)
        part = slice(chunk * _BOARDS_PER_CHUNK, (chunk + 1) * _BOARDS_PER_CHUNK)
        _count_boards(
            tables,
            hands,
            runouts.boards[part],
            runouts.counts[part],
            weights[combos],
            new_sorting(len(combos)),
            new_showdown(len(combos)),
            counts,
        )
        return counts

    num_chunks = -(-len(runouts.boards) // _BOARDS_PER_CHUNK)
    by_combo = np.zeros((NUM_COMBOS, num_bins))
    for counts in in_chunks(work, num_chunks, threads, watcher):
        by_combo[combos] += counts
    return runouts.spread(by_combo)


@kernel
def _sum_boards(
    tables: EvaluatorTables,
    hands: RankedCombos,
    boards: Words,
    counts: Offsets,
    weights: Floats,
    sorting: Sorting,
    showdown: Showdown,
    sums: Floats,
) -> None:
    """Add up wins, ties and totals of one or both sides; sums [sides, 3, N] is modified."""
    for number in range(len(boards)):
        num_live = rank_and_sort(tables, hands, boards[number], sorting)
        times = np.float64(counts[number])
        for side in range(len(sums)):
            sweep(hands, sorting, num_live, weights[1 - side], showdown)
            for place in range(num_live):
                hand = sorting.order[place]
                sums[side, 0, hand] += times * showdown.wins[hand]
                sums[side, 1, hand] += times * showdown.ties[hand]
                sums[side, 2, hand] += times * showdown.totals[hand]


@kernel
def _count_boards(
    tables: EvaluatorTables,
    hands: RankedCombos,
    boards: Words,
    counts: Offsets,
    weights: Floats,
    sorting: Sorting,
    showdown: Showdown,
    bins: Counts,
) -> None:
    """Count boards by the equity of every hand; bins [N, num_bins] is modified."""
    num_bins = bins.shape[1]
    for number in range(len(boards)):
        num_live = rank_and_sort(tables, hands, boards[number], sorting)
        sweep(hands, sorting, num_live, weights, showdown)
        for place in range(num_live):
            hand = sorting.order[place]
            # A hand that meets no other has no equity; rounding may leave a total just above zero.
            if showdown.totals[hand] > _ON_THE_EDGE:
                won = showdown.wins[hand] + 0.5 * showdown.ties[hand]
                equity = won / showdown.totals[hand]
                chosen = int(equity * num_bins + _ON_THE_EDGE)
                bins[hand, min(max(chosen, 0), num_bins - 1)] += counts[number]


@called
@allocates
def rank_and_sort(
    tables: EvaluatorTables, hands: RankedCombos, board: np.uint64, sorting: Sorting
) -> int:
    """Sort the hands that are possible on a board of five cards; return how many there are."""
    board_key = START_KEY
    left = board
    while left:
        board_key += tables.card_keys[lowest_bit(left)]
        left &= left - np.uint64(1)
    low_begins = np.zeros(_NUM_LOW + 1, dtype=np.int64)
    high_begins = np.zeros(_NUM_HIGH + 1, dtype=np.int64)
    order = sorting.order
    ranks = sorting.ranks
    num_live = 0
    for hand in range(len(hands.masks)):
        mask = hands.masks[hand]
        if mask & board == 0:
            rank = rank_of_key(tables, board_key + hands.keys[hand], board | mask)
            order[num_live] = hand
            ranks[num_live] = rank
            # Descending: the digits are counted from the other end.
            low_begins[_NUM_LOW - (rank & _LOW)] += 1
            high_begins[_NUM_HIGH - (rank >> _LOW_BITS)] += 1
            num_live += 1
    for digit in range(_NUM_LOW):
        low_begins[digit + 1] += low_begins[digit]
    for digit in range(_NUM_HIGH):
        high_begins[digit + 1] += high_begins[digit]
    for place in range(num_live):
        rank = ranks[place]
        digit = _NUM_LOW - 1 - (rank & _LOW)
        new_place = low_begins[digit]
        low_begins[digit] += 1
        sorting.half_order[new_place] = order[place]
        sorting.half_ranks[new_place] = rank
    for place in range(num_live):
        rank = sorting.half_ranks[place]
        digit = _NUM_HIGH - 1 - (rank >> _LOW_BITS)
        new_place = high_begins[digit]
        high_begins[digit] += 1
        order[new_place] = sorting.half_order[place]
        ranks[new_place] = rank
    return num_live


@kernel
@allocates
def sweep(
    hands: RankedCombos, sorting: Sorting, num_live: int, weights: Floats, showdown: Showdown
) -> None:
    """Write the wins, ties and totals of the sorted hands against the opponent's `weights` [N].

    Entries of `showdown` for hands that are not possible on the board do not change.
    """
    order = sorting.order
    ranks = sorting.ranks
    wins = showdown.wins
    ties = showdown.ties
    with_card = np.zeros(NUM_CARDS)
    total = 0.0
    begin = 0
    while begin < num_live:
        rank = ranks[begin]
        end = begin
        while end < num_live and ranks[end] == rank:
            hand = order[end]
            wins[hand] = _possible(hands, hand, total, with_card)
            end += 1
        for place in range(begin, end):
            hand = order[place]
            weight = weights[hand]
            total += weight
            with_card[hands.low[hand]] += weight
            with_card[hands.high[hand]] += weight
        for place in range(begin, end):
            hand = order[place]
            reached = _possible(hands, hand, total, with_card) + weights[hand]
            ties[hand] = reached - wins[hand]
        begin = end
    for place in range(num_live):
        hand = order[place]
        showdown.totals[hand] = _possible(hands, hand, total, with_card) + weights[hand]


@inlined
def _possible(hands: RankedCombos, hand: np.uint16, total: float, with_card: Floats) -> float:
    without: float = total - with_card[hands.low[hand]] - with_card[hands.high[hand]]
    return without
