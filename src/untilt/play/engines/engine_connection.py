"""A connection to an engine: lines of text over a socket."""

import socket
import time
from types import TracebackType
from typing import Self

from untilt.errors import EngineError, InvalidOption

MAX_LINE_BYTES = 1 << 16
_RETRY_SECONDS = 0.1
_SHOWN = 80


class Link:
    """An open connection; use it in a `with` block."""

    def __init__(self, connection: socket.socket, engine: str) -> None:
        self._connection = connection
        self._engine = engine
        self._received = bytearray()

    @classmethod
    def open(cls, host: str, port: int, *, engine: str, wait: float = 10.0) -> Self:
        """Connect to the engine, trying again for `wait` seconds while nobody listens."""
        if type(port) is not int or not 0 < port < 1 << 16:
            raise InvalidOption.of("port", port, "give a number from 1 to 65535")
        until = time.monotonic() + wait
        while True:
            try:
                connection = socket.create_connection((host, port), timeout=max(wait, 1.0))
                break
            except (OSError, UnicodeError) as error:
                is_refused = isinstance(error, ConnectionRefusedError | TimeoutError)
                if not is_refused or time.monotonic() >= until:
                    raise EngineError(
                        f"no {engine} answers at {host}:{port} ({_why(error)}); start it first, "
                        "and check host and port"
                    ) from error
            time.sleep(_RETRY_SECONDS)
        connection.settimeout(None)  # an opponent may think for a long time
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return cls(connection, engine)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._connection.close()

    def receive(self) -> str | None:
        """Return the next line without its end; None when the engine has closed the connection."""
        while (end := self._received.find(b"\n")) < 0:
            if len(self._received) > MAX_LINE_BYTES:
                raise self.rubbish(self._received[:_SHOWN], "a line without end")
            try:
                data = self._connection.recv(MAX_LINE_BYTES)
            except OSError as error:
                raise self.gone(_why(error)) from error
            if not data:
                if self._received.strip():
                    raise self.gone("in the middle of a line")
                return None
            self._received += data
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        try:
            return line.rstrip(b"\r").decode("ascii")
        except UnicodeDecodeError:
            raise self.rubbish(line, "it is not text") from None

    def send(self, line: str) -> None:
        """Send a line."""
        try:
            self._connection.sendall(line.encode("ascii"))
        except OSError as error:
            raise self.gone(_why(error)) from error

    def gone(self, why: str) -> EngineError:
        """Return the error for an engine that has disappeared."""
        return EngineError(f"the {self._engine} closed the connection: {why}", is_gone=True)

    def rubbish(self, given: object, why: object) -> EngineError:
        """Return the error for a message that the protocol does not allow."""
        text = (
            bytes(given).decode("ascii", "replace")
            if isinstance(given, bytes | bytearray)
            else given
        )
        shown = " ".join(repr(text).split())
        shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"
        return EngineError(f"the {self._engine} sent {shown}: {why}")


def _why(error: BaseException) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or "no reason"
