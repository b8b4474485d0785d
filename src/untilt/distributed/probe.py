"""A probe that finds out in seconds whether a Ray cluster answers at an address.

Ray itself would keep trying for minutes, even if another program has the port. So a connection is
made first, and then one call that every Ray server answers, both with a time limit and without
importing Ray.
"""

import os
import socket
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from untilt.errors import ClusterError

_CONNECT_SECONDS = 3.0
_ANSWER_SECONDS = 4.0

_GCS_CALL = ("/ray.rpc.NodeInfoGcsService/CheckAlive", b"")
"""The name of a call to the head of a cluster, and the smallest request."""
_CLIENT_CALL = ("/ray.rpc.RayletDriver/ClusterInfo", b"\x08\x06")
"""The same for the server behind ray://; the request is of the type `PING`."""
_TOKEN_MODE = "token"
_KNOWN_MODES = ("", "disabled", _TOKEN_MODE)
"""Ways to authenticate that are tried here; others are left to Ray."""


def verify_connects(target: str, place: tuple[str, int]) -> None:
    """Raise ClusterError unless something listens at host and port `place`, that of `target`."""
    # In a thread, because looking up a host name has no time limit.
    found: SimpleQueue[str | None] = SimpleQueue()

    def connect() -> None:
        try:
            socket.create_connection(place, timeout=_CONNECT_SECONDS).close()
        except OSError as error:
            found.put(error.strerror or str(error))
        else:
            found.put(None)

    Thread(target=connect, daemon=True).start()
    try:
        reason = found.get(timeout=_CONNECT_SECONDS)
    except Empty:
        reason = f"nothing in {_CONNECT_SECONDS:g} s"
    if reason is not None:
        raise ClusterError(
            f"the Ray cluster {target} does not answer ({reason}); is it running, and is the "
            "port reachable from here?"
        )


def verify_is_ray(target: str, place: tuple[str, int]) -> None:
    """Raise ClusterError unless Ray answers at host and port `place` and accepts our token."""
    if os.environ.get("RAY_USE_TLS", "0") not in ("", "0"):
        return  # only Ray itself has the certificates
    import grpc

    host, port = place
    name, request = _CLIENT_CALL if target.startswith("ray://") else _GCS_CALL
    options = [("grpc.enable_http_proxy", 0)]
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    with grpc.insecure_channel(address, options=options) as channel:
        call = channel.unary_unary(name)
        try:
            call(request, _ANSWER_SECONDS, metadata=_credentials(), wait_for_ready=True)
        except grpc.RpcError as error:
            # A web server that asks for a password gives the same code.
            is_http = "http2 header" in (error.details() or "")
            if error.code() != grpc.StatusCode.UNAUTHENTICATED or is_http:
                reason = _what_else(error, grpc)
                raise ClusterError(f"the Ray cluster {target} does not answer: {reason}") from None
            if _auth_mode() in _KNOWN_MODES:
                raise ClusterError(
                    f"the Ray cluster {target} asks for another token: set RAY_AUTH_MODE=token, "
                    "and RAY_AUTH_TOKEN to that of the cluster"
                ) from None


def _auth_mode() -> str:
    return os.environ.get("RAY_AUTH_MODE", "").lower()


def _credentials() -> list[tuple[str, str]]:
    """Return what Ray sends to show that it has the cluster's token."""
    if _auth_mode() != _TOKEN_MODE:
        return []
    token = os.environ.get("RAY_AUTH_TOKEN", "")
    if not token:
        path = os.environ.get("RAY_AUTH_TOKEN_PATH") or Path("~/.ray/auth_token").expanduser()
        with suppress(OSError, ValueError):
            token = Path(path).read_text(encoding="ascii").strip()
    return [("authorization", f"Bearer {token}")] if token else []


def _what_else(error: Any, grpc: Any) -> str:
    if error.code() == grpc.StatusCode.DEADLINE_EXCEEDED:
        return (
            "something else has the port, or the cluster is overloaded; `ray status` on its head "
            "says whether it runs"
        )
    return (
        "something else has the port; a head has 6379 and, for addresses with ray://, 10001 "
        "unless it was started with others"
    )
