"""The branch of games whose dense blocks would not fit into memory: sparse LU, by SuperLU.

A game that does not split below its first decisions (liar's dice: every bid can follow every
lower one) would be one dense block. Its Jacobian still couples only pairs of infosets in which one
can follow the other, so it is kept in compressed rows and factorised with the border. The path is
followed as in `arclength.py`, but in Python: a factorisation takes far longer than the steps around
it. All points are converged to the tolerance. The eigenvalues of G⁻¹ G', for the bordered matrices
at the ends of a step, show whether it jumped: a negative one would mean a singular matrix between
them (as in `arclength.py`).
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.kernel import allocates, inlined, kernel
from untilt.solvers.qre.branches.branch import REACHED, STALLED, TOO_MANY_POINTS, Branch, turns
from untilt.solvers.qre.decision_tree import Decisions, Variables
from untilt.solvers.qre.response import (
    EX_ANTE,
    Response,
    add_value_path,
    add_weight_path,
    fill_residual,
    respond,
)
from untilt.solvers.qre.system import System

if TYPE_CHECKING:
    from scipy.sparse import csc_array

Solve = Callable[[Floats], Floats]
"""A factorised matrix as a function of the right-hand side."""

_FIRST_STEP = 0.05
_LEAST_STEP = 1e-8
_GOAL_CORRECTION = 0.15
_MAX_CORRECTION = 0.6
_MAX_DEVIATION, _MAX_BEND = 0.5, 1.2
"""How far from its prediction a step may end, as a share of its length; how far the tangent may
turn, as 1 / cosine."""
_LEAST_MODE = 0.1
"""The least share of every mode of the bordered matrix that a step must leave."""
_BIFURCATION, _LEAST_PEAK = 1e-6, 1e-4
"""As in `arclength.py`."""
_FEW = 16
"""Up to this size all eigenvalues are computed."""
_MAX_NEWTON = 25


class InfosetRows(NamedTuple):
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


def new_layout(decisions: Decisions, variables: Variables) -> tuple[InfosetRows, Offsets, Offsets]:
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
    layout = InfosetRows(
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
    """The state of the path: log-odds, t = log(1 + β), tangent and length of the next step."""

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
        self._bordered = self._matrix(0.0, np.zeros_like(self.log_odds), 1.0)
        self._solve = self._factorised(self._bordered)
        self._tangent, self._rise, _ = self._ahead(self.log_odds, self._solve)

    def step(self, goal: float) -> bool:
        """Try one step, at most to `goal`; return False if a shorter one must be tried."""
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
        predicted = log_odds
        first = 0.0
        for attempt in range(_MAX_NEWTON):
            residual = self._residual(log_odds, ahead)
            matrix = self._matrix(ahead, row, corner)
            solve = self._factorised(matrix)
            correction = solve(np.append(-residual, 0.0))
            size = float(np.max(np.abs(correction[:-1]) / (1.0 + np.abs(log_odds))))
            first = size if attempt == 0 else first
            if not size < 1e100 or (attempt == 0 and size > _MAX_CORRECTION):
                break
            log_odds = log_odds + correction[:-1]
            ahead += float(correction[-1])
            if size <= self._tolerance:
                deviation = float(np.sqrt(weights @ (log_odds - predicted) ** 2))
                if deviation > _MAX_DEVIATION * abs(length):
                    break
                if not self._accepts(log_odds, ahead, matrix, solve, length, goal, is_last):
                    break
                self.last_correction = size
                self.log_odds, self.position = log_odds, goal if is_last else ahead
                self._bordered, self._solve = matrix, solve
                self.length = abs(length) * min(
                    2.0, max(0.5, math.sqrt(_GOAL_CORRECTION / (first + 1e-12)))
                )
                return True
        self.length = 0.5 * abs(length)
        return False

    def _accepts(
        self,
        log_odds: Floats,
        ahead: float,
        matrix: "csc_array",
        solve: Solve,
        length: float,
        goal: float,
        is_last: bool,
    ) -> bool:
        """Whether a step ended on the same part of the path; if so, sets the tangent."""
        if abs(length) >= _BIFURCATION and self._turns_singular(matrix):
            return False
        tangent, rise, norm = self._ahead(log_odds, solve)
        if not is_last and norm > _MAX_BEND:
            return False
        if not is_last and self._rise > 0.0 > rise and length > _LEAST_PEAK:
            # A fold: the path stays below where its tangents meet, and must not miss the goal.
            along = (ahead - self.position - length * rise) / (self._rise - rise)
            if max(self.position, ahead) < goal <= self.position + self._rise * along:
                return False
        self._tangent, self._rise = tangent, rise
        return True

    def _turns_singular(self, matrix: "csc_array") -> bool:
        """Whether the bordered matrix becomes singular between the last point and this one."""
        from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigs

        size = len(self.log_odds) + 1
        old_row = self._bordered[[-1], :]

        def ratio(vector: Floats) -> Floats:
            product = matrix @ vector
            product[-1] = (old_row @ vector)[0]  # the same border for both
            return self._solve(product)

        if size <= _FEW:
            found = np.linalg.eigvals(np.array([ratio(unit) for unit in np.eye(size)]).T)
        else:
            operator = LinearOperator((size, size), matvec=ratio, dtype=np.float64)
            start = np.cos(np.arange(size) * 2.4)  # any vector will do, but always the same
            try:
                found = eigs(operator, 2, which="SR", v0=start, tol=0.01, return_eigenvectors=False)
            except ArpackNoConvergence as error:
                found = error.eigenvalues
            except ArpackError:
                return True
        return not (len(found) and float(found.real.min()) > _LEAST_MODE)

    def _ahead(self, log_odds: Floats, solve: Solve) -> tuple[Floats, float, float]:
        """Return the tangent, oriented along the last one, and its length before normalising."""
        direction = solve(np.append(np.zeros(len(log_odds)), 1.0))
        scaled = direction[:-1] / (1.0 + np.abs(log_odds))
        rise = float(direction[-1])
        norm = math.sqrt(rise * rise + 4.0 / len(scaled) * float(scaled @ scaled))
        return direction[:-1] / norm, rise / norm, norm

    def _respond(self, log_odds: Floats) -> None:
        system = self._system
        respond(system.decisions, system.variables, system.definition, log_odds, system.response)

    def _betas(self, position: float) -> tuple[float, ...]:
        beta = math.expm1(position)
        return tuple(beta * share for share in self._system.scale)

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

    def _matrix(self, position: float, row: Floats, corner: float) -> "csc_array":
        """Return the bordered Jacobian where `_respond` was called last."""
        from scipy.sparse import block_array, csr_array

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
        return block_array([[jacobian, column], [border, last]], format="csc")

    def _factorised(self, matrix: "csc_array") -> Solve:
        from scipy.sparse.linalg import splu

        self.num_factorisations += 1
        solve: Solve = splu(matrix).solve
        return solve


@kernel
@allocates
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
    layout: InfosetRows,
    definition: int,
    betas: tuple[float, ...],
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
def _place(layout: InfosetRows, row: int, column: int) -> tuple[int, int]:
    """Return where the part (row infoset, column infoset) begins, and its row stride."""
    low, high = layout.first_pair[row], layout.first_pair[row + 1] - 1
    while low < high:
        middle = (low + high) // 2
        if layout.coupled[middle] < column:
            low = middle + 1
        else:
            high = middle
    return layout.begin[row] + layout.offset[low], layout.width[row]
