"""Goofspiel, the game of pure strategy: a prize is turned up, and both bid a card for it at once.

Each player holds the cards 1 … n, and each prize 1 … n is bid for once. The higher card wins the
prize; a tied prize is lost to both. Used cards are gone. With `information="limited"` players
are told who won a prize, but not with which card, which makes it a game of hidden information
(Lanctot, Lisý & Bowling 2014, "Search in imperfect information games using online Monte Carlo
counterfactual regret minimization"). Prizes come from high to low, from low to high, or at random.

It has no chance moves unless the order is random, and the last card of a hand is a forced move.
"""

# ruff: noqa: D102 — the protocol documents the methods of a position.

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, get_args

from untilt.errors import GameError
from untilt.game.protocol import Action, Game
from untilt.game.terms import Terms
from untilt.games.parameters import ParameterValue, checked, verify_integer, verify_word

Order = Literal["descending", "ascending", "random"]
Information = Literal["limited", "full"]
Points = Literal["win", "difference"]

MAX_CARDS = 13
TIE = "="


class GoofspielInfoset(NamedTuple):
    """The bids of a player, the prizes so far and their winners: `P0:4,2:4,3,2:0=`.

    Where bids are seen, those of the other player follow the winner: `P1:3,1:4,3:0(4)`.
    """

    player: int
    private: str
    """The player's own bids, in order."""
    public: str
    """The prizes turned up so far; the last one is bid for."""
    line: str
    """The winner of each prize bid for, = for a tie."""
    legal: tuple[str, ...]

    def actions(self) -> tuple[str, ...]:
        """Return the cards left in the hand, from low to high."""
        return self.legal

    def __str__(self) -> str:
        return f"P{self.player}:{self.private}:{self.public}:{self.line}"


class GoofspielRules(NamedTuple):
    """The parameters of the game."""

    cards: int
    order: Order
    information: Information
    points: Points


@dataclass(frozen=True)
class Goofspiel(Game):
    """A position of Goofspiel; `goofspiel()` makes the game."""

    terms = Terms(
        private="bids",
        public="prizes",
        has_forced_moves=True,
        verbs=("bid", "bid"),
        rules="A prize is turned up, and both players bid one of their cards at once. The higher "
        "card wins the prize; nobody does if they tie. Who wins more points in all wins.",
    )

    rules: GoofspielRules
    drawn: tuple[int, ...] = ()
    """Prizes turned up so far, if their order is random."""
    bids: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    """Cards played so far by each player; player 1 does not see player 0's of this prize."""

    @property
    def parameters(self) -> dict[str, ParameterValue]:
        """The parameters with which `goofspiel` makes this game."""
        return dict(self.rules._asdict())

    @cached_property
    def prizes(self) -> tuple[int, ...]:
        """The prizes turned up so far."""
        rules = self.rules
        if rules.order == "random":
            return self.drawn
        count = min(len(self.bids[1]) + 1, rules.cards)
        values = range(1, rules.cards + 1)
        return tuple(values if rules.order == "ascending" else reversed(values))[:count]

    @property
    def terminal(self) -> bool:
        return len(self.bids[1]) == self.rules.cards

    @property
    def chance(self) -> bool:
        return not self.terminal and len(self.prizes) == len(self.bids[1])

    @property
    def active(self) -> int:
        return len(self.bids[0]) - len(self.bids[1])

    def payoff(self, player: int) -> float:
        won = [0, 0]
        for prize, winner in zip(self.prizes, self._winners(), strict=True):
            if winner is not None:
                won[winner] += prize
        lead = won[player] - won[1 - player]
        return float(lead) if self.rules.points == "difference" else float((lead > 0) - (lead < 0))

    def chances(self) -> Sequence[tuple[str, float]]:
        left = [prize for prize in range(1, self.rules.cards + 1) if prize not in self.drawn]
        return [(str(prize), 1 / len(left)) for prize in left]

    def infoset(self, player: int) -> GoofspielInfoset:
        is_full = self.rules.information == "full"
        told = []
        for winner, seen in zip(self._winners(), self.bids[1 - player], strict=False):
            told.append(TIE if winner is None else str(winner))
            if is_full:
                told.append(f"({seen})")
        own = self.bids[player]
        legal = tuple(str(card) for card in range(1, self.rules.cards + 1) if card not in own)
        shown = ",".join(map(str, self.prizes))
        return GoofspielInfoset(player, ",".join(map(str, own)), shown, "".join(told), legal)

    def apply(self, action: Action) -> "Goofspiel":
        legal: Sequence[str] = ()
        if self.chance:
            legal = [prize for prize, _ in self.chances()]
        elif not self.terminal:
            legal = self.infoset(self.active).legal
        if action not in legal:
            listed = ", ".join(legal) or "nothing, the game is over"
            raise GameError(f"goofspiel: {action!r} is not legal here; legal: {listed}")
        card = int(str(action))
        if self.chance:
            return replace(self, drawn=(*self.drawn, card))
        mine, yours = self.bids
        bids = ((*mine, card), yours) if self.active == 0 else (mine, (*yours, card))
        return replace(self, bids=bids)

    def _winners(self) -> list[int | None]:
        """Return who won each prize that both have bid for; None for a tie."""
        pairs = zip(*self.bids, strict=False)
        return [None if mine == yours else int(mine < yours) for mine, yours in pairs]


@checked
def goofspiel(
    cards: int = 4,
    order: Order = "descending",
    information: Information = "limited",
    points: Points = "win",
) -> Goofspiel:
    """Return Goofspiel with `cards` cards in each hand.

    `order` is that of the prizes. With `limited` information players learn who won a prize, with
    `full` both cards. `points` are 1 for winning more in all (`win`), or the difference of what
    both have won: twice what OpenSpiel's Goofspiel pays with `returns_type=point_difference`,
    which subtracts the mean of both. `win` pays the same as OpenSpiel's `win_loss`.
    """
    verify_integer("goofspiel", "cards", cards, 2, MAX_CARDS)
    verify_word("goofspiel", "order", order, get_args(Order))
    verify_word("goofspiel", "information", information, get_args(Information))
    verify_word("goofspiel", "points", points, get_args(Points))
    return Goofspiel(GoofspielRules(cards, order, information, points))
