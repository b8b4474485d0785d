"""The folder of a report over many flops: what was asked, and a file per flop that is solved.

    report.json           the spot, the flops and how each is solved
    flops/AsKs2h.json     what was found on this flop, with a checksum

Files are written atomically. One that is missing, unfinished, damaged or of another report counts
as not solved.
"""

import json
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from untilt.errors import FormatError, RunError
from untilt.formats.files import read_json, shown, storage_error, write_json

FILE_NAME = "report.json"
FLOPS_NAME = "flops"
FORMAT = 1
KIND = "flop report"


class ReportFolder:
    """The files of a report."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def is_report(self) -> bool:
        """Whether the folder holds a report."""
        return (self.path / FILE_NAME).is_file()

    def begin(self, asked: Mapping[str, Any]) -> None:
        """Write what was asked."""
        flops = self.path / FLOPS_NAME
        try:
            flops.mkdir(exist_ok=True)
        except OSError as error:
            raise storage_error(flops, error) from error
        write_json(self.path / FILE_NAME, {"format": FORMAT, "kind": KIND, **asked})

    def asked(self) -> dict[str, Any]:
        """Return what was asked; raise FormatError or RunError if this is not a report."""
        if not self.is_report:
            raise RunError(
                f"{shown(self.path)} is not the folder of a report: it has no {FILE_NAME}"
            )
        found = read_json(self.path / FILE_NAME)
        if not isinstance(found, dict) or found.get("kind") != KIND:
            raise FormatError(f"{shown(self.path / FILE_NAME)} is damaged (its kind)")
        if found.get("format") != FORMAT:
            raise FormatError(
                f"{shown(self.path / FILE_NAME)} has format {str(found.get('format'))[:20]!r}, "
                f"this version reads format {FORMAT}: update untilt"
            )
        return found

    def write_flop(self, name: str, asked: str, found: Mapping[str, Any]) -> None:
        """Write what was found on a flop; `asked` is a fingerprint of what was solved."""
        document = {"format": FORMAT, "asked": asked, **found}
        write_json(self._flop(name), {**document, "checksum": _checksum(document)})

    def read_flop(self, name: str, asked: str) -> dict[str, Any] | None:
        """Return what was found on a flop; None unless the file is whole and about `asked`."""
        path = self._flop(name)
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

    def _flop(self, name: str) -> Path:
        return self.path / FLOPS_NAME / f"{name}.json"


def _checksum(document: Mapping[str, Any]) -> str:
    text = json.dumps(document, sort_keys=True, allow_nan=False)
    return blake2b(text.encode(), digest_size=16).hexdigest()
