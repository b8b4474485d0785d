"""`untilt show`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from untilt.charts.strategy_table import Row
    from untilt.runs.run import Run


def show(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    values: Annotated[
        bool, typer.Option("--values", help="Show what each action is worth.")
    ] = False,
) -> None:
    """Show the strategy of a run as a table with bars."""
    from untilt.charts.strategy_table import Columns, strategy_table
    from untilt.cli.output import stdout
    from untilt.runs.run import load

    loaded = load(run)
    console = stdout()
    print_summary(console, loaded)
    console.print(strategy_table(run_rows(loaded), Columns(values=values, reach=True)))


def print_summary(console: "Console", run: "Run") -> None:
    """Print what was solved, how, and how good the result is."""
    request = run.request
    parameters = ", ".join(f"{name}={value}" for name, value in request.parameters.items())
    title = f"[bold]{request.title}[/bold]" + (f" ({parameters})" if parameters else "")
    console.print(f"{title} by [bold]{request.method}[/bold]", soft_wrap=True)
    done = "" if run.iterations is None else f"{run.iterations:,} iterations in "
    console.print(
        f"value {run.value:+.8f}   exploitability {run.exploitability:.3e}   "
        f"{done}{run.seconds:.3f} s",
        soft_wrap=True,
    )
    if not run.is_finished:
        console.print(f"unfinished; continue with: untilt solve --resume {run.path}")
    console.print()


def run_rows(run: "Run") -> list["Row"]:
    """Return the rows of the run's strategy table."""
    from untilt.charts.strategy_table import rows_of
    from untilt.evaluation.action_values import action_values

    both = [action_values(run.game.exact_form(), run.profile, player) for player in (0, 1)]
    values = (both[0].conditional.tolist(), both[1].conditional.tolist())
    reaches = tuple((view.own_reach * view.opponent_reach).tolist() for view in both)
    return list(rows_of(run.game.infosets, run.profile, values, (reaches[0], reaches[1])))
