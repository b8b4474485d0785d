"""`untilt compare`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.app.sources import (
    GameOption,
    Json,
    Parameters,
    TrustOption,
    game_parameters,
    users_code,
    waiting_for,
)
from untilt.cli.options.option_flags import with_options
from untilt.errors import InvalidOption
from untilt.options.looking import COMPARE

if TYPE_CHECKING:
    from untilt.runs.results.comparing import StrategyComparison


@with_options(COMPARE, after="second")
def compare(
    first: Annotated[
        Path,
        typer.Argument(
            metavar="RUN_OR_STRATEGY.json",
            help="The folder of a run, or a strategy as a JSON file.",
        ),
    ],
    second: Annotated[
        Path,
        typer.Argument(metavar="RUN_OR_STRATEGY.json", help="Another one, of the same game."),
    ],
    game: GameOption = None,
    parameter: Parameters = None,
    trust: TrustOption = False,
    as_json: Json = False,
    **given: Any,
) -> None:
    """Compare two strategies of the same game: values, head to head, where they differ.

    The distance at an infoset is the total variation of its action probabilities: 0 if they agree,
    1 if they never play the same. Infosets are ordered by distance times how often the two reach
    it on average. Strategies of abstract games are compared in the full game, if that compiles.

    Of two solutions of a spot, the first is measured against the second's opponent: what its answer
    loses on every line, and which of its lines are ghosts that it never reaches itself.
    """
    from untilt.cli.app.activity import walked
    from untilt.cli.app.output import print_json, warn
    from untilt.cli.text.spot_comparison import print_comparison
    from untilt.cli.text.spot_runs import holds_spot
    from untilt.runs.results.comparing import compare as compare_strategies

    top, streets = (given.get(option.name, option.default) for option in COMPARE)
    parameters = game_parameters(game, parameter)
    if holds_spot(first) or holds_spot(second):
        if game is not None or trust:
            raise InvalidOption("-g and --trust are not for spots; leave them out")
        print_comparison(first, second, streets, top, as_json=as_json)
        return
    if streets is not None:
        raise InvalidOption("--streets is for spots; leave it out")
    with users_code(), waiting_for(first, second):
        found = compare_strategies(
            first, second, game=game, parameters=parameters, trust=trust, watcher=walked
        )
    for warning in found.warnings:
        warn(warning)
    if as_json:
        print_json(found.to_json(top))
    else:
        _print(found, top)


def _print(found: "StrategyComparison", top: int) -> None:
    from rich.table import Table
    from rich.text import Text

    from untilt.cli.app.output import stdout

    console = stdout()
    both = found.strategies
    place = "in the full game" if found.is_full_game else ""
    console.print(Text(found.title, style="bold"), place)
    console.print()
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for header in ("", "first", "second"):
        table.add_column(header, justify="right" if header else "left")
    table.add_row("method", *(each.method or "–" for each in both))
    table.add_row("iterations", *(_count(each.iterations) for each in both))
    names = ["value"] if found.is_zero_sum else [f"value of {name}" for name in found.players]
    for player, name in enumerate(names):
        table.add_row(name, *(f"{each.evaluation.values[player]:+.9f}" for each in both))
    table.add_row("exploitability", *(f"{each.evaluation.exploitability:.3e}" for each in both))
    console.print(table)
    console.print(f"first: {both[0].name}   second: {both[1].name}", style="dim", soft_wrap=True)
    console.print()
    match, apart = found.head_to_head, found.distance
    won = zip(match.as_player, found.players, strict=True)
    seats = ", ".join(f"{value:+.9f} as {name}" for value, name in won)
    console.print(
        f"head to head, what the first wins per hand, in {found.unit}: {seats}, "
        f"{match.mean:+.9f} changing seats",
        soft_wrap=True,
    )
    console.print(
        f"distance (total variation): largest {apart.largest:.4f} at {apart.label}, "
        f"mean {apart.mean:.4f}, weighted by the first's reach {apart.reach_weighted:.4f}",
        soft_wrap=True,
    )
    if not found.differences:
        console.print("the two play alike everywhere")
        return
    console.print()
    rows = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for header in ("infoset", "distance", "reach", "first", "second"):
        rows.add_column(header, justify="right" if header in ("distance", "reach") else "left")
    shown = found.differences[:top]
    for row in shown:
        rows.add_row(
            row.label,
            f"{row.distance:.4f}",
            f"{row.reach:.4f}",
            *(_mix(strategy) for strategy in row.strategies),
        )
    console.print(rows)
    console.print(
        f"… the {len(shown)} of {len(found.differences):,} differing infosets "
        f"(of {found.num_infosets:,}) that matter most: distance times mean reach",
        style="dim",
        soft_wrap=True,
    )


def _count(number: int | None) -> str:
    return "–" if number is None else f"{number:,}"


def _mix(strategy: dict[str, float]) -> str:
    return "  ".join(f"{name} {100 * share:.1f}" for name, share in strategy.items())
