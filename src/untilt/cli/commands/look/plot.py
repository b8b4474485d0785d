"""`untilt plot`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from untilt.cli.options.option_flags import with_options
from untilt.errors import RunError
from untilt.options.looking import FIGURE


@with_options(FIGURE)
def plot(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...",
            help="Folders of runs, finished or not, or of a grid that keeps its runs.",
        ),
    ],
    **given: Any,
) -> None:
    """Draw the convergence of runs as a figure on logarithmic axes (extra: plot).

    Runs have the colours of the page, in the order given.
    """
    from untilt.charts.figures.plot_file import verify_matplotlib, verify_plot
    from untilt.cli.app.output import echo, print_json
    from untilt.runs.batches.grid import is_grid_folder, kept_runs
    from untilt.runs.results.plotting import plot as plot_runs

    output, by, measure, title, force, as_json = (
        given.get(option.name, option.default) for option in FIGURE
    )
    output = output or Path("convergence.svg")
    verify_matplotlib("untilt plot")
    verify_plot(output, "output", may_exist=force)
    drawn: list[Path] = []
    for run in runs:
        if not run.is_dir():
            raise RunError(f"{run} is not a folder; give folders of runs, see `untilt runs`")
        drawn += kept_runs(run) if is_grid_folder(run) else [run]
    plot_runs(*drawn, path=output, by=by, measure=measure, title=title)
    size = output.stat().st_size
    if as_json:
        print_json({"file": str(output), "bytes": size, "runs": [str(run) for run in drawn]})
    else:
        echo(f"saved in {output} ({size:,} bytes)")
