"""The task of a run: what it works on, how, and until when; in memory, and as `run.json`.

The subject is the object itself. It becomes data only where a run is written or sent to another
process, and is made from data only where a run is read.
"""

import datetime
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from untilt import __version__
from untilt.errors import InvalidOption
from untilt.formats.run.run_command import maker
from untilt.formats.run.run_file import FORMAT, USUAL_KIND
from untilt.game.terms import Terms
from untilt.number import from_plain, plain
from untilt.options.option import Options
from untilt.runs.stop import Stop


class Subject(Protocol):
    """The subject of a run."""

    kind: ClassVar[str]
    """The kind of run, as written in run.json."""

    @property
    def game(self) -> str:
        """Short name of the game."""
        ...

    @property
    def title(self) -> str:
        """Its name for people."""
        ...

    @property
    def reference(self) -> str | None:
        """A reference that resolves to the game; None for what only Python can make."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The subject as data."""
        ...

    @property
    def terms(self) -> Terms:
        """The words that the game uses, such as the unit of its payoffs."""
        ...

    @property
    def abstraction(self) -> Mapping[str, Any] | None:
        """What an abstract game is made of, with its fingerprint; None for any other subject."""
        ...

    def lasting(self, method: str, options: Options) -> Options:
        """Return the options on which the result depends, as checkpoints record them."""
        ...


Subject_co = TypeVar("Subject_co", bound=Subject, covariant=True)


@dataclass(frozen=True)
class RunTask(Generic[Subject_co]):
    """Everything that determines a run."""

    subject: Subject_co
    method: str
    options: Options
    stop: Stop
    seed: int = 0
    horizon: int | None = None
    """Iterations planned when the run began, if any. Schedules depend on it, so it stays the same
    when a resumed run gets another stop."""

    @property
    def kind(self) -> str:
        """The kind of run, as written in run.json."""
        return self.subject.kind

    @property
    def game(self) -> str:
        """Short name of the game."""
        return self.subject.game

    @property
    def title(self) -> str:
        """Name of the subject for people."""
        return self.subject.title

    @property
    def reference(self) -> str | None:
        """A reference that resolves to the game; None for what only Python can make."""
        return self.subject.reference

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The subject as data."""
        return self.subject.parameters

    @property
    def terms(self) -> Terms:
        """The words that the game uses, such as the unit of its payoffs."""
        return self.subject.terms

    @property
    def abstraction(self) -> Mapping[str, Any] | None:
        """What an abstract game is made of, with its fingerprint; None for any other subject."""
        return self.subject.abstraction

    def identity(self) -> dict[str, Any]:
        """Return what a checkpoint must have in common with the run, apart from the game."""
        return {
            "method": self.method,
            "options": plain(self.subject.lasting(self.method, self.options)),
            "horizon": self.horizon,
            "seed": self.seed,
        }


def describe(task: RunTask[Subject], fingerprint: str) -> dict[str, Any]:
    """Return the content of `run.json`."""
    return {
        **describe_origin(),
        "game": task.game,
        "title": task.title,
        "reference": task.reference,
        "parameters": plain(task.parameters),
        "stop": task.stop.to_json(),
        **task.identity(),
        "options": plain(task.options),
        "fingerprint": fingerprint,
        "terms": task.terms.to_json(),
        **({} if task.abstraction is None else {"abstraction": dict(task.abstraction)}),
        **({} if task.kind == USUAL_KIND else {"kind": task.kind}),
    }


def describe_origin() -> dict[str, Any]:
    """Return when, by which command and version, and on which machine a folder is written.

    All `run.json` files have this part.
    """
    from importlib.metadata import version

    return {
        "format": FORMAT,
        **maker(),
        "untilt": __version__,
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": {
            "system": platform.system(),
            "processor": platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "numpy": np.__version__,
            "numba": version("numba"),
        },
    }


def plain_options(given: Mapping[str, Any]) -> Options:
    """Return the options of a run.json as they were before `plain`; raise InvalidOption."""
    return {name: _option(value) for name, value in given.items()}


def _option(value: Any) -> float | int | str:
    value = from_plain(value)
    if not isinstance(value, float | int | str) or (isinstance(value, int) and abs(value) > 2**63):
        raise InvalidOption("an option is neither a string nor a number below 2⁶³")
    return value
