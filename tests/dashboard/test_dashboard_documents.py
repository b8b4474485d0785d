"""Quantal response documents, from our own command and from strangers."""

import copy
import gc
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.dashboard.serving import ORIGIN, PORT, TOKEN, Client, fields_of

import untilt
from untilt.dashboard.sources import library as library_module
from untilt.dashboard.sources.library import Library
from untilt.errors import FormatError, RunError


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """The path of Leduc as `untilt qre --output FILE.json` writes it."""
    found = untilt.qre("leduc", beta=2.0, save=False, trace=True)
    return json.loads(json.dumps(found.to_document()))  # type: ignore[no-any-return]


@pytest.fixture
def small() -> dict[str, Any]:
    """A document that another program may have written."""
    points = [
        {
            "iteration": number,
            "beta": beta,
            "residual_norm": None,
            "exploitability": 0.5 / (1 + beta),
            "expected_value": 0.1,
            "strategy": {"P0:J:": {"a": 0.25, "b": 0.75}, "P1 node 7": {"c": 1.0}},
            "action_evs": {"P0:J:": {"a": None, "b": -1.5}, "P1 node 7": {"c": 0.5}},
        }
        for number, beta in enumerate((0.0, 1.0, 2.0, 1.5, 3.0))
    ]
    return {"game": "A Game", "game_id": "a-game", "iteration_count": 5, "iterations": points}


def added(client: Client, content: Any) -> str:
    status, answer = client.add_document(content)
    assert status == 200, answer
    assert answer.keys() == fields_of("DocumentAdded")
    return str(answer["id"])


def test_a_document_is_shown_like_a_run(client: Client, document: dict[str, Any]) -> None:
    name = added(client, document)
    summary = client.get("/api/runs")["runs"][0]
    assert summary.keys() == fields_of("RunSummary")
    assert (summary["id"], summary["kind"]) == (name, "document")
    assert (summary["game"], summary["title"]) == ("leduc", "Leduc Hold'em")
    assert summary["views"] == ["convergence", "strategy", "branch", "facts"]
    assert summary["infosets"] == 288
    detail = client.get(f"/api/runs/{name}")
    assert detail.keys() == fields_of("RunDetail")
    assert detail["cards"] == ["J", "Q", "K"]
    assert detail["boards"] == ["", "J", "Q", "K"]
    assert {line["words"] for line in detail["lines"]} >= {"opening action", "facing a raise"}
    points = document["iterations"]
    assert [frame["beta"] for frame in detail["frames"]] == [point["beta"] for point in points]
    progress = client.get(f"/api/runs/{name}/progress")
    assert progress["total"] == len(points)
    for column, key in (
        ("exploitability", "exploitability"),
        ("value", "expected_value"),
        ("residual", "residual_norm"),
        ("beta", "beta"),
        ("iteration", "iteration"),
    ):
        assert progress["columns"][column] == [point[key] for point in points]


@pytest.mark.parametrize("frame", [0, 3, -1])
def test_strategies_are_those_of_the_document(
    client: Client, document: dict[str, Any], frame: int
) -> None:
    name = added(client, document)
    point = document["iterations"][frame]
    for player in (0, 1):
        page = client.get(f"/api/runs/{name}/strategy", frame=frame, player=player, limit=1000)
        assert page["beta"] == point["beta"]
        assert page["total"] == 144
        for row in page["rows"]:
            label = row["label"]
            assert label.startswith(f"P{player}:{row['card']}:{row['board']}:")
            assert row["own_reach"] is None
            expected = point["strategy"][label]
            assert row["actions"] == list(expected)
            assert row["probabilities"] == pytest.approx(list(expected.values()), abs=1e-6)
            evs = list(point["action_evs"][label].values())
            assert row["values"] == pytest.approx(evs, rel=1e-6, abs=1e-6)


def test_the_history_of_an_infoset_is_that_of_the_document(
    client: Client, document: dict[str, Any]
) -> None:
    name = added(client, document)
    history = client.get(f"/api/runs/{name}/infoset", label="P1:Q:K:cbc/c")
    assert history.keys() == fields_of("InfosetHistory")
    assert history["parent"] is None
    for shown, point in zip(history["probabilities"], document["iterations"], strict=True):
        expected = list(point["strategy"]["P1:Q:K:cbc/c"].values())
        assert shown == pytest.approx(expected, abs=1e-6)


def test_labels_of_other_programs_stand_for_themselves(
    client: Client, small: dict[str, Any]
) -> None:
    name = added(client, small)
    (row,) = client.get(f"/api/runs/{name}/strategy", player=1)["rows"]
    assert (row["label"], row["card"], row["line"]) == ("P1 node 7", "", "")
    assert row["words"] == "P1 node 7"
    (row,) = client.get(f"/api/runs/{name}/strategy", player=0)["rows"]
    assert (row["card"], row["board"], row["line"]) == ("J", "", "")
    assert row["values"] == [None, -1.5]
    assert client.get(f"/api/runs/{name}")["folds"] == [2.0, 1.5]


def test_a_document_has_neither_charts_nor_hands(client: Client, small: dict[str, Any]) -> None:
    name = added(client, small)
    assert client.refusal(f"/api/runs/{name}/pushfold")[0] == 404
    assert client.refusal(f"/api/runs/{name}/play")[0] == 404


def test_a_document_can_be_served_from_a_file(
    tmp_path: Path, client_for: Callable[[Path], Client], small: dict[str, Any]
) -> None:
    path = tmp_path / "path.json"
    path.write_text(json.dumps(small))
    client = client_for(path)
    session = client.get("/api/session")
    (summary,) = client.get("/api/runs")["runs"]
    assert session["start"] == summary["id"]
    assert summary["name"] == "path.json"


def test_a_document_is_a_run_folder_while_it_is_served(
    small: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(library_module, "MAX_DOCUMENTS", 2)
    library = Library(None, "nothing")
    data = json.dumps(small).encode()
    folders = [library.source(library.add_document(data)).folder for _ in range(3)]
    assert [folder.is_dir() for folder in folders] == [False, True, True]
    with pytest.raises(RunError, match="holds a path of quantal response from a document"):
        untilt.load(folders[1])
    with pytest.raises(RunError, match="cannot be continued"):
        untilt.resume(folders[1])
    [*listed] = untilt.runs.list_runs(folders[1].parent)
    assert [(run.kind, run.status, run.iterations) for run in listed] == [
        ("document", "finished", 4)
    ] * 2
    # Damage is noted as in any run.
    (folders[2] / "frames.bin").write_bytes(b"junk")
    assert "frames.bin" in library.sources()[0].summary()["problem"]
    del library
    gc.collect()
    assert [folder for folder in folders if folder.exists()] == []


def test_nothing_is_left_of_a_document_that_is_refused(
    small: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    library = Library(None, "nothing")
    small["iterations"][4]["iteration"] = 2
    with pytest.raises(FormatError, match=r"point 4 of the document is 2, after 3; points must be"):
        library.add_document(json.dumps(small).encode())
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_file_that_is_no_document_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "path.json"
    path.write_text('{"game": 5}')
    with pytest.raises(FormatError, match=r"path\.json: game of the document"):
        Library.of(path)


def point(place: int, **changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda given: given["iterations"][place].update(changes)


BAD: list[Callable[[dict[str, Any]], Any]] = [
    lambda given: given.pop("game"),
    lambda given: given.update(game=7),
    lambda given: given.update(game="x" * 1000),
    lambda given: given.pop("game_id"),
    lambda given: given.pop("iterations"),
    lambda given: given.update(iterations=[]),
    lambda given: given.update(iterations={}),
    lambda given: given.update(iterations=[5]),
    lambda given: given.update(iterations=[0] * 100_001),
    point(0, strategy=None),
    point(0, strategy={}),
    point(0, strategy={"P0:J:": {}}),
    point(0, strategy={"P0:J:": 5}),
    point(2, strategy={"P0:J:": {"a": 1.0}}),
    point(2, strategy={"P0:J:": {"a": 0.5, "x": 0.5}, "P1 node 7": {"c": 1.0}}),
    point(2, strategy={"P0:J:": {"a": 0.5, "b": 0.6}, "P1 node 7": {"c": 1.0}}),
    point(2, strategy={"P0:J:": {"a": -0.5, "b": 1.5}, "P1 node 7": {"c": 1.0}}),
    point(2, strategy={"P0:J:": {"a": None, "b": 1.0}, "P1 node 7": {"c": 1.0}}),
    point(2, strategy={"P0:J:": {"a": "1", "b": 0.0}, "P1 node 7": {"c": 1.0}}),
    point(2, strategy={"P0:J:": {"a": True, "b": 0.0}, "P1 node 7": {"c": 1.0}}),
    point(2, strategy=["P0:J:"]),
    point(1, action_evs=None),
    point(1, action_evs={"other": {}}),
    point(1, action_evs={"P0:J:": {"x": 1.0}}),
    point(1, action_evs={"P0:J:": {"a": "1"}}),
    point(1, action_evs={"P0:J:": {"a": 10**400}}),
    point(1, beta=None),
    point(1, beta=-1.0),
    point(1, beta="1"),
    point(1, iteration=1.5),
    point(1, iteration=-1),
    point(1, iteration=True),
    point(1, iteration=10**30),
    point(1, exploitability="0"),
    point(1, exploitability=1e300),
    point(1, expected_value=[]),
    point(1, residual_norm={}),
]


@pytest.mark.parametrize("spoil", BAD)
def test_a_document_that_is_wrong_is_refused_in_one_line(
    client: Client, small: dict[str, Any], spoil: Callable[[dict[str, Any]], Any]
) -> None:
    given = copy.deepcopy(small)
    spoil(given)
    status, answer = client.add_document(given)
    assert status == 400
    assert "\n" not in answer["error"]
    assert 10 < len(answer["error"]) < 300
    assert [run for run in client.get("/api/runs")["runs"] if run["kind"] == "document"] == []


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        b'{"game": NaN}',
        b'{"game": 1, "game": 2}',
        b"9" * 10_000,
    ],
)
def test_what_is_no_json_object_is_refused(client: Client, data: bytes) -> None:
    status, answer = client.add_document(data)
    assert status == 400
    assert "\n" not in answer["error"]


def test_the_oldest_documents_are_dropped(
    client: Client, small: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [added(client, small) for _ in range(library_module.MAX_DOCUMENTS + 3)]
    kept = {run["id"] for run in client.get("/api/runs")["runs"] if run["kind"] == "document"}
    assert kept == set(names[3:])
    monkeypatch.setattr(library_module, "_MAX_DOCUMENT_BYTES", 12_000)
    newest = added(client, small)
    kept = {run["id"] for run in client.get("/api/runs")["runs"] if run["kind"] == "document"}
    assert newest in kept
    assert 1 <= len(kept) <= 2


def test_a_document_keeps_its_name_if_it_can_be_shown(
    client: Client, small: dict[str, Any]
) -> None:
    def name_of(given: str) -> str:
        path = f"/api/documents?name={quote(given)}"
        headers = {"Origin": ORIGIN, "Cookie": f"untilt-{PORT}={TOKEN}"}
        answer = client.raw.post(path, content=json.dumps(small), headers=headers)
        summary = client.get(f"/api/runs/{answer.json()['id']}")
        assert client.get(f"/api/runs/{answer.json()['id']}/facts")["command"] is None
        return str(summary["name"])

    assert name_of("my path (2).json") == "my path (2).json"
    assert len(name_of("x" * 400)) == 200
    assert name_of("a\nb").startswith("document ")
