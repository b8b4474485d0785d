"""Teams of threads: every share is done once, in order, whoever has a processor."""

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from untilt.numeric.arrays import Offsets
from untilt.numeric.kernel import kernel
from untilt.numeric.team import (
    LEADING,
    OVER,
    READY,
    Seat,
    close_round,
    is_committing,
    is_turn,
    lane_is_settled,
    make_seats,
    next_step,
    open_round,
    pass_turn,
    takes_lane,
    takes_share,
    work_is_done,
    work_together,
)


@kernel
def append(numbers: Offsets, sizes: Offsets, log: Offsets, round_of: Offsets, seat: Seat) -> bool:
    """Append 0, 1, … to each lane of `numbers`, in rounds of growing length, by members' logs.

    A lane counts in `sizes` [lanes, 2] how many it has, and how many it had when it was settled.
    """
    member = seat.member[0]
    while True:
        if takes_share(seat):
            for number in range(member.begin, member.end):
                log[number - member.begin] = number
            work_is_done(seat)
        if is_committing(seat):
            if not is_turn(seat):
                return False
            for number in range(member.begin, member.end):
                numbers[member.lane, sizes[member.lane, 0]] = log[number - member.begin]
                sizes[member.lane, 0] += 1
            pass_turn(seat)
            continue
        if takes_lane(seat):
            if sizes[member.lane, 0] == member.stop:  # all of the round, and no more
                sizes[member.lane, 1] = member.stop
            lane_is_settled(seat)
        step = next_step(seat)
        if step == READY:
            continue
        if step != LEADING:
            return bool(step == OVER)
        if close_round(seat):
            round_of[0] += 1
        begin = sizes[:, 1].min()
        if begin >= numbers.shape[1]:
            return True
        stop = min(begin + 1 + round_of[0] % 40, numbers.shape[1])
        open_round(seat, begin, stop, stop - begin >= 4)


def appended(
    seats: list[Seat], count: int, pause: Callable[[int], None] = lambda rank: None
) -> Offsets:
    num_lanes = seats[0].num_lanes
    numbers = np.full((num_lanes, count), -1, dtype=np.int64)
    sizes, round_of = np.zeros((num_lanes, 2), dtype=np.int64), np.zeros(1, dtype=np.int64)
    logs = [np.zeros(64, dtype=np.int64) for _ in seats]

    def work(rank: int) -> bool:
        pause(rank)
        return append(numbers, sizes, logs[rank], round_of, seats[rank])

    work_together(seats, work)
    return numbers


@pytest.mark.parametrize("num_lanes", [1, 2, 3])
@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_every_share_is_committed_once_and_in_order(threads: int, num_lanes: int) -> None:
    assert (appended(make_seats(threads, num_lanes), 50_000) == np.arange(50_000)).all()


def test_a_team_works_again_after_it_was_done() -> None:
    seats = make_seats(3, 2)
    for count in (1, 10, 1000):
        assert (appended(seats, count) == np.arange(count)).all()


def test_members_that_never_come_are_not_waited_for() -> None:
    is_done = threading.Event()

    def hold_up(rank: int) -> None:
        if rank > 0:
            is_done.wait(60.0)

    seats = make_seats(3, 2)
    numbers = np.full((2, 20_000), -1, dtype=np.int64)
    sizes, round_of = np.zeros((2, 2), dtype=np.int64), np.zeros(1, dtype=np.int64)
    log = np.zeros(64, dtype=np.int64)

    def work(rank: int) -> bool:
        hold_up(rank)
        if rank > 0:
            return True
        ended = append(numbers, sizes, log, round_of, seats[0])
        if ended:
            is_done.set()
        return ended

    work_together(seats, work)
    assert (numbers == np.arange(20_000)).all()


def test_what_a_member_raises_ends_the_team() -> None:
    def work(rank: int) -> bool:
        if rank == 0:
            raise KeyboardInterrupt
        time.sleep(0.001)
        return False

    seats = make_seats(2)
    with pytest.raises(KeyboardInterrupt):
        work_together(seats, work)
    assert threading.active_count() < 20
