"""Count the iterations that each method of `untilt spot` needs on ten spots.

    uv run python benchmarks/spot_methods.py [--target 0.1%] [--at-most N]

Six rivers and four turns, with wide and narrow ranges, small and large pots. The counts do not
depend on the machine. Docs: docs/public-trees.md.
"""

import argparse

import untilt
from untilt import Sizes, Spot

WIDE = "22+,A2s+,K5s+,Q8s+,J8s+,T8s+,97s+,86s+,76s,65s,A8o+,KTo+,QTo+,JTo"
NARROW = "QQ-66,AQs-A8s,KJs+,QTs+,JTs,T9s,98s,AQo-AJo,KQo"
SPOTS = {
    "river, dry": Spot("Kh7d2c9s4d", (WIDE, NARROW), 20, 90, Sizes("50%, 100%, a")),
    "river, wet": Spot("JhTh6h5c2d", (WIDE, WIDE), 20, 90, Sizes("33%, 75%, a")),
    "river, paired": Spot("8s8d3c5hQc", (NARROW, WIDE), 30, 150, Sizes("50%, 100%, a")),
    "river, deep": Spot("AhKd9c4s3h", (NARROW, WIDE), 10, 200, Sizes("66%, 150%, a")),
    "river, shallow": Spot("9c8c7d2h2s", (WIDE, NARROW), 60, 50, Sizes("33%, a")),
    "river, straight": Spot("QsJd9h8c3s", (WIDE, WIDE), 25, 100, Sizes("50%, 100%, a")),
    "turn, dry": Spot("Kh7d2c9s", (NARROW, NARROW), 20, 60, Sizes("66%, a")),
    "turn, wet": Spot("JhTh6c5h", (NARROW, NARROW), 20, 60, Sizes("66%, a")),
    "turn, paired": Spot("8s8d3cQh", (NARROW, NARROW), 30, 70, Sizes("66%, a")),
    "turn, shallow": Spot("AhKd9c4s", (NARROW, NARROW), 40, 40, Sizes("50%, a")),
}
METHODS = ("dcfr", "dcfr+", "cfr+", "pcfr+", "pdcfr+", "hs-dcfr", "hs-pcfr+")


def main() -> None:
    """Print a table in Markdown, a row for each spot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", default="0.1%", help="exploitability, as a share of the pot")
    parser.add_argument("--at-most", type=int, default=1_500, metavar="N", help="iterations")
    given = parser.parse_args()
    print("| spot | " + " | ".join(f"`{method}`" for method in METHODS) + " |")
    print("| --- |" + " --- |" * len(METHODS))
    for name, spot in SPOTS.items():
        counts = []
        for method in METHODS:
            run = untilt.solve(
                spot, method, target=given.target, iterations=given.at_most, save=False
            )
            counts.append(f"{run.iterations:,}")
        print(f"| {name} | {' | '.join(counts)} |", flush=True)


if __name__ == "__main__":
    main()
