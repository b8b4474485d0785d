"""Record digests of a fixed set of results, and compare them after a refactoring.

    uv run python benchmarks/digests.py record FILE     # before the change
    uv run python benchmarks/digests.py compare FILE    # after it, on the same machine

A refactoring must not change any digest. Each one covers what users see through public
interfaces: the `--json` object, the strategy to the last bit, the rows of progress.jsonl, matches
of every pair of agents, what is won from agents, reviews of hands, and what the dashboard serves.
Times, paths and versions are left out. Compare digests on one machine only: another processor or
BLAS may round differently. The first recording also builds card buckets; later ones take about two
minutes.
"""

import contextlib
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

VOLATILE = frozenset(
    {
        "bytes_read",
        "compile_seconds",
        "created",
        "hand_nodes_per_second",
        "iterations_per_second",
        "machine",
        "modified",
        "offset",
        "output",
        "ns_per_hand",
        "rate",
        "root",
        "run",
        "saved",
        "seconds",
        "seconds_left",
        "size",
        "total_seconds",
        "untilt",
        "updated",
        "version",
    }
)
"""Keys whose values depend on the clock, the folder or the version."""

SOLVES: dict[str, list[str]] = {
    **{
        f"solve-{method}": ["leduc", "--method", method, "--iterations", "1500"]
        for method in ("cfr", "cfr+", "linear", "dcfr", "dcfr+", "pcfr+", "sapcfr+")
    },
    "solve-lp": ["leduc", "--method", "lp"],
    "solve-leduc-large": ["leduc", "-p", "ranks=13", "--iterations", "300"],
    "solve-distinguished": ["leduc", "-p", "suits=distinguished", "--iterations", "500"],
    **{
        f"{method}-threads-{threads}": [
            *("leduc", "--method", method, "--iterations", "30000", "--seed", "7"),
            *("--threads", str(threads)),
        ]
        for method in ("es", "os", "cs", "es+", "es-linear")
        for threads in (1, 2)
    },
    **{
        f"{method}-objects": [
            *("leduc", "--method", method, "--iterations", "3000", "--seed", "7"),
            *("--on", "objects"),
        ]
        for method in ("es", "os", "cs")
    },
}

QRE: dict[str, list[str]] = {
    "qre-kuhn": ["kuhn", "--beta", "10"],
    "qre-leduc": ["leduc", "--beta", "30", "--trace"],
    "qre-counterfactual": ["kuhn", "--beta", "10", "--definition", "counterfactual"],
    "qre-dilated": ["leduc", "--beta", "20", "--definition", "dilated"],
    "qre-newton": ["kuhn", "--beta", "10", "--method", "newton"],
    "qre-limit": ["kuhn", "--beta", "100", "--limit"],
}

BLUEPRINT = [
    *("blueprint", "train", "--stack", "20bb", "--menu", "1, a", "--iterations", "20000"),
    *("--flop", "20", "--turn", "20", "--river", "20", "--texture", ""),
]
"""A blueprint of a few thousand infosets, without its seed."""

BOTS = """
class Careful:
    def act(self, label, rng):
        return "call" if label.endswith("b") and rng.random() < 0.5 else "check"


class Bold:
    def act(self, turn, rng, clock):
        return turn.actions[-1]


def folds(label):
    return "fold" if label.endswith("b") else "check"
"""

SPOT = [
    *("spot", "--board", "KsTh7c4d", "--pot", "20", "--stack", "60", "--iterations", "60"),
    *("--oop", "KK,QQ,JJ,TT,AK,KQ,QJs,98s", "--ip", "AA,77,KJs,KTs,QTs,J9s,A5s"),
]

AGENTS: dict[str, tuple[list[str], list[str]]] = {
    "kuhn": (
        ["runs/kuhn-cfr+", "runs/qre-kuhn", "strategy.json", "bots.py:Bold", "random", "call"],
        ["--game", "kuhn", "--hands", "2000", "--trust"],
    ),
    "kuhn-labels": (["runs/kuhn-cfr+", "fold"], ["--hands", "2000"]),
    "leduc": (
        ["runs/solve-cfr+", "runs/es-threads-1", "runs/es-objects", "random", "call", "fold"],
        ["--game", "leduc", "--hands", "2000"],
    ),
    "pushfold": (
        ["runs/train", "hune", "nash", "push=22+,A2+;call=55+,A9+"],
        ["--game", "pushfold", "--parameter", "stack=10", "--hands", "2000"],
    ),
    "blood": (
        ["runs/blood", "runs/blood translation=nearest", "random", "call"],
        ["--game", "river-of-blood", "--parameter", "stack=20", "--hands", "2000"],
    ),
    "blueprint": (
        ["runs/bp", "runs/bp-2", "random", "call", "fold"],
        ["--game", "holdem", "--parameter", "stack=40", "--hands", "2000"],
    ),
    "thinking": (["runs/bp-2", "runs/bp --think 1s --iterations 10"], ["--hands", "100"]),
}
"""Agents that play each other, all pairs of a row, and the options of their matches."""

MEASURED: dict[str, list[str]] = {
    "lbr-blueprint": ["lbr", "runs/bp", "--hands", "100", "--seed", "3"],
    "lbr-abstract": ["lbr", "runs/blood", "--hands", "40", "--seed", "3"],
    "lbr-call": ["lbr", "call", "--game", "holdem", "--hands", "40", "--seed", "3"],
    "blueprint-lbr": ["blueprint", "lbr", "runs/bp", "--deals", "2000", "--seed", "3"],
    "exploit": ["exploit", "runs/bp", "--deals", "3", "--seed", "3"],
    "exploit-thinking": [
        *("exploit", "runs/bp", "--deals", "1", "--seed", "3", "--think", "1s"),
        *("--iterations", "10", "--streets", "river"),
    ],
}
"""What can be won from agents."""

VIEWED = (
    "solve-sapcfr%2B/node",
    "solve-sapcfr%2B/node?line=cb&seat=0",
    "solve-sapcfr%2B/node?line=cbc/c&board=K",
    "solve-sapcfr%2B/facts",
    "sweep/limits",
    "train/pushfold",
    "spot/spot",
    "spot/spot?line=check",
    "spot/spot?line=check,check&board=KsTh7c4d2c",
    "spot/runouts?line=check,check",
    "spot/street?line=check,check&board=KsTh7c4d2c",
    "spot/play?seed=1&hand=3&seat=0",
    "spot/facts",
    "bp/chart",
    "bp/chart?line=r6",
    "bp/chart?line=r6c/&board=Jc9c8d",
    "bp/play?seed=1&hand=3&seat=1",
    "bp/facts",
    "blood/play?seed=1&hand=2&seat=0",
    "qre-leduc/facts",
)
"""Addresses of the views of these runs, besides those that every run has."""

HAND = """
variant = "NT"
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [40, 40]
actions = ["d dh p1 AcKc", "d dh p2 QcTc", "p2 cbr 6", "p1 cc", "d db Jc9c8d", "p1 cc", "p2 cbr 6",
  "p1 cc", "d db 2h", "p1 cc", "p2 cc", "d db 2c", "p1 cbr 15", "p2 cc"]
"""

HANDS = Path(__file__).resolve().parents[1] / "tests" / "data" / "hands"


def main() -> int:
    if len(sys.argv) != 3 or sys.argv[1] not in ("record", "compare"):
        print(__doc__)
        return 2
    path = Path(sys.argv[2]).resolve()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
        found = dict(digests())
    if sys.argv[1] == "record":
        path.write_text(json.dumps(found, indent=1) + "\n")
        print(f"{len(found)} digests recorded")
        return 0
    recorded = json.loads(path.read_text())
    differing = [name for name in recorded if found.get(name) != recorded[name]]
    for name in differing:
        print(f"differs: {name}")
    print(f"{len(recorded) - len(differing)} of {len(recorded)} digests are the same")
    return 1 if differing else 0


def digests() -> Iterator[tuple[str, str]]:
    """Yield name and digest of every result."""
    for command, table in (("solve", SOLVES), ("qre", QRE)):
        for name, arguments in table.items():
            yield from run_digests(name, [command, *arguments, "--output", f"runs/{name}"])
    yield from resumed_digests()
    yield (
        "pushfold-train",
        digest(
            untilt(
                *("pushfold", "train", "--stack", "10", "--hands", "300000", "--seed", "3"),
                *("--regret-file", "regret.dat", "--output", "runs/train"),
            )
        ),
    )
    yield "regret.dat", hashlib.blake2b(Path("regret.dat").read_bytes()).hexdigest()
    yield (
        "pushfold-train-threads",
        digest(
            untilt(
                *("pushfold", "train", "--stack", "10", "--hands", "300000", "--seed", "3"),
                *("--regret-file", "again.dat", "--threads", "2"),
            )
        ),
    )
    yield "again.dat", hashlib.blake2b(Path("again.dat").read_bytes()).hexdigest()
    yield "sweep", digest(untilt("chart", "--sweep", "5:12:0.5", "--output", "runs/sweep"))
    yield "chart", digest(untilt("chart", "--stack", "10"))
    yield from agent_digests()
    yield from page_digests()


def run_digests(name: str, arguments: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the digests of one run: its JSON, its strategy, its log."""
    yield name, digest(untilt(*arguments))
    yield from folder_digests(name)


def folder_digests(name: str) -> Iterator[tuple[str, str]]:
    import untilt as package

    folder = Path("runs") / name
    yield f"{name}/strategy", digest(package.load(folder).result.to_dict())
    lines = (folder / "progress.jsonl").read_text().splitlines()
    yield f"{name}/progress", digest([json.loads(line) for line in lines if line])


def resumed_digests() -> Iterator[tuple[str, str]]:
    """Yield digests of runs that were interrupted and resumed."""
    for name, arguments in (
        ("resumed-cfr", ["leduc", "--method", "dcfr", "--iterations", "400000"]),
        ("resumed-es", ["leduc", "--method", "es", "--iterations", "3000000", "--seed", "5"]),
    ):
        folder = f"runs/{name}"
        command = [sys.executable, "-m", "untilt", "solve", *arguments, "--output", folder]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda folder=folder: Path(folder, "checkpoint.bin").exists())  # type: ignore[misc]
        process.send_signal(signal.SIGINT)
        process.wait(60)
        untilt("solve", "--resume", folder)
        import untilt as package

        yield name, digest(package.load(folder).result.to_dict())


def agent_digests() -> Iterator[tuple[str, str]]:
    """Yield digests of agents that play, are exploited and review hands."""
    untilt("solve", "kuhn", "--method", "cfr+", "--iterations", "500", "--output", "runs/kuhn-cfr+")
    untilt("export", "runs/kuhn-cfr+", "--output", "strategy.json")
    Path("bots.py").write_text(BOTS)
    _solve_river_of_blood(Path("runs/blood"))
    for name, seed in (("bp", "1"), ("bp-2", "2")):
        yield name, digest(untilt(*BLUEPRINT, "--seed", seed, "--output", f"runs/{name}"))
    yield "spot", digest(untilt(*SPOT, "--output", "runs/spot"))
    for game, (agents, options) in AGENTS.items():
        for one, other in combinations(agents, 2):
            result = untilt("match", one, other, *options, "--seed", "5")
            yield f"match/{game}/{one}/{other}", digest(result)
    for name, arguments in MEASURED.items():
        yield name, digest(untilt(*arguments))
    for hand in sorted(HANDS.glob("*.phh")):
        yield f"hand/{hand.stem}", digest(untilt("hand", str(hand)))
    Path("hand.phh").write_text(HAND)
    for agent in ("runs/bp", "runs/bp --think 1s --iterations 10"):
        yield f"review/{agent}", digest(untilt("hand", "hand.phh", "--agent", agent))
    yield "review/strategy", digest(untilt("hand", "hand.phh", "--strategy", "runs/bp"))


def _solve_river_of_blood(folder: Path) -> None:
    """Sample an abstraction of River of Blood with stacks of 20 chips."""
    import untilt as package
    from untilt.abstraction import abstract, capped_bets, hand_class, pot_fractions, street

    menu = capped_bets(pot_fractions(1, all_in=True), 2)
    game = abstract(package.games.river_of_blood(stack=20), street * hand_class, menu)
    package.solve(game, "mccfr-external", iterations=5_000, seed=1, output=folder)


def page_digests() -> Iterator[tuple[str, str]]:
    """Yield digests of what the dashboard serves for the runs made above."""
    server = subprocess.Popen(
        [sys.executable, "-m", "untilt", "serve", "runs", "--port", "0", "--no-open", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        text = ""
        while not text.endswith("}\n"):
            line = server.stdout.readline()
            assert line, "the server ended before it printed its address"
            text += line
        url = json.loads(text)["url"]

        def get(path: str) -> Any:
            with urlopen(f"{url}api/{path}", timeout=60) as answer:
                return json.load(answer)

        for name in ("solve-sapcfr+", "es-threads-1", "es-objects", "qre-leduc", "train"):
            run = quote(name, safe="")
            yield f"page/{name}", digest(get(f"runs/{run}"))
            yield f"page/{name}/progress", digest(get(f"runs/{run}/progress"))
            yield f"page/{name}/strategy", digest(get(f"runs/{run}/strategy?limit=500"))
            yield f"page/{name}/frame", digest(get(f"runs/{run}/strategy?limit=50&frame=3"))
        yield "page/infoset", digest(get("runs/solve-sapcfr%2B/infoset?label=P0:K::"))
        yield "page/play", digest(get("runs/solve-sapcfr%2B/play?seed=1&hand=3&seat=0"))
        yield "page/sweep", digest(get("runs/sweep/pushfold?stack=9.5"))
        for path in VIEWED:
            yield f"page/{path}", digest(get(f"runs/{path}"))
    finally:
        server.terminate()
        server.wait(20)


def untilt(*arguments: str) -> Any:
    """Return the `--json` object of a command."""
    from untilt.cli.main import main as command

    output, messages = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(messages):
        previous, sys.argv = sys.argv, ["untilt", *arguments, "--json"]
        try:
            command()
        except SystemExit as end:
            if end.code not in (None, 0, 1):
                raise RuntimeError(f"untilt {' '.join(arguments)}: {messages.getvalue()}") from end
        finally:
            sys.argv = previous
    return json.loads(output.getvalue())


def digest(value: Any) -> str:
    """Return a hash of plain data without its volatile parts."""
    text = json.dumps(_stable(value), sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _stable(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _stable(entry) for key, entry in value.items() if key not in VOLATILE}
    if isinstance(value, list):
        return [_stable(entry) for entry in value]
    return value


def wait_for(is_ready: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until `is_ready` returns true."""
    end = time.monotonic() + seconds
    while not is_ready():
        assert time.monotonic() < end, "timed out"
        time.sleep(0.02)


if __name__ == "__main__":
    sys.exit(main())
