"""Two solutions of a spot side by side in the terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from untilt.games.holdem.bets.sizes import SEATS
from untilt.games.holdem.solutions.ghost import GHOST_REACH

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console
    from rich.table import Table

    from untilt.games.holdem.spots.spot import Spot
    from untilt.runs.results.spot_comparing import LineDifference, SpotComparison


def print_comparison(
    first: "Path", second: "Path", streets: int | None, top: int, *, as_json: bool
) -> None:
    """Compare the spots in two folders, and print how they differ."""
    from untilt.cli.app import activity
    from untilt.cli.app.output import print_json, stdout, warn
    from untilt.cli.text.spot_runs import loaded_spot
    from untilt.runs.results.spot_comparing import compare_spots

    one, other = loaded_spot(first), loaded_spot(second)
    for solution in (one, other):
        warn(solution.warning)
    activity.doing(activity.BUILDING)
    found = compare_spots(one, other, streets=streets)
    if as_json:
        print_json(found.to_json(top))
    else:
        _print(stdout(), found, top)


def _print(console: "Console", found: "SpotComparison", top: int) -> None:
    from rich.text import Text

    spot = found.first.spot
    title = Text(spot.board_text, style="bold")
    title.append(
        f"  pot {spot.amount_text(spot.pot)}, stack {spot.amount_text(spot.stack)}",
        style="not bold",
    )
    console.print(title)
    console.print()
    console.print(_facts(found))
    one, other = found.strategies
    console.print(f"first: {one.name}   second: {other.name}", style="dim", soft_wrap=True)
    console.print()
    match = found.head_to_head
    console.print(
        "against the second, the first has an EV of "
        f"{spot.amount_text(match.first_oop[0], 'z.2f')} oop "
        f"({spot.amount_text(match.gains[0], '+z.2f')} compared with the second itself) and "
        f"{spot.amount_text(match.first_ip[1], 'z.2f')} ip "
        f"({spot.amount_text(match.gains[1], '+z.2f')})",
        soft_wrap=True,
    )
    if not found.differences:
        console.print("the two play alike everywhere")
        return
    console.print()
    shown = found.differences[:top]
    console.print(_lines(shown, spot))
    console.print(
        f"… {len(shown)} of {len(found.differences):,} differing decisions "
        f"(of {len(found.lines):,}), by what they cost the first against the second; loss: from "
        "there on, once there; cost: of that decision alone, a deal; % of the pot",
        style="dim",
        soft_wrap=True,
    )
    if found.ghosts:
        console.print()
        few = found.ghosts[:top]
        console.print(f"ghost lines: the first gets here in less than {GHOST_REACH:g} of hands")
        console.print(_lines(few, spot))
        if len(few) < len(found.ghosts):
            console.print(f"… {len(few)} of {len(found.ghosts):,}", style="dim")
    if found.left_out:
        console.print(
            f"not compared: the {' and '.join(found.left_out)}, which takes long; "
            f"--streets {len(found.first.view.betting.streets)} includes it",
            style="dim",
            soft_wrap=True,
        )


def _facts(found: "SpotComparison") -> "Table":
    from untilt.durations import shown_duration

    spot = found.first.spot
    table = _table(("", "first", "second"), ("first", "second"))
    both = found.strategies
    table.add_row("method", *(each.method for each in both))
    table.add_row("iterations", *(f"{each.iterations:,}" for each in both))
    table.add_row("time", *(shown_duration(each.seconds) for each in both))
    for player, seat in enumerate(SEATS):
        table.add_row(f"EV {seat}", *(spot.amount_text(each.ev[player], "z.2f") for each in both))
    table.add_row(
        "exploitability",
        *(f"{100.0 * each.exploitability / spot.pot:.3f}%" for each in both),
    )
    return table


def _lines(rows: "Sequence[LineDifference]", spot: "Spot") -> "Table":
    from rich.text import Text

    numbers = ("distance", "first here", "second here", "loss", "cost")
    table = _table(("line", "player", *numbers, "first", "second"), numbers)
    for row in rows:
        table.add_row(
            Text(spot.in_unit(row.line) or "start"),
            SEATS[row.player],
            f"{row.distance:.3f}",
            *(f"{100.0 * reach:.3g}%" for reach in row.reaches),
            *(f"{100.0 * chips / spot.pot:.3f}" for chips in (row.loss, row.cost)),
            *(_mix(mix, spot) for mix in row.strategies),
        )
    return table


def _mix(mix: dict[str, float], spot: "Spot") -> str:
    return "  ".join(f"{spot.in_unit(name)} {100.0 * share:.1f}" for name, share in mix.items())


def _table(headers: Sequence[str], numbers: Sequence[str]) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for header in headers:
        table.add_column(header, justify="right" if header in numbers else "left")
    return table
