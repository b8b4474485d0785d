"""A spot as a public tree, and what its numbers mean in cards and chips.

    form = compile_spot(spot)
    form.tree                                 # what a solver sees: streets, lanes, deals
    form.at("check, bet 120")                 # a place in words: actions, pot, stacks, line

Stakes count from an even split of the pot that the spot begins with, so that without rake they sum
to zero; half of that pot is the baseline of the values shown. At the end of a hand the house takes
its rake of the pot that both have put in, never of a bet that was not called.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from untilt.cards.card import NUM_CARDS, parse_cards
from untilt.cards.combos import Combos, combo_name
from untilt.cards.suits import RENAMINGS, renamed_combos
from untilt.game.actions import ActionData
from untilt.game.line import Line, parse_line
from untilt.game.public_tree import (
    FOLD,
    RUNOUT,
    SHOWDOWN,
    Boards,
    Deals,
    PublicTree,
    Runouts,
    Street,
)
from untilt.games.holdem.betting_tree import BettingStreet, BettingTree
from untilt.games.holdem.board_tree import BoardTree, build_board_tree
from untilt.games.holdem.lanes import (
    make_boards,
    make_deals,
    make_river_runouts,
    make_turn_runouts,
)
from untilt.games.holdem.spot import Spot
from untilt.numeric.arrays import Floats

_NUM_HOLE_CARDS = 4


@dataclass(frozen=True)
class Place:
    """A node of the betting in words."""

    street: int
    """Counted from the spot's own."""
    node: int
    kind: int
    """DECISION or a kind of leaf, as in `public_tree`."""
    street_name: str
    """flop, turn or river."""
    player: int
    """Who acts, or −1."""
    actions: tuple[ActionData, ...]
    """What can be done, in the order of the node's children."""
    pot: int
    """All chips in the middle, with the bets of the street."""
    bets: tuple[int, int]
    """What each player has put in on the street."""
    stacks: tuple[int, int]
    """What each player has left."""
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
class SpotForm:
    """A compiled spot: the public tree with the names of its parts."""

    spot: Spot
    tree: PublicTree
    betting: BettingTree
    boards: BoardTree
    combos: tuple[Combos, Combos]
    """Per player, [hands] the combo of each hand of `tree.weights`."""

    def place(self, street: int, node: int) -> Place:
        """Return a node of a street in words."""
        forest = self.betting.streets[street]
        state = forest.states[node]
        return Place(
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

    def at(self, *moves: str) -> Place:
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
        boards = self.tree.boards[street][player]
        return self.combos[player][boards.hand[boards.lanes(board)]]

    def hand_names(self, player: int) -> list[str]:
        """Return the name of every hand of a player, such as `AsKh`."""
        return [combo_name(combo) for combo in self.combos[player].tolist()]

    @cached_property
    def num_pairs(self) -> float:
        """The sum, over pairs of hands that can be dealt together, of products of weights."""
        weights = self.tree.weights
        boards = self.tree.boards[0]
        with_card = np.zeros((2, NUM_CARDS))
        for player in (0, 1):
            for column in (0, 1):
                np.add.at(with_card[player], boards[player].blockers[:, column], weights[player])
        by_combo = np.zeros((2, renamed_combos().shape[1]))
        for player in (0, 1):
            by_combo[player, self.combos[player]] = weights[player]
        total = weights[0].sum() * weights[1].sum()
        return float(total - with_card[0] @ with_card[1] + by_combo[0] @ by_combo[1])


def compile_spot(spot: Spot, *, is_merged: bool = True) -> SpotForm:
    """Return the public tree of a spot.

    Without `is_merged`, interchangeable cards are all dealt: the same game, only larger. Raises
    InvalidOption if the sizes offer no bet.
    """
    betting = spot.betting_tree()
    board_tree = build_board_tree(
        spot.board, [hand_range.weights for hand_range in spot.ranges], is_merged=is_merged
    )
    combos = _combos(spot, 0, board_tree), _combos(spot, 1, board_tree)
    num_streets = len(board_tree.streets)
    boards: list[tuple[Boards, Boards]] = []
    deals: list[Deals] = []
    for number, street in enumerate(board_tree.streets):
        is_last = number == num_streets - 1
        first, second = (make_boards(own, street, is_last=is_last) for own in combos)
        boards.append((first, second))
        if number:
            num_seen = len(spot.board) + number - 1 + _NUM_HOLE_CARDS
            deals.append(make_deals(combos, street, boards[-2], boards[-1], NUM_CARDS - num_seen))
    tree = PublicTree(
        weights=(_weights(spot, combos, 0), _weights(spot, combos, 1)),
        streets=tuple(_street(spot, street) for street in betting.streets),
        boards=tuple(boards),
        deals=tuple(deals),
        runouts=_runouts(betting, boards, deals),
        num_blockers=NUM_CARDS,
        baseline=(spot.pot / 2.0, spot.pot / 2.0),
    )
    return SpotForm(spot, tree, betting, board_tree, combos)


def _combos(spot: Spot, player: int, board_tree: BoardTree) -> Combos:
    """Return the combos of a player in the order of the lanes of the first street."""
    combos = spot.combos(player)
    if len(board_tree.streets) > 1:
        return combos
    return combos[make_boards(combos, board_tree.streets[0], is_last=True).hand]


def _weights(spot: Spot, combos: tuple[Combos, Combos], player: int) -> Floats:
    return spot.ranges[player].weights[combos[player]].copy()


def _runouts(
    betting: BettingTree, boards: list[tuple[Boards, Boards]], deals: list[Deals]
) -> tuple[Runouts | None, ...]:
    """Return the run-outs of every street that has all-ins; later streets are needed for them."""
    is_needed = [bool((street.kind == RUNOUT).any()) for street in betting.streets]
    found: list[Runouts | None] = [None] * len(boards)
    if not any(is_needed):
        return tuple(found)
    last = len(boards) - 1
    later = make_river_runouts(boards[last - 1], boards[last], deals[last - 1])
    found[last - 1] = later if is_needed[last - 1] else None
    if last == 2 and is_needed[0]:
        found[0] = make_turn_runouts(boards[0], deals[0], later)
    return tuple(found)


def _street(spot: Spot, forest: BettingStreet) -> Street:
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
