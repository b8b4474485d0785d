"""The noise of players from how often they were seen to take each line, by maximum likelihood.

The probabilities of lines are known at a grid of noises, one axis for both players or one for each.
Between them, their logarithms are cubic splines over log τ (not-a-knot; a tensor product for two
axes), scaled to sum to 1 over all lines: without that, the error of the log-likelihood would be of
first order in that of the splines. A spline is linear in what it interpolates, so one matrix does
it for all lines at once.

Intervals are profile likelihoods: the values of one noise that, with the best of the other, are
within half the 95 % quantile of χ² with one degree of freedom of the maximum. Where the likelihood
is still that high at an end of the grid, the interval is open there.

The test of fit compares how often each line was taken with what the estimate predicts, by G². Many
lines are rare, so its distribution is simulated: samples from the estimate, each estimated again.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.stats import chi2

from untilt.number import finite
from untilt.numeric.arrays import Floats

_STEPS = (40, 8)
"""Points from one noise of the grid to the next, by number of axes. A parabola finds the maximum
between them."""
_DROP = float(chi2.ppf(0.95, 1)) / 2.0
"""By how much the log-likelihood may fall within the 95 % interval."""
_LEAST = 1e-300
"""Stands for a probability that has vanished."""
SAMPLES = 499
"""Samples of the test of fit."""


class Interval(NamedTuple):
    """A range of noises, shares of the pot."""

    low: float
    high: float
    is_open_below: bool
    """Whether smaller noises than the grid has are as likely."""
    is_open_above: bool


@dataclass(frozen=True)
class NoiseEstimate:
    """The most likely noises, one for both players or one for each."""

    noises: tuple[float, ...]
    """As shares of the pot."""
    intervals: tuple[Interval, ...]
    """95 %, for each."""
    log_likelihood: float
    profiles: tuple[tuple[Floats, Floats], ...]
    """For each: noises, ascending, and the largest log-likelihood with them."""

    def to_json(self) -> dict[str, Any]:
        """Return the estimate as plain data, without the profiles."""
        return {
            "noises": list(self.noises),
            "intervals": [each._asdict() for each in self.intervals],
            "log_likelihood": finite(self.log_likelihood),
        }


@dataclass(frozen=True)
class NoiseGrid:
    """A grid of noises with what is known at each of its points."""

    noises: Floats
    """[G], ascending, shares of the pot: the values of each axis."""
    axes: int
    """1 if both players have the same noise, 2 if each has one."""

    @property
    def fine(self) -> Floats:
        """[F]: the noises of the grid and those between, evenly by ratio."""
        coarse = np.log(self.noises)
        last = len(coarse) - 1
        places = np.linspace(0.0, last, _STEPS[self.axes - 1] * last + 1)
        fine: Floats = np.exp(np.interp(places, np.arange(last + 1), coarse))
        return fine

    def interpolated(self, values: Floats) -> Floats:
        """Return [F] or [F, F] splines of [G] or [G, G] values, with further axes behind."""
        spline = CubicSpline(np.log(self.noises), np.eye(len(self.noises)))
        between: Floats = spline(np.log(self.fine))
        found = np.tensordot(between, values, axes=(1, 0))
        if self.axes == 2:
            found = np.moveaxis(np.tensordot(between, found, axes=(1, 1)), 0, 1)
        return found

    def log_chances(self, of_all: Floats) -> Floats:
        """Return [F, lines] or [F, F, lines] logarithms of probabilities that sum to 1."""
        logs = self.interpolated(log_of(of_all))
        found: Floats = logs - np.log(np.exp(logs).sum(axis=-1, keepdims=True))
        return found

    def log_likelihood(self, of_all: Floats, seen: Floats, counts: Floats) -> Floats:
        """Return [F] or [F, F] the log-likelihood of what was seen in one spot.

        `seen` has, by point of the grid, the probabilities of the different hands that were seen,
        and `counts` says how often each was. `of_all` has those of all lines, which sum to 1.
        """
        logs = self.interpolated(log_of(of_all))
        total = self.interpolated(log_of(seen) @ counts)
        found: Floats = total - counts.sum() * np.log(np.exp(logs).sum(axis=-1))
        return found

    def estimate(self, log_likelihood: Floats) -> NoiseEstimate:
        """Return the estimate from log-likelihoods at the noises of `fine`."""
        fine = self.fine
        best = np.unravel_index(int(np.argmax(log_likelihood)), log_likelihood.shape)
        profiles = [log_likelihood]
        if self.axes == 2:
            profiles = [log_likelihood.max(axis=1), log_likelihood.max(axis=0)]
        return NoiseEstimate(
            noises=tuple(
                _peak(fine, profile, int(at)) for profile, at in zip(profiles, best, strict=True)
            ),
            intervals=tuple(_interval(fine, profile) for profile in profiles),
            log_likelihood=float(log_likelihood.max()),
            profiles=tuple((fine, profile) for profile in profiles),
        )

    @property
    def diagonal(self) -> "NoiseGrid":
        """The grid of equal noises."""
        return NoiseGrid(self.noises, 1)

    def on_diagonal(self, values: Floats) -> Floats:
        """Return [G, …] what is known where both noises are equal."""
        each = np.arange(len(self.noises))
        return values if self.axes == 1 else values[each, each]


def log_of(chances: Floats) -> Floats:
    """Return logarithms of probabilities, finite even where they have vanished."""
    return np.log(np.maximum(chances, _LEAST))


def _peak(fine: Floats, profile: Floats, at: int) -> float:
    """Return where a parabola through the largest value and its neighbours is largest."""
    if not 0 < at < len(fine) - 1:
        return float(fine[at])
    left, here, right = profile[at - 1 : at + 2].tolist()
    bend = left - 2.0 * here + right
    shift = 0.5 * (left - right) / bend if bend < 0.0 else 0.0
    return float(fine[at] * (fine[1] / fine[0]) ** max(-0.5, min(0.5, shift)))


def _interval(fine: Floats, profile: Floats) -> Interval:
    level = float(profile.max()) - _DROP
    inside = np.flatnonzero(profile >= level)
    first, last = int(inside[0]), int(inside[-1])
    return Interval(
        low=_crossing(fine, profile, level, first, first - 1),
        high=_crossing(fine, profile, level, last, last + 1),
        is_open_below=first == 0,
        is_open_above=last == len(fine) - 1,
    )


def _crossing(fine: Floats, profile: Floats, level: float, inside: int, outside: int) -> float:
    """Return where the profile crosses a level between two neighbours, or the end of the grid."""
    if not 0 <= outside < len(fine):
        return float(fine[inside])
    share = (profile[inside] - level) / (profile[inside] - profile[outside])
    return float(fine[inside] * (fine[outside] / fine[inside]) ** share)


@dataclass(frozen=True)
class LineFit:
    """The observed frequency of a line, and the expected one."""

    group: int
    """Which of several spots it belongs to."""
    number: int
    """The number of the line within the group."""
    observed: float
    expected: float

    @property
    def residual(self) -> float:
        """About standard normal if the model is right."""
        return (self.observed - self.expected) / math.sqrt(max(self.expected, 1e-12))


@dataclass(frozen=True)
class FrequencyTest:
    """A test whether lines were taken as often as the most likely noises say."""

    statistic: float
    """G², twice the log-likelihood ratio against the observed frequencies."""
    p_value: float
    samples: int
    lines: tuple[LineFit, ...]
    """The lines that were taken or expected, the worst first."""

    def to_json(self) -> dict[str, Any]:
        """Return the statistic and its p-value as plain data."""
        return {"statistic": self.statistic, "p_value": self.p_value, "samples": self.samples}


def frequency_test(
    grid: NoiseGrid,
    chances: Sequence[Floats],
    counts: Sequence[Floats],
    rng: np.random.Generator,
    samples: int = SAMPLES,
) -> FrequencyTest:
    """Return whether lines were taken as often as the noises say that fit them best.

    `chances` has, for each group of lines such as those of a spot, probabilities by point of the
    grid and line; `counts` says how often each line was observed. Cards are left out of the test.
    """
    logs = [grid.log_chances(each).reshape(-1, each.shape[-1]) for each in chances]
    fine = [np.exp(each) for each in logs]
    estimate = int(np.argmax(sum(log @ count for log, count in zip(logs, counts, strict=True))))
    expected = [each[estimate] * count.sum() for each, count in zip(fine, counts, strict=True)]
    statistic = sum(
        float(_deviance(count[None], one[None])[0])
        for count, one in zip(counts, expected, strict=True)
    )
    drawn = [
        rng.multinomial(int(count.sum()), each[estimate] / each[estimate].sum(), samples).astype(
            np.float64
        )
        for each, count in zip(fine, counts, strict=True)
    ]
    best = np.argmax(sum(draw @ log.T for draw, log in zip(drawn, logs, strict=True)), axis=1)
    simulated = sum(
        _deviance(draw, each[best] * draw.sum(axis=1, keepdims=True))
        for draw, each in zip(drawn, fine, strict=True)
    )
    beyond = int(np.count_nonzero(simulated >= statistic - 1e-9))
    lines = [
        LineFit(group, number, float(seen), float(mean))
        for group, (count, means) in enumerate(zip(counts, expected, strict=True))
        for number, (seen, mean) in enumerate(zip(count, means, strict=True))
        if seen > 0.0 or mean > 1e-6
    ]
    lines.sort(key=lambda line: -abs(line.residual))
    return FrequencyTest(statistic, (1 + beyond) / (1 + samples), samples, tuple(lines))


def _deviance(observed: Floats, expected: Floats) -> Floats:
    """Return [samples] G² of [samples, lines] counts."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = observed * np.log(observed / np.maximum(expected, _LEAST))
    sums: Floats = 2.0 * np.where(observed > 0.0, terms, 0.0).sum(axis=1)
    return sums
