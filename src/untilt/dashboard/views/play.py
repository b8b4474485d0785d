"""Playing against the latest strategy of a run."""

from pathlib import Path
from typing import TYPE_CHECKING

from starlette.requests import Request

from untilt.dashboard.query import choice, integer
from untilt.dashboard.source import Holdings, Json, NotAvailable, Source
from untilt.dashboard.view import View
from untilt.formats import compiled_game, frames, result_file, run_file, strategy

if TYPE_CHECKING:
    from untilt.play.opponent import Opponent

_FILES = tuple(file.FILE_NAME for file in (compiled_game, run_file, strategy, frames, result_file))
_OPPONENT_SIZE = 1.5
"""Measured memory of an opponent per byte of its `game.bin`."""
_LARGEST = (1 << 63) - 1


def offered(run: Holdings) -> bool:
    """Whether there is a strategy, and the rules are stored or part of this package."""
    from untilt.games.recipe import Recipe

    if run.record is None or run.game is None or not run.has_strategy:
        return False
    return run.game.has_tree or Recipe(run.record.reference, run.record.parameters).is_ours


def _play(source: Source, request: Request) -> Json:
    from untilt.play.replay import state_of_hand

    seed, hand = (integer(request, name, 0, 0, _LARGEST) for name in ("seed", "hand"))
    seat = choice(request, "seat", (0, 1))
    if source.run is None:
        raise NotAvailable("cannot play against a document: it does not contain the game's rules")
    opponent = source.run.kept(
        _FILES, _load, scale=_OPPONENT_SIZE, missing="so there is nobody to play against"
    )
    actions = request.query_params.getlist("action")
    return state_of_hand(opponent, seed=seed, hand=hand, seat=seat, actions=actions).to_json()


def _load(folder: Path) -> "Opponent":
    from untilt.play.opponent import Opponent

    return Opponent.load(folder)


VIEW = View("play", offered, {"play": _play})
