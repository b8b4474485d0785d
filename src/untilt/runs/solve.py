"""`untilt.solve` and `untilt.resume`: from a game, or from a folder, to a strategy."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from untilt.abstraction.recipe import described, verify_abstraction
from untilt.errors import FormatError, InvalidOption, nearest, shortened
from untilt.formats.files import path_of, shown
from untilt.formats.run_file import RunRecord
from untilt.formats.run_folder import RunFolder
from untilt.game.compiled import CompiledGame
from untilt.game.protocol import Game
from untilt.game.terms import terms_of
from untilt.game.tree import DEFAULT_MAX_NODES
from untilt.game.tree_position import TreePosition
from untilt.games.holdem.spot import Spot
from untilt.games.loading import is_position
from untilt.games.parameters import parameters_of
from untilt.games.recipe import Recipe, Use, quoted, rebuild_root, verify_same_game
from untilt.games.registry import REGISTRY, GameLike, name_game
from untilt.options.option import verify
from untilt.options.run import MAX_NODES, PACE, SAVE, SEED
from untilt.runs.drive import Drive
from untilt.runs.loading import load_finished, load_run, read_own_game
from untilt.runs.material import GameMaterial, prepare
from untilt.runs.pace import Pace
from untilt.runs.recorder import Recorder
from untilt.runs.request import Request, RunRequest, read_request
from untilt.runs.run import Run
from untilt.runs.spot_request import is_spot_run
from untilt.runs.stop import chosen_stop
from untilt.runs.watching import Status, Watcher, report_nothing
from untilt.solvers.methods import DEFAULT_METHOD, METHODS, method_named

if TYPE_CHECKING:
    from untilt.games.holdem.solution import Solution

_ARGUMENTS = (
    *("method", "parameters", "iterations", "target", "time", "seed", "output", "save"),
    *("max_nodes", "pace", "watcher"),
)


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
) -> Run: ...


def solve(game: GameLike | Spot, method: str | None = None, **arguments: Any) -> "Run | Solution":
    """Solve `game` and return the run; for a spot, the solution.

    `game` is a spot, a root position, a class or function that makes one, or a reference as on
    the command line: a name, `file.py:attr`, `module:attr`, `openspiel:name` or a file.
    `parameters` go to the game, unless it is a position. The run stops at the first of
    `iterations`, `target` (exploitability in chips; for spots also `"0.1%"` of the pot) and `time`
    (solver seconds); by default at exploitability 1e-6, for spots 0.1 % of the pot, or after 60 s.
    It is saved to the folder `output`, by default runs/{game}-{method}-{n}, unless `save` is False.
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
    chosen: dict[str, Any] = {} if method is None else {"method": method}
    if isinstance(game, Spot):
        from untilt.runs.spots import solve_spot

        return solve_spot(game, **chosen, **arguments)
    return _solve_game(game, **chosen, **arguments)


def _solve_game(
    game: GameLike,
    method: str = DEFAULT_METHOD,
    *,
    parameters: Mapping[str, Any] | None = None,
    iterations: int | None = None,
    target: float | None = None,
    time: float | None = None,
    seed: int = 0,
    output: str | Path | None = None,
    save: bool = True,
    max_nodes: int = DEFAULT_MAX_NODES,
    pace: float | None = None,
    watcher: Watcher | None = None,
    **options: Any,
) -> Run:
    """Solve a game that is not a spot."""
    chosen = method_named(method)
    stop = chosen_stop(chosen, iterations, target, time)
    verify((SEED, SAVE), seed=seed, save=save)
    for name, value in options.items():
        if name not in chosen.defaults:
            _explain_unknown(name, value, game)
    checked = chosen.options(options)
    _verify_arguments(max_nodes, pace, watcher)
    folder_given = None if output is None else path_of(output)
    named = name_game(game, {} if parameters is None else parameters)
    request = Request(
        game=named.name,
        title=named.title,
        reference=named.reference,
        parameters=named.parameters,
        method=method,
        options=checked,
        stop=stop,
        horizon=stop.iterations,
        seed=int(seed),
        terms=terms_of(named.game),
        abstraction=described(named.game),
    )
    paced = None if pace is None else Pace(pace, stop, checked)
    if not save:
        return _prepared(named.game, request, max_nodes, Recorder(), paced, watcher).run()
    # Before compiling, which can take long: fail at once if the folder cannot be written.
    with Recorder.create(folder_given, named.name, method) as recorder:
        drive = _prepared(named.game, request, max_nodes, recorder, paced, watcher)
        drive.begin()
        return drive.run()


def _explain_unknown(name: str, value: Any, game: GameLike) -> None:
    """Raise InvalidOption if `name` is a parameter of the game, or nearly another argument."""
    spec = REGISTRY.own.get(game) if isinstance(game, str) else None
    factory = game if spec is None else spec.factory
    if callable(factory) and not is_position(factory):
        known = [one.name for one in parameters_of(factory)]
    else:
        known = []
    if name in known:
        raise InvalidOption(
            f"{name} is a parameter of the game, not of its solver; give parameters="
            f"{{{name!r}: {shortened(value)}}}"
        )
    is_option = any(name in method.defaults for method in METHODS.values())
    near = None if is_option else nearest(name, _ARGUMENTS)
    if near is not None:
        raise InvalidOption(f"solve takes no argument {name}: did you mean {near}?")


def _prepared(
    root: Game,
    request: Request,
    max_nodes: int,
    recorder: Recorder,
    pace: Pace | None,
    watcher: Watcher | None,
) -> Drive[Run]:
    """Return the drive of a new run, compiled and warmed up."""
    watch = watcher or report_nothing

    def report_walked(histories: int | None) -> None:
        watch(Status(phase="compiling", folder=recorder.folder, histories=histories))

    report_walked(None)
    drive = Drive(prepare(root, request, max_nodes, report_walked), recorder, pace, watch)
    drive.warm_up()
    return drive


def resume(
    path: str | Path,
    *,
    iterations: int | None = None,
    target: str | float | None = None,
    time: float | None = None,
    threads: int | None = None,
    game: Game | str | None = None,
    trust: bool = False,
    pace: float | None = None,
    watcher: Watcher | None = None,
) -> Any:
    """Continue the run in the folder `path` and return it, bit for bit as if never stopped.

    It keeps its original stop unless a new one is given, which then replaces it and counts from the
    beginning of the run: `time` is the time in all. A run that has reached its stop is only loaded.
    Anything that depends on the planned number of iterations, such as when dcfr+ starts averaging,
    stays as it was when the run began. `threads` may differ from before, for methods that use
    several.

    No code that the run names is executed, because the folder holds the game. Only a run on
    objects with too many histories for that needs the game again. A game that comes with Untilt is
    recreated. Any other must be given as `game`, as a reference or as the root position, or
    `trust` must allow running the code that the run names.

    The result is a `Run`, or a `Solution` if the folder holds a spot.

    >>> import untilt
    >>> run = untilt.solve("kuhn", "cfr+", iterations=10, output="kuhn-to-resume")
    >>> untilt.resume("kuhn-to-resume", iterations=20).iterations
    20
    """
    _verify_arguments(None, pace, watcher)
    folder = path_of(path)
    if is_spot_run(folder):
        from untilt.runs.spots import resume_spot

        return resume_spot(
            folder,
            iterations=iterations,
            target=target,
            time=time,
            threads=threads,
            watcher=watcher,
        )
    asked, record = read_request(folder)  # before anything is written
    stops = iterations, _chips(target), time
    is_changed = any(bound is not None for bound in stops)
    if not isinstance(asked, Request) and RunFolder(folder).result_file.exists() and not is_changed:
        return load_run(folder)
    with Recorder.reopen(folder) as recorder:
        asked, record = read_request(folder)
        request = _continued(folder, asked, stops, threads)
        paced = None if pace is None else Pace(pace, request.stop, request.options)
        watch = watcher or report_nothing
        watch(Status(phase="compiling", folder=folder))
        recipe = Recipe(request.reference, request.parameters)
        is_on_objects = Game in request.solving_method.needs(request.options)
        verify_same_game(recipe, request.game, game, may_have_moved=is_on_objects)
        compiled = read_own_game(folder, record)
        finished = _finished(folder, request, record, compiled)
        if finished is not None:
            done = finished.iterations, finished.seconds, finished.exploitability
            note = request.stop.resumed_words(*done)
            watch(Status(phase="compiling", folder=folder, note=note))
        else:
            root = None
            if is_on_objects:
                root = _root(folder, recipe, compiled, game, trust=trust)
                if not isinstance(root, TreePosition):
                    verify_abstraction(root, request.abstraction)
            drive = Drive(GameMaterial(request, compiled, root), recorder, paced, watch)
            drive.restore()
            drive.warm_up()
        if is_changed:
            recorder.change_stop(request.stop)
        return finished or drive.run()


def _chips(target: str | float | None) -> float | None:
    """Return the target of a game, which has no pot to take a share of."""
    if isinstance(target, str):
        raise InvalidOption.of("target", target, "give a number of chips; only spots have a pot")
    return target


def _continued(
    folder: Path,
    asked: RunRequest,
    stops: tuple[int | None, float | None, float | None],
    threads: int | None,
) -> Request:
    """Return the request of a continued run, with the new stop and threads if given."""
    if not isinstance(asked, Request):
        raise InvalidOption(
            "this run is a push/fold training; continue it with "
            f"`untilt pushfold train --resume {shown(folder)}`"
        )
    request = asked
    if threads is not None:
        changed = request.solving_method.options({**request.options, "threads": threads})
        request = replace(request, options=changed)
    if any(bound is not None for bound in stops):
        if not request.solving_method.has_iterations:
            raise InvalidOption(f"method {request.method} runs to its end; it takes no new stop")
        request = replace(request, stop=chosen_stop(request.solving_method, *stops))
    return request


def _root(
    folder: Path,
    recipe: Recipe,
    compiled: CompiledGame,
    given: Game | str | None,
    *,
    trust: bool,
) -> Game:
    """Return the root position of a run on objects: the one given, or a new one."""
    if isinstance(given, str):
        return Recipe(given, recipe.parameters).make()
    if given is not None:
        return given
    named, again = quoted(recipe.reference), f"--resume {quoted(folder)}"
    use = Use(
        doing="resuming",
        advice=(f"untilt solve {named} {again}, or untilt solve {again} --trust",),
        in_python="continue it with untilt.resume(path, game=position)",
    )
    return rebuild_root(recipe, compiled, use, trust=trust)


def _finished(folder: Path, request: Request, record: RunRecord, game: CompiledGame) -> Run | None:
    """Return the run if it has reached the stop of `request`."""
    try:
        run = load_finished(folder, request, record, game)
    except FormatError:  # the checkpoint leads to the same result
        return None
    is_reached = run is not None and request.stop.is_reached(
        run.iterations, run.seconds, run.exploitability
    )
    return run if is_reached else None


def _verify_arguments(max_nodes: int | None, pace: float | None, watcher: object) -> None:
    """Raise InvalidOption if an argument that is not checked elsewhere has the wrong type."""
    verify((MAX_NODES, PACE), max_nodes=max_nodes, pace=pace)
    if watcher is not None and not callable(watcher):
        raise InvalidOption.of("watcher", watcher, "it must be a function of a Status")
