"""The seed of commands that deal hands to a person: a new one each time unless one is given."""

import random
from typing import Annotated

from untilt.cli.options.option_flags import setting_of
from untilt.options.playing import NEW_SEED

SeedOption = Annotated[
    int | None,
    setting_of(NEW_SEED),
]

_NUM_NEW_SEEDS = 10**6
"""Few enough that a seed is short enough to retype."""


def seed_or_new(given: int | None) -> int:
    """Return the seed that was given, checked, or a new one."""
    from untilt.policy.hands.streams import verify_numbers

    if given is None:
        return random.SystemRandom().randrange(_NUM_NEW_SEEDS)
    verify_numbers(given)
    return given
