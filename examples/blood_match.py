"""Train a small abstraction of River of Blood, and let it play the real game."""

import tempfile
from pathlib import Path

import untilt
from untilt.abstraction import (
    Translation,
    abstract,
    capped_bets,
    hand_class,
    pot_fractions,
    street,
)
from untilt.play import RandomPolicy, TranslatedPolicy, always_call

NUM_HANDS = 4_000

menu = capped_bets(pot_fractions(1, all_in=True), 2)
game = abstract(untilt.games.river_of_blood(stack=20), street * hand_class, menu)
with tempfile.TemporaryDirectory() as folder:
    run = untilt.solve(game, "mccfr-external", iterations=20_000, output=Path(folder) / "run")
    agent = TranslatedPolicy("trained", Translation(game, run.profile))

print(f"trained {run.game.num_infosets:,} infosets of the abstract game")
for other in (RandomPolicy(), always_call()):
    result = untilt.match(agent, other, NUM_HANDS, game=game.base, seed=1)
    assert result.interval_mbb is not None
    low, high = result.interval_mbb
    print(
        f"against {other.name}: {result.mbb:+,.0f} mbb a hand (95 %: {low:+,.0f} to {high:+,.0f})"
    )
    assert low > 0.0, "it wins significantly"
