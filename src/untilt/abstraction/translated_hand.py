"""One hand of a strategy that plays the real game through translation.

The strategy sees real bets as bets of its own. The mapping of each bet is drawn once and stays the
same for the rest of the hand.
"""

import re
from abc import ABC, abstractmethod
from typing import Any, Generic, NamedTuple

from untilt.abstraction.bet_translation import BetTranslation, Seen, drawn_reading, is_bet
from untilt.game.actions import ActionData
from untilt.game.mix import Mix
from untilt.game.protocol import Action, Game, Uniforms
from untilt.games.holdem.betting import FOLD, Betting
from untilt.games.holdem.rules import BIG_BLIND
from untilt.numeric.arrays import Floats

_MOVES = re.compile(r"/|[cfabr]\d*")


class Translator(ABC, Generic[Seen]):
    """A strategy, and how it sees a real hand."""

    root: Game
    """The root of the real game."""
    bets: BetTranslation[Seen]
    follows_bets = True
    """Whether the strategy has bets of its own; if not, nothing is seen but the infoset."""

    @property
    def start(self) -> Seen:
        """The sight before the first decision."""
        return self.bets.start

    def begin(self, rng: Uniforms) -> "TranslatedHand[Seen]":
        """Return a hand to be played in either seat; `rng` draws mappings and actions."""
        return TranslatedHand(self, rng)

    @abstractmethod
    def shares(self, infoset: Any, place: Seen) -> list[float]:
        """Return the mix over a decision's actions at a real infoset."""

    def mix(self, infoset: Any, sight: Seen | None) -> list[tuple[Any, Any, float]]:
        """Return the real actions at a real infoset, each with its number at what is seen.

        Probabilities are positive and sum to 1. Where the strategy has no decision, as after an
        all-in that was not one in the real game, it checks or calls.
        """
        assert sight is not None, "the betting is followed"
        real: Betting = infoset.betting
        place = self.decision(sight, real)
        if place is None:
            return [(real.passive_actions()[-1], 0, 1.0)]
        return [
            (self.bets.realised(place, number, real), number, share)
            for number, share in enumerate(self.shares(infoset, place))
            if share > 0.0
        ]

    def decision(self, sight: Seen, real: Betting) -> Seen | None:
        """Return the decision as seen at `real`; None if the strategy has none there."""
        place = self.bets.aligned(sight, real)
        is_own = self.bets.is_decision(place) and place.betting.player == real.player
        return place if is_own and place.betting.street == real.street else None

    def after_own(self, sight: Seen, real: Betting, name: Any, action: ActionData) -> Seen | None:
        """Return the sight after the strategy's own action; None if it did something else.

        A bet that is a call in the real game, where nobody can bet, is something else.
        """
        if self.bets.is_ahead(sight, real):
            return None if is_bet(action) else sight
        place = self.decision(sight, real)
        if place is None or is_bet(self.bets.actions(place)[name]) != is_bet(action):
            return None
        is_done = self.bets.realised(place, name, real) == action
        return self.bets.child(place, name) if is_done else None

    def after_action(
        self, sight: Seen, real: Betting, action: ActionData
    ) -> list[tuple[Seen, float]]:
        """Return the one or two possible sights after any action, with probabilities."""
        return self.bets.after(sight, real, action)

    def after_deal(self, sight: Seen, real: Betting) -> Seen:
        """Return the sight at the beginning of a street, with the real betting there."""
        return self.bets.after_deal(sight, real)


class Move(NamedTuple):
    """A real action of a strategy at a public state, with one of its names for it."""

    action: ActionData
    shares: Floats
    """[1326] how likely each hand is to do this."""
    after: Any
    """The strategy's sight afterwards."""


class Followed(NamedTuple, Generic[Seen]):
    """A hand after a real line, as a strategy sees it; it is never changed."""

    line: str
    sight: Seen
    real: Betting
    own: Any = None
    """The strategy's name of the action that it takes here; None if it does not act here."""
    before: "Followed[Seen] | None" = None
    """The hand before the last move."""

    def after(
        self, translation: Translator[Seen], line: str, rng: Uniforms | None
    ) -> "Followed[Seen]":
        """Return the hand after a longer line; see `drawn_reading` for how new bets are read."""
        found = self
        for move in moves_of(line[len(self.line) :]):
            found = found._moved(translation, move, rng)
        return found

    def _moved(
        self, translation: Translator[Seen], move: str, rng: Uniforms | None
    ) -> "Followed[Seen]":
        """Return the hand after one move, `b10` or `/`."""
        line = self.line + move
        if move == "/":
            real = self.real.next_street(first=BIG_BLIND)
            return Followed(line, translation.after_deal(self.sight, real), real, None, self)
        action = action_of(self.real, move)
        after = self.real.apply(action)
        if self.own is not None:
            own = translation.after_own(self.sight, self.real, self.own, action)
            if own is not None:
                return Followed(line, own, after, None, self)
        seen = translation.after_action(self.sight, self.real, action)
        return Followed(line, drawn_reading(seen, rng), after, None, self)


def first_seen(translation: Translator[Seen]) -> Followed[Seen]:
    """Return a hand before its first decision."""
    root: Any = translation.root
    return Followed("", translation.start, root.betting)


class TranslatedHand(Generic[Seen]):
    """One hand of a translated strategy, in either seat, with its random numbers."""

    def __init__(self, translation: Translator[Seen], rng: Uniforms) -> None:
        self._translation = translation
        self._rng = rng
        self._hand = first_seen(translation) if translation.follows_bets else None

    def probabilities(self, infoset: Any) -> dict[Action, float]:
        """Return the real actions of the player to act, with their probabilities."""
        sight = None if self._hand is None else self.sight(infoset.line)
        return mix_of(self._translation, infoset, sight)

    def act(self, infoset: Any) -> Action:
        """Return an action drawn from the strategy; it is legal in the real game."""
        action, self._hand = drawn(self._translation, self._hand, infoset, self._rng)
        return action

    def sight(self, line: str) -> Seen:
        """Return the sight after a real line; the mapping of new bets is drawn now."""
        return self._at(line).sight

    def _at(self, line: str) -> Followed[Seen]:
        """Return the hand after a real line that continues it, or at which it has been."""
        assert self._hand is not None, "the strategy has bets of its own"
        known = self._hand
        while len(known.line) > len(line) and known.before is not None:
            known = known.before
        found = known.after(self._translation, line, self._rng)
        if len(line) > len(self._hand.line):
            self._hand = found
        return found


def drawn(
    translation: Translator[Seen], hand: Followed[Seen] | None, infoset: Any, rng: Uniforms
) -> tuple[Action, Followed[Seen] | None]:
    """Return an action drawn from a strategy, and the hand in which it is taken.

    `hand` is what was seen before, None for a strategy without bets of its own.
    """
    uniform = rng.random()
    if hand is not None:
        hand = hand.after(translation, infoset.line, rng)
    mix = translation.mix(infoset, None if hand is None else hand.sight)
    chosen: Any = Mix.of([((action, own), weight) for action, own, weight in mix]).at(uniform)
    action, own = chosen
    return action, None if hand is None else hand._replace(own=own)


def mix_of(translation: Translator[Seen], infoset: Any, sight: Seen | None) -> dict[Action, float]:
    """Return the real actions of the player to act; two names of one action count together."""
    found: dict[Action, float] = {}
    for action, _, weight in translation.mix(infoset, sight):
        found[action] = found.get(action, 0.0) + weight
    return found


def moves_of(line: str) -> list[str]:
    """Return the moves of a line in letters, with a `/` where a street ends."""
    return _MOVES.findall(line)


def action_of(betting: Betting, move: str) -> ActionData:
    """Return a move of a line, `c`, `f` or `b10`, as an action."""
    if move == "c":
        return betting.passive_actions()[-1]
    if move == "f":
        return FOLD
    return betting.named_bet(int(move[1:]) if len(move) > 1 else betting.least_to)
