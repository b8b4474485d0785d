"""Newton's step towards a dilated equilibrium at fixed β, by conjugate gradients.

With u₀ = A y and u₁ = −Aᵀx as unknowns and S_p = ∂x_p/∂u_p (symmetric, positive semidefinite:
β × covariance of plans), Newton's step reduces to player 1's part,

    (I + Aᵀ S₀ A S₁) d = b,

self-adjoint in the inner product ⟨·, S₁ ·⟩ and at least the identity: conjugate gradients without
a matrix. One of their steps sweeps the operator and each treeplex twice, like a CFR iteration.
"""

import numpy as np

from untilt.game.sequence.sequence_form import Side
from untilt.game.sequence.sweeps import apply_payoff
from untilt.numeric.arrays import Floats
from untilt.numeric.kernel import allocates, called, kernel
from untilt.solvers.qre.soft.soft_response import Soft, apply_covariance, respond_softly

_LINEAR_RELATIVE = 1e-8
"""Conjugate gradients reduce the residual by this much. A looser reduction loses the path, on Leduc
near β = 220 with 1e-2 and near 3,600 with 1e-4: large eigenvalues, about (β × payoff)², hide
errors along small ones."""
_MAX_LINEAR_STEPS = 2_000


@kernel
@allocates
def newton_step(
    sides: tuple[Side, Side],
    beta_0: float,
    beta_1: float,
    gains: tuple[Floats, Floats],
    softs: tuple[Soft, Soft],
    steps: tuple[Floats, Floats],
    wanted: float,
) -> tuple[float, float, int]:
    """Set `steps` to Newton's correction of `gains`; fill `softs`.

    The linear system is solved until its residual, in log-odds, is at most `wanted`, or reduced
    by `_LINEAR_RELATIVE`. Returns the residual and the correction, both as
    max |dz| / (1 + |z|), and the number of linear steps.
    """
    answer_both(sides, beta_0, beta_1, gains, softs)
    apply_both(sides, softs, steps)
    for player in range(2):
        for sequence in range(len(steps[player])):
            steps[player][sequence] -= gains[player][sequence]
    num_0, num_1 = len(gains[0]), len(gains[1])
    shifts_0, moved_0 = np.empty(num_0), np.empty(num_0)
    shifts_1, moved_1 = np.empty(num_1), np.empty(num_1)
    # Eliminate player 0: d₀ = r₀ + A S₁ d₁, so that (I + AᵀS₀AS₁) d₁ = r₁ − AᵀS₀r₀.
    first = apply_covariance(sides[0], beta_0, softs[0], steps[0], shifts_0, moved_0)
    second = apply_covariance(sides[1], beta_1, softs[1], steps[1], shifts_1, moved_1)
    right = np.empty(num_1)
    apply_payoff(sides[1], sides[1].payoff, moved_0, right)
    for sequence in range(num_1):
        right[sequence] += steps[1][sequence]
    count = solve_linear(
        sides, beta_0, beta_1, softs, right, steps[1], steps[0], wanted, _LINEAR_RELATIVE
    )
    size_0 = apply_covariance(sides[0], beta_0, softs[0], steps[0], shifts_0, moved_0)
    size_1 = apply_covariance(sides[1], beta_1, softs[1], steps[1], shifts_1, moved_1)
    return max(first, second), max(size_0, size_1), count


@kernel
def apply_newton_matrix(
    sides: tuple[Side, Side],
    beta_0: float,
    softs: tuple[Soft, Soft],
    vector: Floats,
    moved: Floats,
    along: Floats,
    scratch: tuple[Floats, Floats],
    out: Floats,
) -> None:
    """Set out = (I + AᵀS₀AS₁) vector, given moved = S₁ vector, and along = A × moved."""
    apply_payoff(sides[0], sides[0].payoff, moved, along)
    apply_covariance(sides[0], beta_0, softs[0], along, scratch[0], scratch[1])
    apply_payoff(sides[1], sides[1].payoff, scratch[1], out)  # player 1's operator is −Aᵀ
    for sequence in range(len(out)):
        out[sequence] = vector[sequence] - out[sequence]


@called
@allocates
def solve_linear(
    sides: tuple[Side, Side],
    beta_0: float,
    beta_1: float,
    softs: tuple[Soft, Soft],
    right: Floats,
    solution: Floats,
    along: Floats,
    wanted: float,
    relative: float,
) -> int:
    """Solve (I + AᵀS₀AS₁) × solution = right by conjugate gradients; return the number of steps.

    `solution` is overwritten; A S₁ × solution is added to `along`. The residual's norm is that of
    the inner product ⟨·, S₁ ·⟩, which does not see sequences that are never played.
    """
    num_0, num_1 = len(along), len(right)
    residual, direction = np.empty(num_1), np.empty(num_1)
    moved, moved_direction = np.empty(num_1), np.empty(num_1)
    shifts, image = np.empty(num_1), np.empty(num_1)
    along_direction = np.empty(num_0)
    scratch = (np.empty(num_0), np.empty(num_0))
    size = apply_covariance(sides[1], beta_1, softs[1], right, shifts, moved)
    norm = 0.0
    for sequence in range(num_1):
        residual[sequence] = right[sequence]
        direction[sequence] = right[sequence]
        moved_direction[sequence] = moved[sequence]
        solution[sequence] = 0.0
        norm += right[sequence] * moved[sequence]
    enough = norm * relative * relative
    count = 0
    while size > wanted and norm > enough and count < _MAX_LINEAR_STEPS:
        apply_newton_matrix(
            sides, beta_0, softs, direction, moved_direction, along_direction, scratch, image
        )
        curvature = 0.0
        for sequence in range(num_1):
            curvature += moved_direction[sequence] * image[sequence]
        length = norm / curvature
        for sequence in range(num_1):
            solution[sequence] += length * direction[sequence]
            residual[sequence] -= length * image[sequence]
        for sequence in range(num_0):
            along[sequence] += length * along_direction[sequence]
        size = apply_covariance(sides[1], beta_1, softs[1], residual, shifts, moved)
        previous = norm
        norm = 0.0
        for sequence in range(num_1):
            norm += residual[sequence] * moved[sequence]
        turn = norm / previous
        for sequence in range(num_1):
            direction[sequence] = residual[sequence] + turn * direction[sequence]
            moved_direction[sequence] = moved[sequence] + turn * moved_direction[sequence]
        count += 1
    # One fixed-point step: exact for sequences that are never played, which the norm ignores,
    # and no worse than the residual for the others.
    for sequence in range(num_1):
        solution[sequence] += residual[sequence]
    return count


@kernel
def answer_both(
    sides: tuple[Side, Side],
    beta_0: float,
    beta_1: float,
    gains: tuple[Floats, Floats],
    softs: tuple[Soft, Soft],
) -> None:
    """Fill `softs` with both players' soft best responses to `gains`."""
    respond_softly(sides[0], beta_0, gains[0], softs[0])
    respond_softly(sides[1], beta_1, gains[1], softs[1])


@kernel
def apply_both(
    sides: tuple[Side, Side], softs: tuple[Soft, Soft], out: tuple[Floats, Floats]
) -> None:
    """Set `out` to what each player's sequences gain against the other's plan."""
    apply_payoff(sides[0], sides[0].payoff, softs[1].plan, out[0])
    apply_payoff(sides[1], sides[1].payoff, softs[0].plan, out[1])
