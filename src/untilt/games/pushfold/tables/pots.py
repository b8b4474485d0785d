"""The pots of an all-in hand: side pots, dead money, uncalled bets.

A player who is all-in stakes the whole stack; one who folds leaves what was posted. Chips are
sorted into *layers*: the first goes up to the smallest stake, the next to the second smallest, and
so on. A layer is won by the best hands among those who staked that much and did not fold. So an
uncalled bet returns by itself, and folded blinds and antes are won with the layer that they reach.

An ante for the whole table, which the big blind posts, is not matched by anyone: the best hand of
all wins it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from untilt.numeric.arrays import Floats


class Layer(NamedTuple):
    """A pot, and who can win it."""

    amount: float
    eligible: tuple[int, ...]
    """The seats that did not fold and staked enough."""


class Posts(NamedTuple):
    """The chips that each seat has posted before the first decision, in big blinds."""

    ante: Floats
    """The seat's own ante."""
    blind: Floats
    dead: Floats
    """The ante for the table."""

    @property
    def total(self) -> Floats:
        """All of it."""
        return self.ante + self.blind + self.dead


def post(stacks: Floats, small_blind: float, ante: float, bb_ante: float) -> Posts:
    """Return what seats post, the last two of which are the blinds; no more than they have.

    Each seat posts its ante, the big blind then the ante for the table, and the blinds come last.
    """
    blinds = np.zeros(len(stacks))
    blinds[-2:] = small_blind, 1.0
    antes = np.minimum(stacks, ante)
    dead = np.zeros(len(stacks))
    dead[-1] = min(stacks[-1] - antes[-1], bb_ante)
    return Posts(antes, np.minimum(stacks - antes - dead, blinds), dead)


def layers(stacks: Floats, posted: Posts, all_in: Sequence[int]) -> list[Layer]:
    """Return the pots if the seats `all_in` stake all that they have, and the others fold."""
    stakes = posted.ante + posted.blind
    for seat in all_in:
        # The ante for the table is not a bet, and was paid from the same stack.
        stakes[seat] = stacks[seat] - posted.dead[seat]
    dead = float(posted.dead.sum())
    # Who has only posted this ante is in for nothing else.
    found = [Layer(dead, tuple(all_in))] if dead else []
    before = 0.0
    for level in sorted({stake for stake in stakes.tolist() if stake > 0.0}):
        amount = float((np.minimum(stakes, level) - np.minimum(stakes, before)).sum())
        eligible = tuple(seat for seat in all_in if stakes[seat] >= level)
        before = level
        if not eligible:
            # Only folded chips go so high: the last layer that can be won takes them.
            last = found.pop()
            amount, eligible = amount + last.amount, last.eligible
        if found and found[-1].eligible == eligible:
            amount += found.pop().amount
        found.append(Layer(amount, eligible))
    return found


def won(
    num_seats: int, pots: Sequence[Layer], all_in: Sequence[int], places: Sequence[int]
) -> Floats:
    """Return [n] the chips that each seat wins if hands finish in `places`, 0 for the best."""
    place_of = dict(zip(all_in, places, strict=True))
    chips = np.zeros(num_seats)
    for pot in pots:
        best = min(place_of[seat] for seat in pot.eligible)
        winners = [seat for seat in pot.eligible if place_of[seat] == best]
        chips[winners] += pot.amount / len(winners)
    return chips
