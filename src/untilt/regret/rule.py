"""The family of CFR update rules as one value; `step.py` has its weights by iteration.

With r_t the instantaneous regret and x_t the plan of iteration t = 1, 2, …:

    R_t = R_{t−1} · d_t + r_t      d_t = (t−1)^α / ((t−1)^α + 1) where R_{t−1} > 0,
                                   the same with exponent β elsewhere; clipped at 0 if asked
    next strategy ∝ max(R_t + prediction · r_t, 0)
    S_t = S_{t−1} · ((t−1)/t)^γ + x_t       so that x_t weighs t^γ in the average

An adaptive rule divides the prediction of each infoset by 1 + √(E / C), at most by 6, with
E = Σ|r_s − r_{s−1}|² and C = Σ|R_s − R_{s−1}|² over all s ≤ t and the infoset's actions: the more
predictions have been wrong, the less they count.

An exponent of +∞ means d_t = 1: nothing is forgotten. Exponents may move with the iterations: until
`horizon` linearly, by their drift in all, and then no more. A prediction may also be added to what
R_t will be after its next discount, R_t · d_{t+1}.

References: Zinkevich et al. 2007 (CFR); Tammelin 2014 (CFR+); Brown & Sandholm 2019,
"Solving imperfect-information games via discounted regret minimization" (linear, DCFR);
Farina, Kroer & Sandholm 2021, "Faster game solving via predictive Blackwell approachability"
(PCFR+); Meng et al. 2026, "Faster game solving via asymmetry of step sizes" (APCFR+, SAPCFR+,
APDCFR+); Xu et al. 2024, "Minimizing weighted counterfactual regret with optimistic online mirror
descent" (DCFR+, PDCFR+); Zhang, McAleer & Sandholm 2026, "Faster game solving via hyperparameter
schedules" (HS-DCFR, HS-PCFR+).
"""

import math
from typing import NamedTuple

UNIFORM, LINEAR, QUADRATIC, QUARTIC = 0.0, 1.0, 2.0, 4.0
"""Usual exponents of the averaging weight t^γ."""


class UpdateRule(NamedTuple):
    """The update rule of a regret learner: discounts, clipping, prediction, average."""

    alpha: float = math.inf
    """Exponent of the discount of positive regrets; infinite: none."""
    beta: float = math.inf
    """Exponent of the discount of negative regrets; infinite: none."""
    gamma: float = UNIFORM
    """Iteration t weighs t^γ in the average strategy."""
    is_clipped: bool = False
    """Whether negative regrets are set to 0 (regret matching+)."""
    prediction: float = 0.0
    """The share of the last instantaneous regret that is predicted to repeat, in [0, 1]."""
    is_alternating: bool = True
    """Whether player 1 answers player 0's new plan within the iteration."""
    is_discounted_ahead: bool = False
    """Whether a prediction is added to the regret after its next discount; for clipped regrets."""
    alpha_drift: float = 0.0
    """By how much α differs from its beginning at the horizon."""
    beta_drift: float = 0.0
    gamma_drift: float = 0.0
    horizon: float = 1.0
    """The iteration at which exponents stop moving."""
    is_adaptive: bool = False
    """Whether each infoset learns how much its predictions are worth."""
