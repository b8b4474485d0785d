"""Folders of hands and of their reviews below the served folder, by id.

As runs, they are looked up among those found and never made into a path. What is read of them is
kept while their files stay the same.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from untilt.dashboard.sources.library import id_of_name
from untilt.dashboard.sources.run_folder import as_utf8
from untilt.dashboard.sources.source import NotAvailable
from untilt.formats.base.files import is_there
from untilt.formats.run.run_list import MAX_DEPTH, MAX_FOLDERS, inner_folders

if TYPE_CHECKING:
    from untilt.hands.store.hand_store import HandStore
    from untilt.play.leaks.leaks import Leaks

HANDS_FILE, REVIEW_FILE, PARTS_FOLDER = "hands.json", "review.json", "parts"
_MOST_KEPT = 4
"""Folders, and reviews, that are kept in memory."""

T = TypeVar("T")


@dataclass(frozen=True)
class HandPlace:
    """A folder of hands or a review."""

    id: str
    name: str
    """Its path below the served folder."""
    path: Path


class Kept(Generic[T]):
    """The last few things that were made, each with the stamp of its origin; for all threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, tuple[Hashable, T]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, stamp: Hashable, make: Callable[[], T]) -> T:
        """Return what is kept with the same stamp, or make it."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None and found[0] == stamp:
                self._kept.move_to_end(key)
                return found[1]
        made = make()
        with self._lock:
            self._kept[key] = stamp, made
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made


class HandFolders:
    """What is below the served folder; safe to share between threads."""

    def __init__(self, root: Path | None) -> None:
        self._root = root
        self._stores: Kept[HandStore] = Kept(_MOST_KEPT)
        self._reviews: Kept[Leaks] = Kept(_MOST_KEPT)

    def places(self) -> tuple[list[HandPlace], list[HandPlace]]:
        """Return the folders of hands and the reviews, by name."""
        hands: list[HandPlace] = []
        reviews: list[HandPlace] = []
        for path, name in self._folders():
            for file, found in ((HANDS_FILE, hands), (REVIEW_FILE, reviews)):
                if is_there(path / file):
                    found.append(HandPlace(id_of_name(name), as_utf8(name), path))
        return sorted(hands, key=_by_name), sorted(reviews, key=_by_name)

    def _folders(self) -> Iterator[tuple[Path, str]]:
        if self._root is None:
            return
        waiting = [(self._root, 0)]
        for folder, depth in waiting:
            is_root = folder == self._root
            name = folder.resolve().name if is_root else folder.relative_to(self._root).as_posix()
            yield folder, name or "hands"
            if depth < MAX_DEPTH and not _is_leaf(folder):
                with suppress(OSError):
                    names = inner_folders(folder)[: MAX_FOLDERS - len(waiting)]
                    waiting += [(folder / name, depth + 1) for name in names]

    def hands(self, place_id: str) -> tuple[HandPlace, "HandStore"]:
        """Return a folder of hands; raises NotAvailable if there is none of this id."""
        from untilt.hands.store.hand_store import HandStore

        place = _found(self.places()[0], place_id, "folder of hands")
        stamp = self.stamp_of_hands(place)
        return place, self._stores.get(place.path, stamp, lambda: HandStore(place.path))

    def review(self, place_id: str) -> tuple[HandPlace, "Leaks"]:
        """Return a review; raises NotAvailable if there is none of this id."""
        place = _found(self.places()[1], place_id, "review")
        return place, self.leaks_of(place)

    def leaks_of(self, place: HandPlace) -> "Leaks":
        """Return the decisions of a review."""
        from untilt.play.leaks.reviewing import read_leaks

        stamp = self.stamp_of_review(place)
        return self._reviews.get(place.path, stamp, lambda: read_leaks(place.path))

    def stamp_of_hands(self, place: HandPlace) -> Hashable:
        """Return what changes when hands are added."""
        return _stamp(place.path)

    def stamp_of_review(self, place: HandPlace) -> Hashable:
        """Return what changes when decisions are added."""
        return _stamp(place.path / PARTS_FOLDER), _stamp(place.path)


def _is_leaf(folder: Path) -> bool:
    return is_there(folder / HANDS_FILE) or is_there(folder / REVIEW_FILE)


def _by_name(place: HandPlace) -> str:
    return place.name


def _found(places: list[HandPlace], place_id: str, what: str) -> HandPlace:
    for place in places:
        if place.id == place_id:
            return place
    raise NotAvailable(f"there is no {what} {place_id[:80]!r}; see the list of hands")


def _stamp(folder: Path) -> Hashable:
    """Return the names, sizes and times of the files of a folder."""
    with suppress(OSError):
        return tuple(
            sorted(
                (each.name, found.st_size, found.st_mtime_ns)
                for each in folder.iterdir()
                for found in [each.stat()]
                if each.suffix in (".hands", ".bin", ".json")
            )
        )
    return None
