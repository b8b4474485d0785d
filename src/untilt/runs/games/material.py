"""The material of a run: the compiled game, its positions, or both.

The drive of a run knows its material only as a `Material`: a solver, what identifies
it, how its strategy is measured, and how its result is written. The material of spots is in
`runs/spots/spot_material.py`.
"""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from untilt.durations import shown_duration
from untilt.errors import Argument, GameTooLarge, InvalidOption
from untilt.evaluation.best_response import Evaluation
from untilt.formats.run.checkpoint import LoadedCheckpoint
from untilt.formats.run.progress import progress_row
from untilt.formats.run.run_file import fingerprint_of
from untilt.game.compiled import (
    NOTHING_KNOWN,
    CompiledGame,
    compile,  # noqa: A004
    compile_directly,
    compile_histories,
)
from untilt.game.histories.size import SizeEstimate, estimate_size
from untilt.game.histories.tree import GameTree, OnWalked
from untilt.game.protocol import Game
from untilt.game.sequence.plan_form import PlanForm
from untilt.game.strategy.snapshot import frame_length
from untilt.numeric.arrays import Floats
from untilt.runs.games.game_request import GameTask, solver_of
from untilt.runs.recorder import Recorder
from untilt.runs.run import GameRun, evaluated, measured
from untilt.runs.task import RunTask, Subject, describe
from untilt.solvers.methods import AUTOMATIC, batch_for, method_named
from untilt.solvers.progress import AnySolver, Progress, Solver, game_of

LARGE_TREE = 3_000_000
"""The most histories that are walked if a sampling method may choose: about half a minute."""

SMALL_TREE = 100_000
"""The most histories that are walked only to measure a strategy: about a second."""


Result_co = TypeVar("Result_co", covariant=True)


class Times(NamedTuple):
    """The times of a run, in addition to those that its solver knows."""

    compile_seconds: float
    total_seconds: float
    warning: str | None


class Material(ABC, Generic[Result_co]):
    """A task with everything that its solver needs, and its result."""

    if TYPE_CHECKING:  # fields of some materials, properties of others

        @property
        def request(self) -> RunTask[Subject]:
            """What was asked."""

        @property
        def solver(self) -> AnySolver:
            """The solver, the same each time."""

        @property
        def fingerprint(self) -> str:
            """What its checkpoints must have in common."""

    @property
    def note(self) -> str | None:
        """What the user should know about the choice."""
        return None

    @property
    def has_iterations(self) -> bool:
        """Whether its solver runs until it is stopped; otherwise it ends by itself."""
        return True

    @property
    def is_zero_sum(self) -> bool:
        """Whether the value of player 1 is that of player 0 with the opposite sign."""
        return True

    @property
    def saves_in_background(self) -> bool:
        """Whether the run goes on while a checkpoint is written, which takes a second state."""
        return False

    @property
    def frame_length(self) -> int | None:
        """How many numbers a frame has; None if frames are not kept."""
        return None

    def frame(self) -> tuple[Floats, Floats]:
        """Return the frame of the strategy found so far."""
        raise AssertionError("frames are not kept")

    def is_sound(self) -> bool:
        """Whether the state that the solver has just restored gives a strategy."""
        return True

    def evaluate(self) -> Evaluation | None:
        """Return how good the strategy that would be returned is; None if that is unknown."""
        return None

    def residuals(self) -> tuple[float, float] | None:
        """Return what a stop may be for, the mean residual and the largest; None without noise."""
        return None

    def row(self, now: Progress, rate: float, left: float | None) -> dict[str, Any]:
        """Return the row of the log for a moment; `rate` is iterations per second."""
        evaluation = measured(now.evaluation)
        values = evaluation["values"]
        names = ("regret", "beta", "residual", "drift", "nodes", "infosets", "lbr", "lbr_margin")
        return progress_row(
            iteration=now.iteration or 0,
            seconds=now.seconds,
            **{name: evaluation[name] for name in ("exploitability", "nash_conv", "value")},
            value_1=None if self.is_zero_sum or values is None else values[1],
            **{name: getattr(now, name) for name in names},
            rate=rate,
            seconds_left=left,
        )

    def begin(self, recorder: Recorder) -> None:
        """Write the start of the run."""
        recorder.begin(describe(self.request, self.fingerprint))

    def meta(self) -> Mapping[str, Any]:
        """Return what a checkpoint holds besides the state of the solver."""
        return {}

    def restored(self, loaded: LoadedCheckpoint | None) -> None:
        """Continue from a checkpoint, None if there is none; raise RunError if that is wrong."""
        del loaded

    def keep_up(self, save: Callable[[], None]) -> None:
        """Call `save` if it is time to write the outputs besides the run folder."""
        del save

    def save(self) -> None:
        """Write the outputs besides the run folder, which has a checkpoint of now."""
        return

    @abstractmethod
    def finish(self, recorder: Recorder, times: Times) -> Result_co:
        """Write the result, and return it."""


@dataclass(frozen=True)
class GameMaterial(Material[GameRun]):
    """A task on a game with everything that its solver needs."""

    request: GameTask
    game: CompiledGame
    """Without forms if its positions are sampled and it is too large to compile."""
    root: Game | None
    """The root position, if positions are sampled."""
    note: str | None = None
    """What the user should know about the choice."""

    @property
    def has_iterations(self) -> bool:
        """Whether its solver runs until it is stopped; otherwise it ends by itself."""
        return method_named(self.request.method).has_iterations

    @property
    def is_zero_sum(self) -> bool:
        """Whether the value of player 1 is that of player 0 with the opposite sign."""
        return self.game.has_one_value

    @cached_property
    def solver(self) -> Solver:
        """The solver, the same each time."""
        return solver_of(self.request, self.game, self.root)

    @cached_property
    def fingerprint(self) -> str:
        """What its checkpoints must have in common."""
        return fingerprint_of(self.game)

    @property
    def frame_length(self) -> int | None:
        """How many numbers a frame has; None if the infosets are not known."""
        return None if self.game.is_partial else frame_length(self.game.infosets)

    def frame(self) -> tuple[Floats, Floats]:
        """Return the frame of the strategy found so far."""
        return self.solver.snapshot().frame()

    def is_sound(self) -> bool:
        """Whether the state that the solver has just restored gives a strategy."""
        return self.solver.snapshot().is_sound()

    def evaluate(self) -> Evaluation | None:
        """Return how good the strategy is; None if the game has no exact form."""
        return evaluated(self.game, self.solver.snapshot().profile)

    def begin(self, recorder: Recorder) -> None:
        """Write the start of the run."""
        recorder.begin(describe(self.request, self.fingerprint), self.game)

    def finish(self, recorder: Recorder, times: Times) -> GameRun:
        """Write the strategy and the result, and return the run."""
        snapshot = self.solver.snapshot()
        profile = snapshot.profile
        game = game_of(self.solver, self.game)
        run = GameRun(
            path=recorder.folder,
            request=self.request,
            game=game,
            profile=profile,
            evaluation=evaluated(game, profile),
            iterations=self.solver.iteration,
            seconds=self.solver.seconds,
            compile_seconds=times.compile_seconds,
            total_seconds=times.total_seconds,
            is_finished=True,
            outcome=self.solver.outcome(),
            warning=times.warning,
            recorded=recorder.progress(),
        )
        return recorder.finish_run(run, snapshot.values, is_game_new=self.game.is_partial)


def prepare(
    root: Game, request: GameTask, max_nodes: int, watcher: OnWalked | None = None
) -> GameMaterial:
    """Return the material for `request`, compiled as its method needs it.

    A sampling method with `on` = auto gets the tree of a game of moderate size. It works on the
    positions of a larger game, or of one whose tree would take longer to walk than the time
    allowed for solving. The returned request holds the choice. `watcher` is called with the
    number of histories walked so far.
    """
    needs = method_named(request.method).needs(request.options)
    if Game not in needs:
        compiler = compile_histories if GameTree in needs else compile
        return _checked(
            GameMaterial(request, compiler(root, max_nodes=max_nodes, watcher=watcher), None)
        )
    patience = _Patience(request, watcher)
    size = _estimate(root)
    if GameTree in needs:
        game = _tree_of(root, size, max_nodes, patience)
        if game.has(GameTree):
            request = replace(request, options={**request.options, "on": "tree"})
            return _checked(GameMaterial(request, game, None))
        request = replace(request, options={**request.options, "on": "objects"})
    game = _measurable(root, size, max_nodes, patience)
    return _checked(GameMaterial(request, game, root, patience.note))


class _TooSlow(GameTooLarge):
    """The walk would take longer than the solving time."""


class _Patience:
    """A watcher that ends a walk once it takes longer than the time allowed for solving.

    If no time was given it never ends the walk, so that the choice does not depend on the clock.
    """

    def __init__(self, request: GameTask, watcher: OnWalked | None) -> None:
        stop = request.stop
        is_bounded = stop.seconds is not None and not stop.is_default
        self.seconds = stop.seconds if is_bounded and stop.seconds is not None else math.inf
        self.note: str | None = None
        self._began = time.monotonic()
        self._watcher = watcher

    def __call__(self, histories: int) -> None:
        if self._watcher is not None:
            self._watcher(histories)
        if time.monotonic() - self._began > self.seconds:
            self.give_up()
            raise _TooSlow("the game takes longer to walk than the time allowed for solving")

    def give_up(self) -> None:
        """Note that the game was not walked."""
        allowed = shown_duration(self.seconds)
        self.note = (
            f"compiling the game would have taken longer than the {allowed} for solving, "
            "so its positions were sampled, which is slower; with on=tree it is always compiled"
        )


def _tree_of(
    root: Game, size: SizeEstimate | None, max_nodes: int, patience: _Patience
) -> CompiledGame:
    """Return the game compiled with its tree, or without forms if it is too large for that."""
    if size is None or size.num_histories > min(max_nodes, LARGE_TREE):
        return NOTHING_KNOWN
    if size.num_histories * size.seconds_per_position > patience.seconds:
        patience.give_up()
        return NOTHING_KNOWN
    try:
        return compile_histories(root, max_nodes=max_nodes, watcher=patience)
    except _TooSlow:
        return NOTHING_KNOWN


def _measurable(
    root: Game, size: SizeEstimate | None, max_nodes: int, patience: _Patience
) -> CompiledGame:
    """Return the game compiled to measure strategies, or without forms if that takes too long."""
    game = compile_directly(root) or NOTHING_KNOWN
    if game.is_partial and size is not None and size.num_histories <= SMALL_TREE:
        with suppress(GameTooLarge):  # the estimate was too low, or time ran out
            limit = min(max_nodes, 4 * SMALL_TREE)
            game = compile_histories(root, max_nodes=limit, watcher=patience)
    return game


def _checked(material: GameMaterial) -> GameMaterial:
    """Reject a target that cannot be measured; record the batch that is used."""
    if not method_named(material.request.method).is_sampling:
        return material
    stop, game = material.request.stop, material.game
    options = material.request.options
    if options["batch"] == AUTOMATIC:
        options = {**options, "batch": batch_for(game)}
        material = replace(material, request=replace(material.request, options=options))
    if stop.target is not None and not stop.is_default and not game.has(PlanForm):
        reason = game.recall_error or "it is too large to compile"
        raise InvalidOption(
            Argument("target", stop.target),
            f" needs the exploitability, which cannot be measured for this game ({reason}); use ",
            Argument("time"),
            " or ",
            Argument("iterations"),
        )
    return material


def _estimate(root: Game) -> SizeEstimate | None:
    """Return an estimate of the size of the game; None if its histories cannot be listed."""
    try:
        return estimate_size(root)
    except GameTooLarge:
        return None
