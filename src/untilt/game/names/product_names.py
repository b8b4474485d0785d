"""Names made on demand: a label is a node of the betting and a hand.

Only nodes and hands are stored, so the names of a large game take almost no memory. Labels read
`P0:K:Q:cc/b` (player, hand, public cards, line), or `P0:K:cb` in games without public cards.

Infosets are numbered node by node, and within a node in the order of its hands.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import accumulate, groupby
from typing import NamedTuple

import numpy as np

from untilt.errors import GameError
from untilt.game.faults import verify_name
from untilt.game.names.labels import Knowledge
from untilt.game.names.names import NameColumn, Names, Part, check_names, column_of, same_label
from untilt.numeric.arrays import Indices

_LEAST_HANDS = 4
"""Hands per node, on average; with fewer, a product saves little."""


class NamedDecision(NamedTuple):
    """A decision as both players see it."""

    public: str
    line: str
    actions: tuple[str, ...]
    deck: int = 0
    """The index of the deck that its hands are from."""


class ProductNames(Names):
    """The infosets of all pairs of a node and a hand from its deck."""

    def __init__(
        self,
        player: int,
        nodes: Sequence[NamedDecision],
        decks: Sequence[tuple[str, ...]],
        *,
        has_public: bool,
    ) -> None:
        """`decks` lists the possible hands in order; nodes refer to a deck by its index.

        `has_public` says whether labels name public cards.
        """
        self.player = player
        self._nodes = tuple(nodes)
        self._decks = tuple(decks)
        self._has_public = has_public
        self._sizes = tuple(len(decks[node.deck]) for node in nodes)
        self._infosets_before = tuple(accumulate(self._sizes, initial=0))
        counts = (size * len(node.actions) for size, node in zip(self._sizes, nodes, strict=True))
        self._sequences_before = tuple(accumulate(counts, initial=1))

    def __len__(self) -> int:
        return self._infosets_before[-1]

    def _place(self, index: int) -> tuple[NamedDecision, int, int]:
        """Return an infoset's node, with the indices of the node and of the hand in its deck."""
        index = range(len(self))[index]
        # The last node that begins here, because the deck of an earlier one may be empty.
        number = bisect_right(self._infosets_before, index) - 1
        return self._nodes[number], number, index - self._infosets_before[number]

    def _rest(self, node: NamedDecision) -> str:
        """Return the part of a label after the hand."""
        return f":{node.public}:{node.line}" if self._has_public else f":{node.line}"

    def label(self, index: int) -> str:
        """Return the label of an infoset."""
        node, _, hand = self._place(index)
        return f"P{self.player}:{self._decks[node.deck][hand]}{self._rest(node)}"

    def parts(self, index: int) -> Knowledge:
        """Return the parts of an infoset: private cards, public cards, line of betting."""
        node, _, hand = self._place(index)
        return Knowledge(self._decks[node.deck][hand], node.public, node.line)

    def actions(self, index: int) -> tuple[str, ...]:
        """Return the names of an infoset's actions."""
        return self._place(index)[0].actions

    def items(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield label and actions of each infoset, in order."""
        for node in self._nodes:
            rest, actions = self._rest(node), node.actions
            for hand in self._decks[node.deck]:
                yield f"P{self.player}:{hand}{rest}", actions

    @cached_property
    def _number_of_node(self) -> dict[str, int]:
        return {self._rest(node): number for number, node in enumerate(self._nodes)}

    @cached_property
    def _number_of_hand(self) -> tuple[dict[str, int], ...]:
        return tuple({hand: number for number, hand in enumerate(deck)} for deck in self._decks)

    def find(self, label: object) -> int | None:
        """Return the number of the infoset with this label; None if there is none."""
        prefix = f"P{self.player}:"
        if not isinstance(label, str) or not label.startswith(prefix):
            return None
        hand, colon, rest = label.removeprefix(prefix).partition(":")
        number = self._number_of_node.get(colon + rest)
        if number is None:
            return None
        lane = self._number_of_hand[self._nodes[number].deck].get(hand)
        return None if lane is None else self._infosets_before[number] + lane

    def column(self, part: Part) -> NameColumn:
        """Return one part of all infosets, as codes."""
        if part != "private":
            shown = column_of([getattr(node, part) for node in self._nodes])
            return NameColumn(shown.texts, np.repeat(shown.codes, self._sizes))
        decks = dict.fromkeys(node.deck for node in self._nodes)
        hands = tuple(dict.fromkeys(hand for deck in decks for hand in self._decks[deck]))
        code_of_hand = {hand: code for code, hand in enumerate(hands)}
        codes = {
            deck: np.array([code_of_hand[hand] for hand in self._decks[deck]], np.int32)
            for deck in decks
        }
        none = np.empty(0, np.int32)
        return NameColumn(
            hands, np.concatenate([none, *(codes[node.deck] for node in self._nodes)])
        )

    @cached_property
    def first_sequence(self) -> Indices:
        """Uint32[infosets + 1]: where each infoset's block of action sequences begins."""
        first = np.ones(len(self) + 1, dtype=np.uint32)
        counts = np.repeat([len(node.actions) for node in self._nodes], self._sizes)
        first[1:] += np.cumsum(counts, dtype=np.uint32)
        return first

    @property
    def num_sequences(self) -> int:
        """The number of the player's sequences, including the empty one."""
        return self._sequences_before[-1]

    def block(self, index: int) -> slice:
        """Return the slice of action sequences of infoset `index`."""
        node, number, hand = self._place(index)
        begin = self._sequences_before[number] + hand * len(node.actions)
        return slice(begin, begin + len(node.actions))

    @property
    def num_bytes(self) -> int:
        """About how much memory the names take."""
        return 300 * len(self._nodes) + 100 * sum(map(len, self._decks))

    def check(self) -> None:
        """Raise GameError if two infosets carry the same label, or a name cannot serve as one."""
        for deck in self._decks:
            for hand in deck:
                verify_name("a hand", hand)
                if ":" in hand:
                    raise GameError(
                        f"the hand {hand!r} contains a colon, which separates the parts of a label"
                    )
        if len(self._number_of_node) < len(self._nodes):
            rests = [self._rest(node) for node in self._nodes]
            twice = next(rest for number, rest in enumerate(rests) if rest in rests[:number])
            raise same_label(f"P{self.player}:…{twice}")
        for deck, numbers in zip(self._decks, self._number_of_hand, strict=True):
            if len(numbers) < len(deck):
                twice = next(hand for number, hand in enumerate(deck) if hand in deck[:number])
                raise same_label(f"P{self.player}:{twice}:…")
        for node in self._nodes:
            check_names(f"P{self.player}:…{self._rest(node)}", node.actions)

    def shared_label(self, other: Names) -> str | None:
        """Return a label that occurs here and in `other`; None if there is none."""
        if isinstance(other, ProductNames) and self.player != other.player:
            return None  # their labels begin differently
        return super().shared_label(other)


def as_product(names: Names) -> Names:
    """Return equal names that are made on demand, or `names` if they are not such a product.

    Files list all names. With this, a game that is read from a file also takes little memory.
    """
    if not len(names):
        return names
    decks: dict[tuple[str, ...], int] = {}
    nodes = []
    parts = map(names.parts, range(len(names)))
    rows = zip(parts, (actions for _, actions in names.items()), strict=True)
    for (public, line, actions), group in groupby(rows, lambda row: (*row[0][1:], row[1])):
        hands = tuple(known.private for known, _ in group)
        nodes.append(NamedDecision(public, line, actions, decks.setdefault(hands, len(decks))))
        if _LEAST_HANDS * len(nodes) > len(names):
            return names
    for has_public in (True, False):
        product = ProductNames(names.player, nodes, tuple(decks), has_public=has_public)
        with suppress(GameError):
            product.check()
            if product.matches(names):
                return product
    return names
