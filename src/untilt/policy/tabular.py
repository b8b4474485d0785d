"""A strategy by the labels of infosets: of a run, of a file, of a dict."""

import math
import random
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from untilt.errors import StrategyError, nearest, shortened
from untilt.formats.base.files import path_of, shown
from untilt.formats.kinds.strategy_file import Values, read_plain_strategy
from untilt.formats.run.run_folder import SavedRun
from untilt.game.histories.walking import Choice
from untilt.game.mix import Mix
from untilt.game.protocol import Action, InfoSet, Uniforms
from untilt.game.strategy.snapshot import Snapshot, snapshot_of
from untilt.game.strategy.strategy import (
    PlainProfile,
    Profile,
    Strategy,
    checked_probabilities,
    verify_probabilities,
)
from untilt.policy.hands.advice import Advice
from untilt.policy.hands.clock import Clock
from untilt.policy.hands.turn import Turn
from untilt.policy.policy import Stationary
from untilt.policy.saved.saved_run import read_saved_run

if TYPE_CHECKING:
    from untilt.policy.saved.match_game import MatchGame

_MAX_COMPARED = 2_000
"""How many labels to search for the one that was meant."""


class TabularPolicy(Stationary):
    """Plays a strategy: one random number per decision, and never an action of probability 0."""

    game: "MatchGame | None" = None
    """The game of the run or file that it was loaded from."""

    def __init__(
        self,
        profile: PlainProfile,
        forced: Mapping[str, str] = MappingProxyType({}),
        *,
        name: str = "the strategy",
        rng: Uniforms | None = None,
        is_partial: bool = False,
        values: Values | None = None,
    ) -> None:
        """Check and keep `{label: {action: probability}}` of one player or both.

        `forced` gives the action of infosets with only one, which need no random number. `rng`
        is used if `act` is given none; by default it is seeded differently each time. With
        `is_partial`, as for a game that was only sampled in part, all actions are equally likely
        at an infoset that the strategy does not have. `values` are those of actions, per player and
        sequence of a `Profile`.
        """
        super().__init__()
        self.name = name
        self.by_label = _verified(profile)
        self._forced = forced
        self._rng: Uniforms = random.Random() if rng is None else rng
        self.is_partial = is_partial
        self.action_values = values

    @classmethod
    def from_run(cls, path: str | Path, *, rng: Uniforms | None = None) -> "TabularPolicy":
        """Return the strategy saved in the run folder `path`; no solver is loaded."""
        return cls.of(read_saved_run(path_of(path)), rng=rng)

    @classmethod
    def of(
        cls, saved: SavedRun, name: str = "the strategy", *, rng: Uniforms | None = None
    ) -> "TabularPolicy":
        """Return the strategy of a run that was loaded, with the values of its actions."""
        game = saved.game
        is_partial = game.is_partial
        return cls(
            *(saved.profile, game.forced),
            name=name,
            rng=rng,
            is_partial=is_partial,
            values=saved.values,
        )

    @classmethod
    def from_file(cls, path: str | Path, *, rng: Uniforms | None = None) -> "TabularPolicy":
        """Return the strategy in a JSON file `{label: {action: probability}}`.

        Such files are written by hand, by `untilt export --to json` or by `--json --strategy`.
        """
        file = path_of(path)
        if file.is_dir():
            raise StrategyError(
                f"{shown(file)} is a folder; load a run with TabularPolicy.from_run"
            )
        plain = read_plain_strategy(file)
        try:
            return cls(plain, rng=rng)
        except StrategyError as error:
            raise StrategyError(f"{shown(file)}: {error}") from error

    def __repr__(self) -> str:
        return f"<TabularPolicy of {len(self.by_label):,} infosets>"

    def own_game(self) -> "MatchGame | None":
        """Return the game of the run or file that it was loaded from, if it was."""
        return self.game

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
        if is_text and label in self.by_label:
            return self.by_label[label]
        if self.is_partial and actions:
            return dict.fromkeys(actions, 1.0 / len(actions))
        raise _unknown(label, self.by_label)

    def advice(
        self,
        state: Any,
        asked: Choice,
        chosen: Action,
        rng: Uniforms | None = None,
        seconds: float | None = None,
    ) -> tuple[Advice | None, Any]:
        """Return the probabilities at a decision, and what actions are worth, if that is known."""
        del chosen, rng, seconds
        names = [str(action) for action in asked.actions]
        return self.advice_at(asked.player, str(asked.infoset), names), state

    def advice_at(self, player: int, label: str, names: Sequence[str]) -> Advice:
        """Return the advice at the infoset `label`, whose actions have these names."""
        snapshot = self._snapshot
        index = None if snapshot is None else snapshot.infosets[player].find(label)
        if snapshot is None or index is None:
            return Advice(dict(self.row(label, names)))
        row = snapshot.row(player, index)
        return Advice(
            dict(zip(names, row.probabilities, strict=True)),
            {
                name: value
                for name, value in zip(names, row.values, strict=True)
                if math.isfinite(value)
            },
        )

    @cached_property
    def _snapshot(self) -> Snapshot | None:
        profile = self.by_label
        return snapshot_of(profile, self.action_values) if isinstance(profile, Profile) else None

    def weights(
        self, infoset: InfoSet, actions: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        """Return the actions with the strategy's probabilities."""
        action_of = {str(action): action for action in actions}
        label = str(infoset)
        row = self.row(label, tuple(action_of))
        try:
            return [(action_of[name], weight) for name, weight in row.items()]
        except KeyError as error:
            raise StrategyError(
                f"{self.name} plays {error.args[0]!r} at infoset {label!r}, whose actions are "
                f"{', '.join(action_of)}: it is a strategy for another game"
            ) from None

    def act(self, turn: Turn | str, rng: Uniforms | None = None, clock: Clock | None = None) -> str:
        """Return an action drawn from the strategy's probabilities at a turn, or at a label."""
        row = self.row(turn.label, turn.actions) if isinstance(turn, Turn) else self.row(turn)
        if isinstance(turn, str) and turn in self._forced:  # a table never asks here
            return self._forced[turn]
        return str(Mix.of(tuple(row.items())).draw(self._rng if rng is None else rng))


def _unknown(label: object, profile: PlainProfile) -> StrategyError:
    labels = list(profile)[:_MAX_COMPARED]
    near = nearest(label, labels) if isinstance(label, str) else None
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


StrategyAgent = TabularPolicy
"""The name in 0.1.0."""
