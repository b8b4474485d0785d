"""Ray clusters of this machine: what they listen on, what they survive, what they leave."""

import importlib.util
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.distributed.processes import descendants, wait_until_gone

from untilt.cache_folder import cache_folder

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


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = tmp_path_factory.mktemp("home")
    # Kernels and buckets are where they always are; whatever else is written shows up in HOME.
    given = {"HOME": str(home), "PYTHONPATH": str(ROOT), "UNTILT_CACHE_DIR": str(cache_folder())}
    return {**os.environ, **given}


@pytest.fixture(scope="module", autouse=True)
def on_nodes(
    environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[subprocess.Popen[str]]:
    """What happens on five nodes, which takes longest and so begins first."""
    folder = tmp_path_factory.mktemp("on_nodes")
    command = [sys.executable, "-m", "tests.distributed.on_nodes", str(folder)]
    with subprocess.Popen(
        command,
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.terminate()


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


LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


def test_a_local_cluster_listens_on_loopback_only_and_leaves_nothing(
    waiting: subprocess.Popen[str], environment: dict[str, str]
) -> None:
    pids = descendants(waiting.pid)
    names = sorted(name_of(pid) for pid in pids - {waiting.pid})
    assert names == [
        *("gcs_server", "ray::DashboardAgent", "ray::RayHost", "ray::RayHost"),
        *("ray::RuntimeEnvAgent", "raylet", "sh"),
    ]
    found = listening(pids)
    assert found
    assert found <= LOOPBACK
    (folder,) = Path("/tmp").glob(f"untilt-ray-{waiting.pid}-*")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    (inside,) = folder.iterdir()
    assert len(list(inside.glob("session_*/sockets/*"))) >= 2
    assert waiting.stdin is not None
    waiting.stdin.close()
    assert waiting.wait(60) == 0
    assert not wait_until_gone(pids, 30)
    assert not list(Path("/tmp").glob(f"untilt-ray-{waiting.pid}-*"))
    assert not list(Path(environment["HOME"]).glob(".ray*"))


def name_of(pid: int) -> str:
    """Return the name of a process, which Ray's Python processes have chosen themselves."""
    first = Path(f"/proc/{pid}/cmdline").read_text().split("\0")[0]
    return first.strip().rpartition("/")[2]


def test_a_killed_driver_leaves_nothing(
    waiting: subprocess.Popen[str], environment: dict[str, str]
) -> None:
    pids = descendants(waiting.pid)
    # Nobody joins such a cluster by mistake, or waits for it.
    port = port_of_head(pids)
    command = [sys.executable, "-m", "untilt", "cluster", "check", "--cluster", f"localhost:{port}"]
    refused = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert refused.returncode == 2
    assert "cannot be joined: it listens on loopback only" in refused.stderr
    waiting.send_signal(signal.SIGKILL)
    waiting.wait()
    assert not wait_until_gone(pids - {waiting.pid}, 30)
    assert not list(Path("/tmp").glob(f"untilt-ray-{waiting.pid}-*"))


def port_of_head(pids: set[int]) -> str:
    """Return the port that Ray's head was started with."""
    words = [Path(f"/proc/{pid}/cmdline").read_text().split("\0") for pid in pids]
    heads = [each for each in words if each[0].endswith("gcs_server")]
    found = [word for each in words for word in each if word.startswith("--gcs-address=")]
    assert len(heads) == 1
    return found[0].rpartition(":")[2]


def test_results_are_the_same_after_workers_nodes_and_drivers_were_killed(
    on_nodes: subprocess.Popen[str],
) -> None:
    out, err = on_nodes.communicate(timeout=500)
    assert on_nodes.returncode == 0, err[-4000:]
    report = json.loads(out.splitlines()[-1])
    assert report["killed_drivers"] == [-signal.SIGKILL] * 4
    for number, name in enumerate(("spot", "noise", "training", "flops")):
        assert report[name]["workers"] == 5 - number  # before that, it had one
        assert report[name]["killed"] >= 5, name
        assert report[name]["nodes_lost"] == number + 1, name
        assert report[name]["same"], name
