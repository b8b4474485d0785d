"""All-in equity: a slow twin on small spots, known values, agreement of methods, refusals."""

import importlib
import pkgutil
from collections.abc import Sequence
from fractions import Fraction
from math import comb, sqrt
from typing import Any

import numpy as np
import pytest
from tests.reference import equities as reference

import untilt.cards
from untilt.cards import (
    DECK,
    Range,
    card_name,
    equity,
    equity_histograms,
    hand_equities,
    mask_of,
    parse_cards,
)
from untilt.cards.combos import COMBO_CARDS, COMBO_MASKS, NUM_COMBOS, combo_index, combo_name
from untilt.cards.equity.match_up import sum_match_ups
from untilt.cards.equity.runouts import runouts_of
from untilt.cards.showdown.showdown import sum_showdowns
from untilt.errors import CardError, InvalidOption


def names(text: str) -> list[str]:
    return [card_name(card) for card in parse_cards(text)]


def as_reference(text: str) -> dict[reference.Hand, Fraction]:
    return {
        (card_name(int(low)), card_name(int(high))): Fraction(weight)
        for combo, weight in Range.parse(text)
        for low, high in [COMBO_CARDS[combo]]
    }


SPOTS = [
    (("AsAh", "KdKc"), "Ks7d2c"),
    (("AsAh", "KdKc"), "Ks7d2c2d"),
    (("AK", "QQ,JTs"), "Qs8d2s5s"),
    (("22+:0.5,AK:0.25", "KQ,76s:0.75"), "7s6s2c5sAd"),
    (("random", "AA,KK:0.5"), "AsKsQsJsTs"),  # everybody plays the board
    (("9s8s,KK", "TT-77"), "Th9h2h8h"),
    (("AsAh", "KdKc", "7s6s"), "8s5d2c"),
    (("AK", "QQ", "JTs:0.5"), "Qs8d2s5s"),
    (("AsKd", "AhKc", "QsQd", "3s3d"), "TdJh2s4c"),
    (("AsKd", "AhKc", "AdKs", "AcKh", "22", "33"), "TdJhQs4c"),
]


@pytest.mark.parametrize(("sides", "board"), SPOTS)
@pytest.mark.parametrize("dead", ["", "4d6h"])
def test_the_slow_twin_counts_the_same(sides: Sequence[str], board: str, dead: str) -> None:
    expected = reference.all_in([as_reference(side) for side in sides], names(board), names(dead))
    found = equity(*sides, board=board, dead=dead)
    assert found.method == "exact"
    assert found.equities == pytest.approx([float(share) for share in expected.equities], abs=1e-12)
    # All weights are sums of powers of two, so that even broken ones come out exactly.
    assert list(found.wins) == expected.wins
    assert list(found.ties) == expected.ties
    assert list(found.losses) == expected.losses
    is_whole = all(":" not in side for side in sides)
    assert all(isinstance(count, int) == is_whole for count in found.wins + found.ties)
    cards_left = 52 - len(names(board)) - len(names(dead)) - 2 * len(sides)
    assert found.boards == comb(cards_left, 5 - len(names(board)))


@pytest.mark.parametrize("board", ["Qs8d2s5s", "7s6s2c5sAd"])
def test_every_hand_has_the_equity_of_the_slow_twin(board: str) -> None:
    hero, villain = "AK,QQ:0.5,7d6d", "KQ,76s:0.75,QsJd"
    sides = hand_equities(hero, villain, board=board)
    for hands, other in zip(sides, (villain, hero), strict=True):
        assert hands
        for hand in hands:
            alone = {tuple(names(hand.name)): Fraction(1)}
            expected = reference.all_in([alone, as_reference(other)], names(board))  # type: ignore[list-item]
            assert hand.equity == pytest.approx(float(expected.equities[0]), abs=1e-12)
            assert [hand.wins, hand.ties, hand.losses] == [
                expected.wins[0],
                expected.ties[0],
                expected.losses[0],
            ]


def test_hands_of_both_sides_add_up_to_the_equity_of_the_ranges() -> None:
    for board in ("", "Td9d6h"):
        whole = equity("22+,A2s+:0.5", "KTo+,T9s", board=board)
        for side, hands in enumerate(hand_equities("22+,A2s+:0.5", "KTo+,T9s", board=board)):
            assert sum(hand.weight * hand.wins for hand in hands) == pytest.approx(whole.wins[side])
            assert sum(hand.weight * hand.losses for hand in hands) == pytest.approx(
                whole.losses[side]
            )


def test_aces_against_a_random_hand() -> None:
    found = equity("AA", "random")
    assert found.equities[0] == pytest.approx(0.852037, abs=5e-7)
    assert found.method == "table"
    assert found.wins[0] + found.ties[0] + found.losses[0] == 6 * 1225 * 1_712_304
    assert all(isinstance(count, int) for count in found.wins + found.ties + found.losses)


def test_all_hands_against_all_hands_are_even_and_everything_is_counted() -> None:
    found = equity("random", "random", board="Td9c6h")
    assert found.equities == (0.5, 0.5)
    assert found.wins[0] + found.ties[0] + found.losses[0] == comb(49, 2) * comb(47, 2) * 990


def test_a_hand_can_be_given_as_cards_text_or_range() -> None:
    expected = equity("AsAh", "QQ+:0.5", board="Td9d6h2c")
    assert equity(parse_cards("AhAs"), Range.parse("QQ+:0.5"), board="2c 9d 6h Td") == expected


def test_a_weight_that_is_common_to_a_range_changes_no_equity() -> None:
    full = equity("22+", "A2s+", board="Td9d6h")
    scaled = equity("22+:0.3", "A2s+:0.7", board="Td9d6h")
    assert scaled.equities == pytest.approx(full.equities, abs=1e-12)
    assert scaled.wins[0] == pytest.approx(0.21 * full.wins[0])
    preflop = equity("22+:0.3", "A2s+:0.7")
    assert preflop.equities == pytest.approx(equity("22+", "A2s+").equities, abs=1e-12)


@pytest.mark.parametrize("board", ["Td9d6h", "TdTh6h", "TdTh6c2s", "TdTh6c2s2h"])
def test_equal_run_outs_stand_for_all(board: str) -> None:
    card_set = mask_of(parse_cards(board))
    ranges = tuple(Range.parse(text).without(card_set).weights for text in ("T9s,AK,55", "22+,QJ"))
    merged = runouts_of(card_set, 0, list(ranges))
    # A range that no renaming of suits leaves alone keeps all run-outs apart.
    lopsided = np.zeros(NUM_COMBOS)
    lopsided[[combo_index(*parse_cards(hand)) for hand in ("AcKd", "QhJs", "2c3h")]] = 1, 0.5, 0.25
    apart = runouts_of(card_set, 0, [lopsided])
    num_all = comb(52 - len(names(board)), 5 - len(names(board)))
    assert len(apart.boards) == apart.counts.sum() == merged.counts.sum() == num_all
    if len(names(board)) < 5:
        assert len(merged.boards) < num_all
    for ours, theirs in zip(
        sum_showdowns(merged, (ranges[0], ranges[1])),
        sum_showdowns(apart, (ranges[0], ranges[1])),
        strict=True,
    ):
        for kind in range(3):
            assert np.array_equal(ours[kind], theirs[kind])


@pytest.mark.long
def test_sorting_boards_and_counting_suits_agree_before_the_flop() -> None:
    # Few cards are left, so that all boards can be sorted.
    dead = mask_of([card for card in DECK if card & 15 in {0, 1, 2, 3, 4, 5}])
    first, second = (Range.parse(text).weights for text in ("JJ+:0.5,AKs", "T9s,KQo,AA"))
    swept = sum_showdowns(runouts_of(0, dead, [first, second]), (first, second))
    counted = sum_match_ups((first, second), dead)
    for ours, theirs in zip(swept, counted, strict=True):
        for kind in range(3):
            assert np.array_equal(ours[kind], theirs[kind])


def test_threads_change_no_bit() -> None:
    def results(threads: int) -> list[Any]:
        weighted = ("22+:0.3,AK:0.123", "KQ:0.7,T9s:0.9")
        return [
            equity(*weighted, board="Td9c6h", threads=threads),
            equity(*weighted, dead="2c", threads=threads),
            equity(*weighted, "55:0.1", board="Td9c6h", threads=threads),
            equity(*weighted, "random", samples=50_000, threads=threads),
        ]

    assert results(1) == results(2) == results(3)


def test_a_seed_decides_the_sample() -> None:
    first, again, other = (
        equity("AA", "random", "KQs", samples=20_000, seed=seed) for seed in (1, 1, 2)
    )
    assert first == again
    assert first.wins != other.wins


@pytest.mark.parametrize(
    ("sides", "board"),
    [
        (("AsAh", "KdKc", "QsJs"), ""),
        (("AK:0.5,QQ", "KQ:0.25,AA"), "Td9d6h"),
        (("AA,KK", "AK,KK", "22:0.5,AQ"), "Ah8d4c2s"),
    ],
)
def test_a_sample_lies_within_its_standard_errors(sides: Sequence[str], board: str) -> None:
    exact = equity(*sides, board=board)
    assert exact.standard_errors is None
    num_samples = 200_000
    sampled = equity(*sides, board=board, samples=num_samples, seed=3)
    assert sampled.method == "monte carlo"
    assert sampled.boards == num_samples
    assert sampled.standard_errors is not None
    assert sum(sampled.equities) == pytest.approx(1.0)
    for side, error in enumerate(sampled.standard_errors):
        share = exact.equities[side]
        # Ties make the spread of shares a little smaller than that of win or lose.
        assert 0.8 < error / sqrt(share * (1 - share) / num_samples) < 1.02
        assert abs(sampled.equities[side] - share) < 4.5 * error
        total = sampled.wins[side] + sampled.ties[side] + sampled.losses[side]
        assert total == num_samples


def test_many_deals_of_three_ranges_are_sampled_and_few_enumerated() -> None:
    sampled = equity("AsAh", "KK,AKs", "random", samples=None)
    assert sampled.method == "monte carlo"
    assert sampled.boards == 1_000_000
    assert equity("AA", "KK,AKs", "QQ", board="Td9d6h").method == "exact"


@pytest.mark.parametrize("bins", [1, 7, 50])
def test_histograms_count_the_run_outs_of_the_slow_twin(bins: int) -> None:
    board, opponent = "Qs8d2s5s", "KQ,76s:0.75,QsJd,AA"
    counts = equity_histograms(opponent, board, bins)
    assert counts.shape == (NUM_COMBOS, bins)
    for hand in ("AsKs", "QdQh", "3c4c", "AhAd"):
        expected = [0] * bins
        for whole in reference.complete_boards(names(board)):
            if not set(names(hand)) & set(whole):
                alone = {tuple(names(hand)): Fraction(1)}
                share = reference.all_in([alone, as_reference(opponent)], whole).equities[0]  # type: ignore[list-item]
                expected[min(int(share * bins), bins - 1)] += 1
        assert counts[combo_index(*parse_cards(hand))].tolist() == expected


def test_histograms_of_a_flop_cover_all_run_outs_and_ignore_suits_that_are_alike() -> None:
    counts = equity_histograms("random", "Td9d6h", 20)
    blocked = (COMBO_MASKS & np.uint64(mask_of(parse_cards("Td9d6h")))) != 0
    assert not counts[blocked].any()
    assert np.all(counts[~blocked].sum(axis=1) == comb(47, 2))
    alike = [combo_index(*parse_cards(hand)) for hand in ("AcKs", "AsKc")]
    assert np.array_equal(counts[alike[0]], counts[alike[1]])
    # Clubs and spades are interchangeable, hearts are not.
    other = combo_index(*parse_cards("AhKh"))
    assert not np.array_equal(counts[alike[0]], counts[other])
    # On a complete board everything is in one bin.
    river = equity_histograms("random", "Td9d6h2c2s", 20)
    assert set(river.sum(axis=1).tolist()) == {0, 1}


@pytest.mark.long
def test_a_histogram_before_the_flop_stands_for_all_boards() -> None:
    counts = equity_histograms("random", "", 4)
    assert np.all(counts.sum(axis=1) == comb(50, 5))
    assert np.array_equal(
        counts[combo_index(*parse_cards("AsAh"))], counts[combo_index(*parse_cards("AdAc"))]
    )
    # Of the mean equity 0.852 the quarters cannot say more.
    shares = counts[combo_index(*parse_cards("AsAh"))] / comb(50, 5)
    assert shares @ [0.0, 0.25, 0.5, 0.75] < 0.852037 < shares @ [0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize(
    ("sides", "options", "complaint"),
    [
        (("AsAh",), {}, "number of hands and ranges is 1: give 2 to 6"),
        (("AA",) * 7, {}, "is 7"),
        (("AsAh", "AsKd"), {}, "As appears twice"),
        (("AsAh", "KK"), {"board": "As2d3d"}, "As appears twice"),
        (("AsAh", "KK"), {"dead": "Ah"}, "Ah appears twice"),
        (("AA", "KK"), {"board": "2c3c4c", "dead": "4c"}, "4c appears twice"),
        (("AA", "KK"), {"board": "2c"}, "the board '2c' has 1 cards: give 0, 3, 4 or 5"),
        (("AA", "KK"), {"board": "2c3c"}, "has 2 cards"),
        (("AA", "KK"), {"board": "AsAdAh"}, "no combo of the range AA remains"),
        (("AA", "KK"), {"dead": "AsAdAh"}, "no combo of the range AA remains"),
        (("none", "KK"), {}, "the range 'none' has no hands"),
        (
            ("AsAh,AsAd", "AsKs,AsKd"),
            {},
            "every choice of hands from the ranges has a repeated card",
        ),
        (("AA", "AA", "AsAh,AdAc"), {"board": "2c3c4c"}, "has a repeated card"),
        (("QQ+", "xx"), {}, r"range 'xx', character 1 \('x'\)"),
        (("KK", parse_cards("AsAhAd")), {}, "a hand has 3 cards"),
        (("KK", [60, 60]), {}, "two different cards"),
        (
            ("2c2d", "3c3d"),
            {"dead": "".join(card_name(card) for card in DECK[8:])},
            "too few cards for the board",
        ),
    ],
)
def test_what_cannot_be_dealt_is_refused(
    sides: Any, options: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(CardError, match=complaint):
        equity(*sides, **options)


def test_ranges_that_never_fit_together_are_refused_while_sampling() -> None:
    with pytest.raises(CardError, match="overlap so much"):
        equity("AA", "AA", "AA", "random", samples=100)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"samples": 1}, "samples is 1"),
        ({"seed": -1}, "seed is -1"),
        ({"threads": 0}, "threads is 0; it must be at least 1"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, int], complaint: str) -> None:
    with pytest.raises(InvalidOption, match=complaint):
        equity("AA", "KK", **options)  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match="bins is 0"):
        equity_histograms("AA", "2c3c4c", 0)


def test_a_hand_that_meets_nothing_has_no_equity() -> None:
    hero, _ = hand_equities("AsKs,QdJd", "AsAh", board="2c3c4c")
    assert [(hand.name, hand.is_met) for hand in hero] == [("QdJd", True), ("AsKs", False)]
    assert [combo_name(hand.combo) for hand in hero] == [hand.name for hand in hero]


def test_a_watcher_sees_the_work_progress_and_may_stop_it() -> None:
    seen: list[float] = []
    equity("22+", "A2s+", board="Td9c6h", watcher=seen.append)
    assert len(seen) > 5
    assert seen == sorted(seen)
    assert seen[-1] == 1.0

    def stop(_: float) -> None:
        raise KeyboardInterrupt

    for threads in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            equity("22+", "A2s+", board="Td9c6h", watcher=stop, threads=threads)


def test_one_compiled_version_of_every_kernel_serves_all_calls() -> None:
    # After the tests above: another version would have been compiled in silence.
    equity("22+", "A2s+", board="Td9c6h")
    for module in pkgutil.iter_modules(untilt.cards.__path__, "untilt.cards."):
        if module.name.rpartition(".")[2] in {"runouts", "showdown", "multiway", "match_up"}:
            for name, kernel in vars(importlib.import_module(module.name)).items():
                if hasattr(kernel, "signatures") and kernel.py_func.__module__ == module.name:
                    is_inlined = kernel.targetoptions.get("forceinline")
                    assert is_inlined or len(kernel.signatures) <= 1, name
