"""Playing a strategy of an abstract game in the real one.

Real bets are mapped to those of the menu, see `bet_translation`. What the strategy sees of a street
is the real pot and the real stacks at its start, followed by the bets of the street as they were
mapped; so errors never accumulate from street to street. An action of the strategy is made in the
real game with the menu's size, relative to the real pot.
"""

# ruff: noqa: D102 — the base classes document the methods.

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

from untilt.abstraction.abstract_game import (
    AbstractInfoset,
    Abstraction,
    AbstractPosition,
    abstract_letters,
)
from untilt.abstraction.bet_translation import (
    PSEUDO_HARMONIC,
    BetTranslation,
    is_bet,
    share_of_pot,
)
from untilt.abstraction.menus import Offer
from untilt.abstraction.translated_hand import Translator
from untilt.errors import InvalidOption, StrategyError
from untilt.game.actions import ActionData
from untilt.game.protocol import Action, Game
from untilt.games.holdem.betting import Betting

_MAX_KEPT = 20_000
"""States of the betting whose offers are kept."""


class Sight(NamedTuple):
    """The betting as the strategy sees it, beside the real one."""

    betting: Betting
    """Real at the start of each street, then with the bets as they were mapped."""
    line: str
    """In sizes of the menu: `cr100%c/b50%`."""


class MenuTranslation(BetTranslation[Sight]):
    """The translation of real bets to a menu, which offers something at any betting."""

    def __init__(self, game: AbstractPosition, mapping: str) -> None:
        super().__init__(mapping)
        self._root = game.base
        self._abstraction = game.abstraction
        self._kept: dict[Betting, _Offered] = {}

    def _menu(self, betting: Betting) -> "_Offered":
        found = self._kept.get(betting)
        if found is None:
            if len(self._kept) >= _MAX_KEPT:
                self._kept.clear()
            offers = self._abstraction.offers(betting)
            bets = [each for each in enumerate(offers) if is_bet(each[1].action)]
            found = _Offered(offers, tuple([offer.action for offer in offers]), bets)
            self._kept[betting] = found
        return found

    @property
    def start(self) -> Sight:
        return Sight(self._root.betting, "")  # type: ignore[attr-defined]  # hold'em

    def actions(self, place: Sight) -> tuple[ActionData, ...]:
        return self._menu(place.betting).actions

    def offers(self, place: Sight) -> tuple[Offer, ...]:
        """Return the menu's actions, by its names."""
        return self._menu(place.betting).offers

    def child(self, place: Sight, number: int) -> Sight:
        offer = self.offers(place)[number]
        return Sight(place.betting.apply(offer.action), place.line + abstract_letters(offer))

    def bets(self, place: Sight, real: Betting) -> list[tuple[float, int, float | None]]:
        """Return the menu's bets at `real`, each with the most similar action at `place`."""
        seen = self._menu(place.betting).bets
        if not seen:
            return []
        if place.betting == real:
            amounts = [(number, offer.action.amount) for number, offer in seen]
            return [(share_of_pot(real, amount), number, amount) for number, amount in amounts]
        found = []
        for _, offer in self._menu(real).bets:
            amount = offer.action.amount
            number, _ = _alike(offer, real, seen, place.betting)
            found.append((share_of_pot(real, amount), number, amount))
        return found

    def real_bet(self, place: Sight, number: int, real: Betting) -> ActionData | None:
        """Return the bet of the menu at `real` that is most like a bet at `place`."""
        if place.betting == real:
            return self.actions(place)[number]
        bets = self._menu(real).bets
        if not bets:
            return None
        return _alike(self.offers(place)[number], place.betting, bets, real)[1].action

    def after_deal(self, place: Sight, real: Betting) -> Sight:
        """Return the sight at the start of a street: the real pot and stacks."""
        return Sight(real, f"{place.line}/")

    def most_like(self, place: Sight, real: Betting) -> Sight:
        """Return the real betting itself."""
        return Sight(real, place.line)

    def beyond(self, place: Sight, real: Betting) -> Sight:
        """Return the real betting, after a bet or raise of a size that has no name."""
        return Sight(real, place.line + ("r" if min(real.bets) else "b"))


class _Offered(NamedTuple):
    """The actions of a menu at a betting."""

    offers: tuple[Offer, ...]
    actions: tuple[ActionData, ...]
    bets: list[tuple[int, Offer]]
    """With their numbers."""


def _alike(
    offer: Offer, where: Betting, others: list[tuple[int, Offer]], there: Betting
) -> tuple[int, Offer]:
    """Return the one of `others`, offered `there`, that is most like `offer`, and its number."""
    for each in others:
        if each[1].name == offer.name:
            return each
    share = share_of_pot(where, offer.action.amount)
    return min(others, key=lambda each: abs(share_of_pot(there, each[1].action.amount) - share))


class Translation(Translator[Sight]):
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
        self.root = self.game.base
        self.follows_bets = self.game.abstraction.menu is not None
        self.profile = profile
        self.bets: MenuTranslation = MenuTranslation(self.game, mapping)

    @classmethod
    def under(cls, abstraction: Abstraction) -> type[Self]:
        """Return this class bound to an abstraction, see `abstract`."""
        return type(cls.__name__, (cls,), {"bound": abstraction, "__module__": cls.__module__})

    def row(self, infoset: AbstractInfoset) -> Mapping[str, float]:
        """Return the strategy's mix at an abstract infoset.

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

    def shares(self, infoset: Any, place: Sight) -> list[float]:
        known = infoset._replace(betting=place.betting, line=place.line)
        names = tuple([offer.name for offer in self.bets.offers(place)])
        row = self.row(self.game.abstraction.infoset(known, names))
        return [row.get(name, 0.0) for name in names]

    def mix(self, infoset: Any, sight: Sight | None) -> list[tuple[Any, Any, float]]:
        """Return the real actions at a real infoset; `sight` is None without a menu."""
        if sight is not None:
            return super().mix(infoset, sight)
        actions: tuple[Action, ...] = tuple(infoset.actions())
        row = self.row(self.game.abstraction.infoset(infoset, actions))
        return [
            (each, number, row[str(each)])
            for number, each in enumerate(actions)
            if str(each) in row
        ]
