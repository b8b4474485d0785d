"""Lanes of a spot: which hands are possible on which board, in order, and how deals connect them.

Kernels over all boards of a street at once. A *hand* is a number among a player's combos.
"""

import numpy as np

from untilt.cards.card import strength_of_rank
from untilt.cards.combos import COMBO_MASKS, Combos
from untilt.cards.evaluator.evaluator import evaluate_in_numpy
from untilt.cards.showdown.showdown import hands_of
from untilt.cards.suits import renamed_combos
from untilt.game.public.public_tree import Boards, DealEdges, Lanes, RunoutBalances
from untilt.games.holdem.spots.board_tree import StreetBoards
from untilt.numeric.arrays import Ints, Offsets
from untilt.numeric.kernel import allocates, kernel

_NO_LANE = -1
_BEST = np.uint16(strength_of_rank(0))
_RIVERS_OF_TURN = 44
"""Cards left for the river once a turn board and two hands are known."""
_CARDS_OF_FLOP = 45


def make_boards(combos: Combos, street: StreetBoards, *, is_last: bool) -> Boards:
    """Return a player's lanes on every board; sorted by strength on the last street."""
    hands = hands_of(combos.astype(np.int64))
    first_lane = _offsets(street.count_lanes(combos))
    board, hand = np.nonzero(hands.masks & street.masks[:, None] == 0)
    strength = np.empty(0, dtype=np.uint16)
    if is_last:
        # In NumPy, since a kernel would take longer to compile than this takes on a flop.
        strength = _BEST - evaluate_in_numpy(street.masks[board] | hands.masks[hand])
        order = np.argsort(board * (int(_BEST) + 1) + strength, kind="stable")
        hand, strength = hand[order], strength[order]
    blockers = np.stack([hands.low[hand], hands.high[hand]], axis=1)
    return Boards(first_lane, hand.astype(np.uint16), blockers, strength)


def make_deals(
    combos: tuple[Combos, Combos],
    street: StreetBoards,
    earlier: tuple[Boards, Boards],
    later: tuple[Boards, Boards],
    num_cards_left: int,
) -> DealEdges:
    """Return the edges to the boards of `street`, with the lane that each lane comes from."""
    firsts: list[Offsets] = []
    lanes: list[Lanes] = []
    for player in (0, 1):
        first_lane = _offsets(np.diff(later[player].first_lane)[street.edge_child])
        lane = np.empty(first_lane[-1], dtype=np.int16)
        _map_lanes(
            _renamed_hands(combos[player]),
            street.edge_parent,
            street.edge_child,
            street.edge_renaming,
            earlier[player],
            later[player],
            first_lane,
            lane,
        )
        firsts.append(first_lane)
        lanes.append(lane)
    return DealEdges(
        street.edge_parent,
        street.edge_child,
        1.0 / num_cards_left,
        (firsts[0], firsts[1]),
        (lanes[0], lanes[1]),
    )


def make_river_runouts(
    turn: tuple[Boards, Boards], river: tuple[Boards, Boards], deals: DealEdges
) -> RunoutBalances:
    """Return the balance of all rivers for every pair of hands on every turn board."""
    first = _first_cells(turn)
    balance = np.zeros(first[-1], dtype=np.int16)
    _add_rivers(turn[1], river[0], river[1], deals, first, balance)
    _clear_impossible(turn, first, balance)
    return RunoutBalances(first, balance, 1.0 / _RIVERS_OF_TURN)


def make_turn_runouts(
    flop: tuple[Boards, Boards], deals: DealEdges, later: RunoutBalances
) -> RunoutBalances:
    """Return the balance of all run-outs for every pair of hands on every flop, from its turns."""
    first = _first_cells(flop)
    twice = np.zeros(first[-1], dtype=np.int32)
    _add_turns(flop[1], deals, first, later, twice)
    # Two cards come in two orders, and both are counted.
    balance = (twice // 2).astype(np.int16)
    probability = 2.0 / (_CARDS_OF_FLOP * _RIVERS_OF_TURN)
    return RunoutBalances(first, balance, probability)


def _clear_impossible(boards: tuple[Boards, Boards], first: Offsets, balance: Lanes) -> None:
    """Write 0 for every pair of hands that share a card."""
    for board in range(boards[0].num_boards):
        own, other = (each.blockers[each.lanes(board)] for each in boards)
        cells = balance[first[board] : first[board + 1]].reshape(len(own), len(other))
        for column in (0, 1):
            for other_column in (0, 1):
                cells[own[:, column, None] == other[None, :, other_column]] = 0


def _first_cells(boards: tuple[Boards, Boards]) -> Offsets:
    return _offsets(np.diff(boards[0].first_lane) * np.diff(boards[1].first_lane))


def _offsets(sizes: Offsets) -> Offsets:
    """Return the beginnings of parts of these sizes, and the end."""
    first = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=first[1:])
    return first


def _renamed_hands(combos: Combos) -> Lanes:
    """Return [24, hands] the hand that each hand becomes under each renaming; −1 for none."""
    hand_of_combo = np.full(len(COMBO_MASKS), _NO_LANE, dtype=np.int16)
    hand_of_combo[combos] = np.arange(len(combos))
    return np.ascontiguousarray(hand_of_combo[renamed_combos()[:, combos]])


@kernel
@allocates
def _map_lanes(
    renamed_hands: Lanes,
    parents: Ints,
    children: Ints,
    renamings: Ints,
    earlier: Boards,
    later: Boards,
    first_lane: Offsets,
    lane: Lanes,
) -> None:
    """Write, for each lane of each edge, the lane of the parent that it comes from."""
    lane_of_hand = np.full(renamed_hands.shape[1], _NO_LANE, dtype=np.int16)
    previous = -1
    for edge in range(len(parents)):
        parent = parents[edge]
        if parent != previous:
            lane_of_hand[:] = _NO_LANE
            begin = earlier.first_lane[parent]
            for place in range(earlier.first_lane[parent + 1] - begin):
                lane_of_hand[earlier.hand[begin + place]] = place
            previous = parent
        begin = later.first_lane[children[edge]]
        renamed = renamed_hands[renamings[edge]]
        for place in range(first_lane[edge + 1] - first_lane[edge]):
            lane[first_lane[edge] + place] = lane_of_hand[renamed[later.hand[begin + place]]]


@kernel
@allocates
def _add_rivers(
    turn1: Boards,
    river0: Boards,
    river1: Boards,
    deals: DealEdges,
    first: Offsets,
    balance: Lanes,
) -> None:
    """Add, for every river and pair of lanes of its turn board, who wins."""
    for edge in range(len(deals.parent)):
        board = deals.parent[edge]
        num_lanes1 = turn1.first_lane[board + 1] - turn1.first_lane[board]
        # Two thresholds per hand, so that nobody wins or loses against one that is excluded.
        to_win = np.full(num_lanes1, _BEST, dtype=np.int16)
        to_lose = np.zeros(num_lanes1, dtype=np.int16)
        begin = river1.first_lane[deals.child[edge]]
        begin_map = deals.first_lane[1][edge]
        for place in range(deals.first_lane[1][edge + 1] - begin_map):
            lane = deals.lane[1][begin_map + place]
            to_win[lane] = to_lose[lane] = river1.strength[begin + place]
        begin = river0.first_lane[deals.child[edge]]
        begin_map = deals.first_lane[0][edge]
        for place in range(deals.first_lane[0][edge + 1] - begin_map):
            own = np.int16(river0.strength[begin + place])
            begin_row = first[board] + deals.lane[0][begin_map + place] * num_lanes1
            row = balance[begin_row : begin_row + num_lanes1]
            for lane in range(num_lanes1):
                row[lane] += np.int16(own > to_win[lane]) - np.int16(own < to_lose[lane])


@kernel
def _add_turns(
    flop1: Boards,
    deals: DealEdges,
    first: Offsets,
    later: RunoutBalances,
    twice: Ints,
) -> None:
    """Add the balances of all turns, as lanes of the flop."""
    for edge in range(len(deals.parent)):
        board, child = deals.parent[edge], deals.child[edge]
        num_lanes1 = flop1.first_lane[board + 1] - flop1.first_lane[board]
        map0 = deals.lane[0][deals.first_lane[0][edge] : deals.first_lane[0][edge + 1]]
        map1 = deals.lane[1][deals.first_lane[1][edge] : deals.first_lane[1][edge + 1]]
        cell = later.first[child]
        for place0 in range(len(map0)):
            begin_row = first[board] + map0[place0] * num_lanes1
            for place1 in range(len(map1)):
                twice[begin_row + map1[place1]] += later.balance[cell]
                cell += 1
