"""A match of agents: every deal is played in every seat.

With two players, each agent gets in the second hand of a deal the other's cards and seat from the
first, and the random numbers belong to the seat. So luck with the cards cancels, and two equal
strategies gain exactly nothing from each other. With n players a deal is played n times, see
`seatings`. What an agent gains in a deal is one independent sample, and the confidence interval
follows from these.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from untilt.errors import InvalidOption
from untilt.game.compiled import CompiledGame
from untilt.game.faults import game_raised
from untilt.game.histories.tree import GameTree
from untilt.game.histories.walking import check_type, described_history
from untilt.game.protocol import Action, Game, num_players_of
from untilt.game.terms import terms_of
from untilt.games.holdem.game import Holdem
from untilt.games.registry import GameLike
from untilt.play.matches.holdem_luck import MatchLuck
from untilt.play.matches.seatings import Seating, Seatings, seatings_of
from untilt.play.matches.tree_match import MAX_CHILDREN, TreeMatch
from untilt.play.table.hand import LiveHand, play_hand
from untilt.play.table.score import Score, SeatScore
from untilt.policy.code import PolicyLike, as_policy
from untilt.policy.hands.streams import LightStream, Role, player_role, verify_numbers
from untilt.policy.hands.turn import Rules
from untilt.policy.load import AnyAgent
from untilt.policy.policy import Policy, Stationary
from untilt.policy.saved.given_agents import given_agents
from untilt.policy.saved.match_game import MatchGame

MAX_HANDS = 10**12
_REPORT_SECONDS = 0.1
_BATCH = 8_192
_DEFAULT_HANDS = 10_000

DealGains = Iterator[Sequence[Sequence[float]]]
"""By deal: for each reported agent, what it gained under each seating."""


@dataclass(frozen=True)
class MatchResult:
    """The gain of the first agent."""

    hands: int
    """The number of deals times the number of players."""
    seconds: float
    value: float
    """Gain per hand, in the game's unit."""
    interval: tuple[float, float] | None
    """Its 95 % confidence interval; None after a single deal."""
    as_player: tuple[float, ...]
    """Gain per hand in each seat."""
    big_blind: float | None
    """In the game's unit; None for a game without blinds."""
    aivat: float | None = None
    """The same gain per hand without luck that is known, see `aivat`; None if none is known."""
    aivat_interval: tuple[float, float] | None = None
    """Its 95 % confidence interval."""
    values: tuple[float, ...] | None = None
    """With an agent for each of more than two seats: the gain per hand of each; else None."""
    intervals: tuple[tuple[float, float] | None, ...] | None = None
    """Their 95 % confidence intervals."""

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
            **{f"as_player_{seat}": gain for seat, gain in enumerate(self.as_player)},
            **self._values_json(),
            "aivat": self._aivat_json(),
            "seconds": self.seconds,
        }

    def _values_json(self) -> dict[str, Any]:
        if self.values is None or self.intervals is None:
            return {}
        return {"values": list(self.values), "intervals": list(map(_listed, self.intervals))}

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
    hands: int | None = None,
    *,
    others: Sequence[AnyAgent] = (),
    game: GameLike | MatchGame | None = None,
    parameters: Mapping[str, Any] | None = None,
    seed: int = 0,
    trust: bool = False,
    aivat: bool = True,
) -> MatchResult:
    """Let agents play `hands` hands, each deal in every seat, and return what the first wins.

    By default, there are 10,000 hands, or as many more as the last deal needs. In a game of n > 2
    players, the second agent has all seats but one, unless `others` are given: then there must be n
    agents, each has its own seat, and the result has the `values` of all. Agents are given as for
    `untilt match`: the folder of a run, a strategy file, `file.py:Class`, or a built-in one such as
    `random`; or as objects: a run, a profile, a function of a label, an object with `act`, or what
    `untilt.play.load_agents` returns. `game` and its `parameters` are needed if no agent names its
    game. `trust` allows running the Python code that a run on an abstract game names. With `aivat`,
    what the first wins at hold'em is also computed without luck that is known, which needs fewer
    hands.

    >>> import untilt
    >>> run = untilt.solve("kuhn", "cfr+", iterations=500, output="kuhn-to-play")
    >>> untilt.match("kuhn-to-play", "random", 2_000, seed=1).value > 0.0
    True
    """
    if not isinstance(others, list | tuple):
        raise InvalidOption.of("others", others, "give a list of the agents in the seats after")
    found, (one, other, *more) = given_agents(
        [first, second, *others], game, parameters, trust=trust
    )
    count = default_hands(found.num_players) if hands is None else hands
    return play_match(
        *(found.root, one, other, count, seed),
        others=more,
        rules=found.rules,
        compiled=found.compiled,
        aivat=aivat,
    )


OnHands = Callable[[int, Score], None]
"""Called now and then with the number of hands played and the first agent's score by deals."""


def play_match(
    root: Game,
    first: PolicyLike,
    second: PolicyLike,
    hands: int,
    seed: int = 0,
    *,
    others: Sequence[PolicyLike] = (),
    rules: Rules | None = None,
    compiled: CompiledGame | None = None,
    watcher: OnHands | None = None,
    aivat: bool = False,
) -> MatchResult:
    """Return what `first` gains from `second` in `hands` hands, a multiple of the players.

    With more than two players, `others` have the seats after `second`; without others, `second` has
    all seats but one.

    Deal number n is a function of `seed` and n. `rules` is what agents learn about the game.
    With `aivat`, gains at hold'em are also counted without luck that is known.
    `compiled` is the same game compiled: with its histories, strategies are played in batches.
    """
    verify_numbers(seed)
    num_players = num_players_of(root)
    verify_hands(hands, num_players)
    policies = tuple(map(as_policy, (first, second, *others)))
    seatings = seatings_of(num_players, len(policies))
    scores = [SeatScore(num_players) for _ in seatings[0].reported]
    own, luck = scores[0], None
    began = reported = time.monotonic()
    deals = _deals_in_batches(compiled, policies, seatings, hands // num_players, seed)
    if deals is None:
        if aivat and isinstance(root, Holdem) and not root.rules.red_runs_on:
            luck = MatchLuck(root.rules, (policies[0], policies[1]))
        known = rules or Rules.of(root)
        deals = _deals(root, policies, seatings, seed, known, hands // num_players, luck)
    for gains in deals:
        for score, of_agent in zip(scores, gains, strict=True):
            score.add(of_agent)
        if watcher is not None and (now := time.monotonic()) - reported > _REPORT_SECONDS:
            reported = now
            watcher(num_players * own.deal.num_hands, own.deal)
    has_values = len(scores) > 1
    return MatchResult(
        hands=hands,
        seconds=time.monotonic() - began,
        value=own.mean,
        interval=own.deal.interval,
        as_player=own.as_player,
        big_blind=big_blind_of(root),
        aivat=None if luck is None else luck.score.mean,
        aivat_interval=None if luck is None else luck.score.interval,
        values=tuple(score.mean for score in scores) if has_values else None,
        intervals=tuple(score.deal.interval for score in scores) if has_values else None,
    )


def default_hands(num_players: int) -> int:
    """Return the number of hands of a match if none is given: 10,000, in whole deals."""
    return -(-_DEFAULT_HANDS // num_players) * num_players


def verify_hands(hands: object, num_players: int = 2) -> None:
    """Raise InvalidOption unless this many hands can be played, each deal in every seat."""
    is_number = type(hands) is int and num_players <= hands <= MAX_HANDS
    if not is_number or hands % num_players:  # type: ignore[operator]  # it is an int
        allowed = "an even integer, at least 2: each deal is played twice"
        if num_players > 2:
            allowed = f"a multiple of {num_players}: each deal is played in {num_players} seats"
        raise InvalidOption.of("hands", hands, f"it must be {allowed}")


def big_blind_of(root: Game) -> float | None:
    """Return the big blind of a game in its unit; None if it has no blinds."""
    if terms_of(root).unit == "bb":
        return 1.0
    return float(root.rules.blinds[1]) if isinstance(root, Holdem) else None


def _deals_in_batches(
    compiled: CompiledGame | None,
    policies: tuple[Policy, ...],
    seatings: Seatings,
    count: int,
    seed: int,
) -> DealGains | None:
    """Return the gains of `count` deals, from whole batches; None if the game has to be played."""
    if compiled is None or not compiled.has(GameTree):
        return None
    profiles = [each.profile(compiled) for each in policies if isinstance(each, Stationary)]
    if len(profiles) < len(policies):
        return None
    tree = compiled.require(GameTree)
    if tree.num_children.max() > MAX_CHILDREN:
        return None
    batch = TreeMatch.of(tree, compiled.infosets, profiles)
    return (
        gains
        for start in range(0, count, _BATCH)
        for gains in batch.play(seed, start, min(_BATCH, count - start), seatings)
        .swapaxes(1, 2)
        .tolist()
    )


def _deals(
    root: Game,
    policies: tuple[Policy, ...],
    seatings: Seatings,
    seed: int,
    rules: Rules,
    count: int,
    luck: MatchLuck | None,
) -> DealGains:
    """Yield the gains of the reported agents in `count` deals, under each seating."""
    playing = policies if luck is None else luck.observed
    check_type(root, lambda: "the root")
    gains_of = _recorded_gains if any(each.wants_records for each in playing) else _gains
    seated = [tuple(playing[agent] for agent in seating.agents) for seating in seatings]
    for number in range(count):
        gains: list[list[float]] = [[] for _ in seatings[0].reported]
        for seating, policies_by_seat in zip(seatings, seated, strict=True):
            moves: list[Action] = []
            key = seed, number
            found = gains_of(root, policies_by_seat, seating, key, rules, moves)
            for of_agent, gain in zip(gains, found, strict=True):
                of_agent.append(gain)
            if luck is not None:
                luck.add(key, moves, seating.reported[0], found[0])
        yield gains


def _gains(
    root: Game,
    seated: tuple[Policy, ...],
    seating: Seating,
    key: tuple[int, int],
    rules: Rules,
    moves: list[Action],
) -> list[float]:
    """Return what the reported agents gain in the deal of seed and number `key`.

    The moves of the hand are added to `moves`.
    """
    seed, number = key
    chance = LightStream(seed, number, Role.CHANCE)
    streams = [LightStream(seed, number, player_role(seat)) for seat in range(len(seated))]
    end, _ = play_hand(root, chance, streams, seated, rules, None, moves)
    try:
        return [float(end.payoff(seat)) for seat in seating.reported]
    except Exception as error:
        history = described_history(list(map(str, moves)))
        raise game_raised(error, history) from error


def _recorded_gains(
    root: Game,
    seated: tuple[Policy, ...],
    seating: Seating,
    key: tuple[int, int],
    rules: Rules,
    moves: list[Action],
) -> list[float]:
    """Return the gains, and tell the policies about the whole hand when it is over."""
    live = LiveHand(root, *key, LightStream)
    states = live.play_out(seated, rules)
    hand = live.finished(seating.agents)
    for policy, state in zip(seated, states, strict=True):
        policy.end(state, hand)
    moves += live.moves
    return [hand.payoffs[seat] for seat in seating.reported]


def _listed(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)
