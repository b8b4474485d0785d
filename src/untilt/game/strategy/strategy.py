"""Behaviour of one player (`Strategy`) and of all (`Profile`), as arrays with names.

A strategy is a probability per sequence; a profile reads like a dictionary
`{infoset label: {action: probability}}` over all players.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from untilt.display import Cell, html_table
from untilt.errors import InvalidOption, StrategyError, require, shortened
from untilt.game.compiled import CompiledGame
from untilt.game.names.names import PARTS, Names
from untilt.game.sequence.plan_form import verify_row
from untilt.numeric.arrays import Floats

if TYPE_CHECKING:
    from pandas import DataFrame

PlainProfile = Mapping[str, Mapping[str, float]]
"""A profile as plain data: `{infoset label: {action name: probability}}`."""

SUM_TOLERANCE = 1e-5
"""The tolerance for sums of hand-written probabilities, such as thirds with six digits; the
probabilities are rescaled."""


@dataclass(frozen=True, eq=False, repr=False)
class Strategy(Mapping[str, dict[str, float]]):
    """One player's behaviour: label → {action: probability}."""

    infosets: Names
    behaviour: Floats
    """[sequences] probability of each action at its infoset; 1 for the empty sequence."""

    def __post_init__(self) -> None:
        if not isinstance(self.infosets, Names):
            raise StrategyError(f"expected Names, got {type(self.infosets).__name__!r}")
        verify_row(self.infosets, self.behaviour)

    def __repr__(self) -> str:
        return f"<Strategy of player {self.infosets.player}: {_first_entry(self)}>"

    def __getitem__(self, label: str) -> dict[str, float]:
        index = self.infosets.index(label)
        probabilities = self.behaviour[self.infosets.block(index)].tolist()
        return dict(zip(self.infosets.actions(index), probabilities, strict=True))

    def __contains__(self, label: object) -> bool:
        return label in self.infosets

    def __iter__(self) -> Iterator[str]:
        return iter(self.infosets)

    def __len__(self) -> int:
        return len(self.infosets)

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per infoset and action; see `Profile.to_frame`."""
        return _frame([self])

    def _repr_html_(self) -> str:
        """Return the first infosets as a small table, for notebooks."""
        return _html(f"Strategy of player {self.infosets.player}", [self])


@dataclass(frozen=True, eq=False, repr=False)
class Profile(Mapping[str, dict[str, float]]):
    """One strategy per player; label → {action: probability} over all of them."""

    strategies: tuple[Strategy, ...]

    def __post_init__(self) -> None:
        given = self.strategies
        are_several = isinstance(given, tuple | list) and len(given) >= 2
        if not (are_several and all(isinstance(each, Strategy) for each in given)):
            raise StrategyError(
                "a profile consists of a Strategy of player 0 and a Strategy of player 1, and of "
                "one of each further player"
            )
        players = [each.infosets.player for each in given]
        if players != list(range(len(given))):
            listed = f"{', '.join(map(str, players[:-1]))} and {players[-1]}"
            wanted = ", ".join(f"player {each}" for each in range(len(given) - 1))
            raise StrategyError(
                f"the strategies of a profile are of players {listed}; they must be of "
                f"{wanted} and player {len(given) - 1}, in this order"
            )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Profile):
            return super().__eq__(other)
        if len(self.strategies) != len(other.strategies):
            return False
        pairs = list(zip(self.strategies, other.strategies, strict=True))
        if not all(own.infosets.matches(others.infosets) for own, others in pairs):
            return super().__eq__(other)
        return all(np.array_equal(own.behaviour, others.behaviour) for own, others in pairs)

    __hash__ = None  # type: ignore[assignment]  # like all mappings

    def __repr__(self) -> str:
        return f"<Profile: {_first_entry(self)}>"

    def __getitem__(self, label: str) -> dict[str, float]:
        owners = (each for each in reversed(self.strategies) if label in each)
        return next(owners, self.strategies[0])[label]

    def __contains__(self, label: object) -> bool:
        return any(label in each for each in self.strategies)

    def __iter__(self) -> Iterator[str]:
        return chain(*self.strategies)

    def __len__(self) -> int:
        return sum(map(len, self.strategies))

    @property
    def behaviours(self) -> tuple[Floats, ...]:
        """Each player's array over sequences."""
        return tuple(each.behaviour for each in self.strategies)

    @property
    def infosets(self) -> tuple[Names, ...]:
        """Each player's infosets."""
        return tuple(each.infosets for each in self.strategies)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return the profile as plain dictionaries, ready for JSON."""
        return {label: self[label] for label in self}

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per infoset and action.

        Its columns are player, infoset, private, public, line, action and probability.

        >>> import untilt
        >>> frame = untilt.strategies.uniform("kuhn").to_frame()
        >>> frame.head(2)[["infoset", "action", "probability"]]
          infoset action  probability
        0   P0:J:  check          0.5
        1   P0:J:    bet          0.5
        """
        return _frame(self.strategies)

    def _repr_html_(self) -> str:
        """Return the first infosets as a small table, for notebooks."""
        return _html("Strategy", self.strategies)


def _frame(strategies: Sequence[Strategy]) -> "DataFrame":
    pandas = require("pandas", "to_frame")
    columns: dict[str, list[Any]] = {
        name: [] for name in ("player", "infoset", *PARTS, "action", "probability")
    }
    for strategy in strategies:
        names = strategy.infosets
        shown = zip(*(names.column(part) for part in PARTS), strict=True)
        for (label, actions), parts in zip(names.items(), shown, strict=True):
            count = len(actions)
            columns["player"] += [names.player] * count
            columns["infoset"] += [label] * count
            for part, text in zip(PARTS, parts, strict=True):
                columns[part] += [text] * count
            columns["action"] += actions
        columns["probability"] += strategy.behaviour[1:].tolist()
    frame: DataFrame = pandas.DataFrame(columns)
    return frame


_MAX_SHOWN = 6
"""Infosets of each player that a notebook shows."""


def _html(title: str, strategies: Sequence[Strategy]) -> str:
    rows: list[list[Cell]] = []
    total = sum(map(len, strategies))
    for strategy in strategies:
        for label in islice(strategy, _MAX_SHOWN):
            actions = [f"{name} {share:.4g}" for name, share in strategy[label].items()]
            rows.append([label, ", ".join(actions)])
    more = f"{len(rows)} of {total:,} infosets; .to_frame() or .to_dict() has all"
    note = more if total > len(rows) else ""
    return html_table(title, rows, header=("infoset", "probabilities"), note=note)


def _first_entry(strategy: Mapping[str, dict[str, float]]) -> str:
    """Return the play of a strategy at its first infoset, for its repr."""
    label = next(iter(strategy), None)
    if label is None:
        return "no infosets"
    shown = list(strategy[label].items())[:4]
    actions = ", ".join(f"{str(name)[:20]!r}: {share:.4g}" for name, share in shown)
    more = ", …" if len(strategy[label]) > len(shown) else ""
    return f"{len(strategy):,} infosets, first {label[:80]!r}: {{{actions}{more}}}"


def verify_profile(infosets: tuple[Names, ...], profile: object) -> Profile:
    """Return `profile`, or raise StrategyError if it is not for the game with `infosets`."""
    if not isinstance(profile, Profile):
        raise StrategyError(
            f"expected a Profile, got {type(profile).__name__!r}; make one with "
            "untilt.strategies.from_dict(game, {infoset: {action: probability}})"
        )
    if len(profile.strategies) != len(infosets):
        raise StrategyError(
            f"the profile is of a game of {len(profile.strategies)} players; this game has "
            f"{len(infosets)}: give a profile of this game"
        )
    for own, names in zip(profile.strategies, infosets, strict=True):
        if not names.matches(own.infosets):
            raise StrategyError(_difference(profile.infosets, infosets))
    return profile


def _difference(theirs: tuple[Names, ...], ours: tuple[Names, ...]) -> str:
    """Return the difference between the game of a profile and the one at hand."""
    counts = [sum(map(len, tables)) for tables in (theirs, ours)]
    firsts = [next(chain(*tables), None) for tables in (theirs, ours)]
    if counts[0] != counts[1] or firsts[0] != firsts[1]:
        return (
            f"the profile is of a game with {counts[0]:,} infosets, first {firsts[0]!r}; this "
            f"game has {counts[1]:,}, first {firsts[1]!r}: give a profile of this game"
        )
    for one, other in zip(theirs, ours, strict=True):
        for label, actions in one.items():
            if label not in other:
                return f"the profile has infoset {label!r}, which this game does not have"
            others = other.actions(other.index(label))
            if actions != others:
                return (
                    f"infoset {label!r} has the actions {', '.join(actions)} in the profile's "
                    f"game, {', '.join(others)} in this one: give a profile of this game"
                )
    return (
        "the profile lists the infosets of this game in another order: rebuild it with "
        "untilt.strategies.from_dict(game, profile)"
    )


def verify_player(player: object, num_players: int = 2) -> int:
    """Return `player`, or raise InvalidOption if it is not one of `num_players`."""
    allowed = ", ".join(map(str, range(num_players - 1))) + f" or {num_players - 1}"
    if isinstance(player, bool) or not isinstance(player, int | np.integer):
        raise InvalidOption(f"player is {shortened(player)}; it must be {allowed}")
    if not 0 <= player < num_players:
        raise InvalidOption(f"player is {shortened(int(player))}; it must be {allowed}")
    return int(player)


def is_behaviour(names: Names, row: Floats, tolerance: float = 1e-9) -> bool:
    """Whether each infoset's numbers in a row over sequences are probabilities that sum to 1."""
    if not (row[0] == 1.0 and np.all(row >= 0.0)):  # false for nan too
        return False
    return bool(np.all(np.abs(infoset_sums(names, row) - 1.0) <= tolerance))


def infoset_sums(names: Names, row: Floats) -> Floats:
    """Return [infosets] the sum of each one's probabilities in a row over sequences."""
    if not len(names):
        return np.empty(0)
    sums: Floats = np.add.reduceat(row, names.first_sequence[:-1])
    return sums


def verify_probabilities(strategy: Strategy) -> None:
    """Raise StrategyError, naming an infoset, unless its probabilities are valid and sum to 1."""
    names, row = strategy.infosets, strategy.behaviour
    if is_behaviour(names, row, SUM_TOLERANCE):
        return
    sums = infoset_sums(names, row)
    are_sound = np.abs(sums - 1.0) <= SUM_TOLERANCE
    if len(names):
        are_sound &= np.minimum.reduceat(row, names.first_sequence[:-1]) >= 0.0
    if are_sound.all():
        raise StrategyError(f"the probability of the empty sequence is {row[0]}; it must be 1")
    index = int(np.argmin(are_sound))
    raise StrategyError(
        f"the probabilities of infoset {names.label(index)!r} are "
        f"{row[names.block(index)].tolist()[:8]}; they must lie in [0, 1] and sum to 1"
    )


def profile_from_arrays(game: CompiledGame, behaviours: tuple[Floats, ...]) -> Profile:
    """Return the profile with these probabilities per sequence."""
    if not (isinstance(behaviours, tuple | list) and len(behaviours) == game.num_players):
        raise StrategyError(f"expected one array per player, got {type(behaviours).__name__!r}")
    return Profile(tuple(map(Strategy, game.infosets, behaviours)))


def uniform_profile(game: CompiledGame) -> Profile:
    """Return the profile in which all actions of an infoset are equally likely."""

    def behaviour(names: Names) -> Floats:
        counts = np.diff(names.first_sequence)
        return np.concatenate(([1.0], np.repeat(1.0 / counts, counts)))

    return profile_from_arrays(game, tuple(map(behaviour, game.infosets)))


def random_profile(game: CompiledGame, rng: np.random.Generator) -> Profile:
    """Return a profile drawn uniformly from each infoset's simplex."""

    def behaviour(names: Names) -> Floats:
        raw = rng.standard_exponential(names.num_sequences)
        raw[0] = 1.0
        sums = np.add.reduceat(raw, names.first_sequence[:-1]) if len(names) else np.empty(0)
        raw[1:] /= np.repeat(sums, np.diff(names.first_sequence))
        return raw

    return profile_from_arrays(game, tuple(map(behaviour, game.infosets)))


def profile_from_dict(game: CompiledGame, plain: PlainProfile) -> Profile:
    """Return the profile that `plain` spells out, checked against the game.

    Every infoset of all players is required; forced moves are optional. An action left out
    has probability 0. Probabilities must sum to 1 within 1e-5 and are rescaled.
    """
    _check_labels(game, plain)
    return Profile(tuple(_strategy_from_dict(names, plain) for names in game.infosets))


def strategy_from_dict(game: CompiledGame, player: int, plain: PlainProfile) -> Strategy:
    """Return `player`'s part of `plain`, checked; the parts of others may be missing."""
    _check_labels(game, plain)
    return _strategy_from_dict(game.infosets[verify_player(player, game.num_players)], plain)


def _check_labels(game: CompiledGame, plain: PlainProfile) -> None:
    if not isinstance(plain, Mapping):
        raise StrategyError(
            f"expected {{infoset: {{action: probability}}}}, got {type(plain).__name__!r}"
        )
    for label, actions in plain.items():
        if any(label in names for names in game.infosets):
            continue
        if label not in game.forced:
            shown = ", ".join(map(repr, islice(chain(*game.infosets), 3)))
            raise StrategyError(
                f"the strategy has the infoset {label!r}, which the game does not have; "
                f"its infosets are named like {shown}"
            )
        _check_names(label, actions, (game.forced[label],))


def _check_names(label: str, actions: Mapping[str, float], names: tuple[str, ...]) -> None:
    if not isinstance(actions, Mapping):
        raise _no_actions(label, actions)
    for name in actions:
        if name not in names:
            raise StrategyError(
                f"infoset {label!r} has no action {name!r}; its actions are {', '.join(names)}"
            )


def _strategy_from_dict(names: Names, plain: PlainProfile) -> Strategy:
    behaviour = np.zeros(names.num_sequences)
    behaviour[0] = 1.0
    missing = [label for label in names if label not in plain]
    if missing:
        raise StrategyError(
            f"the strategy lacks {len(missing)} of player {names.player}'s {len(names)} infosets, "
            f"first {missing[0]!r}; add them"
        )
    for index, (label, actions) in enumerate(names.items()):
        _check_names(label, plain[label], actions)
        given = checked_probabilities(label, plain[label])
        probabilities = [given.get(action, 0.0) for action in actions]
        behaviour[names.block(index)] = np.array(probabilities) / sum(probabilities)
    return Strategy(names, behaviour)


def checked_probabilities(label: str, actions: Mapping[str, float]) -> dict[str, float]:
    """Return `{action: probability}` of an infoset; StrategyError if they do not sum to 1."""
    if not isinstance(actions, Mapping):
        raise _no_actions(label, actions)
    checked = {name: _probability(label, name, given) for name, given in actions.items()}
    total = sum(checked.values())
    if not math.isclose(total, 1.0, rel_tol=0.0, abs_tol=SUM_TOLERANCE):
        raise StrategyError(
            f"the probabilities of infoset {label!r} sum to {total:.9g}; they must sum to 1"
        )
    return checked


def _no_actions(label: str, given: object) -> StrategyError:
    return StrategyError(
        f"infoset {label!r}: expected {{action: probability}}, got {shortened(given)}"
    )


def _probability(label: str, name: str, given: object) -> float:
    if isinstance(given, np.integer | np.floating):
        given = given.item()
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0.0 <= given <= 1.0:
        raise StrategyError(
            f"infoset {label!r}: the probability of {name!r} is {shortened(given)}; "
            "it must be a number in [0, 1]"
        )
    return float(given)
