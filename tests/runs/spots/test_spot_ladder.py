"""Quantal response begun with other solutions, and at a ladder of noises."""

import copy
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import untilt
from untilt.errors import InvalidOption, RunError
from untilt.game.public.quantal_snapshot import QuantalSnapshot
from untilt.games.holdem.solutions.solution import Solution
from untilt.games.holdem.spots.locks import parse_lock
from untilt.runs.spots.spot_ladder import NoiseLadder, rung_noises

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
SIZES = untilt.Sizes("60%,a", raises="2.5x")
RIVER = untilt.Spot("Td9d6hQc2s", (OOP, IP), pot=200, stack=900, sizes=SIZES)
TURN = untilt.Spot("Td9d6hQc", ("QQ,JTs,87s,A5s", "TT,KJs,QJs,65s"), 100, 250, SIZES)


def strategies(solution: Solution) -> np.ndarray:
    """Return the probabilities of all actions at every node, of hands that can get there."""
    return np.concatenate(
        [node.strategy.ravel() for node in solution.nodes() if node.kind == "decision"]
    )


@pytest.mark.parametrize("spot", [RIVER, TURN])
def test_any_start_leads_to_the_same_answer(spot: untilt.Spot) -> None:
    asked: dict[str, Any] = {"noise": "5%", "target_max": 1e-4, "save": False}
    cold = untilt.solve(spot, **asked)
    nash = untilt.solve(spot, target="0.1%", save=False)
    near = untilt.solve(spot, noise="10%", target_max=1e-3, save=False)
    for start in (nash, near):
        warm = untilt.solve(spot, start=start, **asked)
        assert warm.residual is not None
        assert warm.residual.largest <= 1e-4
        assert np.allclose(strategies(warm), strategies(cold), rtol=0.0, atol=2e-3)
        assert warm.ev == pytest.approx(cold.ev, abs=1e-3)


def test_the_residual_of_a_solution_is_a_number_with_the_largest() -> None:
    solution = untilt.solve(TURN, noise=("10%", "20%"), save=False)
    residual, found = solution.residual, solution.to_json()
    assert residual is not None
    assert (residual, residual.largest) == (found["residual"], found["largest_residual"])
    assert 0.0 < residual <= 1e-3 < residual.largest
    copied = copy.copy(residual)
    assert (copied, copied.mean, copied.largest) == (residual, residual.mean, residual.largest)
    assert found["beta"] == max(found["betas"]) == pytest.approx(0.1)
    assert untilt.solve(TURN, iterations=5, save=False).residual is None


def test_a_near_start_takes_fewer_iterations() -> None:
    near = untilt.solve(RIVER, noise="3%", target_max=1e-3, save=False)
    cold, warm = (
        untilt.solve(RIVER, noise="2%", target_max=1e-3, save=False, start=start)
        for start in (None, near)
    )
    assert warm.iterations < 0.8 * cold.iterations


def test_locks_stay_where_only_the_new_spot_or_the_start_has_them() -> None:
    nash = untilt.solve(RIVER, target="0.5%", save=False)
    locked = RIVER.replaced(locks=[parse_lock("check: TT bet 120")])
    kept = untilt.solve(locked, noise="5%", start=nash, save=False)
    row = next(row for row in kept.at("check").table() if row.hand == "TsTc")
    assert row.mix["bet 120"] == pytest.approx(1.0)
    freed = untilt.solve(RIVER, noise="5%", start=kept, target_max=1e-3, save=False)
    free = untilt.solve(RIVER, noise="5%", target_max=1e-3, save=False)
    assert np.allclose(strategies(freed), strategies(free), rtol=0.0, atol=1e-2)


def test_a_start_that_does_not_fit_is_refused() -> None:
    nash = untilt.solve(TURN, iterations=5, save=False)
    with pytest.raises(InvalidOption, match="not solutions of the same spot"):
        untilt.solve(RIVER, noise="5%", start=nash, save=False)
    with pytest.raises(InvalidOption, match="start is for quantal response: add noise"):
        untilt.solve(TURN, start=nash, save=False)
    with pytest.raises(InvalidOption, match="give a solution"):
        untilt.solve(TURN, noise="5%", start="nash", save=False)  # type: ignore[call-overload]


def test_a_run_remembers_its_start_and_needs_its_first_checkpoint(tmp_path: Path) -> None:
    nash = untilt.solve(TURN, iterations=5, output=tmp_path / "nash")
    untilt.solve(TURN, noise="5%", start=nash, output=tmp_path / "q")
    document = json.loads((tmp_path / "q" / "run.json").read_text())
    assert document["parameters"]["start"] == {"run": str(tmp_path / "nash")}
    again = untilt.resume(tmp_path / "q", target_max=1e-4)
    assert isinstance(again, Solution)
    assert again.residual is not None
    assert again.residual.largest <= 1e-4
    for name in ("checkpoint.bin", "checkpoint.previous.bin", "result.json"):
        (tmp_path / "q" / name).unlink(missing_ok=True)
    with pytest.raises(RunError, match="no checkpoint is left"):
        untilt.resume(tmp_path / "q", target_max=1e-4)


@pytest.mark.parametrize("subject", ["spot.toml", "nash"])
def test_a_killed_run_ends_with_the_same_bits(tmp_path: Path, subject: str) -> None:
    (tmp_path / "spot.toml").write_text(TURN.to_toml())
    nash = untilt.solve(TURN, iterations=50, output=tmp_path / "nash")
    words = ["spot", subject, "--noise", "1%", "-n", "3000", "--threads", "2", "-o", "run"]
    process = subprocess.Popen(
        [sys.executable, "-m", "untilt", *words], cwd=tmp_path, stderr=subprocess.DEVNULL
    )
    while not (tmp_path / "run/checkpoint.bin").exists() and process.poll() is None:
        time.sleep(0.01)
    process.kill()
    process.wait()
    resumed = untilt.resume(tmp_path / "run", threads=1)
    start = nash if subject == "nash" else None
    whole = untilt.solve(TURN, noise="1%", iterations=3000, threads=3, save=False, start=start)
    assert isinstance(resumed, Solution)
    for one, other in zip(logs_of(resumed), logs_of(whole), strict=True):
        assert np.array_equal(one, other)
    assert resumed.ev == whole.ev


def logs_of(solution: Solution) -> tuple[np.ndarray, np.ndarray]:
    """Return the tables of a solution with noise."""
    assert isinstance(solution.snapshot, QuantalSnapshot)
    first, second = (np.asarray(each) for each in solution.snapshot.logs)
    return first, second


def test_rungs_are_even_by_ratio_and_have_short_names() -> None:
    assert rung_noises("20%..1%", 2) == ["20%", "1%"]
    assert rung_noises("1%..16%", 5) == ["16%", "8%", "4%", "2%", "1%"]
    assert rung_noises("20%..1%")[1] == "13.8%"
    assert rung_noises(["2%", "10%"]) == ["10%", "2%"]


@pytest.mark.parametrize(
    ("noises", "rungs"),
    [
        ("20%", None),
        ("20%..20%", None),
        ("20%..0%", None),
        ("20%..oop=1%,ip=2%", None),
        ("20%..1%", 1),
        (["oop=1%,ip=2%"], None),
        ([], None),
        (["2%"], 3),
    ],
)
def test_a_ladder_that_cannot_be_is_refused(noises: str, rungs: int | None) -> None:
    with pytest.raises(InvalidOption):
        untilt.spots.ladder(TURN, noises, rungs=rungs, save=False)


def test_a_ladder_is_what_its_rungs_are_alone(tmp_path: Path) -> None:
    found = untilt.spots.ladder(
        TURN, "20%..5%", rungs=3, output=tmp_path / "ladder", target_max=1e-4
    )
    assert isinstance(found, NoiseLadder)
    assert found.noises == pytest.approx((0.2, 0.1, 0.05))
    for noise, rung in zip(("20%", "10%", "5%"), found, strict=True):
        alone = untilt.solve(TURN, noise=noise, target_max=1e-4, save=False)
        assert np.allclose(strategies(rung), strategies(alone), rtol=0.0, atol=2e-3)
    assert [row["run"] for row in found.rows()] == [
        str(tmp_path / "ladder" / f"noise-{noise}") for noise in (20, 10, 5)
    ]
    losses = [row["exploitability_percent"] for row in found.rows()]
    assert losses == sorted(losses, reverse=True)


def test_a_ladder_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    first = untilt.spots.ladder(TURN, ["20%", "10%"], output=tmp_path / "ladder")
    whole = untilt.spots.ladder(TURN, ["20%", "10%", "5%"], output=tmp_path / "ladder")
    assert [each.iterations for each in whole][:2] == [each.iterations for each in first]
    assert whole.folder == tmp_path / "ladder"
    with pytest.raises(RunError, match="is not this spot"):
        untilt.spots.ladder(RIVER, ["20%"], output=tmp_path / "ladder")


def test_residuals_below_rounding_are_refused_or_end_the_run() -> None:
    with pytest.raises(InvalidOption, match=r"float32 at this noise.*precision='float64'"):
        untilt.solve(RIVER, noise="2%", target=1e-9, save=False)
    with pytest.raises(InvalidOption, match="not even in float64"):
        untilt.solve(RIVER, noise="2%", target_max=1e-17, precision="float64", save=False)
    found = untilt.solve(RIVER, noise="2%", target_max=5e-6, save=False)
    assert found.missed_target
    exact = untilt.solve(RIVER, noise="2%", target_max=5e-6, precision="float64", save=False)
    assert not exact.missed_target


def test_a_ladder_is_loaded_as_far_as_it_is_solved(tmp_path: Path) -> None:
    made = untilt.spots.ladder(TURN, ["20%", "5%"], iterations=20, output=tmp_path / "ladder")
    untilt.solve(TURN, noise="10%", iterations=20, output=tmp_path / "ladder" / "noise-10")
    (tmp_path / "ladder" / "noise-5" / "result.json").unlink()
    found = untilt.spots.load_ladder(tmp_path / "ladder")
    assert found.noises == (0.2, 0.1)
    assert found[0].ev == made[0].ev
    mixes = found.mixes("check")
    assert [row["noise"] for row in mixes] == [0.2, 0.1]
    assert mixes[0]["frequencies"] == dict(made[0].at("check").frequencies)
    untilt.solve(RIVER, noise="10%", iterations=5, output=tmp_path / "ladder" / "noise-1")
    with pytest.raises(InvalidOption, match="not solutions of the same spot"):
        untilt.spots.load_ladder(tmp_path / "ladder")
    with pytest.raises(RunError, match="no solved rung"):
        untilt.spots.load_ladder(tmp_path)
