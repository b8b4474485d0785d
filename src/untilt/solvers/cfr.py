"""Counterfactual regret minimization: every infoset is a regret learner of its own.

One iteration of a player sweeps her side of the sequence form:

    operator        values of own sequences against the opponent's plan
    leaf to root    the mean of each infoset joins the value of the sequence that leads to it
    root to leaf    each infoset learns from its action values, and the new behaviour
                    becomes a plan (own reach of every sequence)

The average strategy is the plan S / S₀, because a weighted sum of plans is a plan. All
variants are one loop under different `UpdateRule`s; it runs inside the kernel.
"""

from typing import NamedTuple

import numpy as np

from untilt.game.sequence_form import (
    SequenceForm,
    Side,
    apply_payoff,
    behaviour_from_plan,
    plan_from_behaviour,
    sweep_expectation,
)
from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.kernel import kernel
from untilt.regret.matching import learn
from untilt.regret.rule import Step, UpdateRule, step_of


class Learner(NamedTuple):
    """One player's state; I infosets, S sequences."""

    regret_sum: Floats
    """[S]"""
    strategy_sum: Floats
    """[S] Σ of own plans weighted by t^γ, divided by the last weight."""
    behaviour: Floats
    """[S] current strategy"""
    plan: Floats
    """[S] its own reach"""
    values: Floats
    """[S] scratch: counterfactual value of every sequence in the present sweep."""
    means: Floats
    """[I] scratch: counterfactual value of every infoset in the present sweep."""


@kernel
def iterate(
    sides: tuple[Side, Side],
    learners: tuple[Learner, Learner],
    rule: UpdateRule,
    clock: Offsets,
    count: int,
) -> None:
    """Run `count` iterations after iteration clock[0]; `learners` and `clock` are modified."""
    for _ in range(count):
        step = step_of(rule, clock[0] + 1)
        if not rule.is_alternating:
            # Both players answer the plans of the iteration's beginning.
            apply_payoff(sides[1], sides[1].payoff, learners[0].plan, learners[1].values)
        for player in range(2):
            side = sides[player]
            learner = learners[player]
            if player == 0 or rule.is_alternating:
                apply_payoff(side, side.payoff, learners[1 - player].plan, learner.values)
            _accumulate_plan(learner, step.decay)
            sweep_expectation(side, learner.behaviour, learner.values, learner.means)
            _sweep_learning(side, learner, step)
        clock[0] += 1


@kernel
def _accumulate_plan(learner: Learner, decay: float) -> None:
    strategy_sum = learner.strategy_sum
    for sequence in range(len(strategy_sum)):
        strategy_sum[sequence] = strategy_sum[sequence] * decay + learner.plan[sequence]


@kernel
def _sweep_learning(side: Side, learner: Learner, step: Step) -> None:
    behaviour = learner.behaviour
    plan = learner.plan
    for infoset in range(len(side.parent_sequence)):
        begin = side.first_sequence[infoset]
        end = side.first_sequence[infoset + 1]
        learn(
            learner.regret_sum, learner.values, learner.means[infoset], behaviour, begin, end, step
        )
        reach = plan[side.parent_sequence[infoset]]
        for sequence in range(begin, end):
            plan[sequence] = reach * behaviour[sequence]


def initial_learner(side: Side) -> Learner:
    n = side.num_sequences
    learner = Learner(np.zeros(n), np.zeros(n), np.empty(n), np.empty(n), np.empty(n), np.empty(side.num_infosets))
    behaviour_from_plan(side, np.zeros(n), learner.behaviour)
    plan_from_behaviour(side, learner.behaviour, learner.plan)
    return learner
