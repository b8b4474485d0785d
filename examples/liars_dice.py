"""Liar's dice with one die each: a template for writing your own game. RULES says how to play."""
# ruff: noqa: D102

from typing import NamedTuple

from untilt import Game
from untilt.research import Action, Terms

SAY = ("say", "say")  # "you say 2-3", "player 1 says liar"
RULES = """A bid 2-3 says: at least 2 of the 2 dice show 3; the highest face counts as every face. \
Bid higher, or say liar: the bidder wins if the bid is true, else the other player."""


class Knowledge(NamedTuple):
    """What a player knows; equal knowledge must compare and hash equal, as tuples do."""

    player: int
    private: str  # the player's die; `private` and `line` are optional, used by tables and charts
    line: str  # all bids so far
    legal: tuple[str, ...]

    def actions(self) -> tuple[str, ...]:
        return self.legal

    def __str__(self) -> str:  # the label in tables and strategy files
        return f"P{self.player}:{self.private}:{self.line}"


class LiarsDice(Game):
    """A position. `apply` returns a new position and does not change this one."""

    def __init__(self, sides: int = 6, dice: tuple[str, ...] = (), said: tuple[str, ...] = ()):
        self.sides, self.dice, self.said = sides, dice, said
        self.bids = tuple(f"{q}-{f}" for q in (1, 2) for f in range(1, sides + 1))

    terms = Terms(private="die", public="", has_forced_moves=True, verbs=SAY, rules=RULES)
    terminal = property(lambda self: self.said[-1:] == ("liar",))
    chance = property(lambda self: len(self.dice) < 2)
    active = property(lambda self: len(self.said) % 2)

    def payoff(self, player: int) -> float:
        quantity, face = self.said[-2].split("-")
        is_true = sum(die in (face, str(self.sides)) for die in self.dice) >= int(quantity)
        return 1.0 if is_true == (player == self.active) else -1.0  # after "liar", the bidder

    def chances(self) -> list[tuple[str, float]]:
        return [(str(face), 1 / self.sides) for face in range(1, self.sides + 1)]

    def infoset(self, player: int) -> Knowledge:
        higher = self.bids[self.bids.index(self.said[-1]) + 1 :] if self.said else self.bids
        legal = (*higher, "liar") if self.said else higher
        return Knowledge(player, self.dice[player], " ".join(self.said), legal)

    def apply(self, action: Action) -> "LiarsDice":
        if self.chance:
            return LiarsDice(self.sides, (*self.dice, str(action)))
        return LiarsDice(self.sides, self.dice, (*self.said, str(action)))


game = LiarsDice  # a class makes the root from its parameters: -p sides=4
