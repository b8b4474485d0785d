"""`untilt import`."""

from pathlib import Path
from typing import Annotated

import typer

from untilt.cli.blueprint_options import (
    Cap,
    Flop,
    MenuSizes,
    Preflop,
    River,
    Texture,
    Turn,
    chosen_cards,
    chosen_menu,
)
from untilt.cli.sources import Json


def import_(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A blueprint in the plain exchange layout, as of `untilt export --to ares`.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="The run folder; runs/holdem-blueprint-{n} by default.",
            show_default=False,
        ),
    ] = None,
    stack: Annotated[
        str | None,
        typer.Option(
            help="The stack that the file must have; by default, any.", show_default=False
        ),
    ] = None,
    menu: MenuSizes = None,
    cap: Cap = None,
    preflop: Preflop = None,
    flop: Flop = None,
    turn: Turn = None,
    river: River = None,
    texture: Texture = None,
    as_json: Json = False,
) -> None:
    """Read a blueprint of another program into a run folder.

    The file does not say which bets and buckets it is about: give those that it was made with. A
    checkpoint becomes a training that `untilt blueprint train --resume` continues.
    """
    from untilt.cli.output import echo, print_json, quoted, say
    from untilt.runs.exchange import import_blueprint

    cards = chosen_cards(preflop=preflop, flop=flop, turn=turn, river=river, texture=texture)
    found = import_blueprint(file, chosen_menu(menu, cap), cards, stack=stack, output=output)
    document = found.to_json()
    if as_json:
        print_json(document)
        return
    folder = quoted(Path(document["run"]))
    echo(f"{document['content']:<14}{document['iterations']:,} deals")
    echo(f"infosets      {document['infosets']:,} on {document['nodes']:,} betting nodes")
    if found.num_missing:
        say(f"{found.num_missing:,} infosets are not in the file, and start without knowledge")
    if found.is_checkpoint:
        echo(f"go on: untilt blueprint train --resume {folder} --time SECONDS")
    echo(f"chart: untilt blueprint chart {folder} --line ''")
