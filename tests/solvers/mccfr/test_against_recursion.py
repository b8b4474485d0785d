"""The kernels and slow recursion over positions, fed with the same random numbers."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.game.many_players import random_game
from tests.game.trees import End as Worth
from tests.game.trees import TreeGame, choice, nature
from tests.reference.mccfr import Numbers, ReferenceMccfr
from tests.solvers.mccfr.solving import GAMES, by_label, solver_of

from untilt.game.protocol import Game
from untilt.games import kuhn
from untilt.numeric.streams import Stream

SEED = 20_26

WIDE = TreeGame(
    nature(
        low=(
            0.2,
            choice(
                0,
                "P0:low",
                a=choice(1, "P1:a", l=Worth(1.5), m=Worth(-0.75), r=Worth(2.0)),
                b=choice(1, "P1:b", l=Worth(-1.25), r=Worth(0.5)),
                c=Worth(0.125),
            ),
        ),
        high=(
            0.8,
            choice(
                0,
                "P0:high",
                a=choice(1, "P1:a", l=Worth(-2.0), m=Worth(0.25), r=Worth(-0.5)),
                b=choice(
                    1,
                    "P1:b",
                    l=nature(x=(0.3, Worth(3.0)), y=(0.0, Worth(99.0)), z=(0.7, Worth(-1.0))),
                    r=choice(0, "P0:high:br", up=Worth(-1.5), down=Worth(1.75)),
                ),
            ),
        ),
    )
)
"""Two and three actions, chance late and uneven, a chance outcome that never comes."""


ROOTS: dict[str, Game] = {
    **GAMES,
    "wide": WIDE,
    "kuhn for three": kuhn(players=3),
    "random for three": random_game(1, 3),
    "random for four": random_game(2, 4, depth=4),
}


def uniforms(sample: int) -> Callable[[], float]:
    return Stream(SEED, sample).random


def assert_near(found: Numbers, twin: Numbers, fallback: float | None) -> None:
    """Assert the same numbers to 1e-12; infosets that the twin never saw have `fallback`."""
    for label, numbers in found.items():
        plain = 1.0 / len(numbers) if fallback is None else fallback
        expected = twin.get(label, dict.fromkeys(numbers, plain))
        assert numbers == pytest.approx(expected, rel=1e-12, abs=1e-12), label


@pytest.mark.parametrize("regret", ["rm", "rm+"])
@pytest.mark.parametrize(
    ("sampling", "options", "twin_options"),
    [
        ("chance", {}, {}),
        ("external", {}, {}),
        ("outcome", {"baseline": "none"}, {}),
        ("outcome", {"baseline": "none", "exploration": 1.0}, {"exploration": 1.0}),
        ("outcome", {"baseline": "none", "exploration": 0.1}, {"exploration": 0.1}),
        ("outcome", {"baseline": "history"}, {"baseline_rate": 0.5}),
    ],
    ids=["chance", "external", "outcome", "outcome ε 1", "outcome ε 0.1", "outcome with baselines"],
)
@pytest.mark.parametrize(
    ("game", "iterations"),
    [
        ("kuhn", 400),
        ("leduc", 300),
        ("wide", 400),
        ("kuhn for three", 300),
        ("random for three", 300),
        ("random for four", 200),
    ],
)
def test_samples_from_the_same_numbers_teach_the_same(
    game: str,
    iterations: int,
    sampling: str,
    options: dict[str, Any],
    twin_options: dict[str, Any],
    regret: str,
) -> None:
    root = ROOTS[game]
    solver = solver_of(
        root,
        method=f"mccfr-{sampling}",
        seed=SEED,
        batch=1,
        regret=regret,
        **options,
    )
    twin = ReferenceMccfr(root, sampling, uniforms, is_clipped=regret == "rm+", **twin_options)
    for number in range(1, iterations + 1):
        twin.iterate()
        solver.advance(1)
        if number in (1, 2, 10, 100, iterations):
            assert_near(by_label(solver, solver.regrets()), twin.regrets, 0.0)
            assert_near(by_label(solver, solver.current_behaviours()), twin.current, None)
            assert_near(by_label(solver, solver.snapshot().behaviours), twin.average(), None)
    met = set(by_label(solver, solver.regrets())) & set(twin.regrets)
    assert len(met) > (100 if game == "leduc" else 4)
