"""The layout of nodes and numbers for walks: together what is needed together.

A walk goes through a few subtrees. So here the nodes of a subtree follow one another, unlike in the
tree itself, which is in breadth-first order. On each street, the actions of each player are
numbered separately, in the same order. The regrets that the learning player changes after the same
actions on earlier streets then share cache lines, with no others between them.
"""

from dataclasses import dataclass

import numpy as np

from untilt.game.deals.deal_tree import DECISION, DealTree
from untilt.numeric.arrays import Indices, Offsets, Records


@dataclass(frozen=True, eq=False)
class WalkLayout:
    """The nodes of a tree in the order of walks."""

    nodes: Records
    """[nodes] of NODE; `row` is the place of a decision's first action among those of the same
    player on the same street."""
    widths: Offsets
    """[streets, 2]: the actions of each player on each street."""
    rows: Indices
    """[nodes of the tree]: the row of every decision of the tree."""


def lay_out(tree: DealTree) -> WalkLayout:
    """Return the nodes of a tree in the order of walks."""
    owners, streets = tree.nodes["player"].tolist(), tree.nodes["street"].tolist()
    firsts, counts = tree.nodes["first_child"].tolist(), tree.nodes["num_actions"].tolist()
    is_decision = (tree.nodes["kind"] == DECISION).tolist()
    place = [0] * len(owners)
    rows = [0] * len(owners)
    widths = [[0, 0] for _ in range(tree.num_streets)]
    num_placed = 1
    waiting = [0]
    while waiting:
        node = waiting.pop()
        if not is_decision[node]:
            continue
        first, count = firsts[node], counts[node]
        width = widths[streets[node]]
        rows[node] = width[owners[node]]
        width[owners[node]] += count
        for child in range(first, first + count):
            place[child] = num_placed
            num_placed += 1
        waiting.extend(range(first + count - 1, first - 1, -1))
    where, own_rows = np.array(place), np.array(rows, dtype=np.uint32)
    moved = tree.nodes.copy()
    moved["row"] = own_rows
    decisions = tree.nodes["kind"] == DECISION
    moved["first_child"][decisions] = where[tree.nodes["first_child"][decisions]]
    nodes = np.empty_like(moved)
    nodes[where] = moved
    return WalkLayout(nodes, np.array(widths, dtype=np.int64), own_rows)
