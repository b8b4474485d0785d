"""Atomic writing and JSON that is not trusted."""

import errno
import json
import os
import re
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untilt.errors import FormatError, StorageError
from untilt.formats.base import files
from untilt.formats.base.files import (
    REPEAT,
    complete_temporary,
    json_bytes,
    open_regular,
    parse_json,
    read_given_json,
    read_json,
    remove_leftovers,
    write_atomically,
    write_json,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def fail_with(code: int) -> Any:
    def fail(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    return fail


def test_chunks_are_written_in_order_and_replace_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old and longer")
    chunks: list[bytes | memoryview] = [b"ab", memoryview(b"cd"), b""]
    write_atomically(path, iter(chunks))
    assert path.read_bytes() == b"abcd"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, RuntimeError, SystemExit])
def test_a_failing_writer_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, interruption: type[BaseException]
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def chunks() -> Iterator[bytes]:
        yield b"half"
        assert len(names(tmp_path)) == 2
        raise interruption

    with pytest.raises(interruption):
        write_atomically(path, chunks())
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, call: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail_with(code))
        with pytest.raises(
            StorageError, match=r"disk is full; free some space, then resume the run"
        ) as e:
            write_atomically(path, [b"new"])
    assert e.value.is_full
    assert str(path) in str(e.value)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


def test_a_full_disk_does_not_advise_to_resume_what_is_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", fail_with(errno.ENOSPC))
    with pytest.raises(StorageError, match=r"free some space, then run the command again$"):
        write_atomically(tmp_path / "file", [b"new"], remedy=REPEAT)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_device_that_is_really_full_is_a_storage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_open = Path.open

    def open_full(self: Path, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        return real_open(Path("/dev/full") if mode == "xb" else self, "wb", *args, **kwargs)

    monkeypatch.setattr(Path, "open", open_full)
    with pytest.raises(StorageError) as caught:
        write_atomically(tmp_path / "file", [bytes(1 << 20)])
    assert caught.value.is_full
    assert names(tmp_path) == []


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS, errno.EPERM])
def test_a_folder_that_forbids_writing_advises_another_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    monkeypatch.setattr(Path, "open", fail_with(code))
    with pytest.raises(StorageError, match="choose another output") as caught:
        write_atomically(tmp_path / "file", [b"new"])
    assert not caught.value.is_full


def test_a_missing_folder_advises_to_create_it(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="create the folder") as caught:
        write_json(tmp_path / "no" / "file", {})
    assert not caught.value.is_full


def test_a_disk_error_when_syncing_the_folder_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_fsync = os.fsync
    calls: list[int] = []

    def fsync(descriptor: int, code: int) -> None:
        calls.append(descriptor)
        if len(calls) == 2:
            raise OSError(code, os.strerror(code))
        real_fsync(descriptor)

    monkeypatch.setattr(os, "fsync", lambda d: fsync(d, errno.EIO))
    with pytest.raises(StorageError, match="check the disk"):
        write_atomically(tmp_path / "file", [b"new"])
    calls.clear()
    monkeypatch.setattr(os, "fsync", lambda d: fsync(d, errno.EINVAL))
    write_atomically(tmp_path / "file", [b"newer"])
    assert len(calls) == 2


def test_a_reader_that_briefly_forbids_the_rename_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_replace = os.replace
    attempts: list[Path] = []

    def replace(source: Path, target: Path) -> None:
        attempts.append(target)
        if len(attempts) < 3:
            raise PermissionError(errno.EACCES, "sharing violation")
        real_replace(source, target)

    monkeypatch.setattr(files, "_RENAME_DELAYS", (0.0, 0.0, 0.0))
    monkeypatch.setattr(os, "replace", replace)
    write_atomically(tmp_path / "file", [b"new"])
    assert (tmp_path / "file").read_bytes() == b"new"
    assert len(attempts) == 3


def test_only_leftovers_of_killed_writers_are_removed(tmp_path: Path) -> None:
    with complete_temporary(tmp_path / "file.bin", [b"x"]) as temporary:
        (tmp_path / temporary.name.replace("file", "other")).write_bytes(b"left")
    for name in ("file.bin", ".lock", "notes.tmp", ".file.tmp"):
        (tmp_path / name).write_bytes(b"")
    assert len(names(tmp_path)) == 5
    remove_leftovers(tmp_path)
    assert names(tmp_path) == [".file.tmp", ".lock", "file.bin", "notes.tmp"]
    remove_leftovers(tmp_path / "missing")


def test_a_message_stays_on_one_line_whatever_the_file_is_called(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        read_json(tmp_path / "a\nb\udcff")
    assert "\n" not in str(caught.value)
    str(caught.value).encode()


@settings(deadline=None, max_examples=60)
@given(JSON)
def test_json_comes_back_as_it_was(obj: Any) -> None:
    for indent in (None, 2):
        assert parse_json(json_bytes(obj, indent=indent)) == obj


def test_a_file_name_that_is_not_utf8_survives_json(tmp_path: Path) -> None:
    write_json(tmp_path / "file", {"source": "games/\udcff.py"})
    assert read_json(tmp_path / "file") == {"source": "games/\udcff.py"}


def test_written_json_is_indented_utf8_with_a_final_newline(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_json(path, {"β": np.float32(0.5), "n": np.int64(3), "ok": np.True_})
    assert path.read_bytes() == '{\n  "β": 0.5,\n  "n": 3,\n  "ok": true\n}\n'.encode()
    assert read_json(path) == {"β": 0.5, "n": 3, "ok": True}


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), -float("inf"), np.float64("nan"), np.float32("inf")]
)
def test_nan_and_infinities_are_never_written(tmp_path: Path, value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(tmp_path / "file", {"x": [value]})
    assert names(tmp_path) == []


def test_what_has_no_json_is_a_type_error(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="ndarray has no JSON form"):
        write_json(tmp_path / "file", np.zeros(2))
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "not valid JSON, line 1 column 1"),
        (b'{\n "a": }', "not valid JSON, line 2 column 7"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b'{"a": "\xe9"}', r"not UTF-8 text \(byte 7\)"),
        (b'{"a": 1, "b": 2, "a": 1}', "the key 'a' twice"),
        (b'{"a": {"b": 1, "b": 1}}', "the key 'b' twice"),
        (b"[NaN]", "NaN is not valid JSON; write a finite number"),
        (b"[-Infinity]", "-Infinity is not valid JSON"),
        (b"[1e999]", "too large for a float"),
        (b"1" * 5000, "too many digits"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"a":' * 200_000, "nested too deeply"),
    ],
)
def test_bad_json_is_a_one_line_error_with_the_place(
    tmp_path: Path, data: bytes, complaint: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=complaint) as caught:
        read_json(path)
    assert re.match(re.escape(str(path)) + ": ", str(caught.value))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_json_file_beyond_the_limit_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b'"' + b"x" * 8 + b'"')
    assert read_json(path, max_bytes=10) == "xxxxxxxx"
    with pytest.raises(FormatError, match="larger than 9 bytes"):
        read_json(path, max_bytes=9)


def test_what_is_no_file_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="does not exist"):
        read_json(tmp_path / "missing")
    with pytest.raises(FormatError, match="cannot be read"):
        read_json(tmp_path)
    with pytest.raises(FormatError, match="cannot be read"):
        read_json(Path("a\0b"))
    with pytest.raises(FormatError, match="not a regular file"):
        open_regular(tmp_path)


@pytest.mark.parametrize("text", [b"[%s[]]" % (b"[]," * 2_000_000), b"[%s0]" % (b"0," * 2_000_000)])
def test_json_of_many_small_values_is_refused_before_it_takes_memory(text: bytes) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="more than 2,000,000 values"):
            parse_json(text)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_refused_without_waiting_for_its_other_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FormatError, match="not a regular file"):
        open_regular(tmp_path / "pipe")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_json_of_a_device_or_too_large_a_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="not a regular file"):
        read_given_json(Path("/dev/zero"))
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(5 << 30)
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="larger than"):
            read_given_json(tmp_path / "large.json")
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=60) | st.text('[]{}":,0123456789eE+-.\\ud \nNaI').map(str.encode))
def test_any_bytes_are_json_or_a_format_error(data: bytes) -> None:
    try:
        value = parse_json(data)
    except FormatError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert value == json.loads(data)
