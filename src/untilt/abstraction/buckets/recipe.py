"""The recipe of a street's buckets; it loads no compiled code."""

import hashlib
import json
from dataclasses import asdict, dataclass

from untilt.errors import InvalidOption

PREFLOP, FLOP, TURN, RIVER = 0, 3, 4, 5
"""Streets, by the number of cards on the board."""

STREETS = {PREFLOP: "preflop", FLOP: "flop", TURN: "turn", RIVER: "river"}

METHOD = 1
"""Changed whenever the same recipe gives other buckets, so that stored tables are rebuilt."""

MOST_OF_STREET = {PREFLOP: 169, FLOP: 1 << 16, TURN: 1 << 16, RIVER: 1981}
"""The most buckets: hand classes, what 16-bit tables can hold, and different equities."""

MOST_BINS = 250
MOST_ITERATIONS = 10_000
DEFAULT_BINS = 64
DEFAULT_ITERATIONS = 25


@dataclass(frozen=True)
class BucketRecipe:
    """The settings that determine the buckets of a street."""

    street: int
    """0, 3 or 4, the number of cards on the board."""
    buckets: int
    bins: int = DEFAULT_BINS
    """Bins of an equity histogram."""
    iterations: int = DEFAULT_ITERATIONS
    """The maximum number of clustering steps."""
    seed: int = 0

    @property
    def name(self) -> str:
        """The street's name."""
        return STREETS[self.street]

    @property
    def fingerprint(self) -> str:
        """A hash of all of this and of the method."""
        text = json.dumps({"method": METHOD, **asdict(self)}, sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def check_recipe(recipe: BucketRecipe, names: tuple[str, str] = ("bins", "iterations")) -> None:
    """Raise InvalidOption if a number is out of range; `names` are the caller's names for two."""
    _check(recipe.name, recipe.buckets, 1, MOST_OF_STREET[recipe.street])
    _check(names[0], recipe.bins, 2, MOST_BINS)
    _check(names[1], recipe.iterations, 1, MOST_ITERATIONS)
    _check("seed", recipe.seed, 0, 2**63 - 1)


def _check(name: str, value: object, least: int, most: int) -> None:
    if type(value) is not int or not least <= value <= most:
        raise InvalidOption.of(name, value, f"use an integer from {least} to {most:,}")
