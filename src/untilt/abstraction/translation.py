"""Playing a strategy of an abstract game in the real one.

A strategy knows the bets of its menu; a real opponent may bet any amount. A bet of x times the pot
between the sizes A < B of the menu is mapped to A with probability

    f(x) = (B − x)(1 + A) / ((B − A)(1 + x))            else to B,

the pseudo-harmonic mapping (Ganzfried & Sandholm 2013, "Action translation in extensive-form games
with large action spaces: axioms, paradoxes, and the pseudo-harmonic mapping"). A bet below the
smallest size is mapped to that size, one above the largest to the largest. Each mapping is drawn
once and remembered for the hand. `nearest` takes the size with the nearest ratio instead, without
drawing: A if x² < AB.

x, A and B are always shares of the *real* pot. What the strategy sees of a street is the real pot
and the real stacks at its start, followed by the bets of the street as they were mapped; so errors
never accumulate from street to street. An action of the strategy is made in the real game with the
menu's size, relative to the real pot.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

from untilt.abstraction.abstract_game import (
    AbstractInfoset,
    Abstraction,
    AbstractPosition,
    abstract_letters,
)
from untilt.abstraction.menus import Offer
from untilt.abstraction.translated_hand import TranslatedHand
from untilt.errors import InvalidOption, StrategyError, UnknownName
from untilt.game.actions import ActionData, Kind
from untilt.game.protocol import Action, Game, Uniforms
from untilt.games.holdem.betting import Betting

PSEUDO_HARMONIC, NEAREST = "pseudo-harmonic", "nearest"
MAPPINGS = (PSEUDO_HARMONIC, NEAREST)

_PASSIVE = frozenset({Kind.CHECK, Kind.CALL})
_AGGRESSIVE = frozenset({Kind.BET, Kind.RAISE, Kind.ALL_IN})


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
    share: float, sizes: list[float], mapping: str = PSEUDO_HARMONIC
) -> list[tuple[int, float]]:
    """Return to which of the ascending `sizes` a bet is mapped: place and probability.

    All are shares of the pot; there is at least one size.
    """
    if share <= sizes[0]:
        return [(0, 1.0)]
    if share >= sizes[-1]:
        return [(len(sizes) - 1, 1.0)]
    upper = next(place for place, size in enumerate(sizes) if size > share)
    low, high = sizes[upper - 1], sizes[upper]
    if mapping == NEAREST:
        is_lower = share * share < low * high
        return [(upper - 1 if is_lower else upper, 1.0)]
    chance = probability_of_lower(share, low, high)
    both = [(upper - 1, chance), (upper, 1.0 - chance)]
    return [(place, weight) for place, weight in both if weight > 0.0]


class Sight(NamedTuple):
    """The betting as the strategy sees it, beside the real one."""

    betting: Betting
    """Real at the start of each street, then with the bets as they were mapped."""
    line: str
    """In sizes of the menu: `cr100%c/b50%`."""


@dataclass(frozen=True)
class BetTranslation:
    """How real bets are seen under an abstraction with a menu."""

    abstraction: Abstraction
    mapping: str = PSEUDO_HARMONIC

    def __post_init__(self) -> None:
        if self.mapping not in MAPPINGS:
            raise UnknownName.among("mapping", str(self.mapping), MAPPINGS)

    def after(self, sight: Sight, real: Betting, action: ActionData) -> list[tuple[Sight, float]]:
        """Return what is seen after a real action at `real`: each sight with its probability.

        The sight is aligned with `real`.
        """
        if action.kind not in _AGGRESSIVE:
            return [(self.after_passive(sight, real, action), 1.0)]
        wanted = real.all_in_to if action.amount is None else int(action.amount)
        amount = min(wanted, real.all_in_to)
        seen, offered = self._bets(sight.betting), self._bets(real)
        if not seen or not offered:
            # The strategy knows no bet here: it sees the real one.
            letter = "r" if max(real.bets) else "b"
            return [(Sight(real.bet_to(amount), sight.line + letter), 1.0)]
        shares = [share_of_pot(real, each.action.amount) for each in offered]
        return [
            (self.after_offer(sight, self._alike(offered[place], real, seen, sight)), weight)
            for place, weight in taken_for(share_of_pot(real, amount), shares, self.mapping)
        ]

    def aligned(self, sight: Sight, real: Betting) -> Sight:
        """Return the sight, or the real betting if what is seen is all-in and over already."""
        return sight if sight.betting.player == real.player else Sight(real, sight.line)

    def after_passive(self, sight: Sight, real: Betting, action: ActionData) -> Sight:
        """Return what is seen after a real fold, check or call."""
        if action.kind is Kind.FOLD:
            return Sight(real.fold(), f"{sight.line}f")
        return Sight(sight.betting.check_or_call(), f"{sight.line}c")

    def after_offer(self, sight: Sight, offer: Offer) -> Sight:
        """Return what is seen after an action of the menu."""
        return Sight(sight.betting.apply(offer.action), sight.line + abstract_letters(offer))

    def realised(self, name: str, sight: Sight, real: Betting) -> ActionData:
        """Return what an action of the strategy, chosen at `sight`, is in the real game."""
        wanted = next(each for each in self.abstraction.offers(sight.betting) if each.name == name)
        if wanted.action.kind is Kind.FOLD:
            return _passive(real) if not real.can_fold() else wanted.action
        bets = self._bets(real)
        if wanted.action.kind in _PASSIVE or not bets:
            return _passive(real)
        return self._alike(wanted, sight.betting, bets, Sight(real, "")).action

    def offer(self, name: str | None, sight: Sight, action: ActionData) -> Offer | None:
        """Return the strategy's own action `name`, if that is what it did in the real game."""
        for offer in self.abstraction.offers(sight.betting) if name is not None else ():
            kinds = offer.action.kind, action.kind
            if offer.name == name and (kinds[0] is kinds[1] or _AGGRESSIVE.issuperset(kinds)):
                return offer
        return None

    def _bets(self, betting: Betting) -> list[Offer]:
        return [
            offer for offer in self.abstraction.offers(betting) if offer.action.kind in _AGGRESSIVE
        ]

    def _alike(self, offer: Offer, where: Betting, others: list[Offer], sight: Sight) -> Offer:
        """Return the one of `others`, offered at `sight`, that is most like `offer` at `where`."""
        for other in others:
            if other.name == offer.name:
                return other
        share = share_of_pot(where, offer.action.amount)
        return min(
            others, key=lambda other: abs(share_of_pot(sight.betting, other.action.amount) - share)
        )


def share_of_pot(betting: Betting, amount: float | None) -> float:
    """Return a bet or raise to `amount` as a multiple of the pot after calling."""
    assert amount is not None
    return (amount - max(betting.bets)) / max(betting.pot_after_call, 1)


def _passive(betting: Betting) -> ActionData:
    """Return check or call."""
    return betting.passive_actions()[-1]


class Translation:
    """A strategy of an abstract game that plays the real game.

    `game` is the root of the abstract game, and `profile` its strategy by labels. A subclass that
    is decorated with `@abstract(Translation, states, actions)` takes the real game instead.
    """

    bound: ClassVar[Abstraction | None] = None
    """The abstraction of a decorated subclass."""

    def __init__(
        self,
        game: Game,
        profile: Mapping[str, Mapping[str, float]],
        *,
        mapping: str = PSEUDO_HARMONIC,
    ) -> None:
        if isinstance(game, AbstractPosition):
            if self.bound is not None and self.bound.fingerprint != game.abstraction.fingerprint:
                raise InvalidOption(
                    f"the game has the abstraction {game.abstraction!r}, not the {self.bound!r} of "
                    f"{type(self).__name__}: give the real game"
                )
            self.game = game
        elif self.bound is not None:
            self.game = AbstractPosition(game, self.bound)
        else:
            raise InvalidOption(
                "Translation needs an abstract game: give abstract(game, states, menu), or "
                "decorate a subclass with @abstract(Translation, states, menu)"
            )
        self.profile = profile
        self.bets = BetTranslation(self.game.abstraction, mapping)

    @classmethod
    def under(cls, abstraction: Abstraction) -> type[Self]:
        """Return this class bound to an abstraction, see `abstract`."""
        return type(cls.__name__, (cls,), {"bound": abstraction, "__module__": cls.__module__})

    @property
    def root(self) -> Game:
        """The root of the real game."""
        return self.game.base

    @property
    def follows_bets(self) -> bool:
        """Whether there is a menu, so that real bets have to be mapped to its own."""
        return self.game.abstraction.menu is not None

    @property
    def start(self) -> Sight:
        """What is seen before the first decision."""
        return Sight(self.root.betting, "")  # type: ignore[attr-defined]  # hold'em

    def begin(self, rng: Uniforms) -> "TranslatedHand[Sight]":
        """Return a hand to be played in either seat; `rng` draws mappings and actions."""
        return TranslatedHand(self, rng)

    def after_own(self, sight: Sight, real: Betting, name: str, action: ActionData) -> Sight | None:
        """Return what is seen after the strategy's action `name`, which was `action` at `real`."""
        sight = self.bets.aligned(sight, real)
        offer = self.bets.offer(name, sight, action)
        return None if offer is None else self.bets.after_offer(sight, offer)

    def after_action(
        self, sight: Sight, real: Betting, action: ActionData
    ) -> list[tuple[Sight, float]]:
        """Return what may be seen after any real action, with probabilities."""
        return self.bets.after(self.bets.aligned(sight, real), real, action)

    def after_deal(self, sight: Sight, real: Betting) -> Sight:
        """Return what is seen at the start of a street: the real pot and stacks."""
        return Sight(real, f"{sight.line}/")

    def row(self, infoset: AbstractInfoset) -> Mapping[str, float]:
        """Return what the strategy does at an abstract infoset.

        At an infoset that it has never met it checks, calls, or else folds.
        """
        names = [str(action) for action in infoset.actions()]
        if len(names) == 1:
            return {names[0]: 1.0}
        label = str(infoset)
        if label not in self.profile:
            passive = next((name for name in ("check", "call") if name in names), names[0])
            return {passive: 1.0}
        row = self.profile[label]
        known = {name: row[name] for name in names if row.get(name, 0.0) > 0.0}
        total = sum(known.values())
        if not total > 0.0:
            raise StrategyError(
                f"the strategy has the actions {', '.join(row)} at infoset {str(infoset)!r}, where "
                f"the abstraction offers {', '.join(names)}: it is of another abstraction"
            )
        return {name: weight / total for name, weight in known.items()}

    def mix(self, infoset: Any, sight: Sight | None) -> list[tuple[Action, str, float]]:
        """Return the real actions at a real infoset, each with the strategy's name for it.

        `sight` is what the strategy has seen of the betting; None without a menu. Probabilities
        are positive and sum to 1.
        """
        abstraction, bets = self.game.abstraction, self.bets
        if sight is None:
            own = tuple(infoset.actions())
            row = self.row(abstraction.infoset(infoset, own))
            return [(each, str(each), row[str(each)]) for each in own if str(each) in row]
        real: Betting = infoset.betting
        sight = bets.aligned(sight, real)
        offers = abstraction.offers(sight.betting)
        known = infoset._replace(betting=sight.betting, line=sight.line)
        row = self.row(abstraction.infoset(known, tuple(each.name for each in offers)))
        return [(bets.realised(name, sight, real), name, share) for name, share in row.items()]
