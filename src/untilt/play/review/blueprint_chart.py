"""The strategy of a blueprint after a line: by combo, by class of hands, and as a whole range.

    charts = BlueprintCharts("bp/blueprint.bin")
    node = charts.at("cr6c/", "Td9d6h")
    node.actions, node.class_mix()                   # what can be done, and [actions, 169]

The page and `untilt blueprint chart` show the same charts. The blueprint is opened by the first of
them, because that loads its card buckets, and with them Numba.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from untilt.abstraction.betting_form import BettingForm, BettingPlace
from untilt.cards.card import cards_name, mask_of, parse_cards
from untilt.cards.combos import NUM_COMBOS, blocked_combos
from untilt.cards.equity.all_in import hand_equities
from untilt.cards.ranges.range import Range
from untilt.errors import Argument, CardError, InvalidOption, RunError
from untilt.game.actions import ActionData
from untilt.game.deals.deal_tree import DECISION, FOLD
from untilt.game.line import Line
from untilt.game.terms import Chips
from untilt.games.holdem.bets.sizes import STREETS
from untilt.numeric.arrays import Floats
from untilt.policy.nodes import node
from untilt.policy.nodes.node import NO_HANDS, Alternative, Hands, Node, Station
from untilt.policy.nodes.range_facts import SideRange

if TYPE_CHECKING:
    from untilt.abstraction.blueprint import Blueprint


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

    def at(self, line: str = "", board: str = "") -> Node:
        """Return the node after a line in letters or words; a deal if the board is too short."""
        with self._lock:
            return self._at(line, board)

    def ranges(self, line: str, board: str) -> list[SideRange]:
        """Return both ranges where somebody acts after the flop, with exact equities.

        A range that never gets there counts as all hands. Raises InvalidOption elsewhere.
        """
        found = self.at(line, board)
        verify_decision(found)
        cards = tuple(parse_cards(found.board or ""))
        if not cards:
            raise InvalidOption("before the flop hands have no classes; deal a flop first")
        with self._lock:
            path = self.blueprint.form.path(line)
            reached = [self._reached(path, player, cards) for player in range(2)]
        live = ~blocked_combos(mask_of(cards))
        everything: Floats = live.astype(np.float64)
        weights: list[Floats] = [
            each * everything if (each * everything).any() else everything for each in reached
        ]
        equities = hand_equities(*map(Range, weights), board=found.board or "")
        combos = np.flatnonzero(live).astype(np.int16)
        sides = []
        for player, hands in enumerate(equities):
            met, equity = np.zeros(NUM_COMBOS), np.full(NUM_COMBOS, np.nan)
            for hand in hands:
                met[hand.combo] = hand.wins + hand.ties + hand.losses
                equity[hand.combo] = hand.equity
            weight: Floats = weights[player][live]
            mix = found.mix if player == found.player else np.zeros((0, 0))
            sides.append(SideRange(combos, weight, weight * met[live], equity[live], None, mix))
        return sides

    def _at(self, line: str, board: str) -> Node:
        form = self.blueprint.form
        cards = tuple(parse_cards(board))
        path = form.path(line)
        here = form.after(*path[-1]) if path else form.root
        betting = here.betting
        num_cards = self.blueprint.rules.num_shown(betting.street)
        if len(cards) > num_cards:
            where = f"on the {STREETS[betting.street]}" if num_cards else "before the flop"
            raise CardError(
                f"the board has {len(cards)} cards, but the line ends {where}, where "
                f"{num_cards or 'none'} lie"
            )
        place = self._place(path, here, cards)
        acts = place.kind == "decision"
        hands: list[Hands] = [NO_HANDS, NO_HANDS]
        reach: list[Floats | None] = [None, None]
        mix: Floats = np.zeros((0, 0))
        is_reached = True
        if acts:
            if cards:
                self.verify_tables()
            live = np.flatnonzero(~blocked_combos(mask_of(cards))).astype(np.int16)
            weights = self._reached(path, betting.player, cards)[live]
            is_reached = bool(weights.any())
            hands[betting.player] = Hands.of_combos(live)
            reach[betting.player] = weights if is_reached else np.ones(len(live))
            mix = self.blueprint.mixes_at(here.node, cards).astype(np.float64)[live].T
        return Node(
            place=place,
            words=_line_of(form, path, here).words,
            player=betting.player if acts else -1,
            hands=tuple(hands),
            reach=tuple(reach),
            mix=mix,
            actions=form.actions(here) if acts else (),
            children=self._next(path, here, cards) if acts else (),
            path=tuple(self._stations(path, here, place, cards)),
            street=STREETS[betting.street],
            chips=Chips(betting.pot, betting.bets, betting.stacks),
            is_reached=is_reached,
            panels={
                "missing": num_cards - len(cards) if place.kind == "deal" else 0,
                "bb": float(max(form.rules.blinds)),
            },
        )

    def _reached(self, path: "_Path", player: int, cards: Sequence[int]) -> Floats:
        """Return [1326] the part of each combo with which a player would have moved like this."""
        weights: Floats = np.ones(NUM_COMBOS)
        for place, number in path:
            if place.betting.player == player:
                shown = cards[: self.blueprint.rules.num_shown(place.betting.street)]
                weights *= self.blueprint.mixes_at(place.node, shown)[:, number]
        return weights

    def _stations(
        self, path: "_Path", here: BettingPlace, last: node.NodePlace, cards: Sequence[int]
    ) -> Iterator[Station]:
        """Yield the moves of a line, and the cards of each street between them."""
        form = self.blueprint.form
        street = dealt = 0
        # The last place follows the last move, and may begin a street of its own.
        for count, (place, number) in enumerate((*path, (here, None))):
            while street < place.betting.street:
                street += 1
                after = min(dealt + form.rules.board_cards[street], len(cards))
                if after > dealt:
                    # To deal others, one goes to the place without them.
                    missing = node.NodePlace(last.line, cards_name(cards[:dealt], ""), "deal")
                    yield Station(-1, cards_name(cards[dealt:after], ""), (), missing)
                dealt = after
            if number is not None:
                actions = form.actions(place)
                places = self._next(path[:count], place, cards)
                choices = [
                    Alternative(action.name, action, to)
                    for action, to in zip(actions, places, strict=True)
                ]
                chosen = choices[number]
                yield Station(place.betting.player, chosen.name, tuple(choices), chosen.place)

    def _next(
        self, path: "_Path", place: BettingPlace, cards: Sequence[int]
    ) -> tuple[node.NodePlace, ...]:
        form = self.blueprint.form
        return tuple(
            self._place([*path, (place, number)], form.after(place, number), cards)
            for number in range(len(form.actions(place)))
        )

    def _place(self, path: "_Path", here: BettingPlace, cards: Sequence[int]) -> node.NodePlace:
        form = self.blueprint.form
        num_cards = form.rules.num_shown(here.betting.street)
        board = cards[:num_cards]
        kind = int(form.tree.nodes[here.node]["kind"])
        if kind == DECISION:
            name = "decision" if len(board) == num_cards else "deal"
        elif kind == FOLD:
            name = "fold"
        else:
            name = "showdown" if num_cards == sum(form.rules.board_cards) else "all-in"
        return node.NodePlace(_line_of(form, path, here).letters, cards_name(board, ""), name)

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


_Path = list[tuple[BettingPlace, int]]
"""The decisions of a line, and the number of the action taken at each."""


def verify_decision(found: Node) -> None:
    """Raise InvalidOption if nobody acts after the line, or the board is too short."""
    if found.kind == "deal":
        dealt = len(found.board or "") // 2
        raise InvalidOption(
            f"the line ends on the {found.street}, where {dealt + found.panels['missing']} cards "
            f"lie, not {dealt}: give them with ",
            Argument("board"),
        )
    if found.kind != "decision":
        raise InvalidOption(
            f"after the line {found.words!r} the hand is over, or only cards follow"
        )


def _line_of(form: BettingForm, path: _Path, here: BettingPlace) -> Line:
    """Return the line of a path, with an empty street at the end if one begins."""
    streets: list[list[ActionData]] = [[] for _ in range(here.betting.street + 1)]
    for place, number in path:
        streets[place.betting.street].append(form.actions(place)[number])
    return Line(tuple(map(tuple, streets)))
