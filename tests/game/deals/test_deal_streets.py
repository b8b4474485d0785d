"""The part of a betting tree below a decision, as streets of a public tree."""

import numpy as np
import pytest

from untilt.abstraction.betting_form import BettingForm, BettingPlace
from untilt.abstraction.menus import pot_fractions
from untilt.game.deals.deal_streets import streets_below
from untilt.game.public.public_tree import CHANCE, DECISION, FOLD, NO_PARENT, RUNOUT, SHOWDOWN
from untilt.games.holdem.betting import NOBODY
from untilt.games.holdem.rules import HoldemRules

FORM = BettingForm(HoldemRules(stacks=(20, 20), max_raises=2), pot_fractions(1, all_in=True))


@pytest.mark.parametrize("line", ["cc/cc/cc/", "cc/cc/", "cc/cc/b4c/c", "r6c/"])
@pytest.mark.parametrize("is_swapped", [False, True])
def test_every_leaf_pays_what_the_chips_say(line: str, is_swapped: bool) -> None:
    start = FORM.find(line)
    below = streets_below(FORM.tree, start.node, is_swapped=is_swapped, unit=2.5)
    places: list[BettingPlace] = [start]
    num_leaves = 0
    for street, nodes in zip(below.streets, below.nodes, strict=True):
        known = dict(zip(np.flatnonzero(street.parent == NO_PARENT).tolist(), places, strict=True))
        places = []
        for node in range(street.num_nodes):
            place = known[node]
            assert place.node == nodes[node]
            if street.kind[node] == DECISION:
                assert street.player[node] == place.betting.player ^ is_swapped
                for action in range(street.num_actions[node]):
                    known[int(street.first_child[node]) + action] = FORM.after(place, action)
            elif street.kind[node] == CHANCE:
                places.append(place)
            else:
                num_leaves += 1
                betting = place.betting
                paid = min(20 - betting.stacks[0], 20 - betting.stacks[1])
                (a, b), (other_a, other_b) = street.stakes[node]
                if betting.folded != NOBODY:
                    assert street.kind[node] == FOLD
                    lost = 20 - betting.stacks[betting.folded]
                    loser = betting.folded ^ is_swapped
                    assert ((a, other_a)[loser], (a, other_a)[1 - loser]) == (
                        -2.5 * lost,
                        2.5 * lost,
                    )
                    assert (b, other_b) == (0, 0)
                else:
                    kind = SHOWDOWN if betting.street == 3 else RUNOUT
                    assert street.kind[node] == kind
                    assert (a, other_a, b, other_b) == (0, 0, 2.5 * paid, 2.5 * paid)
    assert num_leaves > 5
    assert not places
