"""Rank poker hands of five or more cards: 1 is a royal flush, 7462 is 7-5-4-3-2 offsuit.

    hands = np.array([parse_cards("AsKsQsJsTs2d3c")], dtype=np.uint8)
    evaluate(hands)                                   # array([1], dtype=uint16)

`evaluate` ranks arrays, `count_hands` all hands of the deck. Kernels of other modules call

    rank_of_key(tables, key, mask)      rank_of_mask(tables, mask)

with `tables = load_tables(7)`. The key of a set of cards is a sum and its mask a union, so
kernels that enumerate boards add the common part once:

    board_key = START_KEY + tables.card_keys[c0] + … + tables.card_keys[c4]
    hole_key = tables.card_keys[a] + tables.card_keys[b]
    rank = rank_of_key(tables, board_key + hole_key, board_mask | hole_mask)

`tables` are made for one total number of cards. Keys and masks must be uint64, in kernels too:
Numba turns the sum of an int64 and a uint64 into a float. Only hands with a flush use the mask, so
building it costs almost nothing if the compiler can postpone it.

Hands of 5, 6 and 7 cards have tables. Longer ones, as on the boards of River of Blood, are ranked
by `best_five`.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from untilt.cards.card import DECK, DECK_MASK, NUM_CARDS, NUM_HAND_RANKS, card_name, is_card
from untilt.cards.evaluator.best_five import BestFiveTables, best_five_arrays, rank_of_suits
from untilt.cards.evaluator.evaluator_tables import (
    FLUSH_BITS,
    HAND_SIZES,
    NO_CARD_BITS,
    ROW_BITS,
    ROW_MASK,
    START_KEY,
    SUIT_COUNT_SHIFT,
    SUIT_FLUSH_BIT,
    SUIT_SUM_MASK,
    EvaluatorTables,
    load_tables,
)
from untilt.cards.evaluator.vector_keys import HANDS_AT_ONCE, sum_four_keys
from untilt.errors import CardError, InvalidOption
from untilt.numeric.bits import popcount
from untilt.numeric.kernel import allocates, inlined, kernel

Cards = npt.NDArray[np.uint8]
Masks = npt.NDArray[np.uint64]
HandRanks = npt.NDArray[np.uint16]

_LEAST_CHUNK = 1 << 15
"""The minimum number of hands per kernel call: fewer are ranked before a thread has started."""

_BLOCK = 256
"""Hands that are checked and ranked together, while they are in the L1 cache."""

_NOT_CARDS = np.uint64(~DECK_MASK & (1 << 64) - 1)
_SUIT_BITS = np.uint64(0x1FFF)
_NO_SHIFT = np.uint64(0)
_SHIFTS = (np.uint64(16), np.uint64(32), np.uint64(48))
_ONE = np.uint64(1)
_COUNT_BITS = np.uint32(0x3F) << SUIT_COUNT_SHIFT
_NONE_BAD = -1
_BLANKS = 2


def evaluate(hands: npt.ArrayLike, threads: int = 1, check: bool = False) -> HandRanks:
    """Return the rank of every hand, 1 (best) to 7462; the best five cards count.

    `hands` are cards, uint8 [N, cards], five or more, or sets of cards, uint64 [N], which must all
    have the same size. Raises CardError if a number is not a card and, with `check`, if a hand has
    a card twice; without `check` the rank of such a hand is meaningless. Kernels run in `threads`
    threads, without the interpreter lock.
    """
    if threads < 1:
        raise InvalidOption.of("threads", threads, "use at least 1")
    array = np.asarray(hands)
    if array.ndim == 2 and array.dtype == np.uint8 and HAND_SIZES[0] <= array.shape[1] <= NUM_CARDS:
        cards = np.require(array, requirements=["C", "A", "W"])
        if array.shape[1] in HAND_SIZES:
            return _evaluate_cards(cards, threads, check)
        return _evaluate_long(cards, threads, check)
    if array.ndim == 1 and array.dtype == np.uint64:
        return _evaluate_masks(np.require(array, requirements=["C", "A", "W"]), threads)
    raise CardError(
        f"hands are {array.dtype} of shape {array.shape}: use uint8 cards of shape (N, 5) to "
        "(N, 52), or uint64 sets of shape (N,)"
    )


def evaluate_in_numpy(sets: Masks) -> HandRanks:
    """Return the rank of sets of seven cards, uint64 [N], without compiling a kernel."""
    tables = load_tables(7)
    suits = [(sets >> shift & _SUIT_BITS).astype(np.intp) for shift in (_NO_SHIFT, *_SHIFTS)]
    sums = np.sum([tables.suit_keys[suit] for suit in suits], axis=0, dtype=np.uint32)
    rank_keys = sums & SUIT_SUM_MASK
    rows = tables.offsets[rank_keys & ROW_MASK].astype(np.uint32)
    ranks: HandRanks = tables.ranks[rows + (rank_keys >> ROW_BITS)]
    has_flush = sums & SUIT_FLUSH_BIT != 0
    # The other suits have 0 in the table.
    flushes = [tables.flush_ranks[suit[has_flush]] for suit in suits]
    ranks[has_flush] = np.max(flushes, axis=0)
    return ranks


def count_hands(num_cards: int = 7) -> npt.NDArray[np.int64]:
    """Return [7463] how many of all C(52, num_cards) hands have each rank; entry 0 is 0.

    >>> from untilt.cards import count_hands
    >>> count_hands(5)[1].item()  # royal flushes
    4
    """
    tables = load_tables(num_cards)
    deck = np.array(DECK, dtype=np.uint64)
    keys = np.concatenate([np.zeros(_BLANKS, dtype=np.uint64), tables.card_keys[deck]])
    masks = np.concatenate([np.zeros(_BLANKS, dtype=np.uint64), _ONE << deck])
    counts = np.zeros(NUM_HAND_RANKS + 1, dtype=np.uint32)
    _count_all(tables, keys, masks, num_cards, counts)
    return counts.astype(np.int64)


@inlined
def rank_of_key(tables: EvaluatorTables, key: np.uint64, mask: np.uint64) -> np.uint16:
    """Return the rank of the hand with this key (from START_KEY) and this set of cards."""
    if key & FLUSH_BITS:
        return _flush_rank(tables, mask)
    return _plain_rank(tables, np.uint32(key))


@inlined
def rank_of_mask(tables: EvaluatorTables, mask: np.uint64) -> np.uint16:
    """Return the rank of a set of cards of the size that `tables` are made for.

    A set of another size gives a meaningless rank.
    """
    return _rank_of_suit_sum(tables, _suit_sum(tables, mask), mask)


@inlined
def _suit_sum(tables: EvaluatorTables, mask: np.uint64) -> np.uint32:
    suit_keys = tables.suit_keys
    return np.uint32(
        suit_keys[mask & _SUIT_BITS]
        + suit_keys[mask >> _SHIFTS[0] & _SUIT_BITS]
        + suit_keys[mask >> _SHIFTS[1] & _SUIT_BITS]
        + suit_keys[mask >> _SHIFTS[2] & _SUIT_BITS]
    )


@inlined
def _rank_of_suit_sum(tables: EvaluatorTables, suit_sum: np.uint32, mask: np.uint64) -> np.uint16:
    if suit_sum & SUIT_FLUSH_BIT:
        return _flush_rank(tables, mask)
    return _plain_rank(tables, suit_sum & SUIT_SUM_MASK)


@inlined
def _plain_rank(tables: EvaluatorTables, rank_key: np.uint32) -> np.uint16:
    row_begin = np.uint32(tables.offsets[rank_key & ROW_MASK])
    rank: np.uint16 = tables.ranks[row_begin + (rank_key >> ROW_BITS)]
    return rank


@inlined
def _flush_rank(tables: EvaluatorTables, mask: np.uint64) -> np.uint16:
    # The other suits have 0 in the table.
    flush_ranks = tables.flush_ranks
    return max(
        flush_ranks[mask & _SUIT_BITS],
        flush_ranks[mask >> _SHIFTS[0] & _SUIT_BITS],
        flush_ranks[mask >> _SHIFTS[1] & _SUIT_BITS],
        flush_ranks[mask >> _SHIFTS[2] & _SUIT_BITS],
    )


def _evaluate_cards(cards: Cards, threads: int, check: bool) -> HandRanks:
    num_hands, num_cards = cards.shape
    tables = load_tables(num_cards)
    rank_cards = _cards_kernel(num_cards)
    flat = cards.reshape(-1)
    ranks = np.empty(num_hands, dtype=np.uint16)

    def rank_chunk(begin: int, end: int) -> int:
        part = flat[begin * num_cards : end * num_cards]
        bad = rank_cards(tables, part, check, ranks[begin:end])
        return int(bad) if bad == _NONE_BAD else begin + int(bad)

    bad = _first_bad(rank_chunk, num_hands, threads)
    if bad is not None:
        _refuse_cards(cards[bad : bad + _BLOCK], bad)
    return ranks


def _evaluate_masks(masks: Masks, threads: int) -> HandRanks:
    num_cards = int(masks[0]).bit_count() if len(masks) else 7
    if num_cards < HAND_SIZES[0]:
        raise CardError(f"set 0 has {num_cards} cards: use sets of 5 or more cards")
    ranks = np.empty(len(masks), dtype=np.uint16)
    is_long = num_cards not in HAND_SIZES
    tables = None if is_long else load_tables(num_cards)

    def rank_chunk(begin: int, end: int) -> int:
        part, found = masks[begin:end], ranks[begin:end]
        if tables is None:
            bad = _rank_long_masks(best_five_arrays(), part, np.uint64(num_cards), found)
        else:
            bad = _rank_masks(tables, part, np.uint32(num_cards), found)
        return int(bad) if bad == _NONE_BAD else begin + int(bad)

    bad = _first_bad(rank_chunk, len(masks), threads)
    if bad is not None:
        _refuse_masks(masks[bad : bad + _BLOCK], bad, num_cards)
    return ranks


def _evaluate_long(cards: Cards, threads: int, check: bool) -> HandRanks:
    tables = best_five_arrays()
    ranks = np.empty(len(cards), dtype=np.uint16)

    def rank_chunk(begin: int, end: int) -> int:
        bad = _rank_long_cards(tables, cards[begin:end], check, ranks[begin:end])
        return int(bad) if bad == _NONE_BAD else begin + int(bad)

    bad = _first_bad(rank_chunk, len(cards), threads)
    if bad is not None:
        _refuse_cards(cards[bad : bad + 1], bad)
    return ranks


def _first_bad(rank_chunk: Callable[[int, int], int], num_hands: int, threads: int) -> int | None:
    """Rank chunk by chunk; return where the first block with a bad hand begins, if any."""
    # A few chunks per thread, so that threads finish together even if one is slowed down.
    share = num_hands if threads == 1 else -(-num_hands // (4 * threads))
    size = max(share, _LEAST_CHUNK)
    begins = iter(range(0, num_hands, size))

    def rank_chunks() -> list[int]:
        return [rank_chunk(begin, min(begin + size, num_hands)) for begin in begins]

    num_helpers = min(threads, -(-num_hands // size)) - 1
    if num_helpers <= 0:
        found = rank_chunks()
    else:
        with ThreadPoolExecutor(num_helpers) as pool:
            helpers = [pool.submit(rank_chunks) for _ in range(num_helpers)]
            found = rank_chunks()
            for helper in helpers:
                found += helper.result()
    return min((bad for bad in found if bad != _NONE_BAD), default=None)


def _refuse_cards(block: Cards, first: int) -> None:
    for number, hand in enumerate(block.tolist(), start=first):
        for card in hand:
            if not is_card(card):
                raise CardError(
                    f"hand {number} contains {card}, which is not a card: a card is its rank, "
                    "0–12, plus 16 times its suit, 0–3"
                )
            if hand.count(card) > 1:
                raise CardError(f"hand {number} contains {card_name(card)} twice")
    raise AssertionError("a kernel reported a bad hand that is valid")


def _refuse_masks(block: Masks, first: int, num_cards: int) -> None:
    for number, mask in enumerate(block.tolist(), start=first):
        if mask & ~DECK_MASK:
            raise CardError(f"set {number} has bits that are not cards: {mask & ~DECK_MASK:#x}")
        if mask.bit_count() != num_cards:
            raise CardError(
                f"set {number} has {mask.bit_count()} cards, set 0 has {num_cards}: "
                "rank sets of different sizes separately"
            )
    raise AssertionError("a kernel reported a bad set that is valid")


@lru_cache(maxsize=len(HAND_SIZES))
def _cards_kernel(num_cards: int) -> Callable[[EvaluatorTables, Cards, bool, HandRanks], int]:
    """Return the kernel for hands of one size: as a constant, 1.3 × as fast (measured)."""
    size = np.uint64(num_cards)

    @kernel
    @allocates
    def rank_cards(
        tables: EvaluatorTables, cards: Cards, is_checked: bool, ranks: HandRanks
    ) -> int:
        """Write the rank of every hand; return where a block with a bad one begins."""
        num_hands = len(ranks)
        keys = np.empty(HANDS_AT_ONCE, dtype=np.uint64)
        # Eight bytes are read per hand, which for the last hand would read past the array.
        num_readable = num_hands - 1
        for begin in range(0, num_hands, _BLOCK):
            end = min(begin + _BLOCK, num_hands)
            if is_checked and _has_duplicate(cards, size, begin, end):
                return begin
            seen = np.uint64(0)
            last = begin + (min(end, num_readable) - begin) // HANDS_AT_ONCE * HANDS_AT_ONCE
            for first in range(begin, last, HANDS_AT_ONCE):
                sum_four_keys(tables.card_keys, cards, np.uint64(first) * size, size, keys)
                four_ranks = ranks[first : first + HANDS_AT_ONCE]
                for position in range(HANDS_AT_ONCE):
                    key = keys[position]
                    seen |= key
                    if key & FLUSH_BITS:
                        mask = _mask_of_hand(cards, size, first + position)
                        four_ranks[position] = _flush_rank(tables, mask)
                    else:
                        four_ranks[position] = _plain_rank(tables, np.uint32(key))
            for hand in range(max(begin, last), end):
                key = _key_of_hand(tables, cards, size, hand)
                seen |= key
                ranks[hand] = rank_of_key(tables, key, _mask_of_hand(cards, size, hand))
            if seen & NO_CARD_BITS:
                return begin
        return _NONE_BAD

    return rank_cards


@inlined
def _has_duplicate(cards: Cards, size: np.uint64, begin: int, end: int) -> bool:
    difference = np.uint64(0)
    for hand in range(begin, end):
        difference |= popcount(_mask_of_hand(cards, size, hand)) ^ size
    return bool(difference != 0)


@inlined
def _mask_of_hand(cards: Cards, size: np.uint64, hand: int) -> np.uint64:
    first = np.uint64(hand) * size
    mask = np.uint64(0)
    for position in range(size):
        mask |= _ONE << np.uint64(cards[first + position])
    return mask


@inlined
def _key_of_hand(tables: EvaluatorTables, cards: Cards, size: np.uint64, hand: int) -> np.uint64:
    first = np.uint64(hand) * size
    key = START_KEY
    for position in range(size):
        key += tables.card_keys[cards[first + position]]
    return key


@kernel
@allocates
def _rank_masks(
    tables: EvaluatorTables, masks: Masks, num_cards: np.uint32, ranks: HandRanks
) -> int:
    """Write the rank of every set of cards; return where a block with a bad one begins."""
    right_count = num_cards << SUIT_COUNT_SHIFT
    # Two passes, although one would do: the first has no branches to mispredict.
    suit_sums = np.empty(_BLOCK, dtype=np.uint32)
    for begin in range(0, len(masks), _BLOCK):
        block = masks[begin : begin + _BLOCK]
        block_ranks = ranks[begin : begin + _BLOCK]
        seen = np.uint64(0)
        wrong_count = np.uint32(0)
        for position in range(len(block)):
            mask = block[position]
            suit_sum = _suit_sum(tables, mask)
            seen |= mask
            wrong_count |= suit_sum ^ right_count
            suit_sums[position] = suit_sum
        if seen & _NOT_CARDS or wrong_count & _COUNT_BITS:
            return begin
        for position in range(len(block)):
            block_ranks[position] = _rank_of_suit_sum(tables, suit_sums[position], block[position])
    return _NONE_BAD


_rank_of_suits = inlined(rank_of_suits)


@inlined
def rank_of_long_mask(tables: BestFiveTables, mask: np.uint64) -> int:
    """Return the rank of the best five of a set of five cards or more."""
    return _rank_of_suits(
        tables,
        int(mask & _SUIT_BITS),
        int(mask >> _SHIFTS[0] & _SUIT_BITS),
        int(mask >> _SHIFTS[1] & _SUIT_BITS),
        int(mask >> _SHIFTS[2] & _SUIT_BITS),
    )


@kernel
def _rank_long_masks(
    tables: BestFiveTables, masks: Masks, num_cards: np.uint64, ranks: HandRanks
) -> int:
    """Write the rank of every set of eight or more cards; return where a bad one is."""
    for number in range(len(masks)):
        mask = masks[number]
        if mask & _NOT_CARDS or popcount(mask) != num_cards:
            return number
        ranks[number] = rank_of_long_mask(tables, mask)
    return _NONE_BAD


@kernel
def _rank_long_cards(
    tables: BestFiveTables, cards: Cards, is_checked: bool, ranks: HandRanks
) -> int:
    """Write the rank of every hand of eight or more cards; return where a bad one is."""
    size = np.uint64(cards.shape[1])
    for hand in range(len(cards)):
        mask = np.uint64(0)
        is_bad = False
        for card in cards[hand]:
            is_bad |= card >= 64
            mask |= _ONE << np.uint64(card & np.uint8(63))
        if is_bad or mask & _NOT_CARDS or (is_checked and popcount(mask) != size):
            return hand
        ranks[hand] = rank_of_long_mask(tables, mask)
    return _NONE_BAD


@kernel
def _count_all(
    tables: EvaluatorTables,
    keys: Masks,
    masks: Masks,
    num_cards: int,
    counts: npt.NDArray[np.uint32],
) -> None:
    """Add 1 to `counts` for the rank of every hand of `num_cards` cards.

    `keys` and `masks` are of two blank cards and the deck. Hands of five begin with both
    blanks, hands of six with one. If six cards cannot become a flush, the last card's suit
    does not matter and the remaining cards of a rank are counted together.
    """
    end = _BLANKS + NUM_CARDS
    first = num_cards - 5
    one_more = np.uint64(0x1111) << np.uint64(48)
    for a in range(first, end if num_cards == 7 else first + 1):
        key_a = START_KEY + keys[a]
        for b in range(a + 1, end if num_cards > 5 else a + 2):
            key_b = key_a + keys[b]
            mask_b = masks[a] | masks[b]
            for c in range(b + 1, end):
                key_c = key_b + keys[c]
                mask_c = mask_b | masks[c]
                for d in range(c + 1, end):
                    key_d = key_c + keys[d]
                    mask_d = mask_c | masks[d]
                    for e in range(d + 1, end):
                        key_e = key_d + keys[e]
                        mask_e = mask_d | masks[e]
                        for f in range(e + 1, end):
                            key_f = key_e + keys[f]
                            if (key_f + one_more) & FLUSH_BITS:
                                mask_f = mask_e | masks[f]
                                for g in range(f + 1, end):
                                    rank = rank_of_key(tables, key_f + keys[g], mask_f | masks[g])
                                    counts[rank] += np.uint32(1)
                            else:
                                next_rank = f + 4 - (f - _BLANKS) % 4
                                rank = _plain_rank(tables, np.uint32(key_f + keys[f]))
                                counts[rank] += np.uint32(next_rank - f - 1)
                                for g in range(next_rank, end, 4):
                                    rank = _plain_rank(tables, np.uint32(key_f + keys[g]))
                                    counts[rank] += np.uint32(4)
