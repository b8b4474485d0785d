"""Training a blueprint."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from untilt.errors import RunError
from untilt.formats.base.files import shown
from untilt.formats.kinds.blueprint_path import FILE_NAME
from untilt.runs.kinds.kind import Changes, Means, RunKind

if TYPE_CHECKING:
    from untilt.abstraction.blueprint import Blueprint
    from untilt.formats.run.run_file import RunRecord
    from untilt.runs.blueprints.blueprint_material import BlueprintMaterial
    from untilt.runs.blueprints.blueprint_request import BlueprintSubject, BlueprintTask
    from untilt.runs.watching import Watcher


class BlueprintKind(RunKind):
    """A blueprint of hold'em, trained on deals."""

    name: ClassVar[str] = "blueprint"
    noun: ClassVar[str] = "a blueprint"
    command: ClassVar[str] = "blueprint train"
    shown_by: ClassVar[str] = "blueprint chart"
    result_file: ClassVar[str] = FILE_NAME
    views: ClassVar[frozenset[str]] = frozenset({"convergence", "chart", "play", "facts"})
    means: ClassVar[frozenset[str]] = frozenset({"cluster"})
    has_title: ClassVar[bool] = True

    def played_otherwise(self, folder: Path) -> str:
        """Return how a blueprint is played."""
        return (
            "is a blueprint, which plays hold'em through its own bet sizes: load it as an agent, "
            f"`game, [agent] = untilt.play.load_agents([{str(folder)!r}])`, or open it with "
            "untilt.load"
        )

    def task(
        self,
        subject: "BlueprintSubject",
        /,
        *,
        iterations: int | None = None,
        time: float | None = None,
        seed: int = 0,
        **options: Any,
    ) -> "BlueprintTask":
        """Return the checked task of a training."""
        from untilt.runs.blueprints.blueprint_request import request_of, training_stop

        stop = training_stop(iterations, time)
        return request_of(subject, stop, seed=seed, options=options)

    def read(self, record: "RunRecord") -> "BlueprintTask":
        """Return the checked task that a run.json describes."""
        from untilt.runs.blueprints.blueprint_request import read_blueprint_request

        return read_blueprint_request(record)

    def folder_name(self, task: "BlueprintTask") -> tuple[str, str]:
        """Return the parts of the name of a run folder."""
        del task
        return "holdem", "blueprint"

    def prepare(self, task: "BlueprintTask", means: Means) -> "BlueprintMaterial":
        """Return the material, after saying how large the tables will be."""
        from untilt.runs.watching import Status

        material = _material(task, means)
        material.verify_memory()
        means.watcher(Status(phase="compiling", folder=means.folder, note=material.size_note))
        return material

    def changed(
        self, task: "BlueprintTask", folder: Path, changes: Changes, means: Means
    ) -> "BlueprintTask":
        """Return the task of a continued training with the changes.

        Raises RunError if a finished training has no checkpoint: it would start over.
        """
        from dataclasses import replace

        from untilt.formats.run.checkpoint import NEWEST, PREVIOUS
        from untilt.formats.run.run_folder import RunFolder
        from untilt.runs.blueprints.blueprint_request import checked_options, training_stop

        del means
        has_checkpoint = any((folder / name).exists() for name in (NEWEST, PREVIOUS))
        if RunFolder(folder).result_file.exists() and not has_checkpoint:
            raise RunError(
                f"{shown(folder)} has a strategy, but no checkpoint to continue from; a strategy "
                "that was imported has none: import a checkpoint"
            )
        changes.verify_no_target()
        if changes.have_stop:
            task = replace(task, stop=training_stop(changes.iterations, changes.time))
        if changes.threads is not None:
            options = checked_options({**task.options, "threads": changes.threads})
            task = replace(task, options=options)
        return task

    def reopen(
        self, task: "BlueprintTask", record: "RunRecord", means: Means
    ) -> "BlueprintMaterial":
        """Return the material of a continued training."""
        del record
        return _material(task, means)

    def load(self, record: "RunRecord", watcher: "Watcher") -> "Blueprint":
        """Return the blueprint; raise RunError if its training has not come to its end."""
        from untilt.abstraction.blueprint import Blueprint
        from untilt.formats.kinds.blueprint_path import blueprint_file

        del watcher
        return Blueprint(blueprint_file(record.path.parent))


def _material(task: "BlueprintTask", means: Means) -> "BlueprintMaterial":
    from untilt.runs.blueprints.blueprint_material import BlueprintMaterial, walkers_of

    return BlueprintMaterial(task, walkers_of(task, means.cluster))
