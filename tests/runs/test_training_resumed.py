"""A push/fold training goes on from its run folder, bit for bit as if it had never stopped."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.runs.folders import assert_same, can_fork, contents, ended, forked, outcome, save_often
from tests.runs.game_runs import load

import untilt
from untilt.errors import FormatError, InvalidOption, RunError
from untilt.formats.kinds.regret_file import read_regrets
from untilt.formats.run.checkpoint import NEWEST, PREVIOUS, save_checkpoint
from untilt.games.pushfold.chart import play_of
from untilt.runs import recorder
from untilt.runs.pushfold.training import Moment, TrainingInterrupted, resume_training, train
from untilt.runs.pushfold.training_material import Training
from untilt.runs.pushfold.training_start import prepare
from untilt.runs.solve import solve

HANDS = 60_000
GIVEN: dict[str, Any] = {"seed": 3, "bytes": 1, "stack": 5.0}
"""With one byte regrets are cut at its limits, which a checkpoint must remember."""


def training(folder: Path, path: Path | None = None, **more: Any) -> Training:
    return train(prepare(path, GIVEN), hands=HANDS, output=folder, path=path, **more)


def killed(folder: Path, at_checkpoint: int, path: Path | None = None) -> None:
    """Train in another process, which dies just before it writes this checkpoint."""

    def work() -> None:
        patch = pytest.MonkeyPatch()
        save_often(patch)
        real = save_checkpoint
        count = 0

        def save(*arguments: Any) -> None:
            nonlocal count
            count += 1
            if count == at_checkpoint:
                os.kill(os.getpid(), signal.SIGKILL)
            real(*arguments)

        patch.setattr(recorder, "save_checkpoint", save)
        training(folder, path)

    assert ended(forked(work)) == -signal.SIGKILL


@can_fork
@pytest.mark.parametrize("at_checkpoint", [1, 2, 40, 90])
@pytest.mark.parametrize("has_file", [False, True])
def test_a_training_that_was_killed_ends_as_one_never_killed(
    tmp_path: Path, at_checkpoint: int, has_file: bool
) -> None:
    files = [tmp_path / name if has_file else None for name in ("whole.dat", "killed.dat")]
    whole = training(tmp_path / "whole", files[0])
    folder = tmp_path / "killed"
    killed(folder, at_checkpoint, files[1])
    found = resume_training(folder, threads=2, regret_file=files[1])
    assert_same(outcome(folder), outcome(tmp_path / "whole"))
    assert (found.hands, found.num_cut) == (whole.hands, whole.num_cut)
    assert found.num_cut > 0
    curves = [[(mark.hands, mark.value_bb) for mark in each.moments] for each in (found, whole)]
    assert curves[0] == curves[1]
    if files[0] is not None and files[1] is not None:
        assert files[1].read_bytes() == files[0].read_bytes()
        assert read_regrets(files[1]).origin == read_regrets(files[0]).origin


def stopped(folder: Path, path: Path | None = None) -> TrainingInterrupted:
    def press(moment: Moment) -> None:
        if moment.hands >= 20_000:
            raise KeyboardInterrupt

    with pytest.raises(TrainingInterrupted) as caught:
        training(folder, path, watcher=press)
    return caught.value


def test_ctrl_c_saves_to_the_folder_and_the_file(tmp_path: Path) -> None:
    found = stopped(tmp_path / "run", tmp_path / "regret.dat")
    assert found.hands >= 20_000
    run = load(tmp_path / "run")
    assert (run.is_finished, run.iterations) == (False, found.hands)
    origin = read_regrets(tmp_path / "regret.dat").origin
    assert origin is not None
    assert origin.hands == found.hands


def test_a_finished_training_is_only_loaded(tmp_path: Path) -> None:
    whole = training(tmp_path / "run")
    before = contents(tmp_path / "run")
    again = resume_training(tmp_path / "run")
    assert (again.probabilities == whole.probabilities).all()
    assert again.moments == whole.moments
    assert untilt.resume(tmp_path / "run").iterations == HANDS
    assert again.num_cut == whole.num_cut
    assert contents(tmp_path / "run") == before
    further = resume_training(tmp_path / "run", hands=2 * HANDS)
    assert further.hands == 2 * HANDS
    assert load(tmp_path / "run").request.stop.iterations == 2 * HANDS


@can_fork
def test_a_finished_file_loses_what_a_killed_writer_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "regret.dat"
    train(prepare(path, {}), hands=2_000, path=path)
    before = contents(tmp_path)
    leave_behind(path)
    train(prepare(path, {}), hands=2_000, path=path)
    assert contents(tmp_path) == before


@can_fork
def test_a_resumed_training_removes_what_a_killed_writer_left_beside_its_file(
    tmp_path: Path,
) -> None:
    path = tmp_path / "regret.dat"
    stopped(tmp_path / "run", path)
    leave_behind(path)
    resume_training(tmp_path / "run", regret_file=path)
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "regret.dat",
        "regret.dat.json",
        "run",
    ]


def leave_behind(path: Path) -> None:
    """Make the temporary files of a writer that is gone."""
    gone = forked(lambda: None)
    ended(gone)
    for name in (path.name, f"{path.name}.json"):
        path.with_name(f".{name}.{gone}-0123abcd.tmp").touch()


def test_a_folder_written_before_there_were_checkpoints_is_loaded_but_not_continued(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "run"
    whole = training(folder)
    document = json.loads((folder / "run.json").read_text())
    del document["hands_before"]
    (folder / "run.json").write_text(json.dumps(document))
    for name in (NEWEST, PREVIOUS):
        (folder / name).unlink(missing_ok=True)
    assert (play_of(load(folder).profile).push == whole.probabilities[0]).all()
    again = resume_training(folder)
    assert (again.probabilities == whole.probabilities).all()
    assert again.hands == whole.hands
    (folder / "result.json").unlink()
    with pytest.raises(RunError, match="--regret-file FILE"):
        resume_training(folder)
    with pytest.raises(RunError, match="--regret-file FILE"):
        load(folder)


def test_a_damaged_checkpoint_is_set_aside_and_the_one_before_it_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    training(tmp_path / "whole")
    save_often(monkeypatch)
    folder = tmp_path / "run"
    stopped(folder)
    newest = folder / NEWEST
    newest.write_bytes(newest.read_bytes()[:-100])
    found = resume_training(folder)
    assert any("using the previous checkpoint" in note for note in found.notes)
    assert (folder / "checkpoint.damaged.bin").exists()
    assert_same(outcome(folder), outcome(tmp_path / "whole"))


def test_a_regret_file_that_went_on_alone_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "regret.dat"
    stopped(tmp_path / "run", path)
    train(prepare(path, {}), hands=2 * HANDS, path=path)
    before = path.read_bytes()
    with pytest.raises(RunError, match="trained further"):
        resume_training(tmp_path / "run", regret_file=path)
    assert path.read_bytes() == before
    assert resume_training(tmp_path / "run").hands == HANDS
    assert path.read_bytes() == before


@can_fork
def test_a_training_that_began_with_a_file_and_has_no_checkpoint_needs_the_file(
    tmp_path: Path,
) -> None:
    path = tmp_path / "regret.dat"
    train(prepare(path, GIVEN), hands=1_000, path=path)
    killed(tmp_path / "run", 1, path)
    with pytest.raises(RunError, match="began with a regret file of 1,000 hands"):
        resume_training(tmp_path / "run")
    found = resume_training(tmp_path / "run", regret_file=path)
    assert (found.hands_before, found.hands) == (1_000, HANDS)
    whole = training(tmp_path / "whole")
    assert (found.probabilities == whole.probabilities).all()


def test_a_file_of_other_settings_is_not_continued(tmp_path: Path) -> None:
    stopped(tmp_path / "run")
    path = tmp_path / "regret.dat"
    train(prepare(path, {"seed": 4}), hands=1_000, path=path)
    with pytest.raises(InvalidOption, match="was started with"):
        resume_training(tmp_path / "run", regret_file=path)


def test_a_training_is_resumed_as_every_kind_of_run(tmp_path: Path) -> None:
    whole = training(tmp_path / "whole")
    stopped(tmp_path / "run")
    found = untilt.resume(tmp_path / "run", threads=2)
    assert isinstance(found, Training)
    assert found.threads == 2
    assert_same(outcome(tmp_path / "run"), outcome(tmp_path / "whole"))
    assert (found.probabilities == whole.probabilities).all()
    again = untilt.resume(tmp_path / "run")
    assert isinstance(again, Training)
    assert (again.moments, again.num_cut) == (found.moments, found.num_cut)
    further = untilt.resume(tmp_path / "run", iterations=2 * HANDS)
    assert further.iterations == 2 * HANDS
    with pytest.raises(InvalidOption, match="threads is 0"):
        untilt.resume(tmp_path / "run", threads=0)
    with pytest.raises(InvalidOption, match="target"):
        untilt.resume(tmp_path / "run", target=0.1)


def test_a_run_of_another_kind_is_no_training(tmp_path: Path) -> None:
    solve("kuhn", iterations=5, output=tmp_path / "solved")
    with pytest.raises(InvalidOption, match="untilt solve --resume"):
        resume_training(tmp_path / "solved")


@pytest.mark.parametrize("change", [{"stack": "ten"}, {"stack": 0.0}, {}])
def test_settings_that_make_no_sense_are_damage(tmp_path: Path, change: dict[str, Any]) -> None:
    folder = tmp_path / "run"
    stopped(folder)
    document = json.loads((folder / "run.json").read_text())
    document["parameters"] = change
    (folder / "run.json").write_text(json.dumps(document))
    for act in (load, resume_training):
        with pytest.raises((FormatError, RunError), match="settings of the training"):
            act(folder)
