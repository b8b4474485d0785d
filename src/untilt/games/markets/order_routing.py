"""A trader routes an order to a lit or a dark venue; a liquidity provider chooses where to trade.

The provider (player 1) moves first. She quotes a `tight` or a `wide` half-spread on the lit
venue, or, behind a wide quote, rests in the `dark` pool. The trader (player 0) has an order that
is urgent or patient, which only he knows; he sees the lit quote but not who rests in the dark:

- `lit`: he trades at once and pays the half-spread and the venue's `fee`;
- `dark`: his order is filled with probability `fill` if she rests there; otherwise others fill it
  with probability 0.2. He pays a small concession off the mid price. If it is not filled, the
  delay costs him, and he may still `chase` the lit quote or `cancel`.

An urgent order is worth more to the trader, suffers more from delay, and moves the price against
whoever fills it: it is toxic to the provider on either venue. She gains the half-spread and a
rebate, or the concession, minus that price move. Fees leave the game and gains from trade enter
it, so it is not zero-sum.

The risk of no fill drives urgent orders to the lit venue and leaves patient ones in the dark: the
self-selection of Zhu 2014, "Do dark pools harm price discovery?". The fill probability that
depends on who else is there is from Hendershott & Mendelson 2000, "Crossing networks and dealer
markets".

With the default parameters the equilibrium is known: see `EQUILIBRIUM`.
"""

# ruff: noqa: D102 — the protocol documents the methods of a position.

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from untilt.errors import GameError
from untilt.game.protocol import Action, Game
from untilt.game.terms import Terms
from untilt.games.parameters import ParameterValue, checked, verify_number

HALF_SPREAD: Mapping[str, float] = MappingProxyType({"tight": 0.20, "wide": 0.50})
REBATE = 0.03
CONCESSION = 0.10
"""The cost of a fill in the dark for the trader, which the provider earns."""
STRAY_FILL = 0.20
"""Probability of a fill in the dark if the provider does not rest there."""


class Urgency(NamedTuple):
    """A kind of order; amounts are in units of the price."""

    worth: float
    """The value of the trade to the trader."""
    delay: float
    """The cost of an unfilled order in the dark."""
    toxicity: float
    """How far the price moves against whoever fills it."""


URGENCY: Mapping[str, Urgency] = MappingProxyType(
    {
        "patient": Urgency(worth=0.50, delay=0.05, toxicity=0.0),
        "urgent": Urgency(worth=1.20, delay=0.50, toxicity=0.30),
    }
)

EQUILIBRIUM: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        # Urgent orders are as well off at once, 1.2 − 0.55 = 0.65, as in the dark, where a fill
        # of probability φ gives 1.1 and chasing 0.15: φ = 10/19 = 0.2 + 0.6 × 31/57.
        "P1:quote": {"tight": 0.0, "wide": 26 / 57, "dark": 31 / 57},
        # She is indifferent to the dark, where patient orders give her ½ × 0.8 × 0.1 = 0.04:
        # every urgent order that comes there costs her ½ × (0.8 × (0.23 + 0.2) − 0.046).
        "P0:urgent:wide:": {"lit": 109 / 149, "dark": 40 / 149},
        "P0:patient:wide:": {"lit": 0.0, "dark": 1.0},
        "P0:urgent:tight:": {"lit": 1.0, "dark": 0.0},
        "P0:patient:tight:": {"lit": 1.0, "dark": 0.0},
        "P0:urgent:wide:d": {"chase": 1.0, "cancel": 0.0},
        "P0:patient:wide:d": {"chase": 0.0, "cancel": 1.0},
        "P0:urgent:tight:d": {"chase": 1.0, "cancel": 0.0},
        "P0:patient:tight:d": {"chase": 1.0, "cancel": 0.0},
    }
)
"""A Nash equilibrium of the game with its default parameters."""

_QUOTES = ("tight", "wide", "dark")
_ROUTES = ("lit", "dark")
_LATE = ("chase", "cancel")


class ProviderInfoset(NamedTuple):
    """The provider's only infoset, `P1:quote`."""

    private: str = ""
    public: str = ""
    line: str = ""

    def actions(self) -> tuple[str, ...]:
        """Return tight, wide and dark."""
        return _QUOTES

    def __str__(self) -> str:
        return "P1:quote"


class RoutedTraderInfoset(NamedTuple):
    """The trader's urgency and the lit quote; labels read `P0:urgent:wide:d`."""

    private: str
    public: str
    """The lit quote."""
    line: str
    """Empty, or `d` after an order in the dark that was not filled."""

    def actions(self) -> tuple[str, ...]:
        """Return the routes or, after an unfilled order, chase and cancel."""
        return _LATE if self.line else _ROUTES

    def __str__(self) -> str:
        return f"P0:{self.private}:{self.public}:{self.line}"


@dataclass(frozen=True, slots=True)
class OrderRouting(Game):
    """A position; `order_routing()` makes the game."""

    terms = Terms(
        unit="points",
        seats=("trader", "liquidity provider"),
        private="urgency",
        public="lit quote",
        rules="The provider quotes tight or wide on the lit venue, or rests in the dark pool "
        "behind a wide quote. The trader sees the quote and sends the order to lit, at once, or "
        "to dark, cheaper but not sure to be filled.",
    )

    urgent: float
    """Probability that the order is urgent."""
    fill: float
    """Probability of a fill in the dark if the provider rests there."""
    fee: float
    """What the trader pays on the lit venue, in addition to the spread."""
    urgency: str = ""
    moves: tuple[str, ...] = ()
    """The provider's choice and the route; in the dark also `filled`, or `unfilled` and what
    follows: `chase` or `cancel`."""

    @property
    def parameters(self) -> dict[str, ParameterValue]:
        """The parameters with which `order_routing` makes this game."""
        return {"urgent": self.urgent, "fill": self.fill, "fee": self.fee}

    @property
    def terminal(self) -> bool:
        return bool(self.moves) and self.moves[-1] in ("lit", "filled", *_LATE)

    @property
    def chance(self) -> bool:
        return not self.urgency or self.moves[1:] == ("dark",)

    @property
    def active(self) -> int:
        return 0 if self.moves else 1

    def payoff(self, player: int) -> float:
        order = URGENCY[self.urgency]
        end = self.moves[-1]
        delay = order.delay if end in _LATE else 0.0
        if end == "cancel":
            return -delay if player == 0 else 0.0
        if end == "filled":
            if player == 0:
                return order.worth - CONCESSION
            return CONCESSION - order.toxicity if self.moves[0] == "dark" else 0.0
        half_spread = HALF_SPREAD[self._lit_quote()]
        if player == 0:
            return order.worth - half_spread - self.fee - delay
        return half_spread + REBATE - order.toxicity

    def chances(self) -> Sequence[tuple[str, float]]:
        if not self.urgency:
            return [("patient", 1.0 - self.urgent), ("urgent", self.urgent)]
        fill = self.fill if self.moves[0] == "dark" else STRAY_FILL
        return [("filled", fill), ("unfilled", 1.0 - fill)]

    def infoset(self, player: int) -> ProviderInfoset | RoutedTraderInfoset:
        if player == 1:
            return ProviderInfoset()
        return RoutedTraderInfoset(
            self.urgency, self._lit_quote(), "d" if len(self.moves) > 1 else ""
        )

    def apply(self, action: Action) -> "OrderRouting":
        if self.chance:
            legal: Sequence[str] = [name for name, _ in self.chances()]
        else:
            legal = () if self.terminal else self.infoset(self.active).actions()
        if action not in legal:
            raise GameError(f"order-routing: {action!r} is not legal; legal: {', '.join(legal)}")
        if not self.urgency:
            return OrderRouting(self.urgent, self.fill, self.fee, str(action))
        moves = (*self.moves, str(action))
        return OrderRouting(self.urgent, self.fill, self.fee, self.urgency, moves)

    def _lit_quote(self) -> str:
        return "tight" if self.moves[0] == "tight" else "wide"


@checked
def order_routing(urgent: float = 0.5, fill: float = 0.8, fee: float = 0.05) -> OrderRouting:
    """Return the game of routing an order to a lit or a dark venue.

    `urgent` is the probability that the order is urgent, `fill` the probability of a fill in the
    dark if the provider rests there, and `fee` what the lit venue charges the trader.
    """
    for name, given, most in (("urgent", urgent, 1.0), ("fill", fill, 1.0), ("fee", fee, 10.0)):
        verify_number("order-routing", name, given, 0.0, most)
    return OrderRouting(float(urgent), float(fill), float(fee))
