"""Compare the memory that spots take with what is announced before they are solved.

    uv run python benchmarks/spot_memory.py [NAME ...]

Every spot is solved, saved and resumed by `untilt spot`, each time in a new process; its peak is
the system's high-water mark of resident memory (VmHWM, so Linux only). A first solve, not
measured, compiles the kernels. The last column is the peak without the interpreter and libraries,
as a multiple of the tables.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from untilt.games.holdem.cost.spot_memory import PROCESS_BYTES

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
ALL = "22+,A2+,K2+,Q2+,J2+,T2+,92+,82+,72+,62+,52+,42+,32"
PROGRAM = """
import re
from pathlib import Path
from untilt.cli.main import main
try:
    main()
finally:
    peak = re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())
    Path("peak").write_text(str(1024 * int(peak[1])))
"""

Flags = list[str]


def spot(board: str, ranges: tuple[str, str], stack: int, *flags: str) -> Flags:
    """Return the arguments of `untilt spot`."""
    oop, ip = ranges
    names = ["--board", board, "--oop", oop, "--ip", ip, "--pot", "200", "--stack", str(stack)]
    return [*names, *flags]


NARROW, WIDE = (OOP, IP), (ALL, ALL)
SPOTS: dict[str, Flags] = {
    "river": spot("Td9d6hQc2s", NARROW, 900),
    "wide river": spot("Td9d6hQc2s", WIDE, 20_000, "--bets", "33%,75%,150%,a", "--raises", "50%,a"),
    "turn": spot("Td9d6hQc", NARROW, 900),
    "wide turn": spot("Td9d6hQc", WIDE, 900, "--bets", "33%,75%,a", "--raises", "50%,a"),
    "small flop": spot("Td9d6h", NARROW, 300),
    "flop": spot("Td9d6h", NARROW, 900),
    "int16 flop": spot("Td9d6h", NARROW, 900, "--precision", "int16"),
    "paired flop": spot("7c7d2h", NARROW, 900, "--bets", "33%,75%"),
    "wide flop": spot("Td9d6h", WIDE, 600),
}


def peak_of(arguments: Flags, folder: Path) -> int:
    """Return the most memory that a command took, in bytes."""
    words = [sys.executable, "-c", PROGRAM, *arguments]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int((folder / "peak").read_text())


def announced(flags: Flags) -> dict[str, Any]:
    """Return what `--dry-run` says."""
    words = [sys.executable, "-m", "untilt", "spot", *flags, "--dry-run", "--json"]
    document: dict[str, Any] = json.loads(subprocess.check_output(words, text=True))
    return document


def compare(name: str, flags: Flags, threads: int) -> None:
    """Solve, save and resume a spot, and print a row."""
    flags = [*flags, "--threads", str(threads)]
    expected = announced(flags)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        solved = peak_of(["spot", *flags, "-n", "4", "-o", "run"], folder)
        resumed = peak_of(["spot", "--resume", "run", "-n", "6"], folder)
    tables, peak = expected["table_bytes"], expected["peak_bytes"]
    print(
        f"| {name} | {threads} | {tables / 1e6:.0f} | {peak / 1e6:.0f} | {solved / 1e6:.0f} "
        f"({solved / peak - 1:+.1%}) | {resumed / 1e6:.0f} ({resumed / peak - 1:+.1%}) | "
        f"{(max(solved, resumed) - PROCESS_BYTES) / tables:.2f} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SPOTS))
    parser.add_argument("--threads", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:  # compiles the kernels
        for name in ("turn", "int16 flop"):
            peak_of(["spot", *SPOTS[name], "-n", "1", "-o", name[0]], Path(place))
    print("| spot | threads | tables, MB | announced, MB | solved, MB | resumed, MB | × tables |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in chosen.names or SPOTS:
        compare(name, SPOTS[name], chosen.threads)


if __name__ == "__main__":
    main()
