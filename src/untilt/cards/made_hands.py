"""Classes of hands on a board: what a hand has made, and what it can still become.

    made, draws = hand_classes(parse_cards("Td9d6h"))
    MADE[made[combo_index(*parse_cards("9s6s"))]]          # 'two pair'

What counts is what a hand has of its own: a pair on the board makes nobody a pair, and three of a
kind on the board nobody trips. Straights and better hands count however many cards of the board
they need. Everything is computed in NumPy, without a kernel.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from untilt.cards.card import NUM_RANKS, mask_of, rank_of, suit_of
from untilt.cards.combos import COMBO_CARDS, NUM_COMBOS, blocked_combos
from untilt.errors import CardError

MADE = (
    "straight flush",
    "four of a kind",
    "full house",
    "flush",
    "straight",
    "set",
    "trips",
    "two pair",
    "overpair",
    "top pair",
    "second pair",
    "underpair",
    "low pair",
    "ace high",
    "air",
)
"""What a hand has made, the best first. A set is a pocket pair with a card of the board, trips are
a pair of the board with a card of the hand. An overpair is a pocket pair above the board, an
underpair one below its highest card. Second pair is with the second rank of the board, low pair
with a lower one. Air is no pair and no ace."""

DRAWS = ("flush draw", "open-ended", "gutshot", "backdoor flush")
"""What a hand can become, before the river: a flush with one more card; a straight with one card of
two or more ranks, or of one rank; on the flop, a flush with two more cards. Each takes a card of
the hand. Hands with a flush or better have no draw, those with a straight none to a straight."""

BLOCKED = -1
"""Of a combo that the board blocks."""

_STRAIGHT_FLUSH, _QUADS, _FULL, _FLUSH, _STRAIGHT = range(5)
_SET, _TRIPS, _TWO_PAIR, _OVERPAIR, _TOP, _SECOND, _UNDER, _LOW, _ACE_HIGH, _AIR = range(5, 15)
_ACE = NUM_RANKS - 1
_WHEEL = 1 << _ACE | 0b1111
_STRAIGHTS = (*tuple(31 << low for low in range(NUM_RANKS - 5, -1, -1)), _WHEEL)
"""Sets of ranks, the highest first."""
_FLOP, _RIVER = 3, 5

Made = npt.NDArray[np.int8]
Draws = npt.NDArray[np.bool_]


def hand_classes(board: Sequence[int]) -> tuple[Made, Draws]:
    """Return [1326] the position of each combo in `MADE`, and [draws, 1326] whether it has each.

    `board` has three to five cards, by their numbers. Combos that it blocks are `BLOCKED`, without
    draws. Raises CardError for other boards.
    """
    if not _FLOP <= len(board) <= _RIVER:
        raise CardError(f"the board has {len(board)} cards: hands have classes on 3, 4 or 5 cards")
    return _hand_classes(tuple(sorted(board)))


@lru_cache(maxsize=32)
def _hand_classes(board: tuple[int, ...]) -> tuple[Made, Draws]:
    made: Made = np.full(NUM_COMBOS, BLOCKED, np.int8)
    draws: Draws = np.zeros((len(DRAWS), NUM_COMBOS), np.bool_)
    for combo in np.flatnonzero(~blocked_combos(mask_of(board))).tolist():
        first, second = COMBO_CARDS[combo].tolist()
        made[combo] = found = _made((first, second), board)
        if len(board) < _RIVER:
            draws[:, combo] = _draws((first, second), board, found)
    for array in (made, draws):
        array.flags.writeable = False
    return made, draws


def _made(hand: tuple[int, int], board: tuple[int, ...]) -> int:
    """Return the position of a hand in `MADE`."""
    cards = (*hand, *board)
    suited = [_ranks(card for card in cards if suit_of(card) == suit) for suit in range(4)]
    if any(_best_straight(ranks) for ranks in suited):
        return _STRAIGHT_FLUSH
    counts = _counts(cards)
    most, more = sorted(counts, reverse=True)[:2]
    if most == 4:
        return _QUADS
    if most == 3 and more >= 2:
        return _FULL
    if any(ranks.bit_count() >= 5 for ranks in suited):
        return _FLUSH
    if _best_straight(_ranks(cards)):
        return _STRAIGHT
    return _of_pairs(hand, board)


def _of_pairs(hand: tuple[int, int], board: tuple[int, ...]) -> int:
    """Return the position of a hand below a straight: what its own cards pair."""
    on_board = _counts(board)
    order = [rank for rank in range(NUM_RANKS - 1, -1, -1) if on_board[rank]]
    high, low = sorted(map(rank_of, hand), reverse=True)
    if high == low:
        if on_board[high]:
            return _SET
        return _OVERPAIR if high > order[0] else _UNDER
    if max(on_board[high], on_board[low]) >= 2:
        return _TRIPS
    if on_board[high] and on_board[low]:
        return _TWO_PAIR
    for rank in (high, low):
        if on_board[rank]:
            place = order.index(rank)
            return _TOP if place == 0 else _SECOND if place == 1 else _LOW
    return _ACE_HIGH if high == _ACE else _AIR


def _draws(hand: tuple[int, int], board: tuple[int, ...], made: int) -> list[bool]:
    """Return whether a hand has each of `DRAWS`."""
    flush, backdoor = False, False
    if made > _FLUSH:
        for suit in {suit_of(card) for card in hand}:
            count = sum(suit_of(card) == suit for card in (*hand, *board))
            flush |= count == 4
            backdoor |= count == 3 and len(board) == _FLOP
    outs = 0
    if made > _STRAIGHT:
        held, seen = _ranks((*hand, *board)), _ranks(board)
        for rank in range(NUM_RANKS):
            best = _best_straight(held | 1 << rank)
            # The board alone may make one with this card, for everybody.
            outs += best > _best_straight(seen | 1 << rank)
    return [flush, outs >= 2, outs == 1, backdoor and not flush]


def _counts(cards: Sequence[int]) -> list[int]:
    counts = [0] * NUM_RANKS
    for card in cards:
        counts[rank_of(card)] += 1
    return counts


def _ranks(cards: Iterable[int]) -> int:
    """Return the set of the ranks of cards."""
    found = 0
    for card in cards:
        found |= 1 << rank_of(card)
    return found


def _best_straight(ranks: int) -> int:
    """Return a number that is greater the higher the best straight in a set is; 0 without one."""
    for place, straight in enumerate(_STRAIGHTS):
        if ranks & straight == straight:
            return len(_STRAIGHTS) - place
    return 0
