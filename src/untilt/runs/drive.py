"""The loop of a run: a solver yields progress; the drive decides when to stop and what to keep.

Nothing that is saved depends on the clock, except which iterations are checkpointed. A run that
was killed and resumed therefore ends with the same bits as one that never stopped.
"""

from dataclasses import replace
from typing import Generic, TypeVar

from untilt.durations import shown_duration
from untilt.runs.games.material import Material, Times
from untilt.runs.interrupt import DeferredInterrupt, Interrupted, in_background, signal_of
from untilt.runs.pace import Pace, seconds_left
from untilt.runs.recorder import Recorder, State
from untilt.runs.restoring import restore_solver
from untilt.runs.watching import Status, Watcher
from untilt.solvers.progress import AnySolver, Progress

Result = TypeVar("Result")


class Drive(Generic[Result]):
    """One solver on its way to the stop of its request."""

    def __init__(
        self,
        material: Material[Result],
        recorder: Recorder,
        pace: Pace | None,
        watcher: Watcher,
    ) -> None:
        self._material = material
        self._request = material.request
        self._recorder = recorder
        self._watcher = watcher
        self._pace = pace
        self._solver: AnySolver = material.solver
        self._measured: list[Progress] = []
        self._compile_seconds = 0.0
        self._warning: str | None = material.note
        self._is_resumed = False
        self._fingerprint = ""
        if recorder.folder is not None:
            self._fingerprint = material.fingerprint
            if material.frame_length is not None:
                recorder.keep_frames(material.frame_length)
            if material.saves_in_background:
                recorder.save_in_background(self._solver.state())

    def begin(self) -> None:
        """Write the start of the run to the folder."""
        self._material.begin(self._recorder)

    def restore(self) -> None:
        """Continue from the folder's checkpoint, or from the beginning if there is none."""
        folder = self._recorder.folder
        assert folder is not None
        loaded, times = restore_solver(
            self._request, self._solver, folder, self._fingerprint, self._material.is_sound
        )
        self._material.restored(loaded)
        self._is_resumed = True
        self._compile_seconds = times["compile_seconds"]
        if loaded is not None and loaded.damage is not None:
            self._warning = loaded.damage
        done = self._solver.iteration or 0
        self._recorder.resume(loaded, done, times["total_seconds"])
        if done:
            note = self._request.stop.resumed_words(done, self._solver.seconds, None)
            self._watcher(Status(phase="compiling", folder=folder, note=note))

    def warm_up(self) -> None:
        """Compile everything now, so that later timings do not include it."""
        self._solver.warm_up()
        if self._recorder.folder is not None and self._material.frame_length is not None:
            self._material.frame()
        self._compile_seconds += self._recorder.elapsed()

    def run(self) -> Result:
        """Solve to the stop."""
        with self._recorder.recording() as interrupt:
            try:
                if not self._is_resumed and self._solver.iteration:
                    self._save()  # what it begins with is nowhere else
                self._loop(interrupt)
                run = self._finish()
                interrupt.check()
                return run
            except KeyboardInterrupt as error:
                raise self._interrupted(error) from None

    def _interrupted(self, error: KeyboardInterrupt) -> Interrupted:
        """Save, and return the exception that says how the run was stopped."""
        done = self._solver.iteration or None
        if done is not None:
            self._recorder.interrupt(error, self._save)
        folder = self._recorder.folder
        saved = done if folder is None else self._recorder.saved_iteration
        return Interrupted(folder, saved, signal_of(error), is_saved=saved == done)

    def _loop(self, interrupt: DeferredInterrupt) -> None:
        stop = self._request.stop
        if self._pace is not None:
            self._pace.begin()
        if self._is_resumed and self._was_at_end():
            return
        began_at = (self._solver.seconds, self._solver.iteration or 0)
        exploitability = drift = regret = lbr = lbr_margin = None
        steps = self._solver.progress(stop.iterations)
        if not self._material.has_iterations:
            steps = in_background(steps, interrupt.check)
        for progress in steps:
            now = progress
            is_reached = self._is_reached(now)
            if is_reached and not now.is_moment:  # time ran out between two moments
                now = replace(now, evaluation=self._material.evaluate())
            done = (now.iteration or 0) - began_at[1]
            rate = done / max(now.seconds - began_at[0], 1e-9)
            if now.evaluation is not None:
                exploitability = now.evaluation.exploitability
            is_kept = now.is_moment or (is_reached and now.iteration != 0)
            if is_kept:
                self._measured.append(now)
            left = seconds_left(self._pace, stop, now, self._measured, rate)
            if is_kept:
                drift = now.drift if now.drift is not None else drift
                regret = now.regret if now.regret is not None else regret
                self._recorder.moment(
                    now.moment_number,
                    self._material.row(now, rate, left),
                    self._material.frame,
                )
            if now.lbr is not None:
                lbr, lbr_margin = now.lbr, now.lbr_margin
            self._watcher(
                Status(
                    phase="solving",
                    folder=self._recorder.folder,
                    progress=now,
                    exploitability=exploitability,
                    drift=drift,
                    regret=regret,
                    lbr=lbr,
                    lbr_margin=lbr_margin,
                    rate=rate,
                    node_rate=None if now.nodes is None else now.nodes / max(now.seconds, 1e-9),
                    seconds_left=left,
                )
            )
            if is_reached:
                return
            self._material.keep_up(self._save)
            self._recorder.keep_up(self._state)
            interrupt.check()
            if self._pace is not None and now.is_moment:
                self._recorder.show()  # a paced run has time for it
                self._pace.wait(now, interrupt.check)

    def _was_at_end(self) -> bool:
        """Whether the run had reached its stop, but was killed before it wrote the result."""
        iteration = self._solver.iteration
        if not iteration:
            return False
        evaluation = self._material.evaluate() if self._solver.is_at_moment else None
        return self._is_reached(Progress(iteration, self._solver.seconds, evaluation, None))

    def _is_reached(self, progress: Progress) -> bool:
        stop = self._request.stop
        evaluation = progress.evaluation
        exploitability = None if evaluation is None else evaluation.exploitability
        if exploitability is not None and stop.target is not None and exploitability <= stop.target:
            # What counts is the returned strategy, which may differ in the last bits.
            evaluation = self._material.evaluate()
            assert evaluation is not None
            exploitability = evaluation.exploitability
        residuals = None if evaluation is None else self._material.residuals()
        return stop.is_reached(progress.iteration, progress.seconds, exploitability, residuals)

    def _state(self) -> State | None:
        state = self._solver.state()
        if not state or not self._solver.iteration:  # nothing to keep before the first iteration
            return None
        meta = {
            "fingerprint": self._fingerprint,
            "recipe": self._request.identity(),
            "seconds": self._solver.seconds,
            "compile_seconds": self._compile_seconds,
            **self._material.meta(),
        }
        return State(self._solver.iteration, meta, state)

    def _save(self) -> None:
        """Write a checkpoint and the outputs besides the folder, which are never ahead of it."""
        self._recorder.checkpoint(self._state)
        self._material.save()

    def _finish(self) -> Result:
        self._save()
        if self._solver.iteration == 0 and self._request.stop.seconds is not None:
            allowed = shown_duration(self._request.stop.seconds)
            self._warning = self._warning or (
                f"the first iteration was not finished after {allowed}, so "
                "the strategy is uniform; allow more time, or use mccfr-outcome, whose iterations "
                "are short"
            )
        times = Times(self._compile_seconds, self._recorder.total_seconds(), self._warning)
        return self._material.finish(self._recorder, times)
