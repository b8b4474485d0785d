"""A spot: a board, two ranges, a pot, stacks and bet sizes, to be solved from here on.

    Spot(board="Td9d6h", ranges=(oop, ip), pot=200, stack=900, sizes=Sizes("60%, a"))
    Spot.load("spot.toml")

Player 0 is out of position and acts first on every street. Both have `stack` chips left. A file
has the same names:

    board = "Td9d6h"
    pot = 200
    stack = 900
    rake = 0.05                 # optional, as are rake_cap, sizes, thresholds and locks
    rake_cap = 30

    [ranges]
    oop = "66+, A8s+"
    ip = "QQ-22, AQs-A2s"

    [sizes]                     # names as in `Sizes`
    bets = "60%, a"
    raises = "2.5x"
    river_donk = "50%"

    [thresholds]
    add_all_in = 1.5

    [[locks]]                   # kept as they are, for the solver
    line = "check"
    lock = "AA bet 100%"
"""

import json
import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np

from untilt.cards.card import cards_name, is_card, is_integer, mask_of, parse_cards
from untilt.cards.combos import COMBO_MASKS, Combos
from untilt.cards.range import Range
from untilt.errors import (
    CardError,
    FormatError,
    InvalidOption,
    StorageError,
    UnknownName,
    shortened,
)
from untilt.games.holdem.bet_amounts import Thresholds
from untilt.games.holdem.betting_tree import BettingTree, build_betting_tree
from untilt.games.holdem.sizes import SEATS, Sizes

MAX_CHIPS = 10**9
"""The most chips a pot or stack can have."""

EXACT_HAND = re.compile(r"(?<![\w+-])([2-9TJQKA][cdhs][2-9TJQKA][cdhs])(?![\w+-])", re.IGNORECASE)
"""A hand with its suits, such as AsKh, in the text of a range; not AKs."""

T = TypeVar("T")

_STREET_OF_SIZE = {3: "flop", 4: "turn", 5: "river"}
_FIELDS = (
    *("board", "pot", "stack", "rake", "rake_cap"),
    *("ranges", "sizes", "thresholds", "locks"),
)


class Spot:
    """A board, two ranges, a pot, stacks and bet sizes; immutable and checked."""

    board: tuple[int, ...]
    """Three to five cards, in the order given."""
    ranges: tuple[Range, Range]
    """Of player 0, out of position, and player 1; combos with cards of the board do not count."""
    pot: int
    stack: int
    """What each player has left."""
    sizes: Sizes
    rake: float
    """Share of the pot that the house takes at the end of a hand, 0–1."""
    rake_cap: float
    """The most that the house takes, in chips; inf for no limit."""
    thresholds: Thresholds
    locks: tuple[Mapping[str, Any], ...]
    """Tables of the file's locks, not interpreted here."""

    def __init__(
        self,
        board: str | Sequence[int],
        ranges: tuple[str | Range, str | Range],
        pot: int,
        stack: int,
        sizes: Sizes | None = None,
        *,
        rake: float = 0.0,
        rake_cap: float | None = None,
        thresholds: Thresholds | None = None,
        locks: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        own = vars(self)
        own["board"] = _board(board)
        own["pot"], own["stack"] = _chips("pot", pot), _chips("stack", stack)
        own["sizes"] = _instance("sizes", sizes, Sizes, "untilt.Sizes('60%, a')")
        own["thresholds"] = _instance("thresholds", thresholds, Thresholds, "Thresholds()")
        own["rake"] = _number("rake", rake, 1.0, "a share of the pot from 0 to 1, such as 0.05")
        own["rake_cap"] = (
            math.inf
            if rake_cap is None
            else _number("rake_cap", rake_cap, math.inf, "chips, at least 0")
        )
        if not isinstance(locks, Iterable):
            raise InvalidOption.of("locks", locks, "give tables, such as [{'line': 'check', …}]")
        own["locks"] = tuple(_lock(lock) for lock in locks)
        own["ranges"] = _ranges(ranges, mask_of(self.board))

    @property
    def street(self) -> str:
        """The street of the board: flop, turn or river."""
        return _STREET_OF_SIZE[len(self.board)]

    @property
    def board_text(self) -> str:
        """The board as text, such as `Td9d6h`."""
        return cards_name(self.board).replace(" ", "")

    @property
    def is_zero_sum(self) -> bool:
        """Whether the house takes nothing, so that what one player wins the other loses."""
        return self.rake == 0.0 or self.rake_cap == 0.0

    def combos(self, player: int) -> Combos:
        """Return the combos of a player's range that the board leaves, ascending."""
        weights = self.ranges[player].weights
        is_left = (weights > 0.0) & (COMBO_MASKS & np.uint64(mask_of(self.board)) == 0)
        return np.flatnonzero(is_left).astype(np.int16)

    def rake_of(self, pot: float) -> float:
        """Return what the house takes of a pot that two players have contested."""
        return min(pot * self.rake, self.rake_cap)

    def betting_tree(self) -> BettingTree:
        """Return the betting; raises InvalidOption or GameTooLarge for useless sizes."""
        return build_betting_tree(self.street, self.pot, self.stack, self.sizes, self.thresholds)

    def replaced(self, **changes: Any) -> Self:
        """Return a spot with other arguments: `spot.replaced(board="2c2d2h")`."""
        arguments: dict[str, Any] = {name: getattr(self, name) for name in _FIELDS} | changes
        return type(self)(**arguments)

    def to_dict(self) -> dict[str, Any]:
        """Return the spot as canonical JSON: equal spots give equal text."""
        document: dict[str, Any] = {
            "board": self.board_text,
            "pot": self.pot,
            "stack": self.stack,
            "rake": self.rake,
        }
        if not math.isinf(self.rake_cap):
            document["rake_cap"] = self.rake_cap
        texts = (_range_text(each, mask_of(self.board)) for each in self.ranges)
        document["ranges"] = dict(zip(SEATS, texts, strict=True))
        document["sizes"] = self.sizes.to_dict()
        document["thresholds"] = vars(self.thresholds).copy()
        if self.locks:
            document["locks"] = [dict(lock) for lock in self.locks]
        return document

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Return the spot of a dictionary as in a file; raises UntiltError for anything else."""
        if not isinstance(document, Mapping):
            raise FormatError(f"a spot is {shortened(document)}: give a table with a board")
        for name in document:
            if name not in _FIELDS:
                raise UnknownName.among("entry of a spot", str(name), _FIELDS)
        for name in ("board", "ranges", "pot", "stack"):
            if name not in document:
                raise FormatError(f"the spot has no {name!r}: add it")
        ranges = _table(document, "ranges", SEATS)
        for seat in SEATS:
            if not isinstance(ranges.get(seat), str):
                raise FormatError(f"the spot has no range {seat!r}: add it below [ranges] as text")
        locks = document.get("locks", [])
        if not isinstance(locks, list):
            raise FormatError(f"locks are {shortened(locks)}: write a table below [[locks]]")
        return cls(
            document["board"],
            (ranges["oop"], ranges["ip"]),
            document["pot"],
            document["stack"],
            Sizes.from_dict(_table(document, "sizes")),
            rake=document.get("rake", 0.0),
            rake_cap=document.get("rake_cap"),
            thresholds=Thresholds(**_table(document, "thresholds", vars(Thresholds()))),
            locks=locks,
        )

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Return the spot that a text in TOML describes."""
        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise FormatError(f"the spot is not TOML: {error}") from None
        return cls.from_dict(document)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return the spot of a file; errors name the file."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise FormatError(f"{path} is not text: give a spot in TOML") from None
        except OSError as error:
            raise StorageError(f"{path} cannot be read: {error.strerror}") from None
        try:
            return cls.from_toml(text)
        except FormatError as error:
            raise FormatError(f"{path}: ", *error.args) from None

    def to_toml(self) -> str:
        """Return the spot as a file, which `from_toml` reads."""
        document = self.to_dict()
        locks = document.pop("locks", [])
        tables = {name: document.pop(name) for name in ("ranges", "sizes", "thresholds")}
        lines = [_toml_entry(name, value) for name, value in document.items()]
        for name, table in tables.items():
            lines += ["", f"[{name}]", *(_toml_entry(*entry) for entry in table.items())]
        for lock in locks:
            lines += ["", "[[locks]]", *(_toml_entry(*entry) for entry in lock.items())]
        return "\n".join(lines) + "\n"

    def fingerprint(self) -> str:
        """Return a short text that differs between different spots."""
        text = json.dumps(self.to_dict(), sort_keys=True, allow_nan=False)
        return blake2b(text.encode(), digest_size=16).hexdigest()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a spot cannot be changed; use replaced({name}=…)")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Spot):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(self.fingerprint())

    def __repr__(self) -> str:
        hands = " v ".join(str(len(self.combos(player))) for player in (0, 1))
        return f"<Spot {self.board_text}, pot {self.pot}, stack {self.stack}, {hands} hands>"


def share_of_pot(name: str, given: str | float, pot: int) -> float:
    """Return chips from a number, or from a text such as `0.1%` (of the pot) or `0.5` (chips)."""
    if not isinstance(given, str):
        return given
    text = given.strip()
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = math.nan
    if not 0.0 <= number < math.inf:
        raise InvalidOption.of(name, given, "give chips such as 0.5, or a share such as 0.1%")
    return number * pot / 100.0 if text.endswith("%") else number


def _board(board: str | Sequence[int]) -> tuple[int, ...]:
    is_list = isinstance(board, Iterable)
    cards = parse_cards(board) if isinstance(board, str) else list(board) if is_list else []
    if not is_list or not all(is_card(card) for card in cards):
        raise CardError(f"the board is {shortened(board)}: give cards such as 'Td9d6h'")
    mask_of(cards)
    if len(cards) not in _STREET_OF_SIZE:
        raise CardError(f"the board {shortened(board)} has {len(cards)} cards: give 3, 4 or 5")
    return tuple(map(int, cards))


def _chips(name: str, value: object) -> int:
    if isinstance(value, bool) or not is_integer(value) or not 1 <= int(value) <= MAX_CHIPS:  # type: ignore[call-overload]
        raise InvalidOption.of(name, value, "give whole chips, at least 1 and at most 1e9")
    return int(value)  # type: ignore[call-overload, no-any-return]


def _number(name: str, value: object, most: float, allowed: str) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (is_number and 0.0 <= value <= most):  # type: ignore[operator]
        raise InvalidOption.of(name, value, f"give {allowed}")
    return float(value)  # type: ignore[arg-type]


def _instance(name: str, value: T | None, kind: type[T], example: str) -> T:
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise InvalidOption.of(name, value, f"give {example}")
    return value


def _lock(lock: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(lock, Mapping) or not all(isinstance(name, str) for name in lock):
        raise InvalidOption.of("locks", lock, "give tables, such as {'line': 'check'}")
    try:
        text = json.dumps(dict(lock), allow_nan=False)
        # What TOML can hold: JSON without null.
        return tomllib.loads(_toml_entry("lock", json.loads(text)))["lock"]  # type: ignore[no-any-return]
    except (TypeError, ValueError):
        raise InvalidOption.of("locks", lock, "give text, numbers, lists and tables") from None


def _ranges(ranges: object, board: int) -> tuple[Range, Range]:
    if not (isinstance(ranges, tuple | list) and len(ranges) == len(SEATS)):
        raise InvalidOption.of("ranges", ranges, "give two: out of position, in position")
    first, second = (_range(seat, given, board) for seat, given in zip(SEATS, ranges, strict=True))
    hands, others = (COMBO_MASKS[each.without(board).weights > 0] for each in (first, second))
    if not any((hand & others == 0).any() for hand in hands):
        raise CardError(
            "no hand of the oop range can be dealt together with a hand of the ip range: every "
            "pair has a card in common"
        )
    return first, second


def _range(seat: str, given: object, board: int) -> Range:
    """Return a range, after checking that some of its hands can be dealt."""
    try:
        whole = Range.parse(given) if isinstance(given, str) else given
        if not isinstance(whole, Range):
            raise InvalidOption.of("ranges", given, f"give the {seat} range as text or Range")
        if not whole:
            raise CardError("give a hand, such as AsKh or QQ+")
        for hand in EXACT_HAND.findall(given) if isinstance(given, str) else ():
            if mask_of(parse_cards(hand)) & board:
                raise CardError(f"{hand} has a card of the board; leave it out")
        whole.without(board)
    except CardError as error:
        raise CardError(f"the {seat} range: {error}") from None
    return whole


def _range_text(given: Range, board: int) -> str:
    """Return a range as text; if it lists single combos, without those that the board excludes."""
    text = str(given)
    return str(given.without(board)) if EXACT_HAND.search(text) else text


def _table(
    document: Mapping[str, Any], name: str, allowed: Iterable[str] | None = None
) -> Mapping[str, Any]:
    table = document.get(name, {})
    if not isinstance(table, Mapping):
        raise FormatError(f"{name} is {shortened(table)}: write a table below [{name}]")
    if allowed is not None:
        names = list(allowed)
        for entry in table:
            if entry not in names:
                raise UnknownName.among(f"entry of {name}", str(entry), names)
    return table


def _toml_entry(name: str, value: object) -> str:
    key = name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml_text(name)
    return f"{key} = {_toml_value(value)}"


def _toml_value(value: object) -> str:
    if isinstance(value, str):
        return _toml_text(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "{" + ", ".join(_toml_entry(*entry) for entry in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    return repr(value)


def _toml_text(text: str) -> str:
    # JSON escapes what TOML escapes, except DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
