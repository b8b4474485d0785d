"""A game's quantal response equations, with their work arrays."""

from typing import NamedTuple

import numpy as np

from untilt.numeric.arrays import Floats
from untilt.solvers.qre.branches.bordered import BlockMatrix, new_matrix, num_entries
from untilt.solvers.qre.branches.dissection import Dissection, no_dissection
from untilt.solvers.qre.decision_tree import Decisions, Variables
from untilt.solvers.qre.response import Response, new_response

MAX_ENTRIES = 2 * 10**8
"""Elements of dense blocks that a system may have: 1.6 GB, and the same for a copy."""


class System(NamedTuple):
    """A game's equations under one definition, with their work arrays."""

    decisions: Decisions
    variables: Variables
    dissection: Dissection
    response: Response
    matrix: BlockMatrix
    spare: BlockMatrix
    """A second matrix, which keeps a point's factors while the next point is searched."""
    definition: int
    scale: tuple[float, ...]
    """β_p = scale_p × β: the path keeps the players' ratio."""
    betas: Floats
    """[players] scratch: each player's β at the present point."""

    @property
    def is_sparse(self) -> bool:
        """Whether the blocks would be too large; `matrix` is then only a placeholder."""
        return self.dissection.num_root + int(self.dissection.first[-1]) == 0


def new_system(
    decisions: Decisions,
    variables: Variables,
    dissection: Dissection,
    definition: int,
    scale: tuple[float, ...] = (1.0, 1.0),
) -> System:
    """Return the system with its working arrays.

    Where the blocks of the dissection would exceed MAX_ENTRIES, the system is sparse.
    """
    if num_entries(dissection) > MAX_ENTRIES:
        dissection = no_dissection(variables)
    return System(
        decisions,
        variables,
        dissection,
        new_response(decisions, variables),
        new_matrix(dissection),
        new_matrix(dissection),
        definition,
        scale,
        np.zeros(len(scale)),
    )
