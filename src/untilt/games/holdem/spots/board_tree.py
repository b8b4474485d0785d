"""The boards of a spot, street by street, with interchangeable cards merged.

A renaming of the suits that changes neither the board nor a range turns every strategy into one
that is equally good. So of the cards that it makes interchangeable only one is dealt, the first in
the order of the deck, and the others are *twins*: further edges to the same child, each with the
renaming from the board that is kept to the one that it stands for. On the next street only
renamings remain that leave the card dealt in place.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from untilt.cards.card import BOARD_SIZE, DECK, card_of, cards_name, mask_of, rank_of, suit_of
from untilt.cards.combos import COMBO_MASKS, Combos
from untilt.cards.suits import RENAMINGS, symmetries
from untilt.errors import CardError
from untilt.numeric.arrays import Floats, Ints, Offsets

NO_RENAMING = 0
"""The number, in `RENAMINGS`, that changes nothing."""


@dataclass(frozen=True, eq=False)
class StreetBoards:
    """The boards of one street, and the edges by which they are dealt, ordered by board."""

    cards: tuple[tuple[int, ...], ...]
    """Per board, the cards that were dealt after the spot's own board."""
    masks: npt.NDArray[np.uint64]
    """[boards] the whole board as a set."""
    symmetries: tuple[tuple[int, ...], ...]
    """Per board, the renamings that change neither it nor how it was dealt, nor a range."""
    edge_parent: Ints
    """[edges] the board of the previous street; none on the first street."""
    edge_child: Ints
    """[edges] ascending, the deal itself before its twins."""
    edge_renaming: Ints
    """[edges] what turns the board that is kept into the one of this edge."""

    @property
    def num_boards(self) -> int:
        """Boards that are kept."""
        return len(self.masks)

    def count_lanes(self, combos: Combos) -> Offsets:
        """Return [boards] how many of the combos do not hold a card of each board."""
        hands = COMBO_MASKS[combos]
        return np.array([np.count_nonzero(hands & mask == 0) for mask in self.masks], np.int64)


@dataclass(frozen=True, eq=False)
class BoardTree:
    """The boards of every street from a spot's own to the river."""

    board: tuple[int, ...]
    """The spot's own cards."""
    streets: tuple[StreetBoards, ...]

    def name(self, street: int, board: int) -> str:
        """Return a board that is kept as text, such as `Td9d6h 2c`."""
        dealt = self.streets[street].cards[board]
        return cards_name(self.board + dealt, "")

    def represent(self, dealt: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """Return the board that stands for the cards dealt after the spot's own, and a renaming.

        The renaming gives the new suit of every suit: it turns the board that is kept, and hands
        on it, into the one asked for. Raises CardError for cards that cannot be dealt.
        """
        if len(dealt) >= len(self.streets):
            raise CardError(
                f"{len(dealt)} cards are too many after {cards_name(self.board)}: give at most "
                f"{len(self.streets) - 1}"
            )
        mask_of(self.board + dealt)
        board = 0
        renaming = RENAMINGS[NO_RENAMING]
        for street, card in enumerate(dealt, start=1):
            # The card as it is called on the board that is kept.
            there = renamed_card(card, inverse(renaming))
            board, twin = self._edges[street - 1][board, there]
            renaming = composed(renaming, RENAMINGS[twin])
        return board, renaming

    @cached_property
    def _edges(self) -> list[dict[tuple[int, int], tuple[int, int]]]:
        """Per deal: board and card → board of the next street and number of the renaming."""
        found = []
        for later in self.streets[1:]:
            edges = {}
            for parent, child, number in zip(
                later.edge_parent.tolist(),
                later.edge_child.tolist(),
                later.edge_renaming.tolist(),
                strict=True,
            ):
                card = renamed_card(later.cards[child][-1], RENAMINGS[number])
                edges[parent, card] = child, number
            found.append(edges)
        return found


def build_board_tree(
    board: tuple[int, ...], ranges: list[Floats], *, is_merged: bool = True
) -> BoardTree:
    """Return all boards from `board` to the river.

    `ranges` are weights [1326]; without `is_merged`, interchangeable cards are all dealt.
    """
    mask = mask_of(board)
    is_needed = is_merged and len(board) < BOARD_SIZE
    group = tuple(symmetries([mask], ranges).tolist()) if is_needed else (NO_RENAMING,)
    nothing = np.empty(0, dtype=np.int32)
    street = StreetBoards(
        ((),), np.array([mask], dtype=np.uint64), (group,), nothing, nothing, nothing
    )
    streets = [street]
    for _ in range(BOARD_SIZE - len(board)):
        street = _dealt(street)
        streets.append(street)
    return BoardTree(board, tuple(streets))


def renamed_card(card: int, renaming: tuple[int, ...]) -> int:
    """Return a card after renaming its suit."""
    return card_of(rank_of(card), renaming[suit_of(card)])


def composed(outer: tuple[int, ...], inner: tuple[int, ...]) -> tuple[int, ...]:
    """Return the renaming that does `inner`, then `outer`."""
    return tuple(outer[suit] for suit in inner)


def inverse(renaming: tuple[int, ...]) -> tuple[int, ...]:
    """Return the renaming that undoes this one."""
    return tuple(renaming.index(suit) for suit in range(len(renaming)))


def _dealt(earlier: StreetBoards) -> StreetBoards:
    """Return the boards of the next street."""
    cards: list[tuple[int, ...]] = []
    masks: list[int] = []
    groups: list[tuple[int, ...]] = []
    edges: list[tuple[int, int, int]] = []
    for parent, mask in enumerate(earlier.masks.tolist()):
        group = earlier.symmetries[parent]
        seen = mask
        for card in DECK:
            if seen >> card & 1:
                continue
            images = {renamed_card(card, RENAMINGS[number]): number for number in reversed(group)}
            stabilizer = tuple(
                number for number in group if renamed_card(card, RENAMINGS[number]) == card
            )
            # The deal itself before its twins, by suit.
            for twin in sorted(images, key=suit_of):
                edges.append((parent, len(cards), images[twin]))
                seen |= 1 << twin
            cards.append((*earlier.cards[parent], card))
            masks.append(mask | 1 << card)
            groups.append(stabilizer)
    table = np.array(edges, dtype=np.int32).reshape(-1, 3)
    return StreetBoards(
        tuple(cards),
        np.array(masks, dtype=np.uint64),
        tuple(groups),
        *(column.copy() for column in table.T),
    )
