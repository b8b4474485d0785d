"""Where commands print: results to stdout, everything else to stderr."""

import codecs
import json
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

WIDE = 10_000
"""Columns where output is no terminal: lines are as long as their content."""

_ASCII_OF = {"·": "-", "–": "-", "−": "-", "…": "...", "×": "x", "→": "->", "«": '"', "»": '"'}


def print_json(document: dict[str, Any]) -> None:
    """Print one JSON object to stdout."""
    text = json.dumps(document, allow_nan=False, indent=2, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:  # another alphabet, or a file name that is not UTF-8
        text = json.dumps(document, allow_nan=False, indent=2)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def stdout() -> "Console":
    """Return the console for results."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else WIDE
    return _console(width=width)


def stderr() -> "Console":
    """Return the console for progress and messages."""
    return _console(stderr=True)


def say(message: str) -> None:
    """Print a line to stderr."""
    print(message, file=sys.stderr)


def warn(warning: str | None) -> None:
    """Print a warning, if there is one, to stderr."""
    if warning:
        say(f"warning: {' '.join(warning.split())}")


def quoted(path: Path | None) -> str:
    """Return the path as it can be pasted into a command line."""
    return shlex.quote(str(path))


def make_printable() -> None:
    """Let stdout and stderr of this process print anything, whatever their encoding and state.

    What an encoding lacks is spelled in ASCII, or becomes a question mark; a stream that is
    closed becomes one that swallows everything.
    """
    codecs.register_error("untilt", _spelled)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="untilt")


def _spelled(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(_ASCII_OF.get(character, "?") for character in missing), error.end


def _console(**options: Any) -> "Console":
    from rich.console import Console

    class Plain(Console):
        """A console that leaves a broken pipe to the caller."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    # Names come from users' games and paths: brackets and colons in them are no markup.
    return Plain(highlight=False, markup=False, emoji=False, **options)
