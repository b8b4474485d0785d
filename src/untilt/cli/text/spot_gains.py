"""Gains and risks of a strategy of a spot, in the terminal."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from untilt.errors import InvalidOption, flag_of
from untilt.games.holdem.bets.sizes import SEATS
from untilt.options.exploit import OF_SPOTS

if TYPE_CHECKING:
    from rich.console import Console

    from untilt.runs.spots.spot_gains import SpotGains


def print_gains(path: Path, given: dict[str, Any], *, as_json: bool) -> None:
    """Measure the strategy of a solved spot, and print what it wins and risks."""
    from untilt.cli.app import activity
    from untilt.cli.app.output import print_json, stdout, warn
    from untilt.cli.text.spot_runs import loaded_spot
    from untilt.runs.spots.spot_gains import gains

    known = {option.name for option in OF_SPOTS}
    for name in given:
        if name not in known:
            raise InvalidOption(
                f"{flag_of(name)} is not for spots; use "
                f"{', '.join(flag_of(option.name) for option in OF_SPOTS)}"
            )
    solution = loaded_spot(path)
    warn(solution.warning)
    against = given.get("against")
    opponents = None if against is None else [loaded_spot(Path(each)) for each in against]
    nash = None if given.get("nash") is None else loaded_spot(given["nash"])
    activity.doing(activity.BUILDING)
    found = gains(solution, given.get("seat"), against=opponents, nash=nash)
    if as_json:
        print_json(found.to_json())
    else:
        _print(stdout(), found)


def _print(console: "Console", found: "SpotGains") -> None:
    from rich.table import Table
    from rich.text import Text

    spot = found.spot
    console.print(Text(f"{SEATS[found.player]} of {found.name}", style="bold"), soft_wrap=True)
    if found.noises is not None:
        console.print(
            "noise "
            + ", ".join(
                f"{seat} {100 * noise:.3g}%"
                for seat, noise in zip(SEATS, found.noises, strict=True)
            )
        )
    console.print()
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for header in ("opponent", "EV", "of Nash", "gain", "of a best response"):
        table.add_column(header, justify="left" if header == "opponent" else "right")
    for row in found.rows:
        table.add_row(
            Text(row.opponent),
            *(spot.amount_text(chips, "z.2f") for chips in (row.value, row.nash)),
            *(f"{found.percent(chips):+z.2f}%" for chips in (row.gain, row.best - row.nash)),
        )
    console.print(table)
    console.print(
        f"risk: an opponent who knows the strategy takes {found.percent(found.risk):.2f}% of the "
        "pot more than from Nash; gains are in % of the pot, more than Nash wins",
        soft_wrap=True,
    )
