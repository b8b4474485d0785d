"""A client without a network, the shapes that the page expects, and a reader of event streams."""

import json
import re
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from untilt.dashboard.server.app import make_app
from untilt.dashboard.server.events import Broadcaster
from untilt.dashboard.server.workers import Workers
from untilt.dashboard.sources.library import Library

PORT = 8123
TOKEN = "5" * 64
ORIGIN = f"http://127.0.0.1:{PORT}"
PATIENCE_SECONDS = 120.0
"""How long something may take to happen: other processes may need the machine."""
JOB_SECONDS = 480.0
"""How long a process that the server has started may take; it may have to compile kernels first.

Less than the limit of a test, so that its failure says what the page shows."""
MODEL = Path(__file__).parents[2] / "web" / "src" / "model.ts"


class Client:
    """Requests as the page makes them."""

    def __init__(self, client: TestClient) -> None:
        self.raw = client

    def get(self, path: str, **query: Any) -> Any:
        """Return the JSON of an answer that must be 200."""
        answer = self.raw.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refusal(self, path: str, **query: Any) -> tuple[int, str]:
        """Return the status and the line of an answer that must be a refusal."""
        answer = self.raw.get(path, params=query)
        assert answer.status_code >= 400, answer.text
        assert list(answer.json()) == ["error"]
        line = answer.json()["error"]
        assert line
        assert "\n" not in line
        assert "Traceback" not in line
        return answer.status_code, line

    def add_document(self, content: Any, **headers: str) -> tuple[int, Any]:
        """Return the status and the JSON of the answer to a document that is sent."""
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        sent = {"Origin": ORIGIN, "Cookie": f"untilt-{PORT}={TOKEN}"} | headers
        answer = self.raw.post("/api/documents", content=data, headers=sent)
        return answer.status_code, answer.json()


def client_of(library: Library, *, is_dev: bool = False) -> Client:
    """Return a client of an application that serves `library`."""
    app = make_app(library, Broadcaster(library), Workers(), port=PORT, token=TOKEN, is_dev=is_dev)
    return Client(TestClient(app, base_url=ORIGIN))


def fields_of(interface: str) -> set[str]:
    """Return the names of the fields of an interface in the page's data model."""
    source = MODEL.read_text("utf-8")
    match = re.search(
        rf"export interface {interface}(?: extends (\w+))? \{{\n(.*?)\n\}}", source, re.S
    )
    assert match is not None, interface
    inherited = fields_of(match[1]) if match[1] else set()
    return inherited | set(re.findall(r"^  (\w+)\??:", match[2], re.M))


def raw_get(port: int, target: str) -> tuple[int, bytes]:
    """Return the status and body of a request whose target is sent as it is."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as connection:
        head = f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
        connection.sendall(head.encode())
        answer = b""
        while piece := connection.recv(65_536):
            answer += piece
    header, _, body = answer.partition(b"\r\n\r\n")
    return int(header.split()[1]), body


class EventStream:
    """A connection to /api/events of a server on loopback, read event by event."""

    def __init__(self, port: int, query: str, last_event_id: str | None = None) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
        resumed = f"Last-Event-ID: {last_event_id}\r\n" if last_event_id else ""
        self._socket.sendall(
            f"GET /api/events?{query} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{resumed}\r\n".encode()
        )
        self._file = self._socket.makefile("rb")
        self.status = int(self._file.readline().split()[1])
        self.headers = {}
        while (line := self._file.readline().strip()) != b"":
            name, _, value = line.decode().partition(": ")
            self.headers[name.lower()] = value
        self.last_id: str | None = None
        self._lines: list[bytes] = []

    def next(self, *names: str) -> Any:
        """Return the data of the next event of one of these names; others are skipped."""
        # Comments keep a silent stream alive, so that reading alone would never give up.
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            name, data = self.next_of_all()
            if name in names:
                return data
            assert time.monotonic() < deadline, f"no event {names}"

    def next_of_all(self) -> tuple[str, Any]:
        """Return the name and data of the next event; EOFError when the stream has ended."""
        found: dict[str, str] = {}
        while True:
            line = self._line()
            assert not line.startswith(":"), "nothing but comments has come for long"
            if line == "" and "event" in found:
                self.last_id = found.get("id")
                return found["event"], json.loads(found["data"])
            field, _, value = line.partition(": ")
            found[field] = value

    def read_to_end(self) -> None:
        """Return when the server has ended the stream."""
        with suppress(EOFError):
            while True:
                self.next_of_all()

    def _line(self) -> str:
        while not self._lines:
            size = self._file.readline()
            length = int(size or b"0", 16)
            if length == 0:
                raise EOFError
            body = self._file.read(length + 2)[:-2]
            # Chunks end with whole lines.
            self._lines = body.split(b"\n")[:-1]
        return self._lines.pop(0).decode()

    def close(self) -> None:
        """Hang up."""
        self._file.close()
        self._socket.close()

    def __enter__(self) -> "EventStream":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
