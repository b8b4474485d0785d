"""The command that made a run: kept in `run.json` as it was typed, and quoted for a shell."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from untilt.display import shortened_text

PAGE_FILES = "untilt-spot-"
"""Folders of the spots that the page sends begin with this; they are removed after solving."""

_MAX_LENGTH = 4_000
_MAX_AXES = 20
_PYTHON: Mapping[str, Any] = {"argv": None}
_maker: ContextVar[Mapping[str, Any]] = ContextVar("maker", default=_PYTHON)


@contextmanager
def made_by(argv: Sequence[str] | None, cell: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Make runs that begin in this block record the words of their command; None for Python.

    A run of a grid also records its `cell`: the values of the axes.
    """
    grid = {} if cell is None else {"cell": dict(cell)}
    token = _maker.set({"argv": None if argv is None else list(argv), **grid})
    try:
        yield
    finally:
        _maker.reset(token)


def maker() -> dict[str, Any]:
    """Return what `run.json` says of the command that is running; see `made_by`."""
    return dict(_maker.get())


class Command(NamedTuple):
    """The command that made a run."""

    text: str | None
    """A line for a shell; None if there is none to show."""
    note: str
    """Why there is no command, or what to know about it; may be empty."""


def command_of(document: Mapping[str, Any]) -> Command:
    """Return the command that made a run; its `run.json` may come from a stranger."""
    if "argv" not in document:
        return Command(None, "an earlier version made this run, and did not keep its command")
    argv = document["argv"]
    notes = list(_notes(document))
    if argv is None:
        return Command(None, "; ".join(["made from Python; repeat it there", *notes]))
    if not _is_command(argv):
        return Command(None, "the command in run.json is damaged")
    # Each word stays one word, whatever it contains.
    text = shlex.join(argv)
    if len(text) > _MAX_LENGTH or not text.isprintable():
        return Command(None, "its command is too long to show, or cannot be printed")
    if PAGE_FILES in text:
        notes.append("started on the page, whose file of the spot is gone: solve it there again")
    return Command(text, "; ".join(notes))


def _is_command(argv: object) -> bool:
    return (
        isinstance(argv, list)
        and all(isinstance(word, str) for word in argv)
        and argv[:1] == ["untilt"]
    )


def _notes(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield what to know before repeating a run."""
    cell, reference = document.get("cell"), document.get("reference")
    if isinstance(cell, dict):
        values = (f"{name} {value}" for name, value in list(cell.items())[:_MAX_AXES])
        yield f"one run of a grid: {shortened_text(', '.join(values))}"
    if isinstance(reference, str) and re.search(r"[:/\\]|\.py", reference):
        yield f"this runs the code of {shortened_text(reference)}"
    hands = document.get("hands_before")
    if isinstance(hands, int) and hands:
        yield f"it continued a regret file of {hands:,} hands"
