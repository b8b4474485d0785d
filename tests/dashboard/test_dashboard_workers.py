"""Requests that take long: who waits for them, who does not, and how a server ends meanwhile."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.dashboard.serving import PATIENCE_SECONDS, TOKEN, EventStream, raw_get

from untilt.dashboard.server import app, server, workers
from untilt.dashboard.server.server import DashboardServer, RunningServer
from untilt.dashboard.server.workers import ThreadPool, verify_wanted
from untilt.dashboard.sources.library import Library
from untilt.dashboard.sources.source import Json
from untilt.dashboard.views import play
from untilt.play.table.versus import Versus

PROGRAM = """
import hashlib, os
from untilt.dashboard.server import app

def endless(request):
    os.write(1, b"begun\\n")
    if request["spot"] == "in Python":
        while True:
            pass
    hashlib.pbkdf2_hmac("sha512", b"", b"", 10**9)  # outside Python, for minutes

app.measure = endless
from untilt.cli.entry import main
main()
"""


def eventually(is_true: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_true():
        assert time.monotonic() < deadline, "it never became true"
        time.sleep(0.01)


def sent(port: int, path: str, content: Any, *, missing: int = 0, token: str = TOKEN) -> Any:
    """Return the connection of a request whose body lacks its last bytes."""
    data = json.dumps(content).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
        f"Cookie: untilt-{port}={token}\r\nContent-Length: {len(data) + missing}\r\n\r\n"
    )
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
    connection.sendall(head.encode() + data)
    return connection


def status_of(connection: socket.socket) -> int:
    return int(connection.recv(65_536).split()[1])


class Slow:
    """A handler that waits until it may go on; who has begun, and whom nobody wanted any more."""

    def __init__(self) -> None:
        self.begun: list[Any] = []
        self.dropped: list[Any] = []
        self.may_go_on = threading.Event()

    def measure(self, request: object) -> Json:
        self.begun.append(request)
        while not self.may_go_on.wait(0.01):
            try:
                verify_wanted()
            except BaseException:
                self.dropped.append(request)
                raise
        return {}


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    found = Slow()
    monkeypatch.setattr(app, "measure", found.measure)
    yield found
    found.may_go_on.set()


@pytest.fixture
def running(
    slow: Slow, solved_runs: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[RunningServer]:
    monkeypatch.setattr(server, "user_token", lambda: TOKEN)
    with RunningServer(DashboardServer(Library.of(solved_runs), port=0, is_dev=False)) as found:
        yield found


def test_slow_requests_hold_up_no_others(slow: Slow, running: RunningServer) -> None:
    held = [sent(running.port, "/api/spots/measure", number) for number in range(20)]
    eventually(lambda: slow.begun)
    assert raw_get(running.port, "/api/session")[0] == 200
    assert raw_get(running.port, "/api/runs")[0] == 200
    assert raw_get(running.port, "/api/runs/kuhn/play?seat=0")[0] == 200
    assert raw_get(running.port, "/api/spots")[0] == 200
    with sent(running.port, "/api/spots/stop", {}) as stopping:
        assert status_of(stopping) == 200
    with EventStream(running.port, "run=kuhn@0") as stream:
        stream.next("status")
    assert len(slow.begun) < len(held)
    slow.may_go_on.set()
    for connection in held:
        assert status_of(connection) == 200
        connection.close()


def test_what_nobody_waits_for_is_dropped(
    slow: Slow, running: RunningServer, caplog: pytest.LogCaptureFixture
) -> None:
    staying = [sent(running.port, "/api/spots/measure", "first") for _ in range(2)]
    eventually(lambda: len(slow.begun) == len(staying))
    leaving = [sent(running.port, "/api/spots/measure", "left while waiting") for _ in range(10)]
    calls = running._server._workers._pools[workers.MEASURE]._open
    eventually(lambda: len(calls) == len(staying) + len(leaving))
    for connection in leaving:
        connection.close()
    eventually(lambda: len(calls) == len(staying))
    for connection in staying:
        connection.close()
    eventually(lambda: slow.dropped == ["first", "first"])
    with sent(running.port, "/api/spots/measure", "last"):
        eventually(lambda: "last" in slow.begun)
    assert slow.begun == ["first", "first", "last"]
    eventually(lambda: slow.dropped == slow.begun)
    assert caplog.records == []


@pytest.mark.parametrize("path", ["/api/spots/measure", "/api/documents", "/api/spots/solve"])
def test_a_client_that_leaves_in_the_middle_of_its_request_leaves_no_words(
    path: str, slow: Slow, running: RunningServer, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(5):
        sent(running.port, path, {}, missing=100).close()
    assert raw_get(running.port, "/api/session")[0] == 200
    running.stop()
    assert caplog.records == []
    assert slow.begun == []


def test_a_server_stops_while_requests_are_computed_or_incomplete(
    slow: Slow, running: RunningServer, caplog: pytest.LogCaptureFixture
) -> None:
    computed = [sent(running.port, "/api/spots/measure", number) for number in range(6)]
    incomplete = [sent(running.port, "/api/documents", {}, missing=100) for _ in range(3)]
    eventually(lambda: slow.begun)
    running.stop()
    for connection in computed:
        assert status_of(connection) == 503
    for connection in incomplete:
        with suppress(ConnectionResetError):
            assert connection.recv(100) == b""
    for connection in (*computed, *incomplete):
        connection.close()
    assert caplog.records == []


def test_a_hand_is_not_searched_for_a_client_that_has_left(
    slow: Slow, running: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    acts: list[int] = []
    given_up: list[bool] = []

    class Ponderous:
        """An opponent that takes its time; no hand leads to where the person wants to be."""

        play_on = Versus.play_on

        def __getattr__(self, name: str) -> Any:
            return getattr(opponent, name)

        def act(self, state: Any, live: Any) -> tuple[str, Any]:
            acts.append(live.number)
            time.sleep(0.05)
            name, state = opponent.act(state, live)
            return str(name), state

    find_opponent = play._opponent
    opponent: Any = None

    def watched() -> None:
        try:
            verify_wanted()
        except BaseException:
            given_up.append(True)
            raise

    def ponderous(*given: Any) -> Any:
        nonlocal opponent
        opponent = find_opponent(*given)
        return Ponderous()

    monkeypatch.setattr(play, "_opponent", ponderous)
    monkeypatch.setattr(play, "verify_wanted", watched)
    with socket.create_connection(("127.0.0.1", running.port)) as connection:
        target = "/api/runs/kuhn/deal?seat=1&label=P1:K:b&action=never"
        head = f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{running.port}\r\n\r\n"
        connection.sendall(head.encode())
        eventually(lambda: acts)
    eventually(lambda: given_up)
    assert slow.begun == []


@contextmanager
def busy_processors() -> Iterator[None]:
    """Every processor has something else to do."""
    count = os.cpu_count() or 1
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def interrupted(folder: Path, num_signals: int) -> tuple[int, str]:
    """Return status and stderr of a server that is busy in many ways, after Ctrl-C."""
    arguments = ["serve", str(folder), "--no-open", "--port", "0", "--json", "--private"]
    with (
        ExitStack() as connections,
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            text = ""
            while not text.endswith("}\n"):
                text += process.stdout.readline()
                assert process.poll() is None
            url, _, token = json.loads(text)["url"].partition("?token=")
            port = int(url.rstrip("/").rpartition(":")[2])
            for path, content, missing in (
                ("/api/spots/measure", {"spot": "in Python"}, 0),
                ("/api/spots/measure", {"spot": "elsewhere"}, 0),
                ("/api/spots/measure", {"spot": "in Python"}, 0),
                ("/api/documents", {}, 100),
            ):
                asked = sent(port, path, content, missing=missing, token=token)
                connections.enter_context(asked)
            for _ in range(2):
                assert process.stdout.readline() == "begun\n"
            for _ in range(num_signals):
                process.send_signal(signal.SIGINT)
                time.sleep(0.05)
            _, said = process.communicate(timeout=PATIENCE_SECONDS)
        finally:
            process.kill()
    return process.returncode, said


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C cannot be sent to one process")
@pytest.mark.parametrize("num_signals", [1, 3])
def test_ctrl_c_ends_a_busy_server_without_a_word(tmp_path: Path, num_signals: int) -> None:
    assert interrupted(tmp_path, num_signals) == (0, "")


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C cannot be sent to one process")
def test_ctrl_c_ends_a_busy_server_on_a_busy_machine_every_time(tmp_path: Path) -> None:
    with busy_processors():
        found = [interrupted(tmp_path, 1 + number % 3) for number in range(20)]
    assert found == [(0, "")] * 20


def test_threads_end_with_their_pool() -> None:
    async def thread_of_answer() -> threading.Thread:
        pool = ThreadPool(2)
        thread = await pool.run(threading.current_thread)
        assert thread.is_alive()
        pool.close()
        return thread

    thread = asyncio.run(thread_of_answer())
    eventually(lambda: not thread.is_alive())


def test_a_call_does_not_wait_for_one_that_nobody_wants_any_more() -> None:
    begun, may_end = threading.Event(), threading.Event()

    def stubborn() -> None:
        begun.set()
        may_end.wait(PATIENCE_SECONDS)

    async def answer_beside() -> str:
        pool = ThreadPool(2)
        left = asyncio.ensure_future(pool.run(stubborn))
        await asyncio.to_thread(begun.wait, PATIENCE_SECONDS)
        left.cancel()
        await asyncio.wait((left,))
        try:
            return await asyncio.wait_for(pool.run(lambda: "answered"), PATIENCE_SECONDS / 2)
        finally:
            may_end.set()
            pool.close()

    assert asyncio.run(answer_beside()) == "answered"


def test_idle_threads_end_and_others_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_IDLE_SECONDS", 0.01)

    async def threads_of_answers() -> list[threading.Thread]:
        pool, found = ThreadPool(1), list[threading.Thread]()
        for _ in range(3):
            found.append(await pool.run(threading.current_thread))
            await asyncio.to_thread(found[-1].join, PATIENCE_SECONDS)
            assert not found[-1].is_alive()
        return found

    assert len({id(thread) for thread in asyncio.run(threads_of_answers())}) == 3
