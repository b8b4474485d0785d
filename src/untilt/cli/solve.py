"""`untilt solve`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from untilt.cli.cluster import ClusterOption
from untilt.cli.method_options import given_of, with_method_options
from untilt.cli.pipes import printing
from untilt.cli.sources import (
    Json,
    Parameters,
    WithStrategy,
    naming_game,
    parse_parameters,
    users_code,
)
from untilt.cli.watching import NoOpenOption, PaceOption, PortOption, Watching, WatchOption
from untilt.errors import InvalidOption, flag_of

if TYPE_CHECKING:
    from untilt.runs.run import GameRun


@with_method_options(after="parameter")
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
    method: str | None = None,
    iterations: Annotated[
        int | None, typer.Option("-n", "--iterations", help="Stop after this many iterations.")
    ] = None,
    target: Annotated[
        float | None, typer.Option(help="Stop at this exploitability, in chips.")
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(help="Stop after this many seconds of solving."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of sampling methods; always recorded.")] = 0,
    parameter: Parameters = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="Run folder; runs/{game}-{method}-{n} by default.",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN",
            help="Continue this run to its original stop or a new one. -n and --time count from "
            "its beginning: --time is the time in all.",
        ),
    ] = None,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust", help="With --resume: allow running the Python code of the run's game."
        ),
    ] = False,
    max_nodes: Annotated[
        int | None, typer.Option(min=1, help="Do not compile games with more histories than this.")
    ] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUES",
            help="Many runs, as a table: method=cfr+,dcfr seed=1:20 makes every combination.",
            show_default=False,
        ),
    ] = None,
    keep: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="With --grid or several methods: keep the first N runs as run folders, 0 for "
            "none; by default up to 100 and 1 GiB.",
            show_default=False,
        ),
    ] = None,
    cluster: ClusterOption = None,
    watch: WatchOption = False,
    port: PortOption = None,
    no_open: NoOpenOption = False,
    pace: PaceOption = None,
    strategy: WithStrategy = False,
    as_json: Json = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Print a line per measurement.")
    ] = False,
    **options: Any,
) -> int:
    """Solve a game: compute a Nash equilibrium and show it.

    Without -n, --target or --time it stops at exploitability 1e-6 or after 60 seconds. Ctrl-C
    saves the run, and --resume continues it bit for bit.
    """
    given: dict[str, Any] = given_of(options)
    stops = {"iterations": iterations, "target": target, "time": time}
    axes = [*(grid or ()), *(more or ())]
    has_methods = method is not None and "," in method and resume is None
    if has_methods:
        axes, method = [f"method={method}", *axes], None
    is_grid = grid is not None or has_methods
    many = _grid(game, axes, resume, cluster, is_grid=is_grid)
    if many is not None:
        for flag, value in {"--pace": pace, "--strategy": strategy, "--trust": trust}.items():
            if value:
                raise InvalidOption(f"{flag} is for one run: leave it out with several")
        if watch and cluster is not None:
            raise InvalidOption("--watch follows runs on this machine: leave --cluster out")
        common = {**stops, **given, "method": method, "seed": seed or None}
        common |= {"max_nodes": max_nodes}
        if watch and keep == 0:
            raise InvalidOption("--watch follows the folders of runs: leave --keep 0 out")
        if keep and cluster is not None and not _is_here(cluster):
            raise InvalidOption(
                "--keep is for runs on this machine; a cluster elsewhere keeps only their results"
            )
        with Watching(is_wanted=watch, port=port, no_open=no_open) as page:
            asked = _Asked(common, parse_parameters(parameter), output, page, keep, as_json)
            return many(asked)
    if keep is not None:
        raise InvalidOption("--keep is for many runs: give --grid, such as --grid seed=1:20")
    with Watching(is_wanted=watch, port=port, no_open=no_open) as page:
        if resume is not None:
            threads = given.pop("threads", None)
            fixed = {"--method": method, "--output": output, "-p": parameter}
            flags = {flag_of(name): value for name, value in given.items()}
            for flag, value in {**fixed, **flags}.items():
                if value is not None:
                    raise InvalidOption(
                        f"--resume continues a run with its original settings; leave {flag} out"
                    )
            again = {"game": game, "trust": trust, "threads": threads, "pace": pace}
            run = _resume(resume, stops, again, page, verbose=verbose)
        elif trust:
            raise InvalidOption(
                "--trust needs --resume; a game given by name runs without it, so leave --trust out"
            )
        elif game is None:
            raise InvalidOption(
                "no game given; try `untilt solve kuhn`, or `untilt games` for a list"
            )
        else:
            extra: dict[str, Any] = {"seed": seed, "output": output, "pace": pace, **given}
            if max_nodes is not None:
                extra["max_nodes"] = max_nodes
            parameters = parse_parameters(parameter)
            run = _solve(game, method, parameters, stops, extra, page, verbose=verbose)
        status = _tell(run, strategy=strategy, as_json=as_json)
        page.stay()
    return status


class _Asked(NamedTuple):
    """The options that apply to many runs."""

    common: dict[str, Any]
    """Arguments that all runs share; None if not given."""
    parameters: dict[str, str]
    output: Path | None
    page: Watching
    keep: int | None
    as_json: bool


Many = Callable[[_Asked], int]


def _grid(
    game: str | None, axes: list[str], resume: Path | None, cluster: str | None, *, is_grid: bool
) -> Many | None:
    """Return the function that solves or resumes a grid; None if no grid is asked for."""
    if resume is not None and resume.is_dir():
        from untilt.runs.grid import is_grid_folder

        if is_grid_folder(resume):
            return _resumed_grid(game, axes, resume, cluster)
    if not is_grid:
        if axes:
            raise InvalidOption(f"{axes[0]!r} is one argument too many; axes come after --grid")
        if cluster is not None:
            raise InvalidOption("--cluster is for many runs: give --grid, such as --grid seed=1:20")
        return None
    if game is None or resume is not None:
        raise InvalidOption("--grid needs a game: untilt solve kuhn --grid method=cfr+,dcfr")
    chosen = game

    def solve_all(asked: _Asked) -> int:
        from untilt.cli.grid import solve_grid

        how = {
            "common": {name: value for name, value in asked.common.items() if value is not None},
            "parameters": asked.parameters,
            "output": asked.output,
            "keep": asked.keep,
        }
        return solve_grid(chosen, axes, how, cluster, asked.page, as_json=asked.as_json)

    return solve_all


def _is_here(cluster: str) -> bool:
    from untilt.distributed.address import parse_address

    return parse_address(cluster).is_one_machine


def _resumed_grid(game: str | None, axes: list[str], folder: Path, cluster: str | None) -> Many:
    def resume_all(asked: _Asked) -> int:
        from untilt.cli.grid import resume_grid

        is_changed = any(value is not None for value in asked.common.values())
        is_changed |= asked.output is not None or asked.keep is not None
        if game is not None or axes or asked.parameters or is_changed:
            raise InvalidOption("--resume continues a grid as it was asked: give nothing else")
        return resume_grid(folder, cluster, asked.page, as_json=asked.as_json)

    return resume_all


def _tell(run: "GameRun", *, strategy: bool, as_json: bool) -> int:
    """Print the result and return the exit status."""
    from untilt.cli.output import print_json, quoted, say, warn
    from untilt.solvers.methods import method_named

    warn(run.warning)
    with printing():
        if as_json:
            print_json(run.to_json(strategy=strategy))
        else:
            _print_result(run)
    if run.missed_target:
        target = run.request.stop.target
        advice = f"continue with: untilt solve --resume {quoted(run.path)} --target {target:g}"
        if not method_named(run.request.method).has_iterations:
            advice = f"{run.request.method} cannot get closer; the rest is rounding error"
        say(
            f"the target {target:g} was not reached (exploitability {run.exploitability:.3g}); "
            f"{advice}"
        )
        return 1
    return 0


def _solve(
    game: str,
    method: str | None,
    parameters: dict[str, str],
    stops: dict[str, Any],
    extra: dict[str, Any],
    page: Watching,
    *,
    verbose: bool,
) -> "GameRun":
    from untilt.cli.output import stderr
    from untilt.cli.progress_line import ProgressLine
    from untilt.games.registry import resolve
    from untilt.runs.solve import solve as solve_game
    from untilt.runs.stop import chosen_stop
    from untilt.solvers.methods import DEFAULT_METHOD, method_named

    method = method or DEFAULT_METHOD
    stop = chosen_stop(method_named(method), stops["iterations"], stops["target"], stops["time"])
    with saying_how_to_resume(), naming_game(game, parameters), users_code():
        named = resolve(game, parameters)
        title = f"{named.name} · {method}"
        with ProgressLine(stderr(), title, stop, verbose=verbose, page=page) as line:
            return solve_game(named, method, watcher=line, **stops, **extra)


def _resume(
    path: Path,
    stops: dict[str, Any],
    again: dict[str, Any],
    page: Watching,
    *,
    verbose: bool,
) -> "GameRun":
    from untilt.cli.output import stderr
    from untilt.cli.progress_line import ProgressLine
    from untilt.runs.kinds import GAME, read_task
    from untilt.runs.run import GameRun
    from untilt.runs.solve import resume as resume_run
    from untilt.runs.stop import make_stop

    request, _ = read_task(path, GAME)
    is_new = any(value is not None for value in stops.values())
    stop = (
        make_stop(stops["iterations"], stops["target"], stops["time"]) if is_new else request.stop
    )
    title = f"{request.game} · {request.method}"
    with (
        saying_how_to_resume(),
        users_code(),
        ProgressLine(stderr(), title, stop, verbose=verbose, page=page) as line,
    ):
        run = resume_run(path, watcher=line, **stops, **again)
        assert isinstance(run, GameRun)
        return run


@contextmanager
def saying_how_to_resume(command: str = "solve") -> Iterator[None]:
    """Say after Ctrl-C how to continue, if anything was saved."""
    from untilt.cli.output import quoted, say
    from untilt.runs.interrupt import Interrupted, signal_of

    try:
        yield
    except Interrupted as stopped:
        again = f"untilt {command} --resume {quoted(stopped.path)}"
        if stopped.path is None or stopped.iteration is None:
            say("stopped before anything was saved")
        elif stopped.is_saved:
            say(f"stopped at iteration {stopped.iteration:,}; saved. Continue with: {again}")
        else:
            say(
                f"stopped without saving; the last checkpoint is at iteration {stopped.iteration:,}"
                f". Continue with: {again}"
            )
        raise typer.Exit(128 + stopped.number) from None
    except KeyboardInterrupt as error:
        say("stopped; nothing was saved")
        raise typer.Exit(128 + signal_of(error)) from None


def _print_result(run: "GameRun") -> None:
    from untilt.charts.strategy_table import Columns
    from untilt.cli.output import stdout
    from untilt.cli.show import print_most_reached, print_summary

    console = stdout()
    print_summary(console, run)
    print_most_reached(console, run, Columns(reach=True))
