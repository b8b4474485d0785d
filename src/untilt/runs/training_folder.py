"""The run folder of a push/fold training: what the learner does, for those who watch or play it.

The regret file is what a training goes on from; this folder holds what can be looked at: the
same files as any run, with hands for iterations and big blinds for chips.
"""

import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from untilt.evaluation.action_values import conditional_values
from untilt.evaluation.best_response import evaluate
from untilt.formats.compiled_game import write_game
from untilt.formats.files import remove_leftovers
from untilt.formats.frames import Frames, write_frames
from untilt.formats.lock import FolderLock
from untilt.formats.progress import ProgressLog
from untilt.formats.result_file import write_result
from untilt.formats.run_file import write_run_file
from untilt.formats.strategy import write_strategy
from untilt.game.compiled import compile as compile_game
from untilt.game.strategy import Profile
from untilt.games.pushfold.chart import Play, profile_of
from untilt.games.pushfold.game import PushFold, Stakes
from untilt.numeric.arrays import Floats
from untilt.runs.folder import create_folder, remove_unused, verify_unused
from untilt.runs.pace import Pace, seconds_left
from untilt.runs.run import LEARNER, Request, Run, describe
from untilt.runs.solve import FRAMES_SECONDS
from untilt.runs.stop import Stop
from untilt.solvers.progress import Progress

if TYPE_CHECKING:
    from untilt.games.pushfold.learner import Settings
    from untilt.runs.training import Moment


class TrainingFolder:
    """A folder that a training is recorded in, from entering to leaving the `with` block."""

    def __init__(
        self, output: Path | None, settings: "Settings", stop: Stop, pace: Pace | None
    ) -> None:
        self._began = time.perf_counter()
        self._pace = pace
        stakes = Stakes(settings.stack)
        root = PushFold(stakes)
        self._game = compile_game(root)
        self._request = Request(
            game="pushfold",
            title="Push/Fold Hold'em",
            reference="pushfold",
            parameters=root.parameters,
            method=LEARNER.name,
            options={
                "batch": settings.batch,
                "choice": settings.choice,
                "boards": settings.boards,
                "bytes": settings.code.num_bytes,
                "growth": settings.code.growth,
            },
            stop=stop,
            horizon=stop.iterations,
            seed=settings.seed,
        )
        self._frames = Frames(sum(table.num_sequences for table in self._game.infosets))
        self._num_moments = 0
        self._first: Moment | None = None
        self._shown_at = -np.inf
        self._last: tuple[Moment, Floats] | None = None
        self._is_numbered = output is None
        self.path = create_folder(output, "pushfold", "train")

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._lock = stack.enter_context(FolderLock(self.path))
            verify_unused(self.path)
            remove_leftovers(self.path)
            write_game(self.path / "game.bin", self._game)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        with self._stack:
            if self._last is None:  # it was refused, or stopped before it began
                remove_unused(self._lock, is_numbered=self._is_numbered)
                return
            if kind is not None and not self._lock.is_valid():
                return  # which is the error that is being raised
            self._show()
            if kind is None:
                self._finish(*self._last)

    def record(self, moment: "Moment", probabilities: Floats) -> None:
        """Add a moment; `probabilities` [2, 169] are those of pushing and calling."""
        if self._first is None:
            self._first = moment
            self._begin()
        played = moment.hands - self._first.hands
        rate = played / max(moment.seconds - self._first.seconds, 1e-9)
        now = Progress(moment.hands, moment.seconds, evaluation=None, regret=None)
        self._frames.offer(
            self._num_moments, moment.hands, moment.seconds, lambda: self._row(probabilities)
        )
        self._num_moments += 1
        self._last = (moment, probabilities.copy())
        self._log.append(
            {
                "iteration": moment.hands,
                "seconds": moment.seconds,
                "exploitability": moment.exploitability_mbb / 1e3,
                "nash_conv": 2e-3 * moment.exploitability_mbb,
                "value": moment.value_bb,
                "regret": None,
                "rate": rate or None,  # the first moment has none before it
                "seconds_left": seconds_left(self._pace, self._request.stop, now, (), rate),
            }
        )
        if time.perf_counter() - self._shown_at >= FRAMES_SECONDS:
            self._show()

    def _begin(self) -> None:
        """Make a run of the folder."""
        self._lock.verify()
        described = describe(self._request, self._game.fingerprint())
        write_run_file(self.path, {**described, "kind": "training"})
        self._log = self._stack.enter_context(ProgressLog(self.path / "progress.jsonl"))

    def _show(self) -> None:
        self._lock.verify()
        self._log.flush()
        write_frames(self.path / "frames.bin", self._frames)
        self._shown_at = time.perf_counter()

    def _profile(self, probabilities: Floats) -> Profile:
        return profile_of(self._game, Play(probabilities[0], probabilities[1]))

    def _row(self, probabilities: Floats) -> tuple[Floats, Floats]:
        profile = self._profile(probabilities)
        values = conditional_values(self._game.exact_form(), profile)
        return np.concatenate(profile.behaviours), np.concatenate(values)

    def _finish(self, last: "Moment", probabilities: Floats) -> None:
        profile = self._profile(probabilities)
        form = self._game.exact_form()
        run = Run(
            path=self.path,
            request=self._request,
            game=self._game,
            profile=profile,
            evaluation=evaluate(form, profile),
            iterations=last.hands,
            seconds=last.seconds,
            compile_seconds=0.0,
            total_seconds=time.perf_counter() - self._began,
            is_finished=True,
        )
        self._lock.verify()
        write_strategy(
            self.path / "strategy.bin",
            profile,
            self._game.fingerprint(),
            conditional_values(form, profile),
        )
        write_result(self.path / "result.json", run.to_json())
