"""The rest of a hand as a spot: from any betting state, with the ranges that led there."""

from collections.abc import Sequence

import numpy as np

from untilt.cards.card import mask_of
from untilt.cards.combos import COMBO_MASKS, NUM_COMBOS
from untilt.cards.ranges.range import Range
from untilt.games.holdem.bets.bet_amounts import Thresholds
from untilt.games.holdem.bets.betting_tree import BettingTree, grow_betting_tree
from untilt.games.holdem.bets.sizes import STREETS, Sizes
from untilt.games.holdem.betting import NOBODY, Betting
from untilt.games.holdem.spots.spot import Spot
from untilt.numeric.arrays import Bools, Floats

PLAIN = Thresholds(add_all_in=0.0, force_all_in=0.0, merge=0.0)
"""Sizes as they are, as in menus of blueprints."""

FLOOR = 1e-4
"""The share of a range that is spread over all hands: no hand is ruled out for good."""


class Subgame(Spot):
    """A spot that may begin in the middle of a street; player 0 is first on later streets."""

    start: Betting
    """Chips and turn, players numbered as in spots."""
    added: int | None
    """A bet that the first player to act can make whatever the sizes."""

    def __init__(
        self,
        board: Sequence[int],
        ranges: tuple[Floats, Floats],
        start: Betting,
        sizes: Sizes,
        added: int | None = None,
    ) -> None:
        """`ranges` are weights [1326] of players 0 and 1, of any scale."""
        first, second = (Range(each / each.max()) for each in ranges)
        stack = max(*start.stacks, 1)
        super().__init__(board, (first, second), max(start.pot, 1), stack, sizes, thresholds=PLAIN)
        own = vars(self)
        own["start"], own["added"] = start, added

    def betting_tree(self) -> BettingTree:
        """Return the betting from the start."""
        street = STREETS.index(self.street)
        return grow_betting_tree(self.start, street, self.sizes, self.thresholds, self.added)


def swapped(betting: Betting) -> Betting:
    """Return the betting with the players' numbers exchanged."""
    return betting._replace(
        bets=betting.bets[::-1],
        stacks=betting.stacks[::-1],
        player=_other(betting.player),
        folded=_other(betting.folded),
    )


def _other(player: int) -> int:
    return NOBODY if player == NOBODY else 1 - player


def live_on(board: Sequence[int]) -> Bools:
    """Return [1326] which combos hold no card of the board."""
    live: Bools = COMBO_MASKS & np.uint64(mask_of(tuple(board))) == 0
    return live


def with_floor(weights: Floats, board: Sequence[int]) -> Floats:
    """Return weights [1326] that sum to 1 and are positive for every possible hand.

    An empty range becomes every hand that the board leaves.
    """
    live = live_on(board)
    even = live / max(int(np.count_nonzero(live)), 1)
    left = np.where(live, weights, 0.0)
    total = float(left.sum())
    if not total > 0.0 or len(weights) != NUM_COMBOS:
        return even
    floored: Floats = (1.0 - FLOOR) / total * left + FLOOR * even
    return floored
