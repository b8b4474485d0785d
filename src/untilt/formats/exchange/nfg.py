"""Gambit's strategic-form files (`.nfg`): a game of one decision each, written for other programs.

Reading the text back (`untilt.games.nfg`) gives the same payoffs to the last bit.
"""

from itertools import product

import numpy as np

from untilt.errors import GameError
from untilt.formats.exchange.efg import default_players, quoted
from untilt.game.compiled import CompiledGame
from untilt.game.sequence.plan_form import PlanForm
from untilt.numeric.arrays import Floats
from untilt.numeric.fractions import number_text


def write_nfg(game: CompiledGame, title: str, *, players: tuple[str, ...] | None = None) -> str:
    """Return the text of an `.nfg` file; GameError unless each player decides at most once.

    Payoffs are expectations over chance moves.
    """
    form = game.plan_form()
    players = players or default_players(game.num_players)
    names = [list(table.items()) for table in game.infosets]
    if max(map(len, names)) > 1:
        raise GameError(
            f"an .nfg file is a table of strategies, and a player of {title} has "
            f"{max(map(len, names)):,} infosets; export it with --to efg"
        )
    strategies = [actions for (_, actions), *_ in (found or [("", ("",))] for found in names)]
    shape = tuple(map(len, strategies))
    tables = [_table(form, player, shape).ravel(order="F") for player in range(len(shape))]
    listed = " ".join(f"{{ {' '.join(map(quoted, map(str, actions)))} }}" for actions in strategies)
    cells = (
        " ".join(number_text(float(payoff)) for payoff in cell)
        for cell in zip(*tables, strict=True)
    )
    return (
        f"NFG 1 R {quoted(title)} {{ {' '.join(map(quoted, players))} }}\n"
        f"{{ {listed} }}\n\n" + "\n".join(cells) + "\n"
    )


def _table(form: PlanForm, player: int, shape: tuple[int, ...]) -> Floats:
    """Return [strategies of player 0, of player 1, …] the payoffs of a player."""
    # A hand may end before some of the players had to decide: their sequence is then 0.
    of_tuples = np.zeros([count + 1 for count in shape])
    of_tuples[form.meetings(player)] = form.sides[player].payoff
    table = np.zeros(shape)
    for decides in product((False, True), repeat=len(shape)):
        part = tuple(slice(1, None) if each else slice(0, 1) for each in decides)
        table = table + of_tuples[part]
    return table
