"""One file of a folder of hands: up to `MOST_HANDS` hands that were imported together.

The hands are text, compressed in blocks. Beside them are columns by which hands are found without
reading any of them. A file is written once, atomically, and never changed.
"""

import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate, groupby
from pathlib import Path

import numpy as np
import numpy.typing as npt

from untilt.errors import FormatError
from untilt.formats.base.container import (
    Array,
    Container,
    open_container,
    pack_strings,
    write_container,
)
from untilt.formats.base.files import REPEAT
from untilt.hands.hand import MOST_PLAYERS, RecordedHand
from untilt.hands.store.hand_codec import decoded, encoded

KIND = "hands"
MOST_HANDS = 20_000
"""In one file."""
UNKNOWN_TIME = np.iinfo(np.int64).min
_FIRST_TIME, _LAST_TIME = (
    int(each.replace(tzinfo=UTC).timestamp()) for each in (datetime.min, datetime.max)
)

_BLOCK_HANDS = 64
_MOST_BLOCK_BYTES = 1 << 24
"""Of the text of one block; a hand is less than a kilobyte."""
_BODY = "blocks"
UNIQUE_SITES = frozenset({"PokerStars", "GGPoker"})
"""Sites that never give two hands the same number."""


def key_of(hand: RecordedHand) -> int:
    """Return 64 bits that are the same for the same hand: its site and number, or all of it.

    Programs begin to count with every match, so their numbers alone say little.
    """
    if hand.number and hand.site in UNIQUE_SITES:
        return key_of_number(hand.site, hand.number)
    when = "" if hand.played is None else hand.played.isoformat()
    return _hashed(
        *(hand.site, hand.number, hand.table, when, "\n".join(hand.players), hand.line),
        repr((hand.stacks, hand.antes, hand.posts, hand.cards, hand.board, hand.won)),
        repr([action.amount for street in hand.streets for action in street]),
    )


def key_of_number(site: str, number: str) -> int:
    """Return the key of a hand of a site whose numbers are unique."""
    return _hashed(site, number)


def _hashed(*texts: str) -> int:
    digest = blake2b("\0".join(texts).encode("utf-8", "replace"), digest_size=8)
    return int.from_bytes(digest.digest(), "little")


def has_unique_numbers(site: str) -> bool:
    """Whether the number of a hand is enough to recognise it."""
    return site in UNIQUE_SITES


def write_hand_file(path: Path, hands: Sequence[RecordedHand]) -> None:
    """Write a file of hands."""
    names = sorted({name for hand in hands for name in hand.players})
    sites = sorted({hand.site for hand in hands})
    number_of = {name: number for number, name in enumerate(names)}
    site_of = {site: number for number, site in enumerate(sites)}
    blocks = [
        zlib.compress("\n".join(map(encoded, hands[begin : begin + _BLOCK_HANDS])).encode())
        for begin in range(0, len(hands), _BLOCK_HANDS)
    ]
    players = [number_of[name] for hand in hands for name in hand.players]
    arrays: dict[str, Array] = {
        "keys": np.array([key_of(hand) for hand in hands], np.uint64),
        "sites": np.array([site_of[hand.site] for hand in hands], np.int32),
        "times": np.array([_seconds(hand) for hand in hands], np.int64),
        "pots": np.array([hand.pot / hand.big_blind for hand in hands], np.float32),
        "streets": np.array([len(hand.streets) for hand in hands], np.uint8),
        "heroes": np.array([-1 if hand.hero is None else hand.hero for hand in hands], np.int8),
        "counts": np.array([hand.num_players for hand in hands], np.uint8),
        "players": np.array(players, np.int32),
        "gains": np.array([gain for hand in hands for gain in _gains(hand)], np.float32),
        "block_crc32": np.array([zlib.crc32(block) for block in blocks], np.uint32),
        "block_ends": np.array(list(accumulate(map(len, blocks))), np.int64),
        **pack_strings("names", names),
        **pack_strings("site_names", sites),
        "lines": _joined([hand.line for hand in hands]),
        _BODY: np.frombuffer(b"".join(blocks), np.uint8),
    }
    write_container(path, KIND, {"num_hands": len(hands)}, arrays, remedy=REPEAT)


def _joined(lines: Sequence[str]) -> Array:
    return np.frombuffer("\n".join(lines).encode("ascii"), np.uint8)


def _seconds(hand: RecordedHand) -> int:
    if hand.played is None:
        return int(UNKNOWN_TIME)
    return int(hand.played.replace(tzinfo=UTC).timestamp())


def _gains(hand: RecordedHand) -> list[float]:
    gains = hand.gains
    if gains is None:
        return [math.nan] * hand.num_players
    return [gain / hand.big_blind for gain in gains]


def are_times(given: npt.NDArray[np.int64]) -> bool:
    """Whether all of these are seconds since 1970 that a calendar has, or unknown."""
    is_known = (given >= _FIRST_TIME) & (given <= _LAST_TIME)
    return bool((is_known | (given == UNKNOWN_TIME)).all())


@dataclass(frozen=True, eq=False)
class HandFile:
    """The columns of a file of hands; H hands with P players in all."""

    path: Path
    keys: npt.NDArray[np.uint64]
    """[H], see `key_of`."""
    sites: npt.NDArray[np.int32]
    """[H]: a place in `site_names`."""
    times: npt.NDArray[np.int64]
    """[H]: seconds since 1970 by the clock of the site; UNKNOWN_TIME if unknown."""
    pots: npt.NDArray[np.float32]
    """[H], in big blinds."""
    streets: npt.NDArray[np.uint8]
    """[H]: how many streets were dealt, 1 to 4."""
    heroes: npt.NDArray[np.int8]
    """[H]: the player whose cards the record shows; −1 if none."""
    counts: npt.NDArray[np.uint8]
    """[H]: players."""
    players: npt.NDArray[np.int32]
    """[P]: places in `names`, hand by hand."""
    gains: npt.NDArray[np.float32]
    """[P]: what each player won or lost, in big blinds; nan if unknown."""
    names: list[str]
    site_names: list[str]
    joined_lines: bytes
    """The line of every hand, see `RecordedHand.line`, with line feeds between them."""
    block_ends: npt.NDArray[np.int64]
    block_crc32: npt.NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def firsts(self) -> npt.NDArray[np.int64]:
        """[H + 1]: where the players of each hand begin."""
        found = np.zeros(len(self) + 1, np.int64)
        np.cumsum(self.counts, out=found[1:])
        return found

    @classmethod
    def read(cls, path: Path) -> "HandFile":
        """Read the columns of a file; FormatError if it is damaged."""
        columns: dict[str, Array] = {}
        with open_container(path, KIND) as opened:
            for name in opened.names:
                if name != _BODY:
                    columns[name] = opened.read(name)
                    opened.verify(name, [columns[name].reshape(-1).view(np.uint8).data])
            return cls._of(Container(KIND, opened.meta, columns, path))

    @classmethod
    def _of(cls, found: Container) -> "HandFile":
        keys = found.array("keys", np.uint64, (None,))
        count = len(keys)
        counts = found.array("counts", np.uint8, (count,))
        total = int(counts.sum())
        heroes = found.array("heroes", np.int8, (count,))
        sites = found.array("sites", np.int32, (count,))
        players = found.array("players", np.int32, (total,))
        ends = found.array("block_ends", np.int64, (-(-count // _BLOCK_HANDS),))
        names, site_names = (found.strings(each, at_most=total) for each in ("names", "site_names"))
        lines = found.array("lines", np.uint8, (None,)).tobytes()
        times = found.array("times", np.int64, (count,))
        pots = found.array("pots", np.float32, (count,))
        gains = found.array("gains", np.float32, (total,))
        is_sound = (
            count
            and lines.count(b"\n") == count - 1
            and 2 <= counts.min() <= counts.max() <= MOST_PLAYERS
            and bool((heroes < counts.astype(np.int16)).all())
            and are_times(times)
            and bool(np.isfinite(pots).all())
            and not np.isinf(gains).any()
            and 0 <= sites.min() <= sites.max() < len(site_names)
            and 0 <= players.min() <= players.max() < len(names)
            and ends[0] > 0
            and bool((np.diff(ends) > 0).all())
        )
        if not is_sound:
            raise found.error("its columns do not fit each other")
        return cls(
            found.path,
            keys,
            sites,
            times,
            pots,
            found.array("streets", np.uint8, (count,)),
            heroes,
            counts,
            players,
            gains,
            names,
            site_names,
            lines,
            ends,
            found.array("block_crc32", np.uint32, (len(ends),)),
        )

    def hands(self, rows: Sequence[int]) -> Iterator[RecordedHand]:
        """Yield hands by their places, in the order given; places nearby are read together."""
        with open_container(self.path, KIND) as opened:
            (size,) = opened.shape(_BODY, np.uint8, (None,))
            if size != self.block_ends[-1]:
                raise FormatError(f"{self.path} is damaged (its blocks); restore it from a copy")
            body = opened.mapped(_BODY)
            for block, members in groupby(rows, key=lambda row: row // _BLOCK_HANDS):
                texts = self._block(body, block)
                for row in members:
                    hand = decoded(texts[row % _BLOCK_HANDS])
                    if hand.num_players != self.counts[row]:
                        raise FormatError(
                            f"{self.path} is damaged (the players of hand {row + 1}); restore it "
                            "from a copy"
                        )
                    yield hand

    def _block(self, body: Array, number: int) -> list[str]:
        begin = int(self.block_ends[number - 1]) if number else 0
        data = body[begin : int(self.block_ends[number])].tobytes()
        if zlib.crc32(data) == self.block_crc32[number]:
            unpacker = zlib.decompressobj()
            text = unpacker.decompress(data, _MOST_BLOCK_BYTES)
            lines = text.decode("utf-8", "replace").split("\n")
            last = len(self) - number * _BLOCK_HANDS
            if not unpacker.unconsumed_tail and len(lines) == min(last, _BLOCK_HANDS):
                return lines
        raise FormatError(
            f"{self.path} is damaged (the checksum of some hands differs); restore it from a copy, "
            "or remove it and import the hands again"
        )
