"""Locks: parts of a player's strategy that are given, not solved.

    check: AA bet 100%                        hands of the player who acts after the line
    check: AA bet 60% check 40%; QQ,JJ check  several groups, each with its mix
    : all bet 120 30% check 70%               the first decision, every hand
    check, check @ Qc: AA bet 100%            only on this card; otherwise on all boards

In a file, `line`, `lock` and, if wanted, `board` are the entries of a table below [[locks]]. A
mix sums to 100 %; an action alone is 100 %. Hands are written as ranges; their weights do not
matter. A later lock replaces an earlier one for the same hands.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.cards.card import parse_cards
from untilt.cards.range import Range
from untilt.errors import CardError, InvalidOption, UnknownName, UntiltError, shortened
from untilt.game.line import parse_line
from untilt.game.public_layout import Layout, Side
from untilt.game.public_tree import DECISION
from untilt.games.holdem.public_form import SpotForm
from untilt.games.holdem.sizes import SEATS
from untilt.games.holdem.spot import Spot
from untilt.games.holdem.spot_view import Place
from untilt.numeric.arrays import Floats

_ENTRIES = ("line", "lock", "board")
_EXACT = re.compile(r"[2-9TJQKA][cdhs]", re.IGNORECASE)
_ACTION = re.compile(
    r"(fold|check|call|bet|raise|all-in)(?:\s+(\d+(?:\.\d+)?)(?!\d*\.?\d*\s*%))?"
    r"(?:\s+(\d+(?:\.\d+)?)\s*%)?",
    re.IGNORECASE,
)
_TOLERANCE = 1e-4


class LockedHands(NamedTuple):
    """What a solver gets: positions in a player's tables, and how often each action is taken."""

    player: int
    positions: npt.NDArray[np.int64]
    """[n, actions]"""
    mix: Floats
    """[n, actions]"""


@dataclass(frozen=True)
class Lock:
    """One lock as it was written."""

    line: str
    groups: str
    """Hands with their mixes."""
    board: str | None = None

    def __str__(self) -> str:
        return f"{self.line}{f' @ {self.board}' if self.board else ''}: {self.groups}"


def parse_lock(text: str) -> dict[str, str]:
    """Return a lock such as `check: AA bet 100%` as the table of a file."""
    line, colon, groups = text.partition(":")
    if not colon or not groups.strip():
        raise InvalidOption(
            f"the lock {shortened(text)} is not of the form 'line: hands action share', such as "
            "'check: AA bet 100%'"
        )
    line, at, board = line.partition("@")
    table = {"line": line.strip(), "lock": groups.strip()}
    return {**table, "board": board.strip()} if at else table


def locks_of(spot: Spot) -> list[Lock]:
    """Return the locks of a spot; raises InvalidOption for tables that are not locks."""
    return [_lock(table) for table in spot.locks]


def is_merged_for(spot: Spot) -> bool:
    """Whether interchangeable cards may be merged: no lock names a suit."""
    return not any(lock.board or _EXACT.search(lock.groups) for lock in locks_of(spot))


def locked_hands(form: SpotForm, layout: tuple[Layout, tuple[Side, Side]]) -> list[LockedHands]:
    """Return the locks of a compiled spot as positions in the tables of `layout`.

    Raises InvalidOption, with the lock, for a line, hand or action that is not there.
    """
    found: list[LockedHands] = []
    for lock in locks_of(form.spot):
        try:
            found += _positions(lock, form, layout)
        except UntiltError as error:
            raise InvalidOption(f"the lock {shortened(str(lock))}: ", *error.args) from None
    return found


def _lock(table: Mapping[str, Any]) -> Lock:
    for name in table:
        if name not in _ENTRIES:
            raise UnknownName.among("entry of a lock", str(name), _ENTRIES)
    line, groups, board = (table.get(name) for name in _ENTRIES)
    if not isinstance(line, str) or not isinstance(groups, str):
        raise InvalidOption(
            f"the lock {shortened(dict(table))} needs a line and a lock, both text: "
            "{line = 'check', lock = 'AA bet 100%'}"
        )
    if board is not None and not isinstance(board, str):
        raise InvalidOption(f"the board of a lock is {shortened(board)}: give text such as 'Qc'")
    return Lock(line, groups, board)


def _positions(
    lock: Lock, form: SpotForm, layout: tuple[Layout, tuple[Side, Side]]
) -> Iterator[LockedHands]:
    place = form.at(lock.line) if lock.line else form.place(0, 0)
    if place.kind != DECISION:
        raise InvalidOption("nobody acts there")
    boards = _boards(lock, form, place)
    common, sides = layout
    side, street = sides[place.player], common.street[place.street]
    first_child = int(form.betting.streets[place.street].first_child[place.node])
    row = int(side.node[int(street.first_node) + first_child].row)
    num_actions = len(place.actions)
    for weights, mix in _groups(lock.groups, place):
        count = 0
        for board in boards:
            where = side.board[int(street.first_board) + board]
            combos = form.lane_combos(place.street, board, place.player)
            lanes = np.flatnonzero(weights[combos] > 0.0)
            count += len(lanes)
            rows = int(where.table) + (row + np.arange(num_actions)) * int(where.width)
            yield LockedHands(
                place.player,
                (rows[None, :] + lanes[:, None]).astype(np.int64),
                np.tile(mix, (len(lanes), 1)),
            )
        if not count:
            raise InvalidOption(
                f"none of its hands is in the {SEATS[place.player]} range on this board"
            )


def _boards(lock: Lock, form: SpotForm, place: Place) -> list[int]:
    if lock.board is None:
        return list(range(form.boards.streets[place.street].num_boards))
    cards = tuple(parse_cards(lock.board))
    own = form.spot.board
    if len(cards) >= len(own) and set(cards[: len(own)]) == set(own):
        cards = cards[len(own) :]
    if len(cards) != place.street:
        raise CardError(
            f"the line leads to the {place.street_name}, but {len(cards)} cards are given after "
            f"{form.spot.board_text}"
        )
    return [form.board_of(cards).board]


def _groups(text: str, place: Place) -> Iterator[tuple[Floats, Floats]]:
    """Yield the weights of hands and the mix of every group."""
    for group in text.split(";"):
        found = list(_ACTION.finditer(group))
        if not found:
            raise InvalidOption(
                f"{shortened(group.strip())} names no action: write hands, then actions such as "
                "'bet 100%'"
            )
        hands = group[: found[0].start()].strip().rstrip(",")
        leftover = _ACTION.sub("", group[found[0].start() :]).replace(",", "").strip()
        if leftover:
            raise InvalidOption(f"{leftover!r} is neither an action nor a share in percent")
        yield _weights(hands), _mix(found, place)


def _weights(hands: str) -> Floats:
    if hands.lower() in ("all", "any", "*"):
        return np.ones(1326)
    if not hands:
        raise InvalidOption("it names no hands: write 'all', or a range such as QQ+")
    return Range.parse(hands).weights


def _mix(found: list[re.Match[str]], place: Place) -> Floats:
    mix = np.zeros(len(place.actions))
    for match in found:
        name = match[1].lower() + ("" if match[2] is None else f" {match[2]}")
        share = 100.0 if match[3] is None and len(found) == 1 else float(match[3] or math.nan)
        mix[_action(name, place)] += share / 100.0
    if not abs(mix.sum() - 1.0) <= _TOLERANCE:  # also nan
        raise InvalidOption("its shares do not sum to 100 %")
    normalised: Floats = mix / mix.sum()
    return normalised


def _action(name: str, place: Place) -> int:
    (move,) = parse_line(name).streets[0]
    offered = [
        number
        for number, action in enumerate(place.actions)
        if action.kind is move.kind and move.amount in (None, action.amount)
    ]
    if len(offered) != 1:
        raise UnknownName.among("action", name, place.action_names)
    return offered[0]
