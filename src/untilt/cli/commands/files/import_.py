"""`untilt import`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from untilt.cli.options.blueprint_options import taken_cards, taken_menu
from untilt.cli.options.option_flags import with_options
from untilt.options.blueprint import CAP, CARDS, MENU, STACK
from untilt.options.run import AS_JSON, OUTPUT, told


@with_options(
    (
        told(OUTPUT, "The run folder; runs/holdem-blueprint-{n} by default."),
        told(STACK, "The stack that the file must have; by default, any."),
        MENU,
        CAP,
        *CARDS,
        AS_JSON,
    )
)
def import_(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A blueprint in the plain exchange layout, as of `untilt export --to ares`.",
            show_default=False,
        ),
    ],
    **given: Any,
) -> None:
    """Read a blueprint of another program into a run folder.

    The file does not say which bets and buckets it is about: give those that it was made with. A
    checkpoint becomes a training that `untilt blueprint train --resume` continues.
    """
    from untilt.cli.app.output import echo, print_json, quoted, say
    from untilt.runs.blueprints.ares import import_blueprint

    as_json = given.pop("as_json", False)
    found = import_blueprint(file, taken_menu(given), taken_cards(given), **given)
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
