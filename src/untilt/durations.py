"""Spans of time as people read them: `0.42 s`, `27 s`, `2 min 5 s`, `1 h 20 min`."""

import math

_MOMENT, _MINUTE, _HOUR = 0.1, 60, 3600


def shown_duration(seconds: float) -> str:
    """Return a span of time in the units that fit: `4.2 s`, `27 s`, `2 min 5 s`, `1 h 20 min`.

    From ten minutes on, seconds are left out; from 100 hours on, minutes.
    """
    if not math.isfinite(seconds):
        return "unknown"
    if seconds < 9.95:
        return f"{_two_digits(seconds)} s"
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < 10 * _MINUTE:
        return _parts(whole, _MINUTE, "min", "s")
    minutes = round(seconds / _MINUTE)
    if minutes < _MINUTE:
        return f"{minutes} min"
    if seconds < 100 * _HOUR:
        return _parts(minutes, _MINUTE, "h", "min")
    return f"{seconds / _HOUR:,.0f} h"


def shown_range(low: float, high: float) -> str:
    """Return a rough span, both ends to two digits: `20 to 45 s`, `50 s to 2 min`.

    Nobody waits for a tenth of a second: below, it is not said how much less.
    """
    if high < _MOMENT:
        return f"less than {shown_duration(_MOMENT)}"
    first, second = (shown_duration(float(f"{each:.2g}")) for each in (low, high))
    if first == second:
        return first
    number, _, unit = first.partition(" ")
    return f"{number if second.split(' ')[1:] == [unit] else first} to {second}"


def _parts(number: int, base: int, unit: str, smaller: str) -> str:
    whole, rest = divmod(number, base)
    return f"{whole} {unit} {rest} {smaller}" if rest else f"{whole} {unit}"


def _two_digits(seconds: float) -> str:
    """Return a number below 10 with up to two digits, without an exponent."""
    if seconds < 5e-7:
        return "0"
    digits = 1 - math.floor(math.log10(float(f"{seconds:.1e}")))
    return f"{seconds:.{digits}f}".rstrip("0").rstrip(".")
