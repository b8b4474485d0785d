"""`untilt solve`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.app.jobs import (
    following,
    new_stop,
    print_found,
    saying_how_to_resume,
    stops_of,
    tell_missed,
    to_continue,
)
from untilt.cli.app.sources import naming_game, parse_parameters, users_code
from untilt.cli.app.watching import Watching
from untilt.cli.commands.solve.grid import many_runs
from untilt.cli.options.method_options import with_method_options
from untilt.errors import InvalidOption
from untilt.options.option import verify_unchanged
from untilt.options.run import METHOD, SOLVE
from untilt.solvers.methods import DEFAULT_METHOD, METHODS, method_named

if TYPE_CHECKING:
    from untilt.runs.run import GameRun


@with_method_options(*SOLVE)
def solve(
    game: Annotated[
        str | None,
        typer.Argument(
            help="A game's name (see `untilt games`), path/to/file.py:attr, module:attr, "
            "path/to/game.efg (or .nfg) or openspiel:name.",
            show_default=False,
        ),
    ] = None,
    more: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME=VALUES]...", help="With --grid: further axes.", show_default=False
        ),
    ] = None,
    **given: Any,
) -> int:
    """Solve a game: compute a Nash equilibrium and show it.

    Without -n, --target or --time it stops at exploitability 1e-6 or after 60 seconds. Ctrl-C
    saves the run, and --resume continues it bit for bit.
    """
    with Watching.asked(given) as page:
        status = many_runs(game, more or [], given, page)
        if status is not None:
            return status
        as_json, strategy = given.pop("as_json", False), given.pop("strategy", False)
        run = _resume(game, given, page) if "resume" in given else _solve(game, given, page)
        print_found(
            run.warning,
            lambda: run.to_json(strategy=strategy),
            lambda: _print(run),
            as_json=as_json,
        )
        status = _tell_missed(run) if run.missed_target else 0
        page.stay()
    return status


def _solve(game: str | None, given: dict[str, Any], page: Watching) -> "GameRun":
    from untilt.games.registry import resolve
    from untilt.runs.solve import solve as solve_game
    from untilt.runs.stop import chosen_stop

    if "trust" in given:
        raise InvalidOption(
            "--trust needs --resume; a game given by name runs without it, so leave --trust out"
        )
    if game is None:
        raise InvalidOption("no game given; try `untilt solve kuhn`, or `untilt games` for a list")
    parameters, verbose = (
        parse_parameters(given.pop("parameter", None)),
        given.pop("verbose", False),
    )
    method = given.pop("method", DEFAULT_METHOD)
    stop = chosen_stop(method_named(method), *stops_of(given))
    with saying_how_to_resume("solve"), naming_game(game, parameters), users_code():
        named = resolve(game, parameters)
        with following("solve", f"{named.name} · {method}", stop, page, verbose=verbose) as line:
            return solve_game(named, method, watcher=line, **given)


def _resume(game: str | None, given: dict[str, Any], page: Watching) -> "GameRun":
    from untilt.runs.kinds import GAME, read_task
    from untilt.runs.run import GameRun
    from untilt.runs.solve import resume
    from untilt.runs.stop import make_stop

    of_methods = (option for each in METHODS.loaded().values() for option in each.takes)
    verify_unchanged((METHOD, *SOLVE, *of_methods), given)
    path, verbose = given.pop("resume"), given.pop("verbose", False)
    request, _ = read_task(path, GAME)
    title, stop = f"{request.game} · {request.method}", new_stop(given, request.stop, make_stop)
    with users_code(), following("solve", title, stop, page, verbose=verbose) as line:
        run = resume(path, game=game, watcher=line, **given)
    assert isinstance(run, GameRun)
    return run


def _tell_missed(run: "GameRun") -> int:
    target = run.request.stop.target
    advice = to_continue("solve", run.path, target)
    if not method_named(run.request.method).has_iterations:
        advice = f"{run.request.method} cannot get closer; the rest is rounding error"
    return tell_missed(target, run.exploitability, advice)


def _print(run: "GameRun") -> None:
    from untilt.charts.strategy_table import TableColumns
    from untilt.cli.app.output import stdout
    from untilt.cli.commands.look.show import print_most_reached, print_summary

    console = stdout()
    print_summary(console, run)
    print_most_reached(console, run, TableColumns(reach=True))
