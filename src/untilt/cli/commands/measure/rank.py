"""`untilt rank`."""

from typing import TYPE_CHECKING, Annotated

import typer

from untilt.cli.app.sources import Json
from untilt.cli.options.option_flags import setting_of
from untilt.errors import CardError
from untilt.options.cards import COMMON_BOARD

if TYPE_CHECKING:
    from untilt.cards.hand import RankedHand


def rank(
    hands: Annotated[
        list[str],
        typer.Argument(
            metavar="HAND",
            help="Five or more cards each, as one word: AsKsQsJsTs, or in quotes: "
            '"As Ks Qs Js Ts 2d 3c".',
            show_default=False,
        ),
    ],
    board: Annotated[
        str,
        setting_of(COMMON_BOARD),
    ] = "",
    as_json: Json = False,
) -> None:
    """Rank poker hands, from 1 (royal flush) to 7462 (7-5-4-3-2), and compare them.

    Shows the category and the five cards that count, and marks the best of several hands.
    Without --board, hands may share cards.
    """
    from untilt.cards.card import cards_name
    from untilt.cards.hand import describe_hand
    from untilt.cli.app.output import print_json

    dealt = _dealt(hands, board)
    ranked = [describe_hand(cards) for cards in dealt]
    best = min(hand.rank for hand in ranked)
    if not as_json:
        for cards, hand in zip(dealt, ranked, strict=True):
            _print(cards_name(cards), hand, is_marked=len(hands) > 1 and hand.rank == best)
        return
    print_json(
        {
            "hands": [
                {"hand": cards_name(cards), **hand.to_json()}
                for cards, hand in zip(dealt, ranked, strict=True)
            ],
            "winners": [number for number, hand in enumerate(ranked) if hand.rank == best],
        }
    )


def _dealt(hands: list[str], board: str) -> list[list[int]]:
    """Return the cards of every hand, the board included."""
    from untilt.cards.card import parse_cards
    from untilt.cards.evaluator.evaluator_tables import HAND_SIZES

    common = parse_cards(board)
    if common:
        # The hands are of one deal: no card can be in two places.
        parse_cards(" ".join([board, *hands]))
    dealt = [parse_cards(hand) + common for hand in hands]
    for text, cards in zip(hands, dealt, strict=True):
        if len(cards) < HAND_SIZES[0]:
            place = "with the board" if common else "in total"
            count = f"{len(cards)} card{'' if len(cards) == 1 else 's'}"
            raise CardError(
                f"hand {text!r} has {count} {place}; give 5 or more, as one word or in "
                'quotes, such as "As Ks Qs Js Ts"'
            )
    return dealt


def _print(cards: str, hand: "RankedHand", *, is_marked: bool) -> None:
    from untilt.cards.card import cards_name

    typer.echo(f"{cards}{'  (best)' if is_marked else ''}")
    typer.echo(f"    rank      {hand.rank:,} of 7,462")
    typer.echo(f"    category  {hand.category}")
    typer.echo(f"    cards     {cards_name(hand.cards)}")
    typer.echo(f"    that is   {hand.text}")
