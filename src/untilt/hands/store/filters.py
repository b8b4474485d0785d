"""Which hands of a folder are wanted: by player, pot, street and line.

wanted = Filter(player="Ann", pot=">20bb", street="river", line="check, bet, ?")
"""

import re
from dataclasses import dataclass

import numpy as np

from untilt.errors import InvalidOption, UnknownName
from untilt.hands.hand import MOVE_WORDS, STREET_NAMES
from untilt.hands.store.hand_file import HandFile
from untilt.numeric.arrays import Bools, Offsets

ME = "me"
"""Whoever owns the records: the player whose cards they show from the beginning."""

_POT = re.compile(r"\s*(>=|<=|>|<|=|)\s*(\d{1,9}(?:\.\d{1,4})?)\s*(?:bb)?\s*")
_POT_RANGE = re.compile(r"\s*(\d{1,9}(?:\.\d{1,4})?)\s*-\s*(\d{1,9}(?:\.\d{1,4})?)\s*(?:bb)?\s*")
_ANY, _ALL_IN = "?", "all-in"
_MOST_MOVES = 40
_TOLERANCE = 1e-4
"""Pots are stored with seven digits."""


@dataclass
class Filter:
    """The wanted hands; None for anything. Raises InvalidOption if it cannot be understood."""

    player: str | None = None
    """A name, or `me`."""
    pot: str | None = None
    """Such as `>20bb`, `<=5` or `10-20bb`, in big blinds."""
    street: str | None = None
    """The hand got to this street."""
    line: str | None = None
    """Actions with which a street begins, `?` for any: the `street` that is given, or any."""

    def __post_init__(self) -> None:
        for name, given in vars(self).items():
            if given is not None and not isinstance(given, str):
                raise InvalidOption.of(name, given, "give text")
        if self.street is not None and self.street not in STREET_NAMES:
            raise UnknownName.among("street", self.street, STREET_NAMES)
        self._bounds = self._pot_bounds()
        self._pattern = None if self.line is None else self._line_pattern(self.line)

    def _pot_bounds(self) -> tuple[float, float]:
        """Return the smallest and the largest pot."""
        text = self.pot
        if text is None:
            return -np.inf, np.inf
        if found := _POT_RANGE.fullmatch(text):
            return float(found[1]) - _TOLERANCE, float(found[2]) + _TOLERANCE
        found = _POT.fullmatch(text)
        if found is None:
            raise InvalidOption.of("pot", text, "give big blinds, such as '>20bb' or '10-20bb'")
        sign, number = found[1], float(found[2])
        low = number - _TOLERANCE if sign in (">=", "=", "") else number + _TOLERANCE
        high = number + _TOLERANCE if sign in ("<=", "=", "") else number - _TOLERANCE
        if sign.startswith("<"):
            return -np.inf, high
        return low, np.inf if sign.startswith(">") else high

    def _line_pattern(self, line: str) -> re.Pattern[bytes]:
        """Return what the line of a hand must contain."""
        moves = [word.strip().lower() for word in line.split(",")]
        letters = []
        for word in moves:
            if word == _ANY:
                letters.append(r"\d[a-zA-Z]")
            elif word == _ALL_IN:
                letters.append(r"\d[A-Z]")
            elif word in MOVE_WORDS:
                small = MOVE_WORDS[word]
                letters.append(rf"\d[{small}{small.upper()}]")
            else:
                raise UnknownName.among("action in a line", word, (*MOVE_WORDS, _ALL_IN, _ANY))
        if len(letters) > _MOST_MOVES:
            raise InvalidOption.of("line", line, f"give at most {_MOST_MOVES} actions")
        before = r"(?:^|/)"
        if self.street is not None:
            before = "^" + r"[^/]*/" * STREET_NAMES.index(self.street)
        return re.compile((before + "".join(letters)).encode())

    def rows(self, file: HandFile) -> tuple[Offsets, Offsets]:
        """Return the places of the wanted hands, and of their player among the players of each.

        That is −1 if no player is wanted.
        """
        low, high = self._bounds
        is_wanted: Bools = (file.pots >= low) & (file.pots <= high)
        if self.street is not None:
            is_wanted &= file.streets > STREET_NAMES.index(self.street)
        seats = self._seats(file)
        if self.player is not None:
            is_wanted &= seats >= 0
        rows = np.flatnonzero(is_wanted)
        if self._pattern is not None:
            lines, search = file.joined_lines.split(b"\n"), self._pattern.search
            rows = rows[[search(lines[row]) is not None for row in rows.tolist()]]
        return rows, seats[rows]

    def _seats(self, file: HandFile) -> Offsets:
        """Return [hands] which player of each hand is the wanted one; −1 if none is."""
        seats = np.full(len(file), -1, np.int64)
        if self.player is None:
            return seats
        if self.player in file.names:
            number = file.names.index(self.player)
            found = np.flatnonzero(file.players == number)
            hands = np.repeat(np.arange(len(file)), file.counts)[found]
            seats[hands] = found - file.firsts[hands]
        elif self.player == ME:
            seats[:] = file.heroes
        return seats
