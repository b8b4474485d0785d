"""The binary container: round trips, and every kind of damage."""

import json
import os
import struct
import sys
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from untilt.errors import FormatError
from untilt.formats.base.container import (
    Array,
    Container,
    container_chunks,
    open_container,
    pack_strings,
    read_container,
    unpack_strings,
    write_container,
)

DTYPES = [
    *("bool", "int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64", "float32", "float64"),
]
ARRAYS = st.sampled_from([*DTYPES, ">i4", ">f8", ">u2"]).flatmap(
    lambda name: hnp.arrays(name, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
)
CONTENTS = st.dictionaries(st.text(min_size=1, max_size=8), ARRAYS, max_size=4)
META: dict[str, Any] = {"fingerprint": "β", "bounds": [1, 2.5, None], "nested": {"a": {}}}

PRELUDE = struct.Struct("<8sIIQ16sI")  # written down again, so that a changed layout shows


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("containers")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.bin"


def sample_arrays() -> dict[str, Array]:
    return {
        "values": np.linspace(-1, 1, 21).reshape(3, 7),
        "flags": np.array([True, False, True]),
        "empty": np.zeros((0, 5), np.int16),
        "scalar": np.array(7, np.uint64),
        "last": np.arange(5, dtype=np.int32),
    }


def sample_bytes() -> bytes:
    return b"".join(container_chunks("sample", META, sample_arrays()))


def assert_same(found: dict[str, Array], expected: dict[str, Array]) -> None:
    assert list(found) == list(expected)
    for name, array in expected.items():
        assert found[name].dtype == array.dtype.newbyteorder("<")
        assert found[name].shape == array.shape
        little = np.asarray(array, array.dtype.newbyteorder("<"))
        assert found[name].tobytes() == little.tobytes()  # NaN bits too


def split(data: bytes) -> tuple[list[Any], dict[str, Any], bytes]:
    fields = list(PRELUDE.unpack_from(data))
    end = 48 + fields[2]
    return fields, json.loads(data[48:end]), data[end:]


def joined(fields: list[Any], header: bytes, body: bytes, *, total: int | None = None) -> bytes:
    """Return a container with consistent checksums, whatever else is wrong with it."""
    padded = header.ljust(-(-(48 + len(header)) // 64) * 64 - 48)
    size = 48 + len(padded) + len(body) if total is None else total
    prelude = PRELUDE.pack(*fields[:2], len(padded), size, fields[4], zlib.crc32(padded))
    return prelude + struct.pack("<I", zlib.crc32(prelude)) + padded + body


def read_bytes(
    folder: Path, data: bytes, *, verify: bool = True, in_memory: bool = False
) -> Container:
    path = folder / "fuzz.bin"
    path.write_bytes(data)
    try:
        return read_container(path, "sample", verify=verify, in_memory=in_memory)
    except FormatError as error:
        assert str(path) in str(error)  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017
        assert len(str(error)) < len(str(path)) + 400  # noqa: PT017
        raise


def refused(folder: Path, data: bytes, complaint: str) -> None:
    for options in ({}, {"verify": False}, {"in_memory": True}):
        with pytest.raises(FormatError, match=complaint):
            read_bytes(folder, data, **options)


@settings(deadline=None, max_examples=100)
@given(arrays=CONTENTS, in_memory=st.booleans(), verify=st.booleans())
@example(arrays={}, in_memory=False, verify=True)
@example(arrays={"a": np.zeros((0, 2**40), np.uint8)}, in_memory=True, verify=True)
@example(arrays={"a": np.ones(64, bool), "b": np.zeros(0)}, in_memory=False, verify=True)
@example(arrays={"a": np.ones(65, bool), "b": np.zeros((2, 0))}, in_memory=False, verify=True)
def test_arrays_of_every_type_and_shape_come_back(
    folder: Path, arrays: dict[str, Array], in_memory: bool, verify: bool
) -> None:
    data = b"".join(container_chunks("sample", META, arrays))
    found = read_bytes(folder, data, in_memory=in_memory, verify=verify)
    assert found.kind == "sample"
    assert found.meta == META
    assert_same(found.arrays, arrays)
    assert all(array.flags.writeable == in_memory for array in found.arrays.values())


@pytest.mark.parametrize("order", ["transposed", "strided", "reversed", "fortran"])
def test_arrays_that_are_not_contiguous_are_stored_in_c_order(path: Path, order: str) -> None:
    base = np.arange(24, dtype=np.int32).reshape(4, 6)
    views = {
        "transposed": base.T,
        "strided": base[::2, 1::2],
        "reversed": base[::-1],
        "fortran": np.asfortranarray(base),
    }
    write_container(path, "sample", {}, {"a": views[order]})
    np.testing.assert_array_equal(read_container(path, "sample").arrays["a"], views[order])


def test_the_layout_on_disk_is_the_documented_one(path: Path) -> None:
    write_container(path, "game", {"x": 1}, {"a": np.arange(3, dtype=np.int16), "b": np.array(2.0)})
    data = path.read_bytes()
    fields, header, body = split(data)
    assert fields[:2] == [b"UNTILT\r\n", 1]
    assert (48 + fields[2]) % 64 == 0
    assert fields[3] == len(data)
    assert fields[4] == b"game" + bytes(12)
    assert fields[5] == zlib.crc32(data[48 : 48 + fields[2]])
    assert data[44:48] == struct.pack("<I", zlib.crc32(data[:44]))
    a, b = struct.pack("<3h", 0, 1, 2), struct.pack("<d", 2.0)
    assert body == a.ljust(64, b"\0") + b
    assert header == {
        "meta": {"x": 1},
        "arrays": [
            {"name": "a", "dtype": "<i2", "shape": [3], "offset": 0, "crc32": zlib.crc32(a)},
            {"name": "b", "dtype": "<f8", "shape": [], "offset": 64, "crc32": zlib.crc32(b)},
        ],
    }


def test_an_array_is_aligned_and_outlives_a_replaced_or_truncated_file(path: Path) -> None:
    write_container(path, "sample", {}, sample_arrays())
    found = read_container(path, "sample").arrays["values"]
    os.truncate(path, 0)
    np.testing.assert_array_equal(found, sample_arrays()["values"])
    write_container(path, "sample", {}, {})
    np.testing.assert_array_equal(found, sample_arrays()["values"])
    assert found.ctypes.data % 64 == 0


def test_a_file_that_is_truncated_while_it_is_read_is_damaged(path: Path) -> None:
    write_container(path, "sample", {}, {"values": np.arange(1_000_000)})
    with open_container(path, "sample") as opened:
        os.truncate(path, 5_000)
        with pytest.raises(FormatError, match="truncated while it was read"):
            opened.read("values")


def test_only_wanted_arrays_are_kept_and_all_are_verified(path: Path) -> None:
    arrays = {"a": np.arange(3), "b": np.arange(1_000_000), "c": np.array([True, False])}
    write_container(path, "sample", {}, arrays)
    assert list(read_container(path, "sample", wanted={"a"}.__contains__).arrays) == ["a"]
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(FormatError, match="checksum of array 'c'"):
        read_container(path, "sample", wanted={"a"}.__contains__)


def test_rows_can_be_read_by_themselves(path: Path) -> None:
    matrix = np.arange(12.0).reshape(3, 4)
    write_container(path, "sample", {}, {"before": np.arange(3), "matrix": matrix})
    with open_container(path, "sample") as opened:
        assert opened.shape("matrix", np.float64, (None, 4)) == (3, 4)
        np.testing.assert_array_equal(opened.read_row("matrix", 1, slice(1, 3)), matrix[1, 1:3])
        with pytest.raises(FormatError, match="expected int64"):
            opened.shape("matrix", np.int64, (3, 4))
        with pytest.raises(FormatError, match="'other' is missing"):
            opened.shape("other", np.int64, (3,))


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(2, complex),
        np.array(["a"]),
        np.array([None]),
        np.zeros(1, "M8[s]"),
        np.zeros(1, np.float16),
    ],
)
def test_other_types_cannot_be_written(path: Path, array: Array) -> None:
    with pytest.raises(ValueError, match="has no form in a container"):
        write_container(path, "sample", {}, {"a": array})
    assert not path.exists()


@pytest.mark.parametrize("kind", ["", "a" * 17, "Ä", "a b", "a\0"])
def test_a_kind_is_a_short_ascii_word(path: Path, kind: str) -> None:
    with pytest.raises(ValueError, match="kind"):
        write_container(path, kind, {}, {})


def test_metadata_without_json_form_writes_nothing(path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write_container(path, "sample", {"x": float("nan")}, {})
    assert list(path.parent.iterdir()) == []


# --- damage ---


def test_another_kind_of_file_is_named(path: Path) -> None:
    write_container(path, "frames", {}, {})
    with pytest.raises(FormatError, match=r"is of kind 'frames', expected 'game'"):
        read_container(path, "game")


def test_what_is_no_container_is_refused(folder: Path) -> None:
    refused(folder, b"", "not an Untilt file")
    refused(folder, b"PK\3\4" * 20, "not an Untilt file")
    refused(folder, b"UNTILT", "truncated to 6 bytes")
    refused(folder, sample_bytes().replace(b"\r\n", b"\n"), "line ends were converted")
    with pytest.raises(FormatError, match="does not exist"):
        read_container(folder / "missing", "sample")
    with pytest.raises(FormatError, match="not a regular file"):
        read_container(folder, "sample")


def test_a_newer_version_asks_for_an_upgrade(folder: Path) -> None:
    fields, header, body = split(sample_bytes())
    fields[1] = 2
    refused(folder, joined(fields, b"a header of the future", body), "newer Untilt.*upgrade")
    fields[1] = 0
    refused(folder, joined(fields, json.dumps(header).encode(), body), "no format 0")


@pytest.mark.parametrize("cut", ["verify", "quick"])
def test_every_truncation_is_noticed(folder: Path, cut: str) -> None:
    data = sample_bytes()
    for size in range(0, len(data), 7):
        with pytest.raises(FormatError):
            read_bytes(folder, data[:size], verify=cut == "verify")


def test_every_flipped_bit_is_noticed(folder: Path) -> None:
    data = sample_bytes()
    for position in range(len(data)):
        damaged = bytearray(data)
        damaged[position] ^= 1 << position % 8
        with pytest.raises(FormatError):
            read_bytes(folder, bytes(damaged))


MUTATIONS = st.lists(
    st.tuples(
        st.sampled_from(["flip", "cut", "insert", "append", "zero", "swap"]),
        st.integers(0, 10_000),
        st.binary(min_size=1, max_size=70),
    ),
    min_size=1,
    max_size=4,
)


def mutated(data: bytes, mutations: list[tuple[str, int, bytes]]) -> bytes:
    for how, where, new in mutations:
        at = where % (len(data) + 1)
        match how:
            case "flip":
                data = (
                    data[:at]
                    + bytes(b ^ x for b, x in zip(data[at:], new, strict=False))
                    + (data[at + len(new) :])
                )
            case "cut":
                data = data[:at]
            case "insert":
                data = data[:at] + new + data[at:]
            case "append":
                data += new
            case "zero":
                data = data[:at] + bytes(len(data[at : at + len(new)])) + data[at + len(new) :]
            case _:
                data = data[at:] + data[:at]
    return data


@settings(deadline=None, max_examples=300)
@given(MUTATIONS, st.booleans())
def test_damaged_bytes_give_the_original_or_a_format_error(
    folder: Path, mutations: list[tuple[str, int, bytes]], in_memory: bool
) -> None:
    try:
        found = read_bytes(folder, mutated(sample_bytes(), mutations), in_memory=in_memory)
    except FormatError:
        return
    assert found.meta == META
    assert_same(found.arrays, sample_arrays())


@settings(deadline=None, max_examples=200)
@given(
    field=st.sampled_from([("<I", 8), ("<I", 12), ("<Q", 16), ("<I", 40)]),
    value=st.integers(0, 2**64 - 1) | st.sampled_from([0, 16, 48, 64, 2**31, 2**32 - 1, 2**63]),
)
def test_lying_prelude_fields_with_a_valid_checksum_are_noticed(
    folder: Path, field: tuple[str, int], value: int
) -> None:
    data = bytearray(sample_bytes())
    form, at = field
    value %= 1 << 8 * struct.calcsize(form)
    struct.pack_into(form, data, at, value)
    struct.pack_into("<I", data, 44, zlib.crc32(data[:44]))
    if data == sample_bytes():
        return
    refused(folder, bytes(data), "damaged|newer")


HUGE = st.sampled_from([2**31, 2**32, 2**40, 2**62, 2**63 - 1, 2**63, 2**64, 10**30])
SIZES = st.integers(-2, 400) | HUGE | HUGE.map(lambda n: -n)
JUNK = (
    SIZES
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.booleans()
    | st.none()
    | st.text(max_size=5)
    | st.lists(SIZES | st.booleans(), max_size=4)
    | st.sampled_from(["<i4", "<f8", "|b1", "|u1", ">i4", "O", "<U9", "|V8", "i4,i4"])
)


@settings(deadline=None, max_examples=400)
@given(
    entry=st.integers(0, 4),
    changes=st.dictionaries(
        st.sampled_from(["name", "dtype", "shape", "offset", "crc32", "extra"]), JUNK, min_size=1
    ),
    dropped=st.sampled_from([None, None, None, "name", "dtype", "shape", "offset", "crc32"]),
    verify=st.booleans(),
)
def test_a_lying_header_never_reaches_beyond_the_file(
    folder: Path, entry: int, changes: dict[str, Any], dropped: str | None, verify: bool
) -> None:
    fields, header, body = split(sample_bytes())
    header["arrays"][entry].update(changes)
    header["arrays"][entry].pop(dropped, None)
    data = joined(fields, json.dumps(header).encode(), body)
    try:
        found = read_bytes(folder, data, verify=verify)
    except FormatError:
        return
    # What is accepted still covers the body exactly, whatever types it claims.
    assert sum(array.nbytes for array in found.arrays.values()) <= len(body)
    for array in found.arrays.values():
        array.sum(dtype=np.float64)


def edited(edit: Callable[[dict[str, Any]], object]) -> bytes:
    fields, header, body = split(sample_bytes())
    edit(header)
    return joined(fields, json.dumps(header).encode(), body)


@pytest.mark.parametrize(
    ("shape", "complaint"),
    [
        ([2**40], "longer than the file"),
        ([2**31, 2**31], "impossible shape"),
        ([2**32, 2**32], "impossible shape"),  # 2**64 bytes: zero in 64-bit arithmetic
        ([2**64 + 5], "impossible shape"),
        ([2**62, 0], "impossible shape"),
        ([2**40, 2**40, 0], "impossible shape"),
        ([-5, -1], "impossible shape"),
        ([True, 5], "impossible shape"),
        ([5.0], "impossible shape"),
        ([1] * 33 + [5], "impossible shape"),
        ("5", "is not {name"),
        (5, "is not {name"),
    ],
)
def test_a_huge_shape_is_refused_before_anything_is_allocated(
    folder: Path, shape: object, complaint: str
) -> None:
    data = edited(lambda header: header["arrays"][-1].update(shape=shape))
    tracemalloc.start()
    try:
        refused(folder, data, complaint)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_huge_header_length_is_refused_before_it_is_read(folder: Path) -> None:
    data = bytearray(sample_bytes())
    struct.pack_into("<I", data, 12, 2**32 - 48)
    struct.pack_into("<I", data, 44, zlib.crc32(data[:44]))
    tracemalloc.start()
    try:
        refused(folder, bytes(data), "header of 4294967248 bytes does not fit")
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("edit", "complaint"),
    [
        (lambda h: h["arrays"].append(h["arrays"][0]), "out of place|same name"),
        (lambda h: h["arrays"].pop(), "belong to no array"),
        (lambda h: h["arrays"].reverse(), "out of place"),
        (lambda h: h["arrays"][1].update(offset=0), "out of place"),
        (lambda h: h["arrays"][0].update(offset=False), "impossible offset"),
        (lambda h: h["arrays"][4].update(offset=h["arrays"][4]["offset"] + 4), "out of place"),
        (lambda h: h["arrays"][4].update(offset=-64), "out of place"),
        (lambda h: h["arrays"][0].update(name="last"), "same name"),
        (lambda h: h["arrays"][0].update(name=""), "is not {name"),
        (lambda h: h["arrays"][0].update(extra=1), "is not {name"),
        (lambda h: h["arrays"][0].update(dtype="O"), "unknown type 'O'"),
        (lambda h: h["arrays"][0].update(dtype=">f8"), "unknown type '>f8'"),
        (lambda h: h.update(meta=[]), "not {meta, arrays}"),
        (lambda h: h.update(more=1), "not {meta, arrays}"),
        (lambda h: h.update(arrays={}), "not {meta, arrays}"),
        (lambda h: h.update(arrays=[1]), "an array is not"),
    ],
)
def test_headers_that_do_not_fit_their_body_are_refused(
    folder: Path, edit: Callable[[dict[str, Any]], object], complaint: str
) -> None:
    refused(folder, edited(edit), complaint)


@pytest.mark.parametrize(
    ("header", "complaint"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"meta": {}, "meta": {}, "arrays": []}', "twice"),
        (b'{"meta": {"x": NaN}, "arrays": []}', "NaN"),
        (b'{"meta": {"x": "\xff"}, "arrays": []}', "not UTF-8"),
        (b"[]", "not {meta, arrays}"),
        (b"", "not valid JSON"),
    ],
)
def test_headers_that_are_not_json_objects_are_refused(
    folder: Path, header: bytes, complaint: str
) -> None:
    fields, _, _ = split(sample_bytes())
    refused(folder, joined(fields, header, b""), complaint)


def test_bytes_between_arrays_must_be_zero(folder: Path) -> None:
    data = bytearray(sample_bytes())
    fields, header, _ = split(sample_bytes())
    data[48 + fields[2] + header["arrays"][1]["offset"] - 1] = 1
    refused(folder, bytes(data), "the gap before array 'flags' is not zero")


def test_gaps_are_no_longer_than_the_alignment_needs(folder: Path) -> None:
    fields, header, body = split(sample_bytes())
    for entry in header["arrays"]:
        entry["offset"] += 64
    data = joined(fields, json.dumps(header).encode(), bytes(64) + body)
    refused(folder, data, "array 'values' is out of place")


def test_a_boolean_that_is_neither_true_nor_false_is_refused(folder: Path) -> None:
    arrays = {"flags": np.array([0, 2], np.uint8)}
    fields, header, body = split(b"".join(container_chunks("sample", {}, arrays)))
    header["arrays"][0]["dtype"] = "|b1"
    with pytest.raises(FormatError, match="other than true and false"):
        read_bytes(folder, joined(fields, json.dumps(header).encode(), body))


def test_unverified_reading_skips_only_the_checksums_of_arrays(folder: Path) -> None:
    data = bytearray(sample_bytes())
    data[-1] ^= 1
    with pytest.raises(FormatError, match="checksum of array 'last'"):
        read_bytes(folder, bytes(data))
    assert read_bytes(folder, bytes(data), verify=False).arrays["last"][-1] != 4


@pytest.mark.skipif(sys.platform != "linux", reason="counts open files in /proc")
def test_reading_leaves_no_file_open(folder: Path) -> None:
    def open_files() -> Iterator[str]:
        for link in Path("/proc/self/fd").iterdir():
            try:
                yield str(link.readlink())
            except OSError:
                continue

    kept = read_bytes(folder, sample_bytes(), in_memory=True)
    with pytest.raises(FormatError):
        read_bytes(folder, sample_bytes()[:-1])
    assert not any("fuzz.bin" in name for name in open_files())
    assert "fuzz.bin" not in Path("/proc/self/maps").read_text()
    assert kept.arrays["last"][-1] == 4


# --- typed access and string tables ---


def test_an_array_is_handed_out_only_as_expected(folder: Path) -> None:
    found = read_bytes(folder, sample_bytes())
    assert found.array("values", np.float64, (3, None)).shape == (3, 7)
    assert found.array("scalar", np.uint64, ()) == 7
    for name, dtype, shape in [
        ("absent", np.float64, (3, 7)),
        ("values", np.float32, (3, 7)),
        ("values", np.float64, (3,)),
        ("values", np.float64, (3, 8)),
    ]:
        with pytest.raises(FormatError, match=rf"fuzz.bin is damaged \(array '{name}'"):
            found.array(name, dtype, shape)
    assert "fuzz.bin is damaged (odd)" in str(found.error("odd"))


@settings(deadline=None, max_examples=100)
@given(st.lists(st.text()))
@example([])
@example(["", "", "β", ""])
def test_strings_come_back(strings: list[str]) -> None:
    arrays = pack_strings("labels", strings)
    assert sorted(arrays) == ["labels.bytes", "labels.offsets"]
    assert unpack_strings(arrays, "labels") == strings


def test_strings_pass_through_a_file(path: Path) -> None:
    write_container(path, "sample", {}, pack_strings("labels", ["P0:J:", "P1:Q:b"]))
    assert read_container(path, "sample").strings("labels") == ["P0:J:", "P1:Q:b"]


def test_a_string_that_utf8_cannot_hold_is_named() -> None:
    with pytest.raises(FormatError, match=r"label '\\ud800' cannot be written"):
        pack_strings("label", ["\ud800"])


@pytest.mark.parametrize(
    "offsets",
    [
        [],
        [0],
        [0, 2],
        [1, 3],
        [0, 4],
        [0, 2, 1, 3],
        [0, -1, 3],
        [0, 2**62, 3],
        [0, 2**63 - 1, -2, 3],  # all differences overflow to positive numbers
    ],
)
def test_offsets_that_do_not_fit_are_refused(offsets: list[int]) -> None:
    arrays: dict[str, Array] = {
        "labels.bytes": np.frombuffer("βa".encode(), np.uint8),
        "labels.offsets": np.array(offsets, np.int64),
    }
    with pytest.raises(FormatError, match=r"here\.bin is damaged \(the offsets of 'labels'"):
        unpack_strings(arrays, "labels", source="here.bin")


def test_offsets_that_cut_a_character_are_refused() -> None:
    arrays = pack_strings("labels", ["β"]) | {"labels.offsets": np.array([0, 1, 2])}
    with pytest.raises(FormatError, match=r"here\.bin is damaged \(a string of 'labels'"):
        unpack_strings(arrays, "labels", source="here.bin")


@settings(deadline=None, max_examples=100)
@given(
    hnp.arrays(np.uint8, st.integers(0, 6)),
    hnp.arrays(np.int64, st.integers(0, 5), elements=st.integers(-1, 7)),
)
def test_any_string_table_is_sound_or_refused(joined_bytes: Array, offsets: Array) -> None:
    arrays = {"s.bytes": joined_bytes, "s.offsets": offsets}
    try:
        strings = unpack_strings(arrays, "s")
    except FormatError:
        return
    again = pack_strings("s", strings)
    np.testing.assert_array_equal(again["s.bytes"], joined_bytes)
    np.testing.assert_array_equal(again["s.offsets"], offsets)
