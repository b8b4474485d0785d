"""`untilt plot`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from untilt.cli.app.sources import Json
from untilt.errors import RunError


class Axis(StrEnum):
    """The horizontal axis of a convergence plot."""

    ITERATION = "iteration"
    SECONDS = "seconds"


def plot(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...",
            help="Folders of runs, finished or not, or of a grid that keeps its runs.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="The figure to write; it ends in .svg, .png or .pdf.",
        ),
    ] = Path("convergence.svg"),
    by: Annotated[Axis, typer.Option(help="Draw against iterations or seconds.")] = Axis.ITERATION,
    measure: Annotated[
        str | None,
        typer.Option(
            help="What to draw: exploitability, nash_conv, regret, residual, drift or lbr; by "
            "default the first that the runs have.",
            show_default=False,
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(help="The title; the game's by default.", show_default=False),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    as_json: Json = False,
) -> None:
    """Draw the convergence of runs as a figure on logarithmic axes (extra: plot).

    Runs have the colours of the page, in the order given.
    """
    from untilt.charts.figures.plot_file import verify_matplotlib, verify_plot
    from untilt.cli.app.output import echo, print_json
    from untilt.runs.batches.grid import is_grid_folder, kept_runs
    from untilt.runs.results.plotting import plot as plot_runs

    verify_matplotlib("untilt plot")
    verify_plot(output, "output", may_exist=force)
    drawn: list[Path] = []
    for run in runs:
        if not run.is_dir():
            raise RunError(f"{run} is not a folder; give folders of runs, see `untilt runs`")
        drawn += kept_runs(run) if is_grid_folder(run) else [run]
    plot_runs(*drawn, path=output, by=by.value, measure=measure, title=title)
    size = output.stat().st_size
    if as_json:
        print_json({"file": str(output), "bytes": size, "runs": [str(run) for run in drawn]})
    else:
        echo(f"saved in {output} ({size:,} bytes)")
