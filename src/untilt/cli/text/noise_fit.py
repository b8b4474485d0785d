"""The noise of players of spots in the terminal."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from untilt.errors import InvalidOption, flag_of
from untilt.games.holdem.bets.sizes import SEATS
from untilt.options.fit import OF_SPOTS
from untilt.solvers.qre.options import PER_PLAYER, SEED

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.table import Table

    from untilt.games.holdem.spots.spot import Spot
    from untilt.runs.results.noise_fitting import NoiseFit

MAX_ROWS = 12
"""Most lines that the table shows."""


def print_noise_fit(file: Path, given: dict[str, Any], *, as_json: bool) -> None:
    """Fit noise to the hands in a file, and print it."""
    from untilt.cli.app.output import print_json
    from untilt.runs.results.noise_fitting import fit

    taken = {option.name for option in (*OF_SPOTS, PER_PLAYER, SEED)}
    for name in given:
        if name not in taken:
            raise InvalidOption(f"{flag_of(name)} is for games, not for spots; leave it out")
    how = {name: value for name, value in given.items() if name != "spot"}
    spots: dict[str, Spot] = {}
    for path in map(Path, given["spot"]):
        if path.stem in spots:
            raise InvalidOption(f"two spots are called {path.stem}; rename one of the files")
        spots[path.stem] = _spot(path)
    found = fit(file, spots, watcher=_report(), **how)
    if as_json:
        print_json(found.to_json())
    else:
        _print(found, file)


def _spot(path: Path) -> "Spot":
    from untilt.cli.text.spot_runs import holds_spot, loaded_spot
    from untilt.games.holdem.spots.spot import Spot

    return loaded_spot(path).spot if holds_spot(path) else Spot.load(path)


def _report() -> "Callable[[int, int], None]":
    from untilt.cli.app import activity

    activity.doing("solving the ladder of noises")
    return lambda done, total: activity.doing(f"solving the ladder of noises: {done} of {total}")


def _print(found: "NoiseFit", file: Path) -> None:
    from rich.text import Text

    from untilt.cli.app.output import stdout

    console = stdout()
    names = ", ".join(each.view.spot.board_text for each in found.hands)
    console.print(Text(names, style="bold"), Text(str(file)), sep="  ", soft_wrap=True)
    shown = [sum(each.num_shown[player] for each in found.hands) for player in (0, 1)]
    console.print(
        f"{found.num_decisions:,} decisions in {found.num_hands:,} hands; cards seen of "
        + ", ".join(f"{seat} {count:,}" for seat, count in zip(SEATS, shown, strict=True))
    )
    if found.unused:
        console.print(Text(f"columns not used: {', '.join(found.unused)}"), soft_wrap=True)
    console.print()
    for line in found.words():
        console.print(Text(line, style="bold"), soft_wrap=True)
    if found.likelihood_ratio is not None:
        statistic, p_value = found.likelihood_ratio
        console.print(
            f"one noise against two: likelihood ratio {statistic:.3f}, p-value {p_value:.3g}"
        )
    console.print()
    test = found.test
    console.print(
        f"fit of the lines: G² {test.statistic:.1f}, p-value {test.p_value:.3g} "
        f"({test.samples} simulated samples)"
    )
    if found.is_outside:
        console.print(
            "no noise explains these lines: ranges, sizes or amounts of the spot are wrong, and "
            "what looks like noise may be that",
            style="yellow",
            soft_wrap=True,
        )
    console.print()
    console.print(_lines(found))
    if len(test.lines) > MAX_ROWS:
        console.print(
            f"… the {MAX_ROWS} of {len(test.lines):,} lines that fit worst; all of them: --json",
            style="dim",
            soft_wrap=True,
        )


def _lines(found: "NoiseFit") -> "Table":
    from rich.table import Table
    from rich.text import Text

    has_spots = len(found.hands) > 1
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for header in (*(("spot",) if has_spots else ()), "line"):
        table.add_column(header)
    for header in ("seen", "expected", "residual"):
        table.add_column(header, justify="right")
    for row in found.lines()[:MAX_ROWS]:
        table.add_row(
            *((Text(row["spot"]),) if has_spots else ()),
            Text(row["line"]),
            f"{row['observed']:.0f}",
            f"{row['expected']:.1f}",
            f"{row['residual']:+.2f}",
        )
    return table
