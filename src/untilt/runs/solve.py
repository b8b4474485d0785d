"""`untilt.solve`: from a game to a strategy, saved on the way.

A solver yields progress; this loop decides about stopping, logging, frames and checkpoints.
Nothing that is saved depends on the clock, except which iterations are checkpointed: a run
that was killed and resumed ends with the same bits as one that never stopped.

For that, whatever a checkpoint counts as done is on disk before it: its rows of the log and
its frames. What they hold beyond it is dropped when the run is resumed.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from untilt.errors import FormatError, InvalidOption
from untilt.evaluation.best_response import Evaluation
from untilt.formats.checkpoint import save_checkpoint, set_damaged_aside
from untilt.formats.compiled_game import write_game
from untilt.formats.files import path_of, remove, remove_leftovers
from untilt.formats.frames import Frames, read_frames, write_frames
from untilt.formats.lock import FolderLock
from untilt.formats.progress import ProgressLog
from untilt.formats.result_file import write_result
from untilt.formats.run_file import UNCOMPILED, RunRecord, save_stop, write_run_file
from untilt.formats.strategy import write_strategy
from untilt.game.compiled import CompiledGame
from untilt.game.protocol import Game
from untilt.game.strategy import Profile
from untilt.game.tree import DEFAULT_MAX_NODES
from untilt.games.registry import GameLike, name_game
from untilt.numeric.arrays import Floats
from untilt.runs.folder import create_folder, remove_unused, verify_unused
from untilt.runs.game_again import root_again, verify_same_game
from untilt.runs.interrupt import (
    DeferredInterrupt,
    Impatient,
    in_background,
    signal_of,
    undone_by,
)
from untilt.runs.material import Material, prepare
from untilt.runs.pace import Pace, seconds_left
from untilt.runs.run import (
    Request,
    Run,
    describe,
    evaluated,
    load_finished,
    measured,
    read_own_game,
    read_request,
    restore_solver,
)
from untilt.runs.stop import chosen_stop, is_number, is_whole
from untilt.solvers.methods import DEFAULT_METHOD, method_named
from untilt.solvers.progress import Progress, Solver, game_of, next_moment

FIRST_CHECKPOINT_SECONDS = 0.5
CHECKPOINT_SECONDS = 5.0
_MAX_CHECKPOINT_SHARE = 0.02
"""Checkpoints become rarer if writing them takes more than this share of the time."""
FRAMES_SECONDS = 0.5
"""Frames are written so often for those who watch, and more rarely if that takes long."""
_MAX_FRAMES_SHARE = 0.01


@dataclass(frozen=True)
class Status:
    """What a run tells whoever watches it."""

    phase: Literal["compiling", "solving"]
    folder: Path | None = None
    """Where the run is saved."""
    histories: int | None = None
    """How many were walked so far, while the game is compiled."""
    progress: Progress | None = None
    exploitability: float | None = None
    """The last one measured."""
    drift: float | None = None
    """The last one measured, where exploitability cannot be."""
    rate: float | None = None
    """Iterations per second of solver time."""
    node_rate: float | None = None
    """Nodes per second of solver time, for sampling solvers."""
    seconds_left: float | None = None


Watcher = Callable[[Status], None]


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; its folder holds a checkpoint of `iteration`, if that is not None."""

    def __init__(
        self, path: Path | None, iteration: int | None, number: int, *, is_saved: bool
    ) -> None:
        super().__init__()
        self.path = path
        self.iteration = iteration
        self.number = number
        """Of the signal: SIGTERM and SIGHUP stop a run as Ctrl-C does."""
        self.is_saved = is_saved
        """Whether nothing is lost: False if there was not even time for a checkpoint."""


def solve(
    game: GameLike,
    method: str = DEFAULT_METHOD,
    *,
    parameters: Mapping[str, Any] | None = None,
    iterations: int | None = None,
    target: float | None = None,
    time: float | None = None,
    seed: int = 0,
    output: str | Path | None = None,
    save: bool = True,
    max_nodes: int = DEFAULT_MAX_NODES,
    pace: float | None = None,
    watcher: Watcher | None = None,
    **options: Any,
) -> Run:
    """Solve `game` and return the run.

    `game` is a root position, a class or function that makes one, or what the command line
    takes: a name, `file.py:attr`, `module:attr`, `openspiel:name`, a file; with `parameters`,
    unless it is a position. The run stops at the first of
    `iterations`, `target` (exploitability in chips) and `time` (solver seconds); with none
    of them at exploitability 1e-6 or after 60 s. It is saved to the folder `output`, by
    default runs/{game}-{method}-{n}, unless `save` is False. `pace` stretches it over so many
    seconds of wall time, for watching. `options` belong to the method, such as
    `average="linear"` of cfr+. Raises `Interrupted` on Ctrl-C, after saving.
    """
    chosen = method_named(method)
    stop = chosen_stop(chosen, iterations, target, time)
    if not (is_whole(seed) and 0 <= seed < 2**64):
        raise InvalidOption.of("seed", seed, "it must be an integer from 0 to 2⁶⁴ − 1")
    checked = chosen.options(options)
    _verify_arguments(max_nodes, pace, watcher)
    if not isinstance(save, bool):
        raise InvalidOption.of("save", save, "it must be True or False")
    folder_given = None if output is None else path_of(output)
    named = name_game(game, {} if parameters is None else parameters)
    request = Request(
        game=named.name,
        title=named.title,
        reference=named.reference,
        parameters=named.parameters,
        method=method,
        options=checked,
        stop=stop,
        horizon=stop.iterations,
        seed=int(seed),
    )
    paced = None if pace is None else Pace(pace, stop, checked)
    if not save:
        clock = _Clock(watcher)
        material = prepare(named.game, request, max_nodes, clock.tell_walked)
        drive = _Drive(material, None, clock, paced)
        drive.warm_up()
        return drive.run()
    # Before compiling, which can take long: a folder that cannot be written is said at once.
    folder = create_folder(folder_given, named.name, method)
    with FolderLock(folder) as lock:
        verify_unused(folder)  # another process may have come first and be done already
        with undone_by(lambda: remove_unused(lock, is_numbered=output is None)):
            clock = _Clock(watcher, folder)
            material = prepare(named.game, request, max_nodes, clock.tell_walked)
            drive = _Drive(material, lock, clock, paced)
            drive.warm_up()
            lock.verify()
            if material.game is not None:
                write_game(folder / "game.bin", material.game)
            write_run_file(folder, describe(material.request, drive.fingerprint))
        return drive.run()


def resume(
    path: str | Path,
    *,
    iterations: int | None = None,
    target: float | None = None,
    time: float | None = None,
    threads: int | None = None,
    game: Game | str | None = None,
    trust: bool = False,
    pace: float | None = None,
    watcher: Watcher | None = None,
) -> Run:
    """Continue the run in the folder `path` and return it, bit for bit as if never stopped.

    It keeps its original stop unless a new one is given, which then is the run's own; a run
    that has reached its stop is only loaded. What depends on the number of iterations planned
    (when dcfr+ begins to average) stays as it was at the beginning. `threads` may differ from
    before, for methods that use several.

    No code that the run names is executed: the folder holds the game. Only a run on objects with
    too many histories for that needs the game again. One that comes with Untilt is made by its
    rules; any other must be given as `game`, as a text or as the root position, or `trust` must
    allow what the run names.
    """
    _verify_arguments(None, pace, watcher)
    folder = path_of(path)
    read_request(folder)  # before anything is written
    with FolderLock(folder) as lock:
        remove_leftovers(folder)
        request, record = read_request(folder)
        if threads is not None:
            changed = request.solving_method.options({**request.options, "threads": threads})
            request = replace(request, options=changed)
        is_changed = any(bound is not None for bound in (iterations, target, time))
        if is_changed:
            if not request.solving_method.has_iterations:
                raise InvalidOption(
                    f"method {request.method} runs to its end; it takes no new stop"
                )
            stop = chosen_stop(request.solving_method, iterations, target, time)
            request = replace(request, stop=stop)
        paced = None if pace is None else Pace(pace, request.stop, request.options)
        clock = _Clock(watcher, folder)
        if game is not None:
            verify_same_game(request, game)
        compiled = read_own_game(folder, record)
        finished = _finished(folder, request, record, compiled)
        if finished is None:
            is_on_objects = request.options.get("on") == "objects"
            root = None
            if is_on_objects:
                root = root_again(folder, request, compiled, game=game, trust=trust)
            drive = _Drive(Material(request, compiled, root), lock, clock, paced)
            drive.restore()
            drive.warm_up()
        if is_changed:
            lock.verify()
            save_stop(folder, request.stop)
        return finished or drive.run()


def _finished(
    folder: Path, request: Request, record: RunRecord, game: CompiledGame | None
) -> Run | None:
    """Return the run if it has come to the stop of `request`."""
    try:
        run = load_finished(folder, request, record, game)
    except FormatError:  # the checkpoint leads to the same result
        return None
    is_reached = run is not None and request.stop.is_reached(
        run.iterations, run.seconds, run.exploitability
    )
    return run if is_reached else None


def _verify_arguments(max_nodes: int | None, pace: float | None, watcher: object) -> None:
    """Raise InvalidOption if an argument that nothing else looks at is of another kind."""
    if max_nodes is not None and not (is_whole(max_nodes) and max_nodes >= 1):
        raise InvalidOption.of("max_nodes", max_nodes, "it must be an integer, at least 1")
    if pace is not None and not (is_number(pace) and abs(pace) < 2**62):
        raise InvalidOption.of("pace", pace, "it must be a number of seconds")
    if watcher is not None and not callable(watcher):
        raise InvalidOption.of("watcher", watcher, "it must be a function of a Status")


class _Clock:
    """Wall time of a run, and who watches it."""

    def __init__(self, watcher: Watcher | None, folder: Path | None = None) -> None:
        self._began = time.perf_counter()
        self.watcher = watcher
        self._folder = folder
        self.tell(Status(phase="compiling", folder=folder))

    def elapsed(self) -> float:
        return time.perf_counter() - self._began

    def tell(self, status: Status) -> None:
        if self.watcher is not None:
            self.watcher(status)

    def tell_walked(self, histories: int) -> None:
        self.tell(Status(phase="compiling", folder=self._folder, histories=histories))


class _Drive:
    """One solver on its way, with everything that is kept of it."""

    def __init__(
        self, material: Material, lock: FolderLock | None, clock: _Clock, pace: Pace | None
    ) -> None:
        request, game = material.request, material.game
        self._request = request
        self._game = game
        self._lock = lock
        self._folder = folder = None if lock is None else lock.folder
        self._clock = clock
        self._pace = pace
        self._solver: Solver = request.solver(game, material.root)
        self.fingerprint = _fingerprint(game, folder)
        self._frames = Frames(
            0 if game is None else sum(table.num_sequences for table in game.infosets)
        )
        self._log: ProgressLog | None = None
        self._measured: list[Progress] = []
        self._compile_seconds = 0.0
        self._earlier_seconds = 0.0  # total_seconds of the run before it was resumed
        self._warning: str | None = material.note
        self._is_resumed = False
        self._has_checkpoint = False
        self._saved_iteration: int | None = None
        self._saved_at = 0.0
        self._save_interval = FIRST_CHECKPOINT_SECONDS
        self._shown_at = 0.0
        self._show_interval = FRAMES_SECONDS

    def restore(self) -> None:
        """Continue from the folder's checkpoint, or from the beginning if there is none."""
        assert self._folder is not None
        loaded, times = restore_solver(self._request, self._solver, self._folder, self._game)
        self._saved_iteration = self._solver.iteration or None
        self._is_resumed = True
        self._has_checkpoint = loaded is not None
        self._compile_seconds = times["compile_seconds"]
        self._earlier_seconds = times["total_seconds"]
        if loaded is not None and loaded.damage is not None:
            self._warning = loaded.damage
            self._verify_folder()
            set_damaged_aside(self._folder)
        if loaded is None:
            return
        # Frames are for looking at: damaged ones are begun anew, the run goes on.
        with suppress(FormatError):
            frames = read_frames(
                self._folder / "frames.bin", up_to_iteration=self._solver.iteration or 0
            )
            if frames.num_sequences == self._frames.num_sequences:
                self._frames = frames

    def warm_up(self) -> None:
        """Compile what must be compiled, so that no later time contains it."""
        self._solver.warm_up()
        if self._folder is not None and self._game is not None:
            self._frame_row()
        self._compile_seconds += self._clock.elapsed()

    def run(self) -> Run:
        """Solve to the stop."""
        with ExitStack() as stack:
            interrupt = stack.enter_context(DeferredInterrupt())
            try:
                if self._folder is not None:
                    self._verify_folder()
                    remove_leftovers(self._folder)
                    path = self._folder / "progress.jsonl"
                    self._log = stack.enter_context(ProgressLog(path))
                    if self._is_resumed:
                        self._mark_resumed(self._folder, self._log)
                self._loop(interrupt)
                run = self._finish()
                interrupt.check()
                return run
            except KeyboardInterrupt as error:
                raise self._interrupted(error) from None

    def _interrupted(self, error: KeyboardInterrupt) -> Interrupted:
        """Save, unless the user does not want to wait for that, and return how it was stopped."""
        done = self._solver.iteration or None
        try:
            if done is not None and not isinstance(error, Impatient):
                self._save()
        except KeyboardInterrupt:  # the last checkpoint stands
            pass
        saved = done if self._folder is None else self._saved_iteration
        return Interrupted(self._folder, saved, signal_of(error), is_saved=saved == done)

    def _mark_resumed(self, folder: Path, log: ProgressLog) -> None:
        # The checkpoint holds all that an earlier end wrote.
        remove(folder / "result.json")
        # Without a checkpoint it starts over, and all its rows are void: that of iteration 0, with
        # which paths of quantal response begin, as well.
        log.mark_resumed((self._solver.iteration or 0) if self._has_checkpoint else -1)

    def _verify_folder(self) -> None:
        """Raise RunError if the folder is not the one that this run began to write."""
        if self._lock is not None:
            self._lock.verify()

    def _loop(self, interrupt: DeferredInterrupt) -> None:
        stop = self._request.stop
        self._saved_at = self._shown_at = time.perf_counter()
        if self._pace is not None:
            self._pace.begin()
        if self._is_resumed and self._was_at_end():
            return
        began_at = (self._solver.seconds, self._solver.iteration or 0)
        exploitability = drift = None
        steps = self._solver.progress(stop.iterations)
        if not self._request.solving_method.has_iterations:
            steps = in_background(steps, interrupt.check)
        for progress in steps:
            now = progress
            is_reached = self._is_reached(now)
            if is_reached and not now.is_moment:  # the time is up between two moments
                now = replace(now, evaluation=self._evaluate())
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
                self._keep(now, rate, left)
            self._clock.tell(
                Status(
                    phase="solving",
                    folder=self._folder,
                    progress=now,
                    exploitability=exploitability,
                    drift=drift,
                    rate=rate,
                    node_rate=None if now.nodes is None else now.nodes / max(now.seconds, 1e-9),
                    seconds_left=left,
                )
            )
            if is_reached:
                return
            if time.perf_counter() - self._saved_at >= self._save_interval:
                self._save()
            elif time.perf_counter() - self._shown_at >= self._show_interval:
                self._show()
            interrupt.check()
            if self._pace is not None and now.is_moment:
                self._show()  # there is time enough
                self._pace.wait(now, interrupt.check)

    def _was_at_end(self) -> bool:
        """Whether the run had come to its stop, but was killed before it wrote the result."""
        iteration = self._solver.iteration
        if not iteration:
            return False
        is_moment = next_moment(iteration - 1, self._solver.gap) == iteration
        evaluation = self._evaluate() if is_moment else None
        return self._is_reached(Progress(iteration, self._solver.seconds, evaluation, None))

    def _is_reached(self, progress: Progress) -> bool:
        stop = self._request.stop
        evaluation = progress.evaluation
        exploitability = None if evaluation is None else evaluation.exploitability
        if exploitability is not None and stop.target is not None and exploitability <= stop.target:
            # What counts is the strategy given out, which may differ in the last bits.
            evaluation = self._evaluate()
            assert evaluation is not None
            exploitability = evaluation.exploitability
        return stop.is_reached(progress.iteration, progress.seconds, exploitability)

    def _profile(self) -> Profile:
        return self._solver.snapshot().profile

    def _evaluate(self) -> Evaluation | None:
        return None if self._game is None else evaluated(self._game, self._profile())

    def _keep(self, progress: Progress, rate: float, left: float | None) -> None:
        if self._log is not None:
            iteration = progress.iteration or 0
            index = progress.moment_number
            if self._game is not None:
                self._frames.offer(index, iteration, progress.seconds, self._frame_row)
            self._log.append(_row(progress, rate, left))

    def _frame_row(self) -> tuple[Floats, Floats]:
        return self._solver.snapshot().frame()

    def _show(self) -> None:
        """Write what those who watch the folder have not seen yet: rows and frames."""
        if self._folder is None or self._log is None:
            return
        begin = time.perf_counter()
        self._verify_folder()
        self._log.flush()
        if self._game is not None:
            write_frames(self._folder / "frames.bin", self._frames)
        self._shown_at = time.perf_counter()
        self._show_interval = max(FRAMES_SECONDS, (self._shown_at - begin) / _MAX_FRAMES_SHARE)

    def _save(self) -> None:
        if self._folder is None or self._log is None:
            return
        begin = time.perf_counter()
        self._show()
        state = self._solver.state()
        if state and self._solver.iteration:  # before the first iteration there is nothing to keep
            meta = {
                "fingerprint": self.fingerprint,
                "recipe": self._request.recipe(),
                "seconds": self._solver.seconds,
                "compile_seconds": self._compile_seconds,
                "total_seconds": self._total_seconds(),
            }
            self._verify_folder()  # writing the frames may have taken a while
            save_checkpoint(self._folder, meta, state)
            self._saved_iteration = self._solver.iteration
        self._saved_at = time.perf_counter()
        self._save_interval = max(
            CHECKPOINT_SECONDS, (self._saved_at - begin) / _MAX_CHECKPOINT_SHARE
        )

    def _total_seconds(self) -> float:
        return self._earlier_seconds + self._clock.elapsed()

    def _finish(self) -> Run:
        self._save()
        snapshot = self._solver.snapshot()
        profile = snapshot.profile
        game = game_of(self._solver, self._game)
        if self._solver.iteration == 0 and self._request.stop.seconds is not None:
            self._warning = self._warning or (
                f"the first iteration was not done after {self._request.stop.seconds:g} s, so "
                "that the strategy is uniform; allow more time, or use mccfr-outcome, whose "
                "iterations are short"
            )
        run = Run(
            path=self._folder,
            request=self._request,
            game=game,
            profile=profile,
            evaluation=evaluated(game, profile),
            iterations=self._solver.iteration,
            seconds=self._solver.seconds,
            compile_seconds=self._compile_seconds,
            total_seconds=self._total_seconds(),
            is_finished=True,
            outcome=self._solver.outcome(),
            warning=self._warning,
        )
        if self._folder is not None:
            self._verify_folder()
            if self._game is None:
                write_game(self._folder / "game.bin", game)
            path = self._folder / "strategy.bin"
            write_strategy(path, profile, game.fingerprint(), snapshot.values)
            left_out = write_result(self._folder / "result.json", run.to_json())
            if left_out:
                run = replace(
                    run,
                    warning=f"{' and '.join(left_out)} would make result.json too large to be read "
                    "again and is not in it; --json prints all",
                )
        return run


def _row(progress: Progress, rate: float, left: float | None) -> dict[str, Any]:
    evaluation = measured(progress.evaluation)
    special = {
        name: value
        for name in ("beta", "residual", "drift", "nodes")
        if (value := getattr(progress, name)) is not None
    }
    return {
        "iteration": progress.iteration or 0,
        "seconds": progress.seconds,
        **{name: evaluation[name] for name in ("exploitability", "nash_conv", "value")},
        "regret": progress.regret,
        "rate": rate,
        **special,
        "seconds_left": left,
    }


def _fingerprint(game: CompiledGame | None, folder: Path | None) -> str:
    if folder is None:
        return ""
    return UNCOMPILED if game is None else game.fingerprint()
