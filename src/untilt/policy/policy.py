"""A policy: whatever plays, given what the player to act knows.

    state = policy.begin(seat, rules)
    action, state = policy.choose(state, asked, rng)

For hold'em, most policies also say what they do with *all hands at once* at a public state, see
`public_state`: `start`, `moves`, `after`, `dealt`, and `at`, which returns a `Node`. Ranges, charts
and whatever measures a policy ask this way.

A policy has no memory of its own: what it remembers of a hand is in the *state*, which is never
changed. So one policy can play many hands at once, in both seats and in several threads. (Python
code that a user wrote may remember what it likes.) All randomness comes from `rng`: one number for
an action, and one for each bet that has to be interpreted.
"""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from untilt.cards.card import mask_of
from untilt.cards.combos import NUM_COMBOS, blocked_combos
from untilt.errors import InvalidOption
from untilt.game.actions import MANY, ActionData
from untilt.game.compiled import CompiledGame
from untilt.game.histories.walking import Choice
from untilt.game.mix import Mix
from untilt.game.protocol import Action, InfoSet, Uniforms
from untilt.game.strategy.strategy import Profile, profile_from_arrays
from untilt.policy.hands.advice import Advice
from untilt.policy.hands.clock import Clock
from untilt.policy.hands.turn import Hand, NamedInfoset, Rules, data_of

if TYPE_CHECKING:
    from untilt.games.holdem.rules import HoldemRules
    from untilt.numeric.arrays import Floats
    from untilt.policy.nodes.node import Node
    from untilt.policy.nodes.public_state import Moves, PublicState
    from untilt.policy.saved.match_game import MatchGame

_MAX_KEPT = 500_000
"""Infosets whose probabilities are kept, about 300 bytes each."""


class Policy(ABC):
    """Whatever plays; see the module."""

    name: str
    """As the user gave it."""
    wants_records = False
    """Whether `end` is called, which needs a record of every hand."""
    knows_all_hands = False
    """Whether it says what it would have done with other hands, see `moves_of_all_hands`."""
    has_other_stakes = False
    """Whether it plays games that are its own up to a factor of chips, see `playing`."""

    def own_game(self) -> "MatchGame | None":
        """Return the game that it plays; None if it plays any, or does not say."""
        return None

    def playing(self, game: "MatchGame") -> "Policy":
        """Return this policy for a game; one that `has_other_stakes` may be another object.

        Raises InvalidOption if it does not play at these stakes.
        """
        del game
        return self

    def moves_of_all_hands(self, state: Any, asked: Choice, chosen: Action) -> "Moves":
        """Return what every hand would have done at a decision of hold'em.

        `state` is what `choose` returned there, with the action `chosen`. Only asked if it
        `knows_all_hands`.
        """
        raise NotImplementedError

    def begin(self, seat: int, rules: Rules) -> Any:
        """Return the state at the beginning of a hand as player `seat`."""
        del seat, rules

    @abstractmethod
    def choose(
        self, state: Any, asked: Choice, rng: Uniforms, clock: Clock | None = None
    ) -> tuple[Action, Any]:
        """Return one of the actions, and the state after it; `clock` shows the time left."""

    def end(self, state: Any, hand: Hand) -> None:
        """End a hand; all players' cards and decisions are known now."""
        del state, hand

    def advice(
        self,
        state: Any,
        asked: Choice,
        chosen: Action,
        rng: Uniforms | None = None,
        seconds: float | None = None,
    ) -> "tuple[Advice | None, Any]":
        """Return what this policy says about a decision, and a state for the player's next one.

        `state` is None at the first decision of a player. `rng` draws how bets outside the policy's
        own are read; without it, the likeliest reading is used. Values that are estimated may take
        about `seconds`. None if the policy does not say.
        """
        del state, asked, chosen, rng, seconds
        return None, None

    def start(self, rules: "HoldemRules | None" = None) -> "PublicState":
        """Return the public state of hold'em before the first decision.

        Policies that name their own game need no `rules`.
        """
        raise InvalidOption(
            f"{self.name} does not say what it does with other hands than its own: give a run, a "
            "strategy file, a blueprint, a solved spot, random, call or fold"
        )

    def moves(self, state: "PublicState") -> "Moves":
        """Return the actions of the player to act, each with [1326] how often a hand takes it."""
        raise NotImplementedError

    def after(
        self, state: "PublicState", action: ActionData, rng: Uniforms | None = None
    ) -> "PublicState":
        """Return the state after an action of the player to act.

        `rng` draws how a bet outside the policy's own is read; without it, the likeliest reading is
        used.
        """
        raise NotImplementedError

    def outcomes(
        self, state: "PublicState", action: ActionData
    ) -> "Sequence[tuple[PublicState, float]]":
        """Return the states after an action, one for each reading of it, with probabilities."""
        return [(self.after(state, action), 1.0)]

    def dealt(self, state: "PublicState", cards: Sequence[int]) -> "PublicState":
        """Return the state after the next cards of the board."""
        raise NotImplementedError

    def reading(self, state: "PublicState") -> Hashable:
        """Return how the policy reads the bets so far; states on a line differ in nothing else."""
        return state.memory  # type: ignore[no-any-return]  # of the policy's own kind

    def thought(self, state: "PublicState") -> "PublicState":
        """Return the state after thinking about it, if this policy does."""
        return state

    def values(self, state: "PublicState") -> "Floats | None":
        """Return [actions, 1326] what the moves at a state are worth, in chips; None if unknown."""
        del state
        return None

    def at(self, state: "PublicState") -> "Node":
        """Return what everybody sees at a state, and what every hand does there."""
        from untilt.policy.nodes.public_state import node_at

        return node_at(self, state)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r:.80}>"


class Stationary(Policy):
    """A policy whose probabilities depend on nothing but the infoset."""

    knows_all_hands = True

    def __init__(self) -> None:
        self._kept: dict[InfoSet, Mix] = {}

    @abstractmethod
    def weights(
        self, infoset: InfoSet, actions: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        """Return actions with their probabilities, which sum to 1; those left out have none."""

    def choose(
        self, state: Any, asked: Choice, rng: Uniforms, clock: Clock | None = None
    ) -> tuple[Action, Any]:
        """Return an action drawn from the probabilities."""
        _, infoset, actions = asked
        if type(actions) in MANY:  # hardly any infoset of such a game recurs
            mix = Mix.of(self.weights(infoset, actions))
        else:
            kept = self._kept.get(infoset)
            mix = self._keep(infoset, actions) if kept is None else kept
        # As `mix.draw`, without calls: this is most of what a match of small games does.
        return mix.actions[bisect_right(mix.cumulative, rng.random())], state

    def advice(
        self,
        state: Any,
        asked: Choice,
        chosen: Action,
        rng: Uniforms | None = None,
        seconds: float | None = None,
    ) -> "tuple[Advice | None, Any]":
        """Return the probabilities at a decision."""
        del chosen, rng, seconds
        weights = self.weights(asked.infoset, asked.actions)
        return Advice({str(action): weight for action, weight in weights}), state

    def _keep(self, infoset: InfoSet, actions: Sequence[Action]) -> Mix:
        if len(self._kept) >= _MAX_KEPT:
            self._kept.clear()
        mix = self._kept[infoset] = Mix.of(self.weights(infoset, actions))
        return mix

    def start(self, rules: "HoldemRules | None" = None) -> "PublicState":
        """Return the public state of hold'em before the first decision; `rules` must be given."""
        from untilt.policy.nodes.public_state import first_state

        if rules is None:
            raise InvalidOption(f"{self.name} plays any game: give the rules")
        return first_state(rules)

    def moves(self, state: "PublicState") -> "Moves":
        """Return what every hand does, asked one by one."""
        known = state.known.get(self)
        if known is None:
            known = state.known[self] = list(self._moves(state))
        return known

    def moves_of_all_hands(self, state: Any, asked: Choice, chosen: Action) -> "Moves":
        """Return what every hand does at a decision of hold'em."""
        from untilt.policy.nodes.public_state import state_at

        return self.moves(state_at(asked))

    def _moves(self, state: "PublicState") -> "Iterator[tuple[ActionData, Floats]]":
        from untilt.policy.nodes.public_state import hands_of

        found: dict[ActionData, Floats] = {}
        live = hands_of(state.rules) * ~blocked_combos(mask_of(state.board))
        actions = state.infoset().actions()
        for combo in np.flatnonzero(live).tolist():
            for action, weight in self.weights(state.infoset(combo), actions):
                data = data_of(action)
                if data not in found:
                    found[data] = np.zeros(NUM_COMBOS)
                found[data][combo] = weight
        yield from found.items()

    def after(
        self, state: "PublicState", action: ActionData, rng: Uniforms | None = None
    ) -> "PublicState":
        """Return the state after an action."""
        from untilt.policy.nodes.public_state import share_of, state_after

        return state_after(state, action, lambda: share_of(self.moves(state), action))

    def dealt(self, state: "PublicState", cards: Sequence[int]) -> "PublicState":
        """Return the state after the next cards of the board."""
        from untilt.policy.nodes.public_state import state_dealt

        return state_dealt(state, cards)

    def profile(self, game: CompiledGame) -> Profile:
        """Return the probabilities at all infosets of a game."""
        behaviours = []
        for table in game.infosets:
            behaviour = np.zeros(table.num_sequences)
            behaviour[0] = 1.0
            for index, (label, names) in enumerate(table.items()):
                known = NamedInfoset(table.player, label, *table.parts(index), names)
                weight_of = dict(self.weights(known, names))
                behaviour[table.block(index)] = [weight_of.get(name, 0.0) for name in names]
            behaviours.append(behaviour)
        return profile_from_arrays(game, tuple(behaviours))
