"""The ranges with which players are believed to come to the flop, read from a file.

    ranges = PresetRanges.load("ranges.toml")
    ranges.range_of("call", "BB").weights

`ranges.toml` beside this module describes the format, and is the default.
"""

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from untilt.cards.combos import CLASS_OF_COMBO, NUM_COMBOS
from untilt.cards.ranges.hand_order import best_classes
from untilt.cards.ranges.range import Range
from untilt.errors import CardError, FormatError, InvalidOption, UnknownName
from untilt.games.text_file import read_text
from untilt.hands.hand import HandAction, HandMove
from untilt.toml_text import parse_toml

DEFAULT = "default"
"""Stands for the ranges that come with the package."""
WAYS = ("open", "limp", "check", "call", "3-bet", "call 3-bet", "4-bet", "call 4-bet")
POSITIONS = ("UTG", "UTG+1", "UTG+2", "UTG+3", "LJ", "HJ", "CO", "BTN", "SB", "BB")

_OTHER = "other"
_FILE = Path(__file__).with_name("ranges.toml")
_MAX_BYTES = 1 << 20
_BAND = re.compile(r"(top|push)\s+(\d+(?:\.\d+)?)%\s*-\s*(\d+(?:\.\d+)?)%\s*(?:,\s*|$)")


class PresetRanges:
    """Ranges by the way to the flop and position; immutable and checked."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        """Raises FormatError, UnknownName or CardError if something is missing or wrong."""
        self._texts: dict[str, dict[str, str]] = {}
        for way, table in document.items():
            if way not in WAYS:
                raise UnknownName.among("table of ranges", str(way), WAYS)
            if not isinstance(table, Mapping):
                raise FormatError(f"[{way}] is not a table of positions")
            for position, text in table.items():
                if position not in (*POSITIONS, _OTHER):
                    raise UnknownName.among("position", str(position), (*POSITIONS, _OTHER))
                if not isinstance(text, str):
                    raise FormatError(f"the range of {position} in [{way}] is not text")
            self._texts[way] = {str(name): text for name, text in table.items()}
        for way in WAYS:
            if _OTHER not in self._texts.get(way, {}):
                raise FormatError(f"[{way}] has no range {_OTHER!r}: add it")
        for way, texts in self._texts.items():
            for position, text in texts.items():
                try:
                    is_empty = not parsed_range(text).weights.any()
                except CardError as error:
                    raise FormatError(
                        f"the range of {position} in [{way}]: ", *error.args
                    ) from None
                if is_empty:
                    raise FormatError(f"the range of {position} in [{way}] is empty")

    @classmethod
    def load(cls, given: str) -> "PresetRanges":
        """Return the ranges of a file; those of the package for `default`."""
        path = _FILE if given == DEFAULT else Path(given)
        if given != DEFAULT and not path.is_file():
            raise InvalidOption.of(
                "ranges", given, "give a file, or 'default'; `untilt hands ranges` writes one"
            )
        try:
            return cls(parse_toml(read_text(path, _MAX_BYTES), "the file"))
        except (FormatError, UnknownName) as error:
            raise FormatError(f"{given}: ", *error.args) from None

    @cached_property
    def document(self) -> dict[str, dict[str, str]]:
        """The ranges as plain data: equal ranges are equal."""
        return {way: dict(sorted(self._texts[way].items())) for way in WAYS}

    def range_of(self, way: str, position: str) -> Range:
        """Return the range of a player who came to the flop in this way."""
        texts = self._texts[way]
        return parsed_range(texts.get(position, texts[_OTHER]))


@lru_cache(maxsize=500)
def parsed_range(text: str) -> Range:
    """Return the range of a text, in which items may be bands such as `top 4%-15%`."""
    weights = np.zeros(NUM_COMBOS)
    for order, best, most in _BAND.findall(text):
        if float(best) > float(most):
            raise CardError(f"the band '{order} {best}%-{most}%' begins after its end")
        shares = best_classes(order, float(most)) - best_classes(order, float(best))
        weights = np.maximum(weights, shares.clip(0.0, 1.0)[CLASS_OF_COMBO])
    rest = _BAND.sub("", text).strip().removesuffix(",")
    if rest or not weights.any():
        weights = np.maximum(weights, Range.parse(rest).weights)
    return Range(weights)


def default_text() -> str:
    """Return the file that comes with the package."""
    return _FILE.read_text("utf-8")


def way_to_flop(actions: "tuple[HandAction, ...]", player: int) -> str | None:
    """Return how a player came to the flop; None if they did not act."""
    raises = 0
    found: str | None = None
    for action in actions:
        is_raise = action.move in (HandMove.BET, HandMove.RAISE)
        raises += is_raise
        if action.player != player:
            continue
        if is_raise:
            found = ("open", "3-bet", "4-bet")[min(raises, 3) - 1]
        elif action.move is HandMove.CALL:
            found = ("limp", "call", "call 3-bet", "call 4-bet")[min(raises, 3)]
        elif action.move is HandMove.CHECK:
            found = "check"
    return found
