"""The same branch where dense blocks would not fit into memory: sparse LU, by SuperLU.

A game that does not fall apart below its first decisions (liar's dice: every bid can follow every
lower one) would be one dense block. Its Jacobian still couples only infosets of which one can
follow the other, so it is kept in compressed rows and factorised with the border. The path is
followed like in `arclength.py`, step by step in Python: a factorisation takes far longer than
the steps around it. All points are converged to the tolerance.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from untilt.game.decision_tree import Decisions, Variables
from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.kernel import inlined, kernel
from untilt.solvers.qre.arclength import (
    REACHED,
    STALLED,
    TOO_MANY_POINTS,
    Branch,
    System,
    turns,
)
from untilt.solvers.qre.response import (
    EX_ANTE,
    Response,
    add_value_path,
    add_weight_path,
    fill_residual,
    respond,
)

Solve = Callable[[Floats], Floats]
"""A factorised matrix as a function of the right-hand side."""

_FIRST_STEP = 0.05
_LEAST_STEP = 1e-8
_GOAL_CORRECTION = 0.15
_MAX_CORRECTION = 0.6
_MAX_NEWTON = 25


class Layout(NamedTuple):
    """Compressed rows by infoset: all rows of an infoset have the same columns."""

    first_pair: Offsets
    """[I + 1] where an infoset's list of coupled infosets begins."""
    coupled: Offsets
    """[N] the coupled infosets, ascending."""
    offset: Offsets
    """[N] where their variables begin within a row."""
    begin: Offsets
    """[I] where the entries of an infoset's first row begin."""
    width: Offsets
    """[I] entries per row."""


def new_layout(decisions: Decisions, variables: Variables) -> tuple[Layout, Offsets, Offsets]:
    """Return the layout, with the row starts and the columns of the matrix."""
    num_infosets = len(variables.player)
    keys = np.unique(_couplings(decisions, num_infosets))
    row, coupled = keys // num_infosets, keys % num_infosets
    first_pair = np.searchsorted(row, np.arange(num_infosets + 1))
    sizes = np.diff(variables.first_variable)
    lengths = sizes[coupled]
    total = np.concatenate(([0], np.cumsum(lengths)))
    width = total[first_pair[1:]] - total[first_pair[:-1]]
    offset = total[:-1] - np.repeat(total[first_pair[:-1]], np.diff(first_pair))
    begin = np.concatenate(([0], np.cumsum(width * sizes)))[:-1]
    row_start = np.concatenate(([0], np.cumsum(np.repeat(width, sizes))))
    of_infoset = np.concatenate(
        [np.arange(*variables.first_variable[index : index + 2]) for index in coupled]
    )
    columns = np.concatenate(
        [
            np.tile(of_infoset[total[first_pair[i]] : total[first_pair[i + 1]]], sizes[i])
            for i in range(num_infosets)
        ]
    )
    layout = Layout(
        *(part.astype(np.int64) for part in (first_pair, coupled, offset, begin, width))
    )
    return layout, row_start.astype(np.int64), columns.astype(np.int64)


def trace_sparse(
    system: System, beta: float, *, tolerance: float = 1e-9, max_points: int = 20_000
) -> Branch:
    """Follow the principal branch from uniform play at β = 0 to `beta`, all points converged."""
    path = _Path(system, tolerance)
    goal = math.log1p(beta)
    betas, points = [0.0], [path.log_odds.copy()]
    ending = TOO_MANY_POINTS
    while len(betas) < max_points:
        if path.position == goal:
            ending = REACHED
            break
        if path.length < _LEAST_STEP:
            ending = STALLED
            break
        if path.step(goal):
            betas.append(beta if path.position == goal else math.expm1(path.position))
            points.append(path.log_odds.copy())
    return Branch(
        betas=np.array(betas),
        log_odds=np.array(points),
        folds=turns(np.array(betas)),
        ending=ending,
        num_factorisations=path.num_factorisations,
        num_corrections=path.num_factorisations,
        last_correction=path.last_correction,
    )


class _Path:
    """Where the path stands: log-odds, t = log(1 + β), the tangent and the next step's length."""

    def __init__(self, system: System, tolerance: float) -> None:
        self._system = system
        self._tolerance = tolerance
        self._layout, self._row_start, self._columns = new_layout(
            system.decisions, system.variables
        )
        self._entries = np.empty(len(self._columns))
        self.log_odds = np.zeros(system.variables.num_variables)
        self.position = 0.0
        self.length = _FIRST_STEP
        self.num_factorisations = 0
        self.last_correction = 0.0
        self._respond(self.log_odds)
        self._tangent, self._rise = self._normalised(-self._beta_derivative(1.0), 1.0)

    def step(self, goal: float) -> bool:
        """Try one step, to `goal` at most; False if it must be tried again, shorter."""
        is_last = self._rise > 0.0 and self.position + self.length * self._rise >= goal
        length = (goal - self.position) / self._rise if is_last else self.length
        ahead = goal if is_last else self.position + length * self._rise
        reach = length
        if self._rise > 0.3:  # log-odds grow like β
            reach = math.expm1(ahead - self.position) / self._rise
        log_odds = self.log_odds + reach * self._tangent
        weights = 4.0 / len(log_odds) / (1.0 + np.abs(self.log_odds)) ** 2
        row = np.zeros(len(log_odds)) if is_last else weights * self._tangent
        corner = 1.0 if is_last else self._rise
        first = 0.0
        for attempt in range(_MAX_NEWTON):
            residual = self._residual(log_odds, ahead)
            solve = self._factorised(ahead, row, corner)
            correction = solve(np.append(-residual, 0.0))
            size = float(np.max(np.abs(correction[:-1]) / (1.0 + np.abs(log_odds))))
            first = size if attempt == 0 else first
            if not size < 1e100 or (attempt == 0 and size > _MAX_CORRECTION):
                break
            log_odds = log_odds + correction[:-1]
            ahead += float(correction[-1])
            if size <= self._tolerance:
                self.last_correction = size
                self._accept(log_odds, goal if is_last else ahead, solve)
                self.length = length * min(
                    2.0, max(0.5, math.sqrt(_GOAL_CORRECTION / (first + 1e-12)))
                )
                return True
        self.length = 0.5 * length
        return False

    def _accept(self, log_odds: Floats, position: float, solve: Solve) -> None:
        self.log_odds, self.position = log_odds, position
        ahead = solve(np.append(np.zeros(len(log_odds)), 1.0))
        self._tangent, self._rise = self._normalised(ahead[:-1], float(ahead[-1]))

    def _normalised(self, direction: Floats, rise: float) -> tuple[Floats, float]:
        scaled = direction / (1.0 + np.abs(self.log_odds))
        norm = math.sqrt(rise * rise + 4.0 / len(direction) * float(scaled @ scaled))
        return direction / norm, rise / norm

    def _respond(self, log_odds: Floats) -> None:
        system = self._system
        respond(system.decisions, system.variables, system.definition, log_odds, system.response)

    def _betas(self, position: float) -> tuple[float, float]:
        beta = math.expm1(position)
        return beta * self._system.scale[0], beta * self._system.scale[1]

    def _residual(self, log_odds: Floats, position: float) -> Floats:
        system = self._system
        self._respond(log_odds)
        out = np.empty(len(log_odds))
        fill_residual(system.variables, log_odds, self._betas(position), system.response, out)
        return out

    def _beta_derivative(self, factor: float) -> Floats:
        variables = self._system.variables
        scale = np.array(self._system.scale)[variables.player] * -factor
        return np.repeat(scale, np.diff(variables.first_variable)) * self._system.response.advantage

    def _factorised(self, position: float, row: Floats, corner: float) -> Solve:
        from scipy.sparse import block_array, csr_array
        from scipy.sparse.linalg import splu

        system = self._system
        fill_sparse_jacobian(
            system.decisions,
            system.variables,
            self._layout,
            system.definition,
            self._betas(position),
            system.response,
            self._entries,
        )
        n = len(row)
        jacobian = csr_array((self._entries, self._columns, self._row_start), shape=(n, n))
        column = csr_array(self._beta_derivative(math.exp(position)).reshape(-1, 1))
        border = csr_array(row.reshape(1, -1))
        last = csr_array(np.array([[corner]]))
        matrix = block_array([[jacobian, column], [border, last]], format="csc")
        self.num_factorisations += 1
        solve: Solve = splu(matrix).solve
        return solve


@kernel
def _couplings(decisions: Decisions, num_infosets: int) -> Offsets:
    """Return row × I + column for every pair of infosets that the Jacobian couples, repeated."""
    count = num_infosets
    for node in range(len(decisions.parent)):
        count += 2 * decisions.depth[node]
    keys = np.empty(count, np.int64)
    for infoset in range(num_infosets):
        keys[infoset] = infoset * num_infosets + infoset
    at = num_infosets
    for node in range(len(decisions.parent)):
        ancestor = decisions.parent[node]
        while ancestor >= 0:
            above, below = decisions.infoset[ancestor], decisions.infoset[node]
            keys[at] = above * num_infosets + below
            keys[at + 1] = below * num_infosets + above
            at += 2
            ancestor = decisions.parent[ancestor]
    return keys


@kernel
def fill_sparse_jacobian(
    decisions: Decisions,
    variables: Variables,
    layout: Layout,
    definition: int,
    betas: tuple[float, float],
    response: Response,
    entries: Floats,
) -> None:
    """Set `entries` to ∂F/∂z in the order of `layout`, after `respond`."""
    for entry in range(len(entries)):
        entries[entry] = 0.0
    for infoset in range(len(variables.player)):
        begin, stride = _place(layout, infoset, infoset)
        count = variables.first_variable[infoset + 1] - variables.first_variable[infoset]
        for offset in range(count):
            entries[begin + offset * (stride + 1)] = 1.0
    for node in range(len(decisions.parent)):
        probability = decisions.chance[node]
        ancestor = decisions.parent[node]
        action = decisions.parent_action[node]
        while ancestor >= 0:
            above, below = decisions.infoset[ancestor], decisions.infoset[node]
            begin, stride = _place(layout, above, below)
            add_value_path(
                decisions, variables, betas, response, entries, begin, stride, node, ancestor,
                action, probability,
            )  # fmt: skip
            if definition == EX_ANTE or decisions.player[ancestor] != decisions.player[node]:
                begin, stride = _place(layout, below, above)
                add_weight_path(
                    decisions, variables, definition, betas, response, entries, begin, stride,
                    node, ancestor, action,
                )  # fmt: skip
            first = variables.first_action[above]
            probability *= response.behaviour[first + action] * decisions.chance[ancestor]
            action = decisions.parent_action[ancestor]
            ancestor = decisions.parent[ancestor]


@inlined
def _place(layout: Layout, row: int, column: int) -> tuple[int, int]:
    """Return where the part (row infoset, column infoset) begins, and its row stride."""
    low, high = layout.first_pair[row], layout.first_pair[row + 1] - 1
    while low < high:
        middle = (low + high) // 2
        if layout.coupled[middle] < column:
            low = middle + 1
        else:
            high = middle
    return layout.begin[row] + layout.offset[low], layout.width[row]
