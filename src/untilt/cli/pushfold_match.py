"""`untilt pushfold match`."""

from typing import Annotated, Any

import typer

from untilt.cli.pushfold_options import (
    AnteOption,
    BbAnteOption,
    BlindsOption,
    StackOption,
    parse_stakes,
)
from untilt.cli.sources import Json

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
    """Let two push/fold strategies play each other, exactly: what A wins in bb/100.

    No hand is dealt: the expectation over all deals and boards is computed.
    """
    from untilt.cli.output import print_json, stdout, warn
    from untilt.runs.pushfold import play_match
    from untilt.runs.pushfold_strategies import caveat, read_play

    stakes, word = parse_stakes(stack, ante, bb_ante, blinds)
    for name in dict.fromkeys((first, second)):
        warn(caveat(name, stakes))
    found = play_match(stakes, read_play(first, stakes), read_play(second, stakes))
    document: dict[str, Any] = {
        "stack_bb": stakes.stack,
        "a": first,
        "b": second,
        "as_small_blind_bb_100": 100.0 * found.as_small_blind,
        "as_big_blind_bb_100": 100.0 * found.as_big_blind,
        "mean_bb_100": 100.0 * found.mean,
        "a_loses_to_best_response_bb_100": 100.0 * found.losses[0],
        "b_loses_to_best_response_bb_100": 100.0 * found.losses[1],
    }
    if as_json:
        if word:
            warn(word)
        print_json(document)
        return
    console = stdout()
    console.print(f"A = {first}", soft_wrap=True)
    console.print(f"B = {second}", soft_wrap=True)
    console.print(f"at {stakes.stack:g} bb, exact, in bb/100 for A{'; ' + word if word else ''}")
    console.print(f"  as small blind   {document['as_small_blind_bb_100']:+z12.6f}")
    console.print(f"  as big blind     {document['as_big_blind_bb_100']:+z12.6f}")
    console.print(f"  changing seats   {document['mean_bb_100']:+z12.6f}", style="bold")
    console.print("a best response, changing seats, wins")
    console.print(f"  from A           {document['a_loses_to_best_response_bb_100']:+z12.6f}")
    console.print(f"  from B           {document['b_loses_to_best_response_bb_100']:+z12.6f}")
