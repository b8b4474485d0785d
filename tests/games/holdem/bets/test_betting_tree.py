"""The betting tree of a spot: rules by hand, and counts of the leading solver."""

import numpy as np
import pytest

from untilt.errors import GameTooLarge, InvalidOption
from untilt.game.line import parse_line
from untilt.game.public.public_tree import CHANCE, DECISION, NO_PARENT, RUNOUT
from untilt.games.holdem.bets import betting_tree
from untilt.games.holdem.bets.bet_amounts import Thresholds
from untilt.games.holdem.bets.betting_tree import BettingTree, build_betting_tree
from untilt.games.holdem.bets.sizes import Sizes

NO_THRESHOLDS = Thresholds(0.0, 0.0, 0.0)


def names(tree: BettingTree, line: str) -> list[str]:
    street, node = tree.find(parse_line(line))
    return [action.name for action in tree.streets[street].actions[node]]


def river(bets: str, raises: str = "", stack: int = 900, **options: object) -> BettingTree:
    thresholds = options.get("thresholds", NO_THRESHOLDS)
    assert isinstance(thresholds, Thresholds)
    return build_betting_tree("river", 200, stack, Sizes(bets, raises), thresholds)


@pytest.mark.parametrize(
    ("street", "sizes", "num_nodes"),
    [
        ("river", Sizes("60%, a", "2.5x"), [27]),
        ("river", Sizes("33%, 75%, 150%, a", "50%, 100%, a"), [105]),
        ("turn", Sizes("60%, e, a", "2.5x", river_donk="50%"), [51, 144]),
        ("flop", Sizes("60%", "2.5x"), [21, 69, 153]),
    ],
)
def test_betting_nodes_are_as_many_as_in_the_leading_solver(
    street: str, sizes: Sizes, num_nodes: list[int]
) -> None:
    tree = build_betting_tree(street, 200, 900, sizes)
    assert [forest.num_nodes for forest in tree.streets] == num_nodes


def test_pot_shares_count_the_pot_after_calling() -> None:
    tree = river("60%", "50%")
    assert names(tree, "") == ["check", "bet 120"]
    # 120 + half of 200 + 120 + 120
    assert names(tree, "bet 120") == ["fold", "call", "raise 340"]
    assert names(tree, "check") == ["check", "bet 120"]


def test_multiples_count_the_previous_bet_and_chips_are_added() -> None:
    assert names(river("60%", "2.5x"), "bet 120")[2:] == ["raise 300"]
    assert names(river("70c", "100c"), "") == ["check", "bet 70"]
    assert names(river("70c", "100c"), "bet 70")[2:] == ["raise 170"]


def test_halves_are_rounded_upward() -> None:
    tree = build_betting_tree("river", 5, 100, Sizes("50%", "1.5x"), NO_THRESHOLDS)
    assert names(tree, "") == ["check", "bet 3"]
    # 1.5 × 3 is 4.5, and at least 6 by the rule of the smallest raise
    assert names(tree, "bet 3")[2:] == ["raise 6"]


def test_small_sizes_are_the_smallest_legal_bet() -> None:
    assert names(river("0.1%", "1.1x"), "") == ["check", "bet 1"]
    assert names(river("60%", "1.1x"), "bet 120")[2:] == ["raise 240"]


def test_a_chip_size_with_a_limit_stops_raises() -> None:
    tree = river("20c", "20c2r")
    assert names(tree, "bet 20, raise 40, raise 60") == ["fold", "call"]
    assert names(tree, "bet 20, raise 40") == ["fold", "call", "raise 60"]


def test_geometric_sizes_end_all_in() -> None:
    # Three streets: the pot grows from 100 to 2700 by a factor of 3 on each.
    tree = build_betting_tree("flop", 100, 1300, Sizes("e", ""), NO_THRESHOLDS)
    assert names(tree, "") == ["check", "bet 100"]
    assert names(tree, "bet 100, call") == ["check", "bet 300"]
    assert names(tree, "bet 100, call / bet 300, call") == ["check", "all-in 900"]
    assert names(river("e"), "") == ["check", "all-in 900"]
    assert names(river("2e"), "") == ["check", "bet 216"]
    assert names(river("2e50%"), "") == ["check", "bet 100"]
    # A raise with 2e has one street less to go for every raise before. The pot is 400 and grows by
    # a factor of √5: 400 (√5 − 1) / 2 = 247.
    assert names(river("50%", "2e"), "bet 100")[2:] == ["raise 347"]
    assert names(river("50%", "2e"), "bet 100, raise 347")[2:] == ["all-in 900"]


def test_all_in_is_added_up_to_a_multiple_of_the_pot() -> None:
    near = Thresholds(1.5, 0.0, 0.0)
    assert names(river("50%", stack=300, thresholds=near), "") == ["check", "bet 100", "all-in 300"]
    assert names(river("50%", stack=301, thresholds=near), "") == ["check", "bet 100"]
    # Facing 100, the pot after calling is 400: all-in up to 100 + 600.
    assert names(river("50%", stack=700, thresholds=near), "bet 100")[2:] == ["all-in 700"]
    assert names(river("50%", stack=701, thresholds=near), "bet 100")[2:] == []


def test_a_bet_that_leaves_little_behind_becomes_all_in() -> None:
    forced = Thresholds(0.0, 0.15, 0.0)
    # After a bet of 100 is called the pot is 400: 60 or less behind is too little.
    assert names(river("50%", stack=160, thresholds=forced), "") == ["check", "all-in 160"]
    assert names(river("50%", stack=161, thresholds=forced), "") == ["check", "bet 100"]


def test_close_sizes_are_merged_into_the_larger() -> None:
    merging = Thresholds(0.0, 0.0, 0.1)
    # (1.00 − 0.1) / 1.1 = 0.818…: 82 % goes, 81 % stays.
    assert names(river("82%, 100%", thresholds=merging), "") == ["check", "bet 200"]
    assert names(river("81%, 100%", thresholds=merging), "") == ["check", "bet 162", "bet 200"]
    # 72 % is compared with 100 %, which is kept, not with 82 %, which is not.
    tree = river("72%, 82%, 100%", thresholds=merging)
    assert names(tree, "") == ["check", "bet 144", "bet 200"]
    assert names(river("50%, 100c, 0.5"), "") == ["check", "bet 100"]


def test_donk_bets_follow_a_call_of_player_0_only() -> None:
    sizes = Sizes("50%", "", turn_donk="25%", river_donk="")
    tree = build_betting_tree("flop", 100, 10_000, sizes, NO_THRESHOLDS)
    assert names(tree, "check, bet 50, call") == ["check", "bet 50"]
    assert names(tree, "bet 50, call") == ["check", "bet 100"]
    assert names(tree, "check, check") == ["check", "bet 50"]
    assert names(tree, "check, bet 50, call / check, bet 100, call") == ["check"]
    assert names(tree, "check, bet 50, call / check, check") == ["check", "bet 100"]


def test_raises_differ_by_number_and_are_capped() -> None:
    tree = river("10c", "2x; 3x", stack=10_000)
    assert names(tree, "bet 10")[2:] == ["raise 20"]
    assert names(tree, "bet 10, raise 20, raise 60")[2:] == ["raise 180"]
    sizes = Sizes("10c", "2x", max_raises=1)
    capped = build_betting_tree("river", 200, 10_000, sizes, Thresholds(1000.0))
    assert names(capped, "bet 10, raise 20") == ["fold", "call"]


def test_sizes_differ_by_street_and_player() -> None:
    sizes = Sizes("50%", oop_bets="25%", turn_bets="100%", ip_turn_bets="a")
    tree = build_betting_tree("flop", 200, 100_000, sizes, NO_THRESHOLDS)
    assert names(tree, "") == ["check", "bet 50"]
    assert names(tree, "check") == ["check", "bet 100"]
    assert names(tree, "cc/") == ["check", "bet 200"]
    assert names(tree, "cc/c") == ["check", "all-in 100000"]


def test_nodes_are_breadth_first_with_children_side_by_side() -> None:
    tree = build_betting_tree("flop", 200, 900, Sizes("60%, a", "2.5x", donk="30%"))
    roots = 1
    for forest in tree.streets:
        assert np.array_equal(np.flatnonzero(forest.parent == NO_PARENT), np.arange(roots))
        assert (np.diff(forest.parent) >= 0).all()
        for node in range(forest.num_nodes):
            count = int(forest.num_actions[node])
            first = int(forest.first_child[node])
            assert (forest.kind[node] == DECISION) == (count > 0)
            assert (forest.parent[first : first + count] == node).all()
            if count == 0:
                assert (first, forest.player[node]) == (forest.num_nodes, -1)
            else:
                assert count >= 1
                assert forest.player[node] == forest.states[node].player
        roots = len(forest.nodes_of(CHANCE))
    assert (tree.streets[0].kind == RUNOUT).any()


def test_every_node_is_found_by_its_line() -> None:
    tree = build_betting_tree("flop", 200, 900, Sizes("60%, a", "2.5x", donk="30%"))
    for street, forest in enumerate(tree.streets):
        for node in range(forest.num_nodes):
            if forest.kind[node] == CHANCE:
                continue
            line = tree.line(street, node)
            assert tree.find(line) == (street, node)
            assert tree.find(parse_line(line.letters)) == (street, node)
            assert tree.find(parse_line(line.words)) == (street, node)


def test_a_line_that_is_not_in_the_tree_is_refused_with_what_is() -> None:
    tree = river("60%, a", "2.5x")
    with pytest.raises(InvalidOption, match=r"'bet 130' .* possible: check, bet 120, all-in 900"):
        tree.find(parse_line("check, bet 130"))
    with pytest.raises(InvalidOption, match="possible: nothing: the hand is over"):
        tree.find(parse_line("check, check, check"))
    with pytest.raises(InvalidOption, match="begins street 2 too early"):
        tree.find(parse_line("check / check"))
    # Without an amount, a move counts if there is only one of its kind.
    assert tree.find(parse_line("ca")) == tree.find(parse_line("check, all-in 900"))


def test_sizes_without_a_bet_are_refused() -> None:
    with pytest.raises(InvalidOption, match="the sizes offer no bet on any street"):
        river("", "a")


def test_betting_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(betting_tree, "MAX_NODES", 1_000)
    with pytest.raises(
        GameTooLarge, match=r"more than [\d,]+ nodes; at most 1,000 nodes are possible: give"
    ):
        build_betting_tree("flop", 200, 10**9, Sizes("1c", "1c"), NO_THRESHOLDS)


@pytest.mark.parametrize("value", [-0.1, float("nan"), float("inf"), 1e308, "1"])
def test_thresholds_are_numbers_from_0_on(value: float) -> None:
    with pytest.raises(InvalidOption, match=r"merge is .*it must be a number from 0 to"):
        Thresholds(merge=value)
