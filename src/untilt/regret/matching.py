"""The update of one regret learner by the values of its actions.

The rules are written once, per number (`updated`, `predicted` and their parts). Each traversal
decides how numbers are laid out: blocks of an infoset's actions (`learn`), sampled entries,
or lanes of private hands, for which a number may also be a vector of them (`numeric.vectors`).
"""

import math

from untilt.numeric.arrays import Floats
from untilt.numeric.kernel import inlined
from untilt.numeric.vectors import where
from untilt.regret.step import Step

_LEAST_TOTAL = 1e-300
"""Positive regrets with a smaller sum count as 0: the reciprocal of the sum would overflow."""
_MOST_ASYMMETRY = 5.0


@inlined
def discounted(regret: float, step: Step) -> float:
    """Return an accumulated regret after the step's discount."""
    return regret * where(regret > 0.0, step.positive, step.negative)


@inlined
def clipped(regret: float, floor: float) -> float:
    """Return the regret, at least `floor`: 0 for regret matching+, else −∞."""
    return where(regret > floor, regret, floor)


@inlined
def updated(before: float, instant: float, step: Step) -> float:
    """Return the accumulated regret after the instantaneous one: R_t of `rule`."""
    return clipped(discounted(before, step) + instant, step.floor)


@inlined
def matched(regret: float) -> float:
    """Return the weight that regret matching gives an action, before normalising."""
    return where(regret > 0.0, regret, 0.0)


@inlined
def predicted(regret: float, instant: float, step: Step) -> float:
    """Return the weight of an action whose last instantaneous regret may repeat itself."""
    return matched(regret * step.ahead + step.prediction * instant)


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
        regret = updated(regret_sum[action], instant, step)
        regret_sum[action] = regret
        weight = predicted(regret, instant, step)
        behaviour[action] = weight
        total += weight
    normalise(behaviour, begin, end, total)


@inlined
def learn_adaptively(
    regret_sum: Floats,
    values: Floats,
    mean: float,
    behaviour: Floats,
    instants: Floats,
    changes: Floats,
    begin: int,
    end: int,
    step: Step,
) -> None:
    """Do the same as `learn`, with a prediction that counts the less the more often it was wrong.

    `instants` keeps the last instantaneous regrets, and the row `changes` [2] the norms of how much
    these and the accumulated regrets have changed. (Sums of squares would leave the range of
    float64 where payoffs are 1e-200 or 1e200.)
    """
    for action in range(begin, end):
        instant = values[action] - mean
        before = regret_sum[action]
        regret = updated(before, instant, step)
        changes[0] = math.hypot(changes[0], instant - instants[action])
        changes[1] = math.hypot(changes[1], regret - before)
        instants[action] = instant
        regret_sum[action] = regret
    # Without any change the rule has nothing to go by, and trusts its prediction least.
    ratio = changes[0] / changes[1] if changes[1] > 0.0 else _MOST_ASYMMETRY
    share = step.prediction / (1.0 + min(ratio, _MOST_ASYMMETRY))
    total = 0.0
    for action in range(begin, end):
        weight = matched(regret_sum[action] * step.ahead + share * instants[action])
        behaviour[action] = weight
        total += weight
    normalise(behaviour, begin, end, total)
