"""The addresses of a public tree's numbers: the arrays that `public_sweeps` indexes.

Tables hold a number per board, row and lane, in that order: board-major, because all betting
lines of one board fit into a cache. A *row* is an action at a node; a player's rows of a street
are those of the nodes where that player acts. Lanes are padded to whole vectors.

While player p is updated, each node needs the opponent's reaches. They change only where the
opponent acts, so nodes share *reach rows*. Reach rows on which leaves compare hands come first:
they are the columns of one pass over sorted hands (`settle` in `public_sweeps`).

A number is addressed by street, board, node and lane:

    tables    board.table + row × board.width + lane
    values    scratch.first_value[street] + (node − street.first_node) × board.width + lane
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.game.public.public_tree import (
    CHANCE,
    FOLD,
    NO_PARENT,
    RUNOUT,
    SHOWDOWN,
    Lanes,
    PublicTree,
    Street,
)
from untilt.numeric.arrays import Ints, Records

VECTOR = 16
"""Lanes are padded to a multiple of this."""

COLUMNS = 32
"""Reach rows that `settle` of `public_sweeps` takes at a time; half as many if that suffices."""

Singles = npt.NDArray[np.float32]
"""Values, reaches, regrets of lanes."""

Runouts = npt.NDArray[np.int16]
"""Run-out matrices, board after board."""


def record(**fields: type[np.generic]) -> np.dtype[Any]:
    """Return the type of records with these fields."""
    return np.dtype((np.record, list(fields.items())))


_INT, _LONG, _FLOAT = np.int32, np.int64, np.float32

STREET = record(
    first_node=_INT,
    first_board=_INT,
    num_roots=_INT,
    deal_probability=_FLOAT,
    run_probability=_FLOAT,
)
"""[streets + 1]: the first node and board; trees of the forest; the probability of one deal to the
next street, and of one run-out from here."""
NODE = record(kind=_INT, player=_INT, first_child=_INT, num_actions=_INT, root=_INT)
"""[nodes]: as in `Street`; at a CHANCE leaf, the number of the next street's root that follows, and
at a RUNOUT leaf, which matrix of the board pays it."""
BOARD = record(parent=_INT, first_edge=_INT, runout=_LONG)
"""[boards + 1]: the previous board; the first edge to a later one; where the run-outs begin."""

SIDE_STREET = record(
    first_entry=_INT, num_reach_rows=_INT, num_compared=_INT, num_settled=_INT, num_rows=_INT
)
"""[streets + 1]: `first_entry`, the beginning of the entries; `num_reach_rows`; `num_compared` and
`num_settled`, the first of them, on which a leaf compares hands or pays; `num_rows` of the player's
tables."""
SIDE_NODE = record(reach_row=_INT, row=_INT, choice=_INT, a=_FLOAT, b=_FLOAT)
"""[nodes]: `reach_row`, the row of the opponent's reaches; `row`, that of the action before the
node, in the tables of the player who took it; `choice`, the node's number among those where the
player acts; `a` and `b`, the payoff of a leaf."""
SIDE_BOARD = record(
    width=_INT, num_lanes=_INT, first_lane=_LONG, table=_LONG, choice=_LONG, dealt=_LONG
)
"""[boards + 1]: `width`, lanes with padding; `num_lanes` without; the beginnings of the arrays by
lane, of the tables, of the numbers per node where the player acts (`choice`), and of the kept
values of CHANCE leaves (`dealt`)."""
SIDE_LANE = record(
    blocker=np.uint8, other_blocker=np.uint8, twin=np.uint16, less=np.uint16, not_more=np.uint16
)
"""[lanes]: two blockers (of padding, one that nothing else has); the opponent's lane with the same
hand (if there is none, a lane of zeros); how many of the opponent's lanes are weaker, and weaker
or equal (last street only)."""

SIDE_EDGE = record(parent_lane=_LONG, child_lane=_LONG)
"""[edges]: where its part of these two arrays begins."""


class LayoutSide(NamedTuple):
    """The addresses that depend on the player p whose values are computed."""

    is_first: bool
    """Whether p is player 0."""
    street: Records
    """Of SIDE_STREET."""
    node: Records
    """Of SIDE_NODE."""
    board: Records
    """Of SIDE_BOARD."""
    lane: Records
    """Of SIDE_LANE, board after board."""
    weight: Singles
    """[lanes of the first board, with padding]: of player p's hands; padding has none."""
    entry: Ints
    """[2 × entries]: a reach row of the previous street, and the one that it becomes."""
    parent_lane: Lanes
    """Edge by edge, [lanes of the child, with padding]: the lane of the parent that it comes from;
    negative for padding."""
    child_lane: Lanes
    """Edge by edge, [lanes of the parent, with padding]: the lane of the child that it becomes;
    negative if the deal excludes the hand."""
    edge: Records
    """Of SIDE_EDGE."""

    @property
    def table_size(self) -> int:
        """Numbers in a table of player p."""
        return int(self.board[-1].table)

    @property
    def num_choices(self) -> int:
        """Nodes where player p acts, on all boards."""
        return int(self.board[-1].choice)

    @property
    def dealt_size(self) -> int:
        """Numbers in the kept values of CHANCE leaves."""
        return int(self.board[-1].dealt)


class Layout(NamedTuple):
    """The addresses of a public tree; nodes, boards and edges are numbered across all streets."""

    num_streets: int
    num_blockers: int
    street: Records
    """Of STREET."""
    node: Records
    """Of NODE."""
    board: Records
    """Of BOARD."""
    edge_child: Ints
    """[edges]."""
    runout: Runouts | None
    """Per board, [lanes of player 0, lanes of player 1 with padding]; None if there are neither
    run-outs nor a second street."""
    wide: int | None
    """COLUMNS, if reach rows are settled that many at a time; else None."""
    narrow: int | None
    """Half of COLUMNS, if reach rows are settled that many at a time; else None."""


def layout_of(tree: PublicTree) -> tuple[Layout, tuple[LayoutSide, LayoutSide]]:
    """Return the addresses of `tree`: what is common, and what belongs to each player.

    Lanes, deals and run-outs, which only sweeps need, are left empty: see `public_lanes`.
    """
    num_streets = len(tree.streets)
    nodes = np.cumsum([0] + [street.num_nodes for street in tree.streets])
    boards = np.cumsum([0] + [pair[0].num_boards for pair in tree.boards])
    street = np.zeros(num_streets + 1, STREET)
    street["first_node"], street["first_board"] = nodes, boards
    street["num_roots"][:-1] = [each.num_roots for each in tree.streets]
    street["deal_probability"][: num_streets - 1] = [deals.probability for deals in tree.deals]
    street["run_probability"][:-1] = [
        0.0 if found is None else found.probability for found in tree.runouts
    ]
    node = np.zeros(nodes[-1], NODE)
    for each, start, runouts in zip(tree.streets, nodes, tree.runouts, strict=False):
        part = node[start : start + each.num_nodes]
        part["kind"], part["player"] = each.kind, each.player
        part["first_child"], part["num_actions"] = each.first_child + start, each.num_actions
        matrix = 0 if runouts is None or runouts.matrix is None else runouts.matrix
        part["root"] = np.where(each.kind == RUNOUT, matrix, np.cumsum(each.kind == CHANCE) - 1)
    board = np.zeros(boards[-1] + 1, BOARD)
    children = _joined([deals.child + n for deals, n in zip(tree.deals, boards[1:], strict=False)])
    parents = _joined([deals.parent + n for deals, n in zip(tree.deals, boards, strict=False)])
    board["parent"] = NO_PARENT
    board["parent"][children] = parents
    board["first_edge"] = np.searchsorted(parents, np.arange(boards[-1] + 1))
    sides = _side(tree, 0), _side(tree, 1)
    wide, narrow = widths_of(sides)
    layout = Layout(
        num_streets,
        tree.num_blockers,
        street,
        node,
        board,
        children,
        runout=None,
        wide=wide,
        narrow=narrow,
    )
    return layout, sides


def widths_of(sides: tuple[LayoutSide, LayoutSide]) -> tuple[int | None, int | None]:
    """Return `wide` and `narrow` of the layout: both if there are several streets."""
    half = COLUMNS // 2
    settled = [int(side.street[0].num_settled) for side in sides]
    has_more = len(sides[0].street) > 2
    has_wide = has_more or max(settled) > half
    has_narrow = has_more or any(0 < count % COLUMNS <= half for count in settled)
    return COLUMNS if has_wide else None, half if has_narrow else None


class _Reaches(NamedTuple):
    """The reach rows of a street."""

    row: Ints
    """[nodes]."""
    entry: Ints
    """[entries, 2]."""
    num_reach_rows: int
    num_compared: int
    num_settled: int


def _side(tree: PublicTree, player: int) -> LayoutSide:
    reaches: list[_Reaches] = []
    leaving = np.zeros(1, np.int32)  # the reach rows with which the previous street ends
    for each in tree.streets:
        reaches.append(_reach_rows(each, player, leaving))
        leaving = reaches[-1].row[each.kind == CHANCE]
    num_rows = [int(each.num_actions[each.player == player].sum()) for each in tree.streets]
    street = np.zeros(len(tree.streets) + 1, SIDE_STREET)
    street["first_entry"] = np.cumsum([0] + [len(reach.entry) for reach in reaches])
    for name in ("num_reach_rows", "num_compared", "num_settled"):
        street[name][:-1] = [getattr(reach, name) for reach in reaches]
    street["num_rows"][:-1] = num_rows
    node = np.zeros(sum(each.num_nodes for each in tree.streets), SIDE_NODE)
    node["reach_row"] = _joined([reach.row for reach in reaches])
    node["row"] = _joined([_table_rows(each) for each in tree.streets])
    is_choice = [each.player == player for each in tree.streets]
    node["choice"] = _joined([np.cumsum(where) - 1 for where in is_choice])
    stakes = np.concatenate([each.stakes[:, player] for each in tree.streets])
    node["a"], node["b"] = stakes.T
    num_lanes = _joined([np.diff(boards[player].first_lane) for boards in tree.boards])
    width = padded(num_lanes)
    num_boards = [boards[player].num_boards for boards in tree.boards]
    num_dealt = [int(np.count_nonzero(each.kind == CHANCE)) for each in tree.streets]
    board = np.zeros(len(num_lanes) + 1, SIDE_BOARD)
    board["num_lanes"][:-1], board["width"][:-1] = num_lanes, width
    for name, per_lane in (
        ("first_lane", np.ones(len(num_lanes), np.int64)),
        ("table", np.repeat(num_rows, num_boards)),
        ("dealt", np.repeat(num_dealt, num_boards)),
    ):
        board[name][1:] = np.cumsum(width * per_lane)
    num_choices = [int(np.count_nonzero(where)) for where in is_choice]
    board["choice"][1:] = np.cumsum(np.repeat(num_choices, num_boards))
    weight = np.zeros(width[0], np.float32)
    weight[: num_lanes[0]] = tree.weights[player]
    return LayoutSide(
        is_first=player == 0,
        street=street,
        node=node,
        board=board,
        lane=np.zeros(0, SIDE_LANE),
        weight=weight,
        entry=_joined([reach.entry.ravel() for reach in reaches]),
        parent_lane=np.zeros(0, np.int16),
        child_lane=np.zeros(0, np.int16),
        edge=np.zeros(0, SIDE_EDGE),
    )


def padded(num_lanes: Any) -> Any:
    """Return a number of lanes, or several, rounded up to whole vectors."""
    return -(-num_lanes // VECTOR) * VECTOR


def _reach_rows(street: Street, player: int, leaving: Ints) -> _Reaches:
    """Return the reach rows of a street whose root k is entered with row leaving[k]."""
    distinct, entering = np.unique(leaving, return_inverse=True)
    rows = np.empty(street.num_nodes, np.int32)
    count = len(distinct)
    for node, parent in enumerate(street.parent.tolist()):
        if parent == NO_PARENT:
            rows[node] = entering[node]
        elif street.player[parent] == player:
            rows[node] = rows[parent]
        else:
            rows[node] = count
            count += 1
    is_compared = np.zeros(count, np.bool_)
    is_compared[rows[street.kind == SHOWDOWN]] = True
    is_settled = np.zeros(count, np.bool_)
    is_settled[rows[np.isin(street.kind, (FOLD, SHOWDOWN, RUNOUT))]] = True
    place = np.empty(count, np.int32)
    place[np.lexsort((np.arange(count), ~is_settled, ~is_compared))] = np.arange(count)
    return _Reaches(
        row=place[rows],
        entry=_ints(np.column_stack((distinct, place[: len(distinct)]))),
        num_reach_rows=count,
        num_compared=int(is_compared.sum()),
        num_settled=int(is_settled.sum()),
    )


def _table_rows(street: Street) -> Ints:
    """Return the row of every node in the tables of the player who acts before it."""
    rows = np.full(street.num_nodes, NO_PARENT, np.int32)
    for player in (0, 1):
        # Children stand side by side and in the order of their parents, so rows do too.
        is_after = (street.parent != NO_PARENT) & (street.player[street.parent] == player)
        rows[is_after] = np.arange(np.count_nonzero(is_after))
    return rows


def _ints(values: npt.ArrayLike) -> Ints:
    return np.ascontiguousarray(values, np.int32)


def _joined(arrays: list[Ints]) -> Ints:
    return concatenated(arrays, np.int32)


def concatenated(arrays: list[Any], dtype: type[np.generic]) -> np.ndarray[Any, Any]:
    """Return arrays one after another; an empty array if there are none."""
    return np.concatenate([*arrays, np.zeros(0, dtype)]).astype(dtype, copy=False)
