"""What a solver tells while it works, and what it must offer to be run, saved and resumed."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

import numpy as np

from untilt.errors import FormatError
from untilt.evaluation.best_response import Evaluation
from untilt.game.compiled import CompiledGame
from untilt.game.snapshot import Snapshot
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
    drift: float | None = None
    """How far the average strategy moved since the last moment, for sampling solvers."""
    nodes: int | None = None
    """Nodes of the tree visited so far, for sampling solvers."""
    moment: int | None = None
    """The number of this moment among those that are kept; None: by iteration."""

    @property
    def is_moment(self) -> bool:
        """Whether the strategy was measured here."""
        return self.evaluation is not None or self.drift is not None

    @property
    def moment_number(self) -> int:
        """Which of the moments that are kept this is, counted from 0."""
        return bisect_left(MOMENTS, self.iteration or 0) if self.moment is None else self.moment


class Solver(Protocol):
    """A solver is an iterator of progress with a state that can be saved."""

    seconds: float
    """Wall time in iterations and stopping tests so far; set when a run is resumed."""
    gap: int
    """Iterations that measuring the strategy is worth, see `next_moment`."""

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

    def snapshot(self) -> Snapshot:
        """Return the strategy found so far."""
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


@runtime_checkable
class DiscoversGame(Protocol):
    """A solver that learns what infosets there are while it works."""

    def game(self) -> CompiledGame:
        """Return the game that its snapshot belongs to, as far as it is known."""
        ...


def game_of(solver: object, game: CompiledGame | None) -> CompiledGame:
    """Return the compiled game of a solver, or what it has found out if there is none."""
    if game is not None:
        return game
    assert isinstance(solver, DiscoversGame), "only sampling needs no compiled game"
    return solver.game()


LAST_ITERATION = 2**61
"""Of a saved state: from here on, counts of samples would overflow."""

_LARGEST = 1e280
_SUM_TOLERANCE = 1e-9


def _moments() -> list[int]:
    moments = [1]
    while moments[-1] < 2**62:
        moments.append(moments[-1] + max(1, moments[-1] // 10))
    return moments


MOMENTS = _moments()
"""The iterations at which exploitability is measured, see `next_moment`."""


def next_moment(iteration: int, gap: int = 1) -> int:
    """Return the first iteration after `iteration` at which the strategy is measured.

    1, 2, …, 20, 22, 24, …, each about a tenth further. Where measuring takes as long as many
    iterations, moments that are less than `gap` apart are thinned out: at first they double.
    They do not depend on the clock, so that a run that stops at a target stops at the same
    iteration every time.
    """
    thinned = _thinned(gap)
    if iteration < thinned[-1]:
        return thinned[bisect_right(thinned, iteration)]
    return MOMENTS[bisect_right(MOMENTS, iteration)]


@lru_cache
def _thinned(gap: int) -> tuple[int, ...]:
    """Return the moments up to where they are `gap` apart, each twice as far as the last."""
    moments = [1]
    while moments[-1] < 10 * gap:
        moments.append(MOMENTS[bisect_left(MOMENTS, 2 * moments[-1])])
    return tuple(moments) if gap > 1 else (1,)


def array_of(
    state: Mapping[str, AnyArray], name: str, shape: tuple[int | None, ...], dtype: type[np.generic]
) -> np.ndarray[Any, Any]:
    """Return the array `name` of a saved state, or raise FormatError if it does not fit.

    A length of None is any.
    """
    if name not in state:
        raise FormatError(f"the saved state lacks {name!r}")
    found = state[name]
    lengths = zip(found.shape, shape, strict=False)
    is_of_shape = len(found.shape) == len(shape) and all(
        length == wanted or wanted is None for length, wanted in lengths
    )
    if not is_of_shape or found.dtype != dtype:
        raise FormatError(
            f"{name!r} of the saved state is {found.dtype}{list(found.shape)}, "
            f"expected {np.dtype(dtype)}{list(shape)}"
        )
    # Numbers that are all but infinite would overflow in the next sum.
    if found.dtype.kind == "f" and not bool(np.all(np.abs(found) <= _LARGEST)):  # false for nan
        raise FormatError(f"{name!r} of the saved state has values that are not finite")
    return found


def verify_blocks(name: str, rows: Floats, first: AnyArray) -> None:
    """Raise FormatError unless `rows` of a saved state are probabilities.

    Entry 0 stands for the beginning of the game; infoset i has the entries first[i] to
    first[i + 1] − 1.
    """
    is_sound = bool(rows[0] == 1.0 and np.all(rows >= 0.0))
    if is_sound and len(first) > 1:
        is_sound = bool(np.all(np.abs(np.add.reduceat(rows, first[:-1]) - 1.0) <= _SUM_TOLERANCE))
    if not is_sound:
        raise FormatError(f"{name!r} of the saved state has blocks that do not sum to 1")
