"""Locks: parts of a player's strategy that are given, not solved.

    check: AA bet 100%                        hands of the player who acts after the line
    check: AA bet 60% check 40%; QQ,JJ check  several groups, each with its mix
    : all bet 120 30% check 70%               the first decision, every hand
    22+ check; rest bet 100%                  `rest`: every hand that no earlier group names
    : AA:0.4,QsQh:0.25 bet, rest check        weights say how often each hand takes the action
    : bet 100 = AA:0.4,QsQh:0.25; check = rest   a weighted range per action
    : check = rest                            every hand, as no other action has hands
    check, check @ Qc: AA bet 100%            only on this card; otherwise on all boards

In a file, `line`, `lock` and, if wanted, `board` are the entries of a table below [[locks]]. In
place of `lock`, `actions` may give the range per action:

    actions = {"bet 100" = "AA:0.4,QsQh:0.25", check = "rest"}

A mix sums to 100 %; an action alone is 100 %. Hands are written as ranges; their weights matter
only with `rest` and in `actions`. A later lock replaces an earlier one for the same hands.
"""

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.cards.card import parse_cards
from untilt.cards.combos import NUM_COMBOS, combo_name
from untilt.cards.ranges.range import Range
from untilt.errors import CardError, InvalidOption, UnknownName, UntiltError, shortened
from untilt.game.line import parse_line
from untilt.game.public.public_layout import Layout, LayoutSide
from untilt.game.public.public_tree import DECISION
from untilt.games.holdem.bets.sizes import SEATS
from untilt.games.holdem.spots.spot import EXACT_HAND, Spot
from untilt.games.holdem.spots.spot_view import SpotPlace, SpotView
from untilt.numeric.arrays import Bools, Floats

_ENTRIES = ("line", "lock", "board", "actions")
_REST = "rest"
_REST_ACTION = re.compile(r"(?:^|[\s,])rest\s", re.IGNORECASE)
_ACTION = re.compile(
    r"(fold|check|call|bet|raise|all-in)(?:\s+(\d+(?:\.\d+)?)(?!\d*\.?\d*\s*%))?"
    r"(?:\s+(\d+(?:\.\d+)?)\s*%)?",
    re.IGNORECASE,
)
_TOLERANCE = 1e-4


class LockedHands(NamedTuple):
    """A lock for a solver: positions in a player's tables, and the mix at each."""

    player: int
    positions: npt.NDArray[np.int64]
    """[n, actions]"""
    mix: Floats
    """[n, actions]"""


class LockedCombos(NamedTuple):
    """The locked combos of a node."""

    boards: frozenset[int] | None
    """The numbers of the boards where they are; None for all."""
    is_locked: Bools
    """[1326]"""


@dataclass(frozen=True)
class Lock:
    """One lock as it was written."""

    line: str
    groups: str
    """Hands with their mixes; empty if `actions` are given."""
    board: str | None = None
    actions: Mapping[str, str] = field(default_factory=dict)
    """A weighted range per action."""

    def __str__(self) -> str:
        ranges = (f"{name} = {hands}" for name, hands in self.actions.items())
        groups = self.groups or "; ".join(ranges)
        return f"{self.line}{f' @ {self.board}' if self.board else ''}: {groups}"


def parse_lock(text: str) -> dict[str, Any]:
    """Return a lock such as `check: AA bet 100%` as the table of a file."""
    line, colon, groups = text.partition(":")
    if not colon or not groups.strip():
        raise InvalidOption(
            f"the lock {shortened(text)} is not of the form 'line: hands action share', such as "
            "'check: AA bet 100%', or ': all check' where the betting begins"
        )
    line, at, board = line.partition("@")
    table: dict[str, Any] = {"line": line.strip(), **_groups(groups.strip(), text)}
    return {**table, "board": board.strip()} if at else table


def _groups(groups: str, text: str) -> dict[str, Any]:
    """Return the hands of a lock as the entry of a table: `lock`, or `actions`."""
    if "=" not in groups:
        return {"lock": groups}
    actions: dict[str, str] = {}
    for part in groups.split(";"):
        name, equals, hands = (each.strip() for each in part.partition("="))
        if not (name and equals and hands) or name in actions:
            raise InvalidOption(
                f"the lock {shortened(text)} needs a range for each action, once, such as "
                "'check: bet 100 = AA:0.4; check = rest'"
            )
        actions[name] = hands
    return {"actions": actions}


def locks_of(spot: Spot) -> list[Lock]:
    """Return the locks of a spot; raises InvalidOption for tables that are not locks."""
    return [_in_chips(_lock(table), spot) for table in spot.locks]


def _in_chips(lock: Lock, spot: Spot) -> Lock:
    """Return the lock with chips for big blinds."""
    actions = {spot.in_chips(name): hands for name, hands in lock.actions.items()}
    return Lock(spot.in_chips(lock.line), spot.in_chips(lock.groups), lock.board, actions)


def is_merged_for(spot: Spot) -> bool:
    """Whether interchangeable cards may be merged: no lock names a suit."""
    return not any(
        lock.board or any(map(EXACT_HAND.search, (lock.groups, *lock.actions.values())))
        for lock in locks_of(spot)
    )


def locked_hands(
    view: SpotView, layout: tuple[Layout, tuple[LayoutSide, LayoutSide]]
) -> list[LockedHands]:
    """Return the locks of a spot as positions in the tables of `layout`.

    Raises InvalidOption, with the lock, for a line, hand or action that is not there.
    """
    found: list[LockedHands] = []
    for lock in locks_of(view.spot):
        with _naming(lock):
            found += _positions(lock, view, layout)
    return found


def verify_locks(view: SpotView) -> None:
    """Raise InvalidOption, with the lock, for a line, hand or action that is not there."""
    for lock in locks_of(view.spot):
        with _naming(lock):
            place = _place(lock, view)
            _boards(lock, view, place)
            for group in _mixes(lock, place):
                if not group.is_rest and not group.is_locked[view.combos[place.player]].any():
                    raise _no_hands(place)


def locked_combos(view: SpotView) -> dict[tuple[int, int], list[LockedCombos]]:
    """Return the locks of every street and node that has some."""
    found: dict[tuple[int, int], list[LockedCombos]] = {}
    for lock in locks_of(view.spot):
        place = _place(lock, view)
        boards = None if lock.board is None else frozenset(_boards(lock, view, place))
        found.setdefault((place.street, place.node), []).extend(
            LockedCombos(boards, group.is_locked) for group in _mixes(lock, place)
        )
    return found


@contextmanager
def _naming(lock: Lock) -> Iterator[None]:
    """Say in errors which lock they are about."""
    try:
        yield
    except UntiltError as error:
        raise InvalidOption(f"the lock {shortened(str(lock))}: ", *error.args) from None


def _lock(table: Mapping[str, Any]) -> Lock:
    for name in table:
        if name not in _ENTRIES:
            raise UnknownName.among("entry of a lock", name, _ENTRIES)
    line, groups, board, actions = (table.get(name) for name in _ENTRIES)
    if actions is not None:
        is_table = isinstance(actions, Mapping) and all(
            isinstance(hands, str) for hands in actions.values()
        )
        if groups is not None or not actions or not is_table:
            raise InvalidOption(
                f"the lock {shortened(dict(table))} needs either a lock or a range per action: "
                "{line = 'check', actions = {bet = 'AA:0.4', check = 'rest'}}"
            )
        groups = ""
    if not isinstance(line, str) or not isinstance(groups, str):
        raise InvalidOption(
            f"the lock {shortened(dict(table))} needs a line and a lock, both text: "
            "{line = 'check', lock = 'AA bet 100%'}"
        )
    if board is not None and not isinstance(board, str):
        raise InvalidOption(f"the board of a lock is {shortened(board)}: give text such as 'Qc'")
    return Lock(line, groups, board, actions or {})


def _positions(
    lock: Lock, view: SpotView, layout: tuple[Layout, tuple[LayoutSide, LayoutSide]]
) -> Iterator[LockedHands]:
    place = _place(lock, view)
    boards = _boards(lock, view, place)
    common, sides = layout
    side, street = sides[place.player], common.street[place.street]
    first_child = int(view.betting.streets[place.street].first_child[place.node])
    row = int(side.node[int(street.first_node) + first_child].row)
    num_actions = len(place.actions)
    for is_locked, mixes, is_rest in _mixes(lock, place):
        count = 0
        for board in boards:
            where = side.board[int(street.first_board) + board]
            combos = view.lane_combos(place.street, board, place.player)
            lanes = np.flatnonzero(is_locked[combos])
            count += len(lanes)
            rows = int(where.table) + (row + np.arange(num_actions)) * int(where.width)
            yield LockedHands(
                place.player,
                (rows[None, :] + lanes[:, None]).astype(np.int64),
                mixes[combos[lanes]],
            )
        if not count and not is_rest:
            raise _no_hands(place)


def _place(lock: Lock, view: SpotView) -> SpotPlace:
    place = view.at(lock.line) if lock.line else view.place(0, 0)
    if place.kind != DECISION:
        raise InvalidOption("nobody acts there")
    return place


def _no_hands(place: SpotPlace) -> InvalidOption:
    return InvalidOption(f"none of its hands is in the {SEATS[place.player]} range on this board")


def _boards(lock: Lock, view: SpotView, place: SpotPlace) -> list[int]:
    if lock.board is None:
        return list(range(view.boards.streets[place.street].num_boards))
    cards = tuple(parse_cards(lock.board))
    own = view.spot.board
    if len(cards) >= len(own) and set(cards[: len(own)]) == set(own):
        cards = cards[len(own) :]
    if len(cards) != place.street:
        raise CardError(
            f"the line leads to the {place.street_name}, {_cards(place.street)} after "
            f"{view.spot.board_text}, but the lock has {_cards(len(cards))}"
        )
    return [view.board_of(cards).board]


def _cards(number: int) -> str:
    return "1 card" if number == 1 else f"{number} cards"


class _Group(NamedTuple):
    """Hands of a lock with what they do."""

    is_locked: Bools
    """[1326]"""
    mixes: Floats
    """[1326, actions]"""
    is_rest: bool
    """Whether it is what other groups leave, perhaps no hand at all."""


def _mixes(lock: Lock, place: SpotPlace) -> Iterator[_Group]:
    """Yield the locked combos, and the mix of each."""
    if lock.actions:
        given = {_action(name, place): hands for name, hands in lock.actions.items()}
        if len(given) < len(lock.actions):
            raise InvalidOption(f"an action is named twice: {', '.join(lock.actions)}")
        yield _Group(*_shared(given, place), is_rest=False)
        return
    is_named = np.zeros(NUM_COMBOS, bool)
    for group in lock.groups.split(";"):
        head, rest, tail = _split_rest(group.strip())
        if rest and not head:
            mix = _mix(_actions(tail), place)
            yield _Group(~is_named, np.tile(mix, (NUM_COMBOS, 1)), is_rest=bool(is_named.any()))
            is_named[:] = True
            continue
        found = _actions(head)
        hands = head[: found[0].start()].strip().rstrip(",")
        if rest:
            (other,) = _actions(tail) if len(found) == 1 else (None,)
            if other is None or found[0][3] or other[3] or not hands:
                raise InvalidOption(
                    f"{shortened(group.strip())} needs weighted hands, one action and another for "
                    "the rest, without shares: 'AA:0.4 bet, rest check'"
                )
            shared = _shared({_number(found[0], place): hands, _number(other, place): _REST}, place)
            yield _Group(*shared, is_rest=False)
            is_named |= shared[0]
            continue
        is_meant = _weights(hands) > 0.0
        yield _Group(is_meant, np.tile(_mix(found, place), (NUM_COMBOS, 1)), is_rest=False)
        is_named |= is_meant


def _split_rest(group: str) -> tuple[str, bool, str]:
    """Return the text before and after the word `rest`, and whether it is there."""
    found = _REST_ACTION.search(group)
    return (
        (group, False, "")
        if found is None
        else (group[: found.start()], True, group[found.end() :])
    )


def _actions(text: str) -> list[re.Match[str]]:
    """Return the actions at the end of a group, of which there is at least one."""
    found = list(_ACTION.finditer(text))
    if not found:
        raise InvalidOption(
            f"{shortened(text.strip())} names no action: write hands, then actions such as "
            "'bet 100%'"
        )
    leftover = _ACTION.sub("", text[found[0].start() :]).replace(",", "").strip()
    if leftover:
        raise InvalidOption(f"{leftover!r} is neither an action nor a share in percent")
    return found


def _shared(hands_of_action: Mapping[int, str], place: SpotPlace) -> tuple[Bools, Floats]:
    """Return the locked combos and their mixes, for weighted ranges of actions.

    One action may take the rest of the hands that the others name; alone, it takes every hand.
    """
    mixes = np.zeros((NUM_COMBOS, len(place.actions)))
    is_rest = {number: text.strip().lower() == _REST for number, text in hands_of_action.items()}
    for number, text in hands_of_action.items():
        if not is_rest[number]:
            mixes[:, number] = _weights(text)
    totals = mixes.sum(axis=1)
    is_locked = totals > 0.0 if not all(is_rest.values()) else np.ones(NUM_COMBOS, bool)
    rests = [number for number, is_it in is_rest.items() if is_it]
    if len(rests) > 1:
        raise InvalidOption("only one action can take the rest")
    is_wrong = is_locked & (np.abs(totals - 1.0) > _TOLERANCE)
    if rests:
        is_wrong &= totals > 1.0
        mixes[is_locked, rests[0]] = np.maximum(1.0 - totals[is_locked], 0.0)
    if is_wrong.any():
        combo = int(np.flatnonzero(is_wrong)[0])
        raise InvalidOption(
            f"the shares of {combo_name(combo)} sum to {100 * totals[combo]:.4g} %, not to 100 %"
            + ("" if rests else "; one action can take the 'rest'")
        )
    mixes[is_locked] /= mixes[is_locked].sum(axis=1, keepdims=True)
    return is_locked, mixes


def _weights(hands: str) -> Floats:
    if hands.lower() in ("all", "any", "*"):
        return np.ones(NUM_COMBOS)
    if not hands:
        raise InvalidOption("it names no hands: write 'all', 'rest', or a range such as QQ+")
    return Range.parse(hands).weights


def _mix(found: list[re.Match[str]], place: SpotPlace) -> Floats:
    mix = np.zeros(len(place.actions))
    for match in found:
        share = 100.0 if match[3] is None and len(found) == 1 else float(match[3] or math.nan)
        mix[_number(match, place)] += share / 100.0
    if not abs(mix.sum() - 1.0) <= _TOLERANCE:  # also nan
        raise InvalidOption("its shares do not sum to 100 %")
    normalised: Floats = mix / mix.sum()
    return normalised


def _number(match: re.Match[str], place: SpotPlace) -> int:
    return _action(match[1].lower() + ("" if match[2] is None else f" {match[2]}"), place)


def _action(name: str, place: SpotPlace) -> int:
    (move,) = parse_line(name).streets[0]
    offered = [
        number
        for number, action in enumerate(place.actions)
        if action.kind is move.kind and move.amount in (None, action.amount)
    ]
    if len(offered) != 1:
        raise UnknownName.among("action", name, place.action_names)
    return offered[0]
