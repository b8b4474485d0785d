"""Reports over flops, as the page gets them."""

import json
import shutil
from pathlib import Path

import pytest
from tests.dashboard.serving import Client, client_of, fields_of

import untilt
from untilt.cards.card import parse_cards
from untilt.dashboard.sources.library import Library
from untilt.games.holdem.solutions.flops import Flop

SPOT = untilt.Spot("Td9d6h", ("AA,KQs", "QQ,JTs"), 60, 60, untilt.Sizes("50%", raises="a"))
FLOPS = ["AsKs2h", "8s8h2d", "7s6h5d"]


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("reports") / "runs"
    untilt.spots.report(SPOT, flops=FLOPS, iterations=8, output=root / "deep" / "small")
    untilt.solve(SPOT.replaced(board="8s8h2d"), iterations=8, output=root / "eights")
    untilt.solve(SPOT.replaced(board="7s6h5d", pot=80), iterations=8, output=root / "another-pot")
    return root


@pytest.fixture(scope="module")
def client(reported: Path) -> Client:
    return client_of(Library.of(reported))


def test_reports_are_listed_with_the_runs(client: Client) -> None:
    (found,) = client.get("/api/runs")["reports"]
    assert found.keys() == fields_of("ReportSummary")
    assert (found["id"], found["name"]) == ("deep~small", "deep/small")
    assert (found["flops"], found["solved"], found["problem"]) == (3, 3, None)


def test_a_page_has_the_numbers_of_the_report(client: Client, reported: Path) -> None:
    page = client.get("/api/reports/deep~small", line="c")
    assert page.keys() == fields_of("ReportPage")
    told = untilt.spots.report(reported / "deep" / "small", "check")
    assert [row["flop"] for row in page["rows"]] == [row.board for row in told.rows]
    for row, expected in zip(page["rows"], told.rows, strict=True):
        assert row.keys() == fields_of("FlopRow")
        assert row["mix"] == list(expected.frequencies.values())
        assert row["ev"] == list(expected.ev)
        assert row["weight"] == expected.weight
    assert page["player"] == 1
    assert [action["name"] for action in page["actions"]] == ["check", "bet 30", "all-in 60"]
    assert page["children"] == [None, "cb30", "ca60"]
    assert [(move["seat"], move["line"]) for move in page["path"]] == [(0, "c")]


def test_a_flop_leads_to_the_run_that_solved_the_same_spot(client: Client) -> None:
    page = client.get("/api/reports/deep~small")
    assert {row["flop"]: row["run"] for row in page["rows"]} == {
        "AsKs2h": None,
        "8s8h2d": "eights",
        "7s6h5d": None,
    }


def test_wrong_lines_and_names_are_refused_in_one_line(client: Client) -> None:
    assert client.refusal("/api/reports/nothing")[0] == 404
    status, words = client.refusal("/api/reports/deep~small", line="cc")
    assert status == 400
    assert "decisions on the flop" in words


def test_an_unfinished_report_has_what_is_solved(reported: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(reported / "deep" / "small", tmp_path / "part"))
    (folder / "flops" / "8s8h2d.json").unlink()
    damaged = folder / "flops" / "7s6h5d.json"
    client = client_of(Library.of(tmp_path))
    assert client.get("/api/runs")["reports"][0]["solved"] == 2
    assert len(client.get("/api/reports/part")["rows"]) == 2
    damaged.write_text(damaged.read_text().replace("0.", "0.1", 1))
    assert len(client.get("/api/reports/part")["rows"]) == 1


def test_a_damaged_report_says_so(reported: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(reported / "deep" / "small", tmp_path / "bad"))
    asked = json.loads((folder / "report.json").read_text())
    for change in ({"boards": 3}, {"spot": None}, {"stop": 1}, {"kind": "x"}):
        (folder / "report.json").write_text(json.dumps(asked | change))
        client = client_of(Library.of(tmp_path))
        client.get("/api/runs")
        if "boards" not in change:  # those of a list are chosen again
            status, words = client.refusal("/api/reports/bad")
            assert status == 409
            assert "report.json is damaged" in words
    (folder / "report.json").unlink()
    (folder / "report.json").symlink_to("/dev/zero")
    assert client_of(Library.of(tmp_path)).get("/api/runs")["reports"][0]["problem"]


@pytest.mark.parametrize(
    ("flop", "connectedness"),
    [
        ("7s6h5d", "connected"),
        ("Ah3s5d", "connected"),
        ("AsKh2d", "one-gap"),
        ("KsTh6d", "disconnected"),
        ("QhJs3d", "one-gap"),
        ("8s8h2d", "disconnected"),
        ("9s9h9d", "disconnected"),
    ],
)
def test_connectedness_of_a_flop(flop: str, connectedness: str) -> None:
    assert Flop(tuple(parse_cards(flop)), 1, 1.0, 1.0).connectedness == connectedness
