"""Mixes of actions: the one place where an action of a strategy is drawn."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from untilt.game.protocol import Action, Uniforms


class Mix(NamedTuple):
    """Actions with their probabilities, cumulated; only actions that are played."""

    actions: tuple[Action, ...]
    cumulative: tuple[float, ...]

    @classmethod
    def of(cls, weights: Sequence[tuple[Action, float]]) -> "Mix":
        """Return the mix of actions with these probabilities, which sum to 1."""
        played = [(action, weight) for action, weight in weights if weight > 0.0]
        actions = tuple(action for action, _ in played)
        # The last sum is exactly 1, so that rounding leaves no gap above it.
        sums = (*tuple(accumulate(weight for _, weight in played))[:-1], 1.0)
        return cls(actions, sums)

    def draw(self, rng: Uniforms) -> Action:
        """Return an action, from exactly one random number."""
        return self.at(rng.random())

    def at(self, uniform: float) -> Action:
        """Return the action that a number from 0 to below 1 stands for."""
        return self.actions[bisect_right(self.cumulative, uniform)]
