"""Range against range, against sums over every pair of hands."""

import itertools
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.reference import hand_classes as slow

import untilt
from untilt.cards.card import mask_of, parse_cards
from untilt.cards.combos import combo_index
from untilt.policy.nodes.range_facts import SideRange, equity_curve, range_facts

BOARD = "Td9d6hQc"
Weights = dict[slow.Hand, Fraction]


def as_number(mean: Fraction | None) -> float:
    assert mean is not None
    return float(mean)


def drawn(seed: int, count: int) -> Weights:
    """Return a range of some hands with weights."""
    deck = random.Random(seed)
    hands = deck.sample(slow.all_hands([BOARD[i : i + 2] for i in range(0, 8, 2)]), count)
    return {hand: Fraction(deck.randrange(1, 9), 8) for hand in hands}


def fractions(seed: int, hands: Weights) -> Weights:
    deck = random.Random(seed)
    return {hand: Fraction(deck.randrange(0, 33), 32) for hand in hands}


def side(
    own: Weights, other: Weights, equity: Weights, ev: Weights, mix: list[Weights]
) -> SideRange:
    def row(values: Weights) -> np.ndarray:
        return np.array([float(values[hand]) for hand in own])

    combos = np.array([combo_index(*parse_cards("".join(hand))) for hand in own], np.int16)
    mass = row(slow.masses(own, other))
    rows = np.array([row(each) for each in mix]) if mix else np.zeros((0, 0))
    return SideRange(combos, row(own), mass, row(equity), row(ev), rows)


@pytest.fixture(scope="module")
def ranges() -> tuple[Weights, Weights]:
    return drawn(1, 60), drawn(2, 45)


class TestAgainstSlowSums:
    @pytest.fixture
    def parts(self, ranges: tuple[Weights, Weights]) -> dict[str, list[Weights]]:
        bet = fractions(5, ranges[1])
        return {
            "equity": [fractions(3, ranges[0]), fractions(4, ranges[1])],
            "ev": [fractions(6, ranges[0]), fractions(7, ranges[1])],
            "mix": [bet, {hand: 1 - share for hand, share in bet.items()}],
        }

    @pytest.fixture
    def facts(
        self, ranges: tuple[Weights, Weights], parts: dict[str, list[Weights]]
    ) -> dict[str, Any]:
        sides = [
            side(ranges[seat], ranges[1 - seat], parts["equity"][seat], parts["ev"][seat], mix)
            for seat, mix in enumerate(([], parts["mix"]))
        ]
        return range_facts(sides, BOARD)

    def test_a_class_has_the_mean_of_its_hands(
        self,
        ranges: tuple[Weights, Weights],
        parts: dict[str, list[Weights]],
        facts: dict[str, Any],
    ) -> None:
        board = [BOARD[i : i + 2] for i in range(0, len(BOARD), 2)]
        own, mass = ranges[1], slow.masses(ranges[1], ranges[0])
        total = sum(mass.values())
        seen = set()
        for row in facts["sides"][1]["classes"]:
            members = {
                hand: mass[hand]
                for hand in own
                if mass[hand]
                and (
                    slow.made_hand(hand, board) == row["name"]
                    if row["kind"] == "made"
                    else row["name"] in slow.draws_of(hand, board)
                )
            }
            seen.add(row["name"])
            assert row["share"] == pytest.approx(float(sum(members.values()) / total))
            assert row["combos"] == pytest.approx(float(sum(own[hand] for hand in members)))
            assert [list(own)[place] for place in row["hands"]] == list(members)
            assert row["equity"] == pytest.approx(as_number(slow.mean(parts["equity"][1], members)))
            assert row["ev"] == pytest.approx(as_number(slow.mean(parts["ev"][1], members)))
            assert row["mix"][0] == pytest.approx(as_number(slow.mean(parts["mix"][0], members)))
        made = [row["share"] for row in facts["sides"][1]["classes"] if row["kind"] == "made"]
        assert sum(made) == pytest.approx(1.0)
        assert {"top pair", "air"} <= seen

    def test_a_blocker_changes_the_mix_as_the_hands_with_the_card_do(
        self,
        ranges: tuple[Weights, Weights],
        parts: dict[str, list[Weights]],
        facts: dict[str, Any],
    ) -> None:
        rows = {row["card"]: row for row in facts["blockers"]}
        assert len(rows) == 48
        mass = slow.masses(ranges[0], ranges[1])
        for card, row in rows.items():
            expected = slow.against_card(card, ranges[1], ranges[0], parts["mix"][0])
            if expected is None:
                assert row["mix"] is None
                continue
            assert row["mix"][0] == pytest.approx(as_number(expected)), card
            holders = {hand: mass[hand] for hand in mass if card in hand}
            assert row["ev"] == pytest.approx(as_number(slow.mean(parts["ev"][0], holders))), card

    def test_the_curve_reaches_each_share_of_the_range(
        self,
        ranges: tuple[Weights, Weights],
        parts: dict[str, list[Weights]],
        facts: dict[str, Any],
    ) -> None:
        mass = slow.masses(ranges[0], ranges[1])
        curve = facts["sides"][0]["curve"]
        assert len(curve) == 101
        # Where a share ends exactly with a hand, rounding may go either way.
        for percent in range(1, 100, 7):
            around = [
                float(slow.quantile(parts["equity"][0], mass, Fraction(percent, 100) + step))
                for step in (Fraction(-1, 10**9), Fraction(1, 10**9))
            ]
            assert min(around) - 1e-5 <= curve[percent] <= max(around) + 1e-5
        assert facts["sides"][0]["equity"] == pytest.approx(
            as_number(slow.mean(parts["equity"][0], mass))
        )

    def test_buckets_are_shares_by_equity(
        self,
        ranges: tuple[Weights, Weights],
        parts: dict[str, list[Weights]],
        facts: dict[str, Any],
    ) -> None:
        mass = slow.masses(ranges[0], ranges[1])
        equity, total = parts["equity"][0], sum(mass.values())
        bounds = [Fraction(2), Fraction(3, 4), Fraction(1, 2), Fraction(1, 3), Fraction(0)]
        for place, (above, least) in enumerate(itertools.pairwise(bounds)):
            part = sum(mass[hand] for hand in mass if least <= equity[hand] < above)
            assert facts["sides"][0]["buckets"][place] == pytest.approx(float(part / total))


def test_a_solution_has_its_own_equities_and_values() -> None:
    spot = untilt.Spot(
        board="Td9d6hQc2s",
        ranges=("AA,JJ,87s", "KK,QJs"),
        pot=100,
        stack=300,
        sizes=untilt.Sizes("75%", raises="a"),
    )
    node = untilt.solve(spot, iterations=100, save=False).result.root
    facts = range_facts(
        [
            SideRange(
                each.combos,
                each.weights,
                each.mass,
                each.equity,
                each.ev,
                node.strategy if player == node.player else np.zeros((0, 0)),
            )
            for player, each in enumerate(node.sides)
        ],
        node.board,
    )
    ours, theirs = (each["equity"] for each in facts["sides"])
    exact = untilt.cards.equity("AA,JJ,87s", "KK,QJs", board="Td9d6hQc2s").equities
    assert (ours, theirs) == pytest.approx(exact)
    names = {row["name"]: row for row in facts["sides"][0]["classes"]}
    assert names.keys() == {"straight", "overpair", "underpair"}
    # No hand of the other range beats a straight of this one; JJ loses to KK and to QJ.
    assert names["straight"]["equity"] == pytest.approx(1.0)
    assert names["underpair"]["equity"] == pytest.approx(0.0)
    assert sum(row["ev"] * row["share"] for row in names.values()) == pytest.approx(
        node.sides[0].mean_ev
    )
    assert mask_of(parse_cards(node.board)).bit_count() + len(facts["blockers"]) == 52


def test_an_empty_range_has_no_curve() -> None:
    assert equity_curve(np.array([0.5, 0.7]), np.zeros(2)) == []
