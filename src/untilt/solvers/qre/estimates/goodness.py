"""Goodness of fit: observed counts against fitted probabilities, infoset by infoset.

The tests are by infoset, by player and overall, to show players who do not follow the model.

Each infoset I with N decisions is a separate multinomial. With r = (n − Nσ) / √(Nσ), Pearson's
statistic is X² = Σ r². Maximum likelihood makes the residuals orthogonal to the directions D in
which a β moves the expected counts, r̂ ≈ (1 − P) r with P the projection on D (Birch 1964). So over
a set G of infosets with k − 1 degrees of freedom each, J being the information on β,

    E X²   = Σ_G (k − 1) − tr(J_G J⁻¹)
    Var X² = 2 [Σ_G (k − 1) − 2 tr(J_G J⁻¹) + tr(J_G J⁻¹ J_G J⁻¹)] + Σ_G κ

and X² is compared with the χ², scaled, that has this mean and variance (Satterthwaite 1946). κ, the
fourth cumulants of multinomials, matter where expected counts are small; without estimation
they give the variance of Haldane 1937. How often infosets are reached is random, but not
affected by what is chosen there: N is as good as fixed (Billingsley 1961, for Markov chains).

References: Birch 1964, "A new proof of the Pearson–Fisher theorem"; Haberman 1973, "The analysis
of residuals in cross-classified tables"; Haldane 1937, "The exact value of the moments of the
distribution of χ²"; Satterthwaite 1946, "An approximate distribution of estimates of variance
components"; Holm 1979, "A simple sequentially rejective multiple test procedure".
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from untilt.numeric.arrays import Bools, Floats, Offsets
from untilt.solvers.qre.estimates.observed_play import ObservedPlay

_LEAST_PROBABILITY = 1e-200
_LEAST_EXPECTED = 1.0
"""Actions that are expected less often are rare, and tested together."""
_STRATA = (1e-2, 1e-4, 1e-6)
"""Expected counts that separate rare actions, so likelier ones do not hide a surprise."""
_NUM_STRATA = len(_STRATA) + 1
_SATURATED = 1e-6
"""Degrees of freedom, as a share of those before estimation, below which nothing is tested."""
_MOST_RARE = 30
"""Distributions of how many rare actions occur end here; fewer than one is expected."""
_NEGLIGIBLE = 1e-30


@dataclass(frozen=True)
class ChiSquare:
    """A statistic with its degrees of freedom and the probability of a larger one."""

    statistic: float
    """Pearson's, divided by the scale that small counts and estimation give it."""
    df: float
    """An integer if all expected counts are large and nothing was estimated."""
    p_value: float | None
    """None if there is nothing to test (`df` is 0) because the model has enough parameters to
    follow any counts, or if the model as a whole could not be tested."""

    def to_json(self) -> dict[str, Any]:
        """Return the test as plain data."""
        return {"statistic": self.statistic, "df": self.df, "p_value": self.p_value}


@dataclass(frozen=True)
class InfosetFit:
    """Observed and expected counts of one infoset, and how far they differ."""

    player: int
    label: str
    actions: tuple[str, ...]
    observed: tuple[int, ...]
    expected: tuple[float, ...]
    residuals: tuple[float | None, ...]
    """Adjusted (Haberman): about standard normal each; None where the fit follows the count."""
    statistic: float
    df: float
    p_value: float | None
    adjusted_p_value: float | None
    """By Holm, for the number of infosets that were compared."""

    @property
    def num_observations(self) -> int:
        """The number of decisions observed at the infoset."""
        return sum(self.observed)

    def to_json(self) -> dict[str, Any]:
        """Return counts and test as plain data."""
        return {
            "infoset": self.label,
            "player": self.player,
            "observed": dict(zip(self.actions, self.observed, strict=True)),
            "expected": dict(zip(self.actions, self.expected, strict=True)),
            "residuals": dict(zip(self.actions, self.residuals, strict=True)),
            "statistic": self.statistic,
            "df": self.df,
            "p_value": self.p_value,
            "adjusted_p_value": self.adjusted_p_value,
        }


@dataclass(frozen=True)
class Goodness:
    """The goodness of fit of strategies to counts."""

    overall: ChiSquare
    players: tuple[ChiSquare, ...]
    infosets: tuple[InfosetFit, ...]
    """The observed infosets, the worst fit first."""
    num_parameters: int
    """The number of βs that the counts determine."""
    is_tested: bool
    """Whether there are p-values and residuals."""

    def to_json(self) -> dict[str, Any]:
        """Return all tests as plain data."""
        return {
            **self.overall.to_json(),
            "is_tested": self.is_tested,
            "fitted_parameters": self.num_parameters,
            "players": [test.to_json() for test in self.players],
            "infosets": [row.to_json() for row in self.infosets],
        }


def goodness_of_fit(
    observed: ObservedPlay, behaviour: Floats, directions: Floats, *, is_tested: bool = True
) -> Goodness:
    """Return the distance of the counts from `behaviour`, which was fitted to them.

    `directions`, [parameters, actions], are the derivatives of log σ by each fitted parameter, up
    to a constant per infoset; a parameter at an end of its range does not count as fitted.
    If `behaviour` depends on the counts through more than these parameters, the distribution of
    its residuals is unknown: set `is_tested` to False, and there are no p-values.

    An action of expected count below 1, unless it is its infoset's likeliest, is *rare*. Rare
    actions of one order of magnitude are one cell in each infoset. Where that is still expected
    less than once, it is added to such cells of other infosets. If all of them together are
    expected less than once, the exact distribution of their number R replaces the χ² of
    (R − E)² / Var R.
    """
    cells = _Cells(observed, np.maximum(behaviour, _LEAST_PROBABILITY), directions)
    is_seen, player = observed.totals > 0.0, observed.variables.player
    overall = _group_test(cells, is_seen)
    players = tuple(
        _group_test(cells, is_seen & (player == each))
        for each in range(observed.problem.game.num_players)
    )
    tests = _infoset_tests(cells, is_seen)
    if not is_tested:
        overall, players = _untested(overall), tuple(map(_untested, players))
        tests = {infoset: _untested(test) for infoset, test in tests.items()}
        cells.residual[:] = np.nan
    fits = _infoset_fits(observed, cells, tests)
    return Goodness(overall, players, fits, cells.num_parameters, is_tested)


def _untested(test: ChiSquare) -> ChiSquare:
    return replace(test, p_value=None)


class _Stratum:
    """Rare actions of one order of magnitude, pooled in each infoset."""

    def __init__(
        self, cells: "_Cells", probability: Floats, centred: Floats, is_member: Bools
    ) -> None:
        observed = cells.observed
        weight = np.where(is_member, probability, 0.0)
        self.share = observed.sums(weight)
        """[I]"""
        self.count = observed.sums(np.where(is_member, observed.counts, 0.0))
        """[I]"""
        sums = np.array([observed.sums(weight * each) for each in centred])
        self.mean = sums.reshape(len(centred), len(self.share))
        """[P, I] of the directions"""
        self.mean /= np.where(self.share > 0.0, self.share, 1.0)
        expected = observed.totals * self.share
        self.is_left_out = (self.share > 0.0) & (expected < _LEAST_EXPECTED)
        """[I] whether they have no separate cell"""


class _Cells:
    """The cells in which counts are compared: common actions, and pooled rare ones per infoset.

    C cells, I infosets, A actions, P parameters.
    """

    def __init__(self, observed: ObservedPlay, probability: Floats, directions: Floats) -> None:
        self.observed = observed
        totals, spread = observed.totals, observed.spread
        num_infosets = len(totals)
        of_action = np.repeat(np.arange(num_infosets), np.diff(observed.variables.first_action))
        self.expected = probability * spread(totals)
        """[A]"""
        means = np.array([observed.sums(probability * each) for each in directions])
        centred = directions - np.array([spread(each) for each in means]).reshape(directions.shape)
        information = np.einsum("pa,qa,a->pq", centred, centred, self.expected)
        self.inverse, self.num_parameters = _pseudo_inverse(information)
        """[P, P] J⁻¹"""
        pull = np.einsum("pa,pq,qa->a", centred, self.inverse, centred)
        spread_of_count = self.expected * (1.0 - probability)
        variance = spread_of_count - self.expected**2 * pull
        is_free = variance > _SATURATED * spread_of_count
        gap = (observed.counts - self.expected) / np.sqrt(np.where(is_free, variance, 1.0))
        self.residual = np.where(is_free, gap, np.nan)
        """[A] adjusted; nan where the fit follows the count"""

        is_rare = (self.expected < _LEAST_EXPECTED) & (spread(totals) > 0.0)
        is_rare &= probability < spread(observed.largest(probability))
        stratum = np.where(is_rare, np.searchsorted(-np.array(_STRATA), -self.expected), -1)
        strata = [_Stratum(self, probability, centred, stratum == n) for n in range(_NUM_STRATA)]
        left_out = [each.is_left_out for each in strata]
        # Only actions of the first stratum can together be expected once.
        first = strata[0]
        is_cell = (first.share > 0.0) & ~first.is_left_out

        outside = np.array([np.where(e.is_left_out, (e.count, e.share), 0.0) for e in strata])
        lost_count, lost_share = outside.sum(axis=0)
        self.num_decisions: Floats = totals - lost_count
        """[I] without the rare ones that are left out"""
        is_used = np.concatenate((~is_rare & (spread(totals) > 0.0), is_cell))
        infoset = np.concatenate((of_action, np.arange(num_infosets)))[is_used]
        order = np.argsort(infoset, kind="stable")
        self.infoset: Offsets = infoset[order]
        """[C] ascending"""
        share = np.concatenate((probability, first.share))[is_used][order]
        share /= (1.0 - lost_share)[self.infoset]
        self.probability = share
        """[C] among the cells of the infoset"""
        self.count = np.concatenate((observed.counts, first.count))[is_used][order]
        moved = np.concatenate((centred, first.mean), axis=1)[:, is_used][:, order]
        means = np.array([self._sums(share * each) for each in moved])
        self.direction = moved - means.reshape(len(moved), num_infosets)[:, self.infoset]
        """[P, C] centred again"""

        self.rare_infoset = np.concatenate([np.flatnonzero(out) for out in left_out])
        """Infosets with rare actions that are left out, by stratum, and of these:"""
        self.rare_stratum = np.repeat(np.arange(_NUM_STRATA), [out.sum() for out in left_out])
        self.rare_count = np.concatenate([e.count[e.is_left_out] for e in strata])
        self.rare_share = np.concatenate([e.share[e.is_left_out] for e in strata])
        means = np.concatenate([e.mean[:, e.is_left_out] for e in strata], axis=1)
        self.rare_pull = means * self.rare_share * totals[self.rare_infoset]
        """[P] the covariance of their number with the score"""

    def _sums(self, values: Floats) -> Floats:
        sums = np.bincount(self.infoset, values, minlength=len(self.observed.totals))
        return sums.astype(np.float64, copy=False)

    @cached_property
    def sizes(self) -> Floats:
        """[I] cells of each infoset."""
        return self._sums(np.ones(len(self.infoset)))

    @cached_property
    def pearson(self) -> Floats:
        """[I] X²"""
        fitted = self.probability * self.num_decisions[self.infoset]
        some = np.where(fitted > 0.0, fitted, 1.0)
        return self._sums(np.where(fitted > 0.0, (self.count - fitted) ** 2 / some, 0.0))

    @cached_property
    def information(self) -> Floats:
        """[I, P, P] J of each infoset's cells."""
        weight = self.probability * self.num_decisions[self.infoset]
        num_parameters = len(self.direction)
        out = np.zeros((len(self.observed.totals), num_parameters, num_parameters))
        for row in range(num_parameters):
            for column in range(num_parameters):
                product = weight * self.direction[row] * self.direction[column]
                out[:, row, column] = self._sums(product)
        return out

    def excess(self, reduction: Floats) -> Floats:
        """Return κ [I], with q = 1/p − 1 − N t'Mt for M the `reduction` [I, P, P].

        κ = (Var q − 2 tr S²) / N, S = Q − D M D' being the covariance that M leaves.
        """
        moved, share = self.direction, self.probability
        pull = np.einsum("pc,cpq,qc->c", moved, reduction[self.infoset], moved)
        value = 1.0 / share - 1.0 - self.num_decisions[self.infoset] * pull
        spread = self._sums(share * value**2) - self._sums(share * value) ** 2
        product = self.information @ reduction
        squared = self.sizes - 1.0 - 2.0 * _trace(product) + _trace(product @ product)
        kappa: Floats = (spread - 2.0 * squared) / np.maximum(self.num_decisions, 1.0)
        return kappa


def _trace(matrices: Floats) -> Floats:
    traces: Floats = np.trace(matrices, axis1=-2, axis2=-1)
    return traces


def _pseudo_inverse(information: Floats) -> tuple[Floats, int]:
    """Return the inverse where the counts determine parameters, and how many they determine."""
    if not len(information):
        return information, 0
    scale = np.sqrt(np.diag(information))
    scale = np.where(scale > 0.0, scale, 1.0)
    values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
    is_known = values > 1e-9
    inverse = (vectors[:, is_known] / values[is_known]) @ vectors[:, is_known].T
    return inverse / np.outer(scale, scale), int(is_known.sum())


def _group_test(cells: _Cells, is_member: Bools) -> ChiSquare:
    """Return the test of some infosets together."""
    filled = is_member & (cells.num_decisions > 0.0)
    degrees = float((cells.sizes[filled] - 1.0).sum())
    product = cells.information[filled].sum(axis=0) @ cells.inverse
    mean = degrees - float(_trace(product))
    variance = 2.0 * (degrees - 2.0 * float(_trace(product)) + float(_trace(product @ product)))
    reduction = 2.0 * cells.inverse - cells.inverse @ product
    everywhere = np.broadcast_to(reduction, (len(is_member), *reduction.shape))
    variance += float(cells.excess(everywhere)[filled].sum())
    statistic = float(cells.pearson[filled].sum())
    members = np.flatnonzero(is_member[cells.rare_infoset])
    strata = cells.rare_stratum[members]
    pools = [_Pool(cells, members[strata == each]) for each in np.unique(strata)]
    return _test(statistic, degrees, mean, variance, pools)


def _infoset_tests(cells: _Cells, is_seen: Bools) -> dict[int, ChiSquare]:
    """Return the test of each infoset that was seen."""
    filled = cells.num_decisions > 0.0
    product = cells.information @ cells.inverse
    degrees = np.where(filled, cells.sizes - 1.0, 0.0)
    mean = degrees - np.where(filled, _trace(product), 0.0)
    variance = 2.0 * (degrees - 2.0 * _trace(product) + _trace(product @ product))
    variance += cells.excess(2.0 * cells.inverse - cells.inverse @ product)
    pools: dict[int, list[_Pool]] = {}
    for place, infoset in enumerate(cells.rare_infoset.tolist()):
        pools.setdefault(infoset, []).append(_Pool(cells, np.array([place])))
    return {
        infoset: _test(
            float(cells.pearson[infoset]),
            float(degrees[infoset]),
            float(mean[infoset]),
            float(variance[infoset]) if filled[infoset] else 0.0,
            pools.get(infoset, []),
        )
        for infoset in np.flatnonzero(is_seen).tolist()
    }


def _test(
    statistic: float, degrees: float, mean: float, variance: float, pools: list["_Pool"]
) -> ChiSquare:
    """Return the test of Pearson's statistic, of this mean and variance, and of rare actions."""
    surprise, outcomes = 0.0, (np.zeros(1), np.ones(1))
    for pool in pools:
        degrees += 1.0
        if pool.expected >= _LEAST_EXPECTED:
            statistic += pool.pearson
            mean += 1.0 - pool.reduction
            variance += 2.0 * (1.0 - pool.reduction) ** 2 + 1.0 / pool.variance
        else:
            surprise += pool.pearson
            outcomes = _joined(outcomes, pool.outcomes())
    if mean > _SATURATED * degrees and variance > 0.0:
        scale = variance / (2.0 * mean)
        df, total = mean / scale, statistic / scale + surprise
    elif len(outcomes[0]) > 1:
        df, total = 0.0, surprise
    else:
        return ChiSquare(0.0, 0.0, None)
    return ChiSquare(total, df, _tail(total, df, outcomes))


class _Pool:
    """Rare actions of several infosets, counted together."""

    def __init__(self, cells: _Cells, members: Offsets) -> None:
        self._totals = cells.observed.totals[cells.rare_infoset[members]]
        self._shares = cells.rare_share[members]
        self.count = float(cells.rare_count[members].sum())
        self.expected = float(self._totals @ self._shares)
        self.variance = float(self._totals @ (self._shares * (1.0 - self._shares)))
        pull = cells.rare_pull[:, members].sum(axis=1)
        reduced = float(pull @ cells.inverse @ pull) / self.variance
        self.reduction = min(max(reduced, 0.0), 1.0)
        """The share by which estimation reduces the variance."""

    @property
    def pearson(self) -> float:
        return (self.count - self.expected) ** 2 / self.variance

    def outcomes(self) -> tuple[Floats, Floats]:
        """Return all values of Pearson's statistic with their probabilities.

        If more than `_MOST_RARE` were observed, that many or more is one outcome.
        """
        from scipy.special import gammainc, gammaln

        numbers = np.arange(_MOST_RARE + 1.0)
        chances = np.zeros(_MOST_RARE + 1)
        chances[0] = 1.0
        for total, share in zip(self._totals.tolist(), self._shares.tolist(), strict=True):
            possible = np.minimum(numbers, total)
            log_chance = gammaln(total + 1.0) - gammaln(possible + 1.0)
            log_chance -= gammaln(total - possible + 1.0)
            log_chance += possible * math.log(share) + (total - possible) * math.log1p(-share)
            binomial = np.where(numbers <= total, np.exp(log_chance), 0.0)
            chances = np.convolve(chances, binomial)[: _MOST_RARE + 1]
        if self.count > _MOST_RARE:
            numbers[-1] = self.count
            chances[-1] = float(gammainc(self.count, self.expected))
        values = (numbers - self.expected) ** 2 / self.variance
        is_possible = chances > _NEGLIGIBLE
        is_possible[0] = True
        return values[is_possible], chances[is_possible]


def _joined(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Return the values and probabilities of a sum."""
    values = np.add.outer(one[0], other[0]).ravel()
    chances = np.multiply.outer(one[1], other[1]).ravel()
    is_possible = chances > _NEGLIGIBLE
    is_possible[0] = True
    return values[is_possible], chances[is_possible]


def _tail(total: float, df: float, outcomes: tuple[Floats, Floats]) -> float:
    """Return the probability that χ² and a value of `outcomes` sum to `total` or more."""
    from scipy.special import chdtrc

    rest = total - outcomes[0]
    # Equal values may differ by rounding.
    rest[rest <= 1e-12 * total] = 0.0
    tails = np.where(rest > 0.0, 0.0, 1.0)
    if df > 0.0:
        tails = chdtrc(df, rest)
    return min(1.0, float(outcomes[1] @ tails))


def _infoset_fits(
    observed: ObservedPlay, cells: _Cells, tests: dict[int, ChiSquare]
) -> tuple[InfosetFit, ...]:
    def misfit(infoset: int) -> tuple[float, float]:
        test = tests[infoset]
        return 2.0 if test.p_value is None else test.p_value, -test.statistic

    infosets = observed.problem.game.infosets
    before = [0, *accumulate(map(len, infosets))]
    first = observed.variables.first_action.tolist()
    counts, expected = observed.counts.tolist(), cells.expected.tolist()
    residuals = [None if math.isnan(each) else each for each in cells.residual.tolist()]
    order = sorted(tests, key=misfit)
    corrected = _holm([tests[infoset].p_value for infoset in order])
    rows = []
    for index, adjusted in zip(order, corrected, strict=True):
        player = int(observed.variables.player[index])
        number = index - before[player]
        block, test = slice(first[index], first[index + 1]), tests[index]
        rows.append(
            InfosetFit(
                player=player,
                label=infosets[player].label(number),
                actions=infosets[player].actions(number),
                observed=tuple(map(int, counts[block])),
                expected=tuple(expected[block]),
                residuals=tuple(residuals[block]),
                statistic=test.statistic,
                df=test.df,
                p_value=test.p_value,
                adjusted_p_value=adjusted,
            )
        )
    return tuple(rows)


def _holm(p_values: list[float | None]) -> list[float | None]:
    """Return p-values, given in ascending order, corrected for their number; None stays."""
    num_tests = sum(value is not None for value in p_values)
    corrected: list[float | None] = []
    largest = 0.0
    for rank, value in enumerate(p_values):
        if value is None:
            corrected.append(None)
            continue
        largest = max(largest, min(1.0, (num_tests - rank) * value))
        corrected.append(largest)
    return corrected
