"""Iterations in batches, by one thread or several, with the same result.

All samples of a batch are drawn against one behaviour, so it does not matter who draws them;
their logs are committed in the order of the samples, so that sums come out the same to the
last bit. Threads meet inside the kernels: one leads, the others follow.
"""

from typing import NamedTuple

import numpy as np

from untilt.numeric.arrays import Offsets
from untilt.numeric.kernel import inlined, kernel
from untilt.numeric.signals import has_come, post, seen
from untilt.regret.rule import UpdateRule, step_of
from untilt.solvers.mccfr.histories import Histories
from untilt.solvers.mccfr.table import BATCH_END, ITERATION, Table, discount, end_batch
from untilt.solvers.mccfr.traversal import (
    DONE,
    END,
    OUTCOME_SAMPLING,
    PHASE,
    ROUNDS,
    SAMPLE,
    Scheme,
    Workspace,
    commit,
    play,
    traverse,
)

WAIT = 3
"""How a call ended, besides those of `traversal`: the other threads are late, call again."""

_GROWTH = 100

ROUND, BEGIN, STOP, TURN = 0, 8, 9, 16
"""Signals between threads, a cache line apart: the number of the round, its iterations, and
whose turn it is to commit."""

IDLE, SAMPLING, COMMITTING, ARRIVING = 0, 1, 2, 3
"""Phases of a round, in a workspace's cursor."""

OVER = 2**62
"""In place of a round: no more will follow."""


class Schedule(NamedTuple):
    """When behaviour changes, and when the past is discounted."""

    batch: int
    """Iterations against one behaviour, but never more than a hundredth of those done."""
    period: int
    """Iterations between two discounts."""
    rule: UpdateRule


def make_signals() -> Offsets:
    """Return the signals before the first round."""
    return np.zeros(24, dtype=np.int64)


@kernel
def samples_per_iteration(scheme: Scheme) -> int:
    """Return 1 for episodes, 2 for traversals: one per player."""
    return 1 if scheme.sampling == OUTCOME_SAMPLING else 2


@inlined
def _next_stop(clock: Offsets, schedule: Schedule, until: int) -> int:
    """Return where the samples that are drawn next must end, at most at `until`."""
    now = clock[ITERATION]
    if clock[BATCH_END] <= now:
        clock[BATCH_END] = now + max(1, min(schedule.batch, now // _GROWTH))
    end_of_period = (now // schedule.period + 1) * schedule.period
    return min(until, int(clock[BATCH_END]), int(end_of_period))


@kernel
def _arrive(
    histories: Histories,
    table: Table,
    num_infosets: int,
    scheme: Scheme,
    schedule: Schedule,
    stop: int,
) -> None:
    """Count the iterations up to `stop`; end the batch and the period if they end there."""
    table.strategy_sum[0] += stop - table.clock[ITERATION]
    table.clock[ITERATION] = stop
    if stop == table.clock[BATCH_END]:
        end_batch(histories, table, scheme.is_lazy)
    if stop % schedule.period == 0:
        discount(table, num_infosets, step_of(schedule.rule, stop // schedule.period + 1))


@kernel
def _sample(histories: Histories, table: Table, work: Workspace, scheme: Scheme) -> int:
    if scheme.sampling == OUTCOME_SAMPLING:
        return play(histories, table, work, scheme)
    return traverse(histories, table, work, scheme)


@kernel
def run(
    histories: Histories,
    table: Table,
    work: Workspace,
    scheme: Scheme,
    schedule: Schedule,
    num_infosets: int,
    until: int,
) -> int:
    """Iterate up to `until` on one thread; return how it ended, DONE, EXPAND or FULL."""
    clock = table.clock
    while clock[ITERATION] < until:
        stop = _next_stop(clock, schedule, until)
        work.cursor[END] = stop * samples_per_iteration(scheme)
        status = _sample(histories, table, work, scheme)
        if status != DONE:
            return status
        commit(histories, table, work, scheme)
        _arrive(histories, table, num_infosets, scheme, schedule, stop)
    return DONE


@kernel
def lead(
    histories: Histories,
    table: Table,
    work: Workspace,
    scheme: Scheme,
    schedule: Schedule,
    num_infosets: int,
    until: int,
    signals: Offsets,
    num_threads: int,
) -> int:
    """Iterate up to `until` with `num_threads` − 1 others that `follow`; return how it ended.

    The first share of each round is the leader's. The workspace keeps the phase, so that a
    call that ended with FULL or WAIT goes on where it was.
    """
    clock = table.clock
    cursor = work.cursor
    factor = samples_per_iteration(scheme)
    while clock[ITERATION] < until or cursor[PHASE] != IDLE:
        if cursor[PHASE] == IDLE:
            begin = clock[ITERATION]
            stop = _next_stop(clock, schedule, until)
            signals[BEGIN] = begin
            signals[STOP] = stop
            cursor[SAMPLE] = begin * factor
            cursor[END] = (begin + (stop - begin) // num_threads) * factor
            cursor[ROUNDS] += 1
            cursor[PHASE] = SAMPLING
            post(signals, ROUND, cursor[ROUNDS])
        number = cursor[ROUNDS]
        if cursor[PHASE] == SAMPLING:
            status = _sample(histories, table, work, scheme)
            if status != DONE:
                return status
            cursor[PHASE] = COMMITTING
        if cursor[PHASE] == COMMITTING:
            commit(histories, table, work, scheme)
            cursor[PHASE] = ARRIVING
            post(signals, TURN, (number - 1) * num_threads + 1)
        if not has_come(signals, TURN, number * num_threads):
            return WAIT
        _arrive(histories, table, num_infosets, scheme, schedule, signals[STOP])
        cursor[PHASE] = IDLE
    return DONE


@kernel
def follow(
    histories: Histories,
    table: Table,
    work: Workspace,
    scheme: Scheme,
    signals: Offsets,
    num_threads: int,
    rank: int,
) -> int:
    """Sample and commit share number `rank` ≥ 1 of each round until all is over."""
    cursor = work.cursor
    factor = samples_per_iteration(scheme)
    while True:
        if cursor[PHASE] == IDLE:
            if not has_come(signals, ROUND, cursor[ROUNDS] + 1):
                return WAIT
            if seen(signals, ROUND) == OVER:
                return DONE
            cursor[ROUNDS] += 1
            begin = signals[BEGIN]
            count = signals[STOP] - begin
            cursor[SAMPLE] = (begin + count * rank // num_threads) * factor
            cursor[END] = (begin + count * (rank + 1) // num_threads) * factor
            cursor[PHASE] = SAMPLING
        number = cursor[ROUNDS]
        if cursor[PHASE] == SAMPLING:
            status = _sample(histories, table, work, scheme)
            if status != DONE:
                return status
            cursor[PHASE] = COMMITTING
        if not has_come(signals, TURN, (number - 1) * num_threads + rank):
            return WAIT
        commit(histories, table, work, scheme)
        cursor[PHASE] = IDLE
        post(signals, TURN, (number - 1) * num_threads + rank + 1)
