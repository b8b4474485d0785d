"""Hands of players who are in a quantal response equilibrium, as counts of actions."""

import numpy as np

from untilt.numeric.arrays import Floats
from untilt.solvers.qre.branches.arclength import trace
from untilt.solvers.qre.problem import QuantalProblem


def behaviour_at(problem: QuantalProblem, beta0: float, beta1: float | None = None) -> Floats:
    """Return σ per action on the principal branch."""
    beta1 = beta0 if beta1 is None else beta1
    top = max(beta0, beta1)
    scale = (beta0 / top, beta1 / top) if top > 0.0 else (1.0, 1.0)
    scaled = QuantalProblem(problem.game, problem.definition, scale)
    scaled.respond(trace(scaled.system, top).log_odds[-1])
    return scaled.system.response.behaviour.copy()


def simulated(
    problem: QuantalProblem, behaviour: Floats, num_hands: int, rng: np.random.Generator
) -> Floats:
    """Return counts of hands played by `behaviour`, drawn level by level through the tree."""
    decisions, first = problem.decisions, problem.variables.first_action
    counts = np.zeros(problem.variables.num_actions)
    below: dict[tuple[int, int], list[int]] = {}
    for node, key in enumerate(
        zip(decisions.parent.tolist(), decisions.parent_action.tolist(), strict=True)
    ):
        below.setdefault(key, []).append(node)
    stack = [((-1, -1), num_hands)]
    while stack:
        key, hands = stack.pop()
        nodes = below.get(key, [])
        if not nodes or not hands:
            continue
        chances = decisions.chance[nodes]
        dealt = rng.multinomial(hands, np.append(chances, max(0.0, 1.0 - chances.sum())))
        for node, here in zip(nodes, dealt[:-1].tolist(), strict=True):
            infoset = decisions.infoset[node]
            block = slice(int(first[infoset]), int(first[infoset + 1]))
            taken = rng.multinomial(here, behaviour[block] / behaviour[block].sum())
            counts[block] += taken
            stack.extend(((node, action), int(some)) for action, some in enumerate(taken.tolist()))
    return counts
