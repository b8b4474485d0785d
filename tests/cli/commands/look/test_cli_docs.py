"""`untilt docs`: where the documentation site is, and how it is opened."""

import json
import os
import re
import subprocess
import sys
import urllib.request
import webbrowser
from contextlib import suppress
from pathlib import Path

import pytest
from tests.cli.conftest import Command

from untilt.cli.commands.look import docs
from untilt.cli.text.page_text import page_text

SOURCES = [
    *(docs.CLONE / "docs").glob("*.md"),
    *(docs.CLONE / "docs" / "notebooks").glob("*.ipynb"),
]
PAGES = {"index": "front", "push-fold": "charts", "notebooks/spot": "a spot", "search": "search"}


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that a browser was asked to open."""
    addresses: list[str] = []

    def note(address: str) -> bool:
        addresses.append(address)
        return True

    monkeypatch.setattr(webbrowser, "open", note)
    return addresses


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "a site"
    (folder / "notebooks").mkdir(parents=True)
    for name, text in PAGES.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    monkeypatch.setattr(docs, "SITE", folder)
    monkeypatch.setattr(docs, "_GENERATOR", ("no_such_generator",))
    return folder


def test_the_front_page_is_opened_as_a_file(
    command: Command, site: Path, opened: list[str]
) -> None:
    found = command("docs")
    assert (found.status, found.out, found.err) == (0, f"{site / 'index.html'}\n", "")
    assert opened == [(site / "index.html").as_uri()]
    assert " " not in opened[0]


def test_without_a_browser_it_says_how_to_read_the_page(
    command: Command, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    found = command("docs", "push-fold.md")
    assert (found.status, found.out) == (0, f"{site / 'push-fold.html'}\n")
    assert "untilt docs push-fold --text" in found.err


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


@pytest.fixture
def no_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a site could be built, in an installation that has none and cannot make one."""
    folder = tmp_path / "nothing"
    monkeypatch.setattr(docs, "SITE", folder)
    monkeypatch.setattr(docs, "_GENERATOR", ("no_such_generator",))
    return folder


def test_without_a_site_a_page_is_shown_in_the_terminal(
    command: Command, no_site: Path, opened: list[str]
) -> None:
    found = command("docs", "spots")
    assert found.status == 0
    assert found.out == (docs.CLONE / "docs" / "spots.md").read_text(encoding="utf-8")
    assert "this installation has no documentation site, so the page was shown here" in found.err
    assert "uv run --group docs untilt docs" in found.err
    assert command("docs").out.startswith("# Untilt\n")
    assert "did you mean 'spots'?" in command("docs", "spotz").error
    assert opened == []
    assert not no_site.exists()


def test_without_a_site_it_says_where_a_page_is(command: Command, no_site: Path) -> None:
    del no_site
    path = docs.CLONE / "docs" / "notebooks" / "a-spot.ipynb"
    assert command("docs", "notebooks/a-spot", "--no-open").out == f"{path}\n"
    found = command("docs", "notebooks/a-spot", "--json").json
    assert (found["url"], found["path"]) == (path.as_uri(), str(path))
    assert {"index", "changelog", "spots", "notebooks/a-spot"} <= {*found["pages"]}
    assert "leave --serve out to read the pages here" in command("docs", "--serve").error


def test_text_is_shown_here_even_if_there_is_a_site(
    command: Command, site: Path, opened: list[str]
) -> None:
    del site
    found = command("docs", "spots", "--text")
    assert found.out.startswith("# Solving spots\n")
    assert (found.err, opened) == ("", [])
    assert "leave one of them out" in command("docs", "--text", "--serve").error


def test_an_installation_without_any_pages_says_so(
    command: Command, no_site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del no_site
    monkeypatch.setattr(docs, "CLONE", tmp_path)
    assert "has no documentation; install untilt again" in command("docs").error


@pytest.mark.parametrize("is_sound", [True, False])
def test_in_a_clone_with_sphinx_the_site_is_built_first(
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    opened: list[str],
    is_sound: bool,
) -> None:
    clone = tmp_path / "clone"
    (clone / "docs").mkdir(parents=True)
    (clone / "docs" / "index.md").write_text("# The source\n")
    program = (
        "import pathlib, sys\nsite = pathlib.Path(sys.argv[1])\nsite.mkdir(exist_ok=True)\n"
        "(site / 'index.html').write_text('built')\n"
        if is_sound
        else "import sys\nsys.exit('a link leads nowhere')\n"
    )
    (clone / "docs" / "build_site.py").write_text(program)
    monkeypatch.setattr(docs, "CLONE", clone)
    monkeypatch.setattr(docs, "SITE", tmp_path / "site")
    monkeypatch.setattr(docs, "_GENERATOR", ("json",))
    found = command("docs")
    assert found.status == 0
    assert "building the documentation site" in found.err
    if is_sound:
        assert opened == [(tmp_path / "site" / "index.html").as_uri()]
        assert "building" not in command("docs").err
        future = (tmp_path / "site" / "index.html").stat().st_mtime + 60
        os.utime(clone / "docs" / "index.md", (future, future))
        assert "building" in command("docs").err, "a page has changed since"
    else:
        assert "the site could not be built: a link leads nowhere" in found.err
        assert (found.out, opened) == ("# The source\n", [])


@pytest.mark.skipif(os.name == "nt", reason="there are no such terminals")
def test_on_a_terminal_a_page_is_laid_out_and_paged() -> None:
    import pty

    ours, theirs = pty.openpty()
    environment = {**os.environ, "PAGER": "cat", "COLUMNS": "60", "TERM": "xterm"}
    environment.pop("MANPAGER", None)
    command = [sys.executable, "-m", "untilt", "docs", "quickstart", "--text"]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL, env=environment
    ):
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # when the other end is closed
            while part := os.read(ours, 4096):
                shown += part
    os.close(ours)
    lines = shown.decode().replace("\r", "").split("\n")
    assert lines[0].strip() == "Quick start"
    assert " • Solve Kuhn poker" in [line.rstrip() for line in lines]
    assert lines[0].startswith("          ")
    assert not [line for line in lines if line.startswith("#") or "```" in line]
    assert max(map(len, lines)) <= 60


@pytest.mark.parametrize("path", sorted(SOURCES), ids=lambda path: path.stem)
def test_every_page_is_plain_markdown_in_the_terminal(path: Path) -> None:
    text = page_text(path)
    assert re.search(r"^#+ \S", text, flags=re.MULTILINE)
    assert "```{" not in text
    assert "$$" not in text
    assert text.count("```") % 2 == 0
    fences = re.compile(r"^ *(```+).*?^ *\1 *$", flags=re.MULTILINE | re.DOTALL)
    assert not re.search(r"\$\\\w", fences.sub("", text)), "a formula"


def test_directives_formulas_and_cells_become_plain_markdown(tmp_path: Path) -> None:
    (tmp_path / "news.md").write_text("# News\n")
    (tmp_path / "page.md").write_text(
        "# Page\n\n```{include} news.md\n```\nWith $\\sigma_1$, `$5`, 5 $ and 6 $:\n\n"
        "$$a = b\n+ c$$\n\n```console\n$ untilt $HOME\n```\n"
        "```{eval-rst}\n.. automodule:: untilt.cards\n```\n"
    )
    assert page_text(tmp_path / "page.md") == (
        "# Page\n\n# News\n\nWith `\\sigma_1`, `$5`, 5 $ and 6 $:\n\n"
        "```text\na = b\n+ c\n```\n\n```console\n$ untilt $HOME\n```\n"
        "`python -m pydoc untilt.cards` prints this part.\n"
    )
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "text"]},
        {
            "cell_type": "code",
            "source": ["print(1)\n", "2"],
            "outputs": [
                {"text": ["1\n"]},
                {"data": {"text/plain": ["2"]}},
                {"data": {"text/plain": ["<Figure size 640x480>"], "image/png": "…"}},
            ],
        },
    ]
    (tmp_path / "cells.ipynb").write_text(json.dumps({"cells": cells}))
    assert page_text(tmp_path / "cells.ipynb") == (
        "# Title\ntext\n\n```python\nprint(1)\n2\n```\n\n```text\n1\n```\n\n```text\n2\n```\n"
    )


def test_it_is_served_on_the_loopback_interface(site: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from untilt.cli import main\n"
        "from untilt.cli.commands.look import docs\n"
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
        with urllib.request.urlopen(url, timeout=60) as answer:
            assert answer.read() == b"front"
    finally:
        server.terminate()
        server.communicate(timeout=60)
