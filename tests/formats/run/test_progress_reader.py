"""The progress file: half-written lines, resumed runs, damage, thinning, time left."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from untilt.dashboard.sources import library
from untilt.dashboard.sources.progress_points import thinned, thinned_rows, turning_points
from untilt.errors import FormatError
from untilt.formats.run import progress_reader
from untilt.formats.run.progress import COLUMN_NAMES, COLUMNS, progress_row
from untilt.formats.run.progress_reader import (
    ProgressFeed,
    Resumed,
    parse_lines,
    read_last_row,
    read_progress,
)


def line_of(iteration: int, **more: Any) -> bytes:
    row = {"iteration": iteration, "seconds": iteration / 10, "exploitability": 1.0 / iteration}
    return json.dumps({**row, **more}).encode() + b"\n"


def feed_of(path: Path, *pieces: bytes) -> ProgressFeed:
    """A feed that looks after each piece that is written."""
    feed = ProgressFeed(path)
    for piece in pieces:
        with path.open("ab") as file:
            file.write(piece)
        feed.update()
    return feed


def iterations(feed: ProgressFeed) -> list[int]:
    return [int(value) for value in feed.column("iteration")]


def test_a_half_written_line_waits_for_its_end(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    first, second = line_of(1), line_of(2)
    feed = feed_of(path, first, second[:9])
    assert iterations(feed) == [1]
    assert feed.offset == len(first)
    feed_again = feed
    with path.open("ab") as file:
        file.write(second[9:])
    feed_again.update()
    assert iterations(feed_again) == [1, 2]
    assert feed_again.offset == path.stat().st_size


def test_rows_that_a_resumption_made_void_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    resumed = b'{"event":"resumed","iteration":2}\n'
    feed = feed_of(path, *(line_of(n) for n in (1, 2, 3, 4)), resumed, line_of(3), line_of(5))
    assert iterations(feed) == [1, 2, 3, 5]
    assert feed.total == 4
    # The same in one look, and as the run itself reads it.
    assert iterations(feed_of(path, b"")) == [1, 2, 3, 5]
    assert [row["iteration"] for row in read_progress(path)] == [1, 2, 3, 5]


def test_a_run_without_iterations_that_starts_over_loses_all_rows(tmp_path: Path) -> None:
    feed = feed_of(
        tmp_path / "progress.jsonl",
        b'{"iteration":0,"seconds":1.0}\n{"event":"resumed","iteration":-1}\n',
    )
    assert len(feed) == feed.total == 0


@pytest.mark.parametrize(
    "damage",
    [
        b"\n",
        b"garbage\n",
        b'{"iteration":1.5}\n',
        b'{"iteration":true}\n',
        b'{"iteration":"7"}\n',
        b'{"seconds":1}\n',
        b"[1, 2]\n",
        b'{"iteration":7,"iter\n',
        b"\xff\xfe\n",
        b'{"event":"saved"}\n',
        b'{"event":"resumed"}\n',
        b'{"iteration":' + b"9" * 400 + b"}\n",
        b'{"iteration":' + b"9" * 5000 + b"}\n",
        b"[" * 100_000 + b"\n",
        b'{"a":' * 100_000 + b"\n",
        b"x" * (3 << 20) + b"\n",
    ],
)
def test_damaged_lines_are_left_out(tmp_path: Path, damage: bytes) -> None:
    feed = feed_of(tmp_path / "progress.jsonl", line_of(1), damage, line_of(2), line_of(3))
    assert iterations(feed) == [1, 2, 3]
    assert feed.offset == (tmp_path / "progress.jsonl").stat().st_size


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-1e999", '"text"', "[1]", "null", "{}"])
def test_what_is_no_number_is_null(tmp_path: Path, value: str) -> None:
    path = tmp_path / "progress.jsonl"
    feed = feed_of(path, line_of(1), b'{"iteration":2,"value":%b}\n' % value.encode(), line_of(3))
    columns = feed.to_columns(np.arange(len(feed)))
    assert [value for value in columns["value"] if value is not None] == []
    assert columns["iteration"][0] == 1
    assert columns["iteration"][-1] == 3


def test_a_file_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    feed = feed_of(path, line_of(1), line_of(2))
    path.write_bytes(line_of(9))
    feed.update()
    assert iterations(feed) == [9]


def test_events_are_parsed_with_the_place_where_they_end() -> None:
    first, second, third = line_of(1), line_of(2), line_of(3)
    resumed = b'{"event":"resumed","iteration":1}\n'
    block = first + second + resumed + b"damaged\n" + third
    found = parse_lines(block).items
    assert [type(item).__name__ for item, _ in found] == ["Rows", "Resumed", "Rows"]
    assert found[1][0] == Resumed(1)
    assert [end for _, end in found] == [
        len(first + second),
        len(first + second + resumed),
        len(block),
    ]


def test_a_hundred_thousand_rows_are_thinned_evenly_in_the_logarithm(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    path.write_bytes(b"".join(line_of(n) for n in range(1, 100_001)))
    feed = feed_of(path, b"")
    assert len(feed) == feed.total == 100_000
    kept = feed.column("iteration")[thinned_rows(feed, 2000)]
    assert (kept[0], kept[-1]) == (1, 100_000)
    assert 1_000 <= len(kept) <= 2_000
    # From the tenth iteration on, neighbours are at most one and a half percent apart, or next
    # to one another.
    steps = np.diff(kept)
    assert np.all((steps == 1) | (steps <= 0.015 * kept[:-1]))


def test_a_branch_is_thinned_evenly_by_its_points() -> None:
    kept = thinned(np.zeros(10_001), 101, is_branch=True)
    assert kept.tolist() == list(range(0, 10_001, 100))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 10, 11])
def test_short_progress_is_not_thinned(count: int) -> None:
    kept = thinned(np.arange(1.0, count + 1.0), 11, is_branch=False)
    assert kept.tolist() == list(range(count))


def test_memory_for_rows_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_reader, "MAX_ROWS", 1_000)
    path = tmp_path / "progress.jsonl"
    feed = feed_of(path, *(line_of(n) for n in range(1, 5_001)))
    assert feed.total == 5_000
    assert len(feed) <= 1_000
    assert feed.column("iteration")[0] == 1
    assert feed.num_bytes <= len(COLUMN_NAMES) * 8 * 2 * 1_001


def test_turning_points_are_where_beta_turns() -> None:
    assert turning_points([0.0, 1.0, 2.0, 1.5, 1.2, 3.0]) == [2.0, 1.2]
    assert turning_points([0.0, 1.0, 2.0]) == []
    assert turning_points([]) == []


def test_a_file_that_was_replaced_by_a_longer_one_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    feed = feed_of(path, *(line_of(n) for n in range(1, 6)))
    path.unlink()
    path.write_bytes(b"".join(line_of(n) for n in range(100, 120)))
    feed.update()
    assert iterations(feed) == list(range(100, 120))
    assert feed.total == 20


@pytest.mark.parametrize(
    "block",
    [
        b'{"iteration":1},{"iteration":2}\n',
        b'{"iteration":1\n"value":3}\n',
        b'{"iteration":1,"value":"0.5"}\n',
        b'{"iteration":1,"value":true}\n',
        b'{"iteration":1,"value":[0.5]}\n',
        b'{"iteration":true}\n',
        b'{"iteration":1.0}\n',
        b'{"iteration":%d}\n' % 2**63,
        b'{"iteration":1,"value":%d}\n' % 10**400,
        b'{"iteration":7,"value":0.25,"beta":null}\n{"iteration":8}\n',
        b'{"iteration":7,"iteration":8}\n{"iteration":9}\n',
        b'{"iteration":7,"other":1e999}\n{"iteration":9}\n',
        b'{"iteration":7,"value":[1\n{"value":2}],"rate":3},5\n',
    ],
)
def test_many_lines_at_once_say_what_they_say_one_by_one(tmp_path: Path, block: bytes) -> None:
    at_once = feed_of(tmp_path / "at-once", block)
    # An event of another kind means nothing, but the lines beside it are read one by one.
    one_by_one = feed_of(tmp_path / "one-by-one", block + b'{"event":"other"}\n')
    for name in COLUMN_NAMES:
        np.testing.assert_array_equal(at_once.column(name), one_by_one.column(name))


def test_a_file_of_garbage_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "progress.jsonl"
    path.write_bytes(line_of(1) + b"{\n" * 1_000_000)
    taken: list[int] = []
    take = ProgressFeed._take

    def counting(feed: ProgressFeed, block: bytes) -> None:
        taken.append(len(block))
        take(feed, block)

    monkeypatch.setattr(ProgressFeed, "_take", counting)
    feed = ProgressFeed(path)
    for _ in range(3):
        with pytest.raises(FormatError, match="lines are not rows"):
            feed.update()
    assert len(taken) == 1  # of eight blocks
    path.write_bytes(line_of(5))
    feed.update()
    assert iterations(feed) == [5]


def test_a_file_full_of_holes_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    with path.open("wb") as file:
        file.truncate(progress_reader.MAX_BYTES + 1)
    with pytest.raises(FormatError, match="67,108,865 bytes"):
        ProgressFeed(path).update()


@pytest.mark.long
def test_the_rows_of_any_run_fit_into_the_cache(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    feed, largest = ProgressFeed(path), 0
    for begin in range(1, 300_000, 20_000):
        with path.open("ab") as file:
            file.writelines(line_of(n) for n in range(begin, begin + 20_000))
        feed.update()
        largest = max(largest, feed.num_bytes)
    assert len(feed) > 50_000
    assert largest <= library.MAX_CACHE_BYTES


def test_all_columns_come_back_as_they_were_written(tmp_path: Path) -> None:
    known = {"iteration": 7, "seconds": 0.5, "value": -0.25, "rate": 14.0, "drift": 0.5}
    row = progress_row(**known, nodes=123, infosets=45)
    assert list(row) == [
        name
        for name in COLUMN_NAMES
        if name not in ("value_1", "beta", "residual", "lbr", "lbr_margin")
    ]
    feed = feed_of(tmp_path / "progress.jsonl", json.dumps(row).encode() + b"\n")
    assert feed.row(-1) == dict.fromkeys(COLUMN_NAMES) | row
    assert type(feed.row(0)["nodes"]) is type(feed.row(0)["iteration"]) is int


def test_a_name_that_is_not_a_column_is_refused() -> None:
    with pytest.raises(ValueError, match="speed: not a column"):
        progress_row(iteration=1, speed=2.0)


def test_the_documentation_explains_each_column() -> None:
    page = Path(__file__).parents[3] / "docs" / "file-formats.md"
    rows = [f"| `{c.name}` | {c.unit or '–'} | {c.meaning} |" for c in COLUMNS]
    assert "\n".join(["| --- | --- | --- |", *rows]) in page.read_text(encoding="utf-8")


class TestTheLastRow:
    @staticmethod
    def row_of(line: bytes) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(line)
        return dict.fromkeys(COLUMN_NAMES) | found

    def test_it_is_the_last_valid_one(self, tmp_path: Path) -> None:
        path = tmp_path / "progress.jsonl"
        assert read_last_row(path) is None
        lines = [line_of(n) for n in range(1, 1_001)]
        path.write_bytes(b"".join(lines) + lines[-1][:9])
        assert read_last_row(path) == self.row_of(lines[-1])
        path.write_bytes(b"".join(lines) + b'{"event":"resumed","iteration":12}\n')
        assert read_last_row(path) == read_progress(path)[-1] == self.row_of(lines[11])
        path.write_bytes(b"".join(lines) + b'{"event":"resumed","iteration":-1}\n')
        assert read_last_row(path) is None

    def test_only_the_end_of_a_huge_file_is_read(self, tmp_path: Path) -> None:
        path = tmp_path / "progress.jsonl"
        with path.open("wb") as file:
            file.truncate(50 << 30)  # a hole, larger than the memory
            file.seek(0, 2)
            file.write(b"\n" + line_of(8))
        assert read_last_row(path) == self.row_of(line_of(8))
        with path.open("ab") as file:
            file.write(b'{"event":"resumed","iteration":3}\n')
        assert read_last_row(path) is None
