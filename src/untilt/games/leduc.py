"""Leduc hold'em: two copies of each rank, one private card each, one public card, two streets.

All players ante 1 chip. Bets are 2 chips on the first street and 4 on the second, at most
`bets` of them per street. A private card that pairs the public one wins, else the higher
rank; equal ranks split. Southey et al. 2005 ("Bayes' bluff") introduced the game, with three ranks
and two bets. With more players there is at least one rank more than players; a street begins with
the first player who has not folded.

The betting does not depend on the cards, so it is built once, as a tree of `Spot`; a position
is the cards dealt and a spot. That keeps walking the histories cheap.

leduc-276 is the variant behind the counts of 276 infosets and 690 action variables. One published
solver reports these counts for "Leduc". They belong to another game: three bets per street, and
player 0's check on the second street ends the hand at once in a showdown. Payoffs are Leduc's. It
is kept under its own name so that the counts can be reproduced.
"""

# ruff: noqa: D102 — the protocol documents the methods of a position.

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from untilt.errors import GameError
from untilt.game.protocol import Action, Game
from untilt.game.terms import Chips, Terms
from untilt.games.parameters import verify_integer, verify_word

if TYPE_CHECKING:
    from untilt.game.sequence.sequence_form import SequenceForm

Suits = Literal["merged", "distinguished"]
"""Whether to deal ranks, weighted by the copies left, or the cards themselves."""

MAX_RANKS = 1_000
MAX_BETS = 20
MAX_PLAYERS = 6

_ANTE = 1
_BET_OF_STREET = (2, 4)
_COPIES_OF_RANK = 2

_MAX_WALKED_CARDS = 6
"""The largest deck, in different cards, whose histories are walked: a few thousand of them."""

_METHODS_OF_RULES = (
    *("terminal", "chance", "active", "payoff", "chances", "infoset", "apply"),
    "_showdown_winners",
)
"""What a subclass must not override if its sequence form is to follow from `Rules` alone."""


class LeducInfoset(NamedTuple):
    """A player's knowledge; labels read `P1:Q:K:cbc/c`."""

    player: int
    private: str
    public: str
    """The public card, empty on the first street."""
    line: str
    """Betting so far: c check or call, b first bet of a street, r raise, / a new street."""
    legal: tuple[str, ...]

    def actions(self) -> tuple[str, ...]:
        """Return the legal actions, from the most passive to the most aggressive."""
        return self.legal

    def __str__(self) -> str:
        return f"P{self.player}:{self.private}:{self.public}:{self.line}"


@dataclass(frozen=True, slots=True, eq=False)
class LeducPlace:
    """A place in the betting or dealing; it does not depend on the cards dealt."""

    line: str
    paid: tuple[int, ...]
    """Chips each player has put in, including antes."""
    before: tuple[int, ...]
    """Chips each player had put in before this street."""
    terminal: bool = False
    chance: bool = False
    active: int = -1
    """The player to act; −1 at deals and ends."""
    winner: int | None = None
    """The player who won by the folds of the others; None at a showdown and before the end."""
    folded: frozenset[int] = frozenset()
    """Those who have folded."""
    actions: tuple[str, ...] = ()
    after: "Mapping[Action, LeducPlace]" = field(default_factory=dict)
    """The successor by each action; at deals, by each card of the deck."""


@dataclass(frozen=True, slots=True, eq=False)
class LeducRules:
    """Deck and betting of one variant of Leduc, shared by all its positions."""

    ranks: int
    suits: Suits
    bets: int
    """The maximum number of bets and raises on a street."""
    copies: int
    """The copies of each card in the deck: 2 with merged suits, else 1."""
    rank_of_card: Mapping[str, int]
    """The deck in dealing order, each card with its rank from 0, the lowest."""
    root: LeducPlace
    players: int = 2


class Leduc(Game):
    """A position of Leduc hold'em; `Leduc()` is the game."""

    __slots__ = ("_rules", "_spot", "cards")

    terms = Terms(
        has_chips=True,
        rules="Two cards of each rank. Each player antes 1 and gets a card; bets are 2. Then a "
        "card is put on the board, and bets are 4. Whoever pairs the board wins, else the higher "
        "card; equal cards split the pot.",
    )
    first_check_ends_second_street = False
    """Whether player 0's check after the public card leads straight to the showdown."""

    cards: tuple[str, ...]
    """Cards dealt so far: those of the players, then the public one."""
    _rules: LeducRules
    _spot: LeducPlace

    def __init__(
        self, ranks: int = 3, suits: Suits = "merged", bets: int = 2, players: int = 2
    ) -> None:
        verify_integer("leduc", "players", players, 2, MAX_PLAYERS)
        verify_integer("leduc", "ranks", ranks, 2, MAX_RANKS)
        if players > 2:
            ranks = max(ranks, players + 1)
        verify_integer("leduc", "bets", bets, 1, MAX_BETS)
        verify_word("leduc", "suits", suits, get_args(Suits))
        rank_of_card = _deck(ranks, suits)
        copies = _COPIES_OF_RANK if suits == "merged" else 1
        root = _betting_tree(
            tuple(rank_of_card), bets, players, self.first_check_ends_second_street
        )
        self._rules = LeducRules(ranks, suits, bets, copies, rank_of_card, root, players)
        self._spot = root
        self.cards = ()

    @property
    def rules(self) -> LeducRules:
        """The deck and the betting tree, shared by all positions of the game."""
        return self._rules

    @property
    def num_players(self) -> int:
        """The number of players."""
        return self._rules.players

    @property
    def parameters(self) -> dict[str, int | str]:
        """The parameters with which `untilt.games.leduc` makes this game."""
        rules = self._rules
        own: dict[str, int | str]
        own = {"ranks": rules.ranks, "suits": rules.suits, "bets": rules.bets}
        # Games of two players are named as they were before there were more.
        return own if rules.players == 2 else {**own, "players": rules.players}

    @property
    def line(self) -> str:
        """The betting so far, in the letters of the labels."""
        return self._spot.line

    @property
    def chips(self) -> Chips:
        """The pot and the bets; antes are in the pot, and stacks have no limit."""
        before, paid = self._spot.before, self._spot.paid
        bets = tuple(float(all_paid - first) for all_paid, first in zip(paid, before, strict=True))
        return Chips(float(sum(before)), bets, (None,) * len(paid))

    @property
    def terminal(self) -> bool:
        return self._spot.terminal

    @property
    def chance(self) -> bool:
        return self._spot.chance

    @property
    def active(self) -> int:
        return self._spot.active

    def payoff(self, player: int) -> float:
        winner, paid = self._spot.winner, self._spot.paid
        winners = self._showdown_winners() if winner is None else (winner,)
        share = sum(paid) / len(winners) if player in winners else 0.0
        return float(share - paid[player])

    def chances(self) -> Sequence[tuple[str, float]]:
        rules, dealt = self._rules, self.cards
        num_remaining = len(rules.rank_of_card) * rules.copies - len(dealt)
        return [
            (card, copies_left / num_remaining)
            for card in rules.rank_of_card
            if (copies_left := rules.copies - dealt.count(card)) > 0
        ]

    def infoset(self, player: int) -> LeducInfoset:
        spot, cards = self._spot, self.cards
        dealt = self._rules.players
        public = cards[dealt] if len(cards) > dealt else ""
        return LeducInfoset(player, cards[player], public, spot.line, spot.actions)

    def apply(self, action: Action) -> "Leduc":
        spot = self._spot
        if action not in spot.after:
            raise self._illegal(action)
        child = object.__new__(type(self))
        child._rules = self._rules
        child._spot = spot.after[action]
        if not spot.chance:
            child.cards = self.cards
        elif self.cards.count(card := str(action)) < self._rules.copies:
            child.cards = (*self.cards, card)
        else:
            raise self._illegal(action)
        return child

    def sequence_form(self) -> "SequenceForm | None":
        """Return the exact sequence form, built in arrays; None if walking is better.

        Large decks have too many histories to walk. Small ones are walked, which also gives the
        tree. So are positions after the root, and subclasses that change the rules.
        """
        is_large = len(self._rules.rank_of_card) > _MAX_WALKED_CARDS
        is_root = self._spot is self._rules.root
        if not is_large or not is_root or not self._has_leducs_rules() or self.num_players > 2:
            return None
        from untilt.games.leduc_form import leduc_sequence_form

        return leduc_sequence_form(self._rules)

    def _has_leducs_rules(self) -> bool:
        """Whether no subclass has overridden what `Rules` describe."""
        return all(getattr(type(self), name) is getattr(Leduc, name) for name in _METHODS_OF_RULES)

    def __repr__(self) -> str:
        rules = self._rules
        parameters = f"ranks={rules.ranks}, suits={rules.suits!r}, bets={rules.bets}"
        return f"<{type(self).__name__}({parameters}) cards={self.cards} line={self.line!r}>"

    def _showdown_winners(self) -> tuple[int, ...]:
        """Return who of those who have not folded hold the best hand: one, or equal ranks."""
        rank_of_card, folded = self._rules.rank_of_card, self._spot.folded
        ranks = [rank_of_card[card] for card in self.cards]
        public, best = ranks.pop(), -1
        winners: tuple[int, ...] = ()
        for player, rank in enumerate(ranks):
            if player in folded:
                continue
            strength = rank + len(rank_of_card) if rank == public else rank
            if strength > best:
                best, winners = strength, (player,)
            elif strength == best:
                winners += (player,)
        return winners

    def _illegal(self, action: Action) -> GameError:
        legal = [card for card, _ in self.chances()] if self.chance else self._spot.actions
        listed = ", ".join(legal) or "nothing, the hand is over"
        return GameError(f"Leduc: {action!r} is not legal after {self.line!r}; legal: {listed}")


def _deck(ranks: int, suits: Suits) -> dict[str, int]:
    names = "JQK" if ranks == 3 else [str(number) for number in range(1, ranks + 1)]
    suit_names = ("",) if suits == "merged" else ("s", "h")
    return {name + suit: rank for rank, name in enumerate(names) for suit in suit_names}


def _betting_tree(
    deck: tuple[str, ...], max_bets: int, players: int, first_check_ends: bool
) -> LeducPlace:
    """Return the root of dealing and betting.

    `first_check_ends` sends player 0's check on the second street straight to the showdown.
    """
    nobody: frozenset[int] = frozenset()

    def deal(
        line: str, paid: tuple[int, ...], then: LeducPlace, folded: frozenset[int]
    ) -> LeducPlace:
        after: dict[Action, LeducPlace] = dict.fromkeys(deck, then)
        return LeducPlace(line, paid, paid, chance=True, folded=folded, after=after)

    def decide(
        line: str,
        paid: tuple[int, ...],
        before: tuple[int, ...],
        player: int,
        waiting: int,
        street: int,
        folded: frozenset[int],
        num_bets: int = 0,
    ) -> LeducPlace:
        """Return the decision of a player; so many act, this one included, if nobody bets."""
        after: dict[Action, LeducPlace] = {}
        level = max(paid)

        def goes_on(letter: str, paid: tuple[int, ...], folded: frozenset[int]) -> LeducPlace:
            follows = line + letter
            left = [each for each in range(players) if each not in folded]
            if len(left) == 1:
                return LeducPlace(
                    follows, paid, before, terminal=True, winner=left[0], folded=folded
                )
            if waiting == 1:
                return end_street(follows, paid, before, street, folded)
            heir = next_player(player, folded)
            return decide(follows, paid, before, heir, waiting - 1, street, folded, num_bets)

        if paid[player] < level:
            after["fold"] = goes_on("f", paid, folded | {player})
            after["call"] = goes_on("c", raised_to(paid, player, level), folded)
        elif street == 1 and first_check_ends:
            after["check"] = end_street(line + "c", paid, before, street, folded)
        else:
            after["check"] = goes_on("c", paid, folded)
        if num_bets < max_bets:
            name, letter = ("raise", "r") if num_bets else ("bet", "b")
            after[name] = decide(
                line + letter,
                raised_to(paid, player, level + _BET_OF_STREET[street]),
                before,
                next_player(player, folded),
                players - len(folded) - 1,
                street,
                folded,
                num_bets + 1,
            )
        actions = tuple(str(name) for name in after)
        return LeducPlace(
            line, paid, before, active=player, folded=folded, actions=actions, after=after
        )

    def next_player(player: int, folded: frozenset[int]) -> int:
        places = range(player + 1, player + players)
        return next(place % players for place in places if place % players not in folded)

    def raised_to(paid: tuple[int, ...], player: int, level: int) -> tuple[int, ...]:
        return (*paid[:player], level, *paid[player + 1 :])

    def end_street(
        line: str,
        paid: tuple[int, ...],
        before: tuple[int, ...],
        street: int,
        folded: frozenset[int],
    ) -> LeducPlace:
        if street == 1:
            return LeducPlace(line, paid, before, terminal=True, folded=folded)
        line += "/"
        first = min(each for each in range(players) if each not in folded)
        then = decide(line, paid, paid, first, players - len(folded), 1, folded)
        return deal(line, paid, then, folded)

    antes = (_ANTE,) * players
    root = decide("", antes, antes, 0, players, 0, nobody)
    for _ in range(players):
        root = deal("", antes, root, nobody)
    return root


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
