"""Folders that are recorded rather than solved: trainings and sweeps of push/fold."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.runs.game_runs import load

import untilt
from untilt.errors import InvalidOption, RunError
from untilt.evaluation.best_response import evaluate
from untilt.formats.kinds.strategy_file import read_strategy_and_values
from untilt.formats.kinds.sweep_file import read_sweep
from untilt.formats.run.frames import read_frames
from untilt.formats.run.progress_reader import read_progress
from untilt.games.pushfold.chart import play_of
from untilt.games.pushfold.game import Stakes
from untilt.runs.loading import load_run
from untilt.runs.pushfold.charts import solve_chart, sweep_charts
from untilt.runs.pushfold.sweep_folder import save_sweep
from untilt.runs.pushfold.training import train
from untilt.runs.pushfold.training_start import prepare


def test_a_training_is_recorded_as_it_happens(tmp_path: Path) -> None:
    found = train(prepare(None, {}), hands=50_000, output=tmp_path / "run")
    assert found.path == tmp_path / "run"
    assert repr(found).startswith("<Training of push/fold at 10 bb: 50,000 hands, value ")
    assert "call" in found._repr_html_()
    rows = read_progress(tmp_path / "run" / "progress.jsonl")
    assert rows[-1]["iteration"] == 50_000
    assert rows[-1]["exploitability"] == pytest.approx(found.moments[-1].exploitability_mbb / 1e3)
    assert [row["iteration"] for row in rows] == sorted({row["iteration"] for row in rows})
    frames = read_frames(tmp_path / "run" / "frames.bin")
    assert len(frames) > 20

    run = load(tmp_path / "run")
    np.testing.assert_array_equal(play_of(run.profile).push, found.probabilities[0])
    np.testing.assert_array_equal(play_of(run.profile).call, found.probabilities[1])
    assert run.exploitability == pytest.approx(rows[-1]["exploitability"], abs=1e-12)


def test_recording_does_not_change_what_is_learned(tmp_path: Path) -> None:
    alone = train(prepare(None, {}), hands=30_000)
    recorded = train(prepare(None, {}), hands=30_000, output=tmp_path / "run", pace=0.2)
    np.testing.assert_array_equal(alone.probabilities, recorded.probabilities)


def test_a_training_whose_result_is_gone_gets_it_again(tmp_path: Path) -> None:
    found = train(prepare(None, {}), hands=2_000, output=tmp_path / "run")
    (tmp_path / "run" / "result.json").unlink()
    again = untilt.resume(tmp_path / "run")
    assert again.iterations == 2_000
    assert load(tmp_path / "run").is_finished
    np.testing.assert_array_equal(again.result.push, found.result.push)


def test_a_training_that_is_refused_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidOption, match="threads is 0"):
        train(prepare(None, {}), hands=1_000, record=True, threads=0)
    assert not list(tmp_path.iterdir())


def test_the_first_row_of_a_training_has_no_rate_yet(tmp_path: Path) -> None:
    train(prepare(None, {}), hands=2_000, output=tmp_path / "run")
    rows = read_progress(tmp_path / "run" / "progress.jsonl")
    assert rows[0]["rate"] is None
    assert all(row["rate"] > 0.0 for row in rows[1:])


def test_action_values_are_kept_with_the_strategy(tmp_path: Path) -> None:
    train(prepare(None, {}), hands=2_000, output=tmp_path / "run")
    run = load(tmp_path / "run")
    _, values = read_strategy_and_values(tmp_path / "run" / "strategy.bin", run.game)
    assert values is not None
    # Folding as small blind always loses half a blind, and the value of the game is the mean of
    # what is played over the deals.
    np.testing.assert_allclose(values[0][1::2], -0.5)
    form = run.game.exact_form()
    assert evaluate(form, run.profile).value == pytest.approx(run.value)


def test_a_sweep_is_saved_as_a_folder(tmp_path: Path) -> None:
    found = sweep_charts([Stakes(5.0), Stakes(10.0)])
    folder = save_sweep(found, "lp", tmp_path / "sweep")
    read = read_sweep(folder / "sweep.bin")
    assert read.stack.tolist() == [5.0, 10.0]
    ten = solve_chart(Stakes(10.0))
    np.testing.assert_allclose(read.push_ev[1], ten.push.ev)
    assert read.value[1] == pytest.approx(ten.value)
    assert read.fold_ev[1].tolist() == [-0.5, -1.0]
    assert json.loads((folder / "run.json").read_text())["kind"] == "sweep"


def test_a_sweep_is_loaded_as_it_was_computed(tmp_path: Path) -> None:
    found = sweep_charts([Stakes(stack, ante=0.125) for stack in (2.0, 5.0, 10.0)])
    run = untilt.load(save_sweep(found, "lp", tmp_path / "sweep"))
    assert isinstance(run, untilt.Run)
    assert run.result.stacks == [2.0, 5.0, 10.0]
    assert json.dumps(run.to_json()) == json.dumps(found.to_json())
    for loaded, computed in zip(run.result.charts, found.charts, strict=True):
        assert json.dumps(loaded.to_json()) == json.dumps(computed.to_json())
    assert (run.is_finished, run.iterations, run.progress) == (True, None, None)
    run.plot(tmp_path / "limits.svg")
    assert "from 2 to 10 bb" in (tmp_path / "limits.svg").read_text()
    with pytest.raises(InvalidOption, match=r"no convergence.*\.plot\(\)"):
        untilt.plot(run)


def test_a_sweep_without_its_charts_is_not_loaded(tmp_path: Path) -> None:
    folder = save_sweep(sweep_charts([Stakes(5.0)]), "lp", tmp_path / "sweep")
    (folder / "sweep.bin").unlink()
    with pytest.raises(RunError, match="has no charts yet"):
        untilt.load(folder)


def test_a_sweep_is_not_continued_and_no_run_of_one_game(tmp_path: Path) -> None:
    folder = save_sweep(sweep_charts([Stakes(5.0)]), "lp", tmp_path / "sweep")
    with pytest.raises(RunError, match=r"computed at once and not continued.*untilt serve"):
        untilt.resume(folder)
    with pytest.raises(RunError, match=r"not a run of a game.*untilt serve"):
        load_run(folder)
