"""Whether a Ray cluster answers at an address, found out in seconds.

Ray itself would try for minutes, whatever else has the port. So a connection is made first, and
then one call that every Ray server answers, both with a limit and without importing Ray.
"""

import os
import socket
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


def verify_reachable(target: str, place: tuple[str, int]) -> None:
    """Raise ClusterError unless Ray answers at host and port `place`, which `target` names."""
    _verify_connects(target, place)
    if os.environ.get("RAY_USE_TLS", "0") in ("", "0"):  # else only Ray has the certificates
        _verify_is_ray(target, place)


def _verify_connects(target: str, place: tuple[str, int]) -> None:
    """Connect in a thread: finding the address of a name knows no limit of time."""
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


def _verify_is_ray(target: str, place: tuple[str, int]) -> None:
    import grpc

    host, port = place
    name, request = _CLIENT_CALL if target.startswith("ray://") else _GCS_CALL
    options = [("grpc.enable_http_proxy", 0)]
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    with grpc.insecure_channel(address, options=options) as channel:
        try:
            channel.unary_unary(name)(request, timeout=_ANSWER_SECONDS, wait_for_ready=True)
        except grpc.RpcError as error:
            if not _refuses_strangers(error, grpc.StatusCode):
                raise ClusterError(
                    f"the Ray cluster {target} does not answer: {_what_else(error, grpc)}"
                ) from None


def _refuses_strangers(error: Any, codes: Any) -> bool:
    """Whether a Ray server asks for its token, which Ray sends and this call does not."""
    is_http = "http2 header" in (error.details() or "")  # a web server that asks for a password
    return error.code() == codes.UNAUTHENTICATED and not is_http


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
