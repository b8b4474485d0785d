"""`untilt compare`."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.evaluate import lifted, measures
from untilt.cli.sources import GameOption, Json, Parameters, read_other, read_source
from untilt.errors import InvalidOption

if TYPE_CHECKING:
    from untilt.cli.sources import LoadedProfile
    from untilt.evaluation.comparison import Variations


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
    top: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="List the N infosets where they differ most."),
    ] = 10,
    game: GameOption = None,
    parameter: Parameters = None,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust", help="Allow running the Python code that a run on an abstract game names."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Compare two strategies of the same game: values, head to head, where they differ.

    The distance at an infoset is the total variation of its action probabilities: 0 if they agree,
    1 if they never play the same. Infosets are ordered by distance times how often the two reach
    it on average. Strategies of abstract games are compared in the full game, if that compiles.
    """
    from untilt.cli.output import print_json
    from untilt.cli.spot_runs import holds_spot
    from untilt.evaluation.comparison import head_to_head, overall, variations

    for path in (first, second):
        if holds_spot(path):
            raise InvalidOption(
                f"{path} is the solution of a spot, which cannot be compared; look at both with "
                "`untilt show`"
            )
    given = read_source(first, game, parameter)
    others = read_other(second, given)
    one, _ = lifted(given, trust=trust)
    other = others if one is given else lifted(others, trust=trust)[0]
    form = one.game.exact_form()
    apart = variations(form, one.profile, other.profile)
    differing = apart.differing()
    match = head_to_head(form, one.profile, other.profile)
    result = {
        "game": one.game_name,
        "parameters": dict(one.parameters),
        "is_full_game": one is not given,
        "strategies": [_facts(one, given), _facts(other, others)],
        "head_to_head": {**asdict(match), "mean": match.mean},
        "distance": asdict(overall(apart)),
        "differing_infosets": len(differing),
        "infosets": [_difference(apart, each, one, other) for each in differing[:top]],
    }
    if as_json:
        print_json(result)
    else:
        _print(one.title, result, len(apart.labels))


def _facts(source: "LoadedProfile", given: "LoadedProfile") -> dict[str, Any]:
    """Return where a strategy comes from and how good it is; `given` is it before lifting."""
    from untilt.evaluation.best_response import evaluate

    run = given.run
    return {
        "path": str(given.path),
        "method": None if run is None else run.request.method,
        "iterations": None if run is None else run.iterations,
        "seconds": None if run is None else run.seconds,
        **measures(evaluate(source.game.exact_form(), source.profile)),
    }


def _difference(
    apart: "Variations", number: int, one: "LoadedProfile", other: "LoadedProfile"
) -> dict[str, Any]:
    label = apart.labels[number]
    return {
        "label": label,
        "distance": float(apart.variation[number]),
        "reaches": apart.reaches[:, number].tolist(),
        "strategies": [one.profile[label], other.profile[label]],
    }


def _print(title: str, result: dict[str, Any], num_infosets: int) -> None:
    from rich.table import Table
    from rich.text import Text

    from untilt.cli.output import stdout

    console = stdout()
    one, other = result["strategies"]
    place = "in the full game" if result["is_full_game"] else ""
    console.print(Text(title, style="bold"), place)
    console.print()
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for header in ("", "first", "second"):
        table.add_column(header, justify="right" if header else "left")
    table.add_row("method", *(each["method"] or "–" for each in (one, other)))
    table.add_row("iterations", *(_count(each["iterations"]) for each in (one, other)))
    table.add_row("value", *(f"{each['value']:+.9f}" for each in (one, other)))
    table.add_row("exploitability", *(f"{each['exploitability']:.3e}" for each in (one, other)))
    console.print(table)
    console.print(f"first: {one['path']}   second: {other['path']}", style="dim", soft_wrap=True)
    console.print()
    match, apart = result["head_to_head"], result["distance"]
    console.print(
        f"head to head: the first wins {match['as_player_0']:+.9f} chips per hand as player 0, "
        f"{match['as_player_1']:+.9f} as player 1, {match['mean']:+.9f} changing seats",
        soft_wrap=True,
    )
    console.print(
        f"distance (total variation): largest {apart['largest']:.4f} at {apart['label']}, "
        f"mean {apart['mean']:.4f}, weighted by the first's reach {apart['reach_weighted']:.4f}",
        soft_wrap=True,
    )
    if not result["infosets"]:
        console.print("the two play alike everywhere")
        return
    console.print()
    rows = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for header in ("infoset", "distance", "reach", "first", "second"):
        rows.add_column(header, justify="right" if header in ("distance", "reach") else "left")
    for row in result["infosets"]:
        rows.add_row(
            row["label"],
            f"{row['distance']:.4f}",
            f"{sum(row['reaches']) / 2:.4f}",
            *(_mix(strategy) for strategy in row["strategies"]),
        )
    console.print(rows)
    console.print(
        f"… the {len(result['infosets'])} of {result['differing_infosets']:,} differing infosets "
        f"(of {num_infosets:,}) that matter most: distance times mean reach",
        style="dim",
        soft_wrap=True,
    )


def _count(number: int | None) -> str:
    return "–" if number is None else f"{number:,}"


def _mix(strategy: dict[str, float]) -> str:
    return "  ".join(f"{name} {100 * share:.1f}" for name, share in strategy.items())
