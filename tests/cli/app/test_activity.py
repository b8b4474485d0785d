"""Nobody waits without a word: what commands say while they load, compile and walk."""

import dataclasses
import io
import json
import os
import re
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from tests.cli.conftest import Command
from tests.cli.test_cli_main import COMMANDS

from untilt.cli.app import activity
from untilt.cli.app.activity import KernelWatch, is_long
from untilt.cli.text.progress_line import ProgressLine
from untilt.runs.stop import Stop
from untilt.runs.watching import Status
from untilt.solvers.progress import Progress

LONG = {
    "solve": "solve kuhn",
    "spot": "spot --board 2c2d2h3c3d --oop AA --ip KK --pot 1 --stack 1",
    "qre": "qre kuhn --json",
    "fit": "fit seen.csv --game kuhn",
    "show": "show run",
    "compare": "compare run other",
    "report": "report run",
    "evaluate": "evaluate run",
    "export": "export run",
    "import": "import b.bin",
    "play": "play kuhn",
    "hand": "hand hand.phh",
    "match": "match random call --game kuhn",
    "lbr": "lbr fold --game holdem",
    "exploit": "exploit run",
    "bot": "bot acpc-game run",
    "blueprint": "blueprint chart run",
    "games": "games --check kuhn",
    "equity": "equity AA KK",
    "chart": "chart --stack 9",
    "buckets": "buckets --flop 9",
    "pushfold train": "pushfold train",
    "pushfold match": "pushfold match hune nash",
    "pushfold quiz": "pushfold quiz",
}
LOADING = ["doctor", "plot run", "tree kuhn", "hands list hands", "icm 5,3 --prizes 2,1"]
"""What shows that it is loading, but says nothing of kernels unless it compiles some."""
QUICK = [
    "rank",
    "runs",
    "serve",
    "docs",
    "cluster check --cluster auto",  # starts other processes, but compiles nothing
    "games",
    "games --json",
    "solve --help",
    "pushfold train -h",
    "--version",
    "",
]

# NumPy is the first of what takes long; its import stands for all that follows.
STARTED = """
import os, sys, time
from untilt.cli.app import activity
activity.QUIET_SECONDS = 0.0

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            time.sleep(1.0)
            os.write(2, b"heavy work begins\\n")
            os._exit(0)

sys.meta_path.insert(0, Slow())
from untilt.cli.entry import main
main()
"""


def test_every_command_is_long_or_quick() -> None:
    known = (*LONG.values(), *LOADING, *QUICK)
    assert {line.split()[0] for line in known if line[:1].isalpha()} == set(COMMANDS)
    assert all(is_long(line.split()) for line in (*LONG.values(), *LOADING))
    assert not any(is_long(line.split()) for line in QUICK)


@pytest.mark.long
def test_long_commands_say_what_they_do_before_anything_heavy_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "seen.csv").write_text("infoset,action,count\nP0:J:,bet,1\n")
    begun = {
        name: subprocess.Popen(
            [sys.executable, "-c", STARTED, *line.split()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "UNTILT_CACHE_DIR": str(tmp_path / "cold")},
        )
        for name, line in LONG.items()
    }
    for name, process in begun.items():
        out, said = process.communicate(timeout=120)
        assert (name, out) == (name, "")
        assert (name, said.splitlines()) == (name, [activity.KERNELS, "heavy work begins"])


@pytest.mark.long
@pytest.mark.parametrize(
    "line", ["rank AsKsQsJsTs", "games", "doctor", "tree kuhn", "cluster check", ""]
)
def test_commands_that_say_nothing_of_kernels_compile_none(line: str, tmp_path: Path) -> None:
    code = "from untilt.cli.entry import main; main()"
    words = [*line.split(), *(["--cluster", "in-process"] if "cluster" in line else [])]
    found = subprocess.run(
        [sys.executable, "-c", code, *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "UNTILT_CACHE_DIR": str(tmp_path / "cold")},
        check=True,
    )
    assert found.stderr == ""
    assert not list(tmp_path.glob("cold/kernels/*/*.kernel"))


@pytest.mark.long
def test_json_stays_alone_on_stdout_and_one_plain_line_is_said_if_kernels_are_compiled(
    tmp_path: Path,
) -> None:
    import untilt

    untilt.solve("kuhn", iterations=5, output=tmp_path / "run")
    code = "from untilt.cli.entry import main; main()"
    command = [sys.executable, "-c", code, "evaluate", str(tmp_path / "run"), "--json"]
    said = []
    for cache in ({"UNTILT_CACHE_DIR": str(tmp_path / "cold")}, {}):
        env = {**os.environ, **cache}
        for _ in range(2):
            found = subprocess.run(
                command, capture_output=True, text=True, env=env, check=True, timeout=120
            )
            assert "exploitability" in json.loads(found.stdout)
            said.append(found.stderr)
    assert (said[0], said[1], said[3]) == (activity.KERNELS + "\n", "", "")


def test_commands_that_only_load_do_not_claim_to_compile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(activity, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(activity, "_nothing_is_cached", lambda: True)
    said = {}
    for line in ("solve kuhn", *LOADING):
        err = io.StringIO()
        monkeypatch.setattr(sys, "stderr", err)
        monkeypatch.setattr(sys, "stdout", io.StringIO())
        try:
            activity.begin(line.split())
            deadline = time.monotonic() + (30.0 if line == "solve kuhn" else 0.2)
            while not err.getvalue() and time.monotonic() < deadline:
                time.sleep(0.01)
        finally:
            activity.end()
        said[line] = err.getvalue()
    assert said == {"solve kuhn": f"{activity.KERNELS}\n", **dict.fromkeys(LOADING, "")}


def test_a_kernel_that_is_compiled_after_all_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from numba.core import event

    monkeypatch.setattr(activity, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(activity, "_nothing_is_cached", lambda: False)
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    try:
        activity.begin(["fit"])
        time.sleep(0.3)
        assert err.getvalue() == ""
        for _ in range(2):
            with event.trigger_event("numba:compile", data={}):
                deadline = time.monotonic() + 30.0
                while not err.getvalue() and time.monotonic() < deadline:
                    time.sleep(0.01)
        print("the result")
    finally:
        activity.end()
    assert (out.getvalue(), err.getvalue()) == ("the result\n", activity.KERNELS + "\n")


@pytest.mark.skipif(os.name == "nt", reason="there are no such terminals")
def test_on_a_terminal_the_line_gives_way_to_the_first_output() -> None:
    import pty

    code = """
import time
from untilt.cli.app import activity
activity.QUIET_SECONDS = 0.0
activity.begin(["fit"])
time.sleep(0.5)
activity.walked(12345)
time.sleep(0.5)
print("the result")
time.sleep(0.3)
print("the end")
"""
    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", code], stdout=theirs, stderr=theirs):
        os.close(theirs)
        shown = b""
        while b"the end" not in shown:
            shown += os.read(ours, 4096)
    os.close(ours)
    text = shown.decode()
    assert text.index("loading") < text.index("walking the game: 12,345 histories")
    before, after = text.split("the result")
    assert before.endswith("\r\x1b[2K")
    assert after.split() == ["the", "end"]


@pytest.mark.skipif(os.name == "nt", reason="there are no such terminals")
@pytest.mark.parametrize("term", ["dumb", "xterm"])
def test_a_terminal_that_cannot_erase_gets_lines(term: str, tmp_path: Path) -> None:
    import pty

    code = """
from untilt.cli.app import activity
from untilt.cli.text import progress_line
activity.QUIET_SECONDS = progress_line._PLAIN_SECONDS = 0.0
from untilt.cli.entry import main
main()
"""
    words = ["solve", "leduc", "-n", "200", "-o", str(tmp_path / "run")]
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", code, *words],
        env=os.environ | {"TERM": term, "COLUMNS": "200"},
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # how a terminal ends
            while data := os.read(ours, 4096):
                shown += data
    os.close(ours)
    assert process.returncode == 0
    assert (b"\x1b" in shown) == (term == "xterm")
    before, _, _ = shown.partition(b"Leduc Hold'em (")
    assert b"iteration" in before


def test_compiling_kernels_is_noticed_as_it_happens() -> None:
    from numba.core import event

    watch = KernelWatch()
    assert not watch.is_compiling()
    with event.trigger_event("numba:compile", data={}):
        assert watch.is_compiling()
        with event.trigger_event("numba:compile", data={}):
            assert watch.is_compiling()
        assert watch.is_compiling()
    assert not watch.is_compiling()


def test_kernels_that_come_from_the_cache_are_not_called_compiling() -> None:
    from untilt.runs.solve import solve

    watch = KernelWatch()
    watch.look()
    solve("kuhn", iterations=2, save=False)
    before = watch.num_begun
    solve("kuhn", iterations=2, save=False)
    assert watch.num_begun == before


def line_of(status: Status) -> str:
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    line = ProgressLine(console, "kuhn · cfr", Stop(iterations=5))
    with console.capture() as shown:
        console.print(line._line(status))
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.get())


def test_the_line_of_a_run_tells_walking_and_compiling_apart() -> None:
    from numba.core import event

    assert "preparing" in line_of(Status(phase="compiling"))
    walking = Status(phase="compiling", histories=1_234_567)
    assert "walking the game: 1,234,567 histories" in line_of(walking)
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    line = ProgressLine(console, "kuhn · cfr", Stop(iterations=5))
    assert "walking" in line._words(walking)[0]
    with event.trigger_event("numba:compile", data={}):
        assert "compiling kernels, the first time only" in line._words(walking)[0]


def test_a_residual_stays_in_the_line_until_it_is_measured_again() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    line = ProgressLine(console, "Td9d6hQc2s · quantal", Stop(residual=1e-3, seconds=60.0))
    for residual in (1e-1, 1e-2, None):
        progress = Progress(40, 0.1, None, None, residual=residual)
        line(Status(phase="solving", progress=progress, exploitability=2.0))
    assert "residual 1.0e-02" in line._words(line._status)
    assert line._share(line._status) == pytest.approx(0.5)


@pytest.mark.parametrize("width", [200, 110, 100, 80, 60, 50])
@pytest.mark.parametrize("is_measured", [False, True])
def test_a_narrow_line_keeps_what_matters_whole(width: int, is_measured: bool) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=width)
    line = ProgressLine(console, "blueprint · no-limit 1/2, stacks 200", Stop(seconds=3600.0))
    status = Status(
        phase="solving",
        progress=Progress(1_234_567, 1234.0, None, None, infosets=12_345_678, nodes=10**9),
        exploitability=1.5 if is_measured else None,
        lbr=None if is_measured else 1234.0,
        rate=12_345.0,
        node_rate=1e7,
        regret=12.0,
        seconds_left=2_400.0,
    )
    with console.capture() as shown:
        console.print(line._line(status))
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown.get()).rstrip("\n")
    assert "\n" not in text
    assert len(text) <= width
    words = "1,234,567", "1.50e+00" if is_measured else "lbr +1234 mbb", "40 min left"
    for word in words:
        assert f" {word}" in text
    assert text.startswith("bluepri")
    assert "…" not in text.partition("1,234,567")[2], "no number is cut"
    assert ("no-limit 1/2, stacks 200" in text) == (width >= 80)
    assert ("regret 9.7e-07" in text) == (width == 200)


def test_the_line_of_a_training_shows_how_uncertain_local_best_response_is() -> None:
    status = Status(
        phase="solving", progress=Progress(8, 1.0, None, None), lbr=430.4, lbr_margin=571.3
    )
    assert "lbr +430 ± 571 mbb" in line_of(status)
    assert "lbr +430 mbb" in line_of(dataclasses.replace(status, lbr_margin=None))


def test_walking_is_told_by_commands_that_show_no_progress(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from untilt.game.histories import tree

    told: list[int] = []
    monkeypatch.setattr(tree, "_REPORT_SECONDS", 0.0)
    monkeypatch.setattr(tree, "_LOOK_NODES", 8)
    monkeypatch.setattr(activity, "walked", told.append)
    Path("seen.csv").write_text("infoset,action,count\nP0:J:,bet,1\n")
    Path("uniform.json").write_text("{}")
    lines: list[list[Any]] = [
        ["games", "--check", "kuhn"],
        ["export", "kuhn", "--to", "efg", "-o", tmp_path / "kuhn.efg"],
        ["fit", "seen.csv", "--game", "kuhn", "--max-beta", "0.1"],
        ["evaluate", "uniform.json", "--game", "kuhn"],
    ]
    for line in lines:
        told.clear()
        command(*line)
        assert told, line


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes in folders")
@pytest.mark.parametrize(
    "line", ["show {}", "evaluate {}", "export {} --to csv -o out.csv", "compare {} uniform.json"]
)
def test_a_pipe_that_is_waited_for_is_named(
    line: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(activity, "doing", told.append)
    Path("uniform.json").write_text("{}")
    os.mkfifo("pipe")
    # Opening waits for the reader.
    writer = threading.Thread(target=Path("pipe").write_text, args=("{}",), daemon=True)
    writer.start()
    command(*line.format("pipe").split(), *(() if "export" in line else ("--game", "kuhn")))
    writer.join(60.0)
    assert not writer.is_alive()
    assert told[0] == "waiting for data from pipe, a pipe"


@pytest.mark.skipif(os.name == "nt", reason="there are no such terminals")
def test_who_waits_is_told_for_what_after_half_a_second(tmp_path: Path) -> None:
    import pty

    assert activity.QUIET_SECONDS <= 0.5
    os.mkfifo(tmp_path / "pipe")
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "untilt", "show", "pipe"]
    env = os.environ | {"TERM": "xterm", "COLUMNS": "200"}
    shown = b""
    with subprocess.Popen(words, cwd=tmp_path, env=env, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        last_resort = threading.Timer(60.0, process.kill)
        last_resort.start()
        with suppress(OSError):  # how a terminal ends
            while b"waiting for data from pipe, a pipe" not in shown and (
                data := os.read(ours, 4096)
            ):
                shown += data
        process.kill()
        last_resort.cancel()
    os.close(ours)
    assert b"waiting for data from pipe, a pipe" in shown


def test_where_kernels_cannot_be_kept_nothing_promises_that_this_is_the_first_time_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("UNTILT_CACHE_DIR", str(tmp_path / "cache"))
    activity.kernel_words.cache_clear()
    assert activity.kernel_words() == "compiling kernels, the first time only"
    activity.kernel_words.cache_clear()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert activity.kernel_words().endswith("because they cannot be kept: see `untilt doctor`")
    activity.kernel_words.cache_clear()
