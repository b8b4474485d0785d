"""The tables of a solver on the boards of a public tree, or on a part of them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from untilt.errors import FormatError
from untilt.game.public.public_layout import LayoutSide
from untilt.numeric.arrays import AnyArray, Floats, adjacent_zeros
from untilt.regret.rule import UpdateRule
from untilt.solvers.public_tree.sweep import WHOLE, SolverTables
from untilt.solvers.saved_state import array_of

_PIECE = 1 << 20
"""Numbers that are copied at a time, so that no second table is needed."""
_LARGE_BYTES = 2 << 20
"""Saved arrays of this size, that of a huge page, are kept. Smaller ones are copied to where they
are all adjacent."""
_CACHE_LINE = 64


class StoredTable(Protocol):
    """A table of strategies: an array, or one in a file of which parts are read."""

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> AnyArray: ...


class LockedRows(NamedTuple):
    """A part of a player's strategy that is given."""

    player: int
    positions: npt.NDArray[np.int64]
    """[n, actions]: where the actions of a lane are in the player's tables."""
    mix: Floats
    """[n, actions]: how often each is taken, which sums to 1."""


class Learnt:
    """Regrets and averages of both players, for the boards for which `sides` have room."""

    def __init__(
        self,
        sides: tuple[LayoutSide, LayoutSide],
        rule: UpdateRule,
        precision: str,
        locks: Sequence[LockedRows] = (),
    ) -> None:
        self._dealt_sizes = [side.dealt_size for side in sides]
        self._arrays = _new_arrays(sides, rule, precision)
        self._locked = [_new_locks(side, locks) for side in sides]
        for lock in locks:
            for name in ("regret_sum", "ahead"):
                table = self._arrays[lock.player].get(name)
                if table is not None:
                    whole = 1.0 if table.dtype == np.float32 else WHOLE
                    table[lock.positions] = np.rint(lock.mix * whole) if whole > 1 else lock.mix
            self._locked[lock.player][lock.positions] = 1

    def current(self) -> tuple[SolverTables, SolverTables]:
        """Return the tables from which regret matching derives the current strategies."""
        first, second = (
            SolverTables(
                strategy=known.get("ahead", known["regret_sum"]),
                regret_sum=known["regret_sum"],
                strategy_sum=known["strategy_sum"],
                scale=known.get("scale"),
                is_predictive="ahead" in known,
                locked=locked,
                dealt=np.zeros(0, np.float32),
                keeps_best=False,
            )
            for known, locked in zip(self._arrays, self._locked, strict=True)
        )
        return first, second

    def average(self, *, keeps_dealt: bool = False) -> tuple[SolverTables, SolverTables]:
        """Return the tables from which regret matching derives the average strategies.

        With `keeps_dealt` they have room for the values of all deals.
        """
        first, second = (
            tables._replace(
                strategy=tables.strategy_sum,
                dealt=np.zeros(size if keeps_dealt else 0, np.float32),
            )
            for tables, size in zip(self.current(), self._dealt_sizes, strict=True)
        )
        return first, second

    def replace_averages(
        self, tables: tuple[StoredTable, StoredTable], locks: Sequence[LockedRows] = ()
    ) -> None:
        """Replace the average strategies with others, given as weights of actions, and lock them.

        Tables are read in pieces.
        """
        for known, table in zip(self._arrays, tables, strict=True):
            average = known["strategy_sum"]
            assert len(table) == len(average)
            for begin in range(0, len(average), _PIECE):
                average[begin : begin + _PIECE] = table[begin : begin + _PIECE]
        for lock in locks:
            self._arrays[lock.player]["strategy_sum"][lock.positions] = lock.mix

    def release(self) -> None:
        """Release everything; tables that were handed out stay."""
        self._arrays, self._locked = [], []

    def state(self) -> dict[str, AnyArray]:
        """Return everything by name, not copied."""
        return {
            f"{name}_{player}": array
            for player, known in enumerate(self._arrays)
            for name, array in known.items()
        }

    def restore(self, state: Mapping[str, AnyArray]) -> None:
        """Take a saved state; raise FormatError, and change nothing, if it does not fit.

        Large arrays are kept, not copied: they must not be used elsewhere afterwards.
        """
        found = [
            {
                name: array_of(state, f"{name}_{player}", array.shape, array.dtype.type)
                for name, array in known.items()
            }
            for player, known in enumerate(self._arrays)
        ]
        if any(known["strategy_sum"].min(initial=0) < 0 for known in found):
            raise FormatError("strategy_sum of the saved state has negative numbers")
        for known, restored in zip(self._arrays, found, strict=True):
            for name, array in restored.items():
                if _can_keep(array):
                    known[name] = array
                else:
                    known[name][:] = array


def _new_arrays(
    sides: tuple[LayoutSide, LayoutSide], rule: UpdateRule, precision: str
) -> list[dict[str, AnyArray]]:
    more = ("ahead",) if rule.prediction else ()
    sizes = [side.table_size for side in sides for _ in ("regret_sum", *more)]
    tables = iter(adjacent_zeros(sizes, precision))
    # A separate block, because a snapshot may keep the averages but not the regrets.
    averages = adjacent_zeros([side.table_size for side in sides], precision)
    arrays: list[dict[str, AnyArray]] = [
        {
            "regret_sum": next(tables),
            "strategy_sum": average,
            **{name: next(tables) for name in more},
        }
        for average in averages
    ]
    if precision == "int16":
        for side, known in zip(sides, arrays, strict=True):
            known["scale"] = np.zeros(side.num_choices, np.float32)
    return arrays


def _can_keep(array: AnyArray) -> bool:
    """Whether a saved array is worth keeping, and kernels can take it as it is."""
    is_aligned = array.ctypes.data % _CACHE_LINE == 0
    is_own = array.flags.writeable and array.flags.c_contiguous
    return array.nbytes >= _LARGE_BYTES and is_aligned and is_own


def _new_locks(side: LayoutSide, locks: Sequence[LockedRows]) -> npt.NDArray[np.int16]:
    player = 0 if side.is_first else 1
    is_needed = any(lock.player == player for lock in locks)
    return np.zeros(side.table_size if is_needed else 0, np.int16)
