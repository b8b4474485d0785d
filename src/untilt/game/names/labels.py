"""The parts of an infoset besides its label: private cards, public cards, betting line."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from untilt.game.line import is_line
from untilt.game.protocol import InfoSet

_LABEL = re.compile(r"P([01]):([^:]*):(?:([^:]*):)?([^:]*)")


class Knowledge(NamedTuple):
    """The texts that tables and charts group by; empty if there is nothing to show."""

    private: str
    public: str
    line: str


def knowledge_of(infoset: InfoSet) -> Knowledge:
    """Return the parts of the infoset that are its attributes."""
    return Knowledge(*(str(getattr(infoset, name, "")) for name in Knowledge._fields))


def knowledge_of_all(infosets: Sequence[InfoSet]) -> list[Knowledge]:
    """Return the parts of each of a player's infosets.

    If none has such attributes, as in a Gambit file, but all labels have the form of ours, the
    labels are parsed instead.
    """
    shown = [knowledge_of(infoset) for infoset in infosets]
    if any(any(one) for one in shown):
        return shown
    labels = [str(infoset) for infoset in infosets]
    is_ours = all(
        player is not None and is_line(known.line) for player, known in map(split_label, labels)
    )
    return [split_label(label)[1] for label in labels] if is_ours else shown


def split_label(label: str) -> tuple[int | None, Knowledge]:
    """Return the player and the parts of a label `P0:K:cb` or `P0:K:Q:cc/b`.

    For a label of another form, the player is None and the parts are empty.
    """
    found = _LABEL.fullmatch(label)
    if found is None:
        return None, Knowledge("", "", "")
    return int(found[1]), Knowledge(found[2], found[3] or "", found[4])
