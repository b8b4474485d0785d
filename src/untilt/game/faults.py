"""Errors in a user's game, reported with file, line and history.

Python would not report some mistakes at once: a property written as a method, or infosets that
compare by identity. These are checked once per type, which costs one comparison per position.
"""

import enum
import inspect
import math
import os
import re
import sysconfig
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from untilt.errors import GameError, UntiltError, message_of, shortened

_PROPERTIES = ("terminal", "chance", "active")
_METHODS = ("payoff", "chances", "sample", "infoset", "apply")
_PACKAGE = str(Path(__file__).parent.parent)
_DEFAULT_REPR = re.compile(r"<[^<>]* at 0x[0-9a-fA-F]+>")

EQUALITY_REMEDY = "give it __eq__ and __hash__, or make it a NamedTuple or a frozen dataclass"
"""The advice for infosets that are not equal although they should be."""


@contextmanager
def errors_of_game(history: Callable[[], str]) -> Iterator[None]:
    """Turn whatever a game raises into a `GameError` of one line; `history` names the position."""
    try:
        yield
    except UntiltError:
        raise
    except (Exception, SystemExit) as error:
        raise game_raised(error, history()) from error


def game_raised(error: BaseException, history: str) -> GameError:
    """Return the error for something that a game raised at `history`."""
    where = f"at {history}{_in_file(error)}"
    if isinstance(error, RecursionError):
        return GameError(f"the game calls itself without end {where}")
    if isinstance(error, TypeError) and message_of(error).startswith(("unhashable", "cannot use")):
        return GameError(
            f"an infoset, action or outcome cannot be hashed ({error}) {where}: keep tuples in it "
            "instead of lists, sets and dicts, or make it a NamedTuple or a frozen dataclass"
        )
    if isinstance(error, SystemExit):
        return GameError(f"the game raised {_named(error)}, as exit() does, {where}")
    return GameError(f"the game raised {_named(error)} {where}")


def described_error(error: BaseException) -> str:
    """Return type, message, file and line of an error of the user's code, on one line."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        name = f"{type(error).__name__}: {error.msg}"
        return f"{name} ({_displayed(error.filename)}, line {error.lineno})"
    return f"{_named(error)}{_in_file(error)}"


def verify_position_type(position: object, history: Callable[[], str]) -> None:
    """Raise GameError if the type of `position` has a property where a method belongs, or vice
    versa, or is not a position at all.
    """
    kind = type(position)
    for name in _PROPERTIES:
        member = inspect.getattr_static(kind, name, None)
        if inspect.isfunction(member) or isinstance(member, staticmethod | classmethod):
            raise _method_instead(name, kind.__name__, history())
    for name in _METHODS:
        member = inspect.getattr_static(kind, name, None)
        if isinstance(member, property | cached_property):
            raise GameError(
                f"`{name}` of {kind.__name__!r} is a property; it must be a method: remove "
                "@property above it"
            )
    if not any(hasattr(position, name) for name in _METHODS):
        raise GameError(
            f"`apply` returned {shortened(position)} at {history()}; it must return the next "
            "position"
        )


def truth_of(name: str, given: object, position: object, history: Callable[[], str]) -> bool:
    """Return `given`, the `terminal` or `chance` of a position, as a truth value."""
    if callable(given):
        raise _method_instead(name, type(position).__name__, history())
    return bool(given)


def verify_infoset_type(infoset: object, history: Callable[[], str]) -> None:
    """Raise GameError if infosets of this type do not compare by what a player knows."""
    kind = type(infoset)
    actions = inspect.getattr_static(kind, "actions", None)
    if isinstance(actions, property | cached_property) or not callable(
        getattr(infoset, "actions", None)
    ):
        raise GameError(
            f"the infoset at {history()} is {shortened(infoset)}, of type {kind.__name__!r}, "
            "which has no method `actions`: it must return the legal actions"
        )
    if kind.__hash__ is None:
        raise GameError(f"infosets of type {kind.__name__!r} cannot be hashed: {EQUALITY_REMEDY}")
    # Members of an enumeration are made once each: for them identity is equality.
    if kind.__eq__ is object.__eq__ and not issubclass(kind, enum.Enum):
        raise GameError(
            f"infosets of type {kind.__name__!r} have no equality: two positions that a player "
            f"cannot tell apart would count as two infosets; {EQUALITY_REMEDY}"
        )
    if kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__:
        raise GameError(
            f"infosets of type {kind.__name__!r} have no name: give it __str__, which is the "
            "label of the infoset in files and tables"
        )


def verify_name(what: str, name: str) -> None:
    """Raise GameError if the name of an infoset or action contains the address of an object."""
    if " at 0x" in name and _DEFAULT_REPR.search(name):
        raise GameError(
            f"the name of {what} is {name[:200]!r}, which contains the address of an object: it "
            "differs in every run, so give that object __str__ or __repr__"
        )


def number_of(what: str, given: object, history: Callable[[], str]) -> float:
    """Return `given`, a payoff or probability, as a finite float."""
    kind = type(given)
    is_number = hasattr(kind, "__float__") or hasattr(kind, "__index__")
    if not is_number or kind.__name__ in ("bool", "bool_"):
        raise GameError(f"{what} is {shortened(given)} at {history()}; it must be a number")
    try:
        number = float(given)  # type: ignore[arg-type]  # it has one of the two methods
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise GameError(f"{what} is {number} at {history()}; it must be finite")
    return number


def _method_instead(name: str, kind: str, history: str) -> GameError:
    return GameError(
        f"`{name}` of {kind!r} is a method, found at {history}; it must be a property: write "
        "@property above it, or call it there"
    )


def _named(error: BaseException) -> str:
    message = message_of(error)
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _in_file(error: BaseException) -> str:
    place = _place(error)
    return "" if place is None else f" ({_displayed(place[0])}, line {place[1]})"


def _place(error: BaseException) -> tuple[str, int | None] | None:
    """Return file and line of the innermost frame in the user's code, None if it has none.

    A game may be an installed package: if all frames are within libraries, the innermost one
    counts as the user's.
    """
    paths = sysconfig.get_paths()
    python = ("<frozen", "<string>", paths["stdlib"], _PACKAGE)  # dataclasses write "<string>"
    installed = (paths["purelib"], paths["platlib"])
    frames = [
        (frame.filename, frame.lineno)
        for frame in reversed(traceback.extract_tb(error.__traceback__))
        # Packages are installed below the standard library.
        if frame.filename.startswith(installed) or not frame.filename.startswith(python)
    ]
    outside = [frame for frame in frames if not frame[0].startswith(installed)]
    return next(iter(outside or frames), None)


def _displayed(filename: str) -> str:
    """Return a path relative to the current folder if the file is below it, else unchanged."""
    try:
        relative = os.path.relpath(filename)
    except ValueError:  # another drive
        return filename
    return filename if relative.startswith("..") else relative
