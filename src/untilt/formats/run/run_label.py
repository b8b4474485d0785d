"""`label.json` in the folder of a run: the name, the note and the star that its user gave it.

It says nothing of the result, and goes with the folder. A run without the file, or with one that
cannot be read, has no label.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from untilt.errors import FormatError, InvalidOption, shortened
from untilt.formats.base.files import REPEAT, is_there, read_json, write_json
from untilt.formats.base.store import sealed, unsealed

FILE_NAME = "label.json"
MAX_NAME = 80
MAX_NOTE = 2_000

_KIND = "label of a run"
_VERSION = 1
_MAX_BYTES = 64 << 10


@dataclass(frozen=True)
class RunLabel:
    """What a user calls a run."""

    name: str = ""
    """Shown in place of the title; one line."""
    note: str = ""
    is_starred: bool = False

    @classmethod
    def of(cls, given: object) -> "RunLabel":
        """Return the label of plain data; raise InvalidOption for anything else."""
        if not isinstance(given, dict) or not set(given) <= {"name", "note", "is_starred"}:
            raise InvalidOption(f"a label is {shortened(given)}; give name, note and is_starred")
        name, note = given.get("name", ""), given.get("note", "")
        if not isinstance(name, str) or len(name) > MAX_NAME or not name.isprintable():
            raise InvalidOption.of("name", name, f"give one line of at most {MAX_NAME} characters")
        if not isinstance(note, str) or len(note) > MAX_NOTE or not _is_text(note):
            raise InvalidOption.of("note", note, f"give a text of at most {MAX_NOTE:,} characters")
        is_starred = given.get("is_starred", False)
        if not isinstance(is_starred, bool):
            raise InvalidOption.of("is_starred", is_starred, "give true or false")
        return cls(name.strip(), note.strip(), is_starred)

    def to_json(self) -> dict[str, Any]:
        """Return the label as plain data."""
        return asdict(self)


def read_label(path: Path) -> RunLabel | None:
    """Return what a file says; None if there is none. Raises FormatError if it is damaged."""
    if not is_there(path):
        return None
    document = unsealed(path, read_json(path, max_bytes=_MAX_BYTES))
    if document.pop("kind", None) != _KIND or document.pop("version", None) != _VERSION:
        raise FormatError(f"{path} is not the label of a run in version {_VERSION}; remove it")
    try:
        return RunLabel.of(document)
    except InvalidOption as error:
        raise FormatError(f"{path} is damaged: {error}") from error


def write_label(path: Path, label: RunLabel) -> None:
    """Write a label; one that says nothing removes the file."""
    if label == RunLabel():
        path.unlink(missing_ok=True)
        return
    write_json(path, sealed({"kind": _KIND, "version": _VERSION, **label.to_json()}), remedy=REPEAT)


def _is_text(note: str) -> bool:
    return all(letter.isprintable() or letter in "\n\t" for letter in note)
