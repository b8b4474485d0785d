"""Real bets as they are seen by a strategy that knows only some of them.

    bets = FormTranslation(form)
    for place, chance in bets.after(bets.start, real, action): ...

A strategy knows the bets of its tree; a real opponent may bet any amount. A bet of x times the pot
between the sizes A < B of the tree is mapped to A with probability

    f(x) = (B − x)(1 + A) / ((B − A)(1 + x))            else to B,

the pseudo-harmonic mapping (Ganzfried & Sandholm 2013, "Action translation in extensive-form games
with large action spaces: axioms, paradoxes, and the pseudo-harmonic mapping"). A bet above the
largest size is mapped to the largest. *No bet* is a size, 0: a bet below the smallest size is often
mapped to a check or call, and is then *unseen*. Nobody folds to an unseen bet: where the strategy
would check, it is called, and where the strategy would bet, it is raised. If it were always mapped
to the smallest size, any two cards could bet a little and profit: a bet of ¼ of the pot needs only
one fold in five. This way it gains nothing from a strategy that folds B / (1 + B) of its hands to a
bet of B, because the mapping then folds x / (1 + x) to a bet of x.

Each mapping is drawn once and remembered for the hand. `nearest` takes the size with the nearest
ratio instead, without drawing: A if x² < AB, so never no bet.

x, A and B are always shares of the *real* pot: a bet of half the pot on the tree stands for half
the real pot, and all-in for the real all-in. A real bet that the strategy itself would make is seen
as that bet. The tree and the real hand continue side by side; where they cannot, the hand continues
at the place of the tree that is most like the real one.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Generic, Protocol, TypeVar

from untilt.errors import UnknownName
from untilt.game.actions import ActionData, Kind
from untilt.game.protocol import Uniforms
from untilt.games.holdem.betting import NOBODY, Betting

PSEUDO_HARMONIC, NEAREST = "pseudo-harmonic", "nearest"
MAPPINGS = (PSEUDO_HARMONIC, NEAREST)

_NO_BET = frozenset({Kind.FOLD, Kind.CHECK, Kind.CALL})


def probability_of_lower(share: float, lower: float, upper: float) -> float:
    """Return the probability that a bet of `share` times the pot is mapped to `lower`, not `upper`.

    This is the pseudo-harmonic mapping; 1 at or below `lower`, 0 at or above `upper`.
    """
    if share <= lower:
        return 1.0
    if share >= upper:
        return 0.0
    return (upper - share) * (1.0 + lower) / ((upper - lower) * (1.0 + share))


def taken_for(
    share: float, sizes: Sequence[float], mapping: str = PSEUDO_HARMONIC
) -> list[tuple[int, float]]:
    """Return as what a bet is seen: 0 for no bet, k for sizes[k − 1], each with its probability.

    `share` and the ascending `sizes` are positive shares of the pot; there is at least one size.
    """
    if share >= sizes[-1]:
        return [(len(sizes), 1.0)]
    place = next(place for place, size in enumerate(sizes) if size > share)
    low, high = sizes[place - 1] if place else 0.0, sizes[place]
    if mapping == NEAREST:
        is_lower = share * share < low * high
        return [(place if is_lower else place + 1, 1.0)]
    chance = probability_of_lower(share, low, high)
    both = [(place, chance), (place + 1, 1.0 - chance)]
    return [(seen, weight) for seen, weight in both if weight > 0.0]


def share_of_pot(betting: Betting, amount: float | None) -> float:
    """Return a bet or raise to `amount` as a multiple of the pot after calling."""
    assert amount is not None
    return (amount - max(betting.bets)) / max(betting.pot_after_call, 1)


class SeenPlace(Hashable, Protocol):
    """The betting as a strategy sees it: a place of its tree."""

    @property
    def betting(self) -> Betting:
        """The chips there."""
        ...


Seen = TypeVar("Seen", bound=SeenPlace)
Reading = TypeVar("Reading")


def drawn_reading(seen: Sequence[tuple[Reading, float]], rng: Uniforms | None) -> Reading:
    """Return one of the one or two readings of an action, given with their probabilities.

    `rng` gives one number for a bet between two sizes, none for any other action. Without it, the
    likelier reading is returned, the smaller size if both are equally likely.
    """
    if rng is None:
        return max(seen, key=lambda each: each[1])[0]
    return seen[len(seen) > 1 and rng.random() >= seen[0][1]][0]


class BetTranslation(ABC, Generic[Seen]):
    """A real hand, followed on the tree of bets that a strategy knows; a subclass is the tree."""

    def __init__(self, mapping: str = PSEUDO_HARMONIC) -> None:
        if mapping not in MAPPINGS:
            raise UnknownName.among("mapping", mapping, MAPPINGS)
        self.mapping = mapping

    @property
    @abstractmethod
    def start(self) -> Seen:
        """The first decision."""

    @abstractmethod
    def actions(self, place: Seen) -> tuple[ActionData, ...]:
        """Return the actions of the tree at a place."""

    @abstractmethod
    def child(self, place: Seen, number: int) -> Seen:
        """Return the place after action `number` of the tree."""

    @abstractmethod
    def after_deal(self, place: Seen, real: Betting) -> Seen:
        """Return the beginning of a street on the tree; `real` is the real one."""

    @abstractmethod
    def bets(self, place: Seen, real: Betting) -> list[tuple[float, int, float | None]]:
        """Return the bets of a decision: share of the real pot, ascending, number, real amount."""

    @abstractmethod
    def real_bet(self, place: Seen, number: int, real: Betting) -> ActionData | None:
        """Return bet `number` of a decision as a legal bet at `real`; None if there is none."""

    @abstractmethod
    def most_like(self, place: Seen, real: Betting) -> Seen:
        """Return the place most like `real` on its street, which was seen as `place`."""

    def beyond(self, place: Seen, real: Betting) -> Seen:
        """Return the place most like `real`, after a bet that the tree does not have at `place`."""
        return self.most_like(place, real)

    def is_decision(self, place: Seen) -> bool:
        """Whether the hand continues at a place of the tree."""
        return place.betting.player != NOBODY

    def is_ahead(self, place: Seen, real: Betting) -> bool:
        """Whether the street is over on the tree, but continues in reality with an unseen bet."""
        seen = place.betting
        is_over = seen.street > real.street or (seen.is_over_street and not seen.is_all_in)
        return is_over and real.can_fold()

    def aligned(self, place: Seen, real: Betting) -> Seen:
        """Return a place of the tree at which the player who acts at `real` acts, if there is one.

        After an unseen bet, the street may be over on the tree: that place is then returned.
        """
        seen = place.betting
        is_same = seen.player == real.player != NOBODY and seen.street == real.street
        if is_same and (real.can_fold() or not seen.can_fold()):
            return place
        return place if self.is_ahead(place, real) else self.most_like(place, real)

    def after(self, place: Seen, real: Betting, action: ActionData) -> list[tuple[Seen, float]]:
        """Return the places on the tree after a real action at `real`, with probabilities."""
        place = self.aligned(place, real)
        if self.is_ahead(place, real):
            if not is_bet(action):
                return [(place, 1.0)]
            alike = self.most_like(place, real)
            if alike.betting != real:
                return [(self.beyond(place, real.apply(action)), 1.0)]
            place = alike
        elif action.kind is Kind.FOLD or not self.is_decision(place):
            return [(place, 1.0)]
        seen = self.seen_as(place, real, action)
        if not seen:
            return [(self.beyond(place, real.apply(action)), 1.0)]
        return [(self.child(place, number), chance) for number, chance in seen]

    def seen_as(self, place: Seen, real: Betting, action: ActionData) -> list[tuple[int, float]]:
        """Return the actions of a decision as which a real action is seen, by number, with chances.

        There is none for a fold, nor for a bet if the tree has none there.
        """
        if action.kind is Kind.FOLD:
            return []
        passive = int(place.betting.can_fold())  # after `fold`, and before all bets
        if not is_bet(action):
            return [(passive, 1.0)]
        bets = self.bets(place, real)
        if not bets:
            return []
        wanted = real.all_in_to if action.amount is None else int(action.amount)
        amount = min(wanted, real.all_in_to)
        share = share_of_pot(real, amount)
        own = [(abs(size - share), number) for size, number, made in bets if made == amount]
        if own:
            return [(min(own)[1], 1.0)]
        numbers = [passive, *(number for _, number, _ in bets)]
        taken = taken_for(share, [size for size, _, _ in bets], self.mapping)
        return [(numbers[size], chance) for size, chance in taken]

    def realised(self, place: Seen, number: int, real: Betting) -> ActionData:
        """Return the real action for action `number` of the tree at `place`; it is legal."""
        action = self.actions(place)[number]
        bet = self.real_bet(place, number, real) if is_bet(action) else None
        if bet is not None:
            return bet
        return real.passive_actions()[0 if action.kind is Kind.FOLD else -1]


def is_bet(action: ActionData) -> bool:
    """Whether an action is a bet, a raise or all-in."""
    return action.kind not in _NO_BET
