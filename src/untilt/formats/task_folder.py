"""A folder of many independent results: the request, and a file per finished task.

Files are written atomically. A task whose file is missing, unfinished, damaged or from another
request counts as not done.
"""

import json
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar

from untilt.errors import FormatError, RunError
from untilt.formats.files import REPEAT, read_json, shown, storage_error, write_json

FORMAT = 1


class TaskFolder:
    """The files of a request with many tasks; subclasses say how they are named."""

    file_name: ClassVar[str]
    """Holds what was asked."""
    results_name: ClassVar[str]
    """The folder of results."""
    kind: ClassVar[str]
    noun: ClassVar[str]
    """What a folder of this kind is called in messages."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def exists(self) -> bool:
        """Whether the folder is one of this kind."""
        return (self.path / self.file_name).is_file()

    @property
    def results(self) -> Path:
        """The folder of results."""
        return self.path / self.results_name

    def begin(self, asked: Mapping[str, Any]) -> None:
        """Write what was asked."""
        try:
            self.results.mkdir(exist_ok=True)
        except OSError as error:
            raise storage_error(self.results, error, REPEAT) from error
        document = {"format": FORMAT, "kind": self.kind, **asked}
        write_json(self.path / self.file_name, document, remedy=REPEAT)

    def asked(self) -> dict[str, Any]:
        """Return what was asked; raise FormatError or RunError if this is not such a folder."""
        path = self.path / self.file_name
        if not self.exists:
            raise RunError(
                f"{shown(self.path)} is not the folder of a {self.noun}: it has no {self.file_name}"
            )
        found = read_json(path)
        if not isinstance(found, dict) or found.get("kind") != self.kind:
            raise FormatError(f"{shown(path)} is damaged (its kind)")
        if found.get("format") != FORMAT:
            raise FormatError(
                f"{shown(path)} has format {str(found.get('format'))[:20]!r}, "
                f"this version reads format {FORMAT}: update untilt"
            )
        return found

    def write_result(self, name: str, asked: str, found: Mapping[str, Any]) -> None:
        """Write the result of a task; `asked` is a fingerprint of what was computed."""
        document = {"format": FORMAT, "asked": asked, **found}
        write_json(self._result(name), {**document, "checksum": _checksum(document)})

    def read_result(self, name: str, asked: str) -> dict[str, Any] | None:
        """Return the result of a task; None unless the file is whole and about `asked`."""
        path = self._result(name)
        if not path.is_file():
            return None
        try:
            document = read_json(path)
        except FormatError:
            return None
        if not isinstance(document, dict):
            return None
        checksum = document.pop("checksum", None)
        is_ours = document.get("format") == FORMAT and document.get("asked") == asked
        return document if is_ours and checksum == _checksum(document) else None

    def _result(self, name: str) -> Path:
        return self.results / f"{name}.json"


def fingerprint_of(settings: object) -> str:
    """Return a fingerprint of plain data."""
    text = json.dumps(settings, sort_keys=True, default=str)
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _checksum(document: Mapping[str, Any]) -> str:
    text = json.dumps(document, sort_keys=True, allow_nan=False)
    return blake2b(text.encode(), digest_size=16).hexdigest()
