"""A real hand, followed on the betting tree of a blueprint.

    bets = FormTranslation(form)
    for place, chance in bets.after(bets.start, real, action): ...

A real bet becomes one of the tree's bets by the pseudo-harmonic mapping, see `translation`: a bet
of half the pot on the tree stands for half the *real* pot, and all-in for the real all-in. A real
bet that the tree itself would make is seen as that bet. A bet below the smallest size of the tree
lies between no bet and this size: it is often mapped to a check or call, and is then *unseen*.
Nobody folds to an unseen bet: where the tree would check, it is called, and where the tree would
bet, it is raised. If it were always mapped to the smallest size, any two cards could bet a little
and profit: a bet of ¼ of the pot needs only one fold in five.

The tree and the real hand then continue side by side. If they cannot, because the tree allows no
further raise, because a bet that was mapped to all-in was not all-in, or because the pot of the
tree is too far from the real one when a street begins, the hand continues at the place of the tree
that is most like the real one: the same player acts on the same street, facing a bet or not, and
the pot is nearest.
"""

import math
from functools import cached_property

import numpy as np
import numpy.typing as npt

from untilt.abstraction.betting_form import BettingForm, Place
from untilt.abstraction.translation import MAPPINGS, PSEUDO_HARMONIC, share_of_pot, taken_for
from untilt.errors import UnknownName
from untilt.game.actions import ActionData, Kind
from untilt.game.deal_tree import DECISION, FOLD
from untilt.games.holdem.betting import Betting

MAX_DRIFT = 1.5
"""When a street begins, the pot of the tree may differ from the real one by this factor."""

_MAX_KEPT = 20_000
"""Nodes whose actions and betting are kept, about a kilobyte each."""
_PASSIVE = frozenset({Kind.CHECK, Kind.CALL})

_Starts = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]
"""Nodes at which a street begins, and what each player has put in by then."""


class FormTranslation:
    """How real bets are seen on a betting tree."""

    def __init__(self, form: BettingForm, mapping: str = PSEUDO_HARMONIC) -> None:
        if mapping not in MAPPINGS:
            raise UnknownName.among("mapping", str(mapping), MAPPINGS)
        self.form = form
        self.mapping = mapping
        nodes = form.tree.nodes
        self._is_decision: list[bool] = (nodes["kind"] == DECISION).tolist()
        self._first_child: list[int] = nodes["first_child"].tolist()
        self._actions: dict[int, tuple[ActionData, ...]] = {}
        self._children: dict[int, Place] = {}
        self._streets: dict[int, _Starts] = {}
        self._near: dict[tuple[int, Betting], Place] = {}

    @property
    def start(self) -> Place:
        """The first decision."""
        return self.form.root

    def is_decision(self, place: Place) -> bool:
        """Whether the hand continues at a place of the tree."""
        return self._is_decision[place.node]

    def actions(self, place: Place) -> tuple[ActionData, ...]:
        """Return the actions of the tree at a place."""
        found = self._actions.get(place.node)
        if found is None:
            if len(self._actions) >= _MAX_KEPT:
                self._actions.clear()
            found = self._actions[place.node] = self.form.actions(place)
        return found

    def child(self, place: Place, number: int) -> Place:
        """Return where action `number` of the tree leads."""
        node = self._first_child[place.node] + number
        found = self._children.get(node)
        if found is None:
            if len(self._children) >= _MAX_KEPT:
                self._children.clear()
            found = self._children[node] = self.form.after(place, number)
        return found

    def number_of(self, place: Place, child: Place) -> int | None:
        """Return the number of the action that leads from `place` to `child`; None if none does."""
        number = child.node - self._first_child[place.node]
        is_child = self.is_decision(place) and 0 <= number < len(self.actions(place))
        return number if is_child else None

    def aligned(self, place: Place, real: Betting) -> Place:
        """Return a place of the tree at which the player who acts at `real` acts, if there is one.

        After an unseen bet, the street may be over on the tree: that place is then returned.
        """
        if self._is_ahead(place, real):
            return place
        seen = place.betting
        is_same = (
            self.is_decision(place)
            and seen.player == real.player
            and seen.street == real.street
            and (real.can_fold() or not seen.can_fold())
        )
        return place if is_same else self._most_like(place, real)

    def after(self, place: Place, real: Betting, action: ActionData) -> list[tuple[Place, float]]:
        """Return where a real action at `real` leads on the tree, with probabilities."""
        place = self.aligned(place, real)
        is_passive = action.kind in _PASSIVE
        if self._is_ahead(place, real):
            is_same = is_passive or action.kind is Kind.FOLD
            return [(place if is_same else self._most_like(place, real.apply(action)), 1.0)]
        actions = self.actions(place)
        if action.kind is Kind.FOLD or not actions:
            return [(place, 1.0)]
        passive = next(number for number, each in enumerate(actions) if each.kind in _PASSIVE)
        if is_passive:
            return [(self.child(place, passive), 1.0)]
        amount = real.all_in_to if action.amount is None else int(action.amount)
        numbers, shares = self._bets(place, real)
        if not numbers:
            return [(self._most_like(place, real.apply(action)), 1.0)]
        share = share_of_pot(real, amount)
        own = [
            (abs(each - share), number)
            for number, each in zip(numbers, shares, strict=True)
            if self.realised(place, number, real).amount == amount
        ]
        if own:
            return [(self.child(place, min(own)[1]), 1.0)]
        numbers, shares = [passive, *numbers], [0.0, *shares]
        return [
            (self.child(place, numbers[chosen]), weight)
            for chosen, weight in taken_for(share, shares, self.mapping)
        ]

    def after_deal(self, place: Place, real: Betting) -> Place:
        """Return where a street begins on the tree; `real` is the real beginning."""
        seen = place.betting
        if self.is_decision(place) and seen.street == real.street:
            drift = seen.pot / max(real.pot, 1)
            if 1.0 / MAX_DRIFT <= drift <= MAX_DRIFT:
                return place
        return self._nearest_start(real) or place

    def realised(self, place: Place, number: int, real: Betting) -> ActionData:
        """Return what action `number` of the tree at `place` is in the real game; it is legal."""
        action = self.actions(place)[number]
        passive = real.passive_actions()
        if action.kind is Kind.FOLD:
            return passive[0]
        limits = None if action.kind in _PASSIVE else real.bet_limits()
        if limits is None:
            return passive[-1]
        if action.kind is Kind.ALL_IN:
            return real.named_bet(min(limits[1], real.all_in_to))
        share = share_of_pot(place.betting, action.amount)
        amount = max(real.bets) + round(share * real.pot_after_call)
        return real.named_bet(min(max(amount, limits[0]), limits[1], real.all_in_to))

    def _is_ahead(self, place: Place, real: Betting) -> bool:
        """Whether the street is over on the tree, but continues in reality with an unseen bet."""
        seen = place.betting
        is_over = seen.street > real.street or (seen.is_over_street and not seen.is_all_in)
        return is_over and real.can_fold()

    def _bets(self, place: Place, real: Betting) -> tuple[list[int], list[float]]:
        """Return the bets of the tree, ascending, as shares of the real pot.

        All-in is the real all-in, and anything that is not smaller cannot be bet in the real game.
        """
        all_in = share_of_pot(real, real.all_in_to)
        found: dict[float, int] = {}
        for number, action in enumerate(self.actions(place)):
            if action.kind is Kind.ALL_IN:
                found[all_in] = number
            elif action.kind is not Kind.FOLD and action.kind not in _PASSIVE:
                share = min(share_of_pot(place.betting, action.amount), all_in)
                found.setdefault(share, number)
        shares = sorted(found)
        return [found[share] for share in shares], shares

    def _most_like(self, place: Place, real: Betting) -> Place:
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
            self._near[key] = min(alike, key=lambda each: _unlikeness(each, real), default=place)
        return self._near[key]

    def _street_start(self, place: Place, real: Betting) -> Place | None:
        """Return where the street of `real` begins, on the path to `place` if that leads there."""
        nodes = self.form.tree.nodes
        node = place.node
        if not self._is_decision[node]:
            node = self._parents[node]
        while node and int(nodes[node]["street"]) > real.street:
            node = self._parents[node]
        if int(nodes[node]["street"]) != real.street:
            return self._nearest_start(real)
        while node and int(nodes[self._parents[node]]["street"]) == real.street:
            node = self._parents[node]
        return self._place(node)

    def _places(self, start: Place) -> list[Place]:
        """Return all decisions of the street that begins at `start`."""
        found = [start]
        for place in found:
            for number in range(len(self.actions(place))):
                after = self.child(place, number)
                if self.is_decision(after) and after.betting.street == start.betting.street:
                    found.append(after)
        return found

    def _nearest_start(self, real: Betting) -> Place | None:
        """Return the beginning of the street of `real` whose pot is nearest; None if none is."""
        if not real.street:
            return self.start
        nodes, paid = self._starts(real.street)
        if not len(nodes):
            return None
        # Both have put in the same amount.
        distance = np.abs(np.log(np.maximum(paid, 0.5) / max(real.pot / 2.0, 0.5)))
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

    def _place(self, node: int) -> Place:
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


def _unlikeness(place: Place, real: Betting) -> tuple[float, int]:
    """Return how far pot and price are from the real ones; the node number breaks ties."""
    seen = place.betting
    pot = abs(math.log(max(seen.total_pot, 1) / max(real.total_pot, 1)))
    price = abs(seen.to_call / max(seen.total_pot, 1) - real.to_call / max(real.total_pot, 1))
    return pot + price, place.node
