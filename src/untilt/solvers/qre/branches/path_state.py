"""The state of a path of equilibria while it is followed."""

import math
from typing import NamedTuple

import numpy as np

from untilt.numeric.arrays import Floats, Records
from untilt.solvers.qre.system import System

_FIRST_STEP = 0.05

PLACE = np.dtype(
    (
        np.record,
        [
            ("t", np.float64),
            ("rise", np.float64),
            ("step", np.float64),
            ("correction", np.float64),
            ("careful_steps", np.float64),
            ("sign", np.float64),
            ("corner", np.float64),
            ("amplification", np.float64),
            ("num_factorisations", np.int64),
            ("num_corrections", np.int64),
            ("num_retreats", np.int64),
            ("after_bifurcation", np.int64),
            ("kept", np.int64),
        ],
    )
)
"""t and ṫ at the last point; the length of the next step; the size of the last Newton step; how
many careful steps remain; sign of the bordered determinant, corner of the last point's matrix,
and a bound on how much its inverse enlarges vectors. Factorisations, corrections and discarded
points so far; the first point after the last bifurcation; which of the two matrices holds the last
point's factors."""


class PathState(NamedTuple):
    """The last point of a path, and arrays to work in; all modified in place. V variables."""

    log_odds: Floats
    """[V] the last point"""
    tangent: Floats
    """[V] ż there"""
    place: Records
    """[1] of PLACE"""
    predicted: Floats
    """[V] the point that is being corrected"""
    row: Floats
    """[V] the plane across the path that corrections keep to"""
    correction: Floats
    """[V]"""
    column: Floats
    """[V] ∂F/∂t"""
    border: Floats
    """[V] the border row of the last point's matrix"""
    probe: Floats
    """[V] the direction in which the matrix was last seen to change most, without the border"""
    weak: Floats
    """[V] the direction that its inverse amplified most, without the border"""
    weights: Floats
    """[V] what squares of z count in the length of a vector"""
    image: Floats
    """[V]"""


def new_path_state(system: System) -> PathState:
    """Return the state at β = 0, in which the first step, of length 0, finds the tangent."""
    num_variables = system.variables.num_variables
    place = np.zeros(1, dtype=PLACE)
    place["rise"], place["step"], place["amplification"] = 1.0, _FIRST_STEP, math.inf
    return PathState(
        log_odds=np.zeros(num_variables),
        tangent=np.zeros(num_variables),
        place=place,
        predicted=np.zeros(num_variables),
        row=np.zeros(num_variables),
        correction=np.zeros(num_variables),
        column=np.zeros(num_variables),
        border=np.zeros(num_variables),
        probe=np.zeros(num_variables),
        weak=np.zeros(num_variables),
        weights=np.zeros(num_variables),
        image=np.zeros(num_variables),
    )
