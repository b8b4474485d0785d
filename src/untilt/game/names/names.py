"""The names of a player's infosets: labels, what they show, and their actions.

Names belong to the form of a game. A game that is walked lists them (`Infosets`). A game whose
infosets are betting nodes times hands makes them on demand (`ProductNames`).

Arrays elsewhere count infosets 0, 1, … and *sequences*: sequence 0 is the empty one,
and infoset i owns the block first_sequence[i] … first_sequence[i + 1] − 1, one sequence
per action, in the order of the infoset's `actions()`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from operator import eq
from typing import Literal

import numpy as np

from untilt.errors import GameError, UnknownName
from untilt.game.faults import verify_name
from untilt.game.names.labels import Knowledge
from untilt.numeric.arrays import Indices, Ints

Part = Literal["private", "public", "line"]
"""A part of an infoset besides its label."""

PARTS: tuple[Part, ...] = ("private", "public", "line")

_MAX_COMPARED = 200_000
"""A mistyped label is compared with at most this many, which takes about a second."""


@dataclass(frozen=True, eq=False)
class NameColumn:
    """One part of all infosets of a player."""

    texts: tuple[str, ...]
    """The distinct texts, in the order of their first appearance."""
    codes: Ints
    """[infosets] the index of each infoset's text."""

    def __iter__(self) -> Iterator[str]:
        """Yield the text of each infoset."""
        return map(self.texts.__getitem__, self.codes.tolist())


class Names(ABC):
    """The names of one player's infosets, in an order where parents precede children."""

    player: int

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def label(self, index: int) -> str:
        """Return the label of an infoset."""

    @abstractmethod
    def parts(self, index: int) -> Knowledge:
        """Return the parts of an infoset: private cards, public cards, line of betting."""

    @abstractmethod
    def actions(self, index: int) -> tuple[str, ...]:
        """Return the names of an infoset's actions."""

    @abstractmethod
    def find(self, label: object) -> int | None:
        """Return the number of the infoset with this label; None if there is none."""

    @abstractmethod
    def items(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield label and actions of each infoset, in order."""

    @abstractmethod
    def column(self, part: Part) -> NameColumn:
        """Return one part of all infosets, as codes: to filter, group and save."""

    @abstractmethod
    def check(self) -> None:
        """Raise GameError if two infosets carry the same label, or a name cannot serve as one."""

    @property
    @abstractmethod
    def first_sequence(self) -> Indices:
        """Uint32[infosets + 1]: where each infoset's block of action sequences begins."""

    @property
    @abstractmethod
    def num_sequences(self) -> int:
        """The number of the player's sequences, including the empty one."""

    @abstractmethod
    def block(self, index: int) -> slice:
        """Return the slice of action sequences of infoset `index`."""

    @property
    @abstractmethod
    def num_bytes(self) -> int:
        """About how much memory the names take."""

    def __repr__(self) -> str:
        first = "".join(f", first {label!r:.80}" for label in islice(self, 1))
        return f"<{type(self).__name__} of player {self.player}: {len(self):,}{first}>"

    def __eq__(self, other: object) -> bool:
        """Whether all names are equal, whether listed or made on demand."""
        if not isinstance(other, Names):
            return NotImplemented
        return (
            self.player == other.player
            and self.matches(other)
            and all(self.parts(index) == other.parts(index) for index in range(len(self)))
        )

    __hash__ = None  # type: ignore[assignment]  # hashing all names would be costly

    def __iter__(self) -> Iterator[str]:
        """Yield the labels in order."""
        return (label for label, _ in self.items())

    def __contains__(self, label: object) -> bool:
        return self.find(label) is not None

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels. For a large game this is a lot of text: iterate instead."""
        return tuple(self)

    def index(self, label: str) -> int:
        """Return the number of the infoset with this label."""
        found = self.find(label)
        if found is None:
            raise UnknownName.among("infoset", label, islice(self, _MAX_COMPARED))
        return found

    def matches(self, other: "Names") -> bool:
        """Whether arrays over the sequences of `other` mean the same here: equal names, in order.

        Objects of one game mostly share their names, so the answer is usually immediate.
        """
        if self is other:
            return True
        return len(self) == len(other) and all(map(eq, self.items(), other.items()))

    def shared_label(self, other: "Names") -> str | None:
        """Return a label that occurs here and in `other`; None if there is none."""
        own = set(self)
        return next((label for label in other if label in own), None)


def check_labels(infosets: Sequence[Names]) -> None:
    """Raise GameError if two infosets carry the same label, or a name cannot serve as one."""
    for names in infosets:
        names.check()
    for one, other in combinations(infosets, 2):
        if (label := one.shared_label(other)) is not None:
            raise same_label(label)


def check_names(label: str, actions: Sequence[str]) -> None:
    """Raise GameError if names contain an address, or one infoset repeats an action name."""
    verify_name("an infoset", label)
    for name in actions:
        verify_name(f"an action of infoset {label!r}", name)
    if len(set(actions)) < len(actions):
        raise GameError(
            f"infoset {label!r} has two actions with the same name: {', '.join(actions)}; "
            "str(action) must differ between them"
        )


def same_label(label: str) -> GameError:
    """Return the error for two infosets with one label."""
    return GameError(
        f"two different infosets have the label {label!r}: str(infoset) must differ "
        "between them, so include what they differ in (the player, a card, the line)"
    )


def column_of(texts: Sequence[str]) -> NameColumn:
    """Return the column with these texts, one per infoset."""
    number_of_text = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    codes = np.fromiter(map(number_of_text.__getitem__, texts), np.int32, len(texts))
    return NameColumn(tuple(number_of_text), codes)
