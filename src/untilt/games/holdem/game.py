"""Heads-up hold'em as a game: no-limit or limit, whole deck or small, street by street.

    root = holdem(stack=200)                       # blinds 1/2
    position = root.apply(root.sample(rng))        # both hands are dealt
    position = position.apply("raise 6").apply("call")
    position.betting.pot, position.chance          # 12, True: the flop is next

`betting` has all the betting rules; this file adds cards. A position is immutable. A deal is
a tuple of cards: the four cards of both hands at the root, then the cards of each street, in any
order. Hands and flops are kept with the highest card first, so that equal knowledge is equal data.

After an all-in and a call nobody is asked to check: the rest of the board is dealt, street by
street, and the hand is over. Amounts of bets are totals on the street; a bet of more than the
other player can call is all-in for that player's stack.
"""

# ruff: noqa: D102 — the protocol documents the methods of a position.

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple, Self, overload

from untilt.cards.card import card_name, index_of
from untilt.errors import GameError, InvalidOption, shortened
from untilt.game.actions import ActionData, Kind, ManyActions, action_data
from untilt.game.protocol import Action, Uniforms
from untilt.game.terms import Chips, Terms
from untilt.games.holdem.betting import NOBODY, Betting
from untilt.games.holdem.rules import BIG_BLIND, HoldemRules

Hand = tuple[int, int]
"""Two cards, the higher first."""

_NUM_HELD = 4
_ORDER = [index_of(card) if card & 15 < 13 else -1 for card in range(64)]
"""The place of each card in the deck, by its number."""


class Deal(tuple[int, ...]):
    """Cards that are dealt at once, each hand and the flop with the highest card first."""

    __slots__ = ()

    def __str__(self) -> str:
        return cards_text(tuple(self))


class HoldemActions(ManyActions):
    """All legal actions of a betting state, bets in ascending order; made when asked for."""

    __slots__ = ("_betting", "_first", "_num_bets", "_passive")

    def __init__(self, betting: Betting) -> None:
        self._betting = betting
        self._passive = betting.passive_actions()
        limits = betting.bet_limits()
        self._first = 0 if limits is None else limits[0]
        self._num_bets = 0 if limits is None else min(limits[1], betting.all_in_to) + 1 - limits[0]

    @property
    def passive(self) -> tuple[ActionData, ...]:
        """The actions that are not bets; they come first."""
        return self._passive

    def named(self, name: str) -> ActionData | None:
        """Return the action with this name; None if it is not legal."""
        data = action_data(name)
        if data.amount is None:
            found = next((each for each in self._passive if each.name == name), None)
            return found or next((each for each in self[-2:] if each.name == name), None)
        if not self._first <= data.amount < self._first + self._num_bets:
            return None
        found = self._betting.named_bet(int(data.amount))
        return found if found.name == name else None

    def __len__(self) -> int:
        return len(self._passive) + self._num_bets

    @overload
    def __getitem__(self, place: int) -> ActionData: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[ActionData, ...]: ...

    def __getitem__(self, place: int | slice) -> ActionData | tuple[ActionData, ...]:
        if isinstance(place, slice):
            return tuple(self[each] for each in range(*place.indices(len(self))))
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        place %= len(self)
        count = len(self._passive)
        if place < count:
            return self._passive[place]
        return self._betting.named_bet(self._first + place - count)

    def __iter__(self) -> Iterator[ActionData]:
        yield from self._passive
        named = self._betting.named_bet
        for amount in range(self._first, self._first + self._num_bets):
            yield named(amount)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, HoldemActions):
            return tuple(self) == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"<{', '.join(map(str, self[:4]))}{', …' if len(self) > 4 else ''}>"


def move_letters(before: Betting, kind: Kind, after: Betting) -> str:
    """Return an action as in a line, such as `c` or `r60`; in a limit game without the amount."""
    if kind is Kind.CHECK or kind is Kind.CALL:
        return "c"
    if kind is Kind.FOLD:
        return "f"
    amount = max(after.bets)
    if amount >= before.all_in_to:
        letter, amount = "a", before.all_in_to
    else:
        letter = "r" if max(before.bets) > 0 else "b"
    return letter if before.rules.fixed_bets is not None else f"{letter}{amount}"


class HoldemInfoset(NamedTuple):
    """A player's knowledge: two cards, the board and the betting; `P0:AsKh:Td9d6h:cr6c/b10`."""

    player: int
    hand: Hand
    board: tuple[int, ...]
    line: str
    """Betting so far in letters, see `untilt.game.line`."""
    betting: Betting

    @property
    def street(self) -> int:
        """The number of the street, 0 before the flop."""
        return self.betting.street

    @property
    def private(self) -> str:
        """The player's cards, `AsKh`."""
        return cards_text(self.hand)

    @property
    def public(self) -> str:
        """The board, `Td9d6h`."""
        return cards_text(self.board)

    def actions(self) -> HoldemActions:
        """Return all legal actions, from fold or check to all-in."""
        return HoldemActions(self.betting)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HoldemInfoset):
            return NotImplemented
        # The betting follows from the line.
        return self[:4] == other[:4]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self[:4])

    def __str__(self) -> str:
        return f"P{self.player}:{self.private}:{self.public}:{self.line}"


class Holdem:
    """A position of heads-up hold'em; `Holdem(rules)` is the game."""

    __slots__ = (
        *("active", "betting", "board", "chance", "deck", "hands", "line", "rules", "terminal"),
    )

    terms = Terms(
        seats=("small blind", "big blind"),
        private="cards",
        public="board",
        has_chips=True,
        rules="Heads-up hold'em. The small blind has the button, acts first before the flop and "
        "last after it. Each player holds two cards; up to five come onto the board, with betting "
        "before each street. The best five cards win; bets are named by their total on the street.",
    )

    rules: HoldemRules
    betting: Betting
    hands: tuple[Hand, Hand] | None
    """The cards of players 0 and 1; None before the deal."""
    board: tuple[int, ...]
    line: str
    """Betting so far in letters, see `untilt.game.line`."""
    deck: list[int]
    """Cards that are not out yet, in the order of `untilt.cards.DECK`; do not modify."""
    terminal: bool
    chance: bool
    active: int

    def __init__(self, rules: HoldemRules | None = None) -> None:
        self.rules = HoldemRules() if rules is None else rules
        self.betting = self.rules.start
        self.hands = None
        self.board = ()
        self.line = ""
        self.deck = list(self.rules.deck)
        self._find_kind()

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters with which the registered game makes this one."""
        return self.rules.parameters

    @property
    def street(self) -> int:
        """The number of the betting street, 0 before the flop."""
        return self.betting.street

    @property
    def chips(self) -> Chips:
        """The money on the table."""
        pot, bets, stacks = self.betting[:3]
        return Chips(
            pot=float(pot),
            bets=(float(bets[0]), float(bets[1])),
            stacks=(float(stacks[0]), float(stacks[1])),
        )

    @property
    def final_public(self) -> str:
        """The whole board, with cards that were dealt after the last decision."""
        return cards_text(self.board)

    def payoff(self, player: int) -> float:
        if self.betting.folded != NOBODY:
            win, _, loss = self.showdown_payoffs(player)
            return loss if player == self.betting.folded else win
        ranks = self.showdown_ranks()
        rank, other = ranks[player], ranks[1 - player]
        return self.showdown_payoffs(player)[1 + (rank > other) - (rank < other)]

    def showdown_payoffs(self, player: int) -> tuple[float, float, float]:
        """Return the gain of `player` with the better hand, in a tie, and with the worse hand.

        The winner gains what the loser has staked, and gets back whatever exceeds it.
        """
        betting, stacks = self.betting, self.rules.stacks
        own, other = (stacks[seat] - betting.stacks[seat] for seat in (player, 1 - player))
        # Only an ante of one player makes stakes differ; an odd chip goes to the player who acts
        # first.
        tied = betting.stacks[0] + betting.total_pot // 2 - stacks[0]
        return float(other), float(tied if player == 0 else -tied), float(-own)

    def showdown_ranks(self) -> tuple[int, int]:
        """Return the ranks of both hands on a complete board; 1 is the best."""
        assert self.hands is not None
        rank = _rank_function()
        return rank(self.hands[0] + self.board), rank(self.hands[1] + self.board)

    def chances(self) -> list[tuple[Action, float]]:
        """Return all deals of a deck of at most twelve cards; larger ones are only drawn."""
        if not self.rules.lists_deals:
            raise NotImplementedError
        deck = self.deck[::-1]
        outcomes: list[Action]
        if self.hands is None:
            outcomes = [
                Deal((*first, *second))
                for first in combinations(deck, 2)
                for second in combinations([card for card in deck if card not in first], 2)
            ]
        else:
            outcomes = list(map(Deal, combinations(deck, self.num_dealt_next)))
        return [(outcome, 1.0 / len(outcomes)) for outcome in outcomes]

    def sample(self, rng: Uniforms) -> Deal:
        """Return a deal, from exactly one uniform number."""
        uniform = rng.random()
        deck = self.deck
        count = self.num_dealt_next
        if count == 1:
            return Deal((deck[int(uniform * len(deck))],))
        # The number of an ordered deal; its digits choose one card after the other.
        number = int(uniform * _num_ordered(len(deck), count))
        left = deck.copy()
        cards = []
        for _ in range(count):
            number, place = divmod(number, len(left))
            cards.append(left.pop(place))
        if self.hands is None:
            return Deal(highest_first(cards[:2]) + highest_first(cards[2:]))
        return Deal(highest_first(cards))

    @property
    def num_dealt_next(self) -> int:
        """The number of cards that come next: 4 for both hands, a street's, or 0 at showdown."""
        return _NUM_HELD if self.hands is None else self.rules.num_dealt_next(self.board)

    def known_to(self, hand: Hand) -> Self:
        """Return the position after the deal, as a player with this hand knows it.

        The other hand is unknown, and so is the result of a showdown until `with_hands`.
        """
        assert self.hands is None, "the hands have been dealt"
        # No card of the other hand is out, so that any of them can come onto the board.
        return self.with_hands((hand, hand))

    def with_hands(self, hands: tuple[Hand, Hand]) -> Self:
        """Return this position with other hands."""
        dealt = {*hands[0], *hands[1], *self.board}
        deck = [card for card in self.rules.deck if card not in dealt]
        return self._child(self.betting, hands, self.board, self.line, deck)

    def infoset(self, player: int) -> HoldemInfoset:
        assert self.hands is not None, "nobody knows anything before the deal"
        return HoldemInfoset(player, self.hands[player], self.board, self.line, self.betting)

    def apply(self, action: Action) -> Self:
        """Return the position after an action, by name or as data, or after a deal of cards."""
        if self.chance:
            return self._after_deal(action)
        if type(action) is not ActionData:
            action = action_data(str(action))
        before = self.betting
        try:
            betting = before.apply(action)
        except InvalidOption as error:
            raise self._illegal(action, f": {error}") from None
        line = self.line + move_letters(before, action.kind, betting)
        return self._child(betting, self.hands, self.board, line, self.deck)

    def _after_deal(self, outcome: Action) -> Self:
        cards = outcome if isinstance(outcome, tuple) else ()
        in_order = tuple if type(outcome) is Deal else highest_first
        deck = self.deck.copy()
        try:
            for card in cards:
                deck.remove(card)
        except ValueError:
            cards = ()
        count = self.num_dealt_next
        if len(cards) != count:
            raise self._illegal(
                outcome, f": a deal is {count} different cards of the deck that are not out yet"
            )
        betting = self.betting
        if self.hands is None:
            hands = in_order(cards[:2]), in_order(cards[2:])
            return self._child(betting, hands, (), "", deck)  # type: ignore[arg-type]  # two each
        board, line = self.board + in_order(cards), self.line
        if not betting.is_all_in:
            betting, line = betting.next_street(first=BIG_BLIND), f"{line}/"
        return self._child(betting, self.hands, board, line, deck)

    def _child(
        self,
        betting: Betting,
        hands: tuple[Hand, Hand] | None,
        board: tuple[int, ...],
        line: str,
        deck: list[int],
    ) -> Self:
        child = object.__new__(type(self))
        child.rules = self.rules
        child.betting = betting
        child.hands = hands
        child.board = board
        child.line = line
        child.deck = deck
        child._find_kind()
        return child

    def _find_kind(self) -> None:
        """Set whether the position is terminal, a deal or a decision."""
        player = self.betting.player
        self.active = player
        self.terminal = self.chance = False
        if self.hands is None:
            self.chance = True
        elif player == NOBODY:
            is_folded = self.betting.folded != NOBODY
            self.terminal = is_folded or not self.rules.num_dealt_next(self.board)
            self.chance = not self.terminal

    def _illegal(self, action: object, why: str) -> GameError:
        name = str(action) if isinstance(action, ActionData) else shortened(action)
        if self.terminal:
            why = ": the hand is over"
        return GameError(f"hold'em: {name!r} is not legal after {self.line!r}{why}")

    def __repr__(self) -> str:
        hands = "" if self.hands is None else "-".join(map(cards_text, self.hands))
        return (
            f"<{type(self).__name__} {self.rules}: {hands or 'not dealt'} "
            f"[{cards_text(self.board)}] {self.line!r}>"
        )


@lru_cache(maxsize=1 << 16)
def cards_text(cards: tuple[int, ...]) -> str:
    """Return the names of cards without spaces: `AsKh`."""
    return "".join(map(card_name, cards))


def highest_first(cards: Sequence[int]) -> tuple[int, ...]:
    """Return cards by rank, the highest first, and then by suit."""
    if len(cards) == 2:
        first, second = cards
        return (first, second) if _ORDER[first] > _ORDER[second] else (second, first)
    return tuple(sorted(cards, key=_ORDER.__getitem__, reverse=True))


@lru_cache(maxsize=256)
def _num_ordered(size: int, count: int) -> int:
    """Return the number of ordered deals of `count` cards from `size`."""
    number = 1
    for taken in range(count):
        number *= size - taken
    return number


@lru_cache(maxsize=1)
def _rank_function() -> Callable[[Sequence[int]], int]:
    from untilt.cards.hand import rank_dealt_hand  # loads NumPy and the tables

    return rank_dealt_hand
