"""What a policy learns about the game that it plays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from untilt.game.protocol import Game
from untilt.game.terms import Terms, terms_of


@dataclass(frozen=True)
class Rules:
    """The game being played."""

    name: str
    """Short name of the game, such as `leduc`."""
    parameters: Mapping[str, Any]
    terms: Terms
    """The game's words for its unit, its seats and what players hold."""

    @classmethod
    def of(cls, root: Game) -> "Rules":
        """Return the rules of a position made in Python, under its registered name."""
        from untilt.games.registry import name_position

        named = name_position(root)
        return cls(named.name, named.parameters, terms_of(root))
