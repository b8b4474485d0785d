"""`untilt solve … --grid`: many runs side by side, as a table."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from untilt.cli.app.output import printing
from untilt.cli.app.sources import naming_game, parse_parameters, users_code
from untilt.cli.commands.solve.cluster import pool_on
from untilt.durations import shown_duration
from untilt.errors import ClusterError, InvalidOption, RunError, StorageError

if TYPE_CHECKING:
    from untilt.cli.app.watching import Watching
    from untilt.runs.batches.grid import Grid, OnRun


_FOR_ONE = ("pace", "strategy", "trust")
_HOW = ("parameter", "output", "keep", "cluster", "grid", "resume", "as_json", "verbose")
"""Options that no run has: those of the table."""


def many_runs(
    game: str | None, more: list[str], given: dict[str, Any], page: "Watching"
) -> int | None:
    """Solve or continue many runs, if they are asked for, and return the exit status."""
    resume, method = given.get("resume"), given.get("method", "")
    has_methods = "," in method and resume is None
    axes = [f"method={given.pop('method')}"] if has_methods else []
    axes += [*given.get("grid", ()), *more]
    is_resumed, cluster = _holds_grid(resume), given.get("cluster")
    if not (is_resumed or has_methods or "grid" in given):
        _verify_one(axes, given)
        return None
    if not is_resumed and (game is None or resume is not None):
        raise InvalidOption("--grid needs a game: untilt solve kuhn --grid method=cfr+,dcfr")
    _verify_many(given, page)
    if is_resumed:
        assert resume is not None
        kept = ("resume", "cluster", "as_json", "verbose")
        if game is not None or axes or any(name not in kept for name in given):
            raise InvalidOption("--resume continues a grid as it was asked: give nothing else")
        grid = _resumed(resume, cluster, page)
    else:
        grid = _solved(str(game), axes, given, cluster, page)
    with printing():
        _print(grid, as_json=given.get("as_json", False))
    page.stay()
    return 0


def _holds_grid(folder: Path | None) -> bool:
    if folder is None or not folder.is_dir():
        return False
    from untilt.runs.batches.grid import is_grid_folder

    return is_grid_folder(folder)


def _verify_one(axes: list[str], given: dict[str, Any]) -> None:
    """Raise InvalidOption if something is given that only many runs have."""
    if axes:
        raise InvalidOption(f"{axes[0]!r} is one argument too many; axes come after --grid")
    for name in ("cluster", "keep"):
        if name in given:
            raise InvalidOption(f"--{name} is for many runs: give --grid, such as --grid seed=1:20")


def _verify_many(given: dict[str, Any], page: "Watching") -> None:
    """Raise InvalidOption if many runs cannot be solved in this way."""
    from untilt.distributed.address import parse_address

    cluster, keep = given.get("cluster"), given.get("keep")
    for name in _FOR_ONE:
        if given.get(name):
            raise InvalidOption(f"--{name} is for one run: leave it out with several")
    if page.is_wanted and cluster is not None:
        raise InvalidOption("--watch follows runs on this machine: leave --cluster out")
    if page.is_wanted and keep == 0:
        raise InvalidOption("--watch follows the folders of runs: leave --keep 0 out")
    if keep and cluster is not None and not parse_address(cluster).is_one_machine:
        raise InvalidOption(
            "--keep is for runs on this machine; a cluster elsewhere keeps only their results"
        )


def _solved(
    game: str, axes: list[str], given: dict[str, Any], cluster: str | None, page: "Watching"
) -> "Grid":
    """Solve a game with all combinations."""
    from untilt.runs.batches.grid import solve_grid

    parameters = parse_parameters(given.get("parameter"))
    common = {name: value for name, value in given.items() if name not in (*_HOW, *_FOR_ONE)}
    if not common.get("seed"):
        common.pop("seed", None)
    with (
        naming_game(game, parameters),
        pool_on(cluster) as pool,
        users_code(),
        _progress(page) as watcher,
    ):
        return solve_grid(
            game,
            axes,
            common=common,
            parameters=parameters,
            output=given.get("output"),
            keep=given.get("keep"),
            pool=pool,
            watcher=watcher,
        )


def _resumed(path: Path, cluster: str | None, page: "Watching") -> "Grid":
    """Do the runs that are missing from a grid."""
    from untilt.runs.batches.grid import resume_grid

    with pool_on(cluster) as pool, users_code(), _progress(page) as watcher:
        return resume_grid(path, pool=pool, watcher=watcher)


@contextmanager
def _progress(page: "Watching") -> "Iterator[OnRun]":
    """Yield a watcher that counts runs and shows them on the page.

    If the work is stopped, say what is kept.
    """
    from rich.status import Status

    from untilt.cli.app.output import quoted, say, stderr
    from untilt.runs.batches.grid import run_folders

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


def _print(grid: "Grid", *, as_json: bool) -> None:
    from rich.table import Table

    from untilt.cli.app.output import print_json, stdout

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
    kept = "1 run is kept" if num_kept == 1 else f"{num_kept:,} runs are kept"
    return f"{text}; {kept} (--keep {grid.num_runs} keeps all)"


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)
