"""A spot whose boards are on several workers: the same bits as on one machine."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.distributed.counting import Losing

from untilt.distributed import driver, remote_boards
from untilt.distributed.engine import Call, InProcess
from untilt.distributed.remote_boards import TreeCluster
from untilt.errors import ClusterError, InvalidOption, RunError
from untilt.formats.run.shard_folder import ShardFolder
from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.solutions.solution import Solution
from untilt.games.holdem.spots.locks import parse_lock
from untilt.games.holdem.spots.spot import Spot
from untilt.runs.solve import solve as solve_spot
from untilt.runs.spots.solutions import load_spot, resume_spot

ITERATIONS = 6
TURN = Spot("Td9d6hQc", ("AA,QJs,87s", "KK,JTs,AQs"), 60, 100, sizes=Sizes("60%"))


def solved(
    folder: Path, engine: InProcess | None = None, spot: Spot = TURN, **options: Any
) -> Solution:
    cluster = None if engine is None else TreeCluster(engine)
    options = {"iterations": ITERATIONS, "threads": 1, **options}
    return solve_spot(spot, output=folder, cluster=cluster, **options)


def assert_same(first: Solution, second: Solution) -> None:
    for name in ("tables", "dealt"):
        for one, other in zip(
            getattr(first.snapshot, name), getattr(second.snapshot, name), strict=True
        ):
            assert np.array_equal(one[:], other[:]), name
    assert first.exploitability == second.exploitability
    assert first.ev == second.ev


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Solution:
    return solved(tmp_path_factory.mktemp("spot") / "run")


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_any_number_of_workers_gives_the_same_bits(
    workers: int, alone: Solution, tmp_path: Path
) -> None:
    assert_same(solved(tmp_path / "run", InProcess(workers)), alone)


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"precision": "int16"}, marks=pytest.mark.long),
        {"method": "pcfr+"},
        {"spot": TURN.replaced(locks=[parse_lock("check: KK bet 50% check 50%")])},
        {"spot": TURN.replaced(locks=[parse_lock("check, check @ 2c: AA check")])},
    ],
    ids=["int16", "pcfr+", "lock", "lock on a card"],
)
def test_precision_method_and_locks_are_those_of_one_machine(
    settings: Mapping[str, Any], tmp_path: Path
) -> None:
    one = solved(tmp_path / "one", **settings)
    assert_same(solved(tmp_path / "two", InProcess(2), **settings), one)


def test_lost_workers_change_nothing(
    alone: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "_SAVE_SECONDS", 0.0)  # a checkpoint now and then
    monkeypatch.setattr(driver, "_MOST_SAVING_SHARE", 0.3)
    losses = {number: ("before", "after")[number % 2] for number in range(9, 80, 10)}
    engine = Losing(3, losses)
    assert_same(solved(tmp_path / "run", engine), alone)
    assert engine.lost >= 5
    assert len(ShardFolder(tmp_path / "run").steps(lasting=True)) <= 3


def test_another_number_of_workers_resumes_the_run(alone: Solution, tmp_path: Path) -> None:
    solved(tmp_path / "run", InProcess(2), iterations=4)
    cluster = TreeCluster(InProcess(3))
    assert_same(resume_spot(tmp_path / "run", iterations=ITERATIONS, cluster=cluster), alone)


def test_a_run_goes_on_with_the_groups_it_began_with(
    alone: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(remote_boards, "num_groups", lambda _: 5)
        solved(tmp_path / "run", InProcess(2), iterations=4)
    assert ShardFolder(tmp_path / "run").num_groups == 5
    cluster = TreeCluster(InProcess(3))
    assert_same(resume_spot(tmp_path / "run", iterations=ITERATIONS, cluster=cluster), alone)


def test_a_damaged_shard_costs_one_checkpoint(alone: Solution, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    solved(folder, InProcess(2), iterations=3)
    resume_spot(folder, iterations=5, cluster=TreeCluster(InProcess(2)))
    steps = ShardFolder(folder).steps(lasting=True)
    assert steps[-1] == 10
    path = ShardFolder(folder).at(10) / "group-001.bin"
    path.write_bytes(path.read_bytes()[:-8])
    found = resume_spot(folder, iterations=ITERATIONS, cluster=TreeCluster(InProcess(1)))
    assert_same(found, alone)
    assert found.warning is not None
    assert "using the previous checkpoint" in found.warning


def test_a_run_stays_where_it_was_begun(tmp_path: Path) -> None:
    solved(tmp_path / "here")
    solved(tmp_path / "there", InProcess(2))
    with pytest.raises(RunError, match="begun on a cluster: continue it there"):
        resume_spot(tmp_path / "there", iterations=9)
    with pytest.raises(RunError, match="begun without a cluster"):
        resume_spot(tmp_path / "here", iterations=9, cluster=TreeCluster(InProcess()))
    assert_same(load_spot(tmp_path / "there"), load_spot(tmp_path / "here"))


def test_a_river_cannot_be_shared_out(tmp_path: Path) -> None:
    river = TURN.replaced(board="Td9d6hQc2c")
    with pytest.raises(InvalidOption, match="a river has one board"):
        solved(tmp_path / "run", InProcess(2), river)


def test_a_path_that_is_not_shared_is_found_out_first(tmp_path: Path) -> None:
    class Elsewhere(InProcess):
        def call(self, worker: int, method: str, *arguments: Any) -> Call:
            if method == "read_token" and worker == 1:
                return Call(worker, lambda: None)
            assert method in ("read_token", "facts")
            return super().call(worker, method, *arguments)

    with pytest.raises(ClusterError, match=r"is not shared: .* does not see what is written there"):
        solved(tmp_path / "run", Elsewhere(2))
    assert not list(tmp_path.glob("run/*"))
