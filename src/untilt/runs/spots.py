"""Solving spots, new or continued, and loading them from their folders."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from untilt.errors import Argument, FormatError, RunError
from untilt.evaluation.best_response import Evaluation
from untilt.formats.checkpoint import NEWEST, PREVIOUS
from untilt.formats.files import path_of, shown
from untilt.formats.progress_table import ProgressTable
from untilt.formats.run_file import RunRecord
from untilt.formats.run_folder import RunFolder
from untilt.formats.shard_folder import ShardFolder
from untilt.formats.solution_file import read_solution
from untilt.games.holdem.solution import Solution
from untilt.games.holdem.spot import Spot
from untilt.runs.drive import Drive
from untilt.runs.loading import restore_solver
from untilt.runs.material import Times
from untilt.runs.recorder import Recorder
from untilt.runs.spot_material import CrewMaker, prepare_spot
from untilt.runs.spot_request import SpotRequest, read_spot_request, request_of, spot_stop
from untilt.runs.stop import Stop
from untilt.runs.watching import Status, Watcher, report_nothing
from untilt.solvers.public_tree.methods import DEFAULT_METHOD, RESPONSE, spot_method


def solve_spot(
    spot: Spot,
    method: str = DEFAULT_METHOD,
    *,
    iterations: int | None = None,
    target: str | float | None = None,
    time: float | None = None,
    output: str | Path | None = None,
    save: bool = True,
    cluster: CrewMaker | None = None,
    watcher: Watcher | None = None,
    **options: Any,
) -> Solution:
    """Solve a spot and return the solution; see `untilt.solve`.

    With a `cluster`, its workers compute the boards after the first one; the run is then saved.
    """
    request = request_of(spot, method, options, spot_stop(spot.pot, iterations, target, time))
    folder_given = None if output is None else path_of(output)
    watch = watcher or report_nothing
    if not save:
        assert cluster is None
        return _prepared(request, Recorder(), watch).run()
    # Before compiling: fail at once if the folder cannot be written.
    with Recorder.create(folder_given, "spot", spot.board_text) as recorder:
        drive = _prepared(request, recorder, watch, cluster)
        drive.begin()
        return drive.run()


def resume_spot(
    path: str | Path,
    *,
    iterations: int | None = None,
    target: str | float | None = None,
    time: float | None = None,
    threads: int | None = None,
    cluster: CrewMaker | None = None,
    watcher: Watcher | None = None,
) -> Solution:
    """Continue the spot in the folder `path`, bit for bit as if never stopped.

    It keeps its stop unless another one is given, which counts from its beginning; one that has
    reached its stop is only loaded.
    """
    folder = path_of(path)
    read_spot_request(folder)  # before anything is written
    watch = watcher or report_nothing
    stops = iterations, target, time
    with Recorder.reopen(folder) as recorder:
        request, record = read_spot_request(folder)
        if request.method == RESPONSE.name:
            raise RunError(
                f"{shown(folder)} is a best response, which is exact: there is nothing to continue"
            )
        is_changed = any(bound is not None for bound in stops)
        if is_changed:
            request = replace(request, stop=spot_stop(request.spot.pot, *stops))
        if threads is not None:
            given = {**request.options, "threads": threads}
            request = replace(request, options=spot_method(request.method).options(given))
        finished = _reached(folder, request, record)
        if finished is not None:
            if is_changed:
                recorder.change_stop(request.stop)
            done = finished.iterations, finished.seconds, finished.exploitability
            note = request.stop.resumed_words(*done)
            watch(Status(phase="compiling", folder=folder, note=note))
            return finished
        _verify_place(folder, cluster)
        drive = _new_drive(request, recorder, watch, cluster)
        drive.restore()
        drive.warm_up()
        if is_changed:
            recorder.change_stop(request.stop)
        return drive.run()


def load_spot(path: str | Path, watcher: Watcher | None = None) -> Solution:
    """Return the solution in the folder `path`; of an interrupted run, its last checkpoint.

    That takes seconds, because the tree is built again; `watcher` is called before.
    """
    folder = path_of(path)
    request, record = read_spot_request(folder)
    finished = load_finished_spot(folder, request, record)
    if finished is not None:
        return finished
    if ShardFolder(folder).exists:
        raise RunError(
            f"{shown(folder)} is not finished, and its parts are those of a cluster; finish it "
            f"with untilt spot --resume {shown(folder)} --cluster in-process"
        )
    if watcher is not None:
        watcher(Status(phase="compiling", folder=folder))
    material = prepare_spot(request)
    loaded, times = restore_solver(
        request, material.solver, folder, material.fingerprint, material.is_sound
    )
    if loaded is None:
        raise RunError(
            f"{shown(folder)} has no checkpoint yet; wait, or start it again with "
            f"untilt spot --resume {shown(folder)}"
        )
    spent = Times(times["compile_seconds"], times["total_seconds"], loaded.damage)
    solution = material.solution(spent, folder, is_finished=False)
    return solution.with_facts(progress=ProgressTable.read(RunFolder(folder).progress_file))


def load_finished_spot(folder: Path, request: SpotRequest, record: RunRecord) -> Solution | None:
    """Return the solution of a finished run without compiling anything; None if there is none."""
    files = RunFolder(folder)
    if not files.result_file.exists():
        return None
    result = files.result()
    result.verify("iterations", "seconds", "compile_seconds", "total_seconds")
    stored = read_solution(files.strategy_file)
    if stored.meta.get("fingerprint") != record.fingerprint:
        raise FormatError(f"{shown(files.strategy_file)} is the solution of another spot")
    stop = request.stop
    try:
        return Solution.from_stored(
            stored.meta,
            stored.snapshot,
            options=dict(request.options),
            seconds=result.seconds,
            compile_seconds=result.compile_seconds,
            total_seconds=result.total_seconds,
            path=folder,
            target=None if stop.is_default else stop.target,
            progress=ProgressTable.read(files.progress_file),
        )
    except FormatError as error:
        raise FormatError(f"{shown(files.strategy_file)}: {error}") from error


def _reached(folder: Path, request: SpotRequest, record: RunRecord) -> Solution | None:
    """Return the solution if it has reached the stop of `request`."""
    try:
        solution = load_finished_spot(folder, request, record)
    except FormatError:  # the checkpoint leads to the same result
        return None
    if solution is None:
        return None
    is_reached = request.stop.is_reached(
        solution.iterations, solution.seconds, solution.exploitability
    )
    return solution if is_reached else None


def _verify_place(folder: Path, cluster: CrewMaker | None) -> None:
    """Raise RunError if a run was begun on a cluster and continues without one, or vice versa."""
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


def _prepared(
    request: SpotRequest, recorder: Recorder, watch: Watcher, cluster: CrewMaker | None = None
) -> "Drive[Solution]":
    """Return the drive of a new run, compiled and warmed up."""
    drive = _new_drive(request, recorder, watch, cluster)
    drive.warm_up()
    return drive


def _new_drive(
    request: SpotRequest, recorder: Recorder, watch: Watcher, cluster: CrewMaker | None
) -> "Drive[Solution]":
    """Return the drive of a run, after saying how much memory its tables will take."""
    watch(Status(phase="compiling", folder=recorder.folder))
    material = prepare_spot(request, cluster, recorder.folder)
    watch(Status(phase="compiling", folder=recorder.folder, note=material.size_note))
    return Drive(material, recorder, None, watch)


def evaluate_solution(solution: Solution) -> Evaluation:
    """Return the recomputed values and best-response gains of stored strategies.

    A best response follows what is locked.
    """
    request = request_of(solution.spot, DEFAULT_METHOD, {}, Stop())
    material = prepare_spot(request, can_merge=solution.is_merged)
    return material.solver.evaluate_tables(solution.snapshot.tables)
