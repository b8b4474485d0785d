"""One player's infosets by name: labels, what they show, and their actions.

Arrays elsewhere count infosets 0, 1, … and *sequences*: sequence 0 is the empty one,
and infoset i owns the block first_sequence[i] … first_sequence[i + 1] − 1, one sequence
per action, in the order of the infoset's `actions()`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from untilt.errors import GameError, UnknownName
from untilt.game.faults import verify_name
from untilt.numeric.arrays import Indices


@dataclass(frozen=True, repr=False)
class Infosets:
    """The names of one player's infosets, in an order where parents precede children."""

    player: int
    labels: tuple[str, ...]
    actions: tuple[tuple[str, ...], ...]
    private: tuple[str, ...]
    public: tuple[str, ...]
    line: tuple[str, ...]

    def __post_init__(self) -> None:
        lengths = {len(self.labels), len(self.actions), len(self.private)}
        lengths |= {len(self.public), len(self.line)}
        assert len(lengths) == 1, "names of infosets must have one length"

    def __repr__(self) -> str:
        first = f", first {self.labels[0]!r:.80}" if self.labels else ""
        return f"<Infosets of player {self.player}: {len(self):,}{first}>"

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def first_sequence(self) -> Indices:
        """Uint32[infosets + 1]: where each infoset's block of action sequences begins."""
        first = np.ones(len(self.labels) + 1, dtype=np.uint32)
        first[1:] += np.cumsum([len(names) for names in self.actions], dtype=np.uint32)
        return first

    @property
    def num_sequences(self) -> int:
        """How many sequences the player has, the empty one included."""
        return int(self.first_sequence[-1])

    @cached_property
    def _index(self) -> dict[str, int]:
        return {label: index for index, label in enumerate(self.labels)}

    def __contains__(self, label: object) -> bool:
        return isinstance(label, str) and label in self._index

    def index(self, label: str) -> int:
        """Return the number of the infoset with this label."""
        try:
            return self._index[label]
        except (KeyError, TypeError):
            raise UnknownName.among("infoset", str(label), self.labels) from None

    def matches(self, other: "Infosets") -> bool:
        """Whether arrays over the sequences of `other` mean the same here: equal names, in order.

        What belongs to one game mostly shares its infosets, which is seen at once.
        """
        return self is other or (self.labels == other.labels and self.actions == other.actions)

    def block(self, index: int) -> slice:
        """Return the slice of action sequences of infoset `index`."""
        return slice(int(self.first_sequence[index]), int(self.first_sequence[index + 1]))


def check_labels(infosets: Sequence[Infosets]) -> None:
    """Raise GameError if two infosets carry the same label, or a name cannot serve as one."""
    seen: set[str] = set()
    for table in infosets:
        for label, actions in zip(table.labels, table.actions, strict=True):
            if label in seen:
                raise same_label(label)
            seen.add(label)
            check_names(label, actions)


def check_names(label: str, actions: Sequence[str]) -> None:
    """Raise GameError if names hold an address, or one infoset repeats an action name."""
    verify_name("an infoset", label)
    for name in actions:
        verify_name(f"an action of infoset {label!r}", name)
    if len(set(actions)) < len(actions):
        raise GameError(
            f"infoset {label!r} has two actions with one name: {', '.join(actions)}; "
            "str(action) must tell them apart"
        )


def same_label(label: str) -> GameError:
    """Return the error for two infosets of one name."""
    return GameError(
        f"two different infosets have the label {label!r}: str(infoset) must tell "
        "them apart, so put into it what differs (the player, a card, the line)"
    )
