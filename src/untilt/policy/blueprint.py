"""A blueprint that plays hold'em: it follows the hand, mixes, and knows both players' ranges.

    policy = BlueprintPolicy("bp/")
    state = follow(policy, policy.rules, "cr6c/", cards)
    state.reach                                     # by player, [1326]
    policy.moves(state)                             # what every hand does

Bets that are not on its menu are interpreted as bets that are, once per hand. Opening a blueprint
loads its card buckets, and with them Numba, which other policies do without; so they are imported
when a blueprint is opened.
"""

from collections.abc import Hashable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from untilt.abstraction.bet_translation import PSEUDO_HARMONIC, drawn_reading
from untilt.abstraction.betting_form import BettingPlace
from untilt.abstraction.translated_hand import action_of, moves_of
from untilt.cards.combos import COMBO_MASKS, NUM_COMBOS, combo_index
from untilt.errors import InvalidOption
from untilt.formats.kinds.blueprint_path import blueprint_file
from untilt.game.actions import ActionData
from untilt.game.histories.walking import Choice
from untilt.game.protocol import Action, Uniforms
from untilt.games.holdem.game import Holdem, HoldemInfoset
from untilt.games.holdem.rules import HoldemRules
from untilt.games.registry import name_position
from untilt.numeric.arrays import Floats
from untilt.policy.hands.advice import Advice
from untilt.policy.hands.turn import Rules
from untilt.policy.nodes.public_state import (
    Moves,
    PublicState,
    first_state,
    state_after,
    state_dealt,
)
from untilt.policy.saved.match_game import MatchGame
from untilt.policy.thinking.public_hand import (
    PublicHand,
    Root,
    dealt_ranges,
    followed,
    updated_ranges,
)
from untilt.policy.translated import TranslatedPolicy

if TYPE_CHECKING:
    from untilt.abstraction.blueprint import Blueprint
    from untilt.abstraction.blueprint_translation import BlueprintTranslation
    from untilt.policy.thinking.solved_street import Effort


def load_blueprint(path: str | Path, *, mapping: str = PSEUDO_HARMONIC) -> "BlueprintTranslation":
    """Return the blueprint of a run folder or file, ready to play the real game."""
    from untilt.abstraction.blueprint import Blueprint
    from untilt.abstraction.blueprint_translation import BlueprintTranslation

    return BlueprintTranslation(Blueprint(blueprint_file(path)), mapping=mapping)


@dataclass(frozen=True, eq=False)
class Thought:
    """A decision of the policy, and the reasons for it."""

    policy: "BlueprintPolicy"
    hand: PublicHand
    """The hand, with the street that was solved, if one was."""
    infoset: HoldemInfoset
    moves: tuple[tuple[ActionData, float], ...]
    """The policy's actions with their probabilities."""
    before: PublicHand
    """The same without thinking."""

    @property
    def ranges(self) -> tuple[Floats, Floats]:
        """By seat, [1326] weights at the decision, which sum to 1.

        Those of the opponent leave out the cards that the policy holds.
        """
        ranges = list(self.hand.ranges)
        own = self.infoset.player
        held = np.uint64(sum(1 << card for card in self.infoset.hand))
        left = np.where(COMBO_MASKS & held == 0, ranges[1 - own], 0.0)
        ranges[1 - own] = left / left.sum()
        return ranges[0], ranges[1]

    def explain(self) -> dict[str, Any]:
        """Return the decision as plain data.

        `mix` and `values` (chips won in the hand, None where nothing was solved) are by action,
        `blueprint` is the mix without thinking; then what was solved, if anything.
        """
        hand, solved = self.hand, self.hand.solved
        combo = combo_index(*self.infoset.hand)
        document: dict[str, Any] = {
            "seat": self.infoset.player,
            "hand": self.infoset.private,
            "board": self.infoset.public,
            "line": self.infoset.line,
            "mix": {action.name: share for action, share in self.moves},
            "blueprint": {
                action.name: share
                for action, share in _row(self.policy.moves(self.before), self.infoset.hand)
            }
            if self.before.solved is None
            else None,
            "values": None,
            "solved": None,
        }
        if solved is not None:
            seat = self.infoset.player
            document["values"] = {
                action.name: float(solved.values(solved.child(hand.node, number), seat)[combo])
                for number, (action, _) in enumerate(self.policy.moves(hand))
            }
            document["solved"] = {
                "iterations": solved.iterations,
                "seconds": solved.seconds,
                "exploitability": solved.exploitability,
                "share_of_pot": solved.exploitability / solved.pot,
                "is_safe": solved.is_safe,
            }
        return document


class BlueprintPolicy(TranslatedPolicy):
    """Plays a blueprint; see the module."""

    translation: "BlueprintTranslation"
    has_other_stakes = True
    effort: "Effort | None" = None
    """How streets are solved; None if none are."""

    def __init__(
        self,
        blueprint: "str | Path | Blueprint | BlueprintTranslation",
        *,
        name: str = "the blueprint",
        mapping: str = PSEUDO_HARMONIC,
    ) -> None:
        from untilt.abstraction.blueprint import Blueprint
        from untilt.abstraction.blueprint_translation import BlueprintTranslation

        if isinstance(blueprint, str | Path):
            blueprint = load_blueprint(blueprint, mapping=mapping)
        elif isinstance(blueprint, Blueprint):
            blueprint = BlueprintTranslation(blueprint, mapping=mapping)
        super().__init__(name, blueprint)
        self._verified: Rules | None = None

    @property
    def rules(self) -> HoldemRules:
        """The game that it plays."""
        return self.translation.rules

    def playing(self, game: MatchGame) -> "BlueprintPolicy":
        """Return the policy for a game that is its own up to a factor of chips."""
        root = game.root
        if not isinstance(root, Holdem):
            raise InvalidOption(f"{self.name} plays hold'em, not {game.described}")
        if root.rules == self.rules:
            return self
        found = copy(self)
        found.translation = self.translation.at_stakes(root.rules)
        found._verified = None
        return found

    def begin(self, seat: int, rules: Rules) -> Any:
        """Return a hand of which nothing was seen; InvalidOption if the game is another one."""
        if rules is not self._verified:
            self._verify(rules)
            self._verified = rules
        return super().begin(seat, rules)

    def _verify(self, rules: Rules) -> None:
        own = name_position(self.translation.root)
        if (rules.name, dict(rules.parameters)) != (own.name, dict(own.parameters)):
            raise InvalidOption(f"the blueprint plays {own.name} with {self.rules}, not this game")

    def start(self, rules: HoldemRules | None = None) -> PublicHand:
        """Return the state before the first decision."""
        if rules is not None and rules != self.rules:
            raise InvalidOption(
                f"the blueprint plays hold'em with {self.rules}, not with {rules}; for other "
                "stakes load it with this game: load_agents([…], game)"
            )
        every = np.full(NUM_COMBOS, 1.0 / NUM_COMBOS)
        sight = self.translation.start
        return PublicHand(
            **_public(first_state(self.rules)),
            ranges=(every, every),
            sight=sight,
            root=Root(self.rules.start, (), (every, every), sight),
        )

    def dealt(self, state: PublicState, cards: Sequence[int]) -> PublicHand:
        """Return the state after the next cards of the board."""
        hand = followed(state)
        public = state_dealt(hand, cards)
        ranges = dealt_ranges(hand, public.board)
        sight = self.translation.after_deal(hand.sight, public.betting)
        root = Root(public.betting, public.line, ranges, sight)
        if hand.solved is not None and hand.solved.has_next_street:
            root = replace(root, solved=hand.solved, node=hand.node, card=cards[0])
        return PublicHand(
            **_public(public), ranges=ranges, sight=sight, root=root, solutions=hand.solutions
        )

    def after(
        self, state: PublicState, action: ActionData, rng: Uniforms | None = None
    ) -> PublicHand:
        """Return the state after an action of whoever is to act."""
        hand = followed(state)
        real = hand.betting
        sight = self._sight_after(hand, action, rng)
        solved, node, root, answer = hand.solved, hand.node, hand.root, hand.answer
        shares: Floats | None = None
        if solved is not None:
            number = solved.action_number(node, action)
            if number is None:
                root = Root(real, hand.line, hand.ranges, hand.sight, solved, node)
                answer, solved, node = action, None, 0
            else:
                _, mixes = solved.moves(node)
                shares = mixes[number]
                node = solved.child(node, number)
        elif root.betting is real:
            answer = action
        if shares is None:
            shares = self.translation.likelihood(real, hand.board, hand.sight, action)
        return PublicHand(
            **_public(state_after(hand, action, partial(_same, shares))),
            ranges=updated_ranges(hand, shares),
            sight=sight,
            root=root,
            answer=answer,
            solved=solved,
            node=node,
            solutions=hand.solutions,
        )

    def outcomes(
        self, state: PublicState, action: ActionData
    ) -> Sequence[tuple[PublicHand, float]]:
        """Return the states after an action, each with its probability.

        They differ in how the blueprint interprets a bet, where that matters on the street.
        """
        hand = followed(state)
        found = self.after(hand, action, None)
        is_solved = self.effort is not None and hand.betting.street >= self.effort.first_street
        if found.solved is not None or is_solved:
            return [(found, 1.0)]
        seen = self.translation.after_action(hand.sight, hand.betting, action)
        return [(replace(found, sight=sight), chance) for sight, chance in seen]

    def thought(self, state: PublicState) -> PublicHand:
        """Return the state as it is: the blueprint does not think."""
        return followed(state)

    def moves(self, state: PublicState) -> Moves:
        """Return what every hand does: by the solution of the street, or by the blueprint."""
        hand = followed(state)
        if hand.solved is not None:
            actions, shares = hand.solved.moves(hand.node)
            return list(zip(actions, shares, strict=True))
        return self._moves_at(hand, hand.sight)

    def moves_of_all_hands(self, state: Any, asked: Choice, chosen: Action) -> Moves:
        """Return what every hand would have done; `state` is the hand if the policy thinks."""
        if isinstance(state, PublicHand):
            return self.moves(state)
        return super().moves_of_all_hands(state, asked, chosen)

    def reading(self, state: PublicState) -> Hashable:
        """Return where the blueprint sees the hand."""
        return followed(state).sight

    def values(self, state: PublicState) -> Floats | None:
        """Return what the moves are worth by the solution of the street; None if none is solved."""
        hand = followed(state)
        solved = hand.solved
        if solved is None:
            return None
        player = hand.betting.player
        children = (solved.child(hand.node, number) for number in range(len(self.moves(hand))))
        return np.array([solved.values(child, player) for child in children])

    def considered(
        self,
        state: PublicHand | None,
        infoset: HoldemInfoset,
        rng: Uniforms | None = None,
        seconds: float | None = None,
    ) -> Thought:
        """Return what to do at an infoset, and why; `seconds` is the most time for it.

        `state` is the hand at an earlier decision of the same player; None if there was none.
        """
        before = self._continued(state, infoset, rng)
        hand = self._pondered(before, seconds)
        moves = _row(self.moves(hand), infoset.hand)
        return Thought(self, hand, infoset, moves, replace(before))

    def _pondered(self, hand: PublicHand, seconds: float | None) -> PublicHand:
        """Return the hand after thinking for at most `seconds`, if this policy does."""
        del seconds
        return hand

    def advice(
        self,
        state: Any,
        asked: Choice,
        chosen: Action,
        rng: Uniforms | None = None,
        seconds: float | None = None,
    ) -> tuple[Advice | None, Any]:
        """Return the mix, values and ranges at a decision; the state is shared by both players."""
        from untilt.policy.thinking.insight import Insights

        del rng
        insights = Insights(self, seconds=seconds) if state is None else state
        assert isinstance(asked.infoset, HoldemInfoset)
        assert isinstance(chosen, ActionData)
        found = insights.at(asked.infoset, chosen)
        return Advice(found.mix, found.values, found.mistake, found), insights

    def _continued(
        self, state: PublicHand | None, infoset: HoldemInfoset, rng: Uniforms | None
    ) -> PublicHand:
        """Return the public hand of an infoset: what is new since the last decision is added."""
        moves = moves_of(infoset.line)
        hand = self.start() if state is None else state
        for move in moves[len(hand.line) :]:
            if move == "/":
                begin = len(hand.board)
                count = self.rules.board_cards[hand.betting.street + 1]
                hand = self.dealt(hand, infoset.board[begin : begin + count])
                continue
            is_own = hand.betting.player == infoset.player
            action = action_of(hand.betting, move)
            hand = self._after_own(hand, action, rng) if is_own else self.after(hand, action, rng)
        return hand

    def _after_own(self, hand: PublicHand, action: ActionData, rng: Uniforms | None) -> PublicHand:
        """Return the state after an action of this policy.

        If that followed the blueprint, what is solved later on the street begins after it.
        """
        found = self.after(hand, action, rng)
        if found.solved is not None:
            return found
        root = Root(found.betting, found.line, found.ranges, found.sight)
        return replace(found, root=root, answer=None)

    def _sight_after(
        self, hand: PublicHand, action: ActionData, rng: Uniforms | None
    ) -> BettingPlace:
        seen = self.translation.after_action(hand.sight, hand.betting, action)
        return drawn_reading(seen, rng)


def _public(state: PublicState) -> dict[str, Any]:
    """Return what everybody sees of a state."""
    names = ("rules", "betting", "board", "line", "letters", "rows")
    return {name: getattr(state, name) for name in names}


def _same(shares: Floats) -> Floats:
    return shares


def _row(
    moves: Sequence[tuple[ActionData, Floats]], hand: tuple[int, int]
) -> tuple[tuple[ActionData, float], ...]:
    """Return what one hand does, with probabilities that sum to 1."""
    combo = combo_index(*hand)
    weights = [float(shares[combo]) for _, shares in moves]
    total = sum(weights)
    return tuple(
        (action, weight / total if total > 0.0 else 1.0 / len(weights))
        for (action, _), weight in zip(moves, weights, strict=True)
    )
