"""`untilt qre`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.method_options import given_of, with_options
from untilt.cli.pipes import printing
from untilt.cli.sources import Json, Parameters, WithStrategy, parse_parameters, users_code
from untilt.cli.watching import NoOpenOption, PaceOption, PortOption, Watching, WatchOption
from untilt.durations import shown_duration
from untilt.errors import InvalidOption
from untilt.solvers.qre.options import BETA, CLASSIC, QRE

if TYPE_CHECKING:
    from untilt.runs.run import Run

_MAX_PATH_ROWS = 16


@with_options(QRE, after="game", also={"beta": "--lambda", "path": "-m"})
def qre(
    game: Annotated[
        str, typer.Argument(help="A game, as for `untilt solve`; general-sum games too.")
    ] = "kuhn",
    beta0: Annotated[
        float | None, typer.Option(help="Rationality of player 0, with --beta1, for --beta.")
    ] = None,
    beta1: Annotated[
        float | None, typer.Option(help="Rationality of player 1, with --beta0, for --beta.")
    ] = None,
    max_beta: Annotated[
        float | None, typer.Option(help="Where a trace ends; another name for --beta.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the branch into this .svg, .png or .pdf file.")
    ] = None,
    parameter: Parameters = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Run folder, or a .json file for the whole path."),
    ] = None,
    watch: WatchOption = False,
    port: PortOption = None,
    no_open: NoOpenOption = False,
    pace: PaceOption = None,
    strategy: WithStrategy = False,
    as_json: Json = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Print a line per Newton iteration.")
    ] = False,
    **options: Any,
) -> int:
    """Compute a quantal response equilibrium, for players of rationality beta.

    The path leads from random play at beta 0 towards a Nash equilibrium as beta grows.
    With --method classic, --definition is counterfactual by default.
    """
    given: dict[str, Any] = given_of(options)
    beta = given.pop("beta", None)
    if beta is not None and max_beta is not None:
        raise InvalidOption("--beta and --max-beta mean the same; give one of them")
    document = output if output is not None and output.suffix == ".json" else None
    if document is not None and document.exists():
        raise InvalidOption(f"{document} already exists; choose another --output")
    if plot is not None:
        from untilt.charts.plot_file import verify_plot

        verify_plot(plot)
    given |= _betas(max_beta if beta is None else beta, beta0, beta1)
    if given.get("path") == CLASSIC:
        given.setdefault("definition", "counterfactual")
    is_traced = bool(given.get("branch"))
    given["branch"] = bool(is_traced or plot or document)
    from untilt.cli.output import stderr
    from untilt.cli.progress_line import ProgressLine
    from untilt.cli.solve import saying_how_to_resume
    from untilt.games.registry import resolve
    from untilt.runs.solve import solve
    from untilt.runs.stop import Stop

    with Watching(is_wanted=watch, port=port, no_open=no_open) as page:
        with saying_how_to_resume(), users_code():
            named = resolve(game, parse_parameters(parameter))
            with ProgressLine(stderr(), f"{named.name} · qre", Stop(), page=page) as line:
                run = solve(
                    named,
                    "qre",
                    output=None if document else output,
                    pace=pace,
                    watcher=line,
                    **given,
                )
        status = _tell(
            run,
            document,
            plot,
            strategy=strategy,
            branch=is_traced,
            as_json=as_json,
            verbose=verbose,
        )
        page.stay()
    return status


def _tell(
    run: "Run",
    document: Path | None,
    plot: Path | None,
    *,
    strategy: bool,
    branch: bool,
    as_json: bool,
    verbose: bool,
) -> int:
    """Write and print what was found, and return the exit status."""
    from untilt.cli.output import print_json, say

    if verbose:
        _print_steps(run)
    if document is not None:
        from untilt.formats.files import REPEAT, write_json

        write_json(document, path_document(run), remedy=REPEAT)
    if plot is not None:
        from untilt.charts.branch import branch_figure

        branch_figure(run.request.title, run.outcome["branch"]).save(plot)
    written = [str(path) for path in (document, plot) if path is not None]
    with printing():
        if as_json:
            print_json(_summary(run, strategy=strategy, branch=branch))
        else:
            _print_result(run)
    if written:
        say(f"written: {', '.join(written)}")
    if not run.outcome["converged"]:
        say(f"not converged: {_shortfall(run)}")
        return 1
    return 0


def _shortfall(run: "Run") -> str:
    """Return which goal was not reached."""
    outcome = run.outcome
    limit = outcome.get("limit")
    if limit is not None and not limit["converged"]:
        return (
            f"no Nash equilibrium was found along the branch up to beta {limit['beta']:g} "
            f"(exploitability {limit['exploitability']:.2e})"
        )
    asked = run.request.options["beta"]
    ending = outcome.get("ending", "reached")
    if outcome["beta"] != asked:
        return f"the path {ending} at beta {outcome['beta']:g}, before {asked:g}"
    return f"residual {outcome['residual_norm']:.2e} at beta {asked:g}; try a larger --tol"


def _betas(beta: float | None, beta0: float | None, beta1: float | None) -> dict[str, float]:
    """Return β of the more rational player and both players' shares of it, if they are given."""
    if (beta0 is None) != (beta1 is None):
        raise InvalidOption("--beta0 and --beta1 need each other; give both, or --beta")
    if beta0 is None or beta1 is None:
        return {} if beta is None else {"beta": beta}
    if beta is not None:
        raise InvalidOption("give --beta, or --beta0 and --beta1, not all of them")
    BETA.verify(beta0, "beta0")
    BETA.verify(beta1, "beta1")
    most = max(beta0, beta1)
    if most == 0.0:
        return {"beta": 0.0}
    return {"beta": most, "scale0": beta0 / most, "scale1": beta1 / most}


def _summary(run: "Run", *, strategy: bool, branch: bool) -> dict[str, Any]:
    outcome = run.outcome
    summary: dict[str, Any] = {
        "game": run.request.game,
        "parameters": dict(run.request.parameters),
        "players": list(run.request.terms.seats),
        "definition": outcome["definition"],
        "method": outcome["path"],
        "beta": outcome["beta"],
        "betas": outcome["betas"],
        "iterations": run.iterations,
        "seconds": run.seconds,
        "value": run.value,
        "values": list(run.values),
        "exploitability": run.exploitability,
        "nash_conv": run.nash_conv,
        "residual_norm": outcome["residual_norm"],
        "converged": outcome["converged"],
        "points": outcome["points"],
        **{name: outcome[name] for name in ("folds", "limit", "cg_steps") if name in outcome},
        "run": None if run.path is None else str(run.path),
    }
    if branch:
        summary["branch"] = outcome["branch"]
    if strategy:
        summary["strategy"] = run.profile.to_dict()
    return summary


def path_document(run: "Run") -> dict[str, Any]:
    """Return the path as one document for other programs."""
    return {
        "game": run.request.title,
        "game_id": run.request.game,
        "iteration_count": run.iterations,
        "iterations": [
            {
                "iteration": point["iteration"],
                "beta": point["beta"],
                "residual_norm": point["residual_norm"],
                "exploitability": point["exploitability"],
                "expected_value": point["value"],
                "strategy": point["strategy"],
                "action_evs": point["action_values"],
            }
            for point in run.outcome["branch"]
        ],
        "latest": {"type": "complete", "final_exploitability": run.exploitability},
    }


def _print_steps(run: "Run") -> None:
    from untilt.cli.output import say

    steps = run.outcome.get("steps")
    if steps is None:
        say("--verbose shows Newton iterations only with --method newton or classic")
        return
    for step in steps:
        say(
            f"beta {step['beta']:<8g} iteration {step['iteration']:>3}  "
            f"|R| {step['residual_norm']:.3e}  lambda {step['damping']:.0e}  "
            f"alpha {step['step']:.3g}  condition {step['condition']:.1e}"
        )


def _print_result(run: "Run") -> None:
    from untilt.charts.strategy_table import Columns
    from untilt.cli.output import stdout
    from untilt.cli.show import print_most_reached
    from untilt.formats.progress import read_progress
    from untilt.formats.run_folder import RunFolder

    console = stdout()
    outcome = run.outcome
    betas = outcome["betas"]
    shown_beta = f"{betas[0]:g}" if betas[0] == betas[1] else f"{betas[0]:g} and {betas[1]:g}"
    console.print(
        f"{run.request.title}: {outcome['definition']} quantal response, beta {shown_beta}",
        style="bold",
        soft_wrap=True,
        markup=False,
    )
    residual = outcome["residual_norm"]
    console.print(
        f"{run.values_text('+.8f')}   exploitability {run.exploitability:.3e}   "
        f"residual {residual:.1e}   {outcome['points']} points in {shown_duration(run.seconds)}",
        soft_wrap=True,
    )
    limit = outcome.get("limit")
    if limit is not None and limit["converged"]:
        console.print(
            f"the Nash equilibrium that the branch selects, from beta {limit['beta']:g}; "
            f"moved by {limit['distance']:.2e}",
            soft_wrap=True,
        )
    console.print()
    if run.path is not None:
        rows = [row for row in read_progress(RunFolder(run.path).progress_file) if "beta" in row]
        step = max(1, -(-len(rows) // _MAX_PATH_ROWS))
        kept = [*rows[:-1:step], rows[-1]]
        columns = {"value": "value"}
        if not run.game.is_zero_sum:
            columns = dict(zip(("value", "value_1"), run.request.terms.seats, strict=True))
        values = {name: [f"{row[name]:+.7f}" for row in kept] for name in columns}
        widths = {name: max(10, len(columns[name]), *map(len, values[name])) for name in columns}
        titles = "".join(f"  {columns[name]:>{widths[name]}}" for name in columns)
        console.print(f"      beta{titles}  exploitability", style="dim", markup=False)
        for number, row in enumerate(kept):
            cells = "".join(f"  {values[name][number]:>{widths[name]}}" for name in columns)
            console.print(f"{row['beta']:>10.4g}{cells}       {row['exploitability']:.3e}")
        console.print()
    print_most_reached(console, run, Columns(values=True))
