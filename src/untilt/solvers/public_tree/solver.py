"""CFR on a public tree: regrets and averages of every hand at every node, in float32 or int16.

The average strategy weights iterations by t^γ and not, as in the sequence form, by the player's own
reach. That saves a pass; the quality of the result rests not on a theorem but on its exact
exploitability, which is measured. (Other solvers of this kind do the same.)
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain
from typing import Any

import numpy as np

from untilt.errors import FormatError, InvalidOption
from untilt.evaluation.best_response import Evaluation
from untilt.game.public.public_lanes import full_layout
from untilt.game.public.public_layout import Layout, LayoutSide, Singles
from untilt.game.public.public_snapshot import PublicSnapshot
from untilt.game.public.public_sweeps import SweepScratch, scratch_of
from untilt.game.public.public_tree import PublicTree
from untilt.numeric.arrays import AnyArray, Floats
from untilt.numeric.chunks import check_threads
from untilt.regret.rule import UpdateRule
from untilt.solvers.moments import Measured, moment_towards, next_moment
from untilt.solvers.progress import Progress
from untilt.solvers.public_tree.board_group import (
    TRUNK,
    Crew,
    GroupTurn,
    chunk_bounds,
    leaving_rows,
    locks_within,
    part_of,
    put_parts,
    reach_rows,
)
from untilt.solvers.public_tree.gadget import Chooser, Gadget
from untilt.solvers.public_tree.sweep import (
    FOLLOW,
    LEARN,
    RESPOND,
    BoardWork,
    SolverTables,
    SweepPlan,
    claim_all,
    finish_all,
    new_signals,
    sweep,
)
from untilt.solvers.public_tree.tables import Learnt, LockedRows, StoredTable
from untilt.solvers.saved_state import array_of, iteration_of

_TICK_SECONDS = 0.05
_NAP_SECONDS = 5e-5
"""How long a thread leaves the processor to others after waiting in vain."""
_GAP = 16
"""Without a target: iterations between measurements, each of which costs as much as one."""


PRECISIONS = ("float32", "int16")


class PublicTreeSolver:
    """Full-width CFR on a public tree under one update rule; an iterator of progress."""

    def __init__(
        self,
        tree: PublicTree,
        rule: UpdateRule,
        *,
        threads: int = 1,
        precision: str = "float32",
        locks: Sequence[LockedRows] = (),
        target: float | None = None,
        gadget: Gadget | None = None,
        crew: Crew | None = None,
    ) -> None:
        """`target` is the exploitability at which the caller will stop, if there is one.

        With a `gadget`, one player chooses at the root whether to enter the tree. With a `crew`,
        this solver has only the first board, and the crew computes the later ones.
        """
        check_threads(threads)
        if precision not in PRECISIONS:
            raise InvalidOption.of("precision", precision, "it must be float32 or int16")
        if rule.prediction and precision != "float32":
            raise InvalidOption.of("precision", precision, "predictive methods need float32")
        self.tree = tree
        self._rule = rule
        assert crew is None or gadget is None
        self._layout, self._whole = full_layout(tree)
        self._sides = self._whole
        self._crew = crew
        here = locks
        if crew is not None:
            self._sides = part_of(self._whole[0], TRUNK), part_of(self._whole[1], TRUNK)
            here = locks_within(locks, self._whole, TRUNK)
        self._learnt = Learnt(self._sides, rule, precision, here)
        self._chooser = None if gadget is None else self._chooser_of(gadget)
        leader = scratch_of(self._layout, self._sides)
        self._work = _work(self._layout, self._sides, leader.numbers)
        num_chunks = 1 if self._work is None else len(self._work.first_edge) - 1
        num_helpers = min(threads, num_chunks) - 1 if crew is None else 0
        helpers = (scratch_of(self._layout, self._sides) for _ in range(num_helpers))
        self._scratch = [leader, *helpers]
        self._pool = ThreadPoolExecutor(num_helpers) if num_helpers > 0 else None
        self._iteration = 0
        self._weight = 0.0
        self._target = target
        self._measured: list[Measured] = []
        self._evaluation: Evaluation | None = None
        self.seconds = 0.0

    @property
    def iteration(self) -> int:
        """The number of iterations done."""
        return self._iteration

    @property
    def layout(self) -> tuple[Layout, tuple[LayoutSide, LayoutSide]]:
        """The addresses of the numbers in the tables."""
        return self._layout, self._whole

    @property
    def is_at_moment(self) -> bool:
        """Whether the strategy was measured at the current iteration."""
        return bool(self._measured) and self._measured[-1].iteration == self._iteration

    def warm_up(self) -> None:
        """Compile the kernels, so later timings do not include it."""
        self._sweep(LEARN, self._learnt.current(), count=0, players=(0, 1))

    def progress(self, until: int | None = None) -> Iterator[Progress]:
        """Iterate up to iteration `until` (forever if None), yielding about every 50 ms.

        Exploitability is measured at `until`, and where the target may be reached (see
        `moment_towards`); without a target at the moments of `next_moment`. That does not depend
        on the clock.
        """
        tick = 1
        while until is None or self.iteration < until:
            begin = time.perf_counter()
            moment = self._next_moment()
            stop = moment if until is None else min(moment, until)
            count = min(stop - self.iteration, tick)
            self.advance(count)
            elapsed = time.perf_counter() - begin
            tick = max(1, min(2 * count, int(count * _TICK_SECONDS / max(elapsed, 1e-9))))
            evaluation = None
            if self.iteration == stop:
                evaluation = self.evaluate()
                measured = Measured(self.iteration, evaluation.exploitability)
                self._measured = [*self._measured[-1:], measured]
            self.seconds += time.perf_counter() - begin
            yield Progress(self.iteration, self.seconds, evaluation, regret=None)

    def _next_moment(self) -> int:
        """Return the iteration at which exploitability is measured next."""
        if self._target is None:
            return next_moment(self.iteration, _GAP)
        before, last = [None, None, *self._measured][-2:]
        return max(moment_towards(self._target, last, before), self.iteration + 1)

    def advance(self, count: int) -> None:
        """Run `count` iterations."""
        current = self._learnt.current()
        if self._chooser is None:
            self._sweep(LEARN, current, count=count, players=(0, 1))
            return
        for _ in range(count):
            iteration = self._iteration + 1
            for player in (0, 1):
                self._sweep(LEARN, current, count=1, players=(player,))
                if player == self._chooser.player:
                    self._chooser.learn(self._root_values(), self._rule, iteration)

    def evaluate(self) -> Evaluation:
        """Return the values of the average strategies and what best responses gain.

        A best response respects locks: what is locked is followed. With a gadget, the results are
        those of the game that begins with its choice.
        """
        if self._evaluation is None and self._chooser is not None:
            self._evaluation = self._evaluate_choice(self._chooser)
        if self._evaluation is None:
            average = self._learnt.average()
            first, second = self.tree.baseline
            value = self._root_value(FOLLOW, average, 0)
            # What player 1 expects follows from that, unless a rake takes a share.
            is_zero_sum = self.tree.is_zero_sum
            other = -value if is_zero_sum else self._root_value(FOLLOW, average, 1)
            best, other_best = (self._root_value(RESPOND, average, p) for p in (0, 1))
            gains = max(best - value, 0.0), max(other_best - other, 0.0)
            self._evaluation = Evaluation((value + first, other + second), gains)
        return self._evaluation

    def evaluate_tables(self, tables: tuple[StoredTable, StoredTable]) -> Evaluation:
        """Return the evaluation of other strategies: weights of actions, as in a snapshot.

        The average strategies of this solver are replaced by them.
        """
        self._replace_averages(tables)
        return self.evaluate()

    def respond(
        self, tables: tuple[StoredTable, StoredTable], player: int, locks: Sequence[LockedRows] = ()
    ) -> None:
        """Take other strategies, as in a snapshot, but for `player` the best response to them.

        They replace the average strategies, except where `locks` say otherwise. The response is
        pure: of equally good actions, a hand takes the first. What is locked for the player stays
        as it is.
        """
        assert self._chooser is None
        self._replace_averages(tables, locks)
        first, second = self._learnt.average()
        best = first._replace(keeps_best=True), second._replace(keeps_best=True)
        self._sweep(RESPOND, best, count=1, players=(player,))

    def _replace_averages(
        self, tables: tuple[StoredTable, StoredTable], locks: Sequence[LockedRows] = ()
    ) -> None:
        assert self._crew is None
        self._learnt.replace_averages(tables, locks)
        self._evaluation = None

    def values_under(self, tables: tuple[StoredTable, StoredTable], player: int) -> Floats:
        """Return [hands] the values of a player's hands at the root under other strategies.

        Tables are as in a snapshot. Values are weighted by the opponent's reaches, without the
        baseline. The average strategies of this solver are replaced.
        """
        self._replace_averages(tables)
        return self._values_of_hands(FOLLOW, self._learnt.average(), player)

    def best_values_under(self, tables: tuple[StoredTable, StoredTable], player: int) -> Floats:
        """Return [hands] the values of a best response to the other's strategy, at the root."""
        self._replace_averages(tables)
        return self._values_of_hands(RESPOND, self._learnt.average(), player)

    def node_values(self, player: int) -> Singles:
        """Return [nodes of the first street, hands] values under the average strategies.

        They are weighted by the opponent's reaches, without the baseline, and as if all hands
        entered with the weights of the tree.
        """
        if self._chooser is not None:
            self._chooser.enter_as_believed()
        self._values_of_hands(FOLLOW, self._learnt.average(), player)
        if self._chooser is not None:
            self._chooser.enter_as_chosen()
        return self._node_values(player)

    def best_node_values_under(
        self, tables: tuple[StoredTable, StoredTable], player: int
    ) -> Singles:
        """Return [nodes of the first street, hands] values of a best response to `tables`."""
        self.best_values_under(tables, player)
        return self._node_values(player)

    def _node_values(self, player: int) -> Singles:
        """Return the values of the first street that the last sweep left in the scratch."""
        width = int(self._sides[player].board[0].width)
        num_nodes = self.tree.streets[0].num_nodes
        rows = self._root_values()[: num_nodes * width].reshape(num_nodes, width)
        return rows[:, : len(self.tree.weights[player])].copy()

    def snapshot(self, *, is_last: bool = False) -> PublicSnapshot:
        """Return the average strategy, with the values of all deals under it.

        With `is_last` the solver ends: the averages are not copied, and its other memory is
        released.
        """
        average = self._learnt.average(keeps_dealt=True)
        if self._chooser is not None:
            self._chooser.enter_as_believed()
        for player in (0, 1):
            self._root_value(FOLLOW, average, player)
        if self._chooser is not None:
            self._chooser.enter_as_chosen()
        if self._crew is not None:
            return self._merged(self._crew, average)
        first, second = (
            tables.strategy_sum if is_last else tables.strategy_sum.copy() for tables in average
        )
        if is_last:
            self._learnt.release()
            self._scratch.clear()
            self._work = None
        return PublicSnapshot(self.tree, (first, second), (average[0].dealt, average[1].dealt))

    def _merged(self, crew: Crew, trunk: tuple[SolverTables, SolverTables]) -> PublicSnapshot:
        """Return the results of the trunk and all groups."""
        dtype = trunk[0].strategy_sum.dtype
        first, second = (crew.room(side.table_size, dtype) for side in self._whole)
        one, other = (np.zeros(side.dealt_size, np.float32) for side in self._whole)
        sums = chain([(trunk[0].strategy_sum, trunk[1].strategy_sum)], crew.averages())
        dealt = chain([(trunk[0].dealt, trunk[1].dealt)], crew.dealt())
        place = self._layout, self._whole, crew.groups
        put_parts((first, second), sums, *place, "table")
        put_parts((one, other), dealt, *place, "dealt")
        return PublicSnapshot(self.tree, (first, second), (one, other))

    def outcome(self) -> dict[str, Any]:
        """Return nothing in addition to the strategy."""
        return {}

    def state(self) -> dict[str, AnyArray]:
        """Return everything needed to continue, by name; arrays are not copied.

        A crew saves what it has learnt itself, before this returns. After the last snapshot there
        is nothing.
        """
        if not self._scratch:
            return {}
        if self._crew is not None:
            self._crew.save(self._iteration)
        return {
            "iteration": np.array([self._iteration]),
            "weight": np.array([self._weight]),
            "measured": np.array(self._measured, np.float64).reshape(-1, 2),
            **self._learnt.state(),
        }

    def restore(self, state: Mapping[str, AnyArray]) -> None:
        """Continue from `state()` of a solver of the same tree and rule.

        Raises FormatError, and changes nothing, if the state cannot come from such a solver.
        Large arrays are kept, not copied: they must not be used elsewhere afterwards.
        """
        iteration = iteration_of(state)
        weight = float(array_of(state, "weight", (1,), np.float64)[0])
        if not 0.0 <= weight <= iteration:
            raise FormatError(f"the saved state has an invalid weight, {weight}")
        measured = _measured(state, iteration)
        self._learnt.restore(state)
        if self._crew is not None:
            self._crew.load(iteration)
        self._iteration, self._weight = iteration, weight
        self._measured, self._evaluation = measured, None

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def _chooser_of(self, gadget: Gadget) -> Chooser:
        """Return the player who chooses; it has its own weights, which the sweeps read."""
        sides = list(self._sides)
        side = sides[gadget.player]
        sides[gadget.player] = side._replace(weight=side.weight.copy())
        self._sides = sides[0], sides[1]
        return Chooser(self.tree, sides[gadget.player], gadget)

    def _evaluate_choice(self, chooser: Chooser) -> Evaluation:
        """Return the evaluation of the game that begins with the choice of a gadget."""
        average = self._learnt.average()
        found: list[tuple[float, float]] = []
        for player in (0, 1):
            is_choosing = player == chooser.player
            chooser.enter_on_average()
            followed, best = (
                self._values_of_hands(mode, average, player) for mode in (FOLLOW, RESPOND)
            )
            weights = self.tree.weights[player]
            found.append(
                chooser.values(followed, best)
                if is_choosing
                else (
                    chooser.value_of_other(followed, weights),
                    chooser.value_of_other(best, weights),
                )
            )
        chooser.enter_as_chosen()
        (value, most), (other, other_most) = found
        first, second = self.tree.baseline
        gains = max(most - value, 0.0), max(other_most - other, 0.0)
        return Evaluation((value + first, other + second), gains)

    def _root_value(
        self, mode: int, tables: tuple[SolverTables, SolverTables], player: int
    ) -> float:
        """Return a player's value at the root, relative to the baseline."""
        values = self._values_of_hands(mode, tables, player)
        return float(values @ self.tree.weights[player]) / self.tree.total_weight

    def _values_of_hands(
        self, mode: int, tables: tuple[SolverTables, SolverTables], player: int
    ) -> Floats:
        """Return [hands] what a player's hands are worth at the root, weighted by reaches."""
        self._sweep(mode, tables, count=1, players=(player,))
        return self._root_values()[: len(self.tree.weights[player])].astype(np.float64)

    def _root_values(self) -> Singles:
        """Return the values at the root after a sweep, by lane with padding and beyond."""
        scratch = self._scratch[0]
        return scratch.numbers[scratch.street[0].value :]

    def _sweep(
        self,
        mode: int,
        tables: tuple[SolverTables, SolverTables],
        *,
        count: int,
        players: Sequence[int],
    ) -> None:
        if self._crew is not None and count:
            for _ in range(count):
                for player in players:
                    self._turn(self._crew, mode, tables, player)
                if mode == LEARN and players[-1] == 1:
                    self._count_on(1)
            return
        plan = self._plan(mode, count, players)
        leader, *others = self._scratch
        if self._work is not None:
            self._work.signals[:] = 0
        helpers: list[Future[None]] = []
        if self._pool is not None and count:
            share = plan._replace(is_leader=False)
            helpers = [self._pool.submit(self._take_part, tables, mine, share) for mine in others]
        self._take_part(tables, leader, plan)
        for helper in helpers:
            helper.result()
        if mode == LEARN and players[-1] == 1:
            self._count_on(count)

    def _plan(self, mode: int, count: int, players: Sequence[int]) -> SweepPlan:
        return SweepPlan(
            mode=mode,
            rule=self._rule,
            first_iteration=self._iteration + 1,
            num_iterations=count,
            weight=self._weight,
            first_player=players[0],
            num_players=len(players),
            is_leader=True,
        )

    def _turn(
        self, crew: Crew, mode: int, tables: tuple[SolverTables, SolverTables], player: int
    ) -> None:
        """Sweep for one player: down the trunk, through the later boards elsewhere, and up."""
        assert self._work is not None
        own, other = self._sides[player], self._sides[1 - player]
        plan, leader = self._plan(mode, 1, (player,)), self._scratch[0]
        claim_all(self._work.signals, len(self._work.first_edge) - 1)
        # It returns at once, because the first chunk is missing: that is computed elsewhere.
        hasty = plan._replace(num_waits=0)
        is_done = sweep(self._layout, self._sides, tables, self._work, leader, hasty)
        assert not is_done
        turn = GroupTurn(
            mode=mode,
            player=player,
            iteration=plan.first_iteration,
            weight=plan.weight,
            keeps_dealt=len(tables[player].dealt) > 0,
            reach=reach_rows(leader, own, other)[leaving_rows(own)],
        )
        dealt, end = self._work.dealt[player], 0
        for values in crew.turn(turn):
            dealt[end : end + len(values)] = values
            end += len(values)
        assert end == len(dealt)
        finish_all(self._work.signals)
        self._take_part(tables, leader, plan)

    def _take_part(
        self, tables: tuple[SolverTables, SolverTables], scratch: SweepScratch, plan: SweepPlan
    ) -> None:
        """Sweep as one of the threads."""
        while not sweep(self._layout, self._sides, tables, self._work, scratch, plan):
            time.sleep(_NAP_SECONDS)

    def _count_on(self, count: int) -> None:
        """Count iterations, and their weight in the average, as the kernel does."""
        for _ in range(count):
            self._evaluation = None
            self._iteration += 1
            decay = ((self._iteration - 1) / self._iteration) ** self._rule.gamma
            self._weight = self._weight * decay + 1.0


def _measured(state: Mapping[str, AnyArray], iteration: int) -> list[Measured]:
    """Return the last measurements of a saved state; older versions saved none."""
    if "measured" not in state:
        return []
    rows = array_of(state, "measured", (None, 2), np.float64)
    iterations = rows[:, 0]
    if len(rows) > 2 or not np.array_equal(iterations, np.unique(iterations).clip(1, iteration)):
        raise FormatError("the saved state has invalid measurements")
    return [Measured(int(row[0]), float(row[1])) for row in rows]


def _work(layout: Layout, sides: tuple[LayoutSide, LayoutSide], trunk: Singles) -> BoardWork | None:
    """Return the edges of the first board; each board after it is a chunk."""
    if layout.num_streets == 1:
        return None
    bounds = chunk_bounds(layout)
    size = (len(bounds) - 1) * int(layout.street[1].num_roots)
    first, second = (np.zeros(size * int(side.board[0].width), np.float32) for side in sides)
    return BoardWork(
        first_edge=bounds,
        dealt=(first, second),
        trunk=trunk,
        signals=new_signals(len(bounds) - 1),
    )
