"""Ranges: the notation, exact round trips, errors that point, and operations."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untilt.cards.card import DECK, mask_of, parse_cards
from untilt.cards.combos import (
    CLASS_NAMES,
    CLASS_OF_COMBO,
    COMBO_CARDS,
    COMBOS_OF_CLASS,
    class_index,
    combo_index,
    combo_name,
)
from untilt.cards.ranges.range import Range
from untilt.errors import CardError, UnknownName

WEIGHTS = st.one_of(
    st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(0.0, 1.0), st.just(5e-324), st.just(1e-5)
)


def classes(text: str) -> str:
    """Return the names of all classes that are wholly in the range, in the order of the grid."""
    weights = Range.parse(text).weights
    assert set(weights.tolist()) <= {0.0, 1.0}
    return " ".join(
        name
        for name, combos in zip(CLASS_NAMES, COMBOS_OF_CLASS, strict=True)
        if weights[combos].all()
    )


def weight(text: str, combo: str) -> float:
    first, second = parse_cards(combo)
    return float(Range.parse(text).weights[combo_index(first, second)])


class TestNotation:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("QQ", "QQ"),
            ("AKs", "AKs"),
            ("AKo", "AKo"),
            ("AK", "AKs AKo"),
            ("KA", "AKs AKo"),
            ("JJ+", "AA KK QQ JJ"),
            ("AA+", "AA"),
            ("A9s+", "AKs AQs AJs ATs A9s"),
            ("KTo+", "KQo KJo KTo"),
            ("QT+", "QJs QTs QJo QTo"),
            ("QQ-99", "QQ JJ TT 99"),
            ("99-QQ", "QQ JJ TT 99"),
            ("88-88", "88"),
            ("KTs-K7s", "KTs K9s K8s K7s"),
            ("K7s-KTs", "KTs K9s K8s K7s"),
            ("T9s-76s", "T9s 98s 87s 76s"),
            ("J9o-97o", "J9o T8o 97o"),
            ("A5-A4", "A5s A4s A5o A4o"),
            ("none", ""),
            ("none, 22", "22"),
        ],
    )
    def test_items_mean_what_the_usual_tools_mean(self, text: str, expected: str) -> None:
        assert classes(text) == expected
        assert len(Range.parse(text)) == sum(
            len(COMBOS_OF_CLASS[class_index(name)]) for name in expected.split()
        )

    def test_connectors_with_a_plus_climb(self) -> None:
        assert classes("T9s+") == "AKs KQs QJs JTs T9s"
        assert classes("KQo+") == "AKo KQo"
        assert classes("AKs+") == "AKs"

    def test_random_is_everything(self) -> None:
        assert Range.parse("random").weights.tolist() == [1.0] * 1326
        assert Range.parse("random:0.25").weights.tolist() == [0.25] * 1326

    def test_a_combo_is_one_of_1326(self) -> None:
        for text in ("AsKh", "KhAs", "askh", "ASKH"):
            assert [combo_name(combo) for combo, _ in Range.parse(text)] == ["AsKh"]

    @pytest.mark.parametrize(
        "text",
        ["QQ+,A5s", "qq+,a5S", "QQ+ A5s", "A5s QQ+", " QQ+ ,\tA5s,\n", "QQ-AA,A5s", "QQ - AA A5s"],
    )
    def test_case_spaces_and_order_do_not_matter(self, text: str) -> None:
        assert classes(text) == "AA A5s KK QQ"

    def test_weights(self) -> None:
        assert weight("QQ:0.5", "QsQh") == 0.5
        assert weight("QQ : 0.5, AK", "AsKs") == 1.0
        assert weight("QQ-TT:.125", "JsJh") == 0.125
        assert weight("AsKh:1e-3", "AsKh") == 0.001
        assert weight("AA:1.", "AsAh") == 1.0
        assert str(Range.parse("AA:0")) == "none"

    def test_what_is_written_later_counts(self) -> None:
        assert weight("random, AK:0.5, AsKh:0.25", "AsKh") == 0.25
        assert weight("random, AK:0.5, AsKh:0.25", "AsKs") == 0.5
        assert weight("AsKh:0.25, AK:0.5", "AsKh") == 0.5

    def test_an_exclamation_mark_takes_away_what_was_written_before(self) -> None:
        assert weight("AK, !AsKh", "AsKh") == 0.0
        assert weight("!AsKh, AK", "AsKh") == 1.0
        assert weight("random !AK", "AsKh") == 0.0
        assert len(Range.parse("random,!AsKh")) == 1325
        assert classes("TT+,!QQ-JJ") == "AA KK TT"
        assert classes("A2s+,!A5s-A2s,! AKs") == "AQs AJs ATs A9s A8s A7s A6s"
        assert str(Range.parse("AA,!random")) == "none"


class TestPrinting:
    @pytest.mark.parametrize(
        "text",
        [
            "random",
            "none",
            "random:0.5",
            "22+",
            "AA",
            "KK+",
            "QQ-88",
            "A2s+",
            "AKs",
            "KTs-K7s",
            "T9s-54s",
            "AK",
            "A2+",
            "A2s+,ATo+",
            "QT-Q8",
            "22+,A2s+,AJo+,KTs+",
            "AA,QQ:0.5,AKs:0.25",
            "J9o-97o",
            "JTs,T9s",
            "AKs,AsKh",
            "AsKh:0.1",
            "JJ+:0.30000000000000004",
            "AA:5e-324",
        ],
    )
    def test_short_texts_come_back_as_they_are(self, text: str) -> None:
        assert str(Range.parse(text)) == text

    @pytest.mark.parametrize(
        ("text", "shorter"),
        [
            ("AA,KK,QQ", "QQ+"),
            ("AKs,AKo", "AK"),
            ("A5s,A4s,A3s", "A5s-A3s"),
            ("AcKc,AdKd,AhKh,AsKs", "AKs"),
            ("22-AA", "22+"),
            ("54s,65s,76s,87s", "87s-54s"),
            ("AKs:0.5,AKo:0.25", "AKs:0.5,AKo:0.25"),
        ],
    )
    def test_what_belongs_together_is_folded(self, text: str, shorter: str) -> None:
        assert str(Range.parse(text)) == shorter

    def test_a_class_that_is_partly_in_is_printed_as_combos(self) -> None:
        board = Range.parse("AKs,QQ").without(mask_of(parse_cards("As Qd")))
        assert str(board) == "AcKc,AdKd,AhKh,QhQc,QsQc,QsQh"

    def test_repr_can_be_evaluated(self) -> None:
        hand_range = Range.parse("QQ+,AKs:0.5")
        assert eval(repr(hand_range)) == hand_range

    @settings(deadline=None, max_examples=60)
    @given(st.lists(WEIGHTS, min_size=1, max_size=6), st.integers(0, 2**32 - 1))
    def test_any_class_weights_survive_the_round_trip(self, few: list[float], seed: int) -> None:
        random = np.random.default_rng(seed)
        hand_range = Range(random.choice(few, 169)[CLASS_OF_COMBO])
        assert Range.parse(str(hand_range)) == hand_range

    @settings(deadline=None, max_examples=40)
    @given(
        st.lists(WEIGHTS, min_size=1, max_size=6),
        st.floats(0.0, 1.0),
        st.integers(0, 2**32 - 1),
    )
    def test_any_combo_weights_survive_the_round_trip(
        self, few: list[float], share: float, seed: int
    ) -> None:
        random = np.random.default_rng(seed)
        weights = random.choice(few, 169)[CLASS_OF_COMBO]
        is_odd = random.random(1326) < share
        weights[is_odd] = random.random(1326)[is_odd]
        hand_range = Range(weights)
        again = Range.parse(str(hand_range))
        assert again == hand_range
        assert hash(again) == hash(hand_range)
        assert again.weights.tobytes() == hand_range.weights.tobytes()

    @settings(deadline=None, max_examples=40)
    @given(st.sets(st.sampled_from(CLASS_NAMES), min_size=1, max_size=168))
    def test_no_text_of_classes_is_longer_than_their_list(self, names: set[str]) -> None:
        text = str(Range.from_classes(dict.fromkeys(names, 1.0)))
        assert len(text) <= len(",".join(names))
        assert re.fullmatch(r"([2-9TJQKA]{2}[so]?(\+|-[2-9TJQKA]{2}[so]?)?,?)+", text)


class TestErrors:
    @pytest.mark.parametrize(
        ("text", "position", "message"),
        [
            ("", 1, "the range is empty"),
            (" , ", 4, "the range is empty"),
            ("QQx", 3, "separate items with a comma or a space"),
            ("QQ AKx", 6, "separate items with a comma or a space"),
            ("QQs", 3, "a pair is neither suited nor offsuit"),
            ("A", 2, "a second rank, one of 23456789TJQKA, or a suit"),
            ("Ax", 2, "a second rank"),
            ("x", 1, "a rank, one of 23456789TJQKA, is expected"),
            ("AsK", 4, "a suit, one of cdhs, is expected"),
            ("AsKx", 4, "a suit, one of cdhs, is expected"),
            ("Asx", 3, "a rank, one of"),
            ("QQ,AsAs", 6, "a combo has two different cards"),
            ("10s9s", 1, "write T for a ten"),
            ("QQ:1.5", 4, "a number from 0 to 1"),
            ("QQ:", 4, "a number from 0 to 1"),
            ("QQ:-1", 4, "a number from 0 to 1"),
            ("QQ:nan", 4, "a number from 0 to 1"),
            ("QQ:0.5:1", 7, "separate items with a comma or a space"),
            ("KTs-K7o", 5, "the ends of an interval"),
            ("KTs-Q8s", 5, "the ends of an interval"),
            ("QQ-AKs", 4, "the ends of an interval"),
            ("AK-AKs", 4, "the ends of an interval"),
            ("AA-AsAh", 4, "the ends of an interval"),
            ("AK-", 4, "a rank, one of"),
            ("QQ,-AK", 4, "use '!' to remove hands"),
            ("AsKh+", 5, "follow a class"),
            ("AsKh -AsQh", 6, "follow a class"),
            ("!QQ:0.5", 4, "a hand removed by '!' has no weight"),
            ("!", 2, "a rank, one of"),
            ("!!AA", 2, "a rank, one of"),
            ("randomly", 7, "separate items with a comma or a space"),
            ("AA;KK", 3, "separate items with a comma or a space"),
        ],
    )
    def test_nonsense_is_pointed_at(self, text: str, position: int, message: str) -> None:
        with pytest.raises(CardError) as caught:
            Range.parse(text)
        found = repr(text[position - 1]) if position <= len(text) else "the end"
        assert f"range {text!r}, character {position} ({found}): " in str(caught.value)
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_of_a_long_text_only_the_place_is_shown(self) -> None:
        with pytest.raises(CardError) as caught:
            Range.parse("22+," * 500 + "wrong" + ",AA" * 500)
        assert "character 2001 ('w')" in str(caught.value)
        assert ",22+,wrong,AA," in str(caught.value)
        assert len(str(caught.value)) < 200

    @settings(deadline=None, max_examples=300)
    @given(st.text("AKQT92csho+-:!,. 015randomne", max_size=14) | st.text(max_size=6))
    def test_any_text_is_a_range_or_a_card_error(self, text: str) -> None:
        try:
            hand_range = Range.parse(text)
        except CardError:
            return
        assert Range.parse(str(hand_range)) == hand_range


class TestRange:
    def test_classes_by_name(self) -> None:
        hand_range = Range.from_classes({"AKs": 0.5, "QQ": 1.0})
        assert hand_range == Range.parse("AKs:0.5,QQ")
        assert Range.from_classes({}) == Range.parse("none")
        with pytest.raises(UnknownName, match="unknown hand class 'KAs'"):
            Range.from_classes({"KAs": 1.0})
        with pytest.raises(CardError, match=r"the weight of AdAc is 1\.5"):
            Range.from_classes({"AA": 1.5})

    def test_combos_and_percent_count_weights(self) -> None:
        hand_range = Range.parse("AA:0.5,AKs")
        assert hand_range.num_combos == 7.0
        assert len(hand_range) == 10
        assert hand_range.percent == pytest.approx(700 / 1326, rel=1e-15)
        assert Range.parse("random").percent == 100.0
        # 13 pairs of 6, 12 and 3 suited classes of 4, 3 offsuit ones of 12.
        assert Range.parse("22+,A2s+,KTs+,AJo+").num_combos == 174

    def test_class_weights_are_means_over_combos(self) -> None:
        hand_range = Range.parse("AKs,!AsKs,QQ:0.5,AKo:0.3")
        weights = hand_range.class_weights()
        assert weights[class_index("AKs")] == 0.75
        assert weights[class_index("QQ")] == 0.5
        assert weights[class_index("AKo")] == pytest.approx(0.3, rel=1e-15)
        assert np.count_nonzero(weights) == 3
        grid = hand_range.to_grid()
        assert grid.shape == (13, 13)
        assert (grid[0, 1], grid[2, 2]) == (0.75, 0.5)
        assert grid[1, 0] == pytest.approx(0.3, rel=1e-15)

    def test_dead_cards_remove_the_combos_that_hold_them(self) -> None:
        dead = parse_cards("As Kh 2c")
        left = Range.parse("random:0.5").without(mask_of(dead))
        for combo, cards in enumerate(COMBO_CARDS.tolist()):
            assert left.weights[combo] == (0.0 if set(cards) & set(dead) else 0.5)
        assert len(left) == 49 * 48 // 2
        assert Range.parse("AA").without(0) == Range.parse("AA")

    def test_a_range_without_any_combo_left_is_refused(self) -> None:
        with pytest.raises(
            CardError, match="no combo of the range AsAh remains without the cards As: give other"
        ):
            Range.parse("AsAh").without(mask_of(parse_cards("As")))
        with pytest.raises(CardError, match="range none remains"):
            Range.parse("none").without(0)
        with pytest.raises(CardError, match="remains"):
            Range.parse("random").without(mask_of(DECK))
        with pytest.raises(CardError, match="bits that are not cards"):
            Range.parse("AA").without(1 << 15)

    def test_union_takes_the_greater_and_intersection_the_smaller_weight(self) -> None:
        one, other = Range.parse("AA,KK:0.5"), Range.parse("KK:0.25,QQ")
        assert one | other == Range.parse("AA,KK:0.5,QQ")
        assert one & other == Range.parse("KK:0.25")
        with pytest.raises(TypeError):
            one | "AA"  # type: ignore[operator]
        with pytest.raises(TypeError):
            one & 1  # type: ignore[operator]

    def test_iteration_yields_combos_with_their_weights(self) -> None:
        hand_range = Range.parse("AsKh:0.25,2d2c")
        assert [(combo_name(combo), own) for combo, own in hand_range] == [
            ("2d2c", 1.0),
            ("AsKh", 0.25),
        ]

    def test_equal_ranges_hash_alike(self) -> None:
        assert len({Range.parse("QQ+"), Range.parse("AA,KK,QQ"), Range.parse("JJ+")}) == 2
        assert Range(np.full(1326, -0.0)) == Range(np.zeros(1326))
        assert hash(Range(np.full(1326, -0.0))) == hash(Range(np.zeros(1326)))
        assert Range.parse("AA") != "AA"
        assert not Range.parse("none")
        assert Range.parse("AA:0.1")

    def test_a_range_cannot_change(self) -> None:
        weights = np.ones(1326)
        hand_range = Range(weights)
        weights[0] = 0.0
        assert hand_range == Range.parse("random")
        with pytest.raises(ValueError, match="read-only"):
            hand_range.weights[0] = 0.0
        with pytest.raises(AttributeError):
            hand_range.weights = weights  # type: ignore[misc]

    @pytest.mark.parametrize("dtype", [np.float32, np.int8, np.bool_])
    def test_weights_may_be_of_any_real_type(self, dtype: type) -> None:
        assert Range(np.ones(1326, dtype=dtype)) == Range.parse("random")

    @pytest.mark.parametrize(
        "weights",
        [np.ones(169), np.ones((13, 13)), np.ones(1326, dtype=complex), np.full(1326, "1"), 0.5],
    )
    def test_other_arrays_are_refused(self, weights: object) -> None:
        with pytest.raises(CardError, match=r"give real numbers with the shape \(1326,\)"):
            Range(weights)  # type: ignore[arg-type]

    @pytest.mark.parametrize("wrong", [-0.01, 1.0000001, float("nan"), float("inf")])
    def test_weights_outside_0_to_1_are_refused(self, wrong: float) -> None:
        weights = np.ones(1326)
        weights[1325] = wrong
        with pytest.raises(CardError, match=f"the weight of AsAh is {wrong}: give weights"):
            Range(weights)
