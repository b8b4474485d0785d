"""A quantal response path as one JSON document, shown like a run.

`untilt qre … --output PATH.json` writes such documents, and so do other programs. A document that
is dropped on the page may come from anywhere, so everything in it is checked.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from untilt.dashboard.nodes.infoset_table import InfosetTable
from untilt.dashboard.sources.progress_points import thinned, turning_points
from untilt.dashboard.sources.source import FrameInfo, Holdings, Json, Row
from untilt.dashboard.views import views_of
from untilt.errors import FormatError
from untilt.formats.run.progress import COLUMN_NAMES
from untilt.game.names.infosets import Infosets
from untilt.game.names.labels import split_label
from untilt.game.strategy.snapshot import block_of_frame
from untilt.games.recipe import registered_terms

MAX_BYTES = 64 << 20
"""The largest document accepted, as text."""

_MAX_POINTS = 100_000
_SUM_TOLERANCE = 1e-5

FloatRows = npt.NDArray[np.float32]


class Document:
    """A checked document; all its points are in memory, as float32."""

    run = None

    def __init__(self, document_id: str, name: str, content: object) -> None:
        """Check `content`, the parsed JSON; raise FormatError with one line if it is wrong."""
        self.id = document_id
        self.name = name
        given = _mapping(content, "the document")
        self._title = _text(given, "game")
        self._game = _text(given, "game_id")
        self.terms = registered_terms(self._game)
        points = given.get("iterations")
        if not isinstance(points, list) or not 0 < len(points) <= _MAX_POINTS:
            raise FormatError(
                f"the document's iterations are {_shown(points)}; a list of 1 to {_MAX_POINTS} "
                "points is needed"
            )
        self._points = [_scalars(number, point) for number, point in enumerate(points)]
        strategy = _mapping(points[0].get("strategy"), "strategy of point 0")
        self._table = InfosetTable(_infosets(strategy))
        self._places = _places(self._table)
        rows = [self._read_point(number, point) for number, point in enumerate(points)]
        self._probabilities = np.stack([row for row, _ in rows])
        self._values = np.stack([row for _, row in rows])
        self.infos = [
            FrameInfo(number, point["iteration"], 0.0, point["beta"])
            for number, point in enumerate(self._points)
        ]

    @property
    def num_bytes(self) -> int:
        """About how much memory it takes."""
        return self._probabilities.nbytes + self._values.nbytes + 1_000 * len(self._points)

    def summary(self) -> Json:
        """Return its `RunSummary`."""
        positions = self._thinned(40)
        gains = [self._points[position]["exploitability"] for position in positions.tolist()]
        return {
            "id": self.id,
            "name": self.name,
            "kind": "document",
            "steps": "iterations",
            "game": self._game,
            "title": self._title,
            "method": "qre",
            "parameters": {},
            "changed": {},
            "status": "finished",
            "problem": None,
            "created": None,
            "unit": self.terms.unit,
            "terms": self.terms.to_json(),
            "infosets": self._table.num_infosets,
            "views": views_of(
                Holdings(terms=self.terms, has_rows=True, is_branch=True, has_strategy=True)
            ),
            "last": self._points[-1],
            "sparkline": [round(math.log10(gain), 4) for gain in gains if gain and gain > 0.0],
            "spot": None,
        }

    def asked(self) -> Json:
        """Return options, seed and stop as in `RunDetail`; a document has none of them."""
        return {
            "options": {},
            "seed": None,
            "stop": {"iterations": None, "target": None, "seconds": None},
        }

    def progress(self, num_points: int) -> Json:
        """Return its `ProgressPage`; there is nothing to follow, so the offset is 0."""
        chosen = [self._points[position] for position in self._thinned(num_points).tolist()]
        return {
            "columns": {name: [point[name] for point in chosen] for name in self._points[0]},
            "offset": 0,
            "total": len(self._points),
        }

    def table(self) -> InfosetTable:
        """Return the names of its infosets."""
        return self._table

    def frames(self) -> "Document":
        """Return the document itself: its points are its frames."""
        return self

    def row(self, position: int) -> tuple[Row, Row]:
        """Return [S] probabilities and action values of one point."""
        return self._probabilities[position], self._values[position]

    def columns(self, block: slice) -> tuple[Row, Row]:
        """Return [points, sequences of the block] of both."""
        return self._probabilities[:, block], self._values[:, block]

    def folds(self) -> list[float]:
        """Return the values of beta at which the path turns."""
        return turning_points([point["beta"] for point in self._points])

    def _thinned(self, num_points: int) -> npt.NDArray[np.int64]:
        return thinned(np.zeros(len(self._points)), num_points, is_branch=True)

    def _read_point(self, number: int, point: Mapping[str, Any]) -> tuple[FloatRows, FloatRows]:
        """Return [S] probabilities and values of one point; its labels must be those of point 0."""
        strategy = _mapping(point.get("strategy"), f"strategy of point {number}")
        values = _mapping(point.get("action_evs"), f"action_evs of point {number}")
        if strategy.keys() != self._places.keys() or not values.keys() <= self._places.keys():
            raise FormatError(
                f"point {number} of the document does not have the infosets of point 0; all points "
                "must have the same infosets"
            )
        probability_row = np.ones(self._table.num_sequences, np.float32)
        value_row = np.full(self._table.num_sequences, np.nan, np.float32)
        for label, (begin, actions) in self._places.items():
            where = f"infoset {label[:80]!r} of point {number}"
            given = _mapping(strategy[label], where)
            evs = _mapping(values.get(label, {}), f"action_evs at {where}")
            if given.keys() != set(actions) or not evs.keys() <= set(actions):
                raise FormatError(f"{where} does not have the actions of point 0")
            block = slice(begin, begin + len(actions))
            probability_row[block] = _probabilities([given[name] for name in actions], where)
            value_row[block] = [_number(evs.get(name), f"a value at {where}") for name in actions]
        return probability_row, value_row


def _infosets(strategy: Mapping[str, Any]) -> tuple[Infosets, Infosets]:
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


def _places(table: InfosetTable) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Map each label to the start of its sequences in a row of both players, and its actions."""
    return {
        label: (block_of_frame(table.infosets, infosets.player, index).start, actions)
        for infosets in table.infosets
        for index, (label, actions) in enumerate(infosets.items())
    }


def _scalars(number: int, point: object) -> Json:
    """Return a point's `ProgressRow`."""
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
    return dict.fromkeys(COLUMN_NAMES) | {
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
