"""What a solver tells while it works, and what it must offer to be run, saved and resumed."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from untilt.errors import FormatError
from untilt.evaluation.best_response import Evaluation
from untilt.numeric.arrays import AnyArray, Floats


@dataclass(frozen=True)
class Progress:
    """Where a solver stands."""

    iteration: int | None
    """Iterations done; None for a method without iterations."""
    seconds: float
    """Wall time in iterations and stopping tests."""
    evaluation: Evaluation | None
    """How good the strategy is, exact; None between the moments at which it is measured."""
    regret: float | None
    """Largest positive regrets summed over infosets, per iteration; None as above."""
    beta: float | None = None
    """Rationality, for quantal response."""
    residual: float | None = None
    """How far the strategy is from its own logit response, for quantal response."""
    moment: int | None = None
    """The number of this moment among those that are kept; None: by iteration."""

    @property
    def moment_number(self) -> int:
        """Which of the moments that are kept this is, counted from 0."""
        return bisect_left(MOMENTS, self.iteration or 0) if self.moment is None else self.moment


class Solver(Protocol):
    """A solver is an iterator of progress with a state that can be saved."""

    seconds: float
    """Wall time in iterations and stopping tests so far; set when a run is resumed."""

    @property
    def iteration(self) -> int | None:
        """Iterations done; None for a method without iterations."""
        ...

    def warm_up(self) -> None:
        """Compile what must be compiled, without changing the state."""
        ...

    def progress(self, until: int | None = None) -> Iterator[Progress]:
        """Work up to iteration `until`, yielding often enough to stop, save or draw."""
        ...

    def behaviours(self) -> tuple[Floats, Floats]:
        """Return the strategy found so far as probabilities per sequence."""
        ...

    def outcome(self) -> dict[str, Any]:
        """Return what the method has to tell besides the strategy, as plain data."""
        ...

    def state(self) -> dict[str, AnyArray]:
        """Return named arrays from which `restore` continues bit for bit."""
        ...

    def restore(self, state: Mapping[str, AnyArray]) -> None:
        """Continue from `state()`; raise FormatError if it does not fit."""
        ...


def _moments() -> list[int]:
    moments = [1]
    while moments[-1] < 2**62:
        moments.append(moments[-1] + max(1, moments[-1] // 10))
    return moments


MOMENTS = _moments()
"""The iterations at which exploitability is measured, see `next_moment`."""


def next_moment(iteration: int) -> int:
    """Return the first iteration after `iteration` at which exploitability is measured.

    1, 2, …, 20, 22, 24, …, each about a tenth further: a stopping test costs about one
    iteration, and the moments do not depend on the clock, so that a run that stops at a
    target stops at the same iteration every time.
    """
    return MOMENTS[bisect_right(MOMENTS, iteration)]


def array_of(
    state: Mapping[str, AnyArray], name: str, shape: tuple[int, ...], dtype: type[np.generic]
) -> np.ndarray[Any, Any]:
    """Return the array `name` of a saved state, or raise FormatError if it does not fit."""
    if name not in state:
        raise FormatError(f"the saved state lacks {name!r}")
    found = state[name]
    if found.shape != shape or found.dtype != dtype:
        raise FormatError(
            f"{name!r} of the saved state is {found.dtype}{list(found.shape)}, "
            f"expected {np.dtype(dtype)}{list(shape)}"
        )
    if not np.isfinite(found).all():
        raise FormatError(f"{name!r} of the saved state has values that are not finite")
    return found
