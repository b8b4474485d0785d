"""Ray clusters of this machine: what they listen on, what they survive, what they leave."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from untilt.cache_folder import cache_folder
from untilt.distributed.ray_session import remove_abandoned

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs the extra ray"),
    pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="looks at sockets in /proc"),
]

ROOT = Path(__file__).parents[2]
WAITING = """
import sys
from untilt.distributed.engine import open_cluster
with open_cluster("local:2") as engine:
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir()
    # Kernels and buckets are where they always are; whatever else is written shows up in HOME.
    given = {"HOME": str(home), "PYTHONPATH": str(ROOT), "UNTILT_CACHE_DIR": str(cache_folder())}
    return {**os.environ, **given}


@pytest.fixture
def waiting(environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A process with a cluster of two workers, until its input ends."""
    with subprocess.Popen(
        [sys.executable, "-c", WAITING],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def descendants(pid: int) -> set[int]:
    """Return a process and all that it has started."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            after_name = (path / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(path.name)] = int(after_name[1])
    found = {pid}
    while more := {each for each, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def listening(pids: set[int]) -> set[str]:
    """Return the addresses, in hexadecimal, on which processes listen."""
    inodes = set()
    for pid in pids:
        for path in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                inodes.add(str(path.readlink()))
            except OSError:
                continue
    found = set()
    for name in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            is_open = fields[3] == "0A" or name.startswith("udp")
            if is_open and f"socket:[{fields[9]}]" in inodes:
                found.add(fields[1].partition(":")[0])
    return found


def wait_until_gone(pids: set[int], seconds: float) -> set[int]:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pids = {pid for pid in pids if Path(f"/proc/{pid}").exists() and not is_zombie(pid)}
        if not pids:
            break
        time.sleep(0.2)
    return pids


def is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


def test_a_local_cluster_listens_on_loopback_only_and_leaves_nothing(
    waiting: subprocess.Popen[str], environment: dict[str, str]
) -> None:
    pids = descendants(waiting.pid)
    assert len(pids) >= 4
    names = {Path(f"/proc/{pid}/cmdline").read_text().split("\0")[0] for pid in pids}
    assert any("raylet" in name for name in names)
    found = listening(pids)
    assert found
    assert found <= LOOPBACK
    assert list(Path("/tmp").glob(f"untilt-ray-{waiting.pid}-*"))
    assert waiting.stdin is not None
    waiting.stdin.close()
    assert waiting.wait(30) == 0
    assert not wait_until_gone(pids, 10)
    assert not list(Path("/tmp").glob(f"untilt-ray-{waiting.pid}-*"))
    assert not list(Path(environment["HOME"]).glob(".ray*"))


def test_a_killed_driver_leaves_nothing_running(waiting: subprocess.Popen[str]) -> None:
    pids = descendants(waiting.pid)
    waiting.send_signal(signal.SIGKILL)
    waiting.wait()
    # Two agents of Ray look for the head for a minute, and then end.
    assert not wait_until_gone(pids - {waiting.pid}, 120)
    remove_abandoned(Path("/tmp"))  # as the next cluster does when it starts
    assert not list(Path("/tmp").glob(f"untilt-ray-{waiting.pid}-*"))


def test_results_are_the_same_after_workers_and_a_node_were_killed(
    environment: dict[str, str], tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "tests.distributed.on_three_nodes", str(tmp_path)]
    done = subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["workers"] == 3
    assert report["workers_after"] == 2
    for name, least in (("spot", 5), ("training", 5), ("flops", 2)):
        assert report[name]["killed"] >= least, name
        assert report[name]["same"], name
