"""The rest of a hand as a spot."""

import numpy as np
import pytest

from untilt.cards.card import parse_cards
from untilt.cards.combos import NUM_COMBOS, combo_index
from untilt.game.actions import Kind
from untilt.game.public.public_tree import NO_PARENT
from untilt.games.holdem.bets.betting_tree import BettingStreet, grow_betting_tree
from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.betting import Betting
from untilt.games.holdem.spots.public_form import compile_spot
from untilt.games.holdem.spots.spot import Spot
from untilt.games.holdem.spots.subgame import FLOOR, PLAIN, Subgame, live_on, swapped, with_floor
from untilt.numeric.arrays import Floats

BOARD = parse_cards("Td9d6hQc2s")
SIZES = Sizes("50%, a", raises="100%, a", max_raises=2)
EVERY = np.ones(NUM_COMBOS)


def test_a_subgame_at_the_start_of_a_street_is_the_spot() -> None:
    spot = Spot(BOARD, ("AA, KQs", "KK, JTs"), 100, 400, SIZES, thresholds=PLAIN)
    ranges = spot.ranges[0].weights, spot.ranges[1].weights
    subgame = Subgame(BOARD, ranges, Betting.new(100, (400, 400)), SIZES)
    one, other = compile_spot(spot).tree, compile_spot(subgame).tree
    assert np.array_equal(one.streets[0].stakes, other.streets[0].stakes)
    assert np.array_equal(one.weights[0], other.weights[0])
    assert one.baseline == other.baseline


def test_a_subgame_after_a_bet_is_the_part_of_the_tree_behind_it() -> None:
    start = Betting.new(100, (400, 400))
    whole = grow_betting_tree(start, 3, SIZES).streets[0]
    bet = start.bet_to(50)
    node = whole.states.index(bet)
    part = grow_betting_tree(bet, 3, SIZES).streets[0]

    def lines(forest: BettingStreet, top: int) -> set[tuple[str, ...]]:
        found = set()
        for each in range(forest.num_nodes):
            path, at = [], each
            while at != top and forest.parent[at] != NO_PARENT:
                parent = int(forest.parent[at])
                number = at - int(forest.first_child[parent])
                path.append(forest.actions[parent][number].name)
                at = parent
            if at == top:
                found.add(tuple(reversed(path)))
        return found

    assert lines(part, 0) == lines(whole, node)
    assert len(lines(part, 0)) > 5


@pytest.mark.parametrize("amount", [50, 17, 399, 400])
def test_a_real_bet_is_added_at_the_start_only(amount: int) -> None:
    start = Betting.new(100, (400, 400))
    tree = grow_betting_tree(start, 3, SIZES, added=amount).streets[0]
    bets = [action.amount for action in tree.actions[0] if action.kind is not Kind.CHECK]
    assert bets == sorted({50.0, 400.0, float(amount)})
    without = grow_betting_tree(start, 3, SIZES).streets[0]
    assert tree.actions[1] == without.actions[1]


def test_a_bet_beyond_the_last_raise_can_be_added() -> None:
    none = Sizes("50%", raises="100%", max_raises=0)
    facing = Betting.new(100, (400, 400)).bet_to(50)
    tree = grow_betting_tree(facing, 3, none, added=170).streets[0]
    assert [action.name for action in tree.actions[0]] == ["fold", "call", "raise 170"]


def test_swapping_twice_changes_nothing() -> None:
    betting = Betting.new(100, (400, 300)).bet_to(50)
    other = swapped(betting)
    assert (other.bets, other.stacks, other.player) == ((0, 50), (300, 350), 0)
    assert swapped(other) == betting
    assert swapped(betting.fold()).folded == 0


def test_a_range_keeps_a_little_of_every_hand_that_can_be_dealt() -> None:
    weights = np.zeros(NUM_COMBOS)
    aces = combo_index(*parse_cards("AsAh"))
    weights[aces] = 3.0
    found = with_floor(weights, BOARD)
    live = live_on(BOARD)
    assert live.sum() == 47 * 46 // 2
    assert found.sum() == pytest.approx(1.0)
    assert found[aces] == pytest.approx(1.0 - FLOOR + FLOOR / live.sum())
    assert found[live].min() == pytest.approx(FLOOR / live.sum())
    assert not found[~live].any()


@pytest.mark.parametrize("weights", [np.zeros(NUM_COMBOS), 1.0 * ~live_on(BOARD)])
def test_an_empty_range_becomes_every_hand(weights: Floats) -> None:
    found = with_floor(weights, BOARD)
    assert np.allclose(found, live_on(BOARD) / live_on(BOARD).sum())


def test_a_subgame_begins_with_both_ranges_of_any_scale() -> None:
    subgame = Subgame(BOARD, (7.0 * EVERY, 1e-9 * EVERY), Betting.new(10, (40, 40)), SIZES)
    assert subgame.ranges[0].weights.max() == subgame.ranges[1].weights.max() == 1.0
