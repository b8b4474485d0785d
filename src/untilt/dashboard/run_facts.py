"""What `run.json` and `result.json` say about a run, read leniently.

Only what the page shows is looked at, so that runs of other versions and kinds can be listed. An
entry that is missing or of another type is left out.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from untilt.dashboard.reading import read_object
from untilt.errors import FormatError
from untilt.formats.files import shown, unreadable
from untilt.formats.run_file import FORMAT, MAX_BYTES

KINDS = ("solve", "training", "sweep")

_MAX_RESULT_BYTES = 2 << 20
"""A larger result holds a whole branch; the progress tells what is needed of it as well."""
_MAX_TEXT = 200
_MAX_SCALARS = 100
"""The rest is left out: these facts are kept in memory for every run, and sent in the list."""

Scalars = dict[str, str | int | float | bool]


@dataclass(frozen=True)
class Stop:
    """When a run ends: at the first of these; None means no such bound."""

    iterations: int | None = None
    target: float | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class RunFacts:
    """What was asked."""

    kind: str
    game: str
    title: str
    reference: str | None
    method: str
    parameters: Scalars
    options: Scalars
    seed: int | None
    stop: Stop
    created: str | None

    @property
    def is_push_fold(self) -> bool:
        """Whether amounts are big blinds and hands are classes."""
        return self.game == "pushfold"


@dataclass(frozen=True)
class ResultFacts:
    """What came out."""

    iterations: int | None = None
    seconds: float | None = None
    value: float | None = None
    exploitability: float | None = None
    folds: tuple[float, ...] | None = None
    """None if the result does not tell."""


def read_run(path: Path) -> RunFacts:
    """Return what `run.json` says; FormatError if it is no such file."""
    given = read_object(path, MAX_BYTES)
    version = given.get("format")
    if isinstance(version, int) and version > FORMAT:
        raise FormatError(f"{shown(path)} was written by a newer Untilt; upgrade")
    game, kind = _text(given.get("game")), given.get("kind", "solve")
    if game is None or kind not in KINDS:
        raise FormatError(f"{shown(path)} is damaged (it names no game, or an unknown kind of run)")
    stop = given.get("stop")
    stop = stop if isinstance(stop, dict) else {}
    return RunFacts(
        kind=kind,
        game=game,
        title=_text(given.get("title")) or game,
        reference=_text(given.get("reference")),
        method=_text(given.get("method")) or kind,
        parameters=_scalars(given.get("parameters")),
        options=_scalars(given.get("options")),
        seed=_whole(given.get("seed")),
        stop=Stop(
            _whole(stop.get("iterations")), number(stop.get("target")), number(stop.get("seconds"))
        ),
        created=_text(given.get("created")),
    )


def read_result(path: Path) -> ResultFacts:
    """Return what `result.json` says; nothing if it is too large to be read for that."""
    try:
        num_bytes = path.stat().st_size
    except OSError as error:  # a run that is resumed removes it
        raise unreadable(path, error) from error
    if num_bytes > _MAX_RESULT_BYTES:
        return ResultFacts()
    given = read_object(path, _MAX_RESULT_BYTES)
    outcome = given.get("outcome")
    folds = outcome.get("folds") if isinstance(outcome, dict) else None
    found = [number(fold) for fold in folds] if isinstance(folds, list) else None
    return ResultFacts(
        iterations=_whole(given.get("iterations")),
        seconds=number(given.get("seconds")),
        value=number(given.get("value")),
        exploitability=number(given.get("exploitability")),
        folds=None if found is None else tuple(fold for fold in found if fold is not None),
    )


def number(value: object) -> float | None:
    """Return a finite number, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        converted = float(value)
    except OverflowError:
        return None
    return converted if math.isfinite(converted) else None


def _whole(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if abs(value) < 1 << 64 else None


def _text(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    return value if len(value) <= _MAX_TEXT else value[: _MAX_TEXT - 1] + "…"


def _scalars(given: Any) -> Scalars:
    if not isinstance(given, dict):
        return {}
    found: Scalars = {}
    for name, value in list(given.items())[:_MAX_SCALARS]:
        known = [_whole(value), _text(value), value if isinstance(value, bool | float) else None]
        found |= {name[:_MAX_TEXT]: each for each in known if each is not None}
    return found
