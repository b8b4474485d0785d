"""The betting of hold'em under a menu, against the game itself."""

import random

import numpy as np
import pytest

from untilt.abstraction import betting_form
from untilt.abstraction.betting_form import BettingForm
from untilt.abstraction.menus import capped_bets, pot_fractions
from untilt.errors import GameTooLarge, InvalidOption
from untilt.game.deal_tree import DECISION, FOLD
from untilt.games.holdem.game import Holdem
from untilt.games.holdem.rules import HoldemRules

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
    monkeypatch.setattr(betting_form, "_MAX_STATES", 100)
    with pytest.raises(GameTooLarge, match="more than 100 different states"):
        assert BettingForm(form.rules, form.menu).tree


def test_lines_that_lead_nowhere() -> None:
    form = BettingForm(HoldemRules(stacks=(40, 40)), MENU)
    assert form.find("") == form.root
    assert form.find("call, check") == form.find("cc/")
    with pytest.raises(InvalidOption, match="is not on the menu; possible: fold, call"):
        form.find("r5")
    with pytest.raises(InvalidOption, match="begins street 2 too early"):
        form.find("c/c")
    with pytest.raises(InvalidOption, match="nothing: the hand is over"):
        form.find("fc")
    with pytest.raises(InvalidOption, match="River of Blood"):
        BettingForm(HoldemRules(red_runs_on=True), MENU)
