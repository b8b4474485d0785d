"""Two traders and a small limit order book: place a limit order, or trade at once?

The asset is worth `low` or `high` to each trader, which only she knows: half a tick below the
lowest price 1, or half a tick above the highest price. They act in turn, trader 0 first, and each
has at most one order in the book, which both see:

- `buy 2`, `sell 3`: a limit order, which replaces her earlier one; it must not cross the other's;
- `hit`, `lift`: a market order, which sells at the other's bid or buys at her ask and ends the
  game;
- `wait` leaves the book as it is, `cancel` withdraws her order.

After each turn without a trade, news moves the value of the asset for both, up or down by `news`
with equal probability. A trade in turn t = 0, 1, … is worth (1 − `delay`)^t times the difference
between price and value. Without a trade nobody gains anything. In the last of the `turns` a limit
order could not be filled any more, so only market orders are left.

A limit order asks for a better price and runs two risks: it may not be filled in time, and after
bad news it is filled by whoever profits from the old price. This trade-off, and the resulting order
flow, are those of Foucault 1999, "Order flow composition and trading costs in a dynamic limit order
market", and Parlour 1998, "Price dynamics in limit order markets"; here both traders return to the
market. Values differ, so trade creates a gain, and the game is not zero-sum.

With two turns and no news trader 0 makes the only offer: she asks for all but half a tick of the
gain, and gets it.
"""

# ruff: noqa: D102 — the protocol documents the methods of a position.

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from untilt.errors import GameError
from untilt.game.protocol import Action, Game
from untilt.game.terms import Terms
from untilt.games.parameters import ParameterValue, checked, verify_integer, verify_number

MAX_LEVELS, MAX_TURNS = 9, 6
LOW, HIGH = "low", "high"
UP, DOWN = "+", "-"
_BUY, _SELL, _HIT, _LIFT, _WAIT, _CANCEL = "buy", "sell", "hit", "lift", "wait", "cancel"


class LimitOrderInfoset(NamedTuple):
    """A trader's value, the news and all orders so far: `P1:high:+:s2`."""

    player: int
    private: str
    """Her value, `low` or `high`."""
    public: str
    """The news so far, + or - after each turn."""
    line: str
    """The orders so far: b2 and s3 for limit orders, w and c for waiting and cancelling."""
    legal: tuple[str, ...]

    def actions(self) -> tuple[str, ...]:
        """Return the orders that she may place."""
        return self.legal

    def __str__(self) -> str:
        return f"P{self.player}:{self.private}:{self.public}:{self.line}"


class RestingOrder(NamedTuple):
    """A limit order in the book."""

    side: str
    price: int


class LimitOrderRules(NamedTuple):
    """The parameters of the game."""

    levels: int
    turns: int
    news: float
    delay: float

    def value(self, kind: str, news: str) -> float:
        """Return the asset's value to a trader whose value is `kind`, after the news."""
        base = 0.5 if kind == LOW else self.levels + 0.5
        return base + self.news * (news.count(UP) - news.count(DOWN))


@dataclass(frozen=True)
class LimitOrder(Game):
    """A position; `limit_order()` makes the game."""

    terms = Terms(
        unit="points",
        seats=("trader 0", "trader 1"),
        private="value",
        public="news",
        has_forced_moves=True,
        rules="The asset is worth low or high to you. Place a limit order in the book, wait, or "
        "trade at once at the other trader's price. News moves the value after each turn, and "
        "waiting costs: the earlier the trade, the more it is worth.",
    )

    rules: LimitOrderRules
    values: tuple[str, ...] = ()
    """The asset's value to trader 0, then to trader 1."""
    orders: tuple[str, ...] = ()
    """All orders so far, one per turn."""
    news: str = ""

    @property
    def parameters(self) -> dict[str, ParameterValue]:
        """The parameters with which `limit_order` makes this game."""
        return dict(self.rules._asdict())

    @property
    def terminal(self) -> bool:
        return self.orders[-1:] in ((_HIT,), (_LIFT,)) or len(self.orders) == self.rules.turns

    @property
    def chance(self) -> bool:
        if len(self.values) < 2:
            return True
        return not self.terminal and self.rules.news > 0.0 and len(self.news) < len(self.orders)

    @property
    def active(self) -> int:
        return len(self.orders) % 2

    def payoff(self, player: int) -> float:
        end = self.orders[-1]
        if end not in (_HIT, _LIFT):
            return 0.0
        taker = (len(self.orders) - 1) % 2
        order = self._resting(1 - taker)
        assert order is not None, "a market order needs one in the book"
        gain = self.rules.value(self.values[player], self.news) - order.price
        is_buyer = (player == taker) == (end == _LIFT)
        worth = (1.0 - self.rules.delay) ** (len(self.orders) - 1)
        return worth * (gain if is_buyer else -gain)

    def chances(self) -> Sequence[tuple[str, float]]:
        outcomes = (LOW, HIGH) if len(self.values) < 2 else (UP, DOWN)
        return [(outcome, 0.5) for outcome in outcomes]

    def infoset(self, player: int) -> LimitOrderInfoset:
        line = " ".join(_short(order) for order in self.orders)
        return LimitOrderInfoset(player, self.values[player], self.news, line, self._legal())

    def apply(self, action: Action) -> "LimitOrder":
        if self.chance:
            legal: Sequence[str] = [name for name, _ in self.chances()]
        else:
            legal = () if self.terminal else self._legal()
        if action not in legal:
            listed = ", ".join(legal) or "nothing, the game is over"
            raise GameError(f"limit-order: {action!r} is not legal; legal: {listed}")
        name = str(action)
        if len(self.values) < 2:
            return replace(self, values=(*self.values, name))
        if self.chance:
            return replace(self, news=self.news + name)
        return replace(self, orders=(*self.orders, name))

    def _resting(self, player: int) -> RestingOrder | None:
        """Return the order that a trader has in the book."""
        resting = None
        for order in self.orders[player::2]:
            side, _, price = order.partition(" ")
            if price:
                resting = RestingOrder(side, int(price))
            elif side == _CANCEL:
                resting = None
        return resting

    def _legal(self) -> tuple[str, ...]:
        own, other = self._resting(self.active), self._resting(1 - self.active)
        legal = [] if other is None else [_HIT if other.side == _BUY else _LIFT]
        if len(self.orders) + 1 < self.rules.turns:
            prices = range(1, self.rules.levels + 1)
            asked = other.price if other is not None and other.side == _SELL else prices.stop
            bid = other.price if other is not None and other.side == _BUY else 0
            limits = [RestingOrder(_BUY, price) for price in prices if price < asked]
            limits += [RestingOrder(_SELL, price) for price in prices if price > bid]
            legal += [f"{side} {price}" for side, price in limits if (side, price) != own]
        legal.append(_WAIT)
        if own is not None and len(self.orders) + 1 < self.rules.turns:
            legal.append(_CANCEL)
        return tuple(legal)


@checked
def limit_order(
    levels: int = 2, turns: int = 3, news: float = 1.0, delay: float = 0.1
) -> LimitOrder:
    """Return the game of two traders at a limit order book with prices 1 … `levels`.

    Each of the `turns` is one order. `news` is how far the value moves after a turn, in ticks; 0
    for no news. `delay` is the share of the gain that is lost with each turn.
    """
    verify_integer("limit-order", "levels", levels, 1, MAX_LEVELS)
    verify_integer("limit-order", "turns", turns, 2, MAX_TURNS)
    verify_number("limit-order", "news", news, 0.0, 100.0)
    verify_number("limit-order", "delay", delay, 0.0, 1.0)
    return LimitOrder(LimitOrderRules(levels, turns, float(news), float(delay)))


def _short(order: str) -> str:
    """Return an order in the letters of a line: b2 for `buy 2`."""
    side, _, price = order.partition(" ")
    return side[0] + price
