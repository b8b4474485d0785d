"""The variant of Leduc behind the counts of 276 infosets and 690 action variables.

One published solver reports these counts for "Leduc". They belong to another game: three bets
per street, and player 0's check on the second street ends the hand at once in a showdown.
Payoffs are Leduc's. It is kept under its own name so that the counts can be reproduced.
"""

from dataclasses import replace

from untilt.games.leduc import Leduc


class Leduc276(Leduc):
    """A position of leduc-276; `Leduc276()` is the game."""

    __slots__ = ()

    terms = replace(
        Leduc.terms,
        rules=f"{Leduc.terms.rules} Once the board is there, a check by player 0 ends the hand.",
    )
    first_check_ends_second_street = True

    def __init__(self) -> None:
        super().__init__(ranks=3, suits="merged", bets=3)

    @property
    def parameters(self) -> dict[str, int | str]:
        """Empty: the variant has no parameters."""
        return {}
