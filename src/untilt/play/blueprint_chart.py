"""What a blueprint does after a line of betting: by combo, by class of hands, and as a whole range.

    charts = BlueprintCharts("bp/blueprint.bin")
    chart = charts.at("cr6c/", "Td9d6h")
    chart.actions, chart.by_class                    # names, and [actions, 169]

The page and `untilt blueprint chart` show the same charts. The blueprint is opened by the first of
them, because that loads its card buckets, and with them Numba.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from untilt.abstraction.betting_form import BettingForm, Place
from untilt.cards.card import mask_of, parse_cards
from untilt.cards.combos import CLASS_OF_COMBO, NUM_CLASSES, NUM_COMBOS, blocked_combos
from untilt.errors import Argument, CardError, InvalidOption, RunError
from untilt.game.actions import ActionData
from untilt.game.deal_tree import DECISION, FOLD
from untilt.game.line import Line
from untilt.games.holdem.betting import Betting
from untilt.games.holdem.sizes import STREETS
from untilt.numeric.arrays import Bools, Floats

if TYPE_CHECKING:
    from untilt.abstraction.blueprint import Blueprint


class LinePlace(NamedTuple):
    """A place in the betting, with the cards on the board there."""

    line: Line
    board: tuple[int, ...]
    kind: str
    """`decision`, `deal` if cards are missing, `fold`, `showdown`, or `all-in` before the last
    card."""


class Station(NamedTuple):
    """A move on the way to a place, and what could have been done instead."""

    player: int
    number: int
    """Of the action taken."""
    actions: tuple[ActionData, ...]
    places: tuple[LinePlace, ...]
    """Where each of them leads."""
    street: int


@dataclass(frozen=True)
class LineChart:
    """What the player to act does after a line; without `mixes` where nobody acts."""

    place: LinePlace
    betting: Betting
    board_cards: tuple[int, ...]
    """How many cards each street deals."""
    stations: tuple[Station, ...]
    actions: tuple[ActionData, ...]
    places: tuple[LinePlace, ...]
    """Where each action leads."""
    mixes: Floats
    """[1326, actions], zeros for combos that the board blocks; none if nobody acts."""
    weights: Floats
    """[1326]: the part of each combo that gets here, by the player's own moves; 1 for all combos
    that the board allows if none gets here."""
    is_live: Bools
    """[1326]: whether the board allows the combo."""
    is_reached: bool
    """Whether any combo gets here."""

    @property
    def street(self) -> str:
        """The name of the street."""
        return STREETS[self.betting.street]

    @property
    def num_cards(self) -> int:
        """The number of cards on the board on this street."""
        return sum(self.board_cards[: self.betting.street + 1])

    def board_of(self, street: int) -> tuple[int, ...]:
        """Return the cards that were dealt for a street, as far as they are known."""
        first = sum(self.board_cards[:street])
        return self.place.board[first : first + self.board_cards[street]]

    @property
    def class_weights(self) -> Floats:
        """[169]: the part of each class that gets here, among the combos that the board allows; nan
        if it allows none.
        """
        live = class_sums(self.is_live.astype(np.float64))
        with np.errstate(invalid="ignore"):
            return class_sums(self.weights) / live

    @property
    def by_class(self) -> Floats:
        """[actions, 169]: how often each class takes each action; nan if none gets here."""
        total = class_sums(self.weights)
        with np.errstate(invalid="ignore"):
            return np.stack([class_sums(self.weights * column) / total for column in self.mixes.T])

    @property
    def shares(self) -> Floats:
        """[actions]: how often the whole range takes each action."""
        shares: Floats = self.weights @ self.mixes / self.weights.sum()
        return shares


def class_sums(values: Floats) -> Floats:
    """Return [169] the sums over the combos of each class."""
    sums: Floats = np.zeros(NUM_CLASSES)
    np.add.at(sums, CLASS_OF_COMBO, values)
    return sums


class BlueprintCharts:
    """The charts of a blueprint's file; see the module. Safe to share between threads."""

    def __init__(self, path: Path, *, builds: bool = True) -> None:
        """Open a file when it is needed.

        Unless `builds` is set, boards raise RunError if the card buckets are not on disk: building
        them takes a minute, and memory.
        """
        self._path = path
        self._builds = builds
        self._lock = Lock()

    @cached_property
    def blueprint(self) -> "Blueprint":
        """The blueprint."""
        from untilt.abstraction.blueprint import Blueprint

        return Blueprint(self._path)

    def at(self, line: str = "", board: str = "") -> LineChart:
        """Return the chart after a line in letters or words; a deal if the board is too short."""
        with self._lock:
            return self._at(line, board)

    def _at(self, line: str, board: str) -> LineChart:
        form = self.blueprint.form
        cards = tuple(parse_cards(board))
        path = form.path(line)
        here = form.after(*path[-1]) if path else form.root
        num_cards = self._num_cards(here.betting)
        if len(cards) > num_cards:
            where = f"on the {STREETS[here.betting.street]}" if num_cards else "before the flop"
            raise CardError(
                f"the board has {len(cards)} cards, but the line ends {where}, where "
                f"{num_cards or 'none'} lie"
            )
        place = self._place(path, here, cards)
        acts = place.kind == "decision"
        actions = form.actions(here)
        live = ~blocked_combos(mask_of(cards))
        weights, mixes = live.astype(np.float64), np.zeros((NUM_COMBOS, 0))
        is_reached = True
        if acts:
            if cards:
                self.verify_tables()
            weights = self._reached(path, here.betting.player, cards) * live
            mixes = self.blueprint.mixes_at(here.node, cards).astype(np.float64)
            is_reached = bool(weights.any())
            if not is_reached:
                weights = live.astype(np.float64)
        return LineChart(
            place=place,
            betting=here.betting,
            board_cards=self.blueprint.rules.board_cards,
            stations=tuple(self._stations(path, cards)),
            actions=actions if acts else (),
            places=self._next(path, here, cards) if acts else (),
            mixes=mixes,
            weights=weights,
            is_live=live,
            is_reached=is_reached,
        )

    def _reached(self, path: "_Path", player: int, cards: Sequence[int]) -> Floats:
        """Return [1326] the part of each combo with which a player would have moved like this."""
        weights: Floats = np.ones(NUM_COMBOS)
        for place, number in path:
            if place.betting.player == player:
                shown = cards[: self._num_cards(place.betting)]
                weights *= self.blueprint.mixes_at(place.node, shown)[:, number]
        return weights

    def _stations(self, path: "_Path", cards: Sequence[int]) -> list[Station]:
        form = self.blueprint.form
        return [
            Station(
                place.betting.player,
                number,
                form.actions(place),
                self._next(path[:count], place, cards),
                place.betting.street,
            )
            for count, (place, number) in enumerate(path)
        ]

    def _next(self, path: "_Path", place: Place, cards: Sequence[int]) -> tuple[LinePlace, ...]:
        form = self.blueprint.form
        return tuple(
            self._place([*path, (place, number)], form.after(place, number), cards)
            for number in range(len(form.actions(place)))
        )

    def _place(self, path: "_Path", here: Place, cards: Sequence[int]) -> LinePlace:
        form = self.blueprint.form
        num_cards = self._num_cards(here.betting)
        board = tuple(cards[:num_cards])
        kind = int(form.tree.nodes[here.node]["kind"])
        if kind == DECISION:
            name = "decision" if len(board) == num_cards else "deal"
        elif kind == FOLD:
            name = "fold"
        else:
            name = "showdown" if num_cards == sum(form.rules.board_cards) else "all-in"
        return LinePlace(_line_of(form, path, here), board, name)

    def _num_cards(self, betting: Betting) -> int:
        return sum(self.blueprint.rules.board_cards[: betting.street + 1])

    def verify_tables(self) -> None:
        """Raise RunError if the card buckets are not on disk and this does not build them."""
        if not self._builds and not self.blueprint.cards.is_stored:
            sizes = " ".join(
                f"--{street} {self.blueprint.cards.parameters[street]}" for street in STREETS
            )
            raise RunError(
                f"the card buckets of this blueprint are not on this machine yet; build them with "
                f"`untilt buckets {sizes}`"
            )


_Path = list[tuple[Place, int]]
"""The decisions of a line, and the number of the action taken at each."""


def verify_decision(chart: LineChart) -> None:
    """Raise InvalidOption if nobody acts after the line, or the board is too short."""
    if chart.place.kind == "deal":
        raise InvalidOption(
            f"the line ends on the {chart.street}, where {chart.num_cards} cards lie, not "
            f"{len(chart.place.board)}: give them with ",
            Argument("board"),
        )
    if chart.place.kind != "decision":
        raise InvalidOption(
            f"after the line {chart.place.line.words!r} the hand is over, or only cards follow"
        )


def _line_of(form: BettingForm, path: _Path, here: Place) -> Line:
    """Return the line of a path, with an empty street at the end if one begins."""
    streets: list[list[ActionData]] = [[] for _ in range(here.betting.street + 1)]
    for place, number in path:
        streets[place.betting.street].append(form.actions(place)[number])
    return Line(tuple(map(tuple, streets)))
