"""The names of a compiled spot's parts: betting in words, boards in cards, lanes in combos.

    view = view_spot(spot)
    view.at("check, bet 120")                 # a place: actions, pot, stacks, line
    view.board_of("2c 7h")                    # the board that is kept for a turn and river

It is made from the spot alone and loads no compiled code, so that servers and bots can show what
a solver has stored by street, node, board and lane.
"""

import math
from dataclasses import dataclass

import numpy as np

from untilt.cards.card import BOARD_SIZE, cards_of, mask_of, parse_cards
from untilt.cards.combos import COMBO_CARDS, COMBO_MASKS, Combos, combo_name
from untilt.cards.hand import rank_hand
from untilt.cards.suits import RENAMINGS, renamed_combos
from untilt.game.actions import ActionData
from untilt.game.line import Line, parse_line
from untilt.game.public.public_tree import FOLD, RUNOUT, SHOWDOWN, Street
from untilt.games.holdem.bets.betting_tree import BettingStreet, BettingTree
from untilt.games.holdem.spots.board_tree import BoardTree, build_board_tree
from untilt.games.holdem.spots.spot import Spot
from untilt.numeric.arrays import Floats

_TINY_EXPONENT = -20
"""A range of which all weights are below 2^this counts as tiny."""


@dataclass(frozen=True)
class SpotPlace:
    """A node of the betting in words."""

    street: int
    """Counted from the spot's own."""
    node: int
    kind: int
    """DECISION or a kind of leaf, as in `public_tree`."""
    street_name: str
    """flop, turn or river."""
    player: int
    """The player to act, or −1."""
    actions: tuple[ActionData, ...]
    """The possible actions, in the order of the node's children."""
    pot: int
    """All chips in the middle, with the bets of the street."""
    bets: tuple[int, int]
    """Each player's bet on the street."""
    stacks: tuple[int, int]
    """Each player's stack."""
    line: Line

    @property
    def action_names(self) -> tuple[str, ...]:
        """The names of the actions, such as `bet 120`."""
        return tuple(action.name for action in self.actions)


@dataclass(frozen=True)
class ConcreteBoard:
    """A board as asked for, and the one that is kept for it."""

    street: int
    board: int
    """The number of the board that is kept."""
    renaming: tuple[int, ...]
    """The new suit of every suit: turns the board that is kept into the one asked for."""

    def combos(self, kept: Combos) -> Combos:
        """Return combos of the board that is kept as combos of the one asked for."""
        renamed: Combos = renamed_combos()[RENAMINGS.index(self.renaming), kept]
        return renamed


@dataclass(frozen=True, eq=False)
class SpotView:
    """A spot with its betting and boards, and the combos of its hands and lanes."""

    spot: Spot
    betting: BettingTree
    boards: BoardTree
    combos: tuple[Combos, Combos]
    """Per player, [hands] the combo of each hand of `PublicTree.weights`."""

    def place(self, street: int, node: int) -> SpotPlace:
        """Return a node of a street in words."""
        forest = self.betting.streets[street]
        state = forest.states[node]
        return SpotPlace(
            street=street,
            node=node,
            kind=int(forest.kind[node]),
            street_name=forest.name,
            player=int(forest.player[node]),
            actions=forest.actions[node],
            pot=state.total_pot,
            bets=state.bets,
            stacks=state.stacks,
            line=self.betting.line(street, node),
        )

    def at(self, *moves: str) -> SpotPlace:
        """Return the place that a line leads to: `at("check", "bet 120")`, `at("cb120c/c")`.

        Raises InvalidOption or UnknownName if there is none.
        """
        return self.place(*self.betting.find(parse_line(", ".join(moves))))

    def board_of(self, dealt: str | tuple[int, ...]) -> ConcreteBoard:
        """Return the board after these cards were dealt: `2c` for a turn, `2c 7h` with a river.

        Raises CardError for cards that cannot be dealt.
        """
        cards = tuple(parse_cards(dealt)) if isinstance(dealt, str) else dealt
        return ConcreteBoard(len(cards), *self.boards.represent(cards))

    def lane_combos(self, street: int, board: int, player: int) -> Combos:
        """Return the combo of every lane of a player on a board that is kept."""
        mask = int(self.boards.streets[street].masks[board])
        return ordered_combos(self.combos[player], mask)

    def hand_names(self, player: int) -> list[str]:
        """Return the name of every hand of a player, such as `AsKh`."""
        return [combo_name(combo) for combo in self.combos[player].tolist()]


def view_spot(spot: Spot, *, is_merged: bool = True) -> SpotView:
    """Return the names of a spot's parts, numbered as in its public tree.

    Without `is_merged`, interchangeable cards are all dealt. Raises InvalidOption if the sizes
    offer no bet.
    """
    mask = mask_of(spot.board)
    combos = ordered_combos(spot.combos(0), mask), ordered_combos(spot.combos(1), mask)
    return SpotView(spot, spot.betting_tree(), boards_of(spot, is_merged=is_merged), combos)


def range_weights(spot: Spot, player: int, combos: Combos) -> Floats:
    """Return the weights of some combos in a player's range, which are scaled if all are tiny.

    Results do not depend on the scale, but products of tiny weights vanish in small floats. The
    factor is a power of two, so that no bits are lost.
    """
    own = spot.ranges[player].weights[combos]
    _, exponent = math.frexp(float(own.max(initial=0.0)))
    scaled: Floats = np.ldexp(own, -exponent if exponent < _TINY_EXPONENT else 0)
    return scaled


def boards_of(spot: Spot, *, is_merged: bool = True) -> BoardTree:
    """Return the boards of a spot; without `is_merged`, interchangeable cards are all dealt."""
    weights = [hand_range.weights for hand_range in spot.ranges]
    return build_board_tree(spot.board, weights, is_merged=is_merged)


def ordered_combos(combos: Combos, board: int) -> Combos:
    """Return the combos that a board leaves, in the order of lanes.

    On a complete board they ascend by strength; equal ones, and all on other boards, stay in
    their order.
    """
    left: Combos = combos[COMBO_MASKS[combos] & np.uint64(board) == 0]
    if board.bit_count() < BOARD_SIZE:
        return left
    cards = cards_of(board)
    ranks = np.array([rank_hand([*cards, *hand]) for hand in COMBO_CARDS[left].tolist()])
    ascending: Combos = left[np.argsort(-ranks, kind="stable")]
    return ascending


def street_of(spot: Spot, forest: BettingStreet) -> Street:
    """Return the betting of a street as part of a public tree."""
    return Street(
        forest.kind,
        forest.player,
        forest.parent,
        forest.first_child,
        forest.num_actions,
        _stakes(spot, forest),
    )


def _stakes(spot: Spot, forest: BettingStreet) -> Floats:
    """Return [nodes, players, 2] what leaves pay, counted from an even split."""
    stakes = np.zeros((forest.num_nodes, 2, 2))
    for node, (kind, state) in enumerate(zip(forest.kind.tolist(), forest.states, strict=True)):
        contested = state.pot + 2 * min(state.bets)
        half, rake = contested / 2.0, spot.rake_of(contested)
        if kind == FOLD:
            stakes[node, state.folded, 0] = -half
            stakes[node, 1 - state.folded, 0] = half - rake
        elif kind in (SHOWDOWN, RUNOUT):
            # The winner gets half − rake, the loser −half; in a tie each pays half of the rake.
            stakes[node, :, 0] = -rake / 2.0
            stakes[node, :, 1] = half - rake / 2.0
    return stakes
