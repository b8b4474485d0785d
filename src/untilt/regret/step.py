"""An update rule at one iteration: the weights of `rule.py` as numbers."""

import math
from typing import NamedTuple

from untilt.numeric.kernel import inlined
from untilt.regret.rule import UpdateRule


class Step(NamedTuple):
    """An update rule at one iteration, as the numbers that an infoset needs."""

    positive: float
    """d_t of positive regrets."""
    negative: float
    """d_t of negative regrets."""
    floor: float
    """Lower bound of regrets: 0 or −∞."""
    prediction: float
    decay: float
    """((t − 1) / t)^γ, by which the strategy sum shrinks before x_t is added."""
    ahead: float = 1.0
    """By what regrets are multiplied before a prediction is added: d_{t+1}, or 1."""


@inlined
def step_of(rule: UpdateRule, iteration: int) -> Step:
    """Return the numbers of iteration t ≥ 1 under `rule`."""
    share = min(iteration / rule.horizon, 1.0)
    alpha = rule.alpha + share * rule.alpha_drift
    return Step(
        positive=_discount(iteration, alpha),
        negative=_discount(iteration, rule.beta + share * rule.beta_drift),
        floor=0.0 if rule.is_clipped else -math.inf,
        prediction=rule.prediction,
        decay=((iteration - 1) / iteration) ** (rule.gamma + share * rule.gamma_drift),
        ahead=_discount(iteration + 1, alpha) if rule.is_discounted_ahead else 1.0,
    )


@inlined
def _discount(iteration: int, exponent: float) -> float:
    if exponent == math.inf:
        return 1.0
    if iteration == 1:
        return 0.0  # nothing to discount yet
    # Numerator and denominator are divided by the power, which may overflow.
    inverse: float = float(iteration - 1) ** -exponent
    return 1.0 / (1.0 + inverse)
