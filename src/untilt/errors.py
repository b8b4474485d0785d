"""Errors that a user can cause, all below one base class.

UntiltError                 anything below; the command line prints it as one line, exit status 2
├── GameError               a game breaks the rules of the `Game` protocol
│   ├── ImperfectRecall     a player forgets something: there is no sequence form
│   └── GameTooLarge        more histories than the node limit allows
├── CardError               a card, hand or set of cards is invalid
├── NotZeroSum              the solver or measure needs payoffs that sum to zero
├── UnknownName             no game, method, parameter or label has that name
├── StrategyError           a strategy does not fit its game
├── FormatError             a file is damaged, truncated or of the wrong kind
├── StorageError            the disk is full (exit status 1), or a folder cannot be written
├── RunError                a run folder cannot be used (locked, unfinished, not a run)
├── ClusterError            a cluster cannot be used, or has lost its workers (status 1)
├── EngineError             an engine cannot be reached, sends rubbish, or disappears (status 1)
├── PluginError             a game or method of another package cannot be loaded
└── InvalidOption           an option is out of range or does not apply

A message says on one line what was given, what is allowed and what to do next. It names an
argument `time` in Python and `--time` on the command line; see `Argument`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Any


def shortened(value: object, length: int = 60) -> str:
    """Return a value as one line of text for an error message."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an integer of more than 4,300 digits, or a user's class
        text = f"<{type(value).__name__} that cannot be printed>"
    return text if len(text) <= length else f"{text[: length - 1]}…"


def message_of(error: BaseException) -> str:
    """Return the message of an error of somebody's code as one line; empty if that fails."""
    try:
        return " ".join(str(error).split())
    except Exception:
        return ""


def readable(message: str) -> str:
    """Return a message without the middle of what is far too long: a word, or all of it."""
    # No file that people have has a path of 400 characters.
    message = re.sub(r"\S{400,}", lambda word: f"{word[0][:60]}…{word[0][-20:]}", message)
    return message if len(message) <= 2_500 else f"{message[:1_000]} … {message[-500:]}"


def flag_of(argument: str) -> str:
    """Return the flag that sets an argument: `--max-nodes` for `max_nodes`."""
    irregular = {
        "path": "--method",
        "seconds": "--time",
    }
    return irregular.get(argument) or f"--{argument.replace('_', '-')}"


@dataclass(frozen=True)
class Argument:
    """An argument in a message, by its Python name, with or without a value."""

    name: str
    value: str | float | None = None
    flag: str = ""
    """Its flag, if that is not the name with dashes."""

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}={self.value!r}"


class UntiltError(Exception):
    """Base of every error that Untilt raises on bad input; its arguments make up the message."""

    def __init__(self, *message: str | Argument) -> None:
        super().__init__(*message)

    def __str__(self) -> str:
        return readable("".join(map(str, self.args)))

    def for_command(self) -> str:
        """Return the message with flags for arguments: `--on tree` for `on='tree'`.

        A switch has no value: `--trust` for `trust=True`.
        """

        def words(part: str | Argument) -> str:
            if isinstance(part, str):
                return part
            is_alone = part.value is None or part.value is True
            flag = part.flag or flag_of(part.name)
            return flag + ("" if is_alone else f" {part.value}")

        return readable("".join(map(words, self.args)))


class GameError(UntiltError):
    """A game breaks the rules of the `Game` protocol."""


class ImperfectRecall(GameError):
    """A player forgets a move or an observation, so no sequence form exists."""


class GameTooLarge(GameError):
    """A game has more histories than the node limit allows."""


class CardError(UntiltError):
    """A card, hand or set of cards is invalid: misspelt, repeated, too many or too few."""


class NotZeroSum(UntiltError):
    """A zero-sum solver or measure was given a game whose payoffs do not sum to zero."""

    @classmethod
    def of_solver(
        cls, reason: str = "the payoffs of this game do not sum to zero at every terminal"
    ) -> "NotZeroSum":
        """Return the error of a zero-sum solver, with the calls that solve such a game."""
        return cls(
            f"{reason}, and this solver is for zero-sum games only; ",
            "for a Nash equilibrium use untilt.qre(game, limit=True), or untilt.solve(game, "
            '"gambit-lcp") (extra: gambit)',
        )

    def for_game(self, words: str) -> "NotZeroSum":
        """Return the error of a zero-sum solver with commands; `words` name the game in a shell."""
        reason, *calls = self.args
        if len(calls) != 1:  # it has advice of its own
            return self
        return type(self)(
            reason,
            f"for a Nash equilibrium use `untilt qre {words} --limit`, or `untilt solve {words} "
            "--method gambit-lcp` (extra: gambit)",
        )


class UnknownName(UntiltError):
    """No game, method, parameter or label has that name."""

    @classmethod
    def among(cls, what: str | Argument, given: object, allowed: Iterable[str]) -> "UnknownName":
        """Return the error for `given`, with the nearest of the `allowed` names."""
        names = list(allowed)
        text = given if isinstance(given, str) else shortened(given)
        near = nearest(text, names)
        hint = "" if near is None else f"did you mean {near!r}? "
        shown = (repr(name) if ", " in name else name for name in names[:20])
        listed = ", ".join(shown) + (", …" if len(names) > 20 else "")
        return cls("unknown ", what, f" {shortened(text, 100)}: {hint}known: {listed or 'none'}")


def nearest(given: str, names: Iterable[str]) -> str | None:
    """Return the name that `given` probably means, if one is close."""
    known = list(names)
    if len(given) > 200:
        return None  # comparing takes the square of the length
    for name in known:
        if name.casefold() == given.casefold():
            return name
    near = get_close_matches(given, known, n=1, cutoff=0.5)
    return near[0] if near else None


class StrategyError(UntiltError):
    """A strategy does not fit its game."""


class FormatError(UntiltError):
    """A file is damaged, truncated or of the wrong kind."""


class StorageError(UntiltError):
    """The disk is full, or a folder cannot be written.

    `is_full` says that the disk or the user's quota is exhausted: the request was valid but could
    not be finished, which has a different exit status than bad input.
    """

    def __init__(self, *message: str | Argument, is_full: bool = False) -> None:
        super().__init__(*message)
        self.is_full = is_full


class RunError(UntiltError):
    """A run folder cannot be used."""


class EngineError(UntiltError):
    """An engine in which a bot plays cannot be reached, or breaks its protocol.

    `is_gone` says that it closed the connection in the middle of a match: nothing was wrong with
    the request, which has a different exit status than bad input.
    """

    def __init__(self, *message: str | Argument, is_gone: bool = False) -> None:
        super().__init__(*message)
        self.is_gone = is_gone


class ClusterError(UntiltError):
    """A cluster cannot be reached or used.

    `is_gone` says that it was lost in the middle of the work: nothing was wrong with the request,
    which has a different exit status than bad input.
    """

    def __init__(self, *message: str | Argument, is_gone: bool = False) -> None:
        super().__init__(*message)
        self.is_gone = is_gone


class PluginError(UntiltError):
    """A game or method that another package offers cannot be loaded."""


class InvalidOption(UntiltError):
    """An option is out of range or does not apply."""

    @classmethod
    def of(cls, argument: str, value: object, allowed: str) -> "InvalidOption":
        """Return the error for an argument by its Python name: `time is -1; it must be …`."""
        return cls(Argument(argument), f" is {shortened(value)}; {allowed}")


def require(module: str, *what: str | Argument) -> Any:
    """Import and return a `module` that is not always installed.

    Raises InvalidOption if it is missing; the message begins with `what`, which needs it.
    """
    try:
        return import_module(module)
    except ImportError:
        extra = {"matplotlib": "plot", "pandas": "pandas", "pyspiel": "openspiel"}[module]
        raise InvalidOption(
            *what, f" needs {module}: pip install 'untilt[{extra}]', or uv run --extra {extra}"
        ) from None
