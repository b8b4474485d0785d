"""What a run says of itself, in memory, as JSON and from its folder."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.runs.folders import save_often
from tests.runs.game_runs import load, resume

from untilt.runs.interrupt import Interrupted
from untilt.runs.kinds import read_task
from untilt.runs.solve import solve
from untilt.runs.watching import Status
from untilt.solvers.methods import METHODS

KEYS = [
    *("game", "method", "parameters", "iterations", "seconds", "compile_seconds"),
    *("total_seconds", "value", "values", "exploitability", "nash_conv", "infosets"),
    *("action_variables", "sequences", "terminals", "run"),
]


@pytest.mark.parametrize("method", [name for name in METHODS if name != "gambit-enummixed"])
def test_the_json_of_a_run_has_every_key(tmp_path: Path, method: str) -> None:
    if METHODS[method].extra == "gambit":
        pytest.importorskip("pygambit", minversion="17.0.0b2")
    runs_to_its_end = not METHODS[method].has_iterations
    stop: Any = {} if runs_to_its_end else {"iterations": 50}
    run = solve("kuhn", method, output=tmp_path / "run", **stop)
    document = json.loads(json.dumps(run.to_json(strategy=True), allow_nan=False))
    assert set(KEYS) <= document.keys()
    assert document["iterations"] == (None if method in ("lp", "gambit-lcp") else run.iterations)
    assert runs_to_its_end or run.iterations == 50
    assert document["sequences"] == [13, 13]
    assert document["run"] == str(tmp_path / "run")
    assert sum(document["strategy"]["P0:J:"].values()) == pytest.approx(1.0)
    assert document["value"] == document["values"][0]
    assert document["exploitability"] == document["nash_conv"] / 2
    plain = run.to_json()
    assert "strategy" not in plain
    assert json.loads((tmp_path / "run" / "result.json").read_text()) == plain


@pytest.mark.parametrize("alpha", [math.inf, -math.inf])
def test_an_infinite_exponent_survives_files_and_json(tmp_path: Path, alpha: float) -> None:
    run = solve("kuhn", "dcfr", iterations=20, alpha=alpha, output=tmp_path / "run")
    text = json.dumps(run.to_json(), allow_nan=False)
    assert json.loads(text)["options"]["alpha"] == str(alpha)
    assert load(tmp_path / "run").request == run.request
    assert resume(tmp_path / "run", iterations=40).request.options["alpha"] == alpha


class WithLimit:
    """What `name_position` and `resolve` give for a game whose parameter is infinite."""

    def __new__(cls, limit: float = math.inf) -> Any:
        from untilt.games.kuhn import Kuhn

        assert limit == math.inf
        return Kuhn()


def test_an_infinite_parameter_of_a_game_survives_files_and_json(tmp_path: Path) -> None:
    run = solve("tests.runs.test_run:WithLimit", iterations=5, output=tmp_path / "run")
    assert run.to_json()["parameters"] == {"limit": "inf"}
    assert load(tmp_path / "run").to_json() == run.to_json()


def test_a_finished_run_comes_back_whole(tmp_path: Path) -> None:
    run = solve("leduc", "cfr+", iterations=100, output=tmp_path / "run")
    again = load(tmp_path / "run")
    assert again.is_finished
    assert again.request == run.request
    assert again.evaluation == run.evaluation
    assert again.to_json(strategy=True) == run.to_json(strategy=True)
    assert again.strategy["P0:J::"] == run.strategy["P0:J::"]
    for found, expected in zip(again.profile.behaviours, run.profile.behaviours, strict=True):
        np.testing.assert_array_equal(found, expected)
    assert load(str(tmp_path / "run")).to_json() == run.to_json()


def test_an_interrupted_run_stands_where_its_checkpoint_left_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_often(monkeypatch)

    def watch(status: Status) -> None:
        if status.progress is not None and status.progress.iteration == 20:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        solve("kuhn", "cfr+", iterations=100, output=tmp_path / "run", watcher=watch)
    run = load(tmp_path / "run")
    assert not run.is_finished
    assert run.iterations == 20
    twenty = solve("kuhn", "cfr+", iterations=20, save=False)
    assert run.strategy.to_dict() == twenty.strategy.to_dict()
    assert run.value == twenty.value
    assert 0.0 < run.seconds <= run.total_seconds
    json.dumps(run.to_json(strategy=True), allow_nan=False)


def test_a_run_that_is_not_saved_touches_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = solve("kuhn", "cfr+", iterations=50, save=False)
    assert run.path is None
    assert run.to_json()["run"] is None
    assert list(tmp_path.iterdir()) == []


def test_saving_changes_no_bit(tmp_path: Path) -> None:
    saved = solve("leduc", "dcfr+", iterations=200, output=tmp_path / "run")
    unsaved = solve("leduc", "dcfr+", iterations=200, save=False)
    for one, other in zip(saved.profile.behaviours, unsaved.profile.behaviours, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_run_remembers_what_was_asked_and_where(tmp_path: Path) -> None:
    solve("leduc", "cfr+", parameters={"ranks": 4}, iterations=5, seed=9, output=tmp_path / "run")
    request, record = read_task(tmp_path / "run")
    assert (request.game, request.reference, request.method) == ("leduc", "leduc", "cfr+")
    assert request.parameters == {"ranks": 4, "suits": "merged", "bets": 2}
    assert (request.seed, request.horizon) == (9, 5)
    entries = json.loads((tmp_path / "run" / "run.json").read_text())
    assert entries["fingerprint"] == record.fingerprint
    assert entries["machine"]["cores"]
    assert entries["untilt"]
