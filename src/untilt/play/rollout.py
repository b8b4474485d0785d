"""What a hand wins against every hand of the opponent if there are no more bets.

Combos are the 1,326 of `untilt.cards.combos`; in a smaller deck most of them have no weight.
"""

from itertools import combinations

import numpy as np

from untilt.cards.combos import COMBO_CARDS, COMBO_MASKS, NUM_COMBOS, combo_index
from untilt.games.holdem.rules import HoldemRules
from untilt.numeric.arrays import Bools, Floats
from untilt.play.streams import Words

_LARGEST_RANKED = 5
"""Boards with more cards are ranked hand by hand."""


def live_combos(rules: HoldemRules, cards: tuple[int, ...]) -> Bools:
    """Return [1326] which combos of the deck have none of `cards`."""
    deck = np.zeros(64, dtype=bool)
    deck[list(rules.deck)] = True
    deck[list(cards)] = False
    return deck[COMBO_CARDS[:, 0]] & deck[COMBO_CARDS[:, 1]]


def is_exact(rules: HoldemRules) -> bool:
    """Whether `shares` are expectations: not if the board may run on beyond five cards."""
    return not rules.red_runs_on and sum(rules.board_cards) <= _LARGEST_RANKED


def shares(rules: HoldemRules, hand: tuple[int, int], board: tuple[int, ...]) -> Floats:
    """Return [1326] the share of the pot that `hand` gets from each combo, on average over boards.

    Combos that share a card with hand or board have 0. All boards are counted; where the board may
    run on, the fifth card counts as the last.
    """
    complete = max(min(sum(rules.board_cards), _LARGEST_RANKED), len(board))
    if not board and len(rules.deck) == 52 and complete == _LARGEST_RANKED:
        return _preflop_shares(hand)
    masks = _boards(rules, hand, board, complete - len(board))
    own = np.uint64(1 << hand[0] | 1 << hand[1])
    live = live_combos(rules, (*hand, *board))
    if complete > _LARGEST_RANKED:
        return _long_shares(hand, board, live)
    from untilt.cards.evaluator import evaluate

    total, count = np.zeros(NUM_COMBOS), np.zeros(NUM_COMBOS)
    combos = np.flatnonzero(live)
    held = COMBO_MASKS[combos]
    for chunk in np.array_split(masks, max(1, len(masks) * len(combos) // 500_000)):
        own_ranks = evaluate(chunk | own)
        is_open = (chunk[:, np.newaxis] & held) == 0
        # A blocked hand would contain a card twice; another hand stands in for it and does not
        # count.
        sets = np.where(is_open, chunk[:, np.newaxis] | held, chunk[:, np.newaxis] | own)
        ranks = evaluate(sets.ravel()).reshape(len(chunk), len(combos))
        own_rank = own_ranks[:, np.newaxis]  # rank 1 is the best
        won = (own_rank < ranks) + 0.5 * (own_rank == ranks)
        total[combos] += np.where(is_open, won, 0.0).sum(axis=0)
        count[combos] += is_open.sum(axis=0)
    found: Floats = np.divide(total, count, out=np.zeros(NUM_COMBOS), where=count > 0)
    return found


def _boards(
    rules: HoldemRules, hand: tuple[int, int], board: tuple[int, ...], missing: int
) -> Words:
    """Return all boards that `hand` allows, as sets of cards."""
    known = {*hand, *board}
    left = [card for card in rules.deck if card not in known]
    base = sum(1 << card for card in board)
    sets = [base | sum(1 << card for card in more) for more in combinations(left, missing)]
    return np.array(sets, dtype=np.uint64)


def _preflop_shares(hand: tuple[int, int]) -> Floats:
    from untilt.cards.combos import CLASS_OF_COMBO
    from untilt.cards.preflop_table import preflop_table, renaming_to_representative
    from untilt.cards.suits import renamed_combos

    table = preflop_table()
    combo = combo_index(*hand)
    row = int(CLASS_OF_COMBO[combo])
    # The class's representative meets the renamed combos.
    other = renamed_combos()[renaming_to_representative()[combo]].astype(np.int64)
    boards = table.boards[row][other]
    won = table.wins[row][other] + table.ties[row][other] / 2.0
    found: Floats = np.divide(won, boards, out=np.zeros(NUM_COMBOS), where=boards > 0)
    return found


def _long_shares(hand: tuple[int, int], board: tuple[int, ...], live: Bools) -> Floats:
    from untilt.cards.hand import rank_dealt_hand

    own = rank_dealt_hand((*hand, *board))
    found = np.zeros(NUM_COMBOS)
    for combo in np.flatnonzero(live).tolist():
        rank = rank_dealt_hand((*COMBO_CARDS[combo].tolist(), *board))
        found[combo] = 1.0 if own < rank else 0.5 if own == rank else 0.0
    return found
