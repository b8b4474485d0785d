"""The compiled sweeps over a public tree: from the opponent's reaches to what the leaves pay.

enter     chance, downwards: the opponent's reaches on a board become those on the next one
settle    what the leaves of a board pay every hand of a player, given the opponent's reaches
leave     chance, upwards: the values of a board's hands become those of the board before

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

from untilt.game.public_layout import VECTOR, Layout, Side, Singles
from untilt.game.public_tree import CHANCE, DECISION, RUNOUT, SHOWDOWN
from untilt.numeric.arrays import Ints, Offsets
from untilt.numeric.kernel import called, fused
from untilt.numeric.vectors import (
    fma,
    lane_sum,
    load16,
    load_like,
    splat16,
    splat32,
    store,
    transpose8,
)

COLUMNS = 32
"""Reach rows that `settle` takes at a time."""


class Scratch(NamedTuple):
    """Where a thread works; one value is computed after another, so a street needs one board."""

    reach: Singles
    first_reach: Offsets
    """[streets]: where the opponent's reach rows of a street begin."""
    value: Singles
    first_value: Offsets
    """[streets]: where the values of a street's nodes begin."""
    dealt: Singles
    first_dealt: Offsets
    """[streets]: where the values of a street's CHANCE leaves begin."""
    columns: Singles
    """[lanes + 1, COLUMNS]: reaches with the lane in front; the last lane is 0."""
    partial: Singles
    """[lanes, COLUMNS]."""
    sums: Singles
    """[blockers + 1, COLUMNS]."""
    tiles: Singles
    """[2, 8, COLUMNS]."""
    met: Singles
    """[reach rows, lanes]: C of `public_tree`."""
    balance: Singles
    """[reach rows, lanes]: D of `public_tree`."""
    rows: Singles
    """[actions, lanes]: regrets before they are stored in fewer bits."""
    board: Ints
    """[streets]: the board that is being computed."""
    edge: Ints
    """[streets]: its next edge."""


def scratch_of(layout: Layout, sides: tuple[Side, Side]) -> Scratch:
    """Return what one thread needs to sweep the tree for either player."""
    streets = range(layout.num_streets)
    boards = layout.street["first_board"]
    widest = [
        max(int(side.board["width"][boards[s] : boards[s + 1]].max()) for side in sides)
        for s in streets
    ]
    # Rows are read in whole tiles of 8, so there are more than are used.
    num_rows = [max(int(side.street[s].num_reach_rows) for side in sides) + 8 for s in streets]
    num_paid = [max(int(side.street[s].num_settled) for side in sides) + 8 for s in streets]
    num_nodes = np.diff(layout.street["first_node"])
    reach = np.cumsum([0] + [width * rows for width, rows in zip(widest, num_rows, strict=True)])
    value = np.cumsum([0] + [width * n for width, n in zip(widest, num_nodes, strict=True)])
    num_dealt = layout.street["num_roots"][1:]
    dealt = np.cumsum([0] + [width * n for width, n in zip(widest, num_dealt, strict=True)])
    paid = max(width * rows for width, rows in zip(widest, num_paid, strict=True))
    lanes = max(widest)
    return Scratch(
        reach=_zeros(int(reach[-1])),
        first_reach=reach[:-1].astype(np.int64),
        value=_zeros(int(value[-1])),
        first_value=value[:-1].astype(np.int64),
        dealt=_zeros(int(dealt[-1])),
        first_dealt=dealt[:-1].astype(np.int64),
        columns=_zeros((lanes + 1) * COLUMNS),
        partial=_zeros(lanes * COLUMNS),
        sums=_zeros((layout.num_blockers + 1) * COLUMNS),
        tiles=_zeros(2 * 8 * COLUMNS),
        met=_zeros(paid),
        balance=_zeros(paid),
        rows=_zeros(lanes * int(layout.node["num_actions"].max())),
        board=np.zeros(layout.num_streets, np.int32),
        edge=np.zeros(layout.num_streets, np.int32),
    )


def _zeros(length: int) -> Singles:
    return np.zeros(length, np.float32)


@called
def enter(
    layout: Layout,
    own: Side,
    other: Side,
    source: Singles,
    scratch: Scratch,
    street: int,
    edge: int,
) -> None:
    """Let the opponent's reaches follow a deal to a board of `street`.

    `source` are those of the board before, laid out as in `scratch`.
    """
    child = layout.edge_child[edge]
    start = other.first_deal_lane[edge]
    count = other.board[child].num_lanes
    width = other.board[child].width
    before = other.board[layout.board[child].parent].width
    for entry in range(own.street[street].first_entry, own.street[street + 1].first_entry):
        read = scratch.first_reach[street - 1] + own.entry[2 * entry] * before
        write = scratch.first_reach[street] + own.entry[2 * entry + 1] * width
        for lane in range(count):
            scratch.reach[write + lane] = source[read + other.deal_lane[start + lane]]
        for lane in range(count, width):
            scratch.reach[write + lane] = 0.0
    scratch.board[street] = child


@called
def leave(
    layout: Layout, own: Side, source: Scratch, dealt: Singles, begin: int, street: int, edge: int
) -> None:
    """Add the values of a board of `street` to those of the board before, along a deal.

    `dealt` has a row of lanes for every CHANCE leaf of the board before, from `begin` on.
    """
    child = layout.edge_child[edge]
    width = own.board[layout.board[child].parent].width
    start = own.first_deal_lane[edge]
    count = own.board[child].num_lanes
    probability = layout.street[street - 1].deal_probability
    for number in range(layout.street[street].num_roots):
        read = source.first_value[street] + number * own.board[child].width
        write = begin + number * width
        for lane in range(count):
            dealt[write + own.deal_lane[start + lane]] += probability * source.value[read + lane]


@called
def settle(layout: Layout, own: Side, other: Side, scratch: Scratch, street: int) -> None:
    """Set the values of all leaves of the street, on the board in `scratch`."""
    board = scratch.board[street]
    num_compared, num_settled = own.street[street].num_compared, own.street[street].num_settled
    for begin in range(0, num_settled, COLUMNS):
        is_compared = begin < num_compared
        if num_settled - begin > COLUMNS // 2:
            _settle_columns(own, other, scratch, street, board, begin, is_compared, splat32(0.0))
        else:
            _settle_columns(own, other, scratch, street, board, begin, is_compared, splat16(0.0))
    width = own.board[board].width
    for node in range(layout.street[street].first_node, layout.street[street + 1].first_node):
        kind = layout.node[node].kind
        if kind == DECISION:
            continue
        value = scratch.first_value[street] + (node - layout.street[street].first_node) * width
        if kind == CHANCE:
            dealt = scratch.first_dealt[street] + layout.node[node].root * width
            for lane in range(0, width, VECTOR):
                store(scratch.value, value + lane, load16(scratch.dealt, dealt + lane))
            continue
        row = own.node[node].reach_row * width
        a, b = own.node[node].a, own.node[node].b
        if kind == RUNOUT:
            _run_out(layout, own, other, scratch, street, node, value)
        for lane in range(0, width, VECTOR):
            paid = load16(scratch.met, row + lane) * a
            if kind == SHOWDOWN:
                paid = fma(load16(scratch.balance, row + lane), b, paid)
            elif kind == RUNOUT:
                paid = fma(load16(scratch.value, value + lane), b, paid)
            store(scratch.value, value + lane, paid)


@called
def _settle_columns(
    own: Side,
    other: Side,
    scratch: Scratch,
    street: int,
    board: int,
    begin: int,
    is_compared: bool,
    zero: float,
) -> None:
    """Compute C, and D if `is_compared`, of as many reach rows from `begin` on as `zero` has lanes.

    A vector is one hand with several betting lines.
    """
    width, other_width = own.board[board].width, other.board[board].width
    lanes = own.board[board].first_lane
    other_lanes = other.board[board].first_lane
    count, other_count = own.board[board].num_lanes, other.board[board].num_lanes
    columns, partial, sums = scratch.columns, scratch.partial, scratch.sums
    num_columns = min(COLUMNS, own.street[street].num_settled - begin)
    reach = scratch.first_reach[street] + begin * other_width
    for column in range(0, num_columns, 8):
        for lane in range(0, other_width, 8):
            transpose8(
                scratch.reach,
                reach + column * other_width + lane,
                other_width,
                columns,
                lane * COLUMNS + column,
                COLUMNS,
            )
    store(columns, other_width * COLUMNS, zero)
    for position in range(0, len(sums), COLUMNS):
        store(sums, position, zero)
    total = zero
    seen = 0
    if is_compared:
        lane = 0
        while lane < count:
            less = own.lane[lanes + lane].less
            not_more = own.lane[lanes + lane].not_more
            while seen < less:
                total = total + _count_hand(other, columns, sums, other_lanes, seen, zero)
                seen += 1
            end = lane
            while (
                end < count
                and own.lane[lanes + end].less == less
                and own.lane[lanes + end].not_more == not_more
            ):
                weaker = total - _excluded(own, sums, lanes + end, zero)
                store(partial, end * COLUMNS, weaker + weaker)
                end += 1
            if not_more > less:
                while seen < not_more:
                    total = total + _count_hand(other, columns, sums, other_lanes, seen, zero)
                    seen += 1
                for tied in range(lane, end):
                    weaker = load_like(partial, tied * COLUMNS, zero) * 0.5
                    twin = load_like(columns, np.int64(own.lane[lanes + tied].twin) * COLUMNS, zero)
                    not_stronger = total - _excluded(own, sums, lanes + tied, zero) + twin
                    store(partial, tied * COLUMNS, weaker + not_stronger)
            lane = end
        for lane in range(count, width):
            store(partial, lane * COLUMNS, zero)
    while seen < other_count:
        total = total + _count_hand(other, columns, sums, other_lanes, seen, zero)
        seen += 1
    tiles = scratch.tiles
    for first in range(0, width, 8):
        for number in range(8):
            lane = first + number
            twin = load_like(columns, np.int64(own.lane[lanes + lane].twin) * COLUMNS, zero)
            met = total - _excluded(own, sums, lanes + lane, zero) + twin
            store(tiles, number * COLUMNS, met)
            if is_compared:
                balance = load_like(partial, lane * COLUMNS, zero) - met
                store(tiles, (8 + number) * COLUMNS, balance)
        for column in range(0, num_columns, 8):
            row = (begin + column) * width + first
            transpose8(tiles, column, COLUMNS, scratch.met, row, width)
            if is_compared:
                transpose8(tiles, 8 * COLUMNS + column, COLUMNS, scratch.balance, row, width)


@fused
def _count_hand(
    other: Side, columns: Singles, sums: Singles, lanes: int, lane: int, zero: float
) -> float:
    """Add a hand's reaches to the sums of its blockers, and return them."""
    reach = load_like(columns, lane * COLUMNS, zero)
    first = np.int64(other.lane[lanes + lane].blocker) * COLUMNS
    second = np.int64(other.lane[lanes + lane].other_blocker) * COLUMNS
    store(sums, first, load_like(sums, first, zero) + reach)
    store(sums, second, load_like(sums, second, zero) + reach)
    return reach


@fused
def _excluded(own: Side, sums: Singles, lane: int, zero: float) -> float:
    """Return the reaches of hands that share a blocker with a lane, so far."""
    first = np.int64(own.lane[lane].blocker) * COLUMNS
    second = np.int64(own.lane[lane].other_blocker) * COLUMNS
    return load_like(sums, first, zero) + load_like(sums, second, zero)


@fused
def _run_out(
    layout: Layout, own: Side, other: Side, scratch: Scratch, street: int, node: int, value: int
) -> None:
    """Write D of an all-in, over all run-outs, into the row of values at `value`."""
    board = scratch.board[street]
    width, other_width = own.board[board].width, other.board[board].width
    reach = scratch.first_reach[street] + own.node[node].reach_row * other_width
    matrix = layout.board[board].runout
    probability = layout.street[street].run_probability
    zero = splat16(0.0)
    for lane in range(0, width, VECTOR):
        store(scratch.value, value + lane, zero)
    if own.is_first:
        for lane in range(own.board[board].num_lanes):
            row = matrix + lane * other_width
            total = zero
            for column in range(0, other_width, VECTOR):
                balance = load16(layout.runout, row + column)
                total = fma(balance, load16(scratch.reach, reach + column), total)
            scratch.value[value + lane] = probability * lane_sum(total)
        return
    for row in range(other.board[board].num_lanes):
        weight = -probability * scratch.reach[reach + row]
        if weight == 0.0:
            continue
        for lane in range(0, width, VECTOR):
            balance = load16(layout.runout, matrix + row * width + lane)
            store(
                scratch.value,
                value + lane,
                fma(balance, weight, load16(scratch.value, value + lane)),
            )
