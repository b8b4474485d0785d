"""Strategies with bets or states of their own in the real game: of abstract runs, blueprints."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from untilt.abstraction.bet_translation import drawn_reading
from untilt.abstraction.translated_hand import Translator, drawn, first_seen, mix_of
from untilt.abstraction.translation import Translation
from untilt.errors import InvalidOption
from untilt.game.actions import ActionData
from untilt.game.histories.walking import Choice
from untilt.game.protocol import Action, InfoSet, Uniforms
from untilt.games.holdem.game import Holdem
from untilt.games.registry import name_position
from untilt.policy.hands.advice import Advice
from untilt.policy.hands.clock import Clock
from untilt.policy.hands.rules import Rules
from untilt.policy.policy import Policy, Stationary
from untilt.policy.saved.match_game import MatchGame, made_game

if TYPE_CHECKING:
    from untilt.games.holdem.rules import HoldemRules
    from untilt.numeric.arrays import Floats
    from untilt.policy.abstract_hands import AbstractHands
    from untilt.policy.nodes.public_state import Moves, PublicState


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
        from untilt.policy.abstract_hands import AbstractHands

        return AbstractHands(self.translation)


class TranslatedPolicy(Policy):
    """Plays a strategy with its own bet sizes, such as a blueprint, in the real game.

    The state is the hand as the strategy has seen it so far; of a public state, `memory` is what it
    sees of the betting.
    """

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
        if self._hands is not None:
            return self._hands.moves(state, state.memory)
        return self._moves_at(state, state.memory)

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
        from untilt.policy.abstract_hands import AbstractHands

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
