"""The betting rules of heads-up hold'em, as a small immutable state.

All amounts are integer chips. A bet or raise is named by its total: what the player has put in on
the street afterwards. It must exceed the highest bet by at least the last bet or raise of the
street, or the smallest bet allowed, unless it is all-in. A player who faces an all-in can only
call or fold; a call for less returns what it does not match.

    state = Betting.new(pot=200, stacks=(900, 900))
    state = state.bet_to(120).bet_to(300).check_or_call()
    state.is_over_street, state.pot                        # True, 800
    state = state.next_street(first=0)
"""

from dataclasses import dataclass, replace
from typing import Self

from untilt.errors import InvalidOption
from untilt.game.actions import ActionData, Kind, action_data, action_name

NOBODY = -1


@dataclass(frozen=True, slots=True)
class Rules:
    """What limits bets."""

    smallest_bet: int = 1
    """The least bet, and the least raise: the big blind."""
    fixed_bets: tuple[int, ...] | None = None
    """Limit games: by how much every bet and raise of each street is; None for no limit."""
    max_raises: int | None = None
    """How often a bet may be raised on a street; blinds count as a bet."""


@dataclass(frozen=True, slots=True)
class Betting:
    """Chips and turn at one moment of a hand."""

    pot: int
    """Chips of earlier streets, and antes."""
    bets: tuple[int, int]
    """Chips put in on this street."""
    stacks: tuple[int, int]
    """Chips left to each player."""
    player: int
    """Who acts, or NOBODY after a fold and when the betting of the street is over."""
    street: int = 0
    """Counted from the first street of the hand."""
    num_bets: int = 0
    """Bets and raises on this street; a blind counts as a bet."""
    last_raise: int = 0
    """By how much the last bet or raise of this street exceeded what there was before."""
    has_acted: bool = False
    """Whether the other player has acted on this street, so that a check or call ends it."""
    folded: int = NOBODY
    rules: Rules = Rules()

    @classmethod
    def new(
        cls,
        pot: int,
        stacks: tuple[int, int],
        *,
        blinds: tuple[int, int] = (0, 0),
        first: int = 0,
        rules: Rules = Rules(),  # noqa: B008  # immutable
    ) -> Self:
        """Return the start of a street; `stacks` are before `blinds` of both players are posted.

        A player with less than the blind posts all chips.
        """
        posted = min(blinds[0], stacks[0]), min(blinds[1], stacks[1])
        state = cls(
            pot=pot,
            bets=posted,
            stacks=(stacks[0] - posted[0], stacks[1] - posted[1]),
            player=first,
            num_bets=int(max(posted) > 0),
            last_raise=max(blinds),
            rules=rules,
        )
        return state._without_needless_turn()

    @property
    def to_call(self) -> int:
        """What the player to act must put in to stay, at most the whole stack; 0 if nobody acts."""
        own = self.player
        if own == NOBODY:
            return 0
        return min(max(self.bets[1 - own] - self.bets[own], 0), self.stacks[own])

    @property
    def total_pot(self) -> int:
        """All chips in the middle."""
        return self.pot + self.bets[0] + self.bets[1]

    @property
    def pot_after_call(self) -> int:
        """The pot if the player to act calls."""
        return self.pot + 2 * max(self.bets)

    @property
    def is_all_in(self) -> bool:
        """Whether a player has no chips left."""
        return 0 in self.stacks

    @property
    def is_over_street(self) -> bool:
        """Whether the betting of the street has ended and nobody has folded."""
        return self.player == NOBODY and self.folded == NOBODY

    @property
    def all_in_to(self) -> int:
        """The greatest bet that can be called: all-in for the smaller stack."""
        return min(self.bets[0] + self.stacks[0], self.bets[1] + self.stacks[1])

    @property
    def most_to(self) -> int:
        """The greatest bet of the player to act; what cannot be called is returned."""
        own = self.player
        limit = self._fixed_to
        everything = self.bets[own] + self.stacks[own]
        return everything if limit is None else min(limit, everything)

    @property
    def least_to(self) -> int:
        """The smallest bet or raise; less only if it is all-in."""
        limit = self._fixed_to
        size = max(self.last_raise, self.rules.smallest_bet)
        wanted = max(self.bets) + size if limit is None else limit
        return min(wanted, self.most_to)

    @property
    def _fixed_to(self) -> int | None:
        fixed = self.rules.fixed_bets
        return None if fixed is None else max(self.bets) + fixed[min(self.street, len(fixed) - 1)]

    def can_fold(self) -> bool:
        """Whether there is a bet to fold to."""
        return self.player != NOBODY and self.to_call > 0

    def can_bet(self) -> bool:
        """Whether the player to act can bet or raise."""
        own, limit = self.player, self.rules.max_raises
        if own == NOBODY or self.stacks[1 - own] == 0 or self.stacks[own] <= self.to_call:
            return False
        return limit is None or self.num_bets <= limit

    def verify_bet(self, amount: int) -> None:
        """Raise InvalidOption unless a bet or raise to `amount` is legal."""
        if not self.can_bet():
            raise InvalidOption(f"a bet to {amount} is not possible here: call, check or fold")
        if not (type(amount) is int and self.least_to <= amount <= self.most_to):
            raise InvalidOption(
                f"a bet to {amount} is not legal: give whole chips from {self.least_to} to "
                f"{self.most_to}"
            )

    def fold(self) -> Self:
        """Return the state after the player to act folds."""
        if not self.can_fold():
            raise InvalidOption("there is no bet to fold to: check instead")
        return replace(self, player=NOBODY, folded=self.player)

    def check_or_call(self) -> Self:
        """Return the state after a check, or a call if there is something to call."""
        own, to_call = self.player, self.to_call
        if own == NOBODY:
            raise InvalidOption("the betting of this street is over")
        bet = self.bets[own] + to_call
        # A call for less: the other player takes back what it does not match.
        other = min(self.bets[1 - own], bet) if to_call else self.bets[1 - own]
        returned = self.bets[1 - own] - other
        stacks = _pair(own, self.stacks[own] - to_call, self.stacks[1 - own] + returned)
        is_last = self.has_acted or 0 in stacks
        return replace(
            self,
            bets=_pair(own, bet, other),
            stacks=stacks,
            player=NOBODY if is_last else 1 - own,
            has_acted=True,
        )

    def bet_to(self, amount: int) -> Self:
        """Return the state after a bet or raise to `amount`, which must be legal."""
        self.verify_bet(amount)
        own = self.player
        return replace(
            self,
            bets=_pair(own, amount, self.bets[1 - own]),
            stacks=_pair(own, self.stacks[own] - amount + self.bets[own], self.stacks[1 - own]),
            player=1 - own,
            num_bets=self.num_bets + 1,
            # A raise that is all-in for less does not make the next one smaller.
            last_raise=max(amount - max(self.bets), self.last_raise),
            has_acted=True,
        )

    def next_street(self, first: int = 0) -> Self:
        """Return the start of the next street, on which player `first` acts first."""
        if not self.is_over_street:
            raise InvalidOption("the betting of this street is not over")
        state = replace(
            self,
            pot=self.total_pot,
            bets=(0, 0),
            player=first,
            street=self.street + 1,
            num_bets=0,
            last_raise=0,
            has_acted=False,
        )
        return state._without_needless_turn()

    def named_bet(self, amount: int) -> ActionData:
        """Return the bet, raise or all-in to `amount` of the player to act."""
        if amount >= self.all_in_to:
            kind = Kind.ALL_IN
        else:
            kind = Kind.RAISE if max(self.bets) > 0 else Kind.BET
        return action_data(action_name(kind, amount))

    def passive_actions(self) -> tuple[ActionData, ...]:
        """Return `check`, or `fold` and `call`."""
        return (FOLD, CALL) if self.to_call else (CHECK,)

    def apply(self, action: ActionData) -> Self:
        """Return the state after an action; raises InvalidOption if it is not legal.

        An all-in without amount is for the whole stack that can be called.
        """
        match action.kind:
            case Kind.FOLD:
                return self.fold()
            case Kind.CHECK | Kind.CALL:
                if (action.kind is Kind.CALL) != (self.to_call > 0):
                    there_is = "something" if self.to_call else "nothing"
                    raise InvalidOption(f"{action.name}: there is {there_is} to call")
                return self.check_or_call()
            case Kind.BET | Kind.RAISE | Kind.ALL_IN:
                amount = action.amount
                if amount is None and action.kind is Kind.ALL_IN:
                    amount = self.all_in_to
                if amount is None or amount != int(amount):
                    raise InvalidOption(f"{action.name!r} has no whole number of chips")
                return self.bet_to(int(amount))
            case _:
                raise InvalidOption(f"{action.name!r} is not an action of hold'em")

    def _without_needless_turn(self) -> Self:
        """Return the state with nobody to act if all-ins leave no decision."""
        own = self.player
        is_covered = self.bets[own] >= self.bets[1 - own] and self.is_all_in
        if self.stacks[own] > 0 and not is_covered:
            return self
        matched = min(self.bets)
        returned = self.bets[0] - matched, self.bets[1] - matched
        stacks = self.stacks[0] + returned[0], self.stacks[1] + returned[1]
        return replace(self, bets=(matched, matched), stacks=stacks, player=NOBODY)


FOLD, CHECK, CALL = (action_data(kind.value) for kind in (Kind.FOLD, Kind.CHECK, Kind.CALL))


def _pair(player: int, own: int, other: int) -> tuple[int, int]:
    return (own, other) if player == 0 else (other, own)
