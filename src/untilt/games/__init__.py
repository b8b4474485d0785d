"""The games: poker, markets, and how to find a game by name."""

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
    resolve,
    river_of_blood,
)
from untilt.games.river_of_blood import RiverOfBlood

__all__ = [
    "REGISTRY",
    "GameSpec",
    "NamedGame",
    "RiverOfBlood",
    "auction",
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
    "resolve",
    "river_of_blood",
]
