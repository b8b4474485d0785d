"""What an infoset tells of itself besides its label: private cards, public cards, betting line."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from untilt.game.line import is_line
from untilt.game.protocol import InfoSet

_LABEL = re.compile(r"P([01]):([^:]*):(?:([^:]*):)?([^:]*)")


class Knowledge(NamedTuple):
    """The texts by which tables and charts group; empty where there is nothing to tell."""

    private: str
    public: str
    line: str


def knowledge_of(infoset: InfoSet) -> Knowledge:
    """Return what the infoset tells by its attributes."""
    return Knowledge(*(str(getattr(infoset, name, "")) for name in Knowledge._fields))


def knowledge_of_all(infosets: Sequence[InfoSet]) -> list[Knowledge]:
    """Return what each of a player's infosets tells.

    If none has anything to tell, as in a file of Gambit's, but all labels are of the form of ours,
    it is read off these.
    """
    told = [knowledge_of(infoset) for infoset in infosets]
    if any(any(one) for one in told):
        return told
    labels = [str(infoset) for infoset in infosets]
    is_ours = all(
        player is not None and is_line(known.line) for player, known in map(split_label, labels)
    )
    return [split_label(label)[1] for label in labels] if is_ours else told


def split_label(label: str) -> tuple[int | None, Knowledge]:
    """Return the player and the parts of a label `P0:K:cb` or `P0:K:Q:cc/b`.

    None and nothing for a label of another form.
    """
    found = _LABEL.fullmatch(label)
    if found is None:
        return None, Knowledge("", "", "")
    return int(found[1]), Knowledge(found[2], found[3] or "", found[4])
