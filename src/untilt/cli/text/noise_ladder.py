"""A spot at a ladder of noises, in the terminal."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from untilt.formats.run.run_file import FILE_NAME
from untilt.games.holdem.bets.sizes import SEATS

if TYPE_CHECKING:
    from rich.table import Table

    from untilt.games.holdem.spots.spot import Spot
    from untilt.runs.spots.spot_ladder import NoiseLadder


def holds_ladder(path: Path) -> bool:
    """Whether a path is the folder of a ladder."""
    if not path.is_dir() or (path / FILE_NAME).exists():
        return False
    from untilt.runs.spots import spot_ladder

    return spot_ladder.holds_ladder(path)


def print_ladder(found: "NoiseLadder") -> None:
    """Print what was found at each noise, and how to look at it."""
    from untilt.cli.app.output import quoted, stdout

    console, spot = stdout(), found.spot
    _print_spot(spot)
    headers = ("noise", "β per chip", "exploitability", *(f"EV {seat}" for seat in SEATS))
    table = _table((*headers, "residual", "iterations"))
    for row in found.rows():
        table.add_row(
            f"{100 * row['noise']:g}%",
            f"{row['beta']:.4g}",
            f"{row['exploitability_percent']:.3f}%",
            *(spot.amount_text(value, "z.2f") for value in row["ev"]),
            "" if row["residual"] is None else f"{row['residual']:.1e}",
            f"{row['iterations']:,}",
        )
    console.print(table)
    console.print()
    if found.folder is not None:
        console.print(
            f"how hands play as noise falls: untilt serve {quoted(found.folder)}",
            style="dim",
            soft_wrap=True,
        )


def show_ladder(folder: Path, line: str | None, board: str | None, *, as_json: bool) -> None:
    """Print the ladder in a folder or, with a line, how its players act there at each noise."""
    from untilt.cli.app.output import print_json, stdout
    from untilt.runs.spots.spot_ladder import load_ladder

    found = load_ladder(folder)
    if line is None and board is None:
        if as_json:
            print_json(found.to_json())
        else:
            print_ladder(found)
        return
    rows = found.mixes(line or "", board)
    if as_json:
        print_json({**found.to_json(), "line": line or "", "mixes": rows})
        return
    _print_spot(found.spot)
    node = found[0].at(line or "", board=board)
    console = stdout()
    who = f"{SEATS[node.player]} acts" if node.kind == "decision" else node.kind
    console.print(f"{line or 'start'}: {who}", soft_wrap=True, markup=False)
    actions = tuple(rows[0]["frequencies"])
    table = _table(("noise", "reached", *actions))
    for row in rows:
        table.add_row(
            f"{100 * row['noise']:g}%",
            f"{100 * row['reach']:.3g}%",
            *(f"{100 * row['frequencies'][action]:.1f}%" for action in actions),
        )
    console.print(table)


def _print_spot(spot: "Spot") -> None:
    from rich.text import Text

    from untilt.cli.app.output import stdout

    console = stdout()
    console.print(
        Text(spot.board_text, style="bold"),
        f"pot {spot.amount_text(spot.pot)}, stack {spot.amount_text(spot.stack)}",
        sep="  ",
        soft_wrap=True,
    )
    console.print()


def _table(headers: Sequence[str]) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for header in headers:
        table.add_column(header, justify="right")
    return table
