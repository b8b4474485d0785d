"""The Malmuth–Harville model against all orders of finish, one by one."""

import math
from itertools import permutations

import numpy as np
import pytest

import untilt
from untilt.errors import InvalidOption
from untilt.games.pushfold.tables.finishing import finish_hands


def by_permutations(stacks: list[float], prizes: list[float]) -> list[float]:
    """Return the values by adding up all orders in which players can finish."""
    values = [0.0] * len(stacks)
    for order in permutations(range(len(stacks))):
        left, chance = math.fsum(stacks), 1.0
        for player in order:
            chance *= stacks[player] / left if left > 0.0 else 1.0
            left = math.fsum(stacks[other] for other in order[order.index(player) + 1 :])
        for place, prize in enumerate(prizes):
            values[order[place]] += chance * prize
    return values


def bounties_by_permutations(stacks: list[float], heads: list[float]) -> list[float]:
    """Return what each player wins for knocking others out: each by a better one, by chips."""
    values = [0.0] * len(stacks)
    for order in permutations(range(len(stacks))):
        chance = 1.0
        for place, player in enumerate(order):
            chance *= stacks[player] / math.fsum(stacks[other] for other in order[place:])
        values[order[0]] += chance * heads[order[0]]
        for place, player in enumerate(order[1:], 1):
            better = math.fsum(stacks[other] for other in order[:place])
            for other in order[:place]:
                values[other] += chance * heads[player] * stacks[other] / better
    return values


RNG = np.random.default_rng(33)
CASES = [
    ([5000.0, 3000.0, 2000.0], [50.0, 30.0, 20.0]),
    ([1.0, 1.0], [1.0]),
    ([1.0], [7.0]),
    ([1e-6, 1.0, 1e6], [3.0, 2.0, 1.0]),
    *(
        (RNG.uniform(0.1, 40.0, count).tolist(), np.sort(RNG.random(paid))[::-1].tolist())
        for count, paid in ((2, 2), (4, 3), (5, 5), (6, 2), (7, 7), (7, 3))
    ),
]


@pytest.mark.parametrize(("stacks", "prizes"), CASES)
def test_values_are_those_of_all_orders(stacks: list[float], prizes: list[float]) -> None:
    found = untilt.pushfold.icm(stacks, prizes)
    expected = by_permutations(stacks, prizes)
    np.testing.assert_allclose(found.values, expected, rtol=1e-12, atol=1e-12)
    assert found.values.sum() == pytest.approx(sum(prizes[: len(stacks)]), abs=1e-12 * found.pool)


def test_a_published_example() -> None:
    found = untilt.pushfold.icm([5000, 3000, 2000], [50, 30, 20])
    np.testing.assert_allclose(found.values, [38.392857142857, 32.75, 28.857142857143], atol=1e-11)


@pytest.mark.parametrize(("stacks", "prizes"), CASES[4:])
def test_the_jacobian_is_the_derivative(stacks: list[float], prizes: list[float]) -> None:
    jacobian = untilt.pushfold.icm(stacks, prizes).jacobian
    for player, stack in enumerate(stacks):
        step = 1e-4 * stack
        ends = []
        for sign in (1.0, -1.0):
            moved = list(stacks)
            moved[player] += sign * step
            ends.append(np.array(by_permutations(moved, prizes)))
        slope = (ends[0] - ends[1]) / (2.0 * step)
        np.testing.assert_allclose(jacobian[:, player], slope, rtol=1e-5, atol=1e-9)
    # More chips for everybody in proportion change nothing.
    np.testing.assert_allclose(jacobian @ np.array(stacks), 0.0, atol=1e-12)


def test_players_elsewhere_take_part() -> None:
    here = untilt.pushfold.icm([10, 6, 4], [0.5, 0.3, 0.2], others=[5])
    together = untilt.pushfold.icm([10, 6, 4, 5], [0.5, 0.3, 0.2])
    assert here.values.tolist() == together.values[:3].tolist()
    assert here.jacobian.tolist() == together.jacobian[:3, :3].tolist()


def test_bounties_are_those_of_all_orders() -> None:
    stacks, heads = [7.0, 4.0, 2.0, 9.0], [5.0, 1.0, 0.0, 3.0]
    found = untilt.pushfold.icm(stacks, [10.0, 5.0], bounty=heads)
    np.testing.assert_allclose(
        found.all_bounties, bounties_by_permutations(stacks, heads), atol=1e-12
    )
    assert found.all_bounties.sum() == pytest.approx(9.0)


def test_of_two_that_are_out_the_larger_stack_takes_the_better_place() -> None:
    values = np.zeros((2, 4))
    final = np.array([[20.0, 0.0, 0.0, 5.0], [20.0, 0.0, 0.0, 5.0]])
    none = np.empty((2, 0))
    prizes = np.array([4.0, 3.0, 2.0, 1.0])
    finish_hands(final, np.array([9.0, 6.0, 5.0, 5.0]), np.empty(0), prizes, none, values)
    assert values[0, 1:3].tolist() == [2.0, 1.0]
    finish_hands(final, np.array([9.0, 5.0, 5.0, 6.0]), np.empty(0), prizes, none, values)
    assert values[0, 1:3].tolist() == [1.5, 1.5]
    np.testing.assert_allclose(values.sum(axis=1), 10.0)


@pytest.mark.parametrize(
    ("stacks", "prizes", "words"),
    [
        ([5, 0, 2], [1], "leave out who has none"),
        ([5, math.nan], [1], "finite"),
        ([5, 3], [3, 2, 1], "3 prizes are given for 2 players"),
        ([5, 3], [1, 2], "give the first prize first"),
        ([5, 3], [], "give at least one"),
        ([5, 3], [-1], "not negative"),
        ([5, 3], [0, 0], "all prizes are 0"),
        ([5, 3], [1e-320], "the first prize is"),
        ([5, 3], [1e16], "at most 1e\\+15"),
        ([1e-320, 3], [1], "give at least 1e-15"),
        ([5, 1e16], [1], "at most 1e15"),
        ([1] * 11, [1], "at most 10"),
        ("5,3", [1], "list of numbers"),
    ],
)
def test_what_cannot_be_is_refused(stacks: list[float], prizes: list[float], words: str) -> None:
    with pytest.raises(InvalidOption, match=words):
        untilt.pushfold.icm(stacks, prizes)
