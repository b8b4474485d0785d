"""What the page shows of hands: the list by pages, one hand with its review, leaks and tilt."""

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from untilt.cards.card import cards_name
from untilt.dashboard.hands.hand_folders import HandFolders, HandPlace, Kept
from untilt.dashboard.sources.source import Json, NotAvailable
from untilt.errors import InvalidOption, UnknownName, UntiltError
from untilt.number import finite
from untilt.numeric.arrays import Offsets

if TYPE_CHECKING:
    from untilt.hands.hand import RecordedHand
    from untilt.hands.store.filters import Filter
    from untilt.hands.store.hand_store import HandStore
    from untilt.play.leaks.leaks import Leaks

MOST_ROWS = 500
"""Of one page of a list."""
MOST_MISTAKES = 2_000
MOST_GROUPS = 200
_MOST_NAMES = 50
_MOST_LISTS = 8


@dataclass(frozen=True)
class HandListing:
    """Wanted hands of a folder, the newest first; [N] each."""

    files: npt.NDArray[np.int32]
    rows: Offsets
    seats: Offsets
    """The wanted player; −1 if none is wanted."""
    num_results: int
    gains: float
    """What the player won in hands with a known result, in big blinds."""


class HandPages:
    """Pages about the hands below the served folder; safe to share between threads."""

    def __init__(self, folders: HandFolders) -> None:
        self._folders = folders
        self._lists: Kept[HandListing] = Kept(_MOST_LISTS)
        self._names: Kept[list[str]] = Kept(_MOST_LISTS)
        self._tilts: Kept[Json] = Kept(_MOST_LISTS)

    def places(self) -> Json:
        """Return the `HandPlaces`: folders of hands and reviews, damaged ones with the problem."""
        hands, reviews = self._folders.places()
        return {
            "folders": [self._folder(place) for place in hands],
            "reviews": [self._review(place, hands) for place in reviews],
        }

    def _folder(self, place: HandPlace) -> Json:
        try:
            _, store = self._folders.hands(place.id)
            found: Json = {"hands": len(store), "problem": None}
        except UntiltError as error:
            found = {"hands": None, "problem": str(error)}
        return {"id": place.id, "name": place.name, **found}

    def _review(self, place: HandPlace, hands: list[HandPlace]) -> Json:
        empty: Json = {"player": None, "agents": [], "hands": None, "decisions": None}
        try:
            leaks = self._folders.leaks_of(place)
        except UntiltError as error:
            return {
                "id": place.id, "name": place.name, **empty, "folder": None, "problem": str(error)
            }  # fmt: skip
        folder = next((each.id for each in hands if _is_same(each, leaks)), None)
        return {
            "id": place.id,
            "name": place.name,
            "player": leaks.player,
            "agents": list(leaks.agents),
            "hands": leaks.num_hands,
            "decisions": len(leaks.decisions),
            "folder": folder,
            "problem": None,
        }

    def names(self, folder: str) -> Json:
        """Return the players with the most hands, `me` first if the records have an owner."""
        place, store = self._folders.hands(folder)

        def count() -> list[str]:
            counts: Counter[str] = Counter()
            has_owner = False
            for file in store.files:
                numbers = np.bincount(file.players, minlength=len(file.names)).tolist()
                counts.update(dict(zip(file.names, numbers, strict=False)))
                has_owner = has_owner or bool((file.heroes >= 0).any())
            names = [name for name, _ in counts.most_common(_MOST_NAMES)]
            return ["me", *names] if has_owner and "me" not in names else names

        stamp = self._folders.stamp_of_hands(place)
        return {"names": self._names.get(place.path, stamp, count)}

    def listed(self, folder: str, wanted: "Filter", viewer: str, first: int, count: int) -> Json:
        """Return the `HandList`: `count` wanted hands from number `first` on, newest first.

        They are seen as the wanted player, else as `viewer`, else as the owner of the record.
        """
        place, store = self._folders.hands(folder)
        found = self._listing(place, store, wanted)
        chosen = np.arange(min(first, len(found.rows)), min(first + count, len(found.rows)))
        order = np.lexsort((found.rows[chosen], found.files[chosen]))
        rows: dict[int, Json] = {}
        for file, members in groupby(chosen[order].tolist(), key=lambda n: int(found.files[n])):
            numbers = list(members)
            hands = store.files[file].hands([int(found.rows[n]) for n in numbers])
            for number, hand in zip(numbers, hands, strict=True):
                where = {"file": file, "row": int(found.rows[number])}
                seat = int(found.seats[number])
                seen_as = seat if seat >= 0 else _seat_of(hand, viewer)
                rows[number] = {**where, **_summary(hand, seen_as)}
        return {
            "total": len(found.rows),
            "of": len(store),
            "num_results": found.num_results,
            "gains_bb": finite(found.gains),
            "first": first,
            "rows": [rows[number] for number in chosen.tolist()],
        }

    def _listing(self, place: HandPlace, store: "HandStore", wanted: "Filter") -> HandListing:
        key = (place.path, wanted.player, wanted.pot, wanted.street, wanted.line)
        stamp = self._folders.stamp_of_hands(place)
        return self._lists.get(key, stamp, lambda: _select(store, wanted))

    def hand(self, folder: str, file: int, row: int, review: str | None) -> Json:
        """Return the `HandPage`: a hand, and how a review judges the decisions in it."""
        place, store = self._folders.hands(folder)
        hand = _hand(store, file, row)
        found: Json = {"file": file, "row": row, **hand.to_json(), "review": None}
        if review is None:
            return found
        _, leaks = self._folders.review(review)
        if not _is_same(place, leaks):
            raise InvalidOption.of("review", review, "give a review of this folder of hands")
        places = _places_in_hand(leaks, file, row)
        if len(places) and leaks.decisions.text("hand", places[0]) != hand.title:
            raise NotAvailable("the hands have changed since the review; repeat it")
        seat = _seat_of(hand, leaks.player)
        found["review"] = {"player": seat, "decisions": [leaks.row(each) for each in places]}
        return found

    def report(self, review: str) -> Json:
        """Return the `LeakReport` of a review."""
        place, leaks = self._folders.review(review)
        document = leaks.to_json()
        by = {
            name: {"words": words, "groups": document["by"][name][:MOST_GROUPS]}
            for name, words in _groups().items()
        }
        return {**document, "name": place.name, "by": by, "dearest": None}

    def mistakes(self, review: str, by: str | None, name: str | None, count: int) -> Json:
        """Return the `Mistakes`: the dearest decisions, those of a group if one is named."""
        _, leaks = self._folders.review(review)
        decisions = leaks.decisions
        is_wanted = decisions.is_judged & (decisions.costs > 0.0)
        if by is not None:
            if by not in _groups():
                raise UnknownName.among("by", by, tuple(_groups()))
            is_wanted &= leaks.is_in_group(by, name or "")
        places = np.flatnonzero(is_wanted)
        order = np.argsort(-decisions.costs[places], kind="stable")
        hands = decisions.hands
        firsts = np.searchsorted(hands, hands[places])
        rows = [
            {**leaks.row(place), "nth": place - int(firsts[at])}
            for at, place in ((at, int(places[at])) for at in order[:count].tolist())
        ]
        return {"total": len(places), "rows": rows}

    def tilt(self, review: str, window: int) -> Json:
        """Return the `TiltPage`: the noise of the player of a review over time."""
        from untilt.play.leaks.tilt import tilt

        place, leaks = self._folders.review(review)
        stamp = self._folders.stamp_of_review(place)
        key = place.path, window
        return self._tilts.get(key, stamp, lambda: tilt(leaks, window=window).to_json())


def _groups() -> dict[str, str]:
    from untilt.play.leaks.leaks import GROUPS

    return GROUPS


def _is_same(place: HandPlace, leaks: "Leaks") -> bool:
    try:
        return leaks.hands.samefile(place.path)
    except OSError:
        return False


def _select(store: "HandStore", wanted: "Filter") -> HandListing:
    from untilt.hands.store.hand_store import gains_of

    selected = store.select(wanted)
    counts = [len(rows) for _, rows, _ in selected]
    files = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    rows, seats, times = (
        np.concatenate([np.zeros(0, np.int64), *parts])
        for parts in (
            [rows for _, rows, _ in selected],
            [seats for _, _, seats in selected],
            [file.times[rows] for file, rows, _ in selected],
        )
    )
    # The newest first; hands whose time is unknown come last, the latest import first.
    order = np.lexsort((np.arange(len(times)), times))[::-1]
    num_results, gains = gains_of(selected)
    return HandListing(files[order], rows[order], seats[order], num_results, gains)


def _summary(hand: "RecordedHand", seen_as: int | None) -> Json:
    """Return the `HandRow` of a hand, as a player or the owner of the record sees it."""
    seat = hand.hero if seen_as is None else seen_as
    held = None if seat is None else hand.cards[seat]
    gains = hand.gains
    won = None if seat is None or gains is None else gains[seat] / hand.big_blind
    return {
        "title": hand.title,
        "played": None if hand.played is None else hand.played.isoformat(),
        "players": hand.num_players,
        "seat": seat,
        "position": "" if seat is None else hand.positions[seat],
        "cards": "" if held is None else cards_name(held, ""),
        "board": cards_name(hand.board, ""),
        "pot_bb": hand.pot / hand.big_blind,
        "won_bb": won,
        "line": hand.line,
    }


def _hand(store: "HandStore", file: int, row: int) -> "RecordedHand":
    if not (0 <= file < len(store.files) and 0 <= row < len(store.files[file])):
        raise NotAvailable(f"there is no hand {file}-{row}; see the list of hands")
    [hand] = store.files[file].hands([row])
    return hand


def _places_in_hand(leaks: "Leaks", file: int, row: int) -> list[int]:
    """Return the places of the decisions of a hand; they are in the order of files and rows."""
    numbers = leaks.decisions.numbers
    found = np.flatnonzero((numbers["file"] == file) & (numbers["row"] == row))
    places: list[int] = found.tolist()
    return places


def _seat_of(hand: "RecordedHand", player: str) -> int | None:
    from untilt.hands.store.filters import ME

    if player in hand.players:
        return hand.players.index(player)
    return hand.hero if player == ME else None


def page_filter(given: dict[str, Any]) -> "Filter":
    """Return the filter of a request; empty texts do not filter."""
    from untilt.hands.store.filters import Filter

    return Filter(**{name: text for name, text in given.items() if text})
