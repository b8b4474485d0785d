"""A run: what was asked and what came out, in memory and as a folder.

run.json         what was asked, versions, seed, machine, fingerprint of the game
game.bin         the compiled game with its labels
progress.jsonl   scalars by iteration, append-only
frames.bin       strategy and action values at log-spaced moments
checkpoint.bin   from which the run resumes bit for bit, and the previous one
result.json      the outcome, written at the end, with strategy.bin
"""

import datetime
import math
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from untilt import __version__
from untilt.errors import FormatError, InvalidOption, RunError, UnknownName
from untilt.evaluation.best_response import Evaluation, evaluate
from untilt.formats.checkpoint import LoadedCheckpoint, load_checkpoint
from untilt.formats.container import Container
from untilt.formats.entries import damaged
from untilt.formats.files import path_of, shown
from untilt.formats.run_file import FORMAT, MAX_ITERATION, UNCOMPILED, RunRecord
from untilt.formats.run_folder import RunFolder
from untilt.formats.strategy import read_strategy
from untilt.game.compiled import CompiledGame
from untilt.game.protocol import Game
from untilt.game.strategy import Profile
from untilt.runs.stop import Stop, chosen_stop, make_stop
from untilt.solvers.methods import Method, Task, method_named
from untilt.solvers.options import Option, Options
from untilt.solvers.progress import Solver, game_of


@dataclass(frozen=True)
class Request:
    """What was asked: everything that, with the game, determines a run."""

    game: str
    """Short name of the game."""
    title: str
    reference: str | None
    """What resolves to the game again; None for a position given from Python."""
    parameters: Mapping[str, Any]
    method: str
    options: Options
    stop: Stop
    horizon: int | None
    """Iterations planned when the run began, if any: schedules depend on it, and stay the
    same when a resumed run is given another stop."""
    seed: int

    def solver(self, game: CompiledGame | None, root: Game | None = None) -> Solver:
        """Return a fresh solver of the compiled game, or of the positions from `root` on."""
        return self.solving_method.build(
            game, self.options, self.horizon, seed=self.seed, root=root
        )

    @property
    def solving_method(self) -> Method:
        """The method by which it is solved."""
        return recorded_method(self.method)

    def recipe(self) -> dict[str, Any]:
        """Return what a checkpoint must share with the run, besides the game."""
        neutral = self.solving_method.neutral
        options = {name: value for name, value in self.options.items() if name not in neutral}
        return {
            "method": self.method,
            "options": plain(options),
            "horizon": self.horizon,
            "seed": self.seed,
        }


@dataclass(frozen=True, repr=False)
class Run:
    """A finished or interrupted run.

    Two runs are equal if the same was asked of the same game and the same came out, wherever
    they are saved and however long they took.
    """

    path: Path | None = field(compare=False)
    """Its folder; None if it was not saved."""
    request: Request
    game: CompiledGame
    profile: Profile
    evaluation: Evaluation | None = field(compare=False)
    """How good it is, exactly; None for a game that could not be compiled."""
    iterations: int | None
    """Iterations done; None for `lp`."""
    seconds: float = field(compare=False)
    """Wall time in iterations and stopping tests."""
    compile_seconds: float = field(compare=False)
    """Wall time for compiling the game and the kernels."""
    total_seconds: float = field(compare=False)
    is_finished: bool
    """Whether it came to its stop; False for one that was interrupted."""
    outcome: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """What the method has to tell besides the strategy; empty for most."""
    warning: str | None = field(default=None, compare=False)
    """What was amiss while loading, such as a damaged checkpoint that was passed over."""

    __hash__ = None  # type: ignore[assignment]  # it holds dictionaries

    def __repr__(self) -> str:
        request = self.request
        given = ", ".join(f"{name}={value!r:.40}" for name, value in request.parameters.items())
        state = "" if self.is_finished else ", interrupted"
        iterations = "" if self.iterations is None else f"{self.iterations:,} iterations, "
        return (
            f"<Run of {request.game[:80]}({given[:120]}) by {request.method}: "
            f"value {self.value:.9g}, exploitability {self.exploitability:.3g}, "
            f"{iterations}{self.seconds:.3g} s{state}\n"
            f"     {self.game.num_infosets:,} infosets, "
            f"{'not saved' if self.path is None else f'in {str(self.path)[-120:]}'}>"
        )

    @property
    def value(self) -> float:
        """Player 0's expected payoff, in chips; nan if it could not be measured."""
        return self.values[0]

    @property
    def values(self) -> tuple[float, float]:
        """Both players' expected payoffs, in chips."""
        return (math.nan, math.nan) if self.evaluation is None else self.evaluation.values

    @property
    def nash_conv(self) -> float:
        """The sum of both players' best-response gains, in chips; nan if not measured."""
        return math.nan if self.evaluation is None else self.evaluation.nash_conv

    @property
    def exploitability(self) -> float:
        """Half of `nash_conv`, in chips."""
        return self.nash_conv / 2.0

    @property
    def strategy(self) -> Profile:
        """The strategy found: `run.strategy[label][action]` is a probability."""
        return self.profile

    @property
    def missed_target(self) -> bool:
        """Whether an exploitability that was asked for explicitly was not reached."""
        stop = self.request.stop
        return stop.target is not None and not stop.is_default and self.exploitability > stop.target

    def to_json(self, *, strategy: bool = False) -> dict[str, Any]:
        """Return the run as the object that `--json` prints."""
        result: dict[str, Any] = {
            "game": self.request.game,
            "method": self.request.method,
            "parameters": plain(self.request.parameters),
            "options": plain(self.request.options),
            "seed": self.request.seed,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "compile_seconds": self.compile_seconds,
            "total_seconds": self.total_seconds,
            **measured(self.evaluation),
            "infosets": self.game.num_infosets,
            "action_variables": self.game.num_action_variables,
            "sequences": [table.num_sequences for table in self.game.infosets],
            "terminals": self.game.num_terminals,
            "run": None if self.path is None else str(self.path),
        }
        if self.outcome:
            result["outcome"] = dict(self.outcome)
        if strategy:
            result["strategy"] = self.profile.to_dict()
        return result


def measured(evaluation: Evaluation | None) -> dict[str, Any]:
    """Return value and exploitability as JSON has them, null where they could not be measured."""
    if evaluation is None:
        return {"value": None, "values": None, "exploitability": None, "nash_conv": None}
    return {
        "value": evaluation.value,
        "values": list(evaluation.values),
        "exploitability": evaluation.exploitability,
        "nash_conv": evaluation.nash_conv,
    }


def recorded_method(name: str) -> Method:
    """Return the method that a run folder names: a solver, or the learner of push/fold."""
    return LEARNER if name == LEARNER.name else method_named(name)


def _refuse_learner(task: Task) -> Solver:
    del task
    raise InvalidOption(
        "this training was interrupted, and its folder shows only how it went; go on from its "
        "regret file with `untilt pushfold train --regret-file FILE`, or begin anew"
    )


LEARNER = Method(
    "pushfold-learner",
    "regret learning from random hands, see `untilt pushfold train`",
    _refuse_learner,
    (
        Option("batch", int, 0, "Hands against one strategy."),
        Option("choice", str, "", "How a hand is played from its regret."),
        Option("boards", str, "", "How all-in hands are decided."),
        Option("bytes", int, 4, "Width of a regret in the file."),
        Option("growth", str, "", "What a regret grows by."),
    ),
)


def describe(request: Request, fingerprint: str) -> dict[str, Any]:
    """Return what `run.json` holds."""
    return {
        **describe_origin(),
        "game": request.game,
        "title": request.title,
        "reference": request.reference,
        "parameters": plain(request.parameters),
        "stop": asdict(request.stop),
        **request.recipe(),
        "options": plain(request.options),
        "fingerprint": fingerprint,
    }


def describe_origin() -> dict[str, Any]:
    """Return when and by what a folder is written: the part that all `run.json` share."""
    from importlib.metadata import version

    return {
        "format": FORMAT,
        "untilt": __version__,
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": {
            "system": platform.system(),
            "processor": platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "numpy": np.__version__,
            "numba": version("numba"),
        },
    }


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mapping for JSON, which has no infinite numbers: they become text."""
    return {
        name: str(value) if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in values.items()
    }


def read_request(folder: Path) -> tuple[Request, RunRecord]:
    """Return what the run in `folder` was asked, checked and as it stands in run.json."""
    record = RunFolder(folder).record()
    if record.kind == "sweep":
        raise RunError(
            f"{shown(folder)} holds push/fold charts of many stacks, not a run of one game; "
            f"look at them with `untilt serve {shown(folder)}`"
        )
    record.verify(
        *("format", "title", "reference", "parameters", "method", "options", "stop"),
        *("horizon", "seed", "fingerprint"),
    )
    assert record.seed is not None
    stop = record.stop
    try:
        method = recorded_method(record.method)
        options = method.options({name: _option(value) for name, value in record.options.items()})
        chosen = (
            make_stop()
            if stop.is_default
            else chosen_stop(method, stop.iterations, stop.target, stop.seconds)
        )
    except (UnknownName, InvalidOption) as error:
        raise damaged(record.path, str(error)) from error
    request = Request(
        game=record.game,
        title=record.title,
        reference=record.reference,
        parameters=record.parameters,
        method=record.method,
        options=options,
        stop=chosen,
        horizon=record.horizon,
        seed=record.seed,
    )
    return request, record


def _option(value: Any) -> float | int | str:
    """Return an option as it was before `plain`."""
    if value in ("inf", "-inf"):
        return float(value)
    if not isinstance(value, float | int | str) or (isinstance(value, int) and abs(value) > 2**63):
        raise InvalidOption("an option is neither a text nor a number of usual size")
    return value


def read_own_game(folder: Path, record: RunRecord) -> CompiledGame | None:
    """Return the game of the run in `folder`; None if it was too large to compile."""
    return None if record.fingerprint == UNCOMPILED else RunFolder(folder).game(record)


def restore_solver(
    request: Request, solver: Solver, folder: Path, game: CompiledGame | None
) -> tuple[LoadedCheckpoint | None, Mapping[str, float]]:
    """Put the newest sound checkpoint of the folder into `solver`, one of `request` for `game`.

    Returns it, None if there is none yet, with the times spent so far.
    """
    times: dict[str, float] = {"seconds": 0.0, "compile_seconds": 0.0, "total_seconds": 0.0}

    def check(container: Container) -> None:
        if container.meta.get("recipe") != request.recipe():
            raise container.error("it was made by another method or with other options")
        for name in times:
            times[name] = _duration(container.meta.get(name), container)
        try:
            solver.restore(container.arrays)
        except FormatError as error:
            raise container.error(str(error)) from error
        if not 0 < (solver.iteration or 0) < MAX_ITERATION:
            raise container.error(f"it is of iteration {solver.iteration}")
        try:
            with np.errstate(divide="raise", invalid="raise", over="raise"):
                snapshot = solver.snapshot()
        except FloatingPointError as error:
            raise container.error("its sums give no strategy") from error
        if not snapshot.is_sound():
            raise container.error("its sums give no strategy")

    fingerprint = UNCOMPILED if game is None else game.fingerprint()
    loaded = load_checkpoint(folder, fingerprint, check=check)
    solver.seconds = times["seconds"]
    return loaded, times


def _duration(value: Any, container: Container) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0.0 <= value < 1e18:
        raise container.error(f"a time of the run is {str(value)[:40]!r}")
    return float(value)


def load(path: str | Path) -> Run:
    """Return the run in the folder `path`, finished or not.

    One that was interrupted stands where its last checkpoint left it.
    """
    folder = path_of(path)
    request, record = read_request(folder)
    game = read_own_game(folder, record)
    finished = load_finished(folder, request, record, game)
    return finished or _load_unfinished(folder, request, game)


def load_finished(
    path: Path, request: Request, record: RunRecord, compiled: CompiledGame | None
) -> Run | None:
    """Return the run whose result stands in the folder `path`; None if it has none."""
    folder = RunFolder(path)
    if not folder.result_file.exists():
        return None
    result = folder.result()
    result.verify("iterations", "seconds", "compile_seconds", "total_seconds")
    game = compiled or folder.game(record)
    profile = read_strategy(folder.strategy_file, game)
    return Run(
        path=path,
        request=request,
        game=game,
        profile=profile,
        evaluation=evaluated(game, profile),
        iterations=result.iterations,
        seconds=result.seconds,
        compile_seconds=result.compile_seconds,
        total_seconds=result.total_seconds,
        is_finished=True,
        outcome=result.outcome,
    )


def _load_unfinished(folder: Path, request: Request, compiled: CompiledGame | None) -> Run:
    solver = request.solver(compiled)
    loaded, times = restore_solver(request, solver, folder, compiled)
    if loaded is None:
        raise RunError(
            f"{shown(folder)} has no checkpoint yet; wait, or start it again with "
            f"untilt solve --resume {shown(folder)}"
        )
    game = game_of(solver, compiled)
    profile = solver.snapshot().profile
    return Run(
        path=folder,
        request=request,
        game=game,
        profile=profile,
        evaluation=evaluated(game, profile),
        iterations=solver.iteration,
        seconds=solver.seconds,
        compile_seconds=times["compile_seconds"],
        total_seconds=times["total_seconds"],
        is_finished=False,
        warning=loaded.damage,
    )


def evaluated(game: CompiledGame, profile: Profile) -> Evaluation | None:
    """Return how good a profile is; None if the game has no exact form."""
    return None if game.form is None else evaluate(game.form, profile)
