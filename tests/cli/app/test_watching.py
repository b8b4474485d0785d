"""`--watch` from end to end: the page beside the work, and how both end."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from tests.cli.conftest import Command

import untilt

# As the installed command: the current folder is no place for modules.
COMMAND = (sys.executable, "-P", "-c", "from untilt.cli.main import main\nmain()\n")
PATIENCE_SECONDS = 60.0

SOLVE = ("solve", "kuhn", "--iterations", "50")
WORK = {
    "solve": SOLVE,
    "qre": ("qre", "kuhn", "--beta", "1"),
    "train": ("pushfold", "train", "--hands", "2000"),
    "sweep": ("chart", "--sweep", "5:6:1", "--processes", "1"),
}
LONG = ("solve", "kuhn", "--iterations", "1000", "--pace", "3600")

needs_signals = pytest.mark.skipif(os.name == "nt", reason="Ctrl-C cannot be sent to one process")


def get_json(url: str) -> Any:
    """Return the JSON that a server answers."""
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.load(answer)


class Watched:
    """A command with --watch in a process of its own."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *arguments, "--watch", "--no-open", "--port", "0"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.url = ""

    def wait_for(self, words: str) -> None:
        """Read messages until one begins with these words and has the page's address."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if match := re.match(rf"{words} (http://127\.0\.0\.1:\d+/#/[^\s;]+)", line):
                self.url = match[1]
                return
            assert "error" not in line, line
        pytest.fail(f"it ended with {self.process.wait()} and never said {words!r}")

    @property
    def run(self) -> str:
        """The id of the run that the address opens."""
        return unquote(self.url.partition("#/")[2])

    def get(self, path: str) -> Any:
        """Return the JSON of an answer of the page's server."""
        return get_json(self.url.partition("#")[0] + path)

    def is_served(self) -> bool:
        """Whether anybody listens at the page's address."""
        port = int(self.url.split(":")[2].split("/")[0])
        with socket.socket() as connection:
            return connection.connect_ex(("127.0.0.1", port)) == 0

    def interrupt(self) -> tuple[int, str]:
        """Press Ctrl-C; return the exit status and the messages since."""
        self.process.send_signal(signal.SIGINT)
        err = self.process.communicate(timeout=PATIENCE_SECONDS)[1]
        return self.process.returncode, err


@pytest.fixture
def watched() -> Iterator[Callable[..., Watched]]:
    """Start commands that end with the test, and their pages with them."""
    started: list[Watched] = []

    def start(*arguments: str) -> Watched:
        started.append(Watched(*arguments))
        return started[-1]

    yield start
    for command in started:
        if command.process.poll() is None:
            command.process.kill()
            command.process.communicate()
        assert command.process.stderr is not None
        command.process.stderr.close()


@needs_signals
@pytest.mark.parametrize(
    "work", [pytest.param(work, marks=[pytest.mark.long] * (work != "solve")) for work in WORK]
)
def test_the_page_stays_after_the_work_until_ctrl_c(
    watched: Callable[..., Watched], work: str
) -> None:
    command = watched(*WORK[work], "--output=#?% -dashed")
    command.wait_for("still serving")
    (run,) = command.get("api/runs")["runs"]
    assert (run["id"], run["status"]) == (command.run, "finished")
    assert command.get("api/session")["start"] == command.run
    assert command.interrupt() == (0, "")
    assert not command.is_served()


@needs_signals
def test_a_run_is_seen_while_it_is_solved_and_ctrl_c_stops_it(
    watched: Callable[..., Watched],
) -> None:
    command = watched(*LONG)
    command.wait_for("watch it at")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (runs := command.get("api/runs")["runs"]) or runs[0]["last"] is None:
        assert time.monotonic() < deadline, "no row was ever seen"
    assert runs[0]["status"] == "running"
    status, err = command.interrupt()
    assert status == 130
    assert re.search(r"stopped at iteration \d+; saved\. Continue with: untilt solve --resume", err)
    assert not command.is_served()


@needs_signals
@pytest.mark.parametrize(
    "work",
    [
        pytest.param(SOLVE, marks=pytest.mark.long, id="after the work"),
        pytest.param(LONG, id="during the work"),
    ],
)
def test_the_page_ends_by_itself_if_its_command_is_killed(
    watched: Callable[..., Watched], work: tuple[str, ...]
) -> None:
    command = watched(*work)
    command.wait_for("still serving" if work is SOLVE else "watch it at")
    assert command.is_served()
    command.process.kill()
    command.process.wait()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while command.is_served():
        assert time.monotonic() < deadline, "the page outlives its command"
        time.sleep(0.05)
    assert command.process.stderr is not None
    assert "Traceback" not in command.process.stderr.read()


@needs_signals
def test_nothing_is_imported_from_the_current_folder(
    watched: Callable[..., Watched], tmp_path: Path
) -> None:
    for name in ("uvicorn", "starlette", "argparse", "json", "webbrowser"):
        (tmp_path / f"{name}.py").write_text("open('sprung', 'w')\nraise SystemExit(1)\n")
    watched(*SOLVE).wait_for("still serving")
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("work", list(WORK))
@pytest.mark.parametrize("option", [("--port", "0"), ("--no-open",)])
def test_options_of_the_page_need_it(
    command: Command, tmp_path: Path, work: str, option: tuple[str, ...]
) -> None:
    error = command(*WORK[work], *option).error
    assert error == f"{option[0]} needs --watch; add --watch, or leave {option[0]} out"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("work", list(WORK))
def test_a_port_that_is_taken_is_said_before_the_work(
    command: Command, tmp_path: Path, work: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        error = command(*WORK[work], "--watch", "--no-open", "--port", port).error
    assert error.startswith(f"--port {port} cannot be used (")
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run of 50 iterations."""
    folder = tmp_path_factory.mktemp("solved") / "run"
    untilt.solve("kuhn", "cfr+", iterations=50, output=folder)
    return folder


class TestPageServer:
    """The process behind it."""

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "untilt.cli.page.page_server", "--no-open", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def served(self, folder: str) -> tuple[str, str, list[Any]]:
        """Return the run of the address, the run that the page starts with, and all runs."""
        process = self.start("--port", "0", "--", folder)
        assert process.stdout is not None
        url, _, opened = json.loads(process.stdout.readline())["url"].partition("#/")
        session, library = (get_json(url + path) for path in ("api/session", "api/runs"))
        assert process.communicate(timeout=PATIENCE_SECONDS) == ("", "")
        return unquote(opened), session["start"], library["runs"]

    @pytest.mark.parametrize(
        "folder",
        [".hidden", "-dashed", "with space~", "#?%", "inner/run", os.fsdecode(b"\xff")],
        ids=["hidden", "dashed", "space", "signs", "inside a run", "no text"],
    )
    def test_it_finds_a_run_in_any_folder(
        self, solved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
    ) -> None:
        # The folder above is a run, too: nothing else is looked for in there.
        (tmp_path / "inner").mkdir()
        (tmp_path / "inner" / "run.json").write_text('{"game": "kuhn"}')
        monkeypatch.chdir(tmp_path)
        shutil.copytree(solved, folder)
        opened, start, runs = self.served(folder)
        assert opened == start
        (run,) = [run for run in runs if run["id"] == opened]
        assert run["last"]["iteration"] == 50

    def test_only_runs_beside_it_are_served_with_it(
        self, solved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("beside", "deeper/down"):
            (tmp_path / name).mkdir(parents=True)
            (tmp_path / name / "run.json").write_text('{"game": "kuhn"}')
        monkeypatch.chdir(tmp_path)
        shutil.copytree(solved, "this")
        assert {run["id"] for run in self.served("this")[2]} == {"beside", "this"}

    def test_it_ends_when_its_input_does(self) -> None:
        process = self.start("--port", "0", "some/run")
        assert process.stdout is not None
        assert re.fullmatch(
            r"http://127\.0\.0\.1:\d+/#/run", json.loads(process.stdout.readline())["url"]
        )
        assert process.communicate(timeout=PATIENCE_SECONDS) == ("", "")
        assert process.returncode == 0

    @needs_signals
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_it_ends_quietly_on_signals(self, number: signal.Signals) -> None:
        process = self.start("--port", "0", "some/run")
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        urllib.request.urlopen(url.partition("#")[0] + "api/session", timeout=60).close()
        process.send_signal(number)
        process.wait(PATIENCE_SECONDS)
        assert process.communicate() == ("", "")

    def test_it_says_why_it_cannot_serve(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            process = self.start("--port", str(port), "some/run")
            out, err = process.communicate(timeout=PATIENCE_SECONDS)
        assert list(json.loads(out)) == ["error"]
        assert (process.returncode, err) == (2, "")
