"""`untilt compare`: two strategies of one game side by side."""

from pathlib import Path

import pytest
from tests.cli.conftest import Command
from tests.reference.values import expected_value, infoset_reach
from tests.runs import game_runs

import untilt

KUHN = untilt.games.kuhn()


def test_head_to_head_and_distances_agree_with_plain_recursion(
    command: Command, runs: Path
) -> None:
    found = command("compare", runs / "lp", runs / "cfr", "--top", "12", "--json").json
    one, other = (game_runs.load(runs / name).strategy.to_dict() for name in ("lp", "cfr"))
    own = {label: (one if label.startswith("P0") else other)[label] for label in one}
    swapped = {label: (other if label.startswith("P0") else one)[label] for label in one}
    match = found["head_to_head"]
    assert match["as_player_0"] == pytest.approx(expected_value(KUHN, own, 0), abs=1e-14)
    assert match["as_player_1"] == pytest.approx(expected_value(KUHN, swapped, 1), abs=1e-14)
    assert match["mean"] == pytest.approx((match["as_player_0"] + match["as_player_1"]) / 2)

    apart = {
        label: sum(abs(one[label][action] - other[label][action]) for action in one[label]) / 2
        for label in one
    }
    weights = [
        infoset_reach(KUHN, profile, 0) | infoset_reach(KUHN, profile, 1)
        for profile in (one, other)
    ]
    rows = {row["label"]: row for row in found["infosets"]}
    assert set(rows) == {label for label in one if apart[label] > 0.0}
    for label, row in rows.items():
        assert row["distance"] == pytest.approx(apart[label], abs=1e-14)
        assert row["strategies"] == [one[label], other[label]]
        for reach, given in zip(row["reaches"], weights, strict=True):
            assert reach == pytest.approx(given[label].own * given[label].others, abs=1e-14)
    order = [row["distance"] * sum(row["reaches"]) for row in found["infosets"]]
    assert order == sorted(order, reverse=True)
    total = sum(weights[0][label].own * weights[0][label].others for label in one)
    mean = sum(apart[x] * weights[0][x].own * weights[0][x].others for x in one) / total
    assert found["distance"]["reach_weighted"] == pytest.approx(mean, abs=1e-14)
    assert found["distance"]["largest"] == max(apart.values())


def test_facts_of_both_runs_stand_side_by_side(command: Command, runs: Path) -> None:
    found = command("compare", runs / "lp", runs / "cfr", "--json").json
    assert [each["method"] for each in found["strategies"]] == ["lp", "cfr"]
    assert [each["iterations"] for each in found["strategies"]] == [None, 200]
    for name, facts in zip(("lp", "cfr"), found["strategies"], strict=True):
        alone = command("evaluate", runs / name, "--json").json
        for key in ("value", "values", "exploitability", "nash_conv", "gains"):
            assert facts[key] == alone[key]


def test_the_same_numbers_as_evaluate_against(command: Command, runs: Path) -> None:
    found = command("compare", runs / "lp", runs / "cfr", "--json").json
    against = command("evaluate", runs / "lp", "--against", runs / "cfr", "--json").json
    assert found["distance"] == against["distance"]
    assert found["head_to_head"].items() <= against["against"].items()


def test_a_run_and_itself_as_a_file_play_alike(command: Command, runs: Path) -> None:
    command("export", runs / "kuhn", "--output", "same.json")
    found = command("compare", runs / "kuhn", "same.json")
    assert "the two play alike everywhere" in found.out
    both = command("compare", "same.json", "same.json", "--json").json
    assert (both["infosets"], both["differing_infosets"]) == ([], 0)


def test_the_table_lists_where_they_differ_most(command: Command, runs: Path) -> None:
    found = command("compare", runs / "lp", runs / "cfr", "--top", "2")
    assert (found.status, found.err) == (0, "")
    assert "Kuhn Poker" in found.out
    assert "infoset" in found.out
    assert "the 2 of 12 differing infosets (of 12)" in found.out


def test_other_games_are_refused(command: Command, runs: Path) -> None:
    error = command("compare", runs / "kuhn", runs / "leduc").error
    assert "belong to different games (kuhn and leduc(" in error
    assert "does not exist" in command("compare", runs / "kuhn", "nowhere").error
    command("export", runs / "leduc", "--output", "leduc.json")
    assert "leduc.json" in command("compare", runs / "kuhn", "leduc.json").error
