"""On Kuhn, samples against a strategy that stands still have the exact regrets as their mean."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from tests.reference.histories import Chance, Decision, History, write_out
from tests.reference.values import counterfactual_values, expected_value

from untilt.game.compiled import compile_histories
from untilt.games import kuhn
from untilt.numeric.arrays import Floats
from untilt.regret.rule import UpdateRule
from untilt.solvers.mccfr.batches import SamplingSchedule
from untilt.solvers.mccfr.histories import CHANCE, KIND, TERMINAL, Histories
from untilt.solvers.mccfr.objects import SampledObjects
from untilt.solvers.mccfr.sampled_game import SampledGame, SampledTree
from untilt.solvers.mccfr.solver import SAMPLINGS, MccfrSolver
from untilt.solvers.mccfr.traversal import Scheme

KUHN = compile_histories(kuhn())
NEVER = 2**60

INTERIOR = {
    "P0:J:": 0.35,
    "P0:Q:": 0.8,
    "P0:K:": 0.15,
    "P0:J:cb": 0.6,
    "P0:Q:cb": 0.3,
    "P0:K:cb": 0.9,
    "P1:J:c": 0.25,
    "P1:Q:c": 0.7,
    "P1:K:c": 0.45,
    "P1:J:b": 0.2,
    "P1:Q:b": 0.55,
    "P1:K:b": 0.85,
}
"""The probability of the second action, bet or call, at every infoset."""

WITH_PURE_PLAY = INTERIOR | {
    "P0:J:": 0.0,
    "P0:K:": 1.0,
    "P1:Q:c": 0.0,
    "P1:K:b": 1.0,
    "P0:Q:cb": 0.0,
}


class Case(NamedTuple):
    sampling: str
    has_baseline: bool = False
    exploration: float = 0.6


CASES = {
    "chance": Case("chance"),
    "external": Case("external"),
    "outcome": Case("outcome"),
    "outcome ε 0.2": Case("outcome", exploration=0.2),
    "outcome ε 1": Case("outcome", exploration=1.0),
    "outcome with baselines": Case("outcome", has_baseline=True),
}


def profile_of(second: dict[str, float]) -> dict[str, dict[str, float]]:
    """Return a profile as the slow twins take it."""
    profile = {}
    for decision in _decisions(write_out(kuhn())):
        passive, active = decision.children
        chance = second[decision.label]
        profile[decision.label] = {passive: 1.0 - chance, active: chance}
    return profile


def _decisions(history: History) -> Iterator[Decision]:
    if isinstance(history, Chance):
        for _, child in history.outcomes:
            yield from _decisions(child)
    elif isinstance(history, Decision):
        yield history
        for child in history.children.values():
            yield from _decisions(child)


class Frozen:
    """A sampling solver whose strategy, and baselines, never change."""

    def __init__(self, case: Case, backend: str, second: dict[str, float], seed: int) -> None:
        self._sampled: SampledGame
        if backend == "tree":
            self._sampled = SampledTree(KUHN, has_baseline=case.has_baseline)
        else:
            self._sampled = SampledObjects(
                kuhn(), KUHN, cache=10_000, has_baseline=case.has_baseline
            )
        scheme = Scheme(
            sampling=SAMPLINGS[case.sampling],
            exploration=case.exploration,
            has_baseline=case.has_baseline,
            baseline_rate=0.5,
            is_lazy=False,
            is_clipped=False,
            seed=np.uint64(seed),
        )
        self._solver = MccfrSolver(self._sampled, scheme, SamplingSchedule(1, NEVER, UpdateRule()))
        self._per_iteration = 0.5 if case.sampling == "outcome" else 1.0
        # On objects, infosets must be met before they can be given a strategy.
        self._sampled.store.clock["batch_end"] = NEVER
        self._solver.advance(1000)
        assert self._sampled.num_infosets == 12
        self.labels = self._labels_by_entry()
        behaviour = self._sampled.store.behaviour
        for entry, (label, action) in self.labels.items():
            behaviour[entry] = profile_of(second)[label][action]

    def _labels_by_entry(self) -> dict[int, tuple[str, str]]:
        """Return the label and the action of every entry of the store."""
        size = int(self._sampled.store.first_entry[12])
        numbered = self._sampled.split(np.arange(size, dtype=np.float64))
        found = {}
        for infosets, entries in zip(KUHN.infosets, numbered, strict=True):
            for number, label in enumerate(infosets.labels):
                block = infosets.block(number)
                for entry, action in zip(entries[block], infosets.actions(number), strict=True):
                    found[int(entry)] = (label, action)
        assert len(found) == 24
        return found

    @property
    def histories(self) -> Histories:
        return self._sampled.histories

    @property
    def num_nodes(self) -> int:
        return self._sampled.num_nodes

    def set_baselines(self, values: Floats) -> None:
        """Expect these values of the nodes, for player 0."""
        baselines = self.histories.baselines
        baselines.value[: len(values)] = values
        baselines.fresh[: len(values)] = values
        baselines.chance_mean[:] = 0.0
        for node in range(1, len(values)):
            parent = int(self.histories.parent[node])
            if self.histories.nodes[parent, KIND] == CHANCE:
                probability = self.histories.probability[node]
                baselines.chance_mean[parent] += probability * values[node]

    def sampled(self, chunks: int, length: int) -> tuple[Floats, Floats]:
        """Return mean regrets [chunks, entries] and masses [chunks, infosets] of each chunk.

        They are per sample that could have changed them.
        """
        store = self._sampled.store
        size = int(store.first_entry[12])
        regrets, masses = np.empty((chunks, size)), np.empty((chunks, 12))
        for chunk in range(chunks):
            regret_before, mass_before = store.regret_sum[:size].copy(), store.mass[:12].copy()
            self._solver.advance(length)
            count = length * self._per_iteration
            regrets[chunk] = (store.regret_sum[:size] - regret_before) / count
            masses[chunk] = (store.mass[:12] - mass_before) / count
        return regrets, masses

    def infoset_labels(self) -> list[str]:
        """Return the labels in the order of the store's infosets."""
        first = self._sampled.store.first_entry
        return [self.labels[int(first[infoset])][0] for infoset in range(12)]


def exact_regrets(second: dict[str, float]) -> dict[tuple[str, str], float]:
    profile = profile_of(second)
    found: dict[tuple[str, str], float] = {}
    for player in (0, 1):
        for label, values in counterfactual_values(kuhn(), profile, player).items():
            mean = sum(profile[label][action] * value for action, value in values.items())
            found |= {(label, action): value - mean for action, value in values.items()}
    return found


def assert_mean(samples: Floats, expected: list[float]) -> None:
    """Assert that the columns of independent samples have these means, |z| ≤ 4."""
    error = samples.std(axis=0, ddof=1) / math.sqrt(len(samples))
    z = (samples.mean(axis=0) - expected) / np.maximum(error, 1e-9)
    assert np.abs(z).max() <= 4.0, z
    # A test that notices a twentieth of a chip.
    assert error.max() < 0.01


STRATEGIES = {"interior": INTERIOR, "with pure play": WITH_PURE_PLAY}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("backend", ["tree", "objects"])
@pytest.mark.parametrize("name", CASES)
def test_the_mean_sampled_regret_is_the_counterfactual_regret(
    name: str, backend: str, strategy: str
) -> None:
    frozen = Frozen(CASES[name], backend, STRATEGIES[strategy], seed=4)
    if CASES[name].has_baseline:
        # Whatever is expected, the mean is the same.
        frozen.set_baselines(np.random.default_rng(9).normal(0.0, 1.0, frozen.num_nodes))
    regrets, _ = frozen.sampled(200, 2000)
    exact = exact_regrets(STRATEGIES[strategy])
    entries = sorted(frozen.labels)
    assert_mean(regrets[:, entries], [exact[frozen.labels[entry]] for entry in entries])
    # The strategy stood still, and regrets were not all zero.
    assert np.abs(list(exact.values())).max() > 0.2


@pytest.mark.parametrize("backend", ["tree", "objects"])
@pytest.mark.parametrize("name", CASES)
def test_the_mean_mass_of_an_infoset_is_its_own_reach_times_that_of_chance(
    name: str, backend: str
) -> None:
    frozen = Frozen(CASES[name], backend, INTERIOR, seed=5)
    _, masses = frozen.sampled(200, 2000)
    expected = dict.fromkeys(frozen.infoset_labels(), 0.0)

    def walk(history: History, chance: float, reach: tuple[float, float]) -> None:
        if isinstance(history, Chance):
            for probability, child in history.outcomes:
                walk(child, chance * probability, reach)
        elif isinstance(history, Decision):
            expected[history.label] += chance * reach[history.player]
            for action, child in history.children.items():
                further = reach[history.player] * profile[history.label][action]
                walk(
                    child,
                    chance,
                    (further, reach[1]) if history.player == 0 else (reach[0], further),
                )

    profile = profile_of(INTERIOR)
    walk(write_out(kuhn()), 1.0, (1.0, 1.0))
    assert_mean(masses, list(expected.values()))


def exact_values(histories: Histories, frozen: Frozen, size: int) -> Floats:
    """Return what every node is worth to player 0 under the frozen strategy, bottom up."""
    values = np.zeros(size)
    profile = profile_of(INTERIOR)
    first = {label: entry for entry, (label, _) in sorted(frozen.labels.items(), reverse=True)}
    labels = frozen.infoset_labels()
    for node in reversed(range(size)):
        kind, child, count, infoset = histories.nodes[node].tolist()
        if kind == TERMINAL:
            values[node] = histories.payoff[node, 0]
            continue
        weights = histories.probability[child : child + count]
        if kind != CHANCE:
            begin = first[labels[infoset]]
            names = [frozen.labels[begin + action] for action in range(count)]
            weights = np.array([profile[label][action] for label, action in names])
        values[node] = weights @ values[child : child + count]
    return values


def test_expecting_the_true_values_leaves_half_of_the_variance_or_less() -> None:
    plain = Frozen(CASES["outcome"], "tree", INTERIOR, seed=6)
    knowing = Frozen(CASES["outcome with baselines"], "tree", INTERIOR, seed=6)
    values = exact_values(knowing.histories, knowing, knowing.num_nodes)
    assert values[0] == pytest.approx(expected_value(kuhn(), profile_of(INTERIOR), 0), abs=1e-12)
    knowing.set_baselines(values)
    spread = [frozen.sampled(200, 200)[0].var(axis=0).sum() for frozen in (plain, knowing)]
    assert spread[1] < 0.5 * spread[0]
    exact = exact_regrets(INTERIOR)
    entries = sorted(knowing.labels)
    regrets, _ = knowing.sampled(200, 2000)
    assert_mean(regrets[:, entries], [exact[knowing.labels[entry]] for entry in entries])
