"""`equities`: hands that play alike, as a state abstraction.

    cards = equities((8,) + (40,) * 7, dimension=50, maxiter=30)
    states = street * linear_pot(20) * cards

The value at an infoset is the bucket of `infoset.hand` on `infoset.board`, 0 for the weakest (169
buckets before the flop are the hand classes, in the order of the grid). It does not say which
street it is: multiply by `street`.

With fewer than five cards on the board, hands are compared by the distribution of their equity on
the complete board of five cards, over all ways to complete it (see `streets`). With five or more
cards, buckets are equal parts of the equity on the board as it is. An equity is the share of the
pot against a random hand, all opponent hands equally likely, if there were no more betting.

In River of Blood more cards may follow the fifth. The distributions before it leave these out, and
so does the equity on a board whose last card is red: it is what the hand would win if it ended
there. Whether the hand continues is public, and left to another abstraction: `last_card_run`. Names
of suits never matter; colours matter only through such an abstraction.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from untilt.abstraction.algebra import About, Factor, StateAbstraction
from untilt.abstraction.buckets.recipe import RIVER, STREETS, BucketRecipe, check_recipe
from untilt.errors import GameError, InvalidOption, shortened

if TYPE_CHECKING:
    from untilt.abstraction.buckets.card_abstraction import CardAbstraction

_MOST_REMEMBERED = 1 << 16


def equities(counts: Sequence[int], dimension: int = 50, maxiter: int = 30) -> StateAbstraction:
    """Return the bucket of the player's hand, by equity; see the module.

    `counts` are numbers of buckets for no board, 3, 4, 5, … board cards; the last serves all longer
    boards. `dimension` is the number of bins of an equity histogram, `maxiter` the maximum number
    of clustering steps. Tables are built when a hand first needs them, and kept on disk.
    """
    given = tuple(counts) if isinstance(counts, Iterable) else ()
    if not given or not all(type(count) is int for count in given):
        raise InvalidOption(
            f"equities({shortened(counts)}): give numbers of buckets for no board, 3, 4, 5, … "
            "cards, such as (8, 40, 40, 40)"
        )
    read = EquityBuckets(given, dimension, maxiter)
    return StateAbstraction.of(
        [Factor(read.name, read, About.PRIVATE, lambda bucket: f"eq{bucket}", is_ready_made=True)]
    )


class EquityBuckets:
    """The buckets of infosets; those of the most recent hands and boards are cached."""

    def __init__(self, counts: tuple[int, ...], dimension: int, maxiter: int) -> None:
        self.name = f"equities({counts}, dimension={dimension}, maxiter={maxiter})"
        # The last count also serves the boards that are not listed.
        listed = counts + counts[-1:] * (len(STREETS) - len(counts))
        for street, count in zip(STREETS, listed, strict=False):
            recipe = BucketRecipe(street, count, dimension, maxiter)
            check_recipe(recipe, names=("dimension", "maxiter"))
        for count in listed[len(STREETS) :]:
            check_recipe(BucketRecipe(RIVER, count, dimension, maxiter))
        self._counts = listed
        self._dimension = dimension
        self._maxiter = maxiter
        self._remembered: dict[tuple[tuple[int, int], tuple[int, ...]], int] = {}

    def __call__(self, infoset: Any) -> int:
        """Return the bucket of the infoset's hand on its board."""
        known = self._remembered
        key = infoset.hand, infoset.board
        bucket = known.get(key)
        if bucket is None:
            if len(known) >= _MOST_REMEMBERED:
                known.clear()
            bucket = known[key] = self._bucket(*key)
        return bucket

    def _bucket(self, hand: tuple[int, int], board: tuple[int, ...]) -> int:
        if len(board) in STREETS:
            return self._cards.bucket_of(hand[0], hand[1], board)
        if len(board) < RIVER:
            raise GameError(
                f"{self.name} does not know boards of {len(board)} cards; a board has 0, 3, 4, 5 "
                "or more"
            )
        from untilt.abstraction.buckets.long_boards import equity_on

        count = self._counts[min(len(board) - 2, len(self._counts) - 1)]
        return min(int(equity_on(hand, board) * count), count - 1)

    @cached_property
    def _cards(self) -> "CardAbstraction":
        from untilt.abstraction.buckets.card_abstraction import CardAbstraction

        return CardAbstraction(
            *self._counts[: len(STREETS)], bins=self._dimension, iterations=self._maxiter
        )
