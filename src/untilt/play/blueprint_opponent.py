"""A blueprint as the opponent of a person, with or without time to think.

A page or a terminal replays a hand from its beginning whenever the person acts
(`untilt.play.replay`), so decisions are remembered by hand. After a restart, the decisions of a
hand are computed again: if thinking is limited by time instead of iterations, a choice between two
actions may then differ.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from untilt.game.actions import ActionData
from untilt.game.protocol import Game
from untilt.games.holdem.game import HoldemInfoset
from untilt.play.abstract_opponent import TranslatedAgent, TranslatedOpponent
from untilt.play.entrants import Mix
from untilt.play.hand import Decision, LiveHand
from untilt.play.review import Reviewed
from untilt.play.streams import LightStream, Role

if TYPE_CHECKING:
    from untilt.abstraction.blueprint_translation import BlueprintTranslation
    from untilt.play.insight import Insight, Insights
    from untilt.play.public_hand import PublicHand

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


@dataclass(frozen=True, eq=False)
class BlueprintOpponent(TranslatedOpponent):
    """Everything needed to play against a blueprint; safe to share between threads."""

    translation: "BlueprintTranslation"
    is_finished: bool = True
    options: Mapping[str, str] = field(default_factory=dict)
    """How it thinks, in the options that a user types: think, iterations, threads and so on. None
    to follow the blueprint."""
    _hands: "OrderedDict[_HandKey, _Remembered]" = field(default_factory=OrderedDict)
    _reviews: "OrderedDict[tuple[str, str], Insight]" = field(default_factory=OrderedDict)
    _lock: Any = field(default_factory=Lock)

    gap_words = "bets that are not on the blueprint's menu are taken for those that are"
    is_zero_sum = True

    @property
    def root(self) -> Game:
        """The game."""
        return self.translation.root

    @property
    def described(self) -> str:
        """Who plays."""
        return "the blueprint, thinking" if self.options else "the blueprint"

    @cached_property
    def agent(self) -> TranslatedAgent:
        """The strategy as an agent for either seat, in several threads at once."""
        return TranslatedAgent(self.translation)

    def num_hidden(self, player: int) -> int:
        """Return how many cards a player holds."""
        del player
        return 2

    def warm_up(self) -> None:
        """Verify the options, and compile what thinking needs now instead of in the first hand."""
        insights = self._insights()
        if self.options:
            insights.agent.warm_up()

    def act(self, live: LiveHand) -> str:
        """Return the name of the action to take at a hand's turn."""
        infoset = _infoset_of(live)
        with self._lock:
            hand = self._remembered(live, infoset.player)
            found = hand.get(infoset.line)
            if found is None:
                found = hand[infoset.line] = self._acted(hand.insights, infoset, live)
            return str(found.chosen)

    def thoughts(self, live: LiveHand, player: int) -> "list[Insight]":
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

    def followed(self, live: LiveHand, player: int) -> "PublicHand":
        """Return the hand as `player`, the opponent, sees it when it is the other's turn."""
        infoset = _infoset_of(live)
        with self._lock:
            hand = self._remembered(live, player)
            lines = [each.line for each in live.decisions if each.player == player]
            last = hand[lines[-1]] if lines else None
            return hand.insights.followed(last, infoset)

    def review(self, decisions: Iterable[Decision], player: int) -> list[Reviewed]:
        """Return what the blueprint would have done at the decisions that `player` took."""
        own = [each for each in decisions if each.player == player]
        with self._lock:
            if not all((each.label, each.action) in self._reviews for each in own):
                insights = self._insights()
                for each in own:
                    infoset = self.agent.infoset(each)
                    found = insights.at(infoset, _action(infoset, each.action))
                    self._reviews[each.label, each.action] = found
                while len(self._reviews) > _MAX_REVIEWS:
                    self._reviews.popitem(last=False)
            return [_reviewed(each, self._reviews[each.label, each.action]) for each in own]

    def _insights(self) -> "Insights":
        from untilt.play.insight import Insights
        from untilt.play.resolving_agent import agent_with_options

        agent = agent_with_options(self.translation, self.options)
        return Insights(agent, thinks=bool(self.options), seconds=_OUTLOOK_SECONDS)

    def _acted(self, insights: "Insights", infoset: HoldemInfoset, live: LiveHand) -> "Insight":
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


class _Remembered(dict[str, "Insight"]):
    """The opponent's decisions of a hand, by the line before each."""

    def __init__(self, insights: "Insights") -> None:
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


def _reviewed(decision: Decision, insight: "Insight") -> Reviewed:
    return Reviewed(
        decision,
        tuple(insight.mix.get(name, 0.0) for name in decision.actions),
        tuple(insight.values.get(name) for name in decision.actions),
        insight.cost,
        mistake=insight.mistake,
        insight=insight,
    )
