"""What an agent's actions say about its hand: a weight for each of the 1,326 combos.

A range begins with every hand, and each action of the agent multiplies the weights by how likely
it was with each hand. A hold'em agent that can give this probability for any public state has a
range: strategies by label, agents that do not look at their cards, translated strategies and
blueprints.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from untilt.abstraction.algebra import About, Factor
from untilt.abstraction.translated_hand import Move, Translator
from untilt.abstraction.translation import Sight, Translation
from untilt.cards.combos import COMBO_CARDS, NUM_COMBOS
from untilt.errors import InvalidOption
from untilt.game.actions import ActionData, Kind
from untilt.games.holdem.game import Holdem, HoldemActions, HoldemInfoset, highest_first
from untilt.numeric.arrays import Floats
from untilt.play.entrants import (
    Entrant,
    PassiveEntrant,
    RandomEntrant,
    StatesEntrant,
    Stationary,
    TranslatedEntrant,
    data_of,
)

Members: TypeAlias = npt.NDArray[np.int64]
"""Combos that are played alike."""

_MAX_STATES, _MAX_BOARDS = 2_000, 200
"""How many public states and boards are remembered; a state has about 40 kB."""

_HANDS = tuple(
    (first, second) for first, second in (highest_first(row) for row in COMBO_CARDS.tolist())
)
"""Each combo as hold'em represents it."""


class AgentRange(ABC):
    """The range of an agent at one public state; immutable."""

    weights: Floats
    """[1326] how likely the agent played as it did with each combo, regardless of cards."""

    @abstractmethod
    def folding(self, position: Holdem) -> Floats:
        """Return [1326] the part of `weights` that folds, where the agent is to act."""

    @abstractmethod
    def after_own(self, position: Holdem, action: ActionData) -> "AgentRange":
        """Return the range after the agent's action at `position`."""

    @abstractmethod
    def after_other(self, position: Holdem, action: ActionData) -> "AgentRange":
        """Return the range after the other player's action at `position`."""

    def after_deal(self, position: Holdem) -> "AgentRange":
        """Return the range at `position`, where new cards are on the board."""
        del position
        return self


def range_of(entrant: Entrant) -> AgentRange:
    """Return the range of an agent before its first action; InvalidOption if that is unknown."""
    if isinstance(entrant, TranslatedEntrant | StatesEntrant):
        return TranslatedRange.start(entrant.translation)
    if isinstance(entrant, RandomEntrant | PassiveEntrant):
        return BlindRange(entrant)
    if isinstance(entrant, Stationary):
        return StrategyRange(entrant)
    raise InvalidOption(
        f"{entrant.name} does not say what it does with other hands than its own: local best "
        "response needs a run, a strategy file, random, call or fold"
    )


class BlindRange(AgentRange):
    """The range of an agent that does not look at its cards: always every hand."""

    def __init__(self, entrant: Stationary) -> None:
        self._entrant = entrant
        self.weights = np.ones(NUM_COMBOS)

    def folding(self, position: Holdem) -> Floats:
        """Return the same share of every hand."""
        if isinstance(self._entrant, RandomEntrant):
            actions = HoldemActions(position.betting)
            num_kinds = len(actions.passive) + (len(actions) > len(actions.passive))
            share = 1.0 / num_kinds if position.betting.can_fold() else 0.0
        else:
            infoset = position.infoset(position.active)
            played = self._entrant.weights(infoset, infoset.actions())
            share = sum(weight for action, weight in played if data_of(action).kind is Kind.FOLD)
        return np.full(NUM_COMBOS, share)

    def after_own(self, position: Holdem, action: ActionData) -> "BlindRange":
        """Return the same range."""
        return self

    def after_other(self, position: Holdem, action: ActionData) -> "BlindRange":
        """Return the same range."""
        return self


class StrategyRange(AgentRange):
    """The range of a strategy that knows infosets of hold'em itself."""

    def __init__(self, entrant: Stationary, weights: Floats | None = None) -> None:
        self._entrant = entrant
        self.weights = np.ones(NUM_COMBOS) if weights is None else weights

    def folding(self, position: Holdem) -> Floats:
        """Return how much of each hand folds."""
        return self._share(position, "fold")

    def after_own(self, position: Holdem, action: ActionData) -> "StrategyRange":
        """Return the range with each weight times the probability of the action."""
        return StrategyRange(self._entrant, self._share(position, action.name))

    def after_other(self, position: Holdem, action: ActionData) -> "StrategyRange":
        """Return the same range."""
        return self

    def _share(self, position: Holdem, name: str) -> Floats:
        """Return the weights times how likely the action with this name is."""
        infoset = position.infoset(position.active)
        actions = infoset.actions()
        deck = position.rules.deck_set.difference(position.board)
        found = np.zeros(NUM_COMBOS)
        for combo in np.flatnonzero(self.weights).tolist():
            hand = _HANDS[combo]
            if not deck.issuperset(hand):
                continue
            known = infoset._replace(hand=hand)
            for action, weight in self._entrant.weights(known, actions):
                if str(action) == name:
                    found[combo] = self.weights[combo] * weight
        return found


class TranslatedRange(AgentRange):
    """The range of a translated strategy: how likely each hand is, and each reading of the bets.

    Translation may interpret a bet as one of two sizes at random, which the opponent does not see.
    So weights [1326] are kept for each sight, that is for each such reading.
    """

    def __init__(self, told: "Told", joint: Mapping[Any, Floats]) -> None:
        self._told = told
        self._joint = joint
        self.weights = np.sum(list(joint.values()), axis=0)

    @classmethod
    def start(cls, translation: Translator[Any]) -> "TranslatedRange":
        """Return the range at the root of the real game."""
        told: Told
        if isinstance(translation, Translation):
            told = _AbstractTold(translation)
        else:
            told = BlueprintTold(translation)
        sight = translation.start if translation.follows_bets else None
        return cls(told, {sight: np.ones(NUM_COMBOS)})

    def folding(self, position: Holdem) -> Floats:
        """Return how much of each hand folds, over all sights."""
        found = np.zeros(NUM_COMBOS)
        for sight, weights in self._joint.items():
            for move in self._told.at(position, sight):
                if move.action.kind is Kind.FOLD:
                    found += move.shares * weights
        return found

    def after_own(self, position: Holdem, action: ActionData) -> "TranslatedRange":
        """Return the range, given what the strategy may have meant by the action."""
        joint: dict[Any, Floats] = {}
        for sight, weights in self._joint.items():
            for move in self._told.at(position, sight):
                if (move.action.kind, move.action.amount) == (action.kind, action.amount):
                    joint[move.after] = joint.get(move.after, 0.0) + move.shares * weights
        if not joint:  # the strategy never does this; nothing is learnt from it
            joint = dict(self._joint)
        return TranslatedRange(self._told, joint)

    def after_other(self, position: Holdem, action: ActionData) -> "TranslatedRange":
        """Return the range, given how the strategy may interpret the action."""
        joint: dict[Any, Floats] = {}
        for sight, weights in self._joint.items():
            if sight is None:
                joint[None] = weights
                continue
            for after, chance in self._told.translation.after_action(
                sight, position.betting, action
            ):
                joint[after] = joint.get(after, 0.0) + chance * weights
        return TranslatedRange(self._told, joint)

    def after_deal(self, position: Holdem) -> "TranslatedRange":
        """Return the range with the real pot in sight."""
        joint: dict[Any, Floats] = {}
        for sight, weights in self._joint.items():
            after = sight
            if sight is not None:
                after = self._told.translation.after_deal(sight, position.betting)
            joint[after] = joint.get(after, 0.0) + weights
        return TranslatedRange(self._told, joint)


class Told(Protocol):
    """What a translated strategy does with every hand."""

    @property
    def translation(self) -> Translator[Any]:
        """The strategy."""
        ...

    def at(self, position: Holdem, sight: Any) -> Sequence[Move]:
        """Return what is done at `position`, whose betting the strategy sees as `sight`."""
        ...


class BlueprintTold:
    """What a blueprint does with every hand: one look-up for all of them."""

    def __init__(self, translation: Any) -> None:
        self.translation = translation

    def at(self, position: Holdem, sight: Any) -> Sequence[Move]:
        """Return what is done at `position`."""
        found: list[Move] = self.translation.moves(position.betting, position.board, sight)
        return found


class _AbstractTold:
    """What a strategy of an abstract game does; the states met last are remembered.

    A ready-made factor depends on the hand only if it describes something private, and then on
    nothing but the hand and the board. What a user's function reads is not known, so it is called
    for every hand and state.
    """

    def __init__(self, translation: Translation) -> None:
        self.translation = translation
        factors = translation.game.abstraction.states.factors
        self._private = [
            each for each in factors if each.is_ready_made and each.about is About.PRIVATE
        ]
        self._users = [each for each in factors if not each.is_ready_made]
        self._groups: dict[tuple[int, ...], list[Members]] = {}
        self._moves: dict[tuple[tuple[int, ...], str, int, Sight | None], list[Move]] = {}

    def at(self, position: Holdem, sight: Sight | None) -> list[Move]:
        """Return what is done at `position`, whose betting the strategy sees as `sight`."""
        infoset = position.infoset(position.active)
        key = infoset.board, infoset.line, infoset.player, sight
        if key not in self._moves:
            if len(self._moves) >= _MAX_STATES:
                self._moves.clear()
            self._moves[key] = self._made(position, infoset, sight)
        return self._moves[key]

    def _made(self, position: Holdem, infoset: HoldemInfoset, sight: Sight | None) -> list[Move]:
        found: dict[tuple[ActionData, str], Floats] = {}
        for members in self._groups_at(infoset, sight, position.rules.deck_set):
            hand = _HANDS[members[0]]
            for action, name, share in self.translation.mix(infoset._replace(hand=hand), sight):
                key = data_of(action), name
                if key not in found:
                    found[key] = np.zeros(NUM_COMBOS)
                found[key][members] = share
        return [
            Move(action, shares, self._after(sight, position, action, name))
            for (action, name), shares in found.items()
        ]

    def _after(
        self, sight: Sight | None, position: Holdem, action: ActionData, name: str
    ) -> Sight | None:
        """Return what the strategy sees after its own action."""
        if sight is None:
            return None
        own = self.translation.after_own(sight, position.betting, name, action)
        if own is not None:
            return own
        return self.translation.after_action(sight, position.betting, action)[0][0]

    def _groups_at(
        self, infoset: HoldemInfoset, sight: Sight | None, deck: frozenset[int]
    ) -> list[Members]:
        """Return the combos that the abstraction does not tell apart at a state."""
        board = infoset.board
        if board not in self._groups:
            if len(self._groups) >= _MAX_BOARDS:
                self._groups.clear()
            left = deck.difference(board)
            possible = [combo for combo, hand in enumerate(_HANDS) if left.issuperset(hand)]
            self._groups[board] = _grouped(self._private, infoset, possible)
        if not self._users:
            return self._groups[board]
        if sight is not None:
            infoset = infoset._replace(betting=sight.betting, line=sight.line)
        return [
            part
            for members in self._groups[board]
            for part in _grouped(self._users, infoset, members.tolist())
        ]


def _grouped(
    factors: Sequence[Factor], infoset: HoldemInfoset, combos: Sequence[int]
) -> list[Members]:
    """Return combos with equal values of all `factors` together."""
    found: dict[tuple[Hashable, ...], list[int]] = {}
    for combo in combos:
        known = infoset._replace(hand=_HANDS[combo])
        found.setdefault(tuple([each.value(known) for each in factors]), []).append(combo)
    return [np.array(members) for members in found.values()]
