"""The strategies of a solution with merged boards, written out for every board.

A lock by suits or cards needs this: boards that were interchangeable no longer are once a lock
distinguishes them, but the strategies to start from are those of the board that stood for both.
"""

from typing import Any

import numpy as np

from untilt.cards.combos import NUM_COMBOS
from untilt.game.public.public_layout import Singles, layout_of
from untilt.games.holdem.solutions.solution import Solution
from untilt.games.holdem.spots.public_form import SpotForm


def unmerged_tables(solution: Solution, form: SpotForm) -> tuple[Singles, Singles]:
    """Return the tables of `solution` in the layout of `form`, its spot with all boards dealt."""
    return _of_player(solution, form, 0), _of_player(solution, form, 1)


def _of_player(solution: Solution, form: SpotForm, player: int) -> Singles:
    layout, sides = layout_of(form.tree)
    kept_layout, kept_sides = solution.snapshot.layout
    side, kept_side = sides[player], kept_sides[player]
    kept_table = solution.snapshot.tables[player]
    table = np.zeros(side.table_size, np.float32)
    lane_of_combo = np.zeros(NUM_COMBOS, np.int64)
    for street, boards in enumerate(form.boards.streets):
        num_rows = int(side.street[street].num_rows)
        for board, dealt in enumerate(boards.cards):
            concrete = solution.view.board_of(dealt)
            here = side.board[int(layout.street[street].first_board) + board]
            there = kept_side.board[int(kept_layout.street[street].first_board) + concrete.board]
            kept = solution.lane_combos(street, concrete.board, player)
            lane_of_combo[concrete.combos(kept)] = np.arange(len(kept))
            lanes = lane_of_combo[form.lane_combos(street, board, player)]
            rows = kept_table[_block(there, num_rows)].reshape(num_rows, -1)
            table[_block(here, num_rows)].reshape(num_rows, -1)[:, : len(lanes)] = rows[:, lanes]
    return table


def _block(board: Any, num_rows: int) -> slice:
    """Return the range of a board's rows in the tables."""
    begin = int(board.table)
    return slice(begin, begin + num_rows * int(board.width))
