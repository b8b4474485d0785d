"""`untilt serve`: what it refuses, what it says, and that it answers and ends."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Command

from untilt.cli.page import page_watch
from untilt.errors import InvalidOption

PROGRAM = (
    "import sys\n"
    "from untilt.cli.main import run\n"
    "status = run(sys.argv[1:])\n"
    "print([name for name in ('numba', 'scipy', 'untilt.solvers.cfr') if name in sys.modules])\n"
    "sys.exit(status)\n"
)


class Served:
    """A server in a process of its own."""

    def __init__(self, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "serve", "--no-open", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def document(self) -> dict[str, Any]:
        """The object on stdout, which comes when connections are taken."""
        assert self.process.stdout is not None
        text = ""
        while not text.endswith("}\n"):
            line = self.process.stdout.readline()
            if not line:
                pytest.fail(f"the server ended: {self.process.communicate()[1]}")
            text += line
        parsed = json.loads(text)
        assert isinstance(parsed, dict)
        return parsed

    def interrupt(self) -> tuple[int, str, str]:
        """Press Ctrl-C; return exit status and what is left of stdout and stderr."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@pytest.fixture
def served() -> Iterator[Callable[..., Served]]:
    """Start servers that end with the test."""
    started: list[Served] = []

    def start(*arguments: object) -> Served:
        started.append(Served(*arguments))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.process.kill()
            server.process.communicate()


def get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.load(answer)


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C cannot be sent to one process")
class TestServing:
    def test_runs_are_listed_until_ctrl_c(self, runs: Path, served: Callable[..., Served]) -> None:
        server = served(runs, "--port", 0, "--json")
        said = server.document()
        assert set(said) == {"url", "root"}
        assert said["root"] == str(runs.resolve())
        assert said["url"].startswith("http://127.0.0.1:")
        listed = get(said["url"] + "api/runs")["runs"]
        assert {"kuhn", "cfr", "lp", "leduc"} <= {run["name"] for run in listed}
        status, out, err = server.interrupt()
        assert (status, out, err) == (0, "[]\n", "")

    def test_a_run_is_opened_first_if_it_is_named(
        self, runs: Path, served: Callable[..., Served]
    ) -> None:
        said = served(runs / "kuhn", "--port", 0, "--json").document()
        start = get(said["url"] + "api/session")["start"]
        assert get(f"{said['url']}api/runs/{start}")["game"] == "kuhn"

    def test_the_current_folder_is_served_by_default_and_the_address_is_said(
        self, tmp_path: Path, served: Callable[..., Served]
    ) -> None:
        server = served("--port", 0)
        assert server.process.stderr is not None
        line = server.process.stderr.readline()
        assert line.startswith(f"serving {tmp_path.resolve()} at http://127.0.0.1:")
        assert line.endswith("/; Ctrl-C ends it\n")
        status, _, err = server.interrupt()
        assert status == 0, err

    def test_a_private_server_wants_the_token_of_its_address(
        self, runs: Path, served: Callable[..., Served]
    ) -> None:
        said = served(runs, "--port", 0, "--json", "--private").document()
        base, _, token = said["url"].partition("?token=")
        assert len(token) == 64
        for path in ("", "api/runs", "api/session"):
            with pytest.raises(urllib.error.HTTPError, match="403"):
                get(base + path)
        # The page gives the token to a browser as a cookie.
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with browser.open(said["url"], timeout=60) as answer:
            assert answer.url == base
        with browser.open(base + "api/runs", timeout=60) as answer:
            assert json.load(answer)["runs"]

    def test_it_needs_no_home(self, runs: Path, tmp_path: Path) -> None:
        """A user number without a name, as containers have them: there is no home folder."""
        code = (
            "import sys, pathlib\n"
            "def nobody(): raise RuntimeError('Could not determine home directory.')\n"
            "pathlib.Path.home = nobody\n"
            "from untilt.dashboard.sources.library import Library\n"
            "from untilt.dashboard.server.server import start_in_thread\n"
            "with start_in_thread(Library.of(pathlib.Path(sys.argv[1])), port=0): pass\n"
        )
        hidden = {"UNTILT_CACHE_DIR", "XDG_CACHE_HOME"}
        environment = {name: value for name, value in os.environ.items() if name not in hidden}
        done = subprocess.run(
            [sys.executable, "-c", code, str(runs)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, "")


class TestRefusals:
    def test_what_is_not_there(self, command: Command) -> None:
        assert "nowhere" in command("serve", "nowhere", "--no-open").error

    @pytest.mark.parametrize(
        "content", ["", "{}", "[1, 2]", '{"game": "Kuhn", "game_id": "kuhn", "iterations": []}']
    )
    def test_a_file_that_is_no_document(
        self, command: Command, tmp_path: Path, content: str
    ) -> None:
        (tmp_path / "some.json").write_text(content)
        assert "some.json" in command("serve", "some.json", "--no-open").error

    def test_a_file_of_another_kind(self, command: Command, tmp_path: Path) -> None:
        (tmp_path / "notes.txt").write_text("notes")
        assert "notes.txt" in command("serve", "notes.txt", "--no-open").error

    @pytest.mark.parametrize("port", ["-1", "65536", "http"])
    def test_a_port_that_is_none(self, command: Command, port: str) -> None:
        assert "--port" in command("serve", "--no-open", "--port", port).error

    def test_a_port_that_is_taken(self, command: Command) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            error = command("serve", "--no-open", "--port", port).error
        assert str(port) in error
        assert "choose another" in error

    @pytest.mark.parametrize("missing", ["source_folder", "node_command"])
    def test_development_where_it_cannot_be(
        self, command: Command, monkeypatch: pytest.MonkeyPatch, missing: str
    ) -> None:
        def refuse() -> None:
            raise InvalidOption(f"{missing}: there is none")

        monkeypatch.setattr(page_watch, missing, refuse)
        assert command("serve", "--no-open", "--dev").error == f"{missing}: there is none"
