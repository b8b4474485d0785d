"""Draw the pictures of the documentation again.

    uv run --extra plot python docs/draw_pictures.py [PICTURE]…

Without names all are drawn, which takes several minutes. Those of the page need Chromium.
"""

import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
_PYTHON = sys.executable
_UNTILT = (_PYTHON, "-m", "untilt")
_BUCKETS = ("--preflop", "169", "--flop", "200", "--turn", "200", "--river", "200")
_DASHBOARD = (_PYTHON, "docs/draw_dashboard.py")
_LEARNER = (_PYTHON, "benchmarks/pushfold_learner.py", "storage")

PICTURES = {
    "card-buckets.svg": (*_UNTILT, "buckets", *_BUCKETS, "--plot", "docs/card-buckets.svg"),
    "kuhn-tree.svg": (_PYTHON, "docs/draw_tree.py"),
    "libratus-3.svg": (_PYTHON, "benchmarks/libratus_curves.py"),
    "libratus-4.svg": (_PYTHON, "benchmarks/libratus_curves.py"),
    "monte-carlo-convergence.svg": (_PYTHON, "benchmarks/monte_carlo_curves.py"),
    "regret-storage.svg": (*_LEARNER, "--plot", "docs/regret-storage.svg"),
    **{
        f"page-{name}.png": _DASHBOARD
        for name in (
            "branch",
            "convergence",
            "facts",
            "noise",
            "pushfold",
            "runs",
            "spot",
            "strategy",
            "table",
        )
    },
    "play.jpg": _DASHBOARD,
    **{
        f"game-benchmarks/{path.name}": (_PYTHON, "benchmarks/game_curves.py")
        for path in sorted((DOCS / "game-benchmarks").glob("*.svg"))
    },
}
"""The command that draws each picture, run in the root of the repository."""


def main(names: list[str]) -> int:
    """Draw the pictures of these names, or all."""
    unknown = [name for name in names if name not in PICTURES]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; known: {', '.join(PICTURES)}", file=sys.stderr)
        return 2
    for command in dict.fromkeys(PICTURES[name] for name in names or PICTURES):
        print(" ".join(command[1:]))
        subprocess.run(command, cwd=DOCS.parent, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
