"""The protocol's own few lines: sampling chance, and what counts as a game."""

import random

import pytest
from tests.game.trees import End as Over
from tests.game.trees import Nature, TreeGame, choice, nature

from untilt.game.protocol import Game, InfoSet, sample_chance
from untilt.games import kuhn

WIN = Over(1.0)


class Fixed:
    """A source that always gives the same number, and counts."""

    def __init__(self, number: float) -> None:
        self.number = number
        self.drawn = 0

    def random(self) -> float:
        self.drawn += 1
        return self.number


@pytest.mark.parametrize(
    ("number", "outcome"),
    [(0.0, "a"), (0.2499, "a"), (0.25, "b"), (0.7499, "b"), (0.75, "d"), (1 - 2**-53, "d")],
)
def test_sampling_draws_one_uniform_and_walks_the_outcomes(number: float, outcome: str) -> None:
    position = TreeGame(
        nature(z=(0.0, WIN), a=(0.25, WIN), b=(0.5, WIN), c=(0.0, WIN), d=(0.25, WIN))
    )
    source = Fixed(number)
    assert position.sample(source) == outcome
    assert source.drawn == 1


def test_rounding_never_gives_an_impossible_outcome() -> None:
    shares = [0.1] * 10  # sums to 1 − 1.1e-16
    outcomes = [(str(number), share, WIN) for number, share in enumerate(shares)]
    position = TreeGame(Nature((*outcomes, ("never", 0.0, WIN))))
    assert sample_chance(position, Fixed(1 - 2**-53)) == "9"


def test_samples_come_as_often_as_their_probability() -> None:
    position = TreeGame(nature(a=(0.2, WIN), b=(0.8, WIN)))
    rng = random.Random(5)
    count = sum(position.sample(rng) == "a" for _ in range(10_000))
    assert abs(count - 2000) < 5 * (10_000 * 0.2 * 0.8) ** 0.5


def test_positions_and_infosets_are_recognised_by_their_attributes() -> None:
    position = TreeGame(choice(0, "P0:", a=WIN, b=WIN))
    assert isinstance(position, Game)
    assert isinstance(position.infoset(0), InfoSet)
    assert isinstance(kuhn(), Game)
    assert not isinstance("leduc", Game)


def test_a_game_that_lists_no_chances_says_so() -> None:
    class Unlisted(TreeGame):
        chances = Game.chances  # type: ignore[assignment]

    with pytest.raises(NotImplementedError):
        Unlisted(nature(a=(1.0, WIN))).chances()
