"""A group of turn or river boards of a spot with noise as a shard."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from untilt.distributed.shard import Message
from untilt.distributed.tree_shard import CompiledSpot, LastOne
from untilt.games.holdem.spots.spot import Spot
from untilt.numeric.arrays import AnyArray
from untilt.solvers.public_tree.quantal_group import QuantalBoardGroup, QuantalTurn
from untilt.solvers.public_tree.quantal_sweep import QuantalScratch, quantal_scratch_of
from untilt.solvers.public_tree.quantal_tables import real_of, settling_all


@dataclass(frozen=True)
class QuantalGroups:
    """Makes the shards of a spot with noise, which workers compile."""

    spot: Mapping[str, Any]
    """The spot as plain data."""
    is_merged: bool
    """Whether interchangeable boards are one."""
    betas: tuple[float, float]
    precision: str
    chunks: tuple[tuple[int, int], ...]
    """[begin, end) of each group."""

    def __call__(self, group: int) -> "QuantalShard":
        """Return the shard of a group; all in a process share the compiled spot."""
        spot = Spot.from_dict(self.spot)
        key = f"{spot.fingerprint()} {self.is_merged} {self.precision}"
        compiled, scratch = _last.of(key, lambda: self._compile(spot))
        return QuantalShard(
            QuantalBoardGroup(
                compiled.tree,
                compiled.layout,
                compiled.sides,
                scratch,
                self.chunks[group],
                self.betas,
                real_of(self.precision),
                locks=compiled.locks,
            )
        )

    def _compile(self, spot: Spot) -> tuple[CompiledSpot, QuantalScratch]:
        compiled = CompiledSpot.of(spot, is_merged=self.is_merged)
        layout, sides = settling_all(compiled.layout, compiled.sides)
        scratch = quantal_scratch_of(layout, sides, real_of(self.precision))
        return compiled._replace(layout=layout, sides=sides), scratch


class QuantalShard:
    """A group of boards with strategies."""

    def __init__(self, boards: QuantalBoardGroup) -> None:
        self._boards = boards

    def advance(self, inputs: Message) -> Message:
        """Do one learning turn of one player."""
        return self.ask(inputs)

    def ask(self, inputs: Message) -> Message:
        """Return the answer to a turn; the turn says whether anything is learnt."""
        return self._boards.turn(QuantalTurn(**inputs))._asdict()

    def arrays(self) -> Mapping[str, AnyArray]:
        """Return the logarithms of strategies."""
        return self._boards.strategies.state()

    def load(self, arrays: Mapping[str, AnyArray]) -> None:
        """Continue from these."""
        self._boards.strategies.restore(arrays)


_last: LastOne[tuple[CompiledSpot, QuantalScratch]] = LastOne()
"""The spot that this process compiled last."""
