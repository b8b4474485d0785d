"""Reproduce the published example of another solver: a turn, three bet sizes, donk bets.

The spot is `examples/basic.rs` of b-inary's postflop-solver (Rust). What that program asserts is
asserted here: hands, actions and amounts, and that the nut straight never folds. What it prints
(equities and values) is printed here, too; both solve until 0.5 % of the pot.
"""

import untilt

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"


def main() -> None:
    """Solve the spot, and check it against the published facts."""
    spot = untilt.Spot(
        board="Td9d6hQc",
        ranges=(OOP, IP),
        pot=200,
        stack=900,
        sizes=untilt.Sizes("60%, e, a", raises="2.5x", river_donk="50%"),
    )
    solution = untilt.solve(spot, target="0.5%", save=False)
    root = solution.root
    first = {row.hand: row for row in root.table()}["5c4c"]
    print(f"exploitability {solution.exploitability:.2f}")
    print(f"5c4c: equity {first.equity:.2%}, EV {first.ev:.2f}")
    print(f"whole range: equity {root.own.mean_equity:.2%}, EV {root.own.mean_ev:.2f}")

    assert root.actions == ("check", "bet 120", "bet 216", "all-in 900")
    facing = root.child("bet 120")
    assert facing.actions == ("fold", "call", "raise 300")
    assert len(facing.hands) == 250
    straight = {row.hand: row for row in facing.table()}["KsJs"]
    assert straight.mix["fold"] < 1e-3
    print("KsJs facing the bet:", {name: round(share, 3) for name, share in straight.mix.items()})

    dealt = facing.child("call").deal("7s")
    assert dealt.board == "Td9d6hQc7s"
    print(f"after a call and 7s: {dealt.frequencies}")


if __name__ == "__main__":
    main()
