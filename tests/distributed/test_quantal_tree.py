"""A spot with noise whose boards are on several workers: the same bits as on one machine."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.distributed.counting import Losing
from tests.distributed.test_tree import TURN

import untilt
from untilt.distributed import driver
from untilt.distributed.engine import InProcess
from untilt.distributed.remote_boards import TreeCluster
from untilt.errors import InvalidOption, RunError
from untilt.formats.run.shard_folder import ShardFolder
from untilt.game.public.quantal_snapshot import QuantalSnapshot
from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.solutions.solution import Solution
from untilt.games.holdem.spots.locks import parse_lock
from untilt.games.holdem.spots.spot import Spot
from untilt.runs.solve import solve as solve_spot
from untilt.runs.spots.solutions import load_spot, resume_spot

ITERATIONS = 40
BLOCKED = Spot("Td9d6hQc", ("QsQh,JJ,AsKs", "AsAh,3s2s"), 60, 600, sizes=Sizes("60%"))
"""After a bet and a call AsKs meets next to nobody, so C on the first board is a logarithm."""


def solved(
    folder: Path, engine: InProcess | None = None, spot: Spot = TURN, **options: Any
) -> Solution:
    cluster = None if engine is None else TreeCluster(engine)
    options = {"iterations": ITERATIONS, "threads": 1, "noise": "oop=3%,ip=6%", **options}
    return solve_spot(spot, output=folder, cluster=cluster, **options)


def assert_same(first: Solution, second: Solution) -> None:
    one, other = first.snapshot, second.snapshot
    assert isinstance(one, QuantalSnapshot)
    assert isinstance(other, QuantalSnapshot)
    for name in ("logs", "dealt"):
        for mine, theirs in zip(getattr(one, name), getattr(other, name), strict=True):
            assert np.ptp(mine[:]) > 0.0
            assert np.array_equal(mine[:], theirs[:]), name
    assert first.residual == second.residual
    assert first.iterations == second.iterations
    assert first.exploitability == second.exploitability
    assert first.ev == second.ev


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Solution:
    return solved(tmp_path_factory.mktemp("noisy") / "run")


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_any_number_of_workers_gives_the_same_bits(
    workers: int, alone: Solution, tmp_path: Path
) -> None:
    found = solved(tmp_path / "run", InProcess(workers))
    assert_same(found, alone)
    assert_same(load_spot(tmp_path / "run"), alone)


@pytest.mark.parametrize(
    "settings",
    [
        {"precision": "float64"},
        {"noise": "0.2%", "iterations": 300},
        {"noise": "0.2%", "iterations": 300, "spot": BLOCKED},
        {"iterations": None, "target": 1e-3, "target_max": 0.02},
        {"spot": TURN.replaced(locks=[parse_lock("check: KK bet 50% check 50%")])},
        {"spot": TURN.replaced(locks=[parse_lock("check, check @ 2c: AA check")])},
        pytest.param(
            {"spot": TURN.replaced(board="Td9d6h"), "noise": "5%", "iterations": 10},
            marks=pytest.mark.long,
        ),
    ],
    ids=["float64", "little noise", "blocked", "targets", "lock", "lock on a card", "flop"],
)
def test_precision_noise_stops_and_locks_are_those_of_one_machine(
    settings: Mapping[str, Any], tmp_path: Path
) -> None:
    one = solved(tmp_path / "one", **settings)
    assert_same(solved(tmp_path / "two", InProcess(2), **settings), one)


def test_lost_workers_change_nothing(
    alone: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "_SAVE_SECONDS", 0.0)  # a checkpoint now and then
    monkeypatch.setattr(driver, "_MOST_SAVING_SHARE", 0.3)
    losses = {number: ("before", "after")[number % 2] for number in range(9, 400, 37)}
    engine = Losing(3, losses)
    assert_same(solved(tmp_path / "run", engine), alone)
    assert engine.lost >= 5


def test_another_number_of_workers_resumes_the_run(alone: Solution, tmp_path: Path) -> None:
    solved(tmp_path / "run", InProcess(2), iterations=17)
    assert ShardFolder(tmp_path / "run").steps(lasting=True)[-1] == 34
    # The residual is also measured where a run ends, so one machine must end there, too.
    solved(tmp_path / "here", iterations=17)
    here = resume_spot(tmp_path / "here", iterations=ITERATIONS)
    cluster = TreeCluster(InProcess(3))
    found = resume_spot(tmp_path / "run", iterations=ITERATIONS, cluster=cluster)
    assert_same(found, here)
    assert_same(found, alone)


def test_a_damaged_shard_costs_one_checkpoint(alone: Solution, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    solved(folder, InProcess(2), iterations=20)
    resume_spot(folder, iterations=30, cluster=TreeCluster(InProcess(2)))
    path = ShardFolder(folder).at(60) / "group-001.bin"
    path.write_bytes(path.read_bytes()[:-8])
    found = resume_spot(folder, iterations=ITERATIONS, cluster=TreeCluster(InProcess(1)))
    assert_same(found, alone)
    assert found.warning is not None
    assert "using the previous checkpoint" in found.warning


@pytest.mark.parametrize("noise", [None, "8%"], ids=["equilibrium", "noise"])
def test_a_run_that_begins_with_another_survives_losses(
    noise: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    how: dict[str, Any] = {} if noise is None else {"noise": noise}
    start = solve_spot(TURN, output=tmp_path / "start", iterations=12, threads=1, **how)
    one = solved(tmp_path / "one", start=start)
    monkeypatch.setattr(driver, "_SAVE_SECONDS", 1e9)  # what is lost begins again
    engine = Losing(3, {6: "after", 15: "before"})
    assert_same(solved(tmp_path / "two", engine, start=start), one)
    assert engine.lost == 2
    locked = TURN.replaced(locks=[parse_lock("check, check @ 2c: AA check")])
    both = [
        solved(tmp_path / name, engine, locked, start=start)
        for name, engine in (("three", None), ("four", InProcess(2)))
    ]
    assert_same(both[0], both[1])


def test_a_ladder_climbs_on_a_cluster(tmp_path: Path) -> None:
    options: dict[str, Any] = {"iterations": 20, "threads": 1}
    one = untilt.spots.ladder(TURN, "20%..5%", output=tmp_path / "one", rungs=3, **options)
    cluster = TreeCluster(InProcess(2))
    untilt.spots.ladder(TURN, ["20%"], output=tmp_path / "two", cluster=cluster, **options)
    shard = tmp_path / "two" / "noise-20" / "shards"
    assert shard.is_dir()
    two = untilt.spots.ladder(
        TURN, "20%..5%", output=tmp_path / "two", rungs=3, cluster=cluster, **options
    )
    for mine, theirs in zip(two, one, strict=True):
        assert_same(mine, theirs)


def test_an_interrupted_rung_continues_on_the_cluster(tmp_path: Path) -> None:
    options: dict[str, Any] = {"threads": 1, "cluster": TreeCluster(InProcess(2))}
    place = tmp_path / "ladder"
    solved(place / "noise-20", InProcess(3), noise="20%", iterations=10)
    (place / "noise-20" / "result.json").unlink()
    two = untilt.spots.ladder(TURN, ["20%"], output=place, iterations=20, **options)
    assert_same(two[0], solved(tmp_path / "one", noise="20%", iterations=20))


def test_a_run_stays_where_it_was_begun(tmp_path: Path) -> None:
    solved(tmp_path / "here", iterations=3)
    solved(tmp_path / "there", InProcess(2), iterations=3)
    with pytest.raises(RunError, match="begun on a cluster: continue it there"):
        resume_spot(tmp_path / "there", iterations=9)
    with pytest.raises(RunError, match="begun without a cluster"):
        resume_spot(tmp_path / "here", iterations=9, cluster=TreeCluster(InProcess()))


def test_a_river_cannot_be_shared_out(tmp_path: Path) -> None:
    river = TURN.replaced(board="Td9d6hQc2c")
    with pytest.raises(InvalidOption, match="a river has one board"):
        solved(tmp_path / "run", InProcess(2), river)
