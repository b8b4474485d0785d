"""Reading a number that a user gives: on the command line, in a file, in a request or in Python.

    Integer(least=1, most=256).read("threads", 4)       4
    Number(above=0).parse("time", "1e3")                1000.0

`read` takes a Python or NumPy number, but not a bool; `parse` takes text, such as `1000`, `1_000`,
`1e3` or `-0.5`. An integer may be written `1e5`, but not `0.5`. A number is finite unless its kind
says otherwise. Whatever else is given raises InvalidOption, which says what is allowed.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from untilt.errors import InvalidOption

LARGEST_INTEGER = 2**64 - 1
"""No count, seed or size is larger."""
LARGEST_NUMBER = 1e300
"""A larger number would become infinite in the first computation."""

_TEXT = re.compile(
    r"[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+)?",
    re.ASCII | re.IGNORECASE,
)
_INFINITY = re.compile(r"[+-]?inf(?:inity)?", re.ASCII | re.IGNORECASE)
_WHOLE = re.compile(r"([+-]?\d+(?:_\d+)*)(?:e\+?(\d+))?", re.ASCII | re.IGNORECASE)
_MAX_LENGTH = 1_000
_MAX_ZEROS = 400


def number_of(given: object) -> int | float | None:
    """Return the number that was given, perhaps infinite; None for anything else, and for nan.

    An integer stays one, so that it may be larger than a float can be.
    """
    if isinstance(given, bool):
        return None
    if isinstance(given, Integral):
        return int(given)
    if isinstance(given, Real):
        value = float(given)
        return None if math.isnan(value) else value
    return None


def number_in(text: str) -> int | float | None:
    """Return the number that a text is, perhaps infinite; None if it is not one.

    `1000` and `1e3` are integers, `1000.0` is not.
    """
    written = text.strip()
    if len(written) > _MAX_LENGTH:
        return None
    if found := _WHOLE.fullmatch(written):
        zeros = int((found[2] or "0")[:_MAX_LENGTH])
        return int(found[1]) * 10**zeros if zeros <= _MAX_ZEROS else float(written)
    if _TEXT.fullmatch(written) or _INFINITY.fullmatch(written):
        return float(written)
    return None


@dataclass(frozen=True)
class Amount:
    """A pot or stack as it was given: a number, in big blinds or without a unit."""

    number: int | float
    is_in_bb: bool

    @classmethod
    def read(cls, name: str, given: object, allowed: str) -> "Amount":
        """Return the amount that a number or a text such as `92.5bb` or `925` is.

        Anything else, and what is below 0, raises InvalidOption, which says what is `allowed`.
        """
        text = given.strip().lower() if isinstance(given, str) else ""
        number = number_in(text.removesuffix("bb")) if text else number_of(given)
        if number is None or not Number(least=0).accepts(number):
            raise InvalidOption.of(name, given, allowed)
        return cls(number, text.endswith("bb"))

    def times(self, factor: int) -> int | None:
        """Return `factor` times the number; None if that is not whole."""
        found = self.number * factor
        whole = round(found)
        return whole if abs(found - whole) <= 1e-9 * max(1.0, abs(found)) else None


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mapping for JSON, which has no infinite numbers: they become strings."""
    return {
        name: str(value) if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in values.items()
    }


def finite(value: float | None) -> float | None:
    """Return a number for JSON, which has none that is infinite or nan: None."""
    return value if value is not None and math.isfinite(value) else None


def from_plain(value: Any) -> Any:
    """Return a value as it was before `plain`."""
    return float(value) if value in ("inf", "-inf") else value


@dataclass(frozen=True)
class Number:
    """A kind of number: which values are allowed."""

    least: float | None = None
    most: float | None = None
    above: float | None = None
    """A limit that is not allowed itself, in place of `least`."""
    below: float | None = None
    """The same, in place of `most`."""
    or_infinite: bool = False
    """Whether inf and -inf are allowed beside the finite numbers."""

    @property
    def allowed(self) -> str:
        """What is allowed, to complete "it must be"."""
        is_bounded = self.or_infinite or not (self.most is None and self.below is None)
        return f"a {'' if is_bounded else 'finite '}number{self._limits()}"

    def accepts(self, given: object) -> bool:
        """Whether this is a number that is allowed."""
        value = number_of(given)
        return value is not None and self._has(value)

    def read(self, name: str, given: object) -> float:
        """Return the number that was given; raises InvalidOption, which names the argument."""
        return self._checked(name, given, number_of(given))

    def parse(self, name: str, text: str) -> float:
        """Return the number that a text is; raises InvalidOption, which names the argument."""
        return self._checked(name, text, number_in(text))

    def _checked(self, name: str, given: object, value: float | None) -> float:
        if value is None or not self._has(value):
            raise InvalidOption.of(name, given, f"it must be {self.allowed}")
        return float(value)

    def _has(self, value: float) -> bool:
        is_infinite = isinstance(value, float) and math.isinf(value)
        return (
            (self.or_infinite if is_infinite else abs(value) <= LARGEST_NUMBER)
            and (self.least is None or self.least <= value)
            and (self.most is None or value <= self.most)
            and (self.above is None or self.above < value)
            and (self.below is None or value < self.below)
        )

    def _limits(self) -> str:
        if self.least is not None and self.most is not None:
            return f" from {_shown(self.least)} to {_shown(self.most)}"
        limits = {
            "at least": self.least,
            "above": self.above,
            "at most": self.most,
            "below": self.below,
        }
        given = [f"{word} {_shown(limit)}" for word, limit in limits.items() if limit is not None]
        return f", {' and '.join(given)}" if given else ""


@dataclass(frozen=True)
class Integer:
    """A kind of integer: which values are allowed."""

    least: int = -LARGEST_INTEGER
    most: int = LARGEST_INTEGER

    @property
    def allowed(self) -> str:
        """What is allowed, to complete "it must be"."""
        if self.most < LARGEST_INTEGER:
            return f"an integer from {self.least:,} to {self.most:,}"
        return "an integer" + (f", at least {self.least:,}" if self.least > -self.most else "")

    def accepts(self, given: object) -> bool:
        """Whether this is an integer that is allowed."""
        value = number_of(given)
        return isinstance(value, int) and self.least <= value <= self.most

    def read(self, name: str, given: object) -> int:
        """Return the integer that was given; raises InvalidOption, which names the argument."""
        return self._checked(name, given, number_of(given))

    def parse(self, name: str, text: str) -> int:
        """Return the integer that a text is; raises InvalidOption, which names the argument."""
        return self._checked(name, text, number_in(text))

    def _checked(self, name: str, given: object, value: int | float | None) -> int:
        if not isinstance(value, int) or not self.least <= value <= self.most:
            raise InvalidOption.of(name, given, f"it must be {self.allowed}")
        return value


def _shown(limit: float) -> str:
    return f"{int(limit):,}" if limit == int(limit) else f"{limit:g}"
