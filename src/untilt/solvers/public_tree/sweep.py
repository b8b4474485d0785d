"""One sweep of a public tree for one player: reaches down, values up, regrets on the way.

Boards are visited depth first. On each, the opponent's reaches go down its betting lines, its
leaves pay, the boards after it are visited, and the player's values come up. What happens where the
player acts depends on the mode:

LEARN     the current strategy is followed; regrets and the average are updated
FOLLOW    the strategy in the table is followed, nothing changes: expected values
RESPOND   the best action of every hand is taken: a best response, which sees no hidden card

A strategy is what regret matching makes of a table's rows: regrets give the current strategy,
strategy sums the average one. No strategy is stored.

The boards after the first one are visited in fixed chunks, each with its own sum; the sums are
added in the order of the chunks. So the result does not depend on which thread visits them.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.game.public.public_layout import VECTOR, Layout, LayoutSide, Singles
from untilt.game.public.public_sweeps import SweepScratch, collect, enter, leave, settle
from untilt.game.public.public_tree import DECISION
from untilt.numeric.arrays import Offsets
from untilt.numeric.kernel import called, fused, kernel
from untilt.numeric.thread_flags import post, seen, swapped, wait_for, yield_processor
from untilt.numeric.vectors import (
    absolute,
    fma,
    largest_lane,
    load16,
    nearest,
    splat16,
    store,
    where,
)
from untilt.regret.matching import matched, predicted, updated
from untilt.regret.rule import UpdateRule
from untilt.regret.step import Step, step_of

LEARN, FOLLOW, RESPOND = 0, 1, 2

WHOLE = 32767.0
"""What a probability of 1, or the largest regret of a node, is in int16."""

_LEAST_TOTAL = 1e-30
"""Positive regrets with a smaller sum count as 0: the reciprocal of the sum would overflow."""


Numbers = npt.NDArray[np.float32] | npt.NDArray[np.int16]


class SolverTables(NamedTuple):
    """A solver's tables of one player: numbers by board, row and lane.

    They are float32, or int16: then regrets are multiples of a scale per node and board, and
    averages multiples of 1 / WHOLE. Matching does not depend on the scale.
    """

    strategy: Numbers
    """Matched where the player acts: regrets (with the prediction), or strategy sums."""
    regret_sum: Numbers
    strategy_sum: Numbers
    scale: Singles | None
    """By board and node where the player acts; None for float32."""
    is_predictive: bool
    """Whether `strategy` is predicted from `regret_sum`, rather than `regret_sum` itself."""
    locked: npt.NDArray[np.int16]
    """1 where the strategy is locked: nothing is learnt and nobody deviates; empty: nowhere."""
    dealt: Singles
    """Where the values of CHANCE leaves are kept, by board, leaf and lane; empty: nowhere."""
    keeps_best: bool
    """Whether RESPOND puts the best action of each hand in place of its strategy sums."""


class BoardWork(NamedTuple):
    """The boards after the first one, which threads share chunk by chunk.

    A *turn* is a sweep for one player. Chunks are numbered consecutively across turns.
    """

    first_edge: Offsets
    """[chunks + 1]: edges of the first board."""
    dealt: tuple[Singles, Singles]
    """Per player, [chunks, CHANCE leaves, lanes]: what each chunk adds up."""
    trunk: Singles
    """The opponent's reaches on the first board: those in the scratch of the leader."""
    signals: Offsets
    """Turns opened and ended, and chunks claimed so far; chunks of this turn that have been added
    up; for each chunk, the number of turns in which it was finished."""


_LINE = 8
"""Places in `Work.signals` are a cache line apart."""
_OPENED, _ENDED, _CLAIMED, _ADDED, _FINISHED = 0, _LINE, 2 * _LINE, 3 * _LINE, 4 * _LINE


def new_signals(num_chunks: int) -> Offsets:
    """Return the signals with which threads share this many chunks."""
    return np.zeros(_FINISHED + _LINE * num_chunks, np.int64)


def open_turn(signals: Offsets) -> None:
    """Let threads that do not lead take the chunks of one turn, and then return."""
    signals[:] = 0
    signals[_OPENED] = 1


def claim_all(signals: Offsets, num_chunks: int) -> None:
    """Keep threads from taking the chunks of the first turn: they are computed elsewhere."""
    signals[:] = 0
    signals[_CLAIMED] = num_chunks


def finish_all(signals: Offsets) -> None:
    """Say that all chunks of the first turn are computed."""
    signals[_FINISHED::_LINE] = 1


class SweepPlan(NamedTuple):
    """The task of a call of `sweep`."""

    mode: int
    """LEARN, FOLLOW or RESPOND."""
    rule: UpdateRule
    first_iteration: int
    num_iterations: int
    weight: float
    """The weight of all iterations so far in the average, as a multiple of the last one's."""
    first_player: int
    num_players: int
    """Players are updated in turn: player 1 sees what player 0 has just learnt."""
    is_leader: bool
    """Whether the first board is computed too, or only those after it."""
    num_waits: int = 10
    """How often a thread waits for another one before the call returns; a tenth of a millisecond
    each, at most."""
    nothing: int = 0


@kernel
def sweep(
    layout: Layout,
    sides: tuple[LayoutSide, LayoutSide],
    tables: tuple[SolverTables, SolverTables],
    work: BoardWork | None,
    scratch: SweepScratch,
    plan: SweepPlan,
) -> bool:
    """Sweep the tree; the values of the last player's root are then in the scratch.

    Several threads may share `work`, whose signals are 0 at the beginning: one leader, in whose
    scratch the values are, and others. Each calls this function until it returns True; it returns
    False if it has waited for another thread for a while.

    Without `work` there is only one board. That is a separate version, which compiles faster.
    """
    # Not a literal: Numba would compile everything again for each one.
    zero = plan.nothing
    num_turns = plan.num_iterations * plan.num_players
    turn, counted, weight = zero - 1, zero, plan.weight
    begins, ends, chunk = True, True, zero - 1
    while True:
        if work is None:
            turn += 1
            if turn == num_turns:
                return True
        else:
            num_chunks = len(work.first_edge) - 1
            opened, ended = seen(work.signals, _OPENED), seen(work.signals, _ENDED)
            begins = plan.is_leader and opened == ended
            ends = False
            turn, chunk = ended, zero - 1
            if begins:
                if ended == num_turns:
                    return True
            else:
                number = _claim(work.signals, opened * num_chunks)
                if number >= 0:
                    turn, chunk = number // num_chunks, number % num_chunks
                elif plan.is_leader:
                    place = _FINISHED + _LINE * work.signals[_ADDED]
                    if not _is_signalled(work.signals, place, opened, plan.num_waits):
                        return False
                elif opened == num_turns:
                    return True
                elif _is_signalled(work.signals, _OPENED, opened + 1, plan.num_waits):
                    continue
                else:
                    return False
        iteration = plan.first_iteration + turn // plan.num_players
        while plan.first_iteration + counted <= iteration:
            weight = weight * step_of(plan.rule, plan.first_iteration + counted).decay + 1.0
            counted += 1
        step = step_of(plan.rule, iteration)
        player = plan.first_player + turn % plan.num_players
        own, other, known = sides[player], sides[1 - player], tables[player]
        opponent = tables[1 - player].strategy
        if begins:
            scratch.street[0].board = 0
            row = scratch.street[0].reach + own.node[0].reach_row * other.board[0].width
            for lane in range(0, other.board[0].width, VECTOR):
                store(scratch.numbers, row + lane, load16(other.weight, lane))
            _descend(layout, own, other, opponent, scratch, zero)
            if work is not None:
                work.signals[_ADDED] = 0
                post(work.signals, _OPENED, turn + 1)
            # What other threads do meanwhile does not depend on this.
            settle(layout, own, other, scratch, zero, layout.runout, layout.wide, layout.narrow)
        if work is not None:
            size = layout.street[1].num_roots * own.board[0].width
            if chunk >= 0:
                # Down from the first board and back in one loop, depth first. Each step is a lot
                # of code, which would be compiled twice if this were a function.
                begin, street = chunk * size, zero
                edge, end = work.first_edge[chunk], work.first_edge[chunk + 1]
                dealt = work.dealt[player]
                _clear(dealt, begin, size)
                while edge < end or street > 0:
                    here = edge if street == 0 else scratch.street[street].edge
                    board = scratch.street[street].board
                    if street == 0 or here < layout.board[board + 1].first_edge:
                        source = work.trunk if street == 0 else scratch.numbers
                        street += 1
                        enter(layout, own, other, source, scratch, street, here)
                        _descend(layout, own, other, opponent, scratch, street)
                        settle(
                            layout,
                            own,
                            other,
                            scratch,
                            street,
                            layout.runout,
                            layout.wide,
                            layout.narrow,
                        )
                        continue
                    _keep(own, scratch, street, known.dealt)
                    collect(layout, own, scratch, street)
                    _ascend(
                        layout, own, known, scratch, street, plan.mode, step, weight, known.scale
                    )
                    street -= 1
                    here = edge if street == 0 else scratch.street[street].edge
                    target = dealt if street == 0 else scratch.numbers
                    place = begin if street == 0 else scratch.street[street].dealt
                    child = layout.edge_child[here]
                    while here < len(layout.edge_child) and layout.edge_child[here] == child:
                        leave(layout, own, scratch, target, place, street + 1, here)
                        here += 1
                    if street == 0:
                        edge = here
                    else:
                        scratch.street[street].edge = here
                post(work.signals, _FINISHED + _LINE * chunk, turn + 1)
            if plan.is_leader and not begins:
                _add_finished(work.signals, num_chunks, turn, work.dealt[player], scratch, size)
                ends = work.signals[_ADDED] == num_chunks
            if ends:
                _keep(own, scratch, zero, known.dealt)
                collect(layout, own, scratch, zero)
        if ends:
            _ascend(layout, own, known, scratch, zero, plan.mode, step, weight, known.scale)
            if work is not None:
                post(work.signals, _ENDED, turn + 1)


@fused
def _is_signalled(signals: Offsets, place: int, value: int, num_waits: int) -> bool:
    """Wait for a signal of another thread; return whether it has come.

    The thread that is waited for often finishes within about one short wait. Giving up then costs
    far more, so the processor is only offered to others, at most `num_waits` times.
    """
    for _ in range(num_waits):
        if wait_for(signals, place, value):
            return True
        yield_processor()
    return False


@fused
def _clear(array: Singles, begin: int, size: int) -> None:
    """Set whole vectors to 0."""
    for position in range(begin, begin + size, VECTOR):
        store(array, position, splat16(0.0))


@fused
def _claim(signals: Offsets, limit: int) -> int:
    """Return the number of a chunk that no other thread has taken, −1 if there is none yet."""
    while True:
        number = seen(signals, _CLAIMED)
        if number >= limit:
            return -1
        if swapped(signals, _CLAIMED, number, number + 1):
            return number


@fused
def _keep(own: LayoutSide, scratch: SweepScratch, street: int, dealt: Singles) -> None:
    """Keep the values of the board's CHANCE leaves, if there is room for them."""
    if len(dealt) == 0:
        return
    board = scratch.street[street].board
    begin = own.board[board].dealt
    for offset in range(0, own.board[board + 1].dealt - begin, VECTOR):
        vector = load16(scratch.numbers, scratch.street[street].dealt + offset)
        store(dealt, begin + offset, vector)


@fused
def _add_finished(
    signals: Offsets, num_chunks: int, turn: int, dealt: Singles, scratch: SweepScratch, size: int
) -> None:
    """Add up what chunks are worth before the first deal, in their order, as far as it is known."""
    sums = scratch.street[0].dealt
    chunk = signals[_ADDED]
    while chunk < num_chunks and seen(signals, _FINISHED + _LINE * chunk) > turn:
        for position in range(0, size, VECTOR):
            total = load16(scratch.numbers, sums + position)
            total = total + load16(dealt, chunk * size + position)
            store(scratch.numbers, sums + position, total)
        chunk += 1
    signals[_ADDED] = chunk


@called
def _descend(
    layout: Layout,
    own: LayoutSide,
    other: LayoutSide,
    opponent: Numbers,
    scratch: SweepScratch,
    street: int,
) -> None:
    """Propagate the opponent's reaches down the betting lines of the board in `scratch`."""
    board = scratch.street[street].board
    scratch.street[street].edge = layout.board[board].first_edge
    begin = scratch.street[street].dealt
    if street + 1 < layout.num_streets:
        size = layout.street[street + 1].num_roots * own.board[board].width
        _clear(scratch.numbers, begin, size)
    width = other.board[board].width
    reaches = scratch.street[street].reach
    for node in range(layout.street[street].first_node, layout.street[street + 1].first_node):
        if layout.node[node].kind != DECISION or (layout.node[node].player == 0) == own.is_first:
            continue
        child = layout.node[node].first_child
        num_actions = layout.node[node].num_actions
        rows = other.board[board].table + other.node[child].row * width
        reach = reaches + own.node[node].reach_row * width
        first = reaches + own.node[child].reach_row * width
        if num_actions == 2:
            second = reaches + own.node[child + 1].reach_row * width
            for lane in range(0, width, VECTOR):
                arriving = load16(scratch.numbers, reach + lane)
                x = matched(load16(opponent, rows + lane))
                y = matched(load16(opponent, rows + width + lane))
                factor, uniform = _shares(x + y, 0.5)
                store(scratch.numbers, first + lane, fma(x, factor, uniform) * arriving)
                store(scratch.numbers, second + lane, fma(y, factor, uniform) * arriving)
            continue
        share = 1.0 / num_actions
        for lane in range(0, width, VECTOR):
            total = splat16(0.0)
            for action in range(num_actions):
                total = total + matched(load16(opponent, rows + action * width + lane))
            factor, uniform = _shares(total, share)
            arriving = load16(scratch.numbers, reach + lane)
            for action in range(num_actions):
                x = matched(load16(opponent, rows + action * width + lane))
                target = reaches + own.node[child + action].reach_row * width
                store(scratch.numbers, target + lane, fma(x, factor, uniform) * arriving)


@fused
def _shares(total: float, share: float) -> tuple[float, float]:
    """Return the factor for matched weights, and what is then added, so that they sum to 1."""
    is_positive = total > _LEAST_TOTAL
    return where(is_positive, 1.0, 0.0) / where(is_positive, total, 1.0), where(
        is_positive, 0.0, share
    )


@called
def _ascend(
    layout: Layout,
    own: LayoutSide,
    tables: SolverTables,
    scratch: SweepScratch,
    street: int,
    mode: int,
    step: Step,
    weight: float,
    scale: Singles | None,
) -> None:
    """Bring the values of the leaves up to the roots of the board in `scratch`."""
    board = scratch.street[street].board
    width = own.board[board].width
    first_node = layout.street[street].first_node
    values = scratch.street[street].value
    for backwards in range(layout.street[street + 1].first_node - first_node):
        node = layout.street[street + 1].first_node - 1 - backwards
        if layout.node[node].kind != DECISION:
            continue
        child = layout.node[node].first_child
        num_actions = layout.node[node].num_actions
        value = values + (node - first_node) * width
        below = values + (child - first_node) * width
        if (layout.node[node].player == 0) != own.is_first:
            for lane in range(0, width, VECTOR):
                total = load16(scratch.numbers, below + lane)
                for action in range(1, num_actions):
                    total = total + load16(scratch.numbers, below + action * width + lane)
                store(scratch.numbers, value + lane, total)
            continue
        rows = own.board[board].table + own.node[child].row * width
        if mode == RESPOND and len(tables.locked) == 0:
            for lane in range(0, width, VECTOR):
                best = _best(scratch.numbers, below + lane, width, num_actions)
                store(scratch.numbers, value + lane, best)
                if tables.keeps_best:
                    _keep_best(
                        tables, scratch.numbers, rows + lane, below + lane, width, num_actions, best
                    )
        elif mode == LEARN and scale is not None:
            choice = own.board[board].choice + own.node[node].choice
            _learn_compactly(
                tables, scale, choice, scratch, value, below, rows, width, num_actions, step, weight
            )
        elif num_actions == 2 and mode != RESPOND:
            _act_of_two(tables, scratch.numbers, value, below, rows, width, mode, step, scale)
        else:
            _act(tables, scratch.numbers, value, below, rows, width, num_actions, mode, step, scale)


@fused
def _best(values: Singles, at: int, width: int, num_actions: int) -> float:
    """Return the largest value of an action, lane by lane."""
    best = load16(values, at)
    for action in range(1, num_actions):
        found = load16(values, at + action * width)
        best = where(found > best, found, best)
    return best


@fused
def _keep_best(
    tables: SolverTables,
    values: Singles,
    row: int,
    at: int,
    width: int,
    num_actions: int,
    best: float,
) -> None:
    """Always take the first action with the best value, except where the strategy is locked."""
    left = splat16(1.0)
    for action in range(num_actions):
        share = where(best > load16(values, at + action * width), 0.0, left)
        left = left - share
        place = row + action * width
        if len(tables.locked) > 0:
            is_locked = load16(tables.locked, place) > 0.0
            share = where(is_locked, load16(tables.strategy_sum, place), share)
        store(tables.strategy_sum, place, share)


@fused
def _act_of_two(
    tables: SolverTables,
    values: Singles,
    value: int,
    below: int,
    rows: int,
    width: int,
    mode: int,
    step: Step,
    scale: Singles | None,
) -> None:
    """Do the same as `_act` with two actions, which keeps everything in registers."""
    for lane in range(0, width, VECTOR):
        at, other = rows + lane, rows + width + lane
        x, y = matched(load16(tables.strategy, at)), matched(load16(tables.strategy, other))
        factor, uniform = _shares(x + y, 0.5)
        x, y = fma(x, factor, uniform), fma(y, factor, uniform)
        first, second = load16(values, below + lane), load16(values, below + width + lane)
        mean = fma(x, first, y * second)
        store(values, value + lane, mean)
        if scale is None and mode == LEARN:
            _learn(tables, at, first - mean, x, step)
            _learn(tables, other, second - mean, y, step)


@fused
def _act(
    tables: SolverTables,
    values: Singles,
    value: int,
    below: int,
    rows: int,
    width: int,
    num_actions: int,
    mode: int,
    step: Step,
    scale: Singles | None,
) -> None:
    """Set the value of a node where the player acts; learn from those of its actions."""
    for lane in range(0, width, VECTOR):
        factor, uniform, mean = _expect(
            tables.strategy, values, rows + lane, below + lane, width, num_actions
        )
        if mode == RESPOND:
            best = _best(values, below + lane, width, num_actions)
            if tables.keeps_best:
                _keep_best(tables, values, rows + lane, below + lane, width, num_actions, best)
            mean = where(load16(tables.locked, rows + lane) > 0.0, mean, best)
        store(values, value + lane, mean)
        if scale is None and mode == LEARN:
            for action in range(num_actions):
                at = rows + action * width + lane
                x = fma(matched(load16(tables.strategy, at)), factor, uniform)
                instant = load16(values, below + action * width + lane) - mean
                _learn(tables, at, instant, x, step)


@fused
def _learn(tables: SolverTables, at: int, instant: float, share: float, step: Step) -> None:
    """Update the regrets and the average of one action, which is taken with probability `share`."""
    before = load16(tables.regret_sum, at)
    regret = updated(before, instant, step)
    if len(tables.locked) > 0:
        is_locked = load16(tables.locked, at) > 0.0
        regret = where(is_locked, before, regret)
        instant = where(is_locked, 0.0, instant)
    store(tables.regret_sum, at, regret)
    if tables.is_predictive:
        store(tables.strategy, at, predicted(regret, instant, step))
    store(tables.strategy_sum, at, fma(load16(tables.strategy_sum, at), step.decay, share))


@fused
def _expect(
    strategy: Numbers, values: Singles, row: int, below: int, width: int, num_actions: int
) -> tuple[float, float, float]:
    """Return the results of `_shares` for the weights, and the mean value under them."""
    total = splat16(0.0)
    for action in range(num_actions):
        total = total + matched(load16(strategy, row + action * width))
    factor, uniform = _shares(total, 1.0 / num_actions)
    mean = splat16(0.0)
    for action in range(num_actions):
        x = fma(matched(load16(strategy, row + action * width)), factor, uniform)
        mean = fma(x, load16(values, below + action * width), mean)
    return factor, uniform, mean


@fused
def _learn_compactly(
    tables: SolverTables,
    scale: Singles,
    choice: int,
    scratch: SweepScratch,
    value: int,
    below: int,
    rows: int,
    width: int,
    num_actions: int,
    step: Step,
    weight: float,
) -> None:
    """The same as `_act` where tables are int16: the largest regret of the node is WHOLE."""
    values = scratch.numbers
    regrets = scratch.area[0].rows
    unit = scale[choice]
    largest = splat16(0.0)
    for lane in range(0, width, VECTOR):
        factor, uniform, mean = _expect(
            tables.strategy, values, rows + lane, below + lane, width, num_actions
        )
        store(values, value + lane, mean)
        for action in range(num_actions):
            at = rows + action * width + lane
            before = load16(tables.regret_sum, at)
            x = fma(matched(before), factor, uniform)
            instant = load16(values, below + action * width + lane) - mean
            regret = updated(before * unit, instant, step)
            store(values, regrets + action * width + lane, regret)
            size = absolute(regret)
            if len(tables.locked) > 0:
                size = where(load16(tables.locked, at) > 0.0, 0.0, size)
            largest = where(size > largest, size, largest)
            average = load16(tables.strategy_sum, at)
            store(tables.strategy_sum, at, nearest(fma(x * WHOLE - average, 1.0 / weight, average)))
    top = largest_lane(largest)
    scale[choice] = top / WHOLE
    per_unit = WHOLE / top if top > 0.0 else 0.0
    for position in range(0, num_actions * width, VECTOR):
        stored = nearest(load16(values, regrets + position) * per_unit)
        if len(tables.locked) > 0:
            is_locked = load16(tables.locked, rows + position) > 0.0
            stored = where(is_locked, load16(tables.regret_sum, rows + position), stored)
        store(tables.regret_sum, rows + position, stored)
