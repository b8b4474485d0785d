"""The thoughts of a blueprint in the hands that it plays against a person.

A page or a terminal replays a hand from its beginning whenever the person acts
(`untilt.play.review.replay`), so decisions are remembered by hand. After a restart, the decisions
of a hand are computed again: if thinking is limited by time instead of iterations, a choice between
two actions may then differ.
"""

from collections import OrderedDict
from dataclasses import replace
from threading import Lock
from typing import TypeAlias

from untilt.game.actions import ActionData
from untilt.game.mix import Mix
from untilt.games.holdem.game import HoldemInfoset
from untilt.play.review.review import Reviewed, reviewed_by
from untilt.play.table.hand import LiveHand
from untilt.policy.blueprint import BlueprintPolicy
from untilt.policy.hands.advice import Advice
from untilt.policy.hands.streams import LightStream, Role
from untilt.policy.hands.turn import Decision
from untilt.policy.thinking.insight import Insight, Insights
from untilt.policy.thinking.public_hand import PublicHand

_HandKey: TypeAlias = tuple[int, int, int]
"""Seed, number of the hand, seat."""
_MAX_HANDS = 2
"""How many hands are remembered, each with what was solved."""
_MAX_REVIEWS = 40
"""How many decisions have their review remembered."""
_OUTLOOK_SECONDS = 0.5
"""The time to follow the blueprint for the values of one decision of the person."""
_NUMBERS_PER_DECISION = 16
"""Random numbers set aside for a decision: one for the action, one for each new bet."""


class Thoughts:
    """The decisions of a blueprint, thinking or not; safe to share between threads."""

    def __init__(self, policy: BlueprintPolicy) -> None:
        self.policy = policy
        self._hands: OrderedDict[_HandKey, _Remembered] = OrderedDict()
        self._reviews: OrderedDict[tuple[str, str], Insight] = OrderedDict()
        self._lock = Lock()

    def act(self, live: LiveHand) -> str:
        """Return the name of the action to take at a hand's turn."""
        infoset = _infoset_of(live)
        with self._lock:
            hand = self._remembered(live, infoset.player)
            found = hand.get(infoset.line)
            if found is None:
                found = hand[infoset.line] = self._acted(hand.insights, infoset, live)
            return str(found.chosen)

    def told(self, live: LiveHand, player: int) -> list[Insight]:
        """Return what `player`, the opponent, thought at its decisions of a hand so far.

        When the hand is over, what was solved has values.
        """
        with self._lock:
            hand = self._remembered(live, player)
            known = [hand[each.line] for each in live.decisions if each.player == player]
            if live.is_over:
                for each in known:
                    if each.hand.solved is not None and not each.basis:
                        chosen = _action(each.infoset, str(each.chosen))
                        hand[each.infoset.line] = hand.insights.valued(each, chosen)
                known = [hand[each.infoset.line] for each in known]
            return known

    def followed(self, live: LiveHand, player: int) -> PublicHand:
        """Return the hand as `player`, the opponent, sees it when it is the other's turn."""
        infoset = _infoset_of(live)
        with self._lock:
            hand = self._remembered(live, player)
            lines = [each.line for each in live.decisions if each.player == player]
            last = hand[lines[-1]] if lines else None
            return hand.insights.followed(last, infoset)

    def review(self, live: LiveHand, player: int) -> list[Reviewed]:
        """Return what the blueprint would have done at the decisions that `player` took."""
        own = [
            (decision, asked.infoset, action)
            for decision, (asked, action) in zip(live.decisions, live.taken, strict=True)
            if decision.player == player
        ]
        with self._lock:
            if not all((each.label, each.action) in self._reviews for each, _, _ in own):
                insights = self._insights()
                for each, infoset, action in own:
                    assert isinstance(infoset, HoldemInfoset)
                    assert isinstance(action, ActionData)
                    self._reviews[each.label, each.action] = insights.at(infoset, action)
                while len(self._reviews) > _MAX_REVIEWS:
                    self._reviews.popitem(last=False)
            return [_reviewed(each, self._reviews[each.label, each.action]) for each, _, _ in own]

    def _insights(self) -> Insights:
        return Insights(self.policy, seconds=_OUTLOOK_SECONDS)

    def _acted(self, insights: Insights, infoset: HoldemInfoset, live: LiveHand) -> Insight:
        rng = LightStream(live.seed, live.number, Role.PLAYER_0 + infoset.player)
        for _ in range(_NUMBERS_PER_DECISION * len(live.decisions)):
            rng.random()
        found = insights.seen(infoset, rng)
        action = Mix.of(list(found.mix.items())).draw(rng)
        return replace(found, chosen=str(action))

    def _remembered(self, live: LiveHand, player: int) -> "_Remembered":
        key = live.seed, live.number, player
        if key not in self._hands:
            self._hands[key] = _Remembered(self._insights())
            while len(self._hands) > _MAX_HANDS:
                self._hands.popitem(last=False)
        self._hands.move_to_end(key)
        return self._hands[key]


class _Remembered(dict[str, Insight]):
    """The opponent's decisions of a hand, by the line before each."""

    def __init__(self, insights: Insights) -> None:
        super().__init__()
        self.insights = insights


def _infoset_of(live: LiveHand) -> HoldemInfoset:
    position = live.position
    infoset = position.infoset(position.active)
    assert isinstance(infoset, HoldemInfoset)
    return infoset


def _action(infoset: HoldemInfoset, name: str) -> ActionData:
    found = infoset.actions().named(name)
    assert found is not None, "the action was legal"
    return found


def _reviewed(decision: Decision, insight: Insight) -> Reviewed:
    return reviewed_by(decision, Advice(insight.mix, insight.values, insight.mistake, insight))
