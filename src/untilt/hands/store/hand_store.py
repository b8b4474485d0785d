"""A folder of hands: files that are only added, each hand once.

    store = HandStore(Path("hands"))
    for hand in store.hands(Filter(player="Ann", pot=">20bb")): ...

    hands/
      hands.json             what the folder is
      00000.hands …          hands, see `hand_file`

A file appears when it is complete, so a writer that is killed leaves nothing half written, and what
it had not written yet is imported the next time. Only one process writes at a time.
"""

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from untilt.errors import FormatError, InvalidOption, RunError
from untilt.formats.base.files import (
    REPEAT,
    is_there,
    read_json,
    remove_leftovers,
    shown,
    storage_error,
    write_json,
)
from untilt.formats.base.lock import FolderLock
from untilt.hands.hand import RecordedHand
from untilt.hands.store.filters import ME, Filter
from untilt.hands.store.hand_file import (
    MOST_HANDS,
    UNIQUE_SITES,
    HandFile,
    key_of,
    key_of_number,
    write_hand_file,
)
from untilt.numeric.arrays import Offsets

FILE_NAME = "hands.json"
FORMAT = 2
"""In format 1, the stacks of all hands are known."""
_KIND = "hands"
_SEGMENT = re.compile(r"(\d{5})\.hands")
_NUM_NEAREST = 5


class Found(NamedTuple):
    """A hand that was looked for."""

    hand: RecordedHand
    player: int | None
    """The player that was asked for; None if none was."""


class HandStore:
    """A folder of hands; see the module."""

    def __init__(self, folder: Path) -> None:
        """Raises RunError if there is no such folder, FormatError if it is damaged."""
        self.folder = folder
        path = folder / FILE_NAME
        if not is_there(path):
            raise RunError(
                f"{shown(folder)} is not a folder of hands: it has no {FILE_NAME}; make one with "
                "`untilt hands import`"
            )
        found = read_json(path)
        if not isinstance(found, dict) or found.get("kind") != _KIND:
            raise FormatError(f"{shown(path)} is damaged (its kind); restore it from a copy")
        self.format = found.get("format")
        if self.format not in (1, FORMAT):
            raise FormatError(
                f"{shown(path)} has format {str(self.format)[:20]!r}, this version reads "
                f"formats up to {FORMAT}: update untilt"
            )

    @classmethod
    def create(cls, folder: Path) -> "HandStore":
        """Return the store in a folder, in the newest format; it is made if there is none."""
        if not is_store(folder):
            try:
                folder.mkdir(parents=True, exist_ok=True)
                is_free = not any(folder.iterdir())
            except OSError as error:
                raise storage_error(folder, error, REPEAT) from error
            if not is_free:
                raise InvalidOption.of(
                    "output", str(folder), "choose a new folder, or one of imported hands"
                )
        elif cls(folder).format == FORMAT:
            return cls(folder)
        write_json(folder / FILE_NAME, {"format": FORMAT, "kind": _KIND}, remedy=REPEAT)
        return cls(folder)

    def __len__(self) -> int:
        return sum(map(len, self.files))

    def __repr__(self) -> str:
        return f"<HandStore {shown(self.folder)}: {len(self):,} hands>"

    @cached_property
    def files(self) -> tuple[HandFile, ...]:
        """The files, in the order in which they were written."""
        return tuple(map(HandFile.read, self._paths()))

    def _paths(self) -> list[Path]:
        try:
            paths = [path for path in self.folder.iterdir() if _SEGMENT.fullmatch(path.name)]
        except OSError as error:
            raise storage_error(self.folder, error, REPEAT) from error
        return sorted(paths)

    @cached_property
    def keys(self) -> set[int]:
        """The keys of all hands, see `hand_file.key_of`."""
        return {key for file in self.files for key in file.keys.tolist()}

    @property
    def names(self) -> set[str]:
        """The names of all players."""
        return {name for file in self.files for name in file.names}

    def verify_player(self, player: str | None) -> None:
        """Raise InvalidOption, with the nearest names, if a player takes part in no hand."""
        if player is None:
            return
        names = self.names
        if player in names:
            return
        if player == ME:
            if any((file.heroes >= 0).any() for file in self.files):
                return
            why = "no hand shows whose it is: give a name" if names else "there are no hands"
            raise InvalidOption.of("player", player, why)
        near = difflib.get_close_matches(player, sorted(names), _NUM_NEAREST, 0.5)
        hint = f"the nearest names are {', '.join(near)}" if near else "no name is like it"
        raise InvalidOption.of(
            "player", player, f"the player takes part in none of the {len(self):,} hands; {hint}"
        )

    def select(self, wanted: Filter) -> list[tuple[HandFile, Offsets, Offsets]]:
        """Return the wanted hands of each file: their places, and the player's place in each."""
        self.verify_player(wanted.player)
        return [(file, *wanted.rows(file)) for file in self.files]

    def hands(self, wanted: Filter | None = None, limit: int | None = None) -> Iterator[Found]:
        """Yield the hands that are wanted, oldest import first."""
        left = limit
        for file, rows, seats in self.select(wanted or Filter()):
            chosen = rows.tolist() if left is None else rows[:left].tolist()
            hands = file.hands(chosen)
            for hand, seat in zip(hands, seats.tolist(), strict=False):
                yield Found(hand, seat if seat >= 0 else None)
            if left is not None:
                left -= len(chosen)
                if not left:
                    return

    def numbered(self, number: str) -> RecordedHand:
        """Return the hand with a number, such as `123` or `PokerStars #123`.

        Raises InvalidOption if there is none, or if hands of several sites or matches have it.
        """
        site, _, text = number.rpartition("#")
        site, text = site.strip(), text.strip()
        keys = [key_of_number(each, text) for each in UNIQUE_SITES if site in ("", each)]
        found: list[RecordedHand] = []
        for file in self.files:
            rows = np.flatnonzero(np.isin(file.keys, np.array(keys, np.uint64)))
            found += file.hands(rows.tolist())
        if not found:  # of a program whose numbers repeat, or of a venue of the PHH format
            found = [
                each.hand
                for each in self.hands()
                if each.hand.number == text and site in ("", each.hand.site)
            ]
        if len(found) != 1:
            many = f"{len(found):,} hands have it" if found else "no hand has it"
            raise InvalidOption.of(
                "number", number, f"{many}; give site and number of one, as `untilt hands list`"
            )
        return found[0]

    def add(self, hands: Sequence[RecordedHand]) -> None:
        """Write new hands into a file; call it only with the lock of the folder."""
        paths = self._paths()
        number = int(paths[-1].stem) + 1 if paths else 0
        write_hand_file(self.folder / f"{number:05}.hands", hands)


class Adding:
    """Adds hands to a store, each once; a context that holds the lock of the folder.

    On leaving, also because of an error or Ctrl-C, the hands that were added are written.
    """

    def __init__(self, store: HandStore) -> None:
        self.store = store
        self.added = 0
        self.known = 0
        self._keys: set[int] = set()
        self._waiting: list[RecordedHand] = []
        self._lock = FolderLock(store.folder)

    def __enter__(self) -> "Adding":
        self._lock.__enter__()
        try:
            remove_leftovers(self.store.folder)
            self._keys = set(self.store.keys)
        except BaseException:
            self._lock.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self.flush()
        finally:
            self._lock.__exit__()

    def is_known(self, key: int) -> bool:
        """Whether there is a hand with a key; counted as known if so."""
        is_known = key in self._keys
        self.known += is_known
        return is_known

    def add(self, hand: RecordedHand) -> None:
        """Add a hand, unless it is known."""
        key = key_of(hand)
        if self.is_known(key):
            return
        self._keys.add(key)
        self._waiting.append(hand)
        self.added += 1
        if len(self._waiting) >= MOST_HANDS:
            self.flush()

    def flush(self) -> None:
        """Write what was added so far."""
        if self._waiting:
            self._lock.verify()
            waiting, self._waiting = self._waiting, []
            self.store.add(waiting)


def is_store(path: Path) -> bool:
    """Whether a folder is one of hands."""
    return is_there(path / FILE_NAME)


def gains_of(files: Iterable[tuple[HandFile, Offsets, Offsets]]) -> tuple[int, float]:
    """Return how many hands with a known result were selected, and what their player won, in bb."""
    count, total = 0, 0.0
    for file, rows, seats in files:
        is_present = seats >= 0
        gains = file.gains[file.firsts[rows[is_present]] + seats[is_present]]
        known = gains[~np.isnan(gains)]
        count += len(known)
        total += float(known.sum(dtype=np.float64))
    return count, total
