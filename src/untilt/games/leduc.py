"""Leduc hold'em: two copies of each rank, one private card each, one public card, two streets.

Both players ante 1 chip. Bets are 2 chips on the first street and 4 on the second, at most
`bets` of them per street. A private card that pairs the public one wins, else the higher
rank; equal ranks split. Southey et al. 2005 ("Bayes' bluff") introduced the game, with three ranks
and two bets.

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

_ANTE = 1
_BET_OF_STREET = (2, 4)
_COPIES_OF_RANK = 2

_MAX_WALKED_CARDS = 6
"""The largest deck, in different cards, whose histories are walked: a few thousand of them."""

_METHODS_OF_RULES = (
    *("terminal", "chance", "active", "payoff", "chances", "infoset", "apply"),
    "_showdown_winner",
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
    paid: tuple[int, int]
    """Chips each player has put in, including antes."""
    before: int
    """Chips each player had put in before this street."""
    terminal: bool = False
    chance: bool = False
    active: int = -1
    """The player to act; −1 at deals and ends."""
    winner: int | None = None
    """The player who won by a fold; None at a showdown and before the end."""
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
    """Cards dealt so far: player 0's, player 1's, the public one."""
    _rules: LeducRules
    _spot: LeducPlace

    def __init__(self, ranks: int = 3, suits: Suits = "merged", bets: int = 2) -> None:
        verify_integer("leduc", "ranks", ranks, 2, MAX_RANKS)
        verify_integer("leduc", "bets", bets, 1, MAX_BETS)
        verify_word("leduc", "suits", suits, get_args(Suits))
        rank_of_card = _deck(ranks, suits)
        copies = _COPIES_OF_RANK if suits == "merged" else 1
        root = _betting_tree(tuple(rank_of_card), bets, self.first_check_ends_second_street)
        self._rules = LeducRules(ranks, suits, bets, copies, rank_of_card, root)
        self._spot = root
        self.cards = ()

    @property
    def rules(self) -> LeducRules:
        """The deck and the betting tree, shared by all positions of the game."""
        return self._rules

    @property
    def parameters(self) -> dict[str, int | str]:
        """The parameters with which `untilt.games.leduc` makes this game."""
        rules = self._rules
        return {"ranks": rules.ranks, "suits": rules.suits, "bets": rules.bets}

    @property
    def line(self) -> str:
        """The betting so far, in the letters of the labels."""
        return self._spot.line

    @property
    def chips(self) -> Chips:
        """The pot and the bets; antes are in the pot, and stacks have no limit."""
        before, (first, second) = self._spot.before, self._spot.paid
        bets = float(first - before), float(second - before)
        return Chips(2.0 * before, bets, (None, None))

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
        winner = self._spot.winner
        if winner is None:
            winner = self._showdown_winner()
            if winner is None:
                return 0.0
        lost = float(self._spot.paid[1 - winner])
        return lost if player == winner else -lost

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
        public = cards[2] if len(cards) > 2 else ""
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
        if not is_large or not is_root or not self._has_leducs_rules():
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

    def _showdown_winner(self) -> int | None:
        """Return who holds the better hand; None if the ranks are equal."""
        first, second, public = (self._rules.rank_of_card[card] for card in self.cards)
        if first == second:
            return None
        if public in (first, second):
            return 0 if first == public else 1
        return 0 if first > second else 1

    def _illegal(self, action: Action) -> GameError:
        legal = [card for card, _ in self.chances()] if self.chance else self._spot.actions
        listed = ", ".join(legal) or "nothing, the hand is over"
        return GameError(f"Leduc: {action!r} is not legal after {self.line!r}; legal: {listed}")


def _deck(ranks: int, suits: Suits) -> dict[str, int]:
    names = "JQK" if ranks == 3 else [str(number) for number in range(1, ranks + 1)]
    suit_names = ("",) if suits == "merged" else ("s", "h")
    return {name + suit: rank for rank, name in enumerate(names) for suit in suit_names}


def _betting_tree(deck: tuple[str, ...], max_bets: int, first_check_ends: bool) -> LeducPlace:
    """Return the root of dealing and betting.

    `first_check_ends` sends player 0's check on the second street straight to the showdown.
    """

    def deal(line: str, level: int, then: LeducPlace) -> LeducPlace:
        return LeducPlace(line, (level, level), level, chance=True, after=dict.fromkeys(deck, then))

    def decide(
        line: str, paid: tuple[int, int], before: int, player: int, street: int, num_bets: int = 0
    ) -> LeducPlace:
        opponent = 1 - player
        after: dict[Action, LeducPlace] = {}
        level = max(paid)
        if paid[player] < level:
            after["fold"] = LeducPlace(line + "f", paid, before, terminal=True, winner=opponent)
            after["call"] = end_street(line + "c", level, before, street)
        elif player == 1 or (street == 1 and first_check_ends):
            after["check"] = end_street(line + "c", level, before, street)
        else:
            after["check"] = decide(line + "c", paid, before, opponent, street)
        if num_bets < max_bets:
            raised = level + _BET_OF_STREET[street]
            paid_after = (raised, paid[1]) if player == 0 else (paid[0], raised)
            name, letter = ("raise", "r") if num_bets else ("bet", "b")
            after[name] = decide(line + letter, paid_after, before, opponent, street, num_bets + 1)
        actions = tuple(str(name) for name in after)
        return LeducPlace(line, paid, before, active=player, actions=actions, after=after)

    def end_street(line: str, level: int, before: int, street: int) -> LeducPlace:
        if street == 1:
            return LeducPlace(line, (level, level), before, terminal=True)
        line += "/"
        return deal(line, level, decide(line, (level, level), level, 0, street=1))

    first = decide("", (_ANTE, _ANTE), _ANTE, 0, street=0)
    return deal("", _ANTE, deal("", _ANTE, first))


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
