"""What the server needs of `game.bin`: how large the game is, and the names of its infosets.

Payoffs and histories, most of the file, are checked and not kept. Playing reads them, see
`untilt.play`.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from untilt.dashboard.infoset_table import InfosetTable
from untilt.formats.compiled_game import KIND, read_infosets
from untilt.formats.container import read_container


@dataclass(frozen=True)
class GameFacts:
    """What the header of the file says."""

    num_infosets: int
    has_form: bool
    has_tree: bool
    fingerprint: str


def read_facts(path: Path) -> GameFacts:
    """Return what the header says; nearly all arrays are left unread."""
    container = read_container(
        path, KIND, verify=False, wanted=lambda name: name.startswith("num_actions_")
    )
    match container.meta:
        case {
            "fingerprint": str() as fingerprint,
            "has_form": bool() as has_form,
            "has_tree": bool() as has_tree,
        }:
            counts = [len(container.array(f"num_actions_{p}", np.uint32, (None,))) for p in (0, 1)]
            return GameFacts(sum(counts), has_form, has_tree, fingerprint)
        case _:
            raise container.error("its description is incomplete")


def read_table(path: Path) -> InfosetTable:
    """Return the names of all infosets, and of a game with perfect recall how they follow."""
    container = read_container(path, KIND, wanted=_is_name_or_parent)
    infosets = read_infosets(container)
    if not container.meta.get("has_form"):
        return InfosetTable(infosets)
    parents = []
    for player, table in enumerate(infosets):
        name = f"side_{player}.parent_sequence"
        parent = container.array(name, np.uint32, (len(table),))
        if not np.all(parent < table.first_sequence[:-1]):
            raise container.error(f"the sequence form of player {player} is inconsistent")
        parents.append(parent)
    return InfosetTable(infosets, (parents[0], parents[1]))


def _is_name_or_parent(name: str) -> bool:
    return not name.startswith(("tree.", "side_")) or name.endswith(".parent_sequence")
