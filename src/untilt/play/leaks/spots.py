"""In words: where a decision was taken, with what kind of hand, and how large a bet was."""

from collections.abc import Sequence

from untilt.cards.card import rank_of, suit_of
from untilt.game.actions import ActionData, Kind
from untilt.hands.hand import HandAction, HandMove

_POT_TYPES = ("unraised", "single raised", "3-bet", "4-bet or more")
_MADE = (
    (10, "straight flush"),
    (166, "four of a kind"),
    (322, "full house"),
    (1599, "flush"),
    (1609, "straight"),
    (2467, "three of a kind"),
    (3325, "two pair"),
    (6185, "pair"),
    (7462, "high card"),
)
"""The last rank of each kind of hand, 1 for the best."""
_SIZES = ((0.34, "up to 1/3 pot"), (0.67, "up to 2/3 pot"), (1.01, "up to pot"))
_HIGH_PAIR, _ACE = 8, 12
"""A pair of tens; an ace."""


def pot_type(num_raises: int) -> str:
    """Return the kind of pot by the raises before the flop, so far or in all."""
    return _POT_TYPES[min(num_raises, len(_POT_TYPES) - 1)]


def line_words(actions: Sequence[HandAction]) -> str:
    """Return the actions of a street before a decision."""
    return ", ".join(action.move.name.lower() for action in actions) or "first to act"


def made_hand(held: tuple[int, int], rank: int) -> str:
    """Return the kind of a hand: what it has made, or, if `rank` is 0, its kind before the flop."""
    if rank:
        return next(name for last, name in _MADE if rank <= last)
    first, second = (rank_of(card) for card in held)
    if first == second:
        return "pair, tens or better" if first >= _HIGH_PAIR else "pair, nines or lower"
    suited = "suited" if suit_of(held[0]) == suit_of(held[1]) else "offsuit"
    if max(first, second) == _ACE:
        return f"ace, {suited}"
    if min(first, second) >= _HIGH_PAIR:
        return f"two of ten to king, {suited}"
    return f"other, {suited}"


def size_words(action: HandAction, level: int, own: int, pot: int) -> str:
    """Return how large a bet or raise is, as a share of the pot after calling."""
    if action.move not in (HandMove.BET, HandMove.RAISE):
        return "no bet"
    if action.is_all_in:
        return "all-in"
    share = (action.amount - level) / max(pot + level - own, 1)
    return next((name for most, name in _SIZES if share <= most), "over pot")


def action_words(action: ActionData, big_blind: float) -> str:
    """Return an action of an agent, with amounts in big blinds of so many of its chips."""
    if action.amount is None or action.kind not in (Kind.BET, Kind.RAISE, Kind.ALL_IN):
        return action.kind.value if action.kind is not Kind.OTHER else action.name
    verb = "raise to" if action.kind is Kind.RAISE else action.kind.value
    return f"{verb} {action.amount / big_blind:.4g} bb"
