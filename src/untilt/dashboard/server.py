"""Running the server: in the foreground, or in a background thread.

It binds to 127.0.0.1 only, so no other machine can connect.
"""

import asyncio
import socket
import threading
import webbrowser

import uvicorn

from untilt.dashboard.app import make_app
from untilt.dashboard.events import Broadcaster
from untilt.dashboard.library import Library
from untilt.dashboard.port import LOOPBACK, listening_socket
from untilt.dashboard.security import private_token, user_token

_GRACE_SECONDS = 1
"""How long the server waits for unfinished responses when it stops."""


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


def start_in_thread(
    library: Library, *, port: int | None = None, is_dev: bool = False
) -> RunningServer:
    """Start serving `library` in a background thread; `port` as for `DashboardServer`."""
    return RunningServer(DashboardServer(library, port=port, is_dev=is_dev))


class DashboardServer(uvicorn.Server):
    """uvicorn on the socket it opens: `server.run(sockets=[server.socket])` serves until Ctrl-C.

    `port` is as for `listening_socket`. `is_dev` keeps browsers from caching the page;
    `is_private` requires a token that is only in the address. Ctrl-C, SIGTERM and setting
    `should_exit` end the event streams first, then the rest.
    """

    def __init__(
        self, library: Library, *, port: int | None, is_dev: bool, is_private: bool = False
    ) -> None:
        self.socket = listening_socket(port)
        self.port: int = self.socket.getsockname()[1]
        self._broadcaster = Broadcaster(library)
        token = private_token() if is_private else user_token()
        self._query = f"?token={token}" if is_private else ""
        app = make_app(
            library,
            self._broadcaster,
            port=self.port,
            token=token,
            is_dev=is_dev,
            is_private=is_private,
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
        """URL of the page."""
        return f"http://{LOOPBACK}:{self.port}/{self._query}"

    def open_browser(self, address: str | None = None) -> None:
        """Open the page, or `address`, in the user's browser."""
        # In a thread: a browser in the terminal would block the server.
        arguments = (address or self.address,)
        threading.Thread(target=webbrowser.open, args=arguments, daemon=True).start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End event streams first: uvicorn waits for responses, and these never end.

        uvicorn leaves connections open that were made meanwhile, or whose client does not read.
        """
        self._broadcaster.close()
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)  # aborted sockets are closed in the loop's next round
