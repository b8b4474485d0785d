"""The advice of a policy at a decision, with the cards that are held; reviews are made of it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from untilt.policy.thinking.insight import Insight

MISTAKE = 1e-3
"""By default, a larger cost, in chips or bb, is a mistake. If a strategy is not quite an
equilibrium, actions that should have the same value may differ by less."""


class Advice(NamedTuple):
    """The play of a policy at a decision, by the names of actions."""

    mix: Mapping[str, float]
    """Probabilities; actions that are left out have none."""
    values: Mapping[str, float] = {}
    """What actions are worth, in chips; those that are left out are not known."""
    mistake: float = MISTAKE
    """A choice that gives away more is a mistake."""
    insight: "Insight | None" = None
    """What a blueprint knows about the decision."""

    @property
    def complete_values(self) -> dict[str, float] | None:
        """What actions are worth; None if one of them is not known."""
        is_complete = self.insight is not None or (
            self.values.keys() >= self.mix.keys() and len(self.values) > 0
        )
        return dict(self.values) if is_complete else None

    def cost(self, chosen: str) -> float | None:
        """Return what a choice gives away, None if unknown."""
        if self.insight is not None:
            return self.insight.cost
        values = self.complete_values
        if values is None or chosen not in values:
            return None
        return max(max(values.values()) - values[chosen], 0.0)
