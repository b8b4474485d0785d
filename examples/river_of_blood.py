"""Solve River of Blood under an abstraction, look at what was learned, and play it for real.

    untilt solve examples/river_of_blood.py:game --method es-linear --time 600 --output run
    untilt match run random --hands 10_000 --trust

The states say which infosets are told apart, the menu which bets are considered. In `game` hands
fall into eight buckets before the flop and forty on each later street, by their equity
distribution; the tables for that are made once, which takes a minute. Run as a script, this file
solves `quick` instead, which tells only the 169 starting hands apart.
"""

import random
from typing import Any

import untilt
from untilt.abstraction import (
    Translation,
    abstract,
    algebraic,
    capped_bets,
    equities,
    hand_class,
    linear_pot,
    player,
    pot_fractions,
    street,
)
from untilt.cards import card_name
from untilt.games import river_of_blood


@algebraic
def last_card_is_black(infoset: Any) -> bool:
    """Whether this street is the last from the river on."""
    return bool(infoset.board) and card_name(infoset.board[-1])[1] in "cs"


menu = capped_bets(pot_fractions(0.5, 1.0, all_in=True), 8)
cards = equities((8,) + (40,) * 7, dimension=50, maxiter=30)
public = last_card_is_black * street * player * linear_pot(20) * menu
game = abstract(river_of_blood(), public * cards, menu)
quick = abstract(river_of_blood(), public * hand_class, menu)


def main() -> None:
    """Train a little, then play one hand against somebody who calls everything."""
    run = untilt.solve(quick, "es-linear", iterations=200, save=False)
    print(f"{run.outcome['infosets_met']:,} infosets, {run.outcome['nodes']:,} nodes")
    rng = random.Random(1)
    hand = Translation(quick, run.profile).begin(rng)
    position: Any = quick.base
    while not position.terminal:
        if position.chance:
            position = position.apply(position.sample(rng))
        elif position.active == 0:
            position = position.apply(hand.act(position.infoset(0)))
        else:
            position = position.apply(position.betting.passive_actions()[-1])
    print(f"{position.line}: the button wins {position.payoff(0):+.0f} chips")


if __name__ == "__main__":
    main()
