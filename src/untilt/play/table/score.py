"""The score of a session: hands, gains with a confidence interval, and the cost of mistakes."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from untilt.play.review.review import Reviewed

_Z = 1.959964
"""95 % of a normal distribution lie within this number of standard deviations."""


class Score:
    """The gain of one player so far, in chips or bb."""

    def __init__(self) -> None:
        self.num_hands = 0
        self.total = 0.0
        self.cost = 0.0
        """The cost of all choices together, where it is known."""
        self.num_decisions = 0
        self.num_mistakes = 0
        self._mean = 0.0
        self._deviations = 0.0  # sum of squared deviations from the mean

    def add(self, payoff: float, reviewed: Iterable[Reviewed] = ()) -> None:
        """Add a hand: its gain, and the review of the player's decisions."""
        self.num_hands += 1
        self.total += payoff
        # Welford 1962: avoids the difference of large sums of squares.
        before = payoff - self._mean
        self._mean += before / self.num_hands
        self._deviations += before * (payoff - self._mean)
        for each in reviewed:
            self.num_decisions += 1
            self.num_mistakes += each.is_mistake
            self.cost += each.cost or 0.0

    @property
    def mean(self) -> float | None:
        """Gain per hand; None before the first hand."""
        return self.total / self.num_hands if self.num_hands else None

    @property
    def error(self) -> float | None:
        """The standard error of the mean; None before 2 hands."""
        if self.num_hands < 2:
            return None
        return math.sqrt(self._deviations / (self.num_hands - 1) / self.num_hands)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of the mean, assuming normality; None before 2 hands."""
        error = self.error
        if error is None:
            return None
        mean, margin = self.total / self.num_hands, _Z * error
        return mean - margin, mean + margin

    def to_json(self) -> dict[str, Any]:
        """Return the score as plain data for JSON."""
        interval = self.interval
        return {
            "hands": self.num_hands,
            "total": self.total,
            "mean": self.mean,
            "interval": None if interval is None else list(interval),
            "decisions": self.num_decisions,
            "mistakes": self.num_mistakes,
            "cost": self.cost,
        }


class SeatScore:
    """The gain of one agent in deals that are played once in every seat."""

    def __init__(self, num_seats: int = 2) -> None:
        self.deal = Score()
        """By deal: the mean over the seats."""
        self._seats = tuple(Score() for _ in range(num_seats))

    def add(self, gains: Sequence[float]) -> None:
        """Add a deal: what was gained in each seat."""
        self.deal.add(sum(gains) / len(gains))
        for seat, gain in zip(self._seats, gains, strict=True):
            seat.add(gain)

    @property
    def mean(self) -> float:
        """Gain per hand; 0 before the first deal."""
        return (self.deal.mean or 0.0) + 0.0  # turns −0 into 0

    @property
    def as_player(self) -> tuple[float, ...]:
        """Gain per hand in each seat."""
        return tuple(seat.mean or 0.0 for seat in self._seats)
