"""What a solver has found on a public tree, asked node by node.

Tables hold a weight per action of every hand; normalised, they are the average strategy. The
values of all CHANCE leaves under it are kept beside them, so that a question about a node needs
nothing but its own board. Answers are computed in NumPy: showing or playing a strategy needs no
compiler.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from untilt.game.public_layout import Layout, Side, Singles, layout_of
from untilt.game.public_tree import CHANCE, DECISION, RUNOUT, SHOWDOWN, Blockers, PublicTree
from untilt.numeric.arrays import AnyArray, Floats, Offsets

Path = Sequence[tuple[int, int]]
"""A node of each street on the way, with the board on which it is: (board, node), counted within
the street. The last is the node asked for, those before are CHANCE leaves."""


class NodeView(NamedTuple):
    """What is known about a node on one board; lanes as in `PublicTree.boards`."""

    street: int
    board: int
    node: int
    player: int
    """Who acts; −1 at a leaf."""
    reach: tuple[Floats, Floats]
    """Per player, [lanes]: weight of the hand times the player's own probability to get here."""
    met: tuple[Floats, Floats]
    """Per player, [lanes]: the sum of the opponent's reach over hands that are not excluded."""
    values: tuple[Floats, Floats]
    """Per player, [lanes]: expected payoff given the hand and that the node is reached, baseline
    included; nan for a hand that meets no other."""
    strategy: Floats
    """[actions, lanes of the player who acts]: how often each action is taken."""
    action_values: Floats
    """[actions, lanes of the player who acts]: what each is worth, like `values`."""


@dataclass(frozen=True, eq=False, repr=False)
class PublicSnapshot:
    """A strategy per hand and node, with the values of deals under it."""

    kind: ClassVar[str] = "public tree"

    tree: PublicTree
    tables: tuple[AnyArray, AnyArray]
    """Per player: weights of actions, not negative; see `public_layout`."""
    dealt: tuple[Singles, Singles]
    """Per player: values of CHANCE leaves by board, leaf and lane, weighted by chance and by the
    opponent's reach."""

    def __repr__(self) -> str:
        streets = self.tree.streets
        boards = self.tree.boards
        nodes = sum(s.num_nodes * b[0].num_boards for s, b in zip(streets, boards, strict=True))
        return f"<PublicSnapshot of {nodes:,} nodes>"

    @cached_property
    def layout(self) -> tuple[Layout, tuple[Side, Side]]:
        """Where the numbers of the tables lie."""
        return layout_of(self.tree)

    def strategy(self, street: int, board: int, node: int) -> Floats:
        """Return how often each action is taken, [actions, lanes of the player who acts]."""
        layout, sides = self.layout
        forest = self.tree.streets[street]
        player = int(forest.player[node])
        side = sides[player]
        place = side.board[layout.street[street].first_board + board]
        child = int(forest.first_child[node]) + int(layout.street[street].first_node)
        begin = int(place.table) + int(side.node[child].row) * int(place.width)
        num_actions = int(forest.num_actions[node])
        rows = self.tables[player][begin : begin + num_actions * int(place.width)]
        weights = rows.reshape(num_actions, -1)[:, : place.num_lanes].astype(np.float64)
        total = weights.sum(axis=0)
        return np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), 1.0 / num_actions)

    def view(self, path: Path) -> NodeView:
        """Return what is known about the node at the end of `path`."""
        reach = self._reach(path)
        street = len(path) - 1
        board, node = path[-1]
        met = (self.met(street, board, 0, reach[1]), self.met(street, board, 1, reach[0]))
        forest = self.tree.streets[street]
        player = int(forest.player[node])
        values: list[Floats] = []
        of_actions = strategy = np.zeros((0, 0))
        for seat in (0, 1):
            here, below = self._values(street, board, node, seat, reach[1 - seat])
            values.append(self._conditional(here, met[seat], seat))
            if seat == player:
                of_actions = np.array([self._conditional(each, met[seat], seat) for each in below])
        if player >= 0:
            strategy = self.strategy(street, board, node)
        return NodeView(
            *(street, board, node, player, reach, met, (values[0], values[1])),
            strategy=strategy,
            action_values=of_actions,
        )

    def _conditional(self, values: Floats, met: Floats, seat: int) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            given = values / np.where(met > 0.0, met, np.nan)
        return given + self.tree.baseline[seat]

    def _reach(self, path: Path) -> tuple[Floats, Floats]:
        """Return each player's reaches at the end of `path`, own probabilities and weights only."""
        reach = [weights.astype(np.float64) for weights in self.tree.weights]
        for street, (board, node) in enumerate(path):
            if street:
                boards = self.tree.boards[street]
                deals = self.tree.deals[street - 1]
                edge = int(np.searchsorted(deals.child, board))
                for seat in (0, 1):
                    lanes = deals.lane[seat][int(deals.first_lane[seat][edge]) :]
                    count = boards[seat].lanes(board)
                    reach[seat] = reach[seat][lanes[: count.stop - count.start]]
            forest = self.tree.streets[street]
            way: list[int] = []
            at = node
            while forest.parent[at] >= 0:
                way.append(at)
                at = int(forest.parent[at])
            for child in reversed(way):
                parent = int(forest.parent[child])
                seat = int(forest.player[parent])
                action = child - int(forest.first_child[parent])
                reach[seat] = reach[seat] * self.strategy(street, board, parent)[action]
        return reach[0], reach[1]

    def _values(
        self, street: int, board: int, node: int, seat: int, reach: Floats
    ) -> tuple[Floats, list[Floats]]:
        """Return a player's values at a node, and those of its children, given the opponent's
        reaches there; weighted by chance and these."""
        forest = self.tree.streets[street]
        kind = int(forest.kind[node])
        if kind == CHANCE:
            return self._dealt(street, board, node, seat), []
        if kind != DECISION:
            return self._paid(street, board, node, seat, reach), []
        first, count = int(forest.first_child[node]), int(forest.num_actions[node])
        mix = self.strategy(street, board, node)
        is_own = int(forest.player[node]) == seat
        below = [
            self._values(
                street, board, first + action, seat, reach if is_own else reach * mix[action]
            )[0]
            for action in range(count)
        ]
        if is_own:
            return np.einsum("al,al->l", mix, np.array(below)), below
        return np.sum(below, axis=0), below

    def _dealt(self, street: int, board: int, node: int, seat: int) -> Floats:
        layout, sides = self.layout
        place = sides[seat].board[layout.street[street].first_board + board]
        number = int(layout.node[layout.street[street].first_node + node].root)
        begin = int(place.dealt) + number * int(place.width)
        values: Floats = self.dealt[seat][begin : begin + place.num_lanes].astype(np.float64)
        return values

    def _paid(self, street: int, board: int, node: int, seat: int, reach: Floats) -> Floats:
        forest = self.tree.streets[street]
        a, b = forest.stakes[node, seat]
        paid: Floats = a * self.met(street, board, seat, reach)
        kind = int(forest.kind[node])
        if kind == RUNOUT:
            paid = paid + b * self._run_out(street, board, seat, reach, node)
        elif kind == SHOWDOWN:
            paid = paid + b * self._balance(street, board, seat, reach)
        return paid

    def met(self, street: int, board: int, seat: int, reach: Floats) -> Floats:
        """Return C: the opponent's reaches that each lane does not exclude."""
        lanes = self._compared(street, board, seat)
        sums = np.zeros(self.tree.num_blockers)
        for column in (0, 1):
            np.add.at(sums, lanes.others[:, column], reach)
        twins = np.append(reach, 0.0)[lanes.twin]
        met: Floats = reach.sum() - sums[lanes.blockers].sum(axis=1) + twins
        return met

    def balance(self, street: int, board: int, seat: int, reach: Floats) -> Floats:
        """Return D if nobody bet any more: of a showdown, or of all run-outs before it.

        Before the last street, the tree must have run-outs.
        """
        if street == len(self.tree.streets) - 1:
            return self._balance(street, board, seat, reach)
        return self._run_out(street, board, seat, reach)

    def _balance(self, street: int, board: int, seat: int, reach: Floats) -> Floats:
        """Return D of a showdown: reaches of weaker hands minus those of stronger ones."""
        lanes = self._compared(street, board, seat)
        # [hands counted so far, blockers and the total]
        running = np.zeros((len(reach) + 1, self.tree.num_blockers + 1))
        rows = np.arange(1, len(reach) + 1)
        for column in (0, 1):
            running[rows, lanes.others[:, column]] += reach
        running[rows, -1] += reach
        running = running.cumsum(axis=0)

        def beaten(counts: Offsets) -> Floats:
            excluded = running[counts, lanes.blockers[:, 0]] + running[counts, lanes.blockers[:, 1]]
            total: Floats = running[counts, -1] - excluded
            return total

        twins = np.append(reach, 0.0)[lanes.twin]
        met = self.met(street, board, seat, reach)
        balance: Floats = beaten(lanes.less) + beaten(lanes.not_more) + twins - met
        return balance

    def _run_out(
        self, street: int, board: int, seat: int, reach: Floats, node: int | None = None
    ) -> Floats:
        """Return D of an all-in before the last street, by the matrix of a node or the first."""
        runouts = self.tree.runouts[street]
        assert runouts is not None
        matrices = runouts.balance[runouts.first[board] : runouts.first[board + 1]]
        rows, columns = (each.lanes(board) for each in self.tree.boards[street])
        shape = -1, rows.stop - rows.start, columns.stop - columns.start
        number = 0 if runouts.matrix is None or node is None else int(runouts.matrix[node])
        balance = matrices.reshape(shape)[number].astype(np.float64)
        won: Floats = balance @ reach if seat == 0 else -(reach @ balance)
        total: Floats = won * runouts.probability
        return total

    def _compared(self, street: int, board: int, seat: int) -> "_Compared":
        own, other = (self.tree.boards[street][player] for player in (seat, 1 - seat))
        here, there = own.lanes(board), other.lanes(board)
        blockers, others = own.blockers[here], other.blockers[there]
        count = self.tree.num_blockers
        lane_of_pair = np.full((count, count), len(others))
        lane_of_pair[others[:, 0], others[:, 1]] = np.arange(len(others))
        lane_of_pair[others[:, 1], others[:, 0]] = np.arange(len(others))
        less = not_more = np.zeros(0, np.int64)
        if len(own.strength):
            strength, found = own.strength[here], other.strength[there]
            less = np.searchsorted(found, strength, "left")
            not_more = np.searchsorted(found, strength, "right")
        twin = lane_of_pair[blockers[:, 0], blockers[:, 1]]
        return _Compared(blockers, others, twin, less, not_more)


class _Compared(NamedTuple):
    """A player's lanes on a board, beside the opponent's."""

    blockers: Blockers
    """[lanes, 2]"""
    others: Blockers
    """[lanes of the opponent, 2]"""
    twin: Offsets
    """[lanes]: the opponent's lane with the same hand; their number if there is none."""
    less: Offsets
    """[lanes]: how many of the opponent's are weaker; on the last street."""
    not_more: Offsets
