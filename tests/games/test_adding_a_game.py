"""A game with forced moves is added by a file of rules and a row of the registry, nothing else."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from tests.dashboard.serving import client_of

import untilt
from untilt.cli import main
from untilt.dashboard.sources.library import Library
from untilt.play import Table, Versus

pytestmark = pytest.mark.usefixtures("half_street")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    untilt.solve("half-street", "lp", output=tmp_path / "run")
    return tmp_path / "run"


def said(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    assert main.run([str(argument) for argument in (*arguments, "--json")]) == 0
    return json.loads(capsys.readouterr().out)


def test_it_is_checked_solved_and_shown(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = said(capsys, "games", "--check", "half-street")
    assert (report["problems"], report["forced_moves"]) == ([], 3)
    assert said(capsys, "solve", "half-street", "--method", "lp", "--output", run.parent / "lp")[
        "value"
    ] == pytest.approx(1 / 18)
    shown = said(capsys, "show", run)
    assert len(shown["rows"]) == 6


def test_it_is_played(
    run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opponent = Versus.load(run)
    assert opponent.terms.has_forced_moves
    for hand in Table(opponent.root, (opponent.policy, opponent.policy)).play(30):
        assert all(len(decision.actions) == 2 for decision in hand.decisions)
        assert sum(hand.payoffs) == 0.0
    monkeypatch.setattr("sys.stdin", io.StringIO("check\n" * 5))
    played = said(capsys, "play", run, "--hands", 5, "--seat", 0, "--seed", 1)
    assert played["hands"] == 5
    assert {len(hand["events"]) for hand in played["played"]} == {1}


def test_the_page_shows_it(run: Path) -> None:
    client = client_of(Library.of(run))
    [summary] = client.get("/api/runs")["runs"]
    assert (summary["game"], summary["terms"]["has_forced_moves"]) == ("half-street", True)
