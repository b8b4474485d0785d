"""Solve a push/fold table by CFR+, and measure what each seat could gain.

Every seat acts at most once, so the probability of a state does not depend on the own play, and a
best response follows from the values of the states. Seats learn in turn from the newest play of the
others. Nothing guarantees that this converges for three and more players, or that there is one
equilibrium only: the gains of best responses are measured. The last strategies are mostly much
better than the average; both are measured, and the better one is returned.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from untilt.cards.combos import NUM_CLASSES
from untilt.cards.equity.three_way_file import three_way_counts
from untilt.cards.equity.three_way_table import NUM_ORDERS, NUM_TRIPLES, ORDER_BEFORE_SORTING
from untilt.errors import InvalidOption
from untilt.games.pushfold.tables.positions import NUM_RELATIONS, RELATION_OF_ORDER
from untilt.games.pushfold.tables.programs import (
    ALL_IN,
    FOLD,
    Plan,
    StatePrograms,
    dealt_pairs,
    known_tables,
)
from untilt.games.pushfold.tables.sweeps import (
    NUM_PAIRS,
    Program,
    follow,
    learn_state,
    value_state,
)
from untilt.games.pushfold.tables.table import PushFoldTable
from untilt.numeric.arrays import Floats
from untilt.numeric.chunks import OnShare, in_chunks
from untilt.numeric.free_memory import available_bytes
from untilt.regret.rule import LINEAR, UpdateRule

_RULE = UpdateRule(gamma=LINEAR, is_clipped=True)
CHECK_EVERY = 50
"""Iterations between two measurements."""
_REFRESH = 64
"""Iterations after which what was added up in differences is computed again, against rounding."""
_BYTES_PER_NODE = NUM_PAIRS * (NUM_ORDERS + NUM_RELATIONS) * 8

Ranges = Floats
"""[nodes, 169] how often each hand is all-in, by the states of the table."""


@dataclass(frozen=True)
class TableWorth:
    """The worth of a strategy; amounts are big blinds, or shares of the pool."""

    values: Floats
    """[n] the utility of each seat"""
    gains: Floats
    """[n] what a best response of each seat would gain"""
    node_gains: Floats
    """[nodes] the part of each state in that"""
    folding: Floats
    """[nodes, 169] the mean utility of folding a hand; nan if the state is never reached with it"""
    all_in: Floats
    """[nodes, 169] the same of being all-in"""
    reach: Floats
    """[nodes, 169] the probability of hand and state"""

    @property
    def nash_conv(self) -> float:
        """The sum of all gains."""
        return float(self.gains.sum())


class Model:
    """Values of ranges at a table; see `programs`."""

    def __init__(
        self, table: PushFoldTable, *, threads: int = 1, watcher: OnShare | None = None
    ) -> None:
        needed = len(table.states) * _BYTES_PER_NODE
        free = available_bytes()
        if needed > free:
            raise InvalidOption(
                f"a table with {len(table.states)} states needs {needed >> 20} MB of memory, and "
                f"{free >> 20} MB are free: give fewer seats, or a smaller max_all_in"
            )
        self.table = table
        self.plan = Plan(table)
        self.threads = threads
        if table.num_seats > 2:
            self._counts = three_way_counts(threads, watcher)
        else:
            self._counts = np.zeros((NUM_TRIPLES, NUM_ORDERS), dtype=np.uint32)
        num = len(table.states)
        self._orders = np.zeros((num, NUM_PAIRS, NUM_ORDERS))
        self._shares = np.zeros((num, NUM_PAIRS, NUM_RELATIONS))
        self.ranges: Ranges = np.zeros((num, NUM_CLASSES))
        self.take(
            np.array([np.full(NUM_CLASSES, float(each.is_forced)) for each in self.plan.states])
        )

    def take(self, ranges: Ranges, *, nodes: Sequence[int] | None = None) -> None:
        """Let the seats play `ranges`, in all nodes or some."""
        chosen = range(len(self.ranges)) if nodes is None else nodes
        is_third = self.table.num_seats > 2

        def work(place: int) -> None:
            node = chosen[place]
            change = ranges[node] - self.ranges[node]
            if is_third and change.any():
                follow(
                    self._counts,
                    ORDER_BEFORE_SORTING,
                    dealt_pairs(),
                    RELATION_OF_ORDER,
                    change,
                    self._orders[node],
                    self._shares[node],
                )
            self.ranges[node] = ranges[node]

        in_chunks(work, len(chosen), self.threads, None)

    def refresh(self) -> None:
        """Compute everything again for the ranges that are played."""
        ranges = self.ranges.copy()
        self._orders[:] = 0.0
        self.ranges[:] = 0.0
        self.take(ranges)

    def values(self, programs: StatePrograms) -> tuple[Floats, Floats]:
        """Return [2, 169] the values of folding and being all-in, and [169] the reach.

        Values are utilities times the probability of hand and state.
        """
        found = np.zeros((2, NUM_CLASSES))
        if programs.state.all_in:
            (case,) = programs.cases
            values, reach, _ = self._run(self.plan, case.program, 2)
            found += values
        else:
            runs = [self._run(self.plan, case.program, 2) for case in programs.cases]
            reach = runs[-1][2]
            for row in (FOLD, ALL_IN):
                found[row] = reach * programs.alone[row]
            for case, (values, followed, arrival) in zip(programs.cases, runs, strict=True):
                assert case.row is not None
                scale = np.divide(reach, arrival, out=np.ones(NUM_CLASSES), where=arrival > 0.0)
                more = values[case.row] - followed * programs.alone[case.row]
                found[case.row] += scale * more
        if programs.constant is not None:
            found[FOLD] = reach * programs.constant
        return found, reach

    def measure(self) -> TableWorth:
        """Return what the ranges are worth, and what best responses to them gain."""
        plan, table = self.plan, self.table
        results = in_chunks(
            lambda place: self.values(plan.states[place]), len(plan.states), self.threads, None
        )
        gains, node_gains = np.zeros(table.num_seats), np.zeros(len(results))
        means = np.full((2, len(results), NUM_CLASSES), np.nan)
        reaches = np.zeros((len(results), NUM_CLASSES))
        for programs, (values, reach) in zip(plan.states, results, strict=True):
            node = programs.node
            reaches[node] = reach
            np.divide(values, reach, out=means[:, node], where=reach > 0.0)
            if not programs.is_forced:
                share = self.ranges[node]
                played = share * values[ALL_IN] + (1.0 - share) * values[FOLD]
                node_gains[node] = float((values.max(axis=0) - played).sum())
                gains[programs.state.seat] += node_gains[node]
            else:
                means[FOLD, node] = np.nan
        values_of_all = self._all_values(plan, reaches)
        return TableWorth(values_of_all, gains, node_gains, means[FOLD], means[ALL_IN], reaches)

    def chips(self, measured: TableWorth) -> Floats:
        """Return [n] the chips that the seats gain, in big blinds."""
        if not self.table.prizes:
            return measured.values
        for_chips = replace(self.table, prizes=(), others=(), bounties=())
        return self._all_values(Plan(for_chips), measured.reach)

    def _all_values(self, plan: Plan, reaches: Floats) -> Floats:
        """Return [n] the values of all seats: probabilities of all ends times utilities."""
        num = self.table.num_seats
        total = np.zeros(num)
        runs = in_chunks(
            lambda place: self._run(plan, plan.totals[place].program, num),
            len(plan.totals),
            self.threads,
            None,
        )
        for each, (values, _, _) in zip(plan.totals, runs, strict=True):
            total += values @ self.ranges[each.node]
        for programs in plan.states:
            seat, mask = programs.state
            if mask:
                continue
            node = programs.node
            share = self.ranges[node]
            followed = self._followed(programs)
            if (seat,) in plan.utility_of_set:
                chance = float(share @ (reaches[node] - followed))
                total += chance * plan.utility_of_set[(seat,)][0]
            if seat == num - 2 and () in plan.utility_of_set:
                total += float((1.0 - share) @ reaches[node]) * plan.utility_of_set[()][0]
        return total

    def _followed(self, programs: StatePrograms) -> Floats:
        """Return [169] the probability of a state, and that somebody is all-in after it."""
        followed = np.zeros(NUM_CLASSES)
        runs = [self._run(self.plan, case.program, 2) for case in programs.cases]
        reach = runs[-1][2]
        for case, (_, reached, arrival) in zip(programs.cases, runs, strict=True):
            if case.row == ALL_IN:
                followed += np.divide(
                    reach * reached, arrival, out=np.zeros(NUM_CLASSES), where=arrival > 0.0
                )
        return followed

    def _run(self, plan: Plan, program: Program, num_rows: int) -> tuple[Floats, Floats, Floats]:
        values = np.zeros((num_rows, NUM_CLASSES))
        reach, arrival = np.zeros(NUM_CLASSES), np.zeros(NUM_CLASSES)
        value_state(
            program,
            dealt_pairs(),
            known_tables(),
            self._orders,
            self._shares,
            self.ranges,
            plan.utilities,
            values,
            reach,
            arrival,
        )
        return values, reach, arrival


@dataclass(frozen=True)
class SolvedTable:
    """The result: the better of two strategies."""

    ranges: Ranges
    measured: TableWorth
    returned: str
    """`current` or `average`."""
    other_nash_conv: float
    """The sum of gains against the one that was not returned; nan if there is none."""
    iterations: int


class TableSolver:
    """CFR+ on a table, an iteration at a time.

    States whose nodes are `locked` keep the ranges that the model plays at the beginning.
    """

    def __init__(self, model: Model, locked: Collection[int] = ()) -> None:
        self.model = model
        self.iteration = 0
        num = len(model.ranges)
        self._choices = [
            each for each in model.plan.states if not each.is_forced and each.node not in locked
        ]
        self._regrets = np.zeros((num, 2 * NUM_CLASSES))
        self._strategy = np.full((num, 2 * NUM_CLASSES), 0.5)
        self._sums = np.zeros((num, NUM_CLASSES))
        self._weight = 0.0
        self._by_seat = [
            [each for each in self._choices if each.state.seat == seat]
            for seat in range(model.table.num_seats)
        ]
        model.take(self._current())

    def _current(self) -> Ranges:
        ranges = self.model.ranges.copy()
        for each in self._choices:
            ranges[each.node] = self._strategy[each.node, 1::2]
        return ranges

    def _average(self) -> Ranges:
        ranges = self.model.ranges.copy()
        for each in self._choices:
            ranges[each.node] = np.clip(self._sums[each.node] / self._weight, 0.0, 1.0)
        return ranges

    def iterate(self) -> None:
        """Let all seats learn once, in turn."""
        self.iteration += 1
        self._weight += float(self.iteration)
        for states in self._by_seat:
            self._learn(states)
        if self.iteration % _REFRESH == 0:
            self.model.refresh()

    def _learn(self, states: Sequence[StatePrograms]) -> None:
        """Let the states of one seat learn from the play of the others."""
        model = self.model

        def work(place: int) -> Floats:
            values, _ = model.values(states[place])
            return np.ascontiguousarray(values.T).ravel()

        if not states:
            return
        results = in_chunks(work, len(states), model.threads, None)
        for each, values in zip(states, results, strict=True):
            node = each.node
            learn_state(
                values,
                _RULE,
                self.iteration,
                self._regrets[node],
                self._strategy[node],
                self._sums[node],
            )
        model.take(self._current(), nodes=[each.node for each in states])

    def found(self) -> SolvedTable:
        """Return the better one of the current and the average strategy, which is then played."""
        model = self.model
        current, average = self._current(), self._average()
        measured = model.measure()
        if not self.iteration:
            return SolvedTable(current, measured, "current", float("nan"), 0)
        model.take(average)
        measured_average = model.measure()
        if self._regret(measured_average) < self._regret(measured):
            other = measured.nash_conv
            return SolvedTable(average, measured_average, "average", other, self.iteration)
        model.take(current)
        other = measured_average.nash_conv
        return SolvedTable(current, measured, "current", other, self.iteration)

    def regret(self) -> float:
        """Return what best responses in all states that learn gain against the current play."""
        return self._regret(self.model.measure())

    def _regret(self, measured: TableWorth) -> float:
        return float(sum(measured.node_gains[each.node] for each in self._choices))


def solve_table(
    table: PushFoldTable,
    *,
    target: float,
    max_iterations: int,
    min_iterations: int = 0,
    locked: Mapping[int, Floats] = MappingProxyType({}),
    threads: int = 1,
    watcher: OnShare | None = None,
) -> tuple[Model, SolvedTable]:
    """Solve until best responses gain no more than `target` together, or the end is reached.

    `locked` are ranges [169] by node, which are kept. The model then plays what was found.
    """
    model = Model(table, threads=threads, watcher=watcher)
    ranges = model.ranges.copy()
    for node, shares in locked.items():
        ranges[node] = shares
    model.take(ranges)
    solver = TableSolver(model, locked)
    first = 0.0
    while solver.iteration < max_iterations:
        solver.iterate()
        if watcher is not None:
            watcher(_progress(first, solver.iteration / max_iterations))
        if solver.iteration % CHECK_EVERY == 0 and solver.iteration >= min_iterations:
            regret = solver.regret()
            if regret <= target:
                break
            # It falls about with the square of the iterations.
            first = min(1.0, math.sqrt(target / regret)) if target > 0.0 else 0.0
    return model, solver.found()


def _progress(by_target: float, by_iterations: float) -> float:
    """Return the share of the work that is done, as far as that is known."""
    return min(1.0, max(by_target, by_iterations))
