"""Who can sit at a table: anything that answers a label with the name of an action.

class Caller:
    def act(self, label, rng):
        return "call" if label.endswith("b") else "check"
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from untilt.errors import StrategyError, nearest
from untilt.game.protocol import Uniforms
from untilt.game.strategy import PlainProfile
from untilt.play.saved_run import read_saved_run


class Agent(Protocol):
    """A player: a bot, a strategy, a person behind a screen."""

    def act(self, label: str, rng: Uniforms) -> str:
        """Return the name of the action to take at the infoset `label`.

        `rng` is the player's own source of random numbers: an agent that takes all its luck from
        there plays a hand again in the same way.
        """
        ...


class StrategyAgent:
    """Plays a strategy: draws one number per decision, and never an action of probability 0."""

    def __init__(
        self, profile: PlainProfile, forced: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """Take `{label: {action: probability}}` of one player or both.

        `forced` gives the only action of infosets that are no decision and need no number.
        """
        self._profile = profile
        self._forced = forced

    @classmethod
    def from_run(cls, path: str | Path) -> "StrategyAgent":
        """Return the strategy saved in the run folder `path`; no solver is loaded for it."""
        saved = read_saved_run(Path(path))
        return cls(saved.profile, saved.game.forced)

    def act(self, label: str, rng: Uniforms) -> str:
        """Return an action drawn from the strategy's probabilities at `label`."""
        if label in self._forced:
            return self._forced[label]
        if label not in self._profile:
            near = nearest(label, self._profile)
            known = ", ".join(repr(each) for each in list(self._profile)[:3])
            raise StrategyError(
                f"the strategy has no infoset {label!r}: "
                + ("" if near is None else f"did you mean {near!r}? ")
                + f"its infosets are named like {known}"
            )
        uniform = rng.random()
        cumulative = 0.0
        chosen = None
        for action, probability in self._profile[label].items():
            if probability <= 0.0:
                continue
            cumulative += probability
            chosen = action
            if uniform < cumulative:
                break
        # Rounding may leave `cumulative` a hair below 1: the last possible action takes the rest.
        if chosen is None:
            raise StrategyError(f"the strategy gives every action of {label!r} probability 0")
        return chosen
