"""Wins and ties of every combo against a range: the result of all exact two-sided methods."""

from typing import NamedTuple

import numpy as np

from untilt.numeric.arrays import Floats


class HandOutcomes(NamedTuple):
    """Weights of the opponent's hands, summed over all possible boards.

    They are integers if the opponent's weights are all 1. An impossible combo has zeros.
    """

    wins: Floats
    """[1326]"""
    ties: Floats
    """[1326]"""
    totals: Floats
    """[1326] wins, ties and losses together."""

    def equities(self) -> Floats:
        """Return [1326] the share of the pot of each combo; nan if it meets no hand."""
        with np.errstate(invalid="ignore"):
            shares: Floats = (self.wins + self.ties / 2) / self.totals
        return shares
