"""A hand as a line of JSON, for storage: a list of its fields in a fixed order."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from untilt.cards.card import DECK
from untilt.errors import FormatError
from untilt.formats.exchange.phh import NO_LIMIT
from untilt.hands.hand import (
    BOARD_SIZES,
    LIMITS,
    MOST_PLAYERS,
    STREET_NAMES,
    HandAction,
    HandMove,
    RecordedHand,
    Street,
)

Stacks = tuple[int | None, ...]

_NUM_FIELDS = 23
_LETTERS = {each.value: each for each in HandMove}
_NO_CARDS = -1
_MOST_CHIPS = 1 << 62
_IN_DECK = frozenset(DECK)


def encoded(hand: RecordedHand) -> str:
    """Return a hand as one line of text."""
    fields = (
        *(hand.site, hand.number, hand.variant, hand.players, hand.seats, hand.stacks),
        *(hand.antes, hand.posts, hand.sizes),
        [" ".join(map(_action_text, street)) for street in hand.streets],
        [_NO_CARDS if held is None else held for held in hand.cards],
        *(hand.board, hand.returned, hand.won, hand.rake, hand.scale, hand.currency, hand.hero),
        None if hand.played is None else hand.played.isoformat(),
        *(hand.table, hand.tournament, hand.source, hand.row),
    )
    assert len(fields) == _NUM_FIELDS
    return json.dumps(fields, separators=(",", ":"))


def _action_text(action: HandAction) -> str:
    return f"{action.player}{action.letter}{action.amount}"


def decoded(text: str) -> RecordedHand:
    """Return the hand that `encoded` wrote; FormatError if the text is not one."""
    try:
        return _decoded(json.loads(text))
    except (ValueError, TypeError, KeyError, IndexError, RecursionError, OverflowError) as error:
        raise FormatError(f"a stored hand cannot be read ({error})") from error


def _decoded(fields: Any) -> RecordedHand:
    site, number, variant, players, seats, stacks, antes, posts, sizes, streets, *more = fields
    cards, board, returned, won, rake, scale, currency, hero, played, *place = more
    table, tournament, source, row = place
    count = len(players)
    texts = (site, number, variant, currency, table, tournament, source, *players)
    if not all(isinstance(text, str) for text in texts) or not 2 <= count <= MOST_PLAYERS:
        raise ValueError("its names")
    if variant not in LIMITS:
        raise ValueError("its variant")
    if hero is not None and (type(hero) is not int or not 0 <= hero < count):
        raise ValueError("its hero")
    if not _is_count(scale) or scale < 1 or type(rake) is not int or abs(rake) >= _MOST_CHIPS:
        raise ValueError("its scale")
    if not _is_count(row):
        raise ValueError("its place")
    own_streets = tuple(_street(street, count) for street in streets)
    if len(cards) != count or len(board) > BOARD_SIZES[-1]:
        raise ValueError("its cards")
    if not 1 <= len(streets) <= len(STREET_NAMES):
        raise ValueError("its streets")
    return RecordedHand(
        site=site,
        number=number,
        variant=variant,
        players=tuple(players),
        seats=_numbers(seats, count if seats else 0),
        stacks=_stacks(stacks, own_streets, count),
        antes=_numbers(antes, count),
        posts=_numbers(posts, count),
        sizes=_sizes(sizes, 1 if variant == NO_LIMIT else 2),
        streets=own_streets,
        cards=tuple(None if held == _NO_CARDS else _hole(held) for held in cards),
        board=_cards(board, len(board)),
        returned=_numbers(returned, count),
        won=None if won is None else _numbers(won, count),
        rake=rake,
        scale=scale,
        currency=currency,
        hero=hero,
        played=None if played is None else datetime.fromisoformat(played),
        table=table,
        tournament=tournament,
        source=source,
        row=row,
    )


def _is_count(given: Any) -> bool:
    return type(given) is int and 0 <= given < _MOST_CHIPS


def _numbers(given: Sequence[int], count: int) -> tuple[int, ...]:
    if len(given) != count or not all(map(_is_count, given)):
        raise ValueError("its chips")
    return tuple(given)


def _stacks(given: Sequence[int | None], streets: Sequence[Street], count: int) -> Stacks:
    """Return stacks, None for those that are not known; who is all-in has a known one."""
    _numbers([0 if stack is None else stack for stack in given], count)
    if any(each.is_all_in and given[each.player] is None for street in streets for each in street):
        raise ValueError("its chips")
    return tuple(given)


def _sizes(given: Sequence[int], count: int) -> tuple[int, ...]:
    if min(given) < 1:
        raise ValueError("its blinds")
    return _numbers(given, count)


def _cards(given: Sequence[int], count: int) -> tuple[int, ...]:
    if len(given) != count or not _IN_DECK.issuperset(given):
        raise ValueError("its cards")
    return tuple(given)


def _hole(given: Sequence[int]) -> tuple[int, int]:
    first, second = _cards(given, 2)
    return first, second


def _street(text: Any, count: int) -> Street:
    if not isinstance(text, str):
        raise ValueError("its streets")
    actions = []
    for word in text.split():
        player, letter, amount = int(word[0]), word[1], int(word[2:])
        if player >= count:
            raise ValueError("its players")
        if not _is_count(amount):
            raise ValueError("its chips")
        actions.append(HandAction(player, _LETTERS[letter.lower()], amount, letter.isupper()))
    return tuple(actions)
