"""A group of the boards after the first one, computed separately from the others.

The first board is the *trunk*. A turn of one player goes down the trunk, then through all groups,
and up the trunk again. A group needs the opponent's reaches with which the trunk ends, and returns
the values of what was dealt, chunk by chunk: whoever has the trunk adds them up in the order of
chunks, as with threads. Nothing else is exchanged, so groups may be on any machine.

Tables of a group, or of the trunk, have room for their own boards only.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from untilt.game.public.public_layout import Layout, LayoutSide, Singles
from untilt.game.public.public_sweeps import SweepScratch
from untilt.numeric.arrays import AnyArray, Offsets
from untilt.regret.rule import UpdateRule
from untilt.solvers.public_tree.sweep import (
    LEARN,
    BoardWork,
    SweepPlan,
    new_signals,
    open_turn,
    sweep,
)
from untilt.solvers.public_tree.tables import Learnt, LockedRows

_NAP_SECONDS = 5e-5

Spans = Sequence[tuple[int, int]]
"""Boards [begin, end), street by street."""

TRUNK: Spans = ((0, 1),)


class GroupTurn(NamedTuple):
    """The work of groups in one turn."""

    mode: int
    """LEARN, FOLLOW or RESPOND."""
    player: int
    """Whose values are computed."""
    iteration: int
    weight: float
    """As in `Plan`."""
    keeps_dealt: bool
    """Whether the values of deals are to be kept for a snapshot."""
    reach: Singles
    """[reach rows, lanes of the opponent]: reaches where the trunk ends; see `leaving_rows`."""


class Crew(Protocol):
    """Whoever computes the groups of boards after a trunk."""

    @property
    def groups(self) -> Sequence[tuple[int, int]]:
        """The chunks [begin, end) of each group."""
        ...

    def turn(self, turn: GroupTurn) -> Iterator[Singles]:
        """Compute a turn; yield the values of each group, [chunks, CHANCE leaves, lanes]."""
        ...

    def save(self, iteration: int) -> None:
        """Save what the groups have learnt up to an iteration."""
        ...

    def load(self, iteration: int) -> None:
        """Continue from what was saved; raise FormatError if that is not possible."""
        ...

    def averages(self) -> Iterator[tuple[AnyArray, AnyArray]]:
        """Yield the strategy sums of both players, group by group."""
        ...

    def dealt(self) -> Iterator[tuple[Singles, Singles]]:
        """Yield the values of deals that the last turns have kept, group by group."""
        ...

    def room(self, size: int, dtype: np.dtype[np.generic]) -> AnyArray:
        """Return zeros, in a file where memory may not suffice."""
        ...


def chunk_bounds(layout: Layout) -> Offsets:
    """Return [chunks + 1] edges of the first board; a chunk is one board after it."""
    children = layout.edge_child[: layout.board[1].first_edge]
    return np.array([*np.flatnonzero(np.diff(children, prepend=-1)), len(children)], np.int64)


def spans_of(layout: Layout, begin: int, end: int) -> Spans:
    """Return the boards of the chunks [begin, end), all streets."""
    bounds = chunk_bounds(layout)
    edges = int(bounds[begin]), int(bounds[end])
    spans: list[tuple[int, int]] = []
    while edges[0] < edges[1]:
        first, last = (int(layout.edge_child[edge]) for edge in (edges[0], edges[1] - 1))
        spans.append((first, last + 1))
        edges = int(layout.board[first].first_edge), int(layout.board[last + 1].first_edge)
    return spans


def part_of(side: LayoutSide, spans: Spans) -> LayoutSide:
    """Return `side` with room in its tables for the boards of `spans` only."""
    board = side.board.copy()
    for name in ("table", "choice", "dealt"):
        places = side.board[name]
        board[name] = end = 0
        for first, stop in spans:
            board[name][first : stop + 1] = places[first : stop + 1] - places[first] + end
            end = int(board[name][stop])
        board[name][-1] = end
    return side._replace(board=board)


def locks_within(
    locks: Sequence[LockedRows], sides: tuple[LayoutSide, LayoutSide], spans: Spans
) -> list[LockedRows]:
    """Return the locks on the boards of `spans`, with positions in tables of these alone."""
    found: list[LockedRows] = []
    for lock in locks:
        places, end = sides[lock.player].board["table"], 0
        for first, stop in spans:
            begin, size = int(places[first]), int(places[stop] - places[first])
            offset = lock.positions - begin
            is_here = (offset[:, 0] >= 0) & (offset[:, 0] < size)
            if is_here.any():
                found.append(LockedRows(lock.player, offset[is_here] + end, lock.mix[is_here]))
            end += size
    return found


def put_part(whole: AnyArray, part: AnyArray, side: LayoutSide, spans: Spans, name: str) -> None:
    """Copy numbers of the boards of `spans` to their places among those of all boards."""
    places, begin = side.board[name], 0
    for first, stop in spans:
        target = whole[int(places[first]) : int(places[stop])]
        target[:] = part[begin : begin + len(target)]
        begin += len(target)


def put_parts(
    wholes: tuple[AnyArray, AnyArray],
    parts: Iterable[tuple[AnyArray, AnyArray]],
    layout: Layout,
    sides: tuple[LayoutSide, LayoutSide],
    groups: Sequence[tuple[int, int]],
    name: str,
) -> None:
    """Copy both players' numbers of the trunk and then of all groups to their places."""
    spans = (TRUNK, *(spans_of(layout, *chunks) for chunks in groups))
    for place, part in zip(spans, parts, strict=True):
        for whole, each, side in zip(wholes, part, sides, strict=True):
            put_part(whole, each, side, place, name)


def leaving_rows(side: LayoutSide) -> Offsets:
    """Return the reach rows of the first board with which deals continue, for a player."""
    entries = side.entry[2 * side.street[1].first_entry : 2 * side.street[2].first_entry : 2]
    return np.unique(entries).astype(np.int64)


def reach_rows(scratch: SweepScratch, own: LayoutSide, other: LayoutSide) -> Singles:
    """Return the opponent's reach rows of the first board, as a view of the scratch."""
    begin, width = int(scratch.street[0].reach), int(other.board[0].width)
    count = int(own.street[0].num_reach_rows)
    return scratch.numbers[begin : begin + count * width].reshape(count, width)


class BoardGroup:
    """The boards of some chunks, with all that was learnt there."""

    def __init__(
        self,
        layout: Layout,
        sides: tuple[LayoutSide, LayoutSide],
        scratch: SweepScratch,
        chunks: tuple[int, int],
        rule: UpdateRule,
        *,
        precision: str = "float32",
        locks: Sequence[LockedRows] = (),
    ) -> None:
        """`scratch` may be shared by groups that are computed one after another."""
        spans = spans_of(layout, *chunks)
        self._layout, self._scratch, self._rule = layout, scratch, rule
        self._sides = part_of(sides[0], spans), part_of(sides[1], spans)
        self.learnt = Learnt(self._sides, rule, precision, locks_within(locks, sides, spans))
        begin, end = chunks
        size = (end - begin) * int(layout.street[1].num_roots)
        first, second = (np.zeros(size * int(side.board[0].width), np.float32) for side in sides)
        self._work = BoardWork(
            first_edge=chunk_bounds(layout)[begin : end + 1].copy(),
            dealt=(first, second),
            trunk=scratch.numbers,
            signals=new_signals(end - begin),
        )
        # Made once: a turn takes only a few milliseconds, and would find none of it in the cache.
        one, other = self._sides
        self._reach = reach_rows(scratch, one, other), reach_rows(scratch, other, one)
        self._rows = leaving_rows(one), leaving_rows(other)
        self._current = self.learnt.current()

    def turn(self, turn: GroupTurn) -> tuple[Singles, Singles]:
        """Compute a turn; return values, [chunks, CHANCE leaves, lanes], and those kept."""
        player = turn.player
        self._reach[player][self._rows[player]] = turn.reach
        tables = (
            self._current
            if turn.mode == LEARN
            else self.learnt.average(keeps_dealt=turn.keeps_dealt)
        )
        plan = SweepPlan(
            mode=turn.mode,
            rule=self._rule,
            first_iteration=turn.iteration,
            num_iterations=1,
            weight=turn.weight,
            first_player=player,
            num_players=1,
            is_leader=False,
        )
        open_turn(self._work.signals)
        while not sweep(self._layout, self._sides, tables, self._work, self._scratch, plan):
            time.sleep(_NAP_SECONDS)
        return self._work.dealt[player].copy(), tables[player].dealt
