"""The value of a river as a linear program over realization plans, pair of hands by pair of hands.

Nothing is shared with the code under test but the names of the actions that a line offers: chips
are counted from these names, and hands are compared by trying all five cards.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.optimize import linprog
from tests.reference.hands import best_value

from untilt.numeric.arrays import Floats

Hand = tuple[str, ...]
Choice = tuple[Hand, str]
"""A hand, and the line that ends with an action of its player; an empty line for none."""


class RiverProgram:
    """A river with two weighted ranges, as payoffs of pairs of sequences."""

    def __init__(
        self,
        board: Sequence[str],
        pot: int,
        hands: tuple[Mapping[Hand, float], Mapping[Hand, float]],
        offers: Callable[[str], Sequence[str]],
    ) -> None:
        self._offers = offers
        self._pot = pot
        self._numbers: tuple[dict[Choice, int], dict[Choice, int]] = ({}, {})
        self._infosets: tuple[dict[tuple[int, str], list[int]], ...] = ({}, {})
        self._payoffs: dict[tuple[int, int], float] = {}
        worth = {hand: best_value([*board, *hand]) for side in hands for hand in side}
        total = 0.0
        for first, first_weight in hands[0].items():
            for second, second_weight in hands[1].items():
                if set(first) & set(second):
                    continue
                weight = first_weight * second_weight
                total += weight
                sign = (worth[first] > worth[second]) - (worth[first] < worth[second])
                starts = [self._number(0, first, ""), self._number(1, second, "")]
                self._walk((first, second), sign, weight, [], [0, 0], starts)
        self._total = total

    def value(self) -> float:
        """Return what player 0 takes out of the pot in equilibrium."""
        num = [len(numbers) for numbers in self._numbers]
        payoff = np.zeros(num)
        for place, value in self._payoffs.items():
            payoff[place] = value
        left, left_is = self._constraints(0)
        right, right_is = self._constraints(1)
        # max over x of min over y: x' A y, with E x = e, F y = f; its dual in y is q: A' x >= F' q.
        num_free = len(right)
        found = linprog(
            np.concatenate([np.zeros(num[0]), -right_is]),
            A_ub=np.hstack([-payoff.T, right.T]),
            b_ub=np.zeros(num[1]),
            A_eq=np.hstack([left, np.zeros((len(left), num_free))]),
            b_eq=left_is,
            bounds=[(0.0, None)] * num[0] + [(None, None)] * num_free,
            method="highs",
        )
        assert found.success, found.message
        assert found.fun is not None
        return self._pot / 2 - found.fun / self._total

    def _walk(
        self,
        hands: tuple[Hand, Hand],
        sign: int,
        weight: float,
        moves: list[str],
        put_in: list[int],
        at: list[int],
    ) -> None:
        player = len(moves) % 2
        half = self._pot / 2 + min(put_in)
        if moves and moves[-1] == "fold":
            self._pay(at, weight * half * (1 if player == 0 else -1))
            return
        if moves[-2:] == ["check", "check"] or moves[-1:] == ["call"]:
            self._pay(at, weight * half * sign)
            return
        line = ", ".join(moves)
        numbers = []
        for action in self._offers(line):
            after = put_in.copy()
            if action == "call":
                after[player] = put_in[1 - player]
            elif " " in action:
                after[player] = int(action.split()[1])
            number = self._number(player, hands[player], ", ".join([*moves, action]))
            numbers.append(number)
            below = at.copy()
            below[player] = number
            self._walk(hands, sign, weight, [*moves, action], after, below)
        self._infosets[player][at[player], line] = numbers

    def _pay(self, at: list[int], payoff: float) -> None:
        key = at[0], at[1]
        self._payoffs[key] = self._payoffs.get(key, 0.0) + payoff

    def _number(self, player: int, hand: Hand, line: str) -> int:
        numbers = self._numbers[player]
        return numbers.setdefault((hand, line), len(numbers))

    def _constraints(self, player: int) -> tuple[Floats, Floats]:
        """Return E and e: a hand is there, and what is played is what got there."""
        starts = [number for (_, line), number in self._numbers[player].items() if not line]
        infosets = self._infosets[player]
        matrix = np.zeros((len(starts) + len(infosets), len(self._numbers[player])))
        matrix[np.arange(len(starts)), starts] = 1.0
        for row, ((parent, _), children) in enumerate(infosets.items(), len(starts)):
            matrix[row, parent] = -1.0
            matrix[row, children] = 1.0
        right = np.zeros(len(matrix))
        right[: len(starts)] = 1.0
        return matrix, right
