"""A game of three players that does not say so: everything that takes a game says how to."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import pytest

import untilt
from untilt.errors import GameError
from untilt.game.protocol import Action, Game
from untilt.game.terms import Terms
from untilt.play import Table
from untilt.play.matches.head_to_head import play_match

WORDS = (
    r"`active` is 2 at history \[.*\], but the game has 2 players: return 0 or 1, or give the "
    r"class the attribute `num_players = 3`"
)


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
    assert "`num_players = 3`" in problem


def test_a_third_player_numbered_by_numpy_is_refused_alike() -> None:
    class Numbered(Vote):
        @property
        def active(self) -> int:
            return np.int64(len(self.said))  # type: ignore[return-value]

    with pytest.raises(GameError, match="but the game has 2 players"):
        untilt.games.compile(Numbered())


def test_a_number_that_is_no_further_player_is_refused_without_that_reason() -> None:
    class Negative(Vote):
        @property
        def active(self) -> int:
            return -1

    with pytest.raises(GameError, match=r"`active` is -1 at history \[heads\]; it must be 0 or 1"):
        untilt.games.compile(Negative())


class Three(Vote):
    """The same game, which says that it has three players."""

    num_players: object = 3


def test_a_game_that_says_that_it_has_three_players_is_solved() -> None:
    assert untilt.games.check(Three()).is_sound
    run = untilt.solve(Three(), "cfr+", iterations=10, save=False)
    assert run.values == (2.0, -1.0, -1.0)
    assert run.nash_conv == 0.0


def test_payoffs_for_two_of_three_players_are_refused() -> None:
    class TwoPaid(Three):
        def payoff(self, player: int) -> float:
            return (1.0, -1.0)[player]

    words = r"payoff\(2\) raised IndexError at history .*: a game of 3 players must return the"
    with pytest.raises(GameError, match=words):
        untilt.games.compile(TwoPaid())
    [problem] = untilt.games.check(TwoPaid()).problems
    assert "payoffs of players 0 to 2" in problem


@pytest.mark.parametrize("given", [1, 0, -3, 2.0, "3", None, True, 101])
def test_other_numbers_of_players_are_refused(given: object) -> None:
    class Numbered(Vote):
        num_players = given

    with pytest.raises(GameError, match="it must be an integer from 2 to 100"):
        untilt.games.compile(Numbered())


def test_a_number_of_players_that_is_a_method_is_refused() -> None:
    class Numbered(Vote):
        def num_players(self) -> int:
            return 3

    with pytest.raises(GameError, match="`num_players` is a method; it must be an attribute"):
        untilt.games.compile(Numbered())


def test_a_player_beyond_the_number_of_players_is_refused() -> None:
    class Fourth(Three):
        @property
        def active(self) -> int:
            return 3

    with pytest.raises(GameError, match=r"`active` is 3 .* has 3 players: return 0, 1 or 2, or"):
        untilt.games.compile(Fourth())


def test_what_needs_two_players_says_so() -> None:
    for needs_two in (
        lambda: untilt.solve(Three(), "lp", save=False),
        lambda: untilt.qre(Three(), 1.0, definition="dilated", save=False),
    ):
        with pytest.raises(GameError, match="needs a game of two players, and"):
            needs_two()


def test_seats_that_are_not_as_many_as_players_are_refused() -> None:
    class Seated(Three):
        terms = Terms(seats=("first", "second"))

    with pytest.raises(GameError, match="the terms name 2 seats, and the game has 3 players"):
        untilt.solve(Seated(), "cfr", iterations=1, save=False)
