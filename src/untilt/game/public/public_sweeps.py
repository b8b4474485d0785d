"""The compiled sweeps over a public tree: from the opponent's reaches to what the leaves pay.

enter     chance, downwards: the opponent's reaches on a board become those on the next one
settle    what the leaves of a board pay every hand of a player, given the opponent's reaches
leave     chance, upwards: the values of a board's hands are added to those of the board before
collect   what has been added up becomes the values of the leaves before these deals

All numbers are float32 and *counterfactual*: weighted by chance and by the opponent's reach, not by
the player's own.

`settle` takes up to 32 reach rows at a time as the columns of one pass over the opponent's hands in
the order of strength. It keeps the sum of all reaches so far and one sum per blocker, so that
what a hand excludes can be subtracted: a hand with the blockers c and d meets
total − sum[c] − sum[d], plus its own twin, which was subtracted twice. (As for single boards in
Johanson, Waugh, Bowling & Zinkevich 2011, "Accelerating best response calculation in large
extensive games", section 4.2; here with many betting lines side by side.)
"""

from typing import NamedTuple

import numpy as np

from untilt.game.public.public_layout import (
    COLUMNS,
    VECTOR,
    Layout,
    LayoutSide,
    Runouts,
    Singles,
    padded,
    record,
)
from untilt.game.public.public_tree import CHANCE, DECISION, RUNOUT, SHOWDOWN
from untilt.numeric.arrays import Records, aligned_zeros
from untilt.numeric.kernel import called, fused
from untilt.numeric.vectors import (
    fma,
    gather16,
    lane_sum,
    load16,
    load_like,
    store,
    transpose8,
    where,
    zeros16,
    zeros32,
)

SCRATCH_STREET = record(
    reach=np.int64, value=np.int64, dealt=np.int64, board=np.int32, edge=np.int32
)
"""[streets]: where the opponent's reach rows, the values of nodes and those of CHANCE leaves begin;
the board that is being computed, and its next edge."""
AREAS = record(
    columns=np.int64,
    partial=np.int64,
    sums=np.int64,
    tiles=np.int64,
    met=np.int64,
    balance=np.int64,
    rows=np.int64,
)
"""Where these begin: reaches with the lane as first index, [lanes + 1, COLUMNS], the last lane
being 0; partial sums, [lanes, COLUMNS]; sums by blocker, [blockers + 1, COLUMNS]; [2, 8, COLUMNS]
on the way between rows and columns; C and D of `public_tree`, [reach rows, lanes] each; regrets
before they are stored in fewer bits, [actions, lanes]."""


class SweepScratch(NamedTuple):
    """Working memory of a thread; it works on one board at a time, so a street needs room for one.

    All numbers are in one array, because fewer arrays compile faster.
    """

    numbers: Singles
    street: Records
    """Of SCRATCH_STREET."""
    area: Records
    """[1] of AREAS."""


def scratch_of(
    layout: Layout,
    sides: tuple[LayoutSide, LayoutSide],
    dtype: type[np.float32] | type[np.float64] = np.float32,
) -> SweepScratch:
    """Return the working memory of a thread that sweeps the tree for either player.

    With numbers of float64, `meet` and `run_out` compute in float64.
    """
    boards = layout.street["first_board"]
    street = np.zeros(layout.num_streets, SCRATCH_STREET)
    area = np.zeros(1, AREAS)
    end = VECTOR  # a negative lane of the first row is read, though not used

    def place(records: Records, name: str, number: int, size: int) -> None:
        nonlocal end
        records[name][number] = end
        end += padded(size)

    lanes = paid = 0
    for s in range(layout.num_streets):
        width = max(int(side.board["width"][boards[s] : boards[s + 1]].max()) for side in sides)
        # Rows are read in whole tiles of 8, so there are more than are used.
        num_rows = max(int(side.street[s].num_reach_rows) for side in sides) + 8
        num_paid = max(int(side.street[s].num_settled) for side in sides) + 8
        num_nodes = int(layout.street[s + 1].first_node - layout.street[s].first_node)
        place(street, "reach", s, width * num_rows)
        place(street, "value", s, width * num_nodes)
        place(street, "dealt", s, width * int(layout.street[s + 1].num_roots))
        lanes, paid = max(lanes, width), max(paid, width * num_paid)
    place(area, "columns", 0, (lanes + 1) * COLUMNS)
    place(area, "partial", 0, lanes * COLUMNS)
    place(area, "sums", 0, (layout.num_blockers + 1) * COLUMNS)
    place(area, "tiles", 0, 2 * 8 * COLUMNS)
    place(area, "met", 0, paid)
    place(area, "balance", 0, paid)
    place(area, "rows", 0, lanes * int(layout.node["num_actions"].max()))
    return SweepScratch(aligned_zeros(end, dtype), street, area)


@called
def enter(
    layout: Layout,
    own: LayoutSide,
    other: LayoutSide,
    source: Singles,
    scratch: SweepScratch,
    street: int,
    edge: int,
) -> None:
    """Carry the opponent's reaches along a deal to a board of `street`.

    `source` holds those of the previous board, laid out as in `scratch`.
    """
    child = layout.edge_child[edge]
    lanes = other.edge[edge].parent_lane
    width = other.board[child].width
    before = other.board[layout.board[child].parent].width
    for lane in range(0, width, VECTOR):
        has_none = load16(other.parent_lane, lanes + lane) < 0.0
        for entry in range(own.street[street].first_entry, own.street[street + 1].first_entry):
            read = scratch.street[street - 1].reach + own.entry[2 * entry] * before
            write = scratch.street[street].reach + own.entry[2 * entry + 1] * width
            reach = gather16(source, other.parent_lane, lanes + lane, read)
            store(scratch.numbers, write + lane, where(has_none, 0.0, reach))
    scratch.street[street].board = child


@called
def leave(
    layout: Layout,
    own: LayoutSide,
    source: SweepScratch,
    dealt: Singles,
    begin: int,
    street: int,
    edge: int,
) -> None:
    """Add the values of a board of `street` to those of the previous board, along a deal.

    `dealt` has a row of lanes for every CHANCE leaf of the previous board, starting at `begin`.
    """
    child = layout.edge_child[edge]
    lanes = own.edge[edge].child_lane
    width = own.board[layout.board[child].parent].width
    probability = layout.street[street - 1].deal_probability
    for lane in range(0, width, VECTOR):
        has_none = load16(own.child_lane, lanes + lane) < 0.0
        for number in range(layout.street[street].num_roots):
            read = source.street[street].value + number * own.board[child].width
            write = begin + number * width + lane
            value = gather16(source.numbers, own.child_lane, lanes + lane, read)
            value = where(has_none, 0.0, value) * probability
            store(dealt, write, load16(dealt, write) + value)


@fused
def collect(layout: Layout, own: LayoutSide, scratch: SweepScratch, street: int) -> None:
    """Set the values of CHANCE leaves to what the later boards have added up."""
    width = own.board[scratch.street[street].board].width
    for node in range(layout.street[street].first_node, layout.street[street + 1].first_node):
        if layout.node[node].kind == CHANCE:
            value = (node - layout.street[street].first_node) * width
            value += scratch.street[street].value
            dealt = scratch.street[street].dealt + layout.node[node].root * width
            for lane in range(0, width, VECTOR):
                store(scratch.numbers, value + lane, load16(scratch.numbers, dealt + lane))


@called
def settle(
    layout: Layout,
    own: LayoutSide,
    other: LayoutSide,
    scratch: SweepScratch,
    street: int,
    runout: Runouts | None,
    wide: int | None,
    narrow: int | None,
) -> None:
    """Set the values of all leaves where hands are paid, on the board in `scratch`.

    The last three are those of the layout; nothing is compiled for what is None.
    """
    board = scratch.street[street].board
    meet(own, other, scratch, street, wide, narrow)
    width = own.board[board].width
    numbers = scratch.numbers
    met, balance = scratch.area[0].met, scratch.area[0].balance
    for node in range(layout.street[street].first_node, layout.street[street + 1].first_node):
        kind = layout.node[node].kind
        if kind in (DECISION, CHANCE):
            continue
        value = scratch.street[street].value
        value += (node - layout.street[street].first_node) * width
        row = own.node[node].reach_row * width
        a, b = own.node[node].a, own.node[node].b
        if runout is not None and kind == RUNOUT:
            run_out(layout, own, other, scratch, street, node, value, runout)
        for lane in range(0, width, VECTOR):
            paid = load16(numbers, met + row + lane) * a
            if kind == SHOWDOWN:
                paid = fma(load16(numbers, balance + row + lane), b, paid)
            elif kind == RUNOUT:
                paid = fma(load16(numbers, value + lane), b, paid)
            store(numbers, value + lane, paid)


@fused
def meet(
    own: LayoutSide,
    other: LayoutSide,
    scratch: SweepScratch,
    street: int,
    wide: int | None,
    narrow: int | None,
) -> None:
    """Compute C of all settled reach rows, and D of those that are compared, of the board."""
    board = scratch.street[street].board
    num_compared, num_settled = own.street[street].num_compared, own.street[street].num_settled
    narrow_zero, wide_zero = zeros16(scratch.numbers), zeros32(scratch.numbers)
    for begin in range(0, num_settled, COLUMNS):
        is_compared = begin < num_compared
        if wide is None:
            settle_columns(own, other, scratch, street, board, begin, is_compared, narrow_zero)
        elif narrow is None or num_settled - begin > narrow:
            settle_columns(own, other, scratch, street, board, begin, is_compared, wide_zero)
        else:
            settle_columns(own, other, scratch, street, board, begin, is_compared, narrow_zero)


@called
def settle_columns(
    own: LayoutSide,
    other: LayoutSide,
    scratch: SweepScratch,
    street: int,
    board: int,
    begin: int,
    is_compared: bool,
    zero: float,
) -> None:
    """Compute C, and D if `is_compared`, of as many reach rows from `begin` as `zero` has lanes.

    A vector is one hand with several betting lines.
    """
    width, other_width = own.board[board].width, other.board[board].width
    lanes = own.board[board].first_lane
    other_lanes = other.board[board].first_lane
    count, other_count = own.board[board].num_lanes, other.board[board].num_lanes
    numbers, area = scratch.numbers, scratch.area[0]
    columns, partial, sums, tiles = area.columns, area.partial, area.sums, area.tiles
    met_rows, balance_rows = area.met, area.balance
    num_columns = min(COLUMNS, own.street[street].num_settled - begin)
    reach = scratch.street[street].reach + begin * other_width
    for column in range(0, num_columns, 8):
        for lane in range(0, other_width, 8):
            transpose8(
                numbers,
                reach + column * other_width + lane,
                other_width,
                numbers,
                columns + lane * COLUMNS + column,
                COLUMNS,
            )
    store(numbers, columns + other_width * COLUMNS, zero)
    for position in range(sums, tiles, COLUMNS):
        store(numbers, position, zero)
    total = zero
    seen = 0
    if is_compared:
        lane = 0
        while lane < count:
            less = own.lane[lanes + lane].less
            not_more = own.lane[lanes + lane].not_more
            while seen < less:
                total = total + _count_hand(other, numbers, columns, sums, other_lanes, seen, zero)
                seen += 1
            end = lane
            while (
                end < count
                and own.lane[lanes + end].less == less
                and own.lane[lanes + end].not_more == not_more
            ):
                weaker = total - _excluded(own, numbers, sums, lanes + end, zero)
                store(numbers, partial + end * COLUMNS, weaker + weaker)
                end += 1
            if not_more > less:
                while seen < not_more:
                    total = total + _count_hand(
                        other, numbers, columns, sums, other_lanes, seen, zero
                    )
                    seen += 1
                for tied in range(lane, end):
                    weaker = load_like(numbers, partial + tied * COLUMNS, zero) * 0.5
                    twin = columns + np.int64(own.lane[lanes + tied].twin) * COLUMNS
                    not_stronger = total - _excluded(own, numbers, sums, lanes + tied, zero)
                    not_stronger = not_stronger + load_like(numbers, twin, zero)
                    store(numbers, partial + tied * COLUMNS, weaker + not_stronger)
            lane = end
        for lane in range(count, width):
            store(numbers, partial + lane * COLUMNS, zero)
    while seen < other_count:
        total = total + _count_hand(other, numbers, columns, sums, other_lanes, seen, zero)
        seen += 1
    for first in range(0, width, 8):
        for number in range(8):
            lane = first + number
            twin = columns + np.int64(own.lane[lanes + lane].twin) * COLUMNS
            met = total - _excluded(own, numbers, sums, lanes + lane, zero)
            met = met + load_like(numbers, twin, zero)
            store(numbers, tiles + number * COLUMNS, met)
            if is_compared:
                balance = load_like(numbers, partial + lane * COLUMNS, zero) - met
                store(numbers, tiles + (8 + number) * COLUMNS, balance)
        for column in range(0, num_columns, 8):
            row = (begin + column) * width + first
            transpose8(numbers, tiles + column, COLUMNS, numbers, met_rows + row, width)
            if is_compared:
                tile = tiles + 8 * COLUMNS + column
                transpose8(numbers, tile, COLUMNS, numbers, balance_rows + row, width)


@fused
def _count_hand(
    other: LayoutSide, numbers: Singles, columns: int, sums: int, lanes: int, lane: int, zero: float
) -> float:
    """Add a hand's reaches to the sums of its blockers, and return them."""
    reach = load_like(numbers, columns + lane * COLUMNS, zero)
    first = sums + np.int64(other.lane[lanes + lane].blocker) * COLUMNS
    second = sums + np.int64(other.lane[lanes + lane].other_blocker) * COLUMNS
    store(numbers, first, load_like(numbers, first, zero) + reach)
    store(numbers, second, load_like(numbers, second, zero) + reach)
    return reach


@fused
def _excluded(own: LayoutSide, numbers: Singles, sums: int, lane: int, zero: float) -> float:
    """Return the reaches of hands that share a blocker with a lane, so far."""
    first = sums + np.int64(own.lane[lane].blocker) * COLUMNS
    second = sums + np.int64(own.lane[lane].other_blocker) * COLUMNS
    return load_like(numbers, first, zero) + load_like(numbers, second, zero)


@fused
def run_out(
    layout: Layout,
    own: LayoutSide,
    other: LayoutSide,
    scratch: SweepScratch,
    street: int,
    node: int,
    value: int,
    runout: Runouts,
) -> None:
    """Write D of an all-in, over all run-outs, into the row of values at `value`."""
    board = scratch.street[street].board
    width, other_width = own.board[board].width, other.board[board].width
    reach = scratch.street[street].reach + own.node[node].reach_row * other_width
    lanes, columns = own.board[board].num_lanes, other_width
    if not own.is_first:
        lanes, columns = other.board[board].num_lanes, width
    matrix = layout.board[board].runout + np.int64(layout.node[node].root) * lanes * columns
    probability = layout.street[street].run_probability
    zero = zeros16(scratch.numbers)
    if own.is_first:
        for lane in range(0, width, VECTOR):
            store(scratch.numbers, value + lane, zero)
        for lane in range(own.board[board].num_lanes):
            row = matrix + lane * other_width
            total = zero
            for column in range(0, other_width, VECTOR):
                balance = load_like(runout, row + column, zero)
                total = fma(balance, load16(scratch.numbers, reach + column), total)
            scratch.numbers[value + lane] = probability * lane_sum(total)
        return
    for lane in range(0, width, VECTOR):
        total = zero
        for row in range(other.board[board].num_lanes):
            weight = -probability * scratch.numbers[reach + row]
            total = fma(load_like(runout, matrix + row * width + lane, zero), weight, total)
        store(scratch.numbers, value + lane, total)
