"""Quantal response as a solver: β rises, and every point on the way is reported.

A *point* is an equilibrium at one β. Whatever the method (`arclength` along the branch,
`newton` or `classic` over a schedule, Newton–CG for the definition `dilated`), the path is a
list of points; progress, frames, tables and plots are made from it.
"""

import math
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from untilt.errors import InvalidOption
from untilt.evaluation.action_values import action_values
from untilt.evaluation.best_response import Evaluation, evaluate
from untilt.evaluation.snapshots import sequence_snapshot
from untilt.game.compiled import CompiledGame
from untilt.game.strategy.snapshot import SequenceSnapshot
from untilt.game.strategy.strategy import Profile, profile_from_arrays, uniform_profile
from untilt.numeric.arrays import AnyArray, Floats
from untilt.solvers.moments import is_moment
from untilt.solvers.progress import Progress
from untilt.solvers.qre.branches.arclength import refine, trace
from untilt.solvers.qre.branches.branch import ENDINGS, REACHED
from untilt.solvers.qre.branches.limit import nash_limit
from untilt.solvers.qre.options import ARCLENGTH, DILATED, NEWTON, QreOptions
from untilt.solvers.qre.points.classic import classic
from untilt.solvers.qre.points.newton import newton
from untilt.solvers.qre.problem import QuantalProblem
from untilt.solvers.qre.soft.dilated import DilatedPoint, solve_dilated, verify_zero_sum

_MAX_POINTS = 400
"""Points kept of a long branch."""

_MAX_DILATED_WORK = 400 * 1_000_000
"""Sequence pairs × points beyond which only the end of a dilated path is kept."""


@dataclass(frozen=True)
class BranchPoint:
    """An equilibrium at one β."""

    beta: float
    behaviours: tuple[Floats, ...]
    residual_norm: float
    """‖σ − LogitBR_β(σ)‖₂"""
    iterations: int
    """Newton iterations up to here."""


class QreSolver:
    """A path of quantal response equilibria up to one β; runs to its end."""

    def __init__(self, game: CompiledGame, options: QreOptions) -> None:
        self._game = game
        self._form = game.plan_form()
        self._options = options
        self._problem: QuantalProblem | None = None
        if options.definition == DILATED:
            verify_zero_sum(game.exact_form())
            self._scale()
        else:
            self._problem = QuantalProblem(game, options.definition, self._scale())
        if options.is_limit:
            game.exact_form()  # refuses more than two players at once, not after the path
        self._shares = options.scale if self._problem is None else self._problem.shares
        self._points: list[BranchPoint] = []
        self._profile: Profile = uniform_profile(game)
        self._extra: dict[str, Any] = {"converged": False}
        self.seconds = 0.0

    def _scale(self) -> tuple[float, ...] | None:
        """Return each player's share of β; None if it is 1 for all."""
        scale, count = self._options.scale, self._game.num_players
        if len(scale) == count:
            return scale
        if scale != (1.0, 1.0):
            raise InvalidOption(
                f"{len(scale)} betas were given, and the game has {count} players: give one for "
                "each, or one for all"
            )
        return None

    @property
    def iteration(self) -> int:
        """Newton iterations done."""
        return self._points[-1].iterations if self._points else 0

    @property
    def is_at_moment(self) -> bool:
        """Whether the strategy is measured at the current iteration."""
        return is_moment(self.iteration)

    def warm_up(self) -> None:
        """Compile the kernels on a short path."""
        self._path(min(self._options.beta, 1e-3))
        self._evaluate(uniform_profile(self._game))

    def progress(self, until: int | None = None) -> Iterator[Progress]:
        """Follow the path to the end, then yield its points in order."""
        del until
        points, self._extra, self.seconds = self._path(self._options.beta)
        for number, point in enumerate(points):
            self._points.append(point)
            self._profile = profile_from_arrays(self._game, point.behaviours)
            yield Progress(
                iteration=point.iterations,
                # Only the sum was measured; the points share it evenly.
                seconds=self.seconds * (number + 1) / len(points),
                evaluation=self._evaluate(self._profile),
                regret=None,
                beta=point.beta,
                residual=point.residual_norm,
                moment=number,
            )
        if self._options.is_limit:
            yield self._go_to_limit(len(points))

    def _evaluate(self, profile: Profile) -> Evaluation:
        return evaluate(self._form, profile)

    def _path(self, beta: float) -> tuple[list[BranchPoint], dict[str, Any], float]:
        """Return the points up to `beta`, a report, and the seconds that solving took."""
        if self._problem is None:
            return self._dilated_path(beta)
        if self._options.path == ARCLENGTH:
            return self._arclength_path(self._problem, beta)
        return self._newton_path(self._problem, beta)

    def _arclength_path(
        self, problem: QuantalProblem, beta: float
    ) -> tuple[list[BranchPoint], dict[str, Any], float]:
        begin = time.perf_counter()
        branch = trace(problem.system, beta, tolerance=self._options.tolerance)
        seconds = time.perf_counter() - begin
        num_traced = len(branch.betas)
        is_reached = branch.ending == REACHED and branch.last_correction <= self._options.tolerance
        kept = np.unique(np.linspace(0, num_traced - 1, min(num_traced, _MAX_POINTS)).astype(int))
        exact = refine(problem.system, branch, self._options.tolerance, kept)
        # Only the sum of corrections was counted; the points share it evenly.
        counts = np.linspace(0, branch.num_corrections, len(exact.betas)).round().astype(int)
        points = _points_of(problem, exact.betas, exact.log_odds, counts.tolist())
        outcome = {
            "converged": is_reached,
            "ending": ENDINGS[branch.ending],
            "folds": list(branch.folds),
            "factorisations": branch.num_factorisations,
        }
        return points, outcome, seconds

    def _newton_path(
        self, problem: QuantalProblem, beta: float
    ) -> tuple[list[BranchPoint], dict[str, Any], float]:
        options = self._options
        # While warming up, beta is less than what was asked for.
        schedule = [entry for entry in options.ascent if entry < beta] or None
        if options.path == NEWTON:
            result = newton(
                problem,
                beta,
                schedule=schedule,
                tolerance=options.tolerance,
                max_iterations=options.max_iterations,
                jacobian=options.jacobian,
            )
        else:
            result = classic(
                problem,
                beta,
                schedule=schedule,
                tolerance=options.tolerance,
                max_iterations=options.max_iterations,
            )
        done = {entry: 0 for entry, _ in result.points}
        for step in result.steps:
            done[step.beta] = done.get(step.beta, 0) + 1
        counts = np.cumsum([done[entry] for entry, _ in result.points]).tolist()
        betas = [entry for entry, _ in result.points]
        points = _points_of(problem, betas, [odds for _, odds in result.points], counts)
        steps = [asdict(step) for step in result.steps]
        return points, {"converged": result.converged, "steps": steps}, result.seconds

    def _dilated_path(self, beta: float) -> tuple[list[BranchPoint], dict[str, Any], float]:
        options = self._options
        points: list[BranchPoint] = []
        keep_path = self._form.num_meetings * _MAX_POINTS < _MAX_DILATED_WORK

        def keep(point: DilatedPoint) -> None:
            before = points[-1].iterations if points else 0
            points.append(
                BranchPoint(point.beta, point.behaviours, math.nan, before + point.iterations)
            )

        result = solve_dilated(
            self._game.exact_form(),
            beta,
            scale=(options.scale[0], options.scale[1]),
            tolerance=options.tolerance,
            max_iterations=options.max_iterations,
            keep_path=keep_path,
            on_point=keep if keep_path else None,
        )
        last = BranchPoint(result.beta, result.behaviours, result.residual_norm, result.iterations)
        points = [*points[:-1], last]
        outcome = {"converged": result.converged, "cg_steps": result.cg_steps}
        return points, outcome, result.seconds

    def _go_to_limit(self, number: int) -> Progress:
        assert self._problem is not None
        begin = time.perf_counter()
        limit = nash_limit(self._problem)
        self.seconds += time.perf_counter() - begin
        self._profile = limit.profile
        self._extra["limit"] = {
            "converged": limit.converged,
            "beta": limit.beta,
            "distance": limit.distance,
            "exploitability": limit.exploitability,
        }
        self._extra["converged"] = self._extra["converged"] and limit.converged
        return Progress(
            iteration=self.iteration,
            seconds=self.seconds,
            evaluation=self._evaluate(limit.profile),
            regret=None,
            moment=number,
        )

    def snapshot(self) -> SequenceSnapshot:
        """Return the strategy at the last point, or in the limit."""
        return sequence_snapshot(self._game.infosets, self._profile.behaviours, self._form)

    def outcome(self) -> dict[str, Any]:
        """Return a report of the path, and with `keeps_branch` all its points."""
        options = self._options
        last = self._points[-1] if self._points else None
        outcome: dict[str, Any] = {
            "definition": options.definition,
            "path": "newton-cg" if options.definition == DILATED else options.path,
            "beta": last.beta if last else 0.0,
            "betas": [(last.beta if last else 0.0) * share for share in self._shares],
            "residual_norm": last.residual_norm if last else None,
            "points": len(self._points),
            **self._extra,
        }
        if options.keeps_branch:
            outcome["branch"] = [self._to_json(point) for point in self._points]
        return outcome

    def _to_json(self, point: BranchPoint) -> dict[str, Any]:
        profile = profile_from_arrays(self._game, point.behaviours)
        evaluation = self._evaluate(profile)
        worth: dict[str, dict[str, float]] = {}
        for player, table in enumerate(self._game.infosets):
            values = action_values(self._form, profile, player).conditional.tolist()
            for index, (label, actions) in enumerate(table.items()):
                block = values[table.block(index)]
                worth[label] = dict(zip(actions, block, strict=True))
        return {
            "iteration": point.iterations,
            "beta": point.beta,
            "residual_norm": point.residual_norm if math.isfinite(point.residual_norm) else None,
            "value": evaluation.value,
            "values": list(evaluation.values),
            "exploitability": evaluation.exploitability,
            "strategy": profile.to_dict(),
            "action_values": worth,
        }

    def state(self) -> dict[str, AnyArray]:
        """Return nothing: a stopped path starts over."""
        return {}

    def restore(self, state: Mapping[str, AnyArray]) -> None:
        """Start over."""


def _points_of(
    problem: QuantalProblem,
    betas: Iterable[float],
    log_odds: Iterable[Floats],
    iterations: Iterable[int],
) -> list[BranchPoint]:
    return [
        BranchPoint(
            beta=float(beta),
            behaviours=problem.profile(odds).behaviours,
            residual_norm=problem.residual_norm(odds, float(beta)),
            iterations=count,
        )
        for beta, odds, count in zip(betas, log_odds, iterations, strict=True)
    ]
