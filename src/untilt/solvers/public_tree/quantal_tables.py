"""The strategies of quantal response on the boards of a public tree, or on a part of them."""

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

import numpy as np

from untilt.errors import FormatError
from untilt.game.public.public_layout import Layout, LayoutSide, widths_of
from untilt.game.public.public_tree import CHANCE, PublicTree
from untilt.numeric.arrays import AnyArray, Floats, adjacent_zeros
from untilt.solvers.public_tree.board_group import Spans, locks_within, part_of
from untilt.solvers.public_tree.quantal_sweep import NOBODY, QuantalTables
from untilt.solvers.public_tree.tables import LockedRows, StoredTable
from untilt.solvers.saved_state import array_of

Real = type[np.float32] | type[np.float64]

_LOG_OF_NEVER = -4096.0
"""Stands for the logarithm of 0 where a locked action is never taken, so that hands there have
values: as if it were taken hardly ever."""
_LEAST_START = -4.0
"""Of another solution to begin with, the least logarithms of probabilities, where it has none."""


def real_of(precision: str) -> Real:
    """Return the type of the numbers in tables."""
    return np.float64 if precision == "float64" else np.float32


def settling_all(
    layout: Layout, sides: tuple[LayoutSide, LayoutSide]
) -> tuple[Layout, tuple[LayoutSide, LayoutSide]]:
    """Return both with all reach rows settled: each needs C."""
    first, second = (_settling_side(side) for side in sides)
    wide, narrow = widths_of((first, second))
    return layout._replace(wide=wide, narrow=narrow), (first, second)


def _settling_side(side: LayoutSide) -> LayoutSide:
    street = side.street.copy()
    street["num_settled"] = street["num_reach_rows"]
    return side._replace(street=street)


def deal_probability(tree: PublicTree) -> Floats:
    """Return [streets] the probabilities of deals, as a plan has them."""
    return np.array([*(deals.probability for deals in tree.deals), 1.0])


def run_correction(tree: PublicTree, layout: Layout) -> Floats:
    """Return [streets] the probabilities of run-outs as multiples of their float32."""
    exact = [0.0 if each is None else each.probability for each in tree.runouts]
    stored = layout.street["run_probability"][: len(exact)].astype(np.float64)
    return np.where(stored > 0.0, np.array(exact) / np.where(stored > 0.0, stored, 1.0), 1.0)


class QuantalStrategies:
    """The strategies of both players on some boards."""

    def __init__(
        self,
        tree: PublicTree,
        layout: Layout,
        sides: tuple[LayoutSide, LayoutSide],
        betas: tuple[float, float],
        dtype: Real,
        *,
        locks: Sequence[LockedRows] = (),
        spans: Spans | None = None,
    ) -> None:
        """Begin with uniform strategies; `spans` are the boards, None for all."""
        self._layout, self._whole, self._dtype = layout, sides, dtype
        self.sides = sides
        # The bits of a strategy depend on whether there is any lock, on whatever board.
        are_locked = {lock.player for lock in locks}
        if spans is not None:
            self.sides = part_of(sides[0], spans), part_of(sides[1], spans)
            locks = locks_within(locks, sides, spans)
        firsts = layout.street["first_board"].tolist()
        self._spans = list(pairwise(firsts)) if spans is None else spans
        first, second = self._new_tables(tree, betas, locks, are_locked)
        self.tables = first, second

    def with_dealt(self) -> tuple[QuantalTables, QuantalTables]:
        """Return the tables with room for the values of all deals."""
        first, second = (
            table._replace(dealt=np.zeros(side.dealt_size, self._dtype))
            for table, side in zip(self.tables, self.sides, strict=True)
        )
        return first, second

    def begin_with(self, tables: tuple[StoredTable, StoredTable], *, are_logs: bool) -> None:
        """Take other strategies, those of all boards; what is locked stays as it is.

        Tables have weights of actions as in a snapshot, or logarithms.
        """
        for player, (known, table) in enumerate(zip(self.tables, tables, strict=True)):
            side, whole = self.sides[player], self._whole[player]
            for board in self._boards():
                begin, end = (int(whole.board[place].table) for place in (board, board + 1))
                rows = np.asarray(table[begin:end]).reshape(-1, int(side.board[board].width))
                if len(rows):
                    place = int(side.board[board].table)
                    here = slice(place, place + end - begin)
                    found = _log_shares(rows, self._first_rows(board, player), are_logs=are_logs)
                    part = known.logs[here]
                    is_locked = known.locked[here] > 0 if len(known.locked) else False
                    part[:] = np.where(is_locked, part, found.ravel())

    def state(self) -> dict[str, AnyArray]:
        """Return all strategies by name, not copied."""
        return {f"logs_{player}": table.logs for player, table in enumerate(self.tables)}

    def restore(self, state: Mapping[str, AnyArray]) -> None:
        """Take saved strategies; raise FormatError, and change nothing, if they do not fit."""
        found = [
            array_of(state, name, logs.shape, logs.dtype.type)
            for name, logs in self.state().items()
        ]
        if not all(each.min() >= NOBODY and each.max() <= 1e-3 for each in found if len(each)):
            raise FormatError("the saved state has impossible probabilities")
        for table, restored in zip(self.tables, found, strict=True):
            table.logs[:] = restored

    def _boards(self) -> list[int]:
        return [board for first, stop in self._spans for board in range(first, stop)]

    def _counts(self, board: int, player: int) -> AnyArray:
        """Return the number of actions of every decision of a player on a board."""
        boards = self._layout.street["first_board"]
        street = int(np.searchsorted(boards, board, side="right")) - 1
        first, end = (int(self._layout.street[s].first_node) for s in (street, street + 1))
        nodes = self._layout.node[first:end]
        counts = nodes["num_actions"][nodes["player"] == player]
        return np.asarray(counts[counts > 0].astype(np.int64))

    def _first_rows(self, board: int, player: int) -> AnyArray:
        """Return the first row of every decision of a player on a board."""
        counts = self._counts(board, player)
        return np.asarray(np.cumsum(counts) - counts)

    def _new_tables(
        self,
        tree: PublicTree,
        betas: tuple[float, float],
        locks: Sequence[LockedRows],
        are_locked: Collection[int],
    ) -> tuple[QuantalTables, QuantalTables]:
        logs = adjacent_zeros([side.table_size for side in self.sides], self._dtype)
        found = []
        for player, side in enumerate(self.sides):
            self._fill_uniform(logs[player], player)
            own = [lock for lock in locks if lock.player == player]
            locked = np.zeros(side.table_size if player in are_locked else 0, np.int16)
            for lock in own:
                locked[lock.positions] = 1
                mix = np.maximum(lock.mix, math.exp(-700.0))
                logs[player][lock.positions] = np.where(lock.mix > 0, np.log(mix), _LOG_OF_NEVER)
            log_weight = np.full(int(side.board[0].width), NOBODY, self._dtype)
            log_weight[: len(tree.weights[player])] = np.log(tree.weights[player])
            stakes = np.concatenate([street.stakes[:, player] for street in tree.streets])
            found.append(
                QuantalTables(
                    logs=logs[player],
                    log_weight=log_weight,
                    locked=locked,
                    stakes=np.ascontiguousarray(stakes.ravel()),
                    leaf_row=self._leaf_rows(side),
                    dealt=np.zeros(0, self._dtype),
                    beta=betas[player],
                )
            )
        return found[0], found[1]

    def _leaf_rows(self, side: LayoutSide) -> AnyArray:
        """Return the reach rows of all CHANCE leaves, street by street."""
        rows = side.node["reach_row"][np.asarray(self._layout.node["kind"]) == CHANCE]
        return np.ascontiguousarray(rows, np.int32)

    def _fill_uniform(self, logs: AnyArray, player: int) -> None:
        """Set the logarithms of uniform strategies."""
        side = self.sides[player]
        for first, stop in self._spans:
            counts = self._counts(first, player)
            shares = np.repeat(-np.log(counts.astype(np.float64)), counts)
            for board in range(first, stop):
                place, width = int(side.board[board].table), int(side.board[board].width)
                logs[place : place + len(shares) * width] = np.repeat(shares, width)


def _log_shares(rows: AnyArray, first_rows: AnyArray, *, are_logs: bool) -> Floats:
    """Return the logarithms of strategies, of which `rows` have the weights or the logarithms."""
    counts = np.diff(first_rows, append=len(rows))
    if are_logs:
        logs = rows.astype(np.float64)
    else:
        whole = np.repeat(np.maximum.reduceat(rows, first_rows), counts, axis=0)
        logs = np.zeros(rows.shape)
        np.divide(rows, whole, out=logs, where=whole > 0.0)
        logs = np.log(np.where(whole > 0.0, np.maximum(logs, math.exp(_LEAST_START)), 1.0))
    top = np.maximum.reduceat(logs, first_rows)
    shifted = logs - np.repeat(top, counts, axis=0)
    with np.errstate(under="ignore"):
        total = np.log(np.add.reduceat(np.exp(shifted), first_rows))
    return np.asarray(shifted - np.repeat(total, counts, axis=0))
