"""The residual of a solution with noise, as users see it: a number, and the largest beside it."""

from typing import Self

from untilt.game.public.quantal_snapshot import Residual


class MeanResidual(float):
    """The distance of strategies from their own logit responses, averaged over the range.

    It is a number, `residual` in JSON, with the largest at any hand and decision.

    >>> MeanResidual(0.0005, 0.1) < 1e-3
    True
    """

    largest: float

    def __new__(cls, mean: float, largest: float) -> Self:
        """Return the residual of a mean and a largest one."""
        found = super().__new__(cls, mean)
        found.largest = largest
        return found

    def __getnewargs__(self) -> tuple[float, float]:  # type: ignore[override]  # has the largest
        """Return what a copy is made of."""
        return self.mean, self.largest

    @classmethod
    def of(cls, residual: Residual) -> Self:
        """Return what a solver measured."""
        return cls(residual.mean, residual.largest)

    @property
    def mean(self) -> float:
        """The number itself."""
        return float(self)
