"""Pushes, calls and folds before the flop at larger tables, judged by the charts of the table."""

from pathlib import Path
from typing import Any

import pytest

import untilt
from untilt.cards.combos import CLASS_NAMES
from untilt.hands.store.importing import import_hands

HAND = """
[{number}]
variant = 'NT'
antes = [0, 0, 0, 0]
blinds_or_straddles = [50, 100, 0, 0]
min_bet = 100
starting_stacks = [1000, 800, 2500, 1200]
actions = ['d dh p1 {small}', 'd dh p2 {big}', 'd dh p3 KcKd', 'd dh p4 {button}', {actions}]
players = ['Sam', 'Bea', 'Uma', 'Bud']
hand = {number}
"""
BOARD = "'d db 3s4s8h', 'd db Jd', 'd db 5c'"
PLAYED = (
    ("AsAh", "7h2c", "QdQc", "'p3 f', 'p4 f', 'p1 f'"),  # queens and aces are folded
    ("7s2d", "AcAd", "3d2h", "'p3 f', 'p4 cbr 1200', 'p1 f', 'p2 f'"),  # 32o pushed, aces folded
    ("AsAh", "7h2c", "QdQc", f"'p3 f', 'p4 cbr 1200', 'p1 cc', 'p2 f', {BOARD}"),
    ("AsAh", "7h2c", "QdQc", "'p3 f', 'p4 cbr 250', 'p1 f', 'p2 f'"),  # neither push nor fold
)  # fmt: skip


@pytest.fixture(scope="module")
def hands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("table")
    texts = [
        HAND.format(number=number, small=small, big=big, button=button, actions=actions)
        for number, (small, big, button, actions) in enumerate(PLAYED, start=1)
    ]
    (folder / "table.phhs").write_text("".join(texts), "utf-8")
    assert import_hands(folder / "table.phhs", folder / "hands").imported == len(PLAYED)
    return folder / "hands"


def decisions(hands: Path, player: str) -> list[dict[str, Any]]:
    leaks = untilt.hands.review(
        hands, player=player, agent="pushfold", output=hands.parent / player
    )
    return [leaks.row(place) for place in range(len(leaks.decisions))]


def test_decisions_of_short_stacks_cost_what_the_chart_of_the_table_says(hands: Path) -> None:
    # The first seat folded and posted nothing: the chart is that of the three others.
    chart = untilt.pushfold.chart(seats=3, stacks=[12, 10, 8])

    def cost(decision: Any, name: str, *, is_played: bool) -> float:
        number = CLASS_NAMES.index(name)
        values = float(decision.fold_evs[number]), float(decision.ev[number])
        return (max(values) - values[is_played]) * chart.bb_per_unit

    first = chart.decision(0)
    assert [row["cost_bb"] for row in decisions(hands, "Bud")] == pytest.approx(
        [
            cost(first, "QQ", is_played=False),
            cost(first, "32o", is_played=True),
            cost(first, "QQ", is_played=True),
            None,
        ],
        abs=1e-4,
    )
    assert cost(first, "QQ", is_played=False) > 1.0
    # Two seats are left when the button has folded, too.
    small = untilt.pushfold.chart(seats=2, stacks=[10, 8]).decision(0)
    after = chart.decision(1, (0,))
    assert [row["cost_bb"] for row in decisions(hands, "Sam")[:3]] == pytest.approx(
        [
            cost(small, "AA", is_played=False),
            cost(after, "72o", is_played=False),
            cost(after, "AA", is_played=True),
        ],
        abs=1e-4,
    )
    aces = decisions(hands, "Bea")
    assert aces[0]["cost_bb"] == pytest.approx(
        cost(chart.decision(2, (0,)), "AA", is_played=False), abs=1e-4
    )
    assert aces[0]["cost_bb"] > 5.0
    assert (aces[0]["judge"], aces[0]["best"]) == ("pushfold", "call")


def test_what_no_chart_judges_keeps_its_reason(hands: Path) -> None:
    assert decisions(hands, "Bud")[3]["reason"] == "more than two players"
    # 25 big blinds are too many, whatever the others have.
    assert {row["reason"] for row in decisions(hands, "Uma")} == {"more than two players"}


HEADS_UP = """
variant = 'NT'
antes = [0, 0]
blinds_or_straddles = {blinds}
min_bet = 10
starting_stacks = {stacks}
actions = ['d dh p1 AsKd', 'd dh p2 ????', {actions}]
players = ['Ann', 'Bob']
"""


@pytest.mark.parametrize(
    ("blinds", "stacks", "actions", "reason"),
    [
        ("[5, 10]", "[100, 100]", "'p2 cbr 100', 'p1 f'", None),
        ("[5, 10]", "[inf, inf]", "'p2 cbr 100', 'p1 f'", "the stacks are not known"),
        ("[5, 10]", "[100, inf]", "'p2 cbr 100', 'p1 f'", "the stacks are not known"),
        ("[10, 5]", "[100, 100]", "'p1 f'", "the button has the big blind"),
    ],
)
def test_hands_without_stacks_or_the_usual_button_are_not_judged(
    blinds: str, stacks: str, actions: str, reason: str | None, tmp_path: Path
) -> None:
    text = HEADS_UP.format(blinds=blinds, stacks=stacks, actions=actions)
    (tmp_path / "one.phh").write_text(text, "utf-8")
    import_hands(tmp_path / "one.phh", tmp_path / "hands")
    [row] = decisions(tmp_path / "hands", "Ann")
    assert (row["reason"], row["judged"]) == (reason, reason is None)


def test_larger_tables_without_stacks_are_not_judged(tmp_path: Path) -> None:
    text = HAND.format(number=1, small="AsAh", big="7h2c", button="QdQc", actions=PLAYED[0][3])
    (tmp_path / "one.phh").write_text(text.replace("2500", "inf"), "utf-8")
    import_hands(tmp_path / "one.phh", tmp_path / "hands")
    [row] = decisions(tmp_path / "hands", "Bud")
    assert row["reason"] == "the stacks are not known"
