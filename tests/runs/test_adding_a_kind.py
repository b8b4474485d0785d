"""A kind of run in one file is solved, killed, resumed, loaded, listed and served."""

import json
import os
import re
import signal
from pathlib import Path

import pytest
from tests.dashboard.serving import client_of
from tests.runs.folders import can_fork, ended, forked, save_often
from tests.runs.toy_kind import Coin, CoinKind, CoinRun

import untilt
from untilt.dashboard.sources.library import Library
from untilt.errors import FormatError, InvalidOption, RunError
from untilt.formats.run.checkpoint import save_checkpoint
from untilt.runs import recorder
from untilt.runs.kinds import GAME, KINDS, kind_for, read_task
from untilt.runs.kinds.kind import Means
from untilt.runs.loading import load_run
from untilt.runs.solve import begin
from untilt.runs.watching import report_nothing

COIN = Coin(0.25)


@pytest.fixture(autouse=True)
def kind(monkeypatch: pytest.MonkeyPatch) -> CoinKind:
    """The kind, as a row of the table."""
    kind = CoinKind()
    monkeypatch.setitem(KINDS, kind.name, kind)
    return kind


def thrown(kind: CoinKind, folder: Path | None, times: int = 400) -> CoinRun:
    task = kind.task(COIN, seed=3, iterations=times)
    run = begin(kind, task, Means(report_nothing), output=folder, save=folder is not None)
    assert isinstance(run, CoinRun)
    return run


def test_it_is_solved_by_the_function_that_solves_everything(
    kind: CoinKind, tmp_path: Path
) -> None:
    assert kind_for(COIN) is kind
    assert kind_for("kuhn") is GAME
    run = untilt.solve(COIN, seed=3, iterations=400, output=tmp_path / "run")  # type: ignore[call-overload]
    assert isinstance(run, untilt.Run)
    assert isinstance(run, CoinRun)
    assert run == CoinRun(run.request, tmp_path / "run", 400, 112, 0.0)
    assert run.result == 0.28
    assert run.progress["iteration"][-1] == 400
    assert run.plot() is not None
    assert json.loads((tmp_path / "run" / "run.json").read_text())["kind"] == "coin"
    assert thrown(kind, None).result == run.result


@can_fork
def test_it_is_killed_and_resumed_without_a_difference(
    kind: CoinKind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"

    def die() -> None:
        save_often(monkeypatch)

        def save(*arguments: object) -> None:
            save_checkpoint(*arguments)  # type: ignore[arg-type]
            os.kill(os.getpid(), signal.SIGKILL)

        monkeypatch.setattr(recorder, "save_checkpoint", save)
        thrown(kind, folder)

    assert ended(forked(die)) == -signal.SIGKILL
    found = untilt.load(folder)
    assert (found.is_finished, found.iterations) == (False, 1)
    resumed = untilt.resume(folder)
    assert resumed == untilt.load(folder)
    assert resumed.to_json()["heads"] == thrown(kind, None).num_heads
    assert untilt.resume(folder, iterations=500).iterations == 500
    with pytest.raises(InvalidOption, match="threads"):
        untilt.resume(folder, threads=2)


def test_it_is_listed_and_served(kind: CoinKind, tmp_path: Path) -> None:
    thrown(kind, tmp_path / "run")
    [listed] = untilt.runs.list_runs(tmp_path)
    assert (listed.kind, listed.status, listed.iterations) == ("coin", "finished", 400)
    client = client_of(Library.of(tmp_path))
    [summary] = client.get("/api/runs")["runs"]
    assert (summary["kind"], summary["problem"]) == ("coin", None)
    assert (summary["views"], summary["steps"]) == (["convergence", "facts"], "tosses")
    assert client.get(f"/api/runs/{summary['id']}/progress")["columns"]["iteration"][-1] == 400


def test_others_say_what_it_is(
    kind: CoinKind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    thrown(kind, folder)
    with pytest.raises(InvalidOption, match=r"holds a coin, not a run of a game.*untilt coin"):
        read_task(folder, GAME)
    with pytest.raises(RunError, match="holds a coin, not a run of a game"):
        load_run(folder)
    monkeypatch.delitem(KINDS, kind.name)
    with pytest.raises(FormatError, match="an unknown kind of run"):
        untilt.load(folder)


def test_nobody_else_compares_the_name_of_a_kind() -> None:
    compared = re.compile(r"(record|record\(\)|run|whole|summary|task|request)\.kind (==|!=|in) ")
    source = Path(untilt.__file__).parent
    found = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if compared.search(path.read_text("utf-8"))
    }
    # `describe` leaves the usual kind out of run.json.
    assert found == {"policy/load.py", "runs/task.py"}


def test_the_page_asks_for_views_instead_of_kinds(kind: CoinKind) -> None:
    names = "|".join(KINDS.keys() - {kind.name})
    compared = re.compile(rf'kind (===|!==) "({names})"')
    source = Path(__file__).parents[2] / "web" / "src"
    found = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.ts")
        if compared.search(path.read_text("utf-8"))
    }
    # The form for a spot continues saved runs of spots, also those with nothing to show yet.
    assert found == {"views/new_spot/new_spot.ts"}
