"""Training push/fold, new or continued, with a regret file and a run folder."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from untilt.formats.base.files import path_of
from untilt.games.pushfold.learner import Settings
from untilt.runs.interrupt import Interrupted
from untilt.runs.kinds import TRAINING, read_task
from untilt.runs.kinds.kind import Changes, Means
from untilt.runs.pushfold.trainee import TrainingProgress
from untilt.runs.pushfold.training_material import Regrets, Training
from untilt.runs.pushfold.training_request import TrainingSubject
from untilt.runs.pushfold.training_start import Start, options_of, prepare
from untilt.runs.solve import begin, continued
from untilt.runs.stop import Stop
from untilt.runs.watching import Status, Watcher

DEFAULT_HANDS = 10_000_000
"""Hands in total if neither hands nor time are given."""


@dataclass(frozen=True)
class Moment:
    """The quality of the strategy after a number of hands."""

    hands: int
    seconds: float
    """Time spent playing in this run."""
    exploitability_mbb: float
    """Of the strategy that would play the next hand."""
    value_bb: float
    """The small blind's gain per hand if both play it."""
    is_mark: bool
    """Whether it is one of 1, 2, 5, 10 … thousand hands, or the last."""
    folder: Path | None = None
    """The run folder in which it is recorded."""


MomentWatcher = Callable[[Moment], None]


class TrainingInterrupted(KeyboardInterrupt):
    """Ctrl-C during a training, after `hands` hands.

    It can be continued from the regret file `path` or the run folder `folder`, unless both are
    None. `number` is the signal: SIGTERM and SIGHUP stop a training too.
    """

    def __init__(
        self,
        path: Path | None,
        hands: int,
        folder: Path | None = None,
        number: int = signal.SIGINT,
    ) -> None:
        super().__init__()
        self.path = path
        self.hands = hands
        self.folder = folder
        self.number = number


def train(
    start: Start,
    *,
    hands: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    path: Path | None = None,
    record: bool = False,
    output: Path | None = None,
    pace: float | None = None,
    watcher: MomentWatcher | None = None,
) -> Training:
    """Play until `hands` hands have been played in total, or for `seconds` seconds.

    The regrets are saved to `path` now and then and at the end. With `record`, a run folder
    (`output`, or runs/pushfold-train-{n}) records the training, and `resume_training` can
    continue it. `pace` slows the training down to take that many seconds, for watching. Raises
    TrainingInterrupted on Ctrl-C, after saving.
    """
    if hands is None and seconds is None:
        hands = DEFAULT_HANDS
    task = TRAINING.task(TrainingSubject(start.settings), iterations=hands, time=seconds)
    regrets = Regrets(start, path, threads)
    means = Means(_watching(watcher), regrets=regrets)
    is_saved = record or output is not None
    with _interruptible(regrets):
        found = begin(TRAINING, task, means, output=output, save=is_saved, pace=pace)
    assert isinstance(found, Training)
    return found


def resume_training(
    path: str | Path,
    *,
    hands: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    regret_file: Path | None = None,
    pace: float | None = None,
    watcher: MomentWatcher | None = None,
) -> Training:
    """Continue the training in the run folder `path`, bit for bit as if never stopped.

    It keeps its stop unless another one is given; a training that has reached its stop is only
    loaded. The regrets are also saved to `regret_file`, if given. The folder does not name that
    file, because it may come from an untrusted source and must not choose which files are written.
    """
    folder = path_of(path)
    settings, _ = read_training(folder)
    regrets = Regrets(prepare(regret_file, options_of(settings)), regret_file, threads)
    changes, means = Changes(hands, None, seconds), Means(_watching(watcher), regrets=regrets)
    with _interruptible(regrets):
        found = continued(TRAINING, folder, changes, means, pace=pace)
    assert isinstance(found, Training)
    return found


def read_training(path: str | Path) -> tuple[Settings, Stop]:
    """Return the settings and the stop of the training in the run folder `path`."""
    task, _ = read_task(path_of(path), TRAINING)
    settings: Settings = task.subject.settings
    return settings, task.stop


def _watching(watcher: MomentWatcher | None) -> Watcher:
    """Return a watcher of runs that tells `watcher` the moments."""

    def watch(status: Status) -> None:
        now = status.progress
        if watcher is not None and isinstance(now, TrainingProgress):
            watcher(Moment(*now.mark, is_mark=now.is_mark, folder=status.folder))

    return watch


@contextmanager
def _interruptible(regrets: Regrets) -> Iterator[None]:
    """Say of a training that was stopped what is saved of it."""
    try:
        yield
    except Interrupted as stopped:
        hands = (stopped.iteration or 0) if regrets.path is None else regrets.saved_hands
        raise TrainingInterrupted(regrets.path, hands, stopped.path, stopped.number) from None
