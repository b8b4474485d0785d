"""Trainings of blueprints without tables of cards."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.cards.combos import NUM_CLASSES
from untilt.game.deals.deal_tree import LANES, TrainerDeals
from untilt.runs.blueprints import blueprint_material
from untilt.runs.blueprints.trainer import menu_for, rules_for, train_blueprint
from untilt.solvers.blueprint.bucket_pairs import count_pairs

CARDS = {"flop": 200, "turn": 100, "river": 50}
"""Buckets of the fixture `stored`."""


class RandomDealer:
    """Buckets that are drawn, not looked up: enough to learn something."""

    def __init__(self, cards: CardAbstraction, seed: int) -> None:
        self.num_buckets = tuple(cards.sizes.values())
        self._seed = seed

    def fill(self, deals: TrainerDeals, begin: int, end: int, first: int) -> None:
        for place in range(begin, end):
            rng = np.random.default_rng((self._seed, first + place - begin))
            strength = rng.uniform(size=LANES + 1)
            for street, count in enumerate(self.num_buckets):
                deals.buckets[place, street] = (strength * count).astype(np.uint16)
            deals.strength[place] = (strength * 1_000).astype(np.int32)


def draw_buckets(patch: pytest.MonkeyPatch) -> None:
    """Let trainings draw buckets, without tables."""
    patch.setattr(CardAbstraction, "build", lambda cards: cards)
    patch.setattr(blueprint_material, "CardDealer", RandomDealer)
    patch.setattr(blueprint_material, "count_pairs", partial(count_pairs, num_deals=1_000))


def train_small(folder: Path) -> None:
    """Train a blueprint of 5 bb on drawn buckets, in a fraction of a second."""
    with pytest.MonkeyPatch.context() as patch:
        draw_buckets(patch)
        cards = CardAbstraction(NUM_CLASSES, *CARDS.values(), threads=1)
        train_blueprint(
            rules_for("5bb"), menu_for("1, a", 3), cards, iterations=320, batch=32, output=folder
        )
