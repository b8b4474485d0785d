"""The game that policies play: its name, its root, and its compiled form if it is small."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from untilt.errors import GameTooLarge
from untilt.game.compiled import CompiledGame
from untilt.game.compiled import compile as compile_game
from untilt.game.protocol import Game, num_players_of
from untilt.game.terms import Terms, terms_of
from untilt.games.registry import NamedGame, resolve
from untilt.policy.hands.turn import Rules

MAX_COMPILED = 500_000
"""A game given by name is compiled, to check strategies against it, up to this many histories."""


@dataclass(frozen=True, eq=False)
class MatchGame:
    """The game of a match or a table."""

    name: str
    title: str
    parameters: Mapping[str, Any]
    root: Game
    compiled: CompiledGame | None = None
    """None for a game that is too large."""
    words: Terms | None = None
    """The game's words for its unit, its seats and what players hold; None: those of its root."""

    @property
    def num_players(self) -> int:
        """The number of players."""
        return num_players_of(self.root)

    @property
    def terms(self) -> Terms:
        """The game's words for its unit, its seats and what players hold."""
        return terms_of(self.root) if self.words is None else self.words

    @cached_property
    def rules(self) -> Rules:
        """What policies learn about the game."""
        return Rules(self.name, self.parameters, self.terms)

    @property
    def described(self) -> str:
        """Name and parameters, for messages."""
        given = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.name}({given})" if given else self.name


def registered_game(name: str, parameters: Mapping[str, Any]) -> MatchGame | None:
    """Return a game that comes with Untilt; None for any other name."""
    from untilt.games.recipe import Recipe

    if not Recipe(name, parameters).is_ours:
        return None
    return named_game(name, parameters)


def named_game(reference: str, parameters: Mapping[str, Any]) -> MatchGame:
    """Return the game that a reference names; this runs the code of a Python file."""
    return made_game(resolve(reference, parameters))


def made_game(named: NamedGame) -> MatchGame:
    """Return a game, compiled if it is small."""
    try:
        compiled = compile_game(named.game, max_nodes=MAX_COMPILED)
    except GameTooLarge:
        compiled = None
    return MatchGame(named.name, named.title, named.parameters, named.game, compiled)


def is_same_game(game: MatchGame, other: MatchGame) -> bool:
    """Whether two games are the same: by all that matters for play, else by name."""
    known, given = game.compiled, other.compiled
    if known is None or given is None or known.is_partial or given.is_partial:
        return (game.name, dict(game.parameters)) == (other.name, dict(other.parameters))
    return known.fingerprint() == given.fingerprint()
