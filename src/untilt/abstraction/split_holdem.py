"""Abstract hold'em, split into betting and deals.

Each factor of the states is read either from the betting or from the cards, whichever is enough:
it is given a view of an infoset that has only one of the two, and a factor that asks for more is
detected. So a key is computed once per player, street and deal, and the betting part once per
betting state. A factor that reads both has to be evaluated at every decision of every deal.

Betting states with the same chips are merged, whatever the line, unless a factor reads the line.
"""

import random
from collections.abc import Hashable
from enum import IntEnum
from typing import Any

from untilt.abstraction.abstract_game import (
    AbstractInfoset,
    AbstractPosition,
    abstract_letters,
)
from untilt.errors import GameError
from untilt.game.histories.split import DealtHand, PublicKind, PublicMoves
from untilt.game.histories.walking import random_hand
from untilt.game.protocol import Game, Uniforms
from untilt.games.holdem.betting import NOBODY, Betting
from untilt.games.holdem.game import Hand, Holdem, HoldemActions, cards_text
from untilt.games.holdem.rules import BIG_BLIND

State = tuple[Betting, str]
"""A betting state, and the line if a factor reads it."""

_SHOWN = "showdown"
"""In place of a line: no further street."""
_RULES = ("apply", "chance", "infoset", "payoff", "sample", "terminal")
"""What a subclass must not override if its games are to be split."""
_HANDS_PROBED = 100
_MOVES_PROBED = 1_000


class Reads(IntEnum):
    """The part of an infoset that a factor reads; it may change to a later member, never back."""

    BETTING = 0
    CARDS = 1
    BOTH = 2


class _NotInView(BaseException):
    """A factor asked for something that its view lacks; `except Exception` must not catch this."""


class _View:
    """An infoset of hold'em of which only the betting or only the cards may be readable."""

    __slots__ = ("_betting", "_board", "_hand", "_line", "_split", "player", "street")

    def __init__(
        self,
        split: "SplitHoldem",
        player: int,
        street: int,
        *,
        betting: Betting | None = None,
        line: str = "",
        hand: Hand | None = None,
        board: tuple[int, ...] = (),
    ) -> None:
        self._split = split
        self.player = player
        self.street = street
        self._betting = betting
        self._line = line
        self._hand = hand
        self._board = board

    @property
    def betting(self) -> Betting:
        if self._betting is None:
            raise _NotInView
        return self._betting

    @property
    def line(self) -> str:
        if self._betting is None:
            raise _NotInView
        self._split.note_line_is_read()
        return self._line

    @property
    def hand(self) -> Hand:
        if self._hand is None:
            raise _NotInView
        return self._hand

    @property
    def board(self) -> tuple[int, ...]:
        if self._hand is None:
            raise _NotInView
        return self._board

    @property
    def private(self) -> str:
        return cards_text(self.hand)

    @property
    def public(self) -> str:
        return cards_text(self.board)

    def actions(self) -> HoldemActions:
        return HoldemActions(self.betting)

    def __getitem__(self, place: Any) -> Any:
        return (self.player, self.hand, self.board, self.line, self.betting)[place]

    def __str__(self) -> str:
        return f"P{self.player}:{self.private}:{self.public}:{self._line}"


def can_be_split(root: AbstractPosition) -> bool:
    """Whether this is the root of hold'em under a menu, with the rules of `Holdem`."""
    base = root.base
    if root.abstraction.menu is None or not isinstance(base, Holdem) or base.hands is not None:
        return False
    return all(getattr(type(base), name) is getattr(Holdem, name) for name in _RULES)


class SplitHoldem:
    """An abstract game of hold'em as betting states and deals."""

    def __init__(self, root: AbstractPosition) -> None:
        assert isinstance(root.base, Holdem)
        self._root = root.base
        self._abstraction = root.abstraction
        self._factors = root.abstraction.states.factors
        self._reads = [Reads.BETTING for _ in self._factors]
        self._reads_line = False
        self._is_probing = True
        self.version = 0
        self._probe(root)
        self._is_probing = False

    @property
    def start(self) -> State:
        """The betting after the hands are dealt."""
        return self._root.betting, ""

    def moves(self, state: Hashable) -> PublicMoves:
        """Return the moves at a betting state."""
        betting, line = _parts(state)
        if betting.folded != NOBODY:
            lost = self._lost(betting, betting.folded)
            payoff = -lost if betting.folded == 0 else lost
            return PublicMoves(PublicKind.END, betting.street, payoff=payoff)
        if betting.player != NOBODY:
            return self._decision(betting, line)
        if betting.is_all_in or line == _SHOWN:
            stake = self._lost(betting, 0)
            return PublicMoves(PublicKind.SHOWDOWN, betting.street, payoff=stake)
        following = betting.next_street(first=BIG_BLIND), self._longer(line, "/")
        return PublicMoves(
            PublicKind.STAGE_END, betting.street, after=(following, (betting, _SHOWN))
        )

    def deal(self, rng: Uniforms) -> "HoldemDeal":
        """Return a random deal of hands and board."""
        return HoldemDeal(self, self._root, rng)

    def infoset(self, state: Hashable, hand: DealtHand) -> AbstractInfoset:
        """Return the abstract infoset of the player who decides at a betting state."""
        assert isinstance(hand, HoldemDeal)
        betting, line = _parts(state)
        player, street = betting.player, betting.street
        cards, board = hand.seen(player, street)
        view = _View(self, player, street, betting=betting, line=line, hand=cards, board=board)
        values = tuple(factor.value(view) for factor in self._factors)
        return self._abstraction.interned(player, values, self._names(betting))

    def key(self, player: int, street: int, hand: Hand, board: tuple[int, ...]) -> Hashable:
        """Return the values of the factors that read cards; all cards if one reads both."""
        view = _View(self, player, street, hand=hand, board=board)
        values = self._values(Reads.CARDS, view)
        return (hand, board) if Reads.BOTH in self._reads else values

    def note_line_is_read(self) -> None:
        """Keep lines from now on; raises GameError if states without a line are in use."""
        if self._is_probing:
            self._reads_line = True
        elif not self._reads_line:
            raise GameError(
                "an abstraction reads infoset.line only at some infosets; read it at all of them, "
                "or multiply the abstraction with betting_line"
            )

    def _probe(self, root: AbstractPosition) -> None:
        """Find out what the factors read, on hands played at random."""
        rng = random.Random(0)
        for _ in range(_HANDS_PROBED):
            for position in random_hand(root, rng, _MOVES_PROBED):
                if not (position.terminal or position.chance):
                    self._probe_at(position)

    def _probe_at(self, position: Game) -> None:
        assert isinstance(position, AbstractPosition)
        base = position.base
        assert isinstance(base, Holdem)
        assert base.hands is not None
        betting, player = base.betting, base.active
        self._group(betting, position.line)
        self.key(player, betting.street, base.hands[player], base.board)

    def _decision(self, betting: Betting, line: str) -> PublicMoves:
        offers = self._abstraction.offers(betting)
        return PublicMoves(
            PublicKind.DECISION,
            betting.street,
            betting.player,
            self._group(betting, line),
            self._names(betting),
            tuple(
                (betting.apply(offer.action), self._longer(line, abstract_letters(offer)))
                for offer in offers
            ),
        )

    def _group(self, betting: Betting, line: str) -> Hashable:
        """Return the values of the factors that read betting; the state if one reads both."""
        view = _View(self, betting.player, betting.street, betting=betting, line=line)
        values = self._values(Reads.BETTING, view)
        if Reads.BOTH in self._reads:
            return betting, line
        return betting.player, betting.street, self._names(betting), values

    def _values(self, reads: Reads, view: _View) -> tuple[Hashable, ...]:
        """Return the values of all factors that read the part of an infoset that `view` shows.

        A factor that turns out to read something else changes sides.
        """
        values: list[Hashable] = []
        for place, factor in enumerate(self._factors):
            if self._reads[place] is reads:
                try:
                    values.append(factor.value(view))
                except _NotInView:
                    self._reads[place] = Reads(reads + 1)
                    self.version += 1
        return tuple(values)

    def _longer(self, line: str, move: str) -> str:
        return line + move if self._reads_line else ""

    def _names(self, betting: Betting) -> tuple[str, ...]:
        return tuple(offer.name for offer in self._abstraction.offers(betting))

    def _lost(self, betting: Betting, player: int) -> float:
        """Return the chips that a player has put into the pot."""
        return float(self._root.rules.stacks[player] - betting.stacks[player])


def _parts(state: Hashable) -> State:
    assert isinstance(state, tuple)
    return state


class HoldemDeal:
    """The cards of one hand, drawn only as far as they are needed.

    They are dealt by the game itself, in a hand that is all-in from the start, or checked down
    under a betting limit.
    """

    def __init__(self, split: SplitHoldem, root: Holdem, rng: Uniforms) -> None:
        self._split = split
        self._rng = rng
        self._position = root.apply(root.sample(rng))
        betting = self._position.betting
        if betting.can_bet():
            self._position = self._position.apply(betting.named_bet(betting.largest_to))
        self._boards: list[tuple[int, ...]] = [()]

    def has_stage(self, stage: int) -> bool:
        """Whether there is a street of this number."""
        while len(self._boards) <= stage and not self._position.terminal:
            self._deal_street()
        return stage < len(self._boards)

    def key(self, player: int, stage: int) -> Hashable:
        """Return the key of the player's infosets on a street."""
        return self._split.key(player, stage, *self.seen(player, stage))

    def seen(self, player: int, stage: int) -> tuple[Hand, tuple[int, ...]]:
        """Return the cards that a player sees on a street."""
        hands = self._position.hands
        assert hands is not None
        return hands[player], self._boards[stage]

    def winner(self) -> int:
        """Return 1 if player 0 wins a showdown, −1 if player 1 does, 0 for a tie."""
        while not self._position.terminal:
            self._deal_street()
        won = self._position.payoff(0)
        return (won > 0.0) - (won < 0.0)

    def _deal_street(self) -> None:
        position = self._position
        while not (position.chance or position.terminal):
            position = position.apply(position.betting.passive_actions()[-1])
        if position.chance:
            position = position.apply(position.sample(self._rng))
            self._boards.append(position.board)
        self._position = position
