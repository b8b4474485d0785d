"""The games: Kuhn, Leduc and its variants, and how to find a game by name."""

from untilt.games.registry import REGISTRY, GameSpec, NamedGame, kuhn, leduc, leduc_276, resolve

__all__ = ["REGISTRY", "GameSpec", "NamedGame", "kuhn", "leduc", "leduc_276", "resolve"]
