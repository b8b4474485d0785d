"""Compiling and checking a game that is given in any form: a name, a file, a position, a result."""

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

from untilt.errors import InvalidOption
from untilt.game import compiled
from untilt.game.checking import check as checking
from untilt.game.checking.check import GameReport
from untilt.game.compiled import CompiledGame, compiled_form
from untilt.game.histories.tree import DEFAULT_MAX_NODES
from untilt.game.sequence.sequence_form import SequenceForm
from untilt.games.parameters import verify_mapping
from untilt.games.registry import GameLike, name_game
from untilt.options.run import MAX_NODES


class HasGame(Protocol):
    """A result that has its game, such as a run."""

    @property
    def game(self) -> CompiledGame:
        """The game that was solved."""
        ...


AnyGame: TypeAlias = "GameLike | CompiledGame | SequenceForm | HasGame"
"""Anything that stands for a game."""


def compile(  # noqa: A001
    game: AnyGame,
    *,
    parameters: Mapping[str, Any] | None = None,
    max_nodes: int = DEFAULT_MAX_NODES,
) -> CompiledGame:
    """Return `game` compiled: directly if the game supports that, else by walking its histories.

    `parameters` apply to a game given by name, class or function. `max_nodes` limits the histories
    walked; GameTooLarge is raised beyond it.

    >>> import untilt
    >>> untilt.games.compile("leduc", parameters={"ranks": 4}).num_infosets
    504
    """
    _verify_max_nodes(max_nodes)
    given = {} if parameters is None else parameters
    verify_mapping(given)
    own = getattr(game, "game", None)
    known = own if isinstance(own, CompiledGame) else game
    if isinstance(known, CompiledGame | SequenceForm):
        if given:
            raise InvalidOption("a compiled game takes no parameters; give the game by name")
        return known if isinstance(known, CompiledGame) else compiled_form(known)
    named = name_game(known, given)  # type: ignore[arg-type]  # a result was taken above
    return compiled.compile(named.game, max_nodes=int(max_nodes))


def check(
    game: GameLike,
    *,
    parameters: Mapping[str, Any] | None = None,
    max_nodes: int = DEFAULT_MAX_NODES,
) -> GameReport:
    """Return what a game looks like, and every rule of the protocol that it breaks.

    The game and its `parameters` are as for `untilt.solve`; `max_nodes` limits the histories
    walked.

    >>> import untilt
    >>> report = untilt.games.check("kuhn")
    >>> report.is_sound, report.shape.infosets
    (True, (6, 6))
    """
    _verify_max_nodes(max_nodes)
    given = {} if parameters is None else parameters
    return checking.check(name_game(game, given).game, max_nodes=int(max_nodes))


def _verify_max_nodes(max_nodes: object) -> None:
    MAX_NODES.by_default(DEFAULT_MAX_NODES).verify(max_nodes)
