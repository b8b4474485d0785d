"""A hand in somebody else's engine, rebuilt as a position of our game.

An engine sends a player's own cards, the board and the moves. The opponent's cards are unknown
until a showdown; an infoset of ours does not depend on them.
"""

# ruff: noqa: D102 — `Replica` documents the methods of its subclasses.

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeVar

from untilt.cards.card import NUM_RANKS, SUITS, parse_cards, rank_of, suit_of
from untilt.errors import CardError, UntiltError
from untilt.game.actions import ActionData, Kind, action_data
from untilt.game.protocol import Action, Game
from untilt.games.holdem.game import Hand, Holdem, highest_first
from untilt.games.kuhn import Kuhn
from untilt.games.leduc import Leduc
from untilt.policy.hands.turn import data_of


class Mismatch(Exception):
    """A message of an engine that is not possible in our game; the text says why."""


class Replica(ABC):
    """One hand after another, each seen from one seat."""

    position: Game
    """Where the hand is, as far as moves and cards are known."""

    @abstractmethod
    def begin(self, seat: int, own: str) -> None:
        """Begin a hand as player `seat`, holding the cards `own`, such as `AhKd`."""

    @abstractmethod
    def show(self, board: str) -> None:
        """Set all cards of the board so far."""

    @abstractmethod
    def move(self, letter: str, amount: int | None = None) -> None:
        """Make a move: `f` fold, `c` check or call, `r` bet or raise, to `amount` on the street.

        Without an amount, it is the only possible size.
        """

    @abstractmethod
    def gain(self, other: str | None) -> float:
        """Return what the player gained in a hand that is over.

        `other` names the opponent's cards; None if they were not shown, as after a fold.
        """


def replica_of(root: Game) -> Replica:
    """Return the replica of a game; raise UntiltError if engines do not play it."""
    if isinstance(root, Holdem):
        return HoldemReplica(root)
    if isinstance(root, Kuhn | Leduc):
        return SmallReplica(root)
    raise UntiltError(
        f"no engine plays {type(root).__name__}; bots play hold'em, River of Blood, kuhn and leduc"
    )


class HoldemReplica(Replica):
    """Hold'em and its variants."""

    position: Holdem

    def __init__(self, root: Holdem) -> None:
        self._root = root
        self.position = root
        self._seat = 0
        self._own: Hand = (0, 0)

    def begin(self, seat: int, own: str) -> None:
        cards = _cards(own, 2, self._root.rules.deck_set)
        self._seat = seat
        self._own = hand_of(cards)
        self.position = self._root.known_to(self._own)

    def show(self, board: str) -> None:
        position = self.position
        cards = _cards(board, None, self._root.rules.deck_set)
        if tuple(cards) == position.board:
            return
        shown = len(position.board)
        if highest_first(cards[:shown]) != highest_first(position.board):
            raise Mismatch("the board has changed")
        while len(position.board) < len(cards):
            if not position.chance:
                raise Mismatch("cards are dealt before the betting is over")
            count = position.rules.num_dealt_next(position.board)
            dealt = tuple(cards[len(position.board) : len(position.board) + count])
            position = _applied(position, dealt)
        self.position = position

    def move(self, letter: str, amount: int | None = None) -> None:
        position = self.position
        betting = position.betting
        if position.terminal or position.chance:
            raise Mismatch("nobody has to act")
        action: ActionData
        if letter == "f":
            action = action_data("fold")
        elif letter == "c":
            action = betting.passive_actions()[-1]
        else:
            action = betting.named_bet(betting.least_to if amount is None else amount)
        self.position = _applied(position, action)

    def gain(self, other: str | None) -> float:
        position = self.position
        if other is not None:
            held = hand_of(_cards(other, 2, self._root.rules.deck_set))
            hands = (self._own, held) if self._seat == 0 else (held, self._own)
            position = position.with_hands(hands)
        return position.payoff(self._seat)


class SmallReplica(Replica):
    """Kuhn and Leduc: engines deal the highest ranks of an ordinary deck.

    The hand is replayed from its beginning whenever something new is known.
    """

    def __init__(self, root: Kuhn | Leduc) -> None:
        self._root = root
        self._ranks = root.rules.cards if isinstance(root, Kuhn) else root.rules.ranks
        self.position = root
        self._seat = 0
        self._own = ""
        self._board: list[str] = []
        self._moves: list[str] = []

    def begin(self, seat: int, own: str) -> None:
        self._seat = seat
        [self._own] = self._ours(own, 1)
        self._board, self._moves = [], []
        self.position = self._played(None)

    def show(self, board: str) -> None:
        self._board = self._ours(board, None)
        self.position = self._played(None)

    def move(self, letter: str, amount: int | None = None) -> None:
        del amount  # there is one size
        if self.position.terminal or self.position.chance:
            raise Mismatch("nobody has to act")
        kinds = {
            "f": (Kind.FOLD,),
            "c": (Kind.CHECK, Kind.CALL),
            "r": (Kind.BET, Kind.RAISE),
        }[letter]
        for action in self.position.infoset(self.position.active).actions():
            if data_of(action).kind in kinds:
                self._moves.append(str(action))
                self.position = self.position.apply(action)
                return
        raise Mismatch(f"{kinds[-1].value} is not possible")

    def gain(self, other: str | None) -> float:
        held = None if other is None else self._ours(other, 1)[0]
        return self._played(held).payoff(self._seat)

    def _played(self, other: str | None) -> Game:
        """Return the position so far; any remaining card stands for an unknown one."""
        position: Game = self._root
        moves, board = iter(self._moves), iter(self._board)
        for seat in (0, 1):
            card = self._own if seat == self._seat else other or self._filler()
            position = _applied(position, card)
        while not position.terminal:
            following = next(board, None) if position.chance else next(moves, None)
            if following is None:
                break
            position = _applied(position, following)
        return position

    def _filler(self) -> str:
        """Return a card that the opponent may hold."""
        if isinstance(self._root, Kuhn):
            return next(card for card in self._root.rules.deck if card != self._own)
        rules = self._root.rules
        known = [self._own, *self._board]
        return next(card for card in rules.rank_of_card if known.count(card) < rules.copies)

    def _ours(self, text: str, count: int | None) -> list[str]:
        """Return the engine's cards by our names."""
        names = []
        for card in _cards(text, count, None):
            rank = rank_of(card) - (NUM_RANKS - self._ranks)
            if rank < 0:
                raise Mismatch(f"{text!r} is not among the {self._ranks} highest ranks")
            if isinstance(self._root, Kuhn):
                names.append(self._root.rules.deck[rank])
                continue
            of_rank = [name for name, each in self._root.rules.rank_of_card.items() if each == rank]
            if len(of_rank) > 1:  # suits are distinguished
                of_rank = [name for name in of_rank if name[-1] == SUITS[suit_of(card)]]
            if not of_rank:
                raise Mismatch(f"{text!r} is neither of hearts nor of spades")
            names.append(of_rank[0])
        return names


def _cards(text: str, count: int | None, deck: frozenset[int] | None) -> list[int]:
    try:
        cards = parse_cards(text)
    except CardError as error:
        raise Mismatch(str(error)) from None
    if count is not None and len(cards) != count:
        raise Mismatch(f"{text!r} are not {count} cards")
    if deck is not None and not deck.issuperset(cards):
        raise Mismatch(f"{text!r} are not cards of the deck")
    return cards


def hand_of(cards: Sequence[int]) -> Hand:
    """Return two cards as positions store them."""
    first, second = highest_first(cards)
    return first, second


AnyGame = TypeVar("AnyGame", bound=Game)


def _applied(position: AnyGame, move: Action) -> AnyGame:
    try:
        return position.apply(move)  # type: ignore[return-value]  # of the same class
    except UntiltError as error:
        raise Mismatch(str(error)) from None
