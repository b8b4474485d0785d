"""Policies that do not look at their cards: random, always call, always fold."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from untilt.cards.combos import NUM_COMBOS
from untilt.errors import InvalidOption
from untilt.game.actions import ActionData, Kind, many_of
from untilt.game.histories.walking import Choice
from untilt.game.protocol import Action, InfoSet, Uniforms
from untilt.policy.hands.clock import Clock
from untilt.policy.hands.turn import data_of
from untilt.policy.policy import Policy, Stationary

if TYPE_CHECKING:
    from untilt.numeric.arrays import Floats
    from untilt.policy.nodes.public_state import Moves, PublicState

_PASSIVE = (Kind.CHECK, Kind.CALL)
_AGGRESSIVE = frozenset({Kind.BET, Kind.RAISE, Kind.ALL_IN})


class _Blind(Stationary):
    """A policy that does not look at its cards."""

    def _moves(self, state: "PublicState") -> "Iterator[tuple[ActionData, Floats]]":
        infoset = state.infoset()
        for action, weight in self.weights(infoset, infoset.actions()):
            yield data_of(action), np.full(NUM_COMBOS, weight)

    def moves_of_all_hands(self, state: Any, asked: Choice, chosen: Action) -> "Moves":
        """Return that every hand would have drawn the same."""
        return [(data_of(chosen), np.ones(NUM_COMBOS))]


class RandomPolicy(_Blind):
    """Plays each kind of action equally often, and each size of a bet equally often.

    Kinds are: fold; check or call; bet, raise or all-in; in other games every action is one.
    """

    name = "random"

    def weights(
        self, infoset: InfoSet, actions: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        """Return all actions."""
        if (many := many_of(actions)) is not None:
            passive = many.passive
            num_bets = len(many) - len(passive)
            share = 1.0 / (len(passive) + (num_bets > 0))
            bets = many[len(passive) :]
            return [
                *((each, share) for each in passive),
                *((each, share / num_bets) for each in bets),
            ]
        kinds = [_kind_of(action) for action in actions]
        counts: dict[object, int] = {}
        for kind in kinds:
            counts[kind] = counts.get(kind, 0) + 1
        return [
            (action, 1.0 / (len(counts) * counts[kind]))
            for action, kind in zip(actions, kinds, strict=True)
        ]

    def choose(
        self, state: Any, asked: Choice, rng: Uniforms, clock: Clock | None = None
    ) -> tuple[Action, Any]:
        """Return an action; hundreds of bet sizes are not listed."""
        actions = many_of(asked.actions)
        if actions is None:
            return super().choose(state, asked, rng)
        passive = actions.passive
        num_bets = len(actions) - len(passive)
        drawn = rng.random() * (len(passive) + (num_bets > 0))
        place = int(drawn)
        if place < len(passive):
            return passive[place], state
        return actions[len(passive) + int((drawn - place) * num_bets)], state


class PassivePolicy(_Blind):
    """Plays the first available kind of action, such as always check or call."""

    def __init__(self, name: str, kinds: Sequence[Kind]) -> None:
        super().__init__()
        self.name = name
        self.kinds = tuple(kinds)

    def choose(
        self, state: Any, asked: Choice, rng: Uniforms, clock: Clock | None = None
    ) -> tuple[Action, Any]:
        """Return the one action that is played."""
        rng.random()  # as other policies, which draw from several
        return self.weights(asked.infoset, asked.actions)[0][0], state

    def weights(
        self, infoset: InfoSet, actions: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        """Return the one action that is played."""
        # Hold'em lists hundreds of bets; what is not a bet comes first.
        many = many_of(actions)
        few = actions if many is None else many.passive
        for kind in self.kinds:
            for action in few:
                if data_of(action).kind is kind:
                    return [(action, 1.0)]
        listed = ", ".join(map(str, actions[:8]))
        raise InvalidOption(
            f"the agent {self.name!r} can only {_listed(self.kinds)}, but the actions of infoset "
            f"{str(infoset)!r} are {listed}: choose another agent"
        )


def always_call() -> PassivePolicy:
    """Return the policy that always checks or calls."""
    return PassivePolicy("call", _PASSIVE)


def always_fold() -> PassivePolicy:
    """Return the policy that folds to every bet, and checks if there is none."""
    return PassivePolicy("fold", (Kind.FOLD, Kind.CHECK))


BUILT_IN: Mapping[str, Callable[[], Policy]] = {
    "random": RandomPolicy,
    "call": always_call,
    "fold": always_fold,
}
"""Policies that need nothing but their name."""


def _kind_of(action: Action) -> object:
    kind = data_of(action).kind
    if kind in _AGGRESSIVE:
        return Kind.BET
    if kind in _PASSIVE:
        return Kind.CALL
    return action if kind is Kind.OTHER else kind


def _listed(kinds: Sequence[Kind]) -> str:
    return " or ".join(kind.value for kind in kinds)
