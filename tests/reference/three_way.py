"""Three hands on every board: in which order they finish, one board after the other."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from untilt.cards import evaluate, parse_cards
from untilt.cards.card import DECK

Places = tuple[int, ...]


def orders_of(hands: Sequence[str]) -> Counter[Places]:
    """Return on how many of all boards the hands take these places; 0 is the best."""
    held = [parse_cards(hand) for hand in hands]
    left = [card for card in DECK if not any(card in hand for hand in held)]
    boards = np.array(list(combinations(left, 5)), dtype=np.uint8)
    ranks = [
        evaluate(np.concatenate([boards, np.tile(np.array(hand, np.uint8), (len(boards), 1))], 1))
        for hand in held
    ]
    rows, counts = np.unique(np.stack(ranks, axis=1), axis=0, return_counts=True)
    found: Counter[Places] = Counter()
    for row, count in zip(rows.tolist(), counts.tolist(), strict=True):
        different = sorted(set(row))
        found[tuple(different.index(rank) for rank in row)] += count
    return found
