"""Follow the page of each kind of reader literally, as on the first day, and measure the time.

    uv run python benchmarks/first_minutes.py [WHEEL] [--page for-players.md]

For each page: an empty environment and an empty cache, the wheel installed with the extras that the
page names, then every command and every Python block of the page, in order, in an empty folder.
Commands that wait for a person are started, given a few answers, and ended after a while. Packages
come from uv's own cache if they were downloaded before; kernels are compiled again.
"""

import argparse
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.docs.pages import Block, blocks_of  # noqa: E402

WAITING_SECONDS = 20.0
"""How long a command that waits for a person may run."""
ANSWERS = "\n".join(["c", "p", "f", "1", "2"] * 8)


def follow(page: Path, wheel: Path) -> tuple[float, float]:
    """Follow a page in an empty environment; return wall time and processor time, in seconds."""
    begin, before = time.perf_counter(), _processor_seconds()
    with tempfile.TemporaryDirectory(prefix="untilt-first-") as scratch:
        folder = Path(scratch, "empty")
        folder.mkdir()
        environment = {**os.environ, "UNTILT_CACHE_DIR": str(Path(scratch, "cache"))}
        environment.pop("VIRTUAL_ENV", None)
        venv = Path(scratch, "venv")
        environment["PATH"] = f"{venv / 'bin'}{os.pathsep}{environment['PATH']}"
        extras = re.search(r"pip install '?untilt(\[[\w,]+\])?", page.read_text(encoding="utf-8"))
        assert extras is not None, f"{page.name} does not say how to install"
        for command in (
            ["uv", "venv", "--quiet", str(venv)],
            ["uv", "pip", "install", "--quiet", "-p", str(venv), f"{wheel}{extras[1] or ''}"],
        ):
            subprocess.run(command, env=environment, check=True)
        _say(f"installed from {wheel.name}", begin)
        for block in blocks_of(page):
            for text in _programs(block):
                _run(text, block, folder, environment)
                _say(text.strip().splitlines()[-1], begin)
    return time.perf_counter() - begin, _processor_seconds() - before


def _programs(block: Block) -> list[str]:
    if block.language == "console":
        return [line.removeprefix("$ ") for line in block.text.splitlines() if line[:2] == "$ "]
    if block.language == "bash":
        return block.text.splitlines()
    return [block.text] if block.language == "python" else []


def _run(text: str, block: Block, folder: Path, environment: dict[str, str]) -> None:
    """Run a command or a program; a failure ends the measurement."""
    if block.language == "python":
        # Later blocks use the names of earlier ones, as in a session.
        with (folder / "session.py").open("a", encoding="utf-8") as file:
            file.write(text)
        text = "python session.py"
    process = subprocess.Popen(
        ["bash", "-c", f"exec {text}"],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        shown, _ = process.communicate(
            ANSWERS, timeout=WAITING_SECONDS if block.waits_for_people else 600.0
        )
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30.0)
        assert block.waits_for_people, text
        return
    assert process.returncode == block.exit_status, f"{text}\n{shown}"


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _say(what: str, begin: float) -> None:
    print(f"  {time.perf_counter() - begin:6.1f} s  {what[:90]}", flush=True)


def main() -> None:
    """Build a wheel unless one is given, and follow the pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", nargs="?", type=Path)
    parser.add_argument("--page", action="append", help="only this page; repeatable")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        wheel = arguments.wheel
        if wheel is None:
            subprocess.run(
                ["uv", "build", "--quiet", "--wheel", "-o", scratch, str(ROOT)], check=True
            )
            (wheel,) = Path(scratch).glob("*.whl")
        assert shutil.which("uv")
        for page in sorted((ROOT / "docs").glob("for-*.md")):
            if not arguments.page or page.name in arguments.page:
                print(page.name, flush=True)
                wall, processor = follow(page, wheel.resolve())
                print(f"  {wall:.0f} s, {processor:.0f} s of processor time")


if __name__ == "__main__":
    main()
