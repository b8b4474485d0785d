"""A game of any number of players with perfect recall: treeplexes and the tuples that meet.

Terminals at which the same tuple of sequences meets, one per player, are merged. Each player has a
copy of the tuples, sorted by the player's own sequence: a row of *others* names the sequences of
the other players, as numbers in one array of all players' plans. The value of the player's
sequence s is then

    values[s] = Σ_t payoff[t] Π_j plan[others[t, j]]      over the tuples t of s

and the sweeps over the treeplex are those of two players. With two players a tuple is a pair, and
the game has its `SequenceForm` instead.
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
from untilt.game.sequence.sequence_form import Terminals, verify_terminals
from untilt.numeric.arrays import Floats, Indices, Offsets

_LARGEST_KEY = 2**62


class TerminalSide(NamedTuple):
    """One player's part of the form; I infosets, S sequences, T tuples, n players."""

    parent_sequence: Indices
    """[I] the player's sequence that leads to each infoset; 0 is the empty one."""
    first_sequence: Indices
    """[I + 1] infoset i owns sequences first_sequence[i] … first_sequence[i + 1] − 1."""
    row_start: Indices
    """[S + 1] own sequence s meets the tuples row_start[s] … row_start[s + 1] − 1."""
    others: Indices
    """[T, n − 1] the other players' sequences, by their place in the plans of all players."""
    weight: Floats
    """[T] the chance probability of the tuple's terminals."""
    payoff: Floats
    """[T] the player's payoff at the tuple's terminals, weighted by chance."""

    @property
    def num_infosets(self) -> int:
        """The number of the player's infosets."""
        return len(self.parent_sequence)

    @property
    def num_sequences(self) -> int:
        """The number of the player's sequences, including the empty one."""
        return len(self.row_start) - 1


@dataclass(frozen=True, eq=False, repr=False)
class TerminalForm(PlanForm):
    """A side per player, their names, and what was counted while building them.

    Kernels follow its indices unchecked, so they are checked here; raises GameError if they do not
    fit together.
    """

    sides: tuple[TerminalSide, ...]
    infosets: tuple[Names, ...]
    num_terminals: int
    is_zero_sum: bool

    def __post_init__(self) -> None:
        if len(self.sides) != len(self.infosets) or len(self.sides) < 2:
            raise GameError("the terminal form does not have a side for every player")
        for player, side in enumerate(self.sides):
            fault = terminal_side_fault(side, player, self.infosets)
            if fault is not None:
                raise GameError(f"the terminal form of player {player} is inconsistent: {fault}")
        if len({len(side.weight) for side in self.sides}) > 1:
            raise GameError("the players' sides of the terminal form differ in length")

    def __repr__(self) -> str:
        counts = " + ".join(f"{len(names):,}" for names in self.infosets)
        return f"<TerminalForm of {counts} infosets, {self.num_tuples:,} tuples of sequences>"

    @property
    def num_tuples(self) -> int:
        """The tuples of sequences that meet at a terminal: the cost of one operator sweep."""
        return len(self.sides[0].weight)

    @property
    def num_meetings(self) -> int:
        """The tuples of sequences that meet at a terminal."""
        return self.num_tuples

    @property
    def num_sequences(self) -> int:
        """The sequences of all players: the length of their plans, one after the other."""
        return sum(side.num_sequences for side in self.sides)

    def meetings(self, player: int) -> tuple[Offsets, ...]:
        """Return each player's sequence in the rows of a player's side."""
        side, starts = self.sides[player], first_places(self.infosets)
        found = {player: own_sequences(side)}
        for column, other in enumerate(_others_of(player, self.num_players)):
            found[other] = side.others[:, column].astype(np.int64) - starts[other]
        return tuple(found[each] for each in range(self.num_players))

    def end_values(self, player: int, plans: Sequence[Floats]) -> Floats:
        """Return the value of the ends after each of a player's sequences, against `plans`."""
        return self._applied(player, self.sides[player].payoff, plans)

    def end_weights(self, player: int, plans: Sequence[Floats]) -> Floats:
        """Return the probability of the ends after each of a player's sequences, likewise."""
        return self._applied(player, self.sides[player].weight, plans)

    def _applied(self, player: int, coefficients: Floats, plans: Sequence[Floats]) -> Floats:
        from untilt.game.sequence.sweeps import apply_terminals

        values = np.empty(self.sides[player].num_sequences)
        apply_terminals(self.sides[player], coefficients, np.concatenate(plans), values)
        return values


def terminal_side_fault(side: TerminalSide, player: int, infosets: tuple[Names, ...]) -> str | None:
    """Return why a side does not belong to a player of these infosets, or None if it does."""
    for name, values in side._asdict().items():
        dtype = np.float64 if name in ("weight", "payoff") else np.uint32
        dimensions = 2 if name == "others" else 1
        if not isinstance(values, np.ndarray) or values.ndim != dimensions or values.dtype != dtype:
            return f"`{name}` is not an array of {np.dtype(dtype)} with {dimensions} dimensions"
    fault = treeplex_fault(side, infosets[player])
    if fault is not None:
        return fault
    num_tuples = len(side.weight)
    if side.others.shape != (num_tuples, len(infosets) - 1) or len(side.payoff) != num_tuples:
        return "its weights, payoffs and tuples of sequences differ in number"
    fault = rows_fault(side.row_start, infosets[player].num_sequences, num_tuples)
    if fault is not None:
        return fault
    starts = first_places(infosets)
    for column, other in enumerate(_others_of(player, len(infosets))):
        named = side.others[:, column]
        if not (np.all(named >= starts[other]) and np.all(named < starts[other + 1])):
            return f"a tuple names a sequence that player {other} does not have"
    if not (np.all(np.isfinite(side.weight)) and np.all(np.isfinite(side.payoff))):
        return "a weight or payoff is not finite"
    return None


def first_places(infosets: Sequence[Names]) -> Offsets:
    """Return [players + 1] where each player's plan begins in the array of all plans."""
    counts = [names.num_sequences for names in infosets]
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)


def build_terminal_form(
    infosets: tuple[Names, ...],
    parent_sequences: tuple[Indices, ...],
    terminals: Terminals,
    *,
    is_general_sum: bool = False,
) -> TerminalForm:
    """Return the terminal form with these infosets and ends; parents must precede children.

    Payoffs that everywhere sum to zero make the game zero-sum, unless `is_general_sum` says that
    they are known not to.
    """
    counts = tuple(names.num_sequences for names in infosets)
    verify_terminals(terminals, counts)
    starts = first_places(infosets)
    if int(starts[-1]) > np.iinfo(np.uint32).max:
        raise GameTooLarge(f"{int(starts[-1]):,} sequences; at most {2**32 - 1:,} fit")
    first, tuple_of_terminal = _merged(terminals.sequences, counts)
    num_tuples = len(first)

    def summed(of_terminal: Floats) -> Floats:
        return np.bincount(tuple_of_terminal, of_terminal, num_tuples).astype(np.float64)

    weight = summed(terminals.weight)
    sequences = [each[first].astype(np.int64) for each in terminals.sequences]

    def side(player: int) -> TerminalSide:
        own = sequences[player]
        order = np.argsort(own, kind="stable")
        row_start = np.zeros(counts[player] + 1, dtype=np.uint32)
        row_start[1:] = np.cumsum(np.bincount(own, minlength=counts[player]))
        columns = [
            sequences[other][order] + starts[other] for other in _others_of(player, len(infosets))
        ]
        return TerminalSide(
            parent_sequence=np.ascontiguousarray(parent_sequences[player], dtype=np.uint32),
            first_sequence=infosets[player].first_sequence,
            row_start=row_start,
            others=np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.uint32),
            weight=weight[order],
            payoff=summed(terminals.weight * terminals.payoffs[player])[order],
        )

    return TerminalForm(
        sides=tuple(side(player) for player in range(len(infosets))),
        infosets=infosets,
        num_terminals=len(terminals.weight),
        is_zero_sum=not is_general_sum and sums_to_zero(*terminals.payoffs),
    )


def _others_of(player: int, num_players: int) -> list[int]:
    return [other for other in range(num_players) if other != player]


def _merged(sequences: tuple[Indices, ...], counts: tuple[int, ...]) -> tuple[Offsets, Offsets]:
    """Return a terminal of each distinct tuple, in the order of the tuples, and each one's tuple.

    Tuples are ordered by player 0's sequence first, then by player 1's, and so on.
    """
    key = np.zeros(len(sequences[0]), dtype=np.int64)
    largest = 1
    for own, count in zip(sequences, counts, strict=True):
        if largest * count >= _LARGEST_KEY:
            found, key = np.unique(key, return_inverse=True)
            largest = len(found)
        key = key * count + own
        largest *= count
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    return first, number
