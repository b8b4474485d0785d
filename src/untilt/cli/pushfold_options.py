"""Options that the commands of push/fold share: stack, blinds and antes."""

import math
from typing import TYPE_CHECKING, Annotated

import typer

from untilt.errors import InvalidOption

if TYPE_CHECKING:
    from untilt.games.pushfold.game import Stakes

StackOption = Annotated[
    str,
    typer.Option(
        metavar="BB",
        help="Stack in big blinds, before posting; 12/8 if the small and the big blind have "
        "different ones.",
    ),
]
AnteOption = Annotated[
    float, typer.Option(metavar="BB", help="Ante of each player, in big blinds.")
]
BbAnteOption = Annotated[
    float, typer.Option(metavar="BB", help="Ante that the big blind posts for both.")
]
BlindsOption = Annotated[
    str, typer.Option(metavar="S/B", help="Small and big blind; only their ratio counts.")
]


def parse_number(option: str, text: str) -> float:
    """Return the number that was given for `option`; underscores may group digits."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InvalidOption(f"{option} has {text.strip()!r}; give a number such as 10")
    return number


def parse_small_blind(blinds: str) -> float:
    """Return the small blind in big blinds for `S/B`."""
    small, slash, big = blinds.partition("/")
    if not slash:
        raise InvalidOption(f"--blinds is {blinds!r}; give small and big blind, such as 0.5/1")
    amounts = parse_number("--blinds", small), parse_number("--blinds", big)
    if not 0.0 <= amounts[0] <= amounts[1] or amounts[1] == 0.0:
        raise InvalidOption(
            f"--blinds is {blinds!r}; the small blind must lie between 0 and the big blind"
        )
    return amounts[0] / amounts[1]


def parse_stakes(stack: str, ante: float, bb_ante: float, blinds: str) -> "tuple[Stakes, str]":
    """Return the stakes, and a word on the effective stack if two were given."""
    from untilt.games.pushfold.game import Stakes

    amounts = [parse_number("--stack", part) for part in stack.split("/")]
    if len(amounts) > 2:
        raise InvalidOption(f"--stack is {stack!r}; give one stack, or two such as 12/8")
    small_blind = parse_small_blind(blinds)
    if len(amounts) == 1:
        return Stakes(amounts[0], small_blind, ante, bb_ante), ""
    small, big = amounts
    stakes = Stakes.of_stacks((small, big), small_blind, ante, bb_ante)
    both = f"{small:g} (small blind) and {big:g} (big blind)"
    if stakes.stack == min(amounts):
        return stakes, f"the effective stack counts: {stakes.stack:g} bb, the smaller of {both}"
    return stakes, (
        f"stacks of {both} are played like equal stacks of {stakes.stack:g} bb: the big-blind ante "
        "is posted besides what a call matches"
    )
