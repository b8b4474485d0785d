"""Combos and hand classes: their numbers, names and two orders."""

from itertools import combinations

import numpy as np
import pytest

from untilt.cards.card import DECK, RANKS, mask_of, parse_cards
from untilt.cards.combos import (
    CLASS_NAMES,
    CLASS_OF_COMBO,
    COMBO_CARDS,
    COMBO_MASKS,
    COMBO_OF_CARDS,
    COMBOS_OF_CLASS,
    COMBOS_WITH_CARD,
    GRID_OF_PAIRS_FIRST,
    NUM_COMBOS_OF_CLASS,
    PAIRS_FIRST_OF_GRID,
    blocked_combos,
    class_index,
    combo_index,
    combo_name,
)
from untilt.errors import CardError, UnknownName


def combo(text: str) -> int:
    first, second = parse_cards(text)
    return combo_index(first, second)


class TestCombos:
    def test_they_are_the_pairs_of_the_deck_in_order(self) -> None:
        pairs = list(combinations(DECK, 2))
        assert len(pairs) == 1326
        assert [tuple(cards) for cards in COMBO_CARDS.tolist()] == pairs
        assert [combo_index(*cards) for cards in pairs] == list(range(1326))
        assert [combo_index(*reversed(cards)) for cards in pairs] == list(range(1326))
        assert COMBO_MASKS.tolist() == [mask_of(cards) for cards in pairs]

    def test_documented_numbers(self) -> None:
        assert [combo(text) for text in ("2c2d", "2c2h", "2c2s", "2c3c", "AhAs")] == [
            *range(4),
            1325,
        ]

    def test_what_is_no_combo_has_no_number_in_the_table(self) -> None:
        assert np.count_nonzero(COMBO_OF_CARDS >= 0) == 2 * 1326
        assert COMBO_OF_CARDS[13].max() == COMBO_OF_CARDS[:, 63].max() == -1
        assert (COMBO_OF_CARDS.diagonal() == -1).all()

    def test_the_higher_card_stands_first_in_a_name(self) -> None:
        assert combo_name(combo("KhAs")) == "AsKh"
        assert combo_name(0) == "2d2c"
        assert len({combo_name(number) for number in range(1326)}) == 1326
        assert all(combo(combo_name(number)) == number for number in range(1326))

    def test_each_card_is_in_51_combos(self) -> None:
        assert COMBOS_WITH_CARD.shape == (52, 51)
        for card, combos in zip(DECK, COMBOS_WITH_CARD.tolist(), strict=True):
            assert combos == [number for number in range(1326) if card in COMBO_CARDS[number]]

    def test_cards_block_the_combos_that_hold_them(self) -> None:
        dead = mask_of(parse_cards("As Kh 2c"))
        is_blocked = blocked_combos(dead)
        # 51 each, less the three combos that hold two of them.
        assert is_blocked.sum() == 3 * 51 - 3
        for number in range(1326):
            held = {combo_name(number)[place : place + 2] for place in (0, 2)}
            assert is_blocked[number] == bool(held & {"As", "Kh", "2c"})
        assert not blocked_combos(0).any()

    @pytest.mark.parametrize("cards", [(0, 0), (0, 13), (64, 1), (-1, 1), (60, 61)])
    def test_what_is_no_combo_is_refused(self, cards: tuple[int, int]) -> None:
        with pytest.raises(CardError, match="give two different cards"):
            combo_index(*cards)

    @pytest.mark.parametrize("number", [-1, 1326])
    def test_a_number_outside_is_refused(self, number: int) -> None:
        with pytest.raises(CardError, match=rf"no combo has number {number}: use 0 .* to 1325"):
            combo_name(number)

    @pytest.mark.parametrize("mask", [1 << 13, 1 << 63, -1, 1 << 64])
    def test_a_mask_with_other_bits_is_refused(self, mask: int) -> None:
        with pytest.raises(CardError, match="bits that are not cards"):
            blocked_combos(mask)

    def test_the_tables_cannot_be_changed_by_mistake(self) -> None:
        for table in (COMBO_CARDS, COMBO_MASKS, CLASS_OF_COMBO, COMBOS_OF_CLASS[5]):
            with pytest.raises(ValueError, match="read-only"):
                table[0] = 1


class TestClasses:
    def test_the_grid_begins_with_aces_and_has_suited_hands_above_the_diagonal(self) -> None:
        rows = [CLASS_NAMES[begin : begin + 13] for begin in range(0, 169, 13)]
        assert " ".join(rows[0]) == "AA AKs AQs AJs ATs A9s A8s A7s A6s A5s A4s A3s A2s"
        assert " ".join(rows[1]) == "AKo KK KQs KJs KTs K9s K8s K7s K6s K5s K4s K3s K2s"
        assert " ".join(rows[12]) == "A2o K2o Q2o J2o T2o 92o 82o 72o 62o 52o 42o 32o 22"
        assert len(set(CLASS_NAMES)) == 169

    def test_a_combo_belongs_to_the_class_of_its_ranks_and_suits(self) -> None:
        for number in range(1326):
            high, low = combo_name(number)[:2], combo_name(number)[2:]
            kind = "" if high[0] == low[0] else "s" if high[1] == low[1] else "o"
            assert CLASS_NAMES[CLASS_OF_COMBO[number]] == high[0] + low[0] + kind

    def test_pairs_have_6_offsuit_12_and_suited_4_combos(self) -> None:
        sizes = {"": 6, "o": 12, "s": 4}
        assert NUM_COMBOS_OF_CLASS.tolist() == [sizes[name[2:]] for name in CLASS_NAMES]
        assert [len(combos) for combos in COMBOS_OF_CLASS] == NUM_COMBOS_OF_CLASS.tolist()
        for hand_class, combos in enumerate(COMBOS_OF_CLASS):
            assert (CLASS_OF_COMBO[combos] == hand_class).all()
        assert sorted(np.concatenate(COMBOS_OF_CLASS).tolist()) == list(range(1326))

    def test_pairs_first_then_offsuit_then_suited(self) -> None:
        names = [CLASS_NAMES[hand_class] for hand_class in GRID_OF_PAIRS_FIRST]
        assert " ".join(names[:13]) == "22 33 44 55 66 77 88 99 TT JJ QQ KK AA"
        assert " ".join(names[13:27]) == "32o 42o 52o 62o 72o 82o 92o T2o J2o Q2o K2o A2o 43o 53o"
        for low in range(13):
            for high in range(low + 1, 13):
                place = low * (25 - low) // 2 + (high - low - 1)
                assert names[13 + place] == f"{RANKS[high]}{RANKS[low]}o"
        assert names[90] == "AKo"
        assert " ".join(names[91:95]) == "32s 42s 52s 62s"
        assert names.index("T5s") + 169 == 297
        assert names[168] == "AKs"
        assert [name[:2] for name in names[13:91]] == [name[:2] for name in names[91:]]

    def test_the_two_orders_are_inverse(self) -> None:
        assert PAIRS_FIRST_OF_GRID[GRID_OF_PAIRS_FIRST].tolist() == list(range(169))
        assert GRID_OF_PAIRS_FIRST[PAIRS_FIRST_OF_GRID].tolist() == list(range(169))
        assert PAIRS_FIRST_OF_GRID[class_index("AA")] == 12

    def test_a_class_is_found_by_its_name(self) -> None:
        assert [class_index(name) for name in CLASS_NAMES] == list(range(169))

    @pytest.mark.parametrize("name", ["", "KAs", "AAs", "AK", "aks", "As"])
    def test_other_names_are_refused(self, name: str) -> None:
        with pytest.raises(UnknownName, match=f"unknown hand class '{name}'"):
            class_index(name)
