"""Kuhn poker: three cards, one bet, twelve infosets (Kuhn 1950).

Each player antes 1 chip and gets one card of J, Q, K. Player 0 checks or bets 1; a check may
be followed by a bet; a bet is called or folded to. The higher card wins at showdown.

`kuhn(cards, ante, bet)` changes the deck and the stakes. With three cards, an ante a and a bet
b ≤ 2a, the game is worth −b min(b, 2a − b) / (6 (2a + b)) to player 0; it is worth nothing once b
reaches 2a, where a bluff with J costs more than it can win. With 13 cards it is the one-card poker
of Koller & Pfeffer 1995, "Generating and solving imperfect information games".

With more players there is at least one card more than players. After a bet, each
of the others in turn calls or folds; without a bet all cards are compared. The three-player game
has a family of equilibria that are known in closed form: in all of them player 1 gets −1/48, while
a parameter moves chips between players 0 and 2 (Szafron, Gibson & Sturtevant 2013, "A parameterized
family of equilibrium profiles for three-player Kuhn poker").
"""

# ruff: noqa: D102 — the protocol documents the methods of a position.

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from untilt.errors import GameError
from untilt.game.protocol import Action, Game
from untilt.game.terms import Chips, Terms
from untilt.games.parameters import ParameterValue, checked, verify_integer, verify_number

_ALL_CARDS = "A23456789TJQK"
"""Cards from low to high; the ace is the lowest. A deck has the highest of them."""
MAX_CARDS = len(_ALL_CARDS)
MAX_CHIPS = 1_000.0
"""Largest ante and bet."""

_LETTER_OF_ACTION: Mapping[Action, str] = {"check": "c", "call": "c", "bet": "b", "fold": "f"}
MAX_PLAYERS = 8


@dataclass(frozen=True)
class KuhnRules:
    """The parameters of the game, and what follows from them."""

    cards: int = 3
    ante: float = 1.0
    bet: float = 1.0
    players: int = 2

    @cached_property
    def deck(self) -> str:
        """The deck, lowest card first: JQK, TJQK, …"""
        return _ALL_CARDS[-self.cards :]

    @cached_property
    def terms(self) -> Terms:
        """The vocabulary, with these rules in words."""
        deck = self.deck
        shown = ", ".join(deck if len(deck) <= 4 else (*deck[:2], "…", deck[-1]))
        count = "Three" if self.cards == 3 else str(self.cards)
        called, high = "it is called or folded to", "higher"
        if self.players > 2:
            called, high = "the others call it or fold", "highest"
        return Terms(
            public="",
            has_chips=True,
            rules=f"{count} cards: {shown}. Each player antes {self.ante:g} and gets one. One bet "
            f"of {self.bet:g} may be made; {called}. The {high} card wins the pot.",
        ).for_players(self.players)


_PLAIN = KuhnRules()


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
        return ("fold", "call") if "b" in self.line else ("check", "bet")

    def __str__(self) -> str:
        return f"P{self.player}:{self.private}:{self.line}"


@dataclass(frozen=True, slots=True)
class Kuhn(Game):
    """A position of Kuhn poker; `Kuhn()` is the game, `kuhn()` makes others."""

    cards: str = ""
    """Cards dealt so far: player 0's, then player 1's, and so on."""
    line: str = ""
    """Betting so far, one letter per action: c check or call, b bet, f fold."""
    rules: KuhnRules = _PLAIN

    @property
    def terms(self) -> Terms:
        """The vocabulary of the game."""
        return self.rules.terms

    @property
    def num_players(self) -> int:
        """The number of players."""
        return self.rules.players

    @property
    def parameters(self) -> dict[str, ParameterValue]:
        """The parameters with which `kuhn` makes this game, without those of plain Kuhn poker."""
        rules = self.rules
        plain = KuhnRules(rules.players + 1)
        own = {name: getattr(rules, name) for name in ("cards", "ante", "bet", "players")}
        return {name: value for name, value in own.items() if value != getattr(plain, name)}

    @property
    def terminal(self) -> bool:
        bettor, players = self.line.find("b"), self.rules.players
        return len(self.line) == (players if bettor < 0 else bettor + players)

    @property
    def chance(self) -> bool:
        return len(self.cards) < self.rules.players

    @property
    def active(self) -> int:
        return len(self.line) % self.rules.players

    @property
    def chips(self) -> Chips:
        """The antes in the pot, and the bets; stacks have no limit."""
        players, size = self.rules.players, self.rules.bet
        in_pot = self._in_pot() if "b" in self.line else ()
        bets = tuple(size * (player in in_pot) for player in range(players))
        return Chips(players * self.rules.ante, bets, (None,) * players)

    def payoff(self, player: int) -> float:
        rules, in_pot, has_bet = self.rules, self._in_pot(), "b" in self.line
        winner = max(in_pot, key=lambda each: rules.deck.index(self.cards[each]))
        paid = [
            rules.ante + rules.bet * (has_bet and each in in_pot) for each in range(rules.players)
        ]
        if player != winner:
            return -paid[player]
        del paid[winner]
        return sum(paid[1:], paid[0])

    def _in_pot(self) -> list[int]:
        """Return who has bet or called; all if nobody has bet."""
        players, bettor = self.rules.players, self.line.find("b")
        if bettor < 0:
            return list(range(players))
        return [
            place % players
            for place, move in enumerate(self.line)
            if place == bettor or (place > bettor and move == "c")
        ]

    def chances(self) -> Sequence[tuple[str, float]]:
        remaining = [card for card in self.rules.deck if card not in self.cards]
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
            return Kuhn(f"{self.cards}{action}", "", self.rules)
        return Kuhn(self.cards, self.line + _LETTER_OF_ACTION[action], self.rules)


@checked
def kuhn(cards: int = 3, ante: float = 1.0, bet: float = 1.0, players: int = 2) -> Kuhn:
    """Return Kuhn poker with `cards` cards; players ante and bet as many chips as given.

    There is at least one card more than `players`.
    """
    verify_integer("kuhn", "players", players, 2, MAX_PLAYERS)
    verify_integer("kuhn", "cards", cards, 3, MAX_CARDS)
    cards = max(cards, players + 1)
    verify_number("kuhn", "ante", ante, 1e-3, MAX_CHIPS)
    verify_number("kuhn", "bet", bet, 1e-3, MAX_CHIPS)
    return Kuhn(rules=KuhnRules(cards, float(ante), float(bet), players))
