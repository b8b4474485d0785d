"""From how hands stand to a seat's own hand and its partner to the order in which they finish.

The model (`programs`) knows two hands together, the *own* one and that of a *partner*, and each
other hand only in relation to these two. A *pair* of classes is kept with the lower class first; so
there are two *orientations*: 0 if the own hand is the first of the pair, 1 if the second. What is
known of the hands of a pot is then

- with no other hand: the *relation* of the pair, 3 of them: the first is better, equal, worse;
- with one: an order of three hands, 13 of `ORDERS`: the pair and the other;
- with two: an order for each, with the same relation of the pair, 59 *combinations*;
- with three, for a seat that has folded: the relation of the pair, and whether each of them is
  better than the partner, equal or worse: 81 combinations.

Hands of which the order is not known finish in each order with the same chance.
"""

from collections.abc import Sequence
from functools import cache
from itertools import permutations, product

import numpy as np

from untilt.cards.equity.three_way_table import ORDERS
from untilt.games.pushfold.tables.table import weak_orders
from untilt.numeric.arrays import Floats, Offsets


def _sign(first: int, second: int) -> int:
    """Return 0, 1 or 2 if the first place is better, equal or worse."""
    return 1 + (first > second) - (first < second)


RELATION_OF_ORDER: Offsets = np.array([_sign(first, second) for first, second, _ in ORDERS])
"""[13] the relation of the pair in an order of three hands."""

COMBINATIONS: Offsets = np.array(
    [
        (one, other)
        for one, other in product(range(len(ORDERS)), repeat=2)
        if RELATION_OF_ORDER[one] == RELATION_OF_ORDER[other]
    ]
)
"""[59, 2] two orders with the same relation of the pair."""

TO_PARTNER: Offsets = np.array(
    [[_sign(third, places[1 - own]) for *places, third in ORDERS] for own in range(2)]
)
"""[2, 13] by orientation, whether the third hand is better than the partner's, equal or worse."""

NUM_RELATIONS = 3
NUM_KNOWN = (NUM_RELATIONS, len(ORDERS), len(COMBINATIONS), NUM_RELATIONS**4)
"""What can be known of a pot, by the number of other hands."""


@cache
def finishes(num_others: int, is_own_in: bool) -> Floats:
    """Return [2, known, weak orders] the chance of each order, by orientation and what is known.

    The order is that of the own hand, if it takes part, of the partner's and of the others.
    """
    hands = weak_orders(int(is_own_in) + 1 + num_others)
    number = {places: place for place, places in enumerate(hands)}
    chances = np.zeros((2, NUM_KNOWN[num_others], len(hands)))
    for own in range(2):
        for known in range(NUM_KNOWN[num_others]):
            levels = _levels(num_others, own, known)
            orders = list(_orders(levels[0 if is_own_in else 1 :]))
            for order in orders:
                chances[own, known, number[order]] += 1.0 / len(orders)
    return chances


def _levels(num_others: int, own: int, known: int) -> list[float]:
    """Return a strength for the own hand, the partner's and the others; 0 is the best."""
    if num_others == 0:
        pair = {0: (1.0, 3.0), 1: (1.0, 1.0), 2: (3.0, 1.0)}[known]
        return [pair[own], pair[1 - own]]
    if num_others == 3:
        # The own hand is out: only what is known of the partner's matters.
        digits = [known // NUM_RELATIONS**power % NUM_RELATIONS for power in (2, 1, 0)]
        return [9.0, 1.0, *map(float, digits)]
    orders = [ORDERS[known]] if num_others == 1 else [ORDERS[each] for each in COMBINATIONS[known]]
    first, second, _ = orders[0]
    pair = {0: (1.0, 3.0), 1: (1.0, 1.0), 2: (3.0, 1.0)}[_sign(first, second)]
    others = []
    for places in orders:
        # Equal to a hand of the pair, or half a step better or worse than it.
        third = places[2]
        at = [level for level, place in zip(pair, places[:2], strict=True) if place == third]
        better = sum(int(place < third) for place in places[:2])
        between = {0: 0.0, 1: 2.0, 2: 4.0}[better]
        others.append(at[0] if at else between)
    return [pair[own], pair[1 - own], *others]


def _orders(levels: Sequence[float]) -> set[tuple[int, ...]]:
    """Return the weak orders that are possible: even levels do not say who of them is better."""
    unknown = [place for place, level in enumerate(levels) if level % 2 == 0]
    found = set()
    for shuffled in permutations(range(len(unknown))):
        exact = list(levels)
        for place, step in zip(unknown, shuffled, strict=True):
            exact[place] += 0.1 * step
        ranks = sorted(set(exact))
        found.add(tuple(ranks.index(level) for level in exact))
    return found


def reordered(num_hands: int, places: Sequence[int]) -> Offsets:
    """Return the number of each weak order after hands were put in another sequence.

    Hand k of the new sequence is hand `places[k]` of the former.
    """
    hands = weak_orders(num_hands)
    number = {order: place for place, order in enumerate(hands)}
    former = []
    for order in hands:
        before = [0] * num_hands
        for own, place in zip(places, order, strict=True):
            before[own] = place
        former.append(number[tuple(before)])
    return np.array(former)
