"""One hand of a strategy that plays the real game through translation.

The strategy sees real bets as bets of its own. The mapping of each bet is drawn once and stays the
same for the rest of the hand.
"""

import re
from collections.abc import Hashable, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from untilt.game.actions import ActionData
from untilt.game.protocol import Action, Game, Uniforms
from untilt.games.holdem.betting import FOLD, Betting
from untilt.games.holdem.rules import BIG_BLIND
from untilt.numeric.arrays import Floats

Seen = TypeVar("Seen", bound=Hashable)
"""The betting as a strategy sees it."""

_MOVES = re.compile(r"/|[cfabr]\d*")


class Translator(Protocol[Seen]):
    """A strategy, and how it sees a real hand."""

    @property
    def root(self) -> Game:
        """The root of the real game."""
        ...

    @property
    def follows_bets(self) -> bool:
        """Whether the strategy has bets of its own; if not, nothing is seen but the infoset."""
        ...

    @property
    def start(self) -> Seen:
        """What is seen before the first decision."""
        ...

    def mix(self, infoset: Any, sight: Seen | None) -> Sequence[tuple[Action, Any, float]]:
        """Return real actions at an infoset, each with the strategy's name and probability."""
        ...

    def after_own(self, sight: Seen, real: Betting, name: Any, action: ActionData) -> Seen | None:
        """Return what is seen after the strategy's own action; None if it did something else."""
        ...

    def after_action(
        self, sight: Seen, real: Betting, action: ActionData
    ) -> list[tuple[Seen, float]]:
        """Return what may be seen after any action, with probabilities; there are one or two."""
        ...

    def after_deal(self, sight: Seen, real: Betting) -> Seen:
        """Return what is seen when a street begins, with the real betting there."""
        ...


class Move(NamedTuple):
    """A real action of a strategy at a public state, with one of its names for it."""

    action: ActionData
    shares: Floats
    """[1326] how likely each hand is to do this."""
    after: Any
    """What the strategy sees afterwards."""


class Step(NamedTuple, Generic[Seen]):
    """A decision of a hand that was followed."""

    sight: Seen
    """What the strategy saw before it."""
    real: Betting
    action: ActionData


class TranslatedHand(Generic[Seen]):
    """One hand of a translated strategy, in either seat."""

    def __init__(self, translation: Translator[Seen], rng: Uniforms) -> None:
        self._translation = translation
        self._rng = rng
        self._own: dict[str, Any] = {}
        """The strategy's own actions, by the real line before them."""
        self._seen: dict[str, tuple[Seen, Betting]] = {}
        """What is seen, and the real betting, after each real line."""

    def probabilities(self, infoset: Any) -> dict[Action, float]:
        """Return the real actions of the player to act, with their probabilities."""
        found: dict[Action, float] = {}
        for action, _, weight in self._mix(infoset):
            found[action] = found.get(action, 0.0) + weight
        return found

    def act(self, infoset: Any) -> Action:
        """Return an action drawn from the strategy; it is legal in the real game."""
        uniform, cumulative = self._rng.random(), 0.0
        chosen: tuple[Action, Any] | None = None
        for action, name, weight in self._mix(infoset):
            cumulative += weight
            chosen = action, name
            if uniform < cumulative:
                break
        assert chosen is not None, "probabilities sum to 1"
        self._own[str(infoset.line)] = chosen[1]
        return chosen[0]

    def sight(self, line: str) -> Seen:
        """Return what is seen after a real line; the mapping of new bets is drawn now."""
        before = ""
        state = self._start
        for move in moves_of(line):
            now = before + move
            if now not in self._seen:
                self._seen[now] = self._after(state, before, move)
            state = self._seen[now]
            before = now
        return state[0]

    def steps(self, line: str) -> list[Step[Seen]]:
        """Return the decisions of a real line, of both players, as they were seen."""
        self.sight(line)
        before, state = "", self._start
        found = []
        for move in moves_of(line):
            if move != "/":
                found.append(Step(*state, action_of(state[1], move)))
            before += move
            state = self._seen[before]
        return found

    @property
    def _start(self) -> tuple[Seen, Betting]:
        root: Any = self._translation.root
        return self._translation.start, root.betting

    def _mix(self, infoset: Any) -> Sequence[tuple[Action, Any, float]]:
        translation = self._translation
        return translation.mix(
            infoset, self.sight(infoset.line) if translation.follows_bets else None
        )

    def _after(self, state: tuple[Seen, Betting], line: str, move: str) -> tuple[Seen, Betting]:
        """Return what is seen after one move, `b10` or `/`, that follows a real line."""
        translation = self._translation
        sight, real = state
        if move == "/":
            real = real.next_street(first=BIG_BLIND)
            return translation.after_deal(sight, real), real
        action = action_of(real, move)
        after = real.apply(action)
        if line in self._own:
            own = translation.after_own(sight, real, self._own[line], action)
            if own is not None:
                return own, after
        seen = translation.after_action(sight, real, action)
        # One number for a bet between two sizes, none for any other.
        is_second = len(seen) > 1 and self._rng.random() >= seen[0][1]
        return seen[is_second][0], after


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
