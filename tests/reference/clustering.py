"""The cluster-robust standard error of β, from nothing but log-likelihoods of subjects.

The equilibrium is a damped fixed point of logit response, payoffs by plain recursion (`qre`). The
scores of subjects and the second derivative are finite differences of their log-likelihoods.
"""

import math
from collections.abc import Mapping, Sequence

from untilt.game.protocol import Game

from .histories import decisions, write_out
from .qre import Profile, action_payoffs

Counts = Mapping[str, Mapping[str, float]]
"""How often each action was taken at each infoset."""


def equilibrium(game: Game, beta: float) -> Profile:
    """Return the agent quantal response equilibrium at a small β."""
    profile = {
        each.label: dict.fromkeys(each.children, 1.0 / len(each.children))
        for each in decisions(write_out(game))
    }
    for _ in range(2_000):
        moved = 0.0
        for label, payoffs in action_payoffs(game, profile, "agent").items():
            total = sum(math.exp(beta * payoff) for payoff in payoffs.values())
            for action, payoff in payoffs.items():
                change = math.exp(beta * payoff) / total - profile[label][action]
                profile[label][action] += 0.6 * change
                moved = max(moved, abs(change))
        if moved < 1e-14:
            return profile
    raise AssertionError("the fixed point was not reached")


def log_likelihood(profile: Profile, counts: Counts) -> float:
    """Return Σ n log σ."""
    return sum(
        count * math.log(profile[label][action])
        for label, row in counts.items()
        for action, count in row.items()
    )


def standard_error(
    game: Game, subjects: Sequence[Counts], beta: float, step: float = 2e-3
) -> tuple[float, float]:
    """Return the clustered standard error at the estimate `beta`, and the score of all there."""
    below, here, above = (equilibrium(game, beta + shift) for shift in (-step, 0.0, step))
    levels = [
        [log_likelihood(profile, counts) for profile in (below, here, above)] for counts in subjects
    ]
    scores = [(after - before) / (2 * step) for before, _, after in levels]
    curvature = sum(before - 2 * now + after for before, now, after in levels) / step**2
    number = len(subjects)
    meat = number / (number - 1) * sum(score**2 for score in scores)
    return math.sqrt(meat) / -curvature, sum(scores)
