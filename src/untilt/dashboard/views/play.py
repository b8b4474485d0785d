"""Playing against the latest strategy of a run."""

from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from starlette.requests import Request

from untilt.dashboard.server.query import choice, integer, number, text
from untilt.dashboard.server.workers import PLAY, verify_wanted
from untilt.dashboard.sources.source import Holdings, Json, NotAvailable
from untilt.dashboard.view import View, may_show
from untilt.errors import InvalidOption
from untilt.formats.kinds import strategy_file as strategy
from untilt.formats.kinds.blueprint_path import FILE_NAME
from untilt.formats.run import compiled_game, frames, result_file, run_file

if TYPE_CHECKING:
    from untilt.dashboard.sources.run_folder import ServedRun
    from untilt.play.table.versus import Versus

_FILES = tuple(file.FILE_NAME for file in (compiled_game, run_file, strategy, frames, result_file))
_OPPONENT_SIZE = 1.5
"""Measured memory of an opponent per byte of its `game.bin`."""
_SOLUTION_SIZE = 0.02
"""The same for a solved spot, whose tables stay in the file and are memory-mapped."""
_BLUEPRINT_BYTES = 10 << 20
"""What an open blueprint counts as, so that two are kept. Its file is memory-mapped; what it solves
takes more, but is kept for the last hands only."""
_LEAST_THINK, _MOST_THINK = 0.05, 5.0
"""Seconds for a decision; the browser waits meanwhile."""
_MOST_SEARCH = 10.0
"""Seconds to look for a hand; an opponent that thinks takes long for each."""
_LARGEST = (1 << 63) - 1
_LARGEST_HAND = (1 << 61) - 1


def offered(run: Holdings) -> bool:
    """Whether there is a strategy, and the rules are stored or part of this package."""
    from untilt.games.recipe import Recipe

    if run.has_solution or run.has_blueprint:
        return True
    if run.record is None or run.game is None or not run.has_strategy:
        return False
    return run.game.has_tree or Recipe(run.record.reference, run.record.parameters).is_ours


def _play(source: "ServedRun", request: Request) -> Json:
    from untilt.play.review.replay import state_of_hand

    opponent = _opponent(source, request)
    state = state_of_hand(
        opponent,
        seed=_number(request, "seed"),
        hand=_number(request, "hand"),
        seat=choice(request, "seat", tuple(range(opponent.num_players))),
        actions=request.query_params.getlist("action"),
        check=verify_wanted,
        feedback=choice(request, "feedback", (0, 1)) == 1,
    )
    return state.to_json()


def _deal(source: "ServedRun", request: Request) -> Json:
    """Return the number of a hand that leads to an infoset, null if none of the many tried does."""
    from untilt.play.drill import MAX_TRIED, find_hand

    opponent = _opponent(source, request)
    hand = find_hand(
        opponent,
        seed=_number(request, "seed"),
        first=min(_number(request, "hand"), _LARGEST_HAND - MAX_TRIED),
        seat=choice(request, "seat", tuple(range(opponent.num_players))),
        label=request.query_params.get("label", ""),
        actions=request.query_params.getlist("action"),
        seconds=_MOST_SEARCH,
        check=verify_wanted,
    )
    return {"hand": hand}


def _number(request: Request, name: str) -> int:
    return integer(request, name, 0, 0, _LARGEST)


def _opponent(source: "ServedRun", request: Request) -> "Versus":
    record = source.record()
    if not may_show(record, "play"):
        raise NotAvailable(f"cannot play against {source.name}; see its other views")
    if may_show(record, "spot"):
        opponent = source.kept(
            (strategy.FILE_NAME, run_file.FILE_NAME),
            _load,
            scale=_SOLUTION_SIZE,
            missing="so there is nobody to play against",
        )
        return _from(opponent, text(request, "line") or "", text(request, "board") or "")
    if may_show(record, "chart"):
        seats = source.kept(
            (FILE_NAME, run_file.FILE_NAME),
            BlueprintSeats,
            scale=0.0,
            least=_BLUEPRINT_BYTES,
            missing="which is written at the end",
        )
        return seats.opponent(number(request, "think"))
    return source.kept(
        _FILES, _load, scale=_OPPONENT_SIZE, missing="so there is nobody to play against"
    )


class BlueprintSeats:
    """A blueprint to play against, with different times to think; safe to share between threads.

    It is opened by the first hand, outside the lock of its run: that loads Numba and, if it thinks,
    a solver. It thinks about one decision at a time.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._opponents: dict[float, Versus] = {}

    def opponent(self, think: float | None) -> "Versus":
        """Return the blueprint with `think` seconds per decision; with None, it does not think."""
        if think is not None and not _LEAST_THINK <= think <= _MOST_THINK:
            raise InvalidOption.of(
                "think", think, f"give seconds from {_LEAST_THINK} to {_MOST_THINK:g}"
            )
        key = think or 0.0
        with self._lock:
            if key not in self._opponents:
                self._opponents.clear()  # what the previous one has solved takes memory
                self._opponents[key] = self._open(think)
            return self._opponents[key]

    def _open(self, think: float | None) -> "Versus":
        from untilt.play.review.blueprint_chart import BlueprintCharts
        from untilt.play.table.versus import load_versus

        # Building the card buckets would take a minute, and memory.
        BlueprintCharts(self._folder / FILE_NAME, builds=False).verify_tables()
        options = {} if think is None else {"think": str(think)}
        return load_versus(self._folder, thinking=options)


def _from(opponent: "Versus", line: str, board: str) -> "Versus":
    """Return the opponent of a spot whose hands begin at a line and board."""
    from untilt.play.table.versus import versus_spot
    from untilt.policy.spot import SpotPolicy

    if not isinstance(opponent.policy, SpotPolicy) or not (line or board):
        return opponent
    return versus_spot(opponent.policy.solution.at(line, board=board or None))


def _load(folder: Path) -> "Versus":
    from untilt.play.table.versus import load_versus

    return load_versus(folder)


VIEW = View("play", offered, {"play": _play, "deal": _deal}, workers=PLAY)
