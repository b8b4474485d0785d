"""A check that the public tree in a file is the one of its spot.

A file may be forged with valid checksums. What follows from the spot without evaluating hands is
compared: betting and stakes, ranges, boards, the hands of all lanes, and where deals lead. The
order of strength and the run-outs cannot be recomputed as quickly; the reader of the file has
checked their bounds.
"""

import math

import numpy as np

from untilt.cards.card import BOARD_SIZE, NUM_CARDS, NUM_SUITS
from untilt.cards.combos import COMBO_CARDS, COMBO_MASKS, Combos
from untilt.cards.suits import renamed_combos
from untilt.game.public.public_tree import Boards, PublicTree, Street
from untilt.games.holdem.spots.board_tree import StreetBoards
from untilt.games.holdem.spots.spot_view import SpotView, range_weights, street_of
from untilt.numeric.arrays import Floats

_BLOCKERS = (COMBO_CARDS & 15) * NUM_SUITS + (COMBO_CARDS >> 4)
"""[1326, 2] the cards of every combo as numbers from 0 to 51."""


def is_tree_of(view: SpotView, tree: PublicTree) -> bool:
    """Whether a tree, whose parts fit together, is that of a spot with run-outs for equities."""
    spot, streets = view.spot, view.boards.streets
    half = spot.pot / 2.0
    return (
        len(tree.streets) == len(streets)
        and tree.baseline == (half, half)
        and all(_has_weights(weights, view, player) for player, weights in enumerate(tree.weights))
        and all(
            _is_same_street(found, street_of(spot, forest))
            for found, forest in zip(tree.streets, view.betting.streets, strict=True)
        )
        and all(
            _has_lanes(boards[player], street, view.combos[player])
            for boards, street in zip(tree.boards, streets, strict=True)
            for player in (0, 1)
        )
        and all(_has_deals(tree, view, number) for number in range(1, len(streets)))
        and _has_runouts(tree, len(spot.board))
    )


def _has_weights(weights: Floats, view: SpotView, player: int) -> bool:
    """Whether these are the weights of a player's range; older files did not scale tiny ones."""
    combos = view.combos[player]
    scaled = range_weights(view.spot, player, combos)
    as_given = view.spot.ranges[player].weights[combos]
    return np.array_equal(weights, scaled) or np.array_equal(weights, as_given)


def _is_same_street(found: Street, expected: Street) -> bool:
    return all(
        np.array_equal(getattr(found, name), getattr(expected, name)) for name in Street._fields
    )


def _has_lanes(boards: Boards, street: StreetBoards, combos: Combos) -> bool:
    """Whether every board has exactly the hands that it leaves, in a possible order."""
    counts = np.diff(boards.first_lane)
    if not np.array_equal(counts, street.count_lanes(combos)):
        return False
    of_lane = combos[boards.hand]
    order = boards.hand.astype(np.int64)
    if len(boards.strength):
        order += boards.strength.astype(np.int64) << 16
    is_ascending = order[1:] > order[:-1]
    is_ascending[boards.first_lane[1:-1] - 1] = True
    return (
        bool(is_ascending.all())
        and not np.any(COMBO_MASKS[of_lane] & np.repeat(street.masks, counts))
        and np.array_equal(boards.blockers, _BLOCKERS[of_lane])
    )


def _has_deals(tree: PublicTree, view: SpotView, number: int) -> bool:
    """Whether the deals to a street lead to its boards, and lanes to the same hands renamed."""
    deals, street = tree.deals[number - 1], view.boards.streets[number]
    is_same = (
        deals.probability == 1.0 / _num_left(len(view.spot.board) + number - 1)
        and np.array_equal(deals.parent, street.edge_parent)
        and np.array_equal(deals.child, street.edge_child)
    )
    if not is_same:
        return False
    renamed = renamed_combos()
    for player, combos in enumerate(view.combos):
        earlier, later = (tree.boards[each][player] for each in (number - 1, number))
        counts = np.diff(deals.first_lane[player])
        from_lane = np.repeat(earlier.first_lane[deals.parent], counts) + deals.lane[player]
        shift = later.first_lane[deals.child] - deals.first_lane[player][:-1]
        to_lane = np.arange(len(from_lane)) + np.repeat(shift, counts)
        expected = renamed[np.repeat(street.edge_renaming, counts), combos[later.hand[to_lane]]]
        if not np.array_equal(combos[earlier.hand[from_lane]], expected):
            return False
    return True


def _has_runouts(tree: PublicTree, num_cards: int) -> bool:
    """Whether every street but the last has run-outs, and all are equally likely."""
    *before, last = tree.runouts
    if last is not None:
        return False
    for number, runouts in enumerate(before):
        num_missing = BOARD_SIZE - num_cards - number
        count = math.comb(_num_left(num_cards + number), num_missing)
        if runouts is None or not math.isclose(runouts.probability, 1.0 / count):
            return False
    return True


def _num_left(num_cards: int) -> int:
    """Return the number of cards that may be dealt to a board of this size and two hands."""
    return NUM_CARDS - num_cards - 4
