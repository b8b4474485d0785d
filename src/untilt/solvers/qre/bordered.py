"""Linear systems of a dissected game, with one border variable, by block elimination.

    ⎡ A₁          B₁ ⎤      A  inside a component
    ⎢     A₂      B₂ ⎥      B  component × root, to the right
    ⎢         …   …  ⎥      C  root × component, below
    ⎣ C₁  C₂  …   D  ⎦      D  root × root

The border (the path variable and its equation) is the root's last row and column. Components
know one another only through the root, so eliminating them first fills nothing in.
"""

from typing import NamedTuple

import numpy as np

from untilt.game.decision_tree import Variables
from untilt.game.dissection import Dissection
from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.kernel import kernel


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
    root_pivots: Offsets
    work: Floats
    root_work: Floats


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
        pivots=np.empty(total, dtype=np.int64),
        root_pivots=np.empty(width, dtype=np.int64),
        work=np.empty(total),
        root_work=np.empty(width),
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
    root = _root(dissection, matrix)
    for infoset in range(len(variables.player)):
        block, at = dissection.block[infoset], dissection.position[infoset]
        for variable in range(
            variables.first_variable[infoset], variables.first_variable[infoset + 1]
        ):
            if block < 0:
                root[at, width - 1] = column[variable]
                root[width - 1, at] = row[variable]
            else:
                _, right, below = _blocks(dissection, matrix, block)
                right[at, width - 1] = column[variable]
                below[width - 1, at] = row[variable]
            at += 1
    root[width - 1, width - 1] = corner


@kernel
def factorise(dissection: Dissection, matrix: BlockMatrix) -> None:
    """Replace the blocks by their factors; B becomes A⁻¹B."""
    width = dissection.num_root + 1
    root = _root(dissection, matrix)
    for block in range(len(dissection.size)):
        inside, right, below = _blocks(dissection, matrix, block)
        pivots = matrix.pivots[dissection.first[block] : dissection.first[block + 1]]
        _factorise_dense(inside, pivots)
        _solve_dense(inside, pivots, right)
        for row in range(width):
            target = root[row]
            for index in range(len(right)):
                factor = below[row, index]
                if factor != 0.0:
                    source = right[index]
                    for column in range(width):
                        target[column] -= factor * source[column]
    _factorise_dense(root, matrix.root_pivots)


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
    work, root_work = matrix.work, matrix.root_work
    _scatter(variables, dissection, vector, work, root_work, True)
    root_work[width - 1] = border
    for block in range(len(dissection.size)):
        inside, _, below = _blocks(dissection, matrix, block)
        begin, end = dissection.first[block], dissection.first[block + 1]
        _solve_vector(inside, matrix.pivots[begin:end], work[begin:end])
        for row in range(width):
            total = 0.0
            for index in range(end - begin):
                total += below[row, index] * work[begin + index]
            root_work[row] -= total
    root = _root(dissection, matrix)
    _solve_vector(root, matrix.root_pivots, root_work)
    for block in range(len(dissection.size)):
        _, right, _ = _blocks(dissection, matrix, block)
        begin = dissection.first[block]
        for index in range(len(right)):
            total = 0.0
            for column in range(width):
                total += right[index, column] * root_work[column]
            work[begin + index] -= total
    _scatter(variables, dissection, vector, work, root_work, False)
    return float(root_work[width - 1])


@kernel
def _blocks(
    dissection: Dissection, matrix: BlockMatrix, block: int
) -> tuple[Floats, Floats, Floats]:
    width = dissection.num_root + 1
    size = dissection.size[block]
    entries = matrix.entries
    inside = entries[matrix.first_inside[block] : matrix.first_inside[block + 1]]
    right = entries[matrix.first_right[block] : matrix.first_right[block + 1]]
    below = entries[matrix.first_below[block] : matrix.first_below[block + 1]]
    return (
        inside.reshape((size, size)),
        right.reshape((size, width)),
        below.reshape((width, size)),
    )


@kernel
def _root(dissection: Dissection, matrix: BlockMatrix) -> Floats:
    width = dissection.num_root + 1
    return matrix.entries[matrix.first_below[-1] :].reshape((width, width))


@kernel
def _scatter(
    variables: Variables,
    dissection: Dissection,
    vector: Floats,
    work: Floats,
    root_work: Floats,
    is_forth: bool,
) -> None:
    """Copy `vector` into the blocks' order, or back."""
    for infoset in range(len(variables.player)):
        block, at = dissection.block[infoset], dissection.position[infoset]
        if block >= 0:
            at += dissection.first[block]
        target = root_work if block < 0 else work
        for variable in range(
            variables.first_variable[infoset], variables.first_variable[infoset + 1]
        ):
            if is_forth:
                target[at] = vector[variable]
            else:
                vector[variable] = target[at]
            at += 1


@kernel
def _factorise_dense(matrix: Floats, pivots: Offsets) -> None:
    """LU with partial pivoting, in place."""
    n = len(matrix)
    for step in range(n):
        pivot = step
        for row in range(step + 1, n):
            if abs(matrix[row, step]) > abs(matrix[pivot, step]):
                pivot = row
        pivots[step] = pivot
        if pivot != step:
            for column in range(n):
                swap = matrix[step, column]
                matrix[step, column] = matrix[pivot, column]
                matrix[pivot, column] = swap
        source = matrix[step]
        inverse = 1.0 / source[step]
        for row in range(step + 1, n):
            target = matrix[row]
            factor = target[step] * inverse
            target[step] = factor
            if factor != 0.0:
                for column in range(step + 1, n):
                    target[column] -= factor * source[column]


@kernel
def _solve_dense(factors: Floats, pivots: Offsets, columns: Floats) -> None:
    """Solve for several right-hand sides, the columns of `columns`, in place."""
    n, width = columns.shape
    for step in range(n):
        pivot = pivots[step]
        if pivot != step:
            for column in range(width):
                swap = columns[step, column]
                columns[step, column] = columns[pivot, column]
                columns[pivot, column] = swap
    for row in range(n):
        target = columns[row]
        for step in range(row):
            factor = factors[row, step]
            if factor != 0.0:
                source = columns[step]
                for column in range(width):
                    target[column] -= factor * source[column]
    for distance in range(1, n + 1):
        row = n - distance
        target = columns[row]
        for step in range(row + 1, n):
            factor = factors[row, step]
            if factor != 0.0:
                source = columns[step]
                for column in range(width):
                    target[column] -= factor * source[column]
        inverse = 1.0 / factors[row, row]
        for column in range(width):
            target[column] *= inverse


@kernel
def _solve_vector(factors: Floats, pivots: Offsets, vector: Floats) -> None:
    """Solve for one right-hand side, in place."""
    n = len(vector)
    for step in range(n):
        swap = vector[step]
        vector[step] = vector[pivots[step]]
        vector[pivots[step]] = swap
    for row in range(n):
        coefficients = factors[row]
        total = vector[row]
        for step in range(row):
            total -= coefficients[step] * vector[step]
        vector[row] = total
    for distance in range(1, n + 1):
        row = n - distance
        coefficients = factors[row]
        total = vector[row]
        for step in range(row + 1, n):
            total -= coefficients[step] * vector[step]
        vector[row] = total / coefficients[row]
