"""A push/fold table: stacks, blinds, antes and prizes; who decides what, and what it brings.

Seats are numbered in the order in which they act before the flop: the last two are the blinds.
Each seat acts once. It is all-in or folds, knowing its hand and which seats before it are all-in,
which is a mask of bits. A *state* is a seat and such a mask.

Units are big blinds; stacks count before posting. With prizes, utilities are shares of the *pool*,
which is the sum of all prizes and bounties.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

from untilt.errors import InvalidOption
from untilt.games.pushfold.game import LARGEST_STACK
from untilt.games.pushfold.tables.finishing import MAX_PLAYERS, finish_hands
from untilt.games.pushfold.tables.pots import Layer, Posts, layers, post, won
from untilt.number import Number
from untilt.numeric.arrays import Floats

MIN_SEATS, MAX_SEATS = 2, 9
MOST_ALL_IN = 4
"""The most seats that can be all-in in a solved hand: the chain rule reaches so far."""

CHOICE, FORCED, OUT = "choice", "all-in", "out"
"""What a seat can do in a state: decide; be all-in without a decision; only fold."""

_LEAST_STACK, _MOST_STACK = 1e-9, 1e9
_LEAST_PRIZE, MOST_PRIZE = 1e-15, 1e15
"""Smaller and larger numbers would not leave enough digits."""

_EARLY = ("under the gun", "under the gun + 1", "under the gun + 2", "lojack", "hijack", "cutoff")
_LATE = ("button", "small blind", "big blind")


class TableState(NamedTuple):
    """A seat to act, and who is all-in before it."""

    seat: int
    all_in: int
    """A mask of seats."""


def seat_names(num_seats: int) -> tuple[str, ...]:
    """Return the names of the seats in the order in which they act before the flop."""
    if num_seats == 2:
        return _LATE[1:]
    late = _LATE if num_seats < 4 else (_EARLY[-1], *_LATE)
    if num_seats >= 6:
        late = (_EARLY[-2], *late)
    if num_seats >= 8:
        late = (_EARLY[-3], *late)
    return (*_EARLY[: num_seats - len(late)], *late)


def weak_orders(num_hands: int) -> tuple[tuple[int, ...], ...]:
    """Return the weak orders of hands as places, 0 for the best: 1, 3, 13, 75 of them."""
    return tuple(
        places
        for places in product(range(num_hands), repeat=num_hands)
        if set(places) == set(range(max(places) + 1))
    )


@dataclass(frozen=True)
class PushFoldTable:
    """The seats and stakes of a table; checked."""

    stacks: tuple[float, ...]
    small_blind: float = 0.5
    ante: float = 0.0
    bb_ante: float = 0.0
    prizes: tuple[float, ...] = ()
    """Best first; none to play for chips."""
    others: tuple[float, ...] = ()
    """Stacks at other tables, which take part in the prizes."""
    bounties: tuple[float, ...] = ()
    """On the heads of the seats, in the unit of the prizes; none, or one for each."""
    bounty_cash: float = 0.5
    """The share of a bounty that is paid at once; the rest goes to the winner's head."""
    max_all_in: int = MOST_ALL_IN
    """Seats that are all-in at the same time; who comes after them folds."""

    def __post_init__(self) -> None:
        verify_amounts(self)
        verify_prizes(self.prizes, len(self.stacks) + len(self.others))
        if self.others and not self.prizes:
            raise InvalidOption("stacks at other tables matter for prizes only: give prizes, too")
        if self.bounties and not self.prizes:
            raise InvalidOption("bounties are a share of a pool: give prizes, too")
        forced = sum(
            self.decision(TableState(seat, 0)) == FORCED for seat in range(self.num_seats - 1)
        )
        if forced >= self.max_all_in:
            raise InvalidOption(
                f"{forced} seats are all-in by posting, which leaves no decision to the others "
                f"with at most {self.max_all_in} all-in; give larger stacks"
            )

    @property
    def num_seats(self) -> int:
        """The number of seats, 2–9."""
        return len(self.stacks)

    @property
    def seats(self) -> tuple[str, ...]:
        """The names of the seats."""
        return seat_names(self.num_seats)

    @property
    def pool(self) -> float:
        """The sum of prizes and bounties; 0 if it is played for chips."""
        return math.fsum((*self.prizes, *self.bounties))

    @cached_property
    def posted(self) -> Posts:
        """What each seat posts."""
        return post(np.array(self.stacks), self.small_blind, self.ante, self.bb_ante)

    def decision(self, state: TableState) -> str:
        """Return what the seat can do: CHOICE, FORCED or OUT."""
        seat, mask = state
        posted = self.posted
        stakes = posted.ante + posted.blind
        own = stakes[seat]
        behind = self.stacks[seat] - own - posted.dead[seat]
        for other in range(self.num_seats):
            if mask >> other & 1:
                stakes[other] = self.stacks[other] - posted.dead[other]
        to_match = np.delete(stakes, seat).max()
        if mask.bit_count() >= self.max_all_in:
            return OUT
        return FORCED if behind <= 0.0 or to_match <= own else CHOICE

    def next_states(self, state: TableState) -> Iterator[tuple[bool, TableState]]:
        """Yield whether the seat is all-in, and the state that follows; the seat may be n."""
        decision = self.decision(state)
        if decision != OUT:
            yield True, TableState(state.seat + 1, state.all_in | 1 << state.seat)
        if decision != FORCED:
            yield False, TableState(state.seat + 1, state.all_in)

    @cached_property
    def states(self) -> tuple[TableState, ...]:
        """All states that can be reached in which the seat may be all-in, by seat and mask.

        The big blind wins without a decision if everybody folds.
        """
        found: list[TableState] = []
        level = {TableState(0, 0)}
        while level:
            after: set[TableState] = set()
            for state in sorted(level):
                if state.seat == self.num_seats or state == (self.num_seats - 1, 0):
                    continue
                if self.decision(state) != OUT:
                    found.append(state)
                after.update(following for _, following in self.next_states(state))
            level = after
        return tuple(found)

    @cached_property
    def decisions(self) -> tuple[TableState, ...]:
        """The states in which the seat has a choice."""
        return tuple(state for state in self.states if self.decision(state) == CHOICE)

    def pots(self, all_in: Sequence[int]) -> list[Layer]:
        """Return the pots if these seats are all-in; nobody means that the big blind wins."""
        return layers(np.array(self.stacks), self.posted, all_in or (self.num_seats - 1,))

    def stacks_after(self, all_in: Sequence[int]) -> Floats:
        """Return [orders, n] all stacks after the hand, by the `weak_orders` of the seats."""
        seats = tuple(all_in) or (self.num_seats - 1,)
        pots = self.pots(seats)
        left = np.array(self.stacks) - self.posted.total
        left[list(seats)] = 0.0
        orders = weak_orders(len(seats))
        final = np.array([left + won(self.num_seats, pots, seats, each) for each in orders])
        return np.asarray(final, dtype=np.float64)

    def utilities(self, all_in: Sequence[int]) -> Floats:
        """Return [orders, n] what seats have after the hand: chips won, or shares of the pool."""
        final = self.stacks_after(all_in)
        if not self.prizes:
            gained: Floats = final - np.array(self.stacks)
            return gained
        # Chips that are lost in rounding must not keep anyone in the tournament.
        final[final < 1e-9] = 0.0
        heads, cash = self._bounties_after(tuple(all_in), final)
        values = np.zeros(final.shape)
        prizes, others = np.array(self.prizes), np.array(self.others)
        finish_hands(final, np.array(self.stacks), others, prizes, heads, values)
        shares: Floats = (values + cash) / self.pool
        return shares

    def _bounties_after(self, all_in: tuple[int, ...], final: Floats) -> tuple[Floats, Floats]:
        """Return [orders, n + others] bounties on heads, [orders, n] cash for knocking out."""
        cash = np.zeros(final.shape)
        if not self.bounties:
            return np.empty((len(final), 0)), cash
        heads = np.tile(np.array(self.bounties), (len(final), 1))
        seats = all_in or (self.num_seats - 1,)
        pots = self.pots(seats)
        for row, order in enumerate(weak_orders(len(seats))):
            place_of = dict(zip(seats, order, strict=True))
            for seat in np.flatnonzero(final[row] <= 0.0).tolist():
                # The last chips of who is out were in the highest of the pots.
                last = [pot for pot in pots if seat in pot.eligible][-1]
                best = min(place_of[each] for each in last.eligible)
                winners = [each for each in last.eligible if place_of[each] == best]
                share = self.bounties[seat] / len(winners)
                for winner in winners:
                    cash[row, winner] += self.bounty_cash * share
                    heads[row, winner] += (1.0 - self.bounty_cash) * share
                heads[row, seat] -= self.bounties[seat]
        return heads, cash

    def final_sets(self) -> Iterator[tuple[int, ...]]:
        """Yield every set of seats that can be all-in at the end, the empty one first."""
        level = {TableState(0, 0)}
        while any(state.seat < self.num_seats for state in level):
            level = {
                following
                for state in level
                for _, following in (
                    [(False, TableState(self.num_seats, 0))]
                    if state == (self.num_seats - 1, 0)
                    else self.next_states(state)
                )
            }
        masks = sorted((state.all_in for state in level), key=lambda mask: (mask.bit_count(), mask))
        for mask in masks:
            yield tuple(seat for seat in range(self.num_seats) if mask >> seat & 1)

    def before_text(self, state: TableState) -> str:
        """Return who is all-in before a seat acts, in words."""
        names = [self.seats[seat] for seat in range(state.seat) if state.all_in >> seat & 1]
        return ", ".join(names) if names else "nobody"


def verify_amounts(table: PushFoldTable) -> None:
    """Raise InvalidOption unless stacks, blinds, antes and bounties are possible."""
    num_seats = len(table.stacks)
    if not MIN_SEATS <= num_seats <= MAX_SEATS:
        raise InvalidOption.of(
            "seats", num_seats, f"a table has {MIN_SEATS} to {MAX_SEATS} seats; give a stack each"
        )
    for stack in (*table.stacks, *table.others):
        if not Number(least=_LEAST_STACK, most=_MOST_STACK).accepts(stack):
            raise InvalidOption(
                f"a stack of {stack:g} cannot play; give a number above 0, from {_LEAST_STACK:g} "
                f"to {_MOST_STACK:g}, and leave out whoever has no chips"
            )
    if max(table.stacks) > LARGEST_STACK:
        raise InvalidOption(
            f"a stack of {max(table.stacks):g} bb is too deep for push/fold; give at most "
            f"{LARGEST_STACK:g}"
        )
    named = {"small_blind": table.small_blind, "ante": table.ante, "bb_ante": table.bb_ante}
    for name, amount in named.items():
        most = float(MAX_SEATS) if name == "bb_ante" else 1.0
        Number(least=0.0, most=most).read(name, amount)
    if table.bounties and len(table.bounties) != num_seats + len(table.others):
        raise InvalidOption(
            f"{len(table.bounties)} bounties are given for {num_seats + len(table.others)} "
            "players; give one for each, or one for all"
        )
    for bounty in table.bounties:
        Number(least=0.0, most=MOST_PRIZE).read("bounty", bounty)
    Number(least=0.0, most=1.0).read("bounty_cash", table.bounty_cash)


def verify_prizes(prizes: Sequence[float], num_players: int) -> None:
    """Raise InvalidOption unless prizes fall and there are players for all of them."""
    if prizes and not (min(prizes) >= 0.0 and max(prizes) <= MOST_PRIZE):
        raise InvalidOption.of(
            "prizes", list(prizes), f"give numbers that are not negative, at most {MOST_PRIZE:g}"
        )
    if any(first < second for first, second in pairwise(prizes)):
        raise InvalidOption.of(
            "prizes", list(prizes), "a worse place cannot win more; give the first prize first"
        )
    if len(prizes) > num_players:
        raise InvalidOption(
            f"{len(prizes)} prizes are given for {num_players} players; give at most one for each"
        )
    if prizes and not prizes[0] > 0.0:
        raise InvalidOption("all prizes are 0; give at least one that is not")
    if prizes and prizes[0] < _LEAST_PRIZE:
        raise InvalidOption(
            f"the first prize is {prizes[0]:g}; give at least {_LEAST_PRIZE:g}, in any unit"
        )
    if num_players > MAX_PLAYERS and prizes:
        raise InvalidOption(
            f"{num_players} players are given; the work doubles with each, so give at most "
            f"{MAX_PLAYERS}"
        )
