"""A profile as rows, one per infoset, in the order in which tables and exports list them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from untilt.game.names import Names
from untilt.game.strategy import Profile, verify_profile
from untilt.numeric.arrays import Floats


class View(NamedTuple):
    """What a profile means to one player; I infosets, S sequences."""

    values: Floats
    """[S] value of each action in chips, given that its infoset is reached; may be nan."""
    own_reach: Floats
    """[I] probability that her own moves lead to the infoset."""
    opponent_reach: Floats
    """[I] probability that chance and the opponent's moves lead to it."""


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
    """By chance and the opponent."""

    @property
    def reach(self) -> float:
        """Probability that a hand comes here when both follow the profile."""
        return self.own_reach * self.opponent_reach


def rows_of(
    infosets: tuple[Names, Names], profile: Profile, views: tuple[View, View]
) -> Iterator[Row]:
    """Yield a row per infoset, by player and private card, in the order of play."""
    verify_profile(infosets, profile)
    number_of_card = {card: number for number, card in enumerate(cards_of(infosets))}
    for player, table in enumerate(infosets):
        view = views[player]
        probabilities = profile.behaviours[player].tolist()
        values = view.values.tolist()
        own_reach, opponent_reach = view.own_reach.tolist(), view.opponent_reach.tolist()
        column = table.column("private")
        card_of_text = np.array([number_of_card[text] for text in column.texts], np.int64)
        for index in np.argsort(card_of_text[column.codes], kind="stable").tolist():
            block = table.block(index)
            known = table.parts(index)
            yield Row(
                player=player,
                label=table.label(index),
                private=known.private,
                public=known.public,
                line=known.line,
                actions=table.actions(index),
                probabilities=tuple(probabilities[block]),
                values=tuple(values[block]),
                own_reach=own_reach[index],
                opponent_reach=opponent_reach[index],
            )


def cards_of(infosets: tuple[Names, Names]) -> list[str]:
    """Return the private cards in the order of first appearance: as dealt, lowest first."""
    return list(dict.fromkeys(chain(*(table.column("private").texts for table in infosets))))


def most_reached(rows: list[Row], count: int) -> list[Row]:
    """Return the `count` rows that are reached most often, in their old order."""
    if len(rows) <= count:
        return rows
    kept = sorted(range(len(rows)), key=lambda index: -rows[index].reach)[:count]
    return [rows[index] for index in sorted(kept)]
