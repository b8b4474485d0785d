"""The betting of hold'em under a menu, against the game itself."""

import random

import numpy as np
import pytest

from untilt.abstraction import betting_form
from untilt.abstraction.betting_form import BettingForm
from untilt.abstraction.menus import (
    Menu,
    all_in_threshold,
    by_street,
    capped_bets,
    menu,
    pot_fractions,
    raise_multiples,
    sizes,
)
from untilt.errors import GameTooLarge, InvalidOption
from untilt.game.deals.deal_tree import DECISION, FOLD
from untilt.games.holdem.betting import Betting
from untilt.games.holdem.cost import betting_count
from untilt.games.holdem.cost.betting_count import States
from untilt.games.holdem.game import Holdem
from untilt.games.holdem.rules import HoldemRules
from untilt.numeric.arrays import Floats

MENU = capped_bets(pot_fractions(0.5, 1.0, all_in=True), 4)


@pytest.mark.parametrize(
    "rules",
    [
        HoldemRules(stacks=(40, 40)),
        HoldemRules(stacks=(30, 50), ante=1),
        HoldemRules(stacks=(60, 60), blinds=(2, 3), board_cards=(0, 3)),
    ],
)
def test_random_hands_end_as_in_the_game(rules: HoldemRules) -> None:
    form = BettingForm(rules, MENU)
    rng = random.Random(1)
    nodes = form.tree.nodes
    num_showdowns = 0
    for _ in range(300):
        position, place = Holdem(rules), form.root
        while not position.terminal:
            if position.chance:
                position = position.apply(position.sample(rng))
                continue
            node = nodes[place.node]
            assert node["kind"] == DECISION
            assert node["player"] == position.active
            assert node["street"] == position.betting.street
            assert place.betting == position.betting
            assert form.find(position.line) == place
            actions = form.actions(place)
            assert len(actions) == node["num_actions"]
            chosen = rng.randrange(len(actions))
            position = position.apply(actions[chosen])
            place = form.after(place, chosen)
        stake = float(nodes[place.node]["stake"])
        if nodes[place.node]["kind"] == FOLD:
            assert position.payoff(0) == stake
        else:
            num_showdowns += 1
            first, second = position.showdown_ranks()
            assert position.payoff(0) == stake * np.sign(second - first)
    assert num_showdowns > 20


def test_counts_of_a_small_tree() -> None:
    """Push or fold: the small blind folds or is all-in, the big blind folds or calls; or a limp."""
    form = BettingForm(HoldemRules(stacks=(20, 20)), pot_fractions(all_in=True))
    # fold | call: check → flop …, all-in: fold, call | all-in: fold, call
    assert [action.name for action in form.actions(form.root)] == ["fold", "call", "all-in 20"]
    assert form.tree.num_decisions(0) == 4
    # After limp and check, each street can be checked through: 4 decisions on each of them.
    assert [form.tree.num_decisions(street) for street in (1, 2, 3)] == [4, 4, 4]
    assert form.tree.num_infosets((169, 1, 1, 1)) == 4 * 169 + 12


def test_a_tree_is_counted_without_growing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    form = BettingForm(HoldemRules(stacks=(40, 40)), MENU)
    size = form.size
    assert size.num_nodes == len(form.tree.nodes) == 10_298
    assert list(size.num_actions) == form.tree.widths.tolist()
    monkeypatch.setattr(betting_form, "MAX_NODES", 10_000)
    with pytest.raises(GameTooLarge, match=r"has 10,298 nodes, and 10,000 are possible: drop"):
        assert BettingForm(form.rules, form.menu).tree
    monkeypatch.setattr(betting_count, "MAX_WORK", 5_000)
    with pytest.raises(GameTooLarge, match=r"has more than [\d,]+ nodes, and that is too many"):
        assert BettingForm(form.rules, form.menu).tree


@menu
def half_pot_early(betting: Betting) -> str:
    return "50%, a" if betting.street < 2 else "100%"


@pytest.mark.parametrize(
    "offered",
    [
        pot_fractions(0.5, 1, all_in=True),
        pot_fractions(0.5) | raise_multiples(2.5, 4),
        sizes("33%, 75%", "2.5x; a") | pot_fractions(0.33),
        sizes("e, 3c", "2e; 2c2r"),
        all_in_threshold(pot_fractions(0.5, 1), 0.4),
        by_street(raise_multiples(2.5), pot_fractions(0.5, 1)),
        half_pot_early,
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "rules",
    [
        HoldemRules(stacks=(20, 20)),
        HoldemRules(stacks=(3, 3)),
        HoldemRules(stacks=(15, 31)),
    ],
    ids=str,
)
def test_every_menu_is_counted_as_it_grows(rules: HoldemRules, offered: Menu) -> None:
    form = BettingForm(rules, capped_bets(offered, 3))
    widths = form.tree.widths.tolist()
    assert form.size.num_nodes == len(form.tree.nodes)
    assert list(form.size.num_actions) == widths + [0] * (4 - len(widths))


def test_a_limit_game_is_counted_as_it_grows() -> None:
    form = BettingForm(HoldemRules(stacks=(40, 40), limit=(2, 4), max_raises=3), pot_fractions(1))
    assert form.size.num_nodes == len(form.tree.nodes)


def test_99_sizes_are_refused_before_a_tree_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    many = sizes(", ".join(f"{percent}%" for percent in range(1, 100)))
    monkeypatch.setattr(betting_form, "grow", lambda *_: pytest.fail("the tree is grown"))
    looked_at = []

    class Counted(type(many)):  # type: ignore[misc]
        def amounts(self, states: States) -> Floats:
            found: Floats = super().amounts(states)
            looked_at.append(found.size)
            return found

    counted = Counted(**vars(many))
    with pytest.raises(GameTooLarge, match=r"more than [\w., ]+ nodes, and 5,000,000 are possible"):
        assert BettingForm(HoldemRules(stacks=(400, 400)), counted).tree
    assert sum(looked_at) < 1.9 * betting_count.MAX_WORK


def test_lines_that_lead_nowhere() -> None:
    form = BettingForm(HoldemRules(stacks=(40, 40)), MENU)
    assert form.find("") == form.root
    assert form.find("call, check") == form.find("cc/")
    assert form.find("raise 2bb, call") == form.find("raise 4, call") != form.root
    with pytest.raises(InvalidOption, match="is not on the menu; possible: fold, call"):
        form.find("r5")
    with pytest.raises(InvalidOption, match="begins street 2 too early"):
        form.find("c/c")
    with pytest.raises(InvalidOption, match="nothing: the hand is over"):
        form.find("fc")
    with pytest.raises(InvalidOption, match="River of Blood"):
        BettingForm(HoldemRules(red_runs_on=True), MENU)
