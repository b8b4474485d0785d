"""Teams of threads: the same work, and the same bits, for any number of them.

A team shares rounds; work that falls into chunks once and for all is done by `chunks`. A round
is a range of work against a state that stands still. It is cut into shares; whoever is free
claims the next share, so that a thread without a processor does not hold up a round that the
others can finish. What a share finds goes into a log of the member that did it. Logs are
committed in the order of the shares. When all are, the leader changes the state and opens the
next round. Neither who does a share nor how a round is cut changes the result.

A kernel cannot be handed to another without compiling that for each, so a client writes the
loop of a member itself, out of the pieces below:

    while True:
        if takes_share(seat):     set out on member.begin … member.end
        if is_working(seat):      work; after an early return the next call goes on
                                  work_is_done(seat)
        if is_committing(seat):   if not is_turn(seat): return WAIT
                                  commit the log; pass_turn(seat); continue
        if not seat.is_leader:    if is_over(seat): return DONE
                                  if not has_work(seat): return WAIT; continue
        if not is_round_over(seat): return WAIT
        close_round(seat) → change the state;  done → return DONE
        open_round(seat, begin, stop, is_shared)
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from untilt.numeric.arrays import Offsets, Records
from untilt.numeric.kernel import inlined
from untilt.numeric.signals import post, seen, swapped, wait_for

_OPENED, _CLAIMED, _TURN, _BEGIN, _STOP, _OVER = 0, 8, 16, 24, 25, 32
_NUM_SIGNALS = 40
"""Signals between members, a cache line apart: shares opened, claimed and committed so far; the
range of the present round; whether no more will follow."""

_IDLE, _STARTING, _WORKING, _COMMITTING = 0, 1, 2, 3
_ALONE = -1
"""In place of a share: the leader's own work, which nobody else sees."""

MEMBER = np.dtype(
    [
        (name, np.int64)
        for name in ("phase", "share", "begin", "end", "is_open", "stop", "num_rounds", "alone")
    ]
)
"""Where a member stands: idle, working on a share or waiting to commit it; number and range of
the share; the leader's: whether a round is open and where it ends, rounds opened so far, and how
many it does alone before others are asked again."""

_SHORTEST_NAP, _LONGEST_NAP = 2e-5, 1e-3

_LATE = 0.25
"""A leader that waits longer than this share of the time that it works does without the others
for a while: they have no processor."""
_MOST_SECONDS_ALONE = 0.5


class Seat(NamedTuple):
    """A member's place in a team."""

    signals: Offsets
    """Shared by the team."""
    member: Records
    """[1] of MEMBER, its own."""
    size: int
    """Members of the team."""
    is_leader: bool


def make_seats(size: int) -> list[Seat]:
    """Return the seats of a new team, the leader's first."""
    signals = np.zeros(_NUM_SIGNALS, dtype=np.int64)
    return [
        Seat(signals, np.zeros(1, dtype=MEMBER), size, is_leader=rank == 0) for rank in range(size)
    ]


@inlined
def takes_share(seat: Seat) -> bool:
    """Whether the member begins a share now: the leader's own round, or the next that is open."""
    signals, member = seat.signals, seat.member[0]
    if member.phase != _IDLE:
        if member.phase != _STARTING:
            return False
        member.phase = _WORKING
        return True
    number = seen(signals, _CLAIMED)
    while number < seen(signals, _OPENED):
        if swapped(signals, _CLAIMED, number, number + 1):
            # The round cannot end before this share does, so its range stands still.
            begin, count = signals[_BEGIN], signals[_STOP] - signals[_BEGIN]
            place = number % seat.size
            member.share = number
            member.begin = begin + count * place // seat.size
            member.end = begin + count * (place + 1) // seat.size
            member.phase = _WORKING
            return True
        number = seen(signals, _CLAIMED)
    return False


@inlined
def open_round(seat: Seat, begin: int, stop: int, is_worth_sharing: bool) -> None:
    """Open a round to the team, or give all of it to the leader; the last one must be over."""
    signals, member = seat.signals, seat.member[0]
    member.is_open = 1
    member.stop = stop
    member.num_rounds += 1
    if seat.size > 1 and is_worth_sharing and member.alone == 0:
        signals[_BEGIN] = begin
        signals[_STOP] = stop
        post(signals, _OPENED, signals[_OPENED] + seat.size)
        return
    if member.alone > 0:
        member.alone -= 1
    member.share = _ALONE
    member.begin = begin
    member.end = stop
    member.phase = _STARTING


@inlined
def is_working(seat: Seat) -> bool:
    """Whether the member has work to do on its share."""
    return bool(seat.member[0].phase == _WORKING)


@inlined
def is_committing(seat: Seat) -> bool:
    """Whether the member has a log to commit."""
    return bool(seat.member[0].phase == _COMMITTING)


@inlined
def work_is_done(seat: Seat) -> None:
    """Say that the member's log is complete."""
    seat.member[0].phase = _COMMITTING


@inlined
def is_turn(seat: Seat) -> bool:
    """Wait a little for the member's turn to commit; return whether it has come."""
    share = seat.member[0].share
    return share == _ALONE or wait_for(seat.signals, _TURN, share)


@inlined
def pass_turn(seat: Seat) -> None:
    """Say that the member's log is committed."""
    member = seat.member[0]
    if member.share != _ALONE:
        post(seat.signals, _TURN, member.share + 1)
    member.phase = _IDLE


@inlined
def is_round_over(seat: Seat) -> bool:
    """Wait a little for the shares of others; return whether all are committed."""
    return wait_for(seat.signals, _TURN, seat.signals[_OPENED])


@inlined
def close_round(seat: Seat) -> bool:
    """Return whether a round was open, which now is closed; the leader's, when it is over."""
    member = seat.member[0]
    was_open = bool(member.is_open)
    member.is_open = 0
    return was_open


@inlined
def is_over(seat: Seat) -> bool:
    """Whether the leader has said that no round will follow."""
    return seen(seat.signals, _OVER) != 0


@inlined
def has_work(seat: Seat) -> bool:
    """Wait a little for a share to claim; return whether there is one."""
    return wait_for(seat.signals, _OPENED, seen(seat.signals, _CLAIMED) + 1)


def work_together(seats: Sequence[Seat], work: Callable[[int], bool]) -> None:
    """Let every member do its loop, `work(rank)`, until the leader's is done.

    `work` returns whether it is done; if not it waits for others, and is called again.
    """
    seats[0].signals[_OVER] = 0

    def help_out(rank: int) -> None:
        while not work(rank):
            _nap(seats[rank])

    helpers = [
        threading.Thread(target=help_out, args=(rank,), daemon=True)
        for rank in range(1, len(seats))
    ]
    for helper in helpers:
        helper.start()
    try:
        _lead(seats[0], work)
    finally:
        seats[0].signals[_OVER] = 1
        for helper in helpers:
            helper.join()


def _lead(seat: Seat, work: Callable[[int], bool]) -> None:
    """Do the leader's loop, without the others while they have no processor."""
    member = seat.member
    rounds_alone = 1
    resumed = time.perf_counter()
    rounds_before = int(member["num_rounds"][0])
    while not work(0):
        stopped = time.perf_counter()
        _nap(seat)
        now = time.perf_counter()
        num_rounds = max(1, int(member["num_rounds"][0]) - rounds_before)
        worked = stopped - resumed
        if now - stopped > _LATE * worked:
            most = max(1, int(_MOST_SECONDS_ALONE * num_rounds / max(worked, 1e-9)))
            rounds_alone = min(4 * rounds_alone, most)
            member["alone"] = rounds_alone
        else:
            rounds_alone = max(1, rounds_alone // 2)
        resumed = now
        rounds_before += num_rounds


def _nap(seat: Seat) -> None:
    """Leave the processor to others until the member need wait no longer."""
    nap = _SHORTEST_NAP
    while _is_waiting(seat):
        time.sleep(nap)
        nap = min(2.0 * nap, _LONGEST_NAP)


def _is_waiting(seat: Seat) -> bool:
    """Whether calling the member's kernel again would only make it wait once more."""
    signals, member = seat.signals, seat.member[0]
    if member["phase"] == _COMMITTING:
        return bool(signals[_TURN] < member["share"])
    if signals[_OVER] or member["phase"] == _WORKING:
        return False
    if seat.is_leader:
        return bool(signals[_TURN] < signals[_OPENED])
    return bool(signals[_CLAIMED] >= signals[_OPENED])
