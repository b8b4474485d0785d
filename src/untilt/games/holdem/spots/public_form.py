"""A spot as a public tree, and what its numbers mean in cards and chips.

    form = compile_spot(spot)
    form.tree                                 # what a solver sees: streets, lanes, deals
    form.at("check, bet 120")                 # and names, see `spot_view`

Stakes count from an even split of the pot that the spot begins with, so that without rake they sum
to zero; half of that pot is the baseline of the values shown. At the end of a hand the house takes
its rake of the pot that both have put in, never of a bet that was not called.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from untilt.cards.card import NUM_CARDS
from untilt.cards.combos import COMBO_MASKS, Combos
from untilt.game.public.public_layout import Singles
from untilt.game.public.public_tree import (
    RUNOUT,
    Boards,
    DealEdges,
    PublicTree,
    RunoutBalances,
)
from untilt.games.holdem.bets.betting_tree import BettingTree
from untilt.games.holdem.spots.board_tree import BoardTree, StreetBoards
from untilt.games.holdem.spots.lanes import (
    make_boards,
    make_deals,
    make_river_runouts,
    make_turn_runouts,
)
from untilt.games.holdem.spots.locks import verify_locks
from untilt.games.holdem.spots.spot import Spot
from untilt.games.holdem.spots.spot_view import SpotView, boards_of, range_weights, street_of

_NUM_HOLE_CARDS = 4
_MOST = np.iinfo(np.int16).max


@dataclass(frozen=True, eq=False)
class SpotForm(SpotView):
    """A compiled spot: the public tree, with the names of its parts."""

    tree: PublicTree

    @property
    def num_pairs(self) -> float:
        """The sum, over pairs of hands that can be dealt together, of products of weights."""
        return self.tree.total_weight

    def lane_combos(self, street: int, board: int, player: int) -> Combos:
        """Return the combo of every lane of a player on a board that is kept."""
        boards = self.tree.boards[street][player]
        return self.combos[player][boards.hand[boards.lanes(board)]]


def compile_spot(spot: Spot, *, is_merged: bool = True) -> SpotForm:
    """Return the public tree of a spot.

    Without `is_merged`, interchangeable cards are all dealt: the same game, only larger. Raises
    InvalidOption if the sizes offer no bet, or if a lock is about something that is not there.
    """
    betting, board_tree = spot.betting_tree(), boards_of(spot, is_merged=is_merged)
    streets = board_tree.streets
    combos = _combos(spot, 0, streets), _combos(spot, 1, streets)
    verify_locks(SpotView(spot, betting, board_tree, combos))  # before what takes long
    boards: list[tuple[Boards, Boards]] = []
    deals: list[DealEdges] = []
    for number, street in enumerate(streets):
        is_last = number == len(streets) - 1
        first, second = (make_boards(own, street, is_last=is_last) for own in combos)
        boards.append((first, second))
        if number:
            num_seen = len(spot.board) + number - 1 + _NUM_HOLE_CARDS
            deals.append(make_deals(combos, street, boards[-2], boards[-1], NUM_CARDS - num_seen))
    tree = PublicTree(
        weights=(range_weights(spot, 0, combos[0]), range_weights(spot, 1, combos[1])),
        streets=tuple(street_of(spot, street) for street in betting.streets),
        boards=tuple(boards),
        deals=tuple(deals),
        runouts=_runouts(betting, boards, deals),
        num_blockers=NUM_CARDS,
        baseline=(spot.pot / 2.0, spot.pot / 2.0),
    )
    return SpotForm(spot, betting, board_tree, combos, tree)


def compile_first_street(spot: Spot, values: Mapping[int, Singles]) -> SpotForm:
    """Return the first street of a spot alone, as a game whose leaves have given values.

    `values` has an array [1326, 1326] for each node at which the street ends but the hand
    continues: what player 0 wins from player 1 with each pair of hands, in chips counted from an
    even split. They are kept in 16 bits.
    """
    betting = BettingTree(spot.betting_tree().streets[:1])
    board_tree = BoardTree(spot.board, boards_of(spot, is_merged=False).streets[:1])
    combos = spot.combos(0), spot.combos(1)
    forest = betting.streets[0]
    street = street_of(spot, forest)
    kind, stakes = street.kind.copy(), street.stakes.copy()
    matrices = np.zeros((len(values), len(combos[0]), len(combos[1])), np.int16)
    matrix = np.zeros(forest.num_nodes, np.int32)
    shares_card = COMBO_MASKS[combos[0]][:, np.newaxis] & COMBO_MASKS[combos[1]] != 0
    for number, (node, pairs) in enumerate(values.items()):
        own = np.where(shares_card, 0.0, pairs[np.ix_(*combos)])
        unit = max(float(np.abs(own).max()), 1e-6) / _MOST
        matrices[number] = np.rint(own / unit)
        kind[node], matrix[node], stakes[node] = RUNOUT, number, (0.0, unit)
    first, second = (make_boards(own, board_tree.streets[0], is_last=False) for own in combos)
    runouts = RunoutBalances(np.array([0, matrices.size]), matrices.ravel(), 1.0, matrix)
    tree = PublicTree(
        weights=(range_weights(spot, 0, combos[0]), range_weights(spot, 1, combos[1])),
        streets=(street._replace(kind=kind, stakes=stakes),),
        boards=((first, second),),
        deals=(),
        runouts=(runouts,),
        num_blockers=NUM_CARDS,
        baseline=(spot.pot / 2.0, spot.pot / 2.0),
    )
    return SpotForm(spot, betting, board_tree, combos, tree)


def with_runouts(tree: PublicTree) -> PublicTree:
    """Return the tree with run-outs on every street but the last, from which equities follow."""
    last = len(tree.boards) - 1
    if all(runouts is not None for runouts in tree.runouts[:last]):
        return tree
    later = tree.runouts[last - 1] or make_river_runouts(
        tree.boards[last - 1], tree.boards[last], tree.deals[last - 1]
    )
    found: list[RunoutBalances | None] = [*tree.runouts[: last - 1], later, None]
    if last == 2 and found[0] is None:
        found[0] = make_turn_runouts(tree.boards[0], tree.deals[0], later)
    return replace(tree, runouts=tuple(found))


def _combos(spot: Spot, player: int, streets: tuple[StreetBoards, ...]) -> Combos:
    """Return the combos of a player in the order of the lanes of the first street."""
    combos = spot.combos(player)
    if len(streets) > 1:
        return combos
    in_order: Combos = combos[make_boards(combos, streets[0], is_last=True).hand]
    return in_order


def _runouts(
    betting: BettingTree, boards: list[tuple[Boards, Boards]], deals: list[DealEdges]
) -> tuple[RunoutBalances | None, ...]:
    """Return the run-outs of every street that has all-ins; later streets are needed for them."""
    is_needed = [bool((street.kind == RUNOUT).any()) for street in betting.streets]
    found: list[RunoutBalances | None] = [None] * len(boards)
    if not any(is_needed):
        return tuple(found)
    last = len(boards) - 1
    later = make_river_runouts(boards[last - 1], boards[last], deals[last - 1])
    found[last - 1] = later if is_needed[last - 1] else None
    if last == 2 and is_needed[0]:
        found[0] = make_turn_runouts(boards[0], deals[0], later)
    return tuple(found)
