"""The noise of a player's decisions, by the values of a policy, and whether it changes.

A player with noise τ takes action a with probability

    p(a) ∝ exp(Q(a) / τ)

where Q(a) is what the action is worth as a share of the pot: a logit response (McFadden 1974,
"Conditional logit analysis of qualitative choice behavior"). The likelihood is concave in β = 1/τ.
Decisions of one hand may depend on each other, so errors come from sums over hands.

A change is looked for at every hand at once. Under the hypothesis that nothing changes, hands can
be put in any order: how often the largest difference that is found anywhere is as large after
shuffling the hands is the strength of a change, corrected for all the places that were looked at.
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from untilt.numeric.arrays import Bools, Floats, Offsets
from untilt.numeric.student import student_quantile

LEAST_HANDS = 20
"""A change has at least this many hands with decisions on either side."""
NUM_SHUFFLES = 999
STRENGTH = 0.02
"""A change counts if its strength is below this."""

_LEAST_BETA, _MOST_BETA = 1e-5, 1e5
_STEPS = 100
_PRECISION = 1e-10
_DROP = 1.9207
"""By how much the log likelihood falls at the end of a 95 % interval."""
_MOST_CHANGES = 20


@dataclass(frozen=True)
class PlayerNoise:
    """The noise of a player, as a share of the pot, with a 95 % interval.

    0 for a player who always takes the best action, infinite for one who does not prefer it.
    """

    noise: float
    low: float
    high: float
    decisions: int
    hands: int

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data; None is infinite."""
        return {
            "noise": _plain(self.noise),
            "interval": [self.low, _plain(self.high)],
            "decisions": self.decisions,
            "hands": self.hands,
        }

    def __str__(self) -> str:
        if self.noise == 0.0:
            return f"below {self.high:.1%}"
        if math.isinf(self.noise):
            return f"above {self.low:.1%}"
        high = "∞" if math.isinf(self.high) else f"{self.high:.1%}"
        return f"{self.noise:.1%} ({self.low:.1%} to {high})"


def _plain(number: float) -> float | None:
    return number if math.isfinite(number) else None


class ChoiceGaps(NamedTuple):
    """Decisions in the order in which they were taken."""

    gaps: Floats
    """[decisions, actions] what each action is worth more than the choice; −∞ beyond the last."""
    hands: Offsets
    """[decisions] the number of the hand, ascending."""

    def only(self, chosen: Bools) -> "ChoiceGaps":
        """Return some of the decisions."""
        return ChoiceGaps(self.gaps[chosen], self.hands[chosen])


def _moments(gaps: Floats, beta: float) -> tuple[Floats, Floats, Floats]:
    """Return [decisions] the log likelihood, its slope and its curvature, without sign."""
    with np.errstate(invalid="ignore"):
        powers = np.where(np.isneginf(gaps), -np.inf, beta * gaps)
    top = powers.max(axis=1, keepdims=True)
    weights = np.exp(powers - top)
    total = weights.sum(axis=1, keepdims=True)
    shares = weights / total
    known = np.where(np.isneginf(gaps), 0.0, gaps)
    mean = (shares * known).sum(axis=1)
    spread = (shares * known**2).sum(axis=1) - mean**2
    return -(top[:, 0] + np.log(total[:, 0])), -mean, np.maximum(spread, 0.0)


def _maximum(gaps: Floats) -> float:
    """Return the β of the largest likelihood: 0 or ∞ if it only rises towards there."""
    if np.where(np.isneginf(gaps), 0.0, gaps).sum(axis=1) @ (1.0 / _counts(gaps)) >= 0.0:
        return 0.0
    if gaps.max() <= 0.0:
        return math.inf
    low, high, beta = 0.0, _MOST_BETA, 5.0
    for _ in range(_STEPS):
        _, slope, spread = (each.sum() for each in _moments(gaps, beta))
        low, high = (beta, high) if slope > 0.0 else (low, beta)
        step = slope / spread if spread > 0.0 else math.inf
        after = beta + step
        if not low < after < high:
            after = math.sqrt(max(low, 1e-6) * high)
        if abs(after - beta) <= _PRECISION * beta:
            break
        beta = after
    return beta


def _counts(gaps: Floats) -> Floats:
    """Return [decisions] how many actions there are."""
    found: Floats = np.isfinite(gaps).sum(axis=1).astype(np.float64)
    return found


def estimate_noise(chosen: ChoiceGaps) -> PlayerNoise | None:
    """Return the noise of decisions; None if there is none."""
    gaps = chosen.gaps
    if not len(gaps):
        return None
    _, places = np.unique(chosen.hands, return_inverse=True)
    count, clusters = len(gaps), int(places.max()) + 1
    beta = _maximum(gaps)
    if beta == 0.0:
        return PlayerNoise(math.inf, 1.0 / _drop(gaps, 0.0), math.inf, count, clusters)
    if math.isinf(beta):
        return PlayerNoise(0.0, 0.0, 1.0 / _drop(gaps, _MOST_BETA), count, clusters)
    _, slopes, spreads = _moments(gaps, beta)
    sums = np.bincount(places, weights=slopes)
    if clusters < 2:
        return PlayerNoise(1.0 / beta, 0.0, math.inf, count, clusters)
    variance = float(sums @ sums) * clusters / (clusters - 1) / float(spreads.sum()) ** 2
    # Symmetric on the scale of the logarithm.
    exponent = student_quantile(clusters - 1) * math.sqrt(variance) / beta
    factor = math.exp(exponent) if exponent < 50.0 else math.inf
    return PlayerNoise(1.0 / beta, 1.0 / (beta * factor), factor / beta, count, clusters)


def _drop(gaps: Floats, begin: float) -> float:
    """Return the β at which the likelihood has fallen as far as an interval allows.

    It falls from `begin`, upwards from 0 and else downwards.
    """
    top = _moments(gaps, begin)[0].sum()
    low, high = 1e-6, _MOST_BETA
    for _ in range(_STEPS):
        middle = math.sqrt(low * high)
        is_inside = top - _moments(gaps, middle)[0].sum() < _DROP
        if is_inside == (begin == 0.0):
            low = middle
        else:
            high = middle
    return math.sqrt(low * high)


@dataclass(frozen=True)
class NoiseChange:
    """A hand from which on a player's noise was another one."""

    hand: int
    """The first hand afterwards."""
    strength: float
    """How often a difference as large would be found anywhere if nothing changed."""
    before: PlayerNoise
    """Since the last change."""
    after: PlayerNoise
    """Up to the next one."""

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "hand": self.hand,
            "strength": self.strength,
            "before": self.before.to_json(),
            "after": self.after.to_json(),
        }


def find_changes(
    chosen: ChoiceGaps, *, seed: int = 1, shuffles: int = NUM_SHUFFLES
) -> tuple[NoiseChange, ...]:
    """Return the changes of noise that are stronger than chance, in the order of the hands."""
    rng = np.random.default_rng(seed)
    strengths: dict[int, float] = {}
    waiting = [(0, len(chosen.gaps))]
    while waiting and len(strengths) < _MOST_CHANGES:
        begin, end = waiting.pop()
        found = _strongest(
            ChoiceGaps(chosen.gaps[begin:end], chosen.hands[begin:end]), rng, shuffles
        )
        if found is None or found[1] > STRENGTH:
            continue
        place = begin + found[0]
        strengths[place] = found[1]
        waiting += [(begin, place), (place, end)]
    edges = [0, *sorted(strengths), len(chosen.gaps)]
    parts = [
        estimate_noise(ChoiceGaps(chosen.gaps[first:last], chosen.hands[first:last]))
        for first, last in pairwise(edges)
    ]
    changes = []
    for number, place in enumerate(edges[1:-1]):
        before, after = parts[number], parts[number + 1]
        assert before is not None
        assert after is not None
        hand = int(chosen.hands[place])
        changes.append(NoiseChange(hand, strengths[place], before, after))
    return tuple(changes)


def _strongest(
    chosen: ChoiceGaps, rng: np.random.Generator, shuffles: int
) -> tuple[int, float] | None:
    """Return the decision at which a change is likeliest, and its strength; None if too few."""
    gaps = chosen.gaps
    if not len(gaps):
        return None
    _, firsts, places = np.unique(chosen.hands, return_index=True, return_inverse=True)
    count = len(firsts)
    if count < 2 * LEAST_HANDS:
        return None
    beta = min(max(_maximum(gaps), _LEAST_BETA), _MOST_BETA)
    slopes = _by_hand(places, _moments(gaps, beta)[1])
    if not slopes.any():
        return None
    inside = np.arange(LEAST_HANDS, count - LEAST_HANDS + 1)
    scale = np.sqrt(inside * (count - inside) / count)

    def largest(order: Floats) -> tuple[int, float]:
        sums = np.abs(np.cumsum(order)[inside - 1]) / scale
        place = int(sums.argmax())
        return int(inside[place]), float(sums[place])

    place, found = largest(slopes)
    reached = sum(largest(_shuffled(slopes, rng))[1] >= found for _ in range(shuffles))
    strength = (reached + 1) / (shuffles + 1)
    # The place of the largest likelihood, given the noise on either side.
    both = [_maximum(gaps[: firsts[place]]), _maximum(gaps[firsts[place] :])]
    known = [min(max(each, _LEAST_BETA), _MOST_BETA) for each in both]
    before, after = (
        np.bincount(places, weights=_moments(gaps, each)[0], minlength=count) for each in known
    )
    gained = np.cumsum(before - after)[inside - 1]
    return int(firsts[inside[int(gained.argmax())]]), strength


def _by_hand(places: Offsets, slopes: Floats) -> Floats:
    """Return [hands] sums of slopes, less their mean."""
    sums = np.bincount(places, weights=slopes).astype(np.float64)
    found: Floats = sums - sums.mean()
    return found


def _shuffled(numbers: Floats, rng: np.random.Generator) -> Floats:
    found = numbers.copy()
    rng.shuffle(found)
    return found


def strength_of_difference(
    chosen: ChoiceGaps, special: Bools, *, seed: int = 1, shuffles: int = NUM_SHUFFLES
) -> float | None:
    """Return how often a difference between two kinds of hands would be as large by chance.

    `special` is [decisions], the same for all decisions of a hand. None if all are of one kind.
    """
    if not len(chosen.gaps) or special.all() or not special.any():
        return None
    _, firsts, places = np.unique(chosen.hands, return_index=True, return_inverse=True)
    beta = min(max(_maximum(chosen.gaps), _LEAST_BETA), _MOST_BETA)
    slopes = _by_hand(places, _moments(chosen.gaps, beta)[1])
    num_special = int(special[firsts].sum())
    found = abs(float(slopes[special[firsts]].sum()))
    rng = np.random.default_rng(seed)
    reached = sum(
        abs(float(_shuffled(slopes, rng)[:num_special].sum())) >= found - 1e-12
        for _ in range(shuffles)
    )
    return (reached + 1) / (shuffles + 1)
