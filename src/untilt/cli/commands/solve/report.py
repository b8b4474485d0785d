"""`untilt report`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.commands.solve.cluster import pool_on
from untilt.cli.options.method_options import method_flags
from untilt.cli.options.option_flags import Flag, with_flags
from untilt.cli.text.flop_report import following_flops, print_report, tell_flops
from untilt.errors import Argument, InvalidOption, RunError
from untilt.options.report import PLACE, SOLVING
from untilt.options.run import told as with_help
from untilt.solvers.public_tree.methods import METHOD, SPOT_METHODS

if TYPE_CHECKING:
    from untilt.games.holdem.solutions.report import Report
    from untilt.runs.batches.flop_report import FlopReport

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
        print_report(_read(source, line, given.get("board")), **shown)
        return 0
    told, status = found.at(line), tell_flops(found)
    print_report(told, **shown)
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
    tell_flops(found)
    return found.at(line)


def _solved(source: Path, given: dict[str, Any]) -> "FlopReport":
    from untilt.runs.batches.flop_report import read_spot_of_flops, report_spot

    spot, flops = read_spot_of_flops(source), given.pop("flops")
    given.pop("board", None)
    with pool_on(given.pop("cluster", None)) as pool, following_flops() as watcher:
        return report_spot(spot, flops, pool=pool, watcher=watcher, **given)


def _resumed(given: dict[str, Any]) -> "FlopReport":
    from untilt.runs.batches.flop_report import resume_report

    processes = given.get("processes", 1)
    with pool_on(given.get("cluster")) as pool, following_flops() as watcher:
        return resume_report(given["resume"], processes=processes, pool=pool, watcher=watcher)
