"""Reports of spots in the terminal: a line of progress over flops, and the table of a report."""

import math
import time as clock
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from untilt.cli.app.output import printing
from untilt.durations import shown_duration
from untilt.errors import ClusterError, RunError, StorageError
from untilt.options.report import SORT

if TYPE_CHECKING:
    from rich.console import Console

    from untilt.games.holdem.solutions.report import Report, ReportRow
    from untilt.runs.batches.flop_report import FlopReport, FlopStatus


_PLAIN_SECONDS = 5.0
"""Time between two progress lines if stderr is not a terminal."""


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
def following_flops() -> "Iterator[_FlopLine]":
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


def tell_flops(found: "FlopReport") -> int:
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


def print_report(
    report: "Report", sort: str | None, csv: Path | None, plot: Path | None, as_json: bool | None
) -> None:
    """Print a report, or its JSON, and write the files that are asked for."""
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
