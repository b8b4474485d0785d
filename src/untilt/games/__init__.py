"""The games: poker, markets, games of your own, and how to find, compile, check and draw them.

    untilt.games.compile("leduc").num_infosets
    untilt.games.check("my_game.py").is_sound
    untilt.games.tree("kuhn").save("kuhn.svg")

Each game is a function that returns its root position.
"""

from typing import TYPE_CHECKING

# Imported before the functions of the same names: importing the packages later would hide them.
import untilt.games.holdem
import untilt.games.pushfold
import untilt.games.river_of_blood  # noqa: F401
from untilt.games.goofspiel import goofspiel
from untilt.games.kuhn import kuhn
from untilt.games.liars_dice import liars_dice
from untilt.games.markets.auction import auction
from untilt.games.markets.limit_order import limit_order
from untilt.games.markets.market_maker import market_maker
from untilt.games.markets.order_routing import order_routing
from untilt.games.matrix import matching_pennies, matrix
from untilt.games.registry import (
    REGISTRY,
    GameSpec,
    NamedGame,
    holdem,
    leduc,
    leduc_276,
    pushfold,
    register_game,
    resolve,
    river_of_blood,
)
from untilt.games.river_of_blood import RiverOfBlood
from untilt.lazy import lazy_names

if TYPE_CHECKING:
    from untilt.game.checking.check import GameReport as GameReport
    from untilt.game.compiled import CompiledGame as CompiledGame
    from untilt.games.compiling import check as check
    from untilt.games.compiling import compile as compile  # noqa: A004
    from untilt.runs.results.tree_drawing import tree as tree

__all__ = [
    "REGISTRY",
    "CompiledGame",
    "GameReport",
    "GameSpec",
    "NamedGame",
    "RiverOfBlood",
    "auction",
    "check",
    "compile",
    "goofspiel",
    "holdem",
    "kuhn",
    "leduc",
    "leduc_276",
    "liars_dice",
    "limit_order",
    "market_maker",
    "matching_pennies",
    "matrix",
    "order_routing",
    "pushfold",
    "register_game",
    "resolve",
    "river_of_blood",
    "tree",
]

_HOME = {
    "CompiledGame": "untilt.game.compiled",
    "GameReport": "untilt.game.checking.check",
    "check": "untilt.games.compiling",
    "compile": "untilt.games.compiling",
    "tree": "untilt",
}
"""Names that load NumPy, or what lies above the games."""

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
