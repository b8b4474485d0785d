"""Files of ranges and charts as text."""

from pathlib import Path

from untilt.cards.combos import NUM_CLASSES
from untilt.errors import FormatError
from untilt.formats.base.files import open_regular, shown, unreadable

_MAX_TEXT_BYTES = 4 << 20


def text_of(path: Path) -> str:
    """Return the text of a file that a user names; raise FormatError if that is not text."""
    try:
        with open_regular(path) as file:
            data = file.read(_MAX_TEXT_BYTES + 1)
    except OSError as error:
        raise unreadable(path, error) from error
    if len(data) > _MAX_TEXT_BYTES:
        raise FormatError(f"{shown(path)} is too large for charts of {NUM_CLASSES} hands")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{shown(path)} is not UTF-8 text (byte {error.start})") from error
