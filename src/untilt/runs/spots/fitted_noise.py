"""The noise of a spot from estimates: `me=1%,villain=fit.json`.

A file is what `untilt fit --spot SPOT --json` or `untilt hands tilt --json` printed. The first has
the noise of each seat in equilibrium, the second that of a player's decisions by the values of an
agent, as a share of the pot at each decision: an approximation of the same.
"""

import math
from pathlib import Path
from typing import Any

from untilt.errors import Argument, FormatError, InvalidOption, shortened
from untilt.formats.base.files import read_given_json, shown
from untilt.games.holdem.bets.sizes import SEATS

ME, VILLAIN = "me", "villain"
_SUFFIX = ".json"
_MAX_BYTES = 64 << 20


def fitted_noise(text: str, me: str | None = None) -> str:
    """Return a text for `Noise.parse`, with numbers for files and seats for `me` and `villain`.

    `me` is one's own seat, oop or ip. Raises InvalidOption if it is needed and missing, and
    FormatError for files that are no estimates.
    """
    entries = [entry.partition("=") for entry in text.split(",")]
    names = [name.strip() for name, sign, _ in entries if sign]
    is_named = bool({ME, VILLAIN} & set(names))
    if is_named and me is None:
        given = f" is {shortened(text)}; say which seat is yours: "
        raise InvalidOption(Argument("noise"), given, Argument("me"), " oop")
    if me is not None and not is_named:
        raise InvalidOption(Argument("me"), " is for noise such as me=1%,villain=fit.json")
    seat_of = {} if me is None else {ME: me, VILLAIN: SEATS[1 - SEATS.index(me)]}
    found = []
    for name, sign, value in entries:
        if not sign:
            found.append(_number(name, None))
            continue
        seat = seat_of.get(name.strip(), name.strip())
        found.append(f"{seat}={_number(value, seat)}")
    return ",".join(found)


def _number(value: str, seat: str | None) -> str:
    """Return the noise that a file found for a seat, or the text as it is."""
    if not value.strip().endswith(_SUFFIX):
        return value
    path = Path(value.strip())
    noise = _noise_of(read_given_json(path, max_bytes=_MAX_BYTES), seat)
    if noise is None:
        raise FormatError(
            f"{shown(path)} is no estimate of noise: give what `untilt fit --spot` or "
            "`untilt hands tilt` printed with --json"
        )
    if not math.isfinite(noise) or noise <= 0.0:
        raise FormatError(f"{shown(path)} found no noise between none and infinite; give a number")
    return f"{100.0 * noise:.6g}%"


def _noise_of(document: Any, seat: str | None) -> float | None:
    """Return the noise in a document, as a share of the pot; None if it has none."""
    match document:
        case {"per_player": {"noises": [int() | float() as first, int() | float() as second]}} if (
            seat in SEATS
        ):
            return float((first, second)[SEATS.index(seat)])
        case {"common": {"noises": [int() | float() as common]}}:
            return float(common)
        case {"noise": {"noise": None}}:
            return math.inf
        case {"noise": {"noise": int() | float() as noise}}:
            return float(noise)
    return None
