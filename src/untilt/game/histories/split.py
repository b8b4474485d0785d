"""Games that split into public moves and deals, so that samples need few queries.

In poker, what players may do depends on the betting alone, and the cards decide the rest. A game
that says so is sampled much faster: its public states are asked for once and kept, and a deal is
queried only for what a sample needs: the private key of a player at a stage, whether there is a
next stage, who wins. An infoset is a *group* of public states together with a *key* of the deal.

    split = game.split()                # None if the game cannot be split
    hand = split.deal(rng)
    moves = split.moves(split.start)
    split.infoset(split.start, hand)
"""

from collections.abc import Hashable
from enum import Enum
from typing import NamedTuple, Protocol, runtime_checkable

from untilt.game.protocol import Action, InfoSet, Uniforms


class PublicKind(Enum):
    """The kind of a public state."""

    DECISION = 0
    STAGE_END = 1
    """The deal decides whether there is another stage; otherwise there is a showdown."""
    END = 2
    """The hand is over, whatever the deal."""
    SHOWDOWN = 3


class PublicMoves(NamedTuple):
    """The moves at a public state."""

    kind: PublicKind
    stage: int
    """Counted from 0."""
    player: int = -1
    """The player who decides."""
    group: Hashable = None
    """Of a decision: with the key of the player at this stage, it determines the infoset."""
    actions: tuple[Action, ...] = ()
    after: tuple[Hashable, ...] = ()
    """The public state after each action; at the end of a stage, the next stage's first state and
    the showdown."""
    payoff: float = 0.0
    """The gain of player 0 at an end, of the winner at a showdown; the other loses it."""


class DealtHand(Protocol):
    """All chance moves of a hand, whatever the players do."""

    def has_stage(self, stage: int) -> bool:
        """Whether the hand has this stage, if it gets there."""
        ...

    def key(self, player: int, stage: int) -> Hashable:
        """Return the part of a deal that determines `player`'s infosets at a stage."""
        ...

    def winner(self) -> int:
        """Return 1 if player 0 wins a showdown, −1 if player 1 does, 0 for a tie."""
        ...


class Split(Protocol):
    """A zero-sum game as public states and deals."""

    @property
    def version(self) -> int:
        """A number that changes when groups and keys are no longer those given before."""
        ...

    @property
    def start(self) -> Hashable:
        """The public state after the first deal."""
        ...

    def moves(self, state: Hashable) -> PublicMoves:
        """Return the moves at a public state."""
        ...

    def deal(self, rng: Uniforms) -> DealtHand:
        """Return a random deal; it may draw from `rng` later."""
        ...

    def infoset(self, state: Hashable, hand: DealtHand) -> InfoSet:
        """Return the infoset of the player who decides at a public state."""
        ...


@runtime_checkable
class OffersSplit(Protocol):
    """A game that can be split."""

    def split(self) -> Split | None:
        """Return the game as public states and deals; None if its positions are to be sampled."""
        ...
