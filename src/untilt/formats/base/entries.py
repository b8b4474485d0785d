"""The entries of a JSON object from a file, taken one by one and checked by type.

Readers that show what they can and readers that need every entry share one parser: faults are
recorded by name, and a reader that needs an entry calls `verify`.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from untilt.errors import FormatError
from untilt.formats.base.files import shown

T = TypeVar("T")

_LARGEST = 1e308
_WRONG = "an entry is missing or has the wrong type"


class Entries:
    """A JSON object; `flaws` says by name what is wrong with the entries taken so far."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given
        self.flaws: dict[str, str] = {}

    def take(self, name: str, kinds: type[T] | tuple[type[T], ...], default: T) -> T:
        """Return the entry if it is of one of the types (a bool is not an int), else `default`."""
        value = self._given.get(name, _MISSING)
        is_bool = isinstance(value, bool)
        if isinstance(value, kinds) and (not is_bool or kinds is bool):
            return value
        self.flaws[name] = _WRONG
        return default

    def optional(self, name: str, kinds: type[T] | tuple[type[T], ...]) -> T | None:
        """Return the entry if it exists and has one of the types; None for null."""
        return None if self._given.get(name, _MISSING) is None else self.take(name, kinds, None)

    def number(self, name: str, *, at_least: float = -math.inf, below: float = math.inf) -> float:
        """Return a finite number in the range, nan for anything else."""
        value = self.take(name, (int, float), math.nan)
        # Compared as it is: an integer may be too large for a float.
        if at_least <= value < below and abs(value) < _LARGEST:
            return float(value)
        self.flaws.setdefault(name, _WRONG)
        return math.nan


_MISSING = object()


def verify(path: Path, flaws: Mapping[str, str], *names: str) -> None:
    """Raise FormatError if one of these entries is among the flaws."""
    for name in names:
        if name in flaws:
            raise damaged(path, flaws[name])


def damaged(path: Path, what: str = _WRONG) -> FormatError:
    """Return the error for a JSON file with missing or invalid content."""
    return FormatError(f"{shown(path)} is damaged ({what})")
