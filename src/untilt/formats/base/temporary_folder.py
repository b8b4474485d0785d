"""Temporary folders named after their process, so that a killed one's are found and removed."""

import os
import shutil
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path

from untilt.formats.base.files import is_process


def temporary_folder(prefix: str, parent: Path | None = None) -> tempfile.TemporaryDirectory[str]:
    """Return a new folder `{prefix}{process id}-…` that only the user can enter.

    Folders of the same prefix whose process is gone are removed.
    """
    remove_abandoned(prefix, parent)
    named = f"{prefix}{os.getpid()}-"
    return tempfile.TemporaryDirectory(prefix=named, dir=parent, ignore_cleanup_errors=True)


def folder_of(owner: object, prefix: str) -> Path:
    """Return a new folder, named likewise, that is removed when `owner` or the process is gone."""
    remove_abandoned(prefix)
    folder = Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}-"))
    weakref.finalize(owner, shutil.rmtree, folder, ignore_errors=True)
    return folder


def remove_abandoned(prefix: str, parent: Path | None = None) -> None:
    """Remove the user's temporary folders of processes that are gone."""
    place = Path(tempfile.gettempdir()) if parent is None else parent
    for path in place.glob(f"{prefix}*"):
        with suppress(OSError, ValueError):
            pid = int(path.name.removeprefix(prefix).partition("-")[0])
            is_own = os.name == "nt" or path.lstat().st_uid == os.getuid()
            if is_own and not is_process(pid):
                shutil.rmtree(path, ignore_errors=True)
