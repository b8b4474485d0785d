"""`untilt pushfold match`."""

from typing import Annotated

import typer

from untilt.cli.app.sources import Json
from untilt.cli.options.pushfold_options import (
    AnteOption,
    BbAnteOption,
    BlindsOption,
    StackOption,
    parse_stakes,
)

_STRATEGY_HELP = (
    "A CSV chart, a strategy file, regret.dat, the folder of a run, 'push=RANGE;call=RANGE', "
    "hune or nash."
)


def match(
    first: Annotated[str, typer.Argument(metavar="A", help=_STRATEGY_HELP, show_default=False)],
    second: Annotated[str, typer.Argument(metavar="B", help="The same.", show_default=False)],
    stack: StackOption = "10",
    ante: AnteOption = 0.0,
    bb_ante: BbAnteOption = 0.0,
    blinds: BlindsOption = "0.5/1",
    as_json: Json = False,
) -> None:
    """Compute exactly what push/fold strategy A wins against B, in bb/100.

    No hands are dealt: the result is the expectation over all deals and boards.
    """
    from untilt.cli.app.output import print_json, print_lines, warn
    from untilt.games.pushfold.text import match_document, match_lines
    from untilt.runs.pushfold.charts import play_match
    from untilt.runs.pushfold.pushfold_strategies import caveat, read_play

    stakes, word = parse_stakes(stack, ante, bb_ante, blinds)
    names = first, second
    for name in dict.fromkeys(names):
        warn(caveat(name, stakes))
    found = play_match(stakes, read_play(first, stakes), read_play(second, stakes))
    if as_json:
        if word:
            warn(word)
        print_json(match_document(stakes, names, found))
        return
    print_lines(match_lines(stakes, names, found, word))
