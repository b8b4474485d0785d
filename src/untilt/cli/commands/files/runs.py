"""`untilt runs`."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from untilt.cli.app.sources import Json
from untilt.durations import shown_duration

if TYPE_CHECKING:
    from untilt.formats.run.run_list import RunSummary

_HEADER = ("run", "game", "method", "status", "iterations", "exploitability", "time", "began")
_NUMBERS = frozenset({"iterations", "exploitability", "time"})
_MAX_WIDTH = 48
"""Width limit of a column: parameters may be long."""


def runs(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="A folder that contains runs; runs/ by default.", show_default=False
        ),
    ] = Path("runs"),
    as_json: Json = False,
) -> None:
    """List the runs in a folder, newest first, with their status and exploitability.

    Damaged runs are listed too, with the reason. With --json, print the folder and a list of runs.
    """
    from untilt.cli.app.output import echo, print_json
    from untilt.formats.run.run_list import list_runs

    found = list_runs(folder)
    if as_json:
        print_json(
            {
                "folder": str(folder),
                "runs": [{**run.to_json(), "unit": _unit(run)} for run in found],
            }
        )
        return
    if not found:
        echo(f"no runs in {folder}; `untilt solve kuhn` makes one")
        return
    rows = [dict(zip(_HEADER, _cells(run), strict=True)) for run in found]
    widths = {name: max(len(name), *(len(row[name]) for row in rows)) for name in _HEADER}
    for row in ({name: name for name in _HEADER}, *rows):
        cells = [
            row[name].rjust(widths[name]) if name in _NUMBERS else row[name].ljust(widths[name])
            for name in _HEADER
        ]
        echo("  ".join(cells).rstrip())
    for run in found:
        if run.problem is not None:
            echo(f"{run.name}: {' '.join(run.problem.split())}")


def _unit(run: "RunSummary") -> str:
    from untilt.games.recipe import registered_terms

    return (run.terms or registered_terms(run.reference or run.game)).unit


def _cells(run: "RunSummary") -> tuple[str, ...]:
    from untilt.runs.kinds import KINDS

    parameters = [f"{name}={value}" for name, value in run.parameters.items()]
    kind = None if run.kind is None else KINDS.get(run.kind)
    has_title = kind is not None and kind.has_title
    game = run.title or "" if has_title else " ".join([run.game or "", *parameters])
    gain = run.exploitability
    cells = (
        run.name,
        game,
        " ".join(filter(None, (run.method, run.noise))),
        run.status,
        "" if run.iterations is None else f"{run.iterations:,}",
        "" if gain is None else f"{gain:.3e} {_unit(run)}",
        "" if run.seconds is None else shown_duration(run.seconds),
        _local_time(run.created),
    )
    # The name is not shortened: other commands take it as an argument.
    return (cells[0], *(_shortened(cell) for cell in cells[1:]))


def _shortened(cell: str) -> str:
    return cell if len(cell) <= _MAX_WIDTH else cell[: _MAX_WIDTH - 1] + "…"


def _local_time(created: str | None) -> str:
    if created is None:
        return ""
    try:
        return datetime.fromisoformat(created).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return created
