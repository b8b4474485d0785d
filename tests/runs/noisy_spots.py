"""Solutions whose players err by a known noise: each takes actions by what a solution says of them.

They are no equilibria, but they have strategies at every noise at no cost, which is all that an
estimate of noise needs.
"""

from dataclasses import replace

import numpy as np

import untilt
from untilt.game.public.public_tree import DECISION
from untilt.games.holdem.solutions.solution import Solution


def noisy(solution: Solution, noises: tuple[float, float]) -> Solution:
    """Return the solution in which players take actions by exp(value / (noise × pot))."""
    snapshot = solution.snapshot
    layout, sides = snapshot.layout
    tables = tuple(np.zeros(len(table), np.float32) for table in snapshot.tables)
    for street, forest in enumerate(snapshot.tree.streets):
        decisions = np.flatnonzero(forest.kind == DECISION).tolist()
        for board in range(snapshot.tree.boards[street][0].num_boards):
            for node, view in zip(decisions, snapshot.views(street, board, decisions), strict=True):
                player = view.player
                beta = 1.0 / (noises[player] * solution.spot.pot)
                worth = np.nan_to_num(view.action_values)
                mix = np.exp(beta * (worth - worth.max(axis=0)))
                side = sides[player]
                place = side.board[int(layout.street[street].first_board) + board]
                child = int(forest.first_child[node]) + int(layout.street[street].first_node)
                begin = int(place.table) + int(side.node[child].row) * int(place.width)
                rows = tables[player][begin : begin + mix.shape[0] * int(place.width)]
                rows.reshape(mix.shape[0], -1)[:, : mix.shape[1]] = mix
    return replace(solution, snapshot=replace(snapshot, tables=(tables[0], tables[1])))


def solved(spot: untilt.Spot) -> Solution:
    """Return a rough solution, whose values are near those of an equilibrium."""
    return untilt.solve(spot, iterations=100, save=False)
