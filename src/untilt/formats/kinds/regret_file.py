"""`regret.dat`: the regrets of the push/fold learner as bare integers, and its sidecar.

The data file holds only little-endian signed integers of 1, 2 or 4 bytes: 338 regrets of acting,
1,352 bytes with 4 each, first the small blind's, then the big blind's, each in the order
"pairs first" (see `cards.combos`). If folding has regrets too, 338 of those follow.

Everything else is in the JSON file next to it, `regret.dat.json`: the stack, the hands played, the
seed and so on, with a checksum of the data. The sidecar is written first and also names the
checksum of the previous data, so that a crash between the two leaves a matching pair. A data file
without a sidecar is bare: the reader must know what it contains.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from untilt.cards.combos import NUM_CLASSES
from untilt.errors import FormatError
from untilt.formats.base.files import (
    open_own,
    read_json,
    shown,
    unreadable,
    write_atomically,
    write_json,
)

KIND = "untilt regret file"
VERSION = 1
NUM_ACTING = 2 * NUM_CLASSES
COUNTS = (NUM_ACTING, 2 * NUM_ACTING)
SIZES = (1, 2, 4)

_MAX_SIDECAR_BYTES = 1 << 16
_MAX_HANDS = 2**62
_MAX_STACK = 1e6
_MAX_BYTES = COUNTS[1] * SIZES[-1]

Codes = npt.NDArray[np.signedinteger]


@dataclass(frozen=True)
class Origin:
    """The origin of regrets; the fields of the sidecar."""

    stack_bb: float
    hands: int
    seed: int
    batch: int
    choice: str
    boards: str
    bytes: int
    growth: str
    untilt: str
    """The version that wrote it."""


@dataclass(frozen=True)
class RegretFile:
    """The content of a regret file."""

    codes: Codes
    """[338] or [676]"""
    origin: Origin | None
    """None for a bare file."""
    checksum: str


def sidecar_of(path: Path) -> Path:
    """Return the path of the sidecar of a data file."""
    return path.with_name(f"{path.name}.json")


def write_regrets(path: Path, codes: Codes, origin: Origin, before: RegretFile | None) -> str:
    """Write data and sidecar; return the checksum of the data.

    `before` is the content of the file when it was last read or written; None if it did not exist.
    """
    assert len(codes) in COUNTS, "regrets of acting, and perhaps of folding"
    data = codes.astype(f"<i{origin.bytes}").tobytes()
    previous = None
    if before is not None and before.origin is not None:
        previous = {"hands": before.origin.hands, "checksum": before.checksum}
    checksum = _checksum(data)
    write_json(
        sidecar_of(path),
        {
            "kind": KIND,
            "version": VERSION,
            **asdict(origin),
            "checksum": checksum,
            "previous": previous,
        },
    )
    write_atomically(path, [data])
    return checksum


def read_regrets(path: Path, *, num_bytes: int = 4, num_regrets: int = NUM_ACTING) -> RegretFile:
    """Return the content of a regret file.

    `num_bytes` and `num_regrets` describe a bare file. Raises FormatError if the file has another
    size, if the sidecar is damaged, or if the data do not match it.
    """
    data = _read_data(path)
    checksum = _checksum(data)
    sidecar = sidecar_of(path)
    if not sidecar.exists():
        codes = _codes(path, data, num_bytes, num_regrets)
        return RegretFile(codes, None, checksum)
    document = read_json(sidecar, max_bytes=_MAX_SIDECAR_BYTES)
    origin, hands_of = _parsed(sidecar, document)
    if checksum not in hands_of:
        raise FormatError(
            f"{shown(path)} is not the file that {shown(sidecar)} describes (its checksum differs)"
            "; restore the matching file, or remove the sidecar to read the data as a "
            "bare file"
        )
    count = COUNTS[1] if origin.choice == "matching" else COUNTS[0]
    codes = _codes(path, data, origin.bytes, count)
    hands = hands_of[checksum]
    return RegretFile(codes, Origin(**{**asdict(origin), "hands": hands}), checksum)


def was_never_written(path: Path) -> bool:
    """Whether there is a sidecar for 0 hands but no data: the first save was interrupted."""
    if path.exists() or not sidecar_of(path).exists():
        return False
    document = read_json(sidecar_of(path), max_bytes=_MAX_SIDECAR_BYTES)
    origin, _ = _parsed(sidecar_of(path), document)
    return origin.hands == 0 and document.get("previous") is None


def checksum_of(path: Path) -> str | None:
    """Return the checksum of a data file; None if there is none."""
    return _checksum(_read_data(path)) if path.exists() else None


def _checksum(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _read_data(path: Path) -> bytes:
    with open_own(path) as file:
        try:
            return file.read(_MAX_BYTES + 1)
        except OSError as error:
            raise unreadable(path, error) from error


def _codes(path: Path, data: bytes, num_bytes: int, count: int) -> Codes:
    if len(data) != count * num_bytes:
        size = f"more than {_MAX_BYTES:,}" if len(data) > _MAX_BYTES else f"{len(data):,}"
        raise FormatError(
            f"{shown(path)} has {size} bytes; {count} regrets of {num_bytes} bytes each need "
            f"{count * num_bytes:,}: check the path and the options of the training"
        )
    return np.frombuffer(data, dtype=f"<i{num_bytes}")


_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "stack_bb": (int, float),
    "hands": int,
    "seed": int,
    "batch": int,
    "choice": str,
    "boards": str,
    "bytes": int,
    "growth": str,
    "untilt": str,
    "checksum": str,
}


def _parsed(path: Path, document: Any) -> tuple[Origin, dict[str, int]]:
    """Return the origin, and the hands played by the data of each checksum."""
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise FormatError(f"{shown(path)} is not the sidecar of a regret file; move it elsewhere")
    version = document.get("version")
    if version != VERSION:
        raise FormatError(
            f"{shown(path)} has version {version!r}, but this program reads version {VERSION}; "
            "use the program that wrote it"
        )
    for name, kind in _TYPES.items():
        value = document.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise _damaged(path, name, value)
    if document["bytes"] not in SIZES:
        raise _damaged(path, "bytes", document["bytes"])
    if not 0 <= document["hands"] < _MAX_HANDS:
        raise _damaged(path, "hands", document["hands"])
    if not 0 < document["stack_bb"] < _MAX_STACK:  # larger ones are refused with a reason
        raise _damaged(path, "stack_bb", document["stack_bb"])
    fields = {name: document[name] for name in _TYPES if name != "checksum"}
    hands_of = {document["checksum"]: document["hands"]}
    previous = document.get("previous")
    match previous:
        case {"hands": int() as hands, "checksum": str() as checksum} if 0 <= hands < _MAX_HANDS:
            hands_of.setdefault(checksum, hands)
    return Origin(**fields), hands_of


def _damaged(path: Path, name: str, value: object) -> FormatError:
    return FormatError(
        f"{shown(path)}: {name} is {value!r}; restore the sidecar as it was written, or remove "
        "it to read the data as a bare file"
    )
