"""A match of two agents: every deal is played twice, with seats swapped.

In the second hand of a pair each agent gets the other's cards and seat from the first, and the
random numbers belong to the seat. So luck with the cards cancels, and two equal strategies gain
exactly nothing from each other. What an agent gains in a pair is one independent sample, and the
confidence interval follows from these.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from untilt.errors import InvalidOption
from untilt.game.compiled import CompiledGame
from untilt.game.faults import errors_of_game
from untilt.game.protocol import Action, Game
from untilt.game.terms import terms_of
from untilt.game.tree import GameTree
from untilt.game.walking import DEFAULT_MAX_DEPTH, described_history, no_action, too_deep
from untilt.games.holdem.game import Holdem
from untilt.play.agents import AgentLike, Rules
from untilt.play.entrants import CodeEntrant, Entrant, Stationary, profile_of_entrant
from untilt.play.hand import LiveHand
from untilt.play.score import Score
from untilt.play.streams import LightStream, Role, verify_numbers
from untilt.play.tree_match import MAX_CHILDREN, TreeMatch

MAX_HANDS = 10**12
_REPORT_SECONDS = 0.1
_BATCH = 8_192


@dataclass(frozen=True)
class MatchResult:
    """What the first agent gained."""

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

    @property
    def mbb(self) -> float | None:
        """Gain per hand in thousandths of a big blind; None for a game without blinds."""
        return None if self.big_blind is None else 1_000.0 * self.value / self.big_blind

    @property
    def interval_mbb(self) -> tuple[float, float] | None:
        """The confidence interval in thousandths of a big blind."""
        if self.big_blind is None or self.interval is None:
            return None
        scale = 1_000.0 / self.big_blind
        return scale * self.interval[0], scale * self.interval[1]

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
            "seconds": self.seconds,
        }


OnHands = Callable[[int, Score], None]
"""Called now and then with the number of hands played and the score by pairs."""


def match(
    root: Game,
    first: Entrant | AgentLike,
    second: Entrant | AgentLike,
    hands: int,
    seed: int = 0,
    *,
    rules: Rules | None = None,
    compiled: CompiledGame | None = None,
    watcher: OnHands | None = None,
) -> MatchResult:
    """Return what `first` gains from `second` in `hands` hands, an even number.

    Deal number n is a function of `seed` and n. `rules` is what agents learn about the game.
    `compiled` is the same game compiled: with its histories, strategies are played in batches.
    """
    verify_numbers(seed)
    if type(hands) is not int or not 2 <= hands <= MAX_HANDS or hands % 2:
        raise InvalidOption.of(
            "hands", hands, "it must be an even integer, at least 2: each deal is played twice"
        )
    entrants = _entrant(first), _entrant(second)
    by_pair, by_seat = Score(), (Score(), Score())
    began = reported = time.monotonic()
    pairs = _pairs_in_batches(compiled, entrants, hands // 2, seed)
    if pairs is None:
        pairs = _Table(root, entrants, seed, rules or Rules.of(root)).play(hands // 2)
    for gains in pairs:
        by_pair.add((gains[0] + gains[1]) / 2.0)
        for score, gain in zip(by_seat, gains, strict=True):
            score.add(gain)
        if watcher is not None and (now := time.monotonic()) - reported > _REPORT_SECONDS:
            reported = now
            watcher(2 * by_pair.num_hands, by_pair)
    assert by_pair.mean is not None
    return MatchResult(
        hands=hands,
        seconds=time.monotonic() - began,
        value=by_pair.mean + 0.0,  # turns −0 into 0
        interval=by_pair.interval,
        as_player=(by_seat[0].mean or 0.0, by_seat[1].mean or 0.0),
        big_blind=big_blind_of(root),
    )


def big_blind_of(root: Game) -> float | None:
    """Return the big blind of a game in its unit; None if it has no blinds."""
    if terms_of(root).unit == "bb":
        return 1.0
    return float(root.rules.blinds[1]) if isinstance(root, Holdem) else None


def _pairs_in_batches(
    compiled: CompiledGame | None, entrants: tuple[Entrant, Entrant], count: int, seed: int
) -> Iterator[tuple[float, float]] | None:
    """Return the gains of `count` pairs, from whole batches; None if the game has to be played."""
    first, second = entrants
    if compiled is None or not compiled.has(GameTree):
        return None
    if not isinstance(first, Stationary) or not isinstance(second, Stationary):
        return None
    tree = compiled.require(GameTree)
    if tree.num_children.max() > MAX_CHILDREN:
        return None
    profiles = profile_of_entrant(compiled, first), profile_of_entrant(compiled, second)
    batch = TreeMatch.of(tree, compiled.infosets, profiles)
    return (
        (gains[0], gains[1])
        for start in range(0, count, _BATCH)
        for gains in batch.play_pairs(seed, start, min(_BATCH, count - start)).tolist()
    )


class _Table:
    """Two entrants, and the deals they play."""

    def __init__(
        self, root: Game, entrants: tuple[Entrant, Entrant], seed: int, rules: Rules
    ) -> None:
        self.root = root
        self.entrants = entrants
        self.seed = seed
        self.rules = rules
        self._moves: list[Action] = []

    def history(self) -> str:
        """Return the moves of the hand being played, deals included, for error messages."""
        return described_history([str(move) for move in self._moves])

    def play(self, count: int) -> Iterator[tuple[float, float]]:
        """Yield the gains of the first agent in `count` deals, as player 0 and as player 1."""
        with errors_of_game(self.history):
            for number in range(count):
                yield self.play_pair(number)

    def play_pair(self, number: int) -> tuple[float, float]:
        """Return what the first agent gains as player 0, and as player 1, in one deal."""
        first, second = self.entrants
        play = self._play_recorded if first.wants_records or second.wants_records else self._play
        return play(number, (first, second), 0), play(number, (second, first), 1)

    def _play(self, number: int, seated: tuple[Entrant, Entrant], seat: int) -> float:
        """Return what player `seat` gains in deal `number`."""
        position = self.root
        moves = self._moves = []
        chance = LightStream(self.seed, number, Role.CHANCE)
        streams = (
            LightStream(self.seed, number, Role.PLAYER_0),
            LightStream(self.seed, number, Role.PLAYER_1),
        )
        for player, entrant in enumerate(seated):
            entrant.begin(player, self.rules)
        while not position.terminal:
            if len(moves) > DEFAULT_MAX_DEPTH:
                raise too_deep(DEFAULT_MAX_DEPTH)
            if position.chance:
                move = position.sample(chance)
            else:
                player = position.active
                infoset = position.infoset(player)
                actions = infoset.actions()
                if len(actions) > 1:
                    move = seated[player].choose(position, infoset, actions, streams[player])
                elif actions:
                    move = actions[0]
                else:
                    raise no_action(infoset, self.history())
            moves.append(move)
            position = position.apply(move)
        return float(position.payoff(seat))

    def _play_recorded(self, number: int, seated: tuple[Entrant, Entrant], seat: int) -> float:
        """Return the same, and tell the agents about the whole hand when it is over."""
        for player, entrant in enumerate(seated):
            entrant.begin(player, self.rules)
        live = LiveHand(self.root, self.seed, number, LightStream)
        while live.turn is not None:
            player, position = live.turn.player, live.position
            infoset = position.infoset(player)
            stream = live.stream(player)
            move = seated[player].choose(position, infoset, infoset.actions(), stream)
            live.take(str(move))
        hand = live.finished((seat, 1 - seat))
        for entrant in seated:
            entrant.end(hand)
        return hand.payoffs[seat]


def _entrant(agent: Entrant | AgentLike) -> Entrant:
    if isinstance(agent, Entrant):
        return agent
    return CodeEntrant(type(agent).__name__, agent)


def _listed(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)
