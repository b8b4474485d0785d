"""The histories of a game, packed for walking down from the root, one row per node."""

from typing import NamedTuple

import numpy as np

from untilt.game.tree import CHANCE as TREE_CHANCE
from untilt.game.tree import TERMINAL as TREE_TERMINAL
from untilt.game.tree import GameTree
from untilt.numeric.arrays import Floats, Indices, Offsets

CHANCE, TERMINAL, UNEXPANDED, DEALT = 2, 3, 4, 5
"""Kinds of nodes besides 0 and 1, the players' decisions.

UNEXPANDED is not known yet, DEALT a chance node whose outcomes are drawn by the game itself.
"""


KIND, FIRST_CHILD, NUM_CHILDREN, INFOSET = 0, 1, 2, 3
"""Columns of `Histories.nodes`."""


class Baselines(NamedTuple):
    """The expected value of each of N nodes for player 0, in outcome sampling; empty if unused.

    Like the behaviour, baselines do not change during a batch.
    """

    value: Floats
    """[N]"""
    chance_mean: Floats
    """[N] at chance nodes: the mean value of the children."""
    fresh: Floats
    """[N] what `value` will be when the batch ends."""
    touched: Indices
    """[N] the nodes with a new fresh value, in order."""
    stamp: Offsets
    """[N] the last batch in which each node was touched."""


def make_baselines(size: int) -> Baselines:
    """Return baselines of 0 for `size` nodes."""
    return Baselines(
        value=np.zeros(size),
        chance_mean=np.zeros(size),
        fresh=np.zeros(size),
        touched=np.zeros(size, dtype=np.uint32),
        stamp=np.zeros(size, dtype=np.int64),
    )


class Histories(NamedTuple):
    """N nodes; the root is node 0, siblings are neighbours."""

    nodes: Indices
    """[N, 4] KIND, FIRST_CHILD, NUM_CHILDREN and INFOSET (numbered over both players)."""
    cumulative: Floats
    """[N] chance probability of this and the earlier siblings; the last has 2, against rounding."""
    payoff: Floats
    """[N] what player 0 gains at a terminal; player 1 loses it."""
    parent: Indices
    """[N] the root is its own parent."""
    probability: Floats
    """[N] chance probability of the move into the node; 1 after a decision."""
    baselines: Baselines


def pack(tree: GameTree, num_infosets_0: int, *, has_baseline: bool) -> Histories:
    """Return the packed form of a walked tree; player 1's infosets follow player 0's."""
    size = len(tree.parent)
    nodes = np.zeros((size, 4), dtype=np.uint32)
    kind = tree.player.copy()
    kind[tree.player == TREE_CHANCE] = CHANCE
    kind[tree.player == TREE_TERMINAL] = TERMINAL
    nodes[:, KIND] = kind
    nodes[:, FIRST_CHILD] = tree.first_child
    nodes[:, NUM_CHILDREN] = tree.num_children
    nodes[:, INFOSET] = np.where(tree.player == 1, tree.infoset + num_infosets_0, tree.infoset)
    nodes[tree.player < 0, INFOSET] = 0
    cumulative = np.full(size, 2.0)
    for node in np.flatnonzero(tree.player == TREE_CHANCE):
        begin, count = int(tree.first_child[node]), int(tree.num_children[node])
        # Summed in order, like `sample_chance`, so both choose the same outcomes.
        cumulative[begin : begin + count - 1] = np.cumsum(
            tree.probability[begin : begin + count - 1]
        )
    return Histories(
        nodes=nodes,
        cumulative=cumulative,
        payoff=np.ascontiguousarray(tree.payoffs[:, 0]),
        parent=np.maximum(tree.parent, 0).astype(np.uint32),
        probability=tree.probability,
        baselines=make_baselines(size if has_baseline else 0),
    )
