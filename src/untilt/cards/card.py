"""A card is a small integer, a set of cards a 64-bit mask.

    card   rank in bits 0–3 (2 = 0 … A = 12), suit in bits 4–5 (c d h s = 0–3): As = 0x3c
    set    bit `1 << card`; each suit has 16 bits, of which the lower 13 are used

There are two dense numberings, for tables and for other programs. Both follow the order of `DECK`:

    index    0 … 51, rank * 4 + suit (2c 0, 2d 1, 2h 2, 2s 3, 3c 4 … As 51)
    number   1 … 52, as in lookup-table evaluators (2c 1 … As 52)
"""

from collections.abc import Iterable

from untilt.errors import CardError, shortened

RANKS = "23456789TJQKA"
SUITS = "cdhs"

NUM_RANKS = len(RANKS)
NUM_SUITS = len(SUITS)
NUM_CARDS = NUM_RANKS * NUM_SUITS

DECK: tuple[int, ...] = tuple(
    rank | suit << 4 for rank in range(NUM_RANKS) for suit in range(NUM_SUITS)
)
"""All 52 cards: 2c 2d 2h 2s 3c … As."""

DECK_MASK = sum(1 << card for card in DECK)
"""The set of all 52 cards."""

BOARD_SIZE = 5
"""The number of cards of a complete board."""

NUM_HAND_RANKS = 7462
"""The number of distinct ranks of five-card hands; rank 1 is the best, this the worst."""

_SEPARATORS = " ,\t"


def card_of(rank: int, suit: int) -> int:
    """Return the card of `rank` 0–12 (2 … A) and `suit` 0–3 (c d h s)."""
    if not (0 <= rank < NUM_RANKS and 0 <= suit < NUM_SUITS):
        raise CardError(f"no card has rank {rank} and suit {suit}: use rank 0–12 and suit 0–3")
    return rank | suit << 4


def rank_of(card: int) -> int:
    """Return the rank of a card, 0 (deuce) to 12 (ace)."""
    return card & 15


def suit_of(card: int) -> int:
    """Return the suit of a card, 0–3 for clubs, diamonds, hearts, spades."""
    return card >> 4


def is_integer(value: object) -> bool:
    """Return whether `value` is a Python or NumPy integer, and not an array of them."""
    return hasattr(type(value), "__index__") and not getattr(value, "ndim", 0)


def is_card(card: int) -> bool:
    """Return whether `card` is the integer of one of the 52 cards."""
    return is_integer(card) and 0 <= card < 64 and bool(DECK_MASK >> card & 1)


def parse_card(text: str) -> int:
    """Return the card called `text`: rank, then suit, as in `As`, `Td`, `2c`."""
    cards = parse_cards(text)
    if len(cards) != 1:
        raise CardError(f"{text!r} is {len(cards)} cards: give one, such as 'As'")
    return cards[0]


def parse_cards(text: str) -> list[int]:
    """Return the cards of `AsKh`, `As Kh` or `As,Kh`, in that order.

    Raises CardError, with the position of the character, for anything else and for a repeated
    card.
    """
    if not isinstance(text, str):
        raise CardError(f"cards are {shortened(text)}: give text, such as 'AsKh'")
    cards: list[int] = []
    position = 0
    while position < len(text):
        if text[position] in _SEPARATORS:
            position += 1
            continue
        card = _card_at(text, position)
        if card in cards:
            raise _error(text, position, f"{card_name(card)} appears twice: give each card once")
        cards.append(card)
        position += 2
    return cards


def _card_at(text: str, position: int) -> int:
    rank = RANKS.find(text[position].upper())
    if rank < 0:
        hint = " (a ten is T)" if text[position : position + 2] == "10" else ""
        raise _error(text, position, f"a rank is one of {RANKS}{hint}")
    if position + 1 == len(text):
        raise _error(text, position + 1, f"a suit, one of {SUITS}, is missing")
    suit = SUITS.find(text[position + 1].lower())
    if suit < 0:
        raise _error(text, position + 1, f"a suit is one of {SUITS}")
    return card_of(rank, suit)


def _error(text: str, position: int, message: str) -> CardError:
    found = repr(text[position]) if position < len(text) else "the end"
    return CardError(f"cards {text!r}, character {position + 1} ({found}): {message}")


def card_name(card: int) -> str:
    """Return the name of a card, such as `As`."""
    if not is_card(card):
        raise CardError(
            f"{shortened(card)} is not a card: rank 0–12 in bits 0–3, suit 0–3 in bits 4–5"
        )
    return RANKS[rank_of(card)] + SUITS[suit_of(card)]


def cards_name(cards: Iterable[int], between: str = " ") -> str:
    """Return the names of cards in the given order, such as `As Kh`."""
    return between.join(card_name(card) for card in _listed(cards))


def mask_of(cards: Iterable[int]) -> int:
    """Return the set of `cards` as a mask.

    Raises CardError if one of them is not a card or appears twice.
    """
    mask = 0
    for card in _listed(cards):
        name = card_name(card)
        if mask >> card & 1:
            raise CardError(f"{name} appears twice: a set holds each card once")
        mask |= 1 << card
    return mask


def _listed(cards: Iterable[int]) -> Iterable[int]:
    if isinstance(cards, Iterable):
        return cards
    raise CardError(f"{shortened(cards)} is not a list of cards")


def cards_of(mask: int) -> list[int]:
    """Return the cards of a set, in the order of `DECK`.

    Raises CardError if the mask has a bit that is not a card.
    """
    if not is_integer(mask):
        raise CardError(f"{shortened(mask)} is not a mask of cards: it must be an integer")
    if mask & ~DECK_MASK:
        raise CardError(f"mask {mask:#x} has bits that are not cards: {mask & ~DECK_MASK:#x}")
    return [card for card in DECK if mask >> card & 1]


def index_of(card: int) -> int:
    """Return the position of a card in `DECK`, 0–51."""
    return rank_of(card) * NUM_SUITS + suit_of(card)


def card_at(index: int) -> int:
    """Return the card at position `index`, 0–51, of `DECK`."""
    if not 0 <= index < NUM_CARDS:
        raise CardError(f"no card has index {index}: use 0 (2c) to 51 (As)")
    return DECK[index]


def to_number(card: int) -> int:
    """Return the number of a card in lookup-table evaluators, 1 (2c) to 52 (As)."""
    return index_of(card) + 1


def from_number(number: int) -> int:
    """Return the card that lookup-table evaluators call `number`, 1 (2c) to 52 (As)."""
    if not 1 <= number <= NUM_CARDS:
        raise CardError(f"no card has number {number}: use 1 (2c) to 52 (As)")
    return DECK[number - 1]


def strength_of_rank(rank: int) -> int:
    """Return 7463 − `rank`, for which higher is stronger; the function is its own inverse."""
    return NUM_HAND_RANKS + 1 - rank
