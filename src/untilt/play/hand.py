"""One hand: it deals cards, asks players to act, and records everything.

A hand is a function of the seed, its number and the players' choices; see `streams`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, overload

from untilt.errors import UnknownName
from untilt.game.actions import ActionData, Kind, action_data
from untilt.game.faults import errors_of_game
from untilt.game.labels import knowledge_of
from untilt.game.line import is_line
from untilt.game.protocol import Action, Game, InfoSet, Uniforms
from untilt.game.terms import Chips, chips_of
from untilt.game.walking import (
    DEFAULT_MAX_DEPTH,
    described_history,
    past_forced_moves,
    payoff_of,
    too_deep,
)
from untilt.game.wording import decision_words
from untilt.games.holdem.game import HoldemActions
from untilt.play.streams import Role, hand_stream, verify_numbers

_FREE = frozenset({Kind.FOLD, Kind.CHECK, Kind.OTHER})
"""Actions that are not known to put in chips."""
_MAX_LOOKAHEAD = 64
"""How many positions to search for the cards of a player who never had to act."""


@dataclass(frozen=True)
class Turn:
    """A player's turn to act, and what that player knows; the texts come from the infoset."""

    player: int
    label: str
    private: str
    public: str
    line: str
    actions: Sequence[str]
    """Names of the legal actions, at least two; hundreds of bets are named when asked for."""
    legal: Sequence[ActionData] = field(default=(), kw_only=True)
    """The same actions with kind and, if the game has chips, amount."""
    chips: Chips | None = field(default=None, kw_only=True)
    """Pot, bets and stacks; None for a game without chips."""

    def __post_init__(self) -> None:
        if not self.legal:
            object.__setattr__(self, "legal", tuple(map(action_data, self.actions)))

    @property
    def street(self) -> int:
        """The number of the street, starting at 0; 0 if the line is not in our notation."""
        return self.line.count("/") if is_line(self.line) else 0

    @property
    def words(self) -> str:
        """The situation in words, such as `facing a bet`."""
        return decision_words(self.label, self.public, self.line)


@dataclass(frozen=True)
class Decision(Turn):
    """A turn and the action taken."""

    action: str


class NamedInfoset(NamedTuple):
    """An infoset of which only texts are known."""

    player: int
    label: str
    private: str
    public: str
    line: str
    names: tuple[str, ...]

    def actions(self) -> tuple[str, ...]:
        """Return the names of the actions."""
        return self.names

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True)
class Hand:
    """A hand that was played to its end."""

    number: int
    decisions: tuple[Decision, ...]
    """Both players' decisions in order, without forced moves."""
    payoffs: tuple[float, float]
    """What each player gains, in chips."""
    privates: tuple[str | None, str | None]
    """What each player held; None if no decision shows it."""
    public: str
    """What both players saw at the last decision."""
    agents: tuple[int, int] = (0, 1)
    """Which agent sat as player 0, and which as player 1."""

    def gain(self, agent: int) -> float:
        """Return what agent 0 or 1 gained, whichever seat it had."""
        return self.payoffs[self.agents.index(agent)]


class LiveHand:
    """A hand in progress: it deals automatically and waits whenever a player has a choice."""

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
        self.decisions: list[Decision] = []
        self.turn: Turn | None = None
        """Whose turn it is; None when the hand is over."""
        self._actions: dict[str, Action] = {}
        self._stream_of = stream_of
        self._chance = stream_of(seed, number, Role.CHANCE)
        self._streams: dict[int, Uniforms] = {}
        self._asked: Game | None = None  # the last position at which a player had a choice
        self._num_moves = 0
        with errors_of_game(self._history):
            self._advance()

    @property
    def is_over(self) -> bool:
        """Whether the hand is over."""
        return self.turn is None

    def stream(self, player: int) -> Uniforms:
        """Return the player's random numbers, the same source throughout the hand."""
        if player not in self._streams:
            role = Role.PLAYER_0 + player
            self._streams[player] = self._stream_of(self.seed, self.number, role)
        return self._streams[player]

    def take(self, action: str) -> None:
        """Take the action with this name for the player whose turn it is."""
        turn = self.turn
        if turn is None:
            raise UnknownName(f"{action!r} was given after the end of the hand; leave it out")
        if action not in self._actions:
            raise UnknownName(
                f"{str(action)[:40]!r} is not an action at infoset {turn.label!r}; "
                f"its actions are {', '.join(turn.actions)}"
            )
        self.decisions.append(Decision(**vars(turn), action=action))
        self._asked = self.position
        with errors_of_game(self._history):
            self._apply(self._actions[action])
            self._advance()

    def privates(self) -> tuple[str | None, str | None]:
        """Return what each player holds, None if no decision shows it."""
        return self._private(0), self._private(1)

    def public(self) -> str:
        """Return what both players saw at the last decision, including the current one.

        A position may have the attribute `final_public`: what is seen when the hand is over, if
        cards are dealt after the last decision.
        """
        if self.is_over and isinstance(shown := getattr(self.position, "final_public", None), str):
            return shown
        last = self.turn or (self.decisions[-1] if self.decisions else None)
        return last.public if last else ""

    def finished(self, agents: tuple[int, int] = (0, 1)) -> Hand:
        """Return the record of a hand that is over."""
        assert self.is_over, "the hand is not over"
        return Hand(
            number=self.number,
            decisions=tuple(self.decisions),
            # Adding 0 turns −0 into 0.
            payoffs=(self._payoff(0) + 0.0, self._payoff(1) + 0.0),
            privates=self.privates(),
            public=self.public(),
            agents=agents,
        )

    def _payoff(self, player: int) -> float:
        with errors_of_game(self._history):
            return payoff_of(self.position, player, self._history)

    def _history(self) -> str:
        """Return the decisions so far, for error messages; deals are not recorded."""
        return described_history([decision.action for decision in self.decisions])

    def _private(self, player: int) -> str | None:
        if self.turn is not None and self.turn.player == player:
            return self.turn.private
        for decision in reversed(self.decisions):
            if decision.player == player:
                return decision.private
        return None if self._asked is None else _private_ahead(self._asked, player)

    def _apply(self, action: Action) -> None:
        self._num_moves += 1
        if self._num_moves > DEFAULT_MAX_DEPTH:
            raise too_deep(DEFAULT_MAX_DEPTH)
        self.position = self.position.apply(action)

    def _advance(self) -> None:
        """Deal and play forced moves until a player has a choice or the hand is over."""
        self.turn = None
        while True:
            self.position, infoset, actions = past_forced_moves(self.position, self._history)
            if infoset is not None:
                self.turn = turn_at(self.position, infoset, actions)
                self._actions = {str(action): action for action in actions}
                return
            if self.position.terminal:
                return
            self._apply(self.position.sample(self._chance))


def turn_at(position: Game, infoset: InfoSet, actions: Sequence[Action]) -> Turn:
    """Return the turn of the player to act at `position`, who has these actions."""
    names: Sequence[str]
    legal: Sequence[ActionData]
    chips = chips_of(position)
    if isinstance(actions, HoldemActions):
        names, legal = _Names(actions), _Sized(actions, position)
    else:
        names = tuple(str(action) for action in actions)
        legal = () if chips is None else tuple(_sized(position, chips, each) for each in actions)
    known = knowledge_of(infoset)
    return Turn(position.active, str(infoset), *known, names, legal=legal, chips=chips)


class _Names(Sequence[str]):
    """The names of the actions of hold'em, made when asked for."""

    __slots__ = ("_actions",)

    def __init__(self, actions: HoldemActions) -> None:
        self._actions = actions

    def __len__(self) -> int:
        return len(self._actions)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...

    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        if isinstance(place, slice):
            return tuple(action.name for action in self._actions[place])
        return self._actions[place].name

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._actions.named(name) is not None


class _Sized(Sequence[ActionData]):
    """The actions of hold'em with their amounts, made when asked for."""

    __slots__ = ("_actions", "_position")

    def __init__(self, actions: HoldemActions, position: Game) -> None:
        self._actions = actions
        self._position = position

    def __len__(self) -> int:
        return len(self._actions)

    @overload
    def __getitem__(self, place: int) -> ActionData: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[ActionData, ...]: ...

    def __getitem__(self, place: int | slice) -> ActionData | tuple[ActionData, ...]:
        if isinstance(place, slice):
            return tuple(self[each] for each in range(*place.indices(len(self))))
        chips = chips_of(self._position)
        assert chips is not None, "hold'em has chips"
        return _sized(self._position, chips, self._actions[place])


def _sized(position: Game, chips: Chips, action: Action) -> ActionData:
    """Return an action with the player's total on the street after it, if it puts in chips.

    If all bets have the same size, the name does not show it; the next position does.
    """
    data = action if isinstance(action, ActionData) else action_data(str(action))
    player = position.active
    if data.amount is not None or data.kind in _FREE:
        return data
    if data.kind is Kind.CALL:  # a call may end the street, which clears the bets
        level, stack = max(chips.bets), chips.stacks[player]
        amount = level if stack is None else min(level, chips.bets[player] + stack)
        return ActionData(data.name, data.kind, amount)
    after = chips_of(position.apply(action))
    return data if after is None else ActionData(data.name, data.kind, after.bets[player])


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
