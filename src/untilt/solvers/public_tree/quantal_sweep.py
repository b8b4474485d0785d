"""One sweep of a public tree for one player whose actions are a logit response.

The way through the tree is that of `sweep`: boards depth first, reaches down, values up. What is
different is that all numbers are *conditional*. A hand's value at a node is what it expects there,
given that the node is reached, and an action is taken the more often the more it is worth:

    log σ(a) ← (1 − λ) log σ(a) + λ β Q(a), and then normalized

Lines that are hardly ever taken are reached with probabilities down to e^−2000, and their values
must be right too. So strategies and reaches are logarithms. Each reach row has an *offset*, the
largest logarithm of its lanes, and what is summed over hands is e to the power of the others,
relative to it. In what follows

    C(i)      the reaches of the hands that hand i does not exclude, relative to the offset
    met       C(i) itself; where that is below 1e-30, because hand i excludes all hands that matter,
              the negative number log C(i)

At a node of the opponent and where cards are dealt, a hand's value is the mean of those below,
weighted with C. What happens where the player acts depends on the mode:

LEARN     the strategy moves towards the response by the share λ
FOLLOW    nothing changes; the distance of the strategy from the response is measured
RESPOND   the best action of every hand is taken

The player's own reach appears nowhere, so the values of a node do not depend on how it is reached.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from untilt.game.public.public_layout import VECTOR, Layout, LayoutSide, Runouts, record
from untilt.game.public.public_sweeps import SweepScratch, meet, run_out, scratch_of
from untilt.game.public.public_tree import CHANCE, DECISION, RUNOUT, SHOWDOWN
from untilt.numeric.arrays import Floats, Ints, Offsets, Records, aligned_zeros
from untilt.numeric.kernel import called, fused, kernel
from untilt.numeric.thread_flags import seen, swapped
from untilt.numeric.vector_math import exponential, logarithm
from untilt.numeric.vectors import (
    absolute,
    fma,
    gather16,
    lane_sum,
    largest_lane,
    load16,
    splat_like,
    store,
    where,
    zeros16,
)

LEARN, FOLLOW, RESPOND = 0, 1, 2

WHOLE, DOWN, CHUNKS, UP = 0, 1, 2, 3
"""Parts of a turn: all of it, or, if threads share the boards after the first one, the way down the
first board, those boards, and the way up."""

NOBODY = -1e30
"""The logarithm of a reach of 0."""
_IMPOSSIBLE = -1e29
_LEAST_MET = 1e-30
"""Smaller sums of reaches are kept as logarithms: relative to the largest, they leave float32."""
_CANCELLED = 1e-3
"""A sum of reaches that is less than this share of all of them is added up hand by hand: what
remains after subtracting the excluded ones has too few digits."""

Numbers = npt.NDArray[np.floating[Any]]
"""Of float32 or float64, as the tables are."""

PLACE = record(log=np.int64, met=np.int64, surprise=np.int64, dealt=np.int64, row=np.int64)
"""[streets]: where the logarithms of reaches, C, the surprise of nodes and what is added up for
CHANCE leaves begin in `more`; the first of the street's rows."""
ROW = record(offset=np.float64, total=np.float64, is_extreme=np.int64)
"""[reach rows]: the logarithm that is 0 in the row; the sum of its reaches relative to that;
whether any C is kept as a logarithm."""


class QuantalScratch(NamedTuple):
    """Working memory of a thread."""

    sweep: SweepScratch
    """Reaches relative to the offset, values, and what the pass over sorted hands needs."""
    more: Numbers
    place: Records
    """Of PLACE."""
    row: Records
    """Of ROW."""
    factor: Floats
    """[actions]"""
    found: Floats
    """[1]: the largest distance of a strategy from its response."""


class QuantalTables(NamedTuple):
    """One player's strategy, and what the player's leaves pay."""

    logs: Numbers
    """Logarithms of the probabilities of actions, by board, row and lane."""
    log_weight: Numbers
    """[lanes of the first board, with padding]"""
    locked: npt.NDArray[np.int16]
    """1 where the strategy is locked; empty: nowhere."""
    stakes: Floats
    """[2 × nodes]: a and b of every leaf."""
    leaf_row: Ints
    """[roots of all streets but the first]: the reach row of the leaf before."""
    dealt: Numbers
    """Where the values of CHANCE leaves are kept, by board, leaf and lane; empty: nowhere."""
    beta: float
    """Per chip."""


class QuantalWork(NamedTuple):
    """The boards after the first one, chunk by chunk."""

    first_edge: Offsets
    """[chunks + 1]: edges of the first board."""
    dealt: tuple[Numbers, Numbers]
    """Per player, [chunks, values and surprises, CHANCE leaves, lanes]: what each chunk adds up."""
    trunk: QuantalScratch
    """That of the thread which has the first board."""
    claimed: Offsets
    """[1]: the chunks that threads have taken."""


class QuantalPlan(NamedTuple):
    """The task of a call of `quantal_sweep`."""

    mode: int
    part: int
    first_iteration: int
    num_iterations: int
    first_player: int
    num_players: int
    rate: float
    """λ."""
    first_rate: float
    """λ with which the solver began; as long as it is larger, β is less than asked for."""
    delay: float
    """Added to the iteration in 2 / (iteration + 1 + delay), which λ is at least."""
    deal_probability: Floats
    """[streets]"""
    run_correction: Floats
    """[streets]: the probability of a run-out as a multiple of its float32."""
    nothing: int = 0


def quantal_scratch_of(
    layout: Layout, sides: tuple[LayoutSide, LayoutSide], dtype: type[np.float32] | type[np.float64]
) -> QuantalScratch:
    """Return the working memory of a thread; all reach rows of `sides` are settled."""
    boards = layout.street["first_board"]
    place = np.zeros(layout.num_streets, PLACE)
    end, num_rows = VECTOR, 0  # a negative lane of the first row is read, though not used
    for s in range(layout.num_streets):
        width = max(int(side.board["width"][boards[s] : boards[s + 1]].max()) for side in sides)
        rows = max(int(side.street[s].num_reach_rows) for side in sides)
        num_nodes = int(layout.street[s + 1].first_node - layout.street[s].first_node)
        sizes = {
            "log": rows,
            "met": rows,
            "surprise": num_nodes,
            "dealt": 2 * int(layout.street[s + 1].num_roots),
        }
        for name, count in sizes.items():
            place[name][s] = end
            end += width * count
        place["row"][s] = num_rows
        num_rows += rows
    return QuantalScratch(
        sweep=scratch_of(layout, sides, dtype),
        more=aligned_zeros(end, dtype),
        place=place,
        row=np.zeros(num_rows, ROW),
        factor=np.zeros(int(layout.node["num_actions"].max())),
        found=np.zeros(1),
    )


@kernel
def quantal_sweep(
    layout: Layout,
    sides: tuple[LayoutSide, LayoutSide],
    tables: tuple[QuantalTables, QuantalTables],
    work: QuantalWork | None,
    scratch: QuantalScratch,
    plan: QuantalPlan,
) -> None:
    """Sweep the tree, or do a part of that; the values of the root are then in the scratch."""
    # Not a literal: Numba would compile everything again for each one.
    zero = plan.nothing
    runout, wide, narrow = layout.runout, layout.wide, layout.narrow
    for turn in range(plan.num_iterations * plan.num_players):
        iteration = plan.first_iteration + turn // plan.num_players
        rate, keep = _step(plan, iteration)
        player = plan.first_player + turn % plan.num_players
        own, other = sides[player], sides[1 - player]
        known, opponent = tables[player], tables[1 - player]
        if plan.part in (WHOLE, DOWN):
            _begin(own, other, opponent, scratch)
            _descend(layout, own, other, opponent.logs, scratch, zero)
            _settle(layout, own, other, known, scratch, plan, zero, runout, wide, narrow)
            if work is not None:
                work.claimed[0] = 0
        if work is not None:
            size = 2 * layout.street[1].num_roots * own.board[0].width
            if plan.part in (WHOLE, CHUNKS):
                while True:
                    chunk = _claim(work)
                    if chunk < 0:
                        break
                    _clear(work.dealt[player], chunk * size, size)
                    street, edge, end = zero, work.first_edge[chunk], work.first_edge[chunk + 1]
                    while edge < end or street > 0:
                        here = edge if street == 0 else scratch.sweep.street[street].edge
                        board = scratch.sweep.street[street].board
                        if street == 0 or here < layout.board[board + 1].first_edge:
                            source = work.trunk if street == 0 else scratch
                            street += 1
                            _enter(layout, own, other, source, scratch, street, here)
                            _descend(layout, own, other, opponent.logs, scratch, street)
                            _settle(
                                layout,
                                own,
                                other,
                                known,
                                scratch,
                                plan,
                                street,
                                runout,
                                wide,
                                narrow,
                            )
                            continue
                        _collect(layout, own, known, scratch, street)
                        _ascend(layout, own, known, scratch, street, plan.mode, rate, keep)
                        street -= 1
                        here = edge if street == 0 else scratch.sweep.street[street].edge
                        parent = work.trunk if street == 0 else scratch
                        target = work.dealt[player] if street == 0 else scratch.more
                        begin = chunk * size if street == 0 else scratch.place[street].dealt
                        child = layout.edge_child[here]
                        while here < len(layout.edge_child) and layout.edge_child[here] == child:
                            _leave(
                                layout,
                                own,
                                known,
                                scratch,
                                parent,
                                target,
                                begin,
                                plan,
                                street + 1,
                                here,
                            )
                            here += 1
                        if street == 0:
                            edge = here
                        else:
                            scratch.sweep.street[street].edge = here
            if plan.part in (WHOLE, UP):
                _add_chunks(work.dealt[player], len(work.first_edge) - 1, size, scratch)
                _collect(layout, own, known, scratch, zero)
        if plan.part in (WHOLE, UP):
            _ascend(layout, own, known, scratch, zero, plan.mode, rate, keep)


@fused
def _step(plan: QuantalPlan, iteration: int) -> tuple[float, float]:
    """Return the shares of the target and of the logarithms before in those after an iteration.

    While λ falls to its last value, the noise falls with it: β is less in the same proportion, so
    that λ is never too large for it. What was found before is stretched to the next β.
    """
    rate, before = _rate_at(plan, iteration), _rate_at(plan, iteration - 1)
    beta = min(1.0, plan.first_rate / rate)
    return rate * beta, (1.0 - rate) * beta / min(1.0, plan.first_rate / before)


@fused
def _rate_at(plan: QuantalPlan, iteration: int) -> float:
    """Return λ."""
    return max(plan.rate, 2.0 / (max(iteration, 0) + 1.0 + plan.delay))


@fused
def _claim(work: QuantalWork) -> int:
    """Return the number of a chunk that no other thread has taken, −1 if there is none."""
    while True:
        number = seen(work.claimed, 0)
        if number >= len(work.first_edge) - 1:
            return -1
        if swapped(work.claimed, 0, number, number + 1):
            return number


@fused
def _clear(array: Numbers, begin: int, size: int) -> None:
    """Set whole vectors to 0."""
    for position in range(begin, begin + size, VECTOR):
        store(array, position, zeros16(array))


@called
def _add_chunks(dealt: Numbers, num_chunks: int, size: int, scratch: QuantalScratch) -> None:
    """Add up what chunks are worth before the first deal, in their order."""
    begin = scratch.place[0].dealt
    for position in range(0, size, VECTOR):
        total = load16(dealt, position)
        for chunk in range(1, num_chunks):
            total = total + load16(dealt, chunk * size + position)
        store(scratch.more, begin + position, total)


@called
def _begin(
    own: LayoutSide, other: LayoutSide, opponent: QuantalTables, scratch: QuantalScratch
) -> None:
    """Set the reaches of the root."""
    scratch.sweep.street[0].board = 0
    width = other.board[0].width
    row = own.node[0].reach_row
    begin = scratch.place[0].log + row * width
    top = splat_like(NOBODY, zeros16(scratch.more))
    for lane in range(0, width, VECTOR):
        reach = load16(opponent.log_weight, lane)
        store(scratch.more, begin + lane, reach)
        top = where(reach > top, reach, top)
    _scale(scratch, 0, row, width, largest_lane(top), 0.0)


@called
def _scale(
    scratch: QuantalScratch, street: int, row: int, width: int, largest: float, offset: float
) -> None:
    """Make the logarithms of a reach row relative to the `largest` of them."""
    log = scratch.place[street].log + row * width
    reach = scratch.sweep.street[street].reach + row * width
    numbers, more = scratch.sweep.numbers, scratch.more
    total = zeros16(more)
    top = largest if largest > _IMPOSSIBLE else 0.0
    for lane in range(0, width, VECTOR):
        relative = load16(more, log + lane) - top
        share = exponential(relative)
        store(more, log + lane, relative)
        store(numbers, reach + lane, share)
        total = total + share
    found = scratch.place[street].row + row
    scratch.row[found].offset = offset + top
    scratch.row[found].total = lane_sum(total)


@called
def _descend(
    layout: Layout,
    own: LayoutSide,
    other: LayoutSide,
    logs: Numbers,
    scratch: QuantalScratch,
    street: int,
) -> None:
    """Propagate the opponent's reaches down the betting lines of the board in `scratch`."""
    board = scratch.sweep.street[street].board
    scratch.sweep.street[street].edge = layout.board[board].first_edge
    more, place = scratch.more, scratch.place[street]
    if street + 1 < layout.num_streets:
        size = 2 * layout.street[street + 1].num_roots * own.board[board].width
        _clear(more, place.dealt, size)
    width = other.board[board].width
    for node in range(layout.street[street].first_node, layout.street[street + 1].first_node):
        if layout.node[node].kind != DECISION or (layout.node[node].player == 0) == own.is_first:
            continue
        child = layout.node[node].first_child
        rows = other.board[board].table + other.node[child].row * width
        reach = place.log + own.node[node].reach_row * width
        offset = scratch.row[place.row + own.node[node].reach_row].offset
        for action in range(layout.node[node].num_actions):
            row = own.node[child + action].reach_row
            target = place.log + row * width
            top = splat_like(NOBODY, zeros16(more))
            for lane in range(0, width, VECTOR):
                log = load16(more, reach + lane) + load16(logs, rows + action * width + lane)
                store(more, target + lane, log)
                top = where(log > top, log, top)
            _scale(scratch, street, row, width, largest_lane(top), offset)


@called
def _enter(
    layout: Layout,
    own: LayoutSide,
    other: LayoutSide,
    source: QuantalScratch,
    scratch: QuantalScratch,
    street: int,
    edge: int,
) -> None:
    """Carry the opponent's reaches along a deal to a board of `street`."""
    child = layout.edge_child[edge]
    lanes = other.edge[edge].parent_lane
    width = other.board[child].width
    before = other.board[layout.board[child].parent].width
    scratch.sweep.street[street].board = child
    for entry in range(own.street[street].first_entry, own.street[street + 1].first_entry):
        row, entered = own.entry[2 * entry], own.entry[2 * entry + 1]
        read = source.place[street - 1].log + row * before
        write = scratch.place[street].log + entered * width
        top = splat_like(NOBODY, zeros16(scratch.more))
        for lane in range(0, width, VECTOR):
            has_none = load16(other.parent_lane, lanes + lane) < 0.0
            log = gather16(source.more, other.parent_lane, lanes + lane, read)
            log = where(has_none, NOBODY, log)
            store(scratch.more, write + lane, log)
            top = where(log > top, log, top)
        offset = source.row[source.place[street - 1].row + row].offset
        _scale(scratch, street, entered, width, largest_lane(top), offset)


@called
def _settle(
    layout: Layout,
    own: LayoutSide,
    other: LayoutSide,
    known: QuantalTables,
    scratch: QuantalScratch,
    plan: QuantalPlan,
    street: int,
    runout: Runouts | None,
    wide: int | None,
    narrow: int | None,
) -> None:
    """Set C of all reach rows, and the values of all leaves where hands are paid.

    The last three are those of the layout; nothing is compiled for what is None.
    """
    meet(own, other, scratch.sweep, street, wide, narrow)
    board = scratch.sweep.street[street].board
    width = own.board[board].width
    numbers, more = scratch.sweep.numbers, scratch.more
    area, place = scratch.sweep.area[0], scratch.place[street]
    num_compared = own.street[street].num_compared
    for row in range(own.street[street].num_reach_rows):
        met, balance = area.met + row * width, area.balance + row * width
        kept = place.met + row * width
        least = load16(numbers, met)
        for lane in range(0, width, VECTOR):
            found = load16(numbers, met + lane)
            store(more, kept + lane, found)
            least = where(found < least, found, least)
            if row < num_compared:
                store(numbers, balance + lane, load16(numbers, balance + lane) / found)
        scratch.row[place.row + row].is_extreme = 0
        if -largest_lane(least * -1.0) < _CANCELLED * scratch.row[place.row + row].total:
            _add_up(own, other, scratch, street, row, row < num_compared)
    for node in range(layout.street[street].first_node, layout.street[street + 1].first_node):
        kind = layout.node[node].kind
        if kind in (DECISION, CHANCE):
            continue
        value = scratch.sweep.street[street].value
        value += (node - layout.street[street].first_node) * width
        row = own.node[node].reach_row
        a, b = known.stakes[2 * node], known.stakes[2 * node + 1]
        if runout is not None and kind == RUNOUT:
            run_out(layout, own, other, scratch.sweep, street, node, value, runout)
            kept = place.met + row * width
            b *= plan.run_correction[street]
            for lane in range(0, width, VECTOR):
                share = load16(numbers, value + lane) / load16(more, kept + lane)
                store(numbers, value + lane, fma(share, b, a))
            if scratch.row[place.row + row].is_extreme:
                _run_out_by_hand(layout, own, other, scratch, street, node, value, a, b, runout)
            continue
        for lane in range(0, width, VECTOR):
            if kind == SHOWDOWN:
                share = load16(numbers, area.balance + row * width + lane)
                store(numbers, value + lane, fma(share, b, a))
            else:
                store(numbers, value + lane, splat_like(a, zeros16(numbers)))


@called
def _add_up(
    own: LayoutSide,
    other: LayoutSide,
    scratch: QuantalScratch,
    street: int,
    row: int,
    is_compared: bool,
) -> None:
    """Add up C and D hand by hand where too little is left after subtracting."""
    board = scratch.sweep.street[street].board
    numbers, more = scratch.sweep.numbers, scratch.more
    first, other_first = own.board[board].first_lane, other.board[board].first_lane
    width, other_width = own.board[board].width, other.board[board].width
    count = other.board[board].num_lanes
    met = scratch.place[street].met + row * width
    balance = scratch.sweep.area[0].balance + row * width
    reach = scratch.sweep.street[street].reach + row * other_width
    log = scratch.place[street].log + row * other_width
    found = scratch.place[street].row + row
    least = _CANCELLED * scratch.row[found].total
    for lane in range(own.board[board].num_lanes):
        if more[met + lane] >= least:
            continue
        less, not_more = own.lane[first + lane].less, own.lane[first + lane].not_more
        total, difference, top = 0.0, 0.0, NOBODY
        for number in range(count):
            if _excludes(own, other, first + lane, other_first + number):
                continue
            share = np.float64(numbers[reach + number])
            total += share
            difference += _signed(share, number, less, not_more)
            top = max(top, np.float64(more[log + number]))
        if total < _LEAST_MET:
            scratch.row[found].is_extreme = 1
            if top < _IMPOSSIBLE:
                more[met + lane] = NOBODY
                numbers[balance + lane] = 0.0
                continue
            total = difference = 0.0
            for number in range(count):
                if _excludes(own, other, first + lane, other_first + number):
                    continue
                share = np.float64(math.exp(np.float64(more[log + number]) - top))
                total += share
                difference += _signed(share, number, less, not_more)
            more[met + lane] = top + math.log(total)
        else:
            more[met + lane] = total
        if is_compared:
            numbers[balance + lane] = difference / total


@fused
def _signed(share: float, number: int, less: int, not_more: int) -> float:
    """Return the part of a hand in D, where it is weaker, as strong or stronger."""
    if number < less:
        return share
    return -share if number >= not_more else 0.0


@fused
def _excludes(own: LayoutSide, other: LayoutSide, lane: int, number: int) -> bool:
    """Whether two hands share a blocker."""
    first, second = own.lane[lane].blocker, own.lane[lane].other_blocker
    one, two = other.lane[number].blocker, other.lane[number].other_blocker
    return first in (one, two) or second in (one, two)


@called
def _run_out_by_hand(
    layout: Layout,
    own: LayoutSide,
    other: LayoutSide,
    scratch: QuantalScratch,
    street: int,
    node: int,
    value: int,
    a: float,
    b: float,
    runout: Runouts,
) -> None:
    """Set the values of an all-in for hands whose C is kept as a logarithm."""
    board = scratch.sweep.street[street].board
    width, other_width = own.board[board].width, other.board[board].width
    row = own.node[node].reach_row
    met = scratch.place[street].met + row * width
    log = scratch.place[street].log + row * other_width
    more = scratch.more
    lanes, columns = own.board[board].num_lanes, other_width
    if not own.is_first:
        lanes, columns = other.board[board].num_lanes, width
    matrix = layout.board[board].runout + np.int64(layout.node[node].root) * lanes * columns
    probability = layout.street[street].run_probability
    for lane in range(own.board[board].num_lanes):
        known = np.float64(more[met + lane])
        if known >= 0.0:
            continue
        total = 0.0
        for number in range(other.board[board].num_lanes):
            # Hands that exclude one another have a balance of 0, whatever their share.
            share = math.exp(min(np.float64(more[log + number]) - known, 0.0))
            if own.is_first:
                total += share * runout[matrix + lane * columns + number]
            else:
                total -= share * runout[matrix + number * columns + lane]
        scratch.sweep.numbers[value + lane] = a + b * probability * total


@called
def _leave(
    layout: Layout,
    own: LayoutSide,
    known: QuantalTables,
    scratch: QuantalScratch,
    parent: QuantalScratch,
    target: Numbers,
    begin: int,
    plan: QuantalPlan,
    street: int,
    edge: int,
) -> None:
    """Add the values of a board of `street` to those before the deal, weighted with C.

    `parent` has C of the board before; `target` has rows of lanes for every CHANCE leaf there,
    values and then surprises.
    """
    child = layout.edge_child[edge]
    lanes = own.edge[edge].child_lane
    width, below = own.board[layout.board[child].parent].width, own.board[child].width
    num_roots = layout.street[street].num_roots
    first = 0
    for earlier in range(1, street):
        first += layout.street[earlier].num_roots
    probability = plan.deal_probability[street - 1]
    here, before = scratch.place[street], parent.place[street - 1]
    for number in range(num_roots):
        node = layout.street[street].first_node + number
        row, leaf = own.node[node].reach_row, known.leaf_row[first + number]
        arriving, leaving = scratch.row[here.row + row], parent.row[before.row + leaf]
        shift = arriving.offset - leaving.offset
        factor = math.exp(shift) * probability
        is_extreme = arriving.is_extreme + leaving.is_extreme > 0
        value = scratch.sweep.street[street].value + number * below
        surprise = here.surprise + number * below
        for lane in range(0, width, VECTOR):
            has_none = load16(own.child_lane, lanes + lane) < 0.0
            met = gather16(scratch.more, own.child_lane, lanes + lane, here.met + row * below)
            whole = load16(parent.more, before.met + leaf * width + lane)
            if is_extreme:
                share = _logs_of(met) - _logs_of(whole) + shift
                weight = exponential(where(share > 1.0, 1.0, share)) * probability
            else:
                weight = met * factor / whole
            weight = where(has_none, 0.0, weight)
            at = begin + number * width + lane
            worth = gather16(scratch.sweep.numbers, own.child_lane, lanes + lane, value)
            worth = where(has_none, 0.0, worth)
            store(target, at, fma(weight, worth, load16(target, at)))
            if plan.mode == FOLLOW:
                at += num_roots * width
                change = gather16(scratch.more, own.child_lane, lanes + lane, surprise)
                change = where(has_none, 0.0, change)
                store(target, at, fma(weight, change, load16(target, at)))


@fused
def _logs_of(met: float) -> float:
    """Return the logarithms of C."""
    is_linear = met > 0.0
    return where(is_linear, logarithm(where(is_linear, met, 1.0)), met)


@called
def _collect(
    layout: Layout, own: LayoutSide, known: QuantalTables, scratch: QuantalScratch, street: int
) -> None:
    """Set the values of CHANCE leaves to what the later boards have added up."""
    if street + 1 == layout.num_streets:
        return
    board = scratch.sweep.street[street].board
    width = own.board[board].width
    place, more = scratch.place[street], scratch.more
    num_roots = layout.street[street + 1].num_roots
    for node in range(layout.street[street].first_node, layout.street[street + 1].first_node):
        if layout.node[node].kind != CHANCE:
            continue
        number = (node - layout.street[street].first_node) * width
        dealt = place.dealt + layout.node[node].root * width
        kept = own.board[board].dealt + layout.node[node].root * width
        for lane in range(0, width, VECTOR):
            value = load16(more, dealt + lane)
            store(scratch.sweep.numbers, scratch.sweep.street[street].value + number + lane, value)
            change = load16(more, dealt + num_roots * width + lane)
            store(more, place.surprise + number + lane, change)
            if len(known.dealt) > 0:
                store(known.dealt, kept + lane, value)


@called
def _ascend(
    layout: Layout,
    own: LayoutSide,
    known: QuantalTables,
    scratch: QuantalScratch,
    street: int,
    mode: int,
    rate: float,
    keep: float,
) -> None:
    """Bring the values of the leaves up to the roots of the board in `scratch`."""
    board = scratch.sweep.street[street].board
    width = own.board[board].width
    first_node = layout.street[street].first_node
    values, place = scratch.sweep.street[street].value, scratch.place[street]
    numbers, more = scratch.sweep.numbers, scratch.more
    for backwards in range(layout.street[street + 1].first_node - first_node):
        node = layout.street[street + 1].first_node - 1 - backwards
        number = node - first_node
        if layout.node[node].kind != DECISION:
            if mode == FOLLOW and layout.node[node].kind != CHANCE:
                _clear(more, place.surprise + number * width, width)
            continue
        child = layout.node[node].first_child
        num_actions = layout.node[node].num_actions
        value = values + number * width
        below = values + (child - first_node) * width
        change = place.surprise + number * width
        changes = place.surprise + (child - first_node) * width
        if (layout.node[node].player == 0) != own.is_first:
            _expect(own, scratch, street, child, num_actions, width, value, below, numbers)
            if mode == FOLLOW:
                _expect(own, scratch, street, child, num_actions, width, change, changes, more)
            continue
        rows = own.board[board].table + own.node[child].row * width
        if mode == LEARN:
            if num_actions == 2 and len(known.locked) == 0:
                _learn_of_two(known, numbers, value, below, rows, width, rate, keep)
            else:
                _learn(known, numbers, value, below, rows, width, num_actions, rate, keep)
        elif mode == FOLLOW:
            _follow(known, scratch, value, below, change, changes, rows, width, num_actions)
        else:
            _respond(known, numbers, value, below, rows, width, num_actions)


@called
def _expect(
    own: LayoutSide,
    scratch: QuantalScratch,
    street: int,
    child: int,
    num_actions: int,
    width: int,
    value: int,
    below: int,
    numbers: Numbers,
) -> None:
    """Set the value of a node where the opponent acts: the mean of those below."""
    more, place = scratch.more, scratch.place[street]
    top, num_extreme = -math.inf, 0
    for action in range(num_actions):
        row = place.row + own.node[child + action].reach_row
        scratch.factor[action] = scratch.row[row].offset
        top = max(top, scratch.row[row].offset)
        num_extreme += scratch.row[row].is_extreme
    for action in range(num_actions):
        shift = scratch.factor[action] - top
        scratch.factor[action] = shift if num_extreme else math.exp(shift)
    for lane in range(0, width, VECTOR):
        largest = splat_like(NOBODY, zeros16(numbers))
        if num_extreme:
            for action in range(num_actions):
                met = place.met + own.node[child + action].reach_row * width
                log = _logs_of(load16(more, met + lane)) + scratch.factor[action]
                largest = where(log > largest, log, largest)
        total, mean = zeros16(numbers), zeros16(numbers)
        for action in range(num_actions):
            met = load16(more, place.met + own.node[child + action].reach_row * width + lane)
            if num_extreme:
                weight = exponential(_logs_of(met) + scratch.factor[action] - largest)
            else:
                weight = met * scratch.factor[action]
            total = total + weight
            mean = fma(weight, load16(numbers, below + action * width + lane), mean)
        store(numbers, value + lane, mean / total)


@fused
def _best(values: Numbers, at: int, width: int, num_actions: int) -> float:
    """Return the largest value of an action, lane by lane."""
    best = load16(values, at)
    for action in range(1, num_actions):
        found = load16(values, at + action * width)
        best = where(found > best, found, best)
    return best


@fused
def _learn_of_two(
    known: QuantalTables,
    values: Numbers,
    value: int,
    below: int,
    rows: int,
    width: int,
    rate: float,
    keep: float,
) -> None:
    """Do the same as `_learn` with two actions, where only one difference counts."""
    for lane in range(0, width, VECTOR):
        at, other = rows + lane, rows + width + lane
        first, second = load16(values, below + lane), load16(values, below + width + lane)
        before = load16(known.logs, at) - load16(known.logs, other)
        after = fma((first - second) * known.beta, rate, before * keep)
        rarer = absolute(after) * -1.0
        odds = exponential(rarer)
        both = logarithm(odds + 1.0) * -1.0
        is_first = after > 0.0
        store(known.logs, at, both + where(is_first, rarer * 0.0, rarer))
        store(known.logs, other, both + where(is_first, rarer, rarer * 0.0))
        likely, unlikely = where(is_first, first, second), where(is_first, second, first)
        store(values, value + lane, fma(unlikely, odds, likely) / (odds + 1.0))


@fused
def _learn(
    known: QuantalTables,
    values: Numbers,
    value: int,
    below: int,
    rows: int,
    width: int,
    num_actions: int,
    rate: float,
    keep: float,
) -> None:
    """Move the strategy towards the response; set the value of a node where the player acts."""
    for lane in range(0, width, VECTOR):
        best = _best(values, below + lane, width, num_actions)
        top = splat_like(NOBODY, best)
        for action in range(num_actions):
            at = rows + action * width + lane
            before = load16(known.logs, at)
            target = (load16(values, below + action * width + lane) - best) * known.beta
            after = fma(target, rate, before * keep)
            if len(known.locked) > 0:
                after = where(load16(known.locked, at) > 0.0, before, after)
            store(known.logs, at, after)
            top = where(after > top, after, top)
        total, mean = zeros16(values), zeros16(values)
        for action in range(num_actions):
            share = exponential(load16(known.logs, rows + action * width + lane) - top)
            total = total + share
            mean = fma(share, load16(values, below + action * width + lane), mean)
        store(values, value + lane, mean / total)
        whole = logarithm(total) + top
        for action in range(num_actions):
            at = rows + action * width + lane
            before = load16(known.logs, at)
            after = before - whole
            if len(known.locked) > 0:
                after = where(load16(known.locked, at) > 0.0, before, after)
            store(known.logs, at, after)


@fused
def _follow(
    known: QuantalTables,
    scratch: QuantalScratch,
    value: int,
    below: int,
    change: int,
    changes: int,
    rows: int,
    width: int,
    num_actions: int,
) -> None:
    """Set the value of a node where the player acts, and how far the response is away.

    The *surprise* of a hand is the number of its decisions, from here on, that a response would
    make differently: half of what the probabilities of a node's actions differ by, and that of the
    nodes below.
    """
    values, more = scratch.sweep.numbers, scratch.more
    worst = zeros16(values)
    for lane in range(0, width, VECTOR):
        best = _best(values, below + lane, width, num_actions)
        total = zeros16(values)
        for action in range(num_actions):
            target = (load16(values, below + action * width + lane) - best) * known.beta
            total = total + exponential(target)
        mean, apart, later = zeros16(values), zeros16(values), zeros16(values)
        for action in range(num_actions):
            found = load16(values, below + action * width + lane)
            target = exponential((found - best) * known.beta) / total
            share = exponential(load16(known.logs, rows + action * width + lane))
            mean = fma(share, found, mean)
            later = fma(share, load16(more, changes + action * width + lane), later)
            difference = absolute(share - target)
            if len(known.locked) > 0:
                at = rows + action * width + lane
                difference = where(load16(known.locked, at) > 0.0, 0.0, difference)
            apart = fma(difference, 0.5, apart)
            worst = where(difference > worst, difference, worst)
        store(values, value + lane, mean)
        store(more, change + lane, apart + later)
    scratch.found[0] = max(scratch.found[0], np.float64(largest_lane(worst)))


@fused
def _respond(
    known: QuantalTables,
    values: Numbers,
    value: int,
    below: int,
    rows: int,
    width: int,
    num_actions: int,
) -> None:
    """Set the value of a node where the player takes the best action, except what is locked."""
    for lane in range(0, width, VECTOR):
        best = _best(values, below + lane, width, num_actions)
        if len(known.locked) > 0:
            mean = zeros16(values)
            for action in range(num_actions):
                share = exponential(load16(known.logs, rows + action * width + lane))
                mean = fma(share, load16(values, below + action * width + lane), mean)
            best = where(load16(known.locked, rows + lane) > 0.0, mean, best)
        store(values, value + lane, best)
