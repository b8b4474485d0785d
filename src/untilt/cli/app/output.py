"""The output of commands: results to stdout, everything else to stderr."""

import codecs
import json
import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from untilt.cli.app.activity import is_dumb

if TYPE_CHECKING:
    from rich.console import Console
    from rich.segment import Segment


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


WIDE = 10_000
"""Columns if the output is not a terminal: lines are as long as their content."""

# Characters that move the cursor, change the terminal or reorder text: control characters except
# line feeds and tabs, and bidirectional marks.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

_ASCII_OF = {"·": "-", "–": "-", "−": "-", "…": "...", "×": "x", "→": "->", "«": '"', "»": '"'}


def safe(text: str) -> str:
    """Return the text made safe for a terminal: it may contain names from untrusted files.

    Control characters and bidirectional marks are shown as escapes such as \\x1b.
    """
    return _UNSAFE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


def print_json(document: dict[str, Any]) -> None:
    """Print one JSON object to stdout."""
    text = json.dumps(document, allow_nan=False, indent=2, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:  # another alphabet, or a file name that is not UTF-8
        text = json.dumps(document, allow_nan=False, indent=2)
    # In JSON these characters can occur only in strings, where the escape means the same.
    text = _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def stdout() -> "Console":
    """Return the console for results."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else WIDE
    return _console(width=width)


def print_lines(lines: Iterable[tuple[str, str]]) -> None:
    """Print lines of text, each with its style (`bold`, `dim` or empty), to stdout."""
    console = stdout()
    for text, style in lines:
        console.print(text, style=style or None, soft_wrap=True)


def stderr() -> "Console":
    """Return the console for progress and messages, which come as lines on a dumb terminal."""
    return _console(stderr=True, force_terminal=False if is_dumb() else None)


def say(message: str) -> None:
    """Print a line to stderr."""
    print(safe(message), file=sys.stderr)


def echo(message: str = "") -> None:
    """Print a line to stdout."""
    typer.echo(safe(message))


def warn(warning: str | None) -> None:
    """Print a warning, if there is one, to stderr."""
    if warning:
        say(f"warning: {' '.join(warning.split())}")


def quoted(path: Path | None) -> str:
    """Return the path as it can be pasted into a command line."""
    return shlex.quote(str(path))


def make_printable() -> None:
    """Let stdout and stderr of this process print anything, whatever their encoding and state.

    A character that the encoding lacks is spelled in ASCII or becomes a question mark. A closed
    stream is replaced by one that discards its output.
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
        """A console that leaves a broken pipe to the caller, and shows names safely."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

        def render(self, *given: Any, **more: Any) -> "Iterable[Segment]":
            # All printed text passes through here; Rich adds its own escapes later.
            for segment in super().render(*given, **more):
                is_safe = segment.control or not _UNSAFE.search(segment.text)
                yield segment if is_safe else segment._replace(text=safe(segment.text))

    # Names come from users' games and paths: brackets and colons in them are not markup.
    return Plain(highlight=False, markup=False, emoji=False, **options)
