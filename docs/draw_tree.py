"""Draw the tree of Kuhn poker with an equilibrium on it, `docs/kuhn-tree.svg`.

uv run python docs/draw_tree.py
"""

import os
import tempfile
from pathlib import Path

from untilt.cli.main import run

PICTURE = Path(__file__).resolve().parent / "kuhn-tree.svg"
RUN = "the equilibrium"  # the picture names the run

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run(["solve", "kuhn", "--output", RUN, "--json"])
        PICTURE.unlink(missing_ok=True)
        run(["tree", RUN, "-o", str(PICTURE)])
