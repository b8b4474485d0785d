"""The lazy average is the exact one, and discounts weigh iterations as their rules say."""

from collections import defaultdict
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.solvers.mccfr.solving import COMPILED, GAMES, SCHEMES, by_label, solver_of

from untilt.game.protocol import Game
from untilt.numeric.arrays import Floats
from untilt.solvers.mccfr.regret_store import RegretStore


class BruteForce:
    """All players' plans summed at every iteration over all sequences, with weights."""

    def __init__(self, game: str, weights: dict[int, float]) -> None:
        self._form = COMPILED[game].plan_form()
        self._weights = weights
        self._sums = [np.zeros(side.num_sequences) for side in self._form.sides]

    def add(self, iteration: int, behaviours: tuple[Floats, ...]) -> None:
        for player, plan in enumerate(self._form.plans(behaviours)):
            self._sums[player] += self._weights[iteration] * plan

    def average(self, infosets: Any) -> list[Floats]:
        found = []
        for table, total in zip(infosets, self._sums, strict=True):
            behaviour = np.ones_like(total)
            for number in range(len(table)):
                block = table.block(number)
                whole = total[block].sum()
                behaviour[block] = total[block] / whole if whole > 0 else 1 / len(total[block])
            found.append(behaviour)
        return found


def weights_of(regret: str, period: int, iterations: int) -> dict[int, float]:
    """Return what each iteration, counted from 0, weighs: the ordinal of its period, to γ."""
    exponent = {"rm": 0, "rm+": 1, "linear": 1, "discounted": 2}[regret]
    return {number: (number // period + 1.0) ** exponent for number in range(iterations)}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("regret", "period"), [("rm", 10_000), ("linear", 1), ("linear", 10)])
@pytest.mark.parametrize("game", ["kuhn", "leduc", "kuhn for three"])
def test_the_lazy_average_is_that_of_every_iteration_at_every_infoset(
    game: str, regret: str, period: int, scheme: str
) -> None:
    iterations = 300
    solver = solver_of(
        game, **SCHEMES[scheme], batch=1, average="lazy", regret=regret, period=period
    )
    brute = BruteForce(game, weights_of(regret, period, iterations))
    for iteration in range(iterations):
        brute.add(iteration, solver.current_behaviours())
        solver.advance(1)
        if iteration in (0, 1, 9, 10, 99, iterations - 1):
            expected = brute.average(COMPILED[game].infosets)
            for found, wanted in zip(solver.snapshot().behaviours, expected, strict=True):
                assert np.abs(found - wanted).max() < 1e-9, iteration


@pytest.mark.parametrize("regret", ["rm", "rm+", "linear", "discounted"])
@pytest.mark.parametrize("on", ["tree", "objects"])
def test_so_it_is_with_batches_and_any_rule(regret: str, on: str) -> None:
    iterations = 3000
    solver = solver_of(
        "kuhn",
        method="mccfr-external",
        batch=20,
        average="lazy",
        regret=regret,
        period=70,
        on=on,
    )
    brute = BruteForce("kuhn", weights_of(regret, 70, iterations))
    for iteration in range(iterations):
        brute.add(iteration, solver.current_behaviours())
        solver.advance(1)
    for found, wanted in zip(
        solver.snapshot().behaviours, brute.average(COMPILED["kuhn"].infosets), strict=True
    ):
        assert np.abs(found - wanted).max() < 1e-9


def test_the_stochastic_average_comes_near_the_exact_one() -> None:
    """From the same samples: averages do not change what is played."""
    solvers = {
        average: solver_of("kuhn", method="mccfr-external", average=average, seed=3)
        for average in ("stochastic", "lazy")
    }
    for solver in solvers.values():
        solver.advance(100_000)
    current = [np.concatenate(solver.current_behaviours()) for solver in solvers.values()]
    assert np.array_equal(current[0], current[1])
    found = [np.concatenate(solver.snapshot().behaviours) for solver in solvers.values()]
    assert 0.0 < np.abs(found[0] - found[1]).max() < 0.02


@pytest.mark.parametrize("on", ["tree", "objects"])
@pytest.mark.parametrize("scheme", ["chance", "external", "outcome"])
def test_what_a_third_player_does_has_no_weight_in_the_stochastic_average(
    scheme: str, on: str
) -> None:
    """The mean mass of an infoset is its own reach times that of chance, by plain recursion."""
    game, chunks, length = GAMES["kuhn for three"], 100, 2_000
    solver = solver_of(game, **SCHEMES[scheme], seed=8, on=on, period=2**40)
    store = solver._sampled.store
    store.clock["batch_end"] = 2**60  # the strategy stands still
    solver.advance(5_000)  # on objects, all infosets must have been met
    store = solver._sampled.store
    size = solver._sampled.num_infosets
    assert size == 48
    rng = np.random.default_rng(5)
    for begin, end in pairwise(store.first_entry[: size + 1].tolist()):
        store.behaviour[begin:end] = rng.dirichlet(np.full(end - begin, 4.0))
    profile = by_label(solver, solver.current_behaviours())
    expected: dict[str, float] = defaultdict(float)

    def walk(position: Game, chance: float, reach: tuple[float, ...]) -> None:
        if position.terminal:
            return
        if position.chance:
            for outcome, probability in position.chances():
                walk(position.apply(outcome), chance * probability, reach)
            return
        player = position.active
        infoset = position.infoset(player)
        expected[str(infoset)] += chance * reach[player]
        for action in infoset.actions():
            further = reach[player] * profile[str(infoset)][str(action)]
            after = (*reach[:player], further, *reach[player + 1 :])
            walk(position.apply(action), chance, after)

    walk(game, 1.0, (1.0, 1.0, 1.0))
    masses = np.empty((chunks, size))
    per_iteration = 1 / 3 if scheme == "outcome" else 1.0
    for chunk in range(chunks):
        before = store.mass[:size].copy()
        solver.advance(length)
        masses[chunk] = (store.mass[:size] - before) / (length * per_iteration)
    # Numbers by infoset, spread over the entries to be given their labels.
    labels = by_label(solver, solver._sampled.split(_over_entries(store, masses.mean(axis=0))))
    errors = by_label(
        solver, solver._sampled.split(_over_entries(store, masses.std(axis=0) / chunks**0.5))
    )
    for label, means in labels.items():
        error = max(errors[label].values())
        assert error < 0.03
        assert max(means.values()) == pytest.approx(expected[label], abs=4.5 * error + 1e-9)


def _over_entries(store: RegretStore, of_infosets: Floats) -> Floats:
    bounds = store.first_entry[: len(of_infosets) + 1].tolist()
    sizes = [end - begin for begin, end in pairwise(bounds)]
    return np.concatenate((np.zeros(1), np.repeat(of_infosets, sizes)))


@pytest.mark.parametrize(
    ("regret", "positive", "negative", "decay"),
    [
        ("rm", 1.0, 1.0, 1.0),
        ("rm+", 1.0, 1.0, 3 / 4),
        ("linear", 3 / 4, 3 / 4, 3 / 4),
        ("discounted", 3**1.5 / (3**1.5 + 1), 1 / 2, (3 / 4) ** 2),
    ],
)
def test_the_end_of_the_third_period_discounts_as_the_fourth_iteration_of_full_cfr(
    regret: str, positive: float, negative: float, decay: float
) -> None:
    options: dict[str, Any] = {"method": "mccfr-external", "batch": 1, "regret": regret}
    discounted = solver_of("leduc", **options, period=50)
    discounted.advance(149)
    plain = solver_of("leduc", **options, period=10_000)
    plain.restore({name: array.copy() for name, array in discounted.state().items()})
    for solver in (discounted, plain):
        solver.advance(1)
    before, after = (np.concatenate(solver.regrets()) for solver in (plain, discounted))
    factors = np.where(before > 0.0, positive, negative)
    assert after == pytest.approx(factors * before, rel=1e-14)
    assert (before > 0.0).any()
    assert regret == "rm+" or (before < 0.0).any()
    for name in ("strategy_sum", "mass"):
        whole = plain.state()[name]
        assert discounted.state()[name] == pytest.approx(decay * whole, rel=1e-14)
        assert whole.any()
