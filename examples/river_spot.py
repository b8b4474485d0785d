"""Solve a river spot, look at its nodes, and lock a strategy.

The spot is the closed form of bluffing: the first player has the best hand or nothing, the second
a hand that beats only bluffs. With a bet of the pot, half of the bluffs bet, and half is called.
"""

import untilt


def main() -> None:
    """Print the solution, and how it changes if the first player never bluffs."""
    spot = untilt.Spot(
        board="2c2d2h3c3d",
        ranges=("AA,QQ", "KK"),
        pot=100,
        stack=100,
        sizes=untilt.Sizes("100%"),
    )
    solution = untilt.solve(spot, target="0.05%", save=False)
    print(f"EV {solution.ev[0]:.1f} v {solution.ev[1]:.1f}")
    for row in solution.root.table().sorted("equity"):
        print(row.hand, {name: round(share, 2) for name, share in row.mix.items()})
    print("facing the bet:", solution.at("all-in").frequencies)

    honest = spot.replaced(locks=[{"line": "", "lock": "QQ check"}])
    locked = untilt.solve(honest, target="0.05%", save=False)
    called = locked.at("all-in").frequencies["call"]
    print(f"without bluffs: EV {locked.ev[0]:.1f}, called {called:.0%}")


if __name__ == "__main__":
    main()
