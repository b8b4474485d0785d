"""Local best response in a kernel, against the same exploiter played by the rules of the game."""

import math
from pathlib import Path

import numpy as np
import pytest
from tests.abstraction.buckets.tables import stored
from tests.play.blueprints import random_blueprint
from tests.reference.local_best_response import gain

from untilt.abstraction.blueprint import Blueprint
from untilt.abstraction.blueprint_translation import BlueprintTranslation
from untilt.abstraction.menus import pot_fractions, sizes
from untilt.abstraction.tree_response import TreeResponse
from untilt.cards.card import DECK, parse_cards
from untilt.cards.combos import combo_index
from untilt.game.deal_tree import DECISION
from untilt.numeric.streams import draw, split
from untilt.play.entrants import TranslatedEntrant
from untilt.play.local_best_response import (
    Variant,
    always_fold_mbb,
    blueprint_variants,
    local_best_response,
)
from untilt.play.rollout import shares

__all__ = ["stored"]  # a fixture


@pytest.fixture(scope="module")
def blueprint(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> Blueprint:
    return random_blueprint(tmp_path_factory.mktemp("response") / "blueprint.bin", 20)


@pytest.fixture(scope="module")
def agent(blueprint: Blueprint) -> TranslatedEntrant:
    return TranslatedEntrant("bp", BlueprintTranslation(blueprint))


def test_stakes_are_those_of_the_betting(blueprint: Blueprint) -> None:
    stakes = TreeResponse.of(blueprint)._strategy.stakes
    form = blueprint.form
    waiting = [form.root]
    count = 0
    for place in waiting:
        if form.tree.nodes[place.node]["kind"] != DECISION:
            continue
        betting = place.betting
        paid = [stack - left for stack, left in zip((20, 20), betting.stacks, strict=True)]
        assert stakes.level[place.node] == max(paid)
        assert stakes.paid[place.node] == paid[betting.player]
        count += 1
        waiting.extend(form.after(place, n) for n in range(len(form.actions(place))))
    assert count > 500


def test_allowed_bets_are_those_of_the_variant(blueprint: Blueprint) -> None:
    response = TreeResponse.of(blueprint)
    form = blueprint.form
    assert not response.allowed(None).any()
    all_in = response.allowed(0, all_in_only=True)
    late = response.allowed(3)
    for line in ("", "c", "r4", "cc/", "cc/b2", "cc/cc/cc/", "cc/cc/cc/c"):
        place = form.find(line)
        for number, action in enumerate(form.actions(place)):
            child = form.after(place, number).node
            is_bet = action.amount is not None
            assert response.allowed(0)[child] == is_bet
            assert all_in[child] == (action.name.startswith("all-in"))
            assert late[child] == (is_bet and place.betting.street == 3)


@pytest.mark.long
def test_it_wins_what_the_same_exploiter_wins_by_the_rules(
    blueprint: Blueprint, agent: TranslatedEntrant
) -> None:
    """Other deals and other run-outs of the flop, but the same player."""
    root = agent.translation.root
    variants = blueprint_variants(blueprint.menu)[:3]
    fast = local_best_response(root, agent, 6_000, 1, variants=variants)  # type: ignore[arg-type]
    slow_variants = [
        Variant(each.name, None if each.menu is None else each.menu | each.menu)
        for each in variants
    ]
    slow_variants[2] = Variant("all sizes", sizes("50%, 100%, a"))  # played by the rules
    slow = local_best_response(root, agent, 120, 2, variants=slow_variants)  # type: ignore[arg-type]
    for one, other in zip(fast.results, slow.results, strict=True):
        assert one.interval is not None
        assert other.interval is not None
        spread = math.hypot(one.interval[1] - one.value, other.interval[1] - other.value)
        assert abs(one.value - other.value) < 2.0 * spread  # four standard errors
        assert one.value > 0.0


@pytest.mark.long
def test_shares_of_the_pot_are_exact_where_they_are_said_to_be(blueprint: Blueprint) -> None:
    from untilt.abstraction import tree_response

    response = TreeResponse.of(blueprint)
    work = tree_response._new_work()
    cards = response._cards
    dealt = np.array(parse_cards("2c7dKh9s4cAsAdJsTs"), dtype=np.uint8)
    hands = [tuple(dealt[5:7].tolist()), tuple(dealt[7:9].tolist())]
    combos = np.array([combo_index(*hand) for hand in hands])
    for street, count in enumerate((0, 3, 4, 5)):
        tree_response._look_up(cards, dealt, combos, street, np.uint64(9), work)
        for seat, hand in enumerate(hands):
            if count == 3:
                continue
            exact = shares(blueprint.rules, hand, tuple(dealt[:count].tolist()))
            found = work.shares[seat, street]
            np.testing.assert_allclose(found, exact, atol=1e-6)
    # On the flop they are means over run-outs in which each card comes equally often.
    exact = shares(blueprint.rules, hands[0], tuple(dealt[:3].tolist()))
    found = work.shares[0, 1]
    assert np.abs(found - exact).mean() < 0.06
    assert abs(found[found > 0].mean() - exact[exact > 0].mean()) < 0.03


@pytest.mark.long
def test_every_variant_plays_as_its_twin_does(blueprint: Blueprint) -> None:
    """Hand by hand: the same cards, the same random numbers."""
    from untilt.abstraction import tree_response

    response = TreeResponse.of(blueprint, 3)
    found = response.gains(0, 12, response.usual())
    variants: list[tuple[int | None, bool]] = [
        *((None, False), (0, True), (0, False), (2, False), (3, False))
    ]
    work = tree_response._new_work()
    num_different = 0
    for deal in range(12):
        stream = np.uint64(split(response._root, np.uint64(deal)))
        deck = list(DECK)
        for place in range(9):
            other = place + int(draw(stream, np.uint64(place)) * (52 - place))
            deck[place], deck[other] = deck[other], deck[place]
        dealt = np.array(deck[:9], dtype=np.uint8)
        hands = [(deck[5], deck[6]), (deck[7], deck[8])]
        combos = np.array([combo_index(*hand) for hand in hands])
        work.known[:] = 0
        tree_response._look_up(response._cards, dealt, combos, 1, stream, work)
        for seat in (0, 1):
            tree_response._look_ahead(response._cards, dealt, combos, seat, stream, work)
            flop = work.shares[seat, 1].astype(float), work.result.astype(float)

            def draws(n: int, stream: np.uint64 = stream, seat: int = seat) -> float:
                return draw(stream, np.uint64((1 << 20 | seat << 16) + n))

            for number, (first, all_in_only) in enumerate(variants):
                expected = gain(
                    blueprint,
                    deck[:5],
                    hands[seat],
                    int(combos[1 - seat]),
                    seat,
                    draws,
                    flop,
                    first,
                    all_in_only=all_in_only,
                )
                assert found[deal, number, seat] == pytest.approx(expected, abs=1e-3)
                num_different += bool(
                    number > 2 and found[deal, number, seat] != found[deal, 0, seat]
                )
    # The variants that bet late do bet.
    assert num_different > 5


@pytest.mark.long
def test_threads_and_batches_change_nothing(blueprint: Blueprint, agent: TranslatedEntrant) -> None:
    root = agent.translation.root
    variants = blueprint_variants(blueprint.menu)
    one, two = (
        local_best_response(root, agent, 600, 5, variants=variants, threads=threads)  # type: ignore[arg-type]
        for threads in (1, 2)
    )
    assert [each.value for each in one.results] == [each.value for each in two.results]
    found = one.summary()
    assert list(found) == [
        *("lbr_mbb", "interval_mbb", "variant", "deals", "variants", "always_fold_mbb")
    ]
    assert found["deals"] == 300
    assert found["always_fold_mbb"] == always_fold_mbb(root) == 750.0  # type: ignore[arg-type]
    assert found["lbr_mbb"] == max(each["mbb"] for each in found["variants"].values())
    assert list(found["variants"]) == [
        *("fold or call", "all-in", "all sizes", "from the turn", "from the river")
    ]


@pytest.mark.long
def test_all_in_on_a_menu_of_nothing_else(stored: Path, tmp_path: Path) -> None:
    menu = pot_fractions(all_in=True)
    agent = TranslatedEntrant(
        "bp", BlueprintTranslation(random_blueprint(tmp_path / "blueprint.bin", 20, menu))
    )
    found = local_best_response(agent.translation.root, agent, 200, 1)  # type: ignore[arg-type]
    values = {v.name: r.value for v, r in zip(found.variants, found.results, strict=True)}
    assert values["all-in"] == values["all sizes"]
