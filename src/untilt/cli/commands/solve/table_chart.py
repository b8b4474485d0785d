"""`untilt chart --seats N`: the charts of a whole table."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from untilt.cli.commands.solve.chart_files import verify_files, write_files
from untilt.cli.options.pushfold_options import parse_number, parse_small_blind
from untilt.errors import InvalidOption, RunError
from untilt.options.pushfold import ANTE, BB_ANTE, BLINDS, CHART, FILES, OF_TABLE, SEATS
from untilt.options.run import AS_JSON, OUTPUT

if TYPE_CHECKING:
    from untilt.games.pushfold.tables.table import PushFoldTable
    from untilt.games.pushfold.tables.table_chart import TableChart
    from untilt.numeric.chunks import OnShare

_ALLOWED = {
    *("stack", "compare", "sweep"),
    *(option.name for option in (SEATS, *OF_TABLE, ANTE, BB_ANTE, BLINDS, *FILES, AS_JSON)),
}
_MULTIPLES = {"k": 10**3, "m": 10**6, "g": 10**9}


def chart_of_table(stack: str | None, given: dict[str, Any]) -> None:
    """Solve a table with the options that were given, and print its charts."""
    from untilt.cli.app.output import print_json, print_lines, say
    from untilt.games.pushfold.tables.table_analysis import compare_ranges
    from untilt.games.pushfold.tables.table_text import (
        audit_lines,
        chart_lines,
        comparison_lines,
        table_csv,
    )
    from untilt.runs.pushfold.tables import read_ranges, solve_asked_table

    for option in CHART:
        if option.name in given and option.name not in _ALLOWED:
            raise InvalidOption(
                f"{option.spelling} is for two players without --seats; leave it out"
            )
    if stack is not None:
        if "stack" in given or ":" in stack:
            raise InvalidOption(f"{stack!r} is not a stack of every seat; give --stack or --stacks")
        given["stack"] = stack
    files = {f"--{option.name}": given.get(option.name) for option in FILES}
    verify_files(files)
    save: Path | None = given.get("save")
    if save is not None and save.exists():
        raise RunError(f"{save} already exists; choose another file for --save")
    if save is not None and not save.parent.is_dir():
        raise RunError(f"the folder of {save} does not exist; create it first")
    if "sweep" in given:
        sweep_of_tables(given)
        return
    table = table_of(given)
    deals = count_of("--audit", given["audit"]) if "audit" in given else 0
    name = given.get("compare")
    others = None if name is None else read_ranges(table, name, "compare")
    threads = given.get("threads") or os.cpu_count() or 1
    with progress("push/fold") as watcher:
        chart = solve_asked_table(
            table,
            locked=given.get("locked"),
            target=given.get("target"),
            threads=threads,
            watcher=watcher,
        )
    comparison = None if others is None else compare_ranges(chart, others)
    audit = None
    if deals:
        from untilt.games.pushfold.tables.audit import audit_chart

        with progress("audit") as watcher:
            audit = audit_chart(chart, deals, threads=threads, watcher=watcher)
    if save is not None:
        chart.save(save)
        say(f"written: {save}")
    write_files(files, _makers(chart, lambda: table_csv(chart)))
    if given.get("as_json", False):
        document: dict[str, Any] = chart.to_json()
        if comparison is not None:
            document["comparison"] = {"other": name, **comparison.to_json()}
        if audit is not None:
            document["audit"] = audit.to_json()
        print_json(document)
        return
    print_lines(chart_lines(chart))
    if comparison is not None:
        print_lines(comparison_lines(str(name), comparison))
    if audit is not None:
        print_lines(audit_lines(audit))


def _makers(chart: "TableChart", as_csv: Any) -> Mapping[str, Any]:
    from untilt.charts.figures.sheet_figure import action_figure
    from untilt.charts.sheet_page import action_page
    from untilt.games.pushfold.tables.table_sheets import table_sheet

    return {
        "--csv": as_csv,
        "--html": lambda: action_page(table_sheet(chart, len(chart.decisions)), with_numbers=False),
        "--png": lambda: action_figure(table_sheet(chart), "png", with_numbers=False),
        "--svg": lambda: action_figure(table_sheet(chart), "svg", with_numbers=False),
    }


def table_of(given: Mapping[str, Any], stack: float | None = None) -> "PushFoldTable":
    """Return the table that the options describe; `stack` stands for --stack if it is given."""
    from untilt.runs.pushfold.tables import make_table

    def numbers(name: str) -> tuple[float, ...]:
        return parse_numbers(f"--{name}", given[name]) if name in given else ()

    if stack is None and "stack" in given:
        if "stacks" in given:
            raise InvalidOption("--stack and --stacks are given; give only one of them")
        stack = parse_number("--stack", given["stack"].strip().lower().removesuffix("bb"))
    bounty = numbers("bounty")
    return make_table(
        given.get("seats"),
        stack,
        numbers("stacks") if "stacks" in given else None,
        small_blind=parse_small_blind(given.get("blinds", BLINDS.default)),
        ante=given.get("ante", 0.0),
        bb_ante=given.get("bb_ante", 0.0),
        prizes=numbers("prizes"),
        others=numbers("others"),
        bounty=bounty or 0.0,
        max_all_in=given.get("max_all_in"),
    )


def parse_numbers(option: str, text: str) -> tuple[float, ...]:
    """Return the numbers of `10,6,4`."""
    return tuple(
        parse_number(option, part.strip().lower().removesuffix("bb")) for part in text.split(",")
    )


def count_of(option: str, text: str) -> int:
    """Return the count of `10M`, `500k` or `1_000_000`."""
    bare = text.strip().lower()
    factor = _MULTIPLES.get(bare[-1:], 1)
    number = parse_number(option, bare[:-1] if factor > 1 else bare) * factor
    if not (number == int(number) and 1_000 <= number <= 10**11):
        raise InvalidOption(f"{option} is {text!r}; give a whole number from 1,000 on, such as 10M")
    return int(number)


@contextmanager
def progress(word: str) -> "Iterator[OnShare]":
    """Provide a watcher that draws a bar on stderr if that is a terminal."""
    from rich.progress import Progress

    from untilt.cli.app.output import stderr

    console = stderr()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(word, total=1.0)
        yield lambda share: bar.update(task, completed=share)


def sweep_of_tables(given: dict[str, Any]) -> None:
    """Solve a table at every stack of a sweep, and print how the charts change."""
    from untilt.cli.app.output import print_json, print_lines
    from untilt.cli.options.pushfold_options import parse_sweep
    from untilt.games.pushfold.tables.table_text import sweep_document, sweep_lines
    from untilt.runs.pushfold.tables import solve_asked_table

    for name in (
        "stack",
        "compare",
        "audit",
        "save",
        OUTPUT.name,
        *(option.name for option in FILES),
    ):
        if name in given:
            raise InvalidOption(f"--{name} is for one table; leave it out of a --sweep")
    written = given.get("stacks")
    if written is not None and "x" not in written:
        raise InvalidOption(
            f"--stacks is {written!r}; with --sweep, write x for the stack that changes: 10,x,8"
        )
    stacks = [stakes.stack for stakes in parse_sweep(given["sweep"], 0.5, 0.0, 0.0)]
    threads = given.get("threads") or os.cpu_count() or 1
    charts = []
    with progress("push/fold") as watcher:
        for place, stack in enumerate(stacks):
            if written is not None:
                given["stacks"] = written.replace("x", f"{stack!r}")
            chart = solve_asked_table(
                table_of(given, stack if written is None else None),
                locked=given.get("locked"),
                target=given.get("target"),
                threads=threads,
            )
            charts.append(chart)
            watcher((place + 1) / len(stacks))
    if given.get("as_json", False):
        print_json(sweep_document(charts))
        return
    print_lines(sweep_lines(charts, stacks))
