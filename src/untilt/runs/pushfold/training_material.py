"""The material of a training of push/fold: the learner, its regret file, and the result."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from untilt import __version__
from untilt.cards.combos import CLASS_NAMES
from untilt.cards.ranges.range import Range
from untilt.charts.figures.run_curves import RunCurve
from untilt.display import Cell, html_table
from untilt.errors import RunError
from untilt.evaluation.best_response import Evaluation, evaluate
from untilt.formats.base.files import remove_leftovers_of, shown
from untilt.formats.kinds.regret_file import (
    Origin,
    RegretFile,
    checksum_of,
    sidecar_of,
    write_regrets,
)
from untilt.formats.run.checkpoint import LoadedCheckpoint
from untilt.formats.run.progress import progress_row
from untilt.formats.run.progress_table import ProgressTable
from untilt.game.compiled import CompiledGame
from untilt.game.compiled import compile as compile_game
from untilt.game.strategy.snapshot import frame_length
from untilt.games.pushfold.chart import PushFoldPlay, play_of
from untilt.games.pushfold.game import PushFold, Stakes
from untilt.games.pushfold.learner import RegretLearner, Settings
from untilt.numeric.arrays import Floats
from untilt.result import Run
from untilt.runs.games.material import Material, Times
from untilt.runs.pushfold.trainee import Mark, Trainee
from untilt.runs.pushfold.training_request import METHOD, TrainingTask
from untilt.runs.pushfold.training_start import Start, options_of
from untilt.runs.recorder import Recorder
from untilt.runs.run import GameRun
from untilt.runs.task import describe
from untilt.solvers.progress import Progress

SAVE_SECONDS = 5.0


@dataclass(frozen=True, eq=False, repr=False)
class Training(Run[PushFoldPlay]):
    """A training that has reached its end."""

    settings: Settings
    threads: int
    probabilities: Floats
    """[2, 169] of pushing and calling, in the order of the grid."""
    moments: tuple[Mark, ...]
    """The marks; the last one is at the end."""
    hands_before: int
    """Hands that the regret file already had."""
    regret_file: Path | None
    path: Path | None
    """The run folder in which it was recorded."""
    num_cut: int
    recorded: ProgressTable
    """How it converged."""
    notes: tuple[str, ...] = ()
    """What the user should know."""
    is_finished: bool = True

    @property
    def result(self) -> PushFoldPlay:
        """The strategy."""
        push, call = self.probabilities
        return PushFoldPlay(push, call)

    @property
    def progress(self) -> ProgressTable:
        """How it converged."""
        return self.recorded

    @property
    def hands(self) -> int:
        """Hands in total."""
        return self.moments[-1].hands

    @property
    def iterations(self) -> int:
        """Hands in total."""
        return self.hands

    @property
    def seconds(self) -> float:
        """Time spent playing."""
        return self.moments[-1].seconds

    def __repr__(self) -> str:
        last = self.moments[-1]
        place = "not saved" if self.path is None else f"in {shown(self.path)[-120:]}"
        return (
            f"<Training of push/fold at {self.settings.stack:g} bb: {self.hands:,} hands, value "
            f"{last.value_bb:.7f} bb, exploitability {last.exploitability_mbb:.4g} mbb, {place}>"
        )

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        last = self.moments[-1]
        rows: list[list[Cell]] = [
            ["hands", self.hands],
            ["value", f"{last.value_bb:.7f} bb"],
            ["exploitability", f"{last.exploitability_mbb:.4g} mbb"],
        ]
        rows += [[word, str(one)] for word, one in zip(("push", "call"), self.ranges, strict=True)]
        return html_table(f"Push/fold at {self.settings.stack:g} bb", rows)

    @property
    def ranges(self) -> tuple[Range, Range]:
        """The ranges of pushes and calls."""
        push, call = (
            Range.from_classes(dict(zip(CLASS_NAMES, row.tolist(), strict=True)))
            for row in self.probabilities
        )
        return push, call

    @property
    def curve(self) -> RunCurve:
        """The convergence with what a figure says about it."""
        unit = PushFold.terms.unit
        settings = options_of(self.settings)
        return RunCurve("Push/Fold Hold'em", METHOD, settings, self.path, unit, None, self.progress)

    def to_json(self) -> dict[str, Any]:
        """Return the result as `--json` prints it."""
        settings, last = self.settings, self.moments[-1]
        push, call = self.ranges
        pushes, calls = (
            dict(zip(CLASS_NAMES, row.tolist(), strict=True)) for row in self.probabilities
        )
        played = self.hands - self.hands_before
        return {
            "stack_bb": settings.stack,
            "hands": self.hands,
            "hands_before": self.hands_before,
            "exploitability_mbb": last.exploitability_mbb,
            "value_bb": last.value_bb,
            "push_percent": push.percent,
            "call_percent": call.percent,
            "push_range": str(push),
            "call_range": str(call),
            "push": pushes,
            "call": calls,
            "seed": settings.seed,
            "batch": settings.batch,
            "threads": self.threads,
            "choice": settings.choice,
            "boards": settings.boards,
            "bytes": settings.code.num_bytes,
            "growth": settings.code.growth,
            "saturated": self.num_cut,
            "seconds": self.seconds,
            "ns_per_hand": 1e9 * self.seconds / played if played else None,
            "curve": [
                {"hands": mark.hands, "exploitability_mbb": mark.exploitability_mbb}
                for mark in self.moments
            ],
            "regret_file": None if self.regret_file is None else str(self.regret_file),
            "run": None if self.path is None else str(self.path),
        }


class Regrets:
    """The beginning of a training, and the regret file that it keeps, if there is one."""

    def __init__(self, start: Start, path: Path | None = None, threads: int = 1) -> None:
        self.start = start
        self.path = path
        self.threads = threads
        self.saved_hands = start.hands
        """Hands of the file."""
        self._file = start.file
        self._saved_at = time.monotonic()

    def learner(self) -> RegretLearner:
        """Return a new learner, which knows the regrets of the file."""
        codes = None if self.start.file is None else self.start.file.codes
        return RegretLearner(self.start.settings, codes, self.start.hands, self.threads)

    def clean_up(self) -> None:
        """Remove what a killed process left beside the file, and start the clock."""
        if self.path is not None:
            for path in (self.path, sidecar_of(self.path)):
                remove_leftovers_of(path)
        self._saved_at = time.monotonic()

    def are_due(self) -> bool:
        """Whether it is time to write the file."""
        return self.path is not None and time.monotonic() - self._saved_at >= SAVE_SECONDS

    def write(self, learner: RegretLearner) -> None:
        """Write the file; raise RunError if another program has changed it."""
        if self.path is None:
            return
        before = None if self._file is None else self._file.checksum
        if checksum_of(self.path) != before:
            raise RunError(
                f"{shown(self.path)} was changed by another program during the training, and is "
                "left as it is; give another file"
            )
        options = options_of(learner.settings)
        origin = Origin(
            stack_bb=options.pop("stack"), hands=learner.hands, **options, untilt=__version__
        )
        codes = learner.codes
        checksum = write_regrets(self.path, codes, origin, self._file)
        self._file = RegretFile(codes, origin, checksum)
        self.saved_hands = learner.hands
        self._saved_at = time.monotonic()


class TrainingMaterial(Material[Training]):
    """A task of training with its learner."""

    request: TrainingTask
    solver: Trainee

    def __init__(
        self,
        request: TrainingTask,
        regrets: Regrets,
        folder: Path | None,
        hands_before: int,
        game: CompiledGame | None = None,
    ) -> None:
        self.request = request
        self.solver = Trainee(regrets.learner(), request.stop, is_recorded=folder is not None)
        self._regrets = regrets
        self._folder = folder
        self._hands_before = hands_before
        self._given_game = game
        self._notes = list(regrets.start.notes)
        self._first: Progress | None = None

    @cached_property
    def game(self) -> CompiledGame:
        """The compiled game; trainings without a folder do not need it."""
        stakes = Stakes(self.request.subject.settings.stack)
        return self._given_game or compile_game(PushFold(stakes))

    @cached_property
    def fingerprint(self) -> str:
        """What its checkpoints must have in common."""
        return self.game.fingerprint()

    @property
    def frame_length(self) -> int:
        """How many numbers a frame has."""
        return frame_length(self.game.infosets)

    def frame(self) -> tuple[Floats, Floats]:
        """Return the frame of the current strategy."""
        return self.solver.snapshot().frame()

    def is_sound(self) -> bool:
        """Whether the state that the solver has just restored gives a strategy."""
        return self.solver.snapshot().is_sound()

    def evaluate(self) -> Evaluation:
        """Return how good the current strategy is."""
        return self.solver.evaluate()

    def row(self, now: Progress, rate: float, left: float | None) -> dict[str, Any]:
        """Return the row of the log; the speed is unknown at the first moment."""
        del rate
        found = now.evaluation
        assert found is not None
        self._first = first = self._first or now
        hands = (now.iteration or 0) - (first.iteration or 0)
        rate = hands / max(now.seconds - first.seconds, 1e-9)
        mbb = 1e3 * found.exploitability  # measured in these, the numbers keep their last bits
        return progress_row(
            iteration=now.iteration or 0,
            seconds=now.seconds,
            exploitability=mbb / 1e3,
            nash_conv=2e-3 * mbb,
            value=found.value,
            rate=rate or None,
            seconds_left=left,
        )

    def begin(self, recorder: Recorder) -> None:
        """Begin a new training; fail at once if a file cannot be written."""
        trainee = self.solver
        if not self.request.stop.is_reached(trainee.iteration, trainee.seconds, None):
            self._regrets.write(trainee.learner)
        if recorder.folder is not None:
            document = describe(self.request, self.fingerprint)
            document["hands_before"] = self._hands_before
            recorder.begin(document, self.game)

    def meta(self) -> Mapping[str, Any]:
        """Return the marks so far."""
        return {"marks": [list(mark) for mark in self.solver.marks]}

    def restored(self, loaded: LoadedCheckpoint | None) -> None:
        """Continue from a checkpoint; raise RunError if folder and file do not fit together."""
        hands, before = self.solver.iteration, self._hands_before
        assert self._folder is not None
        if self._regrets.saved_hands > (before if loaded is None else hands):
            raise RunError(
                f"{shown(self._regrets.path or self._folder)} has been trained further than "
                f"{shown(self._folder)}; continue with the file alone: untilt pushfold train "
                "--regret-file FILE"
            )
        if loaded is None and hands != before:
            raise RunError(
                f"{shown(self._folder)} has no checkpoint yet, and began with a regret file of "
                f"{before:,} hands; start again from that file"
            )
        if loaded is not None:
            self.solver.marks = _marks_of(loaded.container.meta)

    def keep_up(self, save: Callable[[], None]) -> None:
        """Save if the regret file is due; it is never ahead of the folder."""
        if self._regrets.are_due():
            save()

    def save(self) -> None:
        """Write the regret file, unless it already has these hands."""
        if self.solver.iteration > self._regrets.saved_hands:
            self._regrets.write(self.solver.learner)

    def finish(self, recorder: Recorder, times: Times) -> Training:
        """Write the strategy and the result of a training with a folder, and return the result."""
        trainee = self.solver
        if recorder.folder is not None:
            snapshot = trainee.snapshot()
            run = GameRun(
                path=recorder.folder,
                request=self.request,
                game=self.game,
                profile=snapshot.profile,
                evaluation=evaluate(self.game.exact_form(), snapshot.profile),
                iterations=trainee.iteration,
                seconds=trainee.seconds,
                compile_seconds=times.compile_seconds,
                total_seconds=times.total_seconds,
                is_finished=True,
                recorded=recorder.progress(),
            )
            recorder.finish_run(run, snapshot.values)
        if not trainee.has_played:
            self._notes.append(
                f"{trainee.iteration:,} hands have already been played; ask for more hands to "
                "continue"
            )
        return self.training(recorder.progress(), times.warning)

    def training(self, progress: ProgressTable, warning: str | None) -> Training:
        """Return the result."""
        trainee, learner = self.solver, self.solver.learner
        if not trainee.marks:
            trainee.measure(is_last=True)
        return Training(
            settings=learner.settings,
            threads=learner.threads,
            probabilities=learner.probabilities(),
            moments=tuple(trainee.marks),
            hands_before=self._hands_before,
            regret_file=self._regrets.path,
            path=self._folder,
            num_cut=learner.num_cut,
            recorded=progress,
            notes=tuple(self._notes if warning is None else [*self._notes, warning]),
        )


def training_of(run: GameRun, settings: Settings, threads: int) -> Training:
    """Return a finished training of a version that kept no checkpoints, from its run alone."""
    play = play_of(run.profile)
    mbb = 1e3 * run.exploitability
    return Training(
        settings=settings,
        threads=threads,
        probabilities=np.stack((play.push, play.call)),
        moments=(Mark(run.iterations or 0, run.seconds, mbb, run.value),),
        hands_before=0,
        regret_file=None,
        path=run.path,
        num_cut=0,
        recorded=run.progress,
    )


def _marks_of(meta: Mapping[str, Any]) -> list[Mark]:
    """Return the marks stored in a checkpoint; none if they are malformed."""
    match meta.get("marks"):
        case [*marks] if all(
            isinstance(mark, list)
            and len(mark) == 4
            and isinstance(mark[0], int)
            and all(isinstance(number, int | float) for number in mark)
            for mark in marks
        ):
            return [Mark(hands, *map(float, numbers)) for hands, *numbers in marks]
    return []
