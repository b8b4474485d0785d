"""Checked parameters of a request; a wrong one raises InvalidOption with one line."""

import math
from collections.abc import Sequence

from starlette.requests import Request

from untilt.errors import InvalidOption

_MAX_TEXT = 2_000


def integer(request: Request, name: str, default: int, low: int, high: int) -> int:
    """Return an integer from `low` to `high`."""
    given = request.query_params.get(name)
    if given is None:
        return default
    digits = given.removeprefix("-")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= 20
    if not is_number or not low <= int(given) <= high:
        raise InvalidOption(f"{name} is {given[:40]!r}; it must be an integer from {low} to {high}")
    return int(given)


def choice(request: Request, name: str, allowed: Sequence[int]) -> int:
    """Return one of the `allowed` numbers, the first if it is not given."""
    given = request.query_params.get(name, str(allowed[0]))
    if given not in map(str, allowed):
        listed = " or ".join(map(str, allowed))
        raise InvalidOption(f"{name} is {given[:40]!r}; it must be {listed}")
    return int(given)


def number(request: Request, name: str) -> float | None:
    """Return a finite number, None if it is not given."""
    given = request.query_params.get(name)
    if given is None:
        return None
    try:
        value = float(given)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InvalidOption(f"{name} is {given[:40]!r}; it must be a number")
    return value


def text(request: Request, name: str) -> str | None:
    """Return a text of bounded length, None if it is not given."""
    given = request.query_params.get(name)
    if given is not None and len(given) > _MAX_TEXT:
        raise InvalidOption(f"{name} has {len(given)} characters; at most {_MAX_TEXT} are allowed")
    return given
