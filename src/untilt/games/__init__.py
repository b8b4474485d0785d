"""The games: poker, markets, and how to find a game by name."""

from untilt.games.markets.auction import auction
from untilt.games.markets.market_maker import market_maker
from untilt.games.markets.order_routing import order_routing
from untilt.games.registry import REGISTRY, GameSpec, NamedGame, kuhn, leduc, leduc_276, resolve

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
    "resolve",
]
