"""Agents of a match: each chooses an action at an infoset, from its own random numbers.

A match asks far more often than a table with a person at it, so an entrant gets the infoset
itself, not a description of it; the actions are a sequence that need not be listed. What an
entrant may see is the infoset and the money on the table, never the position's hidden cards.
"""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from untilt.abstraction.translated_hand import TranslatedHand, Translator
from untilt.abstraction.translation import Translation
from untilt.errors import InvalidOption, StrategyError, UnknownName, UntiltError
from untilt.game.actions import ActionData, Kind, action_data
from untilt.game.compiled import CompiledGame
from untilt.game.faults import described_error
from untilt.game.protocol import Action, Game, InfoSet, Uniforms
from untilt.game.strategy import Profile, profile_from_arrays
from untilt.games.holdem.game import HoldemActions
from untilt.play.agents import AgentLike, Rules, Seated
from untilt.play.clock import Clock
from untilt.play.hand import Hand, NamedInfoset, turn_at
from untilt.play.strategy_agent import StrategyAgent

_PASSIVE = (Kind.CHECK, Kind.CALL)
_AGGRESSIVE = frozenset({Kind.BET, Kind.RAISE, Kind.ALL_IN})
_MAX_KEPT = 500_000
"""Infosets whose probabilities are kept, about 300 bytes each."""


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
        return self.actions[bisect_right(self.cumulative, rng.random())]


class Entrant(ABC):
    """An agent in a match."""

    name: str
    """As the user gave it."""
    wants_records = False
    """Whether `end` is called, which needs a record of every hand."""

    def begin(self, seat: int, rules: Rules) -> None:
        """Begin a hand as player `seat`."""
        del seat, rules

    def allow(self, seconds: float | None) -> None:
        """Say how long the next decision may take; None for no limit."""
        del seconds

    @abstractmethod
    def choose(
        self, position: Game, infoset: InfoSet, actions: Sequence[Action], rng: Uniforms
    ) -> Action:
        """Return one of `actions`, of which there are at least two."""

    def end(self, hand: Hand) -> None:
        """End a hand; both players' cards and decisions are known now."""
        del hand


class Stationary(Entrant):
    """An agent whose probabilities depend on nothing but the infoset."""

    def __init__(self) -> None:
        self._kept: dict[InfoSet, Mix] = {}

    @abstractmethod
    def weights(
        self, infoset: InfoSet, actions: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        """Return actions with their probabilities, which sum to 1; those left out have none."""

    def choose(
        self, position: Game, infoset: InfoSet, actions: Sequence[Action], rng: Uniforms
    ) -> Action:
        """Return an action drawn from the probabilities."""
        if isinstance(actions, HoldemActions):  # hardly any infoset recurs
            return Mix.of(self.weights(infoset, actions)).draw(rng)
        mix = self._kept.get(infoset)
        if mix is None:
            mix = Mix.of(self.weights(infoset, actions))
            if len(self._kept) >= _MAX_KEPT:
                self._kept.clear()
            self._kept[infoset] = mix
        return mix.draw(rng)


class StrategyEntrant(Stationary):
    """Plays a strategy that knows infosets by their labels."""

    def __init__(self, name: str, strategy: StrategyAgent) -> None:
        super().__init__()
        self.name = name
        self.strategy = strategy

    def weights(
        self, infoset: InfoSet, actions: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        """Return the actions with the strategy's probabilities."""
        action_of = {str(action): action for action in actions}
        label = str(infoset)
        row = self.strategy.row(label, tuple(action_of))
        try:
            return [(action_of[name], weight) for name, weight in row.items()]
        except KeyError as error:
            raise StrategyError(
                f"{self.name} plays {error.args[0]!r} at infoset {label!r}, whose actions are "
                f"{', '.join(action_of)}: it is a strategy for another game"
            ) from None


class RandomEntrant(Stationary):
    """Plays each kind of action equally often, and each size of a bet equally often.

    Kinds are: fold; check or call; bet, raise or all-in; in other games every action is one.
    """

    name = "random"

    def weights(
        self, infoset: InfoSet, actions: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        """Return all actions."""
        if isinstance(actions, HoldemActions):
            return self._holdem_weights(actions)
        kinds = [_kind_of(action) for action in actions]
        counts: dict[object, int] = {}
        for kind in kinds:
            counts[kind] = counts.get(kind, 0) + 1
        return [
            (action, 1.0 / (len(counts) * counts[kind]))
            for action, kind in zip(actions, kinds, strict=True)
        ]

    def choose(
        self, position: Game, infoset: InfoSet, actions: Sequence[Action], rng: Uniforms
    ) -> Action:
        """Return an action; hundreds of bet sizes are not listed."""
        if not isinstance(actions, HoldemActions):
            return super().choose(position, infoset, actions, rng)
        passive = actions.passive
        num_bets = len(actions) - len(passive)
        drawn = rng.random() * (len(passive) + (num_bets > 0))
        place = int(drawn)
        if place < len(passive):
            return passive[place]
        return actions[len(passive) + int((drawn - place) * num_bets)]

    @staticmethod
    def _holdem_weights(actions: HoldemActions) -> Sequence[tuple[Action, float]]:
        passive = actions.passive
        num_bets = len(actions) - len(passive)
        share = 1.0 / (len(passive) + (num_bets > 0))
        bets = actions[len(passive) :]
        return [*((each, share) for each in passive), *((each, share / num_bets) for each in bets)]


class PassiveEntrant(Stationary):
    """Plays the first available kind of action, such as always check or call."""

    def __init__(self, name: str, kinds: Sequence[Kind]) -> None:
        super().__init__()
        self.name = name
        self.kinds = tuple(kinds)

    def weights(
        self, infoset: InfoSet, actions: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        """Return the one action that is played."""
        # Hold'em lists hundreds of bets; what is not a bet comes first.
        few = actions.passive if isinstance(actions, HoldemActions) else actions
        for kind in self.kinds:
            for action in few:
                if data_of(action).kind is kind:
                    return [(action, 1.0)]
        listed = ", ".join(map(str, actions[:8]))
        raise InvalidOption(
            f"the agent {self.name!r} can only {_listed(self.kinds)}, but the actions of infoset "
            f"{str(infoset)!r} are {listed}: choose another agent"
        )


def call_entrant() -> PassiveEntrant:
    """Return the agent that always checks or calls."""
    return PassiveEntrant("call", _PASSIVE)


def fold_entrant() -> PassiveEntrant:
    """Return the agent that folds to every bet, and checks if there is none."""
    return PassiveEntrant("fold", (Kind.FOLD, Kind.CHECK))


class StatesEntrant(Stationary):
    """Plays a strategy of a game whose states are abstract, with the actions of the real game."""

    def __init__(self, name: str, translation: Translation) -> None:
        super().__init__()
        self.name = name
        self.translation = translation

    def weights(
        self, infoset: InfoSet, actions: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        """Return the actions with the probabilities at the abstract infoset."""
        return [(action, share) for action, _, share in self.translation.mix(infoset, None)]


def translated_entrant(name: str, translation: Translation) -> Entrant:
    """Return the agent that plays an abstract strategy in the real game."""
    if translation.game.abstraction.menu is None:
        return StatesEntrant(name, translation)
    return TranslatedEntrant(name, translation)


class TranslatedEntrant(Entrant):
    """Plays a strategy with its own bet sizes, such as a blueprint, in the real game."""

    def __init__(self, name: str, translation: Translator[Any]) -> None:
        self.name = name
        self.translation = translation
        self._hands: list[TranslatedHand[Any] | None] = [None, None]

    def begin(self, seat: int, rules: Rules) -> None:
        """Forget how the bets of the last hand were interpreted."""
        self._hands = [None, None]

    def choose(
        self, position: Game, infoset: InfoSet, actions: Sequence[Action], rng: Uniforms
    ) -> Action:
        """Return an action drawn from the strategy, as the translation sees the betting."""
        # Two seats, because an agent may play itself.
        player = position.active
        hand = self._hands[player]
        if hand is None:
            hand = self._hands[player] = TranslatedHand(self.translation, rng)
        return hand.act(infoset)


class CodeEntrant(Entrant):
    """Asks an agent written in Python, which sees turns or labels."""

    def __init__(
        self,
        name: str,
        agent: AgentLike,
        *,
        decision_seconds: float | None = None,
        match_seconds: float | None = None,
    ) -> None:
        self.name = name
        self._seated = Seated.of(agent)
        self.wants_records = getattr(agent, "end", None) is not None
        self._clock = Clock(decision_seconds, match_seconds)

    def begin(self, seat: int, rules: Rules) -> None:
        """Pass on the beginning of a hand."""
        with _errors_of_agent(self.name, "at the beginning of a hand"):
            self._seated.begin(seat, rules)

    def choose(
        self, position: Game, infoset: InfoSet, actions: Sequence[Action], rng: Uniforms
    ) -> Action:
        """Return what the agent answers, checked."""
        turn = turn_at(position, infoset, actions)
        with _errors_of_agent(self.name, f"at infoset {turn.label!r}"), self._clock as clock:
            answer = self._seated.act(turn, rng, clock)
        if isinstance(actions, HoldemActions):
            found = actions.named(answer) if isinstance(answer, str) else None
            if found is not None:
                return found
        else:
            for action, name in zip(actions, turn.actions, strict=True):
                if name == answer:
                    return action
        raise UnknownName(
            f"{self.name} answered {str(answer)[:40]!r} at infoset {turn.label!r}; the actions "
            f"are {', '.join(turn.actions[:20])}"
        )

    def end(self, hand: Hand) -> None:
        """Pass on the end of a hand."""
        with _errors_of_agent(self.name, "at the end of a hand"):
            self._seated.end(hand)


def profile_of_entrant(game: CompiledGame, entrant: Stationary) -> Profile:
    """Return the probabilities of an agent at all infosets of a game."""
    behaviours = []
    for table in game.infosets:
        behaviour = np.zeros(table.num_sequences)
        behaviour[0] = 1.0
        for index, (label, names) in enumerate(table.items()):
            known = NamedInfoset(table.player, label, *table.parts(index), names)
            weight_of = dict(entrant.weights(known, names))
            behaviour[table.block(index)] = [weight_of.get(name, 0.0) for name in names]
        behaviours.append(behaviour)
    return profile_from_arrays(game, (behaviours[0], behaviours[1]))


class _errors_of_agent:  # noqa: N801  # used like a function
    """Turn whatever an agent raises into an error of one line; cheaper than a generator."""

    __slots__ = ("_name", "_where")

    def __init__(self, name: str, where: str) -> None:
        self._name = name
        self._where = where

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception | SystemExit) and not isinstance(error, UntiltError):
            raise UntiltError(
                f"{self._name} failed {self._where}: {described_error(error)}"
            ) from error


def data_of(action: Action) -> ActionData:
    """Return what an action means."""
    return action if isinstance(action, ActionData) else action_data(str(action))


def _kind_of(action: Action) -> object:
    kind = data_of(action).kind
    if kind in _AGGRESSIVE:
        return Kind.BET
    if kind in _PASSIVE:
        return Kind.CALL
    return action if kind is Kind.OTHER else kind


def _listed(kinds: Sequence[Kind]) -> str:
    return " or ".join(kind.value for kind in kinds)
