"""A group of the boards after the first one, for quantal response; see `board_group`.

Besides the opponent's reaches, a group needs C of the hands with which the trunk ends: values are
conditional, so those of a deal are weighted with C before and after it.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from untilt.game.public.public_layout import Layout, LayoutSide
from untilt.game.public.public_tree import PublicTree
from untilt.numeric.arrays import AnyArray, Bools, Floats
from untilt.solvers.public_tree.board_group import chunk_bounds, leaving_rows, spans_of
from untilt.solvers.public_tree.quantal_sweep import (
    CHUNKS,
    FOLLOW,
    Numbers,
    QuantalPlan,
    QuantalScratch,
    QuantalWork,
    quantal_sweep,
)
from untilt.solvers.public_tree.quantal_tables import (
    QuantalStrategies,
    Real,
    deal_probability,
    run_correction,
)
from untilt.solvers.public_tree.tables import LockedRows


class QuantalTurn(NamedTuple):
    """The work of groups in one turn; rows are those where the trunk ends, see `leaving_rows`."""

    mode: int
    """LEARN, FOLLOW or RESPOND."""
    player: int
    """Whose values are computed."""
    iteration: int
    rate: float
    first_rate: float
    delay: float
    """As in `QuantalPlan`."""
    keeps_dealt: bool
    """Whether the values of deals are to be kept for a snapshot."""
    log: Numbers
    """[rows, lanes of the opponent]: logarithms of reaches, relative to the offset."""
    met: Numbers
    """[rows, lanes of the player]: C."""
    offset: Floats
    """[rows]"""
    is_extreme: Bools
    """[rows]: whether any C is kept as a logarithm."""


class QuantalAnswer(NamedTuple):
    """The result of a group's turn."""

    values: Numbers
    """[chunks, 1 or 2, CHANCE leaves × lanes]: values and, where they are measured, surprises."""
    kept: Numbers
    """The values of deals."""
    largest: float
    """The largest distance of a strategy from its response."""


class QuantalCrew(Protocol):
    """Whoever computes the groups of boards after a trunk."""

    @property
    def groups(self) -> Sequence[tuple[int, int]]:
        """The chunks [begin, end) of each group."""
        ...

    def begin_with(self, states: Iterator[dict[str, AnyArray]]) -> None:
        """Take the strategies of all groups, one after another, before the first turn."""
        ...

    def turn(self, turn: QuantalTurn) -> Iterator[QuantalAnswer]:
        """Compute a turn; yield the answer of each group."""
        ...

    def save(self, iteration: int) -> None:
        """Save the strategies of all groups after an iteration."""
        ...

    def load(self, iteration: int) -> None:
        """Continue from what was saved; raise FormatError if that is not possible."""
        ...

    def logs(self) -> Iterator[tuple[AnyArray, AnyArray]]:
        """Yield the logarithms of both players' strategies, group by group."""
        ...

    def dealt(self) -> Iterator[tuple[AnyArray, AnyArray]]:
        """Yield the values of deals that the last turns have kept, group by group."""
        ...

    def room(self, size: int, dtype: np.dtype[np.generic]) -> AnyArray:
        """Return zeros, in a file where memory may not suffice."""
        ...


def by_chunk(work: QuantalWork, player: int) -> Numbers:
    """Return what chunks add up, [chunks, values and surprises, CHANCE leaves × lanes], a view."""
    return work.dealt[player].reshape(len(work.first_edge) - 1, 2, -1)


class _TrunkRows(NamedTuple):
    """Views of what a scratch has of the first board."""

    rows: AnyArray
    log: Numbers
    met: Numbers
    row: AnyArray


def trunk_rows(scratch: QuantalScratch, own: LayoutSide, other: LayoutSide) -> _TrunkRows:
    """Return views of the reaches and C of the first board."""
    place, count = scratch.place[0], int(own.street[0].num_reach_rows)

    def view(begin: int, width: int) -> Numbers:
        return scratch.more[begin : begin + count * width].reshape(count, width)

    first = int(place.row)
    return _TrunkRows(
        leaving_rows(own),
        view(int(place.log), int(other.board[0].width)),
        view(int(place.met), int(own.board[0].width)),
        scratch.row[first : first + count],
    )


class QuantalBoardGroup:
    """The boards of some chunks, with the strategies there."""

    def __init__(
        self,
        tree: PublicTree,
        layout: Layout,
        sides: tuple[LayoutSide, LayoutSide],
        scratch: QuantalScratch,
        chunks: tuple[int, int],
        betas: tuple[float, float],
        dtype: Real,
        *,
        locks: Sequence[LockedRows] = (),
    ) -> None:
        """`scratch` may be shared by groups that are computed one after another.

        All reach rows of `sides` are settled.
        """
        begin, end = chunks
        self._layout, self._scratch = layout, scratch
        self.strategies = QuantalStrategies(
            tree, layout, sides, betas, dtype, locks=locks, spans=spans_of(layout, begin, end)
        )
        one, other = self._sides = self.strategies.sides
        size = 2 * (end - begin) * int(layout.street[1].num_roots)
        first, second = (np.zeros(size * int(side.board[0].width), dtype) for side in sides)
        bounds = chunk_bounds(layout)[begin : end + 1].copy()
        self._work = QuantalWork(bounds, (first, second), scratch, np.zeros(1, np.int64))
        self._trunk = trunk_rows(scratch, one, other), trunk_rows(scratch, other, one)
        self._deal_probability = deal_probability(tree)
        self._run_correction = run_correction(tree, layout)

    def turn(self, turn: QuantalTurn) -> QuantalAnswer:
        """Compute a turn."""
        player, scratch = turn.player, self._scratch
        trunk = self._trunk[player]
        trunk.log[trunk.rows] = turn.log
        trunk.met[trunk.rows] = turn.met
        trunk.row["offset"][trunk.rows] = turn.offset
        trunk.row["is_extreme"][trunk.rows] = turn.is_extreme
        strategies = self.strategies
        tables = strategies.with_dealt() if turn.keeps_dealt else strategies.tables
        plan = QuantalPlan(
            mode=turn.mode,
            part=CHUNKS,
            first_iteration=turn.iteration,
            num_iterations=1,
            first_player=player,
            num_players=1,
            rate=turn.rate,
            first_rate=turn.first_rate,
            delay=turn.delay,
            deal_probability=self._deal_probability,
            run_correction=self._run_correction,
        )
        self._work.claimed[0] = 0
        scratch.found[0] = 0.0
        quantal_sweep(self._layout, self._sides, tables, self._work, scratch, plan)
        found = by_chunk(self._work, player)[:, : 2 if turn.mode == FOLLOW else 1]
        return QuantalAnswer(found.copy(), tables[player].dealt, float(scratch.found[0]))
