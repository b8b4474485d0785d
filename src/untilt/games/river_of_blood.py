"""River of Blood: no-limit hold'em whose board runs on while its last card is red.

Stacks are 400, blinds 1/2. From the fifth card of the board onwards, if the last card is a heart or
a diamond, another card is dealt and another street is bet; a black card is the last. The best five
of all cards win. MIT's Pokerbots competition of 2023 played it.
"""

from typing import Any

from untilt.game.terms import Terms
from untilt.games.holdem.game import Holdem
from untilt.games.holdem.rules import HoldemRules

RULES = HoldemRules(stacks=(400, 400), blinds=(1, 2), red_runs_on=True)
"""The rules of the competition."""


class RiverOfBlood(Holdem):
    """A position of River of Blood; `RiverOfBlood()` is the game."""

    __slots__ = ()

    terms = Terms(
        seats=Holdem.terms.seats,
        private="cards",
        public="board",
        has_chips=True,
        rules="Heads-up no-limit hold'em with one more rule: from the fifth card of the board on, "
        "while the last card is red, another card is dealt and another street is bet. The small "
        "blind acts first before the flop and last after it. The best five of all cards win.",
    )

    def __init__(self, rules: HoldemRules | None = None) -> None:
        super().__init__(RULES if rules is None else rules)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters with which `untilt.games.river_of_blood` makes this game."""
        names = ("stack", "small_blind", "big_blind", "board", "ranks", "suits")
        return {name: self.rules.parameters[name] for name in names}
