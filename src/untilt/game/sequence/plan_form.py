"""The base of forms of a game with plans: a treeplex per player, and sweeps against plans.

A game of two players with perfect recall has a `SequenceForm`, one of more players a
`TerminalForm`. Solvers and measures that work with either use the methods of `PlanForm`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from untilt.errors import StrategyError
from untilt.game.names.names import Names
from untilt.numeric.arrays import Floats, Indices, Offsets

ZERO_SUM_TOLERANCE = 1e-9
"""How far from 0 all players' payoffs may sum at an end, as a share of the game's largest
payoff, in a zero-sum game: rounding, and payoffs written with ten digits."""


class Treeplex(Protocol):
    """One player's infosets, each with the player's sequence that leads to it."""

    @property
    def row_start(self) -> Indices:
        """[S + 1] own sequence s meets the rows row_start[s] … row_start[s + 1] − 1."""
        ...

    @property
    def weight(self) -> Floats:
        """[rows] the chance probability of the terminals of each row."""
        ...

    @property
    def payoff(self) -> Floats:
        """[rows] the player's payoff at them, weighted by chance."""
        ...

    def _asdict(self) -> dict[str, Any]:
        """Return all arrays by name."""
        ...

    @property
    def parent_sequence(self) -> Indices:
        """[I] the player's sequence that leads to each infoset; 0 is the empty one."""
        ...

    @property
    def first_sequence(self) -> Indices:
        """[I + 1] infoset i owns sequences first_sequence[i] … first_sequence[i + 1] − 1."""
        ...

    @property
    def num_infosets(self) -> int:
        """The number of the player's infosets."""
        ...

    @property
    def num_sequences(self) -> int:
        """The number of the player's sequences, including the empty one."""
        ...


class PlanForm(ABC):
    """A game with perfect recall as a treeplex per player and the values of sequences."""

    sides: tuple[Treeplex, ...]
    """Each player's part of the form."""
    infosets: tuple[Names, ...]
    num_terminals: int
    is_zero_sum: bool

    @abstractmethod
    def meetings(self, player: int) -> tuple[Offsets, ...]:
        """Return each player's sequence in the rows of a player's side."""

    @property
    @abstractmethod
    def num_meetings(self) -> int:
        """The tuples of sequences that meet at a terminal: the cost of one operator sweep."""

    @abstractmethod
    def end_values(self, player: int, plans: Sequence[Floats]) -> Floats:
        """Return the value of the ends after each of a player's sequences, against `plans`.

        It is weighted by the reach of chance and the other players; own reach is excluded.
        """

    @abstractmethod
    def end_weights(self, player: int, plans: Sequence[Floats]) -> Floats:
        """Return the probability of the ends after each of a player's sequences, likewise."""

    @property
    def num_players(self) -> int:
        """The number of players."""
        return len(self.infosets)

    def plans(self, behaviours: Sequence[Floats]) -> tuple[Floats, ...]:
        """Return all players' realization plans: their own reach of every sequence."""
        from untilt.game.sequence.sweeps import plan_from_behaviour

        self.verify_rows(behaviours)
        plans = tuple(np.empty(len(behaviour)) for behaviour in behaviours)
        for side, behaviour, plan in zip(self.sides, behaviours, plans, strict=True):
            plan_from_behaviour(side, behaviour, plan)
        return plans

    def behaviours(self, plans: Sequence[Floats]) -> tuple[Floats, ...]:
        """Return all players' behaviour under `plans`, uniform where a plan never goes."""
        from untilt.game.sequence.sweeps import behaviour_from_plan

        self.verify_rows(plans)
        behaviours = tuple(np.empty(len(plan)) for plan in plans)
        for side, plan, behaviour in zip(self.sides, plans, behaviours, strict=True):
            behaviour_from_plan(side, plan, behaviour)
        return behaviours

    def verify_rows(self, rows: Sequence[Floats]) -> None:
        """Raise StrategyError unless `rows` are one float64 array over sequences per player."""
        if not (isinstance(rows, tuple | list) and len(rows) == self.num_players):
            raise StrategyError(f"expected one array per player, got {type(rows).__name__!r}")
        for names, row in zip(self.infosets, rows, strict=True):
            verify_row(names, row)


def verify_row(names: Names, row: object) -> None:
    """Raise StrategyError unless `row` is a float64 array with a number per sequence."""
    if not isinstance(row, np.ndarray):
        raise StrategyError(
            f"expected an array of player {names.player}'s {names.num_sequences:,} sequences, "
            f"got {type(row).__name__!r}"
        )
    if row.shape != (names.num_sequences,) or row.dtype != np.float64:
        raise StrategyError(
            f"player {names.player} has {names.num_sequences:,} sequences, so the array must be "
            f"float64 of shape ({names.num_sequences},); it is {row.dtype} of shape {row.shape}"
        )


def treeplex_fault(treeplex: Treeplex, own: Names) -> str | None:
    """Return why a treeplex does not belong to these infosets, or None if it does."""
    if len(treeplex.parent_sequence) != len(own):
        return f"{len(treeplex.parent_sequence):,} parent sequences for {len(own):,} infosets"
    if not np.array_equal(treeplex.first_sequence, own.first_sequence):
        return "its blocks of sequences are not those of its infosets"
    if not np.all(treeplex.parent_sequence < treeplex.first_sequence[:-1]):
        return "an infoset comes before the sequence that leads to it"
    return None


def own_sequences(side: Treeplex) -> Offsets:
    """Return the player's own sequence in each row of a side."""
    starts = side.row_start.astype(np.int64)
    return np.repeat(np.arange(side.num_sequences), np.diff(starts))


def rows_fault(row_start: Indices, num_sequences: int, num_rows: int) -> str | None:
    """Return why the rows of sequences are not all of `num_rows`, or None if they are."""
    if len(row_start) != num_sequences + 1:
        return f"{len(row_start):,} row starts for {num_sequences:,} sequences"
    if not (
        row_start[0] == 0 and row_start[-1] == num_rows and np.all(row_start[:-1] <= row_start[1:])
    ):
        return "its rows of sequences that meet overlap or leave some out"
    return None


def sums_to_zero(*payoffs: Floats) -> bool:
    """Whether all players' payoffs sum to zero everywhere, but for rounding."""
    count = len(payoffs)
    largest = max(np.abs(each).max(initial=0.0) for each in payoffs)
    # Shares, because the sum of payoffs may be larger than any float.
    gap = np.abs(sum(each / count for each in payoffs)).max(initial=0.0)
    return bool(gap <= ZERO_SUM_TOLERANCE * largest / count)
