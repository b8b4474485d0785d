"""Ctrl-C, SIGTERM and SIGHUP at the program: answered at once, and never by a traceback."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.dashboard.serving import raw_get
from tests.runs.folders import wait_for
from tests.runs.game_runs import load

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows sends no such signals")

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP] if os.name != "nt" else []
PATIENCE = 60.0

# Compiled code that does not come back for minutes, and lets other threads run meanwhile.
STUCK = """
import hashlib, os, sys
def stuck(*_):
    os.write(2, b"stuck\\n")
    hashlib.pbkdf2_hmac("sha512", b"", b"", 10**9)
"""
MAIN = "from untilt.cli.entry import main; main()"


class Process(subprocess.Popen[str]):
    """A process that ends with its block, also if the test has failed there."""

    def __init__(self, code: str, *arguments: object, stdin: int = subprocess.DEVNULL) -> None:
        super().__init__(
            [sys.executable, "-c", code, *map(str, arguments)],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __exit__(self, *raised: object) -> None:
        self.kill()
        super().__exit__(*raised)  # type: ignore[arg-type]


def wait_for_line(process: Process, words: str) -> None:
    assert process.stderr is not None
    said = []
    for line in process.stderr:
        said.append(line)
        if words in line:
            return
    pytest.fail(f"it ended with {process.wait()} and never said {words!r}: {said}")


@pytest.mark.parametrize("module", ["typer", "numpy"])
def test_a_signal_while_modules_are_imported_ends_it_in_one_line(module: str) -> None:
    code = f"""
import os, sys, time
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.write(2, b"importing\\n")
            time.sleep({PATIENCE})
sys.meta_path.insert(0, Slow())
{MAIN}
"""
    for number in SIGNALS:
        with Process(code, "evaluate", ".") as process:
            wait_for_line(process, "importing")
            process.send_signal(number)
            out, said = process.communicate(timeout=PATIENCE)
        lines = [line for line in said.splitlines() if not line.startswith("compiling")]
        assert (process.returncode, out, lines) == (128 + number, "", ["stopped"])


def test_nothing_is_imported_before_signals_are_answered() -> None:
    code = "import sys; known = set(sys.modules); from untilt.cli.entry import main\n"
    code += "print(sorted(set(sys.modules) - known))"
    with Process(code) as process:
        out, _ = process.communicate(timeout=PATIENCE)
    modules = ["__future__", "untilt", "untilt.cli", "untilt.cli.entry", "untilt.lazy"]
    assert out == f"{modules}\n"


@pytest.mark.parametrize(
    ("place", "function"),
    [("threading.Thread", "start"), ("untilt.cli.main", "run"), ("untilt.cli.app.activity", "end")],
)
def test_a_signal_just_before_or_after_a_command_ends_it_in_one_line(
    place: str, function: str
) -> None:
    code = f"""
import signal
from pkgutil import resolve_name
place = resolve_name({place!r})
original = place.{function}
def interrupted(*given):
    found = original(*given)
    signal.raise_signal(signal.SIGINT)
    return found
place.{function} = interrupted
{MAIN}
"""
    with Process(code, "games") as process:
        _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (130, "stopped\n")


def test_other_signals_save_a_run_as_ctrl_c_does(tmp_path: Path) -> None:
    asked = ["solve", "leduc", "--method", "cfr+", "--iterations", "1000000000"]
    for number in SIGNALS:
        if number == signal.SIGINT:
            continue
        folder = tmp_path / number.name
        with Process(MAIN, *asked, "--output", folder) as process:
            wait_for(folder / "checkpoint.bin")
            process.send_signal(number)
            _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 128 + number
        assert f"saved. Continue with: untilt solve --resume {folder}" in said
        assert "Traceback" not in said
        assert (load(folder).iterations or 0) > 0


def test_the_first_ctrl_c_is_acknowledged_and_the_second_ends_what_does_not_come_back(
    tmp_path: Path,
) -> None:
    code = f"{STUCK}\nfrom untilt.solvers.cfr import CfrSolver\nCfrSolver.advance = stuck\n{MAIN}"
    folder = tmp_path / "run"
    with Process(code, "solve", "kuhn", "--method", "cfr", "--output", folder) as process:
        wait_for_line(process, "stuck")
        process.send_signal(signal.SIGINT)
        wait_for_line(process, "Ctrl-C again stops without saving")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert said == "stopped without saving\n"
    assert not (folder / "checkpoint.bin").exists()


def test_with_nothing_to_save_one_ctrl_c_ends_what_does_not_come_back(tmp_path: Path) -> None:
    patch = "from untilt.solvers.cfr import CfrSolver\nCfrSolver.warm_up = stuck\n"
    with Process(f"{STUCK}\n{patch}{MAIN}", "solve", "kuhn", "--method", "cfr") as process:
        wait_for_line(process, "stuck")
        assert list(tmp_path.glob("runs/*")) != []
        time.sleep(0.5)  # it says so just before
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (130, "stopped\n")
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_does_not_end_after_ctrl_c_is_ended() -> None:
    patch = "from untilt.dashboard.server.server import DashboardServer\n"
    patch += "async def shutdown(*_, **__):\n    stuck()\nDashboardServer.shutdown = shutdown\n"
    asked = ["serve", "--no-open", "--port", "0", "--json"]
    with Process(f"{STUCK}\n{patch}{MAIN}", *asked) as process:
        assert process.stdout is not None
        text = ""
        while not text.endswith("}\n"):
            assert process.poll() is None
            text += process.stdout.readline()
        port = int(json.loads(text)["url"].rstrip("/").rpartition(":")[2])
        assert raw_get(port, "/api/session")[0] == 200
        process.send_signal(signal.SIGINT)
        wait_for_line(process, "stuck")
        _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (130, "stopped\n")


def test_whoever_plays_gets_the_score_at_a_signal_too() -> None:
    with Process(MAIN, "play", "kuhn", stdin=subprocess.PIPE) as process:
        assert process.stdout is not None
        while "Hand 1" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        out, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 143
    assert "Traceback" not in said
    assert "no hand was completed" in out
