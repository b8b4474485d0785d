"""Random games of three players and more, with perfect recall."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from untilt.game.protocol import Action, Game


class Finish(NamedTuple):
    """The end of a history."""

    payoffs: tuple[float, ...]


class Draw(NamedTuple):
    """A chance move."""

    probabilities: tuple[float, ...]
    children: tuple["Branch", ...]


class Turn(NamedTuple):
    """A player's move at the infoset `label`."""

    player: int
    label: str
    children: tuple["Branch", ...]


Branch = Finish | Draw | Turn


class Known(NamedTuple):
    """What a player knows at a turn."""

    player: int
    label: str
    num_actions: int

    def actions(self) -> tuple[str, ...]:
        return tuple("abcd"[: self.num_actions])

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True)
class ManyPlayers(Game):
    """A position of a game of several players that is given as its tree."""

    branch: Branch
    num_players: int

    @property
    def terminal(self) -> bool:
        return isinstance(self.branch, Finish)

    @property
    def chance(self) -> bool:
        return isinstance(self.branch, Draw)

    @property
    def active(self) -> int:
        assert isinstance(self.branch, Turn)
        return self.branch.player

    def payoff(self, player: int) -> float:
        assert isinstance(self.branch, Finish)
        return self.branch.payoffs[player]

    def chances(self) -> Sequence[tuple[Action, float]]:
        assert isinstance(self.branch, Draw)
        return [(str(number), share) for number, share in enumerate(self.branch.probabilities)]

    def infoset(self, player: int) -> Known:
        assert isinstance(self.branch, Turn)
        return Known(player, self.branch.label, len(self.branch.children))

    def apply(self, action: Action) -> "ManyPlayers":
        branch = self.branch
        assert not isinstance(branch, Finish)
        place = int(str(action)) if isinstance(branch, Draw) else "abcd".index(str(action))
        return replace(self, branch=branch.children[place])


def random_game(seed: int, players: int, depth: int = 5) -> ManyPlayers:
    """Return a game of `players` players and at most `depth` moves, in which all have choices.

    Whoever moves remembers all that she saw and did, how many actions there are, and sees one of
    two signals, so that several histories are one infoset.
    """
    rng = random.Random(seed)

    def grow(left: int, pasts: tuple[str, ...]) -> Branch:
        kind = rng.random()
        if left == 0 or kind < 0.12:
            return Finish(tuple(rng.gauss(0.0, 1.0) for _ in pasts))
        if kind < 0.3:
            shares = [rng.random() + 0.05 for _ in range(rng.randint(2, 3))]
            total = math.fsum(shares)
            children = tuple(grow(left - 1, pasts) for _ in shares)
            return Draw(tuple(share / total for share in shares), children)
        return turn(rng.randrange(players), left, pasts)

    def turn(player: int, left: int, pasts: tuple[str, ...]) -> Turn:
        count = rng.choice([1, 2, 2, 3])
        label = f"{pasts[player]}?{rng.randint(0, 1)}{count}"
        children = []
        for action in "abcd"[:count]:
            after = (*pasts[:player], label + action, *pasts[player + 1 :])
            children.append(grow(left - 1, after))
        return Turn(player, label, tuple(children))

    def opening(player: int, pasts: tuple[str, ...]) -> Branch:
        """All choose once, without seeing one another."""
        if player == players:
            return grow(depth - 2, pasts)
        label = f"{pasts[player]}first"
        children = []
        for action in "ab":
            after = (*pasts[:player], label + action, *pasts[player + 1 :])
            children.append(opening(player + 1, after))
        return Turn(player, label, tuple(children))

    return ManyPlayers(opening(0, tuple(f"P{player}:" for player in range(players))), players)
