"""A hand, which deals cards, asks players to act and records everything, and a table for hands.

A hand is a function of the seed, its number and the players' choices; see `streams`. Tables,
matches and pages play their hands here.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from untilt.errors import InvalidOption, UnknownName, UntiltError
from untilt.game.actions import many_of
from untilt.game.faults import game_raised
from untilt.game.histories.walking import (
    Choice,
    check_infoset,
    check_type,
    described_history,
    next_choice,
    payoff_of,
)
from untilt.game.names.labels import knowledge_of
from untilt.game.protocol import Action, Game, Uniforms, num_players_of
from untilt.games.registry import GameLike, name_game
from untilt.policy.code import PolicyLike, as_policy
from untilt.policy.hands.clock import Clock
from untilt.policy.hands.streams import Role, hand_stream, player_role, verify_numbers
from untilt.policy.hands.turn import Decision, Hand, Rules, Turn, turn_at
from untilt.policy.policy import Policy
from untilt.policy.saved.match_game import MatchGame

_MAX_LOOKAHEAD = 64
"""How many positions to search for the cards of a player who never had to act."""


class LiveHand:
    """A hand in progress: it deals automatically and waits whenever a player has a choice."""

    __slots__ = (
        *("_chance", "_decisions", "_moves", "_stream_of", "_streams", "_taken", "_turn"),
        *("asked", "num_players", "number", "position", "seed"),
    )

    def __init__(
        self,
        root: Game,
        seed: int,
        number: int,
        stream_of: Callable[[int, int, int], Uniforms] = hand_stream,
    ) -> None:
        """Deal hand `number`; `stream_of` gives the random numbers of seed, number and role."""
        verify_numbers(seed, number)
        self.seed = seed
        self.number = number
        self.position = root
        self.num_players = num_players_of(root)
        self.asked: Choice | None = None
        """The choice of the player to act; None when the hand is over."""
        self._taken: list[tuple[Choice, Action]] = []
        self._decisions: list[Decision] = []
        self._turn: tuple[Choice, Turn] | None = None
        self._moves: list[Action] = []
        self._stream_of = stream_of
        self._chance = stream_of(seed, number, Role.CHANCE)
        self._streams: dict[int, Uniforms] = {}
        check_type(root, self._history)
        self._advance()

    @property
    def is_over(self) -> bool:
        """Whether the hand is over."""
        return self.asked is None

    @property
    def turn(self) -> Turn | None:
        """Whose turn it is, in words and numbers; None when the hand is over."""
        asked = self.asked
        if asked is None:
            return None
        if self._turn is None or self._turn[0] is not asked:
            self._turn = asked, self._described(asked)
        return self._turn[1]

    @property
    def decisions(self) -> list[Decision]:
        """The decisions of all players so far, without forced moves."""
        for asked, action in self._taken[len(self._decisions) :]:
            self._decisions.append(Decision(**vars(self._described(asked)), action=str(action)))
        return self._decisions

    @property
    def taken(self) -> Sequence[tuple[Choice, Action]]:
        """The choices of all players so far, with the action that was taken."""
        return self._taken

    @property
    def moves(self) -> Sequence[Action]:
        """All moves so far, deals included."""
        return self._moves

    def stream(self, player: int) -> Uniforms:
        """Return the player's random numbers, the same source throughout the hand."""
        if player not in self._streams:
            role = player_role(player)
            self._streams[player] = self._stream_of(self.seed, self.number, role)
        return self._streams[player]

    def take(self, name: str) -> None:
        """Take the action with this name for the player whose turn it is."""
        if self.asked is None:
            raise UnknownName(
                f"{str(name)[:40]!r} was given after the end of the hand; leave it out"
            )
        action = _named(self.asked.actions, name)
        if action is None:
            assert self.turn is not None
            raise UnknownName(
                f"{str(name)[:40]!r} is not an action at infoset {self.turn.label!r}; "
                f"its actions are {', '.join(self.turn.actions)}"
            )
        self.play(action)

    def play(self, action: Action) -> None:
        """Take one of the actions for the player whose turn it is."""
        assert self.asked is not None, "the hand is over"
        self._taken.append((self.asked, action))
        self._advance(action)

    def privates(self) -> tuple[str | None, ...]:
        """Return what each player holds, None if no decision shows it."""
        return tuple(map(self._private, range(self.num_players)))

    def public(self) -> str:
        """Return what all players saw at the last decision, including the current one.

        A position may have the attribute `final_public`: what is seen when the hand is over, if
        cards are dealt after the last decision.
        """
        if self.is_over and isinstance(shown := getattr(self.position, "final_public", None), str):
            return shown
        last = self.turn or (self.decisions[-1] if self._taken else None)
        return last.public if last else ""

    def payoff(self, player: int) -> float:
        """Return what a player gains in a hand that is over, in chips."""
        try:
            # Adding 0 turns −0 into 0.
            return payoff_of(self.position, player, self._history) + 0.0
        except UntiltError:
            raise
        except (Exception, SystemExit) as error:
            raise game_raised(error, self._history()) from error

    def finished(self, agents: tuple[int, ...] | None = None) -> Hand:
        """Return the record of a hand that is over; agents have the players' numbers by default."""
        assert self.is_over, "the hand is not over"
        return Hand(
            number=self.number,
            decisions=tuple(self.decisions),
            payoffs=tuple(map(self.payoff, range(self.num_players))),
            privates=self.privates(),
            public=self.public(),
            agents=tuple(range(self.num_players)) if agents is None else agents,
        )

    def _history(self) -> str:
        """Return the moves so far, deals included, for error messages."""
        return described_history([str(move) for move in self._moves])

    def _described(self, asked: Choice) -> Turn:
        try:
            return turn_at(*asked)
        except UntiltError:
            raise
        except (Exception, SystemExit) as error:
            raise game_raised(error, self._history()) from error

    def _private(self, player: int) -> str | None:
        turn = self.turn
        if turn is not None and turn.player == player:
            return turn.private
        for decision in reversed(self.decisions):
            if decision.player == player:
                return decision.private
        return _private_ahead(self._taken[-1][0].position, player) if self._taken else None

    def play_out(
        self, policies: Sequence[Policy], rules: Rules, clocks: Sequence[Clock] | None = None
    ) -> list[Any]:
        """Let policies, by seat, play the hand to its end; return their last states."""
        streams = [self.stream(seat) for seat in range(len(policies))]
        hand = self._moves, self._taken
        self.position, states = play_hand(
            self.position, self._chance, streams, policies, rules, clocks, *hand
        )
        self.asked = None
        return states

    def _advance(self, action: Action | None = None) -> None:
        """Take an action, then deal and play forced moves until a player has a choice again."""
        self.asked = None
        moves, position = self._moves, self.position
        try:
            if action is not None:
                moves.append(action)
                position = position.apply(action)
            position, asked = next_choice(position, self._chance, moves, self._history)
            if asked is not None:
                check_infoset(asked.infoset, self._history)
            self.position, self.asked = position, asked
        except UntiltError:
            raise
        except (Exception, SystemExit) as error:
            raise game_raised(error, self._history()) from error


def play_hand(
    position: Game,
    chance: Uniforms,
    streams: Sequence[Uniforms],
    policies: Sequence[Policy],
    rules: Rules,
    clocks: Sequence[Clock] | None = None,
    moves: list[Action] | None = None,
    taken: list[tuple[Choice, Action]] | None = None,
) -> tuple[Game, list[Any]]:
    """Let policies, by seat, play from a position to the end of the hand.

    Returns the end and the policies' last states. Moves and decisions are added to the lists.
    """
    done: list[Action] = [] if moves is None else moves

    def history() -> str:
        return described_history([str(move) for move in done])

    states = [policy.begin(seat, rules) for seat, policy in enumerate(policies)]
    try:
        position, asked = next_choice(position, chance, done, history)
        while asked is not None:
            player = position.active
            choose, state, rng = policies[player].choose, states[player], streams[player]
            if clocks is None:
                action, states[player] = choose(state, asked, rng)
            else:
                with clocks[player] as clock:
                    action, states[player] = choose(state, asked, rng, clock)
            if taken is not None:
                taken.append((asked, action))
            done.append(action)
            position, asked = next_choice(position.apply(action), chance, done, history)
    except UntiltError:
        raise
    except (Exception, SystemExit) as error:
        raise game_raised(error, history()) from error
    return position, states


def _named(actions: Sequence[Action], name: str) -> Action | None:
    if (many := many_of(actions)) is not None:
        return many.named(name) if isinstance(name, str) else None
    return next((action for action in actions if str(action) == name), None)


def _private_ahead(position: Game, player: int) -> str | None:
    """Return what `player` will hold at their next decision if no card is dealt before it.

    This finds the hand of a big blind when the small blind has folded. None if it is ambiguous.
    """
    texts: set[str] = set()
    waiting = [position]
    num_searched = 0
    while waiting and num_searched < _MAX_LOOKAHEAD:
        position = waiting.pop(0)
        num_searched += 1
        if position.terminal or position.chance:
            continue
        infoset = position.infoset(position.active)
        if position.active == player:
            texts.add(knowledge_of(infoset).private)
        else:
            waiting.extend(position.apply(action) for action in infoset.actions())
    return texts.pop() if len(texts) == 1 else None


class Table:
    """Agents who play the game whose root position is `root`; a name is a game, too.

    An agent is a policy, such as `load_agents` returns, a profile or a run, a function, or an
    object with `act`.
    There is an agent for each player. Agent 0 is player 0, agent 1 is player 1 and so on; with
    `is_alternating` each moves up one seat from hand to hand. `rules` is what agents learn about
    the game, by default what `root` says. Each agent has a clock with `decision_seconds` per
    decision and `match_seconds` for all hands.
    """

    def __init__(
        self,
        root: GameLike | MatchGame,
        agents: Sequence[PolicyLike],
        seed: int = 0,
        *,
        is_alternating: bool = False,
        rules: Rules | None = None,
        decision_seconds: float | None = None,
        match_seconds: float | None = None,
    ) -> None:
        verify_numbers(seed)
        self.root = root.root if isinstance(root, MatchGame) else name_game(root).game
        num_players = num_players_of(self.root)
        if not isinstance(agents, Sequence) or len(agents) != num_players:
            wanted = "two, as (first, second)" if num_players == 2 else f"{num_players}, in a list"
            raise InvalidOption.of("agents", agents, f"give {wanted}")
        self.agents = agents
        self.seed = seed
        self.is_alternating = is_alternating
        self.rules = Rules.of(self.root) if rules is None else rules
        self._policies = tuple(map(as_policy, agents))
        self._clocks = tuple(Clock(decision_seconds, match_seconds) for _ in agents)

    def deal(self, number: int) -> LiveHand:
        """Return hand `number`, at least 0, at the first decision."""
        return LiveHand(self.root, self.seed, number)

    def play_hand(self, number: int) -> Hand:
        """Return hand `number`, played to its end."""
        live = self.deal(number)
        count = len(self._policies)
        moved = number if self.is_alternating else 0
        order = tuple((seat - moved) % count for seat in range(count))
        seated = [self._policies[agent] for agent in order]
        states = live.play_out(seated, self.rules, [self._clocks[agent] for agent in order])
        hand = live.finished(order)
        for policy, state in zip(seated, states, strict=True):
            policy.end(state, hand)
        return hand

    def play(self, count: int, first: int = 0) -> Iterator[Hand]:
        """Yield `count` hands, starting with number `first`."""
        for number in range(first, first + count):
            yield self.play_hand(number)
