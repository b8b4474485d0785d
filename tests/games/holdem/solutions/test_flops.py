"""Flops up to suits: how many there are, how likely each is, and a choice of few."""

from collections import Counter

import numpy as np
import pytest

from untilt.cards.card import DECK, card_name, mask_of
from untilt.cards.combos import COMBO_MASKS
from untilt.cards.isomorphism import Isomorphism
from untilt.cards.ranges.range import Range
from untilt.errors import CardError, InvalidOption
from untilt.games.holdem.solutions.flops import Flop, all_flops, choose_flops

SUITS_ALIKE = (Range.parse("QQ+, AKs, 76s, A5o:0.5"), Range.parse("TT+, AQs+, AKo"))


def test_suits_leave_1755_flops_that_stand_for_22100() -> None:
    flops = all_flops(SUITS_ALIKE)
    assert len(flops) == 1755
    assert sum(flop.count for flop in flops) == 22_100
    assert sum(flop.probability for flop in flops) == pytest.approx(1.0, abs=1e-12)


def test_every_flop_has_the_number_and_count_of_its_isomorphism_class() -> None:
    isomorphism = Isomorphism((3,))
    flops = all_flops(SUITS_ALIKE)
    indices = isomorphism.index_hands(np.array([flop.cards for flop in flops], np.uint8))
    assert sorted(indices.tolist()) == list(range(isomorphism.size))
    assert isomorphism.num_hands_at(indices).tolist() == [flop.count for flop in flops]


def test_a_flop_is_as_likely_as_the_deals_that_leave_it() -> None:
    ranges = (Range.parse("AA:0.5, AKs, 72o"), Range.parse("KK, AQs:0.25, 22"))
    # Every deal of two hands and a flop, one by one.
    weights: dict[int, float] = {}
    pairs = [
        (int(COMBO_MASKS[one] | COMBO_MASKS[other]), weight * other_weight)
        for one, weight in ranges[0]
        for other, other_weight in ranges[1]
        if COMBO_MASKS[one] & COMBO_MASKS[other] == 0
    ]
    for names in (("As", "Ks", "Qs"), ("7c", "7d", "2h"), ("9c", "5d", "3h")):
        mask = mask_of([card for card in DECK if card_name(card) in names])
        weights[mask] = sum(weight for cards, weight in pairs if cards & mask == 0)
    total = sum(weight for _, weight in pairs) * 17_296
    found = {flop.name: flop for flop in choose_flops(ranges, "AsKsQs 7c7d2h 9c5d3h").flops}
    for name, mask in zip(found, weights, strict=True):
        flop = found[name]
        assert flop.probability == pytest.approx(flop.count * weights[mask] / total, rel=1e-12)
    assert sum(flop.weight for flop in found.values()) == pytest.approx(1.0)


def test_ranges_that_name_suits_have_more_flops_and_still_count_every_deal() -> None:
    flops = all_flops((Range.parse("AsKs, QQ"), Range.parse("JJ+")))
    # Three suits are left to rename: with one suit apart, 22,100 flops fall into more classes.
    assert 1755 < len(flops) < 22_100
    assert sum(flop.count for flop in flops) == 22_100
    assert sum(flop.probability for flop in flops) == pytest.approx(1.0, abs=1e-12)


def test_a_flop_that_blocks_a_whole_range_is_left_out() -> None:
    flops = all_flops((Range.parse("AsAh"), Range.parse("KsKh")))
    names = [flop.name[at : at + 2] for flop in flops for at in (0, 2, 4)]
    assert not {"As", "Ah", "Ks", "Kh"} & set(names)
    assert sum(flop.probability for flop in flops) == pytest.approx(1.0, abs=1e-12)


def group_of(flop: Flop) -> tuple[str, str]:
    return flop.suit_pattern, flop.pairing


@pytest.mark.parametrize("count", [6, 40, 300])
def test_every_suit_pattern_and_pairing_is_chosen_and_has_its_exact_weight(count: int) -> None:
    choice = choose_flops(SUITS_ALIKE, count)
    assert choice == choose_flops(SUITS_ALIKE, str(count))
    assert len({flop.name for flop in choice.flops}) == count
    assert f"{count:,} of 1,755 flops" in choice.words
    # From the counts of cards alone: 286 × 4 of 22,100 flops are monotone, and so on.
    deals = {
        ("monotone", "unpaired"): 286 * 4,
        ("two-tone", "unpaired"): 286 * 36,
        ("rainbow", "unpaired"): 286 * 24,
        ("two-tone", "paired"): 13 * 12 * 12,
        ("rainbow", "paired"): 13 * 12 * 12,
        ("rainbow", "trips"): 13 * 4,
    }
    flops = all_flops(SUITS_ALIKE)
    assert Counter(group for flop in flops for group in [group_of(flop)] * flop.count) == deals
    number = Counter(map(group_of, choice.flops))
    for group in deals:
        share = sum(flop.probability for flop in flops if group_of(flop) == group)
        mine = [flop.weight for flop in choice.flops if group_of(flop) == group]
        assert sum(mine) == pytest.approx(share, rel=1e-9)
        # Groups that get one although their share is less leave the others a little less.
        assert abs(number[group] - count * share) < 2


def test_the_flops_of_a_group_have_low_and_high_cards() -> None:
    chosen = [
        flop for flop in choose_flops(SUITS_ALIKE, 40).flops if flop.suit_pattern != "rainbow"
    ]
    heights = [flop.height[0] for flop in chosen if flop.pairing == "unpaired"]
    assert max(heights) == 12
    assert min(heights) <= 8


def test_few_flops_are_slices_of_all_deals() -> None:
    choice = choose_flops(SUITS_ALIKE, 3)
    assert [flop.weight for flop in choice.flops] == pytest.approx([1 / 3] * 3)
    assert "all deals in order of suit pattern" in choice.words


def test_all_flops_as_a_number_have_their_own_probabilities() -> None:
    for flop in choose_flops(SUITS_ALIKE, 1755).flops:
        assert flop.weight == flop.probability


@pytest.mark.parametrize("count", [1, 900, 1700, 1755])
def test_any_number_of_flops_is_chosen_without_repetition(count: int) -> None:
    names = [flop.name for flop in choose_flops(SUITS_ALIKE, count).flops]
    assert len(names) == len(set(names)) == count


def test_wrong_choices_say_what_is_allowed() -> None:
    with pytest.raises(InvalidOption, match="give 1 to 1,755"):
        choose_flops(SUITS_ALIKE, 0)
    with pytest.raises(CardError, match="2 cards"):
        choose_flops(SUITS_ALIKE, "AsKs")
    with pytest.raises(CardError, match="differ only by the names of suits"):
        choose_flops(SUITS_ALIKE, "AsKs2h, AhKh2c")
    with pytest.raises(CardError):
        choose_flops(SUITS_ALIKE, "many")
