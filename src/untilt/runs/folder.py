"""The folder of a new run: made, found unused, or removed again."""

from contextlib import suppress
from pathlib import Path

from untilt.errors import RunError
from untilt.formats.files import shown, storage_error
from untilt.formats.lock import LOCK_NAME

_NUMBERED = Path("runs")


def create_folder(output: Path | None, game: str, method: str) -> Path:
    """Create the run folder and return it: `output`, or runs/{game}-{method}-{n}."""
    if output is None:
        return _create_numbered(f"{game}-{method}")
    try:
        if output.exists() and not output.is_dir():
            raise RunError(f"{shown(output)} is a file; choose another --output")
        output.mkdir(parents=True, exist_ok=True)
        verify_unused(output)
    except OSError as error:
        raise storage_error(output, error) from error
    return output


def verify_unused(folder: Path) -> None:
    """Raise RunError if the folder holds anything but a lock."""
    if (folder / "run.json").exists():
        raise RunError(
            f"{shown(folder)} holds a run already; choose another --output, or continue it with "
            f"--resume {shown(folder)}"
        )
    if any(path.name != LOCK_NAME for path in folder.iterdir()):
        raise RunError(f"{shown(folder)} is not empty; choose another --output")


def remove_unused(folder: Path, *, is_numbered: bool) -> None:
    """Remove a folder in which no run has begun; call it only under its lock."""
    if (folder / "run.json").exists():
        return
    with suppress(OSError):
        for name in ("game.bin", LOCK_NAME):
            (folder / name).unlink(missing_ok=True)
        folder.rmdir()
        if is_numbered:
            folder.parent.rmdir()  # unless it holds another run


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
        raise storage_error(_NUMBERED / stem, error) from error
