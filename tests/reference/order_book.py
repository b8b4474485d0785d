"""The game `limit-order`, written out from its rules with a book of bids and asks.

It shares no code with the package except the types of histories. The book holds the price of each
trader's bid and ask; placing either removes what she had there before.
"""

from dataclasses import dataclass, field

from .histories import Chance, Decision, End, History


@dataclass(frozen=True)
class Market:
    """Everything that has happened: values, book, shift of the value, and the past in letters."""

    levels: int
    turns: int
    news: float
    delay: float
    values: tuple[str, ...] = ()
    bids: dict[int, int] = field(default_factory=dict)
    """Trader → price."""
    asks: dict[int, int] = field(default_factory=dict)
    shift: float = 0.0
    told: str = ""
    past: tuple[str, ...] = ()

    def after(self, **changes: object) -> "Market":
        return Market(**{**self.__dict__, **changes})


def write_out_market(levels: int, turns: int, news: float, delay: float) -> History:
    """Return the tree of all histories."""
    market = Market(levels, turns, news, delay)
    return Chance(
        tuple(
            (
                0.5,
                Chance(
                    tuple(
                        (0.5, decide(market.after(values=(mine, yours))))
                        for yours in ("low", "high")
                    )
                ),
            )
            for mine in ("low", "high")
        )
    )


def decide(market: Market) -> History:
    """Return what follows when it is somebody's turn."""
    turn = len(market.past)
    me, you = turn % 2, 1 - turn % 2
    is_last = turn == market.turns - 1
    children: dict[str, History] = {}
    if you in market.bids:
        children["hit"] = trade(market, buyer=you, seller=me, price=market.bids[you])
    if you in market.asks:
        children["lift"] = trade(market, buyer=me, seller=you, price=market.asks[you])
    if not is_last:
        for price in range(1, market.levels + 1):
            crosses = you in market.asks and price >= market.asks[you]
            if not crosses and market.bids.get(me) != price:
                bids, asks = {**market.bids, me: price}, without(market.asks, me)
                placed = market.after(bids=bids, asks=asks, past=(*market.past, f"b{price}"))
                children[f"buy {price}"] = end_turn(placed)
        for price in range(1, market.levels + 1):
            crosses = you in market.bids and price <= market.bids[you]
            if not crosses and market.asks.get(me) != price:
                bids, asks = without(market.bids, me), {**market.asks, me: price}
                placed = market.after(bids=bids, asks=asks, past=(*market.past, f"s{price}"))
                children[f"sell {price}"] = end_turn(placed)
    children["wait"] = end_turn(market.after(past=(*market.past, "w")))
    if not is_last and (me in market.bids or me in market.asks):
        bids, asks = without(market.bids, me), without(market.asks, me)
        withdrawn = market.after(bids=bids, asks=asks, past=(*market.past, "c"))
        children["cancel"] = end_turn(withdrawn)
    label = f"P{me}:{market.values[me]}:{market.told}:{' '.join(market.past)}"
    return Decision(me, label, children)


def end_turn(market: Market) -> History:
    """Return what follows a turn without a trade: the end, or news and the next turn."""
    if len(market.past) == market.turns:
        return End((0.0, 0.0))
    if market.news == 0.0:
        return decide(market)
    up = market.after(shift=market.shift + market.news, told=market.told + "+")
    down = market.after(shift=market.shift - market.news, told=market.told + "-")
    return Chance(((0.5, decide(up)), (0.5, decide(down))))


def trade(market: Market, buyer: int, seller: int, price: int) -> End:
    """Return what both gain."""
    worth = {"low": 0.5, "high": market.levels + 0.5}
    left = 1.0
    for _ in market.past:
        left *= 1.0 - market.delay
    gains = [0.0, 0.0]
    gains[buyer] = left * (worth[market.values[buyer]] + market.shift - price)
    gains[seller] = left * (price - worth[market.values[seller]] - market.shift)
    return End((gains[0], gains[1]))


def without(prices: dict[int, int], trader: int) -> dict[int, int]:
    """Return the prices without those of a trader."""
    return {other: price for other, price in prices.items() if other != trader}
