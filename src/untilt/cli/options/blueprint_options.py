"""Arguments that commands of blueprints share: the file, the menu and the card buckets."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.options.option_flags import chosen_of
from untilt.options.blueprint import CARDS

if TYPE_CHECKING:
    from untilt.abstraction.buckets.card_abstraction import CardAbstraction
    from untilt.abstraction.menus import Menu

BlueprintPath = Annotated[
    Path, typer.Argument(metavar="BLUEPRINT", help="A run folder, or its blueprint.bin.")
]


def taken_menu(given: dict[str, Any]) -> "Menu":
    """Return the menu that was asked for, and take its options out of `given`."""
    from untilt.runs.blueprints.trainer import DEFAULT_MENU, menu_for

    return menu_for(given.pop("menu", None) or DEFAULT_MENU, given.pop("cap", None))


def taken_cards(given: dict[str, Any]) -> "CardAbstraction":
    """Return the buckets that were asked for, and take their options out of `given`."""
    from untilt.runs.blueprints.trainer import cards_for

    chosen = chosen_of(CARDS, given)
    for name in chosen:
        del given[name]
    return cards_for(**chosen)
