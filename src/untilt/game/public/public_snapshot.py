"""The result of a solver on a public tree, queried node by node.

Tables hold a weight per action of every hand; normalised, they are the average strategy. The
values of all CHANCE leaves under it are kept beside them, so that a query about a node needs only
the node's own board. Answers are computed in NumPy: showing or playing a strategy needs no
compiler.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar, NamedTuple

import numpy as np

from untilt.game.public.public_layout import Layout, LayoutSide, Singles, layout_of
from untilt.game.public.public_tree import (
    CHANCE,
    DECISION,
    FOLD,
    NO_PARENT,
    RUNOUT,
    SHOWDOWN,
    Blockers,
    PublicTree,
)
from untilt.numeric.arrays import AnyArray, Floats, Offsets

Path = Sequence[tuple[int, int]]
"""A node of each street on the way, with the board on which it is: (board, node), counted within
the street. The last is the node in question; those before it are CHANCE leaves."""


_ROWS = 16
"""Reaches that are compared at a time: for all hands, each takes half a megabyte."""


class NodeView(NamedTuple):
    """A node on one board: reaches, values and strategy; lanes as in `PublicTree.boards`."""

    street: int
    board: int
    node: int
    player: int
    """The player who acts; −1 at a leaf."""
    reach: tuple[Floats, Floats]
    """Per player, [lanes]: the hand's weight times the player's own probability of getting here."""
    met: tuple[Floats, Floats]
    """Per player, [lanes]: the sum of the opponent's reaches over hands that are not excluded."""
    values: tuple[Floats, Floats]
    """Per player, [lanes]: expected payoff given the hand and that the node is reached, baseline
    included; nan for a hand that meets no other."""
    strategy: Floats
    """[actions, lanes of the player who acts]: how often each action is taken."""
    action_values: Floats
    """[actions, lanes of the player who acts]: what each is worth, like `values`."""
    log_scale: tuple[float, float] = (0.0, 0.0)
    """Per player: reaches are to be multiplied with e to this power, and `met` of the other player
    likewise; 0 except on lines that are hardly ever taken."""


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
    def layout(self) -> tuple[Layout, tuple[LayoutSide, LayoutSide]]:
        """The addresses of the numbers in the tables."""
        return layout_of(self.tree)

    def strategy(self, street: int, board: int, node: int) -> Floats:
        """Return the strategy, [actions, lanes of the player who acts]."""
        weights = self.rows(self.tables, street, board, node)
        total = weights.sum(axis=0)
        share = 1.0 / len(weights)
        return np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), share)

    def rows(self, tables: tuple[AnyArray, AnyArray], street: int, board: int, node: int) -> Floats:
        """Return the numbers of a decision, [actions, lanes of the player who acts]."""
        layout, sides = self.layout
        forest = self.tree.streets[street]
        player = int(forest.player[node])
        side = sides[player]
        place = side.board[layout.street[street].first_board + board]
        child = int(forest.first_child[node]) + int(layout.street[street].first_node)
        begin = int(place.table) + int(side.node[child].row) * int(place.width)
        num_actions = int(forest.num_actions[node])
        rows = tables[player][begin : begin + num_actions * int(place.width)]
        found: Floats = rows.reshape(num_actions, -1)[:, : place.num_lanes].astype(np.float64)
        return found

    def view(self, path: Path) -> NodeView:
        """Return the node at the end of `path`."""
        first, second = self._reach(path)
        board, node = path[-1]
        spread = self._spread(len(path) - 1, board, [node], (first[None], second[None]))
        (found,) = self._views(spread, [0])
        return found

    def views(self, street: int, board: int, nodes: Sequence[int]) -> Iterator[NodeView]:
        """Yield some nodes of a street on one board, in ascending order.

        The whole street is computed at once, which takes much less time than node by node.
        """
        roots = np.flatnonzero(self.tree.streets[street].parent == NO_PARENT).tolist()
        spread = self._spread(street, board, roots, self._entering(street, board))
        wanted = set(nodes)
        yield from self._views(spread, [i for i, node in enumerate(spread.nodes) if node in wanted])

    def masses(self, street: int, board: int, nodes: Sequence[int]) -> Floats:
        """Return [nodes] the sum, over pairs of hands, of products of both players' reaches.

        They are those of some nodes of a street on one board, computed at once.
        """
        roots = np.flatnonzero(self.tree.streets[street].parent == NO_PARENT).tolist()
        spread = self._spread(street, board, roots, self._entering(street, board))
        place_of = {node: place for place, node in enumerate(spread.nodes)}
        places = [place_of[node] for node in nodes]
        met = self._in_parts(self.met, street, board, 0, spread.reach[1][places])
        sums: Floats = np.einsum("nl,nl->n", spread.reach[0][places], met)
        return sums

    def _views(self, spread: "_Spread", places: Sequence[int]) -> Iterator[NodeView]:
        """Yield the nodes at some places of `spread`."""
        reach = spread.reach
        (met, values, first_of_actions), (others_met, others_values, second_of_actions) = (
            self._seen_by(spread, seat, places) for seat in (0, 1)
        )
        of_actions = {**first_of_actions, **second_of_actions}
        forest = self.tree.streets[spread.street]
        for number, place in enumerate(places):
            node = spread.nodes[place]
            nothing = np.zeros((0, 0))
            yield NodeView(
                *(spread.street, spread.board, node, int(forest.player[node])),
                reach=(reach[0][place], reach[1][place]),
                met=(met[number], others_met[number]),
                values=(values[number], others_values[number]),
                strategy=spread.strategies.get(place, nothing),
                action_values=of_actions.get(place, nothing),
            )

    def _seen_by(
        self, spread: "_Spread", seat: int, places: Sequence[int]
    ) -> tuple[Floats, Floats, dict[int, Floats]]:
        """Return a player's met reaches and values at some places, and the values of actions.

        Only these rows are kept: those of all nodes of a large river take several times the memory
        of its tables.
        """
        met = self._in_parts(self.met, spread.street, spread.board, seat, spread.reach[1 - seat])
        values = self._values(spread, seat, met)
        forest = self.tree.streets[spread.street]
        of_actions = {}
        for place in places:
            if int(forest.player[spread.nodes[place]]) == seat:
                begin = spread.first_child[place]
                below = values[begin : begin + len(spread.strategies[place])]
                of_actions[place] = np.array(
                    [self._conditional(each, met[place], seat) for each in below]
                )
        chosen = list(places)
        given = [self._conditional(values[place], met[place], seat) for place in chosen]
        return met[chosen], np.array(given).reshape(len(chosen), -1), of_actions

    def _conditional(self, values: Floats, met: Floats, seat: int) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            given = values / np.where(met > 0.0, met, np.nan)
        return given + self.tree.baseline[seat]

    def _reach(self, path: Path) -> tuple[Floats, Floats]:
        """Return each player's reaches at the end of `path`, own probabilities and weights only."""
        reach = [weights.astype(np.float64) for weights in self.tree.weights]
        for street, (board, node) in enumerate(path):
            if street:
                reach = list(self._entered(street, board, (reach[0], reach[1])))
            for parent, action, seat in self._way(street, node):
                reach[seat] = reach[seat] * self.strategy(street, board, parent)[action]
        return reach[0], reach[1]

    def _entered(
        self, street: int, board: int, before: tuple[Floats, Floats]
    ) -> tuple[Floats, Floats]:
        """Return [..., lanes] what a board of `street` takes over from the board before it."""
        deals = self.tree.deals[street - 1]
        edge = int(np.searchsorted(deals.child, board))
        found = []
        for seat in (0, 1):
            begin = int(deals.first_lane[seat][edge])
            count = self.tree.boards[street][seat].lanes(board)
            found.append(
                before[seat][..., deals.lane[seat][begin : begin + count.stop - count.start]]
            )
        return found[0], found[1]

    def _way(self, street: int, node: int) -> Iterator[tuple[int, int, int]]:
        """Yield decisions from a root to a node: the node, the action, and who takes it."""
        forest = self.tree.streets[street]
        way: list[int] = []
        while forest.parent[node] >= 0:
            way.append(node)
            node = int(forest.parent[node])
        for child in reversed(way):
            parent = int(forest.parent[child])
            yield parent, child - int(forest.first_child[parent]), int(forest.player[parent])

    def _entering(self, street: int, board: int) -> tuple[Floats, Floats]:
        """Return [roots, lanes] each player's reaches where a street begins on a board."""
        if street == 0:
            first, second = (weights.astype(np.float64)[None] for weights in self.tree.weights)
            return first, second
        deals = self.tree.deals[street - 1]
        edge = int(np.searchsorted(deals.child, board))
        parent = int(deals.parent[edge])
        return self._entered(street, board, self._leaving(street - 1, parent))

    def _leaving(self, street: int, board: int) -> tuple[Floats, Floats]:
        """Return [CHANCE leaves, lanes] the reaches where a street ends; the last are kept."""
        kept = self._left.get(street)
        if kept is None or kept[0] != board:
            forest = self.tree.streets[street]
            roots = np.flatnonzero(forest.parent == NO_PARENT).tolist()
            spread = self._spread(street, board, roots, self._entering(street, board))
            leaves = [
                place for place, node in enumerate(spread.nodes) if forest.kind[node] == CHANCE
            ]
            leaves.sort(key=lambda place: spread.nodes[place])
            kept = self._left[street] = board, (spread.reach[0][leaves], spread.reach[1][leaves])
        return kept[1]

    @cached_property
    def _left(self) -> dict[int, tuple[int, tuple[Floats, Floats]]]:
        return {}

    def _spread(
        self, street: int, board: int, tops: Sequence[int], reach: tuple[Floats, Floats]
    ) -> "_Spread":
        """Return `tops` and the nodes below, with the reaches that follow from those of `tops`."""
        forest = self.tree.streets[street]
        nodes, first_child = list(tops), []
        for node in nodes:  # the list grows
            first_child.append(len(nodes))
            if forest.kind[node] == DECISION:
                begin = int(forest.first_child[node])
                nodes += range(begin, begin + int(forest.num_actions[node]))
        strategies: dict[int, Floats] = {}
        spread = [np.empty((len(nodes), each.shape[1])) for each in reach]
        for seat in (0, 1):
            spread[seat][: len(tops)] = reach[seat]
        for place, node in enumerate(nodes):
            if forest.kind[node] == DECISION:
                mix = strategies[place] = self.strategy(street, board, node)
                below = slice(first_child[place], first_child[place] + len(mix))
                player = int(forest.player[node])
                spread[player][below] = spread[player][place] * mix
                spread[1 - player][below] = spread[1 - player][place]
        return _Spread(street, board, nodes, first_child, strategies, (spread[0], spread[1]))

    def _values(self, spread: "_Spread", seat: int, met: Floats) -> Floats:
        """Return [nodes, lanes] a player's values, weighted by chance and the other's reaches."""
        forest = self.tree.streets[spread.street]
        values = np.empty(met.shape)
        kinds = forest.kind[spread.nodes]
        stakes = forest.stakes[spread.nodes, seat]
        for place in np.flatnonzero(kinds == CHANCE).tolist():
            values[place] = self._dealt(
                spread.street, spread.board, spread.nodes[place], seat, met[place]
            )
        is_end = np.isin(kinds, (FOLD, SHOWDOWN, RUNOUT))
        values[is_end] = stakes[is_end, :1] * met[is_end]
        for compared, places in self._contested(spread, kinds):
            reach = spread.reach[1 - seat][places]
            values[places] += stakes[places, 1:] * self._in_parts(
                compared, spread.street, spread.board, seat, reach
            )
        for place in reversed(spread.strategies):
            mix = spread.strategies[place]
            begin = spread.first_child[place]
            below = values[begin : begin + len(mix)]
            is_own = int(forest.player[spread.nodes[place]]) == seat
            values[place] = np.einsum("al,al->l", mix, below) if is_own else below.sum(axis=0)
        return values

    def _contested(
        self, spread: "_Spread", kinds: AnyArray
    ) -> Iterator[tuple[Callable[[int, int, int, Floats], Floats], Offsets]]:
        """Yield functions that give D, and the places of `spread` to which each applies."""
        showdowns = np.flatnonzero(kinds == SHOWDOWN)
        if len(showdowns):
            yield self._balance, showdowns
        all_in = np.flatnonzero(kinds == RUNOUT)
        if not len(all_in):
            return
        runouts = self.tree.runouts[spread.street]
        assert runouts is not None
        numbers = np.zeros(len(all_in), dtype=np.int64)
        if runouts.matrix is not None:
            numbers = runouts.matrix[np.asarray(spread.nodes)[all_in]]
        for number in np.unique(numbers).tolist():
            yield partial(self._run_out, number=number), all_in[numbers == number]

    def _in_parts(
        self,
        of_reach: Callable[[int, int, int, Floats], Floats],
        street: int,
        board: int,
        seat: int,
        reach: Floats,
    ) -> Floats:
        """Return `of_reach` of [n, lanes], computed a few rows at a time to save memory."""
        parts = [
            of_reach(street, board, seat, reach[row : row + _ROWS])
            for row in range(0, len(reach), _ROWS)
        ]
        return np.concatenate(parts)

    def _dealt(self, street: int, board: int, node: int, seat: int, met: Floats) -> Floats:
        """Return the values of a CHANCE leaf, weighted by the opponent's reaches."""
        del met
        return self.kept_dealt(street, board, node, seat)

    def kept_dealt(self, street: int, board: int, node: int, seat: int) -> Floats:
        """Return [lanes] what is kept of the values of a CHANCE leaf."""
        layout, sides = self.layout
        place = sides[seat].board[layout.street[street].first_board + board]
        number = int(layout.node[layout.street[street].first_node + node].root)
        begin = int(place.dealt) + number * int(place.width)
        values: Floats = self.dealt[seat][begin : begin + place.num_lanes].astype(np.float64)
        return values

    def met(self, street: int, board: int, seat: int, reach: Floats) -> Floats:
        """Return C: the opponent's reaches that each lane does not exclude.

        `reach` is [lanes of the opponent], or [n, lanes] for several at once.
        """
        lanes = self._compared(street, board, seat)
        sums = np.zeros((*reach.shape[:-1], self.tree.num_blockers))
        for column in (0, 1):
            np.add.at(sums.T, lanes.others[:, column], reach.T)
        excluded = sums[..., lanes.blockers].sum(axis=-1)
        met: Floats = reach.sum(axis=-1, keepdims=True) - excluded + _twins(reach, lanes)
        return met

    def balance(self, street: int, board: int, seat: int, reach: Floats) -> Floats:
        """Return D if there were no more bets: of a showdown, or over all run-outs before it.

        Before the last street, the tree must have run-outs.
        """
        if street == len(self.tree.streets) - 1:
            return self._balance(street, board, seat, reach)
        return self._run_out(street, board, seat, reach)

    def _balance(self, street: int, board: int, seat: int, reach: Floats) -> Floats:
        """Return D of a showdown: reaches of weaker hands minus those of stronger ones."""
        lanes = self._compared(street, board, seat)
        # [hands counted so far, blockers and the total]
        num_others = reach.shape[-1]
        running = np.zeros((*reach.shape[:-1], num_others + 1, self.tree.num_blockers + 1))
        rows = np.arange(1, num_others + 1)
        for column in (0, 1):
            running[..., rows, lanes.others[:, column]] += reach
        running[..., rows, -1] += reach
        np.cumsum(running, axis=-2, out=running)
        first, second = lanes.blockers.T

        def beaten(counts: Offsets) -> Floats:
            excluded = running[..., counts, first] + running[..., counts, second]
            total: Floats = running[..., counts, -1] - excluded
            return total

        met = self.met(street, board, seat, reach)
        weaker = beaten(lanes.less) + beaten(lanes.not_more)
        balance: Floats = weaker + _twins(reach, lanes) - met
        return balance

    def _run_out(
        self, street: int, board: int, seat: int, reach: Floats, number: int = 0
    ) -> Floats:
        """Return D of an all-in before the last street, by one of the board's matrices."""
        runouts = self.tree.runouts[street]
        assert runouts is not None
        matrices = runouts.balance[runouts.first[board] : runouts.first[board + 1]]
        rows, columns = (each.lanes(board) for each in self.tree.boards[street])
        shape = -1, rows.stop - rows.start, columns.stop - columns.start
        balance = matrices.reshape(shape)[number].astype(np.float64)
        won: Floats = reach @ balance.T if seat == 0 else -(reach @ balance)
        total: Floats = won * runouts.probability
        return total

    def _compared(self, street: int, board: int, seat: int) -> "_Compared":
        """Return a player's lanes on a board beside the opponent's; the last results are kept."""
        kept = self._kept.get(seat)
        if kept is None or kept[0] != (street, board):
            kept = self._kept[seat] = (street, board), self._compare(street, board, seat)
        return kept[1]

    @cached_property
    def _kept(self) -> dict[int, tuple[tuple[int, int], "_Compared"]]:
        return {}

    def _compare(self, street: int, board: int, seat: int) -> "_Compared":
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


def _twins(reach: Floats, lanes: "_Compared") -> Floats:
    """Return [..., lanes] the reaches of the opponent's lanes with the same hands."""
    nobody = np.zeros((*reach.shape[:-1], 1))
    twins: Floats = np.concatenate([reach, nobody], axis=-1)[..., lanes.twin]
    return twins


class _Spread(NamedTuple):
    """Some nodes of a street on one board and all nodes below them, parents before children."""

    street: int
    board: int
    nodes: list[int]
    first_child: list[int]
    """[nodes]: the place in `nodes` of the first child; the others follow it."""
    strategies: dict[int, Floats]
    """By place of a decision, ascending: [actions, lanes]."""
    reach: tuple[Floats, Floats]
    """Per player, [nodes, lanes]."""


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
