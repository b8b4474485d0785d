"""The components of a game below its first decisions, for linear algebra without fill-in.

A Jacobian over infosets couples only pairs in which one can follow the other. So the infosets of
the first levels form a root, and the rest splits into components that are coupled only through the
root. Levels are counted in decisions or in chance moves, and cut where elimination costs least.
"""

from typing import NamedTuple

import numpy as np

from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.kernel import allocates, fused, kernel
from untilt.solvers.qre.decision_tree import Decisions, Variables

ROOT = -1
"""In `Dissection.block`: the infoset belongs to the root."""


class Dissection(NamedTuple):
    """Root and components; sizes count variables. B components, I infosets."""

    block: Offsets
    """[I] the infoset's component, or ROOT."""
    position: Offsets
    """[I] where its variables begin within the block."""
    size: Offsets
    """[B]"""
    first: Offsets
    """[B + 1] where a component begins in an array over all of them."""
    order: Offsets
    """[V] the variable at each place: components one after another, then the root."""
    num_root: int

    @property
    def flops(self) -> float:
        """Multiplications and additions of one elimination with one border variable."""
        return _flops(self.size.astype(np.float64), self.num_root)


def dissect(decisions: Decisions, variables: Variables) -> Dissection:
    """Return the dissection with the least work; everything in the root if nothing splits."""
    num_infosets = len(variables.player)
    sizes = np.diff(variables.first_variable)
    best, least = undivided(variables), np.inf
    for levels_of_node in (decisions.depth, decisions.stage):
        level = np.full(num_infosets, np.iinfo(np.int64).max)
        np.minimum.at(level, decisions.infoset, levels_of_node)
        for cut in np.unique(np.append(level, level.max() + 1)):
            component = _components(decisions, level, int(cut))
            below = level >= cut
            total = np.bincount(component[below], sizes[below], minlength=num_infosets)
            flops = _flops(total[total > 0].astype(np.float64), int(sizes[~below].sum()))
            if flops < least:
                least = flops
                best = _numbered(np.where(below, component, ROOT), sizes)
    return best


def undivided(variables: Variables) -> Dissection:
    """Return the trivial dissection: one dense block."""
    sizes = np.diff(variables.first_variable)
    return _numbered(np.full(len(sizes), ROOT), sizes)


def no_dissection(variables: Variables) -> Dissection:
    """Return a stand-in without any variable, for systems that are not solved by blocks."""
    num_infosets = len(variables.player)
    return _numbered(np.full(num_infosets, ROOT), np.zeros(num_infosets, dtype=np.int64))


def _flops(sizes: Floats, num_root: int) -> float:
    border = num_root + 1
    inside = 2 / 3 * sizes**3 + 2 * sizes**2 * border + 2 * sizes * border**2
    return float(inside.sum()) + 2 / 3 * border**3


def _numbered(component: Offsets, sizes: Offsets) -> Dissection:
    """Return the dissection whose components carry arbitrary numbers, ROOT the root."""
    names, block = np.unique(component, return_inverse=True)
    if len(names) and names[0] == ROOT:
        block = block - 1
    num_blocks = int(block.max()) + 1 if len(block) else 0
    position = np.zeros(len(block), dtype=np.int64)
    size = np.zeros(num_blocks + 1, dtype=np.int64)  # the last one is the root's
    for infoset, owner in enumerate(block.tolist()):
        position[infoset] = size[owner]
        size[owner] += sizes[infoset]
    first = np.concatenate(([0], np.cumsum(size[:-1]))).astype(np.int64)
    # For block −1, the root, `first[block]` is the last entry: where the components end.
    place = np.repeat(first[block] + position - (np.cumsum(sizes) - sizes), sizes)
    place += np.arange(len(place))
    return Dissection(
        block=block.astype(np.int64),
        position=position,
        size=size[:-1],
        first=first,
        order=np.argsort(place),
        num_root=int(size[-1]),
    )


@kernel
@allocates
def _components(decisions: Decisions, level: Offsets, cut: int) -> Offsets:
    """Return a representative per infoset; equal ones belong together below the cut."""
    parent = np.arange(len(level))
    for node in range(len(decisions.parent)):
        below = decisions.infoset[node]
        if level[below] < cut:
            continue
        ancestor = decisions.parent[node]
        while ancestor >= 0:
            above = decisions.infoset[ancestor]
            if level[above] >= cut:
                parent[_find(parent, below)] = _find(parent, above)
            ancestor = decisions.parent[ancestor]
    for infoset in range(len(level)):
        parent[infoset] = _find(parent, infoset)
    return parent


@fused
def _find(parent: Offsets, element: int) -> int:
    while parent[element] != element:
        parent[element] = parent[parent[element]]
        element = parent[element]
    return element
