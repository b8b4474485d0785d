"""The material of a spot's run: its public tree, and a solver for it."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol

from untilt.durations import shown_range
from untilt.evaluation.best_response import Evaluation
from untilt.formats.kinds.solution_file import write_solution
from untilt.formats.run.run_folder import RunFolder
from untilt.game.public.public_lanes import full_layout
from untilt.game.public.quantal_snapshot import QuantalSnapshot, Residual
from untilt.games.holdem.cost.spot_size import SpotSize, check_fits, shown_bytes
from untilt.games.holdem.solutions.expand_suits import unmerged_tables
from untilt.games.holdem.solutions.solution import Solution, SolvingFacts
from untilt.games.holdem.spots.locks import is_merged_for, locked_hands
from untilt.games.holdem.spots.noise import Noise
from untilt.games.holdem.spots.public_form import SpotForm, compile_spot, with_runouts
from untilt.numeric.free_memory import available_bytes
from untilt.runs.games.material import Material, Times
from untilt.runs.recorder import Recorder
from untilt.runs.spots.spot_request import (
    SpotTask,
    expected_time,
    noise_of,
    rule_of,
    storage_of,
    targets_of,
)
from untilt.runs.task import describe
from untilt.solvers.public_tree.board_group import Crew
from untilt.solvers.public_tree.methods import num_threads, precision_of
from untilt.solvers.public_tree.quantal_group import QuantalCrew
from untilt.solvers.public_tree.quantal_solver import QuantalSolver
from untilt.solvers.public_tree.solver import PublicTreeSolver
from untilt.solvers.public_tree.tables import LockedRows

_NO_LIMIT = 1 << 62


class CrewMaker(Protocol):
    """Makes the crew that computes the boards after the first one; see `distributed`."""

    @property
    def is_one_machine(self) -> bool:
        """Whether all memory is on this machine."""
        ...

    def crew(self, request: SpotTask, form: SpotForm, folder: Path) -> Crew:
        """Return the crew; `folder` is where it keeps its files."""
        ...

    def quantal_crew(
        self, request: SpotTask, form: SpotForm, folder: Path, *, is_merged: bool
    ) -> QuantalCrew:
        """Return the crew for quantal response, on boards that are merged or not."""
        ...


@dataclass(frozen=True, eq=False)
class SpotMaterial(Material[Solution]):
    """A spot with its public tree and solver."""

    request: SpotTask
    form: SpotForm
    size: SpotSize
    is_merged: bool
    locks: list[LockedRows]
    """The parts of the strategies that are given."""
    crew: Crew | None = None
    quantal_crew: QuantalCrew | None = None
    start: Solution | None = None
    """What quantal response begins with, if not with uniform strategies."""

    @cached_property
    def solver(self) -> PublicTreeSolver | QuantalSolver:
        """The solver, the same each time."""
        noise = noise_of(self.request)
        return self.sweeps if noise is None else self._quantal_solver(noise)

    @cached_property
    def sweeps(self) -> PublicTreeSolver:
        """The solver of Nash equilibria, which measures any strategies."""
        return PublicTreeSolver(
            self.form.tree,
            rule_of(self.request),
            threads=num_threads(self.request.options),
            precision=precision_of(self.request.options),
            locks=self.locks,
            target=self.request.stop.target,
            crew=self.crew,
        )

    def _quantal_solver(self, noise: Noise) -> QuantalSolver:
        stop = self.request.stop
        bounds = (stop.residual, stop.largest_residual)
        target = Residual(*(math.inf if bound is None else bound for bound in bounds))
        solver = QuantalSolver(
            self.form.tree,
            noise.betas(self.form.spot.pot),
            threads=num_threads(self.request.options),
            precision=precision_of(self.request.options),
            locks=self.locks,
            target=target if stop.bounds_residual else None,
            crew=self.quantal_crew,
        )
        if self.start is not None:
            known = self.start.snapshot
            if self.start.is_merged != self.is_merged:
                solver.begin_with(unmerged_tables(self.start, self.form), are_logs=False)
            elif isinstance(known, QuantalSnapshot):
                solver.begin_with(known.logs, are_logs=True)
            else:
                solver.begin_with(known.tables, are_logs=False)
        return solver

    def residuals(self) -> Residual | None:
        """Return the residuals of quantal response; None by other methods."""
        solver = self.solver
        return solver.residual() if isinstance(solver, QuantalSolver) else None

    @property
    def is_zero_sum(self) -> bool:
        """Whether no rake is taken."""
        return self.form.spot.is_zero_sum

    @property
    def size_note(self) -> str:
        """How large the tree is, and how much memory and time solving it takes, in words."""
        size, time = self.size, expected_time(self.request, self.size)
        peak = size.peak_bytes(storage_of(self.request.options))
        return (
            f"{size.nodes:,} nodes, {shown_bytes(peak)} of memory at the peak, "
            f"{shown_range(*time.solve)} of one processor to {time.goal}"
        )

    @property
    def fingerprint(self) -> str:
        """What its checkpoints must have in common."""
        return self.form.spot.fingerprint()

    def evaluate(self) -> Evaluation:
        """Return how good the average strategy is."""
        return self.solver.evaluate()

    def begin(self, recorder: Recorder, *, is_whole_or_nothing: bool = False) -> None:
        """Write the start of the run."""
        recorder.begin(
            describe(self.request, self.fingerprint), is_whole_or_nothing=is_whole_or_nothing
        )

    def finish(self, recorder: Recorder, times: Times) -> Solution:
        """Write the solution and the result, and return the solution."""
        solution = self.solution(times, recorder.folder, is_finished=True)
        solution = solution.with_facts(progress=recorder.progress())

        def write(folder: Path) -> None:
            path = RunFolder(folder).strategy_file
            write_solution(path, solution.to_meta(), solution.snapshot)

        recorder.finish(solution.to_json(), write)
        return solution

    def solution(self, times: Times, folder: Path | None, *, is_finished: bool) -> Solution:
        """Return what the solver has found; it is not used afterwards."""
        evaluation = self.evaluate()
        stop, noise = self.request.stop, noise_of(self.request)
        residuals = self.residuals()
        found = self.solver.snapshot(is_last=True)
        facts = SolvingFacts(
            method=self.request.method,
            options=dict(self.request.options),
            iterations=self.solver.iteration,
            seconds=self.solver.seconds,
            compile_seconds=times.compile_seconds,
            total_seconds=times.total_seconds,
            values=evaluation.values,
            gains=evaluation.gains,
            nodes=self.size.nodes,
            memory_bytes=self.size.total_bytes(storage_of(self.request.options)),
            path=folder,
            target=None if stop.is_default else stop.target,
            is_finished=is_finished,
            warning=times.warning,
            betas=None if noise is None else noise.betas(self.form.spot.pot),
            residual=residuals,
            residual_targets=targets_of(stop),
        )
        snapshot = replace(found, tree=with_runouts(self.form.tree))
        return Solution(self.form, snapshot, facts, self.is_merged)


def prepare_spot(
    request: SpotTask,
    maker: CrewMaker | None = None,
    folder: Path | None = None,
    *,
    can_merge: bool = True,
    start: Solution | None = None,
) -> SpotMaterial:
    """Return the material of a request; raises GameTooLarge if it does not fit into memory.

    The crew of `maker`, if there is one, keeps its files in `folder`. Interchangeable boards are
    merged if the locks allow it and `can_merge` is set. Quantal response begins with `start`.
    """
    spot = request.subject.spot
    is_here = maker is None or maker.is_one_machine
    is_merged = can_merge and is_merged_for(spot) and (start is None or start.is_merged)
    size = check_fits(
        spot,
        available_bytes() if is_here else _NO_LIMIT,
        storage_of(request.options),
        is_merged=is_merged,
    )
    form = compile_spot(spot, is_merged=is_merged)
    locks: list[LockedRows] = []
    if spot.locks:
        locks = [LockedRows(*each) for each in locked_hands(form, full_layout(form.tree))]
    crew, quantal_crew = None, None
    if maker is not None:
        assert folder is not None
        if noise_of(request) is None:
            crew = maker.crew(request, form, folder)
        else:
            quantal_crew = maker.quantal_crew(request, form, folder, is_merged=is_merged)
    return SpotMaterial(request, form, size, is_merged, locks, crew, quantal_crew, start)
