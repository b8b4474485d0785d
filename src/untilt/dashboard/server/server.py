"""Running the server: in the foreground, or in a background thread.

It binds to 127.0.0.1 only, so no other machine can connect.
"""

import asyncio
import os
import socket
import threading
import webbrowser
from types import FrameType

import uvicorn

from untilt.dashboard.server.app import make_app
from untilt.dashboard.server.events import Broadcaster
from untilt.dashboard.server.http_connection import HttpConnection
from untilt.dashboard.server.port import LOOPBACK, listening_socket
from untilt.dashboard.server.security import private_token, user_token
from untilt.dashboard.server.workers import Workers
from untilt.dashboard.sources.library import Library
from untilt.errors import InvalidOption
from untilt.formats.base.files import path_of
from untilt.number import Integer

_GRACE_SECONDS = 0.5
"""How long clients may take to read their responses when the server stops."""


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
        """URL of the page."""
        return self._server.address

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self._server.port

    def stop(self) -> None:
        """Stop the server; returns when it has stopped."""
        self._server.should_exit = True
        self._thread.join()

    def __enter__(self) -> "RunningServer":
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


def serve(path: str | os.PathLike[str] = ".", *, port: int | None = None) -> RunningServer:
    """Show runs on a web page, served by a thread on this machine only; no browser is opened.

    `path` is a folder with runs, the folder of a run, or a document of `untilt qre`; `port` is 8080
    or the next free one by default, and 0 means any free one. `.address` is the page's address;
    `.stop()`, or leaving a `with` block, stops the server.

    >>> import untilt
    >>> run = untilt.solve("kuhn", iterations=10, output="shown/kuhn")
    >>> with untilt.serve("shown", port=0) as server:
    ...     server.address.startswith("http://127.0.0.1:")
    True
    """
    if not (port is None or Integer(0, 65535).accepts(port)):
        raise InvalidOption.of("port", port, "it must be 0 (any free one) to 65535")
    return start_in_thread(Library.of(path_of(path)), port=port)


def start_in_thread(
    library: Library, *, port: int | None = None, is_dev: bool = False
) -> RunningServer:
    """Start serving `library` in a background thread; `port` as for `DashboardServer`."""
    return RunningServer(DashboardServer(library, port=port, is_dev=is_dev))


class DashboardServer(uvicorn.Server):
    """uvicorn on the socket it opens: `server.run(sockets=[server.socket])` serves until Ctrl-C.

    `port` is as for `listening_socket`. `is_dev` keeps browsers from caching the page;
    `is_private` requires a token that is only in the address. Ctrl-C, SIGTERM and setting
    `should_exit` end it within two seconds: what is being computed is dropped.
    """

    def __init__(
        self, library: Library, *, port: int | None, is_dev: bool, is_private: bool = False
    ) -> None:
        self.socket = listening_socket(port)
        self.port: int = self.socket.getsockname()[1]
        self._broadcaster = Broadcaster(library)
        self._workers = Workers()
        token = private_token() if is_private else user_token()
        self._query = f"?token={token}" if is_private else ""
        app = make_app(
            library,
            self._broadcaster,
            self._workers,
            port=self.port,
            token=token,
            is_dev=is_dev,
            is_private=is_private,
        )
        config = uvicorn.Config(
            app,
            loop="asyncio",
            http=HttpConnection,
            ws="none",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
        )
        super().__init__(config)

    @property
    def address(self) -> str:
        """URL of the page."""
        return f"http://{LOOPBACK}:{self.port}/{self._query}"

    @property
    def is_busy(self) -> bool:
        """Whether a thread is still computing, also after the server has stopped."""
        return self._workers.are_busy

    def open_browser(self, address: str | None = None) -> None:
        """Open the page, or `address`, in the user's browser."""
        # In a thread: a browser in the terminal would block the server.
        arguments = (address or self.address,)
        threading.Thread(target=webbrowser.open, args=arguments, daemon=True).start()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop; a second Ctrl-C changes nothing, because that does not take long."""
        if not self.should_exit:
            super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End event streams and computations first: uvicorn waits for all responses.

        It would also wait for clients that do not read, or do not send their request to the end.
        """
        self._broadcaster.close()
        self._workers.close()
        loop = asyncio.get_running_loop()
        cutting = loop.call_later(_GRACE_SECONDS, self._cut_connections)
        await super().shutdown(sockets)
        cutting.cancel()
        self._cut_connections()  # also those that were made meanwhile
        await asyncio.sleep(0)  # aborted sockets are closed in the loop's next round

    def _cut_connections(self) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()
