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
from untilt.solvers.qre.options import BETA, QRE

if TYPE_CHECKING:
    from untilt.runs.quantal import QuantalResponse

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
    given |= _rationality(given.pop("beta", None), max_beta, beta0, beta1)
    is_traced = bool(given.pop("branch", False))
    document = output if output is not None and output.suffix == ".json" else None
    if document is not None and document.exists():
        raise InvalidOption(f"{document} already exists; choose another --output")
    if plot is not None:
        from untilt.charts.plot_file import verify_plot

        verify_plot(plot)
    from untilt.cli.output import print_json, say, stderr
    from untilt.cli.progress_line import ProgressLine
    from untilt.cli.solve import saying_how_to_resume
    from untilt.games.registry import resolve
    from untilt.runs.quantal import qre as quantal_response
    from untilt.runs.stop import Stop

    with Watching(is_wanted=watch, port=port, no_open=no_open) as page:
        with saying_how_to_resume(), users_code():
            named = resolve(game, parse_parameters(parameter))
            with ProgressLine(stderr(), f"{named.name} · qre", Stop(), page=page) as line:
                found = quantal_response(
                    named,
                    trace=bool(is_traced or plot or document),
                    output=None if document else output,
                    pace=pace,
                    watcher=line,
                    **given,
                )
        if verbose:
            _print_steps(found)
        if document is not None:
            from untilt.formats.files import REPEAT, write_json

            write_json(document, found.to_document(), remedy=REPEAT)
        if plot is not None:
            found.plot(plot)
        with printing():
            if as_json:
                print_json(found.to_json(strategy=strategy, branch=is_traced))
            else:
                _print_result(found)
        if document or plot:
            say(f"written: {', '.join(str(path) for path in (document, plot) if path)}")
        if not found.converged:
            say(f"not converged: {_shortfall(found)}")
        page.stay()
    return 0 if found.converged else 1


def _shortfall(found: "QuantalResponse") -> str:
    """Return which goal was not reached."""
    outcome = found.run.outcome
    limit = outcome.get("limit")
    if limit is not None and not limit["converged"]:
        return (
            f"no Nash equilibrium was found along the branch up to beta {limit['beta']:g} "
            f"(exploitability {limit['exploitability']:.2e})"
        )
    asked = found.run.request.options["beta"]
    ending = outcome.get("ending", "reached")
    if found.beta != asked:
        return f"the path {ending} at beta {found.beta:g}, before {asked:g}"
    return f"residual {found.residual:.2e} at beta {asked:g}; try a larger --tol"


def _rationality(
    beta: float | None, max_beta: float | None, beta0: float | None, beta1: float | None
) -> dict[str, Any]:
    """Return the argument `beta` of `untilt.qre`, if it is given by any of its flags."""
    if beta is not None and max_beta is not None:
        raise InvalidOption("--beta and --max-beta mean the same; give one of them")
    if (beta0 is None) != (beta1 is None):
        raise InvalidOption("--beta0 and --beta1 need each other; give both, or --beta")
    one = max_beta if beta is None else beta
    if beta0 is None:
        return {} if one is None else {"beta": one}
    if one is not None:
        raise InvalidOption("give --beta, or --beta0 and --beta1, not all of them")
    BETA.verify(beta0, "beta0")
    BETA.verify(beta1, "beta1")
    return {"beta": (beta0, beta1)}


def _print_steps(found: "QuantalResponse") -> None:
    from untilt.cli.output import say

    steps = found.run.outcome.get("steps")
    if steps is None:
        say("--verbose shows Newton iterations only with --method newton or classic")
        return
    for step in steps:
        say(
            f"beta {step['beta']:<8g} iteration {step['iteration']:>3}  "
            f"|R| {step['residual_norm']:.3e}  lambda {step['damping']:.0e}  "
            f"alpha {step['step']:.3g}  condition {step['condition']:.1e}"
        )


def _print_result(found: "QuantalResponse") -> None:
    import numpy as np

    from untilt.charts.strategy_table import Columns
    from untilt.cli.output import stdout
    from untilt.cli.show import print_most_reached

    console, run = stdout(), found.run
    console.print(
        f"{run.request.title}: {found.definition} quantal response, beta {found.betas_text}",
        style="bold",
        soft_wrap=True,
        markup=False,
    )
    console.print(
        f"{run.values_text('+.8f')}   exploitability {run.exploitability:.3e}   "
        f"residual {found.residual:.1e}   {run.outcome['points']} points in "
        f"{shown_duration(run.seconds)}",
        soft_wrap=True,
    )
    limit = run.outcome.get("limit")
    if limit is not None and limit["converged"]:
        console.print(
            f"the Nash equilibrium that the branch selects, from beta {limit['beta']:g}; "
            f"moved by {limit['distance']:.2e}",
            soft_wrap=True,
        )
    console.print()
    progress = found.progress
    rows = np.flatnonzero(~np.isnan(progress["beta"])).tolist()
    kept = [*rows[: -1 : max(1, -(-len(rows) // _MAX_PATH_ROWS))], rows[-1]]
    columns = {"value": "value"}
    if not run.game.is_zero_sum:
        columns = dict(zip(("value", "value_1"), run.request.terms.seats, strict=True))
    values = {name: [f"{progress[name][row]:+.7f}" for row in kept] for name in columns}
    widths = {name: max(10, len(columns[name]), *map(len, values[name])) for name in columns}
    titles = "".join(f"  {columns[name]:>{widths[name]}}" for name in columns)
    console.print(f"      beta{titles}  exploitability", style="dim", markup=False)
    for number, row in enumerate(kept):
        cells = "".join(f"  {values[name][number]:>{widths[name]}}" for name in columns)
        gain = progress["exploitability"][row]
        console.print(f"{progress['beta'][row]:>10.4g}{cells}       {gain:.3e}")
    console.print()
    print_most_reached(console, run, Columns(values=True))
