"""The algebra of state abstractions.

A *state abstraction* maps an infoset to a hashable value; infosets with the same value are not
distinguished. `@algebraic` makes one from a function, and `*` combines two:

    @algebraic
    def last_card_is_black(infoset):
        return bool(infoset.board) and infoset.board[-1] % 4 in (0, 3)

    states = last_card_is_black * street * linear_pot(20)

`A * B` distinguishes two infosets when A or B does. As partitions of infosets, abstractions are
a commutative and idempotent monoid with the identity `trivial`, which distinguishes nothing:

    (A * B) * C = A * (B * C)      A * trivial = A      A * B = B * A      A * A = A

A product keeps its factors sorted by name, each once, so both sides of these are equal values too:
equal abstractions give equal keys, labels and fingerprints.
"""

import ast
import hashlib
import inspect
import textwrap
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, SupportsIndex, overload

from untilt.errors import GameError, InvalidOption, shortened

Read = Callable[[Any], Hashable]
"""A function from infosets to hashable values."""


class About(StrEnum):
    """The subject of a factor; tables and charts group by it."""

    PRIVATE = "private"
    PUBLIC = "public"
    LINE = "line"


@dataclass(frozen=True, eq=False)
class Factor:
    """One function of infosets, with its name."""

    name: str
    """As it is written: `street`, `linear_pot(20)`."""
    read: Read
    about: About = About.PUBLIC
    show: Callable[[Any], str] | None = None
    """The text of a value in labels; by default `name=value`."""
    is_ready_made: bool = False
    """Whether it comes with Untilt, so that its name identifies it completely."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Factor):
            return NotImplemented
        return self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[str, Read | None]:
        return self.name, None if self.is_ready_made else self.read

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        # Factors that come with Untilt may hold functions that cannot be pickled; a name is enough.
        if self.is_ready_made:
            return _ready_made, (self.name,)
        return super().__reduce_ex__(protocol)

    @property
    def code(self) -> str:
        """What the factor does, for fingerprints: its name, and the source of a user's function."""
        return self.name if self.is_ready_made else f"{self.name}\n{source_of(self.read)}"

    def text(self, value: Hashable) -> str:
        """Return a value as it appears in a label."""
        return f"{self.name}={value}" if self.show is None else self.show(value)

    def value(self, infoset: Any) -> Hashable:
        """Return the factor's value at an infoset; raise GameError if it cannot be part of a key.

        Exceptions that the function raises are passed on.
        """
        try:
            found = self.read(infoset)
        except AttributeError as error:
            raise GameError(
                f"the abstraction {self.name!r} cannot be used at infoset {str(infoset)!r}: {error}"
            ) from error
        try:
            hash(found)
        except TypeError:
            raise GameError(
                f"the abstraction {self.name!r} returns {shortened(found)} at infoset "
                f"{str(infoset)!r}; it must return something hashable: a number, text or tuple"
            ) from None
        if found != found:  # noqa: PLR0124  # a nan never equals itself, so no key would be found
            raise GameError(
                f"the abstraction {self.name!r} returns {shortened(found)} at infoset "
                f"{str(infoset)!r}, which does not equal itself; return None or a number"
            )
        return found

    def verify_deterministic(self, infoset: Any) -> None:
        """Raise GameError if the function returns different values for the same infoset."""
        first, second = self.value(infoset), self.value(infoset)
        if first != second:
            raise changing_value(self, infoset, first, second)


def _ready_made(name: str) -> Factor:
    from untilt.abstraction.expressions import parse_states

    (factor,) = parse_states(name).factors
    return factor


def changing_value(factor: Factor, infoset: object, first: object, second: object) -> GameError:
    """Return the error for a factor that is not a function of the infoset."""
    return GameError(
        f"the abstraction {factor.name!r} returns {shortened(first)} and then "
        f"{shortened(second)} for the same infoset {str(infoset)!r}; it must depend on the "
        "infoset alone"
    )


@dataclass(frozen=True, repr=False)
class StateAbstraction:
    """A product of factors; call it with an infoset to get its value there."""

    factors: tuple[Factor, ...] = field(default=())
    """Each once, sorted by name."""

    @classmethod
    def of(cls, factors: Iterable[Factor]) -> "StateAbstraction":
        """Return the product of `factors`."""
        return cls(tuple(sorted(dict.fromkeys(factors), key=lambda factor: factor.name)))

    def __call__(self, infoset: Any) -> Hashable:
        """Return the value of a single factor, or the tuple of all values."""
        if len(self.factors) == 1:
            return self.factors[0].value(infoset)
        return tuple(factor.value(infoset) for factor in self.factors)

    def __mul__(self, other: object) -> "StateAbstraction":
        factors = factors_of(other)
        return NotImplemented if factors is None else self.of(self.factors + factors)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return " * ".join(factor.name for factor in self.factors) or "trivial"

    @property
    def is_ready_made(self) -> bool:
        """Whether all factors come with Untilt, so that its text is enough to rebuild it."""
        return all(factor.is_ready_made for factor in self.factors)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all factors; a user's function counts with its source."""
        return fingerprint_of(*(factor.code for factor in self.factors))


trivial = StateAbstraction()
"""The identity: it distinguishes nothing."""


def factors_of(given: object) -> tuple[Factor, ...] | None:
    """Return the factors of an algebraic value; None if it is not one."""
    if isinstance(given, StateAbstraction):
        return given.factors
    if isinstance(given, Factor):
        return (given,)
    factor = getattr(given, "factor", None)
    return (factor,) if isinstance(factor, Factor) else None


def states_of(given: object) -> StateAbstraction:
    """Return an algebraic value as a state abstraction; raise InvalidOption if it is not one."""
    factors = factors_of(given)
    if factors is None:
        advice = "decorate the function with @algebraic" if callable(given) else "see trivial"
        raise InvalidOption(f"{shortened(given)} is not a state abstraction: {advice}")
    return StateAbstraction.of(factors)


@overload
def algebraic(function: Read, /) -> StateAbstraction: ...


@overload
def algebraic(
    *, name: str | None = None, about: str = ...
) -> Callable[[Read], StateAbstraction]: ...


def algebraic(
    function: Read | None = None, /, *, name: str | None = None, about: str = About.PUBLIC
) -> StateAbstraction | Callable[[Read], StateAbstraction]:
    """Make a function of infosets a state abstraction, which can be multiplied.

    The function must return the same hashable value whenever it gets the same infoset. `name` is
    its name in labels, by default that of the function; `about` says whether it describes private
    information, public information or the betting line.
    """
    if about not in list(About):
        raise InvalidOption.of("about", about, f"give one of {', '.join(About)}")

    def make(function: Read) -> StateAbstraction:
        if isinstance(function, StateAbstraction):
            return function
        if not callable(function):
            raise InvalidOption(
                f"{shortened(function)} is not a function of an infoset: decorate a function "
                "with @algebraic"
            )
        called = str(name or getattr(function, "__name__", type(function).__name__))
        return StateAbstraction.of([Factor(called, function, About(about))])

    return make if function is None else make(function)


def fingerprint_of(*texts: str) -> str:
    """Return a hash of texts."""
    digest = hashlib.blake2b(digest_size=16)
    for text in texts:
        digest.update(text.encode())
        digest.update(b"\x1e")
    return digest.hexdigest()


def source_of(function: Callable[..., Any]) -> str:
    """Return the code of a user's function without comments and layout, if it can be read.

    Values captured from an enclosing function are included.
    """
    closed = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    values = [repr(value) for value in closed if isinstance(value, int | float | str | tuple)]
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        name = getattr(function, "__qualname__", type(function).__qualname__)
        return " ".join([name, *values])
    return " ".join([ast.dump(tree), *values])
