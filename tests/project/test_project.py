"""The project around the code: locked dependencies, heavy imports, versions, portability."""

import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import untilt

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "untilt"
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def strings(value: Any) -> Iterator[tuple[str, str]]:
    """Yield every text in a lock file with the key it stands under."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, str):
                yield key, inner
            else:
                yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


class TestLock:
    LOCK: dict[str, Any] = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))

    def test_packages_come_from_the_public_index_only(self) -> None:
        for package in self.LOCK["package"]:
            if package["name"] == "untilt":
                assert package["source"] == {"editable": "."}
            else:
                assert package["source"] == {"registry": "https://pypi.org/simple"}, package["name"]

    def test_files_come_from_the_public_index_only(self) -> None:
        urls = [text for key, text in strings(self.LOCK) if key == "url"]
        assert len(urls) > 100
        for url in urls:
            assert url.startswith("https://files.pythonhosted.org/packages/"), url

    def test_there_are_no_local_paths_and_no_other_addresses(self) -> None:
        for key, text in strings(self.LOCK):
            assert key not in ("path", "directory", "virtual", "git"), text
            assert not text.startswith(("/", "~", "file:", "..")), text
            if "://" in text:
                assert text.startswith(
                    ("https://pypi.org/simple", "https://files.pythonhosted.org/packages/")
                ), text

    def test_every_declared_dependency_is_locked(self) -> None:
        locked = {package["name"] for package in self.LOCK["package"]}
        project = PYPROJECT["project"]
        declared = [*project["dependencies"]]
        for extra in project["optional-dependencies"].values():
            declared.extend(extra)
        for group in PYPROJECT["dependency-groups"].values():
            declared.extend(group)
        names = {re.split(r"[^\w-]", text, maxsplit=1)[0].lower() for text in declared}
        assert names - {"untilt"} <= locked


class TestPageLock:
    """The packages of the page, `web/package-lock.json`."""

    WANTED: dict[str, Any] = json.loads((ROOT / "web" / "package.json").read_text("utf-8"))
    LOCK: dict[str, Any] = json.loads((ROOT / "web" / "package-lock.json").read_text("utf-8"))

    def test_every_package_is_known_by_its_hash(self) -> None:
        installed = {path: each for path, each in self.LOCK["packages"].items() if path}
        assert len(installed) > 30
        for path, package in installed.items():
            assert path.startswith("node_modules/"), path
            assert re.fullmatch(r"sha512-[A-Za-z0-9+/]{86}==", package["integrity"]), path
            assert "link" not in package, path

    def test_there_are_no_local_paths_and_no_other_addresses(self) -> None:
        for key, text in strings(self.LOCK):
            assert not text.startswith(("/", "~/", "file:", "git", "..")), text
            if "://" in text and key != "url":  # that of a funding page
                assert text.startswith("https://registry.npmjs.org/"), text

    def test_it_locks_what_is_declared(self) -> None:
        for kind in ("dependencies", "devDependencies"):
            assert self.LOCK["packages"][""][kind] == self.WANTED[kind]

    def test_the_bundler_is_pinned_and_development_tools_are_not_needed_to_build(self) -> None:
        assert re.fullmatch(r"\d+\.\d+\.\d+", self.WANTED["dependencies"]["esbuild"])
        assert all(
            name == "esbuild" or re.fullmatch(r"d3-[a-z-]+", name)
            for name in self.WANTED["dependencies"]
        )

    def test_a_mirror_leaves_no_trace_in_it(self) -> None:
        settings = (ROOT / "web" / ".npmrc").read_text("utf-8").splitlines()
        assert "omit-lockfile-registry-resolved=true" in settings
        assert not [line for line in settings if "://" in line or "_auth" in line]


class TestImports:
    def test_importing_the_package_loads_nothing_heavy(self) -> None:
        code = (
            "import sys, untilt; untilt.__version__, dir(untilt)\n"
            "print([name for name in ('numpy', 'numba', 'scipy', 'rich', 'typer', 'starlette') "
            "if name in sys.modules])"
        )
        done = python("-W", "error", "-c", code)
        assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr

    @pytest.mark.parametrize("package", ["play", "dashboard"])
    def test_playing_and_serving_load_no_compiler_and_no_solver(self, package: str) -> None:
        paths = sorted((SOURCE / package).rglob("*.py"))
        assert len(paths) > 1
        names = [
            ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(
                ".__init__"
            )
            for path in paths
        ]
        code = (
            f"import sys\nimport {', '.join(names)}\n"
            "print([name for name in ('numba', 'scipy', 'untilt.solvers', 'untilt.runs') "
            "if name in sys.modules])"
        )
        done = python("-W", "error", "-c", code)
        assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr

    @pytest.mark.parametrize("name", dir(untilt))
    def test_every_public_name_resolves(self, name: str) -> None:
        assert getattr(untilt, name) is not None
        assert name in dir(untilt)

    def test_an_unknown_name_is_an_attribute_error(self) -> None:
        with pytest.raises(AttributeError, match="no attribute 'solv'"):
            getattr(untilt, "solv")  # noqa: B009

    def test_the_package_says_that_it_is_typed(self) -> None:
        assert (SOURCE / "py.typed").exists()


class TestVersion:
    def test_package_and_metadata_agree(self) -> None:
        assert importlib.metadata.version("untilt") == untilt.__version__
        assert PYPROJECT["project"]["dynamic"] == ["version"]
        assert PYPROJECT["tool"]["hatch"]["version"]["path"] == "src/untilt/__init__.py"

    def test_the_changelog_tells_of_this_version_first(self) -> None:
        text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        versions = re.findall(r"^## \[?v?(\d+\.\d+\.\d+)", text, flags=re.MULTILINE)
        assert versions[:1] == [untilt.__version__]


def sources() -> Iterator[tuple[Path, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        yield path, path.read_text(encoding="utf-8")


def test_no_source_names_a_path_of_some_machine() -> None:
    absolute = re.compile(r"(?<![\w./:])/(?:home|root|Users|mnt|opt|tmp|var|usr)/|[A-Z]:\\\\?Users")
    for path, text in sources():
        assert str(ROOT) not in text, path.name
        assert absolute.search(text) is None, path.name


def test_only_the_command_line_prints() -> None:
    for path, text in sources():
        if path.relative_to(SOURCE).parts[0] != "cli":
            assert re.search(r"^\s*print\(", text, flags=re.MULTILINE) is None, path.name
