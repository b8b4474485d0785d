"""A trainer: it asks a dealer for deals and learns from them, on all threads.

Deals come in batches. Within a batch all walks see the same tables; what they would add is logged
and committed afterwards in the order of deals. So the number of threads does not change the result.
The size of a batch does, and is part of what a run records.

Without synchronisation, every walk changes the tables at once. That is faster, but the result
depends on timing if there are several threads.

Walkers elsewhere take a batch in fixed chunks. What the deals of a chunk would add is summed up
there, and added here in the order of chunks. So the number of walkers does not change the result;
the number of chunks changes how sums are rounded, and is also part of what a run records.
"""

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Protocol

import numpy as np

from untilt.errors import FormatError, InvalidOption
from untilt.game.deals.deal_tree import LANES, DealTree, TrainerDeals, make_deals
from untilt.numeric.arrays import AnyArray
from untilt.numeric.chunks import check_threads
from untilt.numeric.half_floats import FLOAT16, mixed, widened
from untilt.numeric.sparse import (
    PAIR_BYTES,
    STEPS,
    Sparse,
    firsts_of,
    is_sparse,
    num_values_of,
)
from untilt.numeric.streams import root_of
from untilt.options.blueprint import BATCH, SAMPLING
from untilt.solvers.blueprint.full_walk import full_walk
from untilt.solvers.blueprint.layout import lay_out
from untilt.solvers.blueprint.rule import Discounting
from untilt.solvers.blueprint.sparse_commit import REGRETS, SUMS, commit_sparse, joined
from untilt.solvers.blueprint.tables import (
    DEFAULT_PRECISION,
    SPARSE,
    Counts,
    Singles,
    TrainerTables,
    average_of,
    fit,
    learnt,
    make_tables,
    put_learnt,
    put_visits,
    survey,
    visits_of,
)
from untilt.solvers.blueprint.walk import (
    NO_LOG,
    Span,
    WalkLog,
    WalkSpace,
    clear_log,
    commit_regrets,
    commit_sums,
    make_log,
    make_workspace,
    walk,
)
from untilt.solvers.moments import is_moment, next_moment
from untilt.solvers.progress import Progress
from untilt.solvers.saved_state import array_of, is_moderate, iteration_of

DEFAULT_BATCH: int = BATCH.default
EXTERNAL, CHANCE = "external", "chance"
"""What is drawn: the cards and the opponent's actions, or the cards alone."""
_TICK_SECONDS = 0.05
_SHARE, _LEAST_SHARE = 32, 8
"""The number of deals that a thread takes at a time."""
_OTHER_SEEDS = np.uint64(1 << 63)
"""Added to the seed of the deals, this gives the seed of roundings."""
_MAX_WEIGHT = 1e30
_MAX_VISITED = 1 << 62
_CHECKED_AT_ONCE = 1 << 20
_INFINITE = 0x7F80
"""As bfloat16."""
_USUAL_DECISIONS = 64
"""The average number of decisions per walk for which a log has room at first."""


Work = Callable[[int], None]


class Reading(NamedTuple):
    """The winnings of local best response against an average strategy, in mbb per hand."""

    lbr: float
    margin: float | None
    """Half of its 95 % interval; None if unknown."""


Gauge = Callable[[Iterator[Singles]], Reading]
"""Measures how exploitable the average strategy is; it takes the streets that `averages` yields."""

_DOUBLING = 1 << 40
"""Up to this many batches, a gauge is read whenever their number has doubled."""


class Dealer(Protocol):
    """Deals cards; a trainer never sees what it knows about them."""

    @property
    def num_buckets(self) -> tuple[int, ...]:
        """Buckets of hands on each street."""
        ...

    def fill(self, deals: TrainerDeals, begin: int, end: int, first: int) -> None:
        """Write deals into the places [begin, end); the one at `begin` is deal number `first`.

        A deal is a function of its number, and of nothing else. Several threads call this at
        the same time, for different places.
        """
        ...


class Additions(NamedTuple):
    """The additions of a chunk's deals to the tables."""

    regrets: Singles
    sums: Singles
    nodes: int
    """Nodes visited, as in `Trainer.hand_nodes`."""


class Walkers(Protocol):
    """Walks the deals of a batch in chunks, here or elsewhere."""

    @property
    def num_chunks(self) -> int:
        """Chunks of a batch; part of the result."""
        ...

    def walk(self, tables: TrainerTables, first: int, weights: Singles) -> Iterator[Additions]:
        """Walk the deals starting at number `first`, with these weights; yield chunk by chunk."""
        ...


class Trainer:
    """Learns the average strategy of a betting tree; an iteration is a deal, for both seats."""

    def __init__(
        self,
        tree: DealTree,
        dealer: Dealer,
        rule: Discounting,
        *,
        seed: int = 0,
        threads: int = 1,
        batch: int = DEFAULT_BATCH,
        is_synchronised: bool = True,
        precision: str = DEFAULT_PRECISION,
        sampling: str = SAMPLING.default,
        counts_visits: bool = False,
        gauge: Gauge | None = None,
        walkers: Walkers | None = None,
    ) -> None:
        check_threads(threads)
        if batch < 1:
            raise InvalidOption.of("batch", batch, "give an integer, at least 1")
        if precision == SPARSE:
            verify_sparse(rule, is_synchronised=is_synchronised, has_visits=counts_visits)
        self.tree = tree
        self.dealer = dealer
        self.rule = rule
        self.layout = lay_out(tree)
        self.tables: TrainerTables = make_tables(
            self.layout, dealer.num_buckets, precision, has_visits=counts_visits
        )
        self.iteration = 0
        """Deals learnt so far."""
        self.seconds = 0.0
        self._seed = np.uint64(seed)
        self._rounding = np.uint64(root_of(np.uint64(seed) | _OTHER_SEEDS))
        self._batch = batch
        self._is_synchronised = is_synchronised
        self._is_full = sampling == CHANCE
        self._gauge = gauge
        self._walkers = walkers
        self._weight = 1.0
        self._total_weight = 0.0
        """The sum of the weights of the regrets of all deals."""
        # The extreme: all hands in one bucket, each winning the most instead of losing it.
        self._most_per_deal = 2.0 * LANES * float(tree.nodes["stake"].max())
        self._nodes_before = 0
        self._num_met: int | None = None
        self._last_average = self._first_street()
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        self._own = threading.local()
        self._workspaces: list[WalkSpace] = []
        self._usual = _USUAL_DECISIONS
        self._log = self._make_log() if is_synchronised and walkers is None else NO_LOG

    @property
    def hand_nodes(self) -> int:
        """Nodes visited so far, each counted once per hand that learns there."""
        return self._nodes_before + sum(int(work.num_visited[0]) for work in self._workspaces)

    @property
    def is_at_moment(self) -> bool:
        """Whether progress is measured at the current iteration."""
        return not self.iteration % self._batch and is_moment(self.iteration // self._batch)

    @property
    def counts_visits(self) -> bool:
        """Whether it counts how often it learns at each infoset."""
        return len(self.tables.visits) > 0

    def visits(self) -> Iterator[Counts]:
        """Yield the visits of each infoset of a street, [buckets, decisions]."""
        assert self.counts_visits, "visits are not counted"
        for street, count in enumerate(self.dealer.num_buckets):
            yield visits_of(self.tree, self.layout, self.tables, street, count)

    def put_visits(self, visits: Iterable[Counts]) -> None:
        """Take the visits of each street, as `visits` yields them."""
        for street, each in enumerate(visits):
            put_visits(self.tree, self.layout, self.tables, street, each)

    def warm_up(self) -> None:
        """Compile the kernels, without changing the state."""
        own = self._memory()
        self._walk(own, np.zeros((0, 2), dtype=np.float32), 0, 0)
        if self._is_synchronised:
            self._commit(0, self.tables, self.rule.floor, self.iteration)
        self.dealer.fill(own.deals, 0, 1, 0)

    def progress(self, until: int | None = None) -> Iterator[Progress]:
        """Learn up to deal `until` (forever if None), yielding about every 50 ms.

        At some moments, which do not depend on the clock, it says how far the average strategy of
        the first street has moved, and estimates how many infosets were met and their regrets. The
        time of a gauge is not counted.
        """
        tick = self._batch
        while until is None or self.iteration < until:
            begin = time.perf_counter()
            moment = next_moment(self.iteration // self._batch) * self._batch
            goal = min(moment, self.iteration + tick)
            goal -= goal % self._batch
            before = self.iteration
            self.train(goal if until is None else min(goal, until))
            elapsed = time.perf_counter() - begin
            done = self.iteration - before
            tick = max(self._batch, min(2 * done, int(done * _TICK_SECONDS / max(elapsed, 1e-9))))
            drift = regret = None
            if self.iteration in (moment, until):
                average = self._first_street()
                drift = _distance(average, self._last_average)
                self._last_average = average
                self._num_met, total = survey(
                    self.tree, self.layout, self.tables, self.dealer.num_buckets
                )
                regret = total / self._total_weight if self._total_weight > 0.0 else None
            self.seconds += time.perf_counter() - begin
            lbr = margin = None
            if self._gauge is not None and self._is_gauged(until):
                lbr, margin = self._gauge(self.averages())
            yield Progress(
                self.iteration,
                self.seconds,
                None,
                regret,
                drift=drift,
                nodes=self.hand_nodes,
                infosets=self._num_met,
                lbr=lbr,
                lbr_margin=margin,
            )

    def _is_gauged(self, until: int | None) -> bool:
        """Whether the gauge is read at the current iteration, which does not depend on the clock.

        It is read at only a few of the moments, because a reading takes longer than the time
        between them.
        """
        is_doubled = is_moment(self.iteration // self._batch, _DOUBLING)
        return self.iteration == until or (is_doubled and not self.iteration % self._batch)

    def averages(self) -> Iterator[Singles]:
        """Yield the average strategy of each street, [buckets, actions of all decisions]."""
        for street, count in enumerate(self.dealer.num_buckets):
            yield self._average(street, count)

    def learnt(self) -> Iterator[Singles]:
        """Yield the regrets and sums of each street, in the order of the tree's decisions."""
        for street, count in enumerate(self.dealer.num_buckets):
            yield learnt(self.tree, self.layout, self.tables, street, count)

    def put_learnt(self, numbers: Iterable[Singles]) -> None:
        """Take the regrets and sums of each street, as `learnt` yields them."""
        for street, each in enumerate(numbers):
            put_learnt(self.tree, self.layout, self.tables, street, each)
        self._last_average = self._first_street()

    def outcome(self) -> dict[str, Any]:
        """Return nothing in addition to the strategy."""
        return {}

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def train(self, until: int) -> None:
        """Learn from deals until `until` of them are done."""
        if not self._is_synchronised:
            self._learn(until - self.iteration)
        while self.iteration < until:
            # Batches begin at multiples of their size, wherever a run was stopped earlier.
            stop = (self.iteration // self._batch + 1) * self._batch
            self._learn(min(stop, until) - self.iteration)

    def _learn(self, count: int) -> None:
        """Walk the next deals, all of which see the same tables if walks are synchronised."""
        weights, last = self.rule.weights(self.iteration, self._weight, count)
        # Added one by one, so that it does not matter where a run was stopped earlier.
        added = np.concatenate(([self._total_weight], weights[:, 0]))
        total_weight = float(np.cumsum(added)[-1])
        if self._is_scaled:
            most_regret = total_weight * self._most_per_deal
            fit(self.tables, (most_regret, self.rule.most_averaged(self.iteration + count)))
            weights /= self.tables.scales
        if self._walkers is not None:
            self._add_chunks(self._walkers, weights)
        else:
            num_shares = self._walk_all(self.iteration, weights)
            if self._is_synchronised:
                self._commit(num_shares, self.tables, self.rule.floor, self.iteration)
        self.iteration += count
        self._weight = last
        self._total_weight = total_weight

    def _walk_all(self, first: int, weights: AnyArray) -> int:
        """Walk deals starting at number `first`; return how many shares they are logged in."""
        shares = _shares(len(weights))
        nodes = self.hand_nodes
        is_whole = [True] * len(shares)

        def work(number: int) -> None:
            begin, end = shares[number]
            own = self._memory()
            self.dealer.fill(own.deals, 0, end - begin, first + begin)
            is_whole[number] = self._walk(own, weights[begin:end], first + begin, number)

        self._each(work, len(shares))
        while not all(is_whole):
            # The tables have not changed: walk again with a larger log.
            self._nodes_before -= self.hand_nodes - nodes
            self._usual *= 2
            self._log = self._make_log()
            self._each(work, len(shares))
        return len(shares)

    def additions(self, first: int, weights: AnyArray) -> Additions:
        """Return the additions of deals from `first` on to the tables, which stay unchanged.

        Regrets are bounded not here, but where they are added.
        """
        nodes = self.hand_nodes
        regrets, sums = np.zeros_like(self.tables.regrets), np.zeros_like(self.tables.sums)
        added = self.tables._replace(regrets=regrets, sums=sums)
        for begin in range(0, len(weights), self._batch):
            num_shares = self._walk_all(first + begin, weights[begin : begin + self._batch])
            self._commit(num_shares, added, -math.inf, first + begin)
        return Additions(regrets, sums, self.hand_nodes - nodes)

    def _add_chunks(self, walkers: Walkers, weights: AnyArray) -> None:
        """Let others walk a batch, and add what they found in the order of chunks."""
        for added in walkers.walk(self.tables, self.iteration, weights):
            self.tables.regrets[:] += added.regrets
            self.tables.sums[:] += added.sums
            self._nodes_before += added.nodes
        if self.rule.is_clipped:
            np.maximum(self.tables.regrets, np.float32(0.0), out=self.tables.regrets)

    def _walk(self, own: "_Memory", weights: AnyArray, first: int, share: int) -> bool:
        """Walk deals starting at number `first`; return whether all fit into the log."""
        span = Span(0, len(weights), 0, 1, first, self._seed, self.rule.floor, self._rounding)
        go = full_walk if self._is_full else walk
        return go(
            self.layout.nodes,
            self.tables,
            own.deals,
            weights,
            span,
            own.workspace,
            self._log,
            share if self._is_synchronised else 0,
        )

    def _make_log(self) -> WalkLog:
        num_slots = len(_shares(self._batch))
        return make_log(self.tree, num_slots, _SHARE, self._usual, is_full=self._is_full)

    def _commit(self, num_shares: int, tables: TrainerTables, floor: float, first: int) -> None:
        """Add the log, of deals starting at number `first`, to tables, and empty it.

        Parts of the tables are independent of each other: the regrets of each player on each
        street, and the sums of each player. The largest, those of the last street, come first.
        """
        num_parts = 2 * self.tree.num_streets
        rounding = np.uint64(mixed(int(self._rounding) + first))

        def settle(number: int) -> None:
            if number < num_parts:
                part = num_parts - 1 - number
                commit_regrets(self._log, num_shares, part, tables, floor, rounding)
            else:
                commit_sums(self._log, num_shares, number - num_parts, tables.sums, rounding)

        if is_sparse(tables.regrets):
            self._commit_sparse(num_shares, rounding)
        else:
            self._each(settle, num_parts + 2)
        clear_log(self._log)

    def _commit_sparse(self, num_shares: int, rounding: np.uint64) -> None:
        """Add the log to tables in the sparse form, which are rewritten."""
        num_parts = 2 * self.tree.num_streets
        packed: dict[tuple[int, int], Sparse] = {}

        def settle(number: int) -> None:
            kind, part = number % 2, num_parts - 1 - number // 2
            count = self.dealer.num_buckets[part // 2]
            packed[kind, part] = commit_sparse(
                self._log, num_shares, kind, part, self.tables, count, rounding
            )

        self._each(settle, 2 * num_parts)
        regrets, sums = (
            joined(self.tables, kind, [packed[kind, part] for part in range(num_parts)])
            for kind in (REGRETS, SUMS)
        )
        self.tables = self.tables._replace(regrets=regrets, sums=sums)

    def _each(self, work: Work, count: int) -> None:
        """Do the pieces of work 0 … count − 1, each on whichever thread is free."""
        pieces = iter(range(count))

        def help_out() -> None:
            for piece in pieces:
                work(piece)

        helpers = []
        if self._pool is not None:
            num_helpers = min(self._threads, count) - 1
            helpers = [self._pool.submit(help_out) for _ in range(num_helpers)]
        help_out()
        for helper in helpers:
            helper.result()

    def _memory(self) -> "_Memory":
        """Return the memory of this thread."""
        found: _Memory | None = getattr(self._own, "memory", None)
        if found is None:
            deals = make_deals(_SHARE, self.tree.num_streets)
            found = self._own.memory = _Memory(
                make_workspace(self.tree, is_full=self._is_full), deals
            )
            self._workspaces.append(found.workspace)
        return found

    def state(self) -> dict[str, AnyArray]:
        """Return named arrays from which `restore` continues bit for bit."""
        return {
            "iteration": np.array([self.iteration], dtype=np.int64),
            "weight": np.array([self._weight]),
            "total_weight": np.array([self._total_weight]),
            "nodes": np.array([self.hand_nodes], dtype=np.int64),
            "last_average": self._last_average,
            **_arrays_of("regrets", self.tables.regrets),
            **_arrays_of("sums", self.tables.sums),
            **({"scales": self.tables.scales} if self._is_scaled else {}),
            **({"visits": self.tables.visits} if self.counts_visits else {}),
        }

    @property
    def _is_scaled(self) -> bool:
        sums = self.tables.sums
        return not is_sparse(sums) and bool(sums.dtype == FLOAT16)

    def restore(self, state: Mapping[str, AnyArray]) -> None:
        """Continue from `state()`; raise FormatError if it does not fit."""
        regrets = _numbers_of(state, "regrets", self.tables.regrets)
        sums = _numbers_of(state, "sums", self.tables.sums)
        if not is_sparse(sums) and len(sums) and widened(sums).min() < 0.0:
            raise FormatError("'sums' of the saved state has negative values")
        weight = float(array_of(state, "weight", (1,), np.float64)[0])
        if not 0.0 < weight <= _MAX_WEIGHT:
            raise FormatError(f"the saved state has an invalid weight, {weight}")
        total_weight = float(array_of(state, "total_weight", (1,), np.float64)[0])
        if not 0.0 <= total_weight <= _MAX_WEIGHT:
            raise FormatError(f"the saved state has an invalid weight, {total_weight}")
        nodes = int(array_of(state, "nodes", (1,), np.int64)[0])
        if not 0 <= nodes <= _MAX_VISITED:
            raise FormatError(f"the saved state has visited {nodes} nodes")
        last = array_of(state, "last_average", self._last_average.shape, np.float32)
        if self._is_scaled:
            scales = array_of(state, "scales", (2,), np.float64)
            if not (scales >= 1.0).all() or (np.frexp(scales)[0] != 0.5).any():
                raise FormatError(f"the saved state has invalid scales, {scales.tolist()}")
            self.tables.scales[:] = scales
        if self.counts_visits:
            self.tables.visits[:] = array_of(state, "visits", self.tables.visits.shape, np.uint32)
        self.iteration = iteration_of(state)
        self._weight = weight
        self._total_weight = total_weight
        self._nodes_before = nodes - (self.hand_nodes - self._nodes_before)
        self._last_average = last.copy()
        if is_sparse(regrets):
            self.tables = self.tables._replace(regrets=regrets, sums=sums)
        else:
            self.tables.regrets[:] = regrets
            self.tables.sums[:] = sums

    def _first_street(self) -> Singles:
        return self._average(0, self.dealer.num_buckets[0])

    def _average(self, street: int, num_buckets: int) -> Singles:
        return average_of(self.tree, self.layout, self.tables, street, num_buckets)


class _Memory(NamedTuple):
    """The working memory of a thread."""

    workspace: WalkSpace
    deals: TrainerDeals


def verify_sparse(rule: Discounting, *, is_synchronised: bool, has_visits: bool) -> None:
    """Raise InvalidOption unless the sparse form suits a training."""
    for is_right, remedy in (
        (rule.is_clipped, "it keeps positive regrets only: use the rule dcfr+ or rm+"),
        (is_synchronised, "it cannot change tables at once: synchronise the threads"),
        (not has_visits, "it does not count visits"),
    ):
        if not is_right:
            raise InvalidOption.of("precision", SPARSE, remedy)


def _arrays_of(name: str, table: Any) -> dict[str, AnyArray]:
    """Return regrets or sums as arrays with names."""
    if not is_sparse(table):
        return {name: table}
    return {
        f"{name}_marks": table.marks,
        f"{name}_bases": table.bases,
        f"{name}_values": table.values[: table.num_values],
    }


def _numbers_of(state: Mapping[str, AnyArray], name: str, table: Any) -> Any:
    """Return regrets or sums of a saved state; raise FormatError unless they fit `table`."""
    found: Any
    if is_sparse(table):
        marks = array_of(state, f"{name}_marks", table.marks.shape, np.uint64)
        bases = array_of(state, f"{name}_bases", table.bases.shape, np.uint16)
        values = array_of(state, f"{name}_values", (num_values_of(marks),), np.uint8)
        room = np.zeros(PAIR_BYTES, dtype=np.uint8)
        found = Sparse(marks.copy(), firsts_of(marks), bases.copy(), np.concatenate((values, room)))
        halves = np.minimum(bases.astype(np.int64) + STEPS, _INFINITE)
        largest = widened(halves.astype(np.uint16))
    else:
        found = array_of(state, name, table.shape, table.dtype.type)
        largest = widened(found)
    if not is_moderate(largest):
        raise FormatError(f"{name!r} of the saved state has values that are not finite")
    if not is_sparse(table) and _has_subnormal(largest):
        raise FormatError(f"{name!r} of the saved state has values that are too small")
    return found


def _has_subnormal(numbers: Singles) -> bool:
    """Whether a number is so small that its inverse is infinite: learning never leaves one."""
    flat = numbers.reshape(-1)
    for begin in range(0, len(flat), _CHECKED_AT_ONCE):
        part = np.abs(flat[begin : begin + _CHECKED_AT_ONCE])
        if ((part > 0.0) & (part < np.finfo(np.float32).tiny)).any():
            return True
    return False


def _distance(first: Singles, second: Singles) -> float:
    """Return the mean distance of probabilities, over all actions."""
    return float(np.abs(first - second).mean())


def _shares(count: int) -> list[tuple[int, int]]:
    """Cut deals into shares, smaller ones at the end: threads then finish at the same time."""
    shares, begin = [], 0
    while begin < count:
        size = min(max((count - begin) // 6, _LEAST_SHARE), _SHARE, count - begin)
        shares.append((begin, begin + size))
        begin += size
    return shares
