"""Policies that a user wrote in Python: a function of a label or a turn, or an object with `act`.

The shortest one is a function of a label, or an object whose `act` takes a label:

    class Caller:
        def act(self, label, rng):
            return "call" if label.endswith("b") else "check"

One that needs more calls its argument `turn` (pot, bets, stacks and the amounts of actions),
and may take a clock:

    class Raiser:
        def act(self, turn, rng, clock):
            return max(turn.legal, key=lambda action: action.amount or 0.0).name

The random numbers and the clock may be left out. `begin` and `end`, called before and after a hand,
are optional for both.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from untilt.errors import InvalidOption, UnknownName, UntiltError, shortened
from untilt.game.actions import many_of
from untilt.game.compiled import CompiledGame
from untilt.game.faults import described_error
from untilt.game.histories.walking import Choice
from untilt.game.protocol import Action, Uniforms
from untilt.game.strategy.strategy import PlainProfile, Profile
from untilt.policy.hands.clock import Clock
from untilt.policy.hands.turn import Hand, Rules, Turn, turn_at
from untilt.policy.policy import Policy
from untilt.policy.tabular import TabularPolicy


class Acts(Protocol):
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


@runtime_checkable
class HasProfile(Protocol):
    """A strategy with its game, such as a run."""

    @property
    def game(self) -> CompiledGame:
        """The game."""
        ...

    @property
    def profile(self) -> Profile:
        """The strategy."""
        ...


Acting = Callable[[Turn, Uniforms, Clock], str]
Code = (
    Acts
    | ActsOnTurns
    | ActsOnLabels
    | Callable[[str], str]
    | Callable[[str, Uniforms], str]
    | Acting
)
"""What a user writes: an object with `act`, or a function with the same arguments."""
PolicyLike = Policy | Code | PlainProfile | HasProfile
"""What can play: a policy, code, a profile, a run."""


@dataclass(frozen=True)
class _Called:
    """Somebody's code, called in the same way whatever its kind."""

    act: Acting
    begin: Callable[[int, Rules], None]
    end: Callable[[Hand], None]

    @classmethod
    def of(cls, agent: Code) -> "_Called":
        """Return `agent` with an `act` of turns; its signature decides how it is called.

        It gets the turn, or only its label, as the annotation or the name of its first argument
        says (`turn`, `label`). Otherwise, it gets turns if it takes three arguments.
        """
        act: Any = getattr(agent, "act", agent)
        if isinstance(agent, type):
            name = agent.__name__
            raise InvalidOption(f"{name} is a class, not an agent; make one of it: {name}()")
        if not callable(act):
            raise _not_an_agent(agent)
        try:
            signature = inspect.signature(act)
        except (TypeError, ValueError):  # some callables written in C have none
            return cls(label_agent(act), *_hooks(agent))
        wants_turn = _wants_turn(signature)
        if wants_turn is None:
            wants_turn = _takes(signature, 3)
        # The third argument of an agent of labels is its own, if it has a default.
        counts = (3, 2, 1) if wants_turn else (2, 1, 3)
        for count in counts:
            if _takes(signature, count):
                return cls(_acting(act, count, wants_turn=wants_turn), *_hooks(agent))
        raise _not_an_agent(agent)


class CodePolicy(Policy):
    """Asks code written in Python, which sees turns or labels."""

    def __init__(self, name: str, agent: Code) -> None:
        self.name = name
        self._called = _Called.of(agent)
        self.wants_records = not isinstance(agent, Policy) and hasattr(agent, "end")

    def begin(self, seat: int, rules: Rules) -> None:
        """Pass on the beginning of a hand."""
        with _errors_of_agent(self.name, "at the beginning of a hand"):
            self._called.begin(seat, rules)

    def choose(
        self, state: Any, asked: Choice, rng: Uniforms, clock: Clock | None = None
    ) -> tuple[Action, Any]:
        """Return what the code answers, checked."""
        turn, actions = turn_at(*asked), asked.actions
        with _errors_of_agent(self.name, f"at infoset {turn.label!r}"):
            answer = self._called.act(turn, rng, Clock() if clock is None else clock)
        if (many := many_of(actions)) is not None:
            found = many.named(answer) if isinstance(answer, str) else None
            if found is not None:
                return found, state
        else:
            for action, name in zip(actions, turn.actions, strict=True):
                if name == answer:
                    return action, state
        raise UnknownName(
            f"{self.name} answered {str(answer)[:40]!r} at infoset {turn.label!r}; the actions "
            f"are {', '.join(turn.actions[:20])}"
        )

    def end(self, state: Any, hand: Hand) -> None:
        """Pass on the end of a hand."""
        with _errors_of_agent(self.name, "at the end of a hand"):
            self._called.end(hand)


def as_policy(given: PolicyLike) -> Policy:
    """Return what was given as a policy; code has the name of its class or function."""
    if isinstance(given, Policy):
        # A subclass of a strategy may have an `act` of its own.
        is_code = isinstance(given, TabularPolicy) and type(given).act is not TabularPolicy.act
        if not is_code:
            return given
    elif not hasattr(given, "act"):
        if isinstance(given, Mapping):
            return TabularPolicy(given, name="a profile")
        if isinstance(given, HasProfile) and isinstance(given.profile, Profile):
            game, profile = given.game, given.profile
            is_partial = game.is_partial
            return TabularPolicy(profile, game.forced, name="a profile", is_partial=is_partial)
    name = str(getattr(given, "__name__", type(given).__name__))
    return CodePolicy(name, given)  # type: ignore[arg-type]  # its form is checked


def _wants_turn(signature: inspect.Signature) -> bool | None:
    """Return whether the first argument is a turn, False for a label; None if it does not say."""
    first = next(iter(signature.parameters.values()), None)
    if first is None:
        return None
    annotation = first.annotation
    # Annotations may be text, as with `from __future__ import annotations`.
    named = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    if annotation is Turn or named.rpartition(".")[2] == Turn.__name__:
        return True
    if named == str.__name__:
        return False
    return {"turn": True, "label": False}.get(first.name)


def _acting(act: Callable[..., str], count: int, *, wants_turn: bool) -> Acting:
    """Return `act` as a function of three arguments, of which it takes the first `count`."""
    if wants_turn:
        return act if count == 3 else lambda *given: act(*given[:count])

    def act_on_label(turn: Turn, rng: Uniforms, clock: Clock) -> str:
        try:
            return act(*(turn.label, rng, clock)[:count])
        except AttributeError as error:
            if error.obj is turn.label and hasattr(turn, error.name or ""):
                raise InvalidOption(
                    f"the agent reads .{error.name} of the label {shortened(turn.label)}; call the "
                    "first argument of `act` turn, act(turn, rng, clock), to get the whole turn"
                ) from error
            raise

    return act_on_label


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
    return _acting(answer, 2 if takes_rng else 1, wants_turn=False)


def _hooks(agent: object) -> tuple[Callable[[int, Rules], None], Callable[[Hand], None]]:
    if isinstance(agent, Policy):  # its own are not those of an agent
        return lambda seat, rules: None, lambda hand: None
    begin, end = getattr(agent, "begin", None), getattr(agent, "end", None)
    return begin or (lambda seat, rules: None), end or (lambda hand: None)


def _takes(signature: inspect.Signature, count: int) -> bool:
    try:
        signature.bind(*range(count))
    except TypeError:
        return False
    return True


def _not_an_agent(given: object) -> InvalidOption:
    path = given if isinstance(given, str) else getattr(given, "path", None)
    if isinstance(path, str | Path):  # text as on the command line, or a blueprint that was loaded
        return InvalidOption(
            f"{shortened(given)} is not an agent; load one of it: game, [agent] = "
            f"load_agents([{shortened(str(path))}])"
        )
    return InvalidOption(
        f"{shortened(given)} is not an agent; give a function of a label, an object with "
        "act(label, rng) or act(turn, rng, clock), a run, a strategy, a solved spot, a blueprint "
        "or what load_agents returns"
    )


class _errors_of_agent:  # noqa: N801  # used like a function
    """Turn whatever an agent raises into an error of one line; cheaper than a generator."""

    __slots__ = ("_name", "_where")

    def __init__(self, name: str, where: str) -> None:
        self._name = name
        self._where = where

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception | SystemExit) and not isinstance(error, UntiltError):
            raise UntiltError(
                f"{self._name} failed {self._where}: {described_error(error)}"
            ) from error
