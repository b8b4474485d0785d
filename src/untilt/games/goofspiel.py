"""Goofspiel, the game of pure strategy: a prize is turned up, and all bid a card for it at once.

Each player holds the cards 1 … n, and each prize 1 … n is bid for once. The highest card wins the
prize; if it was bid more than once, nobody does. Used cards are gone. With `information="limited"`
players are told who won a prize, but not with which card, which makes it a game of hidden
information (Lanctot, Lisý & Bowling 2014, "Search in imperfect information games using online Monte
Carlo counterfactual regret minimization"). Prizes come from high to low, from low to high, or at
random.

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

MAX_CARDS, MAX_PLAYERS = 13, 6
TIE = "="


class GoofspielInfoset(NamedTuple):
    """The bids of a player, the prizes so far and their winners: `P0:4,2:4,3,2:0=`.

    Where bids are seen, those of the others follow the winner: `P1:3,1:4,3:0(4)`.
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
    players: int = 2


_TERMS = Terms(
    private="bids",
    public="prizes",
    has_forced_moves=True,
    verbs=("bid", "bid"),
    rules="A prize is turned up, and both players bid one of their cards at once. The higher "
    "card wins the prize; nobody does if they tie. Who wins more points in all wins.",
)


@dataclass(frozen=True)
class Goofspiel(Game):
    """A position of Goofspiel; `goofspiel()` makes the game."""

    rules: GoofspielRules
    drawn: tuple[int, ...] = ()
    """Prizes turned up so far, if their order is random."""
    bids: tuple[tuple[int, ...], ...] = ((), ())
    """Cards played so far by each player; nobody sees those of this prize before the last is."""

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
        """The parameters with which `goofspiel` makes this game."""
        own = dict(self.rules._asdict())
        if self.rules.players == 2:  # as it was before there were more
            del own["players"]
        return own

    @cached_property
    def prizes(self) -> tuple[int, ...]:
        """The prizes turned up so far."""
        rules = self.rules
        if rules.order == "random":
            return self.drawn
        count = min(len(self.bids[-1]) + 1, rules.cards)
        values = range(1, rules.cards + 1)
        return tuple(values if rules.order == "ascending" else reversed(values))[:count]

    @property
    def terminal(self) -> bool:
        return len(self.bids[-1]) == self.rules.cards

    @property
    def chance(self) -> bool:
        return not self.terminal and len(self.prizes) == len(self.bids[-1])

    @property
    def active(self) -> int:
        return sum(len(bids) > len(self.bids[-1]) for bids in self.bids)

    def payoff(self, player: int) -> float:
        won = [0] * self.rules.players
        for prize, winner in zip(self.prizes, self._winners(), strict=True):
            if winner is not None:
                won[winner] += prize
        if self.rules.points == "difference":
            return float(sum(won[player] - each for each in won))
        num_best = won.count(max(won))
        if num_best == len(won):
            return 0.0
        return 1.0 / num_best if won[player] == max(won) else -1.0 / (len(won) - num_best)

    def chances(self) -> Sequence[tuple[str, float]]:
        left = [prize for prize in range(1, self.rules.cards + 1) if prize not in self.drawn]
        return [(str(prize), 1 / len(left)) for prize in left]

    def infoset(self, player: int) -> GoofspielInfoset:
        is_full = self.rules.information == "full"
        told = []
        others = [bids for each, bids in enumerate(self.bids) if each != player]
        for winner, *seen in zip(self._winners(), *others, strict=False):
            told.append(TIE if winner is None else str(winner))
            if is_full:
                told.append(f"({','.join(map(str, seen))})")
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
        active = self.active
        own = (*self.bids[active], card)
        return replace(self, bids=(*self.bids[:active], own, *self.bids[active + 1 :]))

    def _winners(self) -> list[int | None]:
        """Return who won each prize that all have bid for; None for a tie."""
        rounds = zip(*self.bids, strict=False)
        return [None if bids.count(max(bids)) > 1 else bids.index(max(bids)) for bids in rounds]


@checked
def goofspiel(
    cards: int = 4,
    order: Order = "descending",
    information: Information = "limited",
    points: Points = "win",
    players: int = 2,
) -> Goofspiel:
    """Return Goofspiel with `cards` cards in each hand.

    `order` is that of the prizes. With `limited` information players learn who won a prize, with
    `full` all cards. `points` are 1 for winning more in all (`win`), or the difference of what
    both have won: twice what OpenSpiel's Goofspiel pays with `returns_type=point_difference`,
    which subtracts the mean of both. `win` pays the same as OpenSpiel's `win_loss`. With more
    players the best share 1 and the others share −1, and differences to all others are added.
    """
    verify_integer("goofspiel", "cards", cards, 2, MAX_CARDS)
    verify_word("goofspiel", "order", order, get_args(Order))
    verify_word("goofspiel", "information", information, get_args(Information))
    verify_word("goofspiel", "points", points, get_args(Points))
    verify_integer("goofspiel", "players", players, 2, MAX_PLAYERS)
    rules = GoofspielRules(cards, order, information, points, players)
    return Goofspiel(rules, bids=((),) * players)
