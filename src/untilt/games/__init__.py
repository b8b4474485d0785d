"""The games: poker, markets, and how to find a game by name."""

# Imported before the function of the same name: importing the package later would hide it.
import untilt.games.pushfold  # noqa: F401
from untilt.games.markets.auction import auction
from untilt.games.markets.market_maker import market_maker
from untilt.games.markets.order_routing import order_routing
from untilt.games.registry import (
    REGISTRY,
    GameSpec,
    NamedGame,
    kuhn,
    leduc,
    leduc_276,
    pushfold,
    resolve,
)

__all__ = [
    "REGISTRY",
    "GameSpec",
    "NamedGame",
    "auction",
    "kuhn",
    "leduc",
    "leduc_276",
    "market_maker",
    "order_routing",
    "pushfold",
    "resolve",
]
