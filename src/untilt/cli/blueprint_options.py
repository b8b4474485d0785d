"""What commands of blueprints share: file, menu, card buckets, and how long to train."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from untilt.abstraction.buckets.card_abstraction import CardAbstraction
    from untilt.abstraction.menus import Menu

BlueprintPath = Annotated[
    Path, typer.Argument(metavar="BLUEPRINT", help="A run folder, or its blueprint.bin.")
]
MenuSizes = Annotated[
    str | None,
    typer.Option(
        "--menu",
        metavar="SIZES",
        help="Bets that players consider, in pots: '0.5, 1, 2, a / 0.5, 1, a' by default, before "
        'the flop and from there on; or calls such as "pot_fractions(1) | raise_multiples(3)".',
        show_default=False,
    ),
]
Cap = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="The most bets and raises on a street, a blind among them; 4 by default, none if the "
        "menu has calls.",
        show_default=False,
    ),
]
Preflop = Annotated[
    int | None, typer.Option(metavar="N", help="Buckets before the flop; 169 by default.")
]
Flop = Annotated[int | None, typer.Option(metavar="N", help="Buckets on the flop; 200 by default.")]
Turn = Annotated[int | None, typer.Option(metavar="N", help="Buckets on the turn; 200 by default.")]
River = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Buckets on the river; by default 9 for each texture of the board, 198 in all.",
    ),
]
Texture = Annotated[
    str | None,
    typer.Option(
        metavar="STREETS",
        help="Streets whose buckets are divided by the texture of the board: river.",
        show_default=False,
    ),
]
Iterations = Annotated[
    int | None,
    typer.Option(
        "-n",
        "--iterations",
        metavar="N",
        help="Stop after this many deals, each with 16 hands and learnt from in both seats.",
        show_default=False,
    ),
]
Seconds = Annotated[
    float | None,
    typer.Option(
        "--time",
        metavar="SECONDS",
        help="Stop after this much time; 60 seconds unless -n is given.",
        show_default=False,
    ),
]


def chosen_menu(menu: str | None, cap: int | None) -> "Menu":
    """Return the menu that was asked for."""
    from untilt.runs.blueprints import DEFAULT_MENU, menu_for

    return menu_for(menu or DEFAULT_MENU, cap)


def chosen_cards(**given: int | str | None) -> "CardAbstraction":
    """Return the buckets that were asked for, with defaults for None."""
    from untilt.runs.blueprints import cards_for

    return cards_for(**given)
