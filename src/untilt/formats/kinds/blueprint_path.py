"""The path of a blueprint's file: a user gives it, or the run folder that contains it."""

from pathlib import Path

from untilt.errors import RunError, UntiltError
from untilt.formats.base.container import MAGIC
from untilt.formats.base.files import open_regular, path_of, shown
from untilt.formats.run.run_file import RunRecord, kinds_of_runs
from untilt.formats.run.run_folder import RunFolder

BLUEPRINT_KIND = "blueprint"
"""The kind of container."""
FILE_NAME = "blueprint.bin"

_KIND_PLACE = slice(24, 40)
"""Where a container stores its kind."""


def is_blueprint(path: str | Path) -> bool:
    """Whether a path is the run folder of a blueprint, or its file; neither need be sound."""
    given = path_of(path)
    try:
        if given.is_dir():
            return _holds_blueprint(RunFolder(given).record())
        with open_regular(given) as file:
            prelude = file.read(_KIND_PLACE.stop)
    except (OSError, UntiltError):
        return False
    kind = prelude[_KIND_PLACE].rstrip(b"\0")
    return prelude.startswith(MAGIC) and kind == BLUEPRINT_KIND.encode()


def _holds_blueprint(record: RunRecord) -> bool:
    """Whether the result of such a run is a blueprint."""
    return kinds_of_runs()[record.kind].result_file == FILE_NAME


def blueprint_file(path: str | Path) -> Path:
    """Return the file of a blueprint from its path, or from that of its run folder."""
    given = path_of(path)
    if not given.is_dir():
        return given
    record = RunFolder(given).record()
    if not _holds_blueprint(record):
        raise RunError(f"{shown(given)} is a run of {record.game}, not a blueprint")
    if not (given / FILE_NAME).exists():
        raise RunError(
            f"{shown(given)} is not finished, so it has no {FILE_NAME} yet; continue it with "
            f"`untilt blueprint train --resume {shown(given)}`"
        )
    return given / FILE_NAME
