"""A sealed-bid auction between two bidders with private values (Vickrey 1961).

Nature draws each bidder's value per unit, 1 … `values`, independently and uniformly; nobody sees
the other's. Both bid at once: a price per unit among 0, `tick`, 2 `tick`, … (`bids` of them).
With several units a bid is a falling schedule, a price for the first unit, the second, and so
on. The highest bids win. If bids tie for the last units, each of them wins with the same
probability, and payoffs are expectations over these draws.

`pricing` says what the winner of a unit pays:

- `first`: her own bid. With continuous uniform values both bid half their value.
- `second`: the highest losing bid, so bidding one's value is weakly dominant.
- `uniform`: the same for several units: all pay the highest rejected bid. With more than one unit
  it pays to bid low on later ones, since they may set the price of the first: demand reduction
  (Ausubel & Cramton 2002; Noussair 1995).

A bidder gains (value − price) per unit won; the seller is not a player, so the game is not
zero-sum.
"""

# ruff: noqa: D102 — the protocol documents the methods of a position.

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Literal, NamedTuple, get_args

from untilt.errors import GameError, InvalidOption, shortened
from untilt.game.protocol import Action, Game
from untilt.game.terms import Terms
from untilt.games.parameters import ParameterValue, checked, verify_integer, verify_word

Pricing = Literal["first", "second", "uniform"]
"""What the winner of a unit pays: her bid, or the highest bid that loses."""

MAX_VALUES = 1_000
MAX_BIDS = 1_000
MAX_UNITS = 6
MAX_SCHEDULES = 10_000


class BidderInfoset(NamedTuple):
    """A bidder's own value; labels read `P0:3:`."""

    player: int
    private: str
    legal: tuple[str, ...]
    public: str = ""
    line: str = ""

    def actions(self) -> tuple[str, ...]:
        """Return the bids, from low to high; `5+2` bids 5 for one unit and 2 for a second."""
        return self.legal

    def __str__(self) -> str:
        return f"P{self.player}:{self.private}:"


@dataclass(frozen=True)
class AuctionRules:
    """The parameters of an auction, and what follows from them."""

    pricing: Pricing
    values: int
    bids: int
    tick: float
    units: int

    @cached_property
    def schedules(self) -> dict[str, tuple[float, ...]]:
        """Every bid by name: a price for each unit, none above the one before."""
        # Rounded as in the names, so that 3 × 0.1 is 0.3.
        prices = [float(f"{number * self.tick:.10g}") for number in range(self.bids)]
        falling = sorted(
            tuple(reversed(rising)) for rising in combinations_with_replacement(prices, self.units)
        )
        return {"+".join(f"{price:.10g}" for price in schedule): schedule for schedule in falling}

    @cached_property
    def infosets(self) -> tuple[tuple[BidderInfoset, ...], ...]:
        """The infosets of each player, by value."""
        legal = tuple(self.schedules)
        return tuple(
            tuple(BidderInfoset(player, str(value), legal) for value in range(1, self.values + 1))
            for player in (0, 1)
        )

    def gain(self, value: int, own: str, other: str) -> float:
        """Return the gain of a bidder with this value, in expectation over ties."""
        mine, yours = self.schedules[own], self.schedules[other]
        ranked = sorted((*mine, *yours), reverse=True)
        last_winning, first_rejected = ranked[self.units - 1], ranked[self.units]
        contested = self.units - sum(price > last_winning for price in ranked)
        chance = contested / ranked.count(last_winning)
        gain = 0.0
        for price in mine:
            if price >= last_winning:
                paid = price if self.pricing == "first" else first_rejected
                gain += (value - paid) * (1.0 if price > last_winning else chance)
        return gain


@dataclass(frozen=True, slots=True)
class Auction(Game):
    """A position of the auction; `auction()` makes the game."""

    terms = Terms(
        unit="points",
        seats=("bidder 0", "bidder 1"),
        private="value",
        public="",
        verbs=("bid", "bid"),
        rules="Both bid at once, knowing only what a unit is worth to them. The highest bid wins "
        "and gains its value less the price; equal bids share. The loser gains nothing.",
    )

    rules: AuctionRules
    drawn: tuple[int, ...] = ()
    """Values drawn so far: player 0's, then player 1's."""
    made: tuple[str, ...] = ()
    """Bids made so far; player 1 does not see player 0's."""

    @property
    def parameters(self) -> dict[str, ParameterValue]:
        """The parameters with which `auction` makes this game."""
        rules = self.rules
        return {
            "pricing": rules.pricing,
            "values": rules.values,
            "bids": rules.bids,
            "tick": rules.tick,
            "units": rules.units,
        }

    @property
    def terminal(self) -> bool:
        return len(self.made) == 2

    @property
    def chance(self) -> bool:
        return len(self.drawn) < 2

    @property
    def active(self) -> int:
        return len(self.made)

    def payoff(self, player: int) -> float:
        return self.rules.gain(self.drawn[player], self.made[player], self.made[1 - player])

    def chances(self) -> Sequence[tuple[str, float]]:
        count = self.rules.values
        return [(str(value), 1 / count) for value in range(1, count + 1)]

    def infoset(self, player: int) -> BidderInfoset:
        return self.rules.infosets[player][self.drawn[player] - 1]

    def apply(self, action: Action) -> "Auction":
        rules = self.rules
        if self.chance:
            if action in {value for value, _ in self.chances()}:
                return Auction(rules, (*self.drawn, int(str(action))), self.made)
        elif not self.terminal and action in rules.schedules:
            return Auction(rules, self.drawn, (*self.made, str(action)))
        raise GameError(f"auction: {action!r} is not legal here")


@checked
def auction(
    pricing: Pricing = "first", values: int = 5, bids: int = 6, tick: float = 1.0, units: int = 1
) -> Auction:
    """Return a sealed-bid auction of `units` equal units between two bidders.

    Values per unit are 1 … `values`; the `bids` allowed prices are 0, `tick`, 2 `tick`, …
    """
    verify_word("auction", "pricing", pricing, get_args(Pricing))
    verify_integer("auction", "values", values, 1, MAX_VALUES)
    verify_integer("auction", "bids", bids, 2, MAX_BIDS)
    verify_integer("auction", "units", units, 1, MAX_UNITS)
    if not 1e-6 <= tick <= 1e6:
        raise InvalidOption(f"auction: tick={shortened(tick)}; allowed: a number from 1e-6 to 1e6")
    if units > 1 and pricing != "uniform":
        raise InvalidOption(
            f"auction: units={units} with pricing={pricing!r}; several units need pricing=uniform"
        )
    rules = AuctionRules(pricing, values, bids, float(tick), units)
    if (count := _num_schedules(bids, units)) > MAX_SCHEDULES:
        raise InvalidOption(
            f"auction: bids={bids} and units={units} allow {count:,} different bids; "
            f"at most {MAX_SCHEDULES:,} are supported"
        )
    return Auction(rules)


def _num_schedules(bids: int, units: int) -> int:
    """Return the number of falling schedules: `units` prices chosen with repetition."""
    count = 1
    for unit in range(units):
        count = count * (bids + unit) // (unit + 1)
    return count
