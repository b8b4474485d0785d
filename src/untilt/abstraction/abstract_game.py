"""A game seen through an abstraction is again a game.

    game = abstract(river_of_blood(), states, menu)

Its infosets are the values of the state abstraction, its actions those of the menu. Every solver
can run on it: full-width methods if it compiles with perfect recall, sampling methods in any case.
The actions that an infoset offers are part of its key, so all nodes of an abstract infoset offer
the same actions.
"""

# ruff: noqa: D102 — the protocol documents the methods of a position.

from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from typing import Any, overload

from untilt.abstraction.algebra import (
    About,
    StateAbstraction,
    changing_value,
    fingerprint_of,
    states_of,
)
from untilt.abstraction.menus import Menu, Offer, short_names
from untilt.abstraction.states import betting_line
from untilt.errors import GameError, InvalidOption, shortened
from untilt.game.actions import Kind
from untilt.game.histories.split import Split
from untilt.game.protocol import Action, Game, Uniforms, chances_of
from untilt.game.terms import Chips, Terms, chips_of, terms_of
from untilt.games.holdem.betting import Betting
from untilt.games.registry import NamedGame, name_game

_MAX_OFFERS_KEPT = 1_000_000
_LETTER_OF = {Kind.FOLD: "f", Kind.CHECK: "c", Kind.CALL: "c", Kind.ALL_IN: "a"}


class AbstractInfoset:
    """A player's knowledge under an abstraction; one object per key."""

    __slots__ = ("_actions", "_hash", "key", "line", "player", "private", "public")

    def __init__(
        self, key: Hashable, player: int, actions: tuple[Action, ...], shown: tuple[str, str, str]
    ) -> None:
        self.key = key
        self.player = player
        self._actions = actions
        self.private, self.public, self.line = shown
        self._hash = hash(key)

    def actions(self) -> tuple[Action, ...]:
        """Return the actions that every node of the infoset offers."""
        return self._actions

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, AbstractInfoset) and self.key == other.key

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        return f"P{self.player}:{self.private}:{self.public}:{self.line}"

    def __repr__(self) -> str:
        return f"<AbstractInfoset {self}>"


class Abstraction:
    """States and menu of an abstract game, shared by all its positions."""

    def __init__(
        self, states: StateAbstraction, menu: Menu | None, *, is_checked: bool = False
    ) -> None:
        # The actions are part of every key, so the menu need not appear twice.
        own = None if menu is None else menu.factor
        self.states = StateAbstraction.of(each for each in states.factors if each != own)
        self.menu = menu
        self._is_checked = is_checked
        # By topic: how the value at each place is shown.
        self._texts = [
            [
                (place, factor.text)
                for place, factor in enumerate(self.states.factors)
                if factor.about is topic
            ]
            for topic in About
        ]
        line = betting_line.factors[0]
        self._shows_actions = line not in self.states.factors
        self._interned: dict[Hashable, AbstractInfoset] = {}
        self._offers: dict[Betting, tuple[Offer, ...]] = {}
        self._seen: dict[Hashable, tuple[Hashable, ...]] = {}

    def checked(self) -> "Abstraction":
        """Return this abstraction, with every value computed twice and compared."""
        return Abstraction(self.states, self.menu, is_checked=True)

    @property
    def is_ready_made(self) -> bool:
        """Whether its texts are enough to rebuild it."""
        return self.states.is_ready_made and (self.menu is None or self.menu.is_ready_made)

    @property
    def fingerprint(self) -> str:
        """A hash of states and menu."""
        return fingerprint_of(
            self.states.fingerprint, "" if self.menu is None else self.menu.fingerprint
        )

    def offers(self, betting: Betting) -> tuple[Offer, ...]:
        """Return the menu's actions for the player to act; at least one."""
        found = self._offers.get(betting)
        if found is None:
            assert self.menu is not None
            if len(self._offers) >= _MAX_OFFERS_KEPT:
                self._offers.clear()
            found = self._offers[betting] = self.menu.offers(betting)
        return found

    def infoset(self, known: Any, actions: tuple[Action, ...]) -> AbstractInfoset:
        """Return the abstract infoset of `known`, an infoset of the game, with these actions."""
        values = tuple(factor.value(known) for factor in self.states.factors)
        if self._is_checked:
            self._verify(known, values)
        return self.interned(known.player, values, actions)

    def interned(
        self, player: int, values: tuple[Hashable, ...], actions: tuple[Action, ...]
    ) -> AbstractInfoset:
        """Return the abstract infoset with the values of all factors, one object for each."""
        key = (player, values, actions)
        found = self._interned.get(key)
        if found is None:
            found = AbstractInfoset(key, player, actions, self._shown(values, actions))
            self._interned[key] = found
        return found

    def _shown(
        self, values: tuple[Hashable, ...], actions: tuple[Action, ...]
    ) -> tuple[str, str, str]:
        texts = [[text(values[place]) for place, text in shown] for shown in self._texts]
        if self._shows_actions:
            texts[-1].append(f"[{short_names(list(map(str, actions)))}]")
        private, public, line = (" ".join(filter(None, part)) for part in texts)
        return private, public, line

    def _verify(self, known: Any, values: tuple[Hashable, ...]) -> None:
        """Raise GameError if a factor gives, or has given, another value for this infoset."""
        before = self._seen.setdefault(known, values)
        for factor, first, now in zip(self.states.factors, before, values, strict=True):
            if first != now:
                raise changing_value(factor, known, first, now)
            factor.verify_deterministic(known)

    def __repr__(self) -> str:
        return f"{self.states!r}" if self.menu is None else f"{self.states!r}; {self.menu!r}"


class AbstractPosition(Game):
    """A position of an abstract game, around a position of the game itself."""

    __slots__ = ("_infoset", "_line", "abstraction", "base")

    is_abstract = True
    base: Game
    """The position of the game itself."""
    abstraction: Abstraction

    def __init__(self, base: Game, abstraction: Abstraction, line: str = "") -> None:
        self.base = base
        self.abstraction = abstraction
        self._line = line
        self._infoset: AbstractInfoset | None = None

    @property
    def terms(self) -> Terms:
        """The terms of the game itself; a menu may leave a single action."""
        terms = terms_of(self.base)
        return terms if self.abstraction.menu is None else replace(terms, has_forced_moves=True)

    @property
    def is_zero_sum(self) -> bool:
        """Whether the game itself is zero-sum; it is unless it says otherwise."""
        return getattr(self.base, "is_zero_sum", True) is not False

    @property
    def chips(self) -> Chips | None:
        """The money on the table."""
        return chips_of(self.base)

    @property
    def parameters(self) -> dict[str, str] | None:
        """The parameters with which the game `abstract` makes this one; None if that needs code."""
        from untilt.abstraction.recipe import parameters_of_abstract

        return parameters_of_abstract(self)

    def checked(self) -> "AbstractPosition":
        """Return the position under an abstraction that notices when it contradicts itself."""
        return AbstractPosition(self.base, self.abstraction.checked(), self._line)

    @property
    def line(self) -> str:
        """The betting so far, in sizes of the menu: `cr100%c/b50%`."""
        return self._line

    @property
    def terminal(self) -> bool:
        return self.base.terminal

    @property
    def chance(self) -> bool:
        return self.base.chance

    @property
    def active(self) -> int:
        return self.base.active

    def payoff(self, player: int) -> float:
        return self.base.payoff(player)

    def chances(self) -> Iterable[tuple[Action, float]]:
        return chances_of(self.base)

    def sample(self, rng: Uniforms) -> Action:
        return self.base.sample(rng)

    def infoset(self, player: int) -> AbstractInfoset:
        found = self._infoset
        if found is None or found.player != player:
            found = self._made_infoset(player)
            self._infoset = found
        return found

    def split(self) -> Split | None:
        """Return hold'em as betting and deals, which can be sampled much faster; else None."""
        from untilt.abstraction.split_holdem import SplitHoldem, can_be_split

        return SplitHoldem(self) if can_be_split(self) else None

    def _made_infoset(self, player: int) -> AbstractInfoset:
        known: Any = self.base.infoset(player)
        abstraction = self.abstraction
        if abstraction.menu is None:
            return abstraction.infoset(known, tuple(known.actions()))
        offers = abstraction.offers(known.betting)
        known = known._replace(line=self._line)
        return abstraction.infoset(known, tuple(offer.name for offer in offers))

    def apply(self, action: Action) -> "AbstractPosition":
        base, abstraction = self.base, self.abstraction
        if base.chance:
            after = base.apply(action)
            return self._child(
                after, self._line if abstraction.menu is None else self._dealt(after)
            )
        if abstraction.menu is None:
            return self._child(base.apply(action), "")
        name = str(action)
        betting: Betting = base.betting  # type: ignore[attr-defined]  # verified at the root
        for offer in abstraction.offers(betting):
            if offer.name == name:
                return self._child(base.apply(offer.action), self._line + abstract_letters(offer))
        offered = ", ".join(offer.name for offer in abstraction.offers(betting))
        raise GameError(f"{name!r} is not offered after {self._line!r}; the menu offers {offered}")

    def _dealt(self, after: Game) -> str:
        before, now = (str(getattr(each, "line", "")) for each in (self.base, after))
        return self._line + now[len(before) :]

    def _child(self, base: Game, line: str) -> "AbstractPosition":
        child = object.__new__(type(self))
        child.base = base
        child.abstraction = self.abstraction
        child._line = line
        child._infoset = None
        return child

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.abstraction!r} of {self.base!r}>"


def abstract_letters(offer: Offer) -> str:
    """Return an action as it is written in an abstract line: `c`, `b50%`, `r2.5x`, `a`."""
    letter = _LETTER_OF.get(offer.action.kind)
    if letter is not None:
        return letter
    return ("r" if offer.action.kind is Kind.RAISE else "b") + offer.name.rpartition(" ")[2]


@overload
def abstract(
    game: type, states: object, actions: Menu | None = ..., *, check: bool = ...
) -> Callable[[type], type]: ...


@overload
def abstract(
    game: Game | NamedGame | str, states: object, actions: Menu | None = ..., *, check: bool = ...
) -> AbstractPosition: ...


def abstract(
    game: Any, states: object, actions: Menu | None = None, *, check: bool = False
) -> AbstractPosition | Callable[[type], type]:
    """Return `game` seen through a state abstraction and, for hold'em, a menu of actions.

    `game` is a root position, or the name of a registered game. Given a class of positions, it
    returns a decorator for a subclass, which may change the rules; instances of the decorated class
    are abstract positions:

        @abstract(RiverOfBlood, states, menu)
        class Training(RiverOfBlood): ...

        root = Training()

    With `Translation` in place of the game, it returns the side that plays. With `check`, every
    value is computed twice and remembered, and an error names an abstraction that contradicts
    itself.
    """
    abstraction = make_abstraction(states, actions, check=check)
    if isinstance(game, type):
        return _decorator(game, abstraction)
    root = name_game(game).game
    if isinstance(root, AbstractPosition):
        raise InvalidOption("the game is abstract already: multiply the state abstractions instead")
    _verify_menu(root, abstraction)
    return AbstractPosition(root, abstraction)


def make_abstraction(states: object, actions: object = None, *, check: bool = False) -> Abstraction:
    """Return states and menu as an abstraction; raise InvalidOption if they are not."""
    if actions is not None and not isinstance(actions, Menu):
        raise InvalidOption(
            f"{shortened(actions)} is not a menu of actions: give one such as "
            "pot_fractions(0.5, 1, all_in=True)"
        )
    return Abstraction(states_of(states), actions, is_checked=check)


def _decorator(base: type, abstraction: Abstraction) -> Callable[[type], type]:
    def decorate(decorated: type) -> type:
        if not (isinstance(decorated, type) and issubclass(decorated, base)):
            raise InvalidOption(
                f"@abstract({base.__name__}, …) decorates a subclass of {base.__name__}, not "
                f"{shortened(decorated)}"
            )
        bound = getattr(decorated, "under", None)
        if callable(bound):  # the playing side
            made: type = bound(abstraction)
            return made
        return _abstract_class(decorated, abstraction)

    return decorate


def _abstract_class(decorated: type, abstraction: Abstraction) -> type:
    """Return a class whose instances are abstract positions around those of `decorated`."""

    def make(self: AbstractPosition, *args: Any, **parameters: Any) -> None:
        root = decorated(*args, **parameters)
        _verify_menu(root, abstraction)
        AbstractPosition.__init__(self, root, abstraction)

    members = {"__init__": make, "__slots__": (), "__doc__": decorated.__doc__}
    members |= {"__module__": decorated.__module__, "__qualname__": decorated.__qualname__}
    return type(decorated.__name__, (AbstractPosition,), members)


def _verify_menu(root: object, abstraction: Abstraction) -> None:
    if abstraction.menu is not None and not isinstance(getattr(root, "betting", None), Betting):
        raise InvalidOption(
            f"a menu of bets is for hold'em; {type(root).__name__} has no bet sizes: give states "
            "only"
        )
