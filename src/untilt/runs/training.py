"""Driving the push/fold regret learner: stops, exploitability on the way, saving, continuing.

A run ends only between two batches, unless `hands` is inside one, so that one that was stopped
and continued has the same bits as one that never stopped.
"""

import signal
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from untilt import __version__
from untilt.errors import Argument, FormatError, InvalidOption, RunError, UntiltError
from untilt.evaluation.best_response import Evaluation, evaluate_plans
from untilt.formats.files import remove_leftovers_of, shown
from untilt.formats.regret_file import (
    Origin,
    RegretFile,
    checksum_of,
    read_regrets,
    sidecar_of,
    was_never_written,
    write_regrets,
)
from untilt.game.sequence_form import SequenceForm
from untilt.games.pushfold.form import build_form
from untilt.games.pushfold.game import Stakes
from untilt.games.pushfold.learner import (
    MAX_HANDS,
    RegretLearner,
    Settings,
    acting_probabilities,
    batch_at,
    end_of_batch,
)
from untilt.games.pushfold.regret_code import RegretCode
from untilt.numeric.arrays import Floats
from untilt.runs.interrupt import DeferredInterrupt, Impatient, signal_of, undone_at_exit
from untilt.runs.pace import Pace
from untilt.runs.stop import Stop
from untilt.runs.training_folder import TrainingFolder
from untilt.solvers.progress import Progress, next_moment

DEFAULT_HANDS = 10_000_000
"""In all, if neither hands nor time are given."""

SAVE_SECONDS = 5.0
_LOOK_SECONDS = 0.1
"""About how long hands are played between two looks at the clock and at Ctrl-C."""
_FIRST_LOOK = 100_000
_FIRST_MARK = 1_000


@dataclass(frozen=True)
class Moment:
    """How good the strategy is after so many hands."""

    hands: int
    seconds: float
    """Spent with playing in this run."""
    exploitability_mbb: float
    """Of the strategy that the next hand would be played with."""
    value_bb: float
    """The small blind's gain per hand if both play it."""
    is_mark: bool
    """Whether it is one of 1, 2, 5, 10 … thousand hands, or the last."""
    folder: Path | None = None
    """The run folder in which it is recorded."""


Watcher = Callable[[Moment], None]


@dataclass(frozen=True)
class Training:
    """A finished run of the learner."""

    settings: Settings
    threads: int
    probabilities: Floats
    """[2, 169] of pushing and calling, in the order of the grid."""
    moments: tuple[Moment, ...]
    """Those that are marks, the last one at the end."""
    hands_before: int
    """Hands that the file had already."""
    path: Path | None
    folder: Path | None
    """The run folder in which it was recorded."""
    num_cut: int
    notes: tuple[str, ...] = ()
    """What the user should know."""

    @property
    def hands(self) -> int:
        """Hands in all."""
        return self.moments[-1].hands

    @property
    def seconds(self) -> float:
        """Time spent with playing."""
        return self.moments[-1].seconds


class TrainingInterrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `path` holds what was learned in `hands` hands, if it is not None.

    `folder` is the run folder in which it was recorded, if it was; `number` is the signal, as
    SIGTERM and SIGHUP stop a run too.
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


@dataclass
class Start:
    """From where a run begins."""

    settings: Settings
    file: RegretFile | None = None
    hands: int = 0
    notes: list[str] = field(default_factory=list)


def learned_strategy(path: Path) -> tuple[Floats, Settings | None]:
    """Return [2, 169] how often a regret file pushes and calls, in the order of the grid.

    Also what it was trained with; None for a bare file, which is taken as 338 linear regrets of
    4 bytes.
    """
    file = read_regrets(path)
    if file.origin is None:
        return acting_probabilities(file.codes), None
    settings = _settings(_own_options(path, file.origin))
    return acting_probabilities(file.codes, settings.code), settings


def prepare(path: Path | None, given: Mapping[str, Any]) -> Start:
    """Return the settings of a new file, or those with which the one at `path` goes on.

    `given` are the options that the user has chosen: stack, seed, batch, choice, boards, bytes,
    growth. An existing file refuses those that differ from its own.
    """
    asked = _settings({**_options(Settings()), **given})
    if path is None:
        return Start(asked)
    if not path.exists():
        if sidecar_of(path).exists() and not was_never_written(path):
            raise FormatError(
                f"{shown(sidecar_of(path))} is there but {shown(path)} is not; bring back the "
                "data, or remove the sidecar to begin anew"
            )
        return Start(asked)
    file = read_regrets(path, num_bytes=asked.code.num_bytes, num_regrets=asked.num_regrets)
    if file.origin is None:
        note = (
            f"{shown(path)} has no sidecar: its stack, hands played and seed are unknown; taken "
            f"for {asked.stack:g} bb, counted from hand 0 with seed {asked.seed} (give another "
            "seed if it has played those hands already)"
        )
        return Start(asked, file, 0, [note])
    own = _own_options(path, file.origin)
    for name, value in given.items():
        if own[name] != value:
            raise InvalidOption(
                Argument(name),
                f" is {_text(value)}, but {shown(path)} was begun with {_text(own[name])}; "
                "leave it out, or give another file",
            )
    return Start(_settings(own), file, file.origin.hands)


def _options(settings: Settings) -> dict[str, Any]:
    return {
        "stack": settings.stack,
        "seed": settings.seed,
        "batch": settings.batch,
        "choice": settings.choice,
        "boards": settings.boards,
        "bytes": settings.code.num_bytes,
        "growth": settings.code.growth,
    }


def _settings(options: Mapping[str, Any]) -> Settings:
    code = RegretCode(options["bytes"], options["growth"])
    names = ("seed", "batch", "choice", "boards")
    return Settings(float(options["stack"]), **{name: options[name] for name in names}, code=code)


def _own_options(path: Path, origin: Origin) -> dict[str, Any]:
    own = {name: value for name, value in asdict(origin).items() if name in _options(Settings())}
    own["stack"] = origin.stack_bb
    try:
        _settings(own)
    except UntiltError as error:
        raise FormatError(f"{shown(sidecar_of(path))}: {error}") from error
    return own


def _text(value: object) -> str:
    return f"{value:,g}" if isinstance(value, float) else str(value)


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
    watcher: Watcher | None = None,
) -> Training:
    """Play until `hands` hands have been played in all or for so many `seconds`.

    What is learned is saved to `path` now and then and at the end. With `record` a run folder
    (`output`, or runs/pushfold-train-{n}) shows how it was learned; `pace` stretches it over so
    many seconds, for watching. Raises TrainingInterrupted on Ctrl-C, after saving.
    """
    if hands is not None and not 1 <= hands <= MAX_HANDS:
        raise InvalidOption.of("hands", hands, f"use an integer from 1 to {MAX_HANDS:,}")
    if seconds is not None and not 0.0 < seconds < float("inf"):
        raise InvalidOption.of("seconds", seconds, "use a positive number of seconds")
    if hands is None:
        hands = DEFAULT_HANDS if seconds is None else MAX_HANDS
    stop = Stop(None if hands == MAX_HANDS else hands, seconds=seconds)
    paced = None if pace is None else Pace(pace, stop, {})
    with ExitStack() as stack:
        folder = None
        if record or output is not None:
            folder = stack.enter_context(TrainingFolder(output, start.settings, stop, paced))
            stack.enter_context(undone_at_exit(partial(folder.__exit__, SystemExit)))
        drive = _Drive(start, threads, path, folder, paced, watcher)
        return drive.run(hands, seconds or float("inf"))


class _Drive:
    """One learner on its way."""

    def __init__(
        self,
        start: Start,
        threads: int,
        path: Path | None,
        folder: TrainingFolder | None,
        pace: Pace | None,
        watcher: Watcher | None,
    ) -> None:
        self._start = start
        self._threads = threads
        self._path = path
        self._folder = folder
        self._pace = pace
        self._watcher = watcher
        codes = None if start.file is None else start.file.codes
        self._learner = RegretLearner(start.settings, codes, start.hands, threads)
        self._form = build_form(Stakes(start.settings.stack))
        self._file = start.file
        self._saved_hands = start.hands
        self._seconds = 0.0
        self._moments: list[Moment] = []
        self._look = _FIRST_LOOK

    def run(self, hands: int, seconds: float) -> Training:
        self._learner.warm_up()
        learner, notes = self._learner, list(self._start.notes)
        if learner.hands >= hands:
            notes.append(
                f"{learner.hands:,} hands have been played already; ask for more hands to go on"
            )
        elif self._path is not None:
            for path in (self._path, sidecar_of(self._path)):
                remove_leftovers_of(path)
            self._save()  # a place that cannot be written is said at once
        with DeferredInterrupt() as interrupt:
            saved_at = time.monotonic()
            if self._pace is not None:
                self._pace.begin()
            try:
                while learner.hands < hands and self._seconds < seconds:
                    self._play(hands)
                    is_last = learner.hands >= hands or self._seconds >= seconds
                    moment = self._measure(is_last=is_last)
                    interrupt.check()
                    if self._pace is not None and not is_last:
                        now = Progress(moment.hands, moment.seconds, evaluation=None, regret=None)
                        self._pace.wait(now, interrupt.check)
                    if time.monotonic() - saved_at >= SAVE_SECONDS:
                        self._save()
                        saved_at = time.monotonic()
                if learner.hands > self._start.hands:
                    self._save()
                interrupt.check()
            except KeyboardInterrupt as error:
                if not isinstance(error, Impatient):
                    self._save()
                folder = None if self._folder is None else self._folder.path
                hands = self._saved_hands if self._path is not None else learner.hands
                number = signal_of(error)
                raise TrainingInterrupted(self._path, hands, folder, number) from None
        if not self._moments:
            self._measure(is_last=True)
        return Training(
            settings=self._start.settings,
            threads=self._threads,
            probabilities=learner.probabilities(),
            moments=tuple(self._moments),
            hands_before=self._start.hands,
            path=self._path,
            folder=None if self._folder is None else self._folder.path,
            num_cut=learner.num_cut,
            notes=tuple(notes),
        )

    def _play(self, hands: int) -> None:
        """Play to the next mark or look at the clock, always whole batches except at the end."""
        learner = self._learner
        stop = min(next_mark(learner.hands), learner.hands + self._look)
        if self._folder is not None:  # who watches wants to see more; the batches stay the same
            stop = min(stop, next_moment(learner.hands))
        until = min(end_of_batch(stop, self._start.settings.batch), hands)
        count = until - learner.hands
        begin = time.perf_counter()
        learner.advance(until)
        spent = time.perf_counter() - begin
        self._seconds += spent
        # Halved at most and doubled at most: one slow look says little.
        ideal = count * _LOOK_SECONDS / max(spent, 1e-9)
        self._look = int(min(max(ideal, self._look / 2, 1_000), self._look * 2))

    def _measure(self, *, is_last: bool) -> Moment:
        learner, batch = self._learner, self._start.settings.batch
        probabilities = learner.probabilities()
        found = evaluate_strategy(self._form, probabilities)
        # The first end of a batch at or after a mark stands for it.
        size = batch_at(max(learner.hands - 1, 0), batch)
        is_mark = next_mark(learner.hands - size) <= learner.hands or is_last
        moment = Moment(
            hands=learner.hands,
            seconds=self._seconds,
            exploitability_mbb=1e3 * found.exploitability,
            value_bb=found.value,
            is_mark=is_mark,
            folder=None if self._folder is None else self._folder.path,
        )
        if is_mark:
            self._moments.append(moment)
        if self._folder is not None:
            self._folder.record(moment, probabilities)
        if self._watcher is not None:
            self._watcher(moment)
        return moment

    def _save(self) -> None:
        if self._path is None:
            return
        before = None if self._file is None else self._file.checksum
        if checksum_of(self._path) != before:
            raise RunError(
                f"{shown(self._path)} was changed by another program meanwhile; it is left as it "
                "is: give another file"
            )
        options = _options(self._start.settings)
        origin = Origin(
            stack_bb=options.pop("stack"),
            hands=self._learner.hands,
            **options,
            untilt=__version__,
        )
        codes = self._learner.codes
        checksum = write_regrets(self._path, codes, origin, self._file)
        self._file = RegretFile(codes, origin, checksum)
        self._saved_hands = self._learner.hands


def next_mark(hands: int) -> int:
    """Return the first of 1, 2, 5, 10, 20, 50 … thousand that is greater than `hands`."""
    power = _FIRST_MARK
    while 5 * power <= hands:
        power *= 10
    return next(mark for mark in (power, 2 * power, 5 * power) if mark > hands)


def evaluate_strategy(form: SequenceForm, probabilities: Floats) -> Evaluation:
    """Return value and best-response gains, in big blinds, for [2, 169] chances to act."""
    behaviours = _behaviour(probabilities[0]), _behaviour(probabilities[1])
    return evaluate_plans(form, form.plans(behaviours))


def _behaviour(acting: Floats) -> Floats:
    """Return the probability per sequence: none, then folding and acting class by class."""
    pairs = np.stack((1.0 - acting, acting), axis=1)
    return np.concatenate(([1.0], pairs.ravel()))
