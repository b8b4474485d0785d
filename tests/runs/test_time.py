"""`time` is kept, whatever the game: within an iteration, and by what is done before the first."""

from pathlib import Path
from typing import Any

import pytest
from tests.game.histories.test_size import Line
from tests.runs.game_runs import load, resume
from tests.solvers.mccfr.walks import Walk

from untilt.runs.games import material
from untilt.runs.solve import solve
from untilt.runs.watching import Status

LONG = Line(19)
"""A game of a million histories, all of which one traversal for player 0 explores."""


def test_an_iteration_that_takes_too_long_is_left(tmp_path: Path) -> None:
    shown: list[Status] = []
    folder = tmp_path / "run"
    run = solve(LONG, "es", time=0.3, on="objects", output=folder, watcher=shown.append)
    assert run.iterations == 0
    assert run.seconds >= 0.3
    assert run.game.num_infosets < 2**19 // 4  # of those that the traversal would explore
    assert run.warning is not None
    assert "mccfr-outcome" in run.warning
    assert any(status.progress is not None for status in shown)
    found = load(folder)
    assert found.iterations == 0
    again = resume(folder, time=0.5, game=LONG)
    assert again.iterations == 0
    assert again.seconds >= 0.5


def test_a_run_that_was_left_within_an_iteration_goes_on_to_the_same_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from untilt.solvers.mccfr import solver as solving

    asked: dict[str, Any] = {"method": "es", "on": "objects", "seed": 3}
    whole = solve(Walk(5), **asked, iterations=40, output=tmp_path / "whole")
    monkeypatch.setattr(solving, "_LONGEST_SECONDS", 0.0)
    solve(Walk(5), **asked, time=1e-6, output=tmp_path / "run")
    found = resume(tmp_path / "run", iterations=40, game=Walk(5))
    assert found.iterations == 40
    assert found.profile.to_dict() == whole.profile.to_dict()
    assert found.outcome == whole.outcome


def test_a_tree_that_takes_longer_than_solving_is_not_walked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(material, "SMALL_TREE", 0)
    asked: dict[str, Any] = {"method": "os", "save": False}
    assert solve(Walk(4), **asked, iterations=5).request.options["on"] == "tree"
    run = solve(Walk(4), **asked, time=1e-9)
    assert run.request.options["on"] == "objects"
    assert run.warning is not None
    assert "on=tree" in run.warning


def test_walking_is_told_to_whoever_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    from untilt.game.histories import tree

    monkeypatch.setattr(tree, "_REPORT_SECONDS", 0.0)
    shown: list[Status] = []
    solve(Walk(4), "cfr", iterations=1, save=False, watcher=shown.append)
    walked = [status.histories for status in shown if status.histories is not None]
    assert walked == sorted(walked)
    assert walked[-1] > 64
