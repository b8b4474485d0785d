"""Broken pipes: `untilt solve … | head` prints less but does the same work."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def printing() -> Iterator[None]:
    """Print inside the block; if the reader of stdout goes away, discard the remaining output.

    The exit status of a command then does not depend on who reads its output.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        abandon_stdout()


def abandon_stdout() -> None:
    """Discard any further output to stdout, so that its last flush does not fail again."""
    with suppress(OSError, ValueError):  # a stdout without a descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
