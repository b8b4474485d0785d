"""A two-player game with perfect recall as two treeplexes and a payoff operator.

Each player's half of the game is a `Side`: a *treeplex* (infosets in topological order,
each with the player's sequence that leads to it and a block of action sequences) and the player's
rows of the *payoff operator* (for every pair of sequences that meets at a terminal, the chance
weight P and the weighted payoff A = P ∘ U). The compiled sweeps over it are in `sweeps`; this
module needs NumPy alone.

References: von Stengel 1996, "Efficient computation of behavior strategies"; Hoda, Gilpin,
Peña & Sandholm 2010, "Smoothing techniques for computing Nash equilibria" (treeplexes).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from untilt.errors import GameError, GameTooLarge
from untilt.game.names.names import Names
from untilt.game.sequence.plan_form import (
    PlanForm,
    own_sequences,
    rows_fault,
    sums_to_zero,
    treeplex_fault,
)
from untilt.numeric.arrays import Floats, Indices, Offsets


class Side(NamedTuple):
    """One player's half of the sequence form; I infosets, S sequences, N sequence pairs."""

    parent_sequence: Indices
    """[I] the player's sequence that leads to each infoset; 0 is the empty one."""
    first_sequence: Indices
    """[I + 1] infoset i owns sequences first_sequence[i] … first_sequence[i + 1] − 1."""
    row_start: Indices
    """[S + 1] own sequence s meets the pairs row_start[s] … row_start[s + 1] − 1."""
    opponent_sequence: Indices
    """[N] the opponent's sequence of each pair."""
    weight: Floats
    """[N] P: the chance probability of the pair's terminals."""
    payoff: Floats
    """[N] A: the player's payoff at the pair's terminals, weighted by chance."""

    @property
    def num_infosets(self) -> int:
        """The number of the player's infosets."""
        return len(self.parent_sequence)

    @property
    def num_sequences(self) -> int:
        """The number of the player's sequences, including the empty one."""
        return len(self.row_start) - 1


class Terminals(NamedTuple):
    """The ends of a game, one row each, in any order; rows with equal sequences are summed."""

    sequences: tuple[Indices, ...]
    """[T] each player's last sequence."""
    weight: Floats
    """[T] the chance probability of the way to the terminal."""
    payoffs: tuple[Floats, ...]
    """[T] each player's payoff in chips, not weighted."""


@dataclass(frozen=True, eq=False, repr=False)
class SequenceForm(PlanForm):
    """Two sides, their names, and what was counted while building them.

    Kernels follow its indices unchecked, so they are checked here; raises GameError if they do not
    fit together.
    """

    sides: tuple[Side, Side]
    infosets: tuple[Names, Names]
    num_terminals: int
    is_zero_sum: bool

    def __post_init__(self) -> None:
        for player, side in enumerate(self.sides):
            fault = side_fault(side, self.infosets[player], self.infosets[1 - player])
            if fault is not None:
                raise GameError(f"the sequence form of player {player} is inconsistent: {fault}")
        if len(self.sides[0].weight) != len(self.sides[1].weight):
            raise GameError("the players' sides of the sequence form differ in length")

    def __repr__(self) -> str:
        counts = " + ".join(f"{len(names):,}" for names in self.infosets)
        return f"<SequenceForm of {counts} infosets, {self.num_pairs:,} pairs of sequences>"

    @property
    def num_pairs(self) -> int:
        """The pairs of sequences that meet at a terminal: the cost of one operator sweep."""
        return len(self.sides[0].weight)

    @property
    def num_meetings(self) -> int:
        """The pairs of sequences that meet at a terminal."""
        return self.num_pairs

    def meetings(self, player: int) -> tuple[Offsets, ...]:
        """Return each player's sequence in the rows of a player's side."""
        side = self.sides[player]
        own = own_sequences(side)
        others = side.opponent_sequence.astype(np.int64)
        return (own, others) if player == 0 else (others, own)

    def end_values(self, player: int, plans: Sequence[Floats]) -> Floats:
        """Return the value of the ends after each of a player's sequences, against `plans`."""
        return self._applied(player, self.sides[player].payoff, plans)

    def end_weights(self, player: int, plans: Sequence[Floats]) -> Floats:
        """Return the probability of the ends after each of a player's sequences, likewise."""
        return self._applied(player, self.sides[player].weight, plans)

    def _applied(self, player: int, coefficients: Floats, plans: Sequence[Floats]) -> Floats:
        from untilt.game.sequence.sweeps import apply_payoff

        values = np.empty(self.sides[player].num_sequences)
        apply_payoff(self.sides[player], coefficients, plans[1 - player], values)
        return values


def side_fault(side: Side, own: Names, other: Names) -> str | None:
    """Return why a side does not belong to these infosets, or None if it does."""
    for name, values in side._asdict().items():
        dtype = np.float64 if name in ("weight", "payoff") else np.uint32
        if not isinstance(values, np.ndarray) or values.ndim != 1 or values.dtype != dtype:
            return f"`{name}` is not a row of {np.dtype(dtype)}"
    num_pairs = len(side.opponent_sequence)
    fault = treeplex_fault(side, own)
    if fault is not None:
        return fault
    if not (len(side.weight) == len(side.payoff) == num_pairs):
        return "its weights, payoffs and pairs of sequences differ in number"
    fault = rows_fault(side.row_start, own.num_sequences, num_pairs)
    if fault is not None:
        return fault
    if not np.all(side.opponent_sequence < other.num_sequences):
        return "a pair names a sequence that the opponent does not have"
    if not (np.all(np.isfinite(side.weight)) and np.all(np.isfinite(side.payoff))):
        return "a weight or payoff is not finite"
    return None


def build_sequence_form(
    infosets: tuple[Names, Names],
    parent_sequences: tuple[Indices, ...],
    terminals: Terminals,
    *,
    num_terminals: int | None = None,
    is_general_sum: bool = False,
) -> SequenceForm:
    """Return the sequence form with these infosets and ends.

    Parents must precede children. `num_terminals` counts histories when `terminals` lists
    them already summed. Payoffs that everywhere sum to zero within `ZERO_SUM_TOLERANCE` make
    the game zero-sum, unless `is_general_sum` says that they are known not to.
    """
    counts = (infosets[0].num_sequences, infosets[1].num_sequences)
    verify_terminals(terminals, counts)
    pair = terminals.sequences[0].astype(np.int64) * counts[1] + terminals.sequences[1]
    pairs, pair_of_terminal = np.unique(pair, return_inverse=True)
    if len(pairs) > np.iinfo(np.uint32).max:
        raise GameTooLarge(f"{len(pairs):,} pairs of sequences; at most {2**32 - 1:,} fit")

    def summed(of_terminal: Floats) -> Floats:
        return np.bincount(pair_of_terminal, of_terminal, len(pairs)).astype(np.float64)

    weight = summed(terminals.weight)
    payoffs = [summed(terminals.weight * payoff) for payoff in terminals.payoffs]
    is_zero_sum = not is_general_sum and sums_to_zero(*terminals.payoffs)
    if is_zero_sum:
        payoffs[1] = -payoffs[0]
    sequences = [(pairs // counts[1]).astype(np.uint32), (pairs % counts[1]).astype(np.uint32)]

    def side(player: int) -> Side:
        own = sequences[player]
        order = np.argsort(own, kind="stable")
        row_start = np.zeros(counts[player] + 1, dtype=np.uint32)
        row_start[1:] = np.cumsum(np.bincount(own, minlength=counts[player]))
        return Side(
            parent_sequence=np.ascontiguousarray(parent_sequences[player], dtype=np.uint32),
            first_sequence=infosets[player].first_sequence,
            row_start=row_start,
            opponent_sequence=sequences[1 - player][order],
            weight=weight[order],
            payoff=payoffs[player][order],
        )

    return SequenceForm(
        sides=(side(0), side(1)),
        infosets=infosets,
        num_terminals=len(terminals.weight) if num_terminals is None else num_terminals,
        is_zero_sum=is_zero_sum,
    )


def verify_terminals(terminals: Terminals, counts: tuple[int, ...]) -> None:
    """Raise GameError unless the arrays of terminals fit players with `counts` sequences."""
    numbers = (terminals.weight, *terminals.payoffs)
    shapes = {np.shape(values) for values in numbers}
    shapes |= {np.shape(values) for values in terminals.sequences}
    if len(shapes) > 1 or np.ndim(terminals.weight) != 1:
        raise GameError("the arrays of terminals differ in length")
    if not len(terminals.weight):
        raise GameError("a game without terminals has no sequence form")
    for player, (sequences, count) in enumerate(zip(terminals.sequences, counts, strict=True)):
        if sequences.min() < 0 or sequences.max() >= count:
            raise GameError(
                f"a terminal names sequence {int(sequences.max())} of player {player}, who has "
                f"sequences 0 to {count - 1}"
            )
    if not all(np.all(np.isfinite(values)) for values in numbers):
        raise GameError("a weight or payoff of a terminal is not finite")
