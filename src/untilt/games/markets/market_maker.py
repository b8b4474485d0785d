"""A market maker quotes a spread to a trader who may be informed.

The asset is worth +1 or −1 around its mid price, each with probability one half. The market
maker (player 0) does not know which and quotes a half-spread s among 0, 1/n, 2/n, … 1 (n is
`levels`): she sells at +s and buys at −s. The trader (player 1) sees the quote and buys one
unit, sells one, or passes. With probability `informed` he knows the value. Otherwise he does not
and trades for a private reason: a hedge worth c to him if he buys (or sells, equally likely),
with c among 1/2n, 3/2n, … each equally likely. That benefit goes to him alone, so the game is
not zero-sum; without it no uninformed trader would trade at any spread (Milgrom & Stokey 1982).

The information structure is that of Glosten & Milgrom 1985 and Copeland & Galai 1983. As in the
latter, a single dealer sets the spread, so no competition forces her profit to zero. With spread
s, informed traders always trade and cost her 1 − s; a share 1 − s of the others trade and pay s.
She earns
(1 − informed) s (1 − s) − informed (1 − s), which is largest at

    s = 1 / (2 (1 − informed)):

half the range if no trader is informed, and all of it, a closed market, if half of them are.
The benefits lie between the quotes, so the formula is exact at the quotes.
"""

# ruff: noqa: D102 — the protocol documents the methods of a position.

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from untilt.errors import GameError
from untilt.game.protocol import Action, Game
from untilt.game.terms import Terms
from untilt.games.parameters import ParameterValue, checked, verify_integer, verify_number

MAX_LEVELS = 200

_TRADES = ("buy", "sell", "pass")
_VALUE = {"high": 1.0, "low": -1.0}
_INFORMED = "informed"


class QuoteInfoset(NamedTuple):
    """The market maker's only infoset, `P0:quote`."""

    legal: tuple[str, ...]
    private: str = ""
    public: str = ""
    line: str = ""

    def actions(self) -> tuple[str, ...]:
        """Return the half-spreads from narrow to wide."""
        return self.legal

    def __str__(self) -> str:
        return "P0:quote"


class QuotedTraderInfoset(NamedTuple):
    """The trader's reason to trade and the quote; labels read `P1:buyer 0.3:0.6`."""

    private: str
    """`high` or `low` if he knows the value, else `buyer c` or `seller c`."""
    public: str
    """The half-spread quoted."""
    line: str = ""

    def actions(self) -> tuple[str, ...]:
        """Return buy, sell and pass."""
        return _TRADES

    def __str__(self) -> str:
        return f"P1:{self.private}:{self.public}"


@dataclass(frozen=True, slots=True)
class MarketMaker(Game):
    """A position; `market_maker()` makes the game."""

    terms = Terms(
        unit="points",
        seats=("market maker", "trader"),
        private="reason to trade",
        public="half-spread",
        verbs=("quote", ""),
        rules="The asset is worth +1 or −1. The market maker quotes a half-spread s: she sells at "
        "+s and buys at −s. The trader buys, sells or passes; he may know the value, or need the "
        "trade.",
    )

    informed: float
    """Probability that the trader knows the value."""
    levels: int
    """Steps of the half-spread, and sizes of the private benefit."""
    value: str = ""
    """`high` or `low`, once drawn."""
    trader: str = ""
    """The trader's information or need, once drawn."""
    quote: str = ""
    trade: str = ""

    @property
    def parameters(self) -> dict[str, ParameterValue]:
        """The parameters with which `market_maker` makes this game."""
        return {"informed": self.informed, "levels": self.levels}

    @property
    def terminal(self) -> bool:
        return bool(self.trade)

    @property
    def chance(self) -> bool:
        return not self.trader

    @property
    def active(self) -> int:
        return 1 if self.quote else 0

    def payoff(self, player: int) -> float:
        if self.trade == "pass":
            return 0.0
        direction = 1.0 if self.trade == "buy" else -1.0
        profit = direction * _VALUE[self.value] - float(self.quote)
        if player == 0:
            return -profit
        wanted, _, benefit = self.trader.partition(" ")
        is_wanted = wanted == ("buyer" if self.trade == "buy" else "seller")
        return profit + float(benefit) if is_wanted else profit

    def chances(self) -> Sequence[tuple[str, float]]:
        if not self.value:
            return [(value, 0.5) for value in _VALUE]
        types = [
            f"{wanted} {(2 * level + 1) / (2 * self.levels):.10g}"
            for wanted in ("buyer", "seller")
            for level in range(self.levels)
        ]
        # The exact share, rounded only once.
        share = float((1 - Fraction(str(self.informed))) / len(types))
        return [(_INFORMED, self.informed), *((name, share) for name in types)]

    def infoset(self, player: int) -> QuoteInfoset | QuotedTraderInfoset:
        if player == 0:
            return QuoteInfoset(_quotes(self.levels))
        return QuotedTraderInfoset(self.trader, self.quote)

    def apply(self, action: Action) -> "MarketMaker":
        value, trader, quote, trade = self.value, self.trader, self.quote, self.trade
        if self.chance:
            legal: Sequence[str] = [name for name, _ in self.chances()]
        else:
            legal = () if self.terminal else self.infoset(self.active).actions()
        if action not in legal:
            raise GameError(f"market-maker: {action!r} is not legal; legal: {', '.join(legal)}")
        name = str(action)
        if not value:
            value = name
        elif not trader:
            trader = value if name == _INFORMED else name
        elif not quote:
            quote = name
        else:
            trade = name
        return MarketMaker(self.informed, self.levels, value, trader, quote, trade)


@checked
def market_maker(informed: float = 0.2, levels: int = 5) -> MarketMaker:
    """Return the game of a market maker and a trader who may know the value of the asset.

    `informed` is the probability that he knows it. Half-spreads are 0, 1/`levels`, … 1; the asset
    is worth ±1.
    """
    verify_number("market-maker", "informed", informed, 0.0, 1.0)
    verify_integer("market-maker", "levels", levels, 1, MAX_LEVELS)
    return MarketMaker(float(informed), levels)


def _quotes(levels: int) -> tuple[str, ...]:
    return tuple(f"{step / levels:.10g}" for step in range(levels + 1))
