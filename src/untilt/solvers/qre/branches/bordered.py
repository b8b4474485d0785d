"""Linear systems of a dissected game, with one border variable, by block elimination.

    ⎡ A₁          B₁ ⎤      A  inside a component
    ⎢     A₂      B₂ ⎥      B  component × root, to the right
    ⎢         …   …  ⎥      C  root × component, below
    ⎣ C₁  C₂  …   D  ⎦      D  root × root

The border (the path variable and its equation) is the root's last row and column. Components
are coupled only through the root, so eliminating them first causes no fill-in.

Blocks are addressed within one flat array: views of them would take longer to compile than all
the arithmetic. Elimination takes four rows at a time, so a target row is read and written once
for four multiplications and additions per element.
"""

from typing import NamedTuple

import numpy as np

from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.kernel import called, fused, kernel
from untilt.solvers.qre.branches.dissection import Dissection
from untilt.solvers.qre.decision_tree import Variables


class BlockMatrix(NamedTuple):
    """The blocks, flat and row by row, in one array; after `factorise` their factors."""

    entries: Floats
    first_inside: Offsets
    """[B + 1] where each component's A begins."""
    first_right: Offsets
    """[B + 1] where each component's B begins."""
    first_below: Offsets
    """[B + 1] where each component's C begins; the last one is where D begins."""
    pivots: Offsets
    """[V + 1] row swaps of every component, then of the root."""
    work: Floats
    """[V + 1] a vector in the order of the blocks."""


def num_entries(dissection: Dissection) -> int:
    """Return how many elements the blocks of a dissection have."""
    width = dissection.num_root + 1
    sizes: list[int] = dissection.size.tolist()
    return sum(size * size + 2 * size * width for size in sizes) + width * width


def new_matrix(dissection: Dissection) -> BlockMatrix:
    """Return the arrays, not yet filled."""
    width = dissection.num_root + 1
    total = int(dissection.first[-1])
    first_inside = np.concatenate(([0], np.cumsum(dissection.size**2))).astype(np.int64)
    first_right = first_inside[-1] + dissection.first * width
    first_below = first_right[-1] + dissection.first * width
    return BlockMatrix(
        entries=np.empty(int(first_below[-1]) + width * width),
        first_inside=first_inside,
        first_right=first_right,
        first_below=first_below,
        pivots=np.empty(total + width, dtype=np.int64),
        work=np.empty(total + width),
    )


@kernel
def set_border(
    variables: Variables,
    dissection: Dissection,
    matrix: BlockMatrix,
    column: Floats,
    row: Floats,
    corner: float,
) -> None:
    """Set the border: `column` and `row` over variables, and the element where they meet."""
    width = dissection.num_root + 1
    entries, order = matrix.entries, dissection.order
    for block in range(len(dissection.size)):
        size = dissection.size[block]
        right = matrix.first_right[block] + width - 1
        below = matrix.first_below[block] + (width - 1) * size
        for index in range(size):
            variable = order[dissection.first[block] + index]
            entries[right + index * width] = column[variable]
            entries[below + index] = row[variable]
    root = matrix.first_below[-1]
    for index in range(width - 1):
        variable = order[dissection.first[-1] + index]
        entries[root + (index + 1) * width - 1] = column[variable]
        entries[root + (width - 1) * width + index] = row[variable]
    entries[root + width * width - 1] = corner


@kernel
def factorise(dissection: Dissection, matrix: BlockMatrix) -> float:
    """Replace the blocks by their factors; B becomes A⁻¹B. Returns the determinant's sign."""
    width = dissection.num_root + 1
    entries = matrix.entries
    root = matrix.first_below[-1]
    sign = 1.0
    for block in range(len(dissection.size) + 1):
        is_root = block == len(dissection.size)
        size = width if is_root else dissection.size[block]
        inside = root if is_root else matrix.first_inside[block]
        _factorise_dense(entries, inside, size, matrix.pivots, dissection.first[block])
        for step in range(size):
            if matrix.pivots[dissection.first[block] + step] != step:
                sign = -sign
            if entries[inside + step * size + step] < 0.0:
                sign = -sign
        if is_root:
            break
        right, below = matrix.first_right[block], matrix.first_below[block]
        for step in range(size):
            pivot = matrix.pivots[dissection.first[block] + step]
            if pivot != step:
                _swap(entries, right + step * width, right + pivot * width, width)
        for row in range(size):
            _subtract(entries, right + row * width, inside + row * size, right, row, width, width)
        for distance in range(1, size + 1):
            row = size - distance
            target, diagonal = right + row * width, inside + row * size + row
            after = size - row - 1
            _subtract(entries, target, diagonal + 1, target + width, after, width, width)
            inverse = 1.0 / entries[diagonal]
            for column in range(target, target + width):
                entries[column] *= inverse
        for row in range(width):
            _subtract(entries, root + row * width, below + row * size, right, size, width, width)
    return sign


@kernel
def multiply(
    dissection: Dissection, matrix: BlockMatrix, vector: Floats, border: float, out: Floats
) -> None:
    """Set out = all rows except the border's times (`vector`, `border`), before `factorise`."""
    width = dissection.num_root + 1
    entries, work = matrix.entries, matrix.work
    num_blocks = len(dissection.size)
    at_root = dissection.first[num_blocks]
    _set_work(dissection, matrix, vector, border)
    root = matrix.first_below[-1]
    for row in range(width - 1):
        out[dissection.order[at_root + row]] = _dot(
            entries, root + row * width, work, at_root, width
        )
    for block in range(num_blocks):
        size = dissection.size[block]
        begin = dissection.first[block]
        inside, right = matrix.first_inside[block], matrix.first_right[block]
        below = matrix.first_below[block]
        for row in range(size):
            out[dissection.order[begin + row]] = _dot(
                entries, inside + row * size, work, begin, size
            ) + _dot(entries, right + row * width, work, at_root, width)
        for row in range(width - 1):
            out[dissection.order[at_root + row]] += _dot(
                entries, below + row * size, work, begin, size
            )


@kernel
def solve_in_place(
    variables: Variables,
    dissection: Dissection,
    matrix: BlockMatrix,
    vector: Floats,
    border: float,
) -> float:
    """Solve for the right-hand side (`vector`, `border`), after `factorise`.

    `vector` becomes the solution over variables; the border variable's is returned.
    """
    width = dissection.num_root + 1
    entries, work = matrix.entries, matrix.work
    num_blocks = len(dissection.size)
    at_root = dissection.first[num_blocks]
    _set_work(dissection, matrix, vector, border)
    for block in range(num_blocks + 1):
        is_root = block == num_blocks
        size = width if is_root else dissection.size[block]
        inside = matrix.first_below[block] if is_root else matrix.first_inside[block]
        begin = dissection.first[block]
        for step in range(begin, begin + size):
            other = begin + matrix.pivots[step]
            swap = work[step]
            work[step] = work[other]
            work[other] = swap
        for row in range(size):
            work[begin + row] -= _dot(entries, inside + row * size, work, begin, row)
        for distance in range(1, size + 1):
            row = size - distance
            diagonal = inside + row * size + row
            at = begin + row
            rest = _dot(entries, diagonal + 1, work, at + 1, size - row - 1)
            work[at] = (work[at] - rest) / entries[diagonal]
        if not is_root:
            below = matrix.first_below[block]
            for row in range(width):
                work[at_root + row] -= _dot(entries, below + row * size, work, begin, size)
    right = matrix.first_right[0]
    for place in range(at_root):
        work[place] -= _dot(entries, right + place * width, work, at_root, width)
    for place in range(len(vector)):
        vector[dissection.order[place]] = work[place]
    return float(work[len(vector)])


@fused
def _set_work(dissection: Dissection, matrix: BlockMatrix, vector: Floats, border: float) -> None:
    for place in range(len(vector)):
        matrix.work[place] = vector[dissection.order[place]]
    matrix.work[len(vector)] = border


@fused
def _factorise_dense(
    entries: Floats, begin: int, size: int, pivots: Offsets, first_pivot: int
) -> None:
    """LU with partial pivoting of the square block at `begin`, in place, four columns at a time."""
    for panel in range(0, size, 4):
        end = min(panel + 4, size)
        for step in range(panel, end):
            pivot = step
            for row in range(step + 1, size):
                if abs(entries[begin + row * size + step]) > abs(
                    entries[begin + pivot * size + step]
                ):
                    pivot = row
            pivots[first_pivot + step] = pivot
            if pivot != step:
                _swap(entries, begin + step * size, begin + pivot * size, size)
            source = begin + step * size
            inverse = 1.0 / entries[source + step]
            for row in range(step + 1, size):
                target = begin + row * size
                factor = entries[target + step] * inverse
                entries[target + step] = factor
                if factor != 0.0:
                    for column in range(step + 1, end):
                        entries[target + column] -= factor * entries[source + column]
        rest = size - end
        for row in range(panel + 1, size):
            count = min(row - panel, end - panel)
            target = begin + row * size
            _subtract(
                entries, target + end, target + panel, begin + panel * size + end, count, rest, size
            )


@fused
def _swap(entries: Floats, one: int, other: int, count: int) -> None:
    for offset in range(count):
        swap = entries[one + offset]
        entries[one + offset] = entries[other + offset]
        entries[other + offset] = swap


@fused
def _dot(entries: Floats, begin: int, vector: Floats, first: int, count: int) -> float:
    """Return an inner product; with four sums, because dependent additions wait for one another."""
    left, right = entries[begin : begin + count], vector[first : first + count]
    sum_1, sum_2, sum_3, sum_4 = 0.0, 0.0, 0.0, 0.0
    for step in range(count // 4):
        at = 4 * step
        sum_1 += left[at] * right[at]
        sum_2 += left[at + 1] * right[at + 1]
        sum_3 += left[at + 2] * right[at + 2]
        sum_4 += left[at + 3] * right[at + 3]
    for at in range(count - count % 4, count):
        sum_1 += left[at] * right[at]
    return (sum_1 + sum_2) + (sum_3 + sum_4)


@called
def _subtract(
    entries: Floats, target: int, factors: int, sources: int, count: int, width: int, stride: int
) -> None:
    """Subtract from the row at `target` the sum of `count` rows, each times its factor."""
    # Views, because an index into them is known not to be negative, which vectorising needs.
    out = entries[target : target + width]
    step = 0
    while step < count:
        found, one, two, three, four = 0, 0, 0, 0, 0
        while step < count and found < 4:
            if entries[factors + step] != 0.0:  # half of them are zero
                one, two, three, four = two, three, four, step
                found += 1
            step += 1
        first = sources + four * stride
        factor_4 = entries[factors + four]
        row_4 = entries[first : first + width]
        if found == 4:
            factor_1, factor_2 = entries[factors + one], entries[factors + two]
            factor_3 = entries[factors + three]
            first = sources + one * stride
            row_1 = entries[first : first + width]
            first = sources + two * stride
            row_2 = entries[first : first + width]
            first = sources + three * stride
            row_3 = entries[first : first + width]
            for column in range(width):
                out[column] -= (
                    factor_1 * row_1[column]
                    + factor_2 * row_2[column]
                    + factor_3 * row_3[column]
                    + factor_4 * row_4[column]
                )
        else:
            for again in range(found):
                at = four if again == 0 else (three if again == 1 else two)
                factor = entries[factors + at]
                row = entries[sources + at * stride : sources + at * stride + width]
                for column in range(width):
                    out[column] -= factor * row[column]
