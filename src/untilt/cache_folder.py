"""Where things are kept that can be made again: compiled kernels, the token of the dashboard.

`UNTILT_CACHE_DIR` moves it. What lies there is trusted, so it has to be the user's alone.
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


def make_private(folder: Path) -> None:
    """Make a folder in or at the cache folder that only the user may enter, if it is missing."""
    if not folder.is_dir():
        outermost = cache_folder()
        if folder != outermost and outermost in folder.parents:
            make_private(folder.parent)
        else:
            folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)


def distrust(found: os.stat_result) -> str | None:
    """Return why what was found on disk could have been put there by another user, or None.

    The system's own files are trusted: root could replace Python as well. On Windows folders
    carry lists of permissions that these numbers do not show, and nothing is distrusted.
    """
    if not hasattr(os, "geteuid"):
        return None
    if found.st_uid not in {os.geteuid(), 0}:
        return f"another user (number {found.st_uid}) owns them"
    # The permissions of a link mean nothing, those of what it leads to count.
    if found.st_mode & 0o022 and not stat.S_ISLNK(found.st_mode):
        return f"other users may write there (permissions {found.st_mode & 0o777:03o})"
    return None
