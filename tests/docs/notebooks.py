"""Run a notebook in a kernel of its own, in an empty folder, and store what it shows.

    uv run --group docs python -m tests.docs.notebooks FROM.ipynb TO.ipynb

Outputs are part of the stored notebooks, so that they can be read on the web and the site is built
without running them. Who ran them, and when, is not.
"""

import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.docs.pages import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))

_KEPT = ("text/plain", "text/html", "image/png", "image/svg+xml")


def run_notebook(source: Path, target: Path) -> None:
    """Run the cells of `source` from top to bottom and write them with their outputs."""
    # Otherwise jupyter_core warns; and the first is as in the command line.
    os.environ.update(JUPYTER_PLATFORM_DIRS="1", PYDEVD_DISABLE_FILE_VALIDATION="1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # `!untilt` in a cell is the command of this environment, and prints no message for a person.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    from nbclient import NotebookClient

    nbformat: Any = import_module("nbformat")  # it has hints, but not for all of its functions
    notebook = nbformat.read(source, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=300,
            kernel_name="python3",
            coalesce_streams=True,
            resources={"metadata": {"path": folder}},
        )
        client.execute()
    for cell in notebook.cells:
        cell.metadata.clear()
        for output in cell.get("outputs", ()):
            if "data" in output:
                output["data"] = {
                    kind: output["data"][kind] for kind in _KEPT if kind in output["data"]
                }
                output["metadata"] = {}
    notebook.metadata.language_info = {"name": "python", "pygments_lexer": "ipython3"}
    nbformat.validate(notebook)
    nbformat.write(notebook, target)


if __name__ == "__main__":
    run_notebook(Path(sys.argv[1]), Path(sys.argv[2]))
