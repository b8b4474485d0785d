"""Training push/fold."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from untilt.errors import InvalidOption, RunError
from untilt.formats.base.files import shown
from untilt.options.pushfold import THREADS
from untilt.runs.kinds.game import VIEWS
from untilt.runs.kinds.kind import Changes, Means, RunKind

if TYPE_CHECKING:
    from untilt.formats.run.run_file import RunRecord
    from untilt.result import Run
    from untilt.runs.pushfold.training_material import Regrets, TrainingMaterial
    from untilt.runs.pushfold.training_request import TrainingSubject, TrainingTask
    from untilt.runs.run import GameRun
    from untilt.runs.watching import Watcher


class TrainingKind(RunKind):
    """A training of push/fold on random hands, with a regret file besides its folder."""

    name: ClassVar[str] = "training"
    noun: ClassVar[str] = "a push/fold training"
    command: ClassVar[str] = "pushfold train"
    steps: ClassVar[str] = "hands"
    views: ClassVar[frozenset[str]] = VIEWS
    means: ClassVar[frozenset[str]] = frozenset({"regrets"})
    is_of_game: ClassVar[bool] = True

    def task(
        self,
        subject: "TrainingSubject",
        /,
        *,
        iterations: int | None = None,
        time: float | None = None,
        **options: Any,
    ) -> "TrainingTask":
        """Return the checked task of a training; its iterations are hands."""
        from untilt.runs.pushfold.training_request import request_of, training_stop

        for name, value in options.items():
            raise InvalidOption.of(name, value, "a training is described by its settings alone")
        return request_of(subject.settings, training_stop(iterations, time))

    def read(self, record: "RunRecord") -> "TrainingTask":
        """Return the checked task that a run.json describes."""
        from untilt.runs.pushfold.training_request import read_training_request

        return read_training_request(record)

    def folder_name(self, task: "TrainingTask") -> tuple[str, str]:
        """Return the parts of the name of a run folder."""
        return task.game, "train"

    def prepare(self, task: "TrainingTask", means: Means) -> "TrainingMaterial":
        """Return the material of a new training, which begins with its regret file."""
        from untilt.runs.pushfold.training_material import TrainingMaterial

        regrets = _regrets(task, means)
        regrets.clean_up()
        return TrainingMaterial(task, regrets, means.folder, regrets.start.hands)

    def changed(
        self, task: "TrainingTask", folder: Path, changes: Changes, means: Means
    ) -> "TrainingTask":
        """Return the task of a continued training with the changes."""
        from dataclasses import replace

        from untilt.runs.pushfold.training_request import training_stop

        changes.verify_no_target()
        if changes.threads is not None:
            THREADS.verify(changes.threads)
            task = replace(task, subject=replace(task.subject, threads=changes.threads))
        if changes.have_stop:
            task = replace(task, stop=training_stop(changes.iterations, changes.time))
        return task

    def reopen(self, task: "TrainingTask", record: "RunRecord", means: Means) -> "TrainingMaterial":
        """Return the material of a continued training."""
        from untilt.runs.games.game_folder import read_own_game
        from untilt.runs.pushfold.training_material import TrainingMaterial

        folder = record.path.parent
        if record.hands_before is None:
            raise _recorded_without_checkpoints(folder)
        regrets = _regrets(task, means)
        regrets.clean_up()
        game = read_own_game(folder, record)
        return TrainingMaterial(task, regrets, folder, record.hands_before, game)

    def finished(
        self, task: "TrainingTask", record: "RunRecord", means: Means
    ) -> "Run[Any] | None":
        """Return the training if it has a result, with all that its checkpoint knows."""
        from untilt.runs.games.game_folder import load_finished
        from untilt.runs.pushfold.training_material import TrainingMaterial, training_of
        from untilt.runs.restoring import restore_solver

        run = load_finished(task, record)
        if run is None:
            return None
        regrets = _regrets(task, means)
        if record.hands_before is None:
            return training_of(run, task.subject.settings, regrets.threads)
        folder = record.path.parent
        material = TrainingMaterial(task, regrets, folder, record.hands_before, run.game)
        loaded, _ = restore_solver(
            task, material.solver, folder, material.fingerprint, material.is_sound
        )
        material.restored(loaded)
        return material.training(run.progress, None if loaded is None else loaded.damage)

    def load(self, record: "RunRecord", watcher: "Watcher") -> "GameRun":
        """Return the run of a folder, finished or not."""
        from untilt.games.pushfold.learner import RegretLearner
        from untilt.runs.games.game_folder import load_finished, load_unfinished, read_own_game
        from untilt.runs.pushfold.trainee import Trainee

        del watcher
        folder = record.path.parent
        task = self.read(record)
        finished = load_finished(task, record)
        if finished is not None:
            return finished
        if record.hands_before is None:
            raise _recorded_without_checkpoints(folder)
        trainee = Trainee(RegretLearner(task.subject.settings))
        return load_unfinished(folder, task, read_own_game(folder, record), trainee, self.command)


def _regrets(task: "TrainingTask", means: Means) -> "Regrets":
    """Return where a training begins: where `means` say, or anew and without a regret file."""
    from untilt.runs.pushfold.training_material import Regrets
    from untilt.runs.pushfold.training_start import Start

    subject = task.subject
    return means.regrets or Regrets(Start(subject.settings), threads=subject.threads)


def _recorded_without_checkpoints(folder: Path) -> RunError:
    """Return the error for an unfinished training of a version that kept no checkpoints."""
    return RunError(
        f"{shown(folder)} was recorded by an earlier version, without checkpoints; go on from its "
        "regret file with `untilt pushfold train --regret-file FILE`, or start over"
    )
