"""The reach of each infoset, from the sequence form in `game.bin`; needs only NumPy."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from untilt.dashboard.nodes.infoset_table import OwnMoves
from untilt.formats.run.compiled_game import FILE_NAME, read_game
from untilt.game.sequence.sequence_form import SequenceForm
from untilt.numeric.arrays import Floats


@dataclass(frozen=True)
class Meetings:
    """The pairs of sequences that meet at terminals, from one player's side; N pairs."""

    own: npt.NDArray[np.int64]
    """[N] the player's sequence."""
    opponent: npt.NDArray[np.int64]
    """[N] the opponent's sequence."""
    weight: Floats
    """[N] the chance probability."""

    def opponent_reach(self, own: Floats, opponent_plan: Floats, moves: OwnMoves) -> Floats:
        """Return [I] the probability that chance and the opponent's moves lead to each infoset.

        `own` is the player's behaviour, `opponent_plan` the reach of each of the opponent's
        sequences. What happens below an infoset does not matter, as probabilities sum to 1.
        """
        met = np.bincount(self.own, self.weight * opponent_plan[self.opponent], len(own))
        for sequences, before in reversed(moves.levels):
            np.add.at(met, before, own[sequences] * met[sequences])
        total = np.zeros(len(moves.parent_sequence))
        np.add.at(total, moves.infoset_of_sequence[1:], (own * met)[1:])
        return total


def read_meetings(folder: Path) -> tuple[Meetings, Meetings] | None:
    """Return both players' sides of the game of a run; None if it has no sequence form."""
    game = read_game(folder / FILE_NAME)
    if not game.has(SequenceForm):
        return None
    first, second = (_meetings(side) for side in game.exact_form().sides)
    return first, second


def _meetings(side: Any) -> Meetings:
    counts = np.diff(side.row_start.astype(np.int64))
    return Meetings(
        np.repeat(np.arange(len(counts)), counts),
        side.opponent_sequence.astype(np.int64),
        side.weight,
    )
