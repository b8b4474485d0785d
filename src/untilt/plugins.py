"""Games and methods by name: our own, registered ones, and those of other packages.

Another package offers one through an entry point in its pyproject.toml:

    [project.entry-points."untilt.games"]
    nim = "untilt_nim:nim"

Entry points are looked up only if a name is unknown, or if all names are asked for, and each is
loaded when it is needed. One that cannot be loaded is reported in one line; the others still work.
"""

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from untilt.errors import InvalidOption, PluginError, message_of, shortened

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Item = TypeVar("Item")

_NAME = re.compile(r"[a-z0-9][a-z0-9+._-]{0,39}")
_MARK = b"[untilt."
"""Text that occurs in the entry points of every package that extends Untilt."""


class PluginWarning(UserWarning):
    """A plug-in that cannot be used; everything else works."""


class Catalogue(Mapping[str, Item], Generic[Item]):
    """Items by name: `own` ones, registered ones, and those that other packages offer.

    A lookup loads at most the item that it names, and raises PluginError if that fails. Iterating
    loads all, and warns about those that cannot be loaded.
    """

    def __init__(
        self,
        what: str,
        group: str,
        own: Mapping[str, Item],
        adapt: Callable[[str, object], Item],
    ) -> None:
        """Make the catalogue of `what`, such as games, with the entry points of a `group`.

        `adapt` makes an item from a name and what was registered or loaded under it, and raises
        ValueError, with the reason, if that is not possible.
        """
        self._what = what
        self._group = group
        self.own = own
        """Those that come with Untilt."""
        self._adapt = adapt
        self._registered: dict[str, Item] = {}
        self._offered: dict[str, list[EntryPoint]] | None = None
        self._loaded: dict[str, Item] = {}
        self._faults: dict[str, str] = {}
        self._warned: set[str] = set()

    def __getitem__(self, name: str) -> Item:
        for known in (self.own, self._registered, self._loaded):
            if name in known:
                return known[name]
        if name not in self.offered():
            raise KeyError(name)
        if name not in self._faults:
            self._load(name)
        if name in self._faults:
            raise PluginError(self._faults[name])
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        return name in self.own or name in self._registered or name in self.offered()

    def __iter__(self) -> Iterator[str]:
        yield from self.loaded()
        for name in self.offered():
            if name in self._loaded or name in self.own or name in self._registered:
                continue
            try:
                self[name]
            except PluginError:
                continue
            yield name
        self._warn()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<{len(self.names())} {self._what}s: {', '.join(self.names())[:200]}>"

    def names(self) -> list[str]:
        """Return all names, without loading anything."""
        return list(dict.fromkeys([*self.own, *self._registered, *self.offered()]))

    def package_of(self, name: str) -> str | None:
        """Return the package that offers an item; None for our own and for registered ones."""
        several = () if name in self._registered else self.offered().get(name, ())
        return next((_owner(entry_point) for entry_point in several), None)

    def loaded(self) -> dict[str, Item]:
        """Return those that need no loading: our own, registered ones, and what was loaded."""
        return {**self.own, **self._registered, **self._loaded}

    def register(self, name: str, given: object, *, replace: bool = False) -> Item:
        """Add an item; raise InvalidOption if the name is taken or invalid.

        With `replace` an earlier registration of that name is replaced, but nothing else.
        """
        if not (isinstance(name, str) and _NAME.fullmatch(name)):
            raise InvalidOption(f"the name of a {self._what} is {shortened(name)}; {_ALLOWED}")
        if not isinstance(replace, bool):
            raise InvalidOption.of("replace", replace, "it must be True or False")
        if name in self.own:
            raise InvalidOption(f"the {self._what} {name!r} comes with Untilt; choose another name")
        if name in self.offered():
            raise InvalidOption(
                f"the {self._what} {name!r} comes with the package {self.package_of(name)}; choose "
                "another name"
            )
        if name in self._registered and not replace:
            raise InvalidOption(
                f"the {self._what} {name!r} is registered already; choose another name, or give "
                "replace=True"
            )
        try:
            item = self._adapt(name, given)
        except ValueError as error:
            raise InvalidOption(
                f"the {self._what} {name!r} cannot be registered: {error}"
            ) from None
        self._registered[name] = item
        return item

    @contextmanager
    def registering(self) -> Iterator[None]:
        """Undo at the end of a block what was registered inside it."""
        before = dict(self._registered)
        try:
            yield
        finally:
            self._registered = before

    def offered(self) -> "Mapping[str, list[EntryPoint]]":
        """Return the entry points of other packages by name; nothing is loaded."""
        if self._offered is None:
            found: dict[str, list[EntryPoint]] = {}
            for entry_point in _entry_points(self._group):
                found.setdefault(entry_point.name, []).append(entry_point)
            for name, several in found.items():
                if name in self.own:
                    self._faults[name] = self._fault(
                        several[0], "Untilt has one of that name, which is used"
                    )
            self._offered = {
                name: several for name, several in found.items() if name not in self.own
            }
        return self._offered

    def _load(self, name: str) -> None:
        several = self.offered()[name]
        entry_point = several[0]
        if len(several) > 1:
            owners = " and ".join(sorted(map(_owner, several)))
            self._faults[name] = (
                f"the {self._what} {name!r} is offered by {owners}, so it is not clear which is "
                "meant; uninstall one of them"
            )
            return
        if not _NAME.fullmatch(name):
            self._faults[name] = self._fault(entry_point, _ALLOWED)
            return
        try:
            with redirect_stdout(sys.stderr):  # what it prints must not get into results
                given = entry_point.load()
            self._loaded[name] = self._adapt(name, given)
        except ValueError as error:
            self._faults[name] = self._fault(entry_point, _shortened_reason(message_of(error)))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            words = message_of(error)
            reason = f"{type(error).__name__}: {words}" if words else type(error).__name__
            self._faults[name] = self._fault(entry_point, _shortened_reason(reason))

    def _fault(self, entry_point: "EntryPoint", reason: str) -> str:
        return (
            f"the {self._what} {entry_point.name!r} of the package {_owner(entry_point)} cannot "
            f"be used: {reason}; update or uninstall that package"
        )

    def _warn(self) -> None:
        """Warn, once, about each plug-in that cannot be used."""
        for name, fault in self._faults.items():
            if name not in self._warned:
                self._warned.add(name)
                warnings.warn(fault, PluginWarning, stacklevel=3)


_ALLOWED = "use at most 40 small letters, digits, +, -, . or _, a letter or digit first"


def _shortened_reason(text: str) -> str:
    """Return at most 200 characters of a reason."""
    return text if len(text) <= 200 else f"{text[:199]}…"


def _owner(entry_point: "EntryPoint") -> str:
    dist: Any = entry_point.dist
    return "without a name" if dist is None else str(dist.name)


def _entry_points(group: str) -> "list[EntryPoint]":
    """Return the entry points of a group; cheap if no package extends Untilt."""
    if not any(_MARK in text for text in _entry_point_files()):
        return []
    from importlib.metadata import distributions

    found: dict[str, list[EntryPoint]] = {}
    for package in distributions():
        name = "?"
        try:
            name = str(package.name)
            if name not in found:  # the first of that name on the path is the one imported
                found[name] = [each for each in package.entry_points if each.group == group]
        except Exception as error:
            reason = _shortened_reason(shortened(error, 200))
            warnings.warn(
                f"the package {name} cannot be asked what it adds to Untilt ({reason}); install it "
                "again",
                PluginWarning,
                stacklevel=2,
            )
    return [entry_point for several in found.values() for entry_point in several]


def _entry_point_files() -> Iterator[bytes]:
    """Yield the content of the entry points of all packages.

    Reading the files takes a few milliseconds, importlib.metadata ten times as long.
    """
    for folder in dict.fromkeys(sys.path):
        with suppress(OSError, ValueError), os.scandir(folder or ".") as entries:
            for entry in entries:
                if entry.name.endswith((".dist-info", ".egg-info")):
                    with suppress(OSError):
                        yield Path(entry.path, "entry_points.txt").read_bytes()
