"""A blueprint with random mixes, on made-up buckets: it plays as badly as possible, but legally."""

from pathlib import Path

import numpy as np

from untilt.abstraction.betting_form import BettingForm
from untilt.abstraction.blueprint import Blueprint, blueprint_meta
from untilt.abstraction.blueprint_translation import BlueprintTranslation
from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.abstraction.menus import Menu, capped_bets, pot_fractions
from untilt.formats.kinds.blueprint_file import write_blueprint
from untilt.games.holdem.rules import HoldemRules
from untilt.policy.blueprint import BlueprintPolicy
from untilt.policy.resolving import ResolvingPolicy
from untilt.policy.thinking.solved_street import Effort

MENU = capped_bets(pot_fractions(0.5, 1.0, all_in=True), 3)


def thinking(translation: BlueprintTranslation, effort: Effort | None) -> BlueprintPolicy:
    """Return a blueprint that makes this effort, or that does not think."""
    if effort is None:
        return BlueprintPolicy(translation)
    return ResolvingPolicy.of(translation, effort)


def random_blueprint(
    path: Path,
    stack: int = 40,
    menu: Menu = MENU,
    *,
    seed: int = 4,
    concentration: float = 0.5,
    always: int | None = None,
    ranks: int = 13,
    suits: int = 4,
) -> Blueprint:
    """Write a blueprint and return it; its tables are those of the fixture `stored`.

    It may instead `always` take the action of this number, -1 for the last. With
    fewer `ranks` and `suits` the deck is smaller, but not that of the buckets.
    """
    rules = HoldemRules(stacks=(stack, stack), ranks=ranks, suits=suits)
    cards = CardAbstraction(flop=200, turn=100, river=50, threads=1)
    form = BettingForm(rules, menu)
    rng = np.random.default_rng(seed)
    averages = []
    for street, count in enumerate(cards.sizes.values()):
        if street >= form.tree.num_streets:
            break
        average = np.zeros((count, int(form.tree.widths[street])), np.float32)
        for row, actions in zip(*map(np.ndarray.tolist, form.tree.rows_of(street)), strict=True):
            average[:, row : row + actions] = rng.dirichlet(
                np.full(actions, concentration), size=count
            )
            if always is not None:
                average[:, row : row + actions] = np.arange(actions) == always % actions
        averages.append(average)
    sizes = tuple(cards.sizes.values())[: form.tree.num_streets]
    write_blueprint(path, blueprint_meta(rules, menu, cards), form.tree, sizes, averages)
    return Blueprint(path)
