"""Run folders with links and pipes in place of files: nothing is followed or waited for."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.runs.game_runs import load, resume

from untilt.cli.main import run as command
from untilt.dashboard.server.security import user_token
from untilt.dashboard.sources.library import Library
from untilt.errors import FormatError, UntiltError
from untilt.formats.base.lock import writer_of
from untilt.runs.interrupt import Interrupted
from untilt.runs.pushfold.training import train
from untilt.runs.pushfold.training_start import prepare
from untilt.runs.solve import solve
from untilt.runs.watching import Status

pytestmark = pytest.mark.skipif(
    not hasattr(os, "mkfifo"), reason="the system has no pipes in folders"
)

SECRET = b'{"a": "file of the user that nobody may touch or read"}\n'
READ = ["run.json", "game.bin", "result.json", "strategy.bin"]
"""What looking at a finished run reads."""
CONTINUED = ["run.json", "game.bin", "checkpoint.bin", "progress.jsonl", ".lock"]
"""What continuing a run reads or writes, besides `result.json` and `frames.bin`."""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished") / "run"
    solve("kuhn", "cfr+", iterations=60, output=folder)
    return folder


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def watch(status: Status) -> None:
        if status.progress is not None and (status.progress.iteration or 0) >= 30:
            raise KeyboardInterrupt

    folder = tmp_path_factory.mktemp("stopped") / "run"
    with pytest.raises(Interrupted):
        solve("kuhn", "cfr+", iterations=60, output=folder, watcher=watch)
    return folder


def replaced(original: Path, folder: Path, name: str, kind: str) -> Path:
    """Copy a run and put a link to a file of the user, or a pipe, in place of one file.

    A link leads to what was there, or else to the secret.
    """
    shutil.copytree(original, folder)
    secret = folder.parent / "secret"
    secret.write_bytes(SECRET)
    path = folder / name
    if kind == "link to the same":
        shutil.move(path, folder.parent / name) if path.exists() else None
        path.symlink_to(folder.parent / name)
        return folder
    path.unlink(missing_ok=True)
    if kind == "link":
        path.symlink_to(secret)
    elif kind == "second name":
        os.link(secret, path)
    else:
        os.mkfifo(path)
    return folder


def assert_untouched(folder: Path) -> None:
    assert (folder.parent / "secret").read_bytes() == SECRET


KINDS = ["link", "link to the same", "pipe"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", READ)
def test_looking_at_a_run_refuses_what_is_no_file_at_once(
    tmp_path: Path, finished: Path, capsys: pytest.CaptureFixture[str], name: str, kind: str
) -> None:
    folder = replaced(finished, tmp_path / "run", name, kind)
    with pytest.raises(UntiltError, match=f"{name} cannot be read or written: it is not a regular"):
        load(folder)
    for asked in (["show"], ["evaluate"], ["export", "--to", "json", "--output", "-"]):
        capsys.readouterr()
        assert command([asked[0], str(folder), *asked[1:]]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.count("\n") == 1
        assert f"{name} cannot be read or written" in printed.err
    assert_untouched(folder)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, kind) for name in CONTINUED for kind in KINDS),
        *((name, "second name") for name in (".lock", "progress.jsonl")),
    ],
)
def test_continuing_a_run_refuses_what_is_no_file_and_writes_nothing(
    tmp_path: Path, stopped: Path, name: str, kind: str
) -> None:
    folder = replaced(stopped, tmp_path / "run", name, kind)
    expected = "has a second name" if kind == "second name" else f"{name} cannot be read or written"
    with pytest.raises(FormatError, match=expected):
        resume(folder)
    assert_untouched(folder)
    assert not (folder / "result.json").exists()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["frames.bin", "result.json", "strategy.bin"])
def test_files_that_are_written_anew_take_the_place_of_a_link(
    tmp_path: Path, stopped: Path, name: str, kind: str
) -> None:
    folder = replaced(stopped, tmp_path / "run", name, kind)
    assert resume(folder).is_finished
    assert_untouched(folder)
    assert (folder / name).is_file()
    assert not (folder / name).is_symlink()
    assert load(folder).iterations == 60


def test_a_lock_that_links_elsewhere_is_left_alone_by_a_finished_run_too(
    tmp_path: Path, finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = replaced(finished, tmp_path / "run", ".lock", "link")
    assert command(["solve", "--resume", str(folder)]) == 2
    assert ".lock cannot be read or written" in capsys.readouterr().err
    assert_untouched(folder)
    assert writer_of(folder) is None
    assert command(["show", str(folder)]) == 0


def test_a_new_run_uses_no_folder_with_a_link_in_it(tmp_path: Path) -> None:
    for name in (".lock", "game.bin"):
        folder = tmp_path / f"with {name}"
        folder.mkdir()
        (tmp_path / "secret").write_bytes(SECRET)
        (folder / name).symlink_to(tmp_path / "secret")
        with pytest.raises(UntiltError, match=r"not a regular file|is not empty"):
            solve("kuhn", "cfr+", iterations=5, output=folder)
        assert_untouched(folder)


def test_the_folder_itself_may_be_a_link(tmp_path: Path, stopped: Path) -> None:
    shutil.copytree(stopped, tmp_path / "far" / "run")
    (tmp_path / "near").symlink_to(tmp_path / "far", target_is_directory=True)
    (tmp_path / "run").symlink_to(tmp_path / "far" / "run", target_is_directory=True)
    assert not load(tmp_path / "run").is_finished
    assert resume(tmp_path / "near" / "run").is_finished
    assert load(tmp_path / "run").is_finished
    solve("kuhn", "cfr+", iterations=5, output=tmp_path / "near" / "new")
    assert load(tmp_path / "far" / "new").iterations == 5


@pytest.mark.parametrize("kind", ["link", "pipe"])
@pytest.mark.parametrize("name", [*READ, "progress.jsonl", "frames.bin", ".lock"])
def test_the_page_lists_such_a_run_without_waiting(
    tmp_path: Path, finished: Path, name: str, kind: str
) -> None:
    folder = replaced(finished, tmp_path / "runs" / "run", name, kind)
    library = Library.of(tmp_path / "runs")
    (run,) = library._runs.values()
    summary = run.summary()
    assert (summary["status"] == "damaged") == (name != ".lock")
    assert "nobody may touch" not in json.dumps(summary)
    assert_untouched(folder)


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_token_that_is_not_a_file_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.delenv("UNTILT_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    token = user_token()
    (path,) = tmp_path.rglob("dashboard-token")
    path.unlink()
    (tmp_path / "secret").write_text(token)
    if kind == "link":
        path.symlink_to(tmp_path / "secret")
    else:
        os.mkfifo(path)
    fresh = user_token()
    assert fresh != token
    assert not path.is_symlink()
    assert path.read_text().strip() == fresh == user_token()
    assert (tmp_path / "secret").read_text() == token


@pytest.mark.parametrize("kind", ["link", "pipe"])
@pytest.mark.parametrize("name", ["regret.dat", "regret.dat.json"])
def test_a_regret_file_that_is_none_is_refused(tmp_path: Path, name: str, kind: str) -> None:
    path = tmp_path / "folder" / "regret.dat"
    path.parent.mkdir()
    train(prepare(path, {}), hands=1_000, path=path)
    (tmp_path / "secret").write_bytes(SECRET)
    (path.parent / name).unlink()
    if kind == "link":
        (path.parent / name).symlink_to(tmp_path / "secret")
    else:
        os.mkfifo(path.parent / name)
    with pytest.raises(FormatError, match=f"{name} cannot be read or written"):
        prepare(path, {})
    assert (tmp_path / "secret").read_bytes() == SECRET


def test_a_strategy_that_a_user_names_may_be_a_link_or_a_pipe(
    tmp_path: Path, finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    strategy = tmp_path / "strategy.json"
    assert command(["export", str(finished), "--to", "json", "--output", str(strategy)]) == 0
    (tmp_path / "link.json").symlink_to(strategy)
    assert command(["evaluate", str(tmp_path / "link.json")]) == 0
    script = "from untilt.cli.main import main; main()"
    read = subprocess.run(
        [sys.executable, "-c", script, "evaluate", "/dev/stdin", "--game", "kuhn", "--json"],
        input=strategy.read_bytes(),
        capture_output=True,
        check=True,
    )
    assert json.loads(read.stdout)["exploitability"] < 0.1
