"""The cache of compiled kernels on disk.

Numba checks only the file of a cached kernel: if a helper or constant in another module
changed, it would silently run the old code. Here, the kernels of a module are in a folder that
is named by a hash of that module, of every module of ours that it can reach through imports,
and of the versions of Python, Numba and NumPy. Old folders are pruned.

A cached kernel is a pickle, and loading a pickle can run any code. So a folder or file that
belongs to another user, or that others may write to, is not read. Each pickle is preceded by a
checksum, which is verified before unpickling: it detects damage, not malice. A damaged file is
removed and its kernel compiled again. If nothing can be written, each process compiles its
kernels.
"""

import hashlib
import os
import pickle
import re
import shutil
import stat
import sys
import time
import uuid
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import compiler, serialize
from numba.core.caching import _Cache

from untilt.cache_folder import cache_folder, distrust, make_private
from untilt.numeric.quick_start import assume_blas, without_collecting

PACKAGE = Path(__file__).resolve().parent.parent

WITHOUT_KERNELS = frozenset({"errors.py"})
"""Modules without code for kernels: editing them does not invalidate the cache."""

NAMESPACES = frozenset({"blueprints.py", "pushfold.py", "spots.py", "strategies.py"})
"""Modules of names for users, which lead everywhere. Texts mention them, but no kernel does."""

# Parts of Numba without types.
_CompileResult: Any = compiler.CompileResult
_dumps: Any = serialize.dumps

_MAGIC = b"untilt kernel 1\n"
_DIGEST_SIZE = 32

_KEPT_FOLDERS = 8
_UNUSED_SECONDS = 3600.0
_FORGOTTEN_SECONDS = 90 * 24 * 3600.0

# Any mention of one of our modules counts as an import, even in a comment: compiling a kernel
# needlessly costs seconds, keeping an outdated one gives wrong results.
_MODULE = re.compile(rb"\buntilt((?:\.\w+)+)")
_WHOLE_PACKAGE = re.compile(
    rb"^\s*(?:from\s+\.|from\s+untilt\s+import\b|import\s+untilt\s*(?:,|as\b|$))", re.MULTILINE
)


class KernelCacheWarning(UserWarning):
    """Cached kernels exist but are not used, so each process compiles its own."""


class KernelCache(_Cache):
    """The versions of one kernel on disk, one file each, as Numba's dispatcher asks for them."""

    def __init__(self, function: Callable[..., object], folder: Path) -> None:
        self._function: Any = function  # the type checker lets only some callables have code
        self._folder = folder
        self._is_enabled = True

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(self._folder)

    def enable(self) -> None:
        """Read and write files."""
        self._is_enabled = True

    def disable(self) -> None:
        """Neither read nor write files."""
        self._is_enabled = False

    def flush(self) -> None:
        """Do nothing: file names contain a hash of the sources, so no file can be out of date."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled version for a signature; None if there is no valid one."""
        with without_collecting():
            assume_blas()
            target_context.refresh()
        if not self._is_enabled:
            return None
        key = self._key(sig, target_context.codegen())
        path = self._path(key)
        try:
            payload = _read_checked(path)
            if payload is None:
                return None
            stored_key, parts = pickle.loads(payload)
            if stored_key == key:
                return _CompileResult._rebuild(target_context, *parts)
        except FileNotFoundError:
            return None
        except Exception:
            # Intact, but not usable: from a Numba patched in place, or a class that has moved.
            pass
        _discard(path)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save a compiled version, if that is possible and there is room on the disk."""
        if not self._is_enabled or data.library.has_dynamic_globals:
            return
        if any(not lifted.can_cache for lifted in data.lifted):
            return
        key = self._key(sig, data.codegen)
        # If pickling fails, the only cost to the user is compiling again.
        with suppress(Exception):
            _write_checked(self._path(key), _dumps((key, data._reduce())))

    def _key(self, sig: Any, codegen: Any) -> Any:
        """Return Numba's own key of a version, which does not contain the folder."""
        code = self._function.__code__
        cells = tuple(cell.cell_contents for cell in self._function.__closure__ or ())
        captured = hashlib.sha256(_dumps(cells)).hexdigest() if cells else ""
        return (
            self._function.__qualname__,
            code.co_firstlineno,
            sig,
            codegen.magic_tuple(),
            hashlib.sha256(code.co_code).hexdigest(),
            captured,
        )

    def _path(self, key: Any) -> Path:
        # Two types may print the same name, so the file contains the key itself too.
        name = "".join(c if c.isalnum() or c in "._" else "_" for c in key[0])
        return self._folder / f"{name[-80:]}-{_hash(repr(key).encode())}.kernel"


def attach_cache(dispatcher: Any, function: Callable[..., object]) -> None:
    """Make a Numba dispatcher save its compiled versions on disk, if there is a folder for it."""
    folder = module_folder(function)
    if folder is not None and hasattr(dispatcher, "_cache"):  # absent with NUMBA_DISABLE_JIT
        dispatcher._cache = KernelCache(function, folder)


def cache_base() -> Path:
    """Return the folder of all compiled kernels, which may not exist yet."""
    return cache_folder() / "kernels"


def module_folder(function: Callable[..., object]) -> Path | None:
    """Return the folder for the kernels of a function's module, created if needed.

    None if the module has no file, or if no folder can be written or trusted.
    """
    defined: Any = function
    return _folder_of_file(defined.__module__, defined.__code__.co_filename)


@cache
def _folder_of_file(module: str, file: str) -> Path | None:
    base = _trusted_base()
    if base is None:
        return None
    try:
        folder = base / f"{module}-{source_fingerprint(Path(file).resolve(), PACKAGE)}"
        is_new = not folder.exists()
        make_private(folder)
        if _is_distrusted(folder):
            return None
        with suppress(OSError):  # kernels in a folder that cannot be written can still be read
            os.utime(folder)
        if is_new:
            _prune(base)
    except OSError:  # read-only, full, a file in the way, or code that no file holds
        return None
    return folder


@lru_cache(maxsize=1)
def _trusted_base() -> Path | None:
    try:
        base = cache_base()
        make_private(base)
    except (OSError, RuntimeError):  # read-only, or no home folder
        return None
    return None if _is_distrusted(base) else base


def _is_distrusted(folder: Path) -> bool:
    reason = distrust(os.lstat(folder)) or distrust(folder.stat())
    if reason is None:
        return False
    # The base is named, not the folder of each module: the same text is shown only once.
    warnings.warn(
        f"the compiled kernels in {cache_base()} are not used, because {reason} and could make "
        "them run any code as you; kernels are compiled in each process until you delete that "
        "folder or set UNTILT_CACHE_DIR to a folder that only you can write to",
        KernelCacheWarning,
        stacklevel=2,
    )
    return True


def source_fingerprint(file: Path, package: Path) -> str:
    """Return a hash of everything that the kernels of `file` can depend on.

    That is the file itself, the modules below `package` that it reaches through imports anywhere
    in them, and the versions of Python, Numba and NumPy.
    """
    digest = hashlib.blake2b(digest_size=12)
    digest.update(f"{sys.version}|{numba.__version__}|{np.__version__}".encode())
    for name_and_text in sorted(
        _scanned(path, package)[0] for path in modules_behind(file, package)
    ):
        digest.update(name_and_text)
    return digest.hexdigest()


def modules_behind(file: Path, package: Path) -> set[Path]:
    """Return the file and every module below `package` that it reaches through imports."""
    reached, waiting = {file}, [file]
    while waiting:
        for path in _scanned(waiting.pop(), package)[1]:
            if path not in reached:
                reached.add(path)
                waiting.append(path)
    return reached


@cache
def _scanned(file: Path, package: Path) -> tuple[bytes, frozenset[Path]]:
    """Return a digest of a file's path and text, and the modules that it mentions."""
    text = file.read_bytes()
    name = file.relative_to(package).as_posix() if file.is_relative_to(package) else file.name
    if _WHOLE_PACKAGE.search(text):
        mentioned = set(package.rglob("*.py"))
    else:
        modules = {module.decode() for module in _MODULE.findall(text)}
        mentioned = {path for module in modules for path in _files_of(module, package)}
    mentioned -= {package / name for name in WITHOUT_KERNELS | NAMESPACES}
    digest = hashlib.blake2b(name.encode() + b"\0" + text, digest_size=_DIGEST_SIZE).digest()
    return digest, frozenset(mentioned)


@cache
def _files_of(name: str, package: Path) -> tuple[Path, ...]:
    """Return the file of a dotted name (`.game.tree`), all files if it names a package."""
    parts = name.split(".")[1:]
    while parts:
        place = package.joinpath(*parts)
        if place.is_dir():
            return tuple(place.glob("*.py"))
        if place.with_suffix(".py").is_file():
            return (place.with_suffix(".py"),)
        parts.pop()  # a name inside a module
    return ()


def _prune(base: Path) -> None:
    """Remove all but the most recently used folders of each module, and long unused ones.

    Folders used within the last hour are kept.
    """
    now = time.time()
    ages = []
    for folder in base.iterdir():
        with suppress(FileNotFoundError):  # another process may be pruning too
            ages.append((now - folder.stat().st_mtime, folder))
    kept: dict[str, int] = {}
    for age, folder in sorted(ages):
        # Earlier versions had one folder for all modules, without a name: a group of its own.
        module = folder.name.rpartition("-")[0]
        kept[module] = kept.get(module, 0) + 1
        is_old = kept[module] > _KEPT_FOLDERS and age > _UNUSED_SECONDS
        if is_old or age > _FORGOTTEN_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def _hash(text: bytes) -> str:
    return hashlib.blake2b(text, digest_size=12).hexdigest()


def _read_checked(path: Path) -> bytes | None:
    """Return the pickle in a file whose checksum is right, None if the file cannot be trusted.

    Raises `FileNotFoundError`, and `ValueError` for a file that is damaged.
    """
    # Do not wait for a pipe or follow a link; Windows has neither flag.
    flags = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | flags), "rb") as file:  # noqa: PTH123
        found = os.fstat(file.fileno())
        if distrust(found) is not None:
            return None
        content = file.read() if stat.S_ISREG(found.st_mode) else b""
    header, payload = content[: len(_MAGIC) + _DIGEST_SIZE], content[len(_MAGIC) + _DIGEST_SIZE :]
    if header != _MAGIC + hashlib.blake2b(payload, digest_size=_DIGEST_SIZE).digest():
        raise ValueError(path)
    return payload


def _write_checked(path: Path, payload: bytes) -> None:
    temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex[:16]}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(temporary, flags, 0o600), "wb") as file:  # noqa: PTH123
            file.write(_MAGIC + hashlib.blake2b(payload, digest_size=_DIGEST_SIZE).digest())
            file.write(payload)
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink()


def _discard(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
