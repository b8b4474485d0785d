"""The parts of `show`, `evaluate` and `export` for the run of a spot."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from untilt.cli.app import activity
from untilt.errors import InvalidOption, UntiltError

if TYPE_CHECKING:
    from untilt.games.holdem.solutions.solution import Solution
    from untilt.runs.results.spot_exporting import SpotExport

_MANY_ROWS = 200_000
"""An export of more rows says how large it is, and shows its progress."""


def holds_spot(path: Path) -> bool:
    """Whether a path is the folder of a solved spot; others are left to the usual readers."""
    from untilt.runs.kinds import SPOT, kind_of

    try:
        return path.is_dir() and kind_of(path) is SPOT
    except UntiltError:
        return False


def show_spot(
    path: Path,
    line: str,
    board: str | None,
    player: int | None,
    sort: str,
    *,
    is_whole: bool,
    as_json: bool,
) -> None:
    """Print a node of a solved spot."""
    from untilt.cli.app.output import print_json, stdout, warn
    from untilt.cli.text.spot_tables import MAX_ROWS, print_node, print_solution
    from untilt.policy.nodes.spot_node import spot_node

    solution = loaded_spot(path)
    warn(solution.warning)
    node = solution.at(line, board=board)
    if as_json:
        print_json(node.to_json())
        return
    console = stdout()
    print_solution(console, solution)
    limit = None if is_whole else MAX_ROWS
    print_node(console, spot_node(node), solution.spot, player=player, sort=sort, limit=limit)


def evaluate_spot(path: Path, *, as_json: bool) -> None:
    """Measure a solved spot again from its tables, and print values and best-response gains."""
    from untilt.cli.app.output import echo, print_json, warn
    from untilt.runs.spots.solutions import evaluate_solution

    solution = loaded_spot(path)
    warn(solution.warning)
    activity.doing(activity.BUILDING)
    found = evaluate_solution(solution)
    pot = solution.spot.pot
    if as_json:
        print_json(
            {
                "board": solution.spot.board_text,
                "pot": pot,
                "ev": list(found.values),
                "gains": list(found.gains),
                "exploitability": found.exploitability,
                "exploitability_percent": 100.0 * found.exploitability / pot,
                "nash_conv": found.nash_conv,
                "is_zero_sum": solution.spot.is_zero_sum,
                "locks": len(solution.spot.locks),
            }
        )
        return
    shown = solution.spot.amount_text
    echo(f"{solution.spot.board_text}, pot {shown(pot)}")
    echo(f"{'':26}{'oop':>12}{'ip':>12}")
    for name, pair in (("EV", found.values), ("gain of a best response", found.gains)):
        echo(f"{name:26}{shown(pair[0], '.4f'):>12}{shown(pair[1], '.4f'):>12}")
    unit = "" if solution.spot.bb or solution.spot.chips_per_unit > 1 else " chips"
    echo(
        f"exploitability {shown(found.exploitability, '.4f')}{unit}, "
        f"{100.0 * found.exploitability / pot:.4f}% of the pot"
    )
    if solution.spot.locks:
        echo("locked hands are followed by best responses: they are measured around the locks")
    if not solution.spot.is_zero_sum:
        echo("with rake, gains are not what the other player loses: the house takes a part")


def spot_export(path: Path, form: str, **chosen: str | None) -> "SpotExport":
    """Return the export of what is chosen of a solved spot; see `export_of`."""
    from untilt.runs.results.spot_exporting import FORMS, export_of

    if form not in FORMS:
        raise InvalidOption(f"--to {form} is not for spots: use {', '.join(FORMS)}")
    return export_of(loaded_spot(path), form, **chosen)


def loaded_spot(path: Path) -> "Solution":
    """Return the solution of a run; say that an unfinished one takes a while."""
    from untilt.runs.spots.solutions import load_spot

    return load_spot(path, lambda _: activity.doing(activity.BUILDING))


def export_chunks(export: "SpotExport") -> Iterator[bytes]:
    """Yield the content of the file; first say how much it is, then show how far it has got."""
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    from untilt.cli.app.output import say, stderr

    if export.num_rows < _MANY_ROWS:
        yield from export.chunks()
        return
    say(export_size(export))
    console = stderr()
    bar = Progress(
        TextColumn("exporting"),
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bar:
        task = bar.add_task("", total=export.num_nodes)
        yield from export.chunks(lambda done: bar.update(task, completed=done))


def export_size(export: "SpotExport") -> str:
    """Return how much an export is, in words."""
    from untilt.games.holdem.cost.spot_size import shown_bytes

    nodes = "1 node" if export.num_nodes == 1 else f"{export.num_nodes:,} nodes"
    size = shown_bytes(export.estimated_bytes())
    return f"{nodes}, {export.num_rows:,} rows of a hand and an action, about {size}"
