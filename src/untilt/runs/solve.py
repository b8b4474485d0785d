"""`untilt.solve` and `untilt.resume`: from a game or spot, or from a folder, to a result.

There is one way for all kinds of runs; what differs between them is in `kinds`.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from untilt.errors import FormatError, InvalidOption
from untilt.formats.base.files import path_of
from untilt.formats.run.run_file import RunRecord
from untilt.game.protocol import Game
from untilt.games.holdem.spots.spot import Spot
from untilt.games.registry import GameLike
from untilt.options.run import PACE, SAVE
from untilt.result import Run
from untilt.runs.drive import Drive
from untilt.runs.kinds import kind_for, kind_of, read_task
from untilt.runs.kinds.kind import Changes, Means, RunKind
from untilt.runs.pace import Pace
from untilt.runs.recorder import Recorder
from untilt.runs.run import GameRun
from untilt.runs.task import RunTask
from untilt.runs.watching import Status, Watcher, verified

if TYPE_CHECKING:
    from untilt.games.holdem.solutions.solution import Solution
    from untilt.runs.spots.spot_material import CrewMaker


@overload
def solve(
    game: Spot,
    method: str = ...,
    *,
    iterations: int | None = ...,
    target: str | float | None = ...,
    time: float | None = ...,
    output: str | Path | None = ...,
    save: bool = ...,
    pace: float | None = ...,
    cluster: "CrewMaker | None" = ...,
    start: "Solution | None" = ...,
    watcher: Watcher | None = ...,
    **options: Any,
) -> "Solution": ...


@overload
def solve(
    game: GameLike,
    method: str = ...,
    *,
    parameters: Mapping[str, Any] | None = ...,
    iterations: int | None = ...,
    target: float | None = ...,
    time: float | None = ...,
    seed: int = ...,
    output: str | Path | None = ...,
    save: bool = ...,
    max_nodes: int = ...,
    pace: float | None = ...,
    watcher: Watcher | None = ...,
    **options: Any,
) -> GameRun: ...


def solve(
    game: object,
    method: str | None = None,
    *,
    output: str | Path | None = None,
    save: bool = True,
    pace: float | None = None,
    watcher: Watcher | None = None,
    **arguments: Any,
) -> Run[Any]:
    """Solve `game` and return the run; for a spot, the solution.

    `game` is a spot, a root position, a class or function that makes one, or a reference as on
    the command line: a name, `file.py:attr`, `module:attr`, `openspiel:name` or a file.
    `parameters` go to the game, unless it is a position. The run stops at the first of
    `iterations`, `target` (exploitability in chips; for spots also `"0.1%"` of the pot) and `time`
    (solver seconds); by default at exploitability 1e-6, for spots 0.1 % of the pot, or after 60 s.
    It is saved to the folder `output`, by default runs/{game}-{method}-{n}, unless `save` is False.
    Quantal response of a spot (`noise`) may begin from `start`, another solution of the spot.
    `pace` slows it down to take that many seconds of wall time, for watching. `options` are those
    of the method, such as `average="linear"` for cfr+. Raises `Interrupted` on Ctrl-C, after
    saving.

    >>> import untilt
    >>> run = untilt.solve("leduc", "cfr+", target=1e-3, save=False)
    >>> run.exploitability < 1e-3, round(run.value, 3)
    (True, -0.086)
    >>> run.strategy["P0:J::"].keys()
    dict_keys(['check', 'bet'])
    """
    watch = verified(watcher)
    _verify_pace(pace)
    SAVE.verify(save)
    kind = kind_for(game)
    chosen = {} if method is None else {"method": method}
    given = {name: arguments.pop(name) for name in kind.means & arguments.keys()}
    task = kind.task(game, **chosen, **arguments)
    means = Means(watch, **given)
    return begin(kind, task, means, output=output, save=save, pace=pace)


def begin(
    kind: RunKind,
    task: RunTask[Any],
    means: Means,
    *,
    output: str | Path | None = None,
    save: bool = True,
    pace: float | None = None,
) -> Run[Any]:
    """Carry out a task in a new run, and return the result."""
    paced = None if pace is None else Pace(pace, task.stop, task.options)
    place: AbstractContextManager[Recorder] = nullcontext(Recorder())
    if save:
        # Before compiling, which can take long: fail at once if the folder cannot be written.
        folder = None if output is None else path_of(output)
        place = Recorder.create(folder, *kind.folder_name(task))
    with place as recorder:
        material = kind.prepare(task, means._replace(folder=recorder.folder))
        drive = Drive(material, recorder, paced, means.watcher)
        drive.warm_up()
        drive.begin()
        result: Run[Any] = drive.run()
        return result


def resume(
    path: str | Path,
    *,
    iterations: int | None = None,
    target: str | float | None = None,
    time: float | None = None,
    threads: int | None = None,
    target_max: float | None = None,
    game: Game | str | None = None,
    trust: bool = False,
    pace: float | None = None,
    watcher: Watcher | None = None,
) -> Run[Any]:
    """Continue the run in the folder `path` and return it, bit for bit as if never stopped.

    It keeps its original stop unless a new one is given, which then replaces it and counts from the
    beginning of the run: `time` is the time in all. A run that has reached its stop is only loaded.
    Anything that depends on the planned number of iterations, such as when dcfr+ starts averaging,
    stays as it was when the run began. `threads` may differ from before, for methods that use
    several. `target_max` is for spots of players who make mistakes.

    No code that the run names is executed, because the folder holds the game. Only a run on
    objects with too many histories for that needs the game again. A game that comes with Untilt is
    recreated. Any other must be given as `game`, as a reference or as the root position, or
    `trust` must allow running the code that the run names.

    The result is a `GameRun`, a `Solution` if the folder holds a spot, and the training if it holds
    a blueprint or a training of push/fold. That of push/fold leaves a regret file beside it alone.

    >>> import untilt
    >>> run = untilt.solve("kuhn", "cfr+", iterations=10, output="kuhn-to-resume")
    >>> untilt.resume("kuhn-to-resume", iterations=20).iterations
    20
    """
    watch = verified(watcher)
    _verify_pace(pace)
    folder = path_of(path)
    kind = kind_of(folder)
    if game is not None and "game" not in kind.means:
        raise InvalidOption.of("game", game, f"{kind.noun} needs none: leave it out")
    if target_max is not None and "start" not in kind.means:
        raise InvalidOption.of("target_max", target_max, f"{kind.noun} has no such residual")
    changes = Changes(iterations, target, time, threads, target_max)
    means = Means(watch, folder, game=game, trust=trust)
    return continued(kind, folder, changes, means, pace=pace)


def continued(
    kind: RunKind, folder: Path, changes: Changes, means: Means, *, pace: float | None = None
) -> Run[Any]:
    """Continue the run of this kind in `folder`, and return the result; see `resume`."""
    means = means._replace(folder=folder)
    read_task(folder, kind)  # before anything is written
    with Recorder.reopen(folder) as recorder:
        task, record = read_task(folder, kind)
        task = kind.changed(task, folder, changes, means)
        paced = None if pace is None else Pace(pace, task.stop, task.options)
        means.watcher(Status(phase="compiling", folder=folder))
        result = _finished(kind, task, record, means)
        drive = None
        if result is None:
            drive = Drive(kind.reopen(task, record, means), recorder, paced, means.watcher)
            drive.restore()
            drive.warm_up()
        if changes.have_stop:
            recorder.change_stop(task.stop)
        if drive is not None:
            result = drive.run()
        assert result is not None
        return result


def _finished(
    kind: RunKind, task: RunTask[Any], record: RunRecord, means: Means
) -> Run[Any] | None:
    """Return the run if it has reached the stop of `task`, after saying so."""
    try:
        run = kind.finished(task, record, means)
    except FormatError:  # the checkpoint leads to the same result
        return None
    if run is None:
        return None
    done = run.iterations, run.seconds, getattr(run, "exploitability", None)
    residual = getattr(run, "residual", None)
    if not task.stop.is_reached(
        *done, None if residual is None else (residual.mean, residual.largest)
    ):
        return None
    note = task.stop.resumed_words(*done)
    means.watcher(Status(phase="compiling", folder=means.folder, note=note))
    return run


def _verify_pace(pace: float | None) -> None:
    """Raise InvalidOption unless it is a number; its bounds are checked with the stop."""
    PACE.verify(pace)
