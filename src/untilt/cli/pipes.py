"""A reader who has seen enough: `untilt solve … | head` prints less and does no less."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def printing() -> Iterator[None]:
    """Print inside the block; if the reader of stdout goes away, what is left goes nowhere.

    So the exit status of a command does not depend on who reads its output.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        abandon_stdout()


def abandon_stdout() -> None:
    """Send what is still to be written to stdout nowhere, lest its last flush complain again."""
    with suppress(OSError, ValueError):  # a stdout without a descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
