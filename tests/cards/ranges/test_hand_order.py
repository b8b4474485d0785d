"""The best hands by percentage, in both orders: published values, a slow twin, exact sizes."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untilt.cards.combos import CLASS_NAMES, COMBOS_OF_CLASS, NUM_COMBOS_OF_CLASS, class_index
from untilt.cards.equity.all_in import equity
from untilt.cards.equity.preflop_table import preflop_table
from untilt.cards.ranges.hand_order import (
    ORDERS,
    best_classes,
    order_of_classes,
    push_limits,
    random_equities,
)
from untilt.cards.ranges.range import Range
from untilt.errors import CardError, UnknownName

EQUITIES = {"AA": 85.20, "KK": 82.40, "QQ": 79.93, "AKs": 67.04, "AKo": 65.32, "22": 50.33}
EQUITIES |= {"72o": 34.58, "32o": 32.30}
"""Percent against a random hand, as in the usual published tables."""

CHUBUKOV = {"KK": 954.00, "AKs": 554.51, "QQ": 478.01, "AKo": 331.89, "JJ": 319.21, "AQs": 274.21}
CHUBUKOV |= {"TT": 239.82, "AQo": 192.67, "99": 191.41, "AJs": 183.22, "88": 159.30, "AJo": 136.31}
CHUBUKOV |= {"77": 134.85, "66": 115.35, "ATo": 106.26, "A9s": 104.12, "55": 98.63, "KQs": 86.63}
CHUBUKOV |= {"A7s": 79.18, "KJs": 72.62, "33": 65.44, "A2s": 58.14, "QJs": 49.52, "22": 48.05}
"""Dollars behind blinds of 1 and 2 (Sklansky & Miller 2006)."""


@pytest.mark.parametrize(("hand", "percent"), EQUITIES.items())
def test_equities_against_a_random_hand_are_the_published_ones(hand: str, percent: float) -> None:
    found = 100.0 * float(random_equities()[class_index(hand)])
    assert found == pytest.approx(percent, abs=0.005)


def test_equities_against_a_random_hand_are_those_of_the_calculator() -> None:
    for hand in ("AKs", "T9o", "55", "83o"):
        found = equity(Range.parse(hand), Range.parse("random")).equities[0]
        assert random_equities()[class_index(hand)] == pytest.approx(found, abs=1e-12)


def test_limits_of_pushing_face_up_are_the_published_ones() -> None:
    limits = push_limits()
    assert limits[class_index("AA")] == math.inf
    for hand, dollars in CHUBUKOV.items():
        behind = 2.0 * (limits[class_index(hand)] - 0.5)
        assert behind == pytest.approx(dollars, abs=0.006)


@pytest.mark.parametrize("hand", ["KK", "A5s", "T8o", "32o"])
def test_at_its_limit_a_push_gains_nothing_over_folding(hand: str) -> None:
    table, index = preflop_table(), class_index(hand)
    stack = float(push_limits()[index])
    total = dealt = 0.0
    for win, tie, boards in zip(
        table.wins[index].tolist(),
        table.ties[index].tolist(),
        table.boards[index].tolist(),
        strict=True,
    ):
        if boards:
            called = stack * (2.0 * win + tie - boards) / boards
            total += called if called < 1.0 else 1.0  # the caller loses less, or folds
            dealt += 1.0
    assert dealt == 1225.0
    assert total / dealt == pytest.approx(-0.5, abs=1e-9)


@pytest.mark.parametrize("order", ORDERS)
@given(percent=st.floats(0.0, 100.0))
@settings(max_examples=30, deadline=None)
def test_percentages_are_exact_and_only_one_class_is_divided(order: str, percent: float) -> None:
    shares = best_classes(order, percent)
    assert 100.0 * shares @ NUM_COMBOS_OF_CLASS / 1326 == pytest.approx(percent, abs=1e-9)
    in_order = shares[order_of_classes(order)]
    assert np.count_nonzero((in_order > 0.0) & (in_order < 1.0)) <= 1
    assert np.all(np.diff(in_order) <= 0.0)
    whole = Range.parse(f"{order} {percent!r}%")
    assert whole == Range.best(percent, order)
    assert Range.parse(str(whole)) == whole


def test_orders_and_percentages_that_do_not_exist_are_refused() -> None:
    with pytest.raises(UnknownName, match="order of hands"):
        Range.best(10.0, "luck")
    for percent in (-1.0, 100.5, math.nan):
        with pytest.raises(CardError, match="from 0 to 100"):
            Range.best(percent)


def test_percentages_are_written_like_other_items() -> None:
    assert Range.parse("TOP 2.2624434389140271 %") == Range.parse("TT+")
    assert Range.parse("top 0%") == Range.parse("none")
    assert Range.parse("push100%") == Range.parse("random")
    assert Range.parse("top 15%:0.5").percent == pytest.approx(7.5)
    assert Range.parse("AA, 22, !push 50%") == Range.parse("none")
    assert "KJo" in classes("top 15%")
    assert "KJo" not in classes("push 15%")
    assert "33" in classes("push 15%")


def classes(text: str) -> list[str]:
    weights = Range.parse(text).weights
    return [
        name
        for name, combos in zip(CLASS_NAMES, COMBOS_OF_CLASS, strict=True)
        if weights[combos].all()
    ]


def test_what_an_earlier_item_gave_to_a_divided_class_stays_in_part() -> None:
    # 3 of the 6 combos of AA: half the class.
    half = 100.0 * 3 / 1326
    assert Range.parse(f"top {half!r}%").class_weights()[0] == pytest.approx(0.5)
    assert Range.parse(f"AA:0.4, top {half!r}%").class_weights()[0] == pytest.approx(0.7)
    assert Range.parse(f"AA, !top {half!r}%").class_weights()[0] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("top", "character 4 (the end): a percentage from 0 to 100 is expected, as in 'top 15%'"),
        ("push 15", "character 8 (the end): '%' is expected after the number"),
        ("top 101%", "character 5 ('1'): a percentage from 0 to 100"),
        ("top -3%", "character 5 ('-'): a percentage from 0 to 100"),
        ("top 5%5", "separate items with a comma or a space"),
    ],
)
def test_percentages_that_are_misspelt_are_pointed_at(text: str, words: str) -> None:
    with pytest.raises(CardError) as caught:
        Range.parse(text)
    assert words in str(caught.value)
