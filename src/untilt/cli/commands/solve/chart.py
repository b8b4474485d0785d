"""`untilt chart`."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.app.watching import Watching
from untilt.cli.commands.solve.chart_files import verify_files, write_files
from untilt.cli.options.method_options import chart_method_help
from untilt.cli.options.option_flags import with_options
from untilt.cli.options.pushfold_options import parse_small_blind, parse_stakes, parse_sweep
from untilt.errors import InvalidOption
from untilt.options.pushfold import (
    ANTE,
    BB_ANTE,
    BLINDS,
    CHART,
    CHART_METHOD,
    FILES,
    OF_TABLE,
    QUESTIONS,
    SEATS,
    STAKES_STACK,
)
from untilt.options.run import AS_JSON, FOLLOWED, OUTPUT, told

if TYPE_CHECKING:
    from untilt.charts.sheet import ActionSheet
    from untilt.games.pushfold.analysis import Answer, Comparison
    from untilt.games.pushfold.chart import PushFoldChart, PushFoldSweep
    from untilt.games.pushfold.game import Stakes
    from untilt.numeric.chunks import OnShare


@with_options((*CHART[:-1], told(CHART[-1], chart_method_help()), *FOLLOWED, AS_JSON))
def chart(
    amount: Annotated[
        str | None,
        typer.Argument(
            metavar="[STACK]",
            help="The same as --stack, or with colons as --sweep: 8, 12/8, 2:20:0.5.",
            show_default=False,
        ),
    ] = None,
    **given: Any,
) -> None:
    """Compute the push/fold chart of heads-up hold'em, or of a whole table, for chips or prizes.

    The small blind pushes or folds, the big blind calls or folds; deals and equities are exact.
    With --seats or --stacks every seat is all-in or folds, knowing who is all-in before.
    """
    if SEATS.name in given or "stacks" in given:
        from untilt.cli.commands.solve.table_chart import chart_of_table

        chart_of_table(amount, given)
        return
    for option in OF_TABLE:
        if option.name in given:
            raise InvalidOption(f"{option.spelling} is for a whole table; add --seats N")
    if amount is not None:
        for name in ("stack", "sweep"):
            if name in given:
                raise InvalidOption(f"{amount!r} and --{name} are given; give only one of them")
        given["sweep" if ":" in amount else "stack"] = amount
    files = {f"--{option.name}": given.get(option.name) for option in FILES}
    verify_files(files)
    questions = {option.spelling: given.get(option.name) for option in QUESTIONS}
    asked = [name for name, text in questions.items() if text is not None]
    if len(asked) > 1 or (asked and "sweep" in given):
        named = " and ".join([*asked, *(["--sweep"] if "sweep" in given else [])])
        raise InvalidOption(f"{named} are given; give only one of them")
    ante, bb_ante, blinds, method = (
        given.get(option.name, option.default) for option in (ANTE, BB_ANTE, BLINDS, CHART_METHOD)
    )
    as_json = given.get("as_json", False)
    if "sweep" in given:
        small_blind = parse_small_blind(blinds)
        if "stack" in given:
            raise InvalidOption("--stack and --sweep are given; give only one of them")
        if "ev" in given:
            raise InvalidOption("--ev is for a single stack; leave it out of a --sweep")
        all_stakes = parse_sweep(given["sweep"], small_blind, ante, bb_ante)
        with Watching.asked(given) as page:
            processes, output = given.get("processes"), given.get("output")
            _sweep(all_stakes, method, processes, files, output, page, as_json=as_json)
            page.stay()
        return
    for option in (OUTPUT, *FOLLOWED):
        if option.name in given:
            raise InvalidOption(
                f"{option.spelling} is for a --sweep of many stacks, such as --sweep 2:20:0.5"
            )
    if "processes" in given:
        raise InvalidOption("--processes shares the work of a --sweep; add one, or leave it out")
    stack = given.get("stack", STAKES_STACK.default)
    stakes, word = parse_stakes(stack, ante, bb_ante, blinds)
    _one_stack(
        stakes, word, method, questions, files, with_ev=given.get("ev", False), as_json=as_json
    )


def _one_stack(
    stakes: "Stakes",
    word: str,
    method: str,
    questions: dict[str, str | None],
    files: dict[str, Path | None],
    *,
    with_ev: bool,
    as_json: bool,
) -> None:
    from untilt.cli.app.output import print_json, print_lines, say, stdout
    from untilt.games.pushfold.chart_text import range_shares
    from untilt.games.pushfold.sheets import chart_sheet, comparison_sheet
    from untilt.games.pushfold.text import (
        answer_document,
        answer_lines,
        comparison_document,
        comparison_lines,
    )
    from untilt.runs.pushfold import charts as pushfold
    from untilt.runs.pushfold.pushfold_strategies import read_play

    answer: Answer | None = None
    comparison: Comparison | None = None
    if (text := questions["--against-call"]) is not None:
        answer = pushfold.best_push(stakes, range_shares(text), method)
        found = answer.chart
    elif (text := questions["--against-push"]) is not None:
        answer = pushfold.best_call(stakes, range_shares(text), method)
        found = answer.chart
    else:
        other = None
        if (text := questions["--compare"]) is not None:
            _warn(text, stakes)
            other = read_play(text, stakes)
        found = pushfold.solve_chart(stakes, method)
        if other is not None:
            comparison = pushfold.compare(found, stakes, other)
    name = str(questions["--compare"])
    sheet = chart_sheet(found) if comparison is None else comparison_sheet(comparison, name)
    _write_chart(found, sheet, files, with_ev=with_ev)
    if as_json:
        if word:
            say(word)
        document: dict[str, Any] = found.to_json()
        if answer is not None:
            document["against"] = answer_document(answer)
        if comparison is not None:
            document["comparison"] = comparison_document(name, comparison)
        print_json(document)
        return
    from untilt.charts.hand_grid import print_sheet

    print_sheet(stdout(), chart_sheet(found), with_numbers=with_ev)
    if word:
        print_lines([("", ""), (word, "")])
    if answer is not None:
        print_lines(answer_lines(answer))
    if comparison is not None:
        _print_differences(name, comparison)
        print_lines(comparison_lines(name, comparison))


def _print_differences(name: str, comparison: "Comparison") -> None:
    """Print a grid for each half that differs, with the differences marked."""
    from untilt.charts.hand_grid import difference_grid
    from untilt.cli.app.output import print_lines, stdout
    from untilt.games.pushfold.text import comparison_heading

    print_lines([("", ""), (comparison_heading(name, comparison), "bold")])
    theirs = (comparison.other.push, comparison.other.call)
    for seat, shares in zip(comparison.chart.seats, theirs, strict=True):
        if any(cell.action == seat.action for cell in comparison.differences):
            print_lines([("", ""), (f"{seat.player}: {seat.action}", "bold")])
            stdout().print(difference_grid(seat.frequency, shares, name))
    print_lines([("", "")])


def _warn(text: str, stakes: "Stakes") -> None:
    from untilt.cli.app.output import warn
    from untilt.runs.pushfold.pushfold_strategies import caveat

    warn(caveat(text, stakes))


def _sweep(
    all_stakes: "list[Stakes]",
    method: str,
    processes: int | None,
    files: dict[str, Path | None],
    output: Path | None,
    page: Watching,
    *,
    as_json: bool,
) -> None:
    from untilt.cli.app.output import print_json, print_lines, say
    from untilt.runs.pushfold.charts import sweep_charts
    from untilt.runs.pushfold.sweep_folder import sweep_folder

    count = (os.cpu_count() or 1) if processes is None else processes
    if count < 1:
        raise InvalidOption(f"--processes is {count}; give 1 or more")
    with ExitStack() as stack:
        folder = None
        if output is not None or page.is_wanted:
            folder = stack.enter_context(sweep_folder(all_stakes, method, output))
            page.follow(folder.path)
        with _bar() as watcher:
            found = sweep_charts(all_stakes, method, processes=count, watcher=watcher)
        if folder is not None:
            folder.save(found)
            say(f"saved in {folder.path}")
    _write_sweep(found, files)
    if as_json:
        print_json(found.to_json())
        return
    from untilt.games.pushfold.text import sweep_lines

    print_lines(sweep_lines(found))


@contextmanager
def _bar() -> "Iterator[OnShare]":
    """Provide a watcher that draws a bar on stderr if that is a terminal."""
    from rich.progress import Progress

    from untilt.cli.app.output import stderr

    console = stderr()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("push/fold", total=1.0)
        yield lambda share: bar.update(task, completed=share)


def _write_chart(
    found: "PushFoldChart",
    sheet: "ActionSheet",
    files: dict[str, Path | None],
    *,
    with_ev: bool,
) -> None:
    from untilt.charts.figures.sheet_figure import action_figure
    from untilt.charts.sheet_page import action_page
    from untilt.games.pushfold.text import chart_csv

    makers: dict[str, Callable[[], bytes]] = {
        "--csv": lambda: chart_csv(found),
        "--html": lambda: action_page(sheet, with_numbers=with_ev),
        "--png": lambda: action_figure(sheet, "png", with_numbers=with_ev),
        "--svg": lambda: action_figure(sheet, "svg", with_numbers=with_ev),
    }
    write_files(files, makers)


def _write_sweep(found: "PushFoldSweep", files: dict[str, Path | None]) -> None:
    from untilt.charts.figures.sheet_figure import list_figure
    from untilt.charts.sheet_page import list_page
    from untilt.games.pushfold.sheets import sweep_sheet
    from untilt.games.pushfold.text import sweep_csv

    sheet = sweep_sheet(found)
    makers: dict[str, Callable[[], bytes]] = {
        "--csv": lambda: sweep_csv(found),
        "--html": lambda: list_page(sheet),
        "--png": lambda: list_figure(sheet, "png"),
        "--svg": lambda: list_figure(sheet, "svg"),
    }
    write_files(files, makers)
