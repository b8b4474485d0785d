"""The documentation site: complete, strict, and without anything from elsewhere."""

import html
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import hatch_build
import pytest
from tests.dashboard.browser import Watched, chromium
from tests.docs.pages import ROOT

import untilt
from untilt import (
    abstraction,
    blueprints,
    cards,
    games,
    play,
    pushfold,
    research,
    runs,
    spots,
    strategies,
)

DOCS = ROOT / "docs"
SOURCES = [
    path.relative_to(DOCS).as_posix()
    for folder in (DOCS, DOCS / "notebooks")
    for path in sorted([*folder.glob("*.md"), *folder.glob("*.ipynb")])
]
MODULES = (
    *(abstraction, blueprints, cards, games, play, pushfold, research, runs, spots, strategies),
)
KINDS = ("Tutorials", "How-to guides", "Explanation", "Reference")


def test_the_front_page_lists_every_page_once_by_kind() -> None:
    parts = re.split(r"^## ", (DOCS / "index.md").read_text(encoding="utf-8"), flags=re.M)[1:]
    assert [kind for kind in KINDS if any(part.startswith(f"{kind}\n") for part in parts)] == [
        *KINDS
    ]
    listed = [link for part in parts for link in re.findall(r"\]\(([^)#:]+)\)", part)]
    assert sorted(listed) == sorted(source for source in SOURCES if source != "index.md")


def test_every_picture_can_be_drawn_again_by_a_command() -> None:
    pictures = runpy.run_path(str(DOCS / "draw_pictures.py"))["PICTURES"]
    held = {
        path.relative_to(DOCS).as_posix()
        for path in DOCS.rglob("*")
        if path.suffix in (".svg", ".png", ".jpg")
    }
    assert held == set(pictures)
    for name, command in pictures.items():
        (script,) = [word for word in command[1:] if word.endswith(".py")] or [
            "src/untilt/__main__.py"
        ]
        assert (ROOT / script).is_file(), name


class Loaded(HTMLParser):
    """Collects what a browser loads for a page, and where its links lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id" and value:
                self.anchors.add(value)
            elif name in ("src", "srcset", "data", "poster") or (name == "href" and tag == "link"):
                self.loads.append(value or "")
            elif name == "href" and tag == "a":
                self.links.append(value or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site in the package if it is up to date, else a new one."""
    pytest.importorskip("sphinx", reason="the group docs is not installed")
    if hatch_build.is_site_fresh(ROOT):
        return ROOT / hatch_build.SITE
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, str(DOCS / "build_site.py"), str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Loaded]:
    """The pages by their names below the site."""
    return {
        path.relative_to(site).as_posix(): Loaded(path.read_text(encoding="utf-8"))
        for path in site.rglob("*.html")
    }


def named(module: ModuleType) -> set[str]:
    """Return the public classes and functions of a module."""
    return {
        name for name in module.__all__ if isinstance(getattr(module, name), type | FunctionType)
    }


@pytest.mark.long
class TestSite:
    def test_every_source_has_a_page_that_every_page_leads_to(
        self, pages: dict[str, Loaded]
    ) -> None:
        expected = {re.sub(r"\.\w+$", ".html", source) for source in SOURCES}
        assert expected <= set(pages)
        for name, page in pages.items():
            folder = Path(name).parent.as_posix()
            up = "" if folder == "." else "../"
            linked = {link.partition("#")[0].removeprefix(up) for link in page.links}
            inside = {f"{folder}/{link}" for link in linked} if up else set()
            # A page links to itself by its heading.
            assert expected - linked - inside <= {name}, name

    def test_nothing_is_loaded_from_elsewhere(self, site: Path, pages: dict[str, Loaded]) -> None:
        for name, page in pages.items():
            assert page.loads, name
            for address in page.loads:
                assert not re.match(r"(?!data:)\w+:|//", address), (name, address)
        for sheet in site.rglob("*.css"):
            text = sheet.read_text(encoding="utf-8")
            assert not re.search(r"@import|url\(['\"]?(?!data:)(\w+:)?//", text), sheet.name

    def test_every_link_and_anchor_exists(self, site: Path, pages: dict[str, Loaded]) -> None:
        for name, page in pages.items():
            for link in page.links:
                if re.match(r"\w+:", link):
                    continue
                path, _, anchor = html.unescape(link).partition("#")
                target = (site / name).parent / path if path else site / name
                assert target.exists(), (name, link)
                if anchor and target.suffix == ".html":
                    found = pages[target.resolve().relative_to(site.resolve()).as_posix()]
                    assert anchor in found.anchors, (name, link)

    def test_formulas_are_mathml(self, site: Path) -> None:
        source = (DOCS / "mathematics.md").read_text(encoding="utf-8")
        prose = re.sub(r"^```.*?^```$|`[^`\n]*`", "", source, flags=re.S | re.M)
        formulas = re.findall(r"\$\$.+?\$\$|\$[^$]+\$", prose, flags=re.S)
        page = (site / "mathematics.html").read_text(encoding="utf-8")
        assert page.count("<math ") == len(formulas) > 100

    def test_what_fences_say_to_the_tests_is_not_shown(self, site: Path) -> None:
        page = (site / "quickstart.html").read_text(encoding="utf-8")
        assert "highlight-console" in page
        assert "exit=" not in page

    def test_every_public_name_is_documented(self, pages: dict[str, Loaded]) -> None:
        documented = set().union(*(page.anchors for page in pages.values()))
        assert {f"untilt.{name}" for name in named(untilt)} <= documented
        for module in MODULES:
            own = named(module) - named(untilt)  # a name of both is described where it is shorter
            assert {f"{module.__name__}.{name}" for name in own} <= documented, module.__name__

    def test_the_licences_of_what_it_contains_are_with_it(self, site: Path) -> None:
        notice = (site / "NOTICE.txt").read_text(encoding="utf-8")
        for name in ("furo", "sphinx", "pygments", "snowballstemmer"):
            assert re.search(rf"^{name} \d", notice, flags=re.M), name
        assert notice.count("Copyright") >= 5

    def test_it_is_light(self, site: Path) -> None:
        sizes = {path: path.stat().st_size for path in site.rglob("*") if path.is_file()}
        assert sum(sizes.values()) < 8e6
        assert not [path for path in sizes if path.suffix in (".py", ".map")]

    def test_search_works_in_a_browser_without_a_server(self, site: Path) -> None:
        with chromium() as browser:
            watched = Watched(browser.new_page(), site.as_uri())
            watched.page.goto(f"{site.as_uri()}/search.html?q=standard+error")
            results = watched.page.locator("#search-results a", has_text="Fitting β")
            results.first.wait_for(timeout=20_000)
            results.first.click()
            watched.page.wait_for_url("**/fitting-beta.html*")
            watched.verify()


@pytest.fixture
def small(tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Builds a site of one page with the project's settings; returns status and messages."""
    pytest.importorskip("sphinx", reason="the group docs is not installed")
    source = tmp_path / "source"
    source.mkdir()

    def build(text: str, **more: str) -> tuple[int, str]:
        (source / "index.md").write_text(f"# Small\n\n{text}\n", encoding="utf-8")
        for name, content in more.items():
            (source / f"{name}.md").write_text(content, encoding="utf-8")
        done = subprocess.run(
            [
                *(sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"),
                *("-c", str(DOCS), str(source), str(tmp_path / "out")),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stderr

    return build


MISTAKES = {
    "[gone](gone.md)": "'gone.md'",
    "[part](#nothing)": "'nothing'",
    "$\\nonsense$": "cannot read the formula",
    "```{eval-rst}\n:py:func:`untilt.gone`\n```": "untilt.gone",
}
"""What may be wrong on a page, with the complaint about it."""


@pytest.mark.long
def test_mistakes_stop_the_build(small: Callable[..., tuple[int, str]]) -> None:
    status, messages = small("\n\n".join(MISTAKES), lost="# Lost")
    assert status != 0
    for complaint in (*MISTAKES.values(), "lost.md: WARNING: document isn't included"):
        assert complaint in messages, messages


@pytest.mark.long
def test_a_small_page_without_mistakes_is_built(
    small: Callable[..., tuple[int, str]],
) -> None:
    more = {"part": "# Part\n\n$\\Big(x^2, \\dots\\Big)$\n\n```console exit=2\n$ untilt\n```\n"}
    assert small("## One\n\n| [Part](part.md) |\n| --- |\n", **more) == (0, "")


class TestDocstrings:
    @pytest.fixture
    def as_rst(self) -> Any:
        pytest.importorskip("sphinx", reason="the group docs is not installed")
        return runpy.run_path(str(DOCS / "site" / "docstrings.py"))["as_rst"]

    @pytest.mark.parametrize(
        ("docstring", "expected"),
        [
            ("Return `a`.", "Return ``a``."),
            ("Takes *args, `x`s and a_ or |x|.", r"Takes \*args, ``x``\ s and a\_ or \|x\|."),
            (
                "Sum\n\n    x = 1\n    y = 2",
                "Sum\n\n.. code-block:: python\n\n    x = 1\n    y = 2",
            ),
            ("- one\n- `two`", "- one\n- ``two``"),
            ("Try\n\n>>> 1 * 2\n2", "Try\n\n>>> 1 * 2\n2"),
        ],
    )
    def test_they_become_restructured_text(
        self, as_rst: Any, docstring: str, expected: str
    ) -> None:
        assert "\n".join(as_rst(docstring.split("\n"))).strip() == expected
