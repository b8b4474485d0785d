"""A hand as lines of text."""

from collections.abc import Iterator

from untilt.cards.card import cards_name
from untilt.hands.hand import BOARD_SIZES, LIMITS, STREET_NAMES, HandAction, HandMove, RecordedHand

_WORDS = {
    HandMove.FOLD: "folds",
    HandMove.CHECK: "checks",
    HandMove.CALL: "calls",
    HandMove.BET: "bets",
    HandMove.RAISE: "raises to",
}


def hand_lines(hand: RecordedHand) -> Iterator[str]:
    """Yield the lines that tell a hand: the players, what they did, and what they won."""
    chips = ChipWords(hand)
    when = "" if hand.played is None else f", {hand.played:%Y-%m-%d %H:%M}"
    yield f"{hand.title}: {LIMITS[hand.variant]}, big blind {chips(hand.big_blind)}{when}"
    names = [f"{name} ({at})" for name, at in zip(hand.players, hand.positions, strict=True)]
    for player, name in enumerate(names):
        held = hand.cards[player]
        cards = "" if held is None else f", {cards_name(held, '')}"
        stack = hand.stacks[player]
        at_hand = "unknown stack" if stack is None else chips(stack)
        yield f"  {name}: {at_hand}{cards}"
    pot = sum(hand.antes) + sum(hand.posts)
    for number, street in enumerate(hand.streets):
        board = cards_name(hand.board[: BOARD_SIZES[number]], "")
        on_board = f" {board}" if board else ""
        yield f"{STREET_NAMES[number]}{on_board}, pot {chips(pot)}"
        bets = list(hand.posts) if number == 0 else [0] * hand.num_players
        for action in street:
            pot += action.amount - bets[action.player]
            bets[action.player] = action.amount
            yield f"  {names[action.player]} {_words(action, chips)}"
    yield from _ending(hand, names, chips)


class ChipWords:
    """Writes amounts of a hand in its currency."""

    def __init__(self, hand: RecordedHand) -> None:
        self._scale = hand.scale
        self._sign = hand.currency if not hand.currency.isalpha() else ""
        self._code = f" {hand.currency}" if hand.currency.isalpha() else ""

    def __call__(self, amount: int) -> str:
        """Return an amount as text."""
        units = f"{amount / self._scale:,.2f}" if self._scale > 1 else f"{amount:,}"
        return f"{self._sign}{units.removesuffix('.00')}{self._code}"


def _words(action: HandAction, chips: ChipWords) -> str:
    all_in = ", all-in" if action.is_all_in else ""
    if action.move in (HandMove.FOLD, HandMove.CHECK):
        return _WORDS[action.move]
    return f"{_WORDS[action.move]} {chips(action.amount)}{all_in}"


def _ending(hand: RecordedHand, names: list[str], chips: ChipWords) -> Iterator[str]:
    if hand.won is None:
        yield "the result is not known"
        return
    for name, won in zip(names, hand.won, strict=True):
        if won:
            yield f"{name} collects {chips(won)}"
    if hand.rake:
        yield f"rake {chips(hand.rake)}"
