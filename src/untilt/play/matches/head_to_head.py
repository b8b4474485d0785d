"""A match of two agents: every deal is played twice, with seats swapped.

In the second hand of a pair each agent gets the other's cards and seat from the first, and the
random numbers belong to the seat. So luck with the cards cancels, and two equal strategies gain
exactly nothing from each other. What an agent gains in a pair is one independent sample, and the
confidence interval follows from these.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from untilt.errors import InvalidOption
from untilt.game.compiled import CompiledGame
from untilt.game.faults import game_raised
from untilt.game.histories.tree import GameTree
from untilt.game.histories.walking import check_type, described_history
from untilt.game.protocol import Action, Game, verify_two_players
from untilt.game.terms import terms_of
from untilt.games.holdem.game import Holdem
from untilt.games.registry import GameLike
from untilt.play.matches.holdem_luck import MatchLuck
from untilt.play.matches.tree_match import MAX_CHILDREN, TreeMatch
from untilt.play.table.hand import LiveHand, play_hand
from untilt.play.table.score import PairScore, Score
from untilt.policy.code import PolicyLike, as_policy
from untilt.policy.hands.streams import LightStream, Role, verify_numbers
from untilt.policy.hands.turn import Rules
from untilt.policy.load import AnyAgent
from untilt.policy.policy import Policy, Stationary
from untilt.policy.saved.given_agents import given_agents
from untilt.policy.saved.match_game import MatchGame

MAX_HANDS = 10**12
_REPORT_SECONDS = 0.1
_BATCH = 8_192


@dataclass(frozen=True)
class MatchResult:
    """The gain of the first agent."""

    hands: int
    """Twice the number of deals."""
    seconds: float
    value: float
    """Gain per hand, in the game's unit."""
    interval: tuple[float, float] | None
    """Its 95 % confidence interval; None after a single pair of hands."""
    as_player: tuple[float, float]
    """Gain per hand as player 0, and as player 1."""
    big_blind: float | None
    """In the game's unit; None for a game without blinds."""
    aivat: float | None = None
    """The same gain per hand without luck that is known, see `aivat`; None if none is known."""
    aivat_interval: tuple[float, float] | None = None
    """Its 95 % confidence interval."""

    @property
    def mbb(self) -> float | None:
        """Gain per hand in thousandths of a big blind; None for a game without blinds."""
        return None if self.big_blind is None else 1_000.0 * self.value / self.big_blind

    @property
    def interval_mbb(self) -> tuple[float, float] | None:
        """The confidence interval in thousandths of a big blind."""
        return self._in_mbb(self.interval)

    @property
    def aivat_mbb(self) -> float | None:
        """The gain per hand without known luck, in thousandths of a big blind."""
        if self.aivat is None or self.big_blind is None:
            return None
        return 1_000.0 * self.aivat / self.big_blind

    @property
    def aivat_interval_mbb(self) -> tuple[float, float] | None:
        """Its confidence interval in thousandths of a big blind."""
        return self._in_mbb(self.aivat_interval)

    @property
    def hands_saved(self) -> float | None:
        """How many times more hands the plain mean needs for the interval of `aivat`."""
        if self.interval is None or self.aivat_interval is None:
            return None
        widths = [high - low for low, high in (self.interval, self.aivat_interval)]
        return (widths[0] / widths[1]) ** 2 if widths[1] > 0.0 else None

    def _in_mbb(self, interval: tuple[float, float] | None) -> tuple[float, float] | None:
        if self.big_blind is None or interval is None:
            return None
        scale = 1_000.0 / self.big_blind
        return scale * interval[0], scale * interval[1]

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data: `value` and `interval`, with blinds also in mbb."""
        document: dict[str, Any] = {"hands": self.hands}
        if self.big_blind is not None:
            document |= {"mbb": self.mbb, "interval_mbb": _listed(self.interval_mbb)}
        return document | {
            "value": self.value,
            "interval": _listed(self.interval),
            "as_player_0": self.as_player[0],
            "as_player_1": self.as_player[1],
            "aivat": self._aivat_json(),
            "seconds": self.seconds,
        }

    def _aivat_json(self) -> dict[str, Any] | None:
        if self.aivat is None:
            return None
        document: dict[str, Any] = {}
        if self.big_blind is not None:
            interval_mbb = _listed(self.aivat_interval_mbb)
            document = {"mbb": self.aivat_mbb, "interval_mbb": interval_mbb}
        return document | {
            "value": self.aivat,
            "interval": _listed(self.aivat_interval),
            "hands_saved": self.hands_saved,
        }


def match(
    first: AnyAgent,
    second: AnyAgent,
    hands: int = 10_000,
    *,
    game: GameLike | MatchGame | None = None,
    parameters: Mapping[str, Any] | None = None,
    seed: int = 0,
    trust: bool = False,
    aivat: bool = True,
) -> MatchResult:
    """Let two agents play `hands` hands, each deal in both seats, and return what the first wins.

    Agents are given as for `untilt match`: the folder of a run, a strategy file, `file.py:Class`,
    or a built-in one such as `random`; or as objects: a run, a profile, a function of a label, an
    object with `act`, or what `untilt.play.load_agents` returns. `game` and its `parameters` are
    needed if no agent names its game. `trust` allows running the Python code that a run on an
    abstract game names. With `aivat`, what the first wins at hold'em is also computed without luck
    that is known, which needs fewer hands.

    >>> import untilt
    >>> run = untilt.solve("kuhn", "cfr+", iterations=500, output="kuhn-to-play")
    >>> untilt.match("kuhn-to-play", "random", 2_000, seed=1).value > 0.0
    True
    """
    found, (one, other) = given_agents([first, second], game, parameters, trust=trust)
    return play_match(
        *(found.root, one, other, hands, seed),
        rules=found.rules,
        compiled=found.compiled,
        aivat=aivat,
    )


OnHands = Callable[[int, Score], None]
"""Called now and then with the number of hands played and the score by pairs."""


def play_match(
    root: Game,
    first: PolicyLike,
    second: PolicyLike,
    hands: int,
    seed: int = 0,
    *,
    rules: Rules | None = None,
    compiled: CompiledGame | None = None,
    watcher: OnHands | None = None,
    aivat: bool = False,
) -> MatchResult:
    """Return what `first` gains from `second` in `hands` hands, an even number.

    Deal number n is a function of `seed` and n. `rules` is what agents learn about the game.
    With `aivat`, gains at hold'em are also counted without luck that is known.
    `compiled` is the same game compiled: with its histories, strategies are played in batches.
    """
    verify_numbers(seed)
    verify_hands(hands)
    verify_two_players(root, "a match")
    policies = as_policy(first), as_policy(second)
    scores, luck = PairScore(), None
    began = reported = time.monotonic()
    pairs = _pairs_in_batches(compiled, policies, hands // 2, seed)
    if pairs is None:
        if aivat and isinstance(root, Holdem) and not root.rules.red_runs_on:
            luck = MatchLuck(root.rules, policies)
        known = rules or Rules.of(root)
        pairs = _pairs(root, policies, seed, known, hands // 2, luck)
    for gains in pairs:
        scores.add(gains)
        if watcher is not None and (now := time.monotonic()) - reported > _REPORT_SECONDS:
            reported = now
            watcher(2 * scores.pair.num_hands, scores.pair)
    return MatchResult(
        hands=hands,
        seconds=time.monotonic() - began,
        value=scores.mean,
        interval=scores.pair.interval,
        as_player=scores.as_player,
        big_blind=big_blind_of(root),
        aivat=None if luck is None else luck.score.mean,
        aivat_interval=None if luck is None else luck.score.interval,
    )


def verify_hands(hands: object) -> None:
    """Raise InvalidOption unless this many hands can be played, each deal twice."""
    if type(hands) is not int or not 2 <= hands <= MAX_HANDS or hands % 2:
        raise InvalidOption.of(
            "hands", hands, "it must be an even integer, at least 2: each deal is played twice"
        )


def big_blind_of(root: Game) -> float | None:
    """Return the big blind of a game in its unit; None if it has no blinds."""
    if terms_of(root).unit == "bb":
        return 1.0
    return float(root.rules.blinds[1]) if isinstance(root, Holdem) else None


def _pairs_in_batches(
    compiled: CompiledGame | None, policies: tuple[Policy, Policy], count: int, seed: int
) -> Iterator[tuple[float, float]] | None:
    """Return the gains of `count` pairs, from whole batches; None if the game has to be played."""
    first, second = policies
    if compiled is None or not compiled.has(GameTree):
        return None
    if not isinstance(first, Stationary) or not isinstance(second, Stationary):
        return None
    tree = compiled.require(GameTree)
    if tree.num_children.max() > MAX_CHILDREN:
        return None
    profiles = first.profile(compiled), second.profile(compiled)
    batch = TreeMatch.of(tree, compiled.infosets, profiles)
    return (
        (gains[0], gains[1])
        for start in range(0, count, _BATCH)
        for gains in batch.play_pairs(seed, start, min(_BATCH, count - start)).tolist()
    )


def _pairs(
    root: Game,
    policies: tuple[Policy, Policy],
    seed: int,
    rules: Rules,
    count: int,
    luck: MatchLuck | None,
) -> Iterator[tuple[float, float]]:
    """Yield the gains of the first agent in `count` deals, as player 0 and as player 1."""
    first, second = policies if luck is None else luck.observed
    check_type(root, lambda: "the root")
    gain = _recorded_gain if first.wants_records or second.wants_records else _gain
    for number in range(count):
        gains = []
        for seat, seated in ((0, (first, second)), (1, (second, first))):
            moves: list[Action] = []
            gains.append(gain(root, seated, seat, (seed, number), rules, moves))
            if luck is not None:
                luck.add((seed, number), moves, seat, gains[-1])
        yield gains[0], gains[1]


def _gain(
    root: Game,
    seated: tuple[Policy, Policy],
    seat: int,
    key: tuple[int, int],
    rules: Rules,
    moves: list[Action],
) -> float:
    """Return what player `seat`, the first agent, gains in the deal of seed and number `key`.

    The moves of the hand are added to `moves`.
    """
    seed, number = key
    chance = LightStream(seed, number, Role.CHANCE)
    streams = (
        LightStream(seed, number, Role.PLAYER_0),
        LightStream(seed, number, Role.PLAYER_1),
    )
    end, _ = play_hand(root, chance, streams, seated, rules, None, moves)
    try:
        return float(end.payoff(seat))
    except Exception as error:
        history = described_history(list(map(str, moves)))
        raise game_raised(error, history) from error


def _recorded_gain(
    root: Game,
    seated: tuple[Policy, Policy],
    seat: int,
    key: tuple[int, int],
    rules: Rules,
    moves: list[Action],
) -> float:
    """Return the gain, and tell the policies about the whole hand when it is over."""
    live = LiveHand(root, *key, LightStream)
    states = live.play_out(seated, rules)
    hand = live.finished((seat, 1 - seat))
    for policy, state in zip(seated, states, strict=True):
        policy.end(state, hand)
    moves += live.moves
    return hand.payoffs[seat]


def _listed(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)
