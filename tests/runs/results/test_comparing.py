"""`untilt.compare`: what stands for a strategy, and how the result shows itself."""

import dataclasses
import json
from pathlib import Path

import pytest

import untilt
from untilt.errors import InvalidOption, RunError
from untilt.runs.run import GameRun

UNIFORM = untilt.strategies.uniform("kuhn")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GameRun:
    monkeypatch.chdir(tmp_path)
    return untilt.solve("kuhn", "cfr+", iterations=20, output="run")


def test_runs_folders_files_profiles_and_dictionaries_give_the_same(run: GameRun) -> None:
    Path("uniform.json").write_text(json.dumps(UNIFORM.to_dict()))
    expected = untilt.compare(run, UNIFORM).to_json()
    both = UNIFORM.strategies[0], UNIFORM.strategies[1]
    for first in (run, "run", Path("run")):
        for second in (UNIFORM, UNIFORM.to_dict(), "uniform.json", both):
            found = untilt.compare(first, second).to_json()
            assert found["infosets"] == expected["infosets"]
            assert found["head_to_head"] == expected["head_to_head"]
    swapped = untilt.compare(UNIFORM, run).to_json()
    assert swapped["head_to_head"]["mean"] == pytest.approx(-expected["head_to_head"]["mean"])
    without = untilt.compare(run.profile, UNIFORM, game="kuhn").to_json()
    assert without["infosets"] == expected["infosets"]


def test_the_measures_are_those_of_evaluate_and_distance(run: GameRun) -> None:
    found = untilt.compare(run, UNIFORM)
    assert found.strategies[0].evaluation == run.evaluation
    assert found.strategies[1].evaluation == untilt.evaluate("kuhn", UNIFORM)
    assert found.distance == untilt.strategies.distance("kuhn", run, UNIFORM)
    assert found.head_to_head == untilt.strategies.head_to_head("kuhn", run, UNIFORM)
    assert (found.strategies[0].method, found.strategies[1].method) == ("cfr+", None)


@pytest.mark.parametrize(("game", "unit"), [("kuhn", "chips"), ("pushfold", "bb")])
def test_the_unit_is_that_of_the_game(game: str, unit: str) -> None:
    uniform = untilt.strategies.uniform(game)
    solved = untilt.solve(game, "cfr+", iterations=2, save=False)
    assert untilt.compare(uniform, uniform, game=game).unit == unit
    assert untilt.compare(solved, uniform).to_json()["unit"] == unit


def test_strategies_without_their_game_or_of_another_are_refused(run: GameRun) -> None:
    with pytest.raises(InvalidOption, match="does not say which game"):
        untilt.compare(UNIFORM, UNIFORM)
    with pytest.raises(InvalidOption, match="give the game, too"):
        untilt.compare(run, run, parameters={"cards": 4})
    with pytest.raises(RunError, match="different games"):
        untilt.compare(run, untilt.solve("leduc", iterations=2, save=False))
    with pytest.raises(RunError, match=r"is a run of kuhn.*not of leduc"):
        untilt.compare(run, UNIFORM, game="leduc")


def test_what_is_shown_is_short_and_frozen(run: GameRun) -> None:
    leduc = untilt.solve("leduc", iterations=5, save=False)
    found = untilt.compare(leduc, untilt.strategies.uniform("leduc"))
    assert len(found.differences) > 100
    assert len(repr(found)) < 300
    html = found._repr_html_()
    assert html.count("<tr>") == 11
    assert len(html) < 6_000
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.game = "kuhn"  # type: ignore[misc]


def test_the_frame_has_a_row_for_every_action_that_could_differ(run: GameRun) -> None:
    pytest.importorskip("pandas")
    found = untilt.compare(run, UNIFORM)
    frame = found.to_frame()
    assert len(frame) == 2 * len(found.differences)
    first = frame.iloc[0]
    assert first["first"] == run.strategy[first["infoset"]][first["action"]]
    assert first["second"] == 0.5
