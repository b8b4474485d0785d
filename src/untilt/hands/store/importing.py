"""Hands of files and folders, added to a folder of hands."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from untilt.errors import InvalidOption
from untilt.formats.base.files import path_of, shown
from untilt.hands.hand import RecordedHand
from untilt.hands.reading import Unreadable, files_of, read_file
from untilt.hands.store.hand_file import has_unique_numbers, key_of_number
from untilt.hands.store.hand_store import Adding, HandStore, is_store

OnImport: TypeAlias = Callable[["HandImport"], None]

_MOST_LISTED = 100_000
"""Hands that cannot be read are listed up to this number, and counted beyond."""
_PER_CALL = 200
"""Hands between two calls of a watcher."""


@dataclass(repr=False)
class HandImport:
    """The findings of an import; they grow while files are read."""

    path: Path
    """The folder of hands."""
    num_files: int
    files: int = 0
    """Files that have been read."""
    imported: int = 0
    """Hands that were new."""
    known: int = 0
    """Hands that were there already."""
    num_unreadable: int = 0
    unreadable: tuple[Unreadable, ...] = ()
    """Hands and files that could not be read; the first 100,000."""

    def __repr__(self) -> str:
        return (
            f"<HandImport into {shown(self.path)}: {self.imported:,} new hands, "
            f"{self.known:,} known, {self.num_unreadable:,} unreadable>"
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "path": str(self.path),
            "files": self.files,
            "imported": self.imported,
            "known": self.known,
            "num_unreadable": self.num_unreadable,
            "unreadable": [each._asdict() for each in self.unreadable],
        }


def import_hands(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    watcher: OnImport | None = None,
) -> HandImport:
    """Add the hands of files and folders to a folder of hands, and return what was found.

    Hands that are there already are recognised by site and number, or, from programs that number
    the hands of each match from 0, by their content. What cannot be read is listed with file, line
    and reason.

    >>> import tempfile, pathlib, untilt
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "match.log").write_text("STATE:0:cr300f:AhKd|QsJc:100|-100:Ann|Bob")
    >>> untilt.hands.import_hands(folder / "match.log", folder / "hands").imported
    1
    >>> untilt.hands.import_hands(folder / "match.log", folder / "hands").known
    1
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    folder = path_of(output)
    files = [file for each in given for file in _files(path_of(each), folder)]
    found = HandImport(folder, len(files))
    unreadable: list[Unreadable] = []
    store = HandStore.create(folder)
    try:
        with Adding(store) as adding:

            def is_known(site: str, number: str) -> bool:
                return has_unique_numbers(site) and adding.is_known(key_of_number(site, number))

            def tell() -> None:
                found.imported, found.known = adding.added, adding.known
                if watcher is not None:
                    watcher(found)

            for file in files:
                for number, each in enumerate(read_file(file, is_known)):
                    if isinstance(each, RecordedHand):
                        adding.add(each)
                    else:
                        found.num_unreadable += 1
                        if len(unreadable) < _MOST_LISTED:
                            unreadable.append(each)
                    if number % _PER_CALL == 0:
                        tell()
                found.files += 1
                tell()
    finally:
        found.unreadable = tuple(unreadable)
    return found


def _files(path: Path, output: Path) -> list[Path]:
    """Return the files to read at a path, in the order of their names."""
    if is_store(path):
        raise InvalidOption(
            f"{shown(path)} is a folder of imported hands; give the files of a site or program"
        )
    return [file for file in files_of(path) if output not in file.parents]
