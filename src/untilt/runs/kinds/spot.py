"""Solving a spot."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from untilt.errors import Argument, FormatError, InvalidOption, RunError
from untilt.formats.base.files import shown
from untilt.runs.kinds.kind import Changes, Means, RunKind

if TYPE_CHECKING:
    from untilt.formats.run.run_file import RunRecord
    from untilt.games.holdem.solutions.solution import Solution
    from untilt.games.holdem.spots.spot import Spot
    from untilt.runs.spots.spot_material import CrewMaker, SpotMaterial
    from untilt.runs.spots.spot_request import SpotTask
    from untilt.runs.watching import Watcher


class SpotKind(RunKind):
    """A solved spot."""

    name: ClassVar[str] = "spot"
    noun: ClassVar[str] = "a solved spot"
    command: ClassVar[str] = "spot"
    views: ClassVar[frozenset[str]] = frozenset({"convergence", "spot", "noise", "play", "facts"})
    means: ClassVar[frozenset[str]] = frozenset({"cluster", "start"})
    has_title: ClassVar[bool] = True

    def played_otherwise(self, folder: Path) -> str:
        """Return how a spot is played."""
        return (
            "is a solved spot, not a whole game: open it with untilt.load, or play it with "
            f"`untilt play {shlex.quote(str(folder))}`"
        )

    def takes(self, subject: object) -> bool:
        """Whether it is a spot."""
        from untilt.games.holdem.spots.spot import Spot

        return isinstance(subject, Spot)

    def task(
        self,
        subject: "Spot",
        /,
        method: str | None = None,
        *,
        iterations: int | None = None,
        target: str | float | None = None,
        time: float | None = None,
        target_max: float | None = None,
        **options: Any,
    ) -> "SpotTask":
        """Return the checked task for a spot."""
        from untilt.runs.spots.spot_request import request_of, stop_for
        from untilt.solvers.public_tree.methods import method_for

        chosen = method_for(method, options)
        stop = stop_for(chosen, subject.pot, iterations, target, time, largest=target_max)
        return request_of(subject, chosen, options, stop)

    def read(self, record: "RunRecord") -> "SpotTask":
        """Return the checked task that a run.json describes."""
        from untilt.runs.spots.spot_request import read_spot_request

        return read_spot_request(record)

    def folder_name(self, task: "SpotTask") -> tuple[str, str]:
        """Return the parts of the name of a run folder: the board is one."""
        return task.game, task.subject.spot.board_text

    def prepare(self, task: "SpotTask", means: Means) -> "SpotMaterial":
        """Return the material, after saying how much memory its tables will take."""
        from untilt.runs.spots.spot_material import prepare_spot
        from untilt.runs.watching import Status

        means.watcher(Status(phase="compiling", folder=means.folder))
        if means.start is not None:
            task = _begun_from(task, means.start)
        material = prepare_spot(task, means.cluster, means.folder, start=means.start)
        means.watcher(Status(phase="compiling", folder=means.folder, note=material.size_note))
        return material

    def changed(self, task: "SpotTask", folder: Path, changes: Changes, means: Means) -> "SpotTask":
        """Return the task of a continued run with the changes."""
        from dataclasses import replace

        from untilt.runs.spots.spot_request import request_of, stop_for, verify_reachable
        from untilt.solvers.public_tree.methods import RESPONSE

        del means
        if task.method == RESPONSE.name:
            raise RunError(
                f"{shown(folder)} is a best response, which is exact: there is nothing to continue"
            )
        if changes.have_stop:
            stop = stop_for(
                task.method, task.subject.spot.pot, *changes[:3], largest=changes.target_max
            )
            task = replace(task, stop=stop)
            verify_reachable(task)
        if changes.threads is not None:
            given = {**task.options, "threads": changes.threads}
            changed = request_of(task.subject.spot, task.method, given, task.stop)
            task = replace(task, options=changed.options)
        return task

    def reopen(self, task: "SpotTask", record: "RunRecord", means: Means) -> "SpotMaterial":
        """Return the material of a continued run, in the place where it was begun."""
        _verify_place(record.path.parent, means.cluster)
        _verify_start(record)
        return self.prepare(task, means)

    def finished(
        self, task: "SpotTask", record: "RunRecord", means: Means | None = None
    ) -> "Solution | None":
        """Return the solution without compiling anything; None if there is none."""
        from untilt.formats.kinds.solution_file import read_solution
        from untilt.formats.run.progress_table import ProgressTable
        from untilt.formats.run.run_folder import RunFolder
        from untilt.games.holdem.solutions.solution import Solution
        from untilt.runs.spots.spot_request import targets_of

        del means
        files = RunFolder(record.path.parent)
        if not files.result_file.exists():
            return None
        result = files.result()
        result.verify("iterations", "seconds", "compile_seconds", "total_seconds")
        stored = read_solution(files.strategy_file)
        if stored.meta.get("fingerprint") != record.fingerprint:
            raise FormatError(f"{shown(files.strategy_file)} is the solution of another spot")
        stop = task.stop
        try:
            return Solution.from_stored(
                stored.meta,
                stored.snapshot,
                options=dict(task.options),
                seconds=result.seconds,
                compile_seconds=result.compile_seconds,
                total_seconds=result.total_seconds,
                path=files.path,
                target=None if stop.is_default else stop.target,
                residual_targets=targets_of(stop),
                progress=ProgressTable.read(files.progress_file),
            )
        except FormatError as error:
            raise FormatError(f"{shown(files.strategy_file)}: {error}") from error

    def load(self, record: "RunRecord", watcher: "Watcher") -> "Solution":
        """Return the solution; of an interrupted run, its last checkpoint.

        That takes seconds, because the tree is built again; `watcher` is called before.
        """
        from untilt.formats.run.progress_table import ProgressTable
        from untilt.formats.run.run_folder import RunFolder
        from untilt.formats.run.shard_folder import ShardFolder
        from untilt.runs.games.material import Times
        from untilt.runs.restoring import restore_solver
        from untilt.runs.spots.spot_material import prepare_spot
        from untilt.runs.watching import Status

        folder = record.path.parent
        task = self.read(record)
        finished = self.finished(task, record)
        if finished is not None:
            return finished
        if ShardFolder(folder).exists:
            raise RunError(
                f"{shown(folder)} is not finished, and its parts are those of a cluster; finish it "
                f"with untilt spot --resume {shown(folder)} --cluster in-process"
            )
        watcher(Status(phase="compiling", folder=folder))
        material = prepare_spot(task)
        loaded, times = restore_solver(
            task, material.solver, folder, material.fingerprint, material.is_sound
        )
        if loaded is None:
            raise RunError(
                f"{shown(folder)} has no checkpoint yet; wait, or start it again with "
                f"untilt spot --resume {shown(folder)}"
            )
        spent = Times(times["compile_seconds"], times["total_seconds"], loaded.damage)
        solution = material.solution(spent, folder, is_finished=False)
        return solution.with_facts(progress=ProgressTable.read(RunFolder(folder).progress_file))


def _begun_from(task: "SpotTask", start: "Solution") -> "SpotTask":
    """Return the task that says with which solution it begins; raise InvalidOption if it cannot."""
    from dataclasses import replace

    from untilt.games.holdem.solutions.solution import Solution
    from untilt.runs.spots.spot_pairs import verify_spots
    from untilt.solvers.public_tree.methods import QUANTAL

    if not isinstance(start, Solution):
        raise InvalidOption.of("start", start, "give a solution of the same spot")
    if task.method != QUANTAL.name:
        raise InvalidOption(
            Argument("start"), " is for quantal response: add ", Argument("noise", "2%")
        )
    verify_spots([start.spot, task.subject.spot])
    run = None if start.path is None else str(start.path)
    return replace(task, subject=replace(task.subject, start={"run": run}))


def _verify_start(record: "RunRecord") -> None:
    """Raise RunError if a run began with another solution, and nothing of that was saved."""
    from untilt.formats.run.checkpoint import NEWEST, PREVIOUS

    folder = record.path.parent
    has_checkpoint = any((folder / name).exists() for name in (NEWEST, PREVIOUS))
    if record.parameters.get("start") is not None and not has_checkpoint:
        raise RunError(
            f"{shown(folder)} began with another solution, of which no checkpoint is left: solve "
            "the spot again"
        )


def _verify_place(folder: Path, cluster: "CrewMaker | None") -> None:
    """Raise RunError if a run was begun on a cluster and continues without one, or vice versa."""
    from untilt.formats.run.checkpoint import NEWEST, PREVIOUS
    from untilt.formats.run.shard_folder import ShardFolder

    is_sharded = ShardFolder(folder).exists
    if is_sharded and cluster is None:
        raise RunError(
            f"{shown(folder)} was begun on a cluster: continue it there, or add ",
            Argument("cluster", "in-process"),
        )
    has_checkpoint = any((folder / name).exists() for name in (NEWEST, PREVIOUS))
    if cluster is not None and has_checkpoint and not is_sharded:
        raise RunError(
            f"{shown(folder)} was begun without a cluster, and continues without one: leave out ",
            Argument("cluster"),
        )
