"""Cards, hands, ranges and equities, independent of any game.

    from untilt.cards import describe_hand, equity, evaluate, parse_cards
    describe_hand(parse_cards("AsKsQsJsTs2d3c")).text      # 'royal flush'
    evaluate(hands)                                        # (N, 7) uint8 cards → uint16 ranks
    equity("AsAh", "KdKc").equities                        # all-in, exact

Names are loaded on first use: cards and single hands need no compiled code.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from untilt.cards.all_in import (
        Equity,
        HandEquity,
        equity,
        equity_histograms,
        hand_equities,
    )
    from untilt.cards.card import (
        DECK,
        DECK_MASK,
        RANKS,
        SUITS,
        card_name,
        cards_name,
        cards_of,
        mask_of,
        parse_card,
        parse_cards,
    )
    from untilt.cards.evaluator import count_hands, evaluate
    from untilt.cards.hand import RankedHand, category_of, describe_hand, rank_hand
    from untilt.cards.isomorphism import Isomorphism
    from untilt.cards.preflop_table import preflop_matrix
    from untilt.cards.range import Range

_HOME = {
    "DECK": "card",
    "DECK_MASK": "card",
    "Equity": "all_in",
    "HandEquity": "all_in",
    "Isomorphism": "isomorphism",
    "RANKS": "card",
    "Range": "range",
    "RankedHand": "hand",
    "SUITS": "card",
    "card_name": "card",
    "cards_name": "card",
    "cards_of": "card",
    "category_of": "hand",
    "count_hands": "evaluator",
    "describe_hand": "hand",
    "equity": "all_in",
    "equity_histograms": "all_in",
    "evaluate": "evaluator",
    "hand_equities": "all_in",
    "mask_of": "card",
    "parse_card": "card",
    "parse_cards": "card",
    "preflop_matrix": "preflop_table",
    "rank_hand": "hand",
}

__all__ = [
    "DECK",
    "DECK_MASK",
    "RANKS",
    "SUITS",
    "Equity",
    "HandEquity",
    "Isomorphism",
    "Range",
    "RankedHand",
    "card_name",
    "cards_name",
    "cards_of",
    "category_of",
    "count_hands",
    "describe_hand",
    "equity",
    "equity_histograms",
    "evaluate",
    "hand_equities",
    "mask_of",
    "parse_card",
    "parse_cards",
    "preflop_matrix",
    "rank_hand",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'untilt.cards' has no attribute {name!r}")
    value = getattr(import_module(f"untilt.cards.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
