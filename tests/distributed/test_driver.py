"""The driver on workers that are lost at any moment: the same numbers as if none ever were."""

import os
from itertools import chain
from pathlib import Path

import pytest
from tests.distributed.counting import Counter, Losing

from untilt.distributed import driver as driver_module
from untilt.distributed.driver import MOST_LOSSES, Driver
from untilt.distributed.engine import InProcess
from untilt.distributed.memory_check import Shortage
from untilt.distributed.shard import Host
from untilt.errors import ClusterError, FormatError
from untilt.formats.run.shard_folder import ShardFolder

SIZES = [3, 1, 4, 1, 5, 9, 2]


@pytest.fixture(autouse=True)
def without_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)


def worked(engine: InProcess, folder: Path, num_steps: int = 9) -> tuple[list[float], list[str]]:
    """Do some steps with a checkpoint after the fourth; return all values and the digests."""
    driver = Driver(engine, Counter, SIZES, ShardFolder(folder))
    values: list[float] = []
    for step in range(num_steps):
        values += [answer["value"] for answer in driver.advance({"number": 0.1 * step})]
        if step == 3:
            driver.save()
        if step == 6:
            values += [answer["value"] for answer in driver.ask({"factor": 2.0})]
    return values, driver.digests()


@pytest.mark.parametrize("workers", [2, 3, 7, 12])
def test_the_number_of_workers_changes_nothing(workers: int, tmp_path: Path) -> None:
    expected = worked(InProcess(1), tmp_path / "one")
    assert worked(InProcess(workers), tmp_path / "many") == expected


@pytest.mark.parametrize("late", [0, 1, 5, 9])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_worker_lost_at_any_call_changes_nothing(when: str, late: int, tmp_path: Path) -> None:
    whole = Losing(3)
    expected = worked(whole, tmp_path / "whole")
    assert whole.calls > 30
    for number in range(1, whole.calls + 1):
        engine = Losing(3, {number: when}, late=late)
        assert worked(engine, tmp_path / str(number)) == expected, number
        assert engine.lost == 1


@pytest.mark.parametrize("when", ["before", "after"])
def test_two_workers_lost_one_after_the_other_change_nothing(when: str, tmp_path: Path) -> None:
    expected = worked(Losing(3), tmp_path / "whole")
    for late in (0, 2, 5):  # the later losses hit heirs, and workers that have just come
        for number in range(1, 38):
            losses = {number: when, number + 1: "before", number + 3 + late: "after"}
            folder = tmp_path / f"{late} {number}"
            assert worked(Losing(3, losses, late=late), folder) == expected, (late, number)


def test_a_new_worker_takes_its_share_and_the_others_forget_it(tmp_path: Path) -> None:
    engine = Losing(3, {16: "before"}, late=12)
    driver = Driver(engine, Counter, SIZES, ShardFolder(tmp_path))
    at_first = held_by(engine)
    during = at_first
    for step in range(12):
        driver.advance({"number": 0.1 * step})
        found = held_by(engine)
        if len(found) == 2:
            during = found
    assert len(during) == 2
    assert sorted(chain(*during.values())) == list(range(len(SIZES)))
    assert found == at_first


def test_other_machines_without_memory_wait_for_a_new_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Machines(Losing):
        is_one_machine = False

    asked = []

    def find(engine: InProcess, needed: dict[int, int]) -> Shortage | None:
        asked.append(sum(needed.values()))
        return None if has_room else Shortage("b", 9, 3)

    monkeypatch.setattr(driver_module, "find_shortage", find)
    for has_room in (True, False):
        engine = Machines(3, {16: "before"}, late=99)
        driver = Driver(engine, Counter, SIZES, ShardFolder(tmp_path / str(has_room)))
        at_first = held_by(engine)
        for step in range(12):
            driver.advance({"number": 0.1 * step})
        assert (held_by(engine) == at_first) is not has_room
    assert asked[0] == asked[1] > 0


def held_by(engine: Losing) -> dict[int, list[int]]:
    """Return the groups of every worker that is there."""
    return {worker: sorted(engine._hosts[worker]._shards) for worker in engine.workers}


@pytest.mark.parametrize("number", [1, 5, 14, 20])
def test_a_smaller_cluster_finishes_the_work(number: int, tmp_path: Path) -> None:
    expected = worked(Losing(3), tmp_path / "whole")
    engine = Losing(3, {number: "before", number + 4: "before"}, most_new=0)
    assert worked(engine, tmp_path / "shrunk") == expected
    assert len(engine.workers) == 1


def test_a_cluster_without_workers_says_what_is_kept(tmp_path: Path) -> None:
    engine = Losing(2, {16: "before", 17: "before"}, most_new=0)
    with pytest.raises(ClusterError, match="no workers left; what was saved is kept") as caught:
        worked(engine, tmp_path)
    assert caught.value.is_gone
    assert ShardFolder(tmp_path).steps() == [4]


def test_losses_without_progress_end_the_run(tmp_path: Path) -> None:
    engine = Losing(2, dict.fromkeys(range(16, 99), "before"))
    with pytest.raises(ClusterError, match=f"{MOST_LOSSES} workers were lost one after the other"):
        worked(engine, tmp_path)
    assert ShardFolder(tmp_path).steps() == [4]


def test_another_number_of_workers_continues_from_the_last_checkpoint(tmp_path: Path) -> None:
    expected = worked(InProcess(2), tmp_path / "whole")[1]
    first = Driver(InProcess(2), Counter, SIZES, ShardFolder(tmp_path))
    for step in range(6):
        first.advance({"number": 0.1 * step})
        if step in {1, 2, 4}:
            first.save()
    assert ShardFolder(tmp_path).steps()[-2:] == [3, 5]
    second = Driver(InProcess(3), Counter, SIZES, ShardFolder(tmp_path))
    second.load(5)
    for step in range(5, 9):
        second.advance({"number": 0.1 * step})
    assert second.digests() == expected


def test_what_a_killed_driver_had_saved_later_does_not_stand_in_for_newer_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = worked(InProcess(2), tmp_path / "whole")[1]
    monkeypatch.setattr(driver_module, "_SAVE_SECONDS", 0.0)  # each step is saved
    monkeypatch.setattr(driver_module, "_MOST_SAVING_SHARE", 1e9)
    first = Driver(Losing(3), Counter, SIZES, ShardFolder(tmp_path))
    for step in range(8):
        first.advance({"number": 0.1 * step})
        if step == 2:
            first.save()
    assert ShardFolder(tmp_path).steps() == [3, 7, 8]
    for begin in (3, 0):  # from the last checkpoint, or from the beginning
        engine = Losing(3)
        second = Driver(engine, Counter, SIZES, ShardFolder(tmp_path))
        if begin:
            second.load(begin)
        for step in range(begin, 9):
            engine.losses[engine.calls + 4] = "before"  # one of the three while they save
            second.advance({"number": 0.1 * step})
            assert ShardFolder(tmp_path).steps()[-1] == step + 1
        assert second.digests() == expected
        assert engine.lost == 9 - begin


def test_a_checkpoint_without_manifest_or_with_a_damaged_file_is_refused(tmp_path: Path) -> None:
    driver = Driver(InProcess(), Counter, SIZES, ShardFolder(tmp_path))
    driver.advance({"number": 1.0})
    folder = driver.save()
    with pytest.raises(FormatError, match="not complete"):
        driver.load(2)
    path = folder / "group-003.bin"
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(FormatError, match=r"group-003\.bin"):
        driver.load(1)
    (folder / "manifest.json").unlink()
    with pytest.raises(FormatError, match="not complete"):
        driver.load(1)
    assert ShardFolder(tmp_path).steps() == []


def test_a_repeated_step_returns_its_stored_answer() -> None:
    host = Host()
    host.open([0, 1], Counter, 0, None)
    first = host.advance([0, 1], 1, {"number": 1.0})
    digests = host.digest([0, 1])
    assert host.advance([0, 1], 1, {"number": 1.0}) == first
    assert host.digest([0, 1]) == digests
    with pytest.raises(AssertionError, match="group 0 is at step 1"):
        host.advance([0], 3, {"number": 1.0})
