"""The noise of quantal response: how far players are from always taking the best action.

A *noise* of 2 % of the pot means that an action which is worth 2 % of the spot's pot less than the
best is taken 1/e as often. It is 1 / (β · pot), where β per chip is what `untilt.qre` calls β.
"""

from dataclasses import dataclass

from untilt.errors import Argument, InvalidOption, shortened
from untilt.games.holdem.bets.sizes import SEATS
from untilt.number import Number, number_in

MOST_SHARE = 10.0
"""Noise is at most 1,000 % of the pot: then players hardly look at what they gain."""
LEAST_SHARE = 1e-6
"""And at least 0.0001 %: with less, logits have no digits left that differences of values need."""
_ALLOWED = "give at least 0.0001% and at most 1000%"
_PER_CHIP = "/chip"
_FORMS = 'give a share of the pot such as "2%", "oop=1%,ip=10%", or untilt.Noise(beta=0.25)'

_NASH = "without noise that is Nash: leave it out, or give more than 0%"

Pair = tuple[float, float]


@dataclass(frozen=True)
class Noise:
    """The noise of both players, out of position and in position.

    `share` is a text such as `"2%"` (of the spot's pot) or `"oop=1%,ip=10%"`, or one text per
    player; `beta` is per chip, one number for both players or one each. Give one of the two.

    >>> import untilt
    >>> untilt.Noise("2%").betas(200)
    (0.25, 0.25)
    >>> untilt.Noise(("1%", "10%")).text
    'oop=1%,ip=10%'
    >>> untilt.Noise(beta=0.25).shares(200)
    (0.02, 0.02)
    """

    share: str | tuple[str, str] | None = None
    beta: float | tuple[float, float] | None = None

    def __post_init__(self) -> None:
        """Check what was given."""
        if (self.share is None) == (self.beta is None):
            raise InvalidOption("noise is a share or a beta: ", _FORMS)
        if self.share is not None:
            object.__setattr__(self, "share", _text_of(_shares(self.share), "%", 100.0))
        else:
            first, second = _betas(self.beta)
            object.__setattr__(self, "beta", first if first == second else (first, second))

    @classmethod
    def parse(cls, given: object) -> "Noise":
        """Return the noise from text, from a text per player, or as it is."""
        if isinstance(given, Noise):
            return given
        if isinstance(given, str) and _PER_CHIP in given:
            numbers = _entries(given, _PER_CHIP)
            return cls(beta=_betas(numbers))
        if isinstance(given, tuple | list) and len(given) == len(SEATS):
            return cls((given[0], given[1]))
        return cls(given)  # type: ignore[arg-type]  # checked there

    @property
    def text(self) -> str:
        """The noise as `parse` reads it, such as `2%` or `oop=0.5/chip,ip=0.05/chip`."""
        if isinstance(self.share, str):
            return self.share
        return _text_of(_betas(self.beta), _PER_CHIP, 1.0)

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    def betas(self, pot: float) -> Pair:
        """Return each player's β per chip in a spot with this pot, in chips."""
        if self.beta is not None:
            found = _betas(self.beta)
            self.shares(pot)
            return found
        first, second = self.shares(pot)
        return 1.0 / (first * pot), 1.0 / (second * pot)

    def shares(self, pot: float) -> Pair:
        """Return each player's noise as a share of the pot, in chips."""
        if self.share is not None:
            return _shares(self.share)
        first, second = _betas(self.beta)
        found = 1.0 / (first * pot), 1.0 / (second * pot)
        for share in found:
            if not LEAST_SHARE <= share <= MOST_SHARE:
                raise InvalidOption.of(
                    "noise",
                    self.text,
                    f"that is {100.0 * share:.3g}% of the pot; {_ALLOWED}",
                )
        return found


def ladder_ends(ladder: str) -> Pair:
    """Return the lower and the higher noise of a text such as `40%..1%`, as shares of the pot."""
    ends = ladder.split("..")
    if len(ends) != 2:
        raise InvalidOption.of("ladder", ladder, "give two noises, such as 40%..1%")
    low, high = sorted(_number(end, "%") for end in ends)
    if not low < high:
        raise InvalidOption.of("ladder", ladder, "give two different noises, such as 40%..1%")
    return low, high


def _shares(given: object) -> Pair:
    """Return both players' shares."""
    if isinstance(given, str):
        first, second = _entries(given, "%")
    elif isinstance(given, tuple | list) and len(given) == len(SEATS):
        first, second = (_share(each) for each in given)
    else:
        raise InvalidOption.of("noise", given, _FORMS)
    return first, second


def _entries(text: str, unit: str) -> Pair:
    """Return both numbers of `2%` or `oop=1%,ip=10%`."""
    if "=" not in text:
        number = _number(text, unit)
        return number, number
    found: dict[str, float] = {}
    for entry in text.split(","):
        seat, sign, value = (part.strip() for part in entry.partition("="))
        if seat not in SEATS or seat in found or not sign:
            raise InvalidOption.of("noise", text, "name both seats once: oop=1%,ip=10%")
        found[seat] = _number(value, unit)
    if len(found) < len(SEATS):
        raise InvalidOption.of("noise", text, "name both seats once: oop=1%,ip=10%")
    return found[SEATS[0]], found[SEATS[1]]


def _share(given: object) -> float:
    if not isinstance(given, str):
        raise InvalidOption.of("noise", given, _FORMS)
    return _number(given, "%")


def _number(text: str, unit: str) -> float:
    number = number_in(text.strip().removesuffix(unit))
    if unit == "%" and number is not None and number <= 0.0:
        raise InvalidOption.of("noise", text, _NASH)
    if (
        number is None
        or not text.strip().endswith(unit)
        or not Number(or_infinite=True).accepts(number)
    ):
        raise InvalidOption.of("noise", text, _FORMS)
    if unit == "%":
        return _checked_share(float(number) / 100.0, text)
    return float(number)


def _checked_share(share: float, given: object) -> float:
    if share <= 0.0:
        raise InvalidOption.of("noise", given, _NASH)
    if not LEAST_SHARE <= share <= MOST_SHARE:
        raise InvalidOption.of("noise", given, _ALLOWED)
    return share


def _betas(given: object) -> Pair:
    pair = given if isinstance(given, tuple | list) else (given, given)
    if len(pair) != len(SEATS) or not all(Number(above=0.0).accepts(each) for each in pair):
        raise InvalidOption(
            Argument("beta"),
            f" is {shortened(given)}; give a finite number above 0 per chip, or one per player",
        )
    return float(pair[0]), float(pair[1])


def _text_of(pair: Pair, unit: str, factor: float) -> str:
    first, second = (f"{each * factor:.12g}{unit}" for each in pair)
    return first if first == second else f"oop={first},ip={second}"
