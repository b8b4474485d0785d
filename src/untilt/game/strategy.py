"""Behaviour of one player (`Strategy`) and of both (`Profile`), as arrays with names.

A strategy is a probability per sequence; a profile reads like a dictionary
`{infoset label: {action: probability}}` over both players.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from untilt.errors import StrategyError
from untilt.game.compiled import CompiledGame
from untilt.game.infosets import Infosets
from untilt.numeric.arrays import Floats

PlainProfile = Mapping[str, Mapping[str, float]]
"""A profile as plain data: `{infoset label: {action name: probability}}`."""

SUM_TOLERANCE = 1e-5
"""How far from 1 the sum of hand-written probabilities may be (thirds have six digits, say);
they are rescaled."""


@dataclass(frozen=True, eq=False)
class Strategy(Mapping[str, dict[str, float]]):
    """One player's behaviour: label → {action: probability}."""

    infosets: Infosets
    behaviour: Floats
    """[sequences] probability of each action at its infoset; 1 for the empty sequence."""

    def __getitem__(self, label: str) -> dict[str, float]:
        index = self.infosets.index(label)
        probabilities = self.behaviour[self.infosets.block(index)].tolist()
        return dict(zip(self.infosets.actions[index], probabilities, strict=True))

    def __contains__(self, label: object) -> bool:
        return label in self.infosets

    def __iter__(self) -> Iterator[str]:
        return iter(self.infosets.labels)

    def __len__(self) -> int:
        return len(self.infosets)


@dataclass(frozen=True, eq=False)
class Profile(Mapping[str, dict[str, float]]):
    """One strategy per player; label → {action: probability} over both."""

    strategies: tuple[Strategy, Strategy]

    def __getitem__(self, label: str) -> dict[str, float]:
        player = 1 if label in self.strategies[1] else 0
        return self.strategies[player][label]

    def __contains__(self, label: object) -> bool:
        return label in self.strategies[0] or label in self.strategies[1]

    def __iter__(self) -> Iterator[str]:
        yield from self.strategies[0]
        yield from self.strategies[1]

    def __len__(self) -> int:
        return len(self.strategies[0]) + len(self.strategies[1])

    @property
    def behaviours(self) -> tuple[Floats, Floats]:
        """The two arrays over sequences."""
        return self.strategies[0].behaviour, self.strategies[1].behaviour

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return the profile as plain dictionaries, ready for JSON."""
        return {label: self[label] for label in self}


def profile_from_arrays(game: CompiledGame, behaviours: tuple[Floats, Floats]) -> Profile:
    """Return the profile with these probabilities per sequence, as they are."""
    for table, behaviour in zip(game.infosets, behaviours, strict=True):
        assert behaviour.shape == (table.num_sequences,), "one probability per sequence"
    return Profile(
        (Strategy(game.infosets[0], behaviours[0]), Strategy(game.infosets[1], behaviours[1]))
    )


def uniform_profile(game: CompiledGame) -> Profile:
    """Return the profile in which every action of an infoset is as likely as the others."""

    def behaviour(table: Infosets) -> Floats:
        counts = np.diff(table.first_sequence)
        return np.concatenate(([1.0], np.repeat(1.0 / counts, counts)))

    return profile_from_arrays(game, (behaviour(game.infosets[0]), behaviour(game.infosets[1])))


def random_profile(game: CompiledGame, rng: np.random.Generator) -> Profile:
    """Return a profile drawn uniformly from each infoset's simplex."""

    def behaviour(table: Infosets) -> Floats:
        raw = rng.standard_exponential(table.num_sequences)
        raw[0] = 1.0
        sums = np.add.reduceat(raw, table.first_sequence[:-1]) if len(table) else np.empty(0)
        raw[1:] /= np.repeat(sums, np.diff(table.first_sequence))
        return raw

    return profile_from_arrays(game, (behaviour(game.infosets[0]), behaviour(game.infosets[1])))


def profile_from_dict(game: CompiledGame, plain: PlainProfile) -> Profile:
    """Return the profile that `plain` spells out, checked against the game.

    Every infoset of both players must be there; forced moves may be; an action left out
    has probability 0; probabilities must sum to 1 within 1e-5 and are rescaled.
    """
    _check_labels(game, plain)
    return Profile(
        (_strategy_from_dict(game.infosets[0], plain), _strategy_from_dict(game.infosets[1], plain))
    )


def strategy_from_dict(game: CompiledGame, player: int, plain: PlainProfile) -> Strategy:
    """Return `player`'s part of `plain`, checked; the other player's part may be missing."""
    _check_labels(game, plain)
    return _strategy_from_dict(game.infosets[player], plain)


def _check_labels(game: CompiledGame, plain: PlainProfile) -> None:
    for label, actions in plain.items():
        if label in game.infosets[0] or label in game.infosets[1]:
            continue
        if label not in game.forced:
            table = game.infosets[0].labels + game.infosets[1].labels
            shown = ", ".join(repr(known) for known in table[:3])
            raise StrategyError(
                f"the strategy has the infoset {label!r}, which the game has not; "
                f"its infosets are named like {shown}"
            )
        _check_names(label, actions, (game.forced[label],))


def _check_names(label: str, actions: Mapping[str, float], names: tuple[str, ...]) -> None:
    if not isinstance(actions, Mapping):
        raise StrategyError(f"infoset {label!r}: expected {{action: probability}}, got {actions!r}")
    for name in actions:
        if name not in names:
            raise StrategyError(
                f"infoset {label!r} has no action {name!r}; its actions are {', '.join(names)}"
            )


def _strategy_from_dict(table: Infosets, plain: PlainProfile) -> Strategy:
    behaviour = np.zeros(table.num_sequences)
    behaviour[0] = 1.0
    missing = [label for label in table.labels if label not in plain]
    if missing:
        raise StrategyError(
            f"the strategy lacks {len(missing)} of player {table.player}'s {len(table)} infosets, "
            f"the first is {missing[0]!r}; add it"
        )
    for index, label in enumerate(table.labels):
        names = table.actions[index]
        given = plain[label]
        _check_names(label, given, names)
        probabilities = [_probability(label, name, given.get(name, 0.0)) for name in names]
        total = sum(probabilities)
        if not math.isclose(total, 1.0, rel_tol=0.0, abs_tol=SUM_TOLERANCE):
            raise StrategyError(
                f"the probabilities of infoset {label!r} sum to {total:.9g}; they must sum to 1"
            )
        behaviour[table.block(index)] = np.array(probabilities) / total
    return Strategy(table, behaviour)


def _probability(label: str, name: str, given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0.0 <= given <= 1.0:
        raise StrategyError(
            f"infoset {label!r}: the probability of {name!r} is {given!r}; "
            "it must be a number in [0, 1]"
        )
    return float(given)
