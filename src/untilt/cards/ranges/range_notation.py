"""Ranges as text, in the notation of the usual tools.

Items are separated by commas or spaces. They apply from left to right: a later item overrides an
earlier one.

    QQ, AKs, AKo, AK     a class; without s or o, both suited and offsuit
    AsKh                 a combo
    22+                  pairs up to AA
    A2s+, KTo+           kickers up to the one below the high card
    T9s+                 for connectors, both cards go up: T9s JTs QJs KQs AKs
    QQ-88                all pairs from one to the other, in either direction
    KTs-K7s, T9s-54s     all classes in between, with the same high card or the same gap
    random, none         all combos, no combo
    top 15%              the best 15 % of all combos by equity against a random hand
    push 15%             the best 15 % in the order of Sklansky and Chubukov, see `hand_order`
    QQ:0.5               a weight from 0 to 1; without one it is 1
    !AsKh, !AK           removes these

A percentage is exact: the last class has only part of its weight. For the other part of that class,
earlier items still apply.

Case does not matter. Printing combines classes whose combos all have the same weight into as few
items as possible, and lists the combos of all others. Weights are printed in full, so parsing the
text gives exactly the same range.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from untilt.cards.card import NUM_RANKS, RANKS, SUITS, card_of
from untilt.cards.combos import (
    CLASS_NAMES,
    CLASS_OF_COMBO,
    COMBOS_OF_CLASS,
    NUM_COMBOS,
    Combos,
    class_index,
    combo_index,
    combo_name,
)
from untilt.cards.ranges.hand_order import ORDERS, best_classes
from untilt.errors import CardError
from untilt.numeric.arrays import Floats

_NUMBER = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SPACES = " \t\r\n"
_KINDS = "so"
_EVERYTHING: Combos = np.arange(NUM_COMBOS, dtype=np.int16)
_WORDS = {"random": _EVERYTHING, "none": _EVERYTHING[:0]}
_SHOWN = 30
"""The number of characters that an error shows on each side of the one it points at."""


def parse_weights(text: str) -> Floats:
    """Return [1326] the weight of each combo in the range written as `text`.

    Raises CardError, with the position of the character, if it is not a range.
    """
    return _Parser(text).weights()


class _Hand(NamedTuple):
    """A class, with the ranks of its cards, or a combo."""

    high: int
    low: int
    kinds: str
    """`s`, `o` or both; empty for a pair."""
    combo: int | None
    begin: int
    """Its position in the text."""

    @property
    def gap(self) -> int:
        return self.high - self.low


class _Part(NamedTuple):
    """The combos of an item, and the share that it takes of each."""

    combos: Combos
    shares: Floats | float = 1.0


class _Parser:
    """Reads a text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def weights(self) -> Floats:
        weights = np.zeros(NUM_COMBOS)
        self._skip(_SPACES + ",")
        if self._is_at_end():
            raise self._error("the range is empty: give a hand, such as QQ, or write 'none'")
        while not self._is_at_end():
            is_removal = self._take("!")
            self._skip(_SPACES)
            part = self._best() or _Part(self._combos())
            if is_removal and self._next_sign() == ":":
                raise self._error("a hand removed by '!' has no weight: leave the weight out")
            weight = 0.0 if is_removal else self._weight()
            weights[part.combos] *= 1.0 - part.shares
            weights[part.combos] += part.shares * weight
            self._go_to_next_item()
        return weights

    def _best(self) -> "_Part | None":
        """Read the best hands of an order, such as `top 15%`, if they come next."""
        order = next((word for word in ORDERS if self._take_word(word)), None)
        if order is None:
            return None
        self._skip(_SPACES)
        found = _NUMBER.match(self.text, self.position)
        if not found or float(found.group()) > 100.0:
            raise self._error(f"a percentage from 0 to 100 is expected, as in '{order} 15%'")
        self.position = found.end()
        if not self._take("%"):
            self._skip(_SPACES)
            raise self._error(f"'%' is expected after the number, as in '{order} 15%'")
        shares = best_classes(order, float(found.group()))[CLASS_OF_COMBO]
        combos = np.flatnonzero(shares).astype(np.int16)
        return _Part(combos, shares[combos])

    def _combos(self) -> Combos:
        """Read an item up to its weight."""
        for word, combos in _WORDS.items():
            if self._take_word(word):
                return combos
        if self._has("-"):
            raise self._error("'-' is for intervals such as QQ-88: use '!' to remove hands")
        hand = self._hand()
        if hand.combo is not None:
            if self._next_sign() in ("+", "-"):
                self._skip(_SPACES)
                raise self._error("'+' and '-' follow a class such as AKs, not a combo")
            return np.array([hand.combo], dtype=np.int16)
        if self._take("+"):
            ranks = _upwards(hand)
        elif self._take("-"):
            ranks = self._between(hand, self._hand())
        else:
            ranks = [(hand.high, hand.low)]
        names = [
            RANKS[high] + RANKS[low] + kind for high, low in ranks for kind in hand.kinds or [""]
        ]
        return np.concatenate([COMBOS_OF_CLASS[class_index(name)] for name in names])

    def _hand(self) -> _Hand:
        self._skip(_SPACES)
        begin = self.position
        first = self._symbol(RANKS, f"a rank, one of {RANKS}, is expected")
        if self._has(SUITS):
            card = card_of(first, self._suit())
            second_begin = self.position
            second = self._symbol(RANKS, f"a rank, one of {RANKS}, is expected")
            other = card_of(second, self._suit())
            if card == other:
                self.position = second_begin
                raise self._error("a combo has two different cards")
            combo = combo_index(card, other)
            return _Hand(max(first, second), min(first, second), "", combo, begin)
        second = self._symbol(
            RANKS, f"a second rank, one of {RANKS}, or a suit, one of {SUITS}, is expected"
        )
        kinds = "" if first == second else _KINDS
        if self._has(_KINDS):
            if first == second:
                raise self._error("a pair is neither suited nor offsuit: leave the letter out")
            kinds = _KINDS[self._symbol(_KINDS, "")]
        return _Hand(max(first, second), min(first, second), kinds, None, begin)

    def _suit(self) -> int:
        return self._symbol(SUITS, f"a suit, one of {SUITS}, is expected")

    def _between(self, one: _Hand, other: _Hand) -> list[tuple[int, int]]:
        """Return the ranks of all classes from `one` to `other`."""
        if other.combo is None and one.kinds == other.kinds:
            bottom, top = sorted([(one.high, one.low), (other.high, other.low)])
            if one.gap == other.gap:
                return [(high, high - one.gap) for high in range(bottom[0], top[0] + 1)]
            if one.high == other.high:
                return [(one.high, low) for low in range(bottom[1], top[1] + 1)]
        self.position = other.begin
        raise self._error(
            "the ends of an interval must be two pairs, or two classes of one kind with the same "
            "high card (KTs-K7s) or the same gap (T9s-54s)"
        )

    def _weight(self) -> float:
        if not self._take(":"):
            return 1.0
        self._skip(_SPACES)
        found = _NUMBER.match(self.text, self.position)
        if not found or float(found.group()) > 1.0:
            raise self._error("a weight is a number from 0 to 1, such as 0.5")
        self.position = found.end()
        return float(found.group())

    def _go_to_next_item(self) -> None:
        begin = self.position
        self._skip(_SPACES + ",")
        if self.position == begin and not self._is_at_end():
            raise self._error(
                "separate items with a comma or a space; '+', '-' and ':' follow a class"
            )

    def _symbol(self, allowed: str, message: str) -> int:
        """Take the next character and return its place in `allowed`."""
        if not self._has(allowed):
            is_ten = self.text.startswith("10", self.position)
            raise self._error(message + (": write T for a ten" if is_ten else ""))
        self.position += 1
        return allowed.lower().index(self.text[self.position - 1].lower())

    def _has(self, allowed: str) -> bool:
        """Return whether the next character is one of `allowed`."""
        return not self._is_at_end() and self.text[self.position].lower() in allowed.lower()

    def _take(self, sign: str) -> bool:
        """Return whether `sign` comes next, possibly after spaces; if so, move past it."""
        if self._next_sign() != sign:
            return False
        self.position = self.text.index(sign, self.position) + 1
        return True

    def _take_word(self, word: str) -> bool:
        """Return whether `word` comes next; if so, move past it."""
        end = self.position + len(word)
        if self.text[self.position : end].lower() != word:
            return False
        self.position = end
        return True

    def _next_sign(self) -> str:
        """Return the next character that is not a space, or an empty string."""
        place = self.position
        while place < len(self.text) and self.text[place] in _SPACES:
            place += 1
        return self.text[place : place + 1]

    def _skip(self, characters: str) -> None:
        while not self._is_at_end() and self.text[self.position] in characters:
            self.position += 1

    def _is_at_end(self) -> bool:
        return self.position == len(self.text)

    def _error(self, message: str) -> CardError:
        found = "the end" if self._is_at_end() else repr(self.text[self.position])
        begin, end = max(0, self.position - _SHOWN), self.position + _SHOWN
        shown = "…" * (begin > 0) + self.text[begin:end] + "…" * (end < len(self.text))
        return CardError(f"range {shown!r}, character {self.position + 1} ({found}): {message}")


def _upwards(hand: _Hand) -> list[tuple[int, int]]:
    """Return the ranks of all classes of `hand` with a plus."""
    if hand.gap <= 1:
        return [(high, high - hand.gap) for high in range(hand.high, NUM_RANKS)]
    return [(hand.high, low) for low in range(hand.low, hand.high)]


class _Span(NamedTuple):
    """Classes of one kind with the same high card and consecutive kickers, or consecutive pairs."""

    kind: str
    """`s`, `o` or empty for both; or `pair`."""
    high: int
    """0 for pairs, whose ranks are in `top` and `bottom`."""
    top: int
    bottom: int


def format_weights(weights: Floats) -> str:
    """Return the text that `parse_weights` turns into `weights` [1326]."""
    classes_of_weight: dict[float, list[str]] = {}
    mixed: list[int] = []
    for name, combos in zip(CLASS_NAMES, COMBOS_OF_CLASS, strict=True):
        own = weights[combos]
        if (own == own[0]).all():
            classes_of_weight.setdefault(float(own[0]), []).append(name)
        else:
            mixed.extend(combos[own > 0.0].tolist())
    if len(classes_of_weight) == 1 and not mixed:
        weight = next(iter(classes_of_weight))
        return "random" + _suffix(weight) if weight else "none"
    items = [
        item + _suffix(weight)
        for weight in sorted(classes_of_weight.keys() - {0.0}, reverse=True)
        for item in _folded(classes_of_weight[weight])
    ]
    items += [combo_name(combo) + _suffix(float(weights[combo])) for combo in mixed]
    return ",".join(items)


def _suffix(weight: float) -> str:
    return "" if weight == 1.0 else f":{weight!r}"


def _folded(names: Iterable[str]) -> list[str]:
    """Return the fewest items for the named classes: pairs, then by high card."""
    lows_of_row: dict[tuple[str, int], set[int]] = {}
    for name in names:
        high, low = RANKS.index(name[0]), RANKS.index(name[1])
        row = ("pair", 0) if high == low else (name[2], high)
        lows_of_row.setdefault(row, set()).add(low)
    spans = list(_spans("pair", 0, lows_of_row.get(("pair", 0), set())))
    for high in range(NUM_RANKS - 1, 0, -1):
        suited = lows_of_row.get(("s", high), set())
        offsuit = lows_of_row.get(("o", high), set())
        both = suited & offsuit
        apart = [*_spans("s", high, suited), *_spans("o", high, offsuit)]
        joined = [
            *_spans("", high, both),
            *_spans("s", high, suited - both),
            *_spans("o", high, offsuit - both),
        ]
        spans += joined if len(joined) < len(apart) else apart
    return list(_items(spans))


def _spans(kind: str, high: int, lows: set[int]) -> Iterator[_Span]:
    for top in sorted(lows, reverse=True):
        if top + 1 not in lows:
            bottom = top
            while bottom - 1 in lows:
                bottom -= 1
            yield _Span(kind, high, top, bottom)


def _items(spans: list[_Span]) -> Iterator[str]:
    """Yield the text of each span; three or more single classes of equal gap become one item."""
    singles = {span for span in spans if span.top == span.bottom and span.kind != "pair"}
    for span in spans:
        if span not in singles:
            yield _item(span)
            continue
        last = span
        while (below := _lowered(last)) in singles:
            last = below
        first = span
        while (above := _lowered(first, -1)) in singles:
            first = above
        if first.high - last.high < 2:
            yield _item(span)
        elif span == first:
            yield f"{_item(first)}-{_item(last)}"


def _lowered(span: _Span, by: int = 1) -> _Span:
    return _Span(span.kind, span.high - by, span.top - by, span.bottom - by)


def _item(span: _Span) -> str:
    def name(low: int) -> str:
        if span.kind == "pair":
            return RANKS[low] * 2
        return RANKS[span.high] + RANKS[low] + span.kind

    if span.top == span.bottom:
        return name(span.top)
    is_open = span.top == (NUM_RANKS if span.kind == "pair" else span.high) - 1
    return f"{name(span.bottom)}+" if is_open else f"{name(span.top)}-{name(span.bottom)}"
