"""What a solver has found so far: a strategy with its names, and what a frame keeps of it.

A snapshot is of a *kind*, which says how its numbers are laid out. Those of a sequence form, of
the kind "sequence", have a probability per sequence. Whoever drives, saves or shows a solver asks
its snapshot, and does not depend on the layout.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np

from untilt.game.names import Names
from untilt.game.rows import View
from untilt.game.strategy import Profile, Strategy, is_behaviour
from untilt.numeric.arrays import Floats

Views = tuple[View, View]
"""What a profile means to either player."""


class Snapshot(Protocol):
    """What every kind of snapshot offers."""

    @property
    def kind(self) -> str:
        """How the numbers are laid out."""
        ...

    @property
    def infosets(self) -> tuple[Names, Names]:
        """Both players' infosets by name."""
        ...

    @property
    def profile(self) -> Profile:
        """The strategy as a mapping from labels."""
        ...

    @property
    def values(self) -> tuple[Floats, Floats] | None:
        """What each action is worth, in chips, given that its infoset is reached; nan where it
        cannot be. None if that is not known."""
        ...

    def is_sound(self) -> bool:
        """Whether the probabilities of every infoset are such, and sum to 1."""
        ...

    def frame(self) -> tuple[Floats, Floats]:
        """Return the two rows that a frame keeps: strategy and action values of both players."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class SequenceSnapshot:
    """A probability per sequence of either player."""

    kind: ClassVar[str] = "sequence"

    infosets: tuple[Names, Names]
    behaviours: tuple[Floats, Floats]
    """Per player, [sequences]: the probability of each action; 1 for the empty sequence."""
    appraise: Callable[[Profile], Views] | None = None
    """Finds out what the strategy means to the players; None if that cannot be known."""

    def __repr__(self) -> str:
        return f"<SequenceSnapshot of {sum(map(len, self.infosets)):,} infosets>"

    @cached_property
    def profile(self) -> Profile:
        """The strategy as a mapping from labels."""
        first, second = map(Strategy, self.infosets, self.behaviours)
        return Profile((first, second))

    @cached_property
    def views(self) -> Views | None:
        """Action values and reaches of both players; None if they are not known."""
        return None if self.appraise is None else self.appraise(self.profile)

    @property
    def values(self) -> tuple[Floats, Floats] | None:
        """What each action is worth, in chips, given that its infoset is reached; nan where it
        cannot be. None if that is not known."""
        return None if self.views is None else (self.views[0].values, self.views[1].values)

    def is_sound(self) -> bool:
        """Whether the probabilities of every infoset are such, and sum to 1."""
        return all(map(is_behaviour, self.infosets, self.behaviours))

    def frame(self) -> tuple[Floats, Floats]:
        """Return the two rows that a frame keeps: strategy and action values of both players.

        Each is [sequences of player 0, then of player 1]; values that are not known are nan.
        """
        strategy = np.concatenate(self.behaviours)
        if self.values is None:
            return strategy, np.full_like(strategy, np.nan)
        return strategy, np.concatenate(self.values)
