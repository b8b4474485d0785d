"""The text of Gambit's files: words, numbers and names, read piece by piece.

What `.efg` and `.nfg` files have in common: the header, quoted texts in which a backslash escapes a
quotation mark and nothing else, numbers as decimals or fractions, and lists in braces. Numbers stay
fractions until a payoff is requested.
"""

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from untilt.errors import FormatError, GameError, GameTooLarge
from untilt.game.protocol import MAX_PLAYERS
from untilt.game.terms import Terms, is_term

MAX_BYTES = 1 << 30

Payoffs = tuple[Fraction, ...]
"""Of all players, exactly."""

_MAX_DIGITS = 1_000
_MAX_EXPONENT = 400
"""Larger than that of any float; a fraction with a huge exponent would exhaust the memory."""

# A run of backslashes consumes the quotation mark after it, and possessive quantifiers never
# backtrack, so an unclosed text is found in one pass.
_TOKEN = re.compile(
    r"\s*+(?:"
    r'"(?P<text>(?:[^"\\]++|\\++"?)*+)"'
    r"|(?P<number>[-+]?+(?:\d++(?:/\d++|\.?\d*+(?:[eE][-+]?+\d++)?+)|\.\d++(?:[eE][-+]?+\d++)?+))"
    r"(?=[\s{},\"]|\Z)"
    r"|(?P<symbol>[{},]|[A-Za-z]++)"
    r"|(?P<end>\Z)"
    r")"
)


def read_text(path: str | Path) -> str:
    """Return the text of a file; one that cannot be read, or is too large, is refused."""
    file = Path(path)
    if not file.is_file():
        raise GameError(f"no game file {str(path)!r}: give path/to/game{file.suffix}")
    try:
        if file.stat().st_size > MAX_BYTES:
            raise GameTooLarge(
                f"{path} has {file.stat().st_size:,} bytes; the limit is {MAX_BYTES:,}"
            )
        return file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise GameError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{path}: byte {error.start:,} is not UTF-8 text; save the file as UTF-8"
        ) from error


@dataclass(slots=True)
class GambitText:
    """A text and the place up to which it has been read."""

    text: str
    source: str
    """Names the text in messages."""
    position: int = 0
    """The end of the current token."""
    start: int = 0
    """The start of the current token."""
    kind: str = ""
    """Of the current token: text, number, symbol or end."""
    value: str = ""
    number_of_text: dict[str, Fraction] = field(default_factory=dict)
    num_players: int = 2
    """As the header says."""

    @property
    def nothing(self) -> Payoffs:
        """Payoffs of 0."""
        return (Fraction(0),) * self.num_players

    def take_header(self, name: str, version: str, what: str) -> tuple[str, tuple[str, ...]]:
        """Take everything up to the names of the players; return the title and these.

        `name` and `version` begin the file, and `what` names its kind in messages.
        """
        self.advance()
        if not self.is_symbol(name):
            raise self.error(f"not a Gambit {what} file: it must begin with {name} {version} R")
        self.advance()
        if self.kind != "number" or self.value != version:
            raise self.error(f"format version {self.shown()}; only {name} {version} is supported")
        self.advance()
        if self.kind != "symbol" or self.value not in ("R", "D"):
            raise self.error(f"expected R or D, found {self.shown()}")
        self.advance()
        title = self.take_text("the title")
        players = self.take_texts("the name of a player")
        if not 2 <= len(players) <= MAX_PLAYERS:
            plural = "" if len(players) == 1 else "s"
            raise GameError(
                f"{self.source} has {len(players)} player{plural}; games have 2 to {MAX_PLAYERS}"
            )
        self.num_players = len(players)
        return title, tuple(players)

    def take_payoffs(self, *, with_name: bool = False) -> Payoffs:
        """Take the payoffs of all players, in braces; with a name before them if it has one."""
        start = self.start
        self.take_symbol("{")
        if with_name:
            self.take_text("the name of an outcome")
        given: list[Fraction] = []
        while self.kind == "number":
            given.append(self.take_number("a payoff"))
            if self.is_symbol(","):
                self.advance()
        self.take_symbol("}")
        if len(given) != self.num_players:
            players = "two" if self.num_players == 2 else self.num_players
            raise self.error(f"{len(given)} payoffs for {players} players", start)
        return tuple(given)

    def is_symbol(self, symbol: str) -> bool:
        """Whether the current token is this brace, comma or word."""
        return self.kind == "symbol" and self.value == symbol

    def advance(self) -> None:
        """Go to the next token."""
        found = _TOKEN.match(self.text, self.position)
        if found is None:
            blank = re.compile(r"\s*").match(self.text, self.position)
            assert blank is not None
            self.start = blank.end()
            if self.text[self.start] == '"':
                raise self.error("this quotation mark is never closed")
            word = self.text[self.start : self.start + 20].split()[0]
            raise self.error(f"cannot read {word!r}")
        assert found.lastgroup is not None
        self.kind, self.position = found.lastgroup, found.end()
        self.value = found[self.kind]
        self.start = found.start(self.kind) - (self.kind == "text")

    def take_text(self, what: str) -> str:
        """Take a quoted text; `what` names it in messages, here and below."""
        if self.kind != "text":
            raise self.error(f'expected {what} in "…", found {self.shown()}')
        text = self.value.replace('\\"', '"')
        self.advance()
        return text

    def take_texts(self, what: str) -> list[str]:
        """Take quoted texts in braces."""
        self.take_symbol("{")
        texts = []
        while self.kind == "text":
            texts.append(self.take_text(what))
        self.take_symbol("}")
        return texts

    def take_symbol(self, symbol: str) -> None:
        """Take a brace or a comma."""
        if not self.is_symbol(symbol):
            raise self.error(f"expected {symbol}, found {self.shown()}")
        self.advance()

    def take_integer(self, what: str) -> int:
        """Take an integer that is not negative."""
        if self.kind != "number" or not re.fullmatch(r"\d{1,18}", self.value):
            raise self.error(f"expected {what}, found {self.shown()}")
        number = int(self.value)
        self.advance()
        return number

    def take_number(self, what: str) -> Fraction:
        """Take a finite number."""
        if self.kind != "number":
            raise self.error(f"expected {what}, found {self.shown()}")
        number = self.number_of_text.get(self.value)
        if number is None:
            number = self.number_of_text[self.value] = self.fraction()
        self.advance()
        return number

    def fraction(self) -> Fraction:
        """Return the current token as a number."""
        mantissa, _, exponent = self.value.lower().partition("e")
        if len(mantissa) > _MAX_DIGITS or len(exponent) > 6:
            raise self.error("the number has too many digits")
        if exponent and abs(int(exponent)) > _MAX_EXPONENT:
            raise self.error(f"{self.value} is out of range")
        try:
            number = Fraction(self.value)
            is_finite = math.isfinite(float(number))
        except (ZeroDivisionError, OverflowError):
            is_finite = False
        if not is_finite:
            raise self.error(f"{self.shown()} is not a finite number")
        return number

    def shown(self) -> str:
        """Return the current token for a message."""
        if self.kind == "end":
            return "the end of the file"
        text = " ".join(self.value.split())
        text = text if len(text) <= 40 else f"{text[:37]}…"
        return f'"{text}"' if self.kind == "text" else text

    def error(self, message: str, place: int | None = None) -> FormatError:
        """Return an error that says where it is."""
        place = self.start if place is None else place
        line = self.text.count("\n", 0, place) + 1
        column = place - (self.text.rfind("\n", 0, place) + 1) + 1
        return FormatError(f"{self.source}, line {line}, column {column}: {message}")


def seats_of(players: tuple[str, ...]) -> tuple[str, ...]:
    """Return the players' names: those of the file, if they are distinct."""
    are_distinct = len(set(players)) == len(players)
    are_names = are_distinct and all(name and is_term(name) for name in players)
    return players if are_names else Terms().for_players(len(players)).seats


def distinct(names: Sequence[str | None], suffixes: Iterable[str]) -> list[str]:
    """Return the names, each duplicate with its suffix; "" for None."""
    count_of_name = Counter(names)
    taken: set[Hashable] = {name for name in names if count_of_name[name] == 1}
    distinct: list[str] = []
    for name, suffix in zip(names, suffixes, strict=True):
        if name is None or count_of_name[name] == 1:
            distinct.append(name or "")
            continue
        unique = name + suffix
        while unique in taken:
            unique += suffix
        taken.add(unique)
        distinct.append(unique)
    return distinct
