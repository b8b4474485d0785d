"""Cards, hands, ranges and equities, independent of any game.

    from untilt.cards import equity, evaluate, rank
    rank("AsKs", board="QsJsTs2d3c").text                  # 'royal flush'
    evaluate(hands)                                        # (N, 7) uint8 cards → uint16 ranks
    equity("AsAh", "KdKc").equities                        # all-in, exact

Names are loaded on first use: cards and single hands need no compiled code.
"""

from typing import TYPE_CHECKING

from untilt.lazy import lazy_names

if TYPE_CHECKING:
    from untilt.cards.card import DECK as DECK
    from untilt.cards.card import DECK_MASK as DECK_MASK
    from untilt.cards.card import RANKS as RANKS
    from untilt.cards.card import SUITS as SUITS
    from untilt.cards.card import card_name as card_name
    from untilt.cards.card import cards_name as cards_name
    from untilt.cards.card import cards_of as cards_of
    from untilt.cards.card import mask_of as mask_of
    from untilt.cards.card import parse_card as parse_card
    from untilt.cards.card import parse_cards as parse_cards
    from untilt.cards.equity.all_in import Equity as Equity
    from untilt.cards.equity.all_in import HandEquity as HandEquity
    from untilt.cards.equity.all_in import equity as equity
    from untilt.cards.equity.all_in import equity_histograms as equity_histograms
    from untilt.cards.equity.all_in import hand_equities as hand_equities
    from untilt.cards.equity.preflop_table import preflop_matrix as preflop_matrix
    from untilt.cards.evaluator.evaluator import count_hands as count_hands
    from untilt.cards.evaluator.evaluator import evaluate as evaluate
    from untilt.cards.hand import RankedHand as RankedHand
    from untilt.cards.hand import category_of as category_of
    from untilt.cards.hand import describe_hand as describe_hand
    from untilt.cards.hand import rank as rank
    from untilt.cards.hand import rank_hand as rank_hand
    from untilt.cards.isomorphism import Isomorphism as Isomorphism
    from untilt.cards.ranges.range import Range as Range

_HOME = {
    "DECK": "untilt.cards.card",
    "DECK_MASK": "untilt.cards.card",
    "Equity": "untilt.cards.equity.all_in",
    "HandEquity": "untilt.cards.equity.all_in",
    "Isomorphism": "untilt.cards.isomorphism",
    "RANKS": "untilt.cards.card",
    "Range": "untilt.cards.ranges.range",
    "RankedHand": "untilt.cards.hand",
    "SUITS": "untilt.cards.card",
    "card_name": "untilt.cards.card",
    "cards_name": "untilt.cards.card",
    "cards_of": "untilt.cards.card",
    "category_of": "untilt.cards.hand",
    "count_hands": "untilt.cards.evaluator.evaluator",
    "describe_hand": "untilt.cards.hand",
    "equity": "untilt.cards.equity.all_in",
    "equity_histograms": "untilt.cards.equity.all_in",
    "evaluate": "untilt.cards.evaluator.evaluator",
    "hand_equities": "untilt.cards.equity.all_in",
    "mask_of": "untilt.cards.card",
    "parse_card": "untilt.cards.card",
    "parse_cards": "untilt.cards.card",
    "preflop_matrix": "untilt.cards.equity.preflop_table",
    "rank": "untilt.cards.hand",
    "rank_hand": "untilt.cards.hand",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
