"""Quantal response on a public tree: both players take actions the more often the more they gain.

Agent quantal response (McKelvey & Palfrey 1998) with one β per player: a hand takes an action with
probability proportional to exp(β Q), where Q is what the action is worth, given that the node is
reached and that everyone plays on in this way. The fixed point is approached by damped responses of
the players in turn, log σ ← (1 − λ) log σ + λ β Q, which is magnetic mirror descent (Sokota et al.
2023). The last iterate is the answer; nothing is averaged.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from untilt.errors import FormatError
from untilt.evaluation.best_response import Evaluation
from untilt.game.public.public_lanes import full_layout
from untilt.game.public.public_layout import Layout, LayoutSide
from untilt.game.public.public_tree import PublicTree
from untilt.game.public.quantal_snapshot import QuantalSnapshot, Residual
from untilt.numeric.arrays import AnyArray
from untilt.numeric.chunks import check_threads
from untilt.solvers.progress import Progress
from untilt.solvers.public_tree.board_group import (
    TRUNK,
    Spans,
    chunk_bounds,
    put_parts,
    spans_of,
)
from untilt.solvers.public_tree.methods import FASTEST, RESTING, first_rate, least_residual
from untilt.solvers.public_tree.quantal_group import QuantalCrew, QuantalTurn, by_chunk, trunk_rows
from untilt.solvers.public_tree.quantal_sweep import (
    CHUNKS,
    DOWN,
    FOLLOW,
    LEARN,
    RESPOND,
    UP,
    WHOLE,
    QuantalPlan,
    QuantalScratch,
    QuantalTables,
    QuantalWork,
    quantal_scratch_of,
    quantal_sweep,
)
from untilt.solvers.public_tree.quantal_tables import (
    QuantalStrategies,
    deal_probability,
    real_of,
    run_correction,
    settling_all,
)
from untilt.solvers.public_tree.tables import LockedRows, StoredTable
from untilt.solvers.saved_state import array_of, iteration_of

_TICK_SECONDS = 0.05

_CUT = 0.6
_PATIENCE, _EXPECTED = 9.0, 0.3
"""λ is cut if the residual has not fallen to this share of itself within so many times 1 / λ."""
_NO_DELAY, _SETTLED = 1.0, 1e12
"""The delay of a solver that begins with uniform strategies, and of one that begins with others."""
_FIRST_MOMENT = 16
_LEAST_STEP = 32


class _Moment(NamedTuple):
    """A measurement."""

    iteration: int
    mean: float
    largest: float


class QuantalSolver:
    """Damped logit responses on a public tree; an iterator of progress."""

    def __init__(
        self,
        tree: PublicTree,
        betas: tuple[float, float],
        *,
        threads: int = 1,
        precision: str = "float32",
        locks: Sequence[LockedRows] = (),
        target: Residual | None = None,
        crew: QuantalCrew | None = None,
    ) -> None:
        """`betas` are per chip; `target` is the residual at which the caller will stop, if any.

        With a `crew`, this solver has only the first board, and the crew computes the later ones.
        """
        check_threads(threads)
        self.tree = tree
        self.betas = betas
        self._dtype = real_of(precision)
        layout, self._whole = full_layout(tree)
        self._layout, self._settled = settling_all(layout, self._whole)
        self._crew, self._locks = crew, locks
        self._strategies = self._strategies_on(None if crew is None else TRUNK)
        self._sides, self._tables = self._strategies.sides, self._strategies.tables
        self._chance = deal_probability(tree), run_correction(tree, self._layout)
        leader = quantal_scratch_of(self._layout, self._sides, self._dtype)
        self._work = self._new_work(leader)
        num_chunks = 1 if self._work is None else len(self._work.first_edge) - 1
        num_helpers = min(threads, num_chunks) - 1 if crew is None else 0
        self._scratch = [
            leader,
            *(
                quantal_scratch_of(self._layout, self._sides, self._dtype)
                for _ in range(num_helpers)
            ),
        ]
        self._pool = ThreadPoolExecutor(num_helpers) if num_helpers > 0 else None
        self._iteration = 0
        self._rate = self._first_rate = first_rate(self.betas, *self._stakes())
        self._delay = _NO_DELAY
        self._is_at_rest = False
        self._target = target
        self._measured: list[_Moment] = []
        self._base: _Moment | None = None
        self._residual: Residual | None = None
        self._evaluation: Evaluation | None = None
        self.seconds = 0.0

    @property
    def iteration(self) -> int:
        """The number of iterations done."""
        return self._iteration

    @property
    def rate(self) -> float:
        """λ, the share by which strategies move towards the response in an iteration."""
        return self._rate

    @property
    def layout(self) -> tuple[Layout, tuple[LayoutSide, LayoutSide]]:
        """The addresses of the numbers in the tables."""
        return self._layout, self._whole

    @property
    def is_at_moment(self) -> bool:
        """Whether the strategy was measured at the current iteration."""
        return bool(self._measured) and self._measured[-1].iteration == self._iteration

    @property
    def logs(self) -> tuple[AnyArray, AnyArray]:
        """Per player, the logarithms of the probabilities of actions; not copied."""
        return self._tables[0].logs, self._tables[1].logs

    def begin_with(self, tables: tuple[StoredTable, StoredTable], *, are_logs: bool) -> None:
        """Begin with other strategies instead of uniform ones, and do the first iteration.

        Tables have weights of actions as in a snapshot, or logarithms. What is locked stays as it
        is.
        """
        assert self._iteration == 0
        self._strategies.begin_with(tables, are_logs=are_logs)
        if self._crew is not None:
            self._crew.begin_with(
                self._begun_with(spans_of(self._layout, *chunks), tables, are_logs=are_logs)
                for chunks in self._crew.groups
            )
        self._delay = _SETTLED
        self.advance(1)

    def _begun_with(
        self, spans: Spans, tables: tuple[StoredTable, StoredTable], *, are_logs: bool
    ) -> dict[str, AnyArray]:
        """Return the strategies of other boards as a state."""
        strategies = self._strategies_on(spans)
        strategies.begin_with(tables, are_logs=are_logs)
        return strategies.state()

    def _strategies_on(self, spans: Spans | None) -> QuantalStrategies:
        return QuantalStrategies(
            self.tree,
            self._layout,
            self._settled,
            self.betas,
            self._dtype,
            locks=self._locks,
            spans=spans,
        )

    def warm_up(self) -> None:
        """Compile the kernels, so later timings do not include it."""
        self._sweep(LEARN, count=0, players=(0, 1))

    def progress(self, until: int | None = None) -> Iterator[Progress]:
        """Iterate up to iteration `until` (forever if None), yielding about every 50 ms."""
        tick = 1
        while not self._is_at_rest and (until is None or self.iteration < until):
            begin = time.perf_counter()
            moment = self._next_moment()
            stop = moment if until is None else min(moment, until)
            count = min(stop - self.iteration, tick)
            self.advance(count)
            elapsed = time.perf_counter() - begin
            tick = max(1, min(2 * count, int(count * _TICK_SECONDS / max(elapsed, 1e-9))))
            evaluation = None
            if self.iteration == moment:  # what depends on it does not depend on `until`
                self._measure()
            if self.iteration == stop:
                evaluation = self.evaluate()
            self.seconds += time.perf_counter() - begin
            found = None if evaluation is None else self.residual()
            yield Progress(
                self.iteration,
                self.seconds,
                evaluation,
                regret=None,
                residual=None if found is None else found.mean,
            )

    def _next_moment(self) -> int:
        """Return the iteration at which the residual is measured next.

        It falls exponentially, so two measurements tell when it will reach the target.
        """
        if not self._measured:
            return max(_FIRST_MOMENT, self.iteration + 1)
        last = self._measured[-1]
        latest = max(2 * last.iteration, last.iteration + _FIRST_MOMENT)
        latest = min(latest, last.iteration + math.ceil(2.0 / self._rate))
        earliest = last.iteration + 1 + last.iteration // _LEAST_STEP
        guesses = [self._guess(target, name) for name, target in self._targets()]
        guess = max(guesses, default=math.inf)
        return int(max(min(max(guess, earliest), latest), self.iteration + 1))

    def _targets(self) -> list[tuple[str, float]]:
        """Return the residuals to be reached, by name."""
        given = [] if self._target is None else self._target._asdict().items()
        return [(name, target) for name, target in given if target < math.inf]

    def _guess(self, target: float, name: str) -> float:
        """Return the iteration at which a residual should reach its target; inf if unknown."""
        if len(self._measured) < 2:
            return math.inf
        before, last = self._measured[-2:]
        then, now = getattr(before, name), getattr(last, name)
        if now <= target:
            return last.iteration
        if target <= 0.0 or then <= now:
            return math.inf
        speed = math.log(then / now) / (last.iteration - before.iteration)
        return last.iteration + math.ceil(min(math.log(now / target) / speed, 1e9))

    def _measure(self) -> None:
        """Measure the residual, and make λ smaller if it falls too slowly."""
        found = self.residual()
        now = _Moment(self._iteration, found.mean, found.largest)
        self._measured = [*self._measured[-1:], now]
        if self._base is None:
            self._base = now
        if now.iteration - self._base.iteration >= _PATIENCE / self._rate:
            self._adjust(now, self._base)
            self._base = now

    def _adjust(self, now: _Moment, base: _Moment) -> None:
        """Make λ smaller if residuals have not fallen enough since `base`, or come to rest."""
        least = dict(zip(Residual._fields, self._least(), strict=True))
        missed = [name for name, target in self._targets() if getattr(now, name) > target]
        slow = [
            name
            for name in missed or ["mean"]
            if getattr(now, name) > _EXPECTED * getattr(base, name)
        ]
        if slow and all(getattr(now, name) <= RESTING * least[name] for name in slow):
            self._is_at_rest = bool(missed)
        elif slow:
            self._rate *= _CUT

    def _least(self) -> tuple[float, float]:
        precision = "float64" if self._dtype is np.float64 else "float32"
        pot, most = self._stakes()
        return least_residual(precision, self.betas, pot, most)

    def advance(self, count: int) -> None:
        """Run `count` iterations."""
        if count:
            self._sweep(LEARN, count=count, players=(0, 1))
            self._iteration += count
            self._residual = self._evaluation = None

    def residual(self) -> Residual:
        """Return how far the strategies are from their responses."""
        if self._residual is None:
            self._follow()
        assert self._residual is not None
        return self._residual

    def evaluate(self) -> Evaluation:
        """Return the values of the strategies and what best responses gain.

        That is a property of the noise, not an error.
        """
        if self._evaluation is None:
            values = self._follow()
            best = []
            for player in (0, 1):
                self._sweep(RESPOND, count=1, players=(player,))
                best.append(self._at_root(player)[0])
            first, second = self.tree.baseline
            gains = max(best[0] - values[0], 0.0), max(best[1] - values[1], 0.0)
            self._evaluation = Evaluation((values[0] + first, values[1] + second), gains)
        return self._evaluation

    def _follow(self) -> tuple[float, float]:
        """Measure the residual; return both values, without the baseline."""
        found = []
        for scratch in self._scratch:
            scratch.found[0] = 0.0
        for player in (0, 1):
            self._sweep(FOLLOW, count=1, players=(player,))
            found.append(self._at_root(player))
        largest = max(float(scratch.found[0]) for scratch in self._scratch)
        self._residual = Residual(max(found[0][1], found[1][1]), largest)
        return found[0][0], found[1][0]

    def _at_root(self, player: int) -> tuple[float, float]:
        """Return a player's value and surprise after a sweep."""
        leader, weights = self._scratch[0], self.tree.weights[player]
        side, place = self._sides[player], leader.place[0]
        row = int(side.node[0].reach_row)
        count, width = len(weights), int(side.board[0].width)
        met = leader.more[int(place.met) + row * width :][:count].astype(np.float64)
        scale = math.exp(float(leader.row[int(place.row) + row].offset))
        mass = weights * np.where(met > 0.0, met, np.exp(np.minimum(met, 0.0))) * scale
        values = leader.sweep.numbers[int(leader.sweep.street[0].value) :][:count]
        changes = leader.more[int(place.surprise) :][:count]
        total = self.tree.total_weight
        return float(mass @ values.astype(np.float64)) / total, float(
            mass @ changes.astype(np.float64)
        ) / total

    def snapshot(self, *, is_last: bool = False) -> QuantalSnapshot:
        """Return the strategy, with the values of all deals under it.

        With `is_last` the solver ends: the tables are not copied.
        """
        dealt = self._dealt()
        if self._crew is not None:
            found = self._merged(self._crew, dealt)
        else:
            first, second = self.logs if is_last else (logs.copy() for logs in self.logs)
            found = QuantalSnapshot.of(self.tree, (first, second), dealt)
        if is_last:
            self._scratch.clear()
            self._work = None
        return found

    def _dealt(self) -> tuple[AnyArray, AnyArray]:
        """Return the values of CHANCE leaves by board, leaf and lane, without the baseline."""
        kept = self._strategies.with_dealt()
        for player in (0, 1):
            self._sweep(FOLLOW, count=1, players=(player,), tables=kept)
        return kept[0].dealt, kept[1].dealt

    def _merged(self, crew: QuantalCrew, dealt: tuple[AnyArray, AnyArray]) -> QuantalSnapshot:
        """Return the results of the trunk and all groups."""
        first, second = (crew.room(side.table_size, np.dtype(self._dtype)) for side in self._whole)
        one, other = (np.zeros(side.dealt_size, self._dtype) for side in self._whole)
        values = [dealt, *crew.dealt()]
        place = self._layout, self._whole, crew.groups
        put_parts((first, second), chain([self.logs], crew.logs()), *place, "table")
        put_parts((one, other), values, *place, "dealt")
        return QuantalSnapshot.of(self.tree, (first, second), (one, other))

    def state(self) -> dict[str, AnyArray]:
        """Return everything needed to continue, by name; arrays are not copied.

        A crew saves its strategies itself, before this returns. After the last snapshot there is
        nothing.
        """
        if not self._scratch:
            return {}
        if self._crew is not None:
            self._crew.save(self._iteration)
        base = [] if self._base is None else [self._base]
        return {
            "iteration": np.array([self._iteration]),
            "rate": np.array([self._rate, self._delay]),
            "measured": np.array([*base, *self._measured], np.float64).reshape(-1, 3),
            **self._strategies.state(),
        }

    def restore(self, state: Mapping[str, AnyArray]) -> None:
        """Continue from `state()` of a solver of the same tree and noise.

        Raises FormatError, and changes nothing, if the state cannot come from such a solver.
        """
        iteration = iteration_of(state)
        rate, delay = array_of(state, "rate", (2,), np.float64).tolist()
        if not (0.0 < rate <= FASTEST and 0.0 <= delay < math.inf):
            raise FormatError(f"the saved state has an invalid rate, {rate}")
        rows = array_of(state, "measured", (None, 3), np.float64)
        found = [_Moment(int(row[0]), float(row[1]), float(row[2])) for row in rows]
        is_sound = all(0 < each.iteration <= iteration for each in found)
        if len(found) not in (0, 2, 3) or not is_sound:
            raise FormatError("the saved state has invalid measurements")
        self._strategies.restore(state)
        if self._crew is not None:
            self._crew.load(iteration)
        self._iteration, self._rate, self._delay = iteration, rate, delay
        # Another version may have begun with a larger one, at which the noise is not yet its own.
        self._first_rate = max(self._first_rate, rate)
        self._base = found[0] if found else None
        self._measured = found[1:]
        self._residual = self._evaluation = None

    def outcome(self) -> dict[str, Any]:
        """Return nothing in addition to the strategy."""
        return {}

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def _stakes(self) -> tuple[float, float]:
        """Return the pot that both play for, and the most that a player can lose."""
        # The least that a leaf pays is half of that pot.
        stakes = np.concatenate([street.stakes for street in self.tree.streets])
        paid = np.abs(stakes).sum(axis=2)
        return 2.0 * float(paid[paid > 0.0].min()), float(paid.max())

    def _new_work(self, leader: QuantalScratch) -> QuantalWork | None:
        if self._layout.num_streets == 1:
            return None
        bounds = chunk_bounds(self._layout)
        size = 2 * (len(bounds) - 1) * int(self._layout.street[1].num_roots)
        first, second = (
            np.zeros(size * int(side.board[0].width), self._dtype) for side in self._sides
        )
        return QuantalWork(bounds, (first, second), leader, np.zeros(1, np.int64))

    def _sweep(
        self,
        mode: int,
        *,
        count: int,
        players: Sequence[int],
        tables: tuple[QuantalTables, QuantalTables] | None = None,
    ) -> None:
        tables = tables or self._tables
        plan = QuantalPlan(
            mode=mode,
            part=WHOLE,
            first_iteration=self._iteration,
            num_iterations=count,
            first_player=players[0],
            num_players=len(players),
            rate=self._rate,
            first_rate=self._first_rate,
            delay=self._delay,
            deal_probability=self._chance[0],
            run_correction=self._chance[1],
        )
        if (self._pool is None and self._crew is None) or not count:
            self._run(tables, self._scratch[0], plan)
            return
        leader, *others = self._scratch
        for iteration in range(count):
            for player in players:
                turn = plan._replace(
                    first_iteration=self._iteration + iteration,
                    num_iterations=1,
                    first_player=player,
                    num_players=1,
                )
                self._run(tables, leader, turn._replace(part=DOWN))
                if self._crew is not None:
                    self._ask(self._crew, tables, turn)
                elif self._pool is not None:
                    share = turn._replace(part=CHUNKS)
                    helpers = [self._pool.submit(self._run, tables, each, share) for each in others]
                    self._run(tables, leader, share)
                    for helper in helpers:
                        helper.result()
                self._run(tables, leader, turn._replace(part=UP))

    def _ask(
        self,
        crew: QuantalCrew,
        tables: tuple[QuantalTables, QuantalTables],
        plan: QuantalPlan,
    ) -> None:
        """Let a crew compute the boards after the first one, in a turn of one player."""
        assert self._work is not None
        player, leader = plan.first_player, self._scratch[0]
        trunk = trunk_rows(leader, self._sides[player], self._sides[1 - player])
        turn = QuantalTurn(
            mode=plan.mode,
            player=player,
            iteration=plan.first_iteration,
            rate=plan.rate,
            first_rate=plan.first_rate,
            delay=plan.delay,
            keeps_dealt=len(tables[player].dealt) > 0,
            log=trunk.log[trunk.rows],
            met=trunk.met[trunk.rows],
            offset=trunk.row["offset"][trunk.rows],
            is_extreme=trunk.row["is_extreme"][trunk.rows] > 0,
        )
        dealt, end = by_chunk(self._work, player), 0
        for answer in crew.turn(turn):
            count, num_kinds, _ = answer.values.shape
            dealt[end : end + count, :num_kinds] = answer.values
            end += count
            leader.found[0] = max(leader.found[0], answer.largest)
        assert end == len(dealt)

    def _run(
        self,
        tables: tuple[QuantalTables, QuantalTables],
        scratch: QuantalScratch,
        plan: QuantalPlan,
    ) -> None:
        quantal_sweep(self._layout, self._sides, tables, self._work, scratch, plan)
