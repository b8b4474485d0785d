"""A kind of policy in one file, as CONTRIBUTING describes: the mean of two policies."""

from collections.abc import Sequence

from untilt.game.protocol import Action, InfoSet
from untilt.policy.policy import Stationary
from untilt.policy.simple import RandomPolicy, always_call


class MeanPolicy(Stationary):
    """Plays as one of two policies, each half of the time, at every decision anew."""

    def __init__(self, first: Stationary, second: Stationary) -> None:
        super().__init__()
        self.name = f"{first.name} or {second.name}"
        self._both = first, second

    def weights(
        self, infoset: InfoSet, actions: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        """Return the mean of both policies' probabilities."""
        found: dict[Action, float] = {}
        for policy in self._both:
            for action, weight in policy.weights(infoset, actions):
                found[action] = found.get(action, 0.0) + weight / 2.0
        return list(found.items())


mean = MeanPolicy(RandomPolicy(), always_call())
