"""Observed decisions of a game, one count per action."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from untilt.errors import InvalidOption
from untilt.numeric.arrays import Floats
from untilt.solvers.qre.decision_tree import Variables
from untilt.solvers.qre.problem import QuantalProblem


@dataclass(frozen=True)
class ObservedPlay:
    """The counts of A actions at I infosets, with sums derived from them."""

    problem: QuantalProblem
    counts: Floats
    """[A]"""

    def __post_init__(self) -> None:
        num_actions = self.problem.variables.num_actions
        if self.counts.shape != (num_actions,) or self.counts.dtype != np.float64:
            raise InvalidOption(f"counts must have {num_actions} float64 numbers, one per action")
        if not (np.all(np.isfinite(self.counts)) and np.all(self.counts >= 0.0)):
            raise InvalidOption("counts must be finite and not negative")
        if not self.counts.sum() > 0.0:
            raise InvalidOption("nothing was observed: all counts are 0")

    @property
    def variables(self) -> Variables:
        """Where infosets keep their actions."""
        return self.problem.variables

    @cached_property
    def totals(self) -> Floats:
        """[I] decisions at each infoset."""
        return self.sums(self.counts)

    def sums(self, values: Floats) -> Floats:
        """Return the sum over each infoset's actions."""
        return np.add.reduceat(values, self.variables.first_action[:-1])

    def largest(self, values: Floats) -> Floats:
        """Return the largest value of each infoset."""
        return np.maximum.reduceat(values, self.variables.first_action[:-1])

    def spread(self, values: Floats) -> Floats:
        """Return a value per infoset, repeated for each of its actions."""
        return np.repeat(values, np.diff(self.variables.first_action))

    @cached_property
    def uniform_log_likelihood(self) -> float:
        """The log-likelihood of equally likely actions."""
        return -float(self.totals @ np.log(np.diff(self.variables.first_action)))

    @cached_property
    def saturated_log_likelihood(self) -> float:
        """The log-likelihood of the frequencies themselves."""
        seen = self.counts > 0.0
        frequency = self.counts[seen] / self.spread(self.totals)[seen]
        return float(self.counts[seen] @ np.log(frequency))
