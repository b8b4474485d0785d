"""Iterations in batches, by one thread or several, with the same result.

All samples of a batch are drawn against one behaviour, so it does not matter who draws them.
Their logs are committed in the order of the samples, so sums are the same to the last bit.
A round of the team (see `numeric.team`) is the part of a batch before the next stop. Its lanes are
the samples for each player, which change the regrets of that player only and the masses of one
player only; its parts are the rows of each player.
"""

from typing import NamedTuple

import numpy as np

from untilt.numeric.arrays import Floats, Record
from untilt.numeric.kernel import called, inlined, kernel
from untilt.numeric.prefetch import prefetch_to_read
from untilt.numeric.team import (
    BEGIN,
    COMMIT,
    LEAD,
    OVER,
    SETTLE,
    WORK,
    TeamSeat,
    close_round,
    next_task,
    open_round,
    task_is_done,
)
from untilt.regret.rule import UpdateRule
from untilt.regret.step import step_of
from untilt.solvers.mccfr.histories import Histories
from untilt.solvers.mccfr.logs import (
    Logs,
    MemberLog,
    begin_share,
    commit_regrets,
    commit_values,
    end_share,
    log_of,
)
from untilt.solvers.mccfr.regret_store import RegretStore, discount, end_batch
from untilt.solvers.mccfr.traversal import (
    DONE,
    OUTCOME_SAMPLING,
    SamplerSpace,
    Scheme,
    play,
    traverse,
)

WAIT = 3
"""How a call ended, in addition to those of `traversal`: other threads are late; call again."""

_GROWTH = 100

_LEAST_SHARE = 8
"""Samples below which handing over a share takes longer than doing it."""

_LINE = 8
_FETCHED_AT_ONCE = 1 << 12
"""Entries in a cache line; and entries up to which a batch meets most of a behaviour again. On
Leduc, samples would otherwise wait for other processors' caches for 6 % of the time."""


class SamplingSchedule(NamedTuple):
    """The iterations at which behaviour changes, and at which the past is discounted."""

    batch: int
    """Iterations against one behaviour, but never more than a hundredth of those done."""
    period: int
    """Iterations between two discounts."""
    rule: UpdateRule


@called
def samples_per_iteration(scheme: Scheme, num_players: int) -> int:
    """Return 1 for episodes, and one per player for traversals."""
    return 1 if scheme.sampling == OUTCOME_SAMPLING else num_players


@inlined
def _next_stop(clock: Record, schedule: SamplingSchedule, until: int) -> int:
    """Return the iteration at which the next samples must end, at most `until`."""
    now = clock.iteration
    if clock.batch_end <= now:
        clock.batch_end = now + max(1, min(schedule.batch, now // _GROWTH))
    end_of_period = (now // schedule.period + 1) * schedule.period
    return min(until, int(clock.batch_end), int(end_of_period))


@called
def _arrive(store: RegretStore, num_infosets: int, schedule: SamplingSchedule, stop: int) -> None:
    """Count the iterations up to `stop`; end the batch and the period if they end there."""
    clock = store.clock[0]
    store.strategy_sum[0] += stop - clock.iteration
    clock.iteration = stop
    if stop == clock.batch_end:
        clock.batch += 1
    if stop % schedule.period == 0:
        discount(store, num_infosets, step_of(schedule.rule, stop // schedule.period + 1))


@inlined
def _fetch_behaviour(behaviour: Floats) -> None:
    """Fetch what other members have changed since the last batch, all at once."""
    if len(behaviour) <= _FETCHED_AT_ONCE:
        for entry in range(0, len(behaviour), _LINE):
            prefetch_to_read(behaviour, entry)


@kernel
def _sample(
    histories: Histories, store: RegretStore, work: SamplerSpace, log: MemberLog, scheme: Scheme
) -> int:
    if scheme.sampling == OUTCOME_SAMPLING:
        return play(histories, store, work, log, scheme)
    return traverse(histories, store, work, log, scheme)


@inlined
def _commit(
    histories: Histories, store: RegretStore, logs: Logs, scheme: Scheme, member: Record
) -> None:
    """Commit a share to the rows of a player; with player 1's, to the baselines as well."""
    floor = 0.0 if scheme.is_clipped else -np.inf
    doer, slot, player = member.doer, member.slot, member.part
    commit_regrets(store, logs, doer, slot, player, scheme.is_lazy, floor)
    if player == 1:
        commit_values(store, histories.baselines, logs, doer, slot, scheme.baseline_rate)


@kernel
def advance(
    histories: Histories,
    store: RegretStore,
    work: SamplerSpace,
    logs: Logs,
    scheme: Scheme,
    schedule: SamplingSchedule,
    num_infosets: int,
    until: int,
    seat: TeamSeat,
) -> int:
    """Iterate up to `until` as a member of a team; return how it ended.

    After EXPAND, FULL and WAIT the next call continues where this one stopped.
    """
    clock, cursor, member = store.clock[0], work.cursor[0], seat.member[0]
    factor = samples_per_iteration(scheme, store.num_touched.shape[0])
    while True:
        task = next_task(seat)
        if task == BEGIN:
            first = member.begin * factor
            cursor.sample = first + (member.lane - first) % member.num_lanes
            cursor.end = member.end * factor
            cursor.step = member.num_lanes
            begin_share(logs, seat.rank, member.slot, bool(member.is_first))
            if member.is_first and seat.size > 1:
                _fetch_behaviour(store.behaviour)
        if task <= WORK:
            status = _sample(histories, store, work, log_of(logs, seat.rank), scheme)
            if status != DONE:
                return status
            end_share(logs, seat.rank, member.slot)
        elif task == COMMIT:
            _commit(histories, store, logs, scheme, member)
        elif task == SETTLE:
            if member.stop == clock.batch_end:
                root_sum = store.strategy_sum[0] + (member.stop - clock.iteration)
                end_batch(histories, store, scheme.is_lazy, member.part, root_sum)
        elif task == LEAD:
            if close_round(seat):
                _arrive(store, num_infosets, schedule, member.stop)
            if clock.iteration >= until:
                return DONE
            begin = clock.iteration
            stop = _next_stop(clock, schedule, until)
            least = _LEAST_SHARE * seat.num_lanes * seat.num_shares
            open_round(seat, begin, stop, (stop - begin) * factor >= least)
            continue
        else:
            return DONE if task == OVER else WAIT
        task_is_done(seat)
