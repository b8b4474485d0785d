"""A check whether the bordered matrix of a path becomes singular between two of its points.

On a smooth path it never does; between two parts of the solutions that a step can confuse, it
does. `arclength.py` tests this before it accepts a point.
"""

import math

from untilt.numeric.kernel import called, inlined
from untilt.solvers.qre.branches.bordered import BlockMatrix, multiply, solve_in_place
from untilt.solvers.qre.branches.path_state import PathState
from untilt.solvers.qre.system import System

_MAX_CHANGE, _MAX_GROWTH = 0.9, 10.0
"""How much of a mode of the bordered matrix a step may take away (1: all, it is singular), and
how much it may add."""
_NUM_PROBES, _CALM, _HARMLESS = 5, 0.45, 0.8
"""Power iterations to find that out; the changes below which two of them, or three, are enough."""
_LEAST_SHARE = 0.6
"""How far growth with β is offset; with less, modes that do not change would hide others."""
_GOLDEN = 0.6180339887498949


@called
def turns_singular(
    system: System,
    state: PathState,
    factors: BlockMatrix,
    matrix: BlockMatrix,
    growth: float,
    count: int,
) -> bool:
    """Whether the bordered matrix seems to become singular between the last point and `matrix`.

    On the straight line from G, given by its `factors`, to G' it does if G⁻¹ G' has a negative
    eigenvalue, so that E = 1 − c G⁻¹ G' has one above 1, for any c > 0. Here c compensates for
    what grows with β, by the factor `growth` from one to the other. Power iteration finds the
    largest, starting from the final vector of the last step plus a small multiple of all modes.
    If the largest is negative, E is shifted so that positive ones dominate.
    """
    variables, dissection = system.variables, system.dissection
    border, probe, weights, image = state.border, state.probe, state.weights, state.image
    place = state.place[0]
    num_variables = len(probe)
    share = max(_LEAST_SHARE, min(1.0, 1.0 / growth))
    last, moved, size, along, shift = 0.0, 0.0, 0.0, 0.0, 0.0
    for variable in range(num_variables):
        scale = 1.0 + abs(state.log_odds[variable])
        weights[variable] = 4.0 / (num_variables * scale * scale)
        image[variable] = probe[variable] + _scattered(variable + 7 * count) * scale
        size += weights[variable] * image[variable] * image[variable]
    for turn in range(_NUM_PROBES):
        inverse = 1.0 / math.sqrt(size)
        last = moved * inverse
        across = place.corner * last
        for variable in range(num_variables):
            probe[variable] = image[variable] * inverse
            across += border[variable] * probe[variable]
        multiply(dissection, matrix, probe, last, image)
        moved = solve_in_place(variables, dissection, factors, image, across)
        moved = (1.0 + shift) * last - share * moved
        size, along = moved * moved, moved * last
        for variable in range(num_variables):
            image[variable] = (1.0 + shift) * probe[variable] - share * image[variable]
            size += weights[variable] * image[variable] * image[variable]
            along += weights[variable] * image[variable] * probe[variable]
        if turn == 0 or shift > 0.0:
            continue
        if size < (_CALM * _CALM if turn == 1 else _HARMLESS * _HARMLESS):
            place.amplification /= 1.0 - math.sqrt(size)
            return False
        if turn == 1:
            continue
        if along < 0.0:
            shift = math.sqrt(size)
            if not shift <= _MAX_GROWTH:
                return True
            moved += shift * last
            size = moved * moved
            for variable in range(num_variables):
                image[variable] += shift * probe[variable]
                size += weights[variable] * image[variable] * image[variable]
    place.amplification /= 1.0 - _MAX_CHANGE
    return along > 0.0 and not math.sqrt(size) - shift <= _MAX_CHANGE


@called
def amplification_of(system: System, state: PathState, factors: BlockMatrix, count: int) -> float:
    """Estimate how much the inverse can enlarge a vector, by inverse iteration.

    One step, from the final vector of the last point.
    """
    weak, image, num_variables = state.weak, state.image, len(state.image)
    before, after = 0.0, 0.0
    for variable in range(num_variables):
        scale = 1.0 + abs(state.log_odds[variable])
        image[variable] = weak[variable] + 0.5 * _scattered(variable + 7 * count) * scale
        before += (image[variable] / scale) ** 2
    solve_in_place(system.variables, system.dissection, factors, image, 0.0)
    for variable in range(num_variables):
        after += (image[variable] / (1.0 + abs(state.log_odds[variable]))) ** 2
    norm = math.sqrt(after * 4.0 / num_variables)
    for variable in range(num_variables):
        weak[variable] = image[variable] / norm
    return math.sqrt(after / before)


@inlined
def _scattered(index: int) -> float:
    """Return term `index` of an equidistributed sequence in (−½, ½), to include all directions."""
    part = (index + 1) * _GOLDEN
    return part - math.floor(part) - 0.5
