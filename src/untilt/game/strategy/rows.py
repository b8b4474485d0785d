"""A strategy as rows, one per infoset, in the order in which tables and exports list them."""

from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from untilt.game.line import canonical_line
from untilt.game.names.names import PARTS, Names, Part
from untilt.numeric.arrays import Floats, Ints, Offsets


class ProfileView(NamedTuple):
    """One player's view of a profile; I infosets, S sequences."""

    values: Floats
    """[S] value of each action in chips, given that its infoset is reached; may be nan."""
    own_reach: Floats
    """[I] probability that the player's own moves lead to the infoset; may be nan."""
    opponent_reach: Floats
    """[I] probability that chance and the opponent's moves lead to it; may be nan."""


@dataclass(frozen=True)
class Row:
    """One infoset: what is known there, what is played, what that is worth."""

    player: int
    label: str
    private: str
    public: str
    line: str
    actions: tuple[str, ...]
    probabilities: tuple[float, ...]
    values: tuple[float, ...]
    """Value of each action in chips, given that the infoset is reached; may be nan."""
    own_reach: float
    opponent_reach: float
    """By chance and the other players."""

    @property
    def reach(self) -> float:
        """Probability that a hand gets here when all players follow the profile."""
        return self.own_reach * self.opponent_reach


class Listing:
    """All players' infosets in the order of tables: by private card, then in the order of play.

    Infosets are found by what they show, without building their labels.
    """

    def __init__(self, infosets: tuple[Names, ...]) -> None:
        self.infosets = infosets
        columns = {part: [names.column(part) for names in infosets] for part in PARTS}
        self.cards = list(dict.fromkeys(chain(*(each.texts for each in columns["private"]))))
        """The private cards in the order of their first appearance: as dealt, lowest first."""
        number_of_card = {card: number for number, card in enumerate(self.cards)}
        self.boards = sorted(
            dict.fromkeys(chain(*(each.texts for each in columns["public"]))),
            key=lambda board: (board != "", number_of_card.get(board, len(self.cards))),
        )
        """In the order of play; single cards in the order of `cards`."""
        self.lines_of_player = [
            sorted(each.texts, key=lambda line: line.count("/")) for each in columns["line"]
        ]
        """In the order of play, street by street."""
        self._texts: dict[Part, list[list[str]]] = {
            "private": [self.cards] * len(infosets),
            "public": [self.boards] * len(infosets),
            "line": self.lines_of_player,
        }
        self._codes: dict[Part, list[Ints]] = {part: [] for part in PARTS}
        for part, of_players in columns.items():
            for column, texts in zip(of_players, self._texts[part], strict=True):
                code_of_text = {text: code for code, text in enumerate(texts)}
                codes = np.array([code_of_text[text] for text in column.texts], np.int32)
                self._codes[part].append(codes[column.codes])

    def texts(self, part: Part) -> list[str]:
        """Return the texts that infosets of any player show, each once."""
        return list(dict.fromkeys(chain(*self._texts[part])))

    def codes(self, part: Part, player: int) -> Ints:
        """Return [infosets] numbers in `cards`, `boards` or `lines_of_player[player]`."""
        return self._codes[part][player]

    def like(self, part: Part, text: str) -> set[str]:
        """Return the texts that a filter matches: one, or none if the game does not have it.

        A line may be typed in words; with `*` at its end it matches all lines that begin with it.
        """
        known = self.texts(part)
        if part != "line":
            return {text}.intersection(known)
        is_prefix, typed = text.endswith("*"), text.removesuffix("*")
        for line in (typed, canonical_line(typed)):
            found = {one for one in known if (one.startswith(line) if is_prefix else one == line)}
            if found:
                return found
        return set()

    def matching(
        self,
        player: int,
        *,
        private: str | None = None,
        public: str | None = None,
        line: str | None = None,
        search: str = "",
    ) -> Offsets:
        """Return the indices of the player's infosets that pass all filters, in listed order.

        A filter of None matches all; `search` is looked up in labels, ignoring case.
        """
        passes = np.ones(len(self.infosets[player]), bool)
        wanted: dict[Part, str | None] = {"private": private, "public": public, "line": line}
        for part, text in wanted.items():
            if text is not None:
                allowed = self.like(part, text)
                is_allowed = np.array([one in allowed for one in self._texts[part][player]], bool)
                passes &= is_allowed[self.codes(part, player)]
        found = np.flatnonzero(passes)
        if search:
            sought, names = search.casefold(), self.infosets[player]
            labels = map(names.label, found.tolist())
            found = found[np.fromiter((sought in label.casefold() for label in labels), bool)]
        return found[np.argsort(self.codes("private", player)[found], kind="stable")]
