"""Runs of sampling solvers: killed, interrupted, resumed, looked at without the game's code."""

import json
import math
import os
import shlex
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.faulty_games import OnlySampled, Sound
from tests.game.trees import FORGETFUL
from tests.runs.folders import (
    assert_same,
    can_fork,
    contents,
    ended,
    forked,
    outcome,
    save_often,
)
from tests.runs.game_runs import load, resume
from tests.solvers.mccfr.walks import SampledWalk

from untilt.cli.main import run as command
from untilt.errors import ImperfectRecall, InvalidOption, RunError
from untilt.formats.run.checkpoint import save_checkpoint
from untilt.formats.run.progress_reader import read_progress
from untilt.formats.run.run_file import UNCOMPILED
from untilt.games import kuhn, leduc
from untilt.runs import recorder
from untilt.runs.interrupt import Interrupted
from untilt.runs.kinds import read_task
from untilt.runs.solve import solve
from untilt.runs.watching import Status

EVERY: list[dict[str, Any]] = [
    {"game": "leduc", "method": "mccfr-chance", "iterations": 4000},
    {"game": "leduc", "method": "mccfr-external", "iterations": 60_000},
    {"game": "leduc", "method": "mccfr-external", "iterations": 60_000, "threads": 2},
    {"game": "leduc", "method": "mccfr-outcome", "iterations": 60_000, "average": "lazy"},
    {"game": "leduc", "method": "mccfr-external", "iterations": 20_000, "on": "objects"},
    {"game": "leduc", "method": "mccfr-outcome", "iterations": 20_000, "on": "objects"},
]
IDS = ["chance", "external", "two threads", "outcome", "external objects", "outcome objects"]


def result(folder: Path) -> dict[str, Any]:
    """Return what a finished run leaves, but not the order in which objects were met."""
    found = outcome(folder)
    del found["checkpoint"]
    return found


@can_fork
@pytest.mark.parametrize("asked", EVERY, ids=IDS)
def test_a_run_killed_while_it_saves_ends_as_one_never_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any]
) -> None:
    solve(**asked, output=tmp_path / "never killed")
    folder = tmp_path / "killed"
    real = save_checkpoint

    def dying_after(number: int) -> Callable[..., None]:
        left = [number]

        def save(*arguments: Any) -> None:
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            real(*arguments)

        return save

    for number in (3, 1, 2):

        def work(number: int = number) -> None:
            save_often(monkeypatch)
            monkeypatch.setattr(recorder, "save_checkpoint", dying_after(number))
            if (folder / "run.json").exists():
                resume(folder)
            else:
                solve(**asked, output=folder)

        assert ended(forked(work)) == -signal.SIGKILL
        assert 0 < (load(folder).iterations or 0) < asked["iterations"]
    resume(folder)
    assert_same(result(folder), result(tmp_path / "never killed"))


def interrupted(folder: Path, at: int, **asked: Any) -> None:
    """Press Ctrl-C when so many iterations are done."""

    def watch(status: Status) -> None:
        if status.progress is not None and (status.progress.iteration or 0) >= at:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Interrupted) as caught:
        solve(**asked, output=folder, watcher=watch)
    assert caught.value.path == folder
    assert (caught.value.iteration or 0) >= at


@pytest.mark.parametrize("asked", EVERY, ids=IDS)
def test_an_interrupted_run_is_resumed_with_the_same_strategy(
    tmp_path: Path, asked: dict[str, Any]
) -> None:
    whole = solve(**asked, output=tmp_path / "whole")
    interrupted(tmp_path / "cut", 1500, **asked)
    assert not load(tmp_path / "cut").is_finished
    run = resume(tmp_path / "cut")
    assert run.strategy.to_dict() == whole.strategy.to_dict()
    assert_same(result(tmp_path / "cut"), result(tmp_path / "whole"))


@pytest.mark.parametrize(("before", "after"), [(1, 3), (3, 1), (2, 5)])
@pytest.mark.parametrize("method", ["mccfr-external", "mccfr-outcome"])
def test_a_run_may_be_resumed_with_another_number_of_threads(
    tmp_path: Path, method: str, before: int, after: int
) -> None:
    asked: dict[str, Any] = {"game": "leduc", "method": method, "iterations": 30_000, "seed": 7}
    whole = solve(**asked, save=False)
    interrupted(tmp_path / "cut", 4000, **asked, threads=before)
    run = resume(tmp_path / "cut", threads=after)
    assert run.request.options["threads"] == after
    assert run.strategy.to_dict() == whole.strategy.to_dict()
    assert resume(tmp_path / "cut", iterations=40_000).iterations == 40_000


def test_threads_are_refused_where_the_method_has_none(tmp_path: Path) -> None:
    solve("kuhn", "cfr+", iterations=10, output=tmp_path / "run")
    with pytest.raises(InvalidOption, match=r"cfr\+ takes no option threads"):
        resume(tmp_path / "run", iterations=20, threads=2)


def test_the_seed_and_the_batch_are_recorded_and_matter(tmp_path: Path) -> None:
    choices: list[dict[str, Any]] = [
        {"seed": 1},
        {"seed": 1},
        {"seed": 2},
        {"seed": 1, "batch": 11},
    ]
    runs = [
        solve("kuhn", "es", iterations=9000, output=tmp_path / str(number), **options)
        for number, options in enumerate(choices)
    ]
    strategies = [run.strategy.to_dict() for run in runs]
    assert strategies[0] == strategies[1]
    assert strategies[0] not in strategies[2:]
    request, _ = read_task(tmp_path / "3")
    assert (request.seed, request.options["batch"]) == (1, 11)
    # What was chosen automatically is written down.
    assert read_task(tmp_path / "0")[0].options["on"] == "tree"


def test_every_method_of_choosing_gives_one_strategy() -> None:
    asked: dict[str, Any] = {"method": "es", "iterations": 9000, "save": False}
    tree = solve("kuhn", **asked).strategy.to_dict()
    for options in ({"on": "objects"}, {"threads": 3}, {"on": "tree"}):
        assert solve("kuhn", **asked, **options).strategy.to_dict() == tree
    assert solve(kuhn(), **asked).strategy.to_dict() == tree


class TestProgress:
    def test_rows_have_nodes_and_drift_and_are_measured_at_moments(self, tmp_path: Path) -> None:
        solve("leduc", "es", iterations=20_000, output=tmp_path / "run")
        rows = list(read_progress(tmp_path / "run" / "progress.jsonl"))
        assert rows[-1]["iteration"] == 20_000
        assert [row["nodes"] for row in rows] == sorted(row["nodes"] for row in rows)
        assert rows[-1]["nodes"] > 20_000 * 2 * 5
        assert rows[-1]["drift"] < rows[0]["drift"] == 1.0
        assert rows[-1]["exploitability"] < rows[0]["exploitability"]

    def test_a_target_stops_a_sampling_run(self) -> None:
        run = solve("kuhn", "es", target=0.02, save=False)
        assert run.exploitability <= 0.02
        again = solve("kuhn", "es", target=0.02, save=False)
        assert again.iterations == run.iterations

    def test_the_outcome_tells_how_much_was_seen(self, tmp_path: Path) -> None:
        run = solve("kuhn", "os", iterations=5000, output=tmp_path / "run")
        assert run.outcome["infosets_met"] == 12
        assert run.outcome["nodes"] >= 5000 * 4
        assert load(tmp_path / "run").outcome == run.outcome


class TestImperfectRecall:
    @pytest.mark.parametrize("on", ["tree", "objects"])
    def test_it_is_solved_saved_and_loaded_without_being_measured(
        self, tmp_path: Path, on: str
    ) -> None:
        run = solve(FORGETFUL, "es", iterations=3000, output=tmp_path / "run", on=on)
        assert run.evaluation is None
        assert math.isnan(run.value)
        assert math.isnan(run.exploitability)
        document = json.loads(json.dumps(run.to_json(strategy=True), allow_nan=False))
        for name in ("value", "values", "exploitability", "nash_conv"):
            assert document[name] is None
        assert set(document["strategy"]) == {"P0:first", "P0:again", "P1:"}
        loaded = load(tmp_path / "run")
        assert loaded.evaluation is None
        assert loaded.strategy.to_dict() == run.strategy.to_dict()

    @pytest.mark.parametrize("on", ["auto", "tree", "objects"])
    def test_a_target_is_refused_and_nothing_is_left(self, tmp_path: Path, on: str) -> None:
        with pytest.raises(InvalidOption, match=r"target=0.1 needs the exploitability.*recall"):
            solve(FORGETFUL, "es", target=0.1, on=on, output=tmp_path / "run")
        assert not (tmp_path / "run" / "run.json").exists()

    @pytest.mark.parametrize("on", ["tree", "objects"])
    def test_so_is_the_lazy_average(self, tmp_path: Path, on: str) -> None:
        with pytest.raises(ImperfectRecall, match="use average='stochastic'"):
            solve(FORGETFUL, "es", iterations=50, average="lazy", on=on, output=tmp_path / "run")


GAME_FILE = """
from pathlib import Path
from tests.cli.faulty_games import OnlySampled, Sound

Path({marker!r}).touch()
listed, sampled = Sound(), OnlySampled()
"""


class TestOnObjects:
    @pytest.fixture
    def marker(self, tmp_path: Path) -> Path:
        return tmp_path / "executed"

    @pytest.fixture
    def reference(self, tmp_path: Path, marker: Path) -> str:
        (tmp_path / "game.py").write_text(GAME_FILE.format(marker=str(marker)))
        return str(tmp_path / "game.py")

    @pytest.mark.parametrize("method", ["es", "os"])
    @pytest.mark.parametrize("name", ["listed", "sampled"])
    def test_loading_executes_nothing_of_the_game(
        self, tmp_path: Path, reference: str, marker: Path, name: str, method: str
    ) -> None:
        game = f"{reference}:{name}"
        asked: dict[str, Any] = {"method": method, "iterations": 900, "on": "objects"}
        whole = solve(game, **asked, output=tmp_path / "whole")
        assert marker.exists()
        interrupted(tmp_path / "cut", 100, game=game, **asked)
        marker.unlink()
        (tmp_path / "game.py").rename(tmp_path / "away.py")
        finished, unfinished = load(tmp_path / "whole"), load(tmp_path / "cut")
        assert finished.strategy.to_dict() == whole.strategy.to_dict()
        assert not unfinished.is_finished
        assert 100 <= (unfinished.iterations or 0) < 900
        assert unfinished.game.num_infosets == 12
        assert resume(tmp_path / "whole").is_finished  # there is nothing left to do
        assert not marker.exists()
        (tmp_path / "away.py").rename(tmp_path / "game.py")
        if name == "listed":  # game.bin holds its histories
            resumed = resume(tmp_path / "cut")
            assert not marker.exists()
            assert_same(result(tmp_path / "cut"), result(tmp_path / "whole"))
        else:
            before = contents(tmp_path / "cut")
            with pytest.raises(RunError, match=r"would execute .*game.py:sampled"):
                resume(tmp_path / "cut")
            assert not marker.exists()
            assert contents(tmp_path / "cut") == before
            resumed = resume(tmp_path / "cut", trust=True)
            assert marker.exists()
        assert resumed.strategy.to_dict() == whole.strategy.to_dict()
        assert read_task(tmp_path / "cut")[1].fingerprint == (
            UNCOMPILED if name == "sampled" else whole.game.fingerprint()
        )

    def test_a_position_must_be_given_again_unless_the_folder_holds_its_histories(
        self, tmp_path: Path
    ) -> None:
        asked: dict[str, Any] = {"method": "es", "iterations": 1500, "on": "objects"}
        whole = solve(OnlySampled(), **asked, save=False)
        interrupted(tmp_path / "cut", 500, game=OnlySampled(), **asked)
        with pytest.raises(InvalidOption, match=r"untilt.resume\(path, game=position\)"):
            resume(tmp_path / "cut")
        assert not load(tmp_path / "cut").is_finished
        resumed = resume(tmp_path / "cut", game=OnlySampled())
        assert resumed.strategy.to_dict() == whole.strategy.to_dict()
        listed = solve(Sound(), **asked, save=False)
        interrupted(tmp_path / "listed", 500, game=Sound(), **asked)
        assert resume(tmp_path / "listed").strategy.to_dict() == listed.strategy.to_dict()

    def test_the_command_executes_only_a_game_that_is_repeated_or_trusted(
        self,
        tmp_path: Path,
        reference: str,
        marker: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        game = f"{reference}:sampled"
        asked: dict[str, Any] = {"method": "es", "iterations": 700, "on": "objects"}
        interrupted(tmp_path / "cut", 100, game=game, **asked)
        marker.unlink()
        for number, extra in enumerate(([], ["--trust"], [game])):
            folder = tmp_path / f"copy {number}"
            shutil.copytree(tmp_path / "cut", folder)
            capsys.readouterr()
            status = command(["solve", *extra, "--resume", str(folder), "--json"])
            assert status == (2 if not extra else 0)
            assert marker.exists() == bool(extra)
            marker.unlink(missing_ok=True)
            if not extra:
                said = capsys.readouterr().err
                assert f"untilt solve {game} --resume {shlex.quote(str(folder))}" in said
                assert f"untilt solve --resume {shlex.quote(str(folder))} --trust" in said
                assert said.count("\n") == 1

    def test_the_command_refuses_another_game_and_trust_without_a_run(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        interrupted(tmp_path / "cut", 100, game="kuhn", method="es", iterations=700)
        folder = str(tmp_path / "cut")
        assert command(["solve", "leduc", "--resume", folder]) == 2
        assert "this is a run of kuhn, not of leduc" in capsys.readouterr().err
        assert command(["solve", "kuhn", "--trust"]) == 2
        assert "--trust needs --resume" in capsys.readouterr().err
        assert command(["solve", "kuhn", "--resume", folder, "--json"]) == 0

    def test_a_position_of_a_known_game_is_found_again(self, tmp_path: Path) -> None:
        asked: dict[str, Any] = {"method": "es", "iterations": 3000, "on": "objects"}
        whole = solve(leduc(), **asked, save=False)
        interrupted(tmp_path / "cut", 500, game=leduc(), **asked)
        assert resume(tmp_path / "cut").strategy.to_dict() == whole.strategy.to_dict()

    def test_a_game_that_can_only_be_sampled_is_never_compiled(self, tmp_path: Path) -> None:
        run = solve(OnlySampled(), "es", iterations=600, output=tmp_path / "run")
        assert run.request.options["on"] == "objects"
        assert run.evaluation is None
        assert run.to_json()["exploitability"] is None
        assert not (tmp_path / "run" / "frames.bin").exists()
        assert load(tmp_path / "run").strategy.to_dict() == run.strategy.to_dict()
        with pytest.raises(InvalidOption, match=r"target.*too large to compile"):
            solve(OnlySampled(), "es", target=0.1, save=False)

    def test_a_large_game_is_sampled_as_objects_by_itself(self, tmp_path: Path) -> None:
        run = solve(SampledWalk(30), "os", iterations=40, output=tmp_path / "run", cache=1000)
        assert run.request.options["on"] == "objects"
        assert run.game.num_infosets > 500
        assert load(tmp_path / "run").strategy.to_dict() == run.strategy.to_dict()
        with pytest.raises(RunError):
            load(tmp_path)
