"""Hands in the PHH format: of two to ten players, in chips or in amounts with cents.

If the text says what players won, that is compared with the bets. Otherwise the pots are divided
here, as far as the hands of those who did not fold are known. So they are if the text contradicts
its own bets in one of two known ways: nobody wins anything, which is written where the result is
not known, or the winners also get blinds that returning players posted and the text does not list.
"""

import re
from collections.abc import Mapping
from datetime import datetime, time
from typing import Any

from untilt.cards.card import SUITS, rank_of, suit_of
from untilt.cards.evaluator.best_five import best_five_lists, rank_of_suits
from untilt.errors import FormatError
from untilt.formats.exchange.phh import HandHistory, Verb, history_of
from untilt.games.holdem.replay import GAME_FIELD
from untilt.hands.hand import (
    BOARD_SIZES,
    HERO_FIELD,
    MOST_PLAYERS,
    SCALE_FIELD,
    HandMove,
    Hole,
    RecordedHand,
    big_blind_of,
)
from untilt.hands.ledger import Ledger
from untilt.toml_text import parse_toml

SITE = "PHH"
"""The site of a hand that does not name its venue."""

_CENTS = 100
_LARGER_THAN_BETS = 1 << 60
_MOST_RAKE = 0.1
"""Of the pot, where a smaller share is a reason to read a record otherwise."""
_RESULTS = ("winnings", "finishing_stacks")
_DECIMALS = re.compile(r"\d\.\d*[1-9]")


def read_phh_hand(text: str, source: str, row: int) -> RecordedHand:
    """Return the hand in a text; FormatError with the reason if it cannot be read."""
    document = parse_toml(text, "it")
    inner = [value for value in document.values() if isinstance(value, dict)]
    if "variant" not in document and len(inner) == 1:
        document = inner[0]
    scale = _CENTS if _DECIMALS.search(_amounts(document)) else 1
    return recorded(history_of(document, "it", scale=scale), scale, source, row)


def _amounts(document: Mapping[str, Any]) -> str:
    """Return all numbers of a hand, as text."""
    lists = ("antes", "blinds_or_straddles", "starting_stacks", "actions", *_RESULTS)
    return " ".join(str(document.get(name, "")) for name in (*lists, "min_bet", "small_bet"))


def recorded(history: HandHistory, scale: int, source: str, row: int) -> RecordedHand:
    """Return a hand of the PHH format as it was played; FormatError if that is impossible."""
    count = len(history.stacks)
    if not 2 <= count <= MOST_PLAYERS:
        raise FormatError(f"it has {count} players; there must be 2 to {MOST_PLAYERS}")
    fields = history.fields
    if GAME_FIELD in fields:
        raise FormatError(f"the game is {str(fields[GAME_FIELD])[:40]}; hold'em can be read")
    antes, posts = list(history.antes), list(history.blinds)
    if count == 2:
        antes.reverse()
        posts.reverse()
    due = big_blind_of(posts, history.sizes[0])
    # The format marks the blind of a player who is not due by its sign.
    if count > 2 and any(post > 0 for post in posts[due + 1 :]):
        raise FormatError("a straddle cannot be read")
    posts = [abs(post) for post in posts]
    names = _names(fields, count)
    stacks = _chips_at_hand(history)
    paid_antes = [min(ante, stack) for ante, stack in zip(antes, stacks, strict=True)]
    paid_posts = [
        min(post, stack - ante) for post, stack, ante in zip(posts, stacks, paid_antes, strict=True)
    ]
    ledger = Ledger(
        names,
        stacks,
        paid_antes,
        paid_posts,
        history.sizes[0] if any(posts) else 0,
        last=due,
        is_open=None in history.stacks,
    )
    hands, board, mucked = _played(history, ledger)
    won = _won(history, ledger, hands, board, mucked)
    return RecordedHand(
        site=str(fields.get("venue") or SITE)[:80],
        number=str(fields.get("hand", ""))[:40],
        variant=history.variant,
        players=names,
        seats=_seats(fields, count),
        stacks=history.stacks,
        antes=tuple(paid_antes),
        posts=tuple(paid_posts),
        sizes=history.sizes,
        streets=tuple(ledger.streets),
        cards=tuple(hands),
        board=tuple(board),
        returned=tuple(ledger.returned),
        won=won,
        rake=0 if won is None else ledger.pot - sum(won),
        scale=_scale(fields, scale),
        currency=str(fields.get("currency") or fields.get("currency_symbol") or "")[:8],
        hero=_hero(history),
        played=_time(fields),
        table=str(fields.get("table", ""))[:80],
        tournament=str(fields.get("tournament", ""))[:40],
        source=source,
        row=row,
    )


def _chips_at_hand(history: HandHistory) -> list[int]:
    """Return the stacks; one that is not known is larger than any bet."""
    return [_LARGER_THAN_BETS if stack is None else stack for stack in history.stacks]


def _played(history: HandHistory, ledger: Ledger) -> tuple[list[Hole | None], list[int], set[int]]:
    """Make the actions, and return the hands, the board and who showed nothing."""
    hands: list[Hole | None] = [None] * len(history.stacks)
    board: list[int] = []
    mucked: set[int] = set()
    for action in history.actions:
        player = -1 if action.player is None else action.player
        match action.verb:
            case Verb.DEAL_HAND | Verb.SHOW:
                known = [card for card in action.cards if card is not None]
                if len(known) == 2:
                    hands[player] = known[0], known[1]
                elif action.verb is Verb.SHOW and not action.cards:
                    mucked.add(player)
            case Verb.DEAL_BOARD:
                new = [card for card in action.cards if card is not None]
                board += new
                if len(new) < len(action.cards) or len(board) not in BOARD_SIZES:
                    raise FormatError("the board must be three cards, one and one")
                ledger.close_street()
                ledger.open_street()
            case Verb.FOLD:
                ledger.act(player, HandMove.FOLD)
            case Verb.CALL:
                ledger.call_or_check(player)
            case Verb.RAISE:
                assert action.amount is not None
                ledger.bet_or_raise(player, action.amount)
            case Verb.NOTHING:
                pass
    ledger.close_street()
    every = [*board, *(card for hand in hands if hand is not None for card in hand)]
    if len(set(every)) < len(every):
        raise FormatError("a card is dealt twice")
    return hands, board, mucked


def _won(
    history: HandHistory,
    ledger: Ledger,
    hands: list[Hole | None],
    board: list[int],
    mucked: set[int],
) -> tuple[int, ...] | None:
    """Return what each player collected; None if that is not known."""
    count, given = len(hands), history.winnings
    stacks = _chips_at_hand(history)
    paid = [stack - left for stack, left in zip(stacks, ledger.left, strict=True)]
    if given is None and history.finishing_stacks is not None and None not in history.stacks:
        changes = zip(history.finishing_stacks, stacks, paid, strict=True)
        given = tuple(end - stack + chips for end, stack, chips in changes)
    if given is None or not any(given):
        return _divided(paid, ledger, hands, board, mucked)
    excess = sum(given) - ledger.pot
    if len(given) == count and excess > 0:
        # Some programs count a bet that nobody called as won, not as returned.
        less = tuple(won - back for won, back in zip(given, ledger.returned, strict=True))
        is_usual = sum(less) >= (1.0 - _MOST_RAKE) * ledger.pot
        if min(less) >= 0 and (is_usual or not _has_unlisted_blinds(excess, history)):
            given = less
    if _has_unlisted_blinds(sum(given) - ledger.pot, history):
        return _divided(paid, ledger, hands, board, mucked)
    if len(given) != count or min(given) < 0 or sum(given) > ledger.pot:
        raise FormatError(
            f"chips are not conserved: {ledger.pot:,} were bet and {sum(given):,} collected"
        )
    return given


def _has_unlisted_blinds(excess: int, history: HandHistory) -> bool:
    """Whether more was won than bet, by as much as one or two blinds."""
    blinds = {0, *map(abs, history.blinds)}
    return excess > 0 and excess in {one + other for one in blinds for other in blinds}


def _divided(
    paid: list[int],
    ledger: Ledger,
    hands: list[Hole | None],
    board: list[int],
    mucked: set[int],
) -> tuple[int, ...] | None:
    """Return what each player collects of the main pot and the side pots, without rake."""
    won = [0] * len(paid)
    contenders = ledger.contenders
    if len(contenders) == 1:
        won[contenders[0]] = ledger.pot
        return tuple(won)
    able = [player for player in contenders if player not in mucked]
    strength = {}
    for player in able:
        hand = hands[player]
        if hand is None or len(board) < BOARD_SIZES[-1]:
            return None
        strength[player] = _rank((*hand, *board))
    below = 0
    for level in sorted({paid[player] for player in contenders}):
        pot = sum(min(chips, level) - min(chips, below) for chips in paid)
        rivals = [player for player in able if paid[player] >= level]
        if not rivals:
            return None
        best = min(strength[player] for player in rivals)
        winners = [player for player in rivals if strength[player] == best]
        for place, player in enumerate(winners):
            # The first players after the button get the chips that cannot be divided.
            won[player] += pot // len(winners) + (place < pot % len(winners))
        below = level
    if sum(won) != ledger.pot:
        return None
    return tuple(won)


def _rank(cards: tuple[int, ...]) -> int:
    suits = [0] * len(SUITS)
    for card in cards:
        suits[suit_of(card)] |= 1 << rank_of(card)
    return rank_of_suits(best_five_lists(), *suits)


def _names(fields: Mapping[str, Any], count: int) -> tuple[str, ...]:
    given = fields.get("players")
    if given is None:
        return tuple(f"p{number}" for number in range(1, count + 1))
    if not isinstance(given, list | tuple) or len(given) != count:
        raise FormatError(f"the field players must name {count} players")
    names = tuple(str(name)[:80] or f"p{number}" for number, name in enumerate(given, start=1))
    if len(set(names)) < count:
        raise FormatError("two players have the same name")
    return names


def _seats(fields: Mapping[str, Any], count: int) -> tuple[int, ...]:
    given = fields.get("seats")
    if not isinstance(given, list | tuple) or len(given) != count:
        return ()
    if not all(isinstance(seat, int) and 0 <= seat <= 99 for seat in given):
        return ()
    return tuple(given)


def _scale(fields: Mapping[str, Any], scale: int) -> int:
    given = fields.get(SCALE_FIELD, 1)
    is_known = isinstance(given, int) and 1 <= given <= 10**6
    return scale if scale > 1 or not is_known else int(given)


def _hero(history: HandHistory) -> int | None:
    """Return the player that is named, or else the only one whose dealt cards are known."""
    named = history.fields.get(HERO_FIELD)
    if isinstance(named, int) and 1 <= named <= len(history.stacks):
        return named - 1
    dealt = [
        action.player
        for action in history.actions
        if action.verb is Verb.DEAL_HAND and None not in action.cards
    ]
    return dealt[0] if len(dealt) == 1 else None


def _time(fields: Mapping[str, Any]) -> datetime | None:
    day = [fields.get(name) for name in ("year", "month", "day")]
    if not all(isinstance(each, int) for each in day):
        return None
    clock = fields.get("time")
    clock = clock if isinstance(clock, time) else time()
    try:
        return datetime(day[0], day[1], day[2], clock.hour, clock.minute, clock.second)  # type: ignore[arg-type]
    except (ValueError, OverflowError):
        return None
