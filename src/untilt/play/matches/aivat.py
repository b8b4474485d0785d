"""AIVAT: what was won in a hand without luck that is known, for agents whose strategy is known.

Burch, Schmid, Moravcik, Morrill & Bowling 2018, "AIVAT: a new variance reduction technique for
agent evaluation in imperfect information games". Of a hand, everything is known but the strategy of
perhaps one player. A player whose strategy is known might have held other cards: the opponent would
have acted alike, so all *possible* hands of the known player count, by how likely they were to be
played like this. Two things follow.

- The gain is the mean over these possible hands.
- At each deal and each decision of the known player, the luck of what was drawn is subtracted: what
  the possible hands were worth before, on average over all that could be drawn, less what they were
  worth after. This is 0 on average, whatever they are said to be worth; it removes the more noise
  the better that is estimated.

Nothing here knows a game: rows are what could be drawn, columns the possible hands.
"""

from typing import Any, NamedTuple

import numpy as np

from untilt.numeric.arrays import Floats


class Draw(NamedTuple):
    """A deal, or a decision of the known player."""

    weights: Floats
    """[hands] how likely each possible hand was to come here."""
    chances: Floats
    """[outcomes, hands] the probability of each outcome."""
    values: Floats
    """[outcomes, hands] what a hand is taken to be worth after each outcome; any number will do."""
    drawn: int
    """The outcome that was drawn; its chance is positive for some hand."""

    @property
    def correction(self) -> float:
        """What hands were worth before the draw, less what they are worth after it."""
        drawn = self.drawn
        expected = float((self.weights * self.chances * self.values).sum())
        left = self.weights * self.chances[drawn]
        before = expected / float(self.weights.sum())
        return before - mean_value(left, self.values[drawn])


def mean_value(weights: Floats, values: Floats) -> float:
    """Return the mean of what possible hands are worth."""
    return float(weights @ values) / float(weights.sum())


class Coefficients:
    """The share of each correction that is added, learnt from earlier deals.

    A correction is 0 on average, so any share of it may be added that does not depend on the deal
    itself. The shares begin as AIVAT has them, 1 in all, and come closer to those with which the
    variance of the earlier deals would have been least.
    """

    def __init__(self, first: Floats, *, trust: float = 400.0) -> None:
        """`first` [corrections] are the shares before the first deal, as good as `trust` deals."""
        self._first = first
        self._trust = trust
        self._shares = first.copy()
        self._products = np.zeros((len(first), len(first)))
        self._with_gain = np.zeros(len(first))
        self._sums = np.zeros(len(first))
        self._total = 0.0
        self._count = 0
        self._next_fit = 8

    def add(self, gain: float, corrections: Floats) -> float:
        """Return the corrected gain of a deal, and learn from it for those that follow."""
        corrected = gain + float(self._shares @ corrections)
        self._products += np.outer(corrections, corrections)
        self._with_gain += gain * corrections
        self._sums += corrections
        self._total += gain
        self._count += 1
        if self._count == self._next_fit:
            self._fit()
            self._next_fit += max(8, self._count // 8)
        return corrected

    def _fit(self) -> None:
        """Fit the shares to the deals so far, and to the first ones as if they had been fitted."""
        spread = np.diag(self._products) / self._count
        # Corrections that are 0 but for rounding keep their share.
        prior = np.diag(self._trust * np.maximum(spread, 1e-6 * spread.max() + 1e-300))
        together = self._with_gain - self._total / self._count * self._sums
        shares: Any = np.linalg.solve(self._products + prior, prior @ self._first - together)
        self._shares = shares
