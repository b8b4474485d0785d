"""The protocol of games: immutable positions, with the knowledge of a player at each.

The root position *is* the game. A position is a decision of one player, a chance
move or terminal; `apply` returns the next one and leaves the old one unchanged.
Subclass `Game` to inherit `sample`, or write any class with these attributes.

A game has two players unless its positions have an attribute `num_players`.
"""

from collections.abc import Hashable, Iterable, Sequence
from numbers import Integral
from typing import Protocol, runtime_checkable

from untilt.errors import GameError, shortened

MAX_PLAYERS = 100
"""The largest number of players; more is surely a mistake."""

Action = Hashable
"""An action or a chance outcome; its name is `str(action)`."""


class Uniforms(Protocol):
    """A source of random numbers: `random.Random`, a NumPy generator, or our `Stream`."""

    def random(self) -> float:
        """Return the next number, uniform in [0, 1)."""
        ...


@runtime_checkable
class InfoSet(Hashable, Protocol):
    """The knowledge of the player to act; infosets are equal if the player cannot tell them apart.

    Its label is `str(infoset)`. Optional string attributes `private`, `public` and
    `line` say what the player holds, what both players see, and the public betting so far;
    tables and charts group by them.
    """

    def actions(self) -> Sequence[Action]:
        """Return the legal actions, always in the same order."""
        ...


@runtime_checkable
class Game(Protocol):
    """A position of a game with chance, of two players or of `num_players`, if it says so."""

    @property
    def terminal(self) -> bool:
        """Whether the hand is over."""
        ...

    @property
    def chance(self) -> bool:
        """Whether the next move is nature's."""
        ...

    @property
    def active(self) -> int:
        """The player to act, from 0; read only at decisions."""
        ...

    def payoff(self, player: int) -> float:
        """Return what `player` gains over the whole hand, in chips; asked only at the end."""
        ...

    def chances(self) -> Iterable[tuple[Action, float]]:
        """Return each chance outcome with its probability; they sum to 1.

        A game with too many outcomes to list omits this method, or raises
        NotImplementedError, and implements `sample`; only sampling solvers can then solve it.
        """
        raise NotImplementedError

    def sample(self, rng: Uniforms) -> Action:
        """Return a random chance outcome, drawing exactly one uniform number."""
        return sample_chance(self, rng)

    def infoset(self, player: int) -> InfoSet:
        """Return what `player`, who is to act, knows."""
        ...

    def apply(self, action: Action) -> "Game":
        """Return the position after `action`, an action or a chance outcome."""
        ...


def num_players_of(game: object) -> int:
    """Return the number of players: the attribute `num_players` of a game, 2 if it has none."""
    given = getattr(game, "num_players", 2)
    is_number = given is not True and isinstance(given, Integral)
    if is_number and 2 <= int(given) <= MAX_PLAYERS:
        return int(given)
    if callable(given):
        raise GameError(
            "`num_players` is a method; it must be an attribute of the class, such as "
            "`num_players = 3`, or a property"
        )
    raise GameError(
        f"`num_players` is {shortened(given)}; it must be an integer from 2 to {MAX_PLAYERS}"
    )


def verify_two_players(game: object, what: str) -> None:
    """Raise GameError if a game has more than two players; `what` needs two."""
    count = num_players_of(game)
    if count != 2:
        raise GameError(f"{what} needs a game of two players, and this one has {count}")


def chances_of(position: Game) -> Iterable[tuple[Action, float]]:
    """Return `position.chances()`; raise NotImplementedError if it has no such method."""
    listed = getattr(position, "chances", None)
    if listed is None:
        raise NotImplementedError
    outcomes: Iterable[tuple[Action, float]] = listed()
    return outcomes


def sample_chance(position: Game, rng: Uniforms) -> Action:
    """Return a chance outcome of `position`: one uniform, then a walk along `chances()`."""
    uniform = rng.random()
    cumulative = 0.0
    last: Action = None
    for outcome, probability in chances_of(position):
        if probability <= 0.0:
            continue
        cumulative += probability
        last = outcome
        if uniform < cumulative:
            break
    # Rounding may leave `cumulative` slightly below 1: the last possible outcome takes the rest.
    return last
