"""Loading a game that a user wrote: from a file or an importable module.

Loading executes the user's Python. Any error there becomes a one-line `GameError` with the file
and line of the cause.
"""

import hashlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from untilt.errors import GameError, UntiltError, shortened
from untilt.game.faults import described_error
from untilt.game.protocol import Game

DEFAULT_ATTRIBUTE = "game"
"""The attribute of a reference that names only a file."""

_MEMBERS = ("terminal", "payoff", "chance", "chances", "sample", "active", "infoset", "apply")
# The defaults of `Game` are enough for a game without chance moves.
_INHERITABLE = frozenset({"chances", "sample"})


def load_file(path: str) -> ModuleType:
    """Return the module made by executing the file at `path`, even if it was loaded before.

    During the import its folder is importable, so the file may use its siblings.
    """
    file = Path(path)
    if not file.is_file():
        raise GameError(f"no game file {path!r}: give path/to/file.py or path/to/file.py:attribute")
    resolved = file.resolve()
    digest = hashlib.sha256(str(resolved).encode()).hexdigest()[:12]
    name = f"untilt_game_{digest}_{resolved.stem}"
    spec = importlib.util.spec_from_file_location(
        name, resolved, loader=_FreshLoader(name, str(resolved))
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses and pickle look up their module by name.
    sys.modules[name] = module
    try:
        with _importable(resolved.parent), wrap_user_errors(path):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def load_module(name: str) -> ModuleType:
    """Return the module imported by its dotted name; the current folder is searched too."""
    with _importable(Path.cwd()), wrap_user_errors(name):
        return importlib.import_module(name)


def attribute_of(module: ModuleType, attribute: str | None, source: str) -> Any:
    """Return the attribute of a loaded module, by default `game`; `source` is what was given."""
    name = DEFAULT_ATTRIBUTE if attribute is None else attribute
    if hasattr(module, name):
        return getattr(module, name)
    candidates = [f"{source}:{candidate}" for candidate in _candidates(module)]
    advice = f"it offers {', '.join(candidates)}" if candidates else "it defines no game"
    raise GameError(f"{source} has no attribute {name!r}: {advice}")


def missing_members(candidate: object) -> list[str]:
    """Return the members of the `Game` protocol that a position, or a class of them, lacks."""
    missing = [name for name in _MEMBERS if not _has_member(candidate, name)]
    # A game with `sample` but without `chances` can still be sampled.
    return [] if missing == ["chances"] else missing


def is_position(candidate: object) -> bool:
    """Whether `candidate` is a position of a game, not a class or function that makes one."""
    return not isinstance(candidate, type) and not missing_members(candidate)


def verify_position(candidate: object, source: str | None) -> Game:
    """Return `candidate` if it implements `Game`; else raise GameError with what it lacks.

    `source` says where it comes from; None if it was given as it is.
    """
    missing = missing_members(candidate)
    if source is None and len(missing) == len(_MEMBERS):
        raise GameError(
            f"{shortened(candidate)} is not a game: give a name such as 'kuhn', a position, or a "
            "class or function that makes one"
        )
    if missing:
        kind = f"an object of type {type(candidate).__name__!r}"
        what = f"{kind} is not" if source is None else f"{source} gives {kind}, which is not"
        raise GameError(
            f"{what} a game: it lacks {', '.join(missing)} (see untilt.game.protocol.Game)"
        )
    assert not isinstance(candidate, type)
    return candidate  # type: ignore[return-value]  # its members were checked above


@contextmanager
def wrap_user_errors(source: str) -> Iterator[None]:
    """Turn any error of the user's code into a one-line `GameError` that says where."""
    try:
        yield
    except UntiltError:
        raise
    except (Exception, SystemExit) as error:
        raise GameError(f"{source} cannot be loaded: {described_error(error)}") from error


class _FreshLoader(SourceFileLoader):
    """A loader that always compiles the source.

    Cached bytecode is matched by modification time in seconds, which is too coarse for a file
    that is being edited. And reading a game should not write into the user's folder.
    """

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    entry = str(folder)
    sys.path.insert(0, entry)
    # The import system caches folder listings: a new file would not be found.
    importlib.invalidate_caches()
    try:
        yield
    finally:
        if entry in sys.path:
            sys.path.remove(entry)


def _candidates(module: ModuleType) -> list[str]:
    """Return the public attributes of a module that are, or may make, a game."""

    def may_be_game(value: object) -> bool:
        if isinstance(value, type) or inspect.isfunction(value):
            is_own = value.__module__ == module.__name__
            return is_own and (inspect.isfunction(value) or not missing_members(value))
        return is_position(value)

    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and may_be_game(value)
    ]


def _has_member(candidate: object, name: str) -> bool:
    owner = candidate if isinstance(candidate, type) else type(candidate)
    if hasattr(owner, name):
        # Methods of the protocol have no body: inheriting one is not implementing it.
        is_inherited = inspect.getattr_static(owner, name) is inspect.getattr_static(Game, name)
        return name in _INHERITABLE or not is_inherited
    if isinstance(candidate, type):
        return name in getattr(candidate, "__annotations__", {})
    try:
        getattr(candidate, name)
    except AttributeError:
        return False
    except Exception:  # the property exists but does not apply at the root
        return True
    return True
