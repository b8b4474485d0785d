"""Events over a real connection: new rows, resuming, status, frames, many pages at once."""

import json
import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.dashboard.serving import PATIENCE_SECONDS, EventStream, fields_of, raw_get

from untilt.dashboard.server import events
from untilt.dashboard.server.events import Connection, News, parse_places
from untilt.dashboard.server.server import RunningServer, start_in_thread
from untilt.dashboard.sources.library import Library
from untilt.errors import InvalidOption
from untilt.formats.base.lock import FolderLock


class Log:
    """The progress of a run that a test writes."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "progress.jsonl"

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    def write(self, data: bytes) -> None:
        with self.path.open("ab", buffering=0) as file:
            file.write(data)

    def row(self, iteration: int) -> None:
        self.write(b'{"iteration":%d,"seconds":1.5,"exploitability":0.25}\n' % iteration)


@pytest.fixture
def server(runs: Path) -> Iterator[RunningServer]:
    with start_in_thread(Library.of(runs), port=0) as running:
        yield running


@pytest.fixture
def log(runs: Path) -> Log:
    return Log(runs / "kuhn")


def listen(server: RunningServer, query: str, last_event_id: str | None = None) -> EventStream:
    stream = EventStream(server.port, query, last_event_id)
    assert stream.status == 200
    assert stream.headers["content-type"].startswith("text/event-stream")
    return stream


def test_a_new_row_arrives_with_its_place(server: RunningServer, log: Log) -> None:
    with listen(server, f"run=kuhn@{log.size}") as stream:
        log.row(1000)
        data = stream.next("rows")
        assert data["run"] == "kuhn"
        (row,) = data["rows"]
        assert row.keys() == fields_of("ProgressRow")
        assert (row["iteration"], row["seconds"], row["exploitability"]) == (1000, 1.5, 0.25)
        assert row["beta"] is None
        assert data["offset"] == log.size
        assert stream.last_id == str(log.size)


def test_a_half_written_row_arrives_when_it_is_whole(server: RunningServer, log: Log) -> None:
    with listen(server, f"run=kuhn@{log.size}") as stream:
        log.row(1000)
        log.write(b'{"iteration":1001,"sec')
        assert [row["iteration"] for row in stream.next("rows")["rows"]] == [1000]
        log.write(b'onds":2.0}\n')
        assert [row["iteration"] for row in stream.next("rows")["rows"]] == [1001]


def test_a_new_connection_goes_on_where_the_last_one_ended(server: RunningServer, log: Log) -> None:
    begin = log.size
    with listen(server, f"run=kuhn@{begin}") as stream:
        log.row(1000)
        stream.next("rows")
        place = stream.last_id
    log.row(1001)
    # The browser sends the same address again, with the id of the last event.
    with listen(server, f"run=kuhn@{begin}", last_event_id=place) as stream:
        assert [row["iteration"] for row in stream.next("rows")["rows"]] == [1001]
    with listen(server, f"run=kuhn@{begin}") as stream:
        assert [row["iteration"] for row in stream.next("rows")["rows"]] == [1000, 1001]


def test_events_survive_a_restart_of_the_server(runs: Path, log: Log) -> None:
    begin = log.size
    with (
        start_in_thread(Library.of(runs), port=0) as first,
        listen(first, f"run=kuhn@{begin}") as stream,
    ):
        log.row(1000)
        stream.next("rows")
        place = stream.last_id
    log.row(1001)
    with (
        start_in_thread(Library.of(runs), port=0) as second,
        listen(second, f"run=kuhn@{begin}", last_event_id=place) as stream,
    ):
        assert [row["iteration"] for row in stream.next("rows")["rows"]] == [1001]


def test_two_runs_keep_their_own_places(server: RunningServer, runs: Path, log: Log) -> None:
    other = Log(runs / "exact")
    begins = (log.size, other.size)
    with listen(server, f"run=kuhn@{begins[0]}&run=exact@{begins[1]}") as stream:
        other.row(7)
        assert stream.next("rows")["run"] == "exact"
        assert stream.last_id == f"{begins[0]},{other.size}"
        log.row(1000)
        assert stream.next("rows")["run"] == "kuhn"
        assert stream.last_id == f"{log.size},{other.size}"


def test_a_resumed_run_is_told_between_its_rows(server: RunningServer, log: Log) -> None:
    with listen(server, f"run=kuhn@{log.size}") as stream:
        log.write(
            b'{"iteration":1000,"seconds":1}\n{"event":"resumed","iteration":900}\n'
            b'{"iteration":950,"seconds":1}\n'
        )
        assert stream.next("rows", "resumed")["rows"][0]["iteration"] == 1000
        assert stream.next("rows", "resumed") == {"run": "kuhn", "iteration": 900}
        assert stream.next("rows", "resumed")["rows"][0]["iteration"] == 950
        assert stream.last_id == str(log.size)


def test_whoever_is_far_behind_is_told_to_fetch_again(server: RunningServer, log: Log) -> None:
    begin = log.size
    log.write(b"".join(b'{"iteration":%d,"seconds":1}\n' % n for n in range(1000, 60_000)))
    with listen(server, f"run=kuhn@{begin}") as stream:
        assert stream.next("rows", "reload") == {"run": "kuhn"}
        assert stream.last_id == str(log.size)
        log.row(60_000)
        assert stream.next("rows")["rows"][0]["iteration"] == 60_000


def test_a_file_that_was_replaced_is_to_be_fetched_again(server: RunningServer, log: Log) -> None:
    with listen(server, f"run=kuhn@{log.size}") as stream:
        stream.next("status")
        log.path.write_bytes(b'{"iteration":1,"seconds":1}\n')
        assert stream.next("rows", "reload") == {"run": "kuhn"}


def test_a_place_within_a_line_is_one_in_another_file(server: RunningServer, log: Log) -> None:
    with listen(server, f"run=kuhn@{log.size - 5}") as stream:
        assert stream.next("rows", "reload") == {"run": "kuhn"}
        assert stream.last_id == str(log.size)
        log.row(1_000)
        assert stream.next("rows", "reload")["rows"][0]["iteration"] == 1_000


def test_a_file_that_was_replaced_by_a_longer_one_is_to_be_fetched_again(
    server: RunningServer, log: Log
) -> None:
    with listen(server, f"run=kuhn@{log.size}") as stream:
        stream.next("status")
        # The old end lies within a line of the new file.
        other = log.path.with_name("other")
        other.write_bytes(b'{"iteration":1,"note":"%s"}\n' % (b"x" * 2 * log.size))
        other.replace(log.path)
        assert stream.next("rows", "reload") == {"run": "kuhn"}


def test_a_long_line_without_an_end_is_not_fetched_again_and_again(runs: Path) -> None:
    run = Library.of(runs).find_run("kuhn")
    assert run is not None
    run.progress_path.write_bytes(b"x" * 1_000_000)
    (news,) = events.new_rows(run, 0)
    assert (news.event, news.offset) == ("reload", 1_000_000)
    assert events.new_rows(run, 1_000_000) == []


def test_a_new_connection_is_told_how_its_runs_stand(server: RunningServer, log: Log) -> None:
    with listen(server, f"run=kuhn@{log.size}") as stream:
        status = stream.next("status")
        assert status["run"] == "kuhn"
        assert status["summary"].keys() == fields_of("RunSummary")
        assert status["summary"]["status"] == "finished"
        frames = stream.next("frames")
        assert frames["run"] == "kuhn"
        assert frames["frames"][-1]["iteration"] == 500


def test_status_and_frames_are_told_when_they_change(server: RunningServer, runs: Path) -> None:
    folder = runs / "kuhn"
    aside = runs.parent / "aside"
    aside.mkdir()
    for name in ("result.json", "strategy.bin", "frames.bin"):
        (folder / name).rename(aside / name)
    with FolderLock(folder), listen(server, f"run=kuhn@{Log(folder).size}") as stream:
        summary = stream.next("status")["summary"]
        assert (summary["status"], summary["views"]) == ("running", ["convergence", "facts"])
        shutil.copy(aside / "frames.bin", folder / "frames.bin")
        assert len(stream.next("frames")["frames"]) > 10
        summary = stream.next("status")["summary"]
        assert summary["views"] == ["convergence", "strategy", "play", "facts"]
        (aside / "strategy.bin").rename(folder / "strategy.bin")
        (aside / "result.json").rename(folder / "result.json")
        summary = stream.next("status")["summary"]
        assert summary["status"] == "finished"


def test_the_status_of_any_run_is_told_to_everybody(server: RunningServer, runs: Path) -> None:
    result = runs / "deeper" / "leduc" / "result.json"
    with listen(server, "") as stream:
        shutil.copytree(runs / "kuhn", runs / "new")
        stream.next("library")
        result.rename(runs / "result.json")
        # The new run may have been seen before it was complete, which is news as well.
        while (data := stream.next("status"))["run"] != "deeper~leduc":
            pass
        assert data["summary"]["status"] == "interrupted"


def test_runs_that_come_and_go_are_told(server: RunningServer, runs: Path) -> None:
    with listen(server, "run=kuhn@0") as stream:
        assert stream.next("library") == {}
        stream.next("status")
        shutil.copytree(runs / "kuhn", runs / "new")
        assert stream.next("library") == {}
        shutil.rmtree(runs / "new")
        assert stream.next("library") == {}


def test_a_scan_that_had_to_wait_does_not_delay_the_next_one_for_long(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library.of(runs)
    scans: list[float] = []

    def scan() -> None:
        scans.append(time.monotonic())
        time.sleep(0.2)  # as on a machine whose processors are busy with something else

    monkeypatch.setattr(library, "scan", scan)
    broadcaster = events.Broadcaster(library)
    deadline = time.monotonic() + 9.0  # 10 s pass if waiting counts as work
    while len(scans) < 2 and time.monotonic() < deadline:
        broadcaster._look({}, set())
        time.sleep(0.01)
    assert len(scans) == 2


def test_a_run_that_a_request_has_found_first_is_told_too(
    server: RunningServer, runs: Path
) -> None:
    with listen(server, "run=kuhn@0") as stream:
        stream.next("status")
        shutil.copytree(runs / "kuhn", runs / "new")
        assert raw_get(server.port, "/api/runs")[0] == 200
        assert stream.next("library") == {}


def test_unknown_runs_and_documents_are_followed_in_silence(
    server: RunningServer, log: Log
) -> None:
    with listen(server, f"run=none@5&run=.document-1@0&run=kuhn@{log.size}") as stream:
        log.row(1000)
        assert stream.next("rows")["run"] == "kuhn"
        assert stream.last_id == f"5,0,{log.size}"


def test_fifty_pages_hear_of_a_row(server: RunningServer, log: Log) -> None:
    with ExitStack() as stack:
        begin = log.size
        streams = [stack.enter_context(listen(server, f"run=kuhn@{begin}")) for _ in range(50)]
        for stream in streams:
            stream.next("status")
        log.row(1000)
        for stream in streams:
            assert [row["iteration"] for row in stream.next("rows")["rows"]] == [1000]


def test_stopping_ends_open_streams_in_order(runs: Path, caplog: pytest.LogCaptureFixture) -> None:
    with ExitStack() as stack:
        running = start_in_thread(Library.of(runs), port=0)
        streams = [stack.enter_context(listen(running, "run=kuhn@0")) for _ in range(10)]
        for stream in streams:
            stream.next("status")
        stopping = threading.Thread(target=running.stop)
        stopping.start()
        for stream in streams:
            stream.read_to_end()
        stopping.join(timeout=PATIENCE_SECONDS)
        assert not stopping.is_alive()
        # The server would have cut them off after a grace, and complained.
        assert caplog.text == ""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes in folders")
def test_a_pipe_in_place_of_the_progress_blocks_nobody(server: RunningServer, runs: Path) -> None:
    other = Log(runs / "exact")
    (runs / "kuhn" / "progress.jsonl").unlink()
    os.mkfifo(runs / "kuhn" / "progress.jsonl")
    with listen(server, f"run=kuhn@0&run=exact@{other.size}") as stream:
        other.row(9)
        assert stream.next("rows")["run"] == "exact"


def queued(connection: Connection) -> list[tuple[str, Any]]:
    text = b"".join(connection._queue).decode()
    found = []
    for event in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in event.split("\n"))
        found.append((fields["event"], json.loads(fields["data"])))
    return found


def test_a_page_that_does_not_listen_costs_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "_MAX_QUEUED_BYTES", 1_000)
    connection = Connection({"kuhn": 0, "leduc": 0})
    for place in range(1, 1_000):
        connection.send(News("rows", {"run": "kuhn", "rows": ["x" * 90]}, "kuhn", place))
    found = queued(connection)
    assert sum(len(text) for text in connection._queue) <= 1_000
    assert ("reload", {"run": "kuhn"}) in found
    assert ("reload", {"run": "leduc"}) in found
    assert ("library", {}) in found
    assert connection.places == {"kuhn": 999, "leduc": 0}


def test_places_are_those_of_the_last_event_if_it_names_as_many() -> None:
    runs = ["a@b@5", "c@7"]
    assert parse_places(runs, None) == {"a@b": 5, "c": 7}
    assert parse_places(runs, "8,9") == {"a@b": 8, "c": 9}
    assert parse_places(runs, "8") == {"a@b": 5, "c": 7}
    assert parse_places(runs, "x,y") == {"a@b": 5, "c": 7}
    assert parse_places([], "") == {}


@pytest.mark.parametrize("given", ["kuhn", "@5", "kuhn@", "kuhn@x", "kuhn@" + "9" * 30, "kuhn@²"])
def test_a_place_that_is_none_is_refused(given: str) -> None:
    with pytest.raises(InvalidOption, match="ID@OFFSET"):
        parse_places([given], None)


def test_too_many_runs_at_once_are_refused() -> None:
    with pytest.raises(InvalidOption, match="cannot follow 101 runs"):
        parse_places([f"run{n}@0" for n in range(101)], None)
