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

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from untilt.errors import InvalidOption
from untilt.game.actions import ActionData, Kind, action_data, action_name

NOBODY = -1


@dataclass(frozen=True, slots=True)
class BettingRules:
    """The limits of bets."""

    smallest_bet: int = 1
    """The smallest bet and the smallest raise: the big blind."""
    fixed_bets: tuple[int, ...] | None = None
    """Limit games: the size of every bet and raise on each street; None for no limit."""
    max_raises: int | None = None
    """How often a bet may be raised on a street; blinds count as a bet."""


class Betting(NamedTuple):
    """Chips and turn at one moment of a hand; a tuple, because solvers make millions of them."""

    pot: int
    """Chips of earlier streets, and antes."""
    bets: tuple[int, int]
    """Chips put in on this street."""
    stacks: tuple[int, int]
    """Chips left to each player."""
    player: int
    """The player to act, or NOBODY after a fold and when the betting of the street is over."""
    street: int = 0
    """Counted from the first street of the hand."""
    num_bets: int = 0
    """Bets and raises on this street; a blind counts as a bet."""
    last_raise: int = 0
    """By how much the last bet or raise of this street exceeded the bet before it."""
    has_acted: bool = False
    """Whether the other player has acted on this street, so that a check or call ends it."""
    folded: int = NOBODY
    rules: BettingRules = BettingRules()

    @classmethod
    def new(
        cls,
        pot: int,
        stacks: tuple[int, int],
        *,
        blinds: tuple[int, int] = (0, 0),
        first: int = 0,
        rules: BettingRules = BettingRules(),  # noqa: B008  # immutable
    ) -> "Betting":
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
        """The price of a call for the player to act, at most the whole stack; 0 if nobody acts."""
        own = self.player
        if own == NOBODY:
            return 0
        owed, stack = self.bets[1 - own] - self.bets[own], self.stacks[own]
        if owed <= 0:
            return 0
        return owed if owed < stack else stack

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
        first, second = self.bets[0] + self.stacks[0], self.bets[1] + self.stacks[1]
        return first if first < second else second

    def bet_limits(self) -> tuple[int, int] | None:
        """Return the smallest and the greatest bet of the player to act; None if there is none.

        A bet may exceed what the other player can call; the excess is returned. It may be smaller
        than the last bet or raise only if it is all-in for one of the players.
        """
        _, bets, stacks, own, street, num_bets, last_raise, _, _, rules = self
        if own == NOBODY:
            return None
        mine, theirs, stack, their_stack = bets[own], bets[1 - own], stacks[own], stacks[1 - own]
        level = mine if mine > theirs else theirs
        if their_stack == 0 or stack <= level - mine:
            return None
        if rules.max_raises is not None and num_bets > rules.max_raises:
            return None
        most = mine + stack
        if rules.fixed_bets is None:
            least = level + (last_raise if last_raise > rules.smallest_bet else rules.smallest_bet)
        else:
            least = level + rules.fixed_bets[min(street, len(rules.fixed_bets) - 1)]
            most = min(most, least)
        return min(least, mine + stack, theirs + their_stack), most

    @property
    def most_to(self) -> int:
        """The greatest bet of the player to act; what cannot be called is returned."""
        return self._limits()[1]

    @property
    def least_to(self) -> int:
        """The smallest bet or raise; less only if it is all-in for one of the players."""
        return self._limits()[0]

    @property
    def largest_to(self) -> int:
        """The greatest bet or raise that differs from all smaller ones: at most all-in."""
        return min(self.most_to, self.all_in_to)

    def _limits(self) -> tuple[int, int]:
        limits = self.bet_limits()
        if limits is None:
            raise InvalidOption("nobody can bet here: call, check or fold")
        return limits

    def can_fold(self) -> bool:
        """Whether there is a bet to fold to."""
        return self.player != NOBODY and self.to_call > 0

    def can_bet(self) -> bool:
        """Whether the player to act can bet or raise."""
        return self.bet_limits() is not None

    def verify_bet(self, amount: int) -> None:
        """Raise InvalidOption unless a bet or raise to `amount` is legal."""
        limits = self.bet_limits()
        if limits is None:
            raise InvalidOption(f"a bet to {amount} is not possible here: call, check or fold")
        if not (type(amount) is int and limits[0] <= amount <= limits[1]):
            raise InvalidOption(
                f"a bet to {amount} is not legal: give whole chips from {limits[0]} to {limits[1]}"
            )

    def fold(self) -> "Betting":
        """Return the state after the player to act folds."""
        if not self.can_fold():
            raise InvalidOption("there is no bet to fold to: check instead")
        pot, bets, stacks, own, street, num_bets, last_raise, has_acted, _, rules = self
        return Betting(
            pot, bets, stacks, NOBODY, street, num_bets, last_raise, has_acted, own, rules
        )

    def check_or_call(self) -> "Betting":
        """Return the state after a check, or a call if there is something to call."""
        pot, bets, stacks, own, street, num_bets, last_raise, has_acted, _, rules = self
        if own == NOBODY:
            raise InvalidOption("the betting of this street is over")
        to_call = self.to_call
        if to_call:
            bet = bets[own] + to_call
            # A call for less: the other player takes back what it does not match.
            returned = bets[1 - own] - bet
            stacks = _pair(own, stacks[own] - to_call, stacks[1 - own] + returned)
            bets = (bet, bet)
        player = NOBODY if has_acted or 0 in stacks else 1 - own
        return Betting(pot, bets, stacks, player, street, num_bets, last_raise, True, NOBODY, rules)

    def bet_to(self, amount: int) -> "Betting":
        """Return the state after a bet or raise to `amount`, which must be legal."""
        self.verify_bet(amount)
        pot, bets, stacks, own, street, num_bets, last_raise, _, _, rules = self
        mine, theirs = bets[own], bets[1 - own]
        # A raise that is all-in for less does not make the next one smaller.
        last_raise = max(amount - max(mine, theirs), last_raise)
        bets = _pair(own, amount, theirs)
        stacks = _pair(own, stacks[own] - amount + mine, stacks[1 - own])
        return Betting(
            pot, bets, stacks, 1 - own, street, num_bets + 1, last_raise, True, NOBODY, rules
        )

    def next_street(self, first: int = 0) -> "Betting":
        """Return the start of the next street, on which player `first` acts first."""
        if not self.is_over_street:
            raise InvalidOption("the betting of this street is not over")
        pot, bets, stacks = self[:3]
        pot += bets[0] + bets[1]
        state = Betting(pot, (0, 0), stacks, first, self.street + 1, rules=self.rules)
        return state._without_needless_turn() if 0 in stacks else state

    def named_bet(self, amount: int) -> ActionData:
        """Return the bet, raise or all-in to `amount` of the player to act.

        In a limit game, where a street has one size, the name does not show it.
        """
        if amount >= self.all_in_to:
            kind = Kind.ALL_IN
        else:
            kind = Kind.RAISE if max(self.bets) > 0 else Kind.BET
        return _named_bet(kind, amount, self.rules.fixed_bets is not None)

    def passive_actions(self) -> tuple[ActionData, ...]:
        """Return `check`, or `fold` and `call`."""
        return (FOLD, CALL) if self.to_call else (CHECK,)

    def apply(self, action: ActionData) -> "Betting":
        """Return the state after an action; raises InvalidOption if it is not legal.

        An all-in without an amount is for as much as can be called; a bet or raise without an
        amount has the only size of a limit game.
        """
        kind, amount = action.kind, action.amount
        if kind is Kind.CHECK or kind is Kind.CALL:
            if (kind is Kind.CALL) != (self.to_call > 0):
                there_is = "something" if self.to_call else "nothing"
                raise InvalidOption(f"{action.name}: there is {there_is} to call")
            return self.check_or_call()
        if kind is Kind.FOLD:
            return self.fold()
        if kind is Kind.OTHER:
            raise InvalidOption(f"{action.name!r} is not an action of hold'em")
        if amount is None and kind is Kind.ALL_IN:
            amount = self.all_in_to
        elif amount is None and self.rules.fixed_bets is not None:
            amount = self.least_to
        if amount is None or amount != int(amount):
            raise InvalidOption(f"{action.name!r} has no whole number of chips")
        return self.bet_to(int(amount))

    def _without_needless_turn(self) -> "Betting":
        """Return the state with nobody to act if all-ins leave no decision."""
        own = self.player
        is_covered = self.bets[own] >= self.bets[1 - own] and self.is_all_in
        if self.stacks[own] > 0 and not is_covered:
            return self
        matched = min(self.bets)
        returned = self.bets[0] - matched, self.bets[1] - matched
        stacks = self.stacks[0] + returned[0], self.stacks[1] + returned[1]
        return self._replace(bets=(matched, matched), stacks=stacks, player=NOBODY)


FOLD, CHECK, CALL = (action_data(kind.value) for kind in (Kind.FOLD, Kind.CHECK, Kind.CALL))


@lru_cache(maxsize=4096)
def _named_bet(kind: Kind, amount: int, is_limit: bool) -> ActionData:
    name = action_name(kind, None if is_limit else amount)
    return ActionData(name, kind, float(amount))


def _pair(player: int, own: int, other: int) -> tuple[int, int]:
    return (own, other) if player == 0 else (other, own)
