"""What a pair of strategies is worth on a public tree, board by board and hand by hand.

Written from the description of the form: every leaf compares all pairs of hands.
"""

from collections.abc import Callable

import numpy as np

from untilt.game.public_tree import CHANCE, DECISION, FOLD, RUNOUT, SHOWDOWN, PublicTree
from untilt.numeric.arrays import AnyArray, Floats

Mix = Callable[[int, int, int, int], Floats]
"""street, board, node, player → [actions, lanes] probabilities"""


def values(tree: PublicTree, mix: Mix) -> tuple[float, float]:
    """Return what both players win on average, without the baseline."""
    weights = tree.weights
    per_lane = _values_at(tree, mix, 0, 0, 0, (weights[0], weights[1]))
    num_pairs = float(weights[0] @ _can_meet(tree, 0, 0) @ weights[1])
    return (
        float(weights[0] @ per_lane[0]) / num_pairs,
        float(weights[1] @ per_lane[1]) / num_pairs,
    )


def _can_meet(tree: PublicTree, street: int, board: int) -> AnyArray:
    first, second = (
        boards.blockers[boards.first_lane[board] : boards.first_lane[board + 1]]
        for boards in tree.boards[street]
    )
    meets = np.ones((len(first), len(second)))
    for own in (0, 1):
        for other in (0, 1):
            meets[first[:, None, own] == second[None, :, other]] = 0.0
    return meets


def _balance(tree: PublicTree, street: int, board: int, kind: int) -> AnyArray:
    """Return [lanes 0, lanes 1] how much more often player 0 wins than loses."""
    if kind == FOLD:
        return np.zeros(1)
    if kind == RUNOUT:
        runouts = tree.runouts[street]
        assert runouts is not None
        cells = runouts.balance[runouts.first[board] : runouts.first[board + 1]]
        shape = _can_meet(tree, street, board).shape
        return np.multiply(cells.reshape(shape), runouts.probability)
    first, second = (
        boards.strength[boards.first_lane[board] : boards.first_lane[board + 1]].astype(int)
        for boards in tree.boards[street]
    )
    signs: AnyArray = np.sign(first[:, None] - second[None, :])
    return signs * _can_meet(tree, street, board)


def _values_at(
    tree: PublicTree,
    mix: Mix,
    street: int,
    board: int,
    node: int,
    reach: tuple[Floats, Floats],
) -> tuple[Floats, Floats]:
    forest = tree.streets[street]
    kind = int(forest.kind[node])
    if kind in (FOLD, SHOWDOWN, RUNOUT):
        can_meet = _can_meet(tree, street, board)
        balance = _balance(tree, street, board, kind) * np.ones_like(can_meet)
        (a0, b0), (a1, b1) = forest.stakes[node]
        return (
            (a0 * can_meet + b0 * balance) @ reach[1],
            (a1 * can_meet - b1 * balance).T @ reach[0],
        )
    totals = np.zeros(len(reach[0])), np.zeros(len(reach[1]))
    if kind == CHANCE:
        root = int(np.count_nonzero(forest.kind[:node] == CHANCE))
        deals = tree.deals[street]
        for edge in np.flatnonzero(deals.parent == board):
            maps = [
                deals.lane[player][
                    deals.first_lane[player][edge] : deals.first_lane[player][edge + 1]
                ]
                for player in (0, 1)
            ]
            below = reach[0][maps[0]], reach[1][maps[1]]
            later = _values_at(tree, mix, street + 1, int(deals.child[edge]), root, below)
            for player in (0, 1):
                totals[player][maps[player]] += deals.probability * later[player]
        return totals
    assert kind == DECISION
    player = int(forest.player[node])
    probabilities = mix(street, board, node, player)
    for action in range(int(forest.num_actions[node])):
        after = list(reach)
        after[player] = reach[player] * probabilities[action]
        child = int(forest.first_child[node]) + action
        later = _values_at(tree, mix, street, board, child, (after[0], after[1]))
        totals[player][:] += probabilities[action] * later[player]
        totals[1 - player][:] += later[1 - player]
    return totals


class Learner:
    """Discounted CFR on a public tree as one would write it down: all pairs, in float64."""

    def __init__(self, tree: PublicTree, alpha: float, beta: float, gamma: float) -> None:
        self.tree = tree
        self.exponents = alpha, beta, gamma
        self.regrets: dict[tuple[int, int, int], Floats] = {}
        """(street, board, node) → [actions, lanes of the player who acts]"""
        self.sums: dict[tuple[int, int, int], Floats] = {}
        self.iteration = 0

    def iterate(self) -> None:
        self.iteration += 1
        for player in (0, 1):
            self._learn(player, 0, 0, 0, self.tree.weights[1 - player])

    def _matched(self, key: tuple[int, int, int]) -> Floats:
        street, board, node = key
        forest = self.tree.streets[street]
        boards = self.tree.boards[street][int(forest.player[node])]
        lanes = int(boards.first_lane[board + 1] - boards.first_lane[board])
        shape = int(forest.num_actions[node]), lanes
        regrets = self.regrets.setdefault(key, np.zeros(shape))
        self.sums.setdefault(key, np.zeros(shape))
        positive = np.maximum(regrets, 0.0)
        total = positive.sum(axis=0)
        mix = np.full(shape, 1.0 / shape[0])
        np.divide(positive, total, out=mix, where=total > 0.0)
        return mix

    def _learn(self, player: int, street: int, board: int, node: int, reach: Floats) -> Floats:
        tree, forest = self.tree, self.tree.streets[street]
        kind = int(forest.kind[node])
        if kind in (FOLD, SHOWDOWN, RUNOUT):
            can_meet = _can_meet(tree, street, board)
            balance = _balance(tree, street, board, kind) * np.ones_like(can_meet)
            a, b = forest.stakes[node, player]
            paid: Floats = (
                (a * can_meet + b * balance) @ reach
                if player == 0
                else ((a * can_meet - b * balance).T @ reach)
            )
            return paid
        if kind == CHANCE:
            return self._learn_behind(player, street, board, node, reach)
        key = street, board, node
        mix = self._matched(key)
        children = [int(forest.first_child[node]) + action for action in range(len(mix))]
        if int(forest.player[node]) != player:
            below = [
                self._learn(player, street, board, child, reach * mix[action])
                for action, child in enumerate(children)
            ]
            total: Floats = np.sum(below, axis=0)
            return total
        values = np.array([self._learn(player, street, board, child, reach) for child in children])
        mean: Floats = (mix * values).sum(axis=0)
        alpha, beta, gamma = self.exponents
        before = float(self.iteration - 1)
        regrets = self.regrets[key]
        discounts = np.where(
            regrets > 0.0,
            before**alpha / (before**alpha + 1.0),
            before**beta / (before**beta + 1.0) if before else 0.0,
        )
        self.regrets[key] = regrets * discounts + values - mean
        self.sums[key] = self.sums[key] * (before / self.iteration) ** gamma + mix
        return mean

    def _learn_behind(
        self, player: int, street: int, board: int, node: int, reach: Floats
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
                known[child] = self._learn(player, street + 1, child, root, below)
            total[maps[player]] += deals.probability * known[child]
        return total
