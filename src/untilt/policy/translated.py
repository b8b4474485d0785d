"""Strategies with bets or states of their own in the real game: of abstract runs, blueprints.

`AbstractHands` asks a strategy of an abstract game about all hands at once. A ready-made factor of
an abstraction depends on the hand only if it describes something private, and then on nothing but
the hand and the board. What a user's function reads is not known, so it is called for every hand
and state.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from untilt.abstraction.algebra import About, Factor
from untilt.abstraction.bet_translation import drawn_reading
from untilt.abstraction.translated_hand import Translator, drawn, first_seen, mix_of
from untilt.abstraction.translation import Sight, Translation
from untilt.cards.combos import NUM_COMBOS
from untilt.errors import InvalidOption
from untilt.game.actions import ActionData
from untilt.game.histories.walking import Choice
from untilt.game.protocol import Action, InfoSet, Uniforms
from untilt.games.holdem.game import Holdem, HoldemInfoset
from untilt.games.registry import name_position
from untilt.numeric.arrays import Floats
from untilt.policy.hands.advice import Advice
from untilt.policy.hands.clock import Clock
from untilt.policy.hands.turn import Rules, data_of
from untilt.policy.nodes.public_state import HANDS, Moves, PublicState
from untilt.policy.policy import Policy, Stationary
from untilt.policy.saved.match_game import MatchGame, made_game

if TYPE_CHECKING:
    from untilt.games.holdem.rules import HoldemRules

_Members: TypeAlias = npt.NDArray[np.int64]
"""Combos that are played alike."""

_MAX_STATES, _MAX_BOARDS = 2_000, 200
"""How many public states and boards are remembered; a state has about 40 kB."""


class AbstractHands:
    """All hands of an abstract strategy; the states met last are remembered."""

    def __init__(self, translation: Translation) -> None:
        self._translation = translation
        factors = translation.game.abstraction.states.factors
        self._private = [
            each for each in factors if each.is_ready_made and each.about is About.PRIVATE
        ]
        self._users = [each for each in factors if not each.is_ready_made]
        self._groups: dict[tuple[int, ...], list[_Members]] = {}
        self._moves: dict[tuple[tuple[int, ...], str, int, Sight | None], Moves] = {}

    def moves(self, state: PublicState, sight: Sight | None) -> Moves:
        """Return what is done at a state, whose betting the strategy sees as `sight`."""
        key = state.board, state.letters, state.player, sight
        found = self._moves.get(key)
        if found is None:
            if len(self._moves) >= _MAX_STATES:
                self._moves.clear()
            found = self._moves[key] = self._made(state, sight)
        return found

    def _made(self, state: PublicState, sight: Sight | None) -> Moves:
        found: dict[ActionData, Floats] = {}
        infoset = state.infoset()
        for members in self._groups_at(infoset, sight, state.rules.deck_set):
            known = infoset._replace(hand=HANDS[members[0]])
            for action, _, share in self._translation.mix(known, sight):
                shares = found.setdefault(data_of(action), np.zeros(NUM_COMBOS))
                shares[members] += share
        return list(found.items())

    def _groups_at(
        self, infoset: HoldemInfoset, sight: Sight | None, deck: frozenset[int]
    ) -> list[_Members]:
        """Return the combos that the abstraction does not tell apart at a state."""
        board = infoset.board
        if board not in self._groups:
            if len(self._groups) >= _MAX_BOARDS:
                self._groups.clear()
            left = deck.difference(board)
            possible = [combo for combo, hand in enumerate(HANDS) if left.issuperset(hand)]
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
) -> list[_Members]:
    """Return combos with equal values of all `factors` together."""
    found: dict[tuple[Hashable, ...], list[int]] = {}
    for combo in combos:
        known = infoset._replace(hand=HANDS[combo])
        found.setdefault(tuple([each.value(known) for each in factors]), []).append(combo)
    return [np.array(members) for members in found.values()]


class StatesPolicy(Stationary):
    """Plays a strategy of a game whose states are abstract, with the actions of the real game."""

    def __init__(self, name: str, translation: Translation) -> None:
        super().__init__()
        self.name = name
        self.translation = translation

    def own_game(self) -> MatchGame:
        """Return the real game."""
        return made_game(name_position(self.translation.root))

    def weights(
        self, infoset: InfoSet, actions: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        """Return the actions with the probabilities at the abstract infoset."""
        return [(action, share) for action, _, share in self.translation.mix(infoset, None)]

    def start(self, rules: "HoldemRules | None" = None) -> "PublicState":
        """Return the public state of the real game before the first decision."""
        return super().start(_own_rules(self, rules))

    def _moves(self, state: "PublicState") -> "Iterator[tuple[ActionData, Floats]]":
        yield from self._hands.moves(state, None)

    @cached_property
    def _hands(self) -> "AbstractHands":

        return AbstractHands(self.translation)


class TranslatedPolicy(Policy):
    """Plays a strategy with its own bet sizes, such as a blueprint, in the real game.

    The state is the hand as the strategy has seen it so far; of a public state, `memory` is what it
    sees of the betting.
    """

    knows_all_hands = True

    def __init__(self, name: str, translation: Translator[Any]) -> None:
        self.name = name
        self.translation = translation

    def own_game(self) -> MatchGame:
        """Return the real game."""
        return made_game(name_position(self.translation.root))

    def begin(self, seat: int, rules: Rules) -> Any:
        """Return a hand of which nothing was seen yet."""
        del seat, rules
        return first_seen(self.translation)

    def choose(
        self, state: Any, asked: Choice, rng: Uniforms, clock: Clock | None = None
    ) -> tuple[Action, Any]:
        """Return an action drawn from the strategy, as the translation sees the betting."""
        return drawn(self.translation, state, asked.infoset, rng)

    def advice(
        self,
        state: Any,
        asked: Choice,
        chosen: Action,
        rng: Uniforms | None = None,
        seconds: float | None = None,
    ) -> tuple[Advice | None, Any]:
        """Return the mix at a decision, as real actions, given how the bets so far are read."""
        del chosen, seconds
        infoset: Any = asked.infoset
        hand = first_seen(self.translation).after(self.translation, infoset.line, rng)
        mix = mix_of(self.translation, infoset, hand.sight)
        return Advice({str(action): weight for action, weight in mix.items()}), state

    def start(self, rules: "HoldemRules | None" = None) -> "PublicState":
        """Return the public state of the real game before the first decision."""
        from untilt.policy.nodes.public_state import first_state

        return first_state(_own_rules(self, rules), self.translation.start)

    def moves(self, state: "PublicState") -> "Moves":
        """Return what every hand does, given how the bets so far were read."""
        return self._moves_seen(state, state.memory)

    def moves_of_all_hands(self, state: Any, asked: Choice, chosen: Action) -> "Moves":
        """Return what every hand would have done, with bets read as they were."""
        from untilt.policy.nodes.public_state import state_at

        return self._moves_seen(state_at(asked), state.sight)

    def _moves_seen(self, state: "PublicState", sight: Any) -> "Moves":
        if self._hands is not None:
            return self._hands.moves(state, sight)
        return self._moves_at(state, sight)

    def _moves_at(self, state: "PublicState", sight: Any) -> "Moves":
        """Return what a blueprint does with every hand; two names of one action count together."""
        translation: Any = self.translation
        found: dict[ActionData, Floats] = {}
        for move in translation.moves(state.betting, state.board, sight):
            known = found.get(move.action)
            found[move.action] = move.shares if known is None else known + move.shares
        return list(found.items())

    def after(
        self, state: "PublicState", action: ActionData, rng: Uniforms | None = None
    ) -> "PublicState":
        """Return the state after an action."""
        seen = self.translation.after_action(state.memory, state.betting, action)
        return self._seen_after(state, action, drawn_reading(seen, rng))

    def outcomes(
        self, state: "PublicState", action: ActionData
    ) -> "Sequence[tuple[PublicState, float]]":
        """Return the states after an action, one for each reading of it."""
        seen = self.translation.after_action(state.memory, state.betting, action)
        return [(self._seen_after(state, action, sight), chance) for sight, chance in seen]

    def _seen_after(self, state: "PublicState", action: ActionData, sight: Any) -> "PublicState":
        from untilt.policy.nodes.public_state import share_of, state_after

        return state_after(state, action, lambda: share_of(self.moves(state), action), sight)

    def dealt(self, state: "PublicState", cards: Sequence[int]) -> "PublicState":
        """Return the state after the next cards of the board."""
        from untilt.policy.nodes.public_state import state_dealt

        found = state_dealt(state, cards)
        sight = self.translation.after_deal(state.memory, found.betting)
        return replace(found, memory=sight)

    @cached_property
    def _hands(self) -> "AbstractHands | None":

        translation = self.translation
        return AbstractHands(translation) if isinstance(translation, Translation) else None


def translated_policy(name: str, translation: Translation) -> Policy:
    """Return the policy that plays an abstract strategy in the real game."""
    if translation.game.abstraction.menu is None:
        return StatesPolicy(name, translation)
    return TranslatedPolicy(name, translation)


def _own_rules(
    policy: "StatesPolicy | TranslatedPolicy", given: "HoldemRules | None"
) -> "HoldemRules":
    """Return the rules of the real game; raise InvalidOption for any other."""
    root = policy.translation.root
    if not isinstance(root, Holdem):
        raise InvalidOption(f"{policy.name} does not play hold'em, so it has no public states")
    if given is not None and given != root.rules:
        raise InvalidOption(f"{policy.name} plays hold'em with {root.rules}, not with {given}")
    return root.rules
