"""A library of named ranges: `ranges/NAME.txt` in the served folder, one range as text in each.

The files can be written by hand, too. Names are those of files, without anything that could lead
out of the folder.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from untilt.cards.ranges.range import Range
from untilt.dashboard.sources.source import Json, NotAvailable
from untilt.errors import FormatError, InvalidOption, RunError, UntiltError, shortened
from untilt.formats.base.files import (
    REPEAT,
    is_there,
    open_own,
    storage_error,
    write_atomically,
)
from untilt.formats.run.run_folder import RunFolder

FOLDER = "ranges"
MAX_NAME = 60
MAX_RANGES = 1_000

_SUFFIX = ".txt"
_MAX_BYTES = 64 << 10
_NAME = re.compile(rf"[\w(+-][\w ().,+&%@-]{{0,{MAX_NAME - 1}}}")


class RangeFiles:
    """The ranges of a served folder."""

    def __init__(self, root: Path | None) -> None:
        is_run = root is not None and is_there(RunFolder(root).run_file)
        self._folder = None if root is None or is_run else root / FOLDER

    def all(self) -> list[Json]:
        """Return every `NamedRange`, in the order of the names."""
        if self._folder is None or self._folder.is_symlink():
            return []
        try:
            paths = [path for path in self._folder.iterdir() if path.suffix == _SUFFIX]
        except OSError:
            return []
        named = [path for path in paths if _NAME.fullmatch(path.stem)]
        return [_read(path) for path in sorted(named, key=_order)[:MAX_RANGES]]

    def save(self, request: object) -> list[Json]:
        """Write a range, in place of one of the same name; return all."""
        given = _mapping(request, ("name", "text"))
        path, text = self._path(given), given.get("text")
        if not isinstance(text, str):
            raise InvalidOption(f"text is {shortened(text)}; give a range such as '66+, A8s+'")
        Range.parse(text)
        if not path.exists() and len(self.all()) >= MAX_RANGES:
            raise InvalidOption(f"there are {MAX_RANGES:,} ranges; remove some first")
        try:
            path.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise storage_error(path.parent, error, REPEAT) from error
        write_atomically(path, [text.strip().encode() + b"\n"], remedy=REPEAT)
        return self.all()

    def remove(self, request: object) -> list[Json]:
        """Remove a range; return those that are left."""
        path = self._path(_mapping(request, ("name",)))
        if not path.exists():
            raise NotAvailable(f"there is no range {path.stem!r}; see the list of ranges")
        try:
            path.unlink()
        except OSError as error:
            raise storage_error(path, error, REPEAT) from error
        return self.all()

    def _path(self, given: Mapping[str, Any]) -> Path:
        name = given.get("name")
        name = name.strip() if isinstance(name, str) else name
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise InvalidOption.of(
                "name", name, f"give 1 to {MAX_NAME} letters, digits, spaces and ().,+&%@-"
            )
        if self._folder is None or not self._folder.parent.is_dir():
            raise RunError("no folder of runs is served, so ranges cannot be kept; serve one")
        if self._folder.is_symlink():
            raise RunError(f"{self._folder} is a link, which is not followed; remove it")
        return self._folder / f"{name}{_SUFFIX}"


def _read(path: Path) -> Json:
    """Return a `NamedRange`; one that cannot be read says why."""
    try:
        with open_own(path) as file:
            data = file.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise FormatError(f"it is larger than {_MAX_BYTES >> 10} kB")
        found = Range.parse(data.decode("utf-8").strip())
    except (UntiltError, OSError, UnicodeDecodeError) as error:
        words = " ".join(str(error).split())
        return {"name": path.stem, "text": "", "combos": 0.0, "percent": 0.0, "problem": words}
    return {
        "name": path.stem,
        "text": str(found),
        "combos": found.num_combos,
        "percent": found.percent,
        "problem": None,
    }


def _order(path: Path) -> str:
    return path.stem.casefold()


def _mapping(request: object, names: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(request, dict) or not set(request) <= set(names):
        raise InvalidOption(f"the request is {shortened(request)}; give {' and '.join(names)}")
    return request
