"""A kind of run: what it works on, and how it is begun, continued, loaded and shown.

A kind is one file. It imports what it needs in its functions, because the page and the commands ask
all kinds without using most of them.
"""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from untilt.errors import InvalidOption
from untilt.formats.base.files import shown
from untilt.formats.kinds.strategy_file import FILE_NAME

if TYPE_CHECKING:
    from untilt.formats.run.run_file import RunRecord
    from untilt.game.protocol import Game
    from untilt.games.holdem.solutions.solution import Solution
    from untilt.result import Run
    from untilt.runs.games.material import Material
    from untilt.runs.pushfold.training_material import Regrets
    from untilt.runs.task import RunTask
    from untilt.runs.watching import Watcher


class Changes(NamedTuple):
    """The changes with which a run is continued."""

    iterations: int | None = None
    target: str | float | None = None
    time: float | None = None
    """Seconds in all."""
    threads: int | None = None
    target_max: float | None = None
    """The largest residual of quantal response in spots."""

    @property
    def have_stop(self) -> bool:
        """Whether there is a new stop."""
        return any(bound is not None for bound in (*self[:3], self.target_max))

    def verify_no_target(self) -> None:
        """Raise InvalidOption if there is a target, for runs whose exploitability is unknown."""
        if self.target is not None:
            raise InvalidOption.of("target", self.target, "give iterations or time")


class Means(NamedTuple):
    """The circumstances of a run; nothing of them changes the result."""

    watcher: "Watcher"
    folder: Path | None = None
    """Where it is saved."""
    max_nodes: int | None = None
    """The most histories of a game that are walked."""
    game: "Game | str | None" = None
    """The game of a continued run, if its folder does not hold it."""
    trust: bool = False
    """Whether code that the folder names may run."""
    cluster: Any = None
    """Makes what computes a part of it elsewhere: a `CrewMaker` or a `WalkerMaker`."""
    regrets: "Regrets | None" = None
    """Where a training of push/fold begins, and its regret file."""
    start: "Solution | None" = None
    """The solution with whose strategies a spot begins."""


class RunKind(ABC):
    """A kind of run; see the module."""

    name: ClassVar[str]
    """As written in run.json."""
    noun: ClassVar[str]
    """With its article, such as `a solved spot`."""
    command: ClassVar[str]
    """Begins such a run, and continues it with --resume."""
    steps: ClassVar[str] = "iterations"
    """What the iterations of such a run are, in a word."""
    shown_by: ClassVar[str] = "show"
    """The command that shows its result."""
    result_file: ClassVar[str] = FILE_NAME
    """The file of its folder that holds the result."""
    views: ClassVar[frozenset[str]]
    """The views that the page may offer, by name; each looks whether it has something to show."""
    means: ClassVar[frozenset[str]] = frozenset()
    """The fields of `Means` that a user may give."""
    is_of_game: ClassVar[bool] = False
    """Whether it gives a strategy by the infosets of a compiled game, a `GameRun`."""
    has_title: ClassVar[bool] = False
    """Whether lists show its title instead of game and parameters, which are whole documents."""
    is_whole_or_nothing: ClassVar[bool] = False
    """Whether a folder without the result is what a killed process left, to be used again."""
    is_from_elsewhere: ClassVar[bool] = False
    """Whether such folders are made of what other programs wrote, so that no command is known."""
    takes_the_rest: ClassVar[bool] = False
    """Whether it is asked after all others, and takes what they do not."""

    def advice(self, folder: Path) -> str:
        """Return how to look at a run, and how to continue it, in words."""
        return (
            f"look at it with `untilt {self.shown_by} {shown(folder)}`, continue it with "
            f"`untilt {self.command} --resume {shown(folder)}`"
        )

    def played_otherwise(self, folder: Path) -> str:
        """Return what a run that is not of a game is, and how it is played, in words."""
        return f"holds {self.noun}, which cannot be played; {self.advice(folder)}"

    def takes(self, subject: object) -> bool:
        """Whether `subject` is what such a run works on: by default, whether it says so."""
        return getattr(type(subject), "kind", None) == self.name

    @abstractmethod
    def task(self, subject: Any, /, **arguments: Any) -> "RunTask[Any]":
        """Return the checked task for a subject and the other arguments of `solve`."""

    @abstractmethod
    def read(self, record: "RunRecord") -> "RunTask[Any]":
        """Return the checked task that a run.json describes; raise FormatError if it is damaged."""

    def folder_name(self, task: "RunTask[Any]") -> tuple[str, str]:
        """Return the parts of the name of a run folder, before its number."""
        return task.game, task.method

    @abstractmethod
    def prepare(self, task: "RunTask[Any]", means: Means) -> "Material[Any]":
        """Return the material of a new run."""

    def changed(
        self, task: "RunTask[Any]", folder: Path, changes: Changes, means: Means
    ) -> "RunTask[Any]":
        """Return the task of a continued run with the changes.

        Raises InvalidOption or RunError if the run cannot be continued like that.
        """
        from dataclasses import replace

        from untilt.runs.stop import make_stop

        if changes.threads is not None:
            raise InvalidOption.of("threads", changes.threads, "this kind of run has none")
        if not changes.have_stop:
            return task
        if isinstance(changes.target, str):
            raise InvalidOption.of("target", changes.target, "give a number")
        return replace(task, stop=make_stop(changes.iterations, changes.target, changes.time))

    def reopen(self, task: "RunTask[Any]", record: "RunRecord", means: Means) -> "Material[Any]":
        """Return the material of a continued run, whose solver is not restored yet."""
        return self.prepare(task, means)

    def finished(
        self, task: "RunTask[Any]", record: "RunRecord", means: Means
    ) -> "Run[Any] | None":
        """Return the run without solving anything; None if it has no result yet."""
        return None

    @abstractmethod
    def load(self, record: "RunRecord", watcher: "Watcher") -> "Run[Any]":
        """Return the run of a folder; of an interrupted one, its last checkpoint."""
