"""Reading hands: from one file or all files of a folder, whichever sites they are from.

A hand that cannot be read is reported with its file, line and reason, and the rest is read.
Nothing of a file is trusted: its lines, hands and characters are bounded, and it is read in pieces,
so its size does not matter.
"""

import codecs
import io
import os
import re
import stat
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeAlias

from untilt.errors import FormatError, UntiltError, require
from untilt.formats.base.files import open_regular, path_of, shown, unreadable
from untilt.formats.exchange.other_histories import program_of
from untilt.hands.hand import ROW_COLUMNS, RecordedHand
from untilt.hands.readers.acpc_log import read_acpc_line
from untilt.hands.readers.ggpoker import GGPOKER
from untilt.hands.readers.phh_hand import read_phh_hand
from untilt.hands.readers.phrases import Phrases
from untilt.hands.readers.pokerstars import POKERSTARS
from untilt.hands.readers.text_hand import read_text_hand

if TYPE_CHECKING:
    from pandas import DataFrame

SITES = (POKERSTARS, GGPOKER)
"""Sites that write a hand as lines of text."""

IsKnown: TypeAlias = Callable[[str, str], bool]
"""Whether a hand of a site with a number need not be read."""

_SNIFFED_BYTES = 1 << 16
_MOST_COLUMNS = 1 << 12
"""Of a line; longer ones are no part of a hand."""
_MOST_LINES = 4_000
"""Of a hand."""
_MOST_SHARE = 0.02
"""Of control characters, in a text."""
_BEGINS_TEXT = "PokerStars ", "Poker Hand #"
_BEGINS_ACPC = "STATE:"
_BEGINS_TABLE = re.compile(r"\[\s*(\w+|\"[^\"]*\"|'[^']*')\s*\]\s*")
_BEGINS_FIELD = re.compile(r"[A-Za-z_][\w-]*\s*=")
_HEADER = re.compile(r"(?:PokerStars .{0,40}(?:Hand|Game)|Poker Hand) #")
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_SUFFIXES = (".txt", ".phh", ".phhs", ".log", "")


class Unreadable(NamedTuple):
    """A hand, or a file, that could not be read."""

    file: str
    line: int
    """On which it begins, from 1."""
    reason: str


class HandStream(Iterator[RecordedHand]):
    """Hands one after the other, as they are read; `unreadable` grows on the way."""

    def __init__(self, path: Path, found: Iterator[RecordedHand | Unreadable]) -> None:
        self.path = path
        self.unreadable: list[Unreadable] = []
        """What could not be read so far."""
        self._found = found

    def __iter__(self) -> "HandStream":
        return self

    def __next__(self) -> RecordedHand:
        for found in self._found:
            if isinstance(found, RecordedHand):
                return found
            self.unreadable.append(found)
        raise StopIteration

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per player of the hands that are left.

        Chips are in big blinds; `won` is what the player gained in the hand, after rake.
        """
        pandas = require("pandas", "to_frame")
        rows = [row for hand in self for row in hand.rows()]
        frame: DataFrame = pandas.DataFrame(rows, columns=list(ROW_COLUMNS))
        return frame

    def __repr__(self) -> str:
        return f"<Hands of {shown(self.path)}>"


def read(path: str | os.PathLike[str]) -> HandStream:
    """Return the hands of a file, or of all files of a folder and the folders below it.

    Files are of PokerStars, GGPoker, in the PHH format, or logs of an ACPC dealer; which one is
    recognised by their content. The result is an iterator; a hand that cannot be read is left out,
    and its file, line and reason are added to `unreadable`. Raises FormatError if nothing is at the
    path.

    >>> import tempfile, pathlib, untilt
    >>> file = pathlib.Path(tempfile.mkdtemp(), "match.log")
    >>> _ = file.write_text("STATE:0:cr300f:AhKd|QsJc:100|-100:Ann|Bob")
    >>> [hand.gains for hand in untilt.hands.read(file)]
    [(100, -100)]
    """
    root = path_of(path)
    return HandStream(root, chain.from_iterable(map(read_file, files_of(root))))


def files_of(root: Path) -> list[Path]:
    """Return a file, or the files below a folder in the order of their names.

    Links and files with other suffixes than those of hand histories are left out. Raises
    FormatError if there is nothing at the path.
    """
    try:
        mode = root.stat().st_mode
    except (OSError, ValueError) as error:
        raise _missing(root, error) from error
    if stat.S_ISREG(mode):
        return [root]
    if not stat.S_ISDIR(mode):
        raise FormatError(f"{shown(root)} is neither a file nor a folder; check the path")
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder, name)
            is_wanted = path.suffix.lower() in _SUFFIXES and not name.startswith(".")
            if is_wanted and not path.is_symlink() and path.is_file():
                found.append(path)
    return found


def _missing(path: Path, error: Exception) -> FormatError:
    if isinstance(error, FileNotFoundError):
        return FormatError(f"{shown(path)} does not exist; check the path")
    return unreadable(path, error)


def read_file(path: Path, is_known: IsKnown | None = None) -> Iterator[RecordedHand | Unreadable]:
    """Yield the hands of a file and what could not be read of it, without those that are known."""
    name = str(path)
    try:
        with open_regular(path) as file:
            yield from read_stream(file, name, is_known)
    except OSError as error:
        yield Unreadable(name, 1, error.strerror or str(error))
    except FormatError as error:
        yield Unreadable(name, 1, str(error))


def read_stream(
    file: BinaryIO, source: str, is_known: IsKnown | None = None
) -> Iterator[RecordedHand | Unreadable]:
    """Yield the hands of an open file and what could not be read of it; see `read_file`."""
    encoding = _encoding_of(file)
    if encoding is None:
        yield Unreadable(source, 1, "it is a binary file, not text")
        return
    yield from read_lines(_lines(file, encoding), source, is_known)


def begins_as_text(path: Path) -> bool:
    """Whether a file begins as one of a site or a log, comments apart; False if it is not there.

    What a site or dealer writes is within the first 64 KB.
    """
    try:
        with open_regular(path) as file:
            encoding = _encoding_of(file)
            begin = io.BytesIO(file.read(_SNIFFED_BYTES))
    except (FormatError, OSError):
        return False
    if encoding is None:
        return False
    lines = _lines(begin, encoding)
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return _kind_of(first, "") in ("text", "acpc")


def _encoding_of(file: BinaryIO) -> str | None:
    """Return how the text is encoded, the file behind its mark; None if it is not text."""
    data = file.read(_SNIFFED_BYTES)
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            file.seek(len(mark))
            return encoding
    file.seek(0)
    if b"\0" in data:
        # ASCII in UTF-16 without a mark has a zero in every second byte.
        for encoding, zeros, others in (
            ("utf-16-le", data[1::2], data[::2]),
            ("utf-16-be", data[::2], data[1::2]),
        ):
            if zeros.count(0) > len(zeros) * 0.9 and others.count(0) == 0:
                return encoding
        return None
    controls = sum(data.count(bytes([code])) for code in range(32) if code not in (9, 10, 13))
    if controls > len(data) * _MOST_SHARE:
        return None
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _lines(file: BinaryIO, encoding: str) -> Iterator[str]:
    """Yield the lines of a text; too long ones in pieces, odd bytes replaced."""
    with codecs.getreader(encoding)(file, "replace") as text:
        rest = ""
        while piece := text.read(1 << 20):
            rest += piece
            lines = rest.split("\n")
            rest = lines.pop()
            if len(rest) > 1 << 20:
                rest = rest[:_MOST_COLUMNS]
            for line in lines:
                yield line[:_MOST_COLUMNS].rstrip()
        if rest:
            yield rest[:_MOST_COLUMNS].rstrip()


def read_lines(
    lines: Iterator[str], source: str, is_known: IsKnown | None = None
) -> Iterator[RecordedHand | Unreadable]:
    """Yield the hands in the lines of a text and what could not be read of it; see `read_file`."""
    block: list[str] = []
    begin = 0
    kind = ""
    for row, line in enumerate(lines, start=1):
        found = _kind_of(line, kind)
        if found or (len(block) >= _MOST_LINES and kind != "cut"):
            if block:
                yield from _hands(kind, block, source, begin, is_known)
            block, begin, kind = [], row, found or "cut"
        elif not block:
            if not line:
                continue
            begin, kind = row, "other"
        if len(block) < _MOST_LINES:
            block.append(line)
    if block:
        yield from _hands(kind, block, source, begin, is_known)


def _kind_of(line: str, now: str) -> str:
    """Return what a line begins: text of a site, a log, a hand in PHH; empty if nothing new."""
    if line.startswith(_BEGINS_TEXT) or line.startswith("\ufeff"):
        return "text" if _HEADER.match(line.lstrip("\ufeff")) else ""
    if line.startswith(_BEGINS_ACPC):
        return "acpc"
    if line.startswith("[") and _BEGINS_TABLE.fullmatch(line):
        return "phh"
    if now in ("", "other", "cut") and _BEGINS_FIELD.match(line):
        return "phh"
    return ""


def _hands(
    kind: str, lines: list[str], source: str, row: int, is_known: IsKnown | None
) -> Iterator[RecordedHand | Unreadable]:
    """Yield the hand of a block of lines, or why there is none."""
    try:
        if kind == "text":
            lines[0] = lines[0].lstrip("\ufeff")
            phrases = _site_of(lines[0])
            if is_known is None or not is_known(phrases.site, _number_in(lines[0], phrases)):
                yield read_text_hand(lines, phrases, source, row)
        elif kind == "acpc":
            yield read_acpc_line(lines[0], source, row)
        elif kind == "phh":
            yield read_phh_hand("\n".join(lines), source, row)
        elif kind == "cut":
            raise FormatError(f"it has more than {_MOST_LINES:,} lines")
        elif not all(line.startswith("#") or not line for line in lines):
            raise FormatError(_foreign("\n".join(lines[:10])))
    except UntiltError as error:
        yield Unreadable(source, row, str(error))


def _site_of(header: str) -> Phrases:
    for site in SITES:
        if site.begins.match(header):
            return site
    raise FormatError(f"the header {header[:60]!r} cannot be read")


def _number_in(header: str, phrases: Phrases) -> str:
    found = phrases.begins.match(header)
    assert found is not None, "the header is of the site"
    return found["number"]


def _foreign(text: str) -> str:
    program = program_of(text)
    if program is None:
        return "it is no hand of PokerStars, GGPoker, the PHH format or the ACPC's dealer"
    return f"a hand history of {program}; it cannot be read yet"
