r"""The binary container of all our files: named little-endian arrays and a JSON object.

All numbers are little-endian. A file is

    offset  size
         0     8   magic b"UNTILT\r\n" (a copy in text mode changes the line end and is detected)
         8     4   u32 format version
        12     4   u32 length H of the header
        16     8   u64 length of the whole file
        24    16   kind, ASCII padded with zeros: "game", "frames", "checkpoint", ...
        40     4   u32 CRC-32 of the header
        44     4   u32 CRC-32 of the 44 bytes above
        48     H   header, UTF-8 JSON, padded with spaces so that 48 + H is a multiple of 64
    48 + H         arrays, C order

    {"meta": {...}, "arrays": [{"name", "dtype", "shape", "offset", "crc32"}, ...]}

An `offset` counts from 48 + H. Every array begins at the first multiple of 64 after the previous
one, the gap is zeros, and the file ends with the last array: every byte is checked, so any changed
byte is detected. The prelude of 48 bytes is the same in every version.

A reader trusts nothing: all lengths are compared with the size of the file, as Python integers,
before anything of that length is allocated.
"""

import math
import os
import re
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
import numpy.typing as npt

from untilt.errors import FormatError
from untilt.formats.base.files import (
    RESUME,
    json_bytes,
    open_own,
    parse_json,
    shown,
    unreadable,
    write_atomically,
)

Array: TypeAlias = npt.NDArray[Any]

MAGIC = b"UNTILT\r\n"
VERSION = 1

_PRELUDE = struct.Struct("<8sIIQ16sI")
_CRC = struct.Struct("<I")
_PRELUDE_BYTES = _PRELUDE.size + _CRC.size
_ALIGNMENT = 64
_MAX_HEADER_BYTES = 4 << 20
_MAX_DIMENSIONS = 32
_PIECE_BYTES = 1 << 20
_LARGEST_HOLLOW = 64 << 20
_LARGEST_SAVING = 1024
_KIND = re.compile(r"[a-z0-9_-]{1,16}")
_DTYPES: dict[str, np.dtype[Any]] = {
    dtype.str: dtype
    for dtype in (
        np.dtype(name).newbyteorder("<")
        for name in (
            "bool",
            *("int8", "int16", "int32", "int64"),
            *("uint8", "uint16", "uint32", "uint64"),
            *("float32", "float64"),
        )
    )
}


@dataclass(frozen=True, eq=False)
class Container:
    """The content of a container file; `path` is the file that it was read from.

    The names, types and shapes of `arrays` are whatever the file says: get them through `array`
    and `strings`, which raise FormatError if a file is not as expected.
    """

    kind: str
    meta: dict[str, Any]
    arrays: dict[str, Array]
    path: Path

    def array(self, name: str, dtype: npt.DTypeLike, shape: Sequence[int | None]) -> Array:
        """Return the array of that name, type and shape (None: any length on that axis)."""
        return checked_array(self.arrays, name, dtype, shape, source=shown(self.path))

    def strings(self, name: str, *, at_most: int | None = None) -> list[str]:
        """Return the table of strings that `pack_strings` made under that name.

        More than `at_most` count as damage, detected before they take memory: empty strings take
        almost no space in a file. The bound comes from other arrays or from `num_bytes_of`.
        """
        return unpack_strings(self.arrays, name, at_most=at_most, source=shown(self.path))

    def num_bytes_of(self, name: str) -> int:
        """Return the total number of bytes of the strings in a table."""
        return len(self.array(f"{name}.bytes", np.uint8, (None,)))

    def error(self, what: str) -> FormatError:
        """Return the FormatError that names this file and says what is wrong with it."""
        return _damaged(self.path, what)


def write_container(
    path: Path,
    kind: str,
    meta: Mapping[str, Any],
    arrays: Mapping[str, Array],
    *,
    remedy: str = RESUME,
) -> None:
    """Write a container atomically; `remedy` is what to do after the disk was full.

    `kind` is up to 16 characters out of a–z, 0–9, `_` and `-`. `meta` must be JSON (tuples come
    back as lists). Raises ValueError for arrays of other types than bool, integers, float32 and
    float64.
    """
    write_atomically(path, container_chunks(kind, meta, arrays), remedy=remedy)


def container_chunks(
    kind: str, meta: Mapping[str, Any], arrays: Mapping[str, Array]
) -> list[bytes | memoryview]:
    """Return the bytes of a container file in pieces that share memory with the arrays."""
    if not _KIND.fullmatch(kind):
        raise ValueError(f"kind {kind!r} is not 1 to 16 of a-z, 0-9, _ and -")
    entries: list[dict[str, Any]] = []
    body: list[bytes | memoryview] = []
    end = 0
    for name, array in arrays.items():
        stored = array.dtype.newbyteorder("<")
        if not name or stored.str not in _DTYPES:
            raise ValueError(f"array {name!r} of type {array.dtype} has no form in a container")
        little = np.asarray(array, dtype=stored, order="C")
        data = little.reshape(-1).view(np.uint8).data
        offset = _aligned(end)
        entries.append(
            {
                "name": name,
                "dtype": stored.str,
                "shape": list(array.shape),
                "offset": offset,
                "crc32": zlib.crc32(data),
            }
        )
        body += [bytes(offset - end), data]
        end = offset + little.nbytes
    header = json_bytes({"meta": dict(meta), "arrays": entries})
    begin = _aligned(_PRELUDE_BYTES + len(header))
    header = header.ljust(begin - _PRELUDE_BYTES)
    if len(header) > _MAX_HEADER_BYTES:
        raise ValueError(f"header of {len(header)} bytes: large data belongs in arrays")
    prelude = _PRELUDE.pack(
        MAGIC, VERSION, len(header), begin + end, kind.encode(), zlib.crc32(header)
    )
    return [prelude, _CRC.pack(zlib.crc32(prelude)), header, *body]


def read_container(
    path: Path,
    kind: str,
    *,
    verify: bool = True,
    in_memory: bool = False,
    wanted: Callable[[str], bool] | None = None,
) -> Container:
    """Return the content of the container `path`; raise FormatError unless it is sound.

    Arrays are copies, because the file may be replaced, truncated or removed; they are read-only
    unless `in_memory`. Only those with a `wanted` name are kept, all by default.
    `verify=False` skips the checksums of the arrays; everything else is always checked.
    """
    arrays: dict[str, Array] = {}
    with open_container(path, kind) as opened:
        for name in opened.names:
            if wanted is None or wanted(name):
                array = opened.read(name)
                if verify:
                    opened.verify(name, [array.reshape(-1).view(np.uint8).data])
                array.flags.writeable = in_memory
                arrays[name] = array
            elif verify:
                opened.verify(name, opened.pieces(name))
        return Container(kind, opened.meta, arrays, path)


@contextmanager
def open_container(path: Path, *kinds: str) -> Iterator["OpenContainer"]:
    """Open a container of one of these kinds whose prelude, header and size are right.

    Parts of it can then be read.
    """
    with open_own(path) as file:
        try:
            found = os.fstat(file.fileno())
            size = found.st_size
            if _is_hollow(found):
                raise _damaged(path, "it is larger than what the disk holds of it")
            header_bytes, header_crc = _read_prelude(path, file, size, kinds)
            header = file.read(header_bytes)
            if zlib.crc32(header) != header_crc:
                raise _damaged(path, "the checksum of the header differs")
            meta, layouts = _parse_header(path, header)
            begin = _PRELUDE_BYTES + header_bytes
            _verify_layout(path, layouts, size - begin)
            end = begin
            for layout in layouts:
                file.seek(end)
                if any(file.read(begin + layout.offset - end)):
                    raise _damaged(path, f"the gap before array {layout.name[:80]!r} is not zero")
                end = begin + layout.offset + layout.num_bytes
        except (OSError, ValueError) as error:
            raise unreadable(path, error) from error
        try:
            yield OpenContainer(path, meta, file, begin, {each.name: each for each in layouts})
        except OSError as error:
            raise unreadable(path, error) from error


class OpenContainer:
    """An open container: its header, and its arrays on demand.

    Files are read, and only the large tables of solved spots are mapped: if a mapped file is
    truncated, the process that reads it is killed.
    """

    def __init__(
        self,
        path: Path,
        meta: dict[str, Any],
        file: BinaryIO,
        begin: int,
        layouts: Mapping[str, "_Layout"],
    ) -> None:
        self.path = path
        self.meta = meta
        self._file = file
        self._begin = begin
        self._layouts = layouts

    @property
    def names(self) -> list[str]:
        """The names of the arrays, in the order of the file."""
        return list(self._layouts)

    def shape(
        self, name: str, dtype: npt.DTypeLike, shape: Sequence[int | None]
    ) -> tuple[int, ...]:
        """Return the shape of the named array; it must match `shape` (None: any length)."""
        _verify_array(self._layouts.get(name), name, dtype, shape, shown(self.path))
        return self._layouts[name].shape

    def dtype(self, name: str) -> np.dtype[Any] | None:
        """Return the type of the named array; None if there is no such array."""
        return self._layouts[name].dtype if name in self._layouts else None

    def read(self, name: str) -> Array:
        """Return a whole array, private and writable; its checksum is not compared."""
        layout = self._layouts[name]
        return self._filled(layout, 0, layout.shape)

    def mapped(self, name: str, *, is_private: bool = False) -> Array:
        """Return an array in memory that is mapped to the file, read-only; nothing is compared.

        The file must not be changed in place: replacing it is safe, truncating it is not. With
        `is_private` the array may be changed, which does not change the file; kernels take it like
        any other array, whereas they would have to be compiled again for a read-only one.
        """
        layout = self._layouts[name]
        if not layout.num_bytes:
            return np.zeros(layout.shape, layout.dtype)
        array: Array = np.memmap(
            self._file,
            layout.dtype,
            mode="c" if is_private else "r",
            offset=self._begin + layout.offset,
            shape=layout.shape,
        )
        return np.asarray(array) if is_private else array

    def read_row(self, name: str, row: int, columns: slice) -> Array:
        """Return one row of a matrix between two columns, without a checksum."""
        layout = self._layouts[name]
        first = row * layout.shape[1] + columns.start
        return self._filled(layout, first, (columns.stop - columns.start,))

    def pieces(self, name: str) -> Iterator[memoryview]:
        """Yield the bytes of an array in pieces of bounded length."""
        layout = self._layouts[name]
        for place in range(0, layout.num_bytes, _PIECE_BYTES):
            length = min(_PIECE_BYTES, layout.num_bytes - place)
            yield self._bytes(layout, place, np.empty(length, np.uint8)).data

    def verify(self, name: str, pieces: Iterable[memoryview]) -> None:
        """Raise FormatError unless these bytes are the array's."""
        layout = self._layouts[name]
        crc32 = 0
        is_truth = True
        for piece in pieces:
            crc32 = zlib.crc32(piece, crc32)
            if layout.dtype == np.bool_ and len(piece):
                is_truth = is_truth and bool(np.frombuffer(piece, np.uint8).max() <= 1)
        if crc32 != layout.crc32:
            raise _damaged(self.path, f"the checksum of array {name[:80]!r} differs")
        if not is_truth:
            what = f"array {name[:80]!r} holds values other than true and false"
            raise _damaged(self.path, what)

    def _filled(self, layout: "_Layout", first: int, shape: tuple[int, ...]) -> Array:
        """Return an array of `shape` with the numbers that start at `first`."""
        length = math.prod(shape) * layout.dtype.itemsize
        room = np.empty(length + _ALIGNMENT, np.uint8)
        begin = -room.ctypes.data % _ALIGNMENT
        data = self._bytes(layout, first * layout.dtype.itemsize, room[begin : begin + length])
        return data.view(layout.dtype).reshape(shape)

    def _bytes(self, layout: "_Layout", place: int, room: Array) -> Array:
        self._file.seek(self._begin + layout.offset + place)
        count = 0
        while count < len(room):
            added = self._file.readinto(room[count:].data)  # type: ignore[attr-defined]
            if not added:
                raise _damaged(self.path, "truncated while it was read")
            count += added
        return room


def checked_array(
    arrays: Mapping[str, Array],
    name: str,
    dtype: npt.DTypeLike,
    shape: Sequence[int | None],
    *,
    source: str,
) -> Array:
    """Return the named array if it has that type and shape (None: any length), else FormatError.

    `source` is what the message names: the file.
    """
    array = arrays.get(name)
    _verify_array(array, name, dtype, shape, source)
    assert array is not None
    return array


def pack_strings(name: str, strings: Iterable[str]) -> dict[str, Array]:
    """Return the two arrays of a table of strings, to be put among those of a container.

    `{name}.bytes` holds all strings as UTF-8, string i from `{name}.offsets[i]` to `[i + 1]`.
    """
    encoded = []
    for string in strings:
        try:
            encoded.append(string.encode())
        except UnicodeEncodeError as error:
            raise FormatError(f"{name} {string[:80]!r} cannot be written as UTF-8") from error
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(data) for data in encoded], dtype=np.int64, out=offsets[1:])
    joined = np.frombuffer(b"".join(encoded), np.uint8)
    return {f"{name}.bytes": joined, f"{name}.offsets": offsets}


def unpack_strings(
    arrays: Mapping[str, Array],
    name: str,
    *,
    at_most: int | None = None,
    source: str = "string table",
) -> list[str]:
    """Return the strings that `pack_strings` packed; FormatError, naming `source`, if damaged."""
    joined = checked_array(arrays, f"{name}.bytes", np.uint8, (None,), source=source)
    offsets = checked_array(arrays, f"{name}.offsets", np.int64, (None,), source=source)
    is_sound = (
        len(offsets) > 0
        and (at_most is None or len(offsets) <= at_most + 1)
        and offsets[0] == 0
        and offsets[-1] == len(joined)
        # Compared, not subtracted: a difference of hostile offsets can overflow to a positive.
        and bool(np.all(offsets[:-1] <= offsets[1:]))
    )
    if not is_sound:
        raise FormatError(f"{source} is damaged (the offsets of {name!r} do not fit its bytes)")
    data = joined.tobytes()
    bounds = offsets.tolist()
    try:
        return [data[a:b].decode() for a, b in pairwise(bounds)]
    except UnicodeDecodeError as error:
        raise FormatError(f"{source} is damaged (a string of {name!r} is not UTF-8)") from error


@dataclass(frozen=True)
class _Layout:
    """The place of one array; `offset` counts from the end of the header."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int
    crc32: int

    @property
    def num_bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize


def _verify_array(
    found: "Array | _Layout | None",
    name: str,
    dtype: npt.DTypeLike,
    shape: Sequence[int | None],
    source: str,
) -> None:
    if found is None:
        raise FormatError(f"{source} is damaged (array {name!r} is missing)")
    expected = np.dtype(dtype)
    fits = len(shape) == len(found.shape) and all(
        want in (None, have) for want, have in zip(shape, found.shape, strict=True)
    )
    if found.dtype != expected or not fits:
        axes = ", ".join("any" if n is None else str(n) for n in shape)
        raise FormatError(
            f"{source} is damaged (array {name!r} is {found.dtype}{list(found.shape)}, "
            f"expected {expected}[{axes}])"
        )


def _read_prelude(path: Path, file: BinaryIO, size: int, kinds: Sequence[str]) -> tuple[int, int]:
    """Check the first 48 bytes against the file's size; return the header's length and CRC."""
    data = file.read(_PRELUDE_BYTES)
    if not data.startswith(MAGIC):
        if data.startswith(MAGIC[:6]) and len(data) >= len(MAGIC):
            raise _damaged(path, "its line ends were converted; copy it in binary mode")
        if data and MAGIC.startswith(data):
            raise _damaged(path, f"truncated to {size} bytes")
        raise FormatError(f"{shown(path)} is not an Untilt file; check the path")
    if len(data) < _PRELUDE_BYTES:
        raise _damaged(path, f"truncated to {size} bytes")
    fixed = data[: _PRELUDE.size]
    if _CRC.unpack(data[_PRELUDE.size :]) != (zlib.crc32(fixed),):
        raise _damaged(path, "the checksum of the prelude differs")
    _, version, header_bytes, total_bytes, padded_kind, header_crc = _PRELUDE.unpack(fixed)
    if version > VERSION:
        raise FormatError(
            f"{shown(path)} was written by a newer Untilt (format {version}, this one reads "
            f"up to {VERSION}); upgrade"
        )
    if version < 1:
        raise _damaged(path, f"there is no format {version}")
    if padded_kind not in [kind.encode().ljust(16, b"\0") for kind in kinds]:
        found = padded_kind.rstrip(b"\0").decode("ascii", "backslashreplace")
        wanted = " or ".join(map(repr, kinds))
        raise FormatError(f"{shown(path)} is of kind {found!r}, expected {wanted}; check the path")
    if total_bytes != size:
        what = "truncated" if size < total_bytes else "trailing bytes"
        raise _damaged(path, f"{what}: {size} bytes, should be {total_bytes}")
    begin = _PRELUDE_BYTES + header_bytes
    if begin > size or header_bytes > _MAX_HEADER_BYTES or begin % _ALIGNMENT:
        raise _damaged(path, f"a header of {header_bytes} bytes does not fit the file")
    return header_bytes, header_crc


def _parse_header(path: Path, header: bytes) -> tuple[dict[str, Any], list[_Layout]]:
    try:
        parsed = parse_json(header)
    except FormatError as error:
        raise _damaged(path, f"header: {error}") from error
    match parsed:
        case {"meta": dict() as meta, "arrays": list() as entries} if len(parsed) == 2:
            layouts = [_parse_entry(path, entry) for entry in entries]
        case _:
            raise _damaged(path, "the header is not {meta, arrays}")
    if len({layout.name for layout in layouts}) != len(layouts):
        raise _damaged(path, "two arrays have the same name")
    return meta, layouts


def _parse_entry(path: Path, entry: Any) -> _Layout:
    match entry:
        case {
            "name": str() as name,
            "dtype": str() as dtype_name,
            "shape": list() as shape,
            "offset": int() as offset,
            "crc32": int() as crc32,
        } if len(entry) == 5 and name:
            pass
        case _:
            raise _damaged(path, "an array is not {name, dtype, shape, offset, crc32}")
    dtype = _DTYPES.get(dtype_name)
    if dtype is None:
        raise _damaged(path, f"array {name[:80]!r} has the unknown type {dtype_name[:80]!r}")
    if len(shape) > _MAX_DIMENSIONS or not all(type(n) is int and n >= 0 for n in shape):
        raise _damaged(path, f"array {name[:80]!r} has an impossible shape")
    # NumPy refuses an axis of astronomic length even where another axis makes the array empty.
    if any(n >= 1 << 62 for n in shape) or (
        math.prod(n for n in shape if n) * dtype.itemsize >= 1 << 62
    ):
        raise _damaged(path, f"array {name[:80]!r} has an impossible shape")
    if type(offset) is not int or type(crc32) is not int:
        raise _damaged(path, f"array {name[:80]!r} has an impossible offset or checksum")
    return _Layout(name, dtype, tuple(shape), offset, crc32)


def _verify_layout(path: Path, layouts: Sequence[_Layout], body_bytes: int) -> None:
    end = 0
    for layout in layouts:
        if layout.offset != _aligned(end):
            raise _damaged(path, f"array {layout.name[:80]!r} is out of place")
        end = layout.offset + layout.num_bytes
        if end > body_bytes:
            raise _damaged(path, f"array {layout.name[:80]!r} is longer than the file")
    if end != body_bytes:
        raise _damaged(path, f"{body_bytes - end} bytes belong to no array")


def _is_hollow(found: os.stat_result) -> bool:
    """Whether a file is mostly holes, which take no space on disk but full space in memory.

    Where a file system compresses, or a copy leaves out zeros, less is left out than this.
    """
    blocks = getattr(found, "st_blocks", None)  # of 512 bytes; Windows counts none
    if blocks is None or found.st_size <= _LARGEST_HOLLOW:
        return False
    return bool(512 * blocks < found.st_size // _LARGEST_SAVING)


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGNMENT) * _ALIGNMENT


def _damaged(path: Path, what: str) -> FormatError:
    return FormatError(
        f"{shown(path)} is damaged ({what}); restore it from a copy or create it again"
    )
