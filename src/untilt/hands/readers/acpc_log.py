"""Logs of the dealer of the Annual Computer Poker Competition, a hand per line.

    STATE:0:cr300c/cr900c/cc/cr2700f:Th9c|KsQd/2h8h5h/Jc/4d:900|-900:first|second

Player 0 is the big blind of two players, the small blind of three. A raise is to a total of the
whole hand. The log does not say the stakes: they are those of the competition's games.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from untilt.cards.card import parse_cards
from untilt.errors import FormatError, shortened
from untilt.formats.exchange.phh import FIXED_LIMIT, NO_LIMIT
from untilt.hands.hand import BOARD_SIZES, HandMove, Hole, RecordedHand
from untilt.hands.ledger import NOBODY, Ledger

SITE = "ACPC"

STACK = 20_000
"""Of the no-limit games; in limit games nobody can lose as much."""

BLINDS = {NO_LIMIT: (50, 100), FIXED_LIMIT: (5, 10)}
"""Of the games of the competition."""

_SIZES = {NO_LIMIT: (100,), FIXED_LIMIT: (10, 20)}
_LATE_STREET = 2
_CENTS = 100
_STATE = re.compile(
    r"STATE:(?P<number>\d{1,12}):(?P<betting>[fcr\d/]{0,2000}):(?P<cards>[^:]{0,200}):"
    r"(?P<results>[-.\d|]{1,200}):(?P<players>[^:]{1,400})"
)
_MOVE = re.compile(r"f|c|r(\d{0,12})")
_RESULT = re.compile(r"-?\d{1,12}(?:\.\d{1,9})?")


def read_acpc_line(line: str, source: str, row: int) -> RecordedHand:
    """Return the hand of a line; FormatError with the reason if it cannot be read."""
    found = _STATE.fullmatch(line.strip())
    if found is None:
        raise FormatError(f"{shortened(line)} is not STATE:number:betting:cards:results:players")
    names = found["players"].split("|")
    count = len(names)
    if not 2 <= count <= 3 or len(set(names)) < count:
        raise FormatError(f"{shortened(found['players'])} must be two or three different names")
    results = _results(found["results"], count)
    held, board = _cards(found["cards"], count)
    betting = found["betting"]
    if "r" in betting:
        variants = [FIXED_LIMIT if re.search(r"r\d", betting) is None else NO_LIMIT]
    else:
        variants = [NO_LIMIT, FIXED_LIMIT]  # only the results can tell
    for number, variant in enumerate(variants, start=1):
        try:
            return _hand(found, tuple(names), held, board, results, variant, source, row)
        except FormatError:
            if number == len(variants):
                raise
    raise AssertionError


def _hand(
    found: re.Match[str],
    names: tuple[str, ...],
    held: tuple[Hole | None, ...],
    board: tuple[int, ...],
    results: list[Fraction],
    variant: str,
    source: str,
    row: int,
) -> RecordedHand:
    """Return the hand, played by the rules of a variant."""
    count = len(names)
    # Results in halves of chips are kept in hundredths.
    scale = 1 if all(result.denominator == 1 for result in results) else _CENTS
    small, big = (scale * blind for blind in BLINDS[variant])
    sizes = tuple(scale * size for size in _SIZES[variant])
    posts = (big, small) if count == 2 else (small, big, 0)
    stacks = (STACK * scale,) * count
    antes = (0,) * count
    ledger = Ledger(names, stacks, antes, posts, big)
    _bet(ledger, found["betting"], sizes, scale)
    shown = BOARD_SIZES[len(ledger.streets) - 1]
    if len(board) < shown or len(board) not in BOARD_SIZES:
        raise FormatError(f"{len(board)} cards of the board are given, {shown} were dealt")
    # Cards that are dealt after the last bet belong to streets without actions.
    num_streets = BOARD_SIZES.index(len(board)) + 1
    streets = (*ledger.streets, *((),) * (num_streets - len(ledger.streets)))
    paid = [stack - left for stack, left in zip(stacks, ledger.left, strict=True)]
    return RecordedHand(
        site=SITE,
        number=found["number"],
        variant=variant,
        players=names,
        seats=(),
        stacks=stacks,
        antes=antes,
        posts=posts,
        sizes=sizes,
        streets=streets,
        cards=held,
        board=board,
        returned=tuple(ledger.returned),
        won=_won(results, paid, scale, ledger),
        scale=scale,
        source=source,
        row=row,
    )


def _bet(ledger: Ledger, betting: str, sizes: Sequence[int], scale: int) -> None:
    """Make the recorded actions."""
    before = 0
    for number, text in enumerate(betting.split("/")):
        if number:
            before = _close(ledger, before)
            ledger.open_street()
        place = 0
        while place < len(text):
            found = _MOVE.match(text, place)
            if found is None:
                raise FormatError(f"{shortened(betting)} is not a line of f, c and r")
            place = found.end()
            player = ledger.turn
            if player == NOBODY:
                raise FormatError(f"{shortened(betting)} goes on after the betting is over")
            if text[found.start()] == "f":
                ledger.act(player, HandMove.FOLD)
            elif text[found.start()] == "c":
                ledger.call_or_check(player)
            else:
                size = sizes[-1] if number >= _LATE_STREET else sizes[0]
                total = int(found[1]) * scale - before if found[1] else ledger.level + size
                ledger.bet_or_raise(player, total)
    _close(ledger, before)


def _close(ledger: Ledger, before: int) -> int:
    """End a street, and return what each player in the hand has put in so far."""
    level = ledger.level
    ledger.close_street()
    return before + level


def _cards(text: str, count: int) -> tuple[tuple[Hole | None, ...], tuple[int, ...]]:
    hands, *streets = text.split("/")
    held = hands.split("|")
    if len(held) != count:
        raise FormatError(f"{shortened(hands)} must be the hands of {count} players")
    cards = [tuple(parse_cards(each)) for each in (*held, "".join(streets))]
    every = [card for each in cards for card in each]
    if len(set(every)) < len(every) or any(len(each) not in (0, 2) for each in cards[:-1]):
        raise FormatError(f"{shortened(text)} must be two cards for each player and a board")
    return tuple((each[0], each[1]) if each else None for each in cards[:-1]), cards[-1]


def _results(text: str, count: int) -> list[Fraction]:
    results = text.split("|")
    if len(results) != count or not all(map(_RESULT.fullmatch, results)):
        raise FormatError(f"{shortened(text)} must be what {count} players won")
    return [Fraction(Decimal(each)) for each in results]


def _won(results: list[Fraction], paid: list[int], scale: int, ledger: Ledger) -> tuple[int, ...]:
    """Return what each player collected; FormatError unless the results fit the betting."""
    won = [round(result * scale) + chips for result, chips in zip(results, paid, strict=True)]
    contenders = ledger.contenders
    strays = [each for player, each in enumerate(won) if each and player not in contenders]
    if sum(won) != ledger.pot or strays or min(won) < 0:
        raise FormatError(
            f"the results {', '.join(map(str, map(float, results)))} do not fit bets of "
            f"{', '.join(map(str, paid))} chips, with the blinds of the competition"
        )
    return tuple(won)
