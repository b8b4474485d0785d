"""The cache folder, for things that can be made again: compiled kernels, the dashboard's token.

`UNTILT_CACHE_DIR` moves it. Its content is trusted, so it must belong to the user alone.
"""

import os
import stat
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Return the user's cache folder for Untilt, which need not exist."""
    configured = os.environ.get("UNTILT_CACHE_DIR")
    if configured:
        return Path(configured)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", str(Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "untilt"


def read_only_part() -> Path | None:
    """Return the folder that keeps the cache folder from being written; None if it can be."""
    folder = cache_folder()
    place = next((each for each in (folder, *folder.parents) if each.exists()), folder)
    return None if os.access(place, os.W_OK | os.X_OK) else place


def make_private(folder: Path) -> None:
    """Make the cache folder, or a folder in it, if it is missing; only the user may enter it."""
    if not folder.is_dir():
        outermost = cache_folder()
        if folder != outermost and outermost in folder.parents:
            make_private(folder.parent)
        else:
            folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)


def distrust(found: os.stat_result) -> str | None:
    """Return why another user could have written what was found on disk, or None.

    The system's own files are trusted: root could replace Python as well. On Windows,
    folders have access control lists, which these numbers do not show, so nothing is distrusted.
    """
    if not hasattr(os, "geteuid"):
        return None
    if found.st_uid not in {os.geteuid(), 0}:
        return f"another user (number {found.st_uid}) owns them"
    # The permissions of a link mean nothing; those of its target count.
    if found.st_mode & 0o022 and not stat.S_ISLNK(found.st_mode):
        return f"other users may write there (permissions {found.st_mode & 0o777:03o})"
    return None
