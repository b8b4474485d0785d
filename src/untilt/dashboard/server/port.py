"""Finding a port on loopback. This module imports nothing heavy."""

import socket
import sys

from untilt.errors import Argument, InvalidOption

LOOPBACK = "127.0.0.1"
DEFAULT_PORT = 8080

_PORTS_TRIED = 100


def listening_socket(port: int | None) -> socket.socket:
    """Return a socket that listens on `port` of loopback, so no other machine can connect.

    Without a port it is 8080 or the next free one; 0 is any free one. Raises InvalidOption if
    the given port is taken.
    """
    if port is not None:
        if not 0 <= port <= 65_535:
            raise InvalidOption.of("port", port, "it must be 0 (any free one) to 65535")
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
            bound.listen()  # clients can connect from now on, and are answered shortly
        except OSError as error:
            bound.close()
            reason = error.strerror or str(error)
        else:
            return bound
    if port is None:
        raise InvalidOption(
            f"no port from {DEFAULT_PORT} to {candidates[-1]} is free ({reason}); give one with ",
            Argument("port"),
            ", or 0 for any free one",
        )
    raise InvalidOption(
        Argument("port", port),
        f" cannot be used ({reason}); choose another, or 0 for any free one",
    )
