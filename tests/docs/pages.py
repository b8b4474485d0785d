"""The Markdown pages of the project, cut into the blocks that can be run."""

import io
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from untilt.cli.main import run

ROOT = Path(__file__).resolve().parents[2]

PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").glob("*.md")),
)

PROMPT = "$ "
CUT = "…"

TERMINAL_SETTINGS = ("COLUMNS", "FORCE_COLOR", "TTY_COMPATIBLE")
"""Variables of the environment that would change what is printed."""

_FENCE = re.compile(r"^```(?P<info>.*)$")
_EXIT = re.compile(r"\bexit=(\d+)\b")
_NEEDS = re.compile(r"\bneeds=(\w+)\b")


@dataclass(frozen=True)
class Block:
    """A fenced block: language, what else stands behind the fence, first line and content."""

    language: str
    attributes: str
    line: int
    text: str

    @property
    def exit_status(self) -> int:
        """What the commands return: 0 unless the fence says `exit=N`."""
        found = _EXIT.search(self.attributes)
        return int(found.group(1)) if found else 0

    @property
    def waits_for_people(self) -> bool:
        """Whether its commands end only when a person ends them, by `waits`: they are not run."""
        return "waits" in self.attributes.split()

    @property
    def can_run(self) -> bool:
        """Whether it ends by itself, and the module that it needs by `needs=MODULE` is there."""
        needed = _NEEDS.search(self.attributes)
        is_missing = needed is not None and find_spec(needed.group(1)) is None
        return not self.waits_for_people and not is_missing


@dataclass(frozen=True)
class Command:
    """A documented command line of ours, perhaps with its output sent to a file."""

    text: str
    shown: list[str]
    """The output that the page shows; none at all, or cut short by a line «…»."""

    def run(self) -> tuple[int, list[str]]:
        """Run it in this process; return its status and what it prints, errors included."""
        words = shlex.split(self.text, comments=True)[1:]
        file = words[-1] if ">" in words[-2:-1] else None
        results, messages = io.StringIO(), io.StringIO()
        with redirect_stdout(results), redirect_stderr(messages):
            status = run(words[:-2] if file else words)
        if file:
            Path(file).write_text(results.getvalue(), encoding="utf-8")
        errors = [line for line in messages.getvalue().splitlines() if line.startswith("error:")]
        return status, [line.rstrip() for line in results.getvalue().splitlines()] + errors

    def cut(self, printed: list[str]) -> list[str]:
        """Return as much of the output as the page shows."""
        if not self.shown:
            return []
        return [*printed[: len(self.shown) - 1], CUT] if self.shown[-1] == CUT else printed


def blocks_of(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page in order."""
    begin, info = 0, ""
    lines: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        fence = _FENCE.match(line)
        if fence and not begin:
            begin, info, lines = number + 1, fence["info"].strip(), []
        elif fence:
            language, _, attributes = info.partition(" ")
            yield Block(language, attributes, begin, "\n".join(lines) + "\n")
            begin = 0
        else:
            lines.append(line)
    assert not begin, f"{page.name}: the block at line {begin} is not closed"


def commands_of(block: Block) -> Iterator[Command]:
    """Yield our command lines of a `console` or `bash` block, each with the output shown."""
    if block.language == "bash":
        lines = [f"{PROMPT}{line}" for line in block.text.splitlines()]
    else:
        lines = block.text.splitlines() if block.language == "console" else []
    starts = [number for number, line in enumerate(lines) if line.startswith(PROMPT)]
    for start, end in pairwise([*starts, len(lines)]):
        text = lines[start].removeprefix(PROMPT)
        if text.startswith("untilt "):
            yield Command(text, lines[start + 1 : end])


def run_python(page: Path, block: Block, namespace: dict[str, Any]) -> None:
    """Run a `python` block in the namespace that the blocks of a page share."""
    if block.language == "python":
        code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
        exec(code, namespace)


def prose_of(page: Path) -> str:
    """Return a page without its fenced blocks and inline code."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors_of(page: Path) -> set[str]:
    """Return the names under which the headings of a page can be linked to."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    headings = re.findall(r"^#+ (.*)$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


def without_numbers(line: str) -> str:
    """Return the words of a line: numbers and bars differ between machines."""
    words = re.sub(r"[-+]?\d[\d.,]*(e[-+]?\d+)?%?", "#", line)
    return " ".join(re.sub(r"[░▓█▒▚]+", "", words).split())
