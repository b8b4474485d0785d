"""A check that histories read from a file could have been made by sampling.

Kernels follow them without checks: a child before its parent would be a cycle, an extra level
would be outside the workspace, and the search for an outcome ends at the last sibling only
because that one is marked.
"""

import numpy as np

from untilt.game.histories.walking import DEFAULT_MAX_DEPTH
from untilt.numeric.arrays import AnyArray, Offsets
from untilt.solvers.mccfr.histories import CHANCE, DEALT, KIND, Histories

_LAST = 2.0
"""The value of `cumulative` at the last sibling, and wherever nothing is drawn."""
_TOLERANCE = 1e-6
_PLAYERS_FIRST, _OTHER_KINDS = 2, DEALT - CHANCE + 1
"""Files name the kinds of nodes as they did when there were two players: 0 and 1 for their
decisions, then CHANCE to DEALT, and only then the decisions of players 2, 3, …"""


def saved_nodes(nodes: AnyArray) -> AnyArray:
    """Return nodes as files have them: with other numbers for kinds, see `_PLAYERS_FIRST`."""
    saved = nodes.copy()
    kinds = nodes[:, KIND]
    saved[:, KIND] = np.where(kinds < CHANCE, kinds, kinds - CHANCE + _PLAYERS_FIRST)
    saved[(kinds >= _PLAYERS_FIRST) & (kinds < CHANCE), KIND] += _OTHER_KINDS
    return saved


def restored_nodes(saved: AnyArray) -> AnyArray:
    """Return the nodes of `saved_nodes`."""
    nodes = saved.copy()
    kinds = saved[:, KIND]
    is_other = (kinds >= _PLAYERS_FIRST) & (kinds < _PLAYERS_FIRST + _OTHER_KINDS)
    nodes[is_other, KIND] += CHANCE - _PLAYERS_FIRST
    nodes[kinds >= _PLAYERS_FIRST + _OTHER_KINDS, KIND] -= _OTHER_KINDS
    return nodes


def are_sound(
    histories: Histories,
    depths: Offsets,
    entries: Offsets,
    first_entry: AnyArray,
    player_of_infoset: Offsets,
) -> bool:
    """Return whether N histories fit together and belong to these infosets.

    `depths` int64[N] counts moves, `entries` int64[N, players] is each player's last own entry of
    the store, whose blocks begin at `first_entry`.
    """
    size = len(histories.parent)
    kind, first, count, infoset = histories.nodes.T.astype(np.int64)
    parent = histories.parent.astype(np.int64)
    numbers = np.arange(size)
    if not size or parent[0] != 0 or np.any(parent[1:] >= numbers[1:]) or np.any(kind > DEALT):
        return False
    decides, is_open = kind < CHANCE, kind <= CHANCE
    if np.any(infoset[decides] >= len(player_of_infoset)) or np.any(infoset[~decides]):
        return False
    if np.any(player_of_infoset[infoset[decides]] != kind[decides]):
        return False
    sizes = np.diff(first_entry[: len(player_of_infoset) + 1].astype(np.int64))
    if np.any(count[decides] != sizes[infoset[decides]]) or np.any(count[kind == CHANCE] < 1):
        return False
    if np.any(first[~is_open]) or np.any(count[~is_open]):
        return False
    if np.any(first[is_open] <= numbers[is_open]) or np.any((first + count)[is_open] > size):
        return False
    if count.sum() > size:  # otherwise the checks below could take too much memory
        return False
    # The children of each node name it as their parent, so they belong to no other node.
    owner = np.repeat(numbers, count)
    ordinal = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    child = first[owner] + ordinal
    if not np.array_equal(parent[child], owner):
        return False
    # All others were dealt by the game, which lists no outcomes.
    is_listed = np.zeros(size, dtype=np.bool_)
    is_listed[child] = True
    if np.any(kind[parent[1:][~is_listed[1:]]] != DEALT) or is_listed[0]:
        return False
    if depths[0] or np.any(depths[1:] != depths[parent[1:]] + 1):
        return False
    if np.any(depths > DEFAULT_MAX_DEPTH + 1):
        return False
    return _are_entries(entries, kind, infoset, parent, child, ordinal, first_entry) and (
        _are_chances(histories, kind, owner, child, ordinal, count)
    )


def _are_entries(
    entries: Offsets,
    kind: Offsets,
    infoset: Offsets,
    parent: Offsets,
    child: Offsets,
    ordinal: Offsets,
    first_entry: AnyArray,
) -> bool:
    """Whether each node has the entries of its parent, except for the move that leads to it."""
    expected = entries[parent].copy()
    expected[0] = 0
    before = parent[child]
    for player in range(entries.shape[1]):
        moved = kind[before] == player
        begin = first_entry[infoset[before[moved]]].astype(np.int64)
        expected[child[moved], player] = begin + ordinal[moved]
    return np.array_equal(entries, expected)


def _are_chances(
    histories: Histories,
    kind: Offsets,
    owner: Offsets,
    child: Offsets,
    ordinal: Offsets,
    count: Offsets,
) -> bool:
    """Whether each chance node has valid probabilities, and cumulative ones that match them."""
    probability, cumulative = histories.probability, histories.cumulative
    after_chance = np.zeros(len(kind), dtype=np.bool_)
    is_chance = kind[owner] == CHANCE
    owner, child, ordinal = owner[is_chance], child[is_chance], ordinal[is_chance]
    after_chance[child] = True
    if np.any(probability[~after_chance] != 1.0) or np.any(cumulative[~after_chance] != _LAST):
        return False
    if np.any(probability[child] < 0.0) or np.any(probability[child] > 1.0 + _TOLERANCE):
        return False
    total = np.bincount(owner, probability[child], len(kind))[kind == CHANCE]
    if np.any(np.abs(total - 1.0) > _TOLERANCE):
        return False
    is_last = ordinal == count[owner] - 1
    if np.any(cumulative[child[is_last]] != _LAST):
        return False
    others = child[~is_last]
    before = np.where(ordinal[~is_last] > 0, cumulative[others - 1], 0.0)
    gaps = np.abs(cumulative[others] - before - probability[others])
    return not np.any(gaps > _TOLERANCE)
