"""A spot at a ladder of noises, in the terminal."""

from typing import TYPE_CHECKING

from untilt.games.holdem.bets.sizes import SEATS

if TYPE_CHECKING:
    from untilt.runs.spots.spot_ladder import NoiseLadder


def print_ladder(found: "NoiseLadder") -> None:
    """Print what was found at each noise, and how to look at it."""
    from rich.table import Table
    from rich.text import Text

    from untilt.cli.app.output import quoted, stdout

    console, spot = stdout(), found.spot
    console.print(
        Text(spot.board_text, style="bold"),
        f"pot {spot.amount_text(spot.pot)}, stack {spot.amount_text(spot.stack)}",
        sep="  ",
        soft_wrap=True,
    )
    console.print()
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    headers = ("noise", "β per chip", "exploitability", *(f"EV {seat}" for seat in SEATS))
    for header in (*headers, "residual", "iterations"):
        table.add_column(header, justify="right")
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
