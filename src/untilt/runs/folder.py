"""The folder of a new run: creating it, checking that it is unused, removing it again."""

from contextlib import suppress
from pathlib import Path

from untilt.errors import Argument, FormatError, RunError
from untilt.formats.base.container import read_container
from untilt.formats.base.files import (
    REPEAT,
    is_leftover,
    is_there,
    remove_leftovers,
    shown,
    storage_error,
)
from untilt.formats.base.lock import LOCK_NAME, FolderLock
from untilt.formats.base.store import GRID, REPORT, Store
from untilt.formats.run.compiled_game import KIND
from untilt.formats.run.run_file import kinds_of_runs
from untilt.formats.run.run_folder import RunFolder

_NUMBERED = Path("runs")


def create_folder(output: Path | None, game: str, method: str) -> Path:
    """Create the run folder and return it: `output`, or runs/{game}-{method}-{n}."""
    if output is None:
        return _create_numbered(f"{game}-{method}")
    try:
        if output.exists() and not output.is_dir():
            raise RunError(f"{shown(output)} is a file; choose another ", Argument("output"))
        output.mkdir(parents=True, exist_ok=True)
        verify_unused(output)
    except OSError as error:
        raise storage_error(output, error, REPEAT) from error
    return output


def verify_unused(folder: Path) -> None:
    """Raise RunError if the folder holds anything but leftovers of a run that never began."""
    if RunFolder(folder).run_file.exists() and not _is_half_written(folder):
        raise RunError(
            f"{shown(folder)} already holds a run; choose another ",
            Argument("output"),
            ", or resume that run",
        )
    for kind in (REPORT, GRID):
        if Store(kind, folder).exists:
            raise RunError(
                f"{shown(folder)} already holds a {kind.noun}; choose another ",
                Argument("output"),
                ", or continue it with ",
                Argument("resume", shown(folder)),
            )
    if not all(map(_is_left_behind, folder.iterdir())):
        raise RunError(f"{shown(folder)} is not empty; choose another ", Argument("output"))


def _is_left_behind(path: Path) -> bool:
    """Whether a process that was killed before its run began may have left this file."""
    files = RunFolder(path.parent)
    if path != files.game_file:
        return path.name == LOCK_NAME or path == files.run_file or is_leftover(path)
    try:
        read_container(path, KIND, verify=False)
    except FormatError:  # not our file
        return False
    return True


def _is_half_written(folder: Path) -> bool:
    """Whether a process was killed here before it wrote what is written as a whole."""
    with suppress(FormatError, RunError):
        kind = kinds_of_runs()[RunFolder(folder).record().kind]
        return kind.is_whole_or_nothing and not is_there(folder / kind.result_file)
    return False


def remove_unused(lock: FolderLock, *, is_numbered: bool) -> None:
    """Remove a locked folder in which no run has begun, unless it has been replaced."""
    folder = lock.folder
    if not lock.is_valid() or RunFolder(folder).run_file.exists():
        return
    remove_leftovers(folder)
    with suppress(OSError):
        for path in (RunFolder(folder).game_file, folder / LOCK_NAME):
            path.unlink(missing_ok=True)
        folder.rmdir()
        if is_numbered:
            folder.parent.rmdir()  # fails if it holds another run


def _create_numbered(stem: str) -> Path:
    try:
        taken = {path.name for path in _NUMBERED.iterdir()} if _NUMBERED.exists() else set()
        number = 1
        while True:
            folder = _NUMBERED / f"{stem}-{number}"
            if folder.name not in taken:
                try:
                    folder.mkdir(parents=True)
                except FileExistsError:  # another process was faster
                    if not _NUMBERED.is_dir():
                        raise
                else:
                    return folder
            number += 1
    except OSError as error:
        raise storage_error(_NUMBERED / stem, error, REPEAT) from error
