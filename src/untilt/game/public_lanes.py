"""What the leaves of a public tree need to pay hands: lanes compared, run-outs padded."""

import numpy as np
import numpy.typing as npt

from untilt.game.public_layout import (
    SIDE_LANE,
    Layout,
    Side,
    concatenated,
    layout_of,
    padded,
)
from untilt.game.public_tree import Blockers, Boards, Hands, PublicTree
from untilt.numeric.arrays import Ints, Offsets, Records
from untilt.numeric.kernel import kernel


def full_layout(tree: PublicTree) -> tuple[Layout, tuple[Side, Side]]:
    """Return the addresses of `tree`, with lanes and run-outs: all that a sweep needs."""
    layout, sides = layout_of(tree)
    matrices = [matrix for s in range(len(tree.streets)) for matrix in _padded_runouts(tree, s)]
    layout.board["runout"] = np.cumsum([0] + [len(matrix) for matrix in matrices])
    layout = layout._replace(runout=concatenated(matrices, np.int16))
    first, second = (
        side._replace(
            lane=np.concatenate(
                [_lanes(pair[p], pair[1 - p], tree.num_blockers) for pair in tree.boards]
            )
        )
        for p, side in enumerate(sides)
    )
    return layout, (first, second)


def _lanes(own: Boards, other: Boards, num_blockers: int) -> Records:
    """Return the lanes of one player on the boards of a street, compared with the opponent's."""
    width = padded(np.diff(own.first_lane))
    lanes = np.zeros(int(width.sum()), SIDE_LANE)
    lanes["blocker"] = lanes["other_blocker"] = num_blockers
    # The lane after the opponent's last is always 0.
    lanes["twin"] = np.repeat(padded(np.diff(other.first_lane)), width)
    _compare_lanes(
        own.first_lane,
        own.blockers,
        own.strength,
        other.first_lane,
        other.blockers,
        other.strength,
        np.zeros((num_blockers, num_blockers), np.int32),
        np.cumsum(width) - width,
        lanes,
    )
    return lanes


@kernel
def _compare_lanes(
    first: Offsets,
    blockers: Blockers,
    strength: Hands,
    other_first: Offsets,
    other_blockers: Blockers,
    other_strength: Hands,
    lane_of_pair: Ints,
    starts: Offsets,
    lanes: Records,
) -> None:
    """Fill in the lanes of all boards. `lane_of_pair` [blockers, blockers] is zero, and scratch."""
    for board in range(len(first) - 1):
        begin, end = other_first[board], other_first[board + 1]
        for lane in range(begin, end):
            c, d = other_blockers[lane, 0], other_blockers[lane, 1]
            lane_of_pair[min(c, d), max(c, d)] = lane - begin + 1
        less, not_more = begin, begin
        for lane in range(first[board], first[board + 1]):
            record = lanes[starts[board] + lane - first[board]]
            c, d = blockers[lane, 0], blockers[lane, 1]
            record.blocker, record.other_blocker = c, d
            same = lane_of_pair[min(c, d), max(c, d)]
            if same > 0:
                record.twin = same - 1
            if len(strength) > 0:
                while less < end and other_strength[less] < strength[lane]:
                    less += 1
                while not_more < end and other_strength[not_more] <= strength[lane]:
                    not_more += 1
                record.less, record.not_more = less - begin, not_more - begin
        for lane in range(begin, end):
            c, d = other_blockers[lane, 0], other_blockers[lane, 1]
            lane_of_pair[min(c, d), max(c, d)] = 0


def _padded_runouts(tree: PublicTree, street: int) -> list[npt.NDArray[np.int16]]:
    """Return the run-out matrix of every board of a street, padded; empty ones if it has none."""
    found = tree.runouts[street]
    first, second = tree.boards[street]
    matrices: list[npt.NDArray[np.int16]] = []
    for board in range(first.num_boards):
        if found is None:
            matrices.append(np.zeros(0, np.int16))
            continue
        rows = first.first_lane[board + 1] - first.first_lane[board]
        columns = second.first_lane[board + 1] - second.first_lane[board]
        matrix = np.zeros((rows, padded(columns)), np.int16)
        given = found.balance[found.first[board] : found.first[board + 1]]
        matrix[:, :columns] = given.reshape(rows, columns)
        matrices.append(matrix.ravel())
    return matrices
