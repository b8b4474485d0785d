"""Put what the commands print now into the pages that show it.

    uv run python -m tests.docs.refresh

A block that shows no output stays so; one cut short by «…» keeps its length. The program
prints its progress to stderr, which is not shown, errors excepted. Python blocks are run too,
because later commands may read the files that they write.
"""

import io
import os
import shutil
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from tests.docs.pages import (
    PAGES,
    PROMPT,
    ROOT,
    TERMINAL_SETTINGS,
    blocks_of,
    commands_of,
    run_python,
)


def refresh(page: Path) -> None:
    """Run the commands of a page in a temporary folder and rewrite their output."""
    text = page.read_text(encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": "page"}
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", Path(folder) / "examples")
        os.chdir(folder)
        for block in blocks_of(page):
            if not block.can_run:
                continue
            for command in commands_of(block):
                _, printed = command.run()
                if command.shown:
                    line = f"{PROMPT}{command.text}"
                    before = "\n".join([line, *command.shown])
                    text = text.replace(before, "\n".join([line, *command.cut(printed)]))
            with redirect_stdout(io.StringIO()):
                run_python(page, block, namespace)
        os.chdir(ROOT)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for name in TERMINAL_SETTINGS:
        os.environ.pop(name, None)
    for page in PAGES:
        refresh(page)
