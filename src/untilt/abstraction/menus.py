"""Menus: which of the many bets of a no-limit game a player considers.

A menu offers check or fold and call, and some bets, in the common language of sizes:

    pot_fractions(0.5, 1.0, all_in=True)                  half the pot, the pot, all-in
    pot_fractions(0.5) | raise_multiples(2.5, 4)          bets by the pot, raises by the last bet
    sizes("33%, 75%", raises="2.5x; a")                   text of `untilt.games.holdem.bets.sizes`
    all_in_threshold(menu, 0.15)                          a bet that leaves little behind is all-in
    capped_bets(menu, 4)                                  at most four bets and raises on a street
    by_street(preflop_menu, flop_menu, later_menu)        one menu per street, the last for the rest

Actions have relative names, `raise 50%`, because nodes with different pots may be one infoset.
A menu is algebraic: as a factor it distinguishes infosets that offer different actions, so that an
abstract infoset always offers the same actions. `|` joins the bets of two menus.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from untilt.abstraction.algebra import (
    About,
    Factor,
    StateAbstraction,
    factors_of,
    fingerprint_of,
    source_of,
)
from untilt.errors import GameError, InvalidOption, shortened
from untilt.game.actions import ActionData, Kind
from untilt.games.holdem.bets.bet_amounts import Thresholds, bet_amounts
from untilt.games.holdem.bets.sizes import (
    Size,
    SizeLists,
    Unit,
    format_raises,
    format_sizes,
    parse_raises,
    parse_sizes,
)
from untilt.games.holdem.betting import Betting
from untilt.games.holdem.cost.betting_count import NO_BET, States, offered_amounts, without_repeats
from untilt.number import Number
from untilt.numeric.arrays import Floats

_NO_THRESHOLDS = Thresholds(0.0, 0.0, 0.0)
_MAX_CAP = 1_000


class Offer(NamedTuple):
    """An action of a menu at one moment of a hand."""

    name: str
    """Its name, which does not depend on the pot: `call`, `bet 50%`, `all-in`."""
    action: ActionData
    """The bet here, in chips."""


class Menu(ABC):
    """The bets that a player considers: immutable, equal to any menu written the same way."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The menu as it is written."""

    @property
    def is_ready_made(self) -> bool:
        """Whether its text is enough to rebuild it."""
        return True

    @property
    def fingerprint(self) -> str:
        """A hash of what it offers."""
        return fingerprint_of(self.text)

    @abstractmethod
    def bets(self, betting: Betting) -> dict[int, Size]:
        """Return the bets offered to the player to act, who can bet, ascending, by their totals."""

    def amounts(self, states: States) -> Floats:
        """Return the bets of many states that can bet: [bets, states]; see `count_betting`.

        A menu that can compute them at once should.
        """
        listed = [list(self.bets(betting)) for betting in states.bettings()]
        found = np.full((max(map(len, listed), default=0), len(listed)), NO_BET)
        for number, amounts in enumerate(listed):
            found[: len(amounts), number] = amounts
        return found

    def offers(self, betting: Betting) -> tuple[Offer, ...]:
        """Return all actions of the player to act, bets ascending."""
        passive = tuple(Offer(action.name, action) for action in betting.passive_actions())
        if not betting.can_bet():
            return passive
        return passive + tuple(
            Offer(_name(size, action), action)
            for size, action in (
                (size, betting.named_bet(amount)) for amount, size in self.bets(betting).items()
            )
        )

    def actions(self, betting: Betting) -> tuple[ActionData, ...]:
        """Return all actions of the player to act, in chips."""
        return tuple(offer.action for offer in self.offers(betting))

    @cached_property
    def factor(self) -> Factor:
        """The menu as a state abstraction: the names of the actions that it offers."""

        def read(infoset: Any) -> tuple[str, ...]:
            return tuple(offer.name for offer in self.offers(infoset.betting))

        return Factor(self.text, read, About.LINE, short_names, self.is_ready_made)

    def __call__(self, infoset: Any) -> tuple[str, ...]:
        """Return the names of the actions offered at an infoset of hold'em."""
        return tuple(offer.name for offer in self.offers(infoset.betting))

    def __mul__(self, other: object) -> StateAbstraction:
        factors = factors_of(other)
        return NotImplemented if factors is None else StateAbstraction.of((self.factor, *factors))

    __rmul__ = __mul__

    def __or__(self, other: object) -> "Menu":
        if not isinstance(other, Menu):
            return NotImplemented
        parts = [part for menu in (self, other) for part in menu._parts]
        joined = tuple(sorted(dict.fromkeys(parts), key=lambda menu: menu.text))
        return joined[0] if len(joined) == 1 else _Joined(joined)

    @property
    def _parts(self) -> tuple["Menu", ...]:
        return (self,)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Menu):
            return NotImplemented
        return (self.text, self.fingerprint) == (other.text, other.fingerprint)

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return self.text


def short_names(names: Sequence[str]) -> str:
    """Return the names of actions as they appear in labels: `f,c,r50%,a`."""
    return ",".join(map(_short, names))


def _short(name: str) -> str:
    kind, _, size = name.partition(" ")
    return _LETTER_OF.get(kind, kind) + size


_LETTER_OF = {"fold": "f", "check": "c", "call": "c", "bet": "b", "raise": "r", "all-in": "a"}


def _name(size: Size, action: ActionData) -> str:
    if action.kind is Kind.ALL_IN:
        return Kind.ALL_IN.value
    return f"{action.kind.value} {size}"


@dataclass(frozen=True, eq=False, repr=False)
class _Listed(Menu):
    """Sizes of bets, and of raises by their number."""

    bet_sizes: tuple[Size, ...]
    raise_sizes: SizeLists
    written: str

    @property
    def text(self) -> str:
        """The menu as it is written."""
        return self.written

    def bets(self, betting: Betting) -> dict[int, Size]:
        """Return the bets offered to the player to act."""
        chosen = self._chosen(betting.num_bets)
        return bet_amounts(chosen, betting, betting.street, _NO_THRESHOLDS)

    def amounts(self, states: States) -> Floats:
        """Return the bets of many states."""
        return offered_amounts(self._chosen(states.num_bets), states, _NO_THRESHOLDS)

    def _chosen(self, num_bets: int) -> tuple[Size, ...]:
        lists = self.raise_sizes
        return lists[min(num_bets, len(lists)) - 1] if num_bets else self.bet_sizes


def pot_fractions(*fractions: float, all_in: bool = False) -> Menu:
    """Return the menu of bets and raises of these multiples of the pot, after calling.

    `all_in` adds all-in everywhere.
    """
    listed = tuple(Size(Unit.POT, _positive("pot_fractions", each)) for each in fractions)
    if not isinstance(all_in, bool):
        raise InvalidOption.of("all_in", all_in, "it must be True or False")
    if not listed and not all_in:
        raise _offers_nothing("pot_fractions()", "give fractions such as 0.5 and 1, or all_in=True")
    numbers = [_written(each) for each in fractions]
    written = f"pot_fractions({', '.join(numbers + ['all_in=True'] * all_in)})"
    sizes = tuple(dict.fromkeys(listed)) + ((Size(Unit.ALL_IN),) if all_in else ())
    return _Listed(sizes, (sizes,), written)


def raise_multiples(*multiples: float) -> Menu:
    """Return the menu of raises to these multiples of the previous bet, without first bets.

    >>> from untilt.abstraction import pot_fractions, raise_multiples
    >>> pot_fractions(0.5) | raise_multiples(2.5, 4)
    pot_fractions(0.5) | raise_multiples(2.5, 4)
    """
    if not multiples:
        raise _offers_nothing("raise_multiples()", "give multiples such as 2.5")
    for each in multiples:
        if _positive("raise_multiples", each) <= 1.0:
            raise InvalidOption(f"raise_multiples({each:g}): a raise is to more than 1 times a bet")
    listed = tuple(dict.fromkeys(Size(Unit.MULTIPLE, float(each)) for each in multiples))
    written = f"raise_multiples({', '.join(map(_written, multiples))})"
    return _Listed((), (listed,), written)


def sizes(bets: str, raises: str | None = None) -> Menu:
    """Return the menu of sizes written as for spots: `"33%, 75%, a"`, `"2.5x; a"`.

    Raises have the sizes of bets if none are given.
    """
    first = parse_sizes(bets)
    lists = (first,) if raises is None else parse_raises(raises)
    if not first and not any(lists):
        raise _offers_nothing("sizes('')", "give sizes such as '60%, a'")
    written = f"sizes({format_sizes(first)!r}" + (
        ")" if raises is None else f", {format_raises(lists)!r})"
    )
    return _Listed(first, lists, written)


@dataclass(frozen=True, eq=False, repr=False)
class _Joined(Menu):
    """The bets of several menus."""

    menus: tuple[Menu, ...]

    @property
    def text(self) -> str:
        """The menus with `|` between them."""
        return " | ".join(menu.text for menu in self.menus)

    @property
    def is_ready_made(self) -> bool:
        """Whether all of them are."""
        return all(menu.is_ready_made for menu in self.menus)

    @property
    def fingerprint(self) -> str:
        """A hash of all of them."""
        return fingerprint_of(*(menu.fingerprint for menu in self.menus))

    @property
    def _parts(self) -> tuple[Menu, ...]:
        return self.menus

    def bets(self, betting: Betting) -> dict[int, Size]:
        """Return the bets offered to the player to act."""
        found: dict[int, Size] = {}
        for menu in self.menus:
            for amount, size in menu.bets(betting).items():
                found.setdefault(amount, size)
        return dict(sorted(found.items()))

    def amounts(self, states: States) -> Floats:
        """Return the bets of many states."""
        return without_repeats(np.concatenate([menu.amounts(states) for menu in self.menus]))


@dataclass(frozen=True, eq=False, repr=False)
class _Changed(Menu):
    """Another menu, changed by a function with a number."""

    menu: Menu
    function: str
    number: float

    @property
    def text(self) -> str:
        """The call that makes it."""
        return f"{self.function}({self.menu.text}, {_written(self.number)})"

    @property
    def is_ready_made(self) -> bool:
        """Whether the other menu is."""
        return self.menu.is_ready_made

    @property
    def fingerprint(self) -> str:
        """A hash of the other menu and the change."""
        return fingerprint_of(self.function, _written(self.number), self.menu.fingerprint)

    @abstractmethod
    def bets(self, betting: Betting) -> dict[int, Size]:
        """Return the bets offered to the player to act."""


class _Capped(_Changed):
    def bets(self, betting: Betting) -> dict[int, Size]:
        return self.menu.bets(betting) if betting.num_bets < self.number else {}

    def amounts(self, states: States) -> Floats:
        is_offered = states.num_bets < self.number
        return self.menu.amounts(states) if is_offered else np.empty((0, len(states.pot)))


class _Thresholded(_Changed):
    def bets(self, betting: Betting) -> dict[int, Size]:
        previous, pot, most = max(betting.bets), betting.pot_after_call, betting.all_in_to
        found: dict[int, Size] = {}
        for amount, size in self.menu.bets(betting).items():
            pot_called = pot + 2 * (amount - previous)
            if most - amount <= self.number * pot_called:
                found[most] = Size(Unit.ALL_IN)
            else:
                found[amount] = size
        return found

    def amounts(self, states: States) -> Floats:
        amounts, all_in = self.menu.amounts(states), states.all_in_to
        pot_called = states.pot_after_call + 2.0 * (amounts - states.level)
        is_short = (amounts != NO_BET) & (all_in - amounts <= self.number * pot_called)
        return without_repeats(np.where(is_short, all_in, amounts))


def capped_bets(menu: Menu, most: int) -> Menu:
    """Return the menu without bets once there are `most` bets and raises on the street.

    A blind counts as a bet, as in limit games.
    """
    if type(most) is not int or not 0 <= most <= _MAX_CAP:
        raise InvalidOption(
            f"capped_bets(…, {shortened(most)}): give the most bets of a street, an integer from 0 "
            f"to {_MAX_CAP}"
        )
    return _Capped(_menu("capped_bets", menu), "capped_bets", most)


def all_in_threshold(menu: Menu, share: float) -> Menu:
    """Return the menu in which a bet that leaves at most this share of the pot is all-in.

    The pot is the one after the bet is called.

    >>> from untilt.abstraction import all_in_threshold, pot_fractions
    >>> all_in_threshold(pot_fractions(0.5, 1), 0.25)
    all_in_threshold(pot_fractions(0.5, 1), 0.25)
    """
    return _Thresholded(
        _menu("all_in_threshold", menu), "all_in_threshold", _positive("all_in_threshold", share)
    )


@dataclass(frozen=True, eq=False, repr=False)
class _ByStreet(Menu):
    """One menu per street."""

    menus: tuple[Menu, ...]

    @property
    def text(self) -> str:
        """The call that makes it."""
        return f"by_street({', '.join(menu.text for menu in self.menus)})"

    @property
    def is_ready_made(self) -> bool:
        """Whether all of them are."""
        return all(menu.is_ready_made for menu in self.menus)

    @property
    def fingerprint(self) -> str:
        """A hash of all of them."""
        return fingerprint_of("by_street", *(menu.fingerprint for menu in self.menus))

    def bets(self, betting: Betting) -> dict[int, Size]:
        """Return the bets offered to the player to act."""
        return self._menu_of(betting.street).bets(betting)

    def amounts(self, states: States) -> Floats:
        """Return the bets of many states."""
        return self._menu_of(states.street).amounts(states)

    def _menu_of(self, street: int) -> Menu:
        return self.menus[min(street, len(self.menus) - 1)]


def by_street(*menus: Menu) -> Menu:
    """Return a menu for each street: before the flop, on the flop …, the last for all later.

    >>> from untilt.abstraction import by_street, pot_fractions, raise_multiples
    >>> by_street(raise_multiples(2.5), pot_fractions(0.5))
    by_street(raise_multiples(2.5), pot_fractions(0.5))
    """
    if not menus:
        raise _offers_nothing("by_street()", "give a menu for each street")
    return _ByStreet(tuple(_menu("by_street", menu) for menu in menus))


@dataclass(frozen=True, eq=False, repr=False)
class _Written(Menu):
    """A user's function of the betting that returns sizes as text."""

    function: Callable[[Betting], str]
    name: str

    @property
    def text(self) -> str:
        """The name of the function."""
        return self.name

    @property
    def is_ready_made(self) -> bool:
        """Whether it comes with Untilt: no."""
        return False

    @property
    def fingerprint(self) -> str:
        """A hash of the name and the source."""
        return fingerprint_of(self.name, source_of(self.function))

    def bets(self, betting: Betting) -> dict[int, Size]:
        """Return the bets offered to the player to act."""
        text = self.function(betting)
        try:
            listed = parse_sizes(text, is_raise=betting.num_bets > 0)
        except InvalidOption as error:
            raise GameError(f"the menu {self.name!r} returns {shortened(text)}: {error}") from None
        return bet_amounts(listed, betting, betting.street, _NO_THRESHOLDS)


def menu(function: Callable[[Betting], str]) -> Menu:
    """Make a menu from a function of the betting that returns sizes as text: `"50%, a"`.

    As a decorator:

        @menu
        def pot_early_shove_late(betting):
            return "100%" if betting.street < 2 else "a"
    """
    if not callable(function):
        raise InvalidOption(f"{shortened(function)} is not a function of the betting")
    return _Written(function, getattr(function, "__name__", type(function).__name__))


def _menu(function: str, given: object) -> Menu:
    if not isinstance(given, Menu):
        raise InvalidOption(
            f"{function}({shortened(given)}): give a menu such as pot_fractions(0.5, 1)"
        )
    return given


def _positive(function: str, given: object) -> float:
    if not Number(above=0, most=1e9).accepts(given):
        raise InvalidOption(f"{function}({shortened(given)}): give positive numbers such as 0.5")
    return float(given)  # type: ignore[arg-type]  # a number


def _written(number: float) -> str:
    """Return the shortest text that is read as the same number."""
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))


def _offers_nothing(written: str, advice: str) -> InvalidOption:
    return InvalidOption(f"the menu {written} offers no bet: {advice}")
