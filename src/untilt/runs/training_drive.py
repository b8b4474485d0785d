"""The loop of a training: the learner plays; the drive checks the clock and records moments.

A run ends only between two batches, unless `hands` falls inside one. A run that was stopped and
continued therefore has the same bits as one that never stopped.
"""

import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from untilt import __version__
from untilt.errors import RunError
from untilt.evaluation.best_response import evaluate
from untilt.formats.files import remove_leftovers_of, shown
from untilt.formats.progress import progress_row
from untilt.formats.regret_file import (
    Origin,
    RegretFile,
    checksum_of,
    sidecar_of,
    write_regrets,
)
from untilt.game.compiled import CompiledGame
from untilt.game.compiled import compile as compile_game
from untilt.game.snapshot import frame_length
from untilt.games.pushfold.game import PushFold, Stakes
from untilt.games.pushfold.learner import (
    RegretLearner,
    Settings,
    batch_at,
    end_of_batch,
)
from untilt.numeric.arrays import Floats
from untilt.runs.interrupt import DeferredInterrupt, signal_of
from untilt.runs.loading import restore_solver
from untilt.runs.pace import Pace, seconds_left
from untilt.runs.recorder import Recorder, State
from untilt.runs.request import TrainingRequest, describe
from untilt.runs.run import Run
from untilt.runs.trainee import Trainee
from untilt.runs.training_start import Start, options_of
from untilt.solvers.moments import next_moment
from untilt.solvers.progress import Progress

SAVE_SECONDS = 5.0
_LOOK_SECONDS = 0.1
"""Roughly how long hands are played between two checks of the clock and of Ctrl-C."""
_FIRST_LOOK = 100_000
_FIRST_MARK = 1_000


@dataclass(frozen=True)
class Moment:
    """How good the strategy is after a number of hands."""

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


@dataclass(frozen=True)
class Training:
    """A finished run of the learner."""

    settings: Settings
    threads: int
    probabilities: Floats
    """[2, 169] of pushing and calling, in the order of the grid."""
    moments: tuple[Moment, ...]
    """The marks; the last one is at the end."""
    hands_before: int
    """Hands that the regret file already had."""
    path: Path | None
    folder: Path | None
    """The run folder in which it was recorded."""
    num_cut: int
    notes: tuple[str, ...] = ()
    """What the user should know."""

    @property
    def hands(self) -> int:
        """Hands in total."""
        return self.moments[-1].hands

    @property
    def seconds(self) -> float:
        """Time spent playing."""
        return self.moments[-1].seconds


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


class TrainingDrive:
    """One learner on its way to the stop of its request."""

    def __init__(
        self,
        start: Start,
        request: TrainingRequest,
        threads: int,
        path: Path | None,
        recorder: Recorder,
        pace: Pace | None,
        watcher: MomentWatcher | None,
        game: CompiledGame | None = None,
    ) -> None:
        codes = None if start.file is None else start.file.codes
        learner = RegretLearner(start.settings, codes, start.hands, threads)
        self._trainee = Trainee.of(learner)
        self._settings = start.settings
        self._request = request
        self._path = path
        self._recorder = recorder
        self._pace = pace
        self._watcher = watcher
        self._file = start.file
        self._hands_before = self._saved_hands = start.hands
        self._notes = list(start.notes)
        self._marks: list[Moment] = []
        self._first: Moment | None = None
        self._look = _FIRST_LOOK
        learner.warm_up()
        if recorder.folder is not None:
            self._game = game or compile_game(PushFold(Stakes(start.settings.stack)))
            recorder.keep_frames(frame_length(self._game.infosets))

    def begin(self) -> None:
        """Begin a new training; fail at once if a file cannot be written."""
        if not self._is_reached():
            self._save_file()
        if self._recorder.folder is not None:
            document = describe(self._request, self._game.fingerprint())
            document["hands_before"] = self._hands_before
            self._recorder.begin(document, self._game)

    def restore(self, folder: Path, hands_before: int) -> None:
        """Continue from the folder's checkpoint, or from the beginning if there is none.

        It began with a regret file of `hands_before` hands, 0 without a file.
        """
        loaded, times = restore_solver(
            self._request,
            self._trainee,
            folder,
            self._game.fingerprint(),
            lambda: self._trainee.snapshot().is_sound(),
        )
        hands = self._trainee.iteration
        if self._saved_hands > (hands_before if loaded is None else hands):
            raise RunError(
                f"{shown(self._path or folder)} has been trained further than {shown(folder)}; "
                "continue with the file alone: untilt pushfold train --regret-file FILE"
            )
        if loaded is None and hands != hands_before:
            raise RunError(
                f"{shown(folder)} has no checkpoint yet, and began with a regret file of "
                f"{hands_before:,} hands; start again from that file"
            )
        self._hands_before = hands_before
        if loaded is not None:
            marks = _marks_of(loaded.container.meta)
            self._marks = [Moment(*mark, is_mark=True, folder=folder) for mark in marks]
            if loaded.damage is not None:
                self._notes.append(loaded.damage)
        self._recorder.resume(loaded, hands, times["total_seconds"])

    def run(self) -> Training:
        """Play to the stop."""
        if self._path is not None:
            for path in (self._path, sidecar_of(self._path)):
                remove_leftovers_of(path)
        learner = self._trainee.learner
        if self._is_reached():
            self._notes.append(
                f"{learner.hands:,} hands have already been played; ask for more hands to continue"
            )
        with self._recorder.recording() as interrupt:
            try:
                self._loop(interrupt)
                if not self._marks:
                    self._measure(is_last=True)
                training = self._finish()
                interrupt.check()
            except KeyboardInterrupt as error:
                self._recorder.interrupt(error, self._save)
                raise self._interrupted(error) from None
        return training

    def training(self) -> Training:
        """Return the result of the training."""
        learner = self._trainee.learner
        return Training(
            settings=self._settings,
            threads=learner.threads,
            probabilities=learner.probabilities(),
            moments=tuple(self._marks),
            hands_before=self._hands_before,
            path=self._path,
            folder=self._recorder.folder,
            num_cut=learner.num_cut,
            notes=tuple(self._notes),
        )

    def _is_reached(self) -> bool:
        stop, trainee = self._request.stop, self._trainee
        return stop.is_reached(trainee.iteration, trainee.seconds, None)

    def _interrupted(self, error: KeyboardInterrupt) -> TrainingInterrupted:
        hands = self._trainee.iteration
        if self._path is not None:
            hands = self._saved_hands
        elif self._recorder.folder is not None:
            hands = self._recorder.saved_iteration or 0
        return TrainingInterrupted(self._path, hands, self._recorder.folder, signal_of(error))

    def _loop(self, interrupt: DeferredInterrupt) -> None:
        saved_at = time.monotonic()
        if self._pace is not None:
            self._pace.begin()
        while not self._is_reached():
            self._play()
            is_last = self._is_reached()
            moment = self._measure(is_last=is_last)
            interrupt.check()
            if self._pace is not None and not is_last:
                now = Progress(moment.hands, moment.seconds, evaluation=None, regret=None)
                self._pace.wait(now, interrupt.check)
            if self._path is not None and time.monotonic() - saved_at >= SAVE_SECONDS:
                self._save()
                saved_at = time.monotonic()
            self._recorder.keep_up(self._state)

    def _play(self) -> None:
        """Play to the next moment or clock check, in whole batches except at the end."""
        learner = self._trainee.learner
        stop = min(next_mark(learner.hands), learner.hands + self._look)
        if self._recorder.folder is not None:  # for viewers; the batches stay the same
            stop = min(stop, next_moment(learner.hands))
        until = end_of_batch(stop, self._settings.batch)
        if self._request.stop.iterations is not None:
            until = min(until, self._request.stop.iterations)
        count = until - learner.hands
        begin = time.perf_counter()
        learner.advance(until)
        spent = time.perf_counter() - begin
        self._trainee.seconds += spent
        # Changed by at most a factor of 2: one slow interval says little.
        ideal = count * _LOOK_SECONDS / max(spent, 1e-9)
        self._look = int(min(max(ideal, self._look / 2, 1_000), self._look * 2))

    def _measure(self, *, is_last: bool) -> Moment:
        hands = self._trainee.iteration
        found = self._trainee.evaluate()
        # The first end of a batch at or after a mark or moment counts as that mark or moment.
        before = hands - batch_at(max(hands - 1, 0), self._settings.batch)
        moment = Moment(
            hands=hands,
            seconds=self._trainee.seconds,
            exploitability_mbb=1e3 * found.exploitability,
            value_bb=found.value,
            is_mark=next_mark(before) <= hands or is_last,
            folder=self._recorder.folder,
        )
        if moment.is_mark:
            self._marks.append(moment)
        # Clock checks in between are not recorded: the folder must not depend on the clock.
        if moment.is_mark or next_moment(max(before, 0)) <= hands:
            self._record(moment)
        if self._watcher is not None:
            self._watcher(moment)
        return moment

    def _record(self, moment: Moment) -> None:
        first = self._first or moment
        self._first = first
        rate = (moment.hands - first.hands) / max(moment.seconds - first.seconds, 1e-9)
        now = Progress(moment.hands, moment.seconds, evaluation=None, regret=None)
        row = progress_row(
            iteration=moment.hands,
            seconds=moment.seconds,
            exploitability=moment.exploitability_mbb / 1e3,
            nash_conv=2e-3 * moment.exploitability_mbb,
            value=moment.value_bb,
            rate=rate or None,  # unknown at the first moment
            seconds_left=seconds_left(self._pace, self._request.stop, now, (), rate),
        )
        trainee = self._trainee
        self._recorder.moment(trainee.num_moments, row, lambda: trainee.snapshot().frame())
        trainee.num_moments += 1

    def _state(self) -> State | None:
        trainee = self._trainee
        if not trainee.iteration:
            return None
        meta = {
            "fingerprint": self._game.fingerprint(),
            "recipe": self._request.identity(),
            "seconds": trainee.seconds,
            "compile_seconds": 0.0,
            "marks": [
                [mark.hands, mark.seconds, mark.exploitability_mbb, mark.value_bb]
                for mark in self._marks
            ],
        }
        return State(trainee.iteration, meta, trainee.state())

    def _save(self) -> None:
        """Save to the folder and to the regret file, which is never ahead of the folder."""
        self._recorder.checkpoint(self._state)
        self._save_file()

    def _finish(self) -> Training:
        if self._trainee.iteration > self._hands_before:
            self._save()
        recorder = self._recorder
        if recorder.folder is not None:
            snapshot = self._trainee.snapshot()
            run = Run(
                path=recorder.folder,
                request=self._request,
                game=self._game,
                profile=snapshot.profile,
                evaluation=evaluate(self._game.exact_form(), snapshot.profile),
                iterations=self._trainee.iteration,
                seconds=self._trainee.seconds,
                compile_seconds=0.0,
                total_seconds=recorder.total_seconds(),
                is_finished=True,
                recorded=recorder.progress(),
            )
            recorder.checkpoint(self._state)
            recorder.finish_run(run, snapshot.values)
        return self.training()

    def _save_file(self) -> None:
        if self._path is None:
            return
        before = None if self._file is None else self._file.checksum
        if checksum_of(self._path) != before:
            raise RunError(
                f"{shown(self._path)} was changed by another program during the training, and is "
                "left as it is; give another file"
            )
        options = options_of(self._settings)
        learner = self._trainee.learner
        origin = Origin(
            stack_bb=options.pop("stack"), hands=learner.hands, **options, untilt=__version__
        )
        codes = learner.codes
        checksum = write_regrets(self._path, codes, origin, self._file)
        self._file = RegretFile(codes, origin, checksum)
        self._saved_hands = learner.hands


def _marks_of(meta: Mapping[str, Any]) -> list[tuple[int, float, float, float]]:
    """Return the marks stored in a checkpoint; none if they are malformed."""
    match meta.get("marks"):
        case [*marks] if all(
            isinstance(mark, list)
            and len(mark) == 4
            and isinstance(mark[0], int)
            and all(isinstance(number, int | float) for number in mark)
            for mark in marks
        ):
            return [(hands, *map(float, numbers)) for hands, *numbers in marks]
    return []


def next_mark(hands: int) -> int:
    """Return the first of 1, 2, 5, 10, 20, 50 … thousand that is greater than `hands`."""
    power = _FIRST_MARK
    while 5 * power <= hands:
        power *= 10
    return next(mark for mark in (power, 2 * power, 5 * power) if mark > hands)
