"""Runs that are really solved, once for all tests of the server."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.dashboard.serving import TOKEN, Client, client_of

import untilt
from untilt.dashboard.server import server
from untilt.dashboard.server.server import RunningServer, start_in_thread
from untilt.dashboard.sources.library import Library
from untilt.formats.run.run_command import made_by


@pytest.fixture(scope="session")
def solved_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Finished runs of several games and methods; not to be changed."""
    root = tmp_path_factory.mktemp("served") / "runs"
    with made_by(
        ["untilt", "solve", "kuhn", "--method", "cfr+", "-n", "500", "--output", "runs/kuhn"]
    ):
        untilt.solve("kuhn", "cfr+", iterations=500, output=root / "kuhn")
    untilt.solve("leduc", "cfr+", iterations=200, output=root / "deeper" / "leduc")
    untilt.solve("kuhn", "qre", beta=10.0, output=root / "path")
    untilt.solve("pushfold", "cfr+", iterations=40, output=root / "pushfold")
    untilt.solve("kuhn", "lp", output=root / "exact")
    return root


@pytest.fixture
def runs(solved_runs: Path, tmp_path: Path) -> Path:
    """A copy of them that a test may spoil."""
    return Path(shutil.copytree(solved_runs, tmp_path / "runs"))


@pytest.fixture
def client(solved_runs: Path) -> Client:
    """A client of a server of the solved runs, without a network."""
    return client_of(Library.of(solved_runs))


@pytest.fixture
def client_for() -> Callable[[Path], Client]:
    """Make a client of a server of any folder or document."""
    return lambda target: client_of(Library.of(target))


@pytest.fixture(scope="session")
def served(solved_runs: Path) -> Iterator[RunningServer]:
    """A real server of the solved runs on loopback."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "user_token", lambda: TOKEN)
        running = start_in_thread(Library.of(solved_runs), port=0)
    with running:
        yield running
