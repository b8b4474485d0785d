"""Artificial games for solvers on objects: large, only sampled, endless or broken ones."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from untilt.game.protocol import Action, Game, Uniforms


class Seen(NamedTuple):
    """What a player knows: everything that has happened."""

    player: int
    moves: str

    def actions(self) -> tuple[str, ...]:
        return ("left", "right")

    def __str__(self) -> str:
        return f"P{self.player}:{self.moves}"


@dataclass(frozen=True)
class Walk(Game):
    """Chance steps up or down, then a player goes along (right) or not (left), in turns.

    Each step that player 0 goes along with gains 1 if it is up and loses 1 if not; player 1
    wants the opposite. All is seen, so the best is plain: right after up for player 0, right
    after down for player 1. It has 4 ** length histories and about as many infosets.
    """

    length: int = 30
    moves: str = ""

    @property
    def terminal(self) -> bool:
        return len(self.moves) == 2 * self.length

    @property
    def chance(self) -> bool:
        return len(self.moves) % 2 == 0

    @property
    def active(self) -> int:
        return len(self.moves) // 2 % 2

    def payoff(self, player: int) -> float:
        steps = [self.moves[at : at + 2] for at in range(0, len(self.moves), 2)]
        total = steps.count("ur") - steps.count("dr")
        return float(total if player == 0 else -total)

    def chances(self) -> Iterable[tuple[Action, float]]:
        return [("up", 0.5), ("down", 0.5)]

    def infoset(self, player: int) -> Seen:
        return Seen(player, self.moves)

    def apply(self, action: Action) -> "Walk":
        return replace(self, moves=self.moves + str(action)[0])


class SampledWalk(Walk):
    """The same without a list of outcomes."""

    def chances(self) -> Iterable[tuple[Action, float]]:
        raise NotImplementedError

    def sample(self, rng: Uniforms) -> Action:
        return "up" if rng.random() < 0.5 else "down"


class EndlessWalk(Walk):
    """A walk that never ends."""

    @property
    def terminal(self) -> bool:
        return False


class EndlessDealing(EndlessWalk):
    """Chance moves without end."""

    @property
    def chance(self) -> bool:
        return True


class Waiting(NamedTuple):
    """An infoset with one action."""

    player: int

    def actions(self) -> tuple[str, ...]:
        return ("wait",)


class EndlessWaiting(EndlessWalk):
    """Forced moves without end."""

    @property
    def chance(self) -> bool:
        return False

    def infoset(self, player: int) -> Seen:
        return Waiting(player)  # type: ignore[return-value]


class Circle(Walk):
    """Whatever a player does, the position is the same again."""

    @property
    def chance(self) -> bool:
        return False

    def apply(self, action: Action) -> "Walk":
        return self
