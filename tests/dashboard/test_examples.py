"""Runs that come with the package: what the home page opens without solving anything."""

import importlib.util
import json
from pathlib import Path

import pytest
from tests.dashboard.serving import Client
from tests.dashboard.test_dashboard_spot import posted

import untilt
from untilt.dashboard.sources import library
from untilt.dashboard.sources.library import Library

EXAMPLES = Path(library.__file__).parents[1] / "examples"
SCRIPT = Path(__file__).parents[2] / "docs" / "generate_examples.py"
MAX_BYTES = 300_000


def test_examples_open_without_being_listed(client: Client) -> None:
    examples = {run["id"]: run for run in client.get("/api/examples")["runs"]}
    assert examples.keys() == {".example-river", ".example-pushfold", ".example-kuhn"}
    assert {run["status"] for run in examples.values()} == {"finished"}
    listed = {run["id"] for run in client.get("/api/runs")["runs"]}
    assert not listed & examples.keys()
    views = {name: run["views"] for name, run in examples.items()}
    assert "spot" in views[".example-river"]
    assert "pushfold" in views[".example-pushfold"]
    assert {"strategy", "play"} <= set(views[".example-kuhn"])
    node = client.get("/api/runs/.example-river/spot")
    assert node["board"] == "Td9d6hQc2s"
    assert client.get("/api/runs/.example-pushfold/pushfold", stack=10)["mix"]


def test_an_example_is_not_written_to(client: Client) -> None:
    bounds = {"target_percent": 0.5, "seconds": 1, "threads": 1}
    status, said = posted(client, "resume", {"run": ".example-river", **bounds})
    assert status == 400
    assert said["error"].startswith("an example is not continued")


def test_examples_are_small_and_say_nothing_of_the_machine_that_made_them() -> None:
    files = [path for path in EXAMPLES.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < MAX_BYTES
    for name in ("kuhn", "river", "pushfold"):
        record = json.loads((EXAMPLES / name / "run.json").read_text("utf-8"))
        assert record["machine"] == {}
        assert not list((EXAMPLES / name).glob("checkpoint*"))


@pytest.mark.long
def test_the_script_makes_the_same_solutions(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("generate_examples", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.make(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in EXAMPLES.iterdir()}
    ours, shipped = (untilt.load(root / "river").result for root in (tmp_path, EXAMPLES))
    assert (ours.root.strategy == shipped.root.strategy).all()
    assert shipped.exploitability < 0.1
    both = [untilt.load(root / "kuhn").result for root in (tmp_path, EXAMPLES)]
    assert both[0].to_dict() == both[1].to_dict()
    sweeps = [(root / "pushfold" / "sweep.bin").read_bytes() for root in (tmp_path, EXAMPLES)]
    assert sweeps[0] == sweeps[1]


def test_without_the_files_the_page_has_no_examples(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(library, "_EXAMPLES", tmp_path / "missing")
    assert Library.of(tmp_path).examples() == []
