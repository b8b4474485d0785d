"""A spot: a board, two ranges, a pot, stacks and bet sizes, to be solved from here on.

    Spot(board="Td9d6h", ranges=(oop, ip), pot=200, stack=900, sizes=Sizes("60%, a"))
    Spot.load("spot.toml")

Player 0 is out of position and acts first on every street. Both have `stack` left. Amounts are
chips, or texts in big blinds: `pot="20bb", stack="92.5bb"`. A file has the same names:

    board = "Td9d6h"
    pot = 200                   # or "20bb"
    stack = 900
    bb = 10                     # optional: the chips of a big blind, in which results are shown
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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from untilt.cards.card import cards_name, is_card, mask_of, parse_cards
from untilt.cards.combos import COMBO_MASKS, Combos, blocked_combos
from untilt.cards.ranges.range import Range
from untilt.errors import (
    Argument,
    CardError,
    FormatError,
    InvalidOption,
    UnknownName,
    shortened,
)
from untilt.game.line import with_chips
from untilt.games.holdem.bets.bet_amounts import Thresholds
from untilt.games.holdem.bets.betting_tree import (
    BettingTree,
    build_betting_tree,
    count_betting_tree,
)
from untilt.games.holdem.bets.sizes import SEATS, Sizes
from untilt.games.holdem.cost.betting_count import BettingCount, CountingWork
from untilt.games.holdem.spots.named import NAMED_SPOTS, spot_file
from untilt.games.text_file import read_text
from untilt.number import Amount, Integer, Number, number_in
from untilt.toml_text import parse_toml

if TYPE_CHECKING:
    from untilt.games.holdem.rules import HoldemRules
    from untilt.games.holdem.spots.reached_spot import Reaching

MAX_CHIPS = 10**9
"""The most chips a pot or stack can have."""

EXACT_HAND = re.compile(r"(?<![\w+-])([2-9TJQKA][cdhs][2-9TJQKA][cdhs])(?![\w+-])", re.IGNORECASE)
"""A hand with its suits, such as AsKh, in the text of a range; not AKs."""

T = TypeVar("T")

_AMOUNT = (
    "give chips such as 925 or 10.5, at least 1 and at most 1e9, with at most two decimals; or big "
    "blinds such as 92.5bb"
)
_DEFAULT_BLIND = 100
"""The chips of a big blind if amounts are given in big blinds, and nothing else is said."""
_DECIMAL_UNIT = 100
"""Amounts with decimals are counted in hundredths."""
_CHIPS = re.compile(r"\d+(?:\.\d+)?")

_STREET_OF_SIZE = {3: "flop", 4: "turn", 5: "river"}
MAX_BYTES = 4 << 20
"""The largest file of a spot."""

_FIELDS = (
    *("board", "pot", "stack", "bb", "rake", "rake_cap"),
    *("ranges", "sizes", "thresholds", "locks"),
)


class Spot:
    """A board, two ranges, a pot, stacks and bet sizes; immutable and checked."""

    board: tuple[int, ...]
    """Three to five cards, in the order given."""
    ranges: tuple[Range, Range]
    """Of player 0, out of position, and player 1; combos with cards of the board do not count, and
    `notes` say so of those that are named with their suits."""
    pot: int
    """In chips, as all amounts here."""
    stack: int
    """The stack of each player."""
    bb: int | None
    """The chips of a big blind, if amounts are shown in big blinds."""
    chips_per_unit: int
    """The chips of the unit that amounts were given in: of a big blind, 1, or 100 where an amount
    without a unit had decimals, as in 10.5."""
    sizes: Sizes
    rake: float
    """Share of the pot that the house takes at the end of a hand, 0–1."""
    rake_cap: float
    """The most that the house takes, in chips; inf for no limit."""
    thresholds: Thresholds
    locks: tuple[Mapping[str, Any], ...]
    """Tables of the file's locks, not interpreted here."""
    notes: tuple[str, ...]
    """Notes on arguments that were not used as given, a sentence each."""

    def __init__(
        self,
        board: str | Sequence[int],
        ranges: tuple[str | Range, str | Range],
        pot: int | float | str,
        stack: int | float | str,
        sizes: Sizes | None = None,
        *,
        bb: int | None = None,
        rake: float = 0.0,
        rake_cap: float | str | None = None,
        thresholds: Thresholds | None = None,
        locks: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        own = vars(self)
        own["board"] = _board(board)
        own["sizes"] = _instance("sizes", sizes, Sizes, "untilt.Sizes('60%, a')")
        own["thresholds"] = _instance("thresholds", thresholds, Thresholds, "Thresholds()")
        own["rake"] = _number("rake", rake, 1.0, "a share of the pot from 0 to 1, such as 0.05")
        own.update(_money(pot, stack, rake_cap, bb, self.sizes))
        if not isinstance(locks, Iterable):
            raise InvalidOption.of("locks", locks, "give tables, such as [{'line': 'check', …}]")
        own["locks"] = tuple(_lock(lock) for lock in locks)
        own["ranges"] = _ranges(ranges, mask_of(self.board))
        own["notes"] = tuple(_left_out(ranges, mask_of(self.board)))

    @classmethod
    def from_policy(
        cls,
        policy: "Reaching",
        line: str,
        board: str | Sequence[int],
        *,
        rules: "HoldemRules | None" = None,
        trust: bool = False,
        **changes: Any,
    ) -> "Spot":
        """Return the spot after a line of betting, with the ranges that a policy gets there with.

        The policy may also be given as an agent of `untilt.match`: text, a path, a blueprint. The
        line begins with the hand: `"raise 2.5bb, call"`; amounts are totals on the street, in
        chips or big blinds. `rules` are needed if the policy plays any game, `trust` if it is given
        as text and is Python code. Further arguments are those of `Spot` and replace what was
        found.

        >>> import untilt
        >>> from untilt.policy.simple import always_call
        >>> rules = untilt.games.holdem(stack=40).rules
        >>> spot = untilt.Spot.from_policy(always_call(), "call, check", "Ks7h2d", rules=rules)
        >>> spot.pot, spot.stack, len(spot.combos(0))
        (4, 38, 1176)
        """
        from untilt.games.holdem.spots.reached_spot import reached_spot

        return cls(**{**reached_spot(policy, line, board, rules=rules, trust=trust), **changes})

    @property
    def street(self) -> str:
        """The street of the board: flop, turn or river."""
        return _STREET_OF_SIZE[len(self.board)]

    @property
    def board_text(self) -> str:
        """The board as text, such as `Td9d6h`."""
        return cards_name(self.board, "")

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
        """Return the rake of a pot that two players have contested."""
        return min(pot * self.rake, self.rake_cap)

    def betting_tree(self) -> BettingTree:
        """Return the betting; raises InvalidOption or GameTooLarge for useless sizes."""
        return build_betting_tree(self.street, self.pot, self.stack, self.sizes, self.thresholds)

    def count_betting(self, work: CountingWork | None = None) -> BettingCount:
        """Return the size of the betting, counted in a fraction of a second, or in `work`.

        Raises InvalidOption for sizes that offer no bet.
        """
        return count_betting_tree(
            self.street, self.pot, self.stack, self.sizes, self.thresholds, work
        )

    def replaced(self, **changes: Any) -> Self:
        """Return a spot with other arguments: `spot.replaced(board="2c2d2h")`."""
        arguments: dict[str, Any] = {name: getattr(self, name) for name in _FIELDS}
        arguments |= {
            name: self._as_given(arguments[name]) for name in ("pot", "stack", "rake_cap")
        }
        return type(self)(**(arguments | changes))

    def amount_text(self, chips: float, digits: str = "") -> str:
        """Return chips in the unit of the spot, such as `10.5bb`; `digits` as in `.2f`."""
        number = chips / self.chips_per_unit
        return (f"{number:{digits}}" if digits else f"{number:.10g}") + ("bb" if self.bb else "")

    def in_chips(self, text: str) -> str:
        """Return a line or lock with its big blinds as chips: `bet 63` for `bet 6.3bb`."""
        return text if self.bb is None else with_chips(text, self.bb)

    def in_unit(self, text: str) -> str:
        """Return a line or the name of an action with big blinds for chips, if it has a `bb`."""
        if self.bb is None:
            return text
        return _CHIPS.sub(lambda found: self.amount_text(float(found[0])), text)

    def _as_given(self, chips: float) -> float:
        """Return chips as an argument: with decimals if they were given so."""
        return chips if self.bb or self.chips_per_unit == 1 else chips / self.chips_per_unit

    def to_dict(self) -> dict[str, Any]:
        """Return the spot as canonical JSON: equal spots give equal text."""
        document: dict[str, Any] = {
            "board": self.board_text,
            "pot": self._as_given(self.pot),
            "stack": self._as_given(self.stack),
            "rake": self.rake,
        }
        if self.bb is not None:
            document["bb"] = self.bb
        if not math.isinf(self.rake_cap):
            document["rake_cap"] = self._as_given(self.rake_cap)
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
            bb=document.get("bb"),
            rake=document.get("rake", 0.0),
            rake_cap=document.get("rake_cap"),
            thresholds=Thresholds(**_table(document, "thresholds", vars(Thresholds()))),
            locks=locks,
        )

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Return the spot that a text in TOML describes."""
        return cls.from_dict(parse_toml(text, "the spot"))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return the spot of a file, or one of `NAMED_SPOTS`; errors name the file."""
        file = spot_file(path)
        if not file.exists() and not file.suffix:
            raise FormatError(
                f"{shortened(str(file))} does not exist; check the path, or give a named spot: "
                f"{', '.join(NAMED_SPOTS)}"
            )
        text = read_text(file, MAX_BYTES)
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
        pot, stack = map(self.amount_text, (self.pot, self.stack))
        return f"<Spot {self.board_text}, pot {pot}, stack {stack}, {hands} hands>"


def share_of_pot(name: str, given: str | float, pot: int) -> float:
    """Return chips from a number, or from a text such as `0.1%` (of the pot) or `0.5` (chips)."""
    if not isinstance(given, str):
        return given
    text = given.strip()
    number = number_in(text.removesuffix("%"))
    if number is None or not Number(least=0.0).accepts(number):
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


def _money(
    pot: object, stack: object, rake_cap: object, bb: object, sizes: Sizes
) -> dict[str, int | float | None]:
    """Return the amounts of a spot in chips, and the unit that they were given in."""
    given = {"pot": pot, "stack": stack}
    read = {name: Amount.read(name, value, _AMOUNT) for name, value in given.items()}
    blind = None if bb is None else Integer(1, MAX_CHIPS).read("bb", bb)
    is_in_bb = [amount.is_in_bb for amount in read.values()]
    if any(is_in_bb) and blind is None:
        if not all(is_in_bb):
            raise InvalidOption(
                "one of pot and stack is in big blinds: give both in big blinds, or the chips of a "
                "big blind as ",
                Argument("bb"),
            )
        blind = _DEFAULT_BLIND
    has_decimals = any(amount.times(1) is None for amount in read.values())
    unit = blind or (_DECIMAL_UNIT if has_decimals else 1)
    if blind is None and unit > 1 and sizes.has_chips:
        raise InvalidOption("bet sizes in chips (100c) need a pot and a stack of whole chips")
    found: dict[str, int | float | None] = {"bb": blind, "chips_per_unit": unit}
    for name, amount in read.items():
        chips = amount.times(1 if blind and not amount.is_in_bb else unit)
        if chips is None and blind:
            exact, instead = f"{amount.number:.10g} chips", f"write big blinds as {given[name]}bb"
            if amount.is_in_bb:
                exact = f"{float(amount.number) * blind:.10g} chips of a big blind of {blind}"
                instead = "give other amounts or bb"
            raise InvalidOption.of(
                name, given[name], f"that is {exact}, but chips are whole: {instead}"
            )
        if chips is None or not 1 <= chips <= MAX_CHIPS:
            raise InvalidOption.of(name, given[name], _AMOUNT)
        found[name] = chips
    return found | {"rake_cap": _rake_cap(rake_cap, blind, unit)}


def _rake_cap(given: object, blind: int | None, unit: int) -> float:
    if given is None or given == math.inf:
        return math.inf
    allowed = "give chips, at least 0, or big blinds such as 3bb"
    amount = Amount.read("rake_cap", given, allowed)
    if amount.is_in_bb and blind is None:
        raise InvalidOption.of("rake_cap", given, "give pot and stack in big blinds, too")
    return float(amount.number) * (1 if blind and not amount.is_in_bb else unit)


def _number(name: str, value: object, most: float, allowed: str) -> float:
    if not Number(least=0.0, most=most, or_infinite=math.isinf(most)).accepts(value):
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
    except (TypeError, ValueError, RecursionError):
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
        if blocked_combos(board)[whole.weights > 0.0].all():
            raise CardError(
                f"no combo of the range {shortened(str(whole))[1:-1]} remains on this board: give "
                "other hands"
            )
    except CardError as error:
        raise CardError(f"the {seat} range: {error}") from None
    return whole


def _left_out(ranges: Iterable[object], board: int) -> Iterator[str]:
    """Yield a note for each range, given as text, that names combos with cards of the board."""
    for player, given in enumerate(ranges):
        named = EXACT_HAND.findall(given) if isinstance(given, str) else []
        masks = {mask_of(parse_cards(hand)) for hand in named}
        count = sum(mask & board != 0 for mask in masks)
        if count:
            combos, need, are = (
                ("combo", "needs", "is") if count == 1 else ("combos", "need", "are")
            )
            yield (
                f"{count} {combos} of the range of player {player} ({SEATS[player]}) {need} cards "
                f"of the board and {are} left out"
            )


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
