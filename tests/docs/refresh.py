"""Put what the commands print now into the pages and notebooks that show it.

    uv run python -m tests.docs.refresh [NAME…]

Names are those of files, such as quickstart.md and a-spot.ipynb; by default all are refreshed.

A block that shows no output stays so; one cut short by «…» keeps its length. The program
prints its progress to stderr, which is not shown, errors excepted. Python blocks are run too,
because later commands may read the files that they write.
"""

import io
import os
import shutil
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from tests.docs.notebooks import NOTEBOOKS, run_notebook
from tests.docs.pages import (
    PAGES,
    PROMPT,
    ROOT,
    TERMINAL_SETTINGS,
    blocks_of,
    commands_of,
    run_python,
)

from untilt.games import REGISTRY
from untilt.research import METHODS


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
    names = sys.argv[1:]
    known = {page.name for page in (*PAGES, *NOTEBOOKS)}
    if unknown := set(names) - known:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(sorted(known))}")
    for page in PAGES:
        if not names or page.name in names:
            with REGISTRY.registering(), METHODS.registering():
                refresh(page)
    for notebook in NOTEBOOKS:
        if not names or notebook.name in names:
            run_notebook(notebook, notebook)
