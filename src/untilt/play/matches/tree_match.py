"""Deals of a small game, thousands at a time: the same hands that `match` plays one by one.

The histories of a compiled game are arrays, and the probabilities of all agents are known, so a
batch of hands moves through the tree together, each with its own random numbers.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from untilt.game.histories.tree import CHANCE, TERMINAL, GameTree
from untilt.game.names.names import Names
from untilt.game.strategy.strategy import Profile
from untilt.numeric.arrays import Floats
from untilt.play.matches.seatings import Seatings
from untilt.policy.hands.streams import LightStreams, Places, Role, Words, player_role

MAX_CHILDREN = 64
"""A tree with more children at a node is played hand by hand: each child takes a step to check."""


@dataclass(frozen=True, eq=False)
class TreeMatch:
    """A tree, and for each agent the node's moves as cumulated probabilities."""

    tree: GameTree
    cumulated: tuple[Floats, ...]
    """[nodes] per agent: chance, and this agent in any seat; 1 from the last possible child."""

    @classmethod
    def of(
        cls, tree: GameTree, infosets: tuple[Names, ...], profiles: Iterable[Profile]
    ) -> "TreeMatch":
        """Return the match of these profiles."""
        return cls(tree, tuple(_cumulated(tree, infosets, profile) for profile in profiles))

    def play(self, seed: int, first: int, count: int, seatings: Seatings) -> Floats:
        """Return what the reported agents gain under each seating: [count, seatings, reported]."""
        deals = np.arange(first, first + count, dtype=np.uint64)
        gains = np.empty((count, len(seatings), len(seatings[0].reported)))
        for number, seating in enumerate(seatings):
            ends = self._ends(seed, deals, seating.agents)
            gains[:, number] = self.tree.payoffs[ends[:, None], np.array(seating.reported)]
        return gains

    def _ends(self, seed: int, deals: Words, agents: tuple[int, ...]) -> Places:
        """Return the terminal of every deal, with these agents by seat."""
        tree = self.tree
        nodes = np.zeros(len(deals), np.int64)
        streams = {CHANCE: LightStreams(seed, deals, Role.CHANCE)} | {
            player: LightStreams(seed, deals, player_role(player)) for player in range(len(agents))
        }
        while True:
            players = tree.player[nodes]
            if (players == TERMINAL).all():
                return nodes
            for player, stream in streams.items():
                moving = np.flatnonzero(players == player)
                if len(moving):
                    agent = 0 if player == CHANCE else agents[player]
                    at = nodes[moving]
                    nodes[moving] = self._child(agent, at, stream.random(moving))

    def _child(self, agent: int, nodes: Places, uniforms: Floats) -> Places:
        tree, cumulated = self.tree, self.cumulated[agent]
        child = tree.first_child[nodes].astype(np.int64)
        last = child + tree.num_children[nodes] - 1
        for _ in range(int(tree.num_children[nodes].max()) - 1):
            child += (cumulated[child] <= uniforms) & (child < last)
        return child


def _cumulated(tree: GameTree, infosets: tuple[Names, ...], profile: Profile) -> Floats:
    """Return for each node the probability that its parent moves to it or an earlier child."""
    nodes = np.arange(1, len(tree.player))
    parents = tree.parent[nodes]
    ordinals = nodes - tree.first_child[parents]
    probabilities = tree.probability.astype(np.float64, copy=True)
    for player, table in enumerate(infosets):
        own = tree.player[parents] == player
        sequences = table.first_sequence[tree.infoset[parents[own]]] + ordinals[own]
        probabilities[nodes[own]] = profile.behaviours[player][sequences]
    sums = probabilities.copy()
    for ordinal in range(1, int(ordinals.max()) + 1):
        later = nodes[ordinals == ordinal]
        sums[later] += sums[later - 1]
    # From the last possible child, the sum is exactly 1: rounding must not reach beyond it.
    last = np.zeros(len(tree.player), np.int64)
    possible = probabilities[nodes] > 0.0
    np.maximum.at(last, parents[possible], ordinals[possible])
    sums[nodes[ordinals >= last[parents]]] = 1.0
    return sums
