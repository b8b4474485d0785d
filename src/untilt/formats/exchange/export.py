"""A strategy for other programs: JSON, CSV, or NumPy's `.npz`.

The JSON form can be read back by Untilt. None of them needs Untilt, or pickle, to be read.
"""

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from untilt.formats.base.files import json_bytes
from untilt.game.sequence.sequence_form import SequenceForm
from untilt.game.strategy.rows import Row
from untilt.game.strategy.strategy import Profile
from untilt.numeric.arrays import AnyArray

CSV_COLUMNS = (
    *("player", "infoset", "private", "public", "line", "action"),
    *("probability", "value", "own_reach", "opponent_reach"),
)
"""Header of the CSV form; `value` is empty where the infoset cannot be reached."""

_ROWS_PER_CHUNK = 1_000
_FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r", "\n")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def to_json(game: str, parameters: Mapping[str, Any], profile: Profile) -> Iterator[bytes]:
    """Yield a JSON object with the game's name and parameters and the strategy."""
    document = {"game": game, "parameters": dict(parameters), "strategy": profile.to_dict()}
    yield json_bytes(document, indent=2) + b"\n"


def to_csv(rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield CSV text, UTF-8, one line per infoset and action below a header."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for number, row in enumerate(rows):
        for action, probability, value in zip(
            row.actions, row.probabilities, row.values, strict=True
        ):
            names = (row.label, row.private, row.public, row.line, action)
            place = (row.player, *map(spreadsheet_cell, names))
            known = "" if math.isnan(value) else value
            writer.writerow((*place, probability, known, row.own_reach, row.opponent_reach))
        if number % _ROWS_PER_CHUNK == _ROWS_PER_CHUNK - 1:
            yield text.getvalue().encode()
            text.seek(0)
            text.truncate()
    yield text.getvalue().encode()


def spreadsheet_cell(text: str) -> str:
    """Return the text of a cell that a spreadsheet does not evaluate as a formula.

    Text that begins like a formula and is not a number gets an apostrophe in front, which is how
    spreadsheets mark text.
    """
    is_formula = text.startswith(_FORMULA_BEGINS) and not _NUMBER.fullmatch(text)
    return f"'{text}" if is_formula else text


def to_npz(form: SequenceForm, profile: Profile) -> Iterator[bytes]:
    """Yield an `.npz` archive of the strategy and the sequence form.

    For player p, with I infosets and S sequences: `labels_p`, `private_p`, `public_p`,
    `line_p` [I] and `actions_p` [S] are strings; `behaviour_p` and `plan_p` [S] are numbers; the
    arrays of the player's side of the sequence form follow, with payoffs as compressed sparse rows.
    """
    arrays: dict[str, AnyArray] = {}
    plans = form.plans(profile.behaviours)
    for player, (table, side) in enumerate(zip(form.infosets, form.sides, strict=True)):
        names = ["", *(name for _, actions in table.items() for name in actions)]
        arrays |= {
            f"labels_{player}": _texts(table),
            f"private_{player}": _texts(table.column("private")),
            f"public_{player}": _texts(table.column("public")),
            f"line_{player}": _texts(table.column("line")),
            f"actions_{player}": _texts(names),
            f"behaviour_{player}": profile.behaviours[player],
            f"plan_{player}": plans[player],
        }
        arrays |= {f"{name}_{player}": values for name, values in side._asdict().items()}
    archive = io.BytesIO()
    np.savez_compressed(archive, allow_pickle=False, **arrays)
    yield archive.getvalue()


def _texts(names: Iterable[str]) -> AnyArray:
    return np.array(list(names), dtype=np.str_)
