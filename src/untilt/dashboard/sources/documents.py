"""A path of quantal response as one JSON document, made into a run folder to be shown.

`untilt qre … --output PATH.json` writes such documents, and so do other programs. A document that
is dropped on the page may come from anywhere, so everything in it is checked.
"""

import math
from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from untilt.dashboard.sources.source import Json
from untilt.errors import FormatError
from untilt.formats.base.files import REPEAT
from untilt.formats.run.compiled_game import FILE_NAME as GAME
from untilt.formats.run.compiled_game import write_game
from untilt.formats.run.frames import FILE_NAME as FRAMES
from untilt.formats.run.frames import Frames, write_frames
from untilt.formats.run.progress import FILE_NAME as PROGRESS
from untilt.formats.run.progress import ProgressLog, progress_row
from untilt.formats.run.result_file import FILE_NAME as RESULT
from untilt.formats.run.result_file import write_result
from untilt.formats.run.run_file import FORMAT, UNCOMPILED, write_run_file
from untilt.game.compiled import met_infosets
from untilt.game.names.infosets import Infosets
from untilt.game.names.labels import split_label
from untilt.game.strategy.snapshot import block_of_frame, frame_length
from untilt.games.recipe import registered_terms

MAX_BYTES = 64 << 20
"""The largest document accepted, as text."""
KIND = "document"

_MAX_POINTS = 100_000
_SUM_TOLERANCE = 1e-5
_NO_LIMIT = 1 << 62
"""All points are kept."""

FloatRows = npt.NDArray[np.float32]
Places: TypeAlias = dict[str, tuple[int, tuple[str, ...]]]
"""The start of each label's sequences in a row of both players, and its actions."""


def write_document(folder: Path, content: object) -> None:
    """Write a document, given as parsed JSON, into a folder as a run.

    Raises FormatError with one line if it is wrong; nothing is written then.
    """
    given = _mapping(content, "the document")
    title, game = _text(given, "game"), _text(given, "game_id")
    points = given.get("iterations")
    if not isinstance(points, list) or not 0 < len(points) <= _MAX_POINTS:
        raise FormatError(
            f"the document's iterations are {_shown(points)}; a list of 1 to {_MAX_POINTS} "
            "points is needed"
        )
    rows = [_scalars(number, point) for number, point in enumerate(points)]
    _verify_order([row["iteration"] for row in rows])
    infosets = _infosets(_mapping(points[0].get("strategy"), "strategy of point 0"))
    places = _places(infosets)
    kept = Frames(frame_length(infosets), max_frames=len(points), max_bytes=_NO_LIMIT)
    for number, (row, point) in enumerate(zip(rows, points, strict=True)):
        read = partial(_read_point, number, point, places, kept.num_sequences)
        kept.offer(number, row["iteration"], 0.0, read)
    _write(folder, game, title, infosets, rows, kept)


def _write(
    folder: Path,
    game: str,
    title: str,
    infosets: tuple[Infosets, ...],
    rows: list[Json],
    kept: Frames,
) -> None:
    """Write the files of a finished run of which nothing is known but its path."""
    run = {
        "format": FORMAT,
        "kind": KIND,
        "game": game,
        "title": title,
        "reference": None,
        "parameters": {},
        "method": "qre",
        "options": {},
        "stop": {},
        "fingerprint": UNCOMPILED,
        "terms": registered_terms(game).to_json(),
    }
    write_run_file(folder, run, remedy=REPEAT)
    write_game(folder / GAME, met_infosets(infosets), remedy=REPEAT)
    write_frames(folder / FRAMES, kept)
    with ProgressLog(folder / PROGRESS) as log:
        for row in rows:
            log.append(progress_row(**row))
    last = rows[-1]
    result = {name: last[name] for name in ("value", "exploitability")}
    write_result(folder / RESULT, {"iterations": last["iteration"], **result})


def _verify_order(iterations: list[int]) -> None:
    for number, (before, after) in enumerate(pairwise(iterations), 1):
        if after < before:
            raise FormatError(
                f"the iteration of point {number} of the document is {after}, after {before}; "
                "points must be in the order of their iterations"
            )


def _read_point(
    number: int, point: Mapping[str, Any], places: Places, num_sequences: int
) -> tuple[FloatRows, FloatRows]:
    """Return [S] probabilities and values of one point; its labels must be those of point 0."""
    strategy = _mapping(point.get("strategy"), f"strategy of point {number}")
    values = _mapping(point.get("action_evs"), f"action_evs of point {number}")
    if strategy.keys() != places.keys() or not values.keys() <= places.keys():
        raise FormatError(
            f"point {number} of the document does not have the infosets of point 0; all points "
            "must have the same infosets"
        )
    probability_row = np.ones(num_sequences, np.float32)
    value_row = np.full(num_sequences, np.nan, np.float32)
    for label, (begin, actions) in places.items():
        where = f"infoset {label[:80]!r} of point {number}"
        given = _mapping(strategy[label], where)
        evs = _mapping(values.get(label, {}), f"action_evs at {where}")
        if given.keys() != set(actions) or not evs.keys() <= set(actions):
            raise FormatError(f"{where} does not have the actions of point 0")
        block = slice(begin, begin + len(actions))
        probability_row[block] = _probabilities([given[name] for name in actions], where)
        value_row[block] = [_number(evs.get(name), f"a value at {where}") for name in actions]
    return probability_row, value_row


def _infosets(strategy: Mapping[str, Any]) -> tuple[Infosets, ...]:
    """Return both players' infosets, in the order of the document."""
    columns: tuple[list[list[Any]], list[list[Any]]] = ([], [])
    for label, actions in strategy.items():
        player, known = split_label(label)
        if player is None:
            player = int(label.startswith("P1"))
        names = tuple(_mapping(actions, f"infoset {label[:80]!r} of point 0"))
        columns[player].append([label, names, *known])
    if not strategy or any(not row[1] for rows in columns for row in rows):
        raise FormatError("point 0 of the document has no infosets, or one without actions")

    def table(player: int) -> Infosets:
        rows = columns[player]
        return Infosets(player, *(tuple(row[place] for row in rows) for place in range(5)))

    return table(0), table(1)


def _places(infosets: tuple[Infosets, ...]) -> Places:
    return {
        label: (block_of_frame(infosets, table.player, index).start, actions)
        for table in infosets
        for index, (label, actions) in enumerate(table.items())
    }


def _scalars(number: int, point: object) -> Json:
    """Return the row of a point in the progress."""
    where = f"point {number} of the document"
    given = _mapping(point, where)
    iteration, beta = given.get("iteration"), given.get("beta")
    if not isinstance(iteration, int) or isinstance(iteration, bool) or not 0 <= iteration < 2**53:
        raise FormatError(
            f"the iteration of {where} is {_shown(iteration)}; use an integer of at least 0"
        )
    found_beta = _number(beta, f"beta of {where}")
    if math.isnan(found_beta) or found_beta < 0.0:
        raise FormatError(f"beta of {where} is {_shown(beta)}; use a number, at least 0")
    named = {
        name: _number(given.get(key), f"{key} of {where}")
        for name, key in (
            ("exploitability", "exploitability"),
            ("value", "expected_value"),
            ("residual", "residual_norm"),
        )
    }
    known = {name: None if math.isnan(value) else value for name, value in named.items()}
    gain = known["exploitability"]
    return {
        "iteration": iteration,
        "seconds": 0.0,
        "exploitability": gain,
        "nash_conv": None if gain is None else 2.0 * gain,
        "value": known["value"],
        "residual": known["residual"],
        "beta": found_beta,
    }


def _probabilities(given: list[Any], where: str) -> list[float]:
    found = [_number(value, f"a probability at {where}") for value in given]
    # Phrased so that nan fails as well.
    if not all(0.0 <= value <= 1.0 for value in found):
        raise FormatError(f"a probability at {where} is not in [0, 1]")
    if abs(sum(found) - 1.0) > _SUM_TOLERANCE:
        raise FormatError(f"the probabilities at {where} sum to {sum(found):.6g} instead of 1")
    return found


def _number(value: object, what: str) -> float:
    """Return a number that float32 can hold, nan for null."""
    if value is None:
        return math.nan
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    # Compared before conversion: an int may be too large for a float.
    if not is_number or not -1e30 < value < 1e30:  # type: ignore[operator]
        raise FormatError(
            f"{what} is {_shown(value)}; use a number between -1e30 and 1e30, or null"
        )
    return float(value)  # type: ignore[arg-type]


def _mapping(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise FormatError(f"{what} is {_shown(value)}; a JSON object is needed")
    return value


def _text(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key)
    if not isinstance(value, str) or not 0 < len(value) <= 200:
        raise FormatError(f"{key} of the document is {_shown(value)}; a short text is needed")
    return value


def _shown(value: object) -> str:
    if isinstance(value, list | dict):
        return f"a {'list' if isinstance(value, list) else 'JSON object'} of {len(value)}"
    return "missing" if value is None else repr(value)[:40]
