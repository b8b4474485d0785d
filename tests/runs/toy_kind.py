"""A kind of run in one file, as CONTRIBUTING describes: how often a coin shows heads."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from untilt.charts.figures.run_curves import RunCurve
from untilt.formats.run.progress_table import ProgressTable
from untilt.formats.run.run_file import RunRecord
from untilt.formats.run.run_folder import RunFolder
from untilt.game.terms import Terms
from untilt.numeric.arrays import AnyArray
from untilt.options.option import Options
from untilt.result import Run
from untilt.runs.games.material import Material, Times
from untilt.runs.kinds.kind import Means, RunKind
from untilt.runs.recorder import Recorder
from untilt.runs.restoring import restore_solver
from untilt.runs.stop import Stop, make_stop
from untilt.runs.task import RunTask
from untilt.runs.watching import Watcher
from untilt.solvers.progress import Progress
from untilt.solvers.saved_state import array_of


@dataclass(frozen=True)
class Coin:
    """A coin that shows heads with probability `heads`."""

    heads: float

    kind: ClassVar[str] = "coin"
    game: ClassVar[str] = "coin"
    title: ClassVar[str] = "A coin"
    reference: ClassVar[None] = None
    terms: ClassVar[Terms] = Terms()
    abstraction: ClassVar[None] = None

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The coin as data."""
        return {"heads": self.heads}

    def lasting(self, method: str, options: Options) -> Options:
        """Return the options on which the result depends: all."""
        return options


@dataclass(frozen=True)
class CoinRun(Run[float]):
    """The share of heads so far."""

    request: RunTask[Coin]
    path: Path | None
    iterations: int
    num_heads: int
    seconds: float = field(compare=False)
    is_finished: bool = True
    recorded: ProgressTable = field(default_factory=lambda: ProgressTable(()), compare=False)

    @property
    def result(self) -> float:
        """The share of heads."""
        return self.num_heads / self.iterations

    @property
    def progress(self) -> ProgressTable:
        """How often it was thrown by then."""
        return self.recorded

    @property
    def curve(self) -> RunCurve:
        """The throws with what a figure says about them."""
        task = self.request
        return RunCurve(
            task.title, task.method, task.parameters, self.path, "chips", None, self.progress
        )

    def to_json(self) -> dict[str, Any]:
        """Return the run as plain data."""
        times = {"seconds": self.seconds, "compile_seconds": 0.0, "total_seconds": self.seconds}
        return {"iterations": self.iterations, "heads": self.num_heads, **times}


class Thrower:
    """Throws the coin: the solver of such a task."""

    is_at_moment = True

    def __init__(self, task: RunTask[Coin]) -> None:
        self.seconds = 0.0
        self.iteration = self.num_heads = 0
        self._task = task

    def warm_up(self) -> None:
        """There is nothing to compile."""

    def progress(self, until: int | None = None) -> Iterator[Progress]:
        """Throw it once at a time."""
        while until is None or self.iteration < until:
            draw = np.random.default_rng((self._task.seed, self.iteration)).random()
            self.num_heads += int(draw < self._task.subject.heads)
            self.iteration += 1
            self.seconds += 1e-6
            yield Progress(self.iteration, self.seconds, None, None, drift=1.0 / self.iteration)

    def outcome(self) -> dict[str, Any]:
        """There is no more to say."""
        return {}

    def state(self) -> dict[str, AnyArray]:
        """Return what `restore` takes."""
        return {"counts": np.array([self.iteration, self.num_heads])}

    def restore(self, state: Mapping[str, AnyArray]) -> None:
        """Continue from a saved state."""
        self.iteration, self.num_heads = array_of(state, "counts", (2,), np.int64).tolist()


class CoinMaterial(Material[CoinRun]):
    """A task with its thrower."""

    fingerprint = "coin"

    def __init__(self, task: RunTask[Coin]) -> None:
        self.request: RunTask[Coin] = task
        self.solver: Thrower = Thrower(task)

    def run(self, path: Path | None, rows: ProgressTable, *, is_finished: bool) -> CoinRun:
        """Return what has been thrown so far."""
        thrown = self.solver
        counts = thrown.iteration, thrown.num_heads
        return CoinRun(self.request, path, *counts, thrown.seconds, is_finished, rows)

    def finish(self, recorder: Recorder, times: Times) -> CoinRun:
        """Write the result, and return it."""
        run = self.run(recorder.folder, recorder.progress(), is_finished=True)
        recorder.finish(run.to_json())
        return run


class CoinKind(RunKind):
    """Throwing a coin."""

    name: ClassVar[str] = "coin"
    noun: ClassVar[str] = "a coin"
    command: ClassVar[str] = "coin"
    steps: ClassVar[str] = "tosses"
    result_file: ClassVar[str] = "result.json"
    views: ClassVar[frozenset[str]] = frozenset({"convergence", "facts"})

    def task(self, subject: Coin, /, seed: int = 0, **stops: Any) -> RunTask[Coin]:
        """Return the task of throwing a coin."""
        return RunTask(subject, "thrown", {}, make_stop(**stops), seed)

    def read(self, record: RunRecord) -> RunTask[Coin]:
        """Return the task that a run.json describes."""
        record.verify("parameters", "stop", "seed")
        coin = Coin(record.parameters["heads"])
        return RunTask(coin, record.method, {}, Stop(**asdict(record.stop)), record.seed or 0)

    def prepare(self, task: RunTask[Coin], means: Means) -> CoinMaterial:
        """Return the material of a task."""
        return CoinMaterial(task)

    def load(self, record: RunRecord, watcher: Watcher) -> CoinRun:
        """Return the run of a folder."""
        files = RunFolder(record.path.parent)
        material = CoinMaterial(self.read(record))
        restore_solver(
            material.request, material.solver, files.path, material.fingerprint, lambda: True
        )
        rows = ProgressTable.read(files.progress_file)
        return material.run(files.path, rows, is_finished=files.result_file.exists())
