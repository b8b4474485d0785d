"""A blueprint that plays the real game: its tree follows the betting, its buckets the cards.

    hand = BlueprintTranslation(Blueprint("bp/blueprint.bin")).begin(rng)
    hand.act(infoset)

A hand is seen as a place in the betting tree, see `form_translation`. All 1,326 hands can be
queried at once; ranges are computed this way.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from untilt.abstraction.betting_form import Place
from untilt.abstraction.blueprint import Blueprint
from untilt.abstraction.form_translation import FormTranslation
from untilt.abstraction.translated_hand import Move, Step, TranslatedHand
from untilt.abstraction.translation import PSEUDO_HARMONIC
from untilt.cards.combos import NUM_COMBOS
from untilt.game.actions import ActionData
from untilt.game.protocol import Uniforms
from untilt.games.holdem.betting import Betting
from untilt.games.holdem.game import Holdem
from untilt.numeric.arrays import Floats


class BlueprintTranslation:
    """A blueprint, and how it sees a real hand."""

    follows_bets = True

    def __init__(self, blueprint: Blueprint, *, mapping: str = PSEUDO_HARMONIC) -> None:
        self.blueprint = blueprint
        self.bets = FormTranslation(blueprint.form, mapping)
        self.root = Holdem(blueprint.rules)

    @property
    def start(self) -> Place:
        """The first decision."""
        return self.bets.start

    def begin(self, rng: Uniforms) -> TranslatedHand[Place]:
        """Return a hand to be played in either seat; `rng` draws mappings and actions."""
        return TranslatedHand(self, rng)

    def mix(self, infoset: Any, sight: Place | None) -> list[tuple[ActionData, int, float]]:
        """Return the real actions at a real infoset, each with its number on the tree.

        Probabilities are positive and sum to 1. Where the tree has no decision, as after an all-in
        that was not one in the real game, it checks or calls.
        """
        real: Betting = infoset.betting
        place = self.decision(sight, real)
        if place is None:
            return [(real.passive_actions()[-1], 0, 1.0)]
        row = self.blueprint.row_at(place.node, infoset.hand, infoset.board).tolist()
        return [
            (self.bets.realised(place, number, real), number, share)
            for number, share in enumerate(row)
            if share > 0.0
        ]

    def moves(self, real: Betting, board: Sequence[int], sight: Place) -> list[Move]:
        """Return what is done with every hand at `real`, seen as `sight`."""
        place = self.decision(sight, real)
        if place is None:
            passive = real.passive_actions()[-1]
            return [
                Move(passive, np.ones(NUM_COMBOS), self.after_action(sight, real, passive)[0][0])
            ]
        mixes = self.blueprint.mixes_at(place.node, board)
        return [
            Move(
                self.bets.realised(place, number, real),
                mixes[:, number],
                self.bets.child(place, number),
            )
            for number in range(mixes.shape[1])
        ]

    def likelihood(
        self, real: Betting, board: Sequence[int], sight: Place, action: ActionData
    ) -> Floats:
        """Return [1326] how likely each hand is to take a real action at `real`, seen as `sight`.

        A bet that the blueprint does not make counts as the bets to which it is mapped.
        """
        place = self.decision(sight, real)
        if place is None:
            return np.ones(NUM_COMBOS)
        mixes = self.blueprint.mixes_at(place.node, board)
        numbers = [
            number
            for number in range(mixes.shape[1])
            if self.bets.realised(place, number, real) == action
        ]
        if numbers:
            found: Floats = mixes[:, numbers].sum(axis=1)
            return found
        found = np.zeros(NUM_COMBOS)
        for after, chance in self.bets.after(place, real, action):
            number = self.bets.number_of(place, after)
            if number is None:  # the tree allows no bet here, so it says nothing about the hand
                return np.ones(NUM_COMBOS)
            found += chance * mixes[:, number]
        return found

    def ranges(self, steps: Sequence[Step[Place]], board: Sequence[int]) -> tuple[Floats, Floats]:
        """Return [1326] how likely each player was to act as in `steps` with each hand, by Bayes.

        Both are assumed to play the blueprint. Hands that `board` blocks have 0; cards of the other
        player are not taken into account.
        """
        rules = self.blueprint.rules
        weights = np.ones(NUM_COMBOS), np.ones(NUM_COMBOS)
        for sight, real, action in steps:
            shown = board[: sum(rules.board_cards[: real.street + 1])]
            weights[real.player][:] *= self.likelihood(real, shown, sight, action)
        blocked = self.blueprint.buckets_on(board) < 0
        for each in weights:
            each[blocked] = 0.0
        return weights

    def after_own(self, sight: Place, real: Betting, name: int, action: ActionData) -> Place | None:
        """Return what is seen after action `name` of the tree; None if something else was done."""
        place = self.decision(sight, real)
        if place is None or name >= len(self.bets.actions(place)):
            return None
        if self.bets.realised(place, name, real) != action:
            return None
        return self.bets.child(place, name)

    def after_action(
        self, sight: Place, real: Betting, action: ActionData
    ) -> list[tuple[Place, float]]:
        """Return what may be seen after any real action, with probabilities."""
        return self.bets.after(sight, real, action)

    def after_deal(self, sight: Place, real: Betting) -> Place:
        """Return what is seen when a street begins."""
        return self.bets.after_deal(sight, real)

    def decision(self, sight: Place | None, real: Betting) -> Place | None:
        """Return the decision of the tree for the player to act; None if it has none."""
        assert sight is not None, "the betting is always followed"
        place = self.bets.aligned(sight, real)
        is_own = self.bets.is_decision(place) and place.betting.player == real.player
        return place if is_own and place.betting.street == real.street else None
