"""Draw exploitability by iterations on two published endgames of Libratus.

The figures are those of docs/public-trees.md.

    uv run --extra plot python benchmarks/libratus_curves.py [--iterations 1000]

Papers on discounted and on predictive regret minimization compare methods on these endgames; here
with bets of our own. The counts do not depend on the machine.
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import untilt
from untilt.charts.figures.convergence_figure import Curve, convergence_figure

DOCS = Path(__file__).parents[1] / "docs"
SPOTS = {"libratus-3": "Libratus 3, river, small pot", "libratus-4": "Libratus 4, river, large pot"}
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "cfr+": ("cfr+", {}),
    "dcfr, β = 0, γ = 2": ("dcfr", {"beta": 0.0, "gamma": 2.0}),
    "dcfr": ("dcfr", {}),
    "dcfr+": ("dcfr+", {}),
    "pcfr+": ("pcfr+", {}),
    "pdcfr+": ("pdcfr+", {}),
    "hs-dcfr": ("hs-dcfr", {}),
}


def main() -> None:
    """Draw a figure for each spot, and print the last exploitabilities in % of the pot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=1_000)
    given = parser.parse_args()
    print("| spot | " + " | ".join(f"`{name}`" for name in METHODS) + " |")
    print("| --- |" + " --- |" * len(METHODS))
    for name, title in SPOTS.items():
        spot = untilt.Spot.load(name)
        curves, last = [], []
        for words, (method, options) in METHODS.items():
            with TemporaryDirectory() as folder:
                run = untilt.solve(
                    spot, method, iterations=given.iterations, output=Path(folder) / "run",
                    **options,
                )  # fmt: skip
                progress = run.progress
                assert progress is not None
                curves.append(Curve(words, progress))
                last.append(float(progress["exploitability"][-1]) / spot.pot)
        convergence_figure(curves, by="iteration", title=title).save(DOCS / f"{name}.svg")
        print(f"| {name} | {' | '.join(f'{100.0 * each:.2g} %' for each in last)} |", flush=True)


if __name__ == "__main__":
    main()
