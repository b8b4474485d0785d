"""Running the server: in the foreground, or in a thread beside other work.

It binds to 127.0.0.1 only, so that no other machine can connect.
"""

import socket
import sys
import threading

import uvicorn

from untilt.dashboard.app import make_app
from untilt.dashboard.events import Broadcaster
from untilt.dashboard.library import Library
from untilt.dashboard.security import user_token
from untilt.errors import InvalidOption

DEFAULT_PORT = 8080
LOOPBACK = "127.0.0.1"

_PORTS_TRIED = 100
_GRACE_SECONDS = 1
"""How long answers under way are waited for at the end."""


class RunningServer:
    """A server in a thread of this process; leaving the `with` block stops it."""

    def __init__(self, server: "DashboardServer") -> None:
        self._server = server
        self._thread = threading.Thread(
            target=server.run, kwargs={"sockets": [server.socket]}, name="dashboard", daemon=True
        )
        self._thread.start()

    @property
    def address(self) -> str:
        """Where the page is."""
        return self._server.address

    @property
    def port(self) -> int:
        """On which it listens."""
        return self._server.port

    def stop(self) -> None:
        """End the server and return when it has ended."""
        self._server.should_exit = True
        self._thread.join()

    def __enter__(self) -> "RunningServer":
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


def start_in_thread(
    library: Library, *, port: int | None = None, is_dev: bool = False
) -> RunningServer:
    """Start serving `library` beside the work of this thread; ports as for `DashboardServer`."""
    return RunningServer(DashboardServer(library, port=port, is_dev=is_dev))


class DashboardServer(uvicorn.Server):
    """uvicorn on a socket of its own: `server.run(sockets=[server.socket])` serves until Ctrl-C.

    Without a `port` it is 8080, or the next one that is free; 0 is any free one. A port that was
    given and is taken is an InvalidOption. `is_dev` keeps browsers from caching the page. Ctrl-C,
    SIGTERM and setting `should_exit` end event streams, then all else, in order.
    """

    def __init__(self, library: Library, *, port: int | None, is_dev: bool) -> None:
        self.socket = _bound(port)
        self.port: int = self.socket.getsockname()[1]
        self._broadcaster = Broadcaster(library)
        app = make_app(
            library, self._broadcaster, port=self.port, token=user_token(), is_dev=is_dev
        )
        config = uvicorn.Config(
            app,
            loop="asyncio",
            http="h11",
            ws="none",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        super().__init__(config)

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{LOOPBACK}:{self.port}/"

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End event streams first: uvicorn waits for answers, and these have no end."""
        self._broadcaster.close()
        await super().shutdown(sockets)


def _bound(port: int | None) -> socket.socket:
    """Return a socket bound to `port`, or without one to the first that is free from 8080 on."""
    if port is not None:
        if not 0 <= port <= 65_535:
            raise InvalidOption(f"--port is {port}; it must be 0 (any free one) to 65535")
        candidates: range = range(port, port + 1)
    else:
        candidates = range(DEFAULT_PORT, DEFAULT_PORT + _PORTS_TRIED)
    for candidate in candidates:
        bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        # On Windows REUSEADDR would take a port away from another program.
        reuse = "SO_EXCLUSIVEADDRUSE" if sys.platform == "win32" else "SO_REUSEADDR"
        bound.setsockopt(socket.SOL_SOCKET, getattr(socket, reuse), 1)
        try:
            bound.bind((LOOPBACK, candidate))
            bound.listen()  # so that a browser that is fast waits
        except OSError as error:
            bound.close()
            reason = error.strerror or str(error)
        else:
            return bound
    if port is None:
        raise InvalidOption(
            f"no port from {DEFAULT_PORT} to {candidates[-1]} is free ({reason}); give one by "
            "--port, 0 for any"
        )
    raise InvalidOption(
        f"--port {port} cannot be used ({reason}); choose another, or 0 for any free one"
    )
