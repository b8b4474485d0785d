"""A slow, obvious twin of finishing: plain recursion over nodes and sums over buckets.

Numbers are Python's floats; only what is found is rounded to whole bytes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]


@dataclass(eq=False)
class Place:
    """A node: a decision of `player` with `children`, a fold, or a showdown."""

    player: int = 0
    street: int = 0
    children: "list[Place]" = field(default_factory=list)
    win: float | None = None
    """What player 0 wins by a fold."""
    stake: float = 0.0
    learnt: Matrix = field(default_factory=lambda: np.zeros((0, 0)))
    """[buckets, actions]"""
    row: Matrix = field(default_factory=lambda: np.zeros((0, 0)))
    """What is found."""

    @property
    def is_answer(self) -> bool:
        kinds = [child.win is None for child in self.children if not child.children]
        return len(self.children) == 2 and sorted(kinds) == [False, True]

    @property
    def least(self) -> float:
        if self.children:
            return min(child.least for child in self.children)
        return abs(self.stake if self.win is None else self.win)


@dataclass(frozen=True)
class Model:
    """How buckets meet on each street, and turn into those of the next."""

    joint: Sequence[Matrix]
    """[own, other]: probabilities, which sum to 1."""
    net: Sequence[Matrix]
    """[own, other]: probability times what the own hand wins of 1 chip."""
    moved: Sequence[Matrix]
    """[bucket, next bucket]: probabilities, which sum to 1; none after the last street."""

    def met(self, street: int, reach: Matrix) -> Matrix:
        return np.asarray(self.joint[street] @ reach / self.joint[street].sum(axis=1))

    def won(self, street: int, reach: Matrix) -> Matrix:
        return np.asarray(self.net[street] @ reach / self.joint[street].sum(axis=1))


def finish(root: Place, model: Model, num_hands: float, *, is_exact: bool, walks: int = 2) -> None:
    """Find the rows of all decisions."""
    for place in _all(root):
        place.row = place.learnt.copy()
    start = np.ones(len(model.joint[0]))
    for number in range(1, walks + 1):
        _walk(root, 0, model, [start, start], num_hands, is_exact, 1.0 / number)


def _all(place: Place) -> list[Place]:
    return [place, *(each for child in place.children for each in _all(child))]


def _walk(
    place: Place, street: int, model: Model, reach: list[Matrix], num_hands: float,
    is_exact: bool, share: float,
) -> list[Matrix]:  # fmt: skip
    """Return what both players win, bucket by bucket, times how likely the other comes here."""
    if not place.children:
        if place.win is not None:
            return [
                place.win * model.met(street, reach[1]),
                -place.win * model.met(street, reach[0]),
            ]
        return [place.stake * model.won(street, reach[1 - own]) for own in (0, 1)]
    own, other = place.player, 1 - place.player
    count = len(place.children)
    mix = (1.0 - 1e-4) * place.row + 1e-4 / count
    gains, others = [], np.zeros(len(reach[own]))
    for action, child in enumerate(place.children):
        came = list(reach)
        came[own] = np.maximum(reach[own] * mix[:, action], 1e-30)
        after = child.street if child.children else street
        if after > street:
            moved = model.moved[street]
            came = [each @ moved / moved.sum(axis=0) for each in came]
        found = _walk(child, after, model, came, num_hands, is_exact, share)
        if after > street:
            found = [moved @ each / moved.sum(axis=1) for each in found]
        gains.append(found[own])
        others = others + found[other]
    for action, child in enumerate(place.children):
        if child.children and child.is_answer:
            rest = [gain for each, gain in enumerate(gains) if each != action]
            gains[action] = _answer(
                child, street, model, reach[own], reach[other], mix[:, action],
                np.max(rest, axis=0), own, num_hands, is_exact and street == 0, share,
            )  # fmt: skip
    met = model.met(street, reach[other])
    chance = model.joint[street].sum(axis=1)
    scale = 0.1 * max(child.least for child in place.children)
    if not place.is_answer:
        for bucket in range(len(met)):
            better = [gain[bucket] / met[bucket] / scale for gain in gains]
            weights = [math.exp(each - max(better)) for each in better]
            fallback = np.array(weights) / sum(weights)
            known = num_hands * chance[bucket] * met[bucket]
            new = (known * place.learnt[bucket] + 300.0 * fallback) / (known + 300.0)
            place.row[bucket] = _in_bytes(place.row[bucket] + share * (new - place.row[bucket]))
    result = [others, others]
    result[own] = np.sum([place.row[:, each] * gain for each, gain in enumerate(gains)], axis=0)
    return result


def _answer(
    answer: Place, street: int, model: Model, pusher: Matrix, caller: Matrix, learnt: Matrix,
    alternative: Matrix, own: int, num_hands: float, is_exact: bool, share: float,
) -> Matrix:  # fmt: skip
    """Find the row of an answer to an all-in, and return what the all-in wins."""
    folds = 0 if answer.children[0].win is not None else 1
    win, stake = answer.children[folds].win, answer.children[1 - folds].stake
    assert win is not None
    won = win if own == 0 else -win

    def value(calls: Matrix) -> Matrix:
        folded = won * model.met(street, caller * (1.0 - calls))
        return np.asarray(folded + stake * model.won(street, caller * calls))

    size = len(pusher)
    regrets = [np.zeros((size, 2)), np.zeros((size, 2))]
    calls, average, total = np.full(size, 0.5), np.zeros(size), 0
    for number in range(1, (300, 20, 20, 40)[min(street, 3)] + 1):
        push = _matched(regrets[0], np.full(size, 0.5))
        more = value(calls) - alternative
        regrets[0] += np.stack([(1.0 - push) * more, -push * more], axis=1)
        regrets[0] = np.maximum(regrets[0], 0.0)
        push = _matched(regrets[0], np.full(size, 0.5))
        pushes = pusher * (0.98 * push + 0.02 * learnt)
        more = stake * model.won(street, pushes) + won * model.met(street, pushes)
        regrets[1] += np.stack([(1.0 - calls) * more, -calls * more], axis=1)
        regrets[1] = np.maximum(regrets[1], 0.0)
        calls = _matched(regrets[1], calls)
        total += number
        average += number / total * (calls - average)
    gain = value(average)
    pushes = pusher * learnt
    met = model.met(street, pushes)
    chance = model.joint[street].sum(axis=1)
    for bucket in range(size):
        call = average[bucket]
        wins = stake * model.won(street, np.ones(size))[bucket] + won > 0.0
        if stake - won <= 0.02 * 2.0 * stake and wins:
            call = 1.0
        elif not is_exact:
            known = num_hands * chance[bucket] * met[bucket]
            own_call = answer.learnt[bucket, 1 - folds]
            call = (known * own_call + 300.0 * call) / (known + 300.0)
        new = np.array([call, call])
        new[folds] = 1.0 - call
        answer.row[bucket] = _in_bytes(answer.row[bucket] + share * (new - answer.row[bucket]))
    return gain


def _matched(regrets: Matrix, otherwise: Matrix) -> Matrix:
    whole = regrets.sum(axis=1)
    return np.where(whole > 0.0, regrets[:, 0] / np.where(whole > 0.0, whole, 1.0), otherwise)


def _in_bytes(row: Matrix) -> Matrix:
    """Return the row in multiples of 1/255, what is missing to the largest remainders."""
    whole = np.floor(255.0 * row)
    order = np.argsort(255.0 * row - whole)[::-1]
    whole[order[: round(255.0 - whole.sum())]] += 1.0
    return np.asarray(whole / 255.0)
