"""Kuhn and Leduc poker in the plainest way: a second opinion on the rules.

In poker a position is the cards dealt so far and the line of betting letters; whatever else
one may ask (whose turn, who has bet what, is it over) is read off the line anew.
A matrix game, small enough for sums by hand, stands beside them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from untilt.game.protocol import Action, Uniforms

LETTER_OF_ACTION = {"check": "c", "bet": "b", "fold": "f", "call": "c", "raise": "r"}


class Knowledge(NamedTuple):
    """An infoset: what the player to act has seen, and what he may do."""

    player: int
    seen: tuple[str, ...]
    line: str
    legal: tuple[str, ...]

    def actions(self) -> Sequence[str]:
        return self.legal

    def __str__(self) -> str:
        return f"P{self.player}:{':'.join(self.seen)}:{self.line}"


@dataclass(frozen=True)
class Kuhn:
    """Three cards, ante 1, one bet of 1."""

    private: str = ""
    line: str = ""

    @property
    def terminal(self) -> bool:
        return self.line in ("cc", "bc", "bf", "cbc", "cbf")

    @property
    def chance(self) -> bool:
        return len(self.private) < 2

    @property
    def active(self) -> int:
        return len(self.line) % 2

    def payoff(self, player: int) -> float:
        if self.line.endswith("f"):
            # The player who folded made the last move, and loses his ante.
            folder = (len(self.line) - 1) % 2
            return -1.0 if player == folder else 1.0
        stake = 2.0 if "b" in self.line else 1.0
        mine, other = self.private[player], self.private[1 - player]
        return stake if "JQK".index(mine) > "JQK".index(other) else -stake

    def chances(self) -> list[tuple[str, float]]:
        left = [card for card in "JQK" if card not in self.private]
        return [(card, 1 / len(left)) for card in left]

    def sample(self, rng: Uniforms) -> str:
        return _sample(self.chances(), rng)

    def infoset(self, player: int) -> Knowledge:
        legal = ("fold", "call") if self.line.endswith("b") else ("check", "bet")
        return Knowledge(player, (self.private[player],), self.line, legal)

    def apply(self, action: Action) -> "Kuhn":
        if self.chance:
            return replace(self, private=self.private + str(action))
        return replace(self, line=self.line + LETTER_OF_ACTION[str(action)])


@dataclass(frozen=True)
class Leduc:
    """Two cards of each rank, one each and one public; ante 1, bets of 2, then 4.

    `suits` = ("", "") deals ranks with weights, ("s", "h") tells the two cards of a rank
    apart. `bets` is the most bets and raises of one street.
    """

    ranks: tuple[str, ...] = ("J", "Q", "K")
    suits: tuple[str, str] = ("", "")
    bets: int = 2
    private: tuple[str, ...] = ()
    board: str = ""
    line: str = ""

    @property
    def street(self) -> str:
        """The letters of the present street."""
        return self.line.split("/")[-1]

    @property
    def closed(self) -> bool:
        """Whether the betting of the present street is over, without a fold."""
        bet = "b" in self.street
        return self.street.endswith("c") and (bet or self.street == "cc")

    @property
    def terminal(self) -> bool:
        return self.line.endswith("f") or (self.board != "" and self.closed)

    @property
    def chance(self) -> bool:
        return len(self.private) < 2 or (self.board == "" and self.closed)

    @property
    def active(self) -> int:
        return len(self.street) % 2

    def payoff(self, player: int) -> float:
        paid = [1.0, 1.0]
        for street, size in zip(self.line.split("/"), (2.0, 4.0), strict=False):
            for move, letter in enumerate(street):
                mover = move % 2
                if letter == "f":
                    return -paid[player] if player == mover else paid[1 - player]
                paid[mover] = paid[1 - mover]
                if letter in "br":
                    paid[mover] += size
        mine, other = self._strength(player), self._strength(1 - player)
        if mine == other:
            return 0.0
        return paid[1 - player] if mine > other else -paid[player]

    def chances(self) -> list[tuple[str, float]]:
        left = [rank + suit for rank in self.ranks for suit in self.suits]
        for card in self.private:
            left.remove(card)
        return [(card, left.count(card) / len(left)) for card in dict.fromkeys(left)]

    def sample(self, rng: Uniforms) -> str:
        return _sample(self.chances(), rng)

    def infoset(self, player: int) -> Knowledge:
        legal: tuple[str, ...] = ("check", "bet")
        num_bets = self.street.count("b") + self.street.count("r")
        if num_bets > 0:
            legal = ("fold", "call", "raise") if num_bets < self.bets else ("fold", "call")
        return Knowledge(player, (self.private[player], self.board), self.line, legal)

    def apply(self, action: Action) -> "Leduc":
        if len(self.private) < 2:
            return replace(self, private=(*self.private, str(action)))
        if self.chance:
            return replace(self, board=str(action), line=self.line + "/")
        return replace(self, line=self.line + LETTER_OF_ACTION[str(action)])

    def _rank(self, card: str) -> int:
        return [rank + suit for rank in self.ranks for suit in self.suits].index(card) // 2

    def _strength(self, player: int) -> tuple[bool, int]:
        rank = self._rank(self.private[player])
        return rank == self._rank(self.board), rank


@dataclass(frozen=True)
class Matrix:
    """Both choose at once: player 0 a row, player 1 a column, named by their numbers.

    `columns_payoffs` are player 1's payoffs; without them what player 0 gains player 1 loses.
    Labels are `P0::` and `P1::`.
    """

    payoffs: tuple[tuple[float, ...], ...]
    columns_payoffs: tuple[tuple[float, ...], ...] | None = None
    chosen: tuple[int, ...] = ()

    @property
    def terminal(self) -> bool:
        return len(self.chosen) == 2

    @property
    def chance(self) -> bool:
        return False

    @property
    def active(self) -> int:
        return len(self.chosen)

    def payoff(self, player: int) -> float:
        row, column = self.chosen
        if player == 0:
            return self.payoffs[row][column]
        if self.columns_payoffs is None:
            return -self.payoffs[row][column]
        return self.columns_payoffs[row][column]

    def chances(self) -> list[tuple[str, float]]:
        raise AssertionError("a matrix game has no chance moves")

    def sample(self, rng: Uniforms) -> str:
        raise AssertionError("a matrix game has no chance moves")

    def infoset(self, player: int) -> Knowledge:
        number = len(self.payoffs) if player == 0 else len(self.payoffs[0])
        return Knowledge(player, ("",), "", tuple(str(choice) for choice in range(number)))

    def apply(self, action: Action) -> "Matrix":
        return replace(self, chosen=(*self.chosen, int(str(action))))


def _sample(chances: list[tuple[str, float]], rng: Uniforms) -> str:
    left = rng.random()
    for outcome, probability in chances:
        left -= probability
        if left < 0.0:
            return outcome
    return chances[-1][0]
