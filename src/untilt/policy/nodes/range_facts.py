"""Range against range at a node: who is ahead, with which hands, and what single cards change.

Everything is about ranges as they get to the node. A hand counts by how often it is dealt: its
weight, times the weight of all hands of the opponent that can be dealt with it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from untilt.cards.card import DECK, card_name, mask_of, parse_cards
from untilt.cards.combos import COMBO_CARDS, COMBO_OF_CARDS, COMBOS_WITH_CARD, NUM_COMBOS, Combos
from untilt.cards.made_hands import DRAWS, MADE, hand_classes
from untilt.number import finite
from untilt.numeric.arrays import Bools, Floats

Json = dict[str, Any]

NUM_STEPS = 100
"""Of the distribution of equity: its curve has one point more."""

BUCKETS: Mapping[str, float] = {"best": 0.75, "good": 0.5, "weak": 1.0 / 3.0, "trash": 0.0}
"""Parts of a range by equity, each with the least equity of its hands."""

_LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class SideRange:
    """One player's range at a node; arrays are by hand."""

    combos: Combos
    weights: Floats
    """The part of each hand that gets here by the player's own moves."""
    mass: Floats
    """How often each hand is dealt; any scale."""
    equity: Floats
    ev: Floats | None
    """None if unknown."""
    mix: Floats
    """[actions, hands]; no rows if the player does not act."""


def range_facts(sides: Sequence[SideRange], board: str) -> Json:
    """Return the `RangeFacts` of both ranges on a board of three to five cards."""
    acting = next((seat for seat, side in enumerate(sides) if len(side.mix)), None)
    return {
        "sides": [_side(side, board) for side in sides],
        "blockers": None
        if acting is None
        else blockers(sides[acting], sides[1 - acting], mask_of(parse_cards(board))),
    }


def _side(side: SideRange, board: str) -> Json:
    total = float(side.mass.sum())
    return {
        "equity": _mean(side.equity, side.mass),
        "curve": [round(equity, 5) for equity in equity_curve(side.equity, side.mass)],
        "buckets": [_share(side.mass[part], total) for part in _parts(side.equity, side.mass)],
        "classes": list(_classes(side, board, total)),
    }


def equity_curve(equity: Floats, mass: Floats) -> list[float]:
    """Return the equity at each percent of a range, the weakest hands first; [] of an empty range.

    At a share q it is that of the first hand at which the hands so far are at least q of the range.
    """
    order = np.flatnonzero(mass > 0.0)
    order = order[np.argsort(equity[order], kind="stable")]
    if not len(order):
        return []
    reached = np.cumsum(mass[order])
    # A sum of shares may end just below 1.
    wanted = np.linspace(0.0, 1.0, NUM_STEPS + 1) * reached[-1] * (1.0 - _LEAST)
    found: list[float] = equity[order][np.searchsorted(reached, wanted)].tolist()
    return found


def _parts(equity: Floats, mass: Floats) -> Iterator[Bools]:
    """Yield the hands of each of `BUCKETS`."""
    above = np.inf
    for least in BUCKETS.values():
        yield (mass > 0.0) & (equity >= least) & (equity < above)
        above = least


def _classes(side: SideRange, board: str, total: float) -> Iterator[Json]:
    """Yield the classes of hands that are in a range, made hands first, each with what it does."""
    made, draws = (array[..., side.combos] for array in hand_classes(parse_cards(board)))
    named = [("made", name, made == place) for place, name in enumerate(MADE)]
    named += [("draw", name, draws[place]) for place, name in enumerate(DRAWS)]
    for kind, name, is_member in named:
        part = is_member & (side.mass > 0.0)
        if not part.any():
            continue
        mass = side.mass[part]
        yield {
            "kind": kind,
            "name": name,
            "hands": np.flatnonzero(part).tolist(),
            "share": _share(mass, total),
            "combos": float(side.weights[part].sum()),
            "equity": _mean(side.equity[part], mass),
            "ev": None if side.ev is None else _mean(side.ev[part], mass),
            "mix": [_mean(row[part], mass) for row in side.mix],
        }


def blockers(acting: SideRange, other: SideRange, board: int) -> list[Json]:
    """Return what it changes that the player who waits holds a card, for each card not on `board`.

    `mix` is what the range of the player to act does against all hands with the card, `ev` what
    those hands win; both None if no such hand gets here. `board` is a set of cards.
    """
    weights: Floats = np.zeros(NUM_COMBOS)
    weights[other.combos] = other.weights
    rows = []
    for place, card in enumerate(DECK):
        if board >> card & 1:
            continue
        held = COMBOS_WITH_CARD[place]
        total = float(weights[held].sum())
        # Of the hands with the card, those that do not share a card with each acting hand.
        met = total - _shared(weights, card, acting.combos)
        mass = np.where(_holds(acting.combos, held), 0.0, acting.weights * np.maximum(met, 0.0))
        is_known = total > _LEAST and float(mass.sum()) > _LEAST
        part = _holds(other.combos, held)
        rows.append(
            {
                "card": card_name(card),
                "mix": [_mean(row, mass) for row in acting.mix] if is_known else None,
                "ev": _mean(other.ev[part], other.mass[part])
                if is_known and other.ev is not None
                else None,
            }
        )
    return rows


def _shared(weights: Floats, card: int, combos: Combos) -> Floats:
    """Return [hands] the weight of the hands that hold `card` and a card of each of `combos`."""
    shared: Floats = np.zeros(len(combos))
    for cards in COMBO_CARDS[combos].T:
        pairs = COMBO_OF_CARDS[card, cards]
        shared += np.where(pairs >= 0, weights[pairs], 0.0)
    return shared


def _holds(combos: Combos, held: Combos) -> Bools:
    found: Bools = np.isin(combos, held)
    return found


def _mean(values: Floats, mass: Floats) -> float | None:
    total = float(mass.sum())
    if not total > 0.0:
        return None
    return finite(float(mass @ np.where(mass > 0.0, values, 0.0)) / total)


def _share(mass: Floats, total: float) -> float:
    return float(mass.sum()) / total if total > 0.0 else 0.0
