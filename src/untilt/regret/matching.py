"""What one regret learner does with the values of its actions."""

from untilt.numeric.arrays import Floats
from untilt.numeric.kernel import inlined
from untilt.regret.rule import Step

_LEAST_TOTAL = 1e-300
"""Positive regrets that sum to less count as none: their reciprocal would overflow."""


@inlined
def normalise(behaviour: Floats, begin: int, end: int, total: float) -> None:
    """Divide the block [begin, end) of `behaviour` by its sum `total`; uniform if that is 0."""
    # A guarded reciprocal plus an additive term keeps the loop free of branches.
    scale = 1.0 / (total if total > _LEAST_TOTAL else 1.0)
    uniform = 0.0 if total > _LEAST_TOTAL else 1.0 / (end - begin)
    for action in range(begin, end):
        behaviour[action] = behaviour[action] * scale + uniform


@inlined
def learn(
    regret_sum: Floats,
    values: Floats,
    mean: float,
    behaviour: Floats,
    begin: int,
    end: int,
    step: Step,
) -> None:
    """Let one infoset, the block [begin, end), learn from its action values.

    `mean` is their expectation under `behaviour`. The block of `regret_sum` and `behaviour`
    is modified in place: regrets are discounted, the instantaneous ones added, and the
    behaviour matched to them (uniform where no regret is positive).
    """
    total = 0.0
    for action in range(begin, end):
        instant = values[action] - mean
        before = regret_sum[action]
        regret = before * (step.positive if before > 0.0 else step.negative) + instant
        regret = regret if regret > step.floor else step.floor
        regret_sum[action] = regret
        likely = regret + step.prediction * instant
        likely = likely if likely > 0.0 else 0.0
        behaviour[action] = likely
        total += likely
    normalise(behaviour, begin, end, total)
