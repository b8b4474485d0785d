"""Does a model fit? Observed counts against fitted probabilities, infoset by infoset.

A player outside the model must be visible: by infoset, by player and in all.
"""

from dataclasses import dataclass

import numpy as np

from untilt.numeric.arrays import Bools, Floats
from untilt.solvers.qre.counts import Table

_LEAST_PROBABILITY = 1e-200


@dataclass(frozen=True)
class InfosetFit:
    """Observed and expected counts of one infoset, and Pearson's statistic for them."""

    player: int
    label: str
    actions: tuple[str, ...]
    observed: tuple[int, ...]
    expected: tuple[float, ...]
    statistic: float
    df: int
    p_value: float

    @property
    def num_observations(self) -> int:
        """How often the infoset was decided at."""
        return sum(self.observed)


@dataclass(frozen=True)
class ChiSquare:
    """Pearson's statistic with its degrees of freedom and the probability of a larger one."""

    statistic: float
    df: int
    p_value: float


@dataclass(frozen=True)
class Goodness:
    """How well the fitted strategies explain the counts.

    The p-values compare with a scaled χ² of the statistic's exact mean and variance under the
    model; actions that it all but excludes are judged together and exactly, so that few of
    them raise no false alarm and many do.
    """

    overall: ChiSquare
    """Its degrees of freedom are reduced by the number of βs."""
    players: tuple[ChiSquare, ChiSquare]
    infosets: tuple[InfosetFit, ...]
    """Those that were observed, the worst first."""


def goodness_of_fit(table: Table, behaviour: Floats, num_parameters: int) -> Goodness:
    """Return Pearson's statistics of the counts under `behaviour`.

    An action of expected count below 1, unless it is its infoset's likeliest, is *rare*.
    Pearson's statistic is taken over the others. Given their total n, k of them with
    probabilities p have a statistic of mean k − 1 and variance
    2 (k − 1) + (Σ 1/p − k² − 2k + 2) / n (Haldane 1937). Rare actions are counted together, by
    the exact probability of at least so many, written as the χ² of one degree of freedom that
    is as improbable.
    """
    from scipy.special import betainc, chdtri, gammainc

    counts, totals = table.counts, table.totals
    probability = np.maximum(behaviour, _LEAST_PROBABILITY)
    expected = probability * table.spread(totals)
    seen = totals > 0.0
    is_rare = (expected < 1.0) & (probability < table.spread(table.largest(probability)))
    is_rare &= table.spread(totals) > 0.0
    common = np.where(is_rare, 0.0, 1.0)
    share = table.sums(probability * common)
    num_common = table.sums(counts * common)
    conditional = np.where(is_rare, 1.0, probability / table.spread(share))
    fitted = conditional * table.spread(np.where(num_common > 0.0, num_common, 1.0))
    statistic = table.sums(common * (counts - fitted) ** 2 / fitted)
    statistic = np.where(num_common > 0.0, statistic, 0.0)
    sizes = table.sums(common)
    degrees = np.where(num_common > 0.0, sizes - 1.0, 0.0)
    excess = table.sums(common / conditional) - sizes**2 - 2.0 * sizes + 2.0
    variance = 2.0 * degrees + np.where(degrees > 0.0, excess / np.maximum(num_common, 1.0), 0.0)

    num_rare = totals - num_common
    rare_share = table.sums(probability * (1.0 - common))
    has_rare = rare_share > 0.0
    # P(binomial ≥ k) = I_p(k, n − k + 1)
    some = np.maximum(num_rare, 1e-9)
    tail = np.where(num_rare > 0.0, betainc(some, num_common + 1.0, rare_share), 1.0)
    surprise = np.where(has_rare, chdtri(1.0, np.maximum(tail, 1e-300)), 0.0)

    def joined(among: Bools, reduction: int) -> ChiSquare:
        df, spread = float(degrees[among].sum()) - reduction, float(variance[among].sum())
        total = float(statistic[among].sum())
        expected_rare = float((totals * rare_share)[among].sum())
        if expected_rare > 0.0:
            rare = float(num_rare[among].sum())
            chance = float(gammainc(rare, expected_rare)) if rare > 0.0 else 1.0
            total += float(chdtri(1.0, max(chance, 1e-300)))
            df, spread = df + 1.0, spread + 2.0
        df = max(df, 0.0)
        return ChiSquare(total, int(df), float(_tail(_one(total), _one(df), _one(spread))[0]))

    player = table.variables.player
    overall = joined(seen, num_parameters)
    players = (joined(seen & (player == 0), 0), joined(seen & (player == 1), 0))
    statistic, degrees = statistic + surprise, degrees + has_rare
    p_values = _tail(statistic, degrees, variance + 2.0 * has_rare)
    shown = np.flatnonzero(seen)
    order = shown[np.lexsort((-statistic[shown], p_values[shown]))].tolist()
    return Goodness(
        overall, players, _infoset_fits(table, order, expected, statistic, degrees, p_values)
    )


def _infoset_fits(
    table: Table,
    order: list[int],
    expected: Floats,
    statistic: Floats,
    degrees: Floats,
    p_values: Floats,
) -> tuple[InfosetFit, ...]:
    infosets = table.problem.game.infosets
    first = table.variables.first_action.tolist()
    columns = (table.counts.tolist(), expected.tolist())
    numbers = (statistic.tolist(), degrees.tolist(), p_values.tolist())
    rows = []
    for index in order:
        player = int(index >= len(infosets[0]))
        number = index - player * len(infosets[0])
        observed, fitted = (column[first[index] : first[index + 1]] for column in columns)
        rows.append(
            InfosetFit(
                player=player,
                label=infosets[player].labels[number],
                actions=infosets[player].actions[number],
                observed=tuple(map(int, observed)),
                expected=tuple(fitted),
                statistic=numbers[0][index],
                df=int(numbers[1][index]),
                p_value=numbers[2][index],
            )
        )
    return tuple(rows)


def _one(value: float) -> Floats:
    return np.array([value])


def _tail(statistic: Floats, mean: Floats, variance: Floats) -> Floats:
    """Return P(c χ²_ν > statistic) with c and ν such that mean and variance agree."""
    from scipy.special import chdtrc

    tail = np.ones(len(statistic))
    known = (mean > 0.0) & (variance > 0.0)
    scale = variance[known] / (2.0 * mean[known])
    tail[known] = chdtrc(mean[known] / scale, statistic[known] / scale)
    return tail
