"""The model of a table: the probability of every end of a hand, for one seat that decides.

The cards of nine seats cannot be counted, those of three can. So the hands of all others count as
independent of one another *given two hands and their relation*: the own hand and a *partner's*,
with who of the two wins. How likely another seat's hand is then, and where it finishes, is exact in
the table of three-way all-ins. With three seats nothing is lost: the model is exact. With more,

- cards of a seat that folded remove cards of the pair, but not of one another;
- four hands finish in an order by the chain rule P(o, o' | pair, r) = P(o | pair, r) P(o' | pair,
  r).

The partner is the last seat that is all-in before the own one or, if nobody is, the first that is
all-in after it: a case for each. What is left of the probability is that nobody follows.

A *program* lists, for a state and a partner, all ends with what they need: `sweeps.value_state`
computes them for all 169 hands.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from untilt.cards.combos import NUM_CLASSES
from untilt.cards.equity.preflop_table import NUM_BOARDS as BOARDS_OF_TWO
from untilt.cards.equity.preflop_table import preflop_matrix
from untilt.cards.equity.three_way_table import NUM_BOARDS as BOARDS_OF_THREE
from untilt.games.pushfold.game import NUM_DEALS
from untilt.games.pushfold.tables.positions import (
    COMBINATIONS,
    NUM_KNOWN,
    RELATION_OF_ORDER,
    TO_PARTNER,
    finishes,
    reordered,
)
from untilt.games.pushfold.tables.sweeps import KnownHands, Pairs, Program
from untilt.games.pushfold.tables.table import FORCED, OUT, PushFoldTable, TableState
from untilt.numeric.arrays import Floats, Offsets

_THIRD_HANDS = 48 * 47 // 2

FOLD, ALL_IN = 0, 1
"""The rows of values of a state."""


@lru_cache(maxsize=1)
def known_tables() -> KnownHands:
    """Return the tables of `positions` for kernels."""
    return KnownHands(RELATION_OF_ORDER, COMBINATIONS, TO_PARTNER)


@lru_cache(maxsize=1)
def dealt_pairs() -> Pairs:
    """Return the exact probabilities of two classes and of their relation."""
    matrix = preflop_matrix()
    second, first = np.tril_indices(NUM_CLASSES)
    pairs = matrix.pairs[first, second].astype(np.float64)
    wins, losses = matrix.wins[first, second], matrix.wins[second, first]
    relation = np.stack([wins, matrix.ties[first, second], losses], axis=1)
    return Pairs(
        probability=pairs / NUM_DEALS,
        relation=relation / (pairs * BOARDS_OF_TWO)[:, np.newaxis],
        scale=1.0 / (pairs * _THIRD_HANDS * BOARDS_OF_THREE),
    )


@dataclass(frozen=True)
class Case:
    """A program, and the row of values that it has if somebody follows; None for both rows."""

    program: Program
    row: int | None


@dataclass(frozen=True)
class StatePrograms:
    """The programs by which a state is valued."""

    state: TableState
    node: int
    is_forced: bool
    """Whether the seat is all-in without a decision."""
    cases: tuple[Case, ...]
    """One for both rows if somebody is all-in before; else one for each partner that may follow,
    the last one of which says how likely the state is."""
    alone: tuple[float, float]
    """The utility by row if nobody follows."""
    constant: float | None
    """The utility of folding, if it does not depend on the others."""


@dataclass(frozen=True)
class Total:
    """A set of seats that are all-in, as the last of them sees it: a row of values per seat."""

    seats: tuple[int, ...]
    node: int
    program: Program


@dataclass
class _Ends:
    """The steps and ends of a program while it is made."""

    step_parent: list[int] = field(default_factory=lambda: [0])
    step_node: list[int] = field(default_factory=lambda: [-1])
    end_step: list[int] = field(default_factory=list)
    end_others: list[list[int]] = field(default_factory=list)
    end_known: list[int] = field(default_factory=list)
    end_utility: list[int] = field(default_factory=list)
    end_row: list[int] = field(default_factory=list)

    def fold(self, parent: int, node: int) -> int:
        """Add a step in which the seat of a node folds, and return its number."""
        self.step_parent.append(parent)
        self.step_node.append(node)
        return len(self.step_node) - 1

    def end(self, step: int, nodes: Sequence[int], utility: int, row: int) -> None:
        """Add an end after a step, with the nodes of the other seats in the pot."""
        self.end_step.append(step)
        self.end_others.append([*nodes, *[-1] * (3 - len(nodes))])
        self.end_known.append(len(nodes))
        self.end_utility.append(utility)
        self.end_row.append(row)

    def program(
        self, partner: int, before: list[int], between: list[int], joined: list[int]
    ) -> Program:
        """Return the program."""
        return Program(
            partner=partner,
            before=_array(before),
            between=_array(between),
            joined=_array(joined),
            step_parent=_array(self.step_parent),
            step_node=_array(self.step_node),
            end_step=_array(self.end_step),
            end_others=_array(self.end_others).reshape(-1, 3),
            end_known=_array(self.end_known),
            end_utility=_array(self.end_utility),
            end_row=_array(self.end_row),
        )


def _array(numbers: Sequence[int] | Sequence[Sequence[int]]) -> Offsets:
    return np.array(numbers, dtype=np.int64)


class Plan:
    """The programs of a table, and the utilities of all ends."""

    def __init__(self, table: PushFoldTable) -> None:
        self.table = table
        self.nodes = {state: node for node, state in enumerate(table.states)}
        self.utility_of_set = {
            seats: table.utilities(seats) for seats in dict.fromkeys(table.final_sets())
        }
        self._flat: list[Floats] = []
        self._begin_of: dict[tuple[object, ...], int] = {}
        self._length = 0
        self.states = tuple(self._of_state(state) for state in table.states)
        self.totals = tuple(self._total(seats) for seats in self.utility_of_set if len(seats) > 1)
        self.utilities = np.concatenate(self._flat)

    def _of_state(self, state: TableState) -> StatePrograms:
        table = self.table
        seat, mask = state
        is_forced = table.decision(state) == FORCED
        constant = None if table.prizes else -float(table.posted.total[seat])
        rows = [ALL_IN] if is_forced or constant is not None else [FOLD, ALL_IN]
        cases: tuple[Case, ...]
        if mask:
            cases = (Case(self._after_others(state, rows), None),)
        else:
            cases = tuple(
                Case(program, row)
                for row in rows
                for partner in range(seat + 1, table.num_seats)
                if (program := self._before_others(seat, partner, row)) is not None
            )
        ends = (), (seat,)
        alone = [
            float(self.utility_of_set[end][0, seat]) if end in self.utility_of_set else 0.0
            for end in ends
        ]
        return StatePrograms(
            state, self.nodes[state], is_forced, cases, (alone[0], alone[1]), constant
        )

    def _node(self, seat: int, mask: int) -> int:
        """Return the node in which a seat may be all-in after those of `mask`; −1 if it cannot."""
        return self.nodes.get(TableState(seat, mask & ((1 << seat) - 1)), -1)

    def _folds(self, seats: Sequence[int], mask: int) -> list[int]:
        """Return the nodes of those of the `seats` that fold, and could do otherwise."""
        nodes = [self._node(each, mask) for each in seats if not mask >> each & 1]
        return [node for node in nodes if node >= 0]

    def _is_forced(self, seat: int, mask: int) -> bool:
        state = TableState(seat, mask & ((1 << seat) - 1))
        return state in self.nodes and self.table.decision(state) == FORCED

    def _after_others(self, state: TableState, rows: Sequence[int]) -> Program:
        """Return the program of a state before which somebody is all-in."""
        seat, mask = state
        members = [each for each in range(seat) if mask >> each & 1]
        partner = members.pop()
        ends = _Ends()
        joined = [(each, self._node(each, mask)) for each in members]
        for row in rows:
            now = mask | 1 << seat if row == ALL_IN else mask
            self._grow(ends, seat, partner, seat + 1, now, 0, joined, row)
        return ends.program(
            self._node(partner, mask),
            self._folds(range(seat), mask),
            [],
            [node for _, node in joined],
        )

    def _before_others(self, seat: int, partner: int, row: int) -> Program | None:
        """Return the program in which a partner is the next to be all-in; None if that cannot be.

        The own seat is all-in or folds, by `row`, after all others have folded.
        """
        mask = 1 << seat if row == ALL_IN else 0
        node = self._node(partner, mask)
        between = range(seat + 1, partner)
        if node < 0 or any(self._is_forced(each, mask) for each in between):
            return None
        ends = _Ends()
        self._grow(ends, seat, partner, partner + 1, mask | 1 << partner, 0, [], row)
        return ends.program(node, self._folds(range(seat), 0), self._folds(between, mask), [])

    def _grow(
        self,
        ends: _Ends,
        own: int,
        partner: int,
        seat: int,
        mask: int,
        step: int,
        others: list[tuple[int, int]],
        row: int,
    ) -> None:
        """Add all that seats from `seat` on can do."""
        if seat == self.table.num_seats:
            begin = self._utility(mask, own, partner, [each for each, _ in others], own)
            ends.end(step, [node for _, node in others], begin, row)
            return
        state = TableState(seat, mask)
        decision = self.table.decision(state)
        if decision == OUT:
            self._grow(ends, own, partner, seat + 1, mask, step, others, row)
            return
        node = self.nodes[state]
        joined = [*others, (seat, node)]
        self._grow(ends, own, partner, seat + 1, mask | 1 << seat, step, joined, row)
        if decision != FORCED:
            after = ends.fold(step, node)
            self._grow(ends, own, partner, seat + 1, mask, after, others, row)

    def _utility(self, mask: int, own: int, partner: int, others: Sequence[int], seat: int) -> int:
        """Return where the utilities [2, known] of a seat begin, if `mask` is all-in at the end."""
        key = (mask, own, partner, tuple(others), seat)
        if key not in self._begin_of:
            members = [each for each in range(self.table.num_seats) if mask >> each & 1]
            is_own_in = own in members
            hands = [*([own] if is_own_in else []), partner, *others]
            places = reordered(len(hands), [members.index(each) for each in hands])
            by_order = self.utility_of_set[tuple(members)][places, seat]
            flat = (finishes(len(others), is_own_in) @ by_order).ravel()
            assert len(flat) == 2 * NUM_KNOWN[len(others)]
            self._begin_of[key] = self._length
            self._flat.append(flat)
            self._length += len(flat)
        return self._begin_of[key]

    def _total(self, seats: tuple[int, ...]) -> Total:
        *members, partner, last = seats
        mask = sum(1 << each for each in seats)
        ends, step = _Ends(), 0
        for node in self._folds(range(last + 1, self.table.num_seats), mask):
            step = ends.fold(step, node)
        joined = [self._node(each, mask) for each in members]
        for seat in range(self.table.num_seats):
            begin = self._utility(mask, last, partner, members, seat)
            ends.end(step, joined, begin, seat)
        before = self._folds(range(last), mask)
        program = ends.program(self._node(partner, mask), before, [], joined)
        return Total(seats, self._node(last, mask), program)
