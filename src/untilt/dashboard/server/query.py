"""Checked parameters of a request; a wrong one raises InvalidOption with one line."""

from collections.abc import Sequence

from starlette.requests import Request

from untilt.errors import InvalidOption
from untilt.number import Integer, Number

_MAX_TEXT = 2_000


def integer(request: Request, name: str, default: int, low: int, high: int) -> int:
    """Return an integer from `low` to `high`."""
    given = request.query_params.get(name)
    if given is None:
        return default
    return Integer(low, high).parse(name, given)


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
    return None if given is None else Number().parse(name, given)


def text(request: Request, name: str) -> str | None:
    """Return a text of bounded length, None if it is not given."""
    given = request.query_params.get(name)
    if given is not None and len(given) > _MAX_TEXT:
        raise InvalidOption(f"{name} has {len(given)} characters; at most {_MAX_TEXT} are allowed")
    return given
