"""Three-handed push/fold, triple by triple of classes: slow, obvious, and exact."""

from itertools import combinations_with_replacement, permutations
from typing import Any

import numpy as np

from untilt.cards.equity.three_way_file import three_way_counts
from untilt.cards.equity.three_way_table import ORDERS, place_of
from untilt.games.pushfold.tables.table import weak_orders

_DEALS = 1326 * 1225 * 1128 * 1_370_754


def _probabilities() -> np.ndarray[Any, Any]:
    """Return [13, 169, 169, 169] the probability of three classes and an order."""
    counts = three_way_counts()
    table = np.zeros((13, 169, 169, 169))
    number = {places: order for order, places in enumerate(ORDERS)}
    triples = np.array(list(combinations_with_replacement(range(169), 3)))
    rows = np.array([place_of(*triple) for triple in triples.tolist()])
    for way in permutations(range(3)):
        # Seat s has hand way[s] of the sorted triple.
        hands = [triples[:, way[seat]] for seat in range(3)]
        for order, places in enumerate(ORDERS):
            seen = number[tuple(places[way[seat]] for seat in range(3))]
            table[seen, hands[0], hands[1], hands[2]] = counts[rows, order] / _DEALS
    return table


_table: list[np.ndarray[Any, Any]] = []


def exact_values(table: Any, ranges: Any) -> tuple[Any, Any]:
    """Return what three seats gain, and what a best response of each would gain on top."""
    if not _table:
        _table.append(_probabilities())
    nodes = {tuple(state): node for node, state in enumerate(table.states)}
    axes = "abc"
    utilities: dict[tuple[int, int], Any] = {}
    for mask in range(8):
        seats = tuple(seat for seat in range(3) if mask >> seat & 1)
        payoffs = table.utilities(seats if mask != 4 else ())
        for order, places in enumerate(ORDERS):
            own = [places[seat] for seat in seats]
            rank = tuple(sorted({*own}).index(place) for place in own)
            row = weak_orders(len(seats)).index(rank) if seats else 0
            utilities[mask, order] = payoffs[row]

    def chance(mask: int, seat: int) -> Any:
        before = mask & ((1 << seat) - 1)
        if seat == 2 and not before:
            return np.full(169, float(not mask >> 2 & 1))
        share = ranges[nodes[seat, before]]
        return share if mask >> seat & 1 else 1.0 - share

    values = np.zeros(3)
    acting = {key: np.zeros((169, 2)) for key in nodes}
    for mask in range(8):
        if mask == 4:
            continue
        chances = [chance(mask, seat) for seat in range(3)]
        by_seat = np.tensordot(
            np.array([utilities[mask, order] for order in range(13)]).T, _table[0], axes=1
        )
        values += np.einsum("sabc,a,b,c->s", by_seat, *chances, optimize=True)
        for seat in range(3):
            before = mask & ((1 << seat) - 1)
            if (seat, before) not in acting:
                continue
            others = [chances[other] for other in range(3) if other != seat]
            names = [axes[other] for other in range(3) if other != seat]
            sums = np.einsum(
                f"abc,{names[0]},{names[1]}->{axes[seat]}", by_seat[seat], *others, optimize=True
            )
            acting[seat, before][:, mask >> seat & 1] += sums
    gains = np.zeros(3)
    for (seat, before), both in acting.items():
        share = ranges[nodes[seat, before]]
        played = share * both[:, 1] + (1.0 - share) * both[:, 0]
        gains[seat] += float((both.max(axis=1) - played).sum())
    return values, gains
