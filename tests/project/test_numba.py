"""Numba: the releases that are allowed, and what of its internals the package relies on."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "compiled-code.md"
PUBLIC = {"numba", "numba.extending", "numba.types"}


def imported() -> Iterator[tuple[str, str, str]]:
    """Yield the module, name and file of each import from Numba or llvmlite."""
    for file in sorted((ROOT / "src" / "untilt").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.ImportFrom) or node.module is None:
                continue
            found = node.module
            if found.split(".")[0] in {"numba", "llvmlite"}:
                where = file.relative_to(ROOT / "src" / "untilt").as_posix()
                yield from ((found, alias.name, where) for alias in node.names)


def test_releases_of_numba_that_nobody_has_tried_are_not_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    locked = tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))["package"]
    (allowed,) = (
        found.specifier
        for found in map(Requirement, project["dependencies"])
        if found.name == "numba"
    )
    versions = [package["version"] for package in locked if package["name"] == "numba"]
    assert versions
    assert all(version in allowed for version in versions)
    assert "999.0" not in allowed


def test_the_page_for_contributors_names_every_internal_that_is_imported() -> None:
    rows = re.findall(r"^\| `(numba\.[^`]+)` \| ([^|]+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    named = {(name, file) for name, files in rows for file in re.findall(r"`([^`]+)`", files)}
    used = set()
    for module, name, file in imported():
        if module.startswith("numba") and module not in PUBLIC:
            whole = f"{module}.{name}"
            used.add((module if module.endswith(".templates") else whole, file))
    assert named == used


def test_the_page_for_contributors_names_every_module_that_emits_instructions() -> None:
    rows = re.findall(
        r"^\| `((?:numeric|cards)/[\w/]+\.py)` \|", PAGE.read_text("utf-8"), re.MULTILINE
    )
    assert set(rows) == {file for module, _, file in imported() if module == "llvmlite"}
