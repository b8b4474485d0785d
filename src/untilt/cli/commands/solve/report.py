"""`untilt report`."""

import math
import time as clock
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.app.output import printing
from untilt.cli.commands.solve.cluster import pool_on
from untilt.cli.options.method_options import method_flags
from untilt.cli.options.option_flags import Flag, with_flags
from untilt.durations import shown_duration
from untilt.errors import Argument, ClusterError, InvalidOption, RunError, StorageError
from untilt.options.report import PLACE, SOLVING, SORT
from untilt.options.run import told as with_help
from untilt.solvers.public_tree.methods import METHOD, SPOT_METHODS

if TYPE_CHECKING:
    from rich.console import Console

    from untilt.games.holdem.solutions.report import Report, ReportRow
    from untilt.runs.batches.flop_report import FlopReport, FlopStatus

_PLAIN_SECONDS = 5.0
_WITHOUT_FLOPS = ("line", "board", "resume", "processes")
"""Options that a report over turns or rivers has, too."""
_METHOD = with_help(METHOD, "How each of --flops is solved.")
_FLAGS = (
    *map(Flag.of, (*PLACE, _METHOD)),
    *method_flags(SPOT_METHODS.values()),
    *map(Flag.of, SOLVING),
)


@with_flags(_FLAGS)
def report(
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="[RUN|SPOT.toml|REPORT]",
            help="The run of a spot; or, with --flops, a spot; or the folder of such a report.",
            show_default=False,
        ),
    ] = None,
    **given: Any,
) -> int:
    """Report one line of a spot over all turn or river cards, or over many flops.

    A line that ends inside the spot's own street is followed by checks and calls to the next card.
    Ctrl-C keeps the flops that are solved, and --resume continues.
    """
    _verify_files(given)
    shown = {name: given.pop(name, None) for name in ("sort", "csv", "plot", "as_json")}
    line, cluster = given.get("line", ""), given.get("cluster")
    if cluster is not None and given.get("processes", 1) != 1:
        raise InvalidOption("--processes is for this machine alone: leave it out with --cluster")
    if "flops" not in given:
        allowed = {*_WITHOUT_FLOPS, *(("cluster",) if "resume" in given else ())}
        for name in [name for name in given if name not in allowed]:
            raise InvalidOption(
                Argument(name), " is only for ", Argument("flops"), ": leave it out"
            )
    if "resume" in given:
        if source is not None or "flops" in given:
            raise InvalidOption("--resume continues a report as it was asked: give nothing else")
        found = _resumed(given)
    elif source is None:
        raise InvalidOption("give the folder of a run, or a spot.toml with --flops")
    elif "flops" in given:
        found = _solved(source, given)
    else:
        _print(_read(source, line, given.get("board")), **shown)
        return 0
    told, status = found.at(line), _tell_flops(found)
    _print(told, **shown)
    return status


def _verify_files(given: dict[str, Any]) -> None:
    """Raise InvalidOption if a file cannot be written."""
    if (csv := given.get("csv")) is not None and csv.exists():
        raise InvalidOption(f"{csv} already exists; choose another --csv")
    if "plot" in given:
        from untilt.charts.figures.plot_file import verify_plot

        verify_plot(given["plot"])


def _read(source: Path, line: str, board: str | None) -> "Report":
    """Return the report of a folder: of a run, or of flops that are solved already."""
    from untilt.cli.app.output import quoted, warn
    from untilt.cli.text.spot_runs import loaded_spot
    from untilt.games.holdem.solutions.report import report_line
    from untilt.runs.batches.flop_report import is_report_folder, load_report

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


def _solved(source: Path, given: dict[str, Any]) -> "FlopReport":
    from untilt.runs.batches.flop_report import read_spot_of_flops, report_spot

    spot, flops = read_spot_of_flops(source), given.pop("flops")
    given.pop("board", None)
    with pool_on(given.pop("cluster", None)) as pool, _progress() as watcher:
        return report_spot(spot, flops, pool=pool, watcher=watcher, **given)


def _resumed(given: dict[str, Any]) -> "FlopReport":
    from untilt.runs.batches.flop_report import resume_report

    processes = given.get("processes", 1)
    with pool_on(given.get("cluster")) as pool, _progress() as watcher:
        return resume_report(given["resume"], processes=processes, pool=pool, watcher=watcher)


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
    from untilt.cli.app.output import quoted, say, stderr

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
    from untilt.cli.app.output import quoted, say

    if found.num_missing:
        say(
            f"{found.num_missing:,} flops are not solved yet; continue with: untilt report "
            f"--resume {quoted(found.path)}"
        )
    if found.num_missed:
        say(f"{found.num_missed:,} flops did not reach the target of {found.target:g} chips")
        return 1
    return 0


def _print(
    report: "Report", sort: str | None, csv: Path | None, plot: Path | None, as_json: bool | None
) -> None:
    from untilt.cli.app.output import print_json, say, stdout
    from untilt.formats.base.files import REPEAT, write_atomically

    told = report.sorted(sort or SORT.default)
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
        from untilt.games.holdem.bets.sizes import SEATS

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
    from untilt.charts.figures.report_figure import draw_report

    draw_report(
        path,
        f"{told.street}: {told.line or 'first decision'}",
        told.actions,
        [row.board for row in told.rows],
        [row.frequencies for row in told.rows],
        {"oop": [row.ev[0] for row in told.rows], "ip": [row.ev[1] for row in told.rows]},
    )
