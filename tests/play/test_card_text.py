"""Cards as a page draws them."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilt.cards.combos import CLASS_NAMES
from untilt.play.card_text import faces_of, faces_of_class, faces_of_hands


@pytest.mark.parametrize(
    ("text", "faces"),
    [
        ("", []),
        ("K", ["K"]),
        ("Js", ["Js"]),
        ("13", ["13"]),
        ("22", ["22"]),  # a card of a deck of numbers
        ("AsKd", ["As", "Kd"]),
        ("AsKd7c", ["As", "Kd", "7c"]),
        ("ad", ["ad"]),
        ("AsAs", ["AsAs"]),
        ("a die", ["a die"]),
    ],
)
def test_texts_become_cards(text: str, faces: list[str]) -> None:
    assert faces_of(text) == faces


@given(st.sampled_from(CLASS_NAMES), st.sampled_from(CLASS_NAMES), st.integers(0, 2**32))
def test_two_hand_classes_become_four_different_cards(own: str, other: str, seed: int) -> None:
    mine, theirs = faces_of_hands([own, other], random.Random(seed), are_classes=True)
    assert len({*mine, *theirs}) == 4
    for name, (high, low) in ((own, mine), (other, theirs)):
        assert high[0] + low[0] == name[:2]
        assert (high[1] == low[1]) == name.endswith("s")


def test_ones_own_cards_do_not_depend_on_the_others() -> None:
    shown = {
        tuple(faces_of_hands(["AA", other], random.Random(7), are_classes=True)[0])
        for other in (*CLASS_NAMES, None)
    }
    assert len(shown) == 1


def test_every_combo_of_a_class_comes_up() -> None:
    rng = random.Random(0)
    for name, num_combos in (("AKs", 4), ("QQ", 6), ("72o", 12)):
        combos = {tuple(faces_of_class(name, rng, [])) for _ in range(500)}
        assert len(combos) == num_combos


def test_what_is_not_known_has_no_cards() -> None:
    rng = random.Random(0)
    assert faces_of_hands([None, None], rng, are_classes=True) == [[], []]
    assert faces_of_hands(["K", None], rng, are_classes=False) == [["K"], []]
    assert faces_of_hands(["AKs", "Q"], rng, are_classes=False) == [["AKs"], ["Q"]]
