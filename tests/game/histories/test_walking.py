import random
from pathlib import Path

import pytest

from untilt.errors import GameError
from untilt.game.histories.walking import (
    described_history,
    past_forced_moves,
    possible_moves,
    random_hand,
    replayed_moves,
)
from untilt.game.protocol import Action, Game
from untilt.games import resolve

LIARS_DICE = str(Path(__file__).parents[3] / "examples" / "liars_dice.py")


def root() -> str:
    return "the root"


def test_a_choice_is_reached_past_forced_moves() -> None:
    dice = resolve(LIARS_DICE, {"sides": 2}).game.apply("1").apply("2")
    highest = dice.apply("2-2")
    assert possible_moves(highest) == ("liar",)
    place = past_forced_moves(highest, root)
    assert place.position.terminal
    assert (place.infoset, place.actions) == (None, ())
    choice = past_forced_moves(dice.apply("2-1"), root)
    assert str(choice.infoset) == "P1:2:2-1"
    assert choice.actions == ("2-2", "liar")


def test_moves_are_replayed_without_the_forced_ones() -> None:
    dice = resolve(LIARS_DICE, {"sides": 2}).game
    assert list(replayed_moves(dice, [0, 1, 3])) == ["1", "2", "2-2"]
    assert described_history(["1", "2"]) == "history [1, 2]"


def test_random_hands_begin_at_the_root_and_end() -> None:
    kuhn = resolve("kuhn").game
    for _ in range(20):
        positions = list(random_hand(kuhn, random.Random(3), 50))
        assert positions[0] is kuhn
        assert positions[-1].terminal
        assert not any(position.terminal for position in positions[:-1])
    assert len(list(random_hand(kuhn, random.Random(0), 2))) == 3


class Stuck(Game):
    """A position whose only move leads nowhere."""

    terminal, chance, active = False, False, 0

    def payoff(self, player: int) -> float:
        raise AssertionError

    def chances(self) -> list[tuple[str, float]]:
        raise AssertionError

    def infoset(self, player: int) -> "Stuck":
        return self

    def actions(self) -> tuple[str, ...]:
        return ("wait",)

    def apply(self, action: Action) -> "Stuck":
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stuck)

    def __hash__(self) -> int:
        return 0

    def __str__(self) -> str:
        return "P0:stuck"


def test_a_forced_move_that_leads_nowhere_is_refused() -> None:
    with pytest.raises(GameError, match="returns the position it was called on at the root"):
        past_forced_moves(Stuck(), root)
