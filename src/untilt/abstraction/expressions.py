"""Abstractions as text: what `repr` writes, read back without running any code.

    street * linear_pot(20) * hand_class
    capped_bets(pot_fractions(0.5, 1, all_in=True), 8)

Only ready-made parts can be read. So a run of a game that is made of them needs no user code to be
resumed or played, and `untilt solve abstract -p states="street * hand_class"` needs no file.
"""

import ast
import warnings
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from untilt.abstraction import menus, states
from untilt.abstraction.algebra import StateAbstraction, factors_of, states_of, trivial
from untilt.abstraction.buckets.equity_states import equities
from untilt.abstraction.menus import Menu
from untilt.errors import InvalidOption, UnknownName, shortened

STATES: Mapping[str, StateAbstraction | Callable[..., StateAbstraction]] = MappingProxyType(
    {
        "trivial": trivial,
        "street": states.street,
        "player": states.player,
        "private": states.private,
        "public": states.public,
        "betting_line": states.betting_line,
        "hand_class": states.hand_class,
        "last_card_run": states.last_card_run,
        "board_texture": states.board_texture,
        "alike": states.alike,
        "linear_pot": states.linear_pot,
        "linear_cost": states.linear_cost,
        "equities": equities,
    }
)
"""The ready-made state abstractions, and the functions that make them."""

MENUS: Mapping[str, Callable[..., Menu]] = MappingProxyType(
    {
        "pot_fractions": menus.pot_fractions,
        "raise_multiples": menus.raise_multiples,
        "sizes": menus.sizes,
        "capped_bets": menus.capped_bets,
        "all_in_threshold": menus.all_in_threshold,
        "by_street": menus.by_street,
    }
)
"""The functions that make menus."""

_MAX_LENGTH = 10_000
_MAX_DEPTH = 50


def parse_states(text: str) -> StateAbstraction:
    """Return the state abstraction that a text spells out."""
    found = _parsed(text)
    if factors_of(found) is None:
        raise InvalidOption(
            f"{shortened(text)} is not a state abstraction, such as street * player"
        )
    return states_of(found)


def parse_menu(text: str) -> Menu:
    """Return the menu that a text spells out."""
    found = _parsed(text)
    if not isinstance(found, Menu):
        raise InvalidOption(f"{shortened(text)} is not a menu, such as pot_fractions(0.5, 1)")
    return found


def _parsed(text: str) -> Any:
    if not isinstance(text, str) or len(text) > _MAX_LENGTH:
        raise InvalidOption(f"{shortened(text)} is not an abstraction as text")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the style of a text that is refused below
            tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _unreadable(text) from None
    return _value(tree.body, text, 0)


def _value(node: ast.expr, text: str, depth: int) -> Any:
    if depth > _MAX_DEPTH:
        raise _unreadable(text)
    match node:
        case ast.BinOp(left, ast.Mult() | ast.BitOr() as operation, right):
            pair = _value(left, text, depth + 1), _value(right, text, depth + 1)
            try:
                return pair[0] * pair[1] if isinstance(operation, ast.Mult) else pair[0] | pair[1]
            except TypeError:
                raise _unreadable(text) from None
        case ast.Name(name):
            known = _known(name)
            if not isinstance(known, StateAbstraction):
                raise InvalidOption(f"{name} takes arguments: {name}(…)")
            return known
        case ast.Call(ast.Name(name), arguments, keywords):
            make = _known(name)
            if isinstance(make, StateAbstraction) or any(each.arg is None for each in keywords):
                raise _unreadable(text)
            given = [_argument(each, text, depth) for each in arguments]
            named = {str(each.arg): _argument(each.value, text, depth) for each in keywords}
            try:
                return make(*given, **named)
            except TypeError as error:
                raise InvalidOption(f"{name} in {shortened(text)}: {error}") from None
        case _:
            raise _unreadable(text)


def _argument(node: ast.expr, text: str, depth: int) -> Any:
    if isinstance(node, ast.Call | ast.BinOp | ast.Name):
        return _value(node, text, depth + 1)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise _unreadable(text) from None


def _known(name: str) -> Any:
    if name in STATES:
        return STATES[name]
    if name in MENUS:
        return MENUS[name]
    raise UnknownName.among("abstraction", name, [*STATES, *MENUS])


def _unreadable(text: str) -> InvalidOption:
    return InvalidOption(
        f"{shortened(text)} is not an abstraction: write names and calls with * between them, such "
        "as street * linear_pot(20), or a menu such as pot_fractions(0.5, 1)"
    )
