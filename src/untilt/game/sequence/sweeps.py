"""The compiled sweeps over treeplexes, from which all full-width computations are built.

apply_payoff    opponent's plan → value of each own sequence, terminals only   A y
apply_terminals the same against the plans of several opponents
sweep_…         leaf to root over the treeplex: expectation or maximum
plan_from_…     root to leaf: behaviour → own reach of every sequence
"""

import numpy as np

from untilt.game.sequence.plan_form import Treeplex
from untilt.game.sequence.sequence_form import Side
from untilt.game.sequence.terminal_form import TerminalSide
from untilt.numeric.arrays import Floats, Indices
from untilt.numeric.kernel import inlined, kernel


@kernel
def apply_payoff(side: Side, coefficients: Floats, opponent_plan: Floats, out: Floats) -> None:
    """Set out[s] = Σ coefficients × opponent_plan over the pairs of own sequence s.

    With `side.payoff` as coefficients it is the value of the terminals that end s, with
    `side.weight` their probability; own reach excluded in both. `out` is overwritten.
    """
    for sequence in range(len(out)):
        total = 0.0
        for pair in range(side.row_start[sequence], side.row_start[sequence + 1]):
            total += coefficients[pair] * opponent_plan[side.opponent_sequence[pair]]
        out[sequence] = total


@kernel
def apply_terminals(side: TerminalSide, coefficients: Floats, plans: Floats, out: Floats) -> None:
    """Set out[s] = Σ coefficients × Π plans over the tuples of own sequence s.

    `plans` are those of all players, one after the other; see `apply_payoff`.
    """
    others = side.others
    num_others = others.shape[1]
    for sequence in range(len(out)):
        total = 0.0
        begin, end = side.row_start[sequence], side.row_start[sequence + 1]
        if num_others == 2:  # written out: three players are by far the most common
            for row in range(begin, end):
                total += coefficients[row] * plans[others[row, 0]] * plans[others[row, 1]]
        else:
            for row in range(begin, end):
                product = coefficients[row]
                for column in range(num_others):
                    product *= plans[others[row, column]]
                total += product
        out[sequence] = total


@kernel
def sweep_expectation(side: Treeplex, behaviour: Floats, values: Floats, means: Floats) -> None:
    """Add to every sequence what follows it under `behaviour`; values[0] is the root's.

    On entry `values` holds the terminals' part (see `apply_payoff`); modified in place.
    means[i] becomes the expected value of infoset i.
    """
    for distance in range(1, len(side.parent_sequence) + 1):
        infoset = np.uint32(len(side.parent_sequence) - distance)
        mean = 0.0
        for sequence in _block(side, infoset):
            mean += behaviour[sequence] * values[sequence]
        means[infoset] = mean
        values[side.parent_sequence[infoset]] += mean


@kernel
def sweep_maximum(side: Treeplex, values: Floats, best: Indices) -> None:
    """Add to every sequence the best that can follow it; values[0] is the best response's.

    On entry `values` holds the terminals' part; modified in place. best[i] becomes the
    best sequence of infoset i, the first one among equals.
    """
    for distance in range(1, len(side.parent_sequence) + 1):
        infoset = np.uint32(len(side.parent_sequence) - distance)
        top = -np.inf
        for sequence in _block(side, infoset):
            if values[sequence] > top:
                top = values[sequence]
                best[infoset] = sequence
        values[side.parent_sequence[infoset]] += top


@kernel
def plan_from_behaviour(side: Treeplex, behaviour: Floats, plan: Floats) -> None:
    """Set plan[s] to the player's own reach of every sequence under `behaviour`."""
    plan[0] = 1.0
    for infoset in range(len(side.parent_sequence)):
        reach = plan[side.parent_sequence[infoset]]
        for sequence in _block(side, infoset):
            plan[sequence] = reach * behaviour[sequence]


@kernel
def behaviour_from_plan(side: Treeplex, plan: Floats, behaviour: Floats) -> None:
    """Set `behaviour` to each infoset's share of `plan`, uniform where the plan never goes."""
    behaviour[0] = 1.0
    for infoset in range(len(side.parent_sequence)):
        total = 0.0
        for sequence in _block(side, infoset):
            total += plan[sequence]
        for sequence in _block(side, infoset):
            behaviour[sequence] = (
                plan[sequence] / total if total > 0.0 else 1.0 / len(_block(side, infoset))
            )


@inlined
def _block(side: Treeplex, infoset: int | np.uint32) -> range:
    """Return the range of an infoset's action sequences."""
    return range(side.first_sequence[infoset], side.first_sequence[infoset + 1])
