"""Fixtures: the command line in this process, in an empty folder, and a few finished runs."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import untilt
from untilt.cli.main import run


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        parsed = json.loads(self.out)
        assert isinstance(parsed, dict)
        return parsed

    @property
    def error(self) -> str:
        """The one line of a refusal: exit status 2, nothing on stdout, no traceback."""
        assert self.status == 2, (self.status, self.err)
        assert self.out == ""
        assert self.err.startswith("error: ")
        assert self.err.count("\n") == 1
        return self.err.removeprefix("error: ").strip()


Command = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(autouse=True)
def _no_lines_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let hands be played without lines on stderr, however busy the machine is."""
    monkeypatch.setattr("untilt.cli.text.hands_bar.PLAIN_SECONDS", 3_600.0)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run `untilt` with these arguments."""

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        status = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return call


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs of Kuhn (`kuhn`, `cfr`, `lp`) and of Leduc (`leduc`)."""
    folder = tmp_path_factory.mktemp("runs")
    untilt.solve("kuhn", "cfr+", target=1e-6, output=folder / "kuhn")
    untilt.solve("kuhn", "cfr", iterations=200, output=folder / "cfr")
    untilt.solve("kuhn", "lp", output=folder / "lp")
    untilt.solve("leduc", "cfr+", iterations=300, output=folder / "leduc")
    return folder


@pytest.fixture
def faulty() -> Callable[[str], str]:
    """Return the reference of a game of `faulty_games.py`."""
    path = Path(__file__).parent / "faulty_games.py"
    return lambda name: f"{path}:{name}"
