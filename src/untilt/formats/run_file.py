"""`run.json`, by which a folder is a run: whether it is there, and of a version that we know."""

from pathlib import Path
from typing import Any

from untilt.errors import FormatError, RunError
from untilt.formats.files import read_json, shown

FILE_NAME = "run.json"

FORMAT = 1
"""Version of the file."""

MAX_BYTES = 1 << 20
"""A file of ours has about a thousandth of it."""


def read_run_file(folder: Path) -> dict[str, Any]:
    """Return what `run.json` of the run in `folder` says; its entries are still to be checked."""
    if not folder.is_dir():
        raise RunError(f"{shown(folder)} is not a folder; give the folder of a run, see runs/")
    path = folder / FILE_NAME
    try:
        found = read_json(path, max_bytes=MAX_BYTES)
    except FormatError as error:
        if not isinstance(error.__cause__, FileNotFoundError):
            raise
        raise RunError(
            f"{shown(folder)} holds no run ({FILE_NAME} is missing); check the path"
        ) from error
    match found:
        case {"format": int() as number} if number > FORMAT:
            raise FormatError(f"{shown(path)} was written by a newer Untilt; upgrade")
        case {"format": int()} as said:
            return dict(said)
        case _:
            raise damaged(folder)


def damaged(folder: Path, what: str = "an entry is missing or of another type") -> FormatError:
    """Return the error for a `run.json` that does not say what it should."""
    return FormatError(f"{shown(folder / FILE_NAME)} is damaged ({what})")
