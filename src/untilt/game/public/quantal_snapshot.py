"""The result of quantal response on a public tree: every line has values, however rarely taken.

Tables hold logarithms of probabilities. The values of CHANCE leaves are *conditional*: what a hand
expects there, given that it gets there. At a node that a player's range reaches with less than
`LEAST_REACH`, that player's reaches are given relative to the hand that comes most often; the view
says by how much in `log_scale`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from untilt.game.public.public_snapshot import NodeView, Path, PublicSnapshot
from untilt.game.public.public_tree import CHANCE, NO_PARENT, PublicTree
from untilt.numeric.arrays import AnyArray, Floats

LEAST_REACH = 1e-3
"""Where no hand of a player arrives more often, reaches are relative."""
_CANCELLED = 1e-6
"""A sum of reaches that is less than this share of all is added up hand by hand: what remains after
subtracting the excluded ones has too few digits."""


class Residual(NamedTuple):
    """The distance of strategies from their own logit responses; as a target, inf is none."""

    mean: float
    """Of a hand, the expected number of a player's decisions that the response would make
    differently: at each, half of what the probabilities of its actions differ by. That of the
    player for whom it is larger."""
    largest: float
    """The most that a probability differs by, over all hands at all nodes."""


class Exponentials:
    """A table of logarithms, of which slices are read as what they are the logarithms of."""

    def __init__(self, logs: AnyArray) -> None:
        self.logs = logs

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """The type of the numbers."""
        return self.logs.dtype

    def __len__(self) -> int:
        return len(self.logs)

    def __getitem__(self, part: slice) -> AnyArray:
        with np.errstate(under="ignore"):
            return np.asarray(np.exp(self.logs[part]))


@dataclass(frozen=True, eq=False, repr=False)
class QuantalSnapshot(PublicSnapshot):
    """A strategy per hand and node, none of whose probabilities is 0.

    `tables` reads as weights of actions, like those of other snapshots; where a probability leaves
    the range of its type, only `logs` has it. `dealt` has conditional values.
    """

    kind: ClassVar[str] = "quantal public tree"

    logs: tuple[AnyArray, AnyArray]
    """Per player: logarithms of the probabilities of actions; see `public_layout`."""

    @classmethod
    def of(
        cls, tree: PublicTree, logs: tuple[AnyArray, AnyArray], dealt: tuple[AnyArray, AnyArray]
    ) -> "QuantalSnapshot":
        """Return the snapshot with these tables."""
        weights = Exponentials(logs[0]), Exponentials(logs[1])
        return cls(tree, weights, dealt, logs)  # type: ignore[arg-type]  # sliced like arrays

    def log_strategy(self, street: int, board: int, node: int) -> Floats:
        """Return the logarithms of the strategy, [actions, lanes of the player who acts]."""
        rows = self.rows(self.logs, street, board, node)
        top = rows.max(axis=0)
        found: Floats = rows - (top + np.log(np.exp(rows - top).sum(axis=0)))
        return found

    def strategy(self, street: int, board: int, node: int) -> Floats:
        """Return the strategy, [actions, lanes of the player who acts]."""
        with np.errstate(under="ignore"):
            return np.asarray(np.exp(self.log_strategy(street, board, node)))

    def view(self, path: Path) -> NodeView:
        """Return the node at the end of `path`."""
        reach, scale = [], []
        for logs in self._log_reach(path):
            top = float(logs.max(initial=-np.inf))
            shift = top if -np.inf < top < np.log(LEAST_REACH) else 0.0
            with np.errstate(under="ignore"):
                reach.append(np.exp(logs - shift))
            scale.append(shift)
        board, node = path[-1]
        spread = self._spread(len(path) - 1, board, [node], (reach[0][None], reach[1][None]))
        (found,) = self._views(spread, [0])
        return found._replace(log_scale=(scale[0], scale[1]))

    def views(self, street: int, board: int, nodes: Sequence[int]) -> Iterator[NodeView]:
        """Yield some nodes of a street on one board, in ascending order."""
        for found in super().views(street, board, nodes):
            is_rare = any(each.max(initial=0.0) < LEAST_REACH for each in found.reach)
            yield self.view(self._path_to(street, board, found.node)) if is_rare else found

    def met(self, street: int, board: int, seat: int, reach: Floats) -> Floats:
        """Return C: the opponent's reaches that each lane does not exclude."""
        found = super().met(street, board, seat, reach)
        for row, lanes in self._cancelled(found, reach):
            meets = self._meets(street, board, seat, lanes)
            found[row][lanes] = meets @ reach[row]
        return found

    def _balance(self, street: int, board: int, seat: int, reach: Floats) -> Floats:
        found = super()._balance(street, board, seat, reach)
        compared = self._compared(street, board, seat)
        numbers = np.arange(reach.shape[-1])
        for row, lanes in self._cancelled(super().met(street, board, seat, reach), reach):
            sign = (numbers < compared.less[lanes, None]).astype(np.float64)
            sign -= numbers >= compared.not_more[lanes, None]
            found[row][lanes] = (sign * self._meets(street, board, seat, lanes)) @ reach[row]
        return found

    def _cancelled(self, met: Floats, reach: Floats) -> Iterator[tuple[tuple[int, ...], AnyArray]]:
        """Yield rows, and those of their lanes whose C has too few digits."""
        total = reach.sum(axis=-1, keepdims=True)
        is_cancelled = met < _CANCELLED * total
        for row in np.ndindex(*met.shape[:-1]):
            if is_cancelled[row].any():
                yield row, np.flatnonzero(is_cancelled[row])

    def _meets(self, street: int, board: int, seat: int, lanes: AnyArray) -> Floats:
        """Return [lanes, lanes of the opponent] 1 where two hands do not exclude one another."""
        compared = self._compared(street, board, seat)
        own, others = compared.blockers[lanes], compared.others
        excluded = (own[:, None, :, None] == others[None, :, None, :]).any(axis=(2, 3))
        return np.where(excluded, 0.0, 1.0)

    def _dealt(self, street: int, board: int, node: int, seat: int, met: Floats) -> Floats:
        return self.kept_dealt(street, board, node, seat) * met

    def _log_reach(self, path: Path) -> tuple[Floats, Floats]:
        """Return the logarithms of both players' reaches at the end of `path`."""
        reach = [np.log(weights) for weights in self.tree.weights]
        for street, (board, node) in enumerate(path):
            if street:
                reach = list(self._entered(street, board, (reach[0], reach[1])))
            for parent, action, seat in self._way(street, node):
                reach[seat] = reach[seat] + self.log_strategy(street, board, parent)[action]
        return reach[0], reach[1]

    def _path_to(self, street: int, board: int, node: int) -> list[tuple[int, int]]:
        """Return the path to a node."""
        path = [(board, node)]
        while street:
            forest = self.tree.streets[street]
            while forest.parent[node] != NO_PARENT:
                node = int(forest.parent[node])
            street -= 1
            node = int(np.flatnonzero(self.tree.streets[street].kind == CHANCE)[node])
            deals = self.tree.deals[street]
            board = int(deals.parent[int(np.searchsorted(deals.child, board))])
            path.append((board, node))
        return path[::-1]
