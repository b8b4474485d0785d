"""A single hand in words: its rank, its category, the five cards that count and a description.

    describe_hand(parse_cards("KsKh Kd 2c 2s 9h 7d")).text     # 'full house, kings full of twos'

A hand is five cards or more; the best five count. This is plain Python on the evaluator's tables: a
single hand needs no compiled code.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

from untilt.cards.card import (
    NUM_HAND_RANKS,
    NUM_SUITS,
    cards_name,
    is_integer,
    mask_of,
    parse_cards,
    rank_of,
    strength_of_rank,
    suit_of,
)
from untilt.cards.evaluator.best_five import SUIT_BITS, best_five_lists, rank_of_suits
from untilt.cards.evaluator.evaluator_tables import (
    FLUSH_BITS,
    HAND_SIZES,
    ROW_BITS,
    ROW_MASK,
    START_KEY,
    load_tables,
)
from untilt.errors import CardError, InvalidOption, shortened

CATEGORIES = (
    "straight flush",
    "four of a kind",
    "full house",
    "flush",
    "straight",
    "three of a kind",
    "two pair",
    "pair",
    "high card",
)

CATEGORY_BEGINS = (1, 11, 167, 323, 1600, 1610, 2468, 3326, 6186)
"""The best rank of every category."""

_NAMES = (
    *("two", "three", "four", "five", "six", "seven", "eight"),
    *("nine", "ten", "jack", "queen", "king", "ace"),
)
_FIVE_HIGH = [12, 3, 2, 1, 0]

_FEWEST = HAND_SIZES[0]
_START, _FLUSH, _PLAIN = int(START_KEY), int(FLUSH_BITS), (1 << 32) - 1
_ROW, _COLUMN = int(ROW_MASK), int(ROW_BITS)


@dataclass(frozen=True)
class RankedHand:
    """A hand of five or more cards, with its rank."""

    rank: int
    """1 (royal flush) to 7462."""
    category: str
    """One of `CATEGORIES`."""
    cards: tuple[int, ...]
    """The five cards that count, the most important first."""
    text: str
    """A description such as `two pair, kings and twos, ace kicker`."""

    @property
    def strength(self) -> int:
        """7463 − rank; higher is stronger."""
        return strength_of_rank(self.rank)

    def to_json(self) -> dict[str, Any]:
        """Return the hand as plain data, as `untilt rank --json` prints it."""
        return {
            "rank": self.rank,
            "strength": self.strength,
            "category": self.category,
            "cards": cards_name(self.cards),
            "text": self.text,
        }


def rank(hand: str, board: str = "") -> RankedHand:
    """Return what a poker hand is worth: its rank, 1 (best) to 7462, category and five cards.

    `hand` and `board` are cards as text; together they have five cards or more.

    >>> import untilt
    >>> untilt.cards.rank("AsKs", board="QsJsTs2d3c").text
    'royal flush'
    """
    for name, text in (("hand", hand), ("board", board)):
        if not isinstance(text, str):
            raise InvalidOption.of(name, text, "give cards as text, such as 'AsKs'")
    return describe_hand(parse_cards(f"{hand} {board}"))


def describe_hand(cards: Sequence[int]) -> RankedHand:
    """Return the rank, category, best five cards and a description of five or more cards.

    Raises CardError for fewer cards, an invalid card or a repeated one.
    """
    rank = rank_hand(cards)
    category = category_of(rank)
    best = _best_five(cards, rank)
    return RankedHand(rank, category, best, _sentence(rank, category, best))


def rank_hand(cards: Sequence[int]) -> int:
    """Return the rank, 1 to 7462, of five or more cards; `evaluate` ranks many hands."""
    mask_of(cards)
    if len(cards) < _FEWEST:
        raise CardError(f"a hand of {len(cards)} cards cannot be ranked: use {_FEWEST} or more")
    return rank_dealt_hand(cards)


def rank_dealt_hand(cards: Sequence[int]) -> int:
    """Return the rank, 1 to 7462, of five or more cards that are known to be different cards."""
    if len(cards) > HAND_SIZES[-1]:
        mask = 0
        for card in cards:
            mask |= 1 << card
        suits = [mask >> 16 * suit & SUIT_BITS for suit in range(NUM_SUITS)]
        return rank_of_suits(best_five_lists(), *suits)
    tables = _listed_tables(len(cards))
    key = _START
    for card in cards:
        key += tables.card_keys[card]
    if key & _FLUSH:
        # Each suit has a four-bit counter that starts at three: its highest bit means five or more.
        suit = ((key & _FLUSH) >> 48).bit_length() - 1 >> 2
        return tables.flush_ranks[sum(1 << rank_of(c) for c in cards if suit_of(c) == suit)]
    key &= _PLAIN
    return tables.ranks[tables.offsets[key & _ROW] + (key >> _COLUMN)]


@dataclass(frozen=True, slots=True)
class _ListedTables:
    """`EvaluatorTables` as lists, which Python reads faster."""

    card_keys: list[int]
    flush_ranks: list[int]
    offsets: list[int]
    ranks: list[int]


@lru_cache(maxsize=len(HAND_SIZES))
def _listed_tables(num_cards: int) -> _ListedTables:
    tables = load_tables(num_cards)
    return _ListedTables(
        tables.card_keys.tolist(),
        tables.flush_ranks.tolist(),
        tables.offsets.tolist(),
        tables.ranks.tolist(),
    )


def category_of(rank: int) -> str:
    """Return the category of a hand of this rank."""
    if not (is_integer(rank) and 1 <= rank <= NUM_HAND_RANKS):
        raise CardError(
            f"no hand has rank {shortened(rank)}: use 1 (royal flush) to {NUM_HAND_RANKS}"
        )
    return CATEGORIES[bisect_right(CATEGORY_BEGINS, rank) - 1]


def _best_five(cards: Sequence[int], rank: int) -> tuple[int, ...]:
    ordered = sorted(cards, key=lambda card: (rank_of(card), suit_of(card)), reverse=True)
    five = next(five for five in combinations(ordered, 5) if rank_hand(five) == rank)
    count = Counter(rank_of(card) for card in five)
    if [rank_of(card) for card in five] == _FIVE_HIGH and category_of(rank).startswith("straight"):
        return (*five[1:], five[0])
    # The sort is stable: cards of equal count and rank keep their order.
    return tuple(sorted(five, key=lambda card: (-count[rank_of(card)], -rank_of(card))))


def _sentence(rank: int, category: str, cards: Sequence[int]) -> str:
    names = [_NAMES[each] for each in dict.fromkeys(rank_of(card) for card in cards)]
    if rank == 1:
        return "royal flush"
    if category in {"straight flush", "straight"}:
        return f"{category}, {names[0]} high"
    if category in {"flush", "high card"}:
        return f"{category}, {'-'.join(names)}"
    if category == "full house":
        return f"full house, {_plural(names[0])} full of {_plural(names[1])}"
    if category == "two pair":
        return f"two pair, {_plural(names[0])} and {_plural(names[1])}, {_kickers(names[2:])}"
    if category == "pair":
        return f"pair of {_plural(names[0])}, {_kickers(names[1:])}"
    return f"{category}, {_plural(names[0])}, {_kickers(names[1:])}"


def _plural(name: str) -> str:
    return name + ("es" if name.endswith("x") else "s")


def _kickers(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last} kickers" if others else f"{last} kicker"
