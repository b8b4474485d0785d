"""Teams of threads: every share is done once and committed in order, whoever has a processor."""

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from untilt.numeric.arrays import Offsets
from untilt.numeric.kernel import allocates, kernel
from untilt.numeric.team import (
    BEGIN,
    COMMIT,
    LEAD,
    OVER,
    SETTLE,
    TeamSeat,
    close_round,
    make_seats,
    next_task,
    open_round,
    task_is_done,
    work_together,
)


@kernel
@allocates
def append(
    numbers: Offsets, sizes: Offsets, logs: Offsets, round_of: Offsets, seat: TeamSeat
) -> bool:
    """Append the numbers 0, 1, … to the rows of `numbers`, in rounds of growing length.

    A lane takes the numbers that leave its own as the remainder; a row is a lane's, and part p
    consists of the rows p, p + num_parts, …. `sizes` [max(lanes, parts), 2] are the lengths of the
    rows, and where each part was last settled. `logs` [members, …] are lists of slot, number, ….
    """
    member, own = seat.member[0], logs[seat.rank]
    while True:
        task = next_task(seat)
        if task == BEGIN:
            if member.is_first:
                own[0] = 0
            for number in range(member.begin, member.end):
                if number % member.num_lanes == member.lane:
                    own[own[0] + 1] = member.slot
                    own[own[0] + 2] = number
                    own[0] += 2
        elif task == COMMIT:
            log = logs[member.doer]
            for place in range(1, log[0] + 1, 2):
                row = log[place + 1] % seat.num_lanes
                if log[place] == member.slot and row % seat.num_parts == member.part:
                    numbers[row, sizes[row, 0]] = log[place + 1]
                    sizes[row, 0] += 1
        elif task == SETTLE:
            is_whole = True  # all of the round, and no more
            for row in range(member.part, seat.num_lanes, seat.num_parts):
                is_whole &= sizes[row, 0] == -((row - member.stop) // seat.num_lanes)
            if is_whole:
                sizes[member.part, 1] = member.stop
        elif task == LEAD:
            if close_round(seat):
                round_of[0] += 1
            begin = sizes[: seat.num_parts, 1].min()
            if begin >= numbers.size:
                return True
            stop = min(begin + 1 + round_of[0] % 40, numbers.size)
            open_round(seat, begin, stop, stop - begin >= 4)
            continue
        else:
            return bool(task == OVER)
        task_is_done(seat)


def appended(
    seats: list[TeamSeat], count: int, pause: Callable[[int], None] = lambda rank: None
) -> list[int]:
    """Return the rows of all lanes, column by column: 0, 1, … if all is well."""
    num_lanes = seats[0].num_lanes
    numbers = np.full((num_lanes, count // num_lanes), -1, dtype=np.int64)
    sizes = np.zeros((max(num_lanes, seats[0].num_parts), 2), dtype=np.int64)
    round_of = np.zeros(1, dtype=np.int64)
    logs = np.zeros((len(seats), 128), dtype=np.int64)

    def work(rank: int) -> bool:
        pause(rank)
        return append(numbers, sizes, logs, round_of, seats[rank])

    work_together(seats, work)
    return numbers.T.ravel().tolist()


@pytest.mark.parametrize(("num_lanes", "num_parts"), [(1, 1), (1, 2), (2, 2), (3, 1)])
@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_every_share_is_committed_once_and_in_order(
    threads: int, num_lanes: int, num_parts: int
) -> None:
    seats = make_seats(threads, num_lanes, num_parts)
    assert appended(seats, 60_000) == list(range(60_000))


def test_a_team_works_again_after_it_was_done() -> None:
    seats = make_seats(3, 2, 2)
    for count in (2, 10, 1000):
        assert appended(seats, count) == list(range(count))


def test_members_that_never_come_are_not_waited_for() -> None:
    is_done = threading.Event()
    seats = make_seats(3, 2, 2)
    numbers = np.full((2, 10_000), -1, dtype=np.int64)
    sizes, round_of = np.zeros((2, 2), dtype=np.int64), np.zeros(1, dtype=np.int64)
    logs = np.zeros((3, 128), dtype=np.int64)

    def work(rank: int) -> bool:
        if rank > 0:
            return is_done.wait(60.0)
        ended = append(numbers, sizes, logs, round_of, seats[0])
        if ended:
            is_done.set()
        return ended

    work_together(seats, work)
    assert numbers.T.ravel().tolist() == list(range(20_000))


def test_a_leader_works_alone_for_as_long_as_its_team_is_slower() -> None:
    seats = make_seats(2)
    leader = seats[0].member[0]
    periods = []

    def play_rounds(rank: int) -> bool:
        """Pretend that the leader had to wait, or has just worked alone; 1,000 units each time."""
        if rank > 0:
            return True
        periods.append((bool(leader["alone"]), float(leader["seconds_alone"])))
        leader["done"] += 1000
        if leader["alone"]:
            leader["alone"], leader["is_back"] = 0, 1
            time.sleep(0.01)
        elif len(periods) <= 7:
            time.sleep(0.05)  # the team is slower
        else:
            leader["done"] += 9000  # it is faster
            time.sleep(0.02)
        return len(periods) == 11

    work_together(seats, play_rounds)
    were_alone, seconds = zip(*periods, strict=True)
    # After a time alone, the first wait is not judged: the others had to come first.
    alone_after = [number for number, was_alone in enumerate(were_alone) if was_alone]
    assert alone_after == [1, 4, 7]
    assert seconds == (0.0, 0.01, 0.01, 0.01, 0.04, 0.04, 0.04, 0.16, 0.16, 0.16, 0.08)


def test_a_short_delay_does_not_part_a_team() -> None:
    seats = make_seats(2)
    leader = seats[0].member[0]
    were_alone = []

    def play_rounds(rank: int) -> bool:
        """Pretend that the leader waits for a moment in which nothing is done."""
        if rank == 0:
            were_alone.append(bool(leader["alone"]))
        return rank > 0 or len(were_alone) == 5

    work_together(seats, play_rounds)
    assert not any(were_alone)


def test_what_a_member_raises_ends_the_team() -> None:
    def work(rank: int) -> bool:
        if rank == 0:
            raise KeyboardInterrupt
        time.sleep(0.001)
        return False

    seats, before = make_seats(2), set(threading.enumerate())
    with pytest.raises(KeyboardInterrupt):
        work_together(seats, work)
    assert set(threading.enumerate()) <= before
