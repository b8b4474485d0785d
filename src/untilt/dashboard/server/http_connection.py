"""A connection of uvicorn that tells its requests when the client has left.

ASGI tells that only to those who read on, and then uvicorn reads requests without limit that a
client sends before it has read its answers.
"""

import asyncio

from starlette.requests import Request
from uvicorn.protocols.http.h11_impl import H11Protocol

_LEFT = "untilt.left"


class HttpConnection(H11Protocol):
    """HTTP/1.1; requests have a copy of its `app_state` as their state."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin."""
        super().connection_made(transport)
        self.app_state = {**self.app_state, _LEFT: asyncio.Event()}

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        super().connection_lost(exc)
        self.app_state[_LEFT].set()


async def left(request: Request) -> None:
    """Return when the client has closed its connection; never, if that is not known."""
    event: asyncio.Event = request.scope.get("state", {}).get(_LEFT) or asyncio.Event()
    await event.wait()
