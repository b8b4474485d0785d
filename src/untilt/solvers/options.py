"""Options of solvers: each is declared once, with its type, default, check and help.

The command line, the checks and the tables in the documentation are built from these. This module
does not load NumPy, so `untilt solve --help` stays fast.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from untilt.errors import Argument, InvalidOption, UnknownName, shortened
from untilt.number import Integer, Number

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


_WORDS = {bool: "True or False", int: "an integer", float: "a number", str: "a text"}


@dataclass(frozen=True)
class Option:
    """One option of a method."""

    name: str
    """The Python argument; the command line has dashes for underscores."""
    type: type
    default: Value
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

    def by_default(self, default: Value) -> "Option":
        """Return the option with another default."""
        return replace(self, default=default)

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        if self.choices:
            return _either(self.choices)
        return _WORDS[self.type] if self.check is None else self.check.words

    def accepts(self, value: Any) -> bool:
        """Return whether the option takes `value`."""
        if self.choices:
            return isinstance(value, str) and value in self.choices
        return self._is_of_type(value) and (self.check is None or self.check.accepts(value))

    def verify(self, value: Any, argument: str | None = None) -> None:
        """Raise InvalidOption or UnknownName if the option does not take `value`.

        The error names the option, or the `argument` that has another name.
        """
        name = argument or self.name
        if self.accepts(value):
            return
        if self.choices:
            text = value if isinstance(value, str) else shortened(value)
            raise UnknownName.among(Argument(name), text, self.choices)
        why = f": {self.check.why}" if self.check is not None and self.check.why else ""
        raise InvalidOption.of(name, value, f"it must be {self.allowed}{why}")

    def _is_of_type(self, value: Any) -> bool:
        if isinstance(value, bool) or self.type is not float:
            return isinstance(value, self.type) and isinstance(value, bool) == (self.type is bool)
        return Number(or_infinite=True).accepts(value)


def verified(options: Iterable[Option], given: Mapping[str, Any]) -> Options:
    """Return a value of every option: a `given` one, which is verified, or its default.

    All names of `given` must be options.
    """
    known = {option.name: option for option in options}
    for name, value in given.items():
        known[name].verify(value)
    return {**{name: option.default for name, option in known.items()}, **given}


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


def _either(names: tuple[str, ...]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
