"""What a pair of strategies is worth on a public tree, board by board and hand by hand.

Written from the description of the form: every leaf compares all pairs of hands.
"""

from collections.abc import Callable

import numpy as np

from untilt.game.public.public_tree import CHANCE, DECISION, FOLD, RUNOUT, SHOWDOWN, PublicTree
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


def best_values(
    tree: PublicTree, mix: Mix, player: int, reach: Floats, at: tuple[int, int, int] = (0, 0, 0)
) -> Floats:
    """Return [lanes] what a best response is worth at (street, board, node), weighted by `reach`.

    `reach` is that of the opponent, who plays `mix`.
    """
    street, board, node = at
    forest = tree.streets[street]
    kind = int(forest.kind[node])
    if kind in (FOLD, SHOWDOWN, RUNOUT):
        can_meet = _can_meet(tree, street, board)
        balance = _balance(tree, street, board, kind) * np.ones_like(can_meet)
        a, b = forest.stakes[node, player]
        paid = a * can_meet + b * balance if player == 0 else (a * can_meet - b * balance).T
        return np.asarray(paid @ reach)
    if kind == CHANCE:
        root = int(np.count_nonzero(forest.kind[:node] == CHANCE))
        deals = tree.deals[street]
        lanes = tree.boards[street][player].first_lane
        total = np.zeros(int(lanes[board + 1] - lanes[board]))
        for edge in np.flatnonzero(deals.parent == board):
            own, other = (
                deals.lane[p][deals.first_lane[p][edge] : deals.first_lane[p][edge + 1]]
                for p in (player, 1 - player)
            )
            behind = street + 1, int(deals.child[edge]), root
            total[own] += deals.probability * best_values(tree, mix, player, reach[other], behind)
        return total
    children = [
        int(forest.first_child[node]) + action for action in range(int(forest.num_actions[node]))
    ]
    if int(forest.player[node]) == player:
        below = [best_values(tree, mix, player, reach, (street, board, c)) for c in children]
        return np.asarray(np.max(below, axis=0))
    probabilities = mix(street, board, node, 1 - player)
    below = [
        best_values(tree, mix, player, reach * probabilities[action], (street, board, child))
        for action, child in enumerate(children)
    ]
    return np.asarray(np.sum(below, axis=0))


class ChoosingLearner(Learner):
    """The same where a player may stay out: hand by hand, or by picking the hand that enters.

    Written from the description in `untilt.solvers.public_tree.gadget`.
    """

    def __init__(
        self,
        tree: PublicTree,
        exponents: tuple[float, float, float],
        chooser: int,
        alternatives: Floats,
        belief: float,
        *,
        is_margin: bool = False,
    ) -> None:
        super().__init__(tree, *exponents)
        self.chooser = chooser
        self.alternatives = alternatives
        self.belief = belief
        self.is_margin = is_margin
        meets = _can_meet(tree, 0, 0)
        self.met = (meets if chooser == 0 else meets.T) @ tree.weights[1 - chooser]
        count = len(alternatives)
        self.enter = np.full(count, 1.0 / count if is_margin else 0.5)
        self.choice_regrets = np.zeros((2, count))
        self.enter_sum = np.zeros(count)

    def entering(self, enter: Floats) -> Floats:
        """Return the reach with which each hand enters if it does so as often as said."""
        weights = self.tree.weights[self.chooser]
        through = weights.mean() * enter
        if self.is_margin:
            through = weights.sum() * self.met.mean() / self.met * enter
        found: Floats = self.belief * weights + (1.0 - self.belief) * through
        return found

    def iterate(self) -> None:
        self.iteration += 1
        for player in (0, 1):
            if player != self.chooser:
                self._learn(player, 0, 0, 0, self.entering(self.enter))
                continue
            values = self._learn(player, 0, 0, 0, self.tree.weights[1 - player])
            self._choose(values)

    def _choose(self, values: Floats) -> None:
        alpha, beta, gamma = self.exponents
        before = float(self.iteration - 1)
        self.enter_sum = self.enter_sum * (before / self.iteration) ** gamma + self.enter
        if self.is_margin:
            gains = (values - self.alternatives) / self.met
            instant = np.array([gains - self.enter @ gains, 0.0 * gains])
        else:
            mean = self.enter * values + (1.0 - self.enter) * self.alternatives
            instant = np.array([values, self.alternatives]) - mean
        discounts = np.where(
            self.choice_regrets > 0.0,
            before**alpha / (before**alpha + 1.0),
            before**beta / (before**beta + 1.0) if before else 0.0,
        )
        self.choice_regrets = self.choice_regrets * discounts + instant
        positive = np.maximum(self.choice_regrets, 0.0)
        if self.is_margin:
            total = positive[0].sum()
            self.enter = positive[0] / total if total else np.full(len(values), 1 / len(values))
        else:
            total = positive.sum(axis=0)
            safe = np.where(total > 0.0, total, 1.0)
            self.enter = np.where(total > 0.0, positive[0] / safe, 0.5)
