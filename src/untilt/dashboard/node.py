"""One public node of the game: who decides, what may follow, and what the whole range does.

A node is a line of betting, and a board if one is given. Its hands are columns of numbers, so a
node with a thousand hands is one small answer.
"""

from dataclasses import dataclass
from itertools import chain

import numpy as np

from untilt.dashboard.infoset_table import InfosetTable
from untilt.dashboard.line_moves import line_moves
from untilt.dashboard.reaches import Meetings
from untilt.dashboard.source import Frames, Json, NotAvailable, finite, finite_list, position_of
from untilt.game.actions import action_data
from untilt.game.line import canonical_line
from untilt.game.protocol import Game
from untilt.game.terms import Chips, chips_of
from untilt.game.wording import decision_words
from untilt.numeric.arrays import Floats, Offsets

MAX_HANDS = 20_000
_MAX_POSITIONS = 2_000
"""Most positions visited to find the money on the table."""


@dataclass(frozen=True)
class Place:
    """Which node is asked for; None is any board, and whichever player decides."""

    line: str
    board: str | None = None
    seat: int | None = None


def node_json(
    table: InfosetTable,
    frames: Frames,
    frame: int,
    place: Place,
    meetings: tuple[Meetings, Meetings] | None,
    *,
    with_hands: bool,
) -> Json:
    """Return the `NodePage` of a place, without the money on the table."""
    position = position_of(frames, frame)
    seat, found = _deciding(table, place)
    names = table.infosets[seat]
    line, board, actions = _shared(table, seat, found, place)
    strategy, values = (
        row.astype(np.float64) for row in table.snapshot(*frames.row(position)).frame()
    )
    begin = 0 if seat == 0 else table.infosets[0].num_sequences
    first = begin + names.first_sequence.astype(np.int64)[found]
    own, worth = (
        row[first[:, None] + np.arange(len(actions))] for row in (strategy, values)
    )  # [hands, actions]
    weights = _weights(table, strategy, seat, meetings)
    total = np.nan if weights is None else float(weights[found].sum())
    page: Json = {
        "frame": position,
        "iteration": frames.infos[position].iteration,
        "line": line,
        "board": place.board,
        "seat": seat,
        "words": decision_words(names.label(int(found[0])), board, line),
        "actions": [action_data(name).to_json() for name in actions],
        "children": _children(table, line, actions),
        "num_hands": len(found),
        "reach": finite(total),
        "mix": None,
        "ev": None,
        "hands": None,
    }
    if weights is not None and total > 0.0:
        share = weights[found] / total
        page["mix"] = finite_list(share @ own)
        page["ev"] = finite(float(np.nansum(share[:, None] * own * worth)))
    if with_hands:
        if len(found) > MAX_HANDS:
            raise NotAvailable(f"{len(found):,} hands are too many; give a board")
        page["hands"] = {
            "label": [names.label(index) for index in found.tolist()],
            "hand": [names.parts(index).private for index in found.tolist()],
            "board": [names.parts(index).public for index in found.tolist()],
            "weight": None if weights is None else finite_list(weights[found]),
            "probabilities": [finite_list(column) for column in own.T],
            "values": [finite_list(column) for column in worth.T],
        }
    return page


def chips_on(root: Game, line: str) -> Chips | None:
    """Return the money on the table when somebody decides on the line; None if that is unknown.

    Cards do not change it, so any deal will do: the first outcome of chance is followed.
    """
    stack, looked = [root], 0
    while stack and looked < _MAX_POSITIONS:
        position = stack.pop()
        looked += 1
        if position.terminal:
            continue
        if position.chance:
            stack.append(position.apply(next(iter(position.chances()))[0]))
            continue
        infoset = position.infoset(position.active)
        here = getattr(infoset, "line", None)
        if here == line:
            return chips_of(position)
        if here is not None and line.startswith(here):
            stack.extend(position.apply(action) for action in infoset.actions())
    return None


def _deciding(table: InfosetTable, place: Place) -> tuple[int, Offsets]:
    """Return who decides there, and the player's infosets."""
    for seat in (0, 1) if place.seat is None else (place.seat,):
        found = table.matching(seat, public=place.board, line=place.line)
        if len(found):
            return seat, found
    where = f"on the line {place.line[:80]!r}" + (
        "" if place.board is None else f" with {place.board[:80]!r} on the board"
    )
    raise NotAvailable(f"nobody decides {where}; see the lines of the strategy")


def _shared(
    table: InfosetTable, seat: int, found: Offsets, place: Place
) -> tuple[str, str, tuple[str, ...]]:
    """Return line, board and actions of all these infosets; raise NotAvailable if they differ."""
    names = table.infosets[seat]
    blocks = {names.actions(index) for index in found.tolist()}
    lines = {names.parts(index).line for index in found.tolist()}
    if len(blocks) > 1 or len(lines) > 1:
        raise NotAvailable(
            f"the decisions on {place.line[:80]!r} have different actions; give one line"
        )
    return lines.pop(), place.board or "", blocks.pop()


def _weights(
    table: InfosetTable, strategy: Floats, seat: int, meetings: tuple[Meetings, Meetings] | None
) -> Floats | None:
    """Return [I] how often a hand gets to each infoset of the player; None if that is unknown."""
    if meetings is None or table.own_moves is None:
        return None
    boundary = table.infosets[0].num_sequences
    halves = strategy[:boundary], strategy[boundary:]
    own, opponent = table.own_moves[seat], table.own_moves[1 - seat]
    opponent_plan = opponent.plan(halves[1 - seat])
    met = meetings[seat].opponent_reach(halves[seat], opponent_plan, own)
    return own.own_reach(halves[seat]) * met


def _children(table: InfosetTable, line: str, actions: tuple[str, ...]) -> list[str | None]:
    """Return the line on which somebody decides after each action; None if the hand ends.

    If several streets pass without a decision, it is the first line that continues it.
    """
    known = dict.fromkeys(chain(*table.lines_of_player))
    below = [one for one in known if one.startswith(line)]
    next_move = {
        move["action"]["name"]: move["line"]
        for move in line_moves(below)
        if move["before"] == line and move["action"] is not None
    }
    found: list[str | None] = []
    for name in actions:
        begin = next_move.get(name)
        lines = [] if begin is None else [one for one in below if one.startswith(begin)]
        found.append(min(lines, key=len, default=None))
    return found


def canonical(line: str, table: InfosetTable) -> str:
    """Return a line typed in words in the form of the game's labels."""
    known = set(chain(*table.lines_of_player))
    return line if line in known else canonical_line(line)
