"""The view of a player: the rules, a turn to act, a decision, and at the end the whole hand."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import eq
from typing import Any, NamedTuple, TypeVar, overload

from untilt.game.actions import ActionData, Kind, ManyActions, action_data, many_of
from untilt.game.line import is_line
from untilt.game.names.labels import knowledge_of
from untilt.game.protocol import Action, Game, InfoSet
from untilt.game.terms import Chips, Terms, chips_of, terms_of
from untilt.game.wording import decision_words


@dataclass(frozen=True)
class Rules:
    """The game being played."""

    name: str
    """Short name of the game, such as `leduc`."""
    parameters: Mapping[str, Any]
    terms: Terms
    """The game's words for its unit, its seats and what players hold."""

    @classmethod
    def of(cls, root: Game) -> "Rules":
        """Return the rules of a position made in Python, under its registered name."""
        from untilt.games.registry import name_position

        named = name_position(root)
        return cls(named.name, named.parameters, terms_of(root))


_FREE = frozenset({Kind.FOLD, Kind.CHECK, Kind.OTHER})
"""Actions that are not known to put in chips."""


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
    """All players' decisions in order, without forced moves."""
    payoffs: tuple[float, ...]
    """What each player gains, in chips."""
    privates: tuple[str | None, ...]
    """What each player held; None if no decision shows it."""
    public: str
    """What all players saw at the last decision."""
    agents: tuple[int, ...] = (0, 1)
    """Which agent sat as player 0, as player 1 and so on."""

    def gain(self, agent: int) -> float:
        """Return what an agent, by number, gained in all seats that it had."""
        seats = [seat for seat, seated in enumerate(self.agents) if seated == agent]
        return sum((self.payoffs[seat] for seat in seats[1:]), self.payoffs[seats[0]])


def turn_at(position: Game, infoset: InfoSet, actions: Sequence[Action]) -> Turn:
    """Return the turn of the player to act at `position`, who has these actions."""
    names: Sequence[str]
    legal: Sequence[ActionData]
    chips = chips_of(position)
    if (many := many_of(actions)) is not None:
        names = _Names(many, str)
        legal = _Made(many, lambda each: _sized(position, chips, each))
    else:
        names = tuple(str(action) for action in actions)
        legal = tuple(_sized(position, chips, each) for each in actions)
    known = knowledge_of(infoset)
    return Turn(position.active, str(infoset), *known, names, legal=legal, chips=chips)


T = TypeVar("T")


class _Made(Sequence[T]):
    """Something of each of many actions, made when it is asked for."""

    __slots__ = ("_actions", "_make")

    def __init__(self, actions: ManyActions, make: Callable[[ActionData], T]) -> None:
        self._actions = actions
        self._make = make

    def __len__(self) -> int:
        return len(self._actions)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...

    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        if isinstance(place, slice):
            return tuple(map(self._make, self._actions[place]))
        return self._make(self._actions[place])

    def __iter__(self) -> Iterator[T]:
        return map(self._make, self._actions)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Sequence) and not isinstance(other, str):
            return len(self) == len(other) and all(map(eq, self, other))
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))


class _Names(_Made[str]):
    """The names of many actions."""

    __slots__ = ()

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._actions.named(name) is not None


def _sized(position: Game, chips: Chips | None, action: Action) -> ActionData:
    """Return an action with the player's total on the street after it, if it puts in chips.

    If all bets have the same size, the name does not show it; the next position does.
    """
    data = data_of(action)
    player = position.active
    if chips is None or data.amount is not None or data.kind in _FREE:
        return data
    if data.kind is Kind.CALL:  # a call may end the street, which clears the bets
        level, stack = max(chips.bets), chips.stacks[player]
        amount = level if stack is None else min(level, chips.bets[player] + stack)
        return ActionData(data.name, data.kind, amount)
    after = chips_of(position.apply(action))
    return data if after is None else ActionData(data.name, data.kind, after.bets[player])


def data_of(action: Action) -> ActionData:
    """Return what an action means."""
    return action if isinstance(action, ActionData) else action_data(str(action))
