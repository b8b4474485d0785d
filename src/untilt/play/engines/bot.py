"""An agent at somebody else's table: random numbers, clock, legality, and a report.

A bot must answer in time and legally, whatever happens. If its clock runs low, or its agent fails,
it takes the fast path: check if that is free, call a small bet, else fold.
"""

import random
import time
from dataclasses import dataclass
from typing import Any

from untilt.errors import InvalidOption, UntiltError
from untilt.game.actions import Kind
from untilt.game.faults import described_error
from untilt.game.histories.walking import Choice
from untilt.game.protocol import Action, Game
from untilt.game.terms import chips_of
from untilt.play.matches.head_to_head import big_blind_of, play_match
from untilt.play.table.score import Score
from untilt.policy.hands.clock import Clock
from untilt.policy.hands.streams import MAX_SEED, LightStream, Role, verify_numbers
from untilt.policy.hands.turn import data_of
from untilt.policy.policy import Policy
from untilt.policy.saved.match_game import MatchGame

_QUICK_SECONDS = 0.002
"""How long a hand takes on the fast path, messages included: a reserve for each remaining hand."""
_CHEAP = 0.2
"""The fast path calls a bet of at most this share of the pot."""
_PRACTICE_HANDS = 20
_UNKNOWN_HANDS = 1_000
_THOUGHTS_SHARE = 1.5
"""Time for a decision as a multiple of the time for a hand: few hands reach the river."""


@dataclass(frozen=True)
class BotReport:
    """The record of a bot in a match."""

    score: Score
    """What it gained, hand by hand."""
    big_blind: float | None
    num_decisions: int
    num_quick: int
    """Decisions on the fast path, because the clock ran low or the agent failed."""
    failure: str | None
    """The first error of the agent; None if there was none."""
    seconds: float
    """Spent on decisions."""
    slowest: float
    """The slowest decision, in seconds."""

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain data for JSON."""
        interval = self.score.interval
        document: dict[str, Any] = {"hands": self.score.num_hands, "gain": self.score.total}
        if self.big_blind is not None and self.score.mean is not None:
            scale = 1_000.0 / self.big_blind
            document["mbb"] = scale * self.score.mean
            document["interval_mbb"] = interval and [scale * end for end in interval]
        return document | {
            "value": self.score.mean,
            "interval": interval and list(interval),
            "decisions": self.num_decisions,
            "quick": self.num_quick,
            "failure": self.failure,
            "seconds": self.seconds,
            "slowest_seconds": self.slowest,
        }


class Bot:
    """Plays the hands of one match."""

    def __init__(
        self,
        game: MatchGame,
        policy: Policy,
        *,
        seed: int | None = None,
        num_hands: int | None = None,
    ) -> None:
        """Make a bot; by default, `seed` is a new one, so that nobody can predict its play.

        `num_hands` is the length of the match, if known: time is reserved for all hands.
        """
        if seed is None:
            seed = random.SystemRandom().randrange(MAX_SEED)
        verify_numbers(seed)
        if not isinstance(game, MatchGame) or not isinstance(policy, Policy):
            raise InvalidOption(
                "a bot is made of what load_agents returns: game, [agent] = load_agents([…]), then "
                "Bot(game, agent)"
            )
        self.game = game
        self._policy = policy
        self._state: Any = None
        self._seed = seed
        self._num_hands = num_hands
        self._stream = LightStream(seed, 0, Role.PLAYER_0)
        self._num_begun = 0
        self._score = Score()
        self._num_decisions = 0
        self._num_quick = 0
        self._failure: str | None = None
        self._seconds = 0.0
        self._slowest = 0.0

    def warm_up(self) -> None:
        """Play a few hands against itself: what is loaded or compiled now costs no match time."""
        play_match(
            self.game.root, self._policy, self._policy, _PRACTICE_HANDS, rules=self.game.rules
        )

    def begin(self, seat: int) -> None:
        """Begin a hand as player `seat`."""
        self._num_begun += 1
        self._stream = LightStream(self._seed, self._num_begun, Role.PLAYER_0 + seat)
        self._state = self._policy.begin(seat, self.game.rules)

    def end(self, gain: float) -> None:
        """End a hand in which the player gained `gain`."""
        self._score.add(gain)

    def choose(self, position: Game, left: float | None = None) -> Action:
        """Return a legal action at `position`; `left` are the seconds on the match clock."""
        began = time.perf_counter()
        self._num_decisions += 1
        action = None if self._must_hurry(left) else self._asked(position, left)
        if action is None:
            self._num_quick += 1
            action = quick_action(position)
        spent = time.perf_counter() - began
        self._seconds += spent
        self._slowest = max(self._slowest, spent)
        return action

    @property
    def report(self) -> BotReport:
        """The match so far."""
        return BotReport(
            self._score,
            big_blind_of(self.game.root),
            self._num_decisions,
            self._num_quick,
            self._failure,
            self._seconds,
            self._slowest,
        )

    def _allowance(self, left: float | None) -> float | None:
        """Return how long an agent that thinks may take now; None if there is no clock.

        If the number of hands is not known, a fixed share of the time is reserved for later hands.
        """
        if left is None:
            return None
        to_come = max((self._num_hands or _UNKNOWN_HANDS) - self._score.num_hands, 1)
        return _THOUGHTS_SHARE * max(left / to_come - _QUICK_SECONDS, 0.0)

    def _must_hurry(self, left: float | None) -> bool:
        """Whether the time left is just enough to play the rest of the match quickly."""
        if left is None:
            return False
        to_come = max((self._num_hands or 0) - self._score.num_hands, 1)
        return left < to_come * _QUICK_SECONDS + 2.0 * self._slowest

    def _asked(self, position: Game, left: float | None) -> Action | None:
        """Return what the agent wants to do; None if it fails."""
        try:
            infoset = position.infoset(position.active)
            actions = infoset.actions()
            if len(actions) == 1:
                return actions[0]
            asked = Choice(position, infoset, actions)
            clock = Clock(advised=self._allowance(left))
            action, self._state = self._policy.choose(self._state, asked, self._stream, clock)
            position.apply(action)  # raises if it is not legal
        except (UntiltError, Exception) as error:
            known = isinstance(error, UntiltError)
            self._failure = self._failure or (str(error) if known else described_error(error))
            return None
        return action


def quick_action(position: Game) -> Action:
    """Return an action that needs no thought: check, call a small bet, else fold."""
    actions = position.infoset(position.active).actions()
    by_kind = {data_of(action).kind: action for action in actions[:2]}
    if Kind.CHECK in by_kind:
        return by_kind[Kind.CHECK]
    chips = chips_of(position)
    if chips is not None and Kind.CALL in by_kind:
        price = max(chips.bets) - chips.bets[position.active]
        if price <= _CHEAP * (chips.pot + sum(chips.bets)):
            return by_kind[Kind.CALL]
    return by_kind.get(Kind.FOLD, actions[0])
