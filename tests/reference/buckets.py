"""Card buckets, slowly: equities by comparing hands, medians by sorting, nearest by trying all.

Cards are names such as `As`. Histograms are lists of numbers that need not sum to 1.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import numpy.typing as npt
from tests.reference.hands import DECK, best_value

Numbers = npt.NDArray[np.float64]


def river_equity(hand: Sequence[str], board: Sequence[str]) -> Fraction:
    """Return the share of the pot against a random hand on a complete board of any length."""
    left = [card for card in DECK if card not in hand and card not in board]
    own = best_value([*hand, *board])
    shares = [Fraction(0), Fraction(1, 2), Fraction(1)]
    won = []
    for opponent in combinations(left, 2):
        other = best_value([*opponent, *board])
        won.append(shares[1 + (own > other) - (own < other)])
    return sum(won, Fraction(0)) / len(won)


def earth_mover(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the least work to turn one histogram on [0, 1] into the other: mass × way.

    Mass is taken from the leftmost bin that has some to the leftmost bin that lacks some, which is
    best on a line.
    """
    count = len(first)
    supply = [Fraction(value).limit_denominator(10**9) for value in first]
    demand = [Fraction(value).limit_denominator(10**9) for value in second]
    supply = [value / sum(supply) for value in supply]
    demand = [value / sum(demand) for value in demand]
    work, source, target = Fraction(0), 0, 0
    while source < count and target < count:
        moved = min(supply[source], demand[target])
        work += moved * abs(source - target) / count
        supply[source] -= moved
        demand[target] -= moved
        if supply[source] == 0:
            source += 1
        if target < count and demand[target] == 0:
            target += 1
    return float(work)


def nearest(
    cdfs: npt.NDArray[np.uint8], centroids: npt.NDArray[np.uint8]
) -> tuple[list[int], list[int]]:
    """Return the first nearest centroid of every row, and the sum of absolute differences."""
    owners, distances = [], []
    for row in cdfs.astype(int):
        all_distances = [int(np.abs(row - other).sum()) for other in centroids.astype(int)]
        distances.append(min(all_distances))
        owners.append(all_distances.index(distances[-1]))
    return owners, distances


def lower_median(rows: npt.NDArray[np.uint8]) -> list[int]:
    """Return the lower median of every column."""
    return [sorted(column)[(len(column) - 1) // 2] for column in rows.T.tolist()]


def texture(board: Sequence[str]) -> tuple[int, int, int]:
    """Return the most cards of a suit, cards beyond different ranks, and the straightest ranks."""
    suits = [card[1] for card in board]
    ranks = {"23456789TJQKA".index(card[0]) for card in board}
    with_low_ace = ranks | ({-1} if 12 in ranks else set())
    straight = max(len(with_low_ace & set(range(low, low + 5))) for low in range(-1, 9))
    return max(suits.count(suit) for suit in suits), len(board) - len(ranks), straight
