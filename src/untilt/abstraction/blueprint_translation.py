"""A blueprint that plays the real game: its tree follows the betting, its buckets the cards.

    hand = BlueprintTranslation(Blueprint("bp/blueprint.bin")).begin(rng)
    hand.act(infoset)

A hand is seen as a place in the betting tree, with its bets read as `bet_translation` does. All
1,326 hands can be queried at once; ranges are computed this way.

If the tree and the real hand cannot continue side by side, because the tree allows no further
raise, because a bet that was mapped to all-in was not all-in, or because the pot of the tree is too
far from the real one when a street begins, the hand continues at the place of the tree that is most
like the real one: the same player acts on the same street, facing a bet or not, and the pot is
nearest.

Chips of the tree and real chips may differ in worth, see `stakes`: sizes of bets are shares of the
pot, and pots are compared in chips of the tree.
"""

# ruff: noqa: D102 — the base class documents the methods of a translation.

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from untilt.abstraction.bet_translation import (
    PSEUDO_HARMONIC,
    BetTranslation,
    is_bet,
    share_of_pot,
)
from untilt.abstraction.betting_form import BettingForm, BettingPlace
from untilt.abstraction.blueprint import Blueprint
from untilt.abstraction.stakes import chips_per_chip
from untilt.abstraction.translated_hand import Move, Translator
from untilt.cards.combos import NUM_COMBOS
from untilt.game.actions import ActionData, Kind
from untilt.game.deals.deal_tree import DECISION, FOLD
from untilt.games.holdem.betting import Betting
from untilt.games.holdem.game import Holdem
from untilt.games.holdem.rules import HoldemRules
from untilt.numeric.arrays import Floats

MAX_DRIFT = 1.5
"""When a street begins, the pot of the tree may differ from the real one by this factor."""

_MAX_KEPT = 20_000
"""Nodes whose actions and betting are kept, about a kilobyte each."""

_Starts = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]
"""Nodes at which a street begins, and what each player has put in by then."""


class FormTranslation(BetTranslation[BettingPlace]):
    """The translation of real bets to a betting tree."""

    def __init__(
        self, form: BettingForm, mapping: str = PSEUDO_HARMONIC, *, unit: float = 1.0
    ) -> None:
        """Make the translation; a chip of the tree is worth `unit` real chips."""
        super().__init__(mapping)
        self.form = form
        self.unit = unit
        nodes = form.tree.nodes
        self._first_child: list[int] = nodes["first_child"].tolist()
        self._actions: dict[int, tuple[ActionData, ...]] = {}
        self._children: dict[int, BettingPlace] = {}
        self._streets: dict[int, _Starts] = {}
        self._near: dict[tuple[int, Betting], BettingPlace] = {}

    @property
    def start(self) -> BettingPlace:
        return self.form.root

    def actions(self, place: BettingPlace) -> tuple[ActionData, ...]:
        found = self._actions.get(place.node)
        if found is None:
            if len(self._actions) >= _MAX_KEPT:
                self._actions.clear()
            found = self._actions[place.node] = self.form.actions(place)
        return found

    def child(self, place: BettingPlace, number: int) -> BettingPlace:
        node = self._first_child[place.node] + number
        found = self._children.get(node)
        if found is None:
            if len(self._children) >= _MAX_KEPT:
                self._children.clear()
            found = self._children[node] = self.form.after(place, number)
        return found

    def after_deal(self, place: BettingPlace, real: Betting) -> BettingPlace:
        seen = place.betting
        if self.is_decision(place) and seen.street == real.street:
            drift = seen.pot / max(real.pot / self.unit, 1.0)
            if 1.0 / MAX_DRIFT <= drift <= MAX_DRIFT:
                return place
        return self._nearest_start(real) or place

    def bets(self, place: BettingPlace, real: Betting) -> list[tuple[float, int, float | None]]:
        """Return the bets of the tree with the same shares of the real pot, ascending.

        All-in is the real all-in, and anything that is not smaller cannot be bet in the real game.
        """
        all_in = share_of_pot(real, real.all_in_to)
        found: dict[float, int] = {}
        for number, action in enumerate(self.actions(place)):
            if action.kind is Kind.ALL_IN:
                found[all_in] = number
            elif is_bet(action):
                share = min(share_of_pot(place.betting, action.amount), all_in)
                found.setdefault(share, number)
        return [
            (share, found[share], self.realised(place, found[share], real).amount)
            for share in sorted(found)
        ]

    def real_bet(self, place: BettingPlace, number: int, real: Betting) -> ActionData | None:
        """Return a bet of the tree with the same share of the real pot, as far as that is legal."""
        limits = real.bet_limits()
        if limits is None:
            return None
        action = self.actions(place)[number]
        if action.kind is Kind.ALL_IN:
            return real.named_bet(min(limits[1], real.all_in_to))
        share = share_of_pot(place.betting, action.amount)
        amount = max(real.bets) + round(share * real.pot_after_call)
        return real.named_bet(min(max(amount, limits[0]), limits[1], real.all_in_to))

    def most_like(self, place: BettingPlace, real: Betting) -> BettingPlace:
        """Return the place on the real street that is most like `real`; `place` if none is."""
        start = self._street_start(place, real)
        if start is None:
            return place
        key = start.node, real
        if key not in self._near:
            if len(self._near) >= _MAX_KEPT:
                self._near.clear()
            alike = [
                each
                for each in self._places(start)
                if each.betting.player == real.player and each.betting.can_fold() == real.can_fold()
            ]
            self._near[key] = min(alike, key=self._unlikeness(real), default=place)
        return self._near[key]

    def _street_start(self, place: BettingPlace, real: Betting) -> BettingPlace | None:
        """Return the beginning of `real`'s street, on the path to `place` if that leads there."""
        nodes = self.form.tree.nodes
        node = place.node
        if not self.is_decision(place):
            node = self._parents[node]
        while node and int(nodes[node]["street"]) > real.street:
            node = self._parents[node]
        if int(nodes[node]["street"]) != real.street:
            return self._nearest_start(real)
        while node and int(nodes[self._parents[node]]["street"]) == real.street:
            node = self._parents[node]
        return self._place(node)

    def _places(self, start: BettingPlace) -> list[BettingPlace]:
        """Return all decisions of the street that begins at `start`."""
        found = [start]
        for place in found:
            for number in range(len(self.actions(place))):
                after = self.child(place, number)
                if self.is_decision(after) and after.betting.street == start.betting.street:
                    found.append(after)
        return found

    def _nearest_start(self, real: Betting) -> BettingPlace | None:
        """Return the beginning of the street of `real` whose pot is nearest; None if none is."""
        if not real.street:
            return self.start
        nodes, paid = self._starts(real.street)
        if not len(nodes):
            return None
        # Both have put in the same amount.
        distance = np.abs(np.log(np.maximum(paid, 0.5) / max(real.pot / self.unit / 2.0, 0.5)))
        return self._place(int(nodes[int(np.argmin(distance))]))

    def _starts(self, street: int) -> _Starts:
        """Return the nodes that begin a street and at which somebody can bet."""
        if street not in self._streets:
            nodes = self.form.tree.nodes
            parents = np.array(self._parents)
            is_start = (nodes["kind"] == DECISION) & (nodes["street"] == street)
            is_start &= nodes["street"][np.maximum(parents, 0)] != street
            found = np.flatnonzero(is_start)
            # The last action is a bet, and the first answer to it a fold, which loses what was
            # put in before.
            bets = nodes["first_child"][found] + nodes["num_actions"][found] - 1
            folds = nodes["first_child"][bets]
            has_bet = (nodes["kind"][bets] == DECISION) & (nodes["kind"][folds] == FOLD)
            paid = np.abs(nodes["stake"][folds[has_bet]]).astype(np.float64)
            self._streets[street] = found[has_bet], paid
        return self._streets[street]

    def _unlikeness(self, real: Betting) -> Callable[[BettingPlace], tuple[float, int]]:
        """Return the distance of pot and price from the real ones; the node number breaks ties."""
        real_pot = max(real.total_pot / self.unit, 1.0)
        real_price = real.to_call / max(real.total_pot, 1)

        def unlikeness(place: BettingPlace) -> tuple[float, int]:
            seen = place.betting
            pot = abs(math.log(max(seen.total_pot, 1) / real_pot))
            return pot + abs(seen.to_call / max(seen.total_pot, 1) - real_price), place.node

        return unlikeness

    def _place(self, node: int) -> BettingPlace:
        """Return a node with its betting."""
        path = []
        while node:
            parent = self._parents[node]
            path.append(node - self._first_child[parent])
            node = parent
        place = self.start
        for number in reversed(path):
            place = self.child(place, number)
        return place

    @cached_property
    def _parents(self) -> list[int]:
        """The parent of every node; −1 for the root."""
        nodes = self.form.tree.nodes
        decisions = np.flatnonzero(nodes["kind"] == DECISION)
        parents: list[int] = np.repeat(decisions, nodes["num_actions"][decisions]).tolist()
        return [-1, *parents]


class BlueprintTranslation(Translator[BettingPlace]):
    """A blueprint, and how it sees a real hand, at its own stakes or others; see `stakes`."""

    def __init__(
        self,
        blueprint: Blueprint,
        *,
        mapping: str = PSEUDO_HARMONIC,
        rules: HoldemRules | None = None,
    ) -> None:
        """Make the translation for the game with `rules`, by default the blueprint's own.

        Raises InvalidOption if the blueprint does not play that game.
        """
        rules = rules or blueprint.rules
        self.blueprint = blueprint
        unit = chips_per_chip(blueprint.rules, rules)
        self.bets: FormTranslation = FormTranslation(blueprint.form, mapping, unit=unit)
        self.root: Holdem = Holdem(rules)

    @property
    def rules(self) -> HoldemRules:
        """The real game."""
        return self.root.rules

    def at_stakes(self, rules: HoldemRules) -> "BlueprintTranslation":
        """Return the same blueprint in another game; raise InvalidOption if it does not play it."""
        return BlueprintTranslation(self.blueprint, mapping=self.bets.mapping, rules=rules)

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
