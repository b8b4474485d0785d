"""The decisions of a run on a line of betting, and on a board if one is given, as a node."""

from dataclasses import dataclass
from itertools import chain

import numpy as np

from untilt.dashboard.nodes.infoset_table import InfosetTable
from untilt.dashboard.nodes.line_moves import line_moves
from untilt.dashboard.nodes.reaches import Meetings
from untilt.dashboard.sources.source import NotAvailable, RunFrames, position_of
from untilt.game.actions import action_data
from untilt.game.line import canonical_line
from untilt.game.names.names import Names
from untilt.game.protocol import Game
from untilt.game.strategy.snapshot import parts_of
from untilt.game.terms import Chips, chips_of
from untilt.game.wording import decision_words
from untilt.numeric.arrays import Floats, Offsets
from untilt.policy.nodes.node import NO_HANDS, Hands, Node, NodePlace, known

MAX_HANDS = 20_000
_MAX_POSITIONS = 2_000
"""Most positions visited to find the money on the table."""


@dataclass(frozen=True)
class Asked:
    """Which node is asked for; None is any board, and whichever player decides."""

    line: str
    board: str | None = None
    seat: int | None = None


def infoset_node(
    table: InfosetTable,
    frames: RunFrames,
    frame: int,
    asked: Asked,
    meetings: tuple[Meetings, ...] | None,
    *,
    with_hands: bool = True,
) -> Node:
    """Return the node of the decisions on a line, without the money on the table."""
    position = position_of(frames, frame)
    seat, found = _deciding(table, asked)
    names = table.infosets[seat]
    line, board, actions = _shared(table, seat, found, asked)
    if with_hands and len(found) > MAX_HANDS:
        raise NotAvailable(f"{len(found):,} hands are too many; give a board")
    strategy, values = (
        row.astype(np.float64) for row in table.snapshot(*frames.row(position)).frame()
    )
    begin = sum(each.num_sequences for each in table.infosets[:seat])
    first = begin + names.first_sequence.astype(np.int64)[found]
    own, worth = (
        row[first[:, None] + np.arange(len(actions))] for row in (strategy, values)
    )  # [hands, actions]
    num_players = len(table.infosets)
    hands: list[Hands] = [NO_HANDS] * num_players
    hands[seat] = _hands(names, found, with_names=with_hands)
    reach: list[Floats | None] = [None] * num_players
    met: list[Floats | None] = [None] * num_players
    columns: list[dict[str, Floats]] = [{} for _ in range(num_players)]
    means: list[dict[str, float]] = [{} for _ in range(num_players)]
    total = None
    reached = _reached(table, strategy, seat, meetings)
    if reached is not None:
        reach[seat], met[seat] = (part[found] for part in reached)
        weights = columns[seat]["weight"] = reached[0][found] * reached[1][found]
        total = float(weights.sum())
        if total > 0.0:
            share = weights / total
            means[seat]["ev"] = float(np.nansum(share[:, None] * own * worth))
    iteration = frames.infos[position].iteration
    return Node(
        place=NodePlace(line, asked.board, "decision"),
        words=decision_words(names.label(int(found[0])), board, line),
        player=seat,
        hands=tuple(hands),
        reach=tuple(reach),
        mix=own.T,
        values=known(worth.T),
        actions=tuple(map(action_data, actions)),
        children=_children(table, line, asked.board, actions),
        met=tuple(met),
        frequency=total,
        columns=tuple(columns),
        means=tuple(means),
        panels={"frame": {"position": position, "iteration": iteration}},
    )


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


def _deciding(table: InfosetTable, asked: Asked) -> tuple[int, Offsets]:
    """Return who decides there, and the player's infosets."""
    for seat in range(len(table.infosets)) if asked.seat is None else (asked.seat,):
        found = table.matching(seat, public=asked.board, line=asked.line)
        if len(found):
            return seat, found
    where = f"on the line {asked.line[:80]!r}" + (
        "" if asked.board is None else f" with {asked.board[:80]!r} on the board"
    )
    raise NotAvailable(f"nobody decides {where}; see the lines of the strategy")


def _shared(
    table: InfosetTable, seat: int, found: Offsets, asked: Asked
) -> tuple[str, str, tuple[str, ...]]:
    """Return line, board and actions of all these infosets; raise NotAvailable if they differ."""
    names = table.infosets[seat]
    blocks = {names.actions(index) for index in found.tolist()}
    lines = {names.parts(index).line for index in found.tolist()}
    if len(blocks) > 1 or len(lines) > 1:
        raise NotAvailable(
            f"the decisions on {asked.line[:80]!r} have different actions; give one line"
        )
    return lines.pop(), asked.board or "", blocks.pop()


def _hands(names: Names, found: Offsets, *, with_names: bool) -> Hands:
    indices = found.tolist()
    if not with_names:
        return Hands("labels", len(indices))
    parts = [names.parts(index) for index in indices]
    return Hands(
        "labels",
        len(indices),
        names=[part.private for part in parts],
        labels=[names.label(index) for index in indices],
        boards=[part.public for part in parts],
    )


def _reached(
    table: InfosetTable, strategy: Floats, seat: int, meetings: tuple[Meetings, ...] | None
) -> tuple[Floats, Floats] | None:
    """Return [I] how often each infoset is reached by the player's own moves, and by all others.

    None if that is unknown.
    """
    if meetings is None or table.own_moves is None:
        return None
    behaviours = parts_of(table.infosets, strategy)
    own = table.own_moves[seat].own_reach(behaviours[seat])
    return own, meetings[seat].opponent_reach(seat, behaviours, table.own_moves)


def _children(
    table: InfosetTable, line: str, board: str | None, actions: tuple[str, ...]
) -> tuple[NodePlace | None, ...]:
    """Return where somebody decides after each action; None if the hand ends.

    If several streets pass without a decision, it is the first line that continues it.
    """
    lines = dict.fromkeys(chain(*table.lines_of_player))
    below = [one for one in lines if one.startswith(line)]
    next_move = {
        move["action"]["name"]: move["line"]
        for move in line_moves(below)
        if move["before"] == line and move["action"] is not None
    }
    found: list[NodePlace | None] = []
    for name in actions:
        begin = next_move.get(name)
        after = [] if begin is None else [one for one in below if one.startswith(begin)]
        child = min(after, key=len, default=None)
        found.append(None if child is None else NodePlace(child, board, "decision"))
    return tuple(found)


def canonical(line: str, table: InfosetTable) -> str:
    """Return a line typed in words in the form of the game's labels."""
    known = set(chain(*table.lines_of_player))
    return line if line in known else canonical_line(line)
