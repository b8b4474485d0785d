"""`untilt qre`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.app.jobs import following, print_found, saying_how_to_resume
from untilt.cli.app.sources import parse_parameters, users_code
from untilt.cli.app.watching import Watching
from untilt.cli.options.option_flags import with_options
from untilt.durations import shown_duration
from untilt.errors import InvalidOption
from untilt.options.run import (
    AS_JSON,
    FOLLOWED,
    OUTPUT,
    PACE,
    PARAMETER,
    PLOT,
    STRATEGY,
    VERBOSE,
    told,
)
from untilt.solvers.qre.options import BETA, BETAS, OWN_BETAS, QRE

if TYPE_CHECKING:
    from untilt.runs.games.quantal import QuantalResponse

_MAX_PATH_ROWS = 16
_OPTIONS = (
    *QRE,
    *OWN_BETAS,
    BETAS,
    told(PLOT, "Draw the branch into this .svg, .png or .pdf file."),
    PARAMETER,
    told(OUTPUT, "Run folder, or a .json file for the whole path."),
    *FOLLOWED,
    PACE,
    STRATEGY,
    AS_JSON,
    told(VERBOSE, "Print a line per Newton iteration."),
)


@with_options(_OPTIONS)
def qre(
    game: Annotated[
        str, typer.Argument(help="A game, as for `untilt solve`; general-sum games too.")
    ] = "kuhn",
    **given: Any,
) -> int:
    """Compute a quantal response equilibrium, for players of rationality beta.

    The path leads from random play at beta 0 towards a Nash equilibrium as beta grows.
    With --method classic, --definition is counterfactual by default.
    """
    from untilt.cli.app.output import say

    as_json, strategy = given.pop("as_json", False), given.pop("strategy", False)
    verbose, is_traced = given.pop("verbose", False), given.pop("trace", False)
    files = _files(given)
    with Watching.asked(given) as page:
        found = _solve(game, given, page, trace=bool(is_traced or any(files)))
        if verbose:
            _print_steps(found)
        _write(found, *files)
        print_found(
            found.run.warning,
            lambda: found.to_json(strategy=strategy, branch=is_traced),
            lambda: _print_result(found),
            as_json=as_json,
        )
        if any(files):
            say(f"written: {', '.join(str(path) for path in files if path)}")
        if not found.converged:
            say(f"not converged: {_shortfall(found)}")
        page.stay()
    return 0 if found.converged else 1


def _files(given: dict[str, Any]) -> tuple[Path | None, Path | None]:
    """Return the files for the whole path and for its picture, taken out of `given`."""
    plot, document = given.pop("plot", None), None
    if "output" in given and given["output"].suffix == ".json":
        document = given.pop("output")
        if document.exists():
            raise InvalidOption(f"{document} already exists; choose another --output")
    if plot is not None:
        from untilt.charts.figures.plot_file import verify_plot

        verify_plot(plot)
    return document, plot


def _solve(game: str, given: dict[str, Any], page: Watching, *, trace: bool) -> "QuantalResponse":
    from untilt.games.registry import resolve
    from untilt.runs.games.quantal import qre as quantal_response
    from untilt.runs.stop import Stop

    given |= _rationality(given)
    with saying_how_to_resume("solve"), users_code():
        named = resolve(game, parse_parameters(given.pop("parameter", None)))
        with following("solve", f"{named.name} · qre", Stop(), page) as line:
            return quantal_response(named, trace=trace, watcher=line, **given)


def _write(found: "QuantalResponse", document: Path | None, plot: Path | None) -> None:
    if document is not None:
        from untilt.formats.base.files import REPEAT, write_json

        write_json(document, found.to_document(), remedy=REPEAT)
    if plot is not None:
        found.plot(plot)


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
    return f"residual {found.residual:.2e} at beta {asked:g}; try a larger --tolerance"


def _rationality(given: dict[str, Any]) -> dict[str, Any]:
    """Return the argument `beta` of `untilt.qre`, with what the players' own betas are."""
    own = [given.pop(option.name, None) for option in OWN_BETAS]
    listed = given.pop(BETAS.name, None)
    if listed is not None:
        if "beta" in given or own != [None, None]:
            raise InvalidOption("--betas has the beta of each player; leave out the others")
        return {"beta": _listed(listed)}
    if own == [None, None]:
        return {}
    if None in own:
        raise InvalidOption("--beta0 and --beta1 need each other; give both, or --beta")
    if "beta" in given:
        raise InvalidOption("give --beta, or --beta0 and --beta1, not all of them")
    return {"beta": tuple(own)}


def _listed(text: str) -> tuple[float, ...]:
    """Return the numbers of --betas."""
    try:
        betas = tuple(float(entry) for entry in text.split(","))
    except ValueError:
        betas = ()
    if len(betas) < 2 or not all(map(BETA.accepts, betas)):
        raise InvalidOption(
            f"--betas is {text[:40]!r}; give a number of at least 0 for each player, such as 5,10,3"
        )
    return betas


def _print_steps(found: "QuantalResponse") -> None:
    from untilt.cli.app.output import say

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

    from untilt.charts.strategy_table import TableColumns
    from untilt.cli.app.output import stdout
    from untilt.cli.commands.look.show import print_most_reached

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
    if not run.game.has_one_value:
        # The log has the values of the first two players; those of all stand above.
        columns = dict(zip(("value", "value_1"), run.request.terms.seats, strict=False))
    values = {name: [f"{progress[name][row]:+.7f}" for row in kept] for name in columns}
    widths = {name: max(10, len(columns[name]), *map(len, values[name])) for name in columns}
    titles = "".join(f"  {columns[name]:>{widths[name]}}" for name in columns)
    console.print(f"      beta{titles}  exploitability", style="dim", markup=False)
    for number, row in enumerate(kept):
        cells = "".join(f"  {values[name][number]:>{widths[name]}}" for name in columns)
        gain = progress["exploitability"][row]
        console.print(f"{progress['beta'][row]:>10.4g}{cells}       {gain:.3e}")
    console.print()
    print_most_reached(console, run, TableColumns(values=True))
