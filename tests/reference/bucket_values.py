"""What actions of a blueprint are worth with each bucket on given boards: matrices, no kernels."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from pokerkit import Card, StandardHighHand

from untilt.abstraction.blueprint import Blueprint
from untilt.cards.card import card_name, mask_of
from untilt.cards.combos import COMBO_CARDS, COMBO_MASKS

Values = dict[tuple[int, int, int], float]


def values_on(blueprint: Blueprint, boards: Sequence[tuple[int, ...]]) -> Values:
    """Return the value of each (node, action, bucket) that somebody reaches, in chips."""
    worth: dict[tuple[int, int, int], float] = {}
    weight: dict[tuple[int, int, int], float] = {}
    for board in boards:
        live = np.flatnonzero(COMBO_MASKS & np.uint64(mask_of(board)) == 0)
        cards = COMBO_CARDS[live]
        masks = COMBO_MASKS[live]
        meets = (masks[:, None] & masks[None, :]) == 0
        table = tuple(Card.parse("".join(map(card_name, board))))
        hands = [
            StandardHighHand.from_game("".join(card_name(card) for card in row), table)
            for row in cards.tolist()
        ]
        order = {hand: number for number, hand in enumerate(sorted(set(hands)))}
        strength = np.array([order[hand] for hand in hands])
        signs = np.sign(strength[:, None] - strength[None, :]) * meets
        shown = [board[:count] for count in (0, 3, 4, 5)]
        buckets = [blueprint.cards.buckets_on(part)[live] for part in shown]
        for seat in (0, 1):
            _walk(blueprint, blueprint.form.root, seat, np.ones(len(live)), meets, signs, buckets,
                  worth, weight)  # fmt: skip
    return {key: total / weight[key] for key, total in worth.items() if weight[key] > 0.0}


def _walk(
    blueprint: Blueprint,
    place: Any,
    seat: int,
    reach: Any,
    meets: Any,
    signs: Any,
    buckets: Any,
    worth: Any,
    weight: Any,
) -> Any:
    rules, betting = blueprint.rules, place.betting
    if betting.player < 0:
        paid = [rules.stacks[p] - betting.stacks[p] for p in (0, 1)]
        if betting.folded >= 0:
            gain = -paid[seat] if betting.folded == seat else paid[1 - seat]
            return gain * (meets @ reach)
        return paid[seat] * (signs @ reach)
    own = betting.player == seat
    held = buckets[betting.street]
    mixes = blueprint.rows_at(place.node)[held]
    total = np.zeros(len(held))
    for action in range(mixes.shape[1]):
        after = blueprint.form.after(place, action)
        share = mixes[:, action]
        known = (meets, signs, buckets, worth, weight)
        found = _walk(blueprint, after, seat, reach if own else reach * share, *known)
        total = total + (share * found if own else found)
        if own:
            mass = meets @ reach
            for hand, bucket in enumerate(held.tolist()):
                key = place.node, action, bucket
                worth[key] = worth.get(key, 0.0) + found[hand]
                weight[key] = weight.get(key, 0.0) + mass[hand]
    return total
