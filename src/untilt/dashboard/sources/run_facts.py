"""The content of `run.json` and `result.json`, reduced to what the page shows.

These facts are kept in memory for every run and sent with the list of runs, and a folder may come
from a stranger: long texts are shortened, and what the page cannot show is left out.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from untilt.formats.base.files import unreadable
from untilt.formats.run.result_file import RunResult, read_result
from untilt.formats.run.run_file import RunRecord, read_run_record

_MAX_RESULT_BYTES = 2 << 20
"""A larger result contains a whole branch; what is needed of it is also in the progress."""
_MAX_TEXT = 200
_MAX_SCALARS = 100
_LARGEST = 1 << 64


def read_run(path: Path) -> RunRecord:
    """Return the content of a `run.json`, shortened."""
    record = read_run_record(path)
    return replace(
        record,
        game=_short(record.game),
        title=_short(record.title),
        reference=None if record.reference is None else _short(record.reference),
        method=_short(record.method),
        parameters=_scalars(record.parameters),
        options=_scalars(record.options),
        created=None if record.created is None else _short(record.created),
        version=None if record.version is None else _short(record.version),
        machine=_scalars(record.machine),
        seed=None if "seed" in record.flaws else record.seed,
    )


def read_short_result(path: Path) -> RunResult | None:
    """Return the content of a `result.json`; None if the file is too large to be worth reading."""
    try:
        is_large = path.stat().st_size > _MAX_RESULT_BYTES
    except OSError as error:  # resuming a run removes the file
        raise unreadable(path, error) from error
    if is_large:
        return None
    result = read_result(path, max_bytes=_MAX_RESULT_BYTES)
    return replace(result, outcome={} if result.folds is None else {"folds": list(result.folds)})


def _short(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"


def _scalars(given: Mapping[str, Any]) -> dict[str, str | int | float | bool]:
    found: dict[str, str | int | float | bool] = {}
    for name, value in list(given.items())[:_MAX_SCALARS]:
        if isinstance(value, str):
            found[name[:_MAX_TEXT]] = _short(value)
        elif isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < _LARGEST):
            found[name[:_MAX_TEXT]] = value
    return found
