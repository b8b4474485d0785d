"""`untilt docs`: where the documentation site is, and how it is opened."""

import json
import subprocess
import sys
import urllib.request
import webbrowser
from pathlib import Path

import pytest
from tests.cli.conftest import Command

from untilt.cli import docs

PAGES = {"index": "front", "push-fold": "charts", "notebooks/spot": "a spot", "search": "search"}


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that a browser was asked to open."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    return addresses


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "a site"
    (folder / "notebooks").mkdir(parents=True)
    for name, text in PAGES.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    monkeypatch.setattr(docs, "SITE", folder)
    return folder


def test_the_front_page_is_opened_as_a_file(
    command: Command, site: Path, opened: list[str]
) -> None:
    found = command("docs")
    assert (found.status, found.out, found.err) == (0, f"{site / 'index.html'}\n", "")
    assert opened == [(site / "index.html").as_uri()]
    assert " " not in opened[0]


@pytest.mark.parametrize("name", ["push-fold", "push-fold.md", "push-fold.html"])
def test_a_page_is_found_by_its_name(
    command: Command, site: Path, opened: list[str], name: str
) -> None:
    assert command("docs", name, "--no-open").out == f"{site / 'push-fold.html'}\n"
    assert opened == []


def test_json_names_the_page_and_all_pages(command: Command, site: Path, opened: list[str]) -> None:
    assert command("docs", "notebooks/spot", "--no-open", "--json").json == {
        "url": (site / "notebooks" / "spot.html").as_uri(),
        "path": str(site / "notebooks" / "spot.html"),
        "pages": ["index", "notebooks/spot", "push-fold"],
    }
    assert opened == []


@pytest.mark.parametrize("name", ["pushfold", "../index", "search", ""])
def test_another_page_is_refused(
    command: Command, site: Path, opened: list[str], name: str
) -> None:
    del site
    error = command("docs", name).error
    assert f"unknown page {name!r}" in error
    assert "known: index, notebooks/spot, push-fold" in error
    assert opened == []


def test_without_a_site_it_says_how_to_build_one(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: list[str]
) -> None:
    monkeypatch.setattr(docs, "SITE", tmp_path / "nothing")
    assert "uv run --group docs python docs/build_site.py" in command("docs").error
    assert opened == []


def test_it_is_served_on_the_loopback_interface(site: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from untilt.cli import docs, main\n"
        f"docs.SITE = Path({str(site)!r})\n"
        "sys.exit(main.run(['docs', '--serve', '--no-open', '--json']))"
    )
    server = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        text = ""
        while not text.endswith("}\n"):
            line = server.stdout.readline()
            assert line, "the server has ended"
            text += line
        url = json.loads(text)["url"]
        assert url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(url, timeout=20) as answer:
            assert answer.read() == b"front"
    finally:
        server.terminate()
        server.communicate(timeout=20)
