"""The notebooks run from top to bottom, and show what is stored in them."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.docs.notebooks import NOTEBOOKS
from tests.docs.pages import ROOT, anchors_of, without_numbers

LARGEST = 150_000
"""Bytes of a notebook: light enough to be read on the web."""

TITLES = {
    "a-bot-in-an-engine": "A bot in an engine",
    "a-spot": "A spot",
    "cfr-from-scratch": "CFR from scratch",
    "players-who-err": "Players who make mistakes",
    "push-fold": "Push or fold",
    "quantal-response": "Quantal response, and fitting it to observed play",
    "your-own-game": "Your own game",
}


def cells_of(path: Path) -> list[dict[str, Any]]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert isinstance(cells, list)
    return cells


def shown(cell: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the kind and the words of everything that a cell shows; of pictures the kind."""
    found = []
    for output in cell.get("outputs", ()):
        if output["output_type"] == "stream":
            found.append((output["name"], "".join(output["text"])))
        else:
            data = output["data"]
            is_picture = any(kind.startswith("image/") for kind in data)
            found.append(("picture", "") if is_picture else ("result", "".join(data["text/plain"])))
    return [(kind, without_numbers(" ".join(text.split()))) for kind, text in found]


def test_there_is_a_notebook_for_every_subject() -> None:
    titles = {path.stem: cells_of(path)[0]["source"][0].strip() for path in NOTEBOOKS}
    assert titles == {name: f"# {title}" for name, title in TITLES.items()}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_light_and_was_run_from_top_to_bottom(path: Path) -> None:
    assert path.stat().st_size < LARGEST
    code = [cell for cell in cells_of(path) if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    kinds = [output["output_type"] for cell in code for output in cell["outputs"]]
    assert kinds
    assert "error" not in kinds
    assert str(ROOT) not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_of_a_notebook_lead_somewhere(path: Path) -> None:
    prose = "".join("".join(c["source"]) for c in cells_of(path) if c["cell_type"] == "markdown")
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if not re.match(r"[a-z]+:", target):
            file, _, anchor = target.partition("#")
            assert (path.parent / file).exists(), target
            assert not anchor or anchor in anchors_of(path.parent / file), target


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_is_stored(path: Path, tmp_path: Path) -> None:
    for module in ("nbclient", "ipykernel", "matplotlib"):
        pytest.importorskip(module, reason="the group docs is not installed")
    target = tmp_path / path.name
    done = subprocess.run(
        [sys.executable, "-m", "tests.docs.notebooks", str(path), str(target)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    for before, after in zip(cells_of(path), cells_of(target), strict=True):
        assert shown(before) == shown(after), (
            f"run: uv run --group docs python -m tests.docs.refresh {path.name}"
        )
