"""`untilt report`."""

import math
import time as clock
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.cluster import ClusterOption, pool_on
from untilt.cli.method_options import given_of, method_flags, with_flags
from untilt.cli.pipes import printing
from untilt.cli.sources import Json
from untilt.durations import shown_duration
from untilt.errors import ClusterError, InvalidOption, RunError, StorageError, flag_of
from untilt.solvers.public_tree.methods import DEFAULT_METHOD, SPOT_METHODS

if TYPE_CHECKING:
    from rich.console import Console

    from untilt.games.holdem.report import Report, ReportRow
    from untilt.runs.flop_report import FlopReport, FlopStatus

_PLAIN_SECONDS = 5.0


@with_flags(method_flags(SPOT_METHODS.values()), after="method")
def report(
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="[RUN|SPOT.toml|REPORT]",
            help="The run of a spot; or, with --flops, a spot; or the folder of such a report.",
            show_default=False,
        ),
    ] = None,
    line: Annotated[
        str,
        typer.Option(
            help="The betting, such as 'check, check' or 'check, check / bet 120'.",
            show_default=False,
        ),
    ] = "",
    board: Annotated[
        str | None,
        typer.Option(
            help="Only boards that begin with these cards, such as a turn.", show_default=False
        ),
    ] = None,
    flops: Annotated[
        str | None,
        typer.Option(
            metavar="all|N|LIST",
            help="Solve the spot on all flops, on N that stand for all, or on AsKs2h,7c7d2s.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "-m",
            "--method",
            help=f"With --flops: {', '.join(SPOT_METHODS)}; {DEFAULT_METHOD} by default.",
            show_default=False,
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            "-n",
            "--iterations",
            help="With --flops: iterations for each flop.",
            show_default=False,
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            help="With --flops: exploitability for each, 0.1% of the pot or chips.",
            show_default=False,
        ),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(help="With --flops: seconds of solving for each flop.", show_default=False),
    ] = None,
    processes: Annotated[
        int,
        typer.Option(metavar="N", help="With --flops: solve this many flops at the same time."),
    ] = 1,
    cluster: ClusterOption = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="With --flops: folder that keeps what is solved; runs/report-flops-{n} by "
            "default.",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="REPORT", help="Solve the flops that this report lacks.", show_default=False
        ),
    ] = None,
    sort: Annotated[
        str,
        typer.Option(help="Sort rows by board, weight, ev, equity, eqr, or an action's name."),
    ] = "board",
    csv: Annotated[
        Path | None,
        typer.Option("--csv", metavar="FILE", help="Write the rows as CSV.", show_default=False),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Draw the rows as .svg, .png or .pdf (extra: plot).",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
    **options: Any,
) -> int:
    """Report one line of a spot over all turn or river cards, or over many flops.

    A line that ends inside the spot's own street is followed by checks and calls to the next card.
    Ctrl-C keeps the flops that are solved, and --resume continues.
    """
    if csv is not None and csv.exists():
        raise InvalidOption(f"{csv} already exists; choose another --csv")
    if plot is not None:
        from untilt.charts.plot_file import verify_plot

        verify_plot(plot)
    if cluster is not None and processes != 1:
        raise InvalidOption("--processes is for this machine alone: leave it out with --cluster")
    given = given_of(options)
    how = {"iterations": iterations, "target": target, "time": time, "method": method, **given}
    how = {name: value for name, value in how.items() if value is not None}
    status = 0
    if flops is None:
        unused = {**how, **({} if output is None else {"output": output})}
        if cluster is not None and resume is None:
            unused["cluster"] = cluster
        for name in unused:
            raise InvalidOption(f"{flag_of(name)} is only for --flops: leave it out")
    if resume is not None:
        if source is not None or flops is not None:
            raise InvalidOption("--resume continues a report as it was asked: give nothing else")
        found = _resumed(resume, processes, cluster)
        told, status = found.at(line), _tell_flops(found)
    elif source is None:
        raise InvalidOption("give the folder of a run, or a spot.toml with --flops")
    elif flops is not None:
        asked = {**how, "output": output, "line": line}
        found = _solved(source, flops, asked, processes, cluster)
        told, status = found.at(line), _tell_flops(found)
    else:
        told = _read(source, line, board)
    _print(told.sorted(sort), csv, plot, as_json=as_json)
    return status


def _read(source: Path, line: str, board: str | None) -> "Report":
    """Return the report of a folder: of a run, or of flops that are solved already."""
    from untilt.cli.output import quoted, warn
    from untilt.cli.spot_runs import loaded_spot
    from untilt.games.holdem.report import report_line
    from untilt.runs.flop_report import is_report_folder, load_report

    if source.is_file():
        raise InvalidOption(f"{source} is a spot, not a solution: add --flops, or solve it first")
    if not is_report_folder(source):
        solution = loaded_spot(source)
        warn(solution.warning)
        return report_line(solution, line, board=board)
    if board is not None:
        raise InvalidOption("--board is for the run of a spot; this is a report over flops")
    found = load_report(source)
    if not found.documents:
        raise RunError(
            f"{source} has no flop yet; continue with: untilt report --resume {quoted(source)}"
        )
    _tell_flops(found)
    return found.at(line)


def _solved(
    source: Path, flops: str, how: dict[str, Any], processes: int, cluster: str | None
) -> "FlopReport":
    from untilt.runs.flop_report import read_spot_of_flops, report_spot

    spot = read_spot_of_flops(source)
    with pool_on(cluster) as pool, _progress() as watcher:
        return report_spot(spot, flops, processes=processes, pool=pool, watcher=watcher, **how)


def _resumed(folder: Path, processes: int, cluster: str | None) -> "FlopReport":
    from untilt.runs.flop_report import resume_report

    with pool_on(cluster) as pool, _progress() as watcher:
        return resume_report(folder, processes=processes, pool=pool, watcher=watcher)


class _FlopLine:
    """Says how many flops are done: one live line on a terminal, else a line now and then."""

    def __init__(self, console: "Console") -> None:
        from rich.live import Live

        self.folder: Path | None = None
        self.done = 0
        self._console = console
        self._printed_at = clock.monotonic()
        self._text = "choosing flops …"
        self._live = Live(
            console=console, transient=True, refresh_per_second=4, get_renderable=lambda: self._text
        )

    def __enter__(self) -> "_FlopLine":
        if self._console.is_terminal:
            self._live.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._console.is_terminal:
            self._live.__exit__(*error)

    def __call__(self, status: "FlopStatus") -> None:
        """Show how far the work has got."""

        self.folder, self.done = status.folder, status.done
        parts = [f"{status.done:,} of {status.count:,} flops"]
        if status.last is not None:
            parts.append(status.last)
        if status.seconds_left is not None:
            parts.append(f"{shown_duration(status.seconds_left)} left")
        self._text = " · ".join(parts)
        now = clock.monotonic()
        if not self._console.is_terminal and now - self._printed_at >= _PLAIN_SECONDS:
            self._printed_at = now
            self._console.print(self._text, soft_wrap=True)


@contextmanager
def _progress() -> "Iterator[_FlopLine]":
    """Yield a watcher that draws progress; after Ctrl-C, say what is kept."""
    from untilt.cli.output import quoted, say, stderr

    line = _FlopLine(stderr())
    try:
        with line:
            yield line
    except (KeyboardInterrupt, ClusterError, StorageError, RunError):
        if line.folder is not None:
            say(
                f"{line.done:,} flops are kept; continue with: untilt report --resume "
                f"{quoted(line.folder)}"
            )
        raise


def _tell_flops(found: "FlopReport") -> int:
    """Say what is missing, and return the exit status."""
    from untilt.cli.output import quoted, say

    if found.num_missing:
        say(
            f"{found.num_missing:,} flops are not solved yet; continue with: untilt report "
            f"--resume {quoted(found.path)}"
        )
    if found.num_missed:
        say(f"{found.num_missed:,} flops did not reach the target of {found.target:g} chips")
        return 1
    return 0


def _print(told: "Report", csv: Path | None, plot: Path | None, *, as_json: bool) -> None:
    from untilt.cli.output import print_json, say, stdout
    from untilt.formats.files import REPEAT, write_atomically

    if csv is not None:
        write_atomically(csv, [told.to_csv().encode()], remedy=REPEAT)
        say(f"saved {csv}")
    if plot is not None:
        _draw(told, plot)
        say(f"saved {plot}")
    with printing():
        if as_json:
            print_json(told.to_json())
            return
        console = stdout()
        from untilt.games.holdem.sizes import SEATS

        who = SEATS[told.player].upper()
        place = f"after {told.line}" if told.line else "at the start"
        console.print(f"{who} acts {place}, pot {told.pot:,}", style="bold", soft_wrap=True)
        console.print(told.words, style="dim", soft_wrap=True)
        console.print(_table(told))


def _table(told: "Report") -> Any:
    from rich.table import Table
    from rich.text import Text

    from untilt.charts.palette import TERMINAL, styles_of

    table = Table(box=None, pad_edge=False, header_style="bold", show_footer=False)
    table.add_column("board")
    table.add_column("weight", justify="right")
    for action, style in zip(told.actions, styles_of(told.actions), strict=True):
        table.add_column(Text(action, style=TERMINAL[style.name]), justify="right")
    for name in ("EV oop", "EV ip", "equity oop", "equity ip", "EQR oop", "EQR ip"):
        table.add_column(name, justify="right")
    for row in told.rows:
        table.add_row(*_cells(row, told.actions))
    table.add_section()
    table.add_row(*_cells(told.total, told.actions), style="bold")
    return table


def _cells(row: "ReportRow", actions: tuple[str, ...]) -> list[str]:
    return [
        row.board,
        _percent(row.weight, 3),
        *(_percent(row.frequencies[name], 1) for name in actions),
        *(_shown(value, "{:z.2f}") for value in row.ev),
        *(_percent(share, 1) for share in row.equity),
        *(_percent(share, 1) for share in row.eqr),
    ]


def _percent(share: float, digits: int) -> str:
    return _shown(100.0 * share, f"{{:z.{digits}f}} %")


def _shown(number: float, form: str) -> str:
    return form.format(number) if math.isfinite(number) else "–"


def _draw(told: "Report", path: Path) -> None:
    from untilt.charts.report_figure import draw_report

    draw_report(
        path,
        f"{told.street}: {told.line or 'first decision'}",
        told.actions,
        [row.board for row in told.rows],
        [row.frequencies for row in told.rows],
        {"oop": [row.ev[0] for row in told.rows], "ip": [row.ev[1] for row in told.rows]},
    )
