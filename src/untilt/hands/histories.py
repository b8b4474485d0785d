"""One hand of a file of any format, to show, replay and review."""

from pathlib import Path

from untilt.errors import FormatError, InvalidOption
from untilt.formats.base.files import shown
from untilt.formats.exchange.phh import HandHistory, read_phh
from untilt.hands.hand import RecordedHand
from untilt.hands.reading import Unreadable, begins_as_text, read_file
from untilt.number import Integer

_MOST_HANDS = 10**9


def read_history(path: Path, number: int = 1) -> HandHistory:
    """Return a hand of a file, counted from 1, in the form of the PHH format.

    Raises FormatError if that hand cannot be read, InvalidOption if there are not as many.
    """
    recorded = read_recorded(path, number)
    if recorded is not None:
        return recorded.to_history()
    hands = read_phh(path)
    if number > len(hands):
        raise _too_few(number, len(hands))
    return hands[number - 1]


def read_recorded(path: Path, number: int = 1) -> RecordedHand | None:
    """Return a hand of a site's file or a log, as `read_history`; None of all other files."""
    if not Integer(1, _MOST_HANDS).accepts(number):
        raise InvalidOption.of("number", number, "hands are counted from 1")
    if not begins_as_text(path):
        return None
    count = 0
    for count, found in enumerate(read_file(path), start=1):
        if count < number:
            continue
        if isinstance(found, Unreadable):
            raise FormatError(f"{shown(path)}, line {found.line}: {found.reason}")
        return found
    raise _too_few(number, count)


def _too_few(number: int, count: int) -> InvalidOption:
    hands = f"{count:,} hands" if count != 1 else "one hand"
    return InvalidOption.of("number", number, f"there is {hands}, counted from 1")
