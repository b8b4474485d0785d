"""A group of turn or river boards of a spot as a shard."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from untilt.distributed.shard import Message
from untilt.game.public.public_lanes import full_layout
from untilt.game.public.public_layout import Layout, LayoutSide
from untilt.game.public.public_sweeps import SweepScratch, scratch_of
from untilt.games.holdem.spots.locks import is_merged_for, locked_hands
from untilt.games.holdem.spots.public_form import compile_spot
from untilt.games.holdem.spots.spot import Spot
from untilt.numeric.arrays import AnyArray
from untilt.regret.rule import UpdateRule
from untilt.solvers.public_tree.board_group import BoardGroup, GroupTurn
from untilt.solvers.public_tree.tables import LockedRows


@dataclass(frozen=True)
class TreeGroups:
    """Makes the shards of a spot; little is sent to workers, because they compile the spot."""

    spot: Mapping[str, Any]
    """The spot as plain data."""
    rule: UpdateRule
    precision: str
    chunks: tuple[tuple[int, int], ...]
    """[begin, end) of each group."""

    def __call__(self, group: int) -> "TreeShard":
        """Return the shard of a group; all in a process share the compiled spot."""
        compiled = _compiled(self.spot)
        return TreeShard(
            BoardGroup(
                compiled.layout,
                compiled.sides,
                compiled.scratch,
                self.chunks[group],
                self.rule,
                precision=self.precision,
                locks=compiled.locks,
            )
        )


class TreeShard:
    """A group of boards with regrets and averages."""

    def __init__(self, boards: BoardGroup) -> None:
        self._boards = boards

    def advance(self, inputs: Message) -> Message:
        """Do one learning turn of one player."""
        return self.ask(inputs)

    def ask(self, inputs: Message) -> Message:
        """Return the values of a turn; the turn says whether anything is learnt."""
        values, kept = self._boards.turn(GroupTurn(**inputs))
        return {"values": values, "kept": kept}

    def arrays(self) -> Mapping[str, AnyArray]:
        """Return regrets and averages."""
        return self._boards.learnt.state()

    def load(self, arrays: Mapping[str, AnyArray]) -> None:
        """Continue from these."""
        self._boards.learnt.restore(arrays)


class _Compiled(NamedTuple):
    layout: Layout
    sides: tuple[LayoutSide, LayoutSide]
    scratch: SweepScratch
    locks: tuple[LockedRows, ...]


_last: dict[str, _Compiled] = {}
"""The spot that this process compiled last."""


def _compiled(data: Mapping[str, Any]) -> _Compiled:
    spot = Spot.from_dict(data)
    key = spot.fingerprint()
    if key not in _last:
        _last.clear()
        _last[key] = _compile(spot)
    return _last[key]


def _compile(spot: Spot) -> _Compiled:
    form = compile_spot(spot, is_merged=is_merged_for(spot))
    layout, sides = full_layout(form.tree)
    locks = (
        tuple(LockedRows(*each) for each in locked_hands(form, (layout, sides)))
        if spot.locks
        else ()
    )
    return _Compiled(layout, sides, scratch_of(layout, sides), locks)


def table_bytes(
    sides: tuple[LayoutSide, LayoutSide], precision: str, spans: list[tuple[int, int]]
) -> int:
    """Return the size of the tables of some boards."""
    places = [side.board["table"] for side in sides]
    numbers = sum(int(each[stop] - each[first]) for each in places for first, stop in spans)
    return 2 * numbers * np.dtype(precision).itemsize
