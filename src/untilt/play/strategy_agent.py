"""A strategy as an agent: it draws one random number per decision."""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from untilt.errors import StrategyError, nearest, shortened
from untilt.formats.files import path_of, shown
from untilt.formats.strategy import read_plain_strategy
from untilt.game.protocol import Uniforms
from untilt.game.strategy import (
    PlainProfile,
    Profile,
    Strategy,
    checked_probabilities,
    verify_probabilities,
)
from untilt.play.clock import Clock
from untilt.play.hand import Turn
from untilt.play.saved_run import read_saved_run

_MAX_COMPARED = 2_000
"""How many labels to search for the one that was meant."""


class StrategyAgent:
    """Plays a strategy: one random number per decision, and never an action of probability 0."""

    def __init__(
        self,
        profile: PlainProfile,
        forced: Mapping[str, str] = MappingProxyType({}),
        *,
        rng: Uniforms | None = None,
        is_partial: bool = False,
    ) -> None:
        """Check and keep `{label: {action: probability}}` of one player or both.

        `forced` gives the action of infosets with only one, which need no random number. `rng`
        is used if `act` is given none; by default it is seeded differently each time. With
        `is_partial`, as for a game that was only sampled in part, all actions are equally likely
        at an infoset that the strategy does not have.
        """
        self._profile = _verified(profile)
        self._forced = forced
        self._rng: Uniforms = random.Random() if rng is None else rng
        self._is_partial = is_partial

    @classmethod
    def from_run(cls, path: str | Path, *, rng: Uniforms | None = None) -> "StrategyAgent":
        """Return the strategy saved in the run folder `path`; no solver is loaded."""
        saved = read_saved_run(path_of(path))
        return cls(saved.profile, saved.game.forced, rng=rng, is_partial=saved.game.is_partial)

    @classmethod
    def from_file(cls, path: str | Path, *, rng: Uniforms | None = None) -> "StrategyAgent":
        """Return the strategy in a JSON file `{label: {action: probability}}`.

        Such files are written by hand, by `untilt export --to json` or by `--json --strategy`.
        """
        file = path_of(path)
        if file.is_dir():
            raise StrategyError(
                f"{shown(file)} is a folder; load a run with StrategyAgent.from_run"
            )
        plain = read_plain_strategy(file)
        try:
            return cls(plain, rng=rng)
        except StrategyError as error:
            raise StrategyError(f"{shown(file)}: {error}") from error

    def __repr__(self) -> str:
        return f"<StrategyAgent of {len(self._profile):,} infosets>"

    def probabilities(self, turn: Turn | str) -> dict[str, float]:
        """Return `{action: probability}` at a turn, or at the infoset with that label."""
        if isinstance(turn, Turn):
            return dict(self.row(turn.label, turn.actions))
        return dict(self.row(turn))

    def row(self, label: str, actions: Sequence[str] = ()) -> Mapping[str, float]:
        """Return the probabilities at the infoset `label`, whose actions have these names.

        The names are needed only where a partial strategy may lack the infoset.
        """
        is_text = isinstance(label, str)
        if is_text and label in self._forced:
            return {self._forced[label]: 1.0}
        if is_text and label in self._profile:
            return self._profile[label]
        if self._is_partial and actions:
            return dict.fromkeys(actions, 1.0 / len(actions))
        raise _unknown(label, self._profile)

    def act(self, turn: Turn | str, rng: Uniforms | None = None, clock: Clock | None = None) -> str:
        """Return an action drawn from the strategy's probabilities at a turn, or at a label."""
        row = self.row(turn.label, turn.actions) if isinstance(turn, Turn) else self.row(turn)
        if isinstance(turn, str) and turn in self._forced:  # a table never asks here
            return self._forced[turn]
        uniform = (self._rng if rng is None else rng).random()
        cumulative = 0.0
        chosen = None
        for action, probability in row.items():
            if probability <= 0.0:
                continue
            cumulative += probability
            chosen = action
            if uniform < cumulative:
                break
        # Rounding may leave `cumulative` slightly below 1: the last possible action takes the rest.
        assert chosen is not None, "probabilities sum to 1"
        return chosen


def _unknown(label: object, profile: PlainProfile) -> StrategyError:
    labels = list(profile)[:_MAX_COMPARED]
    near = nearest(str(label), labels)
    hint = "" if near is None else f"did you mean {near!r}? "
    known = ", ".join(repr(each) for each in labels[:3])
    return StrategyError(
        f"the strategy has no infoset {shortened(label)}: {hint}its infosets are named like {known}"
    )


def _verified(profile: object) -> PlainProfile:
    """Return a strategy whose probabilities sum to 1 everywhere, or raise StrategyError."""
    if isinstance(profile, Profile):
        for strategy in profile.strategies:
            verify_probabilities(strategy)
        return profile
    if isinstance(profile, Strategy):
        verify_probabilities(profile)
        return profile
    if not isinstance(profile, Mapping):
        raise StrategyError(
            f"expected {{infoset: {{action: probability}}}}, got {type(profile).__name__!r}"
        )
    return {label: checked_probabilities(label, row) for label, row in profile.items()}
