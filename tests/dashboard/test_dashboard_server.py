"""The server as a process: its port, its modules, how it ends."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.dashboard.serving import PATIENCE_SECONDS, EventStream, raw_get

from untilt.dashboard.server import port as port_module
from untilt.dashboard.server.port import LOOPBACK
from untilt.dashboard.server.server import DashboardServer, RunningServer, start_in_thread
from untilt.dashboard.sources.library import Library
from untilt.errors import InvalidOption

SERVE = """
import sys
from contextlib import suppress
from pathlib import Path
from untilt.dashboard.sources.library import Library
from untilt.dashboard.server.server import DashboardServer

server = DashboardServer(Library.of(Path(sys.argv[1])), port=0, is_dev=False)
print(server.address, flush=True)
with suppress(KeyboardInterrupt):
    server.run(sockets=[server.socket])
heavy = {name.partition(".")[0] for name in sys.modules} & {"numba", "llvmlite", "scipy", "typer"}
print("heavy:", sorted(heavy), flush=True)
"""


@contextmanager
def process_of(runs: Path) -> Iterator[tuple["subprocess.Popen[str]", int]]:
    """A server in another process, and its port."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, str(runs)], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            port = int(line.split("http://127.0.0.1:")[1].split("/")[0])
            yield process, port
        finally:
            process.kill()


def can_connect(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=5.0).close()
    except OSError:
        return False
    return True


def ask_everything(port: int) -> None:
    _, body = raw_get(port, "/api/runs")
    for run in json.loads(body)["runs"]:
        for part in ("", "/progress", "/strategy", "/infoset?label=P0:J:", "/pushfold", "/play"):
            status, body = raw_get(port, f"/api/runs/{run['id']}{part}")
            assert status in (200, 404), body


@pytest.mark.skipif(os.name == "nt", reason="there is no interrupt for one process on Windows")
def test_a_server_needs_no_compiler_and_ends_on_ctrl_c(solved_runs: Path) -> None:
    with process_of(solved_runs) as (process, port):
        ask_everything(port)
        with EventStream(port, "run=kuhn@0") as stream:
            stream.next("status")
            process.send_signal(signal.SIGINT)
            stream.read_to_end()
        assert process.stdout is not None
        assert process.stdout.read() == "heavy: []\n"
        assert process.wait(timeout=PATIENCE_SECONDS) == 0


@pytest.mark.skipif(os.name == "nt", reason="there is no such signal on Windows")
def test_a_server_ends_on_sigterm(solved_runs: Path) -> None:
    with process_of(solved_runs) as (process, port):
        with EventStream(port, "run=kuhn@0") as stream:
            stream.next("status")
            process.terminate()
            stream.read_to_end()
        assert process.wait(timeout=PATIENCE_SECONDS) in (0, -signal.SIGTERM)


def test_only_loopback_is_bound(solved_runs: Path) -> None:
    with start_in_thread(Library.of(solved_runs), port=0) as running:
        assert running.address == f"http://127.0.0.1:{running.port}/"
        # Another address of loopback reaches whatever is bound to all addresses.
        assert not can_connect("127.0.0.2", running.port)
        assert can_connect(LOOPBACK, running.port)


def test_the_default_port_gives_way_to_the_next(
    solved_runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr(port_module, "DEFAULT_PORT", port)
        with start_in_thread(Library.of(solved_runs)) as running:
            assert port < running.port < port + 100
            assert raw_get(running.port, "/api/session")[0] == 200


def test_a_given_port_that_is_taken_is_refused(solved_runs: Path) -> None:
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InvalidOption, match=f"port={port} cannot be used"):
            DashboardServer(Library.of(solved_runs), port=port, is_dev=False)


@pytest.mark.parametrize("port", [-1, 65_536])
def test_a_port_that_is_none_is_refused(solved_runs: Path, port: int) -> None:
    with pytest.raises(InvalidOption, match="port"):
        DashboardServer(Library.of(solved_runs), port=port, is_dev=False)


def test_a_server_can_be_started_and_stopped_again(solved_runs: Path) -> None:
    for _ in range(3):
        with start_in_thread(Library.of(solved_runs), port=0) as running:
            assert raw_get(running.port, "/api/session")[0] == 200
        assert not can_connect(LOOPBACK, running.port)


def test_a_server_that_is_stopped_at_once_has_not_begun(solved_runs: Path) -> None:
    start_in_thread(Library.of(solved_runs), port=0).stop()


def test_a_client_that_does_not_read_leaves_no_connection_open(solved_runs: Path) -> None:
    server = DashboardServer(Library.of(solved_runs), port=0, is_dev=False)
    with RunningServer(server) as running, socket.socket() as client:
        request = f"GET /api/runs HTTP/1.1\r\nHost: {LOOPBACK}:{running.port}\r\n\r\n"
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect((LOOPBACK, running.port))
        client.settimeout(0.5)
        with pytest.raises(TimeoutError):  # the server reads no more: it cannot answer
            client.sendall(request.encode() * 200_000)
        assert len(server.server_state.connections) == 1
        running.stop()
    assert server.server_state.connections == set()
