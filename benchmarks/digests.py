"""Record digests of a fixed set of results, and compare them after a refactoring.

    uv run python benchmarks/digests.py record FILE     # before the change
    uv run python benchmarks/digests.py compare FILE    # after it, on the same machine

A refactoring must not change any digest. Each one covers what users see through public
interfaces: the `--json` object, the strategy to the last bit, the rows of progress.jsonl, and what
the dashboard serves. Times, paths and versions are left out. Compare digests on one machine only:
another processor or BLAS may round differently.
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
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

VOLATILE = frozenset(
    {
        "bytes_read",
        "compile_seconds",
        "created",
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


def main() -> int:
    if len(sys.argv) != 3 or sys.argv[1] not in ("record", "compare"):
        print(__doc__)
        return 2
    path = Path(sys.argv[2])
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
    yield from page_digests()


def run_digests(name: str, arguments: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the digests of one run: its JSON, its strategy, its log."""
    yield name, digest(untilt(*arguments))
    yield from folder_digests(name)


def folder_digests(name: str) -> Iterator[tuple[str, str]]:
    import untilt as package

    folder = Path("runs") / name
    yield f"{name}/strategy", digest(package.load(folder).strategy.to_dict())
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

        yield name, digest(package.load(folder).strategy.to_dict())


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
    finally:
        server.terminate()
        server.wait(20)


def untilt(*arguments: str) -> Any:
    """Return the `--json` object of a command."""
    from untilt.cli.main import main as command

    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
        previous, sys.argv = sys.argv, ["untilt", *arguments, "--json"]
        try:
            command()
        except SystemExit as end:
            if end.code not in (None, 0, 1):
                raise
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
