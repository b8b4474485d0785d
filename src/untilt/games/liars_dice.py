"""Liar's dice: all players roll in secret and bid on what all dice show together.

A bid `2-3` says that at least two of all dice show 3; the highest face counts as every face. Each
bid must be higher than the one before: more dice, or as many of a higher face. Instead of bidding a
player may say `liar`. Then the bidder wins a point from whoever said it if the bid is true, and
loses one otherwise; others gain nothing. For two players with one die of six sides each this is the
game of Lisý, Lanctot & Bowling 2015, "Online Monte Carlo counterfactual regret minimization for
search in imperfect information games"; its value is −7/258.

After the highest bid `liar` is the only move, a forced one. `examples/liars_dice.py` is the same
game for one die, written as a template for games of your own.
"""

# ruff: noqa: D102 — the protocol documents the methods of a position.

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import NamedTuple

from untilt.errors import GameError
from untilt.game.protocol import Action, Game
from untilt.game.terms import Terms
from untilt.games.parameters import ParameterValue, checked, verify_integer

LIAR = "liar"
MAX_DICE, MAX_SIDES, MAX_PLAYERS = 5, 9, 6


class DiceInfoset(NamedTuple):
    """A player's own dice, sorted, and all bids so far: `P0:26:1-3 2-3`."""

    player: int
    private: str
    line: str
    legal: tuple[str, ...]
    public: str = ""

    def actions(self) -> tuple[str, ...]:
        """Return the higher bids, and `liar` if there is a bid."""
        return self.legal

    def __str__(self) -> str:
        return f"P{self.player}:{self.private}:{self.line}"


@dataclass(frozen=True)
class DiceRules:
    """The parameters of the game, and what follows from them."""

    dice: int
    sides: int
    players: int = 2

    @cached_property
    def bids(self) -> tuple[str, ...]:
        """All bids from low to high."""
        quantities, faces = range(1, self.players * self.dice + 1), range(1, self.sides + 1)
        return tuple(f"{quantity}-{face}" for quantity in quantities for face in faces)

    @cached_property
    def rolls(self) -> tuple[tuple[str, float], ...]:
        """The possible rolls, sorted, each with its probability."""
        faces = [str(face) for face in range(1, self.sides + 1)]
        found = []
        for roll in combinations_with_replacement(faces, self.dice):
            ways = factorial(self.dice) // prod(map(factorial, Counter(roll).values()))
            found.append(("".join(roll), ways / self.sides**self.dice))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class LiarsDice(Game):
    """A position of liar's dice; `liars_dice()` makes the game."""

    rules: DiceRules
    rolled: tuple[str, ...] = ()
    """Dice of player 0, then of player 1, and so on."""
    said: tuple[str, ...] = ()

    @property
    def terms(self) -> Terms:
        """The vocabulary of the game."""
        return _TERMS.for_players(self.rules.players)

    @property
    def num_players(self) -> int:
        """The number of players."""
        return self.rules.players

    @property
    def parameters(self) -> dict[str, ParameterValue]:
        """The parameters with which `liars_dice` makes this game."""
        rules = self.rules
        own: dict[str, ParameterValue] = {"dice": rules.dice, "sides": rules.sides}
        return own if rules.players == 2 else {**own, "players": rules.players}

    @property
    def terminal(self) -> bool:
        return self.said[-1:] == (LIAR,)

    @property
    def chance(self) -> bool:
        return len(self.rolled) < self.rules.players

    @property
    def active(self) -> int:
        return len(self.said) % self.rules.players

    def payoff(self, player: int) -> float:
        quantity, face = self.said[-2].split("-")
        wild = str(self.rules.sides)
        shown = sum(die in (face, wild) for die in "".join(self.rolled))
        accuser, bidder = ((len(self.said) - back) % self.rules.players for back in (1, 2))
        if player not in (accuser, bidder):
            return 0.0
        return 1.0 if (shown >= int(quantity)) == (player == bidder) else -1.0

    def chances(self) -> Sequence[tuple[str, float]]:
        return self.rules.rolls

    def infoset(self, player: int) -> DiceInfoset:
        bids = self.rules.bids
        legal = (*bids[bids.index(self.said[-1]) + 1 :], LIAR) if self.said else bids
        return DiceInfoset(player, self.rolled[player], " ".join(self.said), legal)

    def apply(self, action: Action) -> "LiarsDice":
        if self.chance:
            legal: Sequence[str] = [roll for roll, _ in self.chances()]
        else:
            legal = () if self.terminal else self.infoset(self.active).legal
        if action not in legal:
            raise GameError(f"liars-dice: {action!r} is not legal here; legal: {', '.join(legal)}")
        if self.chance:
            return LiarsDice(self.rules, (*self.rolled, str(action)))
        return LiarsDice(self.rules, self.rolled, (*self.said, str(action)))


_TERMS = Terms(
    private="dice",
    public="",
    has_forced_moves=True,
    verbs=("say", "say"),
    rules="A bid 2-3 says: at least 2 of all dice show 3; the highest face counts as every "
    "face. Bid higher, or say liar: the bidder wins if the bid is true, else the other player.",
)


@checked
def liars_dice(dice: int = 1, sides: int = 4, players: int = 2) -> LiarsDice:
    """Return liar's dice with `dice` dice of `sides` sides for each player."""
    verify_integer("liars-dice", "players", players, 2, MAX_PLAYERS)
    verify_integer("liars-dice", "dice", dice, 1, MAX_DICE)
    verify_integer("liars-dice", "sides", sides, 2, MAX_SIDES)
    return LiarsDice(DiceRules(dice, sides, players))
