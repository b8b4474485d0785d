"""CFR on a public tree: regrets and averages of every hand at every node, in float32 or int16.

The average strategy weighs iterations by t^γ and not, as in the sequence form, by the player's own
reach. That saves a pass; how good the result is does not rest on a theorem but on its exact
exploitability, which is measured. (Solvers of this kind do the same.)
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.errors import FormatError, InvalidOption
from untilt.evaluation.best_response import Evaluation
from untilt.game.public_lanes import full_layout
from untilt.game.public_layout import Layout, Side
from untilt.game.public_snapshot import PublicSnapshot
from untilt.game.public_sweeps import Scratch, scratch_of
from untilt.game.public_tree import PublicTree
from untilt.numeric.arrays import AnyArray, Floats
from untilt.numeric.chunks import check_threads
from untilt.regret.rule import UpdateRule
from untilt.solvers.moments import next_moment
from untilt.solvers.progress import Progress
from untilt.solvers.public_tree.sweep import (
    FOLLOW,
    LEARN,
    RESPOND,
    WHOLE,
    Chunks,
    Plan,
    Tables,
    sweep,
)
from untilt.solvers.saved_state import array_of, iteration_of

_TICK_SECONDS = 0.05
_BOARDS_PER_CHUNK = 3
"""On the street after the first: enough work for a thread, and enough chunks for all threads."""


PRECISIONS = ("float32", "int16")


class Lock(NamedTuple):
    """A part of a player's strategy that is given."""

    player: int
    positions: npt.NDArray[np.int64]
    """[n, actions]: where the actions of a lane are in the player's tables."""
    mix: Floats
    """[n, actions]: how often each is taken, which sums to 1."""


class PublicTreeSolver:
    """Full-width CFR on a public tree under one update rule; an iterator of progress."""

    def __init__(
        self,
        tree: PublicTree,
        rule: UpdateRule,
        *,
        threads: int = 1,
        precision: str = "float32",
        locks: Sequence[Lock] = (),
    ) -> None:
        check_threads(threads)
        if precision not in PRECISIONS:
            raise InvalidOption.of("precision", precision, "it must be float32 or int16")
        if rule.prediction and precision != "float32":
            raise InvalidOption.of("precision", precision, "predictive methods need float32")
        self.tree = tree
        self._rule = rule
        self._layout, self._sides = full_layout(tree)
        self._state = [_new_state(side, rule, precision) for side in self._sides]
        self._locked = [_new_locks(side, locks) for side in self._sides]
        self._lock(locks)
        self._chunks = _chunks(self._layout, self._sides)
        num_chunks = len(self._chunks[0].first_edge) - 1
        self._threads = max(1, min(threads, num_chunks))
        self._scratch = [scratch_of(self._layout, self._sides) for _ in range(self._threads)]
        self._pool = ThreadPoolExecutor(self._threads - 1) if self._threads > 1 else None
        self._iteration = 0
        self._weight = 0.0
        self.seconds = 0.0
        self.gap = 1

    @property
    def iteration(self) -> int:
        """How many iterations are done."""
        return self._iteration

    @property
    def layout(self) -> tuple[Layout, tuple[Side, Side]]:
        """Where the numbers of the tables lie."""
        return self._layout, self._sides

    def warm_up(self) -> None:
        """Compile the kernels, so later timings do not include it."""
        self._sweep(LEARN, self._current(), count=0, players=(0, 1))

    def progress(self, until: int | None = None) -> Iterator[Progress]:
        """Iterate up to iteration `until` (forever if None), yielding about every 50 ms.

        Exploitability is measured at the moments of `Progress` and at `until` only.
        """
        tick = 1
        while until is None or self.iteration < until:
            begin = time.perf_counter()
            moment = next_moment(self.iteration, self.gap)
            stop = moment if until is None else min(moment, until)
            count = min(stop - self.iteration, tick)
            self.advance(count)
            elapsed = time.perf_counter() - begin
            tick = max(1, min(2 * count, int(count * _TICK_SECONDS / max(elapsed, 1e-9))))
            evaluation = self.evaluate() if self.iteration == stop else None
            self.seconds += time.perf_counter() - begin
            yield Progress(self.iteration, self.seconds, evaluation, regret=None)

    def advance(self, count: int) -> None:
        """Run `count` iterations."""
        if self._pool is None:
            self._sweep(LEARN, self._current(), count=count, players=(0, 1))
            return
        for _ in range(count):
            for player in (0, 1):
                self._sweep(LEARN, self._current(), count=1, players=(player,))

    def evaluate(self) -> Evaluation:
        """Return the values of the average strategies and what best responses gain.

        A best response respects locks: what is locked is followed.
        """
        average = self._average()
        values, gains = [], []
        for player in (0, 1):
            value, best = (self._root_value(mode, average, player) for mode in (FOLLOW, RESPOND))
            values.append(value + self.tree.baseline[player])
            gains.append(max(best - value, 0.0))
        return Evaluation((values[0], values[1]), (gains[0], gains[1]))

    def evaluate_tables(self, tables: tuple[AnyArray, AnyArray]) -> Evaluation:
        """Return the same for other strategies: weights of actions, as in a snapshot.

        The average strategies of this solver are replaced by them.
        """
        for known, table in zip(self._state, tables, strict=True):
            known["strategy_sum"][:] = table
        return self.evaluate()

    def snapshot(self) -> PublicSnapshot:
        """Return the average strategy, with the values of all deals under it."""
        average = self._average(keeps_dealt=True)
        for player in (0, 1):
            self._root_value(FOLLOW, average, player)
        first, second = average
        return PublicSnapshot(
            self.tree,
            (first.strategy_sum.copy(), second.strategy_sum.copy()),
            (first.dealt, second.dealt),
        )

    def outcome(self) -> dict[str, Any]:
        """Return nothing in addition to the strategy."""
        return {}

    def state(self) -> dict[str, AnyArray]:
        """Return everything needed to continue, by name; arrays are not copied."""
        state: dict[str, AnyArray] = {
            "iteration": np.array([self._iteration]),
            "weight": np.array([self._weight]),
        }
        for player, known in enumerate(self._state):
            state |= {f"{name}_{player}": array for name, array in known.items()}
        return state

    def restore(self, state: Mapping[str, AnyArray]) -> None:
        """Continue from `state()` of a solver of the same tree and rule.

        Raises FormatError, and changes nothing, if the state cannot come from such a solver.
        """
        iteration = iteration_of(state)
        weight = float(array_of(state, "weight", (1,), np.float64)[0])
        if not 0.0 <= weight <= iteration:
            raise FormatError(f"the saved state has an invalid weight, {weight}")
        found = [
            {
                name: array_of(state, f"{name}_{player}", array.shape, array.dtype.type)
                for name, array in known.items()
            }
            for player, known in enumerate(self._state)
        ]
        if any(bool(np.any(known["strategy_sum"] < 0.0)) for known in found):
            raise FormatError("strategy_sum of the saved state has negative numbers")
        if not all(bool(np.isfinite(array).all()) for known in found for array in known.values()):
            raise FormatError("the saved state has numbers that are not finite")
        for known, restored in zip(self._state, found, strict=True):
            for name, array in known.items():
                array[:] = restored[name]
        self._iteration, self._weight = iteration, weight

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def _lock(self, locks: Sequence[Lock]) -> None:
        for lock in locks:
            for name in ("regret_sum", "ahead"):
                table = self._state[lock.player].get(name)
                if table is not None:
                    whole = 1.0 if table.dtype == np.float32 else WHOLE
                    table[lock.positions] = np.rint(lock.mix * whole) if whole > 1 else lock.mix
            self._locked[lock.player][lock.positions] = 1

    def _current(self) -> tuple[Tables, Tables]:
        """Return the tables from which the current strategies are matched."""
        first, second = (
            Tables(
                strategy=known.get("ahead", known["regret_sum"]),
                regret_sum=known["regret_sum"],
                strategy_sum=known["strategy_sum"],
                scale=known.get("scale"),
                is_predictive="ahead" in known,
                locked=locked,
                dealt=np.zeros(0, np.float32),
            )
            for known, locked in zip(self._state, self._locked, strict=True)
        )
        return first, second

    def _average(self, *, keeps_dealt: bool = False) -> tuple[Tables, Tables]:
        """Return the tables from which the average strategies are matched."""
        first, second = (
            tables._replace(
                strategy=tables.strategy_sum,
                dealt=np.zeros(side.dealt_size if keeps_dealt else 0, np.float32),
            )
            for tables, side in zip(self._current(), self._sides, strict=True)
        )
        return first, second

    def _root_value(self, mode: int, tables: tuple[Tables, Tables], player: int) -> float:
        """Return what a player expects at the root, relative to the baseline."""
        self._sweep(mode, tables, count=1, players=(player,))
        weights = self.tree.weights[player]
        values = self._scratch[0].value[: len(weights)].astype(np.float64)
        return float(values @ weights) / self.tree.total_weight

    def _sweep(
        self, mode: int, tables: tuple[Tables, Tables], *, count: int, players: Sequence[int]
    ) -> None:
        plan = Plan(
            mode=mode,
            rule=self._rule,
            first_iteration=self._iteration + 1,
            num_iterations=count,
            weight=self._weight,
            first_player=players[0],
            num_players=len(players),
            begins=True,
            deals=self._pool is None,
            ends=self._pool is None,
        )

        def work(plan: Plan, scratch: Scratch) -> None:
            trunk = self._scratch[0].reach
            sweep(self._layout, self._sides, tables, self._chunks, trunk, scratch, plan)

        leader = self._scratch[0]
        work(plan, leader)
        if self._pool is not None and count:
            share = plan._replace(begins=False, deals=True)
            helpers = [self._pool.submit(work, share, mine) for mine in self._scratch[1:]]
            work(share, leader)
            for helper in helpers:
                helper.result()
            work(plan._replace(begins=False, ends=True), leader)
        if mode == LEARN and players[-1] == 1:
            self._count_on(count)

    def _count_on(self, count: int) -> None:
        """Count iterations, and what they weigh in the average, as the kernel does."""
        for _ in range(count):
            self._iteration += 1
            decay = ((self._iteration - 1) / self._iteration) ** self._rule.gamma
            self._weight = self._weight * decay + 1.0


def _new_state(side: Side, rule: UpdateRule, precision: str) -> dict[str, AnyArray]:
    names = ("regret_sum", "strategy_sum", *(("ahead",) if rule.prediction else ()))
    state: dict[str, AnyArray] = {name: np.zeros(side.table_size, precision) for name in names}
    if precision == "int16":
        state["scale"] = np.zeros(side.num_choices, np.float32)
    return state


def _new_locks(side: Side, locks: Sequence[Lock]) -> npt.NDArray[np.int16]:
    player = 0 if side.is_first else 1
    is_needed = any(lock.player == player for lock in locks)
    return np.zeros(side.table_size if is_needed else 0, np.int16)


def _chunks(layout: Layout, sides: tuple[Side, Side]) -> tuple[Chunks, Chunks]:
    """Return the edges of the first board in chunks; symmetric deals stay together."""
    children = layout.edge_child[: layout.board[1].first_edge]
    firsts = np.flatnonzero(np.diff(children, prepend=-1))
    has_more = layout.num_streets > 2
    bounds = [*firsts[:: 1 if has_more else _BOARDS_PER_CHUNK].tolist(), len(children)]
    num_chunks = len(bounds) - 1
    first, second = (
        Chunks(
            first_edge=np.array(bounds, np.int64),
            dealt=np.zeros(
                num_chunks * layout.street[1].num_roots * side.board[0].width, np.float32
            ),
            claimed=np.zeros(1, np.int64),
        )
        for side in sides
    )
    return first, second
