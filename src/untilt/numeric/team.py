"""Teams of threads: the same work, and the same bits, for any number of them.

A team shares rounds (for work in fixed chunks, see `chunks`). A round is a range of work against
a state that does not change. The work consists of independent *lanes*, such as the samples for
each player, and the part of the range in each lane is cut into *shares*. Whoever is free claims
the next share, so a thread without a processor does not delay a round that the others can finish.
The results of a share go into a log of the member that did it.

The state consists of independent *parts*, such as the rows of each player. When no share is left,
each part is taken by whoever is free, who commits the logs to it, share by share in their order,
and then settles it; when all are settled, the leader opens the next round. Neither who does what
nor how a round is cut changes the result. Members prefer the lanes and parts that they had in the
last round, because their caches still hold them.

A kernel that takes another kernel as an argument would be compiled for each, so a client writes
the loop of a member itself:

    while True:
        task = next_task(seat)
        if task == BEGIN:     start on member.begin … member.end in the lane member.lane;
                              empty the log if member.is_first
        if task <= WORK:      work; after an early return the next call continues with WORK
        elif task == COMMIT:  commit share member.slot, in the log of member.doer, to member.part
        elif task == SETTLE:  settle member.part at member.stop
        elif task == LEAD:    all is settled at member.stop if close_round(seat);
                              done → return DONE;  else open_round(…)
        else:                 return whether it is OVER; after WAIT it is called again
        task_is_done(seat)
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from untilt.numeric.arrays import Offsets, Records
from untilt.numeric.kernel import inlined
from untilt.numeric.thread_flags import PATIENCE, post, seen, swapped, wait_for, yield_processor

_LINE = 8
_OPENED, _BEGIN, _STOP, _OVER = 0, _LINE, _LINE + 1, 2 * _LINE
_PLACES = 3 * _LINE
_CLAIMED, _TAKEN, _SETTLED, _DONE_SHARES = 0, _LINE, 2 * _LINE, 3 * _LINE
"""Signals between members, a cache line apart: shares opened so far in each lane; the range of
the present round; whether no more will follow. Then a place for each lane or part: shares of the
lane that were claimed so far; how many were open when the part was last taken, and when it was
last settled; and for each share of the lane, how many were open when it was last done."""

_COMPLETE, _BROKEN = 1, 2
"""The reason that no more rounds follow."""

_IDLE, _STARTING, _WORKING, _COMMITTING, _SETTLING = 0, 1, 2, 3, 4

BEGIN, WORK, COMMIT, SETTLE, LEAD, WAIT, OVER = 0, 1, 2, 3, 4, 5, 6
"""The next task of a member: begin a share, continue it, commit a share to a part, settle the part,
open a round, wait for others, or end."""

_SHARES = 4
"""Shares of a round for each member: with more, a late member delays a round less, and members
whose lane is short help with the others. (On Leduc, samples for player 0 take 1.7 times as long as
those for player 1.)"""

_POLLS, _WAITS = PATIENCE, 10
"""How often an idle member looks for something to do before it gives up for a while, and how
often a member that has to commit waits for a share: about a millisecond each. Shares of the
shortest rounds take less, so nobody gives up while the others are at work."""
_POLLS_PER_YIELD = 1 << 9
"""About 5 microseconds, after which an idle member offers its processor to others."""
_MOST_DELAYS = 2
"""How often others may keep the processor for some milliseconds before the member gives up waiting:
the leader then finds out whether it is faster alone."""

MEMBER = np.dtype(
    (
        np.record,
        [
            ("phase", np.int64),  # idle, working on a share, committing, or settling a part
            ("is_alone", np.int64),  # the leader does the round alone; nobody else sees it
            ("opened", np.int64),  # shares opened in each lane, including this round's
            ("lane", np.int64),  # of the share
            ("num_lanes", np.int64),  # of the round; 1 for a leader alone
            ("slot", np.int64),  # number of the share in the round, counted lane by lane
            ("is_first", np.int64),  # the share is the member's first in this round
            ("begin", np.int64),  # of the share
            ("end", np.int64),
            ("part", np.int64),  # to which shares are committed
            ("doer", np.int64),  # who did the share that is committed
            ("num_delays", np.int64),  # counted up to _MOST_DELAYS
            ("is_open", np.int64),  # leader: there is an open round
            ("stop", np.int64),  # end of the round
            ("done", np.int64),  # leader: work opened so far
            ("alone", np.int64),  # leader: work to do alone before others are asked again
            ("is_back", np.int64),  # leader: that work has just been done
            ("pace_alone", np.float64),  # leader: seconds of a unit of work alone; 0 if unknown
            ("seconds_alone", np.float64),  # leader: the last time of working alone
        ],
    )
)
"""The state of a member. A leader alone has everything in one share. Work is counted as rounds
count it: in iterations, or hands."""

_SHORTEST_NAP, _LONGEST_NAP, _LONGEST_REST = 2e-5, 2e-4, 2e-2
_MOSTLY_WAITED = 2e-3

_LEAST_SECONDS_ALONE, _MOST_SECONDS_ALONE = 1e-2, 2.0
_LENGTHENING, _SHORTENING = 4.0, 0.5
"""For how long a leader works alone when it had to wait and the team is slower than the leader:
the others have no processor, or the same one. Longer each consecutive time, shorter otherwise."""

_SHORTEST_TRIAL = 1e-2
"""The least time, in seconds, over which the pace of the team is judged. A single delay of a
millisecond or two, which any system has now and then, must not break up a team that is otherwise
faster."""


class TeamSeat(NamedTuple):
    """A member's place in a team."""

    signals: Offsets
    """Shared by the team."""
    doers: Offsets
    """[num_lanes · num_shares], shared by the team: who did each share of the round."""
    member: Records
    """[1] of MEMBER, its own."""
    rank: int
    """0 for the leader."""
    size: int
    """Members of the team."""
    num_lanes: int
    num_parts: int
    num_shares: int
    """Shares of a round in each lane."""


def make_seats(size: int, num_lanes: int = 1, num_parts: int = 1) -> list[TeamSeat]:
    """Return the seats of a new team, the leader's first."""
    num_shares = -(-_SHARES * size // num_lanes)
    num_places = max(num_lanes, num_parts)
    signals = np.zeros(_PLACES + _place_size(num_shares) * num_places, dtype=np.int64)
    doers = np.zeros(num_lanes * num_shares, dtype=np.int64)
    return [
        TeamSeat(
            signals,
            doers,
            np.zeros(1, dtype=MEMBER),
            rank,
            size,
            num_lanes,
            num_parts,
            num_shares,
        )
        for rank in range(size)
    ]


@inlined
def _place_size(num_shares: int) -> int:
    return _DONE_SHARES + _LINE * num_shares


@inlined
def _place(seat: TeamSeat, number: int) -> int:
    """Return the beginning of the signals of a lane or part."""
    return _PLACES + _place_size(seat.num_shares) * number


@inlined
def _done_share(seat: TeamSeat, slot: int) -> int:
    """Return the position of the signal that a share of the round is done."""
    lane, piece = slot // seat.num_shares, slot % seat.num_shares
    return _place(seat, lane) + _DONE_SHARES + _LINE * piece


@inlined
def next_task(seat: TeamSeat) -> int:
    """Return the member's next task; wait briefly if there is none."""
    signals, member = seat.signals, seat.member[0]
    if member.phase == _IDLE:
        task = _next_task_of_round(seat)
        if member.phase != _COMMITTING:
            return task
    if member.phase == _STARTING:
        member.phase = _WORKING
        return BEGIN
    if member.phase == _WORKING:
        return WORK
    if member.phase == _SETTLING:
        return SETTLE
    if member.is_alone:
        member.doer = seat.rank
        return COMMIT
    for _ in range(_WAITS):
        if wait_for(signals, _done_share(seat, member.slot), member.opened):
            member.doer = seat.doers[member.slot]
            return COMMIT
        if _is_delayed_often(seat):
            break
    return WAIT


@inlined
def _next_task_of_round(seat: TeamSeat) -> int:
    """Claim a share or take a part if there is one; return what an idle member does next."""
    signals, member = seat.signals, seat.member[0]
    for poll in range(1, _POLLS + 1):
        opened = seen(signals, _OPENED)
        if _claims_share(seat, opened):
            member.phase = _WORKING
            return BEGIN
        num_settled = 0
        for offset in range(seat.num_parts):
            part = (seat.rank + offset) % seat.num_parts
            place = _place(seat, part)
            taken = seen(signals, place + _TAKEN)
            if taken < opened and swapped(signals, place + _TAKEN, taken, opened):
                member.opened = opened
                member.part = part
                member.slot = 0
                member.stop = signals[_STOP]  # the round cannot end before this part does
                member.phase = _COMMITTING
                return COMMIT
            num_settled += seen(signals, place + _SETTLED) == opened
        if seat.rank == 0:
            if member.is_back:
                return WAIT
            if num_settled == seat.num_parts:
                return LEAD
        elif seen(signals, _OVER) != 0:
            return OVER
        if poll % _POLLS_PER_YIELD == 0 and _is_delayed_often(seat):
            break
    return WAIT


@inlined
def _is_delayed_often(seat: TeamSeat) -> bool:
    """Offer the processor to others; return whether they have often taken it for long."""
    member = seat.member[0]
    member.num_delays += yield_processor()
    if member.num_delays < _MOST_DELAYS:
        return False
    member.num_delays = 0
    return True


@inlined
def _claims_share(seat: TeamSeat, opened: int) -> bool:
    """Whether the member claims a share of those opened so far."""
    signals, member = seat.signals, seat.member[0]
    for offset in range(seat.num_lanes):
        lane = (seat.rank + offset) % seat.num_lanes
        place = _place(seat, lane) + _CLAIMED
        number = seen(signals, place)
        while number < opened:
            if swapped(signals, place, number, number + 1):
                # The round cannot end before this share does, so its range stands still.
                begin, count = signals[_BEGIN], signals[_STOP] - signals[_BEGIN]
                piece = number % seat.num_shares
                member.is_first = member.opened != opened
                member.opened = opened
                member.lane = lane
                member.num_lanes = seat.num_lanes
                member.slot = lane * seat.num_shares + piece
                member.begin = begin + count * piece // seat.num_shares
                member.end = begin + count * (piece + 1) // seat.num_shares
                return True
            number = seen(signals, place)
    return False


@inlined
def task_is_done(seat: TeamSeat) -> None:
    """Mark the work on a share, its commit to a part or the settling of the part as done."""
    signals, member = seat.signals, seat.member[0]
    if member.phase == _WORKING:
        if member.is_alone:
            member.part = 0
            member.phase = _COMMITTING
            return
        seat.doers[member.slot] = seat.rank
        post(signals, _done_share(seat, member.slot), member.opened)
        member.phase = _IDLE
    elif member.phase == _COMMITTING:
        member.slot += 1
        if member.is_alone or member.slot == len(seat.doers):
            member.phase = _SETTLING
    elif member.phase == _SETTLING:
        if not member.is_alone:
            post(signals, _place(seat, member.part) + _SETTLED, member.opened)
            member.phase = _IDLE
            return
        member.part += 1
        member.slot = 0
        member.phase = _COMMITTING
        if member.part == seat.num_parts:
            member.is_alone = 0
            member.phase = _IDLE


@inlined
def open_round(seat: TeamSeat, begin: int, stop: int, is_worth_sharing: bool) -> None:
    """Open a round to the team, or give all of it to the leader; the last one must be over."""
    signals, member = seat.signals, seat.member[0]
    member.is_open = 1
    member.stop = stop
    member.done += stop - begin
    if seat.size > 1 and is_worth_sharing and member.alone == 0:
        signals[_BEGIN] = begin
        signals[_STOP] = stop
        post(signals, _OPENED, signals[_OPENED] + seat.num_shares)
        return
    if member.alone > 0:
        member.alone = max(0, member.alone - (stop - begin))
        member.is_back = member.alone == 0
    member.is_alone = 1
    member.is_first = 1
    member.lane = 0
    member.num_lanes = 1
    member.slot = 0
    member.begin = begin
    member.end = stop
    member.phase = _STARTING


@inlined
def close_round(seat: TeamSeat) -> bool:
    """Close the round when it is over, as the leader; return whether one was open."""
    member = seat.member[0]
    was_open = bool(member.is_open)
    member.is_open = 0
    return was_open


def work_together(seats: Sequence[TeamSeat], work: Callable[[int], bool]) -> None:
    """Run every member's loop, `work(rank)`, until the leader's is done.

    `work` returns whether it is done; if not it waits for others, and is called again.
    """
    signals = seats[0].signals
    signals[_OVER] = 0

    def help_out(rank: int) -> None:
        nap, worked = _SHORTEST_NAP, time.thread_time()
        while not work(rank) and signals[_OVER] != _BROKEN:
            # A member that mostly waits only takes the processor from others.
            now = time.thread_time()
            nap = _SHORTEST_NAP if now - worked > _MOSTLY_WAITED else min(2.0 * nap, _LONGEST_REST)
            time.sleep(nap)
            _nap(seats[rank], seats[0])
            worked = time.thread_time()

    helpers = [
        threading.Thread(target=help_out, args=(rank,), daemon=True)
        for rank in range(1, len(seats))
    ]
    for helper in helpers:
        helper.start()
    is_over = _BROKEN  # if the leader raises, nobody will commit the remaining shares
    try:
        _lead(seats[0], work)
        is_over = _COMPLETE
    finally:
        signals[_OVER] = is_over
        for helper in helpers:
            helper.join()


def _lead(seat: TeamSeat, work: Callable[[int], bool]) -> None:
    """Run the leader's loop, without the others while the team is slower than the leader.

    After the leader has worked alone, the others join when they wake up. The leader then first
    waits for them, and judges the pace of the team from that wait to the next.
    """
    member = seat.member[0]
    member["is_back"] = 0
    began, done = time.perf_counter(), int(member["done"])
    has_company = True
    while not work(0):
        _nap(seat, seat)
        now = time.perf_counter()
        if has_company and not member["is_back"] and now - began < _SHORTEST_TRIAL:
            continue
        pace = (now - began) / max(1, int(member["done"]) - done)
        if member["is_back"]:
            member["is_back"] = 0
            member["pace_alone"] = pace
            has_company = False
        elif not has_company:
            has_company = True  # it may have been alone until now: not the team's pace
        elif member["alone"] == 0:
            if pace > member["pace_alone"]:
                longer = _LENGTHENING * member["seconds_alone"]
                member["seconds_alone"] = min(
                    max(longer, _LEAST_SECONDS_ALONE), _MOST_SECONDS_ALONE
                )
                member["alone"] = 1 + int(member["seconds_alone"] / pace)
            else:
                member["seconds_alone"] *= _SHORTENING
        began, done = now, int(member["done"])


def _nap(seat: TeamSeat, leader: TeamSeat) -> None:
    """Leave the processor to others until the member no longer has to wait.

    While the leader works alone, looking often would only take the processor from it.
    """
    nap = _SHORTEST_NAP
    while _is_waiting(seat) and seat.signals[_OVER] != _BROKEN:
        time.sleep(nap)
        nap = min(2.0 * nap, _LONGEST_REST if leader.member["alone"][0] else _LONGEST_NAP)


def _is_waiting(seat: TeamSeat) -> bool:
    """Whether calling the member's kernel again would only make it wait once more."""
    signals, member = seat.signals, seat.member[0]
    places = signals[_PLACES:].reshape(-1, _place_size(seat.num_shares))
    lanes, parts = places[: seat.num_lanes], places[: seat.num_parts]
    if member["phase"] == _COMMITTING and not member["is_alone"]:
        return bool(signals[_done_share(seat, int(member["slot"]))] < member["opened"])
    is_leader = seat.rank == 0
    if member["phase"] != _IDLE or (signals[_OVER] and not is_leader):
        return False
    opened = signals[_OPENED]
    if (lanes[:, _CLAIMED] < opened).any():
        return False
    has_settled = bool((parts[:, _SETTLED] == opened).all())
    return bool((parts[:, _TAKEN] == opened).all()) and not (is_leader and has_settled)
