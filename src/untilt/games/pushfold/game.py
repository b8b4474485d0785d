"""Push/fold: heads-up no-limit hold'em where the only bet is all-in.

The small blind pushes or folds, the big blind calls or folds. Each player knows the class of
her hand (AKs, QQ, 72o): suits do not matter before the board. Deals have the exact
probabilities of two hands from one deck, and a called push is worth its exact equity.

Units are big blinds. Stacks count before blinds and antes are posted. A big-blind ante is dead
money: nobody can match it. With stack x, ante a, big-blind ante b and small blind s, the small
blind gains

    fold −(s + a)    uncalled push 1 + a + b    called: win x, lose −(x − b), tie b / 2

With unequal stacks, X of the small blind and Y of the big blind, at most X − a or Y − a − b can be
bet. Payoffs are then those of equal stacks x = min(X + b, Y).
"""

# ruff: noqa: D102 — the protocol documents the methods of a position.

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from untilt.cards.combos import CLASS_NAMES, NUM_COMBOS, NUM_COMBOS_OF_CLASS
from untilt.cards.equity.preflop_table import preflop_matrix
from untilt.errors import GameError
from untilt.game.protocol import Action, Game
from untilt.game.terms import Chips, Terms
from untilt.numeric.arrays import Floats

if TYPE_CHECKING:
    from untilt.game.sequence.sequence_form import SequenceForm

FOLD, PUSH, CALL = "fold", "all-in", "call"
NUM_DEALS = NUM_COMBOS * math.comb(50, 2)
"""Ordered pairs of disjoint combos: 1326 · 1225."""

LARGEST_STACK = 1000.0

_LEAST_EQUITY = 0.323
"""The equity of 32o, the weakest hand, against a random one."""


class ClassPairs(NamedTuple):
    """Pairs of classes: deals and results; rows are the small blind's, in grid order."""

    probability: Floats
    """[169, 169] probability of the deal; they sum to 1."""
    win: Floats
    """[169, 169] share of boards that the row wins, over all pairs of combos."""
    tie: Floats
    """[169, 169]"""


@lru_cache(maxsize=1)
def deals() -> ClassPairs:
    """Return the exact probabilities of all deals and all-in results."""
    matrix = preflop_matrix()
    boards = (matrix.wins + matrix.ties + matrix.wins.T).astype(np.float64)
    return ClassPairs(matrix.pairs / NUM_DEALS, matrix.wins / boards, matrix.ties / boards)


@dataclass(frozen=True, slots=True)
class Stakes:
    """The stack, blinds and antes, in big blinds."""

    stack: float = 10.0
    small_blind: float = 0.5
    ante: float = 0.0
    """Posted by each player."""
    bb_ante: float = 0.0
    """Posted by the big blind for both."""

    def __post_init__(self) -> None:
        named = {"small_blind": self.small_blind, "ante": self.ante, "bb_ante": self.bb_ante}
        for name, amount in named.items():
            if not 0.0 <= amount <= 1.0:
                raise GameError(f"pushfold: {name} is {amount:g} bb; it must be from 0 to 1")
        posted = 1.0 + self.ante + self.bb_ante
        if not 0.0 < self.stack <= LARGEST_STACK:  # also nan
            raise GameError(
                f"pushfold: the stack is {self.stack:g} bb; it must be more than {posted:g} (what "
                f"the big blind posts) and at most {LARGEST_STACK:g}"
            )
        if self.stack <= posted:
            raise GameError(
                f"pushfold: with a stack of {self.stack:g} bb the big blind is all-in after "
                f"posting {posted:g} and has no decision{self._advice()}; give a larger stack"
            )

    @classmethod
    def of_stacks(
        cls,
        stacks: tuple[float, float],
        small_blind: float = 0.5,
        ante: float = 0.0,
        bb_ante: float = 0.0,
    ) -> "Stakes":
        """Return the stakes with equal stacks that make the same game; `stacks` are small, big."""
        for player, stack in zip(("small blind", "big blind"), stacks, strict=True):
            if not stack > 0.0:  # also nan
                raise GameError(
                    f"pushfold: the stack of the {player} is {stack:g} bb; it must be positive"
                )
        small, big = stacks
        if small <= 1.0 + ante:
            alone = cls(LARGEST_STACK, small_blind, ante, bb_ante)
            raise GameError(
                f"pushfold: with a stack of {small:g} bb, {ante:g} of it ante, the small blind "
                "cannot push more than the big blind has posted, which leaves her no decision"
                f"{alone._advice()}; give a larger stack"
            )
        return cls(min(small + bb_ante, big), small_blind, ante, bb_ante)

    def _advice(self) -> str:
        """Return what the small blind should do if the big blind is all-in after posting."""
        if _LEAST_EQUITY * (2.0 + 2.0 * self.ante + self.bb_ante) < 1.0 - self.small_blind:
            return ""
        return (
            ": the small blind should push every hand, since none has less than 32 % equity "
            "against a random one"
        )

    @property
    def folded(self) -> float:
        """The gain of the small blind by a fold."""
        return -(self.small_blind + self.ante)

    @property
    def uncalled(self) -> float:
        """The gain of the small blind by a push that is not called."""
        return 1.0 + self.ante + self.bb_ante

    def called(self, win: Floats, tie: Floats) -> Floats:
        """Return the gain of a called push, given the shares of boards won and tied."""
        lose = 1.0 - win - tie
        return win * self.stack - lose * (self.stack - self.bb_ante) + tie * self.bb_ante / 2.0


class PushFoldInfoset(NamedTuple):
    """A player's hand class and the betting so far; labels read `P0:AKs:` and `P1:AKs:a`."""

    player: int
    private: str

    @property
    def public(self) -> str:
        """Empty: there are no public cards."""
        return ""

    @property
    def line(self) -> str:
        """The betting so far: the big blind acts only after a push."""
        return "a" if self.player else ""

    def actions(self) -> Sequence[str]:
        """Return the two actions, the passive one first."""
        return (FOLD, CALL) if self.player else (FOLD, PUSH)

    def __str__(self) -> str:
        return f"P{self.player}:{self.private}:{self.line}"


@dataclass(frozen=True, slots=True)
class PushFold(Game):
    """A position of push/fold; `PushFold(Stakes(10.0))` is the game."""

    terms = Terms(
        unit="bb",
        seats=("small blind", "big blind"),
        private="hand class",
        public="",
        has_chips=True,
        rules="Hold'em with one bet: the small blind goes all in or folds, the big blind calls or "
        "folds. A call is scored by the exact equity of the two hands, not by one board.",
    )

    stakes: Stakes = field(default_factory=Stakes)
    hands: tuple[int, ...] = ()
    """Classes dealt so far, as numbers of the grid: the small blind's, then the big blind's."""
    line: str = ""
    """f, or a followed by f or c."""

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters with which `untilt.games.pushfold` makes this game."""
        stakes = self.stakes
        return {
            "stack": stakes.stack,
            "small_blind": stakes.small_blind,
            "ante": stakes.ante,
            "bb_ante": stakes.bb_ante,
        }

    @property
    def terminal(self) -> bool:
        return self.line in {"f", "af", "ac"}

    @property
    def chance(self) -> bool:
        return len(self.hands) < 2

    @property
    def active(self) -> int:
        return len(self.line)

    @property
    def chips(self) -> Chips:
        """The antes are in the pot; blinds and pushes are bets.

        A push is as much as the big blind can call; the rest of the stack is not at stake.
        """
        stakes = self.stakes
        pushed = stakes.stack - stakes.ante - stakes.bb_ante
        small = pushed if self.line.startswith("a") else stakes.small_blind
        big = pushed if self.line == "ac" else 1.0
        stacks = stakes.stack - stakes.ante - small, pushed - big
        return Chips(2.0 * stakes.ante + stakes.bb_ante, (small, big), stacks)

    @property
    def equities(self) -> tuple[float, float] | None:
        """Each player's exact share of a called all-in over all boards; None before a call."""
        if self.line != "ac":
            return None
        table = deals()
        share = float(table.win[self.hands] + table.tie[self.hands] / 2.0)
        return share, 1.0 - share

    def payoff(self, player: int) -> float:
        if self.line == "ac":
            table = deals()
            win, tie = table.win[self.hands], table.tie[self.hands]
            gain = float(self.stakes.called(win, tie))
        else:
            gain = self.stakes.folded if self.line == "f" else self.stakes.uncalled
        return gain if player == 0 else -gain

    def chances(self) -> Sequence[tuple[str, float]]:
        # One division of integers each, so chances are as exact as floats can be.
        shares = preflop_matrix().pairs[self.hands[0]] if self.hands else NUM_COMBOS_OF_CLASS
        return list(zip(CLASS_NAMES, (shares / shares.sum()).tolist(), strict=True))

    def infoset(self, player: int) -> PushFoldInfoset:
        return PushFoldInfoset(player, CLASS_NAMES[self.hands[player]])

    def apply(self, action: Action) -> "PushFold":
        if self.chance and action in CLASS_NAMES:
            return PushFold(self.stakes, (*self.hands, CLASS_NAMES.index(str(action))))
        legal = () if self.terminal or self.chance else self.infoset(self.active).actions()
        if action not in legal:
            raise GameError(f"pushfold: {action!r} is not legal here; legal: {', '.join(legal)}")
        letter = {FOLD: "f", PUSH: "a", CALL: "c"}[str(action)]
        return PushFold(self.stakes, self.hands, self.line + letter)

    def sequence_form(self) -> "SequenceForm | None":
        """Return the form of the whole game, built directly from the table of deals."""
        from untilt.games.pushfold.form import build_form

        return None if self.hands else build_form(self.stakes)
