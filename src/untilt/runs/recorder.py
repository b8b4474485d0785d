"""The only writer of run folders: drives hand over their data, and the recorder writes it.

The folder is created and locked, and removed again if no run begins in it. `begin` starts a run;
`moment` adds a row to the log and perhaps a frame; `keep_up` writes a checkpoint, or new rows and
frames for viewers, whenever that is due; `finish` writes the result.

The rows and frames that a checkpoint includes are on disk before the checkpoint. Rows and frames
beyond it are dropped when the run is resumed. A run that was killed and resumed therefore ends
with the same bits as one that never stopped.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

from untilt.errors import FormatError
from untilt.formats.base.container import Array
from untilt.formats.base.files import REPEAT, remove, remove_leftovers
from untilt.formats.base.lock import FolderLock
from untilt.formats.kinds.strategy_file import write_strategy
from untilt.formats.run.checkpoint import LoadedCheckpoint, save_checkpoint, set_damaged_aside
from untilt.formats.run.compiled_game import write_game
from untilt.formats.run.frames import Frames, read_frames, write_frames
from untilt.formats.run.progress import ProgressLog
from untilt.formats.run.progress_reader import read_progress
from untilt.formats.run.progress_table import ProgressTable
from untilt.formats.run.result_file import write_result
from untilt.formats.run.run_file import save_stop, write_run_file
from untilt.formats.run.run_folder import RunFolder
from untilt.game.compiled import CompiledGame
from untilt.numeric.arrays import Floats
from untilt.runs.background_save import BackgroundSave
from untilt.runs.folder import create_folder, remove_unused, verify_unused
from untilt.runs.interrupt import DeferredInterrupt, Impatient, undone_by
from untilt.runs.run import GameRun
from untilt.runs.stop import Stop

FIRST_CHECKPOINT_SECONDS = 0.5
CHECKPOINT_SECONDS = 5.0
_MAX_CHECKPOINT_SHARE = 0.02
"""Checkpoints become rarer if a run spends more than this share of its time waiting for them."""
_MAX_WRITING_SHARE = 0.2
"""Likewise if writing them in the background takes more than this share."""
FRAMES_SECONDS = 0.5
"""Time between two writes of the frames for viewers; longer if writing is slow."""
_MAX_FRAMES_SHARE = 0.01


class State(NamedTuple):
    """The state from which a run can be continued."""

    iteration: int
    meta: Mapping[str, Any]
    """The fingerprint of the game, and what must match when the state is restored."""
    arrays: Mapping[str, Array]


class Recorder:
    """A run folder that is being written, from its lock to its result.

    A recorder without a folder writes nothing: for runs that are not saved.
    """

    def __init__(self, lock: FolderLock | None = None, undoing: ExitStack | None = None) -> None:
        self.folder = None if lock is None else lock.folder
        self.saved_iteration: int | None = None
        """The iteration of the newest checkpoint."""
        self._lock = lock
        self._undoing = undoing
        self._began = time.perf_counter()
        self._earlier_seconds = 0.0  # total_seconds of the run before it was resumed
        self._resumed_at: int | None = None
        self._frames: Frames | None = None
        self._log: ProgressLog | None = None
        self._rows: list[Mapping[str, Any]] = []
        self._saved_at = 0.0
        self._save_interval = FIRST_CHECKPOINT_SECONDS
        self._shown_at = 0.0
        self._show_interval = FRAMES_SECONDS
        self._background: BackgroundSave | None = None

    @classmethod
    @contextmanager
    def create(cls, output: Path | None, game: str, kind: str) -> Iterator[Self]:
        """Provide the recorder of a new folder: `output`, or runs/{game}-{kind}-{n}.

        The folder is removed again if the block is left by an exception before a run has begun.
        """
        folder = create_folder(output, game, kind)
        with FolderLock(folder) as lock, ExitStack() as undoing:
            verify_unused(folder)  # another process may have used and released it meanwhile
            remove_leftovers(folder)
            recorder = cls(lock, undoing)
            undo = partial(recorder._remove_unused, is_numbered=output is None)
            undoing.enter_context(undone_by(undo))
            yield recorder

    @classmethod
    @contextmanager
    def reopen(cls, folder: Path) -> Iterator[Self]:
        """Provide the recorder of a run to be continued."""
        with FolderLock(folder) as lock:
            remove_leftovers(folder)
            yield cls(lock)

    def elapsed(self) -> float:
        """Return the wall time in seconds since the recorder was made."""
        return time.perf_counter() - self._began

    def total_seconds(self) -> float:
        """Return the wall time of the run, including the time before it was resumed."""
        return self._earlier_seconds + self.elapsed()

    def verify(self) -> None:
        """Raise RunError if the folder has been replaced since this run locked it."""
        if self._lock is not None:
            self._lock.verify()

    def begin(
        self,
        document: Mapping[str, Any],
        game: CompiledGame | None = None,
        *,
        is_whole_or_nothing: bool = False,
    ) -> None:
        """Start a run in the folder: `document` is its run.json, and `game` its game.bin.

        With `is_whole_or_nothing` the folder is removed if an exception occurs before `finish`.
        """
        if self.folder is None:
            return
        self.verify()
        if game is not None and not game.is_partial:  # a sampled part is saved at the end
            write_game(RunFolder(self.folder).game_file, game, remedy=REPEAT)
        write_run_file(self.folder, document, remedy=REPEAT)
        if not is_whole_or_nothing:
            self._forget_undoing()

    def change_stop(self, stop: Stop) -> None:
        """Give a continued run another stop."""
        if self.folder is not None:
            self.verify()
            save_stop(self.folder, stop)

    def keep_frames(self, num_sequences: int) -> None:
        """Start to keep frames, of `num_sequences` sequences each."""
        self._frames = Frames(num_sequences)

    def save_in_background(self, arrays: Mapping[str, Array]) -> None:
        """Write checkpoints while the run continues; this takes the memory of a second state."""
        if self.folder is not None:
            self._background = BackgroundSave(self.folder, self.verify, arrays)

    def resume(self, loaded: LoadedCheckpoint | None, iteration: int, total_seconds: float) -> None:
        """Continue from a checkpoint at `iteration`, or from the beginning if there is none."""
        assert self.folder is not None
        self._earlier_seconds = total_seconds
        if loaded is None:
            # The run starts over, and all its rows are void, including that of iteration 0, with
            # which quantal response paths begin.
            self._resumed_at = -1
            return
        self._resumed_at = iteration
        self.saved_iteration = iteration or None
        before = read_progress(RunFolder(self.folder).progress_file)
        self._rows = [row for row in before if row["iteration"] <= iteration]
        if loaded.damage is not None:
            self.verify()
            set_damaged_aside(self.folder)
        if self._frames is not None:
            # Frames are only for viewing: if they are damaged, the run starts new ones.
            with suppress(FormatError):
                frames = read_frames(RunFolder(self.folder).frames_file, up_to_iteration=iteration)
                if frames.num_sequences == self._frames.num_sequences:
                    self._frames = frames

    @contextmanager
    def recording(self) -> Iterator[DeferredInterrupt]:
        """Open the log, and defer stopping signals to `check` of the object provided."""
        with DeferredInterrupt() as interrupt, ExitStack() as stack:
            if self.folder is not None:
                self.verify()
                remove_leftovers(self.folder)
                self._log = stack.enter_context(ProgressLog(RunFolder(self.folder).progress_file))
                if self._resumed_at is not None:
                    # The checkpoint holds everything that the earlier result was made from.
                    remove(RunFolder(self.folder).result_file)
                    self._log.mark_resumed(self._resumed_at)
            self._saved_at = self._shown_at = time.perf_counter()
            if self._background is not None:
                stack.callback(self._settle)  # the log stays open until then
            yield interrupt

    def moment(
        self, number: int, row: Mapping[str, Any], frame: Callable[[], tuple[Floats, Floats]]
    ) -> None:
        """Add a row to the log, and keep the `frame` of moment `number` if one is due."""
        self._rows.append(row)
        if self._log is None:
            return
        if self._frames is not None:
            self._frames.offer(number, row["iteration"], row["seconds"], frame)
        self._log.append(row)

    def progress(self) -> ProgressTable:
        """Return the rows of all moments so far, including those before the run was resumed."""
        return ProgressTable(self._rows)

    def keep_up(self, state: Callable[[], State | None]) -> bool:
        """Write what is due; return whether that was a checkpoint, for which `state` is called."""
        if self.folder is None:
            return False
        is_busy = self._background is not None and self._background.is_busy()
        if time.perf_counter() - self._saved_at >= self._save_interval and not is_busy:
            self.checkpoint(state, is_last=False)
            return True
        if time.perf_counter() - self._shown_at >= self._show_interval:
            self.show()
        return False

    def show(self) -> None:
        """Write new rows and frames, for viewers of the folder."""
        if self.folder is None or self._log is None:
            return
        begin = time.perf_counter()
        self.verify()
        self._log.flush()
        if self._frames is not None:
            write_frames(RunFolder(self.folder).frames_file, self._frames)
        self._shown_at = time.perf_counter()
        self._show_interval = max(FRAMES_SECONDS, (self._shown_at - begin) / _MAX_FRAMES_SHARE)

    def checkpoint(self, ask: Callable[[], State | None], *, is_last: bool = True) -> None:
        """Write rows, frames and the state that `ask` returns, unless that is None.

        If checkpoints are written in the background, only the last one is on disk afterwards.
        """
        if self.folder is None or self._log is None:
            return
        begin = time.perf_counter()
        self._settle()
        self.show()
        state = ask()
        if state is not None:
            self.verify()  # writing the frames may have taken a while
            meta = {**state.meta, "total_seconds": self.total_seconds()}
            if self._background is not None and not is_last:
                self._background.begin(state.iteration, meta, state.arrays)
            else:
                save_checkpoint(self.folder, meta, state.arrays)
                self.saved_iteration = state.iteration
        self._saved_at = time.perf_counter()
        self._save_interval = max(
            CHECKPOINT_SECONDS, (self._saved_at - begin) / _MAX_CHECKPOINT_SHARE
        )

    def _settle(self) -> None:
        """Wait until the checkpoint that is being written is on disk."""
        if self._background is None:
            return
        saved = self._background.settle()
        if saved is not None:
            self.saved_iteration = saved
            # Writing takes a processor from the run.
            least = self._background.seconds / _MAX_WRITING_SHARE
            self._save_interval = max(self._save_interval, least)

    def finish(self, result: Mapping[str, Any], *parts: Callable[[Path], object]) -> Sequence[str]:
        """Write the parts of the result into the folder, and finally result.json.

        Return the names of entries that were left out because they are too large for that file.
        """
        if self.folder is None:
            return ()
        self.verify()
        for write in parts:
            write(self.folder)
        self._forget_undoing()
        return write_result(RunFolder(self.folder).result_file, result)

    def finish_run(
        self, run: GameRun, values: tuple[Floats, ...] | None, *, is_game_new: bool = False
    ) -> GameRun:
        """Write the strategy, with the `values` of its actions, and the result.

        A game is new if it was not known when the run began, but was discovered by sampling.
        Return the run, with a warning if something was left out.
        """

        def write(folder: Path) -> None:
            if is_game_new:
                write_game(RunFolder(folder).game_file, run.game)
            path = RunFolder(folder).strategy_file
            write_strategy(path, run.profile, run.game.fingerprint(), values)

        left_out = self.finish(run.to_json(), write)
        if not left_out:
            return run
        return replace(
            run,
            warning=f"{' and '.join(left_out)} would make result.json too large to be read "
            "back, and was left out; --json prints everything",
        )

    def interrupt(self, error: KeyboardInterrupt, save: Callable[[], object]) -> None:
        """Save after a signal, unless a second signal asks not to wait for it."""
        if isinstance(error, Impatient):
            return
        with suppress(KeyboardInterrupt):  # another signal: the last checkpoint remains
            save()

    def _forget_undoing(self) -> None:
        if self._undoing is not None:
            self._undoing.close()

    def _remove_unused(self, *, is_numbered: bool) -> None:
        assert self._lock is not None
        if self._lock.is_valid():
            remove(RunFolder(self._lock.folder).run_file)
            remove_unused(self._lock, is_numbered=is_numbered)
