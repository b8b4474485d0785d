"""A node: what everybody sees at a public state, and what every hand does there.

    node = charts.at("cr6c/", "Td9d6h")
    node.actions, node.mix                            # what can be done, and [actions, hands]
    node.whole_mix, node.by_class(node.mix[0])        # the whole range, and [169]

Runs, solved spots, blueprints and push/fold charts become nodes; pages, tables and figures show
nothing else. A node does not say how it was found, only what is known: `values` and a row of
`reach` are None if they are not, and `columns` and `panels` have what only some sources know.
"""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from untilt.cards.combos import (
    CLASS_NAMES,
    NUM_CLASSES,
    NUM_COMBOS,
    NUM_COMBOS_OF_CLASS,
    Combos,
    class_means,
    combo_name,
)
from untilt.errors import InvalidOption
from untilt.game.actions import ActionData
from untilt.game.terms import Chips
from untilt.games.holdem.solutions.hand_table import HandTable
from untilt.numeric.arrays import Bools, Floats

if TYPE_CHECKING:
    from untilt.charts.figures.picture import Picture

_COMBO_NAMES = tuple(map(combo_name, range(NUM_COMBOS)))


class NodePlace(NamedTuple):
    """The place of a node."""

    line: str
    """The betting in letters, `cb120c/`."""
    board: str | None
    """The whole board, `Td9d6hQc`; None stands for any board."""
    kind: str
    """`decision`, `deal` if cards are missing, `fold`, `showdown`, or `all-in` before the last
    card."""


class Alternative(NamedTuple):
    """One of the moves or cards that could have come."""

    name: str
    action: ActionData | None
    """None for cards."""
    place: NodePlace
    """Where it leads."""


class Station(NamedTuple):
    """A move, or cards, on the path to a node."""

    player: int
    """Who moved; −1 for cards."""
    chosen: str
    choices: tuple[Alternative, ...]
    """The alternatives, including the chosen one; none for cards that are not listed."""
    place: NodePlace
    """Where it leads; for cards without choices, the place where they are missing."""


Axis = Literal["labels", "classes", "combos"]
"""What a hand is: an infoset, one of the 169 classes, or two cards."""


@dataclass(frozen=True, eq=False)
class Hands:
    """The hands that a player can hold at a node, in the order of all arrays."""

    axis: Axis
    count: int
    names: Sequence[str] = ()
    """`K`, `AKs` or `AsKh`; empty if they were not asked for."""
    combos: Combos | None = None
    """[hands], if they are exact cards."""
    labels: Sequence[str] = ()
    """The infosets of hands that are known by their labels."""
    boards: Sequence[str] = ()
    """The boards of these infosets."""

    @classmethod
    def of_combos(cls, combos: Combos) -> "Hands":
        """Return exact cards, by their numbers."""
        names = [_COMBO_NAMES[combo] for combo in combos.tolist()]
        return cls("combos", len(names), names, combos)

    @classmethod
    def of_classes(cls) -> "Hands":
        """Return the 169 classes."""
        return cls("classes", NUM_CLASSES, CLASS_NAMES)

    def __len__(self) -> int:
        return self.count


NO_HANDS = Hands("labels", 0)


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """A public state with the play of every hand; see the module."""

    place: NodePlace
    words: str
    """The line, or the decision, in words."""
    player: int
    """The player to act; −1 if nobody does."""
    hands: tuple[Hands, ...]
    """By player."""
    reach: tuple[Floats | None, ...]
    """By player, [hands]: the part of each hand that gets here by the player's own moves."""
    mix: Floats
    """[actions, hands of the player to act]: how often each hand takes each action."""
    values: Floats | None = None
    """[actions, hands of the player to act]: what each action is worth, in `unit`; None if unknown,
    nan for a single hand that cannot be here."""
    actions: tuple[ActionData, ...] = ()
    children: tuple[NodePlace | None, ...] = ()
    """Where each action leads; None if the hand ends there, and that is no place."""
    path: tuple[Station, ...] = ()
    street: str = ""
    """Its name, if it has one."""
    chips: Chips | None = None
    unit: str = "chips"
    seats: tuple[str, ...] | None = None
    """What the players are called here; None for the names of the game."""
    met: tuple[Floats | None, ...] = ()
    """By player, [hands]: how much of the other ranges can be dealt with each hand. Means over a
    range weigh hands by it; None if all count the same."""
    frequency: float | None = None
    """How often play gets here."""
    is_reached: bool = True
    """Whether any hand gets here by its own moves; if not, all count the same."""
    columns: tuple[Mapping[str, Floats], ...] = ()
    """By player, other numbers by hand: `equity`, `ev`, `eqr`, `regret`, `locked`, `weight`."""
    means: tuple[Mapping[str, float], ...] = ()
    """By player, numbers of the whole range: `ev`, `equity`, `eqr`."""
    panels: Mapping[str, Any] = field(default_factory=dict)
    """What only one kind of source has, as plain data, or nodes that belong beside this one."""

    def __post_init__(self) -> None:
        for name, nothing in (("met", None), ("columns", {}), ("means", {})):
            if not getattr(self, name):  # nothing is known of any player
                object.__setattr__(self, name, (nothing,) * len(self.hands))

    def __repr__(self) -> str:
        mix = ", ".join(f"{name} {share:.1%}" for name, share in self.shares.items())
        return f"<Node {self.line or 'root'!r} on {self.board or 'no board'}: {mix or self.kind}>"

    def plot(self, path: "str | os.PathLike[str] | None" = None) -> "Picture":
        """Return the 13 × 13 grid of the player who acts as a figure; with `path`, also written.

        Raises InvalidOption if nobody acts, or if hands are not those of hold'em.
        """
        if self.player < 0 or self.hands[self.player].axis == "labels":
            raise InvalidOption(
                f"the node after {self.line!r} has no grid of hands to draw; choose a decision of "
                "hold'em"
            )
        from untilt.charts.figures.mix_figure import mix_figure
        from untilt.charts.figures.plot_file import plot_path, saved

        file = plot_path(path)
        seat = f"player {self.player}" if self.seats is None else self.seats[self.player]
        where = f"after {self.words}" if self.line else "to act"
        figure = mix_figure(
            f"{self.board or 'before the flop'}: {seat} {where}",
            "" if self.pot is None else f"pot {self.pot:g} {self.unit}",
            self.names,
            self.whole_mix,
            self.class_mix(),
            self.class_weights(self.player),
        )
        return saved(figure, file)

    @property
    def line(self) -> str:
        """The betting in letters."""
        return self.place.line

    @property
    def board(self) -> str | None:
        """The whole board; None stands for any board."""
        return self.place.board

    @property
    def kind(self) -> str:
        """`decision`, `deal`, `fold`, `showdown` or `all-in`."""
        return self.place.kind

    @property
    def pot(self) -> float | None:
        """All chips in the middle; None if unknown."""
        return None if self.chips is None else self.chips.pot + sum(self.chips.bets)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the actions."""
        return tuple(action.name for action in self.actions)

    def total(self, player: int) -> float | None:
        """Return how many combos a player has here, counting parts; None if unknown."""
        own = self._own(player)
        return None if own is None else float(own.sum())

    def mass(self, player: int) -> Floats | None:
        """Return [hands] the weights in means over a range; None if they are unknown."""
        own, met = self._own(player), self.met[player]
        return own if own is None or met is None else own * met

    def _own(self, player: int) -> Floats | None:
        """Return [hands] how many combos of each hand get here; a label counts as one."""
        reach = self.reach[player]
        if reach is None or self.hands[player].axis != "classes":
            return reach
        return reach * NUM_COMBOS_OF_CLASS

    def mean(self, values: Floats, player: int) -> float:
        """Return the mean of numbers by hand; nan if no hand is here, or that is unknown."""
        mass = self.mass(player)
        total = 0.0 if mass is None else float(mass.sum())
        if mass is None or not total > 0.0:
            return math.nan
        return float(mass @ np.where(mass > 0.0, values, 0.0)) / total

    @cached_property
    def whole_mix(self) -> tuple[float, ...]:
        """How often the whole range takes each action; nan if unknown, none if nobody acts."""
        return tuple(self.mean(row, self.player) for row in self.mix) if self.player >= 0 else ()

    @property
    def shares(self) -> dict[str, float]:
        """The whole mix, by the names of the actions."""
        return dict(zip(self.names, self.whole_mix, strict=True)) if self.player >= 0 else {}

    def by_class(self, values: Floats, player: int) -> Floats:
        """Return [169] the mean of numbers by hand over each class; nan for classes not here."""
        mass = self.mass(player)
        assert mass is not None
        combos = self.hands[player].combos
        if combos is None:
            return np.where(mass > 0.0, values, np.nan)
        return class_means(combos, values, mass)

    def class_mix(self) -> Floats:
        """Return [actions, 169] how often each class takes each action; nan for those not here."""
        return np.array([self.by_class(row, self.player) for row in self.mix])

    def is_locked(self, player: int) -> Bools:
        """Return [hands] whether what a hand does was given, not found."""
        locked = self.columns[player].get("locked")
        return np.zeros(len(self.hands[player]), np.bool_) if locked is None else locked > 0.0

    def table(self, player: int) -> HandTable:
        """Return the exact cards of a player as a table, with nan for what is not known."""
        hands, reach, columns = self.hands[player], self.reach[player], self.columns[player]
        assert hands.combos is not None
        unknown = np.full(len(hands), np.nan)
        acts = player == self.player
        nothing = np.zeros((0, len(hands)))
        return HandTable(
            combos=hands.combos,
            weight=unknown if reach is None else reach,
            equity=columns.get("equity", unknown),
            ev=columns.get("ev", unknown),
            eqr=columns.get("eqr", unknown),
            actions=self.names if acts else (),
            mix=self.mix if acts else nothing,
            action_ev=(self.mix * np.nan if self.values is None else self.values)
            if acts
            else nothing,
            is_locked=self.is_locked(player),
        )

    def class_weights(self, player: int) -> Floats:
        """Return [169] the part of each class that gets here, of what the board leaves of it."""
        reach, combos = self.reach[player], self.hands[player].combos
        assert reach is not None
        return reach if combos is None else class_means(combos, reach, np.ones(len(reach)))


def known(values: Floats) -> Floats | None:
    """Return numbers, or None if all are nan."""
    return None if np.isnan(values).all() else values
