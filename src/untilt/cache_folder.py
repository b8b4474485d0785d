"""Where things are kept that can be made again: compiled kernels, the token of the dashboard.

`UNTILT_CACHE_DIR` moves it.
"""

import os
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
