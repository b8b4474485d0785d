"""`untilt solve … --grid`: many runs side by side, as a table."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from untilt.cli.cluster import pool_on
from untilt.cli.pipes import printing
from untilt.cli.sources import naming_game, users_code
from untilt.durations import shown_duration
from untilt.errors import ClusterError, RunError, StorageError

if TYPE_CHECKING:
    from untilt.cli.watching import Watching
    from untilt.runs.grid import Grid, OnRun


def solve_grid(
    game: str,
    axes: list[str],
    how: dict[str, Any],
    cluster: str | None,
    page: "Watching",
    *,
    as_json: bool,
) -> int:
    """Solve a game with all combinations, print the table, and return the exit status."""
    from untilt.runs.grid import solve_grid as solved

    with (
        naming_game(game, how["parameters"]),
        pool_on(cluster) as pool,
        users_code(),
        _progress(page) as watcher,
    ):
        grid = solved(game, axes, pool=pool, watcher=watcher, **how)
    return _tell(grid, page, as_json=as_json)


def resume_grid(path: Path, cluster: str | None, page: "Watching", *, as_json: bool) -> int:
    """Do the runs that are missing from a grid."""
    from untilt.runs.grid import resume_grid as resumed

    with pool_on(cluster) as pool, users_code(), _progress(page) as watcher:
        grid = resumed(path, pool=pool, watcher=watcher)
    return _tell(grid, page, as_json=as_json)


@contextmanager
def _progress(page: "Watching") -> "Iterator[OnRun]":
    """Yield a watcher that counts runs and shows them on the page.

    If the work is stopped, say what is kept.
    """
    from rich.status import Status

    from untilt.cli.output import quoted, say, stderr
    from untilt.runs.grid import run_folders

    console = stderr()
    shown = Status("", console=console)
    last: dict[str, Any] = {"done": 0, "folder": None}

    def watch(done: int, count: int, folder: Path) -> None:
        last.update(done=done, folder=folder)
        if page.is_wanted and (kept := run_folders(folder)):
            page.follow(kept[0], [other.name for other in kept[1:]])
        shown.update(f"{done:,} of {count:,} runs")

    try:
        if console.is_terminal:
            with shown:
                yield watch
        else:
            yield watch
    except (KeyboardInterrupt, ClusterError, StorageError, RunError):
        if last["folder"] is not None:
            say(
                f"{last['done']:,} runs are done; continue with: untilt solve --resume "
                f"{quoted(last['folder'])}"
            )
        raise


def _tell(grid: "Grid", page: "Watching", *, as_json: bool) -> int:
    with printing():
        _print(grid, as_json=as_json)
    page.stay()
    return 0


def _print(grid: "Grid", *, as_json: bool) -> None:
    from rich.table import Table

    from untilt.cli.output import print_json, stdout

    if as_json:
        print_json(grid.to_json())
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in grid.axes:
        table.add_column(name)
    for name in ("iterations", "time", "exploitability", "value"):
        table.add_column(name, justify="right")
    for row in grid.rows:
        table.add_row(
            *(str(row[name]) for name in grid.axes),
            "–" if row["iterations"] is None else f"{row['iterations']:,}",
            "–" if row["seconds"] is None else shown_duration(row["seconds"]),
            _number(row["exploitability"], ".3e"),
            _number(row["value"], ".9g"),
        )
    console = stdout()
    console.print(table)
    console.print(_kept(grid), style="dim", soft_wrap=True)


def _kept(grid: "Grid") -> str:
    """Return where the results are, and how many of the runs."""
    count, num_kept = len(grid.rows), len(grid.runs)
    if num_kept == count:
        return f"{count:,} runs in {grid.path}"
    text = f"{count:,} results in {grid.path}"
    if not num_kept:  # on request, or because a cluster elsewhere keeps none
        return f"{text}; no runs are kept"
    return f"{text}; {num_kept:,} runs are kept (--keep {grid.num_runs} keeps all)"


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)
