"""`untilt buckets`."""

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from untilt.cli.options.option_flags import with_options
from untilt.durations import shown_duration
from untilt.options.cards import BUCKETS

if TYPE_CHECKING:
    from untilt.abstraction.buckets.card_abstraction import CardAbstraction
    from untilt.abstraction.buckets.streets import OnStage

_PLAIN_SECONDS = 5.0
"""Time between two progress lines if stderr is not a terminal."""
_MOST_HANDS = 14
_DRAWN = (0.12, 0.4, 0.62, 0.97)
"""Which buckets, as shares of all, are drawn as examples."""


@with_options(BUCKETS)
def buckets(**given: Any) -> None:
    """Build the card abstraction, and show what is in its buckets.

    Tables are kept in the cache folder: the same command opens them the next time.
    """
    from untilt.abstraction.buckets.card_abstraction import CardAbstraction, verify_cards
    from untilt.abstraction.buckets.report import merged_on
    from untilt.cli.app.output import print_json, say

    as_json = given.pop("as_json", False)
    plot, board = given.pop("plot", None), given.pop("board", None)
    if plot is not None:
        from untilt.charts.figures.plot_file import verify_plot

        verify_plot(plot)
    with _progress() as watcher:
        cards = CardAbstraction(**given, watcher=watcher)
        if board is not None:
            verify_cards("", board)  # before minutes of work
        was_stored = cards.is_stored
        began = time.monotonic()
        cards.build()
        seconds = time.monotonic() - began
        merged = None if board is None else merged_on(cards, board)
    if plot is not None:
        _draw(cards, plot)
        say(f"saved {plot}")
    if as_json:
        document: dict[str, Any] = {
            "sizes": cards.sizes,
            "seconds": seconds,
            "peak_bytes": _peak_bytes(),
            "spread": cards.spread,
            "path": str(cards.folder),
            "fingerprint": cards.fingerprint,
        }
        if merged is not None:
            document["board"] = [line._asdict() for line in merged]
        print_json(document)
        return
    _print_streets(cards)
    if merged is not None:
        _print_board(board or "", merged)
    done = "opened" if was_stored else "built"
    say(f"{done} in {shown_duration(seconds)}, tables in {cards.folder}")


@contextmanager
def _progress() -> "Iterator[OnStage]":
    """Provide a watcher that draws a bar on stderr, or prints a line now and then."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    from untilt.cli.app.output import say, stderr

    console = stderr()
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    tasks: dict[str, Any] = {}
    said = time.monotonic()

    def watch(stage: str, share: float) -> None:
        nonlocal said
        if stage not in tasks:
            if not tasks:
                bar.start()
            tasks[stage] = bar.add_task(stage, total=1.0)
        bar.update(tasks[stage], completed=share)
        if not console.is_terminal and time.monotonic() - said >= _PLAIN_SECONDS:
            said = time.monotonic()
            say(f"{stage}  {share:.0%}")

    try:
        yield watch
    finally:
        bar.stop()


def _peak_bytes() -> int | None:
    """Return the most memory that this process has used; None if the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def _print_streets(cards: "CardAbstraction") -> None:
    from untilt.abstraction.buckets.report import describe_buckets, some_buckets
    from untilt.cli.app.output import echo

    for street, size in cards.sizes.items():
        if street not in cards.spread:
            detail = "hand classes" if street == "preflop" else "equal parts of the equity"
            echo(f"{street}: {size:,} buckets, {detail}")
            continue
        table = cards.table(street)
        echo(f"{street}: {size:,} buckets, spread {table.spread:.4f}")
        is_preflop = street == "preflop"
        chosen = list(range(size)) if is_preflop else some_buckets(table.num_buckets)
        _print_table(
            ("bucket", "equity", "±", "deals", "spread", "hands" if is_preflop else "examples"),
            [
                (
                    str(line.bucket),
                    f"{line.equity:.1%}",
                    f"{line.deviation:.1%}",
                    f"{line.share:.2%}",
                    f"{line.spread:.4f}",
                    _listed(line.examples, " " if is_preflop else ", "),
                )
                for line in describe_buckets(table, chosen)
            ],
        )


def _print_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    from rich.table import Table

    from untilt.cli.app.output import echo, stdout

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for heading in headings:
        is_text = heading in ("hands", "examples")
        table.add_column(heading, justify="left" if is_text else "right", no_wrap=not is_text)
    for row in rows:
        table.add_row(*row)
    stdout().print(table)
    echo()


def _listed(names: list[str], separator: str) -> str:
    more = len(names) - _MOST_HANDS
    shown = separator.join(names[:_MOST_HANDS])
    return f"{shown} … {more} more" if more > 0 else shown


def _print_board(board: str, merged: Any) -> None:
    from untilt.cli.app.output import echo

    echo(f"{board or 'no board'}: {len(merged)} buckets")
    _print_table(
        ("bucket", "combos", "hands"),
        [(str(line.bucket), str(line.num_combos), _listed(line.hands, " ")) for line in merged],
    )


def _draw(cards: "CardAbstraction", path: Path) -> None:
    from untilt.abstraction.buckets.report import describe_buckets
    from untilt.charts.figures.bucket_figure import draw_buckets

    tables = {street: cards.table(street) for street in cards.spread if street != "preflop"}
    examples = {}
    for street, table in tables.items():
        chosen = sorted({int(share * table.num_buckets) for share in _DRAWN})
        lines = describe_buckets(table, chosen, examples=1)
        examples[street] = [(line.bucket, line.examples[0]) for line in lines]
    draw_buckets(
        path,
        {street: table.histograms for street, table in tables.items()},
        examples,
    )
