"""Work that can be continued: what was asked, and what has been done so far, in JSON files.

`Store` is a folder with the request and a file per finished part, `StoreFile` one file with both.
Files are written atomically. Each says its kind and version, has a fingerprint of what was asked,
and a checksum of what was done.

grid.json             the game, the axes and what all runs have in common
cells/00012.json      the result of one run

report.json           the spot, the flops and how each is solved
flops/AsKs2h.json     what was found on this flop
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from untilt.errors import FormatError, RunError
from untilt.formats.base.entries import damaged
from untilt.formats.base.files import (
    REPEAT,
    read_given_json,
    read_json,
    shown,
    storage_error,
    write_json,
)

FORMAT = 1
"""Version of the files of a folder."""


@dataclass(frozen=True)
class StoreKind:
    """A kind of folder."""

    name: str
    """As its request says it."""
    noun: str
    """What such a folder is called in messages."""
    file_name: str
    """Holds what was asked."""
    parts_name: str
    """The folder of what was done."""


GRID = StoreKind("grid of runs", "grid", "grid.json", "cells")
REPORT = StoreKind("flop report", "report", "report.json", "flops")


@dataclass(frozen=True)
class Store:
    """A folder of many independent parts.

    A part whose file is missing, unfinished, damaged or from another request is not done.
    """

    kind: StoreKind
    path: Path

    @property
    def exists(self) -> bool:
        """Whether the folder is one of this kind."""
        return self._request.is_file()

    @property
    def parts(self) -> Path:
        """The folder of what was done."""
        return self.path / self.kind.parts_name

    @property
    def _request(self) -> Path:
        return self.path / self.kind.file_name

    def begin(self, asked: Mapping[str, Any]) -> None:
        """Write what was asked."""
        try:
            self.parts.mkdir(exist_ok=True)
        except OSError as error:
            raise storage_error(self.parts, error, REPEAT) from error
        document = {"format": FORMAT, "kind": self.kind.name, **asked}
        write_json(self._request, document, remedy=REPEAT)

    def asked(self) -> dict[str, Any]:
        """Return what was asked; raise FormatError or RunError if this is not such a folder."""
        path, kind = self._request, self.kind
        if not self.exists:
            raise RunError(
                f"{shown(self.path)} is not the folder of a {kind.noun}: it has no {kind.file_name}"
            )
        found = read_json(path)
        if not isinstance(found, dict) or found.get("kind") != kind.name:
            raise damaged(path, "its kind")
        if found.get("format") != FORMAT:
            raise FormatError(
                f"{shown(path)} has format {str(found.get('format'))[:20]!r}, "
                f"this version reads format {FORMAT}: update untilt"
            )
        return found

    def write(self, part: str, fingerprint: str, found: Mapping[str, Any]) -> None:
        """Write a part; `fingerprint` is of what was asked for it."""
        document = {"format": FORMAT, "asked": fingerprint, **found}
        write_json(self._part(part), sealed(document))

    def read(self, part: str, fingerprint: str) -> dict[str, Any] | None:
        """Return a part; None if it is not done."""
        path = self._part(part)
        if not path.is_file():
            return None
        try:
            document = unsealed(path, read_json(path))
        except FormatError:
            return None
        is_ours = document.get("format") == FORMAT and document.get("asked") == fingerprint
        return document if is_ours else None

    def _part(self, name: str) -> Path:
        return self.parts / f"{name}.json"


@dataclass(frozen=True)
class StoreFile:
    """One file with the settings of a piece of work and what has been done; people read it, too."""

    kind: str
    noun: str
    version: int
    path: Path
    unsealed: tuple[int, ...] = ()
    """Earlier versions, without a checksum, that are still read."""

    def write(self, settings: Mapping[str, Any], found: Mapping[str, Any]) -> None:
        """Write what has been done so far."""
        document = {
            "kind": self.kind,
            "version": self.version,
            "asked": fingerprint_of(settings),
            "settings": settings,
            **found,
        }
        write_json(self.path, sealed(document))

    def read(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the file; raise FormatError if it is damaged, or if other settings were asked."""
        path = self.path
        document: dict[str, Any] = read_given_json(path)
        if not isinstance(document, dict) or document.get("kind") != self.kind:
            raise FormatError(f"{shown(path)} is not {self.noun}")
        version = document.get("version")
        if version not in (*self.unsealed, self.version):
            known = ", ".join(map(str, self.unsealed))
            raise FormatError(
                f"{shown(path)} has version {str(version)[:20]}, but this program reads "
                f"{known} and {self.version}; choose another file"
            )
        stored = document.get("settings")
        if not isinstance(stored, dict):
            raise _lost(path)
        if version == self.version:
            document = unsealed(path, document)
        for name, value in settings.items():
            if stored.get(name) != value:
                raise FormatError(
                    f"{shown(path)} was made with {name} {str(stored.get(name))[:40]}, not "
                    f"{value}; give the same options, or another file"
                )
        if version == self.version and document.get("asked") != fingerprint_of(settings):
            raise FormatError(
                f"{shown(path)} was made with other settings; give the same options, or another "
                "file"
            )
        return document


def fingerprint_of(settings: object) -> str:
    """Return a fingerprint of plain data."""
    return _hash(json.dumps(settings, sort_keys=True, default=str))


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with the checksum of its content."""
    return {**document, "checksum": _checksum(document)}


def unsealed(path: Path, document: object) -> dict[str, Any]:
    """Return a document without its checksum; raise FormatError unless that is right."""
    if not isinstance(document, dict):
        raise _lost(path)
    content = {name: value for name, value in document.items() if name != "checksum"}
    if document.get("checksum") != _checksum(content):
        raise _lost(path)
    return content


def _lost(path: Path) -> FormatError:
    return FormatError(f"{shown(path)} is damaged; remove it, or choose another file")


def _checksum(document: Mapping[str, Any]) -> str:
    return _hash(json.dumps(document, sort_keys=True, allow_nan=False))


def _hash(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()
