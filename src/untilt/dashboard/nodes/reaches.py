"""The reach of each infoset, from the exact form in `game.bin`; needs only NumPy."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from untilt.dashboard.nodes.infoset_table import OwnMoves
from untilt.formats.run.compiled_game import FILE_NAME, read_game
from untilt.game.sequence.plan_form import PlanForm
from untilt.numeric.arrays import Floats, Offsets


@dataclass(frozen=True)
class Meetings:
    """The sequences of all players that meet at terminals, in the order of one side; N rows."""

    sequences: tuple[Offsets, ...]
    """[N] by player."""
    weight: Floats
    """[N] the chance probability."""

    def opponent_reach(
        self, player: int, behaviours: Sequence[Floats], moves: Sequence[OwnMoves]
    ) -> Floats:
        """Return [I] the probability that chance and all others' moves lead to each infoset.

        What happens below an infoset does not matter, as probabilities sum to 1.
        """
        own, own_moves = behaviours[player], moves[player]
        reach = self.weight
        for other, sequences in enumerate(self.sequences):
            if other != player:
                reach = reach * moves[other].plan(behaviours[other])[sequences]
        met = np.bincount(self.sequences[player], reach, len(own))
        for sequences, before in reversed(own_moves.levels):
            np.add.at(met, before, own[sequences] * met[sequences])
        total = np.zeros(len(own_moves.parent_sequence))
        np.add.at(total, own_moves.infoset_of_sequence[1:], (own * met)[1:])
        return total


def read_meetings(folder: Path) -> tuple[Meetings, ...] | None:
    """Return all players' sides of the game of a run; None if it has no exact form."""
    game = read_game(folder / FILE_NAME)
    if not game.has(PlanForm):
        return None
    form = game.plan_form()
    return tuple(
        Meetings(form.meetings(player), side.weight) for player, side in enumerate(form.sides)
    )
