"""The histories of a game, packed for walking down from the root, one row per node."""

from typing import NamedTuple

import numpy as np

from untilt.game.histories.tree import CHANCE as TREE_CHANCE
from untilt.game.histories.tree import TERMINAL as TREE_TERMINAL
from untilt.game.histories.tree import GameTree
from untilt.numeric.arrays import Floats, Indices, Offsets
from untilt.numeric.kernel import kernel

CHANCE, TERMINAL, UNEXPANDED, DEALT = 128, 129, 130, 131
"""Kinds of nodes above those of decisions, which are the player's number, less than MAX_PLAYERS.

UNEXPANDED is not known yet, DEALT a chance node whose outcomes are drawn by the game itself.
"""

KEYED, LINK, DEAL, STAGE_END, SHOWDOWN = 136, 138, 139, 140, 141
"""Kinds of nodes of a game that is split into public moves and deals, see `Deals`.

KEYED and KEYED + 1 are decisions of players 0 and 1 whose infoset depends on the deal. LINK stands
for its only child; DEAL is the root. STAGE_END continues with its first child if the deal has
another stage, else with its second. At a SHOWDOWN the winner of the deal gains `payoff`.
"""

KIND, FIRST_CHILD, NUM_CHILDREN, INFOSET = 0, 1, 2, 3
"""Columns of `Histories.nodes`."""


class Baselines(NamedTuple):
    """The expected values of N nodes, in outcome sampling; empty if unused.

    As in `Histories.payoff`, there are C numbers for each node: `places` C × node + column.
    Like the behaviour, baselines do not change during a batch.
    """

    value: Floats
    """[N × C]"""
    chance_mean: Floats
    """[N × C] at chance nodes: the mean value of the children."""
    fresh: Floats
    """[N × C] what `value` will be when the batch ends."""
    touched: Indices
    """[N × C] the places with a new fresh value, in order."""
    stamp: Offsets
    """[N × C] the last batch in which each place was touched."""


def make_baselines(size: int) -> Baselines:
    """Return baselines of 0 for `size` places."""
    return Baselines(
        value=np.zeros(size),
        chance_mean=np.zeros(size),
        fresh=np.zeros(size),
        touched=np.zeros(size, dtype=np.uint32),
        stamp=np.zeros(size, dtype=np.int64),
    )


class NextDeals(NamedTuple):
    """The deals of the next K samples, in a game that is split into public moves and deals.

    The N nodes are public. The infoset at one of them is found by its group, the INFOSET of the
    node, and the private key of the player to act: in a table with open addressing.
    """

    stage: Indices
    """[N] the stage of each node."""
    sample: Offsets
    """[K] the number of the sample that each deal is for; −1 at first."""
    winner: Offsets
    """[K] 1 if player 0 wins a showdown, −1 if player 1 does, 0 for a tie."""
    has_stage: Offsets
    """[K, stages] whether the deal has each stage, 1 or 0."""
    key: Offsets
    """[K, 2, stages] the number of each player's key."""
    table_key: Offsets
    """[a power of 2] group << 32 | key; −1 where the table is empty."""
    table_infoset: Indices
    """[the same] the infoset."""


NO_DEALS = NextDeals(
    stage=np.zeros(0, dtype=np.uint32),
    sample=np.zeros(0, dtype=np.int64),
    winner=np.zeros(0, dtype=np.int64),
    has_stage=np.zeros((0, 0), dtype=np.int64),
    key=np.zeros((0, 2, 0), dtype=np.int64),
    table_key=np.zeros(0, dtype=np.int64),
    table_infoset=np.zeros(0, dtype=np.uint32),
)
"""For games that are not split."""

_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@kernel
def place_in_table(table_key: Offsets, wanted: int) -> int:
    """Return the place of `wanted` in the table, or the free place where it belongs."""
    mask = np.uint64(len(table_key) - 1)
    mixed = np.uint64(wanted) * _SPREAD
    place = (mixed ^ (mixed >> np.uint64(32))) & mask
    while table_key[place] != wanted and table_key[place] != -1:
        place = (place + np.uint64(1)) & mask
    return int(place)


@kernel
def fill_table(
    table_key: Offsets, table_infoset: Indices, keys: Offsets, infosets: Indices
) -> None:
    """Put all of these into an empty table."""
    for number in range(len(keys)):
        place = place_in_table(table_key, keys[number])
        table_key[place] = keys[number]
        table_infoset[place] = infosets[number]


class Histories(NamedTuple):
    """N nodes; the root is node 0, siblings are neighbours."""

    nodes: Indices
    """[N, 4] KIND, FIRST_CHILD, NUM_CHILDREN and INFOSET (numbered over all players)."""
    cumulative: Floats
    """[N] chance probability of this and the earlier siblings; the last has 2, against rounding."""
    payoff: Floats
    """[N, C] what is gained at a terminal: with two players C = 1, what player 0 gains and player 1
    loses; with more, C is the number of players."""
    parent: Indices
    """[N] the root is its own parent."""
    probability: Floats
    """[N] chance probability of the move into the node; 1 after a decision."""
    baselines: Baselines
    deals: NextDeals


def num_columns(num_players: int) -> int:
    """Return the number of columns of `Histories.payoff`: 1 for two players, who share it."""
    return 1 if num_players == 2 else num_players


def pack(tree: GameTree, first_infoset: Offsets, *, has_baseline: bool) -> Histories:
    """Return the packed form of a walked tree; player p's infosets begin at first_infoset[p]."""
    size = len(tree.parent)
    columns = num_columns(len(first_infoset))
    nodes = np.zeros((size, 4), dtype=np.uint32)
    kind = tree.player.copy()
    kind[tree.player == TREE_CHANCE] = CHANCE
    kind[tree.player == TREE_TERMINAL] = TERMINAL
    nodes[:, KIND] = kind
    nodes[:, FIRST_CHILD] = tree.first_child
    nodes[:, NUM_CHILDREN] = tree.num_children
    decides = tree.player >= 0
    nodes[decides, INFOSET] = tree.infoset[decides] + first_infoset[tree.player[decides]]
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
        payoff=np.ascontiguousarray(tree.payoffs[:, :columns]),
        parent=np.maximum(tree.parent, 0).astype(np.uint32),
        probability=tree.probability,
        baselines=make_baselines(size * columns if has_baseline else 0),
        deals=NO_DEALS,
    )
