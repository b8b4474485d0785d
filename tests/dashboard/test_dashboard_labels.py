"""Names, notes and stars of runs, as the page changes them."""

import json
from pathlib import Path
from typing import Any

from tests.dashboard.serving import ORIGIN, PORT, TOKEN, Client, client_of, fields_of

from untilt.dashboard.sources.library import Library


def post(client: Client, run: str, label: Any, **headers: str) -> tuple[int, Any]:
    sent = {"Origin": ORIGIN, "Cookie": f"untilt-{PORT}={TOKEN}"} | headers
    answer = client.raw.post(f"/api/runs/{run}/label", content=json.dumps(label), headers=sent)
    return answer.status_code, answer.json()


def test_a_label_goes_with_the_run(runs: Path) -> None:
    client = client_of(Library.of(runs))
    label = {"name": "my first", "note": "slow at the end", "is_starred": True}
    status, summary = post(client, "kuhn", label)
    assert status == 200
    assert summary["label"] == label
    assert summary["label"].keys() == fields_of("RunLabel")
    again = client_of(Library.of(runs)).get("/api/runs")["runs"]
    assert {run["id"]: run["label"]["name"] for run in again}["kuhn"] == "my first"
    assert {run["id"]: run["label"]["name"] for run in again}["exact"] == ""
    post(client, "kuhn", {})
    assert not (runs / "kuhn" / "label.json").exists()


def test_a_damaged_label_is_none(runs: Path) -> None:
    client = client_of(Library.of(runs))
    post(client, "kuhn", {"name": "x"})
    (runs / "kuhn" / "label.json").write_text("{")
    detail = client_of(Library.of(runs)).get("/api/runs/kuhn")
    assert detail["status"] == "finished"
    assert detail["label"] == {"name": "", "note": "", "is_starred": False}


def test_only_the_page_labels_and_only_runs_of_the_folder(runs: Path) -> None:
    client = client_of(Library.of(runs))
    assert post(client, "kuhn", {"name": "x"}, Cookie="untilt=none")[0] == 403
    assert post(client, "kuhn", {"name": "x"}, Origin="http://other.example")[0] == 403
    assert post(client, "nothing", {"name": "x"})[0] == 404
    status, found = post(client, ".example-kuhn", {"name": "x"})
    assert status == 400
    assert "examples" in found["error"]
    assert post(client, "kuhn", {"name": "x" * 500})[0] == 400
    assert not (runs / "kuhn" / "label.json").exists()
