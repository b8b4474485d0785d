"""A driver that is killed at a checkpoint: the run goes on with the bits of one that never was."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no such signal on Windows")

SPOT = (
    *("spot", "--board", "2c2d2h3c", "--oop", "AA,QQ:0.5", "--ip", "KK,JJ", "--pot", "100"),
    *("--stack", "100", "--bets", "100%", "--raises", "a", "-n", "60", "--threads", "1"),
)
BLUEPRINT = (
    *("blueprint", "train", "--stack", "4bb", "--menu", "a", "--flop", "3", "--turn", "3"),
    *("--river", "2", "-n", "3000", "--batch", "256"),
)
RESUMED = {"spot": ("spot", "--resume"), "blueprint": ("blueprint", "train", "--resume")}
RESULT = {"spot": "strategy.bin", "blueprint": "blueprint.bin"}

# Checkpoints are due at every moment; the driver is killed before or after one part of the first
# or second.
KILLED = """
import os, signal, sys
from untilt.distributed.driver import Driver
from untilt.runs import background_save, recorder

place, is_after, number = sys.argv[1], sys.argv[2] == "after", int(sys.argv[3])
del sys.argv[1:4]
recorder.FIRST_CHECKPOINT_SECONDS = recorder.CHECKPOINT_SECONDS = 0.0
recorder._MAX_CHECKPOINT_SHARE = 1e9
count = 0

def killed(original):
    def call(*given, **named):
        global count
        count += 1
        if count == number and not is_after:
            os.kill(os.getpid(), signal.SIGKILL)
        found = original(*given, **named)
        if count == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return found
    return call

if place == "shards":
    Driver._save = killed(Driver._save)
else:
    recorder.save_checkpoint = killed(recorder.save_checkpoint)
    background_save.save_checkpoint = recorder.save_checkpoint
from untilt.cli.entry import main
main()
"""


def run(*arguments: object, code: str = "from untilt.cli.entry import main; main()") -> int:
    command = [sys.executable, "-c", code, *map(str, arguments), "--cluster", "in-process"]
    found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert "Traceback" not in found.stderr
    return found.returncode


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    for asked in (SPOT, BLUEPRINT):
        assert run(*asked, "-o", folder / asked[0]) == 0
    return folder


@pytest.mark.long
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    ("asked", "place"),
    [(SPOT, "shards"), (SPOT, "checkpoint"), (BLUEPRINT, "checkpoint")],
    ids=["spot-shards", "spot-checkpoint", "blueprint-checkpoint"],
)
def test_a_run_goes_on_after_its_driver_was_killed(
    asked: tuple[str, ...], place: str, when: str, number: int, whole: Path, tmp_path: Path
) -> None:
    name, folder = asked[0], tmp_path / "run"
    killed = run(place, when, number, *asked, "-o", folder, code=KILLED)
    assert killed == -signal.SIGKILL
    has_checkpoint = (number, when) != (1, "before") and (number, place) != (1, "shards")
    assert (folder / "checkpoint.bin").exists() == has_checkpoint
    assert not (folder / "result.json").exists()
    assert run(*RESUMED[name], folder) == 0
    expected = (whole / name / RESULT[name]).read_bytes()
    assert (folder / RESULT[name]).read_bytes() == expected
