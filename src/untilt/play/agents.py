"""Agents that can sit at a table: a function of a label, or an object that sees the whole turn.

The shortest agent is a function of a label, or an object whose `act` takes a label:

    class Caller:
        def act(self, label, rng):
            return "call" if label.endswith("b") else "check"

An agent that needs more takes the turn (pot, bets, stacks and the amounts of actions) and a clock:

    class Raiser:
        def act(self, turn, rng, clock):
            return max(turn.legal, key=lambda action: action.amount or 0.0).name

`begin` and `end`, called before and after a hand, are optional for both.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from untilt.errors import InvalidOption, shortened
from untilt.game.protocol import Game, Uniforms
from untilt.game.terms import Terms, terms_of
from untilt.play.clock import Clock
from untilt.play.hand import Hand, Turn


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


class Agent(Protocol):
    """A player: a bot, a strategy, or a person at a screen."""

    def begin(self, seat: int, rules: Rules) -> None:
        """Begin a hand as player `seat`, 0 or 1; this method is optional."""

    def act(self, turn: Turn, rng: Uniforms, clock: Clock) -> str:
        """Return the name of the action to take, one of `turn.actions`.

        `rng` is the player's own source of random numbers: an agent that uses no other source
        plays a hand the same way again. `clock` shows the time left.
        """
        ...

    def end(self, hand: Hand) -> None:
        """End a hand; everything is known now, including both players' cards. Optional."""


class ActsOnTurns(Protocol):
    """An agent without `begin` and `end`."""

    def act(self, turn: Turn, rng: Uniforms, clock: Clock) -> str:
        """Return the name of the action to take."""
        ...


class ActsOnLabels(Protocol):
    """An agent that needs only the label of its infoset."""

    def act(self, label: str, rng: Uniforms) -> str:
        """Return the name of the action to take at the infoset `label`."""
        ...


Acting = Callable[[Turn, Uniforms, Clock], str]
AgentLike = (
    Agent
    | ActsOnTurns
    | ActsOnLabels
    | Callable[[str], str]
    | Callable[[str, Uniforms], str]
    | Acting
)
"""What can sit at a table: an object with `act`, or a function with the same arguments."""


@dataclass(frozen=True)
class Seated:
    """An agent at a table, called in the same way whatever its kind."""

    act: Acting
    begin: Callable[[int, Rules], None]
    end: Callable[[Hand], None]

    @classmethod
    def of(cls, agent: AgentLike) -> "Seated":
        """Return `agent` with an `act` of turns; its signature decides how it is called.

        It gets turns if it takes three arguments and the first is not called `label`.
        """
        act: Any = getattr(agent, "act", agent)
        if not callable(act):
            raise _not_an_agent(agent)
        try:
            signature = inspect.signature(act)
        except (TypeError, ValueError):  # some callables written in C have none
            return cls(label_agent(act), *_hooks(agent))
        first = next(iter(signature.parameters), "")
        if first != "label" and _takes(signature, 3):
            return cls(act, *_hooks(agent))
        if not _takes(signature, 1) and not _takes(signature, 2):
            raise _not_an_agent(agent)
        return cls(label_agent(act, takes_rng=_takes(signature, 2)), *_hooks(agent))


def label_agent(answer: Callable[..., str], *, takes_rng: bool = True) -> Acting:
    """Return a function of turns that calls `answer` with the label, and `rng` if it takes it.

    >>> from untilt.games import kuhn
    >>> from untilt.play import Table, label_agent
    >>> bets = {"P0:K:": "bet", "P1:K:b": "call", "P1:K:c": "bet"}
    >>> agent = label_agent(
    ...     lambda label: bets.get(label, "fold" if label.endswith("b") else "check"),
    ...     takes_rng=False,
    ... )
    >>> sum(Table(kuhn(), (agent, agent), seed=1).play_hand(0).payoffs)
    0.0
    """
    if takes_rng:
        return lambda turn, rng, clock: answer(turn.label, rng)
    return lambda turn, rng, clock: answer(turn.label)


def _hooks(agent: object) -> tuple[Callable[[int, Rules], None], Callable[[Hand], None]]:
    begin, end = getattr(agent, "begin", None), getattr(agent, "end", None)
    return begin or (lambda seat, rules: None), end or (lambda hand: None)


def _takes(signature: inspect.Signature, count: int) -> bool:
    try:
        signature.bind(*range(count))
    except TypeError:
        return False
    return True


def _not_an_agent(given: object) -> InvalidOption:
    return InvalidOption(
        f"{shortened(given)} is not an agent; give a function of a label, or an object with "
        "act(label, rng) or act(turn, rng, clock)"
    )
