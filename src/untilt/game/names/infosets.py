"""Listed names: one label per infoset, as a walk over the histories finds them."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from untilt.game.names.labels import Knowledge
from untilt.game.names.names import NameColumn, Names, Part, check_names, column_of, same_label
from untilt.numeric.arrays import Indices


class Infosets(Names):
    """The names of one player's infosets, stored as strings."""

    def __init__(
        self,
        player: int,
        labels: tuple[str, ...],
        actions: tuple[tuple[str, ...], ...],
        private: tuple[str, ...],
        public: tuple[str, ...],
        line: tuple[str, ...],
    ) -> None:
        lengths = {len(labels), len(actions), len(private), len(public), len(line)}
        assert len(lengths) == 1, "the lists of names must have the same length"
        self.player = player
        self._labels = labels
        self._actions = actions
        self._texts: dict[Part, tuple[str, ...]] = {
            "private": private,
            "public": public,
            "line": line,
        }

    def __len__(self) -> int:
        return len(self._labels)

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels."""
        return self._labels

    def label(self, index: int) -> str:
        """Return the label of an infoset."""
        return self._labels[index]

    def parts(self, index: int) -> Knowledge:
        """Return the parts of an infoset: private cards, public cards, line of betting."""
        return Knowledge(*(texts[index] for texts in self._texts.values()))

    def actions(self, index: int) -> tuple[str, ...]:
        """Return the names of an infoset's actions."""
        return self._actions[index]

    def items(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield label and actions of each infoset, in order."""
        return zip(self._labels, self._actions, strict=True)

    def column(self, part: Part) -> NameColumn:
        """Return one part of all infosets, as codes."""
        return column_of(self._texts[part])

    @cached_property
    def _index(self) -> dict[str, int]:
        return {label: index for index, label in enumerate(self._labels)}

    def find(self, label: object) -> int | None:
        """Return the number of the infoset with this label; None if there is none."""
        return self._index.get(label) if isinstance(label, str) else None

    @cached_property
    def first_sequence(self) -> Indices:
        """Uint32[infosets + 1]: where each infoset's block of action sequences begins."""
        first = np.ones(len(self) + 1, dtype=np.uint32)
        first[1:] += np.cumsum([len(names) for names in self._actions], dtype=np.uint32)
        return first

    @property
    def num_sequences(self) -> int:
        """The number of the player's sequences, including the empty one."""
        return int(self.first_sequence[-1])

    def block(self, index: int) -> slice:
        """Return the slice of action sequences of infoset `index`."""
        return slice(int(self.first_sequence[index]), int(self.first_sequence[index + 1]))

    @property
    def num_bytes(self) -> int:
        """About how much memory the names take."""
        columns = (self._labels, *self._texts.values())
        return 260 * len(self) + sum(len(text) for texts in columns for text in texts)

    def check(self) -> None:
        """Raise GameError if two infosets carry the same label, or a name cannot serve as one."""
        seen: set[str] = set()
        for label, actions in self.items():
            if label in seen:
                raise same_label(label)
            seen.add(label)
            check_names(label, actions)
