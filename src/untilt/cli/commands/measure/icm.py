"""`untilt icm`."""

from typing import Annotated

import typer

from untilt.cli.app.sources import Json
from untilt.cli.options.option_flags import setting_of
from untilt.options.pushfold import BOUNTY_OF_PRIZES, OTHERS, PRIZES


def icm(
    stacks: Annotated[
        str,
        typer.Argument(
            metavar="STACKS",
            help="Chips of the players at the table, up to 10: 5000,3000,2000.",
            show_default=False,
        ),
    ],
    prizes: Annotated[str | None, setting_of(PRIZES)] = None,
    others: Annotated[str | None, setting_of(OTHERS)] = None,
    bounty: Annotated[str | None, setting_of(BOUNTY_OF_PRIZES)] = None,
    as_json: Json = False,
) -> None:
    """Compute what stacks are worth in prizes (Malmuth–Harville), and deals among the players.

    The winner is drawn in proportion to chips, the second from the others, and so on. A deal by
    chips gives everyone the last prize and shares the rest in proportion.
    """
    from untilt.cli.app.output import print_json, print_lines
    from untilt.cli.commands.solve.table_chart import parse_numbers
    from untilt.errors import InvalidOption
    from untilt.games.pushfold.tables.icm import icm as values_of

    if prizes is None:
        raise InvalidOption("--prizes is missing; give them best first, such as --prizes 50,30,20")
    heads = parse_numbers("--bounty", bounty) if bounty is not None else (0.0,)
    found = values_of(
        parse_numbers("STACKS", stacks),
        parse_numbers("--prizes", prizes),
        others=parse_numbers("--others", others) if others is not None else (),
        bounty=heads[0] if len(heads) == 1 else heads,
    )
    if as_json:
        print_json(found.to_json())
        return
    header = ("player", "chips", "prize model", "deal by chips", "1 % of all chips adds")
    rows = [header, *found.rows()]
    widths = [max(len(row[column]) for row in rows) for column in range(len(header))]
    lines = [
        "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    print_lines([(lines[0], "dim"), *((line, "") for line in lines[1:])])
    print_lines(
        [("", ""), (f"{found.pool:g} to win in all; amounts in the unit of the prizes", "dim")]
    )
