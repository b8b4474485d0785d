"""The game of a run that is resumed, without executing code that a run folder names.

`game.bin` holds the game, as a rule with all its histories, and sampling those gives the same
bits as sampling the game's own positions. Where they are too many, the game is made again by the
rules that come with Untilt. Any other code is executed only if the user asks for it.
"""

import shlex
from pathlib import Path

from untilt.errors import InvalidOption, RunError
from untilt.game.compiled import CompiledGame
from untilt.game.protocol import Game
from untilt.game.tree_position import TreePosition
from untilt.games.registry import REGISTRY, resolve
from untilt.runs.request import Request


def root_again(
    folder: Path,
    request: Request,
    compiled: CompiledGame | None,
    *,
    game: Game | str | None,
    trust: bool,
) -> Game:
    """Return the root position of a run on objects.

    `game` is what the user gives as the game, a position or what resolves to one; `trust` says
    that whatever the run itself names may be executed.
    """
    if isinstance(game, str):
        return resolve(game, request.parameters).game
    if game is not None:
        return game
    if request.reference in REGISTRY:
        return resolve(str(request.reference), request.parameters).game
    if compiled is not None and compiled.tree is not None:
        return TreePosition.root_of(compiled)
    if request.reference is None:
        raise InvalidOption(
            "this run samples a position made in Python, which is not saved with it; continue it "
            "with untilt.resume(path, game=position)"
        )
    if not trust:
        again = f"--resume {_quoted(str(folder))}"
        raise RunError(
            f"resuming this run would execute {request.reference!r}, which is named by the run "
            "and does not come with Untilt; if you trust it: untilt solve "
            f"{_quoted(request.reference)} {again}, or untilt solve {again} --trust"
        )
    return resolve(request.reference, request.parameters).game


def _quoted(text: str) -> str:
    return shlex.quote(text) if text.isprintable() else repr(text)


def verify_same_game(request: Request, game: Game | str) -> None:
    """Refuse the name of another game, unless it may be where the game of a run is found now."""
    if request.options.get("on") == "objects" and request.reference not in REGISTRY:
        return
    if isinstance(game, str) and game not in (request.reference, request.game):
        raise InvalidOption(
            f"this is a run of {request.reference or request.game}, not of {game}; leave the game "
            "out: a run knows its own"
        )
