"""The rules of heads-up hold'em: chips, bets, deck and board.

Player 0 has the button and the small blind, player 1 the big blind. Player 0 acts first before the
flop and last after it. All amounts are integer chips; a smaller deck makes games that can be solved
exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from untilt.cards.card import DECK, NUM_RANKS, NUM_SUITS, SUITS, rank_of, suit_of
from untilt.errors import Argument, InvalidOption, shortened
from untilt.games.holdem.betting import Betting, BettingRules
from untilt.number import Integer

BUTTON, BIG_BLIND = 0, 1
"""The players."""

LARGEST_STACK = 10**9
"""The largest stack in chips."""

_SHOWDOWN_CARDS = 5
_MAX_STREETS = 10
_MAX_LISTED_CARDS = 12
"""The largest deck whose deals are listed: 2,970 pairs of hands. Others are only drawn."""

_RED = frozenset(card for card in DECK if SUITS[suit_of(card)] in "dh")


@dataclass(frozen=True)
class HoldemRules:
    """The rules of one game; two games with equal rules are the same.

    Raises InvalidOption if they make no sense. A player whose stack does not cover a blind posts
    all chips.
    """

    stacks: tuple[int, int] = (200, 200)
    """Chips of both players before antes and blinds."""
    blinds: tuple[int, int] = (1, 2)
    """The small blind and the big blind."""
    ante: int = 0
    """The ante that each player puts into the pot before the deal."""
    bb_ante: int = 0
    """The ante that the big blind puts into the pot for both; nobody has to match it."""
    limit: tuple[int, ...] | None = None
    """Limit games: the size of every bet and raise on each street, the last for all later ones;
    None for no limit."""
    max_raises: int | None = None
    """How often a bet may be raised on a street; blinds count as a bet."""
    board_cards: tuple[int, ...] = (0, 3, 1, 1)
    """The number of cards that come onto the board before each street."""
    ranks: int = 13
    """The number of ranks of the deck, from the ace down."""
    suits: int = 4
    """The number of suits of the deck: clubs, diamonds, hearts, spades, in this order."""
    red_runs_on: bool = False
    """River of Blood: after the last street, while the last card is red, one more street."""

    def __post_init__(self) -> None:
        self._verify_chips()
        self._verify_deck()

    def _verify_chips(self) -> None:
        _verify_pair("stacks", self.stacks, least=1)
        _verify_pair("blinds", self.blinds, least=0)
        _verify_integer("ante", self.ante, 0, LARGEST_STACK)
        _verify_integer("bb_ante", self.bb_ante, 0, LARGEST_STACK)
        small, big = self.blinds
        if not small <= big or big < 1:
            raise InvalidOption.of(
                "blinds", self.blinds, "the big blind is at least 1 and the small one not larger"
            )
        for stack, ante in zip(self.stacks, self.antes, strict=True):
            if stack <= ante:
                raise InvalidOption(
                    f"a stack of {stack} leaves nothing to bet after the ante of {ante}: give a "
                    "larger ",
                    Argument("stack"),
                )
        if self.max_raises is not None:
            _verify_integer("max_raises", self.max_raises, 1, LARGEST_STACK)
        if self.limit is not None:
            if not isinstance(self.limit, tuple) or not self.limit:
                raise InvalidOption.of("limit", self.limit, "give the bet of each street: (2, 4)")
            for bet in self.limit:
                _verify_integer("limit", bet, 1, LARGEST_STACK)

    def _verify_deck(self) -> None:
        _verify_integer("ranks", self.ranks, 2, NUM_RANKS)
        _verify_integer("suits", self.suits, 1, NUM_SUITS)
        board = self.board_cards
        is_sound = isinstance(board, tuple) and 0 < len(board) <= _MAX_STREETS
        is_sound = is_sound and all(type(count) is int and count >= 0 for count in board)
        if not is_sound or board[0] or 0 in board[1:] or sum(board) < _SHOWDOWN_CARDS - 2:
            raise InvalidOption.of(
                "board_cards",
                board,
                "it must be 0 and then the cards of each street, at least 3 in all: (0, 3, 1, 1)",
            )
        if self.red_runs_on and board[-1] != 1:
            raise InvalidOption.of(
                "board_cards", board, "one card must come last, whose colour decides: (0, 3, 1, 1)"
            )
        needed = 4 + sum(board)
        if len(self.deck) < needed:
            raise InvalidOption(
                f"a deck of {self.ranks} ranks and {self.suits} suits has {len(self.deck)} cards, "
                f"but a hand needs {needed}: give more ",
                Argument("ranks"),
                " or ",
                Argument("suits"),
            )

    @property
    def antes(self) -> tuple[int, int]:
        """The chips that each player puts into the pot before the deal."""
        return self.ante, self.ante + self.bb_ante

    @cached_property
    def deck(self) -> tuple[int, ...]:
        """The cards of the deck, in the order of `untilt.cards.DECK`."""
        lowest = NUM_RANKS - self.ranks
        return tuple(c for c in DECK if rank_of(c) >= lowest and suit_of(c) < self.suits)

    @cached_property
    def deck_set(self) -> frozenset[int]:
        """The cards of the deck as a set."""
        return frozenset(self.deck)

    @property
    def lists_deals(self) -> bool:
        """Whether the deck is so small that all deals can be listed, and the game compiled."""
        return len(self.deck) <= _MAX_LISTED_CARDS

    @cached_property
    def bets(self) -> BettingRules:
        """The limits of bets."""
        return BettingRules(self.blinds[1], self.limit, self.max_raises)

    @cached_property
    def start(self) -> Betting:
        """The betting before the first decision, antes and blinds posted."""
        antes = self.antes
        stacks = self.stacks[0] - antes[0], self.stacks[1] - antes[1]
        return Betting.new(sum(antes), stacks, blinds=self.blinds, first=BUTTON, rules=self.bets)

    def num_shown(self, street: int) -> int:
        """Return the number of cards that lie on a street, counted from 0 before the flop."""
        return sum(self.board_cards[: street + 1])

    def num_dealt_next(self, board: Sequence[int]) -> int:
        """Return the number of cards dealt after the betting on `board`; 0 for a showdown."""
        count = len(board)
        if count in self._dealt_after:
            return self._dealt_after[count]
        runs_on = self.red_runs_on and board[-1] in _RED
        return int(runs_on and count + 4 < len(self.deck))

    @cached_property
    def _dealt_after(self) -> dict[int, int]:
        before = list(accumulate(self.board_cards))
        dealt = dict(zip(before, self.board_cards[1:], strict=False))
        return dealt if self.red_runs_on else {**dealt, before[-1]: 0}

    @property
    def is_limit(self) -> bool:
        """Whether bets have fixed sizes."""
        return self.limit is not None

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters with which `untilt.games.holdem` makes the game, as text and numbers."""
        own, other = self.stacks
        return {
            "stack": own,
            "other_stack": None if own == other else other,
            "small_blind": self.blinds[0],
            "big_blind": self.blinds[1],
            "ante": self.ante,
            "bb_ante": self.bb_ante,
            "limit": joined(self.limit or ()),
            "max_raises": self.max_raises,
            "board": joined(self.board_cards[1:]),
            "ranks": self.ranks,
            "suits": self.suits,
        }

    def __str__(self) -> str:
        stacks = joined(dict.fromkeys(self.stacks))
        kind = "no-limit" if self.limit is None else f"limit {joined(self.limit)}"
        ante = f" ante {joined(dict.fromkeys(self.antes))}" if any(self.antes) else ""
        return f"{kind} {joined(self.blinds)}{ante}, stacks {stacks}"


def joined(numbers: Sequence[int] | dict[int, None]) -> str:
    """Return numbers as the text of a parameter: `2/4`."""
    return "/".join(map(str, numbers))


def parse_numbers(name: str, text: str) -> tuple[int, ...]:
    """Return the numbers of a parameter such as `2/4`; raises InvalidOption for anything else."""
    parts = [part.strip() for part in str(text).split("/")]
    if not all(part.isascii() and part.isdigit() and len(part) < 12 for part in parts):
        raise InvalidOption.of(name, text, "give integers with / between them, such as 2/4")
    return tuple(map(int, parts))


def verify_stacks_cover_blinds(rules: HoldemRules) -> None:
    """Raise InvalidOption if a stack is smaller than ante and big blind together."""
    named = zip(("small blind", "big blind"), rules.stacks, rules.antes, strict=True)
    for player, stack, ante in named:
        if stack < (posted := ante + rules.blinds[1]):
            what = f"ante of {ante} and blinds" if ante else "blinds"
            raise InvalidOption(
                f"the {player} has a stack of {stack}, smaller than the {what} "
                f"{joined(rules.blinds)}: give at least {posted} chips"
            )


def _verify_pair(name: str, given: object, least: int) -> None:
    if not isinstance(given, tuple) or len(given) != 2:
        raise InvalidOption.of(name, given, "give a pair, small blind first")
    for amount in given:
        _verify_integer(name, amount, least, LARGEST_STACK)


def _verify_integer(name: str, given: object, least: int, most: int) -> None:
    if not Integer(least, most).accepts(given):
        raise InvalidOption(
            Argument(name), f" is {shortened(given)}; give an integer from {least} to {most}"
        )
