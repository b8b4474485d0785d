"""Options of solvers: each is declared once, with its type, default, check and help.

The command line, the checks and the tables of the documentation are made of these. Nothing here
loads NumPy, so that `untilt solve --help` stays fast.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from untilt.errors import InvalidOption, UnknownName, shortened

Value = float | int | str
Options = dict[str, Value]
"""All options of a method by name."""


@dataclass(frozen=True)
class Check:
    """Which values of its type an option takes."""

    words: str
    """What is allowed, to complete "it must be"."""
    accepts: Callable[[Any], bool]
    why: str = ""
    """Why other values are refused, where that is not plain."""


_WORDS = {bool: "True or False", int: "an integer", float: "a number", str: "a text"}


@dataclass(frozen=True)
class Option:
    """One option of a method."""

    name: str
    """As an argument in Python; the command line has dashes for underscores."""
    type: type
    default: Value
    help: str
    """A sentence, with a capital and a full stop; allowed values and defaults are added to it."""
    check: Check | None = None
    choices: tuple[str, ...] = ()
    """All values, for a text that is one of a few."""
    is_neutral: bool = False
    """Whether it changes how the result is computed, not the result."""

    def by_default(self, default: Value) -> "Option":
        """Return the option with another default."""
        return replace(self, default=default)

    @property
    def allowed(self) -> str:
        """What values it takes, in words."""
        if self.choices:
            return _either(self.choices)
        return _WORDS[self.type] if self.check is None else self.check.words

    def verify(self, value: Any) -> None:
        """Raise InvalidOption or UnknownName if the option does not take `value`."""
        if self.choices:
            if not isinstance(value, str) or value not in self.choices:
                text = value if isinstance(value, str) else shortened(value)
                raise UnknownName.among(self.name, text, self.choices)
        elif not self._is_of_type(value) or not (self.check is None or self.check.accepts(value)):
            why = f": {self.check.why}" if self.check is not None and self.check.why else ""
            raise InvalidOption.of(self.name, value, f"it must be {self.allowed}{why}")

    def _is_of_type(self, value: Any) -> bool:
        if isinstance(value, bool) or self.type is not float:
            return isinstance(value, self.type) and isinstance(value, bool) == (self.type is bool)
        if isinstance(value, int):
            return abs(value) <= sys.float_info.max
        return isinstance(value, float) and not math.isnan(value)


def integer(least: int, most: int | None = None) -> Check:
    """Return the check for an integer from `least` to `most`."""
    if most is None:
        return Check(f"an integer, at least {least:,}", lambda value: bool(least <= value))
    return Check(
        f"an integer from {least:,} to {most:,}", lambda value: bool(least <= value <= most)
    )


def number(least: float, most: float) -> Check:
    """Return the check for a number from `least` to `most`."""
    return Check(f"a number in [{least:g}, {most:g}]", lambda value: bool(least <= value <= most))


def positive_number(most: float, why: str) -> Check:
    """Return the check for a number above 0 up to `most`."""
    return Check(f"a number in (0, {most:g}]", lambda value: bool(0.0 < value <= most), why)


def _either(names: tuple[str, ...]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
