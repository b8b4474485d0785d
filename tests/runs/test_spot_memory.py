"""The memory that solving a spot takes is what is announced before, and little more than tables."""

import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.cost.spot_memory import PROCESS_BYTES, Storage
from untilt.games.holdem.cost.spot_size import measure_spot
from untilt.games.holdem.spots.spot import Spot
from untilt.runs.solve import solve as solve_spot

ALL = "22+,A2+,K2+,Q2+,J2+,T2+,92+,82+,72+,62+,52+,42+,32"
OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
FEW = "AA,KK,AKs,QJs", "QQ,AQs,KQs"
TWO, MANY = Sizes("33%,75%,a", "50%,a"), Sizes("33%,75%,150%,a", "50%,100%,a")
TURN = Spot("Td9d6hQc", (OOP, IP), 200, 900, TWO)
CASES: dict[str, tuple[Spot, dict[str, Any], Storage]] = {
    "a river of all hands": (Spot("Td9d6hQc2s", (ALL, ALL), 200, 6_400, MANY), {}, Storage()),
    "a turn": (TURN, {}, Storage()),
    "a turn in 16 bits": (TURN, {"precision": "int16"}, Storage("int16")),
    "a turn with predictions": (TURN, {"method": "pcfr+"}, Storage(num_tables=3)),
    "a turn with noise": (TURN, {"noise": "3%"}, Storage(num_tables=1)),
    "a turn with noise in 64 bits": (
        TURN,
        {"noise": "3%", "precision": "float64"},
        Storage("float64", num_tables=1),
    ),
    "a flop with noise in 64 bits": (
        Spot("7c7d2h", FEW, 200, 900, TWO),
        {"noise": "3%", "precision": "float64"},
        Storage("float64", num_tables=1),
    ),
    "a flop": (Spot("7c7d2h", FEW, 200, 400, Sizes()), {}, Storage()),
}


@pytest.mark.parametrize("name", CASES)
def test_a_solve_allocates_what_was_announced(name: str, tmp_path: Path) -> None:
    spot, options, storage = CASES[name]
    solve_spot(spot, iterations=1, save=False, threads=1, **options)  # fills caches
    tracemalloc.start()
    try:
        solve_spot(spot, iterations=2, output=tmp_path / "run", threads=1, **options)
        allocated = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    announced = measure_spot(spot).peak_bytes(storage) - PROCESS_BYTES
    assert allocated == pytest.approx(announced, rel=0.03, abs=3e6)


PROGRAM = """
import re, sys
from pathlib import Path
from untilt.games.holdem.spots.spot import Spot
from untilt.runs.solve import solve as solve_spot
from untilt.runs.spots.solutions import resume_spot

def peak():
    found = re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())
    return 1024 * int(found[1])

small, large, folder = sys.argv[1:]
solve_spot(Spot.load(small), iterations=2, save=False, threads=1)
before = peak()
if Path(folder).exists():
    resume_spot(folder, iterations=4)
else:
    solve_spot(Spot.load(large), iterations=2, output=folder, threads=1)
print(before, peak())
"""


def check_peaks(large: Spot, tmp_path: Path) -> None:
    """Solve and resume a spot, each in a new process, and compare its peak with the announced one.

    The process first solves a small spot, so that the difference is that of the spots.
    """
    small = Spot(large.board, FEW, 200, 100, Sizes())
    solve_spot(small, iterations=1, save=False, threads=1)  # compiles
    files = [tmp_path / "small.toml", tmp_path / "large.toml"]
    for file, spot in zip(files, (small, large), strict=True):
        file.write_text(spot.to_toml(), encoding="utf-8")
    announced = measure_spot(large).peak_bytes() - measure_spot(small).peak_bytes()
    words = [sys.executable, "-c", PROGRAM, *map(str, files), str(tmp_path / "run")]
    for _ in ("solved", "resumed"):
        before, peak = map(int, subprocess.check_output(words, text=True).split())
        assert peak - before == pytest.approx(announced, rel=0.05)
        assert peak - before <= 1.2 * measure_spot(large).table_bytes()


needs_linux = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="the system does not say how much memory is used"
)


@needs_linux
def test_solving_and_resuming_a_turn_takes_the_memory_announced(tmp_path: Path) -> None:
    check_peaks(Spot("Td9d6hQc", (ALL, ALL), 200, 900, TWO), tmp_path)


COMMAND = """
import re
from pathlib import Path
from untilt.cli.main import run
run(["spot", "turn.toml", "-n", "4", "--threads", "1"])
print(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


@needs_linux
def test_the_command_takes_no_more_memory_than_announced(tmp_path: Path) -> None:
    (tmp_path / "turn.toml").write_text(TURN.to_toml(), encoding="utf-8")
    for _ in ("compiled", "loaded"):
        said = subprocess.check_output([sys.executable, "-c", COMMAND], cwd=tmp_path, text=True)
    # Not that of the first, which may have compiled kernels.
    assert 1024 * int(said.split()[-1]) <= 1.02 * measure_spot(TURN).peak_bytes()


@needs_linux
@pytest.mark.long
@pytest.mark.parametrize(
    "large",
    [
        Spot("Td9d6h", (OOP, IP), 200, 300, Sizes()),
        Spot("Td9d6h", (OOP, IP), 200, 900, Sizes()),
        Spot("Td9d6h", (ALL, ALL), 200, 600, Sizes()),
    ],
    ids=["128 MB", "343 MB", "2.1 GB of all hands"],
)
def test_solving_and_resuming_a_flop_takes_the_memory_announced(
    large: Spot, tmp_path: Path
) -> None:
    check_peaks(large, tmp_path)
