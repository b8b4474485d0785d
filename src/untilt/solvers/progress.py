"""The progress of a solver, and the protocol for running, saving and resuming it."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from untilt.evaluation.best_response import Evaluation
from untilt.game.compiled import CompiledGame
from untilt.game.strategy.snapshot import Snapshot
from untilt.numeric.arrays import AnyArray
from untilt.solvers.moments import MOMENTS


@dataclass(frozen=True)
class Progress:
    """The progress of a solver."""

    iteration: int | None
    """Iterations done; None for a method without iterations."""
    seconds: float
    """Wall time of iterations and stopping tests."""
    evaluation: Evaluation | None
    """The exact evaluation of the strategy; None between the moments at which it is measured."""
    regret: float | None
    """Largest positive regrets summed over infosets, per iteration; None between moments."""
    beta: float | None = None
    """Rationality, for quantal response."""
    residual: float | None = None
    """The distance of the strategy from its own logit response, for quantal response."""
    drift: float | None = None
    """The distance that the average strategy moved since the last moment, for sampling solvers."""
    nodes: int | None = None
    """Nodes of the tree visited so far, for sampling solvers."""
    infosets: int | None = None
    """Infosets met so far, for solvers that sample positions."""
    lbr: float | None = None
    """The winnings of local best response, in mbb per hand, if a trainer measures them."""
    lbr_margin: float | None = None
    """Half of the 95 % interval of `lbr`."""
    moment: int | None = None
    """The index of this moment among those that are kept; None: derived from the iteration."""

    @property
    def is_moment(self) -> bool:
        """Whether the strategy was measured here."""
        return self.evaluation is not None or self.drift is not None

    @property
    def moment_number(self) -> int:
        """The index of this moment among those that are kept, from 0."""
        return bisect_left(MOMENTS, self.iteration or 0) if self.moment is None else self.moment


class AnySolver(Protocol):
    """The protocol of solvers with any kind of snapshot: iterate, save and continue."""

    seconds: float
    """Wall time of iterations and stopping tests so far; set when a run is resumed."""

    @property
    def iteration(self) -> int | None:
        """Iterations done; None for a method without iterations."""
        ...

    @property
    def is_at_moment(self) -> bool:
        """Whether the strategy is measured at the current iteration."""
        ...

    def warm_up(self) -> None:
        """Compile what must be compiled, without changing the state."""
        ...

    def progress(self, until: int | None = None) -> Iterator[Progress]:
        """Run up to iteration `until`, yielding often enough to stop, save or draw."""
        ...

    def outcome(self) -> dict[str, Any]:
        """Return the method's report besides the strategy, as plain data."""
        ...

    def state(self) -> dict[str, AnyArray]:
        """Return named arrays from which `restore` continues bit for bit."""
        ...

    def restore(self, state: Mapping[str, AnyArray]) -> None:
        """Continue from `state()`; raise FormatError if it does not fit."""
        ...


class Solver(AnySolver, Protocol):
    """A solver is an iterator of progress with a state that can be saved."""

    def snapshot(self) -> Snapshot:
        """Return the strategy found so far."""
        ...


@runtime_checkable
class DiscoversGame(Protocol):
    """A solver that discovers the infosets while it works."""

    def game(self) -> CompiledGame:
        """Return the game of its snapshot, as far as it is known."""
        ...


def game_of(solver: object, game: CompiledGame) -> CompiledGame:
    """Return the game of a solver: as compiled, or else the infosets that it has met."""
    return solver.game() if game.is_partial and isinstance(solver, DiscoversGame) else game
