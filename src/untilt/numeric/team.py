"""Teams of threads: the same work, and the same bits, for any number of them.

A team shares rounds (for work in fixed chunks, see `chunks`). A round is a range of work against
a state that does not change. The work consists of independent *lanes*, such as the samples for
each player, and the part of the range in each lane is cut into *shares*. Whoever is free claims
the next share, so a thread without a processor does not delay a round that the others can finish.
The results of a share go into a log of the member that did it, and the logs of a lane are
committed in the order of its shares.

The state consists of independent *parts*, such as the rows of each player. When all logs are
committed, each part is settled by whoever is free; then the leader opens the next round. Neither
who does what nor how a round is cut changes the result. Members prefer the lanes and parts that
they had in the last round, because their caches still hold them.

A kernel that takes another kernel as an argument would be compiled for each, so a client writes
the loop of a member itself:

    while True:
        task = next_task(seat)
        if task == BEGIN:     set out on member.begin … member.end in the lane member.lane
        if task <= WORK:      work; after an early return the next call goes on with WORK
        elif task == COMMIT:  commit the log
        elif task == SETTLE:  settle the part member.part at member.stop
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
from untilt.numeric.signals import PATIENCE, post, seen, swapped, wait_for, yield_processor

_OPENED, _BEGIN, _STOP, _OVER = 0, 8, 9, 16
_PLACES = 24
_CLAIMED, _TURN, _TAKEN, _SETTLED = 0, 8, 16, 24
_PLACE_SIZE = 32
"""Signals between members, a cache line apart: shares opened so far in each lane; the range of
the present round; whether no more will follow. For each lane: shares claimed and committed so
far. For each part: how many shares were open when it was last taken to be settled, and when it
was settled."""

_DONE, _BROKEN = 1, 2
"""Why no more rounds will follow."""

_IDLE, _STARTING, _WORKING, _COMMITTING, _SETTLING = 0, 1, 2, 3, 4
_ALONE = -1
"""In place of a share: the leader's own work, which nobody else sees."""

BEGIN, WORK, COMMIT, SETTLE, LEAD, WAIT, OVER = 0, 1, 2, 3, 4, 5, 6
"""What a member does next: begin a share, go on with it, commit its log, settle a part, open a
round, wait for others, or end."""

_SHARES = 4
"""Shares of a round for each member: with more, a late member delays a round less, and members
whose lane is short help with the others. (On Leduc, samples for player 0 take 1.7 times as long as
those for player 1.)"""

_POLLS, _WAITS = PATIENCE, 10
"""How often an idle member looks for something to do before it gives up for a while, and how
often a member that has to commit waits for its turn: about a millisecond each. Shares of the
shortest rounds take less, so nobody gives up while the others are at work."""
_POLLS_PER_YIELD = 1 << 9
"""About 5 microseconds, after which an idle member offers its processor to others."""

MEMBER = np.dtype(
    (
        np.record,
        [
            ("phase", np.int64),
            ("share", np.int64),
            ("lane", np.int64),
            ("num_lanes", np.int64),
            ("part", np.int64),
            ("begin", np.int64),
            ("end", np.int64),
            ("is_open", np.int64),
            ("stop", np.int64),
            ("done", np.int64),
            ("alone", np.int64),
            ("is_back", np.int64),
            ("pace_alone", np.float64),
            ("seconds_alone", np.float64),
        ],
    )
)
"""The state of a member: idle, working on a share, committing it or settling a part; number of
the share within its lane, the lane and how many there are (a leader alone has everything in one);
the part; range of the share; where the round ends. The leader's: whether a round is open, how much
work was opened so far, how much the leader does alone before others are asked again, and whether
it has just done that; seconds that a unit of work takes alone, 0 if unknown; and for how many
seconds it last worked alone. Work is counted as rounds count it: in iterations, or hands."""

_SHORTEST_NAP, _LONGEST_NAP, _LONGEST_REST = 2e-5, 2e-4, 2e-2
_MOSTLY_WAITED = 2e-3

_LEAST_SECONDS_ALONE, _MOST_SECONDS_ALONE = 1e-2, 0.5
_LENGTHENING, _SHORTENING = 4.0, 0.5
"""For how long a leader works alone when it had to wait and the team is slower than the leader:
the others have no processor, or the same one. Longer each time in a row, shorter otherwise."""

_SHORTEST_TRIAL = 1e-2
"""Seconds from which on the pace of the team counts. A single delay of a millisecond or two, which
any system has now and then, must not part a team that is otherwise faster."""


class Seat(NamedTuple):
    """A member's place in a team."""

    signals: Offsets
    """Shared by the team."""
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


def make_seats(size: int, num_lanes: int = 1, num_parts: int = 1) -> list[Seat]:
    """Return the seats of a new team, the leader's first."""
    signals = np.zeros(_PLACES + _PLACE_SIZE * max(num_lanes, num_parts), dtype=np.int64)
    num_shares = -(-_SHARES * size // num_lanes)
    return [
        Seat(signals, np.zeros(1, dtype=MEMBER), rank, size, num_lanes, num_parts, num_shares)
        for rank in range(size)
    ]


@inlined
def next_task(seat: Seat) -> int:
    """Return what the member does next; wait briefly if there is nothing to do."""
    signals, member = seat.signals, seat.member[0]
    phase = member.phase
    if phase == _STARTING:
        member.phase = _WORKING
        return BEGIN
    if phase == _WORKING:
        return WORK
    if phase == _COMMITTING:
        turn = _PLACES + _PLACE_SIZE * member.lane + _TURN
        if member.share == _ALONE:
            return COMMIT
        for _ in range(_WAITS):
            if wait_for(signals, turn, member.share):
                return COMMIT
            yield_processor()
        return WAIT
    if phase == _SETTLING:
        return SETTLE
    for poll in range(1, _POLLS + 1):
        opened = seen(signals, _OPENED)
        if _claims_share(seat, opened):
            member.phase = _WORKING
            return BEGIN
        num_settled = 0
        if _is_committed(seat, opened):
            for offset in range(seat.num_parts):
                part = (seat.rank + offset) % seat.num_parts
                place = _PLACES + _PLACE_SIZE * part
                taken = seen(signals, place + _TAKEN)
                if taken < opened and swapped(signals, place + _TAKEN, taken, opened):
                    member.part = part
                    member.share = opened
                    member.stop = signals[_STOP]  # the round cannot end before this part does
                    member.phase = _SETTLING
                    return SETTLE
                num_settled += seen(signals, place + _SETTLED) == opened
        if seat.rank == 0:
            if member.is_back:
                return WAIT
            if num_settled == seat.num_parts:
                return LEAD
        elif seen(signals, _OVER) != 0:
            return OVER
        if poll % _POLLS_PER_YIELD == 0:
            yield_processor()
    return WAIT


@inlined
def _claims_share(seat: Seat, opened: int) -> bool:
    """Whether the member claims a share of those opened so far."""
    signals, member = seat.signals, seat.member[0]
    for offset in range(seat.num_lanes):
        lane = (seat.rank + offset) % seat.num_lanes
        place = _PLACES + _PLACE_SIZE * lane + _CLAIMED
        number = seen(signals, place)
        while number < opened:
            if swapped(signals, place, number, number + 1):
                # The round cannot end before this share does, so its range stands still.
                begin, count = signals[_BEGIN], signals[_STOP] - signals[_BEGIN]
                piece = number % seat.num_shares
                member.share = number
                member.lane = lane
                member.num_lanes = seat.num_lanes
                member.begin = begin + count * piece // seat.num_shares
                member.end = begin + count * (piece + 1) // seat.num_shares
                return True
            number = seen(signals, place)
    return False


@inlined
def _is_committed(seat: Seat, opened: int) -> bool:
    """Whether all logs of the round are committed."""
    for lane in range(seat.num_lanes):
        if seen(seat.signals, _PLACES + _PLACE_SIZE * lane + _TURN) != opened:
            return False
    return True


@inlined
def task_is_done(seat: Seat) -> None:
    """Mark the work on a share, the commit of its log or the settling of a part as done."""
    signals, member = seat.signals, seat.member[0]
    if member.phase == _WORKING:
        member.phase = _COMMITTING
    elif member.phase == _COMMITTING:
        if member.share == _ALONE:
            member.part = 0
            member.phase = _SETTLING
        else:
            post(signals, _PLACES + _PLACE_SIZE * member.lane + _TURN, member.share + 1)
            member.phase = _IDLE
    elif member.phase == _SETTLING:
        if member.share != _ALONE:
            post(signals, _PLACES + _PLACE_SIZE * member.part + _SETTLED, member.share)
            member.phase = _IDLE
            return
        member.part += 1
        if member.part == seat.num_parts:
            member.phase = _IDLE


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
        post(signals, _OPENED, signals[_OPENED] + seat.num_shares)
        return
    if member.alone > 0:
        member.alone = max(0, member.alone - (stop - begin))
        member.is_back = member.alone == 0
    member.share = _ALONE
    member.lane = 0
    member.num_lanes = 1
    member.begin = begin
    member.end = stop
    member.phase = _STARTING


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
        nap, worked = _SHORTEST_NAP, time.thread_time()
        while not work(rank) and signals[_OVER] != _BROKEN:
            # Whoever mostly waits only takes the processor from others.
            now = time.thread_time()
            nap = _SHORTEST_NAP if now - worked > _MOSTLY_WAITED else min(2.0 * nap, _LONGEST_REST)
            time.sleep(nap)
            _nap(seats[rank])
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
        is_over = _DONE
    finally:
        signals[_OVER] = is_over
        for helper in helpers:
            helper.join()


def _lead(seat: Seat, work: Callable[[int], bool]) -> None:
    """Run the leader's loop, without the others while the team is slower than the leader.

    After a time alone, the others come when they wake up. The leader first waits for them then,
    and judges the pace of the team from that wait to the next.
    """
    member = seat.member[0]
    member["is_back"] = 0
    began, done = time.perf_counter(), int(member["done"])
    has_company = True
    while not work(0):
        _nap(seat)
        now = time.perf_counter()
        if has_company and not member["is_back"] and now - began < _SHORTEST_TRIAL:
            continue
        pace = (now - began) / max(1, int(member["done"]) - done)
        if member["is_back"]:
            member["is_back"] = 0
            member["pace_alone"] = pace
            has_company = False
        elif not has_company:
            has_company = True  # until this wait it may still have been alone: no pace of the team
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


def _nap(seat: Seat) -> None:
    """Leave the processor to others until the member no longer has to wait."""
    nap = _SHORTEST_NAP
    while _is_waiting(seat) and seat.signals[_OVER] != _BROKEN:
        time.sleep(nap)
        nap = min(2.0 * nap, _LONGEST_NAP)


def _is_waiting(seat: Seat) -> bool:
    """Whether calling the member's kernel again would only make it wait once more."""
    signals, member = seat.signals, seat.member[0]
    places = signals[_PLACES:].reshape(-1, _PLACE_SIZE)
    lanes, parts = places[: seat.num_lanes], places[: seat.num_parts]
    if member["phase"] == _COMMITTING:
        return bool(lanes[member["lane"], _TURN] < member["share"])
    is_leader = seat.rank == 0
    if member["phase"] != _IDLE or (signals[_OVER] and not is_leader):
        return False
    opened = signals[_OPENED]
    if (lanes[:, _CLAIMED] < opened).any():
        return False
    if (lanes[:, _TURN] < opened).any():
        return True
    has_settled = bool((parts[:, _SETTLED] == opened).all())
    return bool((parts[:, _TAKEN] == opened).all()) and not (is_leader and has_settled)
