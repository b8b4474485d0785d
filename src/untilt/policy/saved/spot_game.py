"""A solved spot as a game to play: hands from both ranges, betting, and the cards that follow.

The first hand is drawn from one range, and the second from the other range given the first, both by
weight and without cards that are taken: each pair comes as often as the solver counts it. A table
can begin at any decision or deal of the solution; hands then come as often as the average
strategies bring them there.

Gains count the pot of the spot as put in by both players, half each, so that they sum to zero
without rake.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from untilt.cards.card import BOARD_SIZE, DECK, cards_name
from untilt.cards.combos import COMBO_CARDS, COMBO_MASKS, combo_name
from untilt.cards.hand import rank_hand
from untilt.errors import InvalidOption
from untilt.game.protocol import Action, Game, Uniforms
from untilt.game.public.public_tree import CHANCE, DECISION, FOLD, RUNOUT
from untilt.game.terms import Chips, Terms
from untilt.games.holdem.solutions.solution import Solution, SolutionNode
from untilt.games.holdem.spots.spot_view import SpotPlace
from untilt.numeric.arrays import Floats
from untilt.policy.saved.match_game import MatchGame
from untilt.policy.saved.saved_run import SPOT_KIND

SPOT_TERMS = Terms(
    seats=("out-of-position player", "in-position player"),
    private="cards",
    public="board",
    has_chips=True,
    rules="No-limit hold'em from this spot on; bets are those of the solved tree. What you win or "
    "lose counts half of the first pot as yours.",
)


@dataclass(frozen=True)
class SpotInfoset:
    """The knowledge of a player: two cards, the board and the betting."""

    player: int
    private: str
    public: str
    line: str
    names: tuple[str, ...]

    def actions(self) -> Sequence[Action]:
        """Return the names of the actions in the tree."""
        return self.names

    def __str__(self) -> str:
        return f"P{self.player}:{self.private}:{self.public}:{self.line}"


@dataclass(frozen=True, eq=False)
class SpotStart:
    """The beginning of hands: a decision or a deal of a solution."""

    node: SolutionNode

    @property
    def solution(self) -> Solution:
        """What the opponent plays."""
        return self.node.solution

    @cached_property
    def first_hands(self) -> Floats:
        """[hands of player 0]: how likely each is, cumulated."""
        side = self.node.sides[0]
        return _cumulated(side.mass)

    def second_hands(self, first: int) -> Floats:
        """Return [hands of player 1]: how likely each is given player 0's combo, cumulated."""
        side = self.node.sides[1]
        is_free = COMBO_MASKS[side.combos] & COMBO_MASKS[first] == 0
        return _cumulated(np.where(is_free, side.weights, 0.0))


@dataclass(frozen=True, eq=False)
class SpotPosition(Game):
    """A position of a hand; the root has no hands yet."""

    terms: ClassVar[Terms] = SPOT_TERMS

    start: SpotStart
    street: int
    node: int
    dealt: tuple[int, ...]
    """Cards after the spot's own board."""
    combos: tuple[int, ...] = ()
    """What players 0 and 1 hold, as far as dealt."""

    @classmethod
    def root_of(cls, node: SolutionNode) -> "SpotPosition":
        """Return the root of a game that begins at a decision or deal of a solution."""
        return cls(SpotStart(node), node.place.street, node.place.node, node.dealt)

    @cached_property
    def place(self) -> SpotPlace:
        """The betting so far."""
        return self.start.solution.view.place(self.street, self.node)

    @property
    def board(self) -> tuple[int, ...]:
        """The cards on the board."""
        return self.start.solution.spot.board + self.dealt

    @property
    def terminal(self) -> bool:
        """Whether the hand is over."""
        if len(self.combos) < 2 or self.place.kind in (DECISION, CHANCE):
            return False
        return self.place.kind == FOLD or len(self.board) == BOARD_SIZE

    @property
    def chance(self) -> bool:
        """Whether a hand or a card is dealt next."""
        return not self.terminal and (len(self.combos) < 2 or self.place.kind != DECISION)

    @property
    def active(self) -> int:
        """Who acts."""
        return self.place.player

    @property
    def chips(self) -> Chips:
        """The money on the table."""
        place = self.place
        bets = (float(place.bets[0]), float(place.bets[1]))
        return Chips(
            pot=float(place.pot) - sum(bets),
            bets=bets,
            stacks=(float(place.stacks[0]), float(place.stacks[1])),
        )

    @property
    def final_public(self) -> str:
        """The whole board, with cards that were dealt after the last decision."""
        return cards_name(self.board, "")

    def payoff(self, player: int) -> float:
        """Return what `player` gains in chips, rake deducted."""
        stakes = self.start.solution.snapshot.tree.streets[self.street].stakes[self.node, player]
        sign = 0
        if self.place.kind != FOLD:
            own, other = (self._rank(self.combos[seat]) for seat in (player, 1 - player))
            sign = (own < other) - (own > other)  # rank 1 is the best
        return float(stakes[0] + stakes[1] * sign)

    def sample(self, rng: Uniforms) -> Action:
        """Return a combo or a card, from exactly one uniform number."""
        uniform = rng.random()
        if len(self.combos) < 2:
            seat = len(self.combos)
            side = self.start.node.sides[seat]
            shares = self.start.first_hands if seat == 0 else self._second_hands
            return int(side.combos[int(np.searchsorted(shares, uniform, side="right"))])
        left = self._cards_left()
        return left[int(uniform * len(left))]

    def chances(self) -> list[tuple[Action, float]]:
        """Return each combo or card with its probability."""
        if len(self.combos) < 2:
            seat = len(self.combos)
            shares = np.diff(
                self.start.first_hands if seat == 0 else self._second_hands, prepend=0.0
            )
            combos = self.start.node.sides[seat].combos
            return list(zip(combos.tolist(), shares.tolist(), strict=True))
        left = self._cards_left()
        return [(card, 1.0 / len(left)) for card in left]

    def infoset(self, player: int) -> SpotInfoset:
        """Return what the player knows."""
        return SpotInfoset(
            player=player,
            private=combo_name(self.combos[player]),
            public=cards_name(self.board, ""),
            line=self.place.line.letters,
            names=self.place.action_names,
        )

    def apply(self, action: Action) -> "SpotPosition":
        """Return the position after an action, a combo or a card."""
        betting = self.start.solution.view.betting
        if len(self.combos) < 2:
            assert isinstance(action, int)
            return self._moved(combos=(*self.combos, action))
        forest = betting.streets[self.street]
        if self.place.kind == DECISION:
            child = int(forest.first_child[self.node]) + self.place.action_names.index(str(action))
            return self._moved(node=child)
        assert isinstance(action, int)
        dealt = (*self.dealt, action)
        if self.place.kind == RUNOUT:
            return self._moved(dealt=dealt)
        root = int(np.searchsorted(forest.nodes_of(CHANCE), self.node))
        return self._moved(dealt=dealt, street=self.street + 1, node=root)

    @cached_property
    def _second_hands(self) -> Floats:
        return self.start.second_hands(self.combos[0])

    def _moved(
        self,
        *,
        street: int | None = None,
        node: int | None = None,
        dealt: tuple[int, ...] | None = None,
        combos: tuple[int, ...] | None = None,
    ) -> "SpotPosition":
        return SpotPosition(
            self.start,
            self.street if street is None else street,
            self.node if node is None else node,
            self.dealt if dealt is None else dealt,
            self.combos if combos is None else combos,
        )

    def _cards_left(self) -> list[int]:
        taken = {*self.board, *COMBO_CARDS[list(self.combos)].ravel().tolist()}
        return [card for card in DECK if card not in taken]

    def _rank(self, combo: int) -> int:
        return rank_hand([*self.board, *COMBO_CARDS[combo].tolist()])


def _cumulated(weights: Floats) -> Floats:
    """Return weights as cumulated probabilities, the last exactly 1."""
    total = weights.cumsum()
    shares: Floats = total / total[-1]
    return shares


def game_of_spot(start: SolutionNode) -> MatchGame:
    """Return the game whose hands begin at a node of a solution.

    Raises InvalidOption if the hand is over there, or if nobody gets there.
    """
    if start.place.kind not in (DECISION, CHANCE):
        raise InvalidOption(
            f"the hand is over after {start.line!r}: give a shorter line to play from"
        )
    if not start.sides[0].mass.sum() > 0.0:
        raise InvalidOption(
            f"the line {start.line!r} is never played on {start.board}, so no hands can be dealt "
            "there: give another one"
        )
    spot = start.solution.spot
    parameters = {"spot": spot.to_dict(), "line": start.line, "board": start.board}
    title = f"Spot {spot.board_text}, pot {spot.pot}, stack {spot.stack}"
    return MatchGame(SPOT_KIND, title, parameters, SpotPosition.root_of(start), words=SPOT_TERMS)
