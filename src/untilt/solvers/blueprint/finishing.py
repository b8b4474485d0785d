"""What is done to a blueprint after training, where training had too few deals.

    finished = finish(tree, count_pairs(dealer), learnt, num_deals=1_000_000)

A training of minutes visits some decisions a few times only: all-ins before the flop, bets of many
pots, lines that nobody takes. What it has learnt there is noise, and looks absurd at the table. So
each row is mixed with a fallback, the more the fewer hands it has learnt from, and answers to
all-ins before the flop are solved; see `finishing_walk`.

All of this happens in a small model of the game, which knows how buckets meet and turn into one
another, but no cards. Rows that have learnt much stay as they are.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from untilt.game.deals.deal_tree import DECISION, FOLD, LANES, SHOWDOWN, DealTree
from untilt.solvers.blueprint.bucket_pairs import BucketPairs
from untilt.solvers.blueprint.finishing_walk import FinishSpace, FinishTree, Goal, finish_once

NUM_WALKS = 2
"""The first walk sees the ranges that were learnt, the next ones those of the walk before."""

Bytes = npt.NDArray[np.uint8]


def finish(
    tree: DealTree,
    num_buckets: Sequence[int],
    pairs: BucketPairs,
    learnt: Bytes,
    num_deals: int,
    *,
    is_exact: bool = False,
    num_walks: int = NUM_WALKS,
) -> Bytes:
    """Return the rows of all streets, in bytes, after `num_deals` deals of training.

    `learnt` has street after street, [buckets · rows] each. With `is_exact`, the pairs of the first
    street are those of single hands, and answers to all-ins there are solved.
    """
    walked = _walked(tree, num_buckets)
    work = _space(tree, pairs.chances.shape[1])
    num_hands = np.float32(num_deals * LANES)
    finished = learnt.copy()
    for number in range(1, num_walks + 1):
        goal = Goal(num_hands, np.float32(1.0 / number), is_exact)
        finish_once(walked, pairs, goal, learnt, work, finished)
    return finished


def _walked(tree: DealTree, num_buckets: Sequence[int]) -> FinishTree:
    nodes = tree.nodes
    kinds = nodes["kind"]
    is_end = kinds != DECISION
    stakes = np.where(is_end, np.abs(nodes["stake"]), np.inf).astype(np.float32)
    is_answer = np.zeros(len(nodes), dtype=np.bool_)
    for node in np.flatnonzero(~is_end)[::-1].tolist():
        first, count = int(nodes["first_child"][node]), int(nodes["num_actions"][node])
        stakes[node] = stakes[first : first + count].min()
        is_answer[node] = count == 2 and {FOLD, SHOWDOWN} == set(kinds[first : first + 2].tolist())
    sizes = np.array(num_buckets[: tree.num_streets], dtype=np.int64)
    ends = np.cumsum(sizes * tree.widths)
    return FinishTree(nodes, stakes, is_answer, tree.widths, ends - sizes * tree.widths, sizes)


def _space(tree: DealTree, most_buckets: int) -> FinishSpace:
    depth = _depth(tree)
    return FinishSpace(
        nodes=np.zeros(depth, dtype=np.int64),
        streets=np.zeros(depth, dtype=np.int64),
        actions=np.zeros(depth, dtype=np.int64),
        reaches=np.zeros((depth, 2, most_buckets), dtype=np.float32),
        values=np.zeros((depth, 2, most_buckets), dtype=np.float32),
        mixes=np.zeros((depth, tree.most_actions, most_buckets), dtype=np.float32),
        utilities=np.zeros((depth, tree.most_actions, most_buckets), dtype=np.float32),
        vectors=np.zeros((10, most_buckets), dtype=np.float32),
        row=np.zeros(max(tree.most_actions, 2), dtype=np.float32),
    )


def _depth(tree: DealTree) -> int:
    """Return the most nodes on a line."""
    nodes = tree.nodes
    depths = np.ones(len(nodes), dtype=np.int64)
    for node in np.flatnonzero(nodes["kind"] == DECISION).tolist():
        first, count = int(nodes["first_child"][node]), int(nodes["num_actions"][node])
        depths[first : first + count] = depths[node] + 1
    return int(depths.max())
