"""A blueprint that plays the real game: its tree follows the betting, its buckets the cards.

    hand = BlueprintTranslation(Blueprint("bp/blueprint.bin")).begin(rng)
    hand.act(infoset)

A hand is seen as a place in the betting tree, see `form_translation`. All 1,326 hands can be
queried at once; ranges are computed this way.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from untilt.abstraction.bet_translation import PSEUDO_HARMONIC
from untilt.abstraction.betting_form import BettingPlace
from untilt.abstraction.blueprint import Blueprint
from untilt.abstraction.form_translation import FormTranslation
from untilt.abstraction.translated_hand import Move, Translator
from untilt.cards.combos import NUM_COMBOS
from untilt.game.actions import ActionData
from untilt.games.holdem.betting import Betting
from untilt.games.holdem.game import Holdem
from untilt.numeric.arrays import Floats


class BlueprintTranslation(Translator[BettingPlace]):
    """A blueprint, and how it sees a real hand."""

    def __init__(self, blueprint: Blueprint, *, mapping: str = PSEUDO_HARMONIC) -> None:
        self.blueprint = blueprint
        self.bets: FormTranslation = FormTranslation(blueprint.form, mapping)
        self.root: Holdem = Holdem(blueprint.rules)

    def shares(self, infoset: Any, place: BettingPlace) -> list[float]:
        """Return the mix over the tree's actions with the cards of an infoset."""
        row: list[float] = self.blueprint.row_at(place.node, infoset.hand, infoset.board).tolist()
        return row

    def moves(self, real: Betting, board: Sequence[int], sight: BettingPlace) -> list[Move]:
        """Return the mix of every hand at `real`, seen as `sight`."""
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
        self, real: Betting, board: Sequence[int], sight: BettingPlace, action: ActionData
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
        seen = self.bets.seen_as(place, real, action)
        if not seen:  # the tree allows no bet here, so it says nothing about the hand
            return np.ones(NUM_COMBOS)
        found = np.zeros(NUM_COMBOS)
        for number, chance in seen:
            found += chance * mixes[:, number]
        return found
