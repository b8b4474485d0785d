"""The one decorator for compiled code, `@kernel`, and its cache on disk.

Numba stamps a cached kernel with its own file only: a helper or constant changed in
another module would silently give an old result. So the cache lives in a folder named
by a hash of every module that kernels can be made of, and by the versions of Python,
Numba and NumPy; old folders are pruned. Where nothing can be written, kernels compile
anew in each process.

`UNTILT_CACHE_DIR` moves the cache.
"""

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TypeVar, cast

import numba
import numpy as np
from numba.core import config as numba_config

from untilt.cache_folder import cache_folder

F = TypeVar("F", bound=Callable[..., object])

KERNEL_FREE = frozenset({"charts", "cli", "dashboard", "formats", "play", "runs"})
"""Packages without kernels: editing them keeps the compiled code."""

_KEPT_CACHES = 8
_UNUSED_SECONDS = 3600.0


def kernel(function: F) -> F:
    """Compile `function` on its first call, without the interpreter lock, cached on disk.

    Division by zero gives inf or nan as in NumPy. A kernel should see one set of
    argument types only: the Python function around it fixes dtypes and layout.
    """
    folder = _cache_folder()
    if folder is not None:
        # The locator reads the setting while decorating; other users of Numba in this
        # process keep theirs.
        previous = vars(numba_config)["CACHE_DIR"]
        vars(numba_config)["CACHE_DIR"] = str(folder)
        try:
            return _compiled(function, cache=True)
        except (RuntimeError, OSError):  # "no locator available": the folder is not writable
            pass
        finally:
            vars(numba_config)["CACHE_DIR"] = previous
    return _compiled(function, cache=False)


def inlined(function: F) -> F:
    """Compile `function` into the kernels that call it, never as a call.

    For the few lines that run once per infoset or card: LLVM keeps some of them as calls
    that copy array descriptors (a CFR+ iteration on Leduc took 9.3 µs instead of 6.1).
    """
    compiled = numba.njit(error_model="numpy", nogil=True, forceinline=True)(function)
    return cast(F, compiled)


def _compiled(function: F, *, cache: bool) -> F:
    # To the type checker a kernel stays the function it was made of.
    return cast(F, numba.njit(cache=cache, error_model="numpy", nogil=True)(function))


def source_fingerprint(package: Path) -> str:
    """Return a hash of all modules below `package` that kernels can be made of."""
    digest = hashlib.blake2b(digest_size=12)
    digest.update(f"{sys.version}|{numba.__version__}|{np.__version__}".encode())
    for path in sorted(package.rglob("*.py")):
        relative = path.relative_to(package)
        if relative.parts[0] in KERNEL_FREE:
            continue
        digest.update(f"|{relative.as_posix()}|".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def cache_base() -> Path:
    """Return the folder of all compiled caches, which need not exist."""
    return cache_folder() / "kernels"


@lru_cache(maxsize=1)
def _cache_folder() -> Path | None:
    package = Path(__file__).resolve().parent.parent
    try:
        base = cache_base()
        folder = base / source_fingerprint(package)
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        if is_new:
            _prune(base)
    except (OSError, RuntimeError):  # read-only, or no home folder
        return None
    return folder


def _prune(base: Path) -> None:
    """Remove all but the most recently used caches; one in use an hour ago is left alone."""
    folders = sorted(base.iterdir(), key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in folders[_KEPT_CACHES:]:
        if time.time() - folder.stat().st_mtime > _UNUSED_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)
