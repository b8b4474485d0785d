"""The progress log: what is appended comes back, whatever happened in between."""

import errno
import json
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untilt.errors import FormatError, StorageError
from untilt.formats.run import progress as progress_module
from untilt.formats.run.progress import ProgressLog
from untilt.formats.run.progress_reader import read_progress


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "progress.jsonl"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("progress")


class Clock:
    """A monotonic clock that only moves when told."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    # Not the clock of the process, by which others in it wait.
    monkeypatch.setattr(progress_module, "time", SimpleNamespace(monotonic=clock))
    return clock


def log(path: Path, iterations: Iterable[int], resumed_at: int | None = None) -> None:
    with ProgressLog(path) as opened:
        if resumed_at is not None:
            opened.mark_resumed(resumed_at)
        for iteration in iterations:
            opened.append({"iteration": iteration})


def iterations(path: Path) -> list[int]:
    return [row["iteration"] for row in read_progress(path)]


def test_rows_come_back_with_null_for_what_is_not_finite(path: Path) -> None:
    row = {
        "iteration": np.int64(1),
        "value": np.float64("nan"),
        "gains": (float("inf"), np.float32(0.5)),
        "both": np.array([1.0, -np.inf]),
        "nested": {"rate": -float("inf")},
        "method": "β",
    }
    with ProgressLog(path) as opened:
        opened.append(row)
    assert json.loads(path.read_bytes()) == {
        "iteration": 1,
        "value": None,
        "gains": [None, 0.5],
        "both": [1.0, None],
        "nested": {"rate": None},
        "method": "β",
    }


@pytest.mark.parametrize("row", [{}, {"iteration": 1.5}, {"iteration": True}, {"iteration": None}])
def test_a_row_needs_an_integer_iteration(path: Path, row: dict[str, Any]) -> None:
    with ProgressLog(path) as opened, pytest.raises(ValueError, match="integer iteration"):
        opened.append(row)


def test_a_missing_log_has_no_rows_and_a_folder_is_refused(path: Path) -> None:
    assert read_progress(path) == []
    with pytest.raises(FormatError, match="cannot be read"):
        read_progress(path.parent)


def test_rows_are_written_together_every_fifty_milliseconds(path: Path, clock: Clock) -> None:
    with ProgressLog(path) as opened:
        opened.append({"iteration": 0})
        assert iterations(path) == [0]  # the first shows at once
        clock.now += 0.04
        opened.append({"iteration": 1})
        assert iterations(path) == [0]
        clock.now += 0.02
        opened.append({"iteration": 2})
        assert iterations(path) == [0, 1, 2]
        opened.append({"iteration": 3})
        opened.flush()
        assert iterations(path) == [0, 1, 2, 3]
        opened.append({"iteration": 4})
        opened.mark_resumed(4)
        assert iterations(path) == [0, 1, 2, 3, 4]
        opened.append({"iteration": 5})
    assert iterations(path) == [0, 1, 2, 3, 4, 5]
    opened.close()


def test_one_flush_is_one_write_of_whole_lines(path: Path, clock: Clock) -> None:
    sizes = []
    with ProgressLog(path) as opened:
        for iteration in range(1000):
            clock.now += 0.001
            opened.append({"iteration": iteration})
            assert path.read_bytes().endswith(b"\n")
            sizes.append(path.stat().st_size)
    assert len(set(sizes)) in (20, 21)
    assert iterations(path) == list(range(1000))


def test_a_resumed_run_voids_the_rows_beyond_its_checkpoint(path: Path) -> None:
    log(path, [1, 2, 3, 4, 5])
    log(path, [4, 6, 8], resumed_at=3)
    assert iterations(path) == [1, 2, 3, 4, 6, 8]
    log(path, [5, 7], resumed_at=4)
    assert iterations(path) == [1, 2, 3, 4, 5, 7]
    log(path, [], resumed_at=100)
    assert iterations(path) == [1, 2, 3, 4, 5, 7]
    log(path, [], resumed_at=0)
    assert iterations(path) == []


def test_resuming_never_shortens_the_file(path: Path) -> None:
    log(path, range(5))
    before = path.read_bytes()
    log(path, [3], resumed_at=2)
    assert path.read_bytes() == (
        before + b'{"event":"resumed","iteration":2}\n' + b'{"iteration":3}\n'
    )


def test_a_half_written_line_is_closed_and_dropped(path: Path) -> None:
    path.write_bytes(b'{"iteration":1}\n{"iteration":2,"val')
    assert iterations(path) == [1]
    log(path, [2], resumed_at=1)
    assert path.read_bytes().startswith(b'{"iteration":1}\n{"iteration":2,"val\n{"event"')
    assert iterations(path) == [1, 2]


def test_opening_and_closing_a_whole_file_changes_nothing(path: Path) -> None:
    log(path, [])
    assert path.read_bytes() == b""
    log(path, [1])
    log(path, [])
    assert path.read_bytes() == b'{"iteration":1}\n'


def test_other_events_are_no_rows(path: Path) -> None:
    with ProgressLog(path) as opened:
        opened.append({"iteration": 1})
        opened.append({"event": "saved", "iteration": 0})
        opened.append({"event": "stopped"})
    assert iterations(path) == [1]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"5",
        b"[1]",
        b"null",
        b'{"iteration":"2"}',
        b'{"iteration":2.0}',
        b'{"iteration":true}',
        b'{"iteration":2,"iteration":2}',
        b'{"iteration":2,"x":NaN}',
        b'{"iteration":2,"x":1e999}',
        b'{"iteration":2,"x":"\xff"}',
        b'{"iteration":' + b"2" * 5000 + b"}",
        b'{"x":' * 100_000,
        b'{"event":"resumed"}',
        b'{"event":"resumed","iteration":"0"}',
        b'{"event":["resumed"],"iteration":0}',
        b'{"event":null,"iteration":0}',
    ],
)
def test_damaged_lines_are_left_out(path: Path, line: bytes) -> None:
    path.write_bytes(b'{"iteration":1}\n' + line + b'\n{"iteration":3}\n')
    assert iterations(path) == [1, 3]


def test_many_resumptions_are_read_in_linear_time(path: Path) -> None:
    n = 20_000
    path.write_bytes(
        b'{"iteration":1}\n' * n + b'{"event":"resumed","iteration":1}\n' * n
    )  # filtering the rows at each event would take minutes
    assert len(read_progress(path)) == n


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=8),
    st.lists(st.tuples(st.integers(0, 400), st.binary(max_size=6), st.booleans()), max_size=3),
)
def test_any_damage_gives_rows_with_iterations(
    folder: Path,
    entries: list[tuple[int, bool]],
    damages: list[tuple[int, bytes, bool]],
) -> None:
    path = folder / "fuzz.jsonl"
    lines = [
        {"event": "resumed", "iteration": n} if is_event else {"iteration": n, "x": [0.5]}
        for n, is_event in entries
    ]
    expected: list[dict[str, Any]] = []  # the definition, written as plainly as possible
    for line in lines:
        if "event" in line:
            expected = [row for row in expected if row["iteration"] <= line["iteration"]]
        else:
            expected.append(line)
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    path.write_bytes(data)
    assert iterations(path) == [row["iteration"] for row in expected]
    for at, new, is_cut in damages:
        data = data[:at] + new + (b"" if is_cut else data[at + len(new) :])
    path.write_bytes(data)
    assert all(type(row["iteration"]) is int for row in read_progress(path))
    log(path, [7])
    assert iterations(path)[-1] == 7
    assert path.read_bytes().startswith(data)


def test_a_full_disk_is_reported_and_the_line_continued_later(
    path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = ProgressLog(path)
    opened.append({"iteration": 0})
    real = opened._file

    class AlmostFull:
        """Takes five bytes, then is full, as a disk does."""

        calls = 0
        closed = False

        def write(self, data: bytearray) -> int:
            self.calls += 1
            if self.calls > 1:
                raise OSError(errno.ENOSPC, "full")
            return real.write(data[:5])

    monkeypatch.setattr(opened, "_file", AlmostFull())
    opened.append({"iteration": 1})
    with pytest.raises(StorageError, match="disk is full") as caught:
        opened.flush()
    assert caught.value.is_full
    assert iterations(path) == [0]
    monkeypatch.setattr(opened, "_file", real)
    opened.close()
    assert iterations(path) == [0, 1]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_device_that_is_really_full_is_a_storage_error(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = ProgressLog(path)
    opened._file.close()
    full = Path("/dev/full").open("ab", buffering=0)  # noqa: SIM115 — the log closes it
    monkeypatch.setattr(opened, "_file", full)
    with pytest.raises(StorageError) as caught:
        opened.append({"iteration": 0})
    assert caught.value.is_full
    with pytest.raises(StorageError):
        opened.close()
    opened.close()  # the file is closed all the same


def test_a_folder_that_is_missing_is_a_storage_error(path: Path) -> None:
    with pytest.raises(StorageError, match="create the folder"):
        ProgressLog(path.parent / "missing" / path.name)
