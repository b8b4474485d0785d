"""Suit isomorphism: counts, perfect round trips, and the twin that tries all renamings."""

from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tests.reference.suits import RENAMINGS, canonical, deal_of, num_classes

from untilt.cards.card import DECK, parse_cards
from untilt.cards.combos import CLASS_OF_COMBO, COMBO_CARDS
from untilt.cards.isomorphism import Isomorphism, _hands_at, _index_hands, _num_hands_at
from untilt.errors import CardError

Cards = npt.NDArray[np.uint8]

PUBLISHED = {
    (2,): 169,
    (2, 3): 1_286_792,
    (2, 4): 13_960_050,
    (2, 5): 123_156_254,
    (2, 3, 1): 55_190_538,
    (2, 3, 1, 1): 2_428_287_420,
    (3,): 1_755,
    (4,): 16_432,
    (5,): 134_459,
}
"""Those in the order of streets stand in Waugh 2013."""

OTHERS = [(1,), (7,), (1, 1), (1, 6), (3, 1), (3, 1, 1), (1, 1, 1, 1, 1, 1, 1), (2, 2, 3)]


def random_hands(num_hands: int, num_cards: int, seed: int) -> Cards:
    random = np.random.default_rng(seed)
    places = random.permuted(np.tile(np.arange(52), (num_hands, 1)), axis=1)[:, :num_cards]
    hands: Cards = np.array(DECK, dtype=np.uint8)[places]
    return hands


def renamed(hands: Cards, renaming: tuple[int, ...]) -> Cards:
    moved: Cards = hands & 15 | np.array(renaming, dtype=np.uint8)[hands >> 4] << 4
    return moved


def hand(text: str) -> Cards:
    return np.array([parse_cards(text)], dtype=np.uint8)


@pytest.mark.parametrize("rounds", PUBLISHED)
def test_the_numbers_of_hands_are_those_published_and_of_burnside(rounds: tuple[int, ...]) -> None:
    assert Isomorphism(rounds).size == PUBLISHED[rounds] == num_classes(rounds)


@pytest.mark.parametrize("rounds", OTHERS)
def test_other_rounds_have_as_many_hands_as_burnside_counts(rounds: tuple[int, ...]) -> None:
    assert Isomorphism(rounds).size == num_classes(rounds)


@pytest.mark.parametrize(
    "rounds", [(2,), pytest.param((2, 3), marks=pytest.mark.long), (3,), (4,), (5,), (1, 1), (3, 1)]
)
def test_every_index_has_a_hand_with_that_index(rounds: tuple[int, ...]) -> None:
    isomorphism = Isomorphism(rounds)
    everything = np.arange(isomorphism.size)
    np.testing.assert_array_equal(
        isomorphism.index_hands(isomorphism.hands_at(everything)), everything
    )


@pytest.mark.parametrize("rounds", [(2, 4), (2, 5), (2, 3, 1), (2, 3, 1, 1), *OTHERS])
def test_sampled_indices_survive_the_round_trip(rounds: tuple[int, ...]) -> None:
    isomorphism = Isomorphism(rounds)
    sample = np.random.default_rng(1).integers(0, isomorphism.size, 50_000)
    sample[:2] = 0, isomorphism.size - 1
    np.testing.assert_array_equal(isomorphism.index_hands(isomorphism.hands_at(sample)), sample)


@pytest.mark.parametrize("rounds", [(2,), (2, 3), (5,), (3, 1)])
def test_the_hands_of_all_indices_are_all_deals(rounds: tuple[int, ...]) -> None:
    isomorphism = Isomorphism(rounds)
    deals = prod(comb(52 - sum(rounds[:place]), count) for place, count in enumerate(rounds))
    assert isomorphism.num_hands_at(np.arange(isomorphism.size)).sum() == deals


def test_the_preflop_hands_are_the_169_classes() -> None:
    isomorphism = Isomorphism((2,))
    indices = isomorphism.index_hands(COMBO_CARDS)
    assert len(set(zip(indices.tolist(), CLASS_OF_COMBO.tolist(), strict=True))) == 169
    assert set(indices.tolist()) == set(range(169))
    np.testing.assert_array_equal(isomorphism.num_hands_at(indices), np.bincount(indices)[indices])


@pytest.mark.parametrize("rounds", [(3,), (1, 2)])
def test_all_boards_are_equal_where_the_twin_says_so(rounds: tuple[int, ...]) -> None:
    boards = list(combinations(DECK, 3))
    indices = Isomorphism(rounds).index_hands(np.array(boards, dtype=np.uint8))
    pairs = {
        (index, canonical(deal_of(board, rounds)))
        for index, board in zip(indices.tolist(), boards, strict=True)
    }
    assert len(pairs) == len({index for index, _ in pairs}) == len({deal for _, deal in pairs})


@pytest.mark.parametrize("rounds", [(2, 3), (2, 4), (2, 5), (2, 3, 1), (2, 3, 1, 1), (4,), (5,)])
def test_hands_are_equal_if_and_only_if_the_twin_says_so(rounds: tuple[int, ...]) -> None:
    random = np.random.default_rng(len(rounds))
    isomorphism = Isomorphism(rounds)
    hands = random_hands(400, sum(rounds), seed=sum(rounds))
    others = hands.copy()
    for row, other in enumerate(others):
        # In every other row one card then moves to some suit: often, not always, still equal.
        moved = renamed(hands[row : row + 1], RENAMINGS[random.integers(24)])[0]
        if row % 2:
            place = random.integers(len(moved))
            moved[place] = moved[place] & 15 | random.integers(4) << 4
        if len(set(moved.tolist())) == len(moved):
            other[:] = moved
    is_equal = isomorphism.index_hands(hands) == isomorphism.index_hands(others)
    expected = [
        canonical(deal_of(one, rounds)) == canonical(deal_of(other, rounds))
        for one, other in zip(hands.tolist(), others.tolist(), strict=True)
    ]
    assert is_equal.tolist() == expected
    assert 200 <= sum(expected) < 390


@pytest.mark.parametrize("rounds", [(2, 5), (2, 3, 1, 1)])
@pytest.mark.parametrize("renaming", RENAMINGS)
def test_names_of_suits_and_order_within_a_round_do_not_matter(
    rounds: tuple[int, ...], renaming: tuple[int, ...]
) -> None:
    isomorphism = Isomorphism(rounds)
    hands = random_hands(2_000, 7, seed=3)
    moved = renamed(hands, renaming)
    moved[:, :2] = moved[:, 1::-1]
    moved[:, 2:5] = moved[:, [4, 2, 3]]
    np.testing.assert_array_equal(
        isomorphism.index_hands(moved), isomorphism.index_hands(hands), strict=True
    )


def test_the_canonical_hand_is_isomorphic_to_the_hand() -> None:
    for rounds in [(2, 3, 1, 1), (2, 5), (5,)]:
        isomorphism = Isomorphism(rounds)
        hands = random_hands(200, sum(rounds), seed=5)
        again = isomorphism.hands_at(isomorphism.index_hands(hands))
        for one, other in zip(hands.tolist(), again.tolist(), strict=True):
            assert canonical(deal_of(one, rounds)) == canonical(deal_of(other, rounds))


def test_only_kept_street_order_tells_the_turn_from_the_river() -> None:
    one, other = hand("AsAh KdQd2c 7c 8h"), hand("AsAh KdQd2c 8h 7c")
    in_order, as_set = Isomorphism((2, 3, 1, 1)), Isomorphism((2, 5))
    assert in_order.index_hands(one) != in_order.index_hands(other)
    assert as_set.index_hands(one) == as_set.index_hands(other)


@pytest.mark.parametrize(
    ("text", "num_hands"),
    [
        ("AsAh", 6),
        ("AsKs", 4),
        ("AsKh", 12),
        ("AsAh AdAc2s", 12),
        ("AsKh QdJc2s", 24),
        ("2c3c 4c5c6c", 4),
    ],
)
def test_as_many_hands_share_an_index_as_renaming_gives(text: str, num_hands: int) -> None:
    cards = hand(text)
    isomorphism = Isomorphism((2, 3)[: 1 if cards.shape[1] == 2 else 2])
    assert isomorphism.num_hands_at(isomorphism.index_hands(cards)).tolist() == [num_hands]


def test_canonical_preflop_hands_begin_with_spades() -> None:
    isomorphism = Isomorphism((2,))
    for text in ("AdAc", "KcAd", "KcAc"):
        [cards] = isomorphism.hands_at(isomorphism.index_hands(hand(text))).tolist()
        expected = {"AdAc": "AsAh", "KcAd": "AsKh", "KcAc": "AsKs"}[text]
        assert cards == parse_cards(expected)


def test_strided_read_only_and_empty_arrays_need_no_other_kernel() -> None:
    isomorphism = Isomorphism((2, 3))
    hands = random_hands(100, 7, seed=7)
    indices = isomorphism.index_hands(hands[:, :5])
    np.testing.assert_array_equal(isomorphism.index_hands(np.asfortranarray(hands[:, :5])), indices)
    indices.setflags(write=False)
    again = isomorphism.hands_at(indices)
    again.setflags(write=False)
    np.testing.assert_array_equal(isomorphism.index_hands(again), indices)
    np.testing.assert_array_equal(isomorphism.hands_at(indices[::-2]), again[::-2])
    assert isomorphism.index_hands(hands[:0, :5]).shape == (0,)
    assert isomorphism.hands_at(indices[:0]).shape == (0, 5)
    isomorphism.num_hands_at(indices)
    kernels: list[Any] = [_index_hands, _hands_at, _num_hands_at]
    assert [len(compiled.signatures) for compiled in kernels] == [1, 1, 1]


class TestBadInput:
    @pytest.mark.parametrize("rounds", [(), (0,), (2, 0), (-1, 2), (2, 6), (8,)])
    def test_impossible_rounds_are_refused(self, rounds: tuple[int, ...]) -> None:
        with pytest.raises(CardError, match="at least one card per round and at most 7 in total"):
            Isomorphism(rounds)

    @pytest.mark.parametrize(
        ("hands", "given"),
        [
            (np.zeros((3, 2), dtype=np.int64), r"array of int64 with the shape \(3, 2\)"),
            (np.zeros((3, 3), dtype=np.uint8), r"array of uint8 with the shape \(3, 3\)"),
            (np.zeros(2, dtype=np.uint8), r"with the shape \(2,\)"),
            ([[0, 1]], "a list"),
        ],
    )
    def test_arrays_of_another_kind_are_refused(self, hands: Cards, given: str) -> None:
        with pytest.raises(CardError, match=rf"{given}: give an array of uint8 .* \(N, 2\)"):
            Isomorphism((2,)).index_hands(hands)

    @pytest.mark.parametrize("wrong", [13, 15, 29, 61, 63, 64, 128, 255])
    def test_what_is_no_card_is_refused_wherever_it_stands(self, wrong: int) -> None:
        for place in range(5):
            hands = random_hands(4, 5, seed=place)
            hands[2, place] = wrong
            with pytest.raises(CardError, match=f"row 2 of the hands has {wrong}, which is not"):
                Isomorphism((2, 3)).index_hands(hands)

    @pytest.mark.parametrize("places", list(combinations(range(5), 2)))
    def test_a_card_that_comes_twice_is_refused(self, places: tuple[int, int]) -> None:
        hands = random_hands(4, 5, seed=9)
        hands[3] = parse_cards("Ks Qs Js Ts 9s")
        hands[3, list(places)] = parse_cards("As")[0]
        for rounds in [(5,), (2, 3), (1, 1, 1, 1, 1)]:
            with pytest.raises(CardError, match="row 3 of the hands has As twice"):
                Isomorphism(rounds).index_hands(hands)

    @pytest.mark.parametrize("index", [-1, 169, 2**62, -(2**63)])
    def test_an_index_outside_is_refused(self, index: int) -> None:
        for method in (Isomorphism((2,)).hands_at, Isomorphism((2,)).num_hands_at):
            with pytest.raises(CardError, match=f"no hand has index {index}: use 0 to 168"):
                method(np.array([0, index]))

    @pytest.mark.parametrize(
        "indices", [np.zeros(2), np.zeros(2, dtype=np.uint64), np.zeros((1, 1), dtype=np.int64), 5]
    )
    def test_indices_of_another_kind_are_refused(self, indices: npt.NDArray[np.int64]) -> None:
        with pytest.raises(CardError, match="give an array of int64 with the shape"):
            Isomorphism((2,)).hands_at(indices)
