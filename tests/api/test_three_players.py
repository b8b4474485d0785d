"""A game of three players: everything that takes a game says that games have two."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import pytest

import untilt
from untilt.errors import GameError
from untilt.game.protocol import Action, Game
from untilt.play import Table
from untilt.play.matches.head_to_head import play_match

WORDS = r"`active` is 2 at history \[.*\]; games have two players for now, and it must be 0 or 1"


class Seen(NamedTuple):
    """What a player sees: how many have spoken."""

    player: int
    said: str

    def actions(self) -> tuple[str, str]:
        return "yes", "no"

    def __str__(self) -> str:
        return f"P{self.player}:{self.said}"


class Vote(Game):
    """A coin, then three players say yes or no, one after the other."""

    def __init__(self, coin: str = "", said: str = "") -> None:
        self.coin, self.said = coin, said

    @property
    def terminal(self) -> bool:
        return len(self.said) == 3

    @property
    def chance(self) -> bool:
        return not self.coin

    @property
    def active(self) -> int:
        return len(self.said)

    def payoff(self, player: int) -> float:
        return (2.0, -1.0, -1.0)[player]

    def chances(self) -> Iterable[tuple[Action, float]]:
        return [("heads", 0.5), ("tails", 0.5)]

    def infoset(self, player: int) -> Seen:
        return Seen(player, self.said)

    def apply(self, action: Action) -> "Vote":
        kind = type(self)
        return kind(self.coin, self.said + str(action)[0]) if self.coin else kind(str(action))


def yes(label: str) -> str:
    return "yes"


USES: dict[str, Callable[[], object]] = {
    "compile": lambda: untilt.games.compile(Vote()),
    "solve": lambda: untilt.solve(Vote(), save=False),
    "sample": lambda: untilt.solve(
        Vote(), "mccfr-external", iterations=10, max_nodes=1, save=False
    ),
    "qre": lambda: untilt.qre(Vote(), 1.0, save=False),
    "tree": lambda: untilt.games.tree(Vote()),
    "match": lambda: play_match(Vote(), yes, yes, 2),
    "table": lambda: Table(Vote(), (yes, yes)).play_hand(0),
}


@pytest.mark.parametrize("use", USES)
def test_a_third_player_is_refused_with_the_reason(use: str) -> None:
    with pytest.raises(GameError, match=WORDS):
        USES[use]()


def test_the_check_of_a_game_names_the_third_player() -> None:
    [problem] = untilt.games.check(Vote()).problems
    assert "games have two players for now" in problem


def test_a_third_player_numbered_by_numpy_is_refused_alike() -> None:
    class Numbered(Vote):
        @property
        def active(self) -> int:
            return np.int64(len(self.said))  # type: ignore[return-value]

    with pytest.raises(GameError, match="games have two players for now"):
        untilt.games.compile(Numbered())


def test_a_number_that_is_no_further_player_is_refused_without_that_reason() -> None:
    class Negative(Vote):
        @property
        def active(self) -> int:
            return -1

    with pytest.raises(GameError, match=r"`active` is -1 at history \[heads\]; it must be 0 or 1"):
        untilt.games.compile(Negative())
