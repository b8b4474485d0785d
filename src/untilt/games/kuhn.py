"""Kuhn poker: three cards, one bet, twelve infosets (Kuhn 1950).

Each player antes 1 chip and gets one card of J, Q, K. Player 0 checks or bets 1; a check may
be followed by a bet; a bet is called or folded to. The higher card wins at showdown.
"""

# ruff: noqa: D102 — the protocol documents the methods of a position.

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from untilt.errors import GameError
from untilt.game.protocol import Action, Game
from untilt.game.terms import Chips, Terms

CARDS = "JQK"
"""The deck, lowest card first."""

_LETTER_OF_ACTION: Mapping[Action, str] = {"check": "c", "call": "c", "bet": "b", "fold": "f"}
_FINAL_LINES = frozenset({"cc", "bc", "bf", "cbc", "cbf"})


class KuhnInfoset(NamedTuple):
    """A player's own card and the betting so far; labels read `P0:K:cb`."""

    player: int
    private: str
    line: str

    @property
    def public(self) -> str:
        """Empty: there is no public card."""
        return ""

    def actions(self) -> Sequence[str]:
        """Return the two actions, the passive one first."""
        return ("fold", "call") if self.line.endswith("b") else ("check", "bet")

    def __str__(self) -> str:
        return f"P{self.player}:{self.private}:{self.line}"


@dataclass(frozen=True, slots=True)
class Kuhn(Game):
    """A position of Kuhn poker; `Kuhn()` is the game."""

    terms = Terms(
        public="",
        has_chips=True,
        rules="Three cards: J, Q, K. Each player antes 1 and gets one. One bet of 1 may be made; "
        "it is called or folded to. The higher card wins the pot.",
    )

    cards: str = ""
    """Cards dealt so far: player 0's, then player 1's."""
    line: str = ""
    """Betting so far, one letter per action: c check or call, b bet, f fold."""

    @property
    def terminal(self) -> bool:
        return self.line in _FINAL_LINES

    @property
    def chance(self) -> bool:
        return len(self.cards) < 2

    @property
    def active(self) -> int:
        return len(self.line) % 2

    @property
    def chips(self) -> Chips:
        """The antes in the pot, and the bets; stacks have no limit."""
        bettor = self.line.find("b") % 2
        bet, call = float("b" in self.line), float(self.line.endswith("bc"))
        return Chips(2.0, (bet, call) if bettor == 0 else (call, bet), (None, None))

    def payoff(self, player: int) -> float:
        if self.line.endswith("f"):
            winner, stake = self.active, 1.0  # the fold passed the turn to the winner
        else:
            winner = 0 if CARDS.index(self.cards[0]) > CARDS.index(self.cards[1]) else 1
            stake = 2.0 if "b" in self.line else 1.0
        return stake if player == winner else -stake

    def chances(self) -> Sequence[tuple[str, float]]:
        remaining = [card for card in CARDS if card not in self.cards]
        return [(card, 1 / len(remaining)) for card in remaining]

    def infoset(self, player: int) -> KuhnInfoset:
        return KuhnInfoset(player, self.cards[player], self.line)

    def apply(self, action: Action) -> "Kuhn":
        if self.chance:
            legal: Sequence[str] = [card for card, _ in self.chances()]
        else:
            legal = () if self.terminal else self.infoset(self.active).actions()
        if action not in legal:
            raise GameError(f"Kuhn: {action!r} is not legal here; legal: {', '.join(legal)}")
        if self.chance:
            return Kuhn(f"{self.cards}{action}", "")
        return Kuhn(self.cards, self.line + _LETTER_OF_ACTION[action])
