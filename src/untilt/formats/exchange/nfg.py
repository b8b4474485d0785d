"""Gambit's strategic-form files (`.nfg`): a game of one decision each, written for other programs.

Reading the text back (`untilt.games.nfg`) gives the same payoffs to the last bit.
"""

import numpy as np

from untilt.errors import GameError
from untilt.formats.exchange.efg import DEFAULT_PLAYERS, quoted
from untilt.game.compiled import CompiledGame
from untilt.game.sequence.sequence_form import Side
from untilt.numeric.arrays import Floats
from untilt.numeric.fractions import number_text


def write_nfg(game: CompiledGame, title: str, *, players: tuple[str, str] = DEFAULT_PLAYERS) -> str:
    """Return the text of an `.nfg` file; GameError unless each player decides at most once.

    Payoffs are expectations over chance moves.
    """
    form = game.exact_form()
    names = [list(table.items()) for table in game.infosets]
    if max(map(len, names)) > 1:
        raise GameError(
            f"an .nfg file is a table of strategies, and a player of {title} has "
            f"{max(map(len, names)):,} infosets; export it with --to efg"
        )
    strategies = [actions for (_, actions), *_ in (found or [("", ("",))] for found in names)]
    shape = (len(strategies[0]), len(strategies[1]))
    tables = [_table(form.sides[player], player, shape) for player in (0, 1)]
    listed = " ".join(f"{{ {' '.join(map(quoted, map(str, actions)))} }}" for actions in strategies)
    cells = (
        f"{number_text(float(tables[0][row, column]))} {number_text(float(tables[1][row, column]))}"
        for column in range(shape[1])
        for row in range(shape[0])
    )
    return (
        f"NFG 1 R {quoted(title)} {{ {quoted(players[0])} {quoted(players[1])} }}\n"
        f"{{ {listed} }}\n\n" + "\n".join(cells) + "\n"
    )


def _table(side: Side, player: int, shape: tuple[int, int]) -> Floats:
    """Return [strategies of player 0, of player 1] the payoffs of the player of a side."""
    own_shape = shape if player == 0 else shape[::-1]
    of_pairs = np.zeros((own_shape[0] + 1, own_shape[1] + 1))
    starts = side.row_start.astype(np.int64)
    own = np.repeat(np.arange(side.num_sequences), starts[1:] - starts[:-1])
    of_pairs[own, side.opponent_sequence] = side.payoff
    # A hand may end before one of them, or both, had to decide.
    ends = (of_pairs[:1, :1], of_pairs[1:, :1], of_pairs[:1, 1:], of_pairs[1:, 1:])
    table = sum(ends, np.zeros(own_shape))
    return table if player == 0 else table.T
