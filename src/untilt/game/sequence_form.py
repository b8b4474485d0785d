"""A two-player game with perfect recall as two treeplexes and a payoff operator.

Each player's half of the game is a `Side`: a *treeplex* (infosets in topological order,
each with the own sequence that leads to it and a block of action sequences) and her rows
of the *payoff operator* (for every pair of sequences that meets at a terminal, the chance
weight P and her weighted payoff A = P ∘ U). The compiled sweeps over it are in `sweeps`;
this module needs NumPy alone.

References: von Stengel 1996, "Efficient computation of behavior strategies"; Hoda, Gilpin,
Peña & Sandholm 2010, "Smoothing techniques for computing Nash equilibria" (treeplexes).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from untilt.errors import GameTooLarge
from untilt.game.infosets import Infosets
from untilt.numeric.arrays import Floats, Indices


class Side(NamedTuple):
    """One player's half of the sequence form; I infosets, S sequences, N sequence pairs."""

    parent_sequence: Indices
    """[I] the own sequence that leads to each infoset; 0 is the empty one."""
    first_sequence: Indices
    """[I + 1] infoset i owns sequences first_sequence[i] … first_sequence[i + 1] − 1."""
    row_start: Indices
    """[S + 1] own sequence s meets the pairs row_start[s] … row_start[s + 1] − 1."""
    opponent_sequence: Indices
    """[N] the opponent's sequence of each pair."""
    weight: Floats
    """[N] P: the chance probability of the pair's terminals."""
    payoff: Floats
    """[N] A: the own payoff at the pair's terminals, weighted by chance."""

    @property
    def num_infosets(self) -> int:
        """How many infosets the player has."""
        return len(self.parent_sequence)

    @property
    def num_sequences(self) -> int:
        """How many sequences the player has, the empty one included."""
        return len(self.row_start) - 1


class Terminals(NamedTuple):
    """The ends of a game, one row each, in any order; rows with equal sequences are summed."""

    sequences: tuple[Indices, Indices]
    """[T] each player's last sequence."""
    weight: Floats
    """[T] the chance probability of the way to the terminal."""
    payoffs: tuple[Floats, Floats]
    """[T] each player's payoff in chips, not weighted."""


@dataclass(frozen=True)
class SequenceForm:
    """Two sides, their names, and what was counted while building them."""

    sides: tuple[Side, Side]
    infosets: tuple[Infosets, Infosets]
    num_terminals: int
    is_zero_sum: bool

    @property
    def num_pairs(self) -> int:
        """How many pairs of sequences meet at a terminal: the cost of one operator sweep."""
        return len(self.sides[0].weight)

    def plans(self, behaviours: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        """Return both players' realization plans: the own reach of every sequence."""
        from untilt.game.sweeps import plan_from_behaviour

        plans = (np.empty(len(behaviours[0])), np.empty(len(behaviours[1])))
        for side, behaviour, plan in zip(self.sides, behaviours, plans, strict=True):
            plan_from_behaviour(side, behaviour, plan)
        return plans

    def behaviours(self, plans: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        """Return both players' behaviour under `plans`, uniform where a plan never goes."""
        from untilt.game.sweeps import behaviour_from_plan

        behaviours = (np.empty(len(plans[0])), np.empty(len(plans[1])))
        for side, plan, behaviour in zip(self.sides, plans, behaviours, strict=True):
            behaviour_from_plan(side, plan, behaviour)
        return behaviours


def build_sequence_form(
    infosets: tuple[Infosets, Infosets],
    parent_sequences: tuple[Indices, Indices],
    terminals: Terminals,
    *,
    num_terminals: int | None = None,
) -> SequenceForm:
    """Return the sequence form with these infosets and ends.

    Parents must precede children. `num_terminals` counts histories when `terminals` lists
    them already summed. Payoffs within 1e-9 of summing to zero, in proportion to their
    size, make the game zero-sum.
    """
    counts = (infosets[0].num_sequences, infosets[1].num_sequences)
    pair = terminals.sequences[0].astype(np.int64) * counts[1] + terminals.sequences[1]
    pairs, pair_of_terminal = np.unique(pair, return_inverse=True)
    if len(pairs) > np.iinfo(np.uint32).max:
        raise GameTooLarge(f"{len(pairs):,} pairs of sequences; at most {2**32 - 1:,} fit")

    def summed(of_terminal: Floats) -> Floats:
        return np.bincount(pair_of_terminal, of_terminal, len(pairs)).astype(np.float64)

    weight = summed(terminals.weight)
    payoffs = [summed(terminals.weight * payoff) for payoff in terminals.payoffs]
    size = np.maximum(1.0, np.abs(terminals.payoffs[0]))
    is_zero_sum = bool(np.all(np.abs(terminals.payoffs[0] + terminals.payoffs[1]) <= 1e-9 * size))
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
