"""Teams of threads: the same work, and the same bits, for any number of them.

A team shares rounds (for work in fixed chunks, see `chunks`). A round is a range of work against
a state that does not change. It is cut into shares; whoever is free claims the next share, so a
thread without a processor does not delay a round that the others can finish. The results of a
share go into a log of the member that did it.

The state consists of independent *lanes*, such as the rows of each player.
Logs are committed lane by lane, in the order of the shares: while one member commits the second
lane of the first share, another commits the first lane of the second. A lane with all logs in it
is settled by whoever is free. When all lanes are settled the leader opens the next round. Neither
who does what nor how a round is cut changes the result.

A kernel that takes another kernel as an argument would be compiled for each, so a client writes
the loop of a member itself, from the pieces below:

    while True:
        if takes_share(seat):     set out on member.begin … member.end
        if is_working(seat):      work; after an early return the next call goes on
                                  work_is_done(seat)
        if is_committing(seat):   if not is_turn(seat): return WAIT
                                  commit the log's lane member.lane; pass_turn(seat); continue
        if takes_lane(seat):      settle the lane member.lane at member.stop; lane_is_settled(seat)
        step = next_step(seat)    WAITING: return WAIT;  OVER: return DONE;  READY: continue
        close_round(seat) → all is settled at member.stop;  done → return DONE
        open_round(seat, begin, stop, is_shared)
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from untilt.numeric.arrays import Offsets, Records
from untilt.numeric.kernel import inlined
from untilt.numeric.signals import PATIENCE, post, seen, swapped, wait_for

_OPENED, _CLAIMED, _BEGIN, _STOP, _OVER = 0, 8, 16, 17, 24
_LANES = 32
_TURN, _TAKEN, _SETTLED = 0, 8, 16
_LANE_SIZE = 24
"""Signals between members, a cache line apart: shares opened and claimed so far; the range of
the present round; whether no more will follow. For each lane: shares committed so far, and how
many were open when it was last taken to be settled, and when it was settled."""

_DONE, _BROKEN = 1, 2
"""Why no more rounds will follow."""

_IDLE, _STARTING, _WORKING, _COMMITTING, _SETTLING = 0, 1, 2, 3, 4
_ALONE = -1
"""In place of a share: the leader's own work, which nobody else sees."""

READY, WAITING, OVER, LEADING = 0, 1, 2, 3
"""What a member does next: look again for work, wait, end, or open a round."""

MEMBER = np.dtype(
    (
        np.record,
        [
            (name, np.int64)
            for name in (
                "phase",
                "share",
                "lane",
                "begin",
                "end",
                "is_open",
                "stop",
                "done",
                "alone",
            )
        ],
    )
)
"""The state of a member: idle, working on a share, committing it or settling a lane; number of
the share and the lane, range of the share; where the round ends; the leader's: whether a round
is open, how much work was opened so far, and how much the leader does alone before others are
asked again. Work is counted as rounds count it: in iterations, or hands."""

_SHORTEST_NAP, _LONGEST_NAP = 2e-5, 2e-4

_LATE, _LATE_SECONDS = 0.25, 1e-3
"""A leader that waits longer than this share of the time that it works, and longer than a thread
takes to wake up, works alone for a while: the others have no processor."""
_LEAST_SECONDS_ALONE, _MOST_SECONDS_ALONE = 1e-2, 0.5


class Seat(NamedTuple):
    """A member's place in a team."""

    signals: Offsets
    """Shared by the team."""
    member: Records
    """[1] of MEMBER, its own."""
    size: int
    """Members of the team."""
    num_lanes: int
    is_leader: bool


def make_seats(size: int, num_lanes: int = 1) -> list[Seat]:
    """Return the seats of a new team, the leader's first."""
    signals = np.zeros(_LANES + _LANE_SIZE * num_lanes, dtype=np.int64)
    return [
        Seat(signals, np.zeros(1, dtype=MEMBER), size, num_lanes, is_leader=rank == 0)
        for rank in range(size)
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
    member.done += stop - begin
    if seat.size > 1 and is_worth_sharing and member.alone == 0:
        signals[_BEGIN] = begin
        signals[_STOP] = stop
        post(signals, _OPENED, signals[_OPENED] + seat.size)
        return
    member.alone = max(0, member.alone - (stop - begin))
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
    """Mark the member's log as complete."""
    seat.member[0].phase = _COMMITTING
    seat.member[0].lane = 0


@inlined
def is_turn(seat: Seat) -> bool:
    """Wait briefly for the member's turn to commit in its lane; return whether it has come."""
    member = seat.member[0]
    turn = _LANES + _LANE_SIZE * member.lane + _TURN
    return member.share == _ALONE or wait_for(seat.signals, turn, member.share)


@inlined
def pass_turn(seat: Seat) -> None:
    """Mark the lane of the member's log as committed; continue with the next lane, if any."""
    member = seat.member[0]
    if member.share != _ALONE:
        post(seat.signals, _LANES + _LANE_SIZE * member.lane + _TURN, member.share + 1)
    member.lane += 1
    if member.lane == seat.num_lanes:
        member.lane = 0
        member.phase = _SETTLING if member.share == _ALONE else _IDLE


@inlined
def takes_lane(seat: Seat) -> bool:
    """Whether the member settles a lane now: one that has all logs and that nobody has taken."""
    signals, member = seat.signals, seat.member[0]
    if member.phase != _IDLE:
        return bool(member.phase == _SETTLING)
    opened = seen(signals, _OPENED)
    for lane in range(seat.num_lanes):
        place = _LANES + _LANE_SIZE * lane
        taken = seen(signals, place + _TAKEN)
        if (
            taken < opened
            and seen(signals, place + _TURN) == opened
            and swapped(signals, place + _TAKEN, taken, opened)
        ):
            member.lane = lane
            member.share = opened
            member.stop = signals[_STOP]  # the round cannot end before this lane is settled
            member.phase = _SETTLING
            return True
    return False


@inlined
def lane_is_settled(seat: Seat) -> None:
    """Mark the member's lane as settled; a leader working alone continues with the next."""
    member = seat.member[0]
    if member.share != _ALONE:
        post(seat.signals, _LANES + _LANE_SIZE * member.lane + _SETTLED, member.share)
        member.phase = _IDLE
        return
    member.lane += 1
    if member.lane == seat.num_lanes:
        member.phase = _IDLE


@inlined
def next_step(seat: Seat) -> int:
    """Return what a member without a share and a lane does next; wait briefly for either."""
    signals = seat.signals
    if seat.member[0].phase != _IDLE:
        return READY
    for _ in range(PATIENCE // 4):  # it looks at several signals each time
        opened = seen(signals, _OPENED)
        if seen(signals, _CLAIMED) < opened:
            return READY
        num_settled = 0
        for lane in range(seat.num_lanes):
            place = _LANES + _LANE_SIZE * lane
            if seen(signals, place + _SETTLED) == opened:
                num_settled += 1
            elif seen(signals, place + _TURN) == opened and seen(signals, place + _TAKEN) < opened:
                return READY
        if seat.is_leader:
            if num_settled == seat.num_lanes:
                return LEADING
        elif seen(signals, _OVER) != 0:
            return OVER
    return WAITING


@inlined
def close_round(seat: Seat) -> bool:
    """Close the round when it is over, as the leader; return whether one was open."""
    member = seat.member[0]
    was_open = bool(member.is_open)
    member.is_open = 0
    return was_open


def work_together(seats: Sequence[Seat], work: Callable[[int], bool]) -> None:
    """Run every member's loop, `work(rank)`, until the leader's is done.

    `work` returns whether it is done; if not it waits for others, and is called again.
    """
    signals = seats[0].signals
    signals[_OVER] = 0

    def help_out(rank: int) -> None:
        while not work(rank) and signals[_OVER] != _BROKEN:
            _nap(seats[rank])

    helpers = [
        threading.Thread(target=help_out, args=(rank,), daemon=True)
        for rank in range(1, len(seats))
    ]
    for helper in helpers:
        helper.start()
    is_over = _BROKEN  # if the leader raises, nobody will commit the remaining shares
    try:
        _lead(seats[0], work)
        is_over = _DONE
    finally:
        signals[_OVER] = is_over
        for helper in helpers:
            helper.join()


def _lead(seat: Seat, work: Callable[[int], bool]) -> None:
    """Run the leader's loop, without the others while they have no processor."""
    member = seat.member
    seconds_alone = _LEAST_SECONDS_ALONE
    resumed = time.perf_counter()
    done_before = int(member["done"][0])
    while not work(0):
        stopped = time.perf_counter()
        _nap(seat)
        now = time.perf_counter()
        done = max(1, int(member["done"][0]) - done_before)
        worked, waited = max(stopped - resumed, 1e-9), now - stopped
        if waited > max(_LATE * worked, _LATE_SECONDS):
            seconds_alone = min(4.0 * seconds_alone, _MOST_SECONDS_ALONE)
            member["alone"] = int(seconds_alone * done / worked)
        else:
            seconds_alone = max(_LEAST_SECONDS_ALONE, 0.5 * seconds_alone)
        resumed = now
        done_before += done


def _nap(seat: Seat) -> None:
    """Leave the processor to others until the member no longer has to wait."""
    nap = _SHORTEST_NAP
    while _is_waiting(seat) and seat.signals[_OVER] != _BROKEN:
        time.sleep(nap)
        nap = min(2.0 * nap, _LONGEST_NAP)


def _is_waiting(seat: Seat) -> bool:
    """Whether calling the member's kernel again would only make it wait once more."""
    signals, member = seat.signals, seat.member[0]
    lanes = signals[_LANES:].reshape(seat.num_lanes, _LANE_SIZE)
    if member["phase"] == _COMMITTING:
        return bool(lanes[member["lane"], _TURN] < member["share"])
    if member["phase"] != _IDLE or (signals[_OVER] and not seat.is_leader):
        return False
    opened = signals[_OPENED]
    is_ready = (lanes[:, _TURN] == opened) & (lanes[:, _TAKEN] < opened)
    if signals[_CLAIMED] < opened or is_ready.any():
        return False
    return not seat.is_leader or bool((lanes[:, _SETTLED] < opened).any())
