"""The laws of the algebra, and what a state abstraction must not do."""

import random
import warnings
from functools import reduce
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.abstraction.infosets import AnyInfoset, infosets

from untilt.abstraction import (
    StateAbstraction,
    abstract,
    algebraic,
    alike,
    betting_line,
    board_texture,
    capped_bets,
    hand_class,
    last_card_run,
    linear_cost,
    linear_pot,
    player,
    pot_fractions,
    street,
    trivial,
)
from untilt.abstraction.expressions import parse_menu, parse_states
from untilt.cards.card import parse_cards
from untilt.errors import GameError, InvalidOption, UnknownName
from untilt.game.histories.walking import random_hand
from untilt.game.protocol import Game
from untilt.games import kuhn, leduc
from untilt.games.holdem.betting import Betting, BettingRules


@algebraic
def last_card_is_black(infoset: AnyInfoset) -> bool:
    return bool(infoset.board) and infoset.board[-1] >> 4 in (0, 3)


@algebraic
def number_of_bets(infoset: AnyInfoset) -> int:
    return infoset.betting.num_bets


FACTORS = [
    trivial,
    street,
    player,
    linear_pot(20),
    linear_cost(5),
    hand_class,
    last_card_run,
    betting_line,
    board_texture,
    last_card_is_black,
    number_of_bets,
    trivial * capped_bets(pot_fractions(0.5, 1.0, all_in=True), 3),
]

products = st.lists(st.sampled_from(FACTORS), max_size=4).map(
    lambda listed: reduce(lambda one, two: one * two, listed, trivial)
)
several = st.lists(infosets(), min_size=2, max_size=6)


def partition(states: StateAbstraction, known: list[AnyInfoset]) -> list[list[int]]:
    """Return the classes of infosets that are not told apart, by their places."""
    classes: dict[object, list[int]] = {}
    for place, infoset in enumerate(known):
        classes.setdefault(states(infoset), []).append(place)
    return list(classes.values())


@given(products, products, products, several)
def test_products_are_associative(
    a: StateAbstraction, b: StateAbstraction, c: StateAbstraction, known: list[AnyInfoset]
) -> None:
    assert partition((a * b) * c, known) == partition(a * (b * c), known)
    assert (a * b) * c == a * (b * c)


@given(products, several)
def test_trivial_is_the_identity(a: StateAbstraction, known: list[AnyInfoset]) -> None:
    assert partition(a * trivial, known) == partition(trivial * a, known) == partition(a, known)
    assert a * trivial == trivial * a == a
    assert partition(trivial, known) == [list(range(len(known)))]


@given(products, products, several)
def test_products_commute_and_are_idempotent_as_partitions(
    a: StateAbstraction, b: StateAbstraction, known: list[AnyInfoset]
) -> None:
    assert partition(a * b, known) == partition(b * a, known)
    assert partition(a * a, known) == partition(a, known)
    assert a * b == b * a
    assert a * a == a
    assert (a * b).fingerprint == (b * a).fingerprint


@given(products, products, several)
def test_a_product_distinguishes_what_one_of_its_factors_does(
    a: StateAbstraction, b: StateAbstraction, known: list[AnyInfoset]
) -> None:
    for one, two in combinations(known, 2):
        are_apart = a(one) != a(two) or b(one) != b(two)
        assert ((a * b)(one) != (a * b)(two)) == are_apart


@given(products)
def test_a_ready_made_product_is_read_back_from_its_text(states: StateAbstraction) -> None:
    if states.is_ready_made:
        again = parse_states(repr(states))
        assert again == states
        assert again.fingerprint == states.fingerprint


def test_an_algebraic_function_still_answers_as_the_function() -> None:
    known = AnyInfoset(0, (60, 44), (16, 3), "", Betting.new(0, (9, 9)))
    assert last_card_is_black(known) is True
    assert repr(last_card_is_black * street) == "last_card_is_black * street"
    assert algebraic(last_card_is_black) is last_card_is_black


def test_user_functions_with_one_name_are_two_factors() -> None:
    def above(limit: int) -> StateAbstraction:
        return algebraic(name="above")(lambda infoset: infoset.betting.pot > limit)

    assert len((above(3) * above(5)).factors) == 2
    assert above(3).fingerprint != above(5).fingerprint


@pytest.mark.parametrize(
    ("text", "classes"),
    [("AsKs", "AKs"), ("KhAd", "AKo"), ("7c7d", "77"), ("2c7d", "72o")],
)
def test_hand_classes_are_named_as_in_charts(text: str, classes: str) -> None:
    first, second = parse_cards(text)
    known = AnyInfoset(0, (first, second), (), "", Betting.new(0, (9, 9)))
    assert hand_class(known) == classes


@pytest.mark.parametrize(
    ("board", "texture", "run"),
    [
        ("", (0, 0, 0), 0),
        ("AcKcQc", (11, 3, 3), 0),
        ("AhAd2d", (21, 2, 2), 3),
        ("2c2d2h2s7h", (41, 2, 1), 1),
        ("5c6d7h8s9d", (11, 2, 5), 1),
        ("Ac2d3h4s9c", (11, 2, 4), 0),
    ],
)
def test_board_textures_count_ranks_suits_and_straights(
    board: str, texture: tuple[int, int, int], run: int
) -> None:
    known = AnyInfoset(0, (0, 1), tuple(parse_cards(board)), "", Betting.new(0, (9, 9)))
    assert board_texture(known) == texture
    assert last_card_run(known) == run


def test_pots_and_costs_are_counted_in_equal_steps() -> None:
    betting = Betting.new(0, (100, 100), blinds=(1, 2), rules=BettingRules(2))
    known = AnyInfoset(0, (0, 1), (), "", betting)
    assert linear_pot(20)(known) == 1  # 3 of 200 chips
    assert linear_cost(10)(known) == 1  # 1 of 100
    shoved = known._replace(betting=betting.bet_to(100))
    assert linear_pot(20)(shoved) == 11  # 102 of 200
    assert linear_cost(10)(shoved) == 10  # 98 of 100
    assert linear_cost(10)(known._replace(betting=betting.check_or_call())) == 0


def test_values_that_cannot_be_keys_are_refused_with_names() -> None:
    @algebraic
    def as_list(infoset: object) -> Any:
        return [1]

    @algebraic
    def not_a_number(infoset: object) -> float:
        return float("nan")

    dealt = kuhn().apply("J").apply("Q")
    with pytest.raises(GameError, match=r"'as_list' returns \[1\] at infoset 'P0:J:'; .*hashable"):
        abstract(dealt, as_list).infoset(0)
    with pytest.raises(GameError, match=r"'not_a_number' returns nan at infoset 'P0:J:'"):
        abstract(dealt, not_a_number).infoset(0)
    with pytest.raises(GameError, match=r"'linear_pot\(5\)' cannot be used at infoset 'P0:J:'"):
        abstract(dealt, linear_pot(5)).infoset(0)


def test_a_value_that_changes_is_found_on_request() -> None:
    calls = iter(range(100_000))

    @algebraic
    def counting(infoset: object) -> int:
        return next(calls) // 100

    def play(root: Game) -> None:
        for number in range(100):
            assert list(random_hand(root, random.Random(number), 100))[-1].terminal

    play(abstract(leduc(), counting))
    wanted = r"'counting' returns \d+ and then \d+ for the same infoset 'P"
    with pytest.raises(GameError, match=wanted):
        play(abstract(leduc(), counting, check=True))


@pytest.mark.parametrize(
    "text",
    ["", "street *", "street + player", "__import__('os')", "street()", "linear_pot", "1 * 2",
     "linear_pot(street)", "linear_pot('x')", "alike('Q')", "street.factors", "lambda: 1",
     "pot_fractions(0.5)|3", "capped_bets(" * 60 + "street" + ", 1)" * 60, "linear_pot(0)",
     "linear_pot(2, 3)"],
)  # fmt: skip
def test_texts_that_are_not_abstractions_are_refused(text: str) -> None:
    with pytest.raises((InvalidOption, UnknownName)):
        parse_states(text)


@pytest.mark.parametrize("text", ["1if 1else 2", "street is 1", "'\\d' * street"])
def test_python_says_nothing_about_the_style_of_a_text_that_is_refused(text: str) -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with pytest.raises(InvalidOption):
            parse_states(text)
    assert not seen


def test_a_menu_is_read_back_from_its_text() -> None:
    menu = capped_bets(pot_fractions(0.5, 1.0, all_in=True), 8)
    assert repr(menu) == "capped_bets(pot_fractions(0.5, 1, all_in=True), 8)"
    assert parse_menu(repr(menu)) == menu
    with pytest.raises(InvalidOption, match="is not a menu"):
        parse_menu("street")
    with pytest.raises(UnknownName, match="did you mean 'hand_class'"):
        parse_states("hand_clas")


def test_groups_of_cards_are_checked() -> None:
    with pytest.raises(InvalidOption, match="two cards or more"):
        alike("Q")
    with pytest.raises(InvalidOption, match="in two groups"):
        alike("QK", "JQ")
    with pytest.raises(InvalidOption, match="decorate the function with @algebraic"):
        abstract(kuhn(), lambda infoset: 1)


def test_ready_made_abstractions_are_values() -> None:
    assert linear_pot(20) == linear_pot(20) != linear_pot(21)
    assert len({linear_pot(20), linear_pot(20), street}) == 2
