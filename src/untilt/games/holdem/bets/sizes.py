"""The language of bet sizes, the same for spots, bet menus and blueprints.

    60%       of the pot; of a raise, of the pot after calling
    0.6       the same: a plain number is a multiple of the pot
    2.5x      2.5 times the previous bet (raises only)
    100c      100 chips; a raise is by that much
    20c3r     by 20 chips, at most three raises on a street (raises only)
    e         geometric: the same share of the pot on every street that is left, the last all-in
    2e        geometric over two streets; a raise counts one less for each raise before
    e200%     geometric, at most twice the pot; also 2e200%
    a         all-in

Items of a list are separated by commas or spaces: `33%, 75%, a`. Raises may differ by their number
on the street: lists separated by `;` are for the first raise, the second and so on, and the last
one for all later raises: `2.5x; a`. An empty list offers no bet.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Self, TypeAlias

from untilt.errors import Argument, InvalidOption, UnknownName, shortened
from untilt.number import Integer

STREETS = ("preflop", "flop", "turn", "river")
SEATS = ("oop", "ip")
"""The players of a spot: out of position, who acts first, and in position."""

MAX_SIZE = 1e9
"""No percentage, multiple or number of chips may exceed this."""
MAX_COUNT = 100
"""No number of streets, raises or sizes in a list may exceed this."""

SizeLists: TypeAlias = tuple[tuple["Size", ...], ...]
"""Sizes by the number of the raise; the last list is for all later ones."""

_NUMBER = r"(\d+\.?\d*|\.\d+)"
_POT = re.compile(rf"{_NUMBER}(%?)")
_MULTIPLE = re.compile(rf"{_NUMBER}x")
_CHIPS = re.compile(r"(\d+)c(?:(\d+)r)?")
_GEOMETRIC = re.compile(rf"(\d*)e(?:{_NUMBER}%)?")
_MAX_LENGTH = 100
_EXAMPLES = "write 60%, 2.5x (raises only), 100c, e, 2e, a, or a multiple of the pot such as 0.6"
_KINDS = ("bets", "raises", "donk")


class Unit(StrEnum):
    """The unit of a size; the letters of the language."""

    POT = "%"
    MULTIPLE = "x"
    CHIPS = "c"
    GEOMETRIC = "e"
    ALL_IN = "a"


@dataclass(frozen=True, slots=True)
class Size:
    """One bet size."""

    unit: Unit
    value: float = 0.0
    """Share of the pot, multiple of the previous bet, chips, or streets (0 for all that are left);
    0 for all-in."""
    cap: float = math.inf
    """Geometric: the greatest share of the pot. Chips: the greatest number of raises."""

    def __str__(self) -> str:
        match self.unit:
            case Unit.POT:
                return _percent(self.value)
            case Unit.MULTIPLE:
                return f"{_decimal(self.value)}x"
            case Unit.CHIPS:
                return f"{self.value:.0f}c" + ("" if math.isinf(self.cap) else f"{self.cap:.0f}r")
            case Unit.GEOMETRIC:
                streets = f"{self.value:.0f}" if self.value else ""
                return f"{streets}e" + ("" if math.isinf(self.cap) else _percent(self.cap))
            case _:
                return "a"


def parse_sizes(text: str, *, is_raise: bool = False) -> tuple[Size, ...]:
    """Return the sizes of a list such as `33%, 75%, a`, each once, in the given order.

    Raises InvalidOption for anything else, and for a size that only a raise can have.
    """
    if not isinstance(text, str):
        raise InvalidOption(f"bet sizes are {shortened(text)}; give text: {_EXAMPLES}")
    words = [word for word in re.split(r"[,\s]+", text.strip()) if word]
    if len(words) > MAX_COUNT:
        raise InvalidOption(
            f"there are {len(words):,} bet sizes in a list; give at most {MAX_COUNT}"
        )
    return tuple(dict.fromkeys(_parsed(word, is_raise) for word in words))


def parse_raises(text: str) -> SizeLists:
    """Return the sizes of raises by their number, from lists with `;` between them."""
    if not isinstance(text, str):
        raise InvalidOption(f"bet sizes are {shortened(text)}; give text: {_EXAMPLES}")
    parts = text.split(";")
    if len(parts) > MAX_COUNT:
        raise InvalidOption(f"there are {len(parts):,} lists of raises; give at most {MAX_COUNT}")
    return tuple(parse_sizes(part, is_raise=True) for part in parts)


def format_sizes(sizes: tuple[Size, ...]) -> str:
    """Return a list of sizes as text, `33%, 75%, a`."""
    return ", ".join(map(str, sizes))


def format_raises(lists: SizeLists) -> str:
    """Return sizes of raises as text, `2.5x; a`."""
    return "; ".join(map(format_sizes, lists))


class Sizes:
    """Bet sizes for every street, player and number of raises; immutable.

        Sizes("60%, a", raises="2.5x", river_donk="50%", ip_flop_bets="33%", turn_raises="3x; a")

    `bets` are for the first bet of a street, `raises` for raises, `donk` for bets of the first
    player after calling on the previous street (by default the same as `bets`). Names that begin
    with a street or player apply only to these, `oop_turn_bets` to both; the street takes
    precedence over the player. `max_raises` is how often a bet can be raised on a street.
    """

    max_raises: int | None
    _lists: dict[str, SizeLists]
    _texts: dict[str, str]

    def __init__(
        self,
        bets: str = "60%",
        raises: str = "2.5x",
        *,
        donk: str | None = None,
        max_raises: int | None = None,
        **specific: str,
    ) -> None:
        if max_raises is not None and not Integer(0, int(MAX_SIZE)).accepts(max_raises):
            raise InvalidOption.of(
                "max_raises", max_raises, "give an integer, at least 0, or None for no limit"
            )
        given = {"bets": bets, "raises": raises}
        if donk is not None:
            given["donk"] = donk
        given |= specific
        lists: dict[str, SizeLists] = {}
        for name, text in given.items():
            if name not in SIZE_NAMES:
                raise UnknownName.among("bet sizes", name, SIZE_NAMES)
            try:
                lists[name] = (
                    parse_raises(text) if name.endswith("raises") else (parse_sizes(text),)
                )
            except InvalidOption as error:
                raise InvalidOption(Argument(name), ": ", *error.args) from None
        texts = {name: format_raises(lists[name]) for name in SIZE_NAMES if name in lists}
        vars(self).update(max_raises=max_raises, _lists=lists, _texts=texts)

    def bets(self, street: str, player: int) -> tuple[Size, ...]:
        """Return the sizes of a first bet."""
        return self._find("bets", street, player)[0]

    def donk(self, street: str) -> tuple[Size, ...]:
        """Return the sizes of player 0's first bet after calling on the previous street."""
        for name in (f"oop_{street}_donk", f"{street}_donk", "oop_donk", "donk"):
            if name in self._lists:
                return self._lists[name][0]
        return self.bets(street, 0)

    def raises(self, street: str, player: int, number: int) -> tuple[Size, ...]:
        """Return the sizes of raise `number`, 1 for the first raise of a bet."""
        if not self.can_raise(number):
            return ()
        lists = self._find("raises", street, player)
        return lists[min(number, len(lists)) - 1]

    def can_raise(self, number: int) -> bool:
        """Whether raise `number` of a street is within `max_raises`."""
        return self.max_raises is None or number <= self.max_raises

    @property
    def has_chips(self) -> bool:
        """Whether a size is a number of chips."""
        every = (size for lists in self._lists.values() for sizes in lists for size in sizes)
        return any(size.unit is Unit.CHIPS for size in every)

    def to_dict(self) -> dict[str, str | int]:
        """Return the arguments that make these sizes, in canonical text and order."""
        more = {} if self.max_raises is None else {"max_raises": self.max_raises}
        return {**self._texts, **more}

    @classmethod
    def from_dict(cls, arguments: Mapping[str, object]) -> Self:
        """Return the sizes with these arguments; raises InvalidOption or UnknownName."""
        for name in arguments:
            if name != "max_raises" and name not in SIZE_NAMES:
                raise UnknownName.among("bet sizes", name, [*SIZE_NAMES, "max_raises"])
        return cls(**arguments)  # type: ignore[arg-type]  # checked by the constructor

    def variants(self) -> Iterator[tuple[str, Self]]:
        """Yield these sizes without one of them, each with its name, such as `75% of bets`."""
        for name, lists in self._lists.items():
            for number, sizes in enumerate(lists):
                for size in sizes:
                    left = tuple(other for other in sizes if other != size)
                    changed = format_raises((*lists[:number], left, *lists[number + 1 :]))
                    arguments = {**self.to_dict(), name: changed}
                    yield f"{size} of {name}", type(self).from_dict(arguments)

    def _find(self, kind: str, street: str, player: int) -> SizeLists:
        seat = SEATS[player]
        for name in (f"{seat}_{street}_{kind}", f"{street}_{kind}", f"{seat}_{kind}"):
            if name in self._lists:
                return self._lists[name]
        return self._lists[kind]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Sizes cannot be changed; make new ones to set {name!r}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sizes):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(tuple(self.to_dict().items()))

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.to_dict().items())
        return f"Sizes({arguments})"


def _names() -> Iterator[str]:
    for kind in _KINDS:
        yield kind
        yield from (f"{street}_{kind}" for street in STREETS)
        for seat in SEATS if kind != "donk" else SEATS[:1]:
            yield f"{seat}_{kind}"
            yield from (f"{seat}_{street}_{kind}" for street in STREETS)


SIZE_NAMES: tuple[str, ...] = tuple(_names())
"""The names of all lists of sizes: bets, flop_bets, oop_bets, oop_flop_bets … oop_river_donk."""


def _parsed(word: str, is_raise: bool) -> Size:
    lower = word.lower()
    if len(lower) > _MAX_LENGTH:
        raise InvalidOption(f"{shortened(word)} is not a bet size; {_EXAMPLES}")
    if lower == "a":
        return Size(Unit.ALL_IN)
    if found := _POT.fullmatch(lower):
        share = _checked(word, float(found[1])) / (100.0 if found[2] else 1.0)
        return Size(Unit.POT, share)
    if found := _CHIPS.fullmatch(lower):
        cap = math.inf if found[2] is None else float(_count(word, found[2], "raises"))
        if found[2] is not None and not is_raise:
            raise InvalidOption(f"{word!r} limits raises; it can only be the size of a raise")
        return Size(Unit.CHIPS, _checked(word, float(found[1])), cap)
    if found := _GEOMETRIC.fullmatch(lower):
        streets = _count(word, found[1], "streets") if found[1] else 0
        cap = math.inf if found[2] is None else _checked(word, float(found[2])) / 100.0
        return Size(Unit.GEOMETRIC, float(streets), cap)
    if found := _MULTIPLE.fullmatch(lower):
        if not is_raise:
            raise InvalidOption(
                f"{word!r} is a multiple of the previous bet; it can only be the size of a raise"
            )
        multiple = _checked(word, float(found[1]))
        if multiple <= 1.0:
            raise InvalidOption(f"{word!r} is not a raise; give a multiple above 1")
        return Size(Unit.MULTIPLE, multiple)
    raise InvalidOption(f"{shortened(word)} is not a bet size; {_EXAMPLES}")


def _checked(word: str, number: float) -> float:
    if not 0.0 < number <= MAX_SIZE:
        raise InvalidOption(f"{shortened(word)} is not a bet size; it must be positive, to 1e9")
    return number


def _count(word: str, digits: str, what: str) -> int:
    number = int(digits[:4])
    if not 1 <= number <= MAX_COUNT:
        raise InvalidOption(f"{shortened(word)}: the number of {what} must be from 1 to 100")
    return number


def _percent(share: float) -> str:
    """Return a share of the pot as a percentage that is read as the same number."""
    for digits in range(1, 18):
        text = _decimal(float(f"{100.0 * share:.{digits}g}"))
        if float(text) / 100.0 == share:
            return f"{text}%"
    for near in (math.nextafter(100.0 * share, 0.0), math.nextafter(100.0 * share, math.inf)):
        if near / 100.0 == share:
            return f"{_decimal(near)}%"
    return _decimal(share)


def _decimal(number: float) -> str:
    """Return the shortest text without an exponent that is read as the same number."""
    text = f"{number:.17f}" if number < 1e-4 else repr(number)
    if "e" in text:
        text = f"{number:.0f}"
    return text.removesuffix(".0")
