"""kill −9 again and again, in every family of methods: what is continued loses no bit.

A process is killed at a random moment or at a random change of the disk, and continued until it
comes to its end.
"""

import json
import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.cli.faulty_games import OnlySampled
from tests.runs.folders import (
    assert_same,
    can_fork,
    count_file_operations,
    ended,
    forked,
    outcome,
    save_often,
)
from tests.runs.game_runs import resume

from untilt.exploitation import exploit as exploit_module
from untilt.exploitation.exploit import exploit
from untilt.formats.kinds.regret_file import sidecar_of
from untilt.games import kuhn, leduc
from untilt.runs.pushfold import trainee, training_material
from untilt.runs.pushfold.training import resume_training, train
from untilt.runs.pushfold.training_start import prepare
from untilt.runs.solve import solve

_SAVES_SECONDS = 0.01


@dataclass(frozen=True)
class Family:
    """How a kind of work is begun or continued in a folder, and what it leaves there."""

    work: Callable[[Path], object]
    left: Callable[[Path], dict[str, Any]]


def solving(game: Any, method: str, *, is_ordered: bool = True, **asked: Any) -> Family:
    """Return a run by a solver; one on objects meets them in another order after a restart."""

    def work(folder: Path) -> None:
        if (folder / "run.json").exists():
            resume(folder, game=None if isinstance(game, str) else game)
        else:
            solve(game, method, output=folder, **asked)

    def left(folder: Path) -> dict[str, Any]:
        found = outcome(folder, rows=(folder / "frames.bin").exists())
        if not is_ordered:
            del found["checkpoint"]
        return found

    return Family(work, left)


def learning(**given: Any) -> Family:
    """Return a training of push/fold, which goes on from its regret file."""

    def work(folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        path = folder / "regret.dat"
        train(prepare(path, given), hands=400_000, path=path)

    def left(folder: Path) -> dict[str, Any]:
        path = folder / "regret.dat"
        said = json.loads(sidecar_of(path).read_text())
        return {
            "data": path.read_bytes(),
            "said": {name: value for name, value in said.items() if name != "previous"},
            "files": sorted(path.name for path in folder.iterdir()),
        }

    return Family(work, left)


def recording(**given: Any) -> Family:
    """Return a training of push/fold, which goes on from its run folder."""

    def work(folder: Path) -> None:
        if (folder / "run.json").exists():
            resume_training(folder)
        else:
            train(prepare(None, given), hands=400_000, output=folder)

    return Family(work, outcome)


def measuring(agent: str, deals: int) -> Family:
    """Return a measurement of what can be won from an agent, which goes on from its file."""

    def work(folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        path = folder / "won.json"
        place: dict[str, Any] = {"resume" if path.exists() else "output": path}
        rows = ["best response from the river"]
        exploit(agent, deals, variants=rows, game="holdem", control=1, **place)

    def left(folder: Path) -> dict[str, Any]:
        document = json.loads((folder / "won.json").read_text())
        del document["seconds"], document["result"]["seconds"], document["checksum"]
        return {**document, "files": sorted(path.name for path in folder.iterdir())}

    return Family(work, left)


FAMILIES: dict[str, Family] = {
    "cfr": solving("leduc", "dcfr+", iterations=600),
    "lp": solving("leduc", "lp"),
    "mccfr": solving("leduc", "es", iterations=20_000),
    "baselines": solving("leduc", "os", iterations=20_000, average="lazy"),
    "objects": solving(leduc(), "os", is_ordered=False, iterations=1_500, on="objects"),
    "only sampled": solving(OnlySampled(), "es", is_ordered=False, iterations=1_500),
    "qre": solving("kuhn", "qre", beta=20.0, branch=True),
    "newton": solving(kuhn(), "qre", path="newton", beta=5.0),
    "limit": solving("kuhn", "qre", limit=True),
    "dilated": solving("kuhn", "qre", definition="dilated", beta=20.0, branch=True),
    "training": learning(),
    "matching": learning(choice="matching", bytes=2, growth="log"),
    "recorded training": recording(),
    "recorded matching": recording(choice="matching", bytes=2, growth="log"),
    "measurement": measuring("call", deals=3),
}


def inject(tmp_path: Path, name: str, num_runs: int, kills_per_run: int) -> None:
    """Kill `num_runs` pieces of work so many times each, and compare what they leave."""
    family = FAMILIES[name]
    rng = random.Random(name)
    family.work(tmp_path / "warm")  # compiles, so that the next one shows how long it takes
    operations: list[int] = []
    begin = time.perf_counter()
    with pytest.MonkeyPatch.context() as patch:
        hurry(patch)
        count_file_operations(patch, operations.append)
        family.work(tmp_path / "never killed")
    duration = time.perf_counter() - begin
    expected = family.left(tmp_path / "never killed")
    num_kills = num_ends = 0
    for number in range(num_runs):
        folder = tmp_path / f"killed {number}"
        for kill in range(kills_per_run):
            # The first is early, where no run has ended: later ones may come too late.
            latest = len(operations) if kill else 20
            at_operation = rng.randrange(1, latest) if not kill or rng.random() < 0.5 else None
            process = forked(partial(work_and_die, family, folder, at_operation))
            if at_operation is None:
                time.sleep(rng.uniform(0.0, duration))
                os.kill(process, signal.SIGKILL)
            status = ended(process)
            assert status in (0, -signal.SIGKILL)
            num_kills += status != 0
            num_ends += status == 0
        with pytest.MonkeyPatch.context() as patch:
            hurry(patch)
            family.work(folder)
        assert_same(family.left(folder), expected)
    print(f"{name}: {num_runs} runs, {num_kills} kills, {num_ends} came to their end before")
    assert num_kills >= num_runs


def hurry(patch: pytest.MonkeyPatch) -> None:
    """Let work save as often as it can."""
    save_often(patch, _SAVES_SECONDS)
    patch.setattr(exploit_module, "_SAVE_SECONDS", 0.0)
    patch.setattr(training_material, "SAVE_SECONDS", _SAVES_SECONDS)
    patch.setattr(trainee, "_FIRST_LOOK", 20_000)
    patch.setattr(trainee, "_LOOK_SECONDS", _SAVES_SECONDS)


def work_and_die(family: Family, folder: Path, at_operation: int | None) -> None:
    """Work, in a process of its own, up to a change of the disk if one is given."""
    patch = pytest.MonkeyPatch()
    hurry(patch)

    def die(count: int) -> None:
        if count == at_operation:
            os.kill(os.getpid(), signal.SIGKILL)

    count_file_operations(patch, die)
    family.work(folder)


@can_fork
@pytest.mark.parametrize(
    "name", ["cfr", "mccfr", "objects", "qre", "training", "recorded training", "measurement"]
)
def test_work_that_is_killed_and_continued_ends_with_the_same_bits(
    tmp_path: Path, name: str
) -> None:
    inject(tmp_path, name, num_runs=1, kills_per_run=3)


@can_fork
@pytest.mark.long
@pytest.mark.parametrize("name", FAMILIES)
def test_work_that_is_killed_many_times_ends_with_the_same_bits(tmp_path: Path, name: str) -> None:
    inject(tmp_path, name, num_runs=5, kills_per_run=4)
