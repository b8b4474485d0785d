"""A group of turn or river boards of a spot as a shard."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from untilt.distributed.shard import Message
from untilt.game.public.public_lanes import full_layout
from untilt.game.public.public_layout import Layout, LayoutSide
from untilt.game.public.public_sweeps import SweepScratch, scratch_of
from untilt.game.public.public_tree import PublicTree
from untilt.games.holdem.spots.locks import is_merged_for, locked_hands
from untilt.games.holdem.spots.public_form import compile_spot
from untilt.games.holdem.spots.spot import Spot
from untilt.numeric.arrays import AnyArray
from untilt.regret.rule import UpdateRule
from untilt.solvers.public_tree.board_group import BoardGroup, GroupTurn, Spans
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
        spot = Spot.from_dict(self.spot)
        compiled, scratch = _last.of(spot.fingerprint(), lambda: _compile(spot))
        return TreeShard(
            BoardGroup(
                compiled.layout,
                compiled.sides,
                scratch,
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


class CompiledSpot(NamedTuple):
    """A spot as workers need it."""

    tree: PublicTree
    layout: Layout
    sides: tuple[LayoutSide, LayoutSide]
    locks: tuple[LockedRows, ...]

    @classmethod
    def of(cls, spot: Spot, *, is_merged: bool) -> "CompiledSpot":
        """Compile a spot."""
        form = compile_spot(spot, is_merged=is_merged)
        layout, sides = full_layout(form.tree)
        locks = locked_hands(form, (layout, sides)) if spot.locks else ()
        return cls(form.tree, layout, sides, tuple(LockedRows(*each) for each in locks))


Made = TypeVar("Made")


class LastOne(Generic[Made]):
    """Remembers what was made last; the groups of a worker share it."""

    def __init__(self) -> None:
        self._known: dict[str, Made] = {}

    def of(self, key: str, make: Callable[[], Made]) -> Made:
        """Return what was made for `key`, after making it if something else was made last."""
        if key not in self._known:
            self._known.clear()
            self._known[key] = make()
        return self._known[key]


_last: LastOne[tuple[CompiledSpot, SweepScratch]] = LastOne()
"""The spot that this process compiled last."""


def _compile(spot: Spot) -> tuple[CompiledSpot, SweepScratch]:
    compiled = CompiledSpot.of(spot, is_merged=is_merged_for(spot))
    return compiled, scratch_of(compiled.layout, compiled.sides)


def table_bytes(sides: tuple[LayoutSide, LayoutSide], bytes_per_action: int, spans: Spans) -> int:
    """Return the size of the tables of some boards; an action of a hand takes so many bytes."""
    places = [side.board["table"] for side in sides]
    numbers = sum(int(each[stop] - each[first]) for each in places for first, stop in spans)
    return numbers * bytes_per_action
