"""The page as a single file: what it holds, what it refuses, and that a browser opens it alone."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.dashboard.browser import chromium, watched_page
from tests.dashboard.test_examples import EXAMPLES

import untilt
from untilt.dashboard import page_file as module
from untilt.dashboard.page_file import page_file
from untilt.dashboard.server.assets import STATIC
from untilt.errors import InvalidOption, RunError
from untilt.formats.run.run_label import FILE_NAME as LABEL_FILE
from untilt.formats.run.run_label import RunLabel, write_label

TURN = untilt.Spot(
    board="2c2d2h3c", ranges=("AA,QQ", "KK,JJ"), pot=100, stack=100, sizes=untilt.Sizes("100%")
)


@pytest.fixture(scope="module")
def turn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (STATIC / "index.html").is_file():
        pytest.fail("the page is not built; run `uv sync --reinstall-package untilt`")
    root = tmp_path_factory.mktemp("files")
    untilt.solve(TURN, iterations=20, output=root / "turn")
    return root / "turn"


def answers_of(html: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="answers">(.*?)</script>', html, re.S)
    assert found is not None
    answers = json.loads(found[1])
    assert isinstance(answers, dict)
    return answers


def test_a_small_solution_is_whole() -> None:
    answers = answers_of(page_file(EXAMPLES / "river"))
    assert answers["start"] == "#/river/spot"
    solution = untilt.load(EXAMPLES / "river").result
    for node in solution.nodes():
        place = f"board=Td9d6hQc2s&line={node.place.line.letters}"
        assert f"/api/runs/river/spot?{place}" in answers
        assert f"/api/runs/river/ranges?{place}" in answers
    assert not [name for name in answers if "/play" in name]


def test_a_large_solution_has_the_node_and_what_follows_it_as_far_as_there_is_room(
    turn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []
    for most in (5_000, 60_000):
        monkeypatch.setattr(module, "MAX_BYTES", most)
        answers = answers_of(page_file(turn, line="check", board="2c2d2h3c"))
        assert answers["start"] == "#/turn/spot?line=c&board=2c2d2h3c"
        assert "/api/runs/turn/spot?board=2c2d2h3c&line=c" in answers
        sizes.append(len(answers))
    assert sizes[0] < sizes[1]
    assert "/api/runs/turn/runouts?board=2c2d2h3c&line=cc" in answers


def test_nothing_in_a_file_ends_its_scripts(tmp_path: Path) -> None:
    run = Path(shutil.copytree(EXAMPLES / "river", tmp_path / "river"))
    record = json.loads((run / "run.json").read_text("utf-8"))
    record["title"] = "a </script><script>alert(1)</script>"
    (run / "run.json").write_text(json.dumps(record), encoding="utf-8")
    page = page_file(run)
    assert page.count("</script>") == 4
    assert page.count("<script") == 4


def test_what_cannot_be_a_file_is_refused(turn: Path, tmp_path: Path) -> None:
    untilt.solve("kuhn", "cfr+", iterations=10, output=tmp_path / "kuhn")
    with pytest.raises(InvalidOption, match="a solved spot or a push/fold chart"):
        page_file(tmp_path / "kuhn")
    with pytest.raises(RunError, match="not the folder of a run"):
        page_file(tmp_path)
    with pytest.raises(RunError, match="not built"):
        page_file(EXAMPLES / "pushfold", static=tmp_path)
    with pytest.raises(InvalidOption, match="bet 77"):
        page_file(turn, line="bet 77")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def test_a_note_is_not_given_away(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(EXAMPLES / "river", tmp_path / "river"))
    write_label(folder / LABEL_FILE, RunLabel("Sunday", "he never folds here"))
    text = page_file(folder)
    assert "Sunday" in text
    assert "never folds" not in text


@pytest.mark.long
def test_a_file_opens_without_a_server(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "river.html"
    file.write_text(page_file(EXAMPLES / "river"), encoding="utf-8")
    with watched_page(browser, "file:", width=1440, height=900) as watched:
        page = watched.page
        page.goto(file.as_uri())
        summary = page.locator(".spot .range-summary")
        expect(summary).to_contain_text("OOP acts on the river")
        page.locator(".range-summary .share[data-action=check]").click()
        expect(summary).to_contain_text("IP acts on the river")
        page.get_by_role("button", name="range v range").click()
        expect(page.locator(".equity-graph .curve")).to_have_count(2)
        page.get_by_role("button", name="share").wait_for(state="hidden")
        expect(page.get_by_role("button", name="compare", exact=True)).to_be_hidden()
        expect(page.get_by_role("button", name="drill from here")).to_be_hidden()


@pytest.mark.long
def test_the_charts_of_a_sweep_open_without_a_server(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "charts.html"
    file.write_text(page_file(EXAMPLES / "pushfold"), encoding="utf-8")
    with watched_page(browser, "file:", width=1440, height=900) as watched:
        page = watched.page
        page.goto(file.as_uri())
        pushed = page.locator(".pushfold h2, .pushfold h3").first
        expect(pushed).to_contain_text("push")
        before = pushed.inner_text()
        page.locator(".pushfold input[type=range]").fill("3")
        expect(pushed).not_to_have_text(before)
