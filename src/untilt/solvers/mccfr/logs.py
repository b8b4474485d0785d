"""Logs of what samples have found, until it is committed to the store.

Every member of a team writes its own log, which holds its shares of a round (see `numeric.team`)
one after the other. The rows of each player have a log of their own, so that two members can commit
them at the same time.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from untilt.numeric.arrays import Floats, Indices, Records
from untilt.numeric.kernel import called, inlined
from untilt.regret.matching import clipped
from untilt.solvers.mccfr.histories import Baselines
from untilt.solvers.mccfr.regret_store import RegretStore


class MemberLog(NamedTuple):
    """The log of one member, for the rows of each player; of M members, with a first axis [M]."""

    lengths: Records
    """[P] of LENGTHS for P players; [M, P + 2] of M members, so that they write no common cache
    line."""
    records: Indices
    """[P, …] each player's infosets whose regrets were sampled, in order."""
    regrets: Floats
    """[P, …] their regrets, one per action, one record after the other."""
    visits: Indices
    """[P, …] each player's infosets whose behaviour joins the stochastic average."""
    masses: Floats
    """[P, …] the mass of each of these visits."""
    values: Floats
    """Outcome sampling: values found …"""
    value_places: Indices
    """… for these places of the baselines. They are committed with the rows of player 1."""


class Logs(NamedTuple):
    """The logs of M members, who may have S shares in a round."""

    members: MemberLog
    """With a first axis [M]."""
    begins: Records
    """[S, P] of LENGTHS: where each share begins in the log of the member that does it …"""
    ends: Records
    """… and where it ends."""


LENGTHS = np.dtype(
    (np.record, [(name, np.int64) for name in ("records", "regrets", "visits", "values")])
)
"""How many of each there are in the log for the rows of a player."""


def make_logs(
    num_members: int, num_shares: int, num_players: int = 2, capacity: int = 1 << 14
) -> Logs:
    """Return empty logs for members who have up to `num_shares` shares in a round."""
    rows = (num_members, num_players, capacity)
    members = MemberLog(
        lengths=np.zeros((num_members, num_players + 2), dtype=LENGTHS),
        records=np.zeros(rows, dtype=np.uint32),
        regrets=np.zeros(rows),
        visits=np.zeros(rows, dtype=np.uint32),
        masses=np.zeros(rows),
        values=np.zeros((num_members, capacity)),
        value_places=np.zeros((num_members, capacity), dtype=np.uint32),
    )
    return Logs(
        members=members,
        begins=np.zeros((num_shares, num_players), dtype=LENGTHS),
        ends=np.zeros((num_shares, num_players), dtype=LENGTHS),
    )


def grown(logs: Logs) -> Logs:
    """Return the logs with twice the capacity."""
    longer = {
        name: np.concatenate((array, np.zeros_like(array)), axis=-1)
        for name, array in logs.members._asdict().items()
        if name != "lengths"
    }
    return logs._replace(members=logs.members._replace(**longer))


class SharedLogs:
    """The logs of a team, which grow while no member uses them."""

    def __init__(self, logs: Logs) -> None:
        self._logs = logs
        self._num_users = 0
        self._is_growing = False
        self._changed = threading.Condition()

    @property
    def logs(self) -> Logs:
        """The logs as they are now."""
        return self._logs

    @contextmanager
    def used(self) -> Iterator[Logs]:
        """Return the logs, which do not grow in the context; wait if they are growing."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_growing)
            self._num_users += 1
        try:
            yield self._logs
        finally:
            with self._changed:
                self._num_users -= 1
                self._changed.notify_all()

    def grow(self, full: Logs) -> None:
        """Double the capacity of the logs that were found `full`, unless another member has.

        Others will soon stop using them: the round cannot end without the member that calls this.
        """
        with self._changed:
            if self._logs is not full or self._is_growing:
                return
            self._is_growing = True
            try:
                self._changed.wait_for(lambda: self._num_users == 0)
                self._logs = grown(full)
            finally:  # after Ctrl-C, too, others must not wait forever
                self._is_growing = False
                self._changed.notify_all()


@inlined
def log_of(logs: Logs, rank: int) -> MemberLog:
    """Return the log of a member."""
    members = logs.members
    return MemberLog(
        members.lengths[rank],
        members.records[rank],
        members.regrets[rank],
        members.visits[rank],
        members.masses[rank],
        members.values[rank],
        members.value_places[rank],
    )


@inlined
def _mark(lengths: Records, marks: Records, slot: int) -> None:
    for player in range(marks.shape[1]):
        mark, length = marks[slot, player], lengths[player]
        mark.records = length.records
        mark.regrets = length.regrets
        mark.visits = length.visits
        mark.values = length.values


@called
def begin_share(logs: Logs, rank: int, slot: int, is_first: bool) -> None:
    """Begin to log a share; what was logged before the `first` of a round is forgotten."""
    lengths = logs.members.lengths[rank]
    if is_first:
        for player in range(logs.begins.shape[1]):
            length = lengths[player]
            length.records = 0
            length.regrets = 0
            length.visits = 0
            length.values = 0
    _mark(lengths, logs.begins, slot)


@called
def end_share(logs: Logs, rank: int, slot: int) -> None:
    """Note where the share ends in the log."""
    _mark(logs.members.lengths[rank], logs.ends, slot)


@called
def commit_regrets(
    store: RegretStore, logs: Logs, doer: int, slot: int, player: int, is_lazy: bool, floor: float
) -> None:
    """Add what a share has found for a player's rows to the store, regrets cut at `floor`."""
    first_entry, regret_sum, mass = store.first_entry, store.regret_sum, store.mass
    stamp = store.stamp
    touched = store.touched[player]
    log, begin, end = log_of(logs, doer), logs.begins[slot, player], logs.ends[slot, player]
    records, regrets, visits, masses = log.records, log.regrets, log.visits, log.masses
    batch = store.clock[0].batch
    num_touched = store.num_touched[player, 0]
    position = begin.regrets
    for record in range(begin.records, end.records):
        infoset = records[player, record]
        if stamp[infoset] != batch:
            stamp[infoset] = batch
            touched[num_touched] = infoset
            num_touched += 1
        for entry in range(first_entry[infoset], first_entry[infoset + 1]):
            regret_sum[entry] = clipped(regret_sum[entry] + regrets[player, position], floor)
            position += 1
    store.num_touched[player, 0] = num_touched
    if not is_lazy:
        for visit in range(begin.visits, end.visits):
            mass[visits[player, visit]] += masses[player, visit]


@called
def commit_values(
    store: RegretStore, baselines: Baselines, logs: Logs, doer: int, slot: int, rate: float
) -> None:
    """Move the baselines towards the values that a share has found for them."""
    clock, log = store.clock[0], log_of(logs, doer)
    batch, num_baselines = clock.batch, clock.num_baselines
    for number in range(logs.begins[slot, 1].values, logs.ends[slot, 1].values):
        place = log.value_places[number]
        if baselines.stamp[place] != batch:
            baselines.stamp[place] = batch
            baselines.touched[num_baselines] = place
            num_baselines += 1
        baselines.fresh[place] += rate * (log.values[number] - baselines.fresh[place])
    clock.num_baselines = num_baselines
