"""Abstractions: a game made smaller, as a product of small functions, and how to play it for real.

from untilt.abstraction import abstract, algebraic, linear_pot, pot_fractions, street
game = abstract(holdem(), street * linear_pot(20), pot_fractions(0.5, 1, all_in=True))
"""

from typing import TYPE_CHECKING

from untilt.abstraction.abstract_game import AbstractInfoset, AbstractPosition, abstract
from untilt.abstraction.algebra import StateAbstraction, algebraic, trivial
from untilt.abstraction.buckets.equity_states import equities
from untilt.abstraction.menus import (
    Menu,
    all_in_threshold,
    by_street,
    capped_bets,
    menu,
    pot_fractions,
    raise_multiples,
    sizes,
)
from untilt.abstraction.states import (
    alike,
    betting_line,
    board_texture,
    hand_class,
    last_card_run,
    linear_cost,
    linear_pot,
    player,
    private,
    public,
    street,
)
from untilt.abstraction.translation import Translation
from untilt.lazy import lazy_names

if TYPE_CHECKING:  # it loads Numba
    from untilt.abstraction.buckets.card_abstraction import CardAbstraction as CardAbstraction

__all__ = [
    "AbstractInfoset",
    "AbstractPosition",
    "CardAbstraction",
    "Menu",
    "StateAbstraction",
    "Translation",
    "abstract",
    "algebraic",
    "alike",
    "all_in_threshold",
    "betting_line",
    "board_texture",
    "by_street",
    "capped_bets",
    "equities",
    "hand_class",
    "last_card_run",
    "linear_cost",
    "linear_pot",
    "menu",
    "player",
    "pot_fractions",
    "private",
    "public",
    "raise_multiples",
    "sizes",
    "street",
    "trivial",
]

_HOME = {"CardAbstraction": "untilt.abstraction.buckets.card_abstraction"}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
