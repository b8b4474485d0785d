"""Quantal response on a public tree as one would write it down: all pairs, no logarithms of sums.

Written from the definition: a hand's value of an action is what it wins on average, given that the
node is reached and that everyone plays on as they do; the response is proportional to its
exponential. Reaches are plain products, so it is for noise that leaves them above 1e-300.
"""

import numpy as np
from tests.reference.public_tree import _balance, _can_meet

from untilt.game.public.public_tree import CHANCE, FOLD, RUNOUT, SHOWDOWN, PublicTree
from untilt.numeric.arrays import Floats

Key = tuple[int, int, int]
"""street, board, node"""


class QuantalLearner:
    """Damped responses of the players in turn."""

    def __init__(self, tree: PublicTree, betas: tuple[float, float], rate: float) -> None:
        self.tree, self.betas, self.rate = tree, betas, rate
        self.logits: dict[Key, Floats] = {}
        """[actions, lanes of the player who acts], up to a constant per lane"""
        self.values: dict[Key, Floats] = {}
        """[actions, lanes]: what actions were worth when the player last looked"""
        self.iteration = 0
        self.begun = 1.0
        """The share of β that players have by now: it grows until λ is as small as it gets."""
        self.stretch = 1.0

    def mix(self, key: Key) -> Floats:
        """Return the strategy at a node."""
        street, board, node = key
        forest = self.tree.streets[street]
        boards = self.tree.boards[street][int(forest.player[node])]
        lanes = int(boards.first_lane[board + 1] - boards.first_lane[board])
        shape = int(forest.num_actions[node]), lanes
        logits = self.logits.setdefault(key, np.zeros(shape))
        weights = np.exp(logits - logits.max(axis=0))
        found: Floats = weights / weights.sum(axis=0)
        return found

    def iterate(self) -> None:
        """Let both players move towards their responses."""
        rate = max(self.rate, 2.0 / (self.iteration + 2.0))
        before, self.begun = self.begun, min(1.0, self.rate * (self.iteration + 2.0) / 2.0)
        self.stretch = self.begun / before
        self.iteration += 1
        for player in (0, 1):
            self._visit(player, rate, 0, 0, 0, self.tree.weights[1 - player])

    def look(self, player: int) -> Floats:
        """Return [hands] a player's values at the root, and keep those of all actions."""
        met = self._met(player, 0, 0, self.tree.weights[1 - player])
        found: Floats = self._visit(player, 0.0, 0, 0, 0, self.tree.weights[1 - player]) / met
        return found

    def responses(self, player: int) -> dict[Key, Floats]:
        """Return the response of a player at every node where the player acts."""
        self.look(player)
        found = {}
        for key, values in self.values.items():
            street, _, node = key
            if self.tree.streets[street].player[node] == player:
                weights = np.exp(self.betas[player] * (values - values.max(axis=0)))
                found[key] = weights / weights.sum(axis=0)
        return found

    def _met(self, player: int, street: int, board: int, reach: Floats) -> Floats:
        can_meet = _can_meet(self.tree, street, board)
        found: Floats = (can_meet if player == 0 else can_meet.T) @ reach
        return found

    def _visit(
        self, player: int, rate: float, street: int, board: int, node: int, reach: Floats
    ) -> Floats:
        """Return [lanes] values, weighted by the opponent's `reach`."""
        tree, forest = self.tree, self.tree.streets[street]
        kind = int(forest.kind[node])
        if kind in (FOLD, SHOWDOWN, RUNOUT):
            can_meet = _can_meet(tree, street, board)
            balance = _balance(tree, street, board, kind) * np.ones_like(can_meet)
            a, b = forest.stakes[node, player]
            paid = a * can_meet + b * balance if player == 0 else (a * can_meet - b * balance).T
            return np.asarray(paid @ reach)
        if kind == CHANCE:
            return self._deal(player, rate, street, board, node, reach)
        key = street, board, node
        first, count = int(forest.first_child[node]), int(forest.num_actions[node])
        if int(forest.player[node]) != player:
            mix = self.mix(key)
            below = [
                self._visit(player, rate, street, board, first + action, reach * mix[action])
                for action in range(count)
            ]
            return np.asarray(np.sum(below, axis=0))
        below = [
            self._visit(player, rate, street, board, first + action, reach)
            for action in range(count)
        ]
        values = np.array(below) / self._met(player, street, board, reach)
        self.values[key] = values
        logits = np.log(self.mix(key))
        beta = self.begun * self.betas[player]
        self.logits[key] = (1.0 - rate) * self.stretch * logits + rate * beta * values
        return np.asarray((self.mix(key) * np.array(below)).sum(axis=0))

    def _deal(
        self, player: int, rate: float, street: int, board: int, node: int, reach: Floats
    ) -> Floats:
        tree = self.tree
        deals = tree.deals[street]
        root = int(np.count_nonzero(tree.streets[street].kind[:node] == CHANCE))
        lanes = tree.boards[street][player].first_lane
        total = np.zeros(int(lanes[board + 1] - lanes[board]))
        known: dict[int, Floats] = {}
        for edge in np.flatnonzero(deals.parent == board):
            child = int(deals.child[edge])
            maps = [
                deals.lane[p][deals.first_lane[p][edge] : deals.first_lane[p][edge + 1]]
                for p in (0, 1)
            ]
            if child not in known:
                below = reach[maps[1 - player]]
                known[child] = self._visit(player, rate, street + 1, child, root, below)
            total[maps[player]] += deals.probability * known[child]
        return total
