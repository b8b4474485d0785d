"""The size of the betting, counted without growing its tree.

What follows a state of the betting depends on the chips, the player to act and the number of bets,
not on how the hand got there. So a street is counted in steps: all different states with the same
turn and the same number of bets at once, as arrays, each with the number of nodes at which it
occurs. `MAX_WORK` limits the time to a fraction of a second; a count that is not complete by then
is a lower bound.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from untilt.games.holdem.bets.bet_amounts import ALMOST, Thresholds
from untilt.games.holdem.bets.sizes import STREETS, Size, Unit
from untilt.games.holdem.betting import NOBODY, Betting, BettingRules
from untilt.numeric.arrays import Bools, Floats

MAX_WORK = 2_000_000
"""The most bets at different states that a count looks at: about 0.2 seconds."""
_STEP_WORK, _SIZE_WORK = 2_000, 500
"""The fixed cost of a step, and of each of its sizes, in bets."""
_BLOCK = 1 << 14
"""States that are looked at together."""

NO_BET = 0.0


class States(NamedTuple):
    """Different states of the betting with the same turn and number of bets; see `Betting`.

    Chips are float64 [states], which holds them exactly.
    """

    street: int
    """Counted from before the flop."""
    player: int
    num_bets: int
    has_acted: bool
    is_donk: bool
    """Whether player 0 begins the street after calling on the previous one."""
    rules: BettingRules
    pot: Floats
    own_bet: Floats
    other_bet: Floats
    own_stack: Floats
    other_stack: Floats
    last_raise: Floats
    num_nodes: Floats
    """Nodes at which each state occurs."""

    @property
    def level(self) -> Floats:
        """The highest bet."""
        return np.maximum(self.own_bet, self.other_bet)

    @property
    def pot_after_call(self) -> Floats:
        """The pot if the player to act calls."""
        return self.pot + 2.0 * self.level

    @property
    def all_in_to(self) -> Floats:
        """The greatest bet that can be called."""
        return np.minimum(self.own_bet + self.own_stack, self.other_bet + self.other_stack)

    @property
    def can_bet(self) -> Bools:
        """Whether the player to act can bet or raise."""
        most_raises = self.rules.max_raises
        if most_raises is not None and self.num_bets > most_raises:
            return np.zeros(len(self.pot), dtype=np.bool_)
        return (self.other_stack > 0.0) & (self.own_stack > self.level - self.own_bet)

    def bet_limits(self) -> tuple[Floats, Floats]:
        """Return the smallest and the greatest bet; only valid where a bet is possible."""
        fixed = self.rules.fixed_bets
        most = self.own_bet + self.own_stack
        if fixed is None:
            least = self.level + np.maximum(self.last_raise, self.rules.smallest_bet)
            limit = most
        else:
            least = self.level + fixed[min(self.street, len(fixed) - 1)]
            limit = np.minimum(most, least)
        return np.minimum(least, np.minimum(most, self.other_bet + self.other_stack)), limit

    def bettings(self) -> Iterator[Betting]:
        """Yield the states one by one."""
        columns = (self.pot, self.own_bet, self.other_bet, self.own_stack, self.other_stack)
        for row in zip(*(map(int, each) for each in (*columns, self.last_raise)), strict=True):
            pot, *chips, last_raise = row
            own, other = slice(0, None, 2), slice(1, None, 2)
            first, second = (own, other) if self.player == 0 else (other, own)
            bets, stacks = zip(chips[first], chips[second], strict=True)
            yield Betting(
                pot,
                bets,
                stacks,
                self.player,
                self.street,
                self.num_bets,
                last_raise,
                self.has_acted,
                NOBODY,
                self.rules,
            )

    def where(self, is_kept: Bools | npt.NDArray[np.int64] | slice) -> "States":
        """Return some of the states."""
        return States(*self[:6], *(column[is_kept] for column in self[6:]))


Offer: TypeAlias = Callable[[States], Floats]
"""Returns the bets that are offered, as totals on the street: [bets, states], each bet of a state
once, or NO_BET. Called only for states where a bet is possible."""


@dataclass(frozen=True)
class StreetCount:
    """Nodes of one street of a betting tree; beyond 2⁵³ they are not exact."""

    decisions: float
    actions: tuple[float, float]
    """Actions at the decisions of each player."""
    folds: float
    all_ins: float
    """Ends of the betting with a player all-in."""
    closings: float
    """Ends of the street's betting with chips left to bet."""
    bets: float

    @property
    def num_nodes(self) -> float:
        """All nodes, if the end of a street is one."""
        return self.decisions + self.folds + self.all_ins + self.closings


@dataclass(frozen=True)
class BettingCount:
    """The size of a betting tree."""

    streets: tuple[StreetCount, ...]
    is_complete: bool
    """Whether everything was counted; otherwise the numbers are lower bounds."""

    @property
    def num_nodes(self) -> float:
        """Nodes of all streets, if the end of a street is one."""
        return sum(street.num_nodes for street in self.streets)


def shown_count(number: float, *, is_complete: bool = True) -> str:
    """Return a number of nodes for people: `12,345`, `about 3.14 million`, `more than 12,345`."""
    shown, about = f"{number:,.0f}", ""
    for word, size in (("million", 1e6), ("billion", 1e9), ("trillion", 1e12)):
        if number >= max(size, 1e7):
            rounded = float(f"{number / size:.3g}")
            shown, about = f"{rounded:,.4g} {word}", "about "
    if number >= 1e15:
        shown, is_complete = "a thousand trillion", False
    return f"{about if is_complete else 'more than '}{shown}"


class CountingWork:
    """The work that counting may take; shared by several counts if they share the time."""

    def __init__(self, most: float | None = None) -> None:
        self.left = float(MAX_WORK if most is None else most)


def count_betting(
    start: Betting,
    street: int,
    num_streets: int,
    offer: Offer,
    *,
    first: int = 0,
    work: CountingWork | None = None,
) -> BettingCount:
    """Return the size of the betting from a state of `street` on, to the end of `num_streets`.

    `street` counts from before the flop; player `first` acts first on the streets that follow.
    """
    allowed = CountingWork() if work is None else work
    tally = _Tally()
    roots = [_states_of(start, street)]
    if start.player == NOBODY:
        tally.all_ins, roots = 1.0, []
    counted: list[StreetCount] = []
    for _ in range(street, num_streets):
        if allowed.left > 0.0:
            roots = _count_street(roots, offer, first, tally, allowed)
        counted.append(tally.count())
        tally = _Tally()
    return BettingCount(tuple(counted), is_complete=allowed.left > 0.0)


def offered_amounts(sizes: Sequence[Size], states: States, thresholds: Thresholds) -> Floats:
    """Return the bets that `sizes` offer, as `bet_amounts` does for one state."""
    level, pot, all_in = states.level, states.pot_after_call, states.all_in_to
    least, most = states.bet_limits()
    most = np.minimum(most, all_in)
    rows: list[Floats] = []
    for size in sizes:
        asked = _amounts(size, states, level, pot, all_in)
        if asked is None:
            continue
        amount = np.minimum(np.maximum(asked, least), most)
        pot_called = pot + 2.0 * (amount - level)
        is_forced = all_in <= amount + _rounded(pot_called * thresholds.force_all_in)
        rows.append(np.where(is_forced, most, amount))
    is_added = most <= level + _rounded(pot * thresholds.add_all_in)
    rows.append(np.where(is_added, most, NO_BET))
    amounts = np.sort(np.stack(rows), axis=0)[::-1]
    limit = np.full(len(pot), np.inf)
    for row in amounts:
        share = (row - level) / pot
        is_kept = (row != NO_BET) & (share < limit)
        limit = np.where(
            is_kept, (share - thresholds.merge) / (1.0 + thresholds.merge) * ALMOST, limit
        )
        row[~is_kept] = NO_BET
    return amounts


def without_repeats(amounts: Floats) -> Floats:
    """Return the bets [bets, states] with each bet of a state once, in descending order."""
    found = np.sort(amounts, axis=0)[::-1]
    found[1:][found[1:] == found[:-1]] = NO_BET
    return found


def _amounts(
    size: Size, states: States, level: Floats, pot: Floats, all_in: Floats
) -> Floats | None:
    """Return a size in chips, as `bet_amount` does."""
    match size.unit:
        case Unit.POT:
            return level + _rounded(pot * size.value)
        case Unit.MULTIPLE:
            return _rounded(level * size.value)
        case Unit.CHIPS:
            return level + size.value if states.num_bets <= size.cap else None
        case Unit.GEOMETRIC:
            num_streets = int(size.value) or len(STREETS) - states.street
            exponent = 1.0 / max(num_streets - max(states.num_bets - 1, 0), 1)
            ratio = 2.0 * ((all_in - level) / pot) + 1.0
            # NumPy's power may differ from Python's in the last digit.
            growth = np.array([each**exponent for each in ratio.tolist()])
            return level + _rounded(pot * np.minimum((growth - 1.0) / 2.0, size.cap))
        case _:
            return all_in


def _rounded(numbers: Floats) -> Floats:
    whole = np.floor(numbers)
    return whole + (numbers - whole >= 0.5)


class _Tally:
    def __init__(self) -> None:
        self.decisions = self.folds = self.all_ins = self.closings = self.bets = 0.0
        self.actions = [0.0, 0.0]

    def count(self) -> StreetCount:
        return StreetCount(
            self.decisions,
            (self.actions[0], self.actions[1]),
            self.folds,
            self.all_ins,
            self.closings,
            self.bets,
        )


def _states_of(betting: Betting, street: int) -> States:
    own, other = betting.player, 1 - betting.player
    chips = (
        betting.pot,
        betting.bets[own],
        betting.bets[other],
        betting.stacks[own],
        betting.stacks[other],
        betting.last_raise,
        1,
    )
    return States(
        street,
        own,
        betting.num_bets,
        betting.has_acted,
        False,
        betting.rules,
        *(np.array([float(number)]) for number in chips),
    )


def _count_street(
    roots: list[States], offer: Offer, first: int, tally: _Tally, work: CountingWork
) -> list[States]:
    """Count the betting that follows from `roots`; return the beginnings of the next street."""
    waiting: dict[tuple[int, bool, int, bool], list[States]] = {}
    following: dict[bool, list[States]] = {}

    def add(states: States) -> None:
        if len(states.pot):
            turn = states.num_bets, states.has_acted, states.player, states.is_donk
            waiting.setdefault(turn, []).append(states)

    for root in roots:
        add(root)
    while waiting:
        states = _merged(waiting.pop(min(waiting)))
        for begin in range(0, len(states.pot), _BLOCK):
            block = states.where(slice(begin, begin + _BLOCK))
            tally.decisions += float(block.num_nodes.sum())
            passive, is_over = _after_passive_action(block, tally)
            add(passive.where(~is_over))
            closed = _next_street(passive.where(is_over), first, tally)
            following.setdefault(closed.is_donk, []).append(closed)
            add(_after_bets(block, offer, tally, work))
            if work.left <= 0.0:
                tally.decisions += sum(
                    float(part.num_nodes.sum()) for parts in waiting.values() for part in parts
                )
                return []
    return [_merged(parts) for parts in following.values()]


def _after_passive_action(states: States, tally: _Tally) -> tuple[States, Bools]:
    """Return the states after a check or call, and whether the betting of the street is over."""
    own_bet, other_bet = states.own_bet, states.other_bet
    to_call = np.minimum(np.maximum(other_bet - own_bet, 0.0), states.own_stack)
    is_call = to_call > 0.0
    num_folds = float(states.num_nodes[is_call].sum())
    tally.folds += num_folds
    tally.actions[states.player] += float(states.num_nodes.sum()) + num_folds
    own_bet = own_bet + to_call
    returned = np.where(is_call, other_bet - own_bet, 0.0)
    own_stack, other_stack = states.own_stack - to_call, states.other_stack + returned
    is_over = (own_stack == 0.0) | (other_stack == 0.0) | states.has_acted
    after = states._replace(
        player=1 - states.player,
        has_acted=True,
        is_donk=False,
        own_bet=other_bet - returned,
        other_bet=own_bet,
        own_stack=other_stack,
        other_stack=own_stack,
    )
    return after, is_over


def _next_street(over: States, first: int, tally: _Tally) -> States:
    """Return the beginnings of the next street after the betting of one is over."""
    is_all_in = (over.own_stack == 0.0) | (over.other_stack == 0.0)
    tally.all_ins += float(over.num_nodes[is_all_in].sum())
    left = over.where(~is_all_in)
    tally.closings += float(left.num_nodes.sum())
    is_own = left.player == first
    nothing = np.zeros(len(left.pot))
    return left._replace(
        street=left.street + 1,
        player=first,
        num_bets=0,
        has_acted=False,
        is_donk=left.player == 1,
        pot=left.pot + left.own_bet + left.other_bet,
        own_bet=nothing,
        other_bet=nothing,
        own_stack=left.own_stack if is_own else left.other_stack,
        other_stack=left.other_stack if is_own else left.own_stack,
        last_raise=nothing,
    )


def _after_bets(states: States, offer: Offer, tally: _Tally, work: CountingWork) -> States:
    """Return the states after every bet or raise."""
    bettor = states.where(states.can_bet)
    amounts = offer(bettor) if len(bettor.pot) else np.empty((0, 0))
    work.left -= len(amounts) * (len(bettor.pot) + _SIZE_WORK) + _STEP_WORK
    row, of_state = np.nonzero(amounts)
    amount = amounts[row, of_state]
    num_nodes = bettor.num_nodes[of_state]
    tally.bets += float(num_nodes.sum())
    tally.actions[states.player] += float(num_nodes.sum())
    raised_by = amount - bettor.level[of_state]
    return states._replace(
        player=1 - states.player,
        num_bets=states.num_bets + 1,
        has_acted=True,
        is_donk=False,
        pot=bettor.pot[of_state],
        own_bet=bettor.other_bet[of_state],
        other_bet=amount,
        own_stack=bettor.other_stack[of_state],
        other_stack=bettor.own_stack[of_state] - (amount - bettor.own_bet[of_state]),
        last_raise=np.maximum(raised_by, bettor.last_raise[of_state]),
        num_nodes=num_nodes,
    )


def _merged(parts: list[States]) -> States:
    """Return states of the same turn with equal ones counted together."""
    columns = zip(*(part[6:] for part in parts), strict=True)
    whole = States(*parts[0][:6], *map(np.concatenate, columns))
    if len(whole.pot) <= 1:
        return whole
    # All chips in play are the same everywhere, and so is how much more one player has.
    bets = _paired(whole.own_bet, whole.other_bet)
    others = _paired(whole.own_stack, whole.last_raise)
    order = np.lexsort((bets, others))
    bets, others = bets[order], others[order]
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = (bets[1:] != bets[:-1]) | (others[1:] != others[:-1])
    begins = np.flatnonzero(is_new)
    num_nodes = np.add.reduceat(whole.num_nodes[order], begins)
    return whole.where(order[begins])._replace(num_nodes=num_nodes)


def _paired(one: Floats, other: Floats) -> npt.NDArray[np.int64]:
    return one.astype(np.int64) << 32 | other.astype(np.int64)
