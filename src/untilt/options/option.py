"""One option: its name, type, default, check and help; its flag is built from these.

The command line, the checks and the tables in the documentation are built from such rows.
"""

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from untilt.errors import Argument, InvalidOption, UnknownName, flag_of, shortened
from untilt.number import Integer, Number, number_in, number_of

MANY = 2**62
"""The most iterations or infosets that anything counts."""

Value = float | int | str
Options = dict[str, Value]
"""All options of a method by name."""


@dataclass(frozen=True)
class Check:
    """The values of its type that an option takes."""

    words: str
    """The allowed values, to complete "it must be"."""
    accepts: Callable[[Any], bool]
    why: str = ""
    """The reason that other values are refused, if it is not obvious."""


_WORDS: Mapping[type, str] = {
    bool: "True or False",
    int: "an integer",
    float: "a number",
    str: "text",
    Path: "a path",
    list: "a list of texts",
}


@dataclass(frozen=True)
class Option:
    """One option of a method, a kind of run or a command."""

    name: str
    """The Python argument; the command line has dashes for underscores."""
    type: type
    """bool, int, float, str, Path, or list: text that can be given several times."""
    default: Any
    """None if there is no value unless one is given."""
    help: str
    """A sentence, with a capital and a full stop; allowed values and defaults are added to it."""
    check: Check | None = None
    choices: tuple[str, ...] = ()
    """All allowed values, if there are only a few."""
    is_neutral: bool = False
    """Whether it changes how the result is computed, not the result."""
    is_flag: bool = True
    """Whether the command line has a flag for it."""
    metavar: str | None = None
    """The placeholder for its value in the command-line help, if not its type."""
    flag: str = ""
    """The flag, if it is not the name; both flags of a switch that is on, or the one for off."""
    short: str = ""
    """A flag of one letter, such as `-n`."""
    also: tuple[str, ...] = ()
    """Other names that are accepted, but not shown."""
    can_change: bool = False
    """Whether a run can be continued with another value."""

    def by_default(self, default: Any) -> "Option":
        """Return the option with another default."""
        return replace(self, default=default)

    @property
    def spelling(self) -> str:
        """The flag on the command line."""
        return (self.flag or flag_of(self.name)).partition("/")[0]

    @property
    def is_off_switch(self) -> bool:
        """Whether its only flag turns it off: it is on by default."""
        return self.default is True and bool(self.flag) and "/" not in self.flag

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        if self.choices:
            return _either(self.choices)
        return _WORDS[self.type] if self.check is None else self.check.words

    def accepts(self, value: Any) -> bool:
        """Return whether the option takes `value`."""
        if value is None:
            return self.default is None
        if self.choices:
            return isinstance(value, str) and value in self.choices
        return self._is_of_type(value) and (self.check is None or self.check.accepts(value))

    def verify(self, value: Any, argument: str | None = None) -> None:
        """Raise InvalidOption or UnknownName if the option does not take `value`.

        The error names the option, or the `argument` that has another name.
        """
        if self.accepts(value):
            return
        named = Argument(argument) if argument else self.argument
        if self.choices:
            text = value if isinstance(value, str) else shortened(value)
            raise UnknownName.among(named, text, self.choices)
        why = f": {self.check.why}" if self.check is not None and self.check.why else ""
        raise InvalidOption(named, f" is {shortened(value)}; it must be {self.allowed}{why}")

    def read(self, value: Any, argument: str | None = None) -> Any:
        """Return a verified value: a number of NumPy's becomes one of Python's."""
        self.verify(value, argument)
        is_foreign = self.type in (int, float) and not isinstance(value, int | float | None)
        return number_of(value) if is_foreign else value

    def parse(self, text: str) -> Any:
        """Return the value that a text stands for, verified."""
        is_number = self.type in (int, float)
        found = number_in(text) if is_number else text
        if found is None:
            self.verify(text)
        return self.read(found)

    @property
    def argument(self) -> Argument:
        """The option in a message: its name in Python, its flag in a command."""
        return Argument(self.name, flag=self.spelling)

    def _is_of_type(self, value: Any) -> bool:
        if self.type is float:
            return Number(or_infinite=True).accepts(value)
        if self.type is int:
            return Integer().accepts(value)
        if self.type is Path:
            return isinstance(value, str | os.PathLike)
        if self.type is list:
            return isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)
        return isinstance(value, self.type)


def renamed(options: Iterable[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is given by the names of today, for the other names of an option."""
    names = {other: option.name for option in options for other in option.also}
    found: dict[str, Any] = {}
    for name, value in given.items():
        own = names.get(name, name)
        if own in found:
            first = next(each for each in given if names.get(each, each) == own)
            raise InvalidOption(
                Argument(first), " and ", Argument(name), " mean the same; give one of them"
            )
        found[own] = value
    return found


def verified(options: Iterable[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value of every option: a `given` one, which is verified, or its default.

    Raises UnknownName for a name that is none of them.
    """
    known = {option.name: option for option in options}
    chosen = renamed(known.values(), given)
    for name in chosen:
        if name not in known:
            raise UnknownName.among("option", name, known)
    read = {name: known[name].read(value) for name, value in chosen.items()}
    return {**{name: option.default for name, option in known.items()}, **read}


def verify(options: Iterable[Option], /, **given: Any) -> None:
    """Raise InvalidOption or UnknownName if one of these options is given what it does not take."""
    known = {option.name: option for option in options}
    for name, value in given.items():
        known[name].verify(value)


def verify_unchanged(options: Iterable[Option], given: Iterable[str], what: str = "a run") -> None:
    """Raise InvalidOption if something is given that a continued run cannot change."""
    rows = list(options)
    may_change = {option.name for option in rows if option.can_change}
    reason = (Argument("resume"), f" continues {what} with its original settings")
    refuse_others(rows, given, may_change, *reason)


def refuse_others(
    options: Iterable[Option],
    given: Iterable[str],
    allowed: Collection[str],
    *reason: str | Argument,
) -> None:
    """Raise InvalidOption, with the reason, if anything is given that is not allowed.

    What is no option is named as it is.
    """
    known = {option.name: option.argument for option in options}
    for name in given:
        if name not in allowed:
            raise InvalidOption(*reason, "; leave ", known.get(name, name), " out")


def integer(least: int, most: int = MANY) -> Check:
    """Return the check for an integer from `least` to `most`."""
    allowed = Integer(least, most)
    words = f"an integer, at least {least:,}" if most == MANY else allowed.allowed
    return Check(words, allowed.accepts)


def number(least: float, most: float) -> Check:
    """Return the check for a number from `least` to `most`."""
    allowed = Number(least=least, most=most)
    words = f"a number in [{least:g}, {most:g}]"
    return Check(words, allowed.accepts)


def positive_number(most: float, why: str) -> Check:
    """Return the check for a number above 0 up to `most`."""
    allowed = Number(above=0.0, most=most)
    words = f"a number in (0, {most:g}]"
    return Check(words, allowed.accepts, why)


def checked_by(allowed: Integer | Number) -> Check:
    """Return the check for a kind of number."""
    return Check(allowed.allowed, allowed.accepts)


def _either(names: tuple[str, ...]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
