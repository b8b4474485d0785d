"""The soft best response of dilated entropy: one softmax per infoset, soft values between them.

Against the opponent's plan y, player p's sequences have values (A y)_s from terminals alone;
from the leaves up,

    Q_s = (A y)_s + Σ V_J over the infosets J that s leads to
    V_I = (1/β) log Σ_{s ∈ I} exp(β Q_s),        σ_s = exp(β (Q_s − V_I))

That is the logit choice among *reduced pure plans*: the sum over plans of exp(β × payoff) factors
along the treeplex, so β → 0 weighs an action by the number of plans that contain it.
Counterfactual values are not divided by reach: β is per chip of the whole game.
"""

import math
from typing import NamedTuple

import numpy as np

from untilt.game.sequence.sequence_form import SequenceForm, Side
from untilt.game.sequence.sweeps import apply_payoff, plan_from_behaviour
from untilt.numeric.arrays import Floats
from untilt.numeric.kernel import called, kernel


class Soft(NamedTuple):
    """One player's soft best response; S sequences."""

    values: Floats
    """[S] β Q, without unit; at the empty sequence β × the whole game's."""
    log_odds: Floats
    """[S] β (Q_s − Q of the infoset's first sequence)"""
    behaviour: Floats
    """[S]"""
    plan: Floats
    """[S]"""


def new_soft(side: Side) -> Soft:
    """Return the arrays for a soft best response, not yet filled."""
    num_sequences = side.num_sequences
    return Soft(
        values=np.zeros(num_sequences),
        log_odds=np.zeros(num_sequences),
        behaviour=np.ones(num_sequences),
        plan=np.ones(num_sequences),
    )


def soft_best_responses(
    form: SequenceForm,
    behaviours: tuple[Floats, Floats],
    beta: float,
    scale: tuple[float, float] = (1.0, 1.0),
) -> tuple[Floats, Floats]:
    """Return each player's soft best response to the other's of `behaviours`, per sequence."""
    answers = []
    plans = form.plans(behaviours)
    for player, side in enumerate(form.sides):
        gains = np.empty(side.num_sequences)
        apply_payoff(side, side.payoff, plans[1 - player], gains)
        soft = new_soft(side)
        respond_softly(side, beta * scale[player], gains, soft)
        answers.append(soft.behaviour)
    return answers[0], answers[1]


def residual_norm(
    form: SequenceForm,
    behaviours: tuple[Floats, Floats],
    beta: float,
    scale: tuple[float, float] = (1.0, 1.0),
) -> float:
    """Return ‖σ − softBR(σ)‖₂ over both players' `behaviours`, any profile."""
    total = 0.0
    answers = soft_best_responses(form, behaviours, beta, scale)
    for behaviour, answer in zip(behaviours, answers, strict=True):
        gap = (behaviour - answer)[1:]
        total += float(gap @ gap)
    return math.sqrt(total)


@kernel
def respond_softly(side: Side, beta: float, gains: Floats, out: Soft) -> None:
    """Fill `out` with the soft best response to `gains`, the value of terminals per sequence."""
    values = out.values
    behaviour = out.behaviour
    for sequence in range(len(gains)):
        values[sequence] = beta * gains[sequence]
    for distance in range(1, len(side.parent_sequence) + 1):
        infoset = np.uint32(len(side.parent_sequence) - distance)
        begin = side.first_sequence[infoset]
        end = side.first_sequence[infoset + 1]
        first = values[begin]
        top = first
        for sequence in range(begin, end):
            top = max(top, values[sequence])
        total = 0.0
        for sequence in range(begin, end):
            out.log_odds[sequence] = values[sequence] - first
            behaviour[sequence] = math.exp(values[sequence] - top)
            total += behaviour[sequence]
        for sequence in range(begin, end):
            behaviour[sequence] /= total
        values[side.parent_sequence[infoset]] += top + math.log(total)
    plan_from_behaviour(side, behaviour, out.plan)


@kernel
def apply_covariance(
    side: Side, beta: float, soft: Soft, moves: Floats, shifts: Floats, out: Floats
) -> float:
    """Set out = S × moves: how the plan of `soft` changes when its gains do.

    Returns max |dz| / (1 + |z|), what the moves do to log-odds. `shifts` becomes the change of
    the logarithm of the plan, which is finite where the plan itself underflows.
    """
    size = _sweep_moves(side, beta, soft, moves, shifts)
    shifts[0] = 0.0
    out[0] = 0.0
    for infoset in range(len(side.parent_sequence)):
        shift = shifts[side.parent_sequence[infoset]]
        for sequence in range(side.first_sequence[infoset], side.first_sequence[infoset + 1]):
            shifts[sequence] += shift
            out[sequence] = soft.plan[sequence] * shifts[sequence]
    return size


@called
def _sweep_moves(side: Side, beta: float, soft: Soft, moves: Floats, shifts: Floats) -> float:
    """Set shifts to the change of log behaviour from the leaves up; return max |dz| / (1 + |z|)."""
    for sequence in range(len(moves)):
        shifts[sequence] = beta * moves[sequence]
    size = 0.0
    for distance in range(1, len(side.parent_sequence) + 1):
        infoset = np.uint32(len(side.parent_sequence) - distance)
        begin = side.first_sequence[infoset]
        end = side.first_sequence[infoset + 1]
        first = shifts[begin]
        mean = 0.0
        for sequence in range(begin, end):
            mean += soft.behaviour[sequence] * shifts[sequence]
            step = abs(shifts[sequence] - first) / (1.0 + abs(soft.log_odds[sequence]))
            if not step <= size:  # also true of nan
                size = step
        for sequence in range(begin, end):
            shifts[sequence] -= mean
        shifts[side.parent_sequence[infoset]] += mean
    return size
