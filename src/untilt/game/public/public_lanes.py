"""The lanes of a public tree as sweeps need them: compared, mapped along deals, run out, padded."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from untilt.game.public.public_layout import (
    SIDE_EDGE,
    SIDE_LANE,
    Layout,
    LayoutSide,
    concatenated,
    layout_of,
    padded,
)
from untilt.game.public.public_tree import Boards, PublicTree
from untilt.numeric.arrays import Offsets, Records

_NO_LANE = -1
_STRONGEST = np.iinfo(np.uint16).max


def full_layout(tree: PublicTree) -> tuple[Layout, tuple[LayoutSide, LayoutSide]]:
    """Return the addresses of `tree`, with lanes and run-outs: all that a sweep needs."""
    layout, sides = layout_of(tree)
    if len(tree.streets) > 1 or tree.runouts[0] is not None:
        layout = layout._replace(runout=_padded_runouts(tree, layout))
    first, second = (
        _with_deals(side, tree, p)._replace(
            lane=np.concatenate(
                [_lanes(pair[p], pair[1 - p], tree.num_blockers) for pair in tree.boards]
            )
        )
        for p, side in enumerate(sides)
    )
    return layout, (first, second)


def _with_deals(side: LayoutSide, tree: PublicTree, player: int) -> LayoutSide:
    """Return `side` with the maps of lanes along all deals, in both directions."""
    edges, parent_lanes, child_lanes = [], [], []
    num_parent_lanes = num_child_lanes = 0
    for deals, before, after in zip(tree.deals, tree.boards, tree.boards[1:], strict=False):
        first = deals.first_lane[player]
        counts = np.diff(first)
        parent_width = padded(np.diff(before[player].first_lane))[deals.parent]
        child_width = padded(np.diff(after[player].first_lane))[deals.child]
        edge = np.zeros(len(counts), SIDE_EDGE)
        edge["parent_lane"] = num_parent_lanes + np.cumsum(child_width) - child_width
        edge["child_lane"] = num_child_lanes + np.cumsum(parent_width) - parent_width
        number = np.repeat(np.arange(len(counts)), counts)
        lane = np.arange(first[-1]) - first[number]
        parent_lane = np.full(child_width.sum(), _NO_LANE, np.int16)
        child_lane = np.full(parent_width.sum(), _NO_LANE, np.int16)
        parent_lane[edge["parent_lane"][number] - num_parent_lanes + lane] = deals.lane[player]
        child_lane[edge["child_lane"][number] - num_child_lanes + deals.lane[player]] = lane
        num_parent_lanes += len(parent_lane)
        num_child_lanes += len(child_lane)
        edges.append(edge)
        parent_lanes.append(parent_lane)
        child_lanes.append(child_lane)
    return side._replace(
        parent_lane=concatenated(parent_lanes, np.int16),
        child_lane=concatenated(child_lanes, np.int16),
        edge=np.concatenate([np.zeros(0, SIDE_EDGE), *edges]),
    )


def _lanes(own: Boards, other: Boards, num_blockers: int) -> Records:
    """Return the lanes of one player on the boards of a street, compared with the opponent's.

    In NumPy, since a kernel would take longer to compile than this takes on a flop.
    """
    counts, other_counts = np.diff(own.first_lane), np.diff(other.first_lane)
    boards = np.repeat(np.arange(own.num_boards), counts)
    other_boards = np.repeat(np.arange(own.num_boards), other_counts)
    width = padded(counts)
    lanes = np.zeros(int(width.sum()), SIDE_LANE)
    lanes["blocker"] = lanes["other_blocker"] = num_blockers
    # The lane after the opponent's last is always 0.
    lanes["twin"] = np.repeat(padded(other_counts), width)
    place = np.arange(len(boards)) + np.repeat(np.cumsum(width - counts) - width + counts, counts)
    lanes["blocker"][place], lanes["other_blocker"][place] = own.blockers.T
    num_pairs = num_blockers * num_blockers
    lane_of_pair = np.full(own.num_boards * num_pairs, _NO_LANE, np.int32)
    lane_of_pair[other_boards * num_pairs + _pairs(other, num_blockers)] = np.arange(
        len(other_boards)
    ) - np.repeat(other.first_lane[:-1], other_counts)
    same = lane_of_pair[boards * num_pairs + _pairs(own, num_blockers)]
    lanes["twin"][place[same != _NO_LANE]] = same[same != _NO_LANE]
    if len(own.strength) > 0:
        order, other_order = (
            number * (_STRONGEST + 1) + each.strength
            for number, each in ((boards, own), (other_boards, other))
        )
        begin = other.first_lane[boards]
        lanes["less"][place] = np.searchsorted(other_order, order, "left") - begin
        lanes["not_more"][place] = np.searchsorted(other_order, order, "right") - begin
    return lanes


def _pairs(boards: Boards, num_blockers: int) -> Offsets:
    """Return [lanes] a number for the two blockers of every lane."""
    first, second = np.sort(boards.blockers.astype(np.int64), axis=1).T
    pairs: Offsets = first * num_blockers + second
    return pairs


def _padded_runouts(tree: PublicTree, layout: Layout) -> npt.NDArray[np.int16]:
    """Return the run-out matrices of all boards, padded, and write where each board's begin."""
    matrices = [matrix for s in range(len(tree.streets)) for matrix in _runouts(tree, s)]
    sizes = [len(each) * each.shape[1] * padded(each.shape[2]) for each in matrices]
    begins = layout.board["runout"]
    begins[:] = np.cumsum([0, *sizes])
    runout = np.zeros(begins[-1], np.int16)
    for matrix, begin, size in zip(matrices, begins.tolist(), sizes, strict=False):
        if size:
            count, rows, columns = matrix.shape
            runout[begin : begin + size].reshape(count, rows, -1)[:, :, :columns] = matrix
    return runout


def _runouts(tree: PublicTree, street: int) -> Iterator[npt.NDArray[np.int16]]:
    """Yield [matrices, lanes, lanes of the other] for every board of a street; empty if none."""
    found = tree.runouts[street]
    first, second = (np.diff(each.first_lane).tolist() for each in tree.boards[street])
    for board, (rows, columns) in enumerate(zip(first, second, strict=True)):
        if found is None or not rows * columns:
            yield np.zeros((0, 0, 0), np.int16)
        else:
            given = found.balance[found.first[board] : found.first[board + 1]]
            yield given.reshape(-1, rows, columns)
