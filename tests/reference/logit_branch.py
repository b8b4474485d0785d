"""The principal branch of logit equilibria in tiny steps: dense, plain NumPy, many games at once.

With σ the softmax of the log-odds z in every infoset, a leaf is reached with probability

    P = chance × Π σ of the actions on its way.

Dividing by the player's own part of it up to an action a (perfect recall: the same on all ways
through a) and adding payoff × P over the leaves behind a gives what a is worth when its infoset
is aimed for (`counterfactual`); divided by the probability of the infoset when it is aimed for,
what a is worth once there (`agent`); times the player's own reach, what a adds to the whole game
(`ex-ante`). The branch is the curve of z = b (Q_a − Q_0) / R from z = 0 at b = 0, with R the
spread of the payoffs and b = β R. Derivatives are taken by complex steps.

A step from x to x' is taken only if the bordered Jacobians G there differ little,
‖G⁻¹ (G' − G)‖ ≤ ¼: then G cannot be singular on the straight way between, so that no other part
of the solutions lies near enough to be mistaken for the branch. Steps of length 1e-7 are
always taken, or an exact bifurcation could not be crossed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from untilt.game.protocol import Game

from .histories import Chance, Decision, End, History, write_out

Floats = NDArray[np.float64]
Numbers = NDArray[np.complex128]

_LEAST_STEP, _FIRST_STEP, _LARGEST_STEP = 1e-7, 1e-3, 0.1
_MAX_CHANGE, _AIMED_CHANGE = 0.25, 0.2


@dataclass(frozen=True)
class Leaf:
    """Where a game ends: chance's part in getting there, the actions taken, the payoffs."""

    chance: float
    actions: tuple[tuple[str, str], ...]
    payoffs: tuple[float, float]


@dataclass(frozen=True)
class Layout:
    """Places of actions one infoset after another."""

    sizes: tuple[int, ...]
    """[I]"""
    begins: NDArray[np.int64]
    """[I] first actions"""
    others: NDArray[np.int64]
    """[V] actions with log-odds"""
    firsts: NDArray[np.int64]
    """[V] their infosets' first actions"""

    @classmethod
    def of(cls, sizes: tuple[int, ...]) -> "Layout":
        begins = np.cumsum([0, *sizes[:-1]])
        return cls(
            sizes=sizes,
            begins=begins,
            others=np.delete(np.arange(sum(sizes)), begins),
            firsts=np.repeat(begins, [size - 1 for size in sizes]),
        )


@dataclass(frozen=True)
class Family:
    """G games of one tree; K leaves, A actions, I infosets with a choice, V = A − I log-odds."""

    definition: str
    infosets: tuple[tuple[str, tuple[str, ...]], ...]
    """[I] label and actions"""
    chance: Floats
    """[K]"""
    uses: Floats
    """[K, A] 1 if the way to the leaf has the action"""
    own_before: Floats
    """[A, A] 1 if a player must have taken the second action herself to be asked about the first"""
    worths: Floats
    """[G, K, A] payoff / R of the player whose action it is; 0 if the way does not have it"""
    spread: Floats
    """[G] R"""

    @property
    def layout(self) -> Layout:
        """Where the actions of each infoset are."""
        return Layout.of(tuple(len(actions) for _, actions in self.infosets))


def family_of(games: Sequence[Game], definition: str) -> Family:
    """Return games that differ in nothing but payoffs as one family."""
    leaves = [list(_leaves(write_out(game), 1.0, ())) for game in games]
    owners = _owners(write_out(games[0]))
    infosets = tuple((label, actions) for label, (_, actions) in owners.items() if len(actions) > 1)
    column = {
        (label, action): index
        for index, (label, action) in enumerate(
            (label, action) for label, actions in infosets for action in actions
        )
    }
    uses = np.zeros((len(leaves[0]), len(column)))
    own_before = np.zeros((len(column), len(column)))
    player_of = [owners[label][0] for label, _ in column]
    for row, leaf in enumerate(leaves[0]):
        way = [column[pair] for pair in leaf.actions if pair in column]
        for place, index in enumerate(way):
            uses[row, index] = 1.0
            # The same for the infoset's other actions, which need not be on this way.
            label = next(pair[0] for pair, at in column.items() if at == index)
            for action in owners[label][1]:
                for before in way[:place]:
                    if player_of[before] == player_of[index]:
                        own_before[column[label, action], before] = 1.0
    ends = np.array([[leaf.payoffs for leaf in each] for each in leaves])
    spread = np.maximum(np.ptp(ends, axis=1).max(axis=1), 1e-300)
    return Family(
        definition=definition,
        infosets=infosets,
        chance=np.array([leaf.chance for leaf in leaves[0]]),
        uses=uses,
        own_before=own_before,
        worths=uses * ends[:, :, player_of] / spread[:, None, None],
        spread=spread,
    )


def first_meetings(
    family: Family, betas: Floats, max_steps: int = 60_000
) -> tuple[Floats, NDArray[np.int64]]:
    """Return the log-odds [G, N, V] at which the branches first come to ascending βs, [G, N].

    nan where one did not. Also returns how often each branch turned back or forth, [G].
    """
    num_games, num_variables = len(family.spread), len(family.uses[0]) - len(family.infosets)
    goals = family.spread[:, None] * betas
    found = np.full((*goals.shape, num_variables), np.nan)
    num_turns = np.zeros(num_games, dtype=np.int64)
    active = np.arange(num_games)
    system = _System(family, family.worths)
    x = np.zeros((num_games, num_variables + 1))
    ahead = np.zeros_like(x)
    ahead[:, -1] = 1.0
    length = np.full(num_games, _FIRST_STEP)
    derivative = system.residual_and_derivative(x)[1]
    tangent = _normed(_inverse(_bordered(derivative, ahead))[:, :, -1])
    for _ in range(max_steps):
        start = _inverse(_bordered(derivative, tangent))
        moved, matrix, is_done = _corrected(system, x, tangent, length)
        with np.errstate(invalid="ignore", over="ignore"):
            difference = start @ matrix - np.eye(num_variables + 1)
            change = np.sqrt((difference * difference).sum(axis=(1, 2)))
        is_good = is_done & ((change <= _MAX_CHANGE) | (length <= _LEAST_STEP))
        num_turns[active] += is_good & (tangent[:, -1] * ahead[:, -1] < 0.0)
        bs = goals[active]
        is_passed = (bs > x[:, -1:]) & (bs <= moved[:, -1:]) & np.isnan(found[active, :, 0])
        rows, passed = np.nonzero(is_passed & is_good[:, None])
        if len(rows):
            share = (bs[rows, passed] - x[rows, -1]) / (moved[rows, -1] - x[rows, -1])
            near = x[rows] + share[:, None] * (moved[rows] - x[rows])
            near[:, -1] = bs[rows, passed]
            found[active[rows], passed] = _at(_System(family, system.worths[rows]), near)
        x = np.where(is_good[:, None], moved, x)
        ahead = np.where(is_good[:, None], tangent, ahead)
        derivative = np.where(is_good[:, None, None], matrix[:, :-1], derivative)
        tangent = np.where(is_good[:, None], _normed(_inverse(matrix)[:, :, -1]), tangent)
        growth = np.clip(_AIMED_CHANGE / np.maximum(change, 1e-300), 0.5, 1.5)
        length = np.where(is_good, growth, 0.5) * length
        most = _LARGEST_STEP * (1.0 + np.sqrt((x * x).sum(axis=1)))
        length = np.clip(length, _LEAST_STEP, most)
        stays = np.isnan(found[active, -1, 0]) & (x[:, -1] >= 0.0)
        if not stays.all():
            active, x, ahead, tangent = active[stays], x[stays], ahead[stays], tangent[stays]
            length, derivative = length[stays], derivative[stays]
            system = _System(family, family.worths[active])
        if not len(active):
            break
    return found, num_turns


def strategy(family: Family, log_odds: Floats) -> dict[str, dict[str, float]]:
    """Return what `log_odds` [V] stand for."""
    shares = np.exp(_log_shares(family.layout, log_odds.astype(complex)).real).tolist()
    return {
        label: {action: shares.pop(0) for action in actions} for label, actions in family.infosets
    }


def _leaves(history: History, chance: float, way: tuple[tuple[str, str], ...]) -> list[Leaf]:
    if isinstance(history, End):
        return [Leaf(chance, way, (history.payoffs[0], history.payoffs[1]))]
    if isinstance(history, Chance):
        return [leaf for p, child in history.outcomes for leaf in _leaves(child, chance * p, way)]
    return [
        leaf
        for action, child in history.children.items()
        for leaf in _leaves(child, chance, (*way, (history.label, action)))
    ]


def _owners(history: History) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Return every infoset's player and actions, player 0's first."""
    found: dict[str, tuple[int, tuple[str, ...]]] = {}

    def visit(history: History) -> None:
        if isinstance(history, Chance):
            for _, child in history.outcomes:
                visit(child)
        elif isinstance(history, Decision):
            found.setdefault(history.label, (history.player, tuple(history.children)))
            for child in history.children.values():
                visit(child)

    visit(history)
    return dict(sorted(found.items(), key=lambda entry: entry[1][0]))


def _log_shares(layout: Layout, log_odds: Numbers) -> Numbers:
    """Return log σ [..., A] of log-odds [..., V]."""
    begins, sizes = layout.begins, layout.sizes
    logs = np.zeros((*log_odds.shape[:-1], sum(sizes)), dtype=np.complex128)
    logs[..., layout.others] = log_odds
    logs -= np.repeat(np.maximum.reduceat(logs.real, begins, axis=-1), sizes, axis=-1)
    logs -= np.repeat(np.log(np.add.reduceat(np.exp(logs), begins, axis=-1)), sizes, axis=-1)
    return logs


class _System:
    """The equations F = z − b (Q_a − Q_0) / R of G games of a family, with their `worths`."""

    def __init__(self, family: Family, worths: Floats) -> None:
        self.worths = worths
        self._family = family
        self._layout = family.layout

    def residual_and_derivative(self, x: Floats) -> tuple[Floats, Floats]:
        """Return F [G, V] and its derivatives [G, V, V + 1]."""
        size = x.shape[1] - 1
        tiny = 1e-30
        gains = self._advantages(x[:, None, :-1] + 1j * tiny * np.eye(size))
        real = gains[:, 0].real
        derivative = np.empty((len(x), size, size + 1))
        scaled = x[:, -1, None, None] * gains.imag.transpose(0, 2, 1) / tiny
        derivative[:, :, :-1] = np.eye(size) - scaled
        derivative[:, :, -1] = -real
        return x[:, :-1] - x[:, -1:] * real, derivative

    def _advantages(self, log_odds: Numbers) -> Numbers:
        """Return (Q_a − Q_0) / R, [G, N, V], of log-odds [G, N, V]."""
        family, layout = self._family, self._layout
        logs = _log_shares(layout, log_odds)
        reach = family.chance * np.exp(logs @ family.uses.T)
        before = logs @ family.own_before.T
        worth = reach @ self.worths
        worth *= np.exp(-logs if family.definition == "ex-ante" else -logs - before)
        if family.definition == "agent":
            visits = (reach @ family.uses) * np.exp(-before)
            visits = np.add.reduceat(visits, layout.begins, axis=-1)
            worth /= np.repeat(visits, layout.sizes, axis=-1)
        return np.asarray(worth[..., layout.others] - worth[..., layout.firsts])


def _bordered(derivative: Floats, row: Floats) -> Floats:
    return np.concatenate((derivative, row[:, None, :]), axis=1)


def _inverse(matrix: Floats) -> Floats:
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def _normed(rows: Floats) -> Floats:
    return np.asarray(rows / np.sqrt((rows * rows).sum(axis=1, keepdims=True)))


def _corrected(
    system: _System, x: Floats, tangent: Floats, length: Floats
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return the points one step on, their bordered Jacobians, and whether Newton got there."""
    moved = x + length[:, None] * tangent
    first = np.full(len(x), np.inf)
    size, bound = first, 1.0 + np.sqrt((x * x).sum(axis=1))
    for attempt in range(4):
        residual, derivative = system.residual_and_derivative(moved)
        matrix = _bordered(derivative, tangent)
        right = np.concatenate((-residual, np.zeros((len(x), 1))), axis=1)
        step = np.linalg.solve(matrix, right[:, :, None])[:, :, 0]
        moved = moved + step
        size = np.sqrt((step * step).sum(axis=1))
        first = size if attempt == 0 else first
        if attempt and bool((size <= 1e-11 * bound).all()):
            break
    return moved, matrix, (first <= 0.1 * length) & (size <= 1e-9 * bound)


def _at(system: _System, points: Floats) -> Floats:
    """Return the equilibria [G, V] near points [G, V + 1] with the same b."""
    for _ in range(30):
        residual, derivative = system.residual_and_derivative(points)
        step = np.linalg.solve(derivative[:, :, :-1], -residual[:, :, None])[:, :, 0]
        points[:, :-1] += step
        bound = 1e-13 * (1.0 + np.abs(points[:, :-1]).max(axis=1))
        if bool((np.abs(step).max(axis=1) <= bound).all()):
            break
    return points[:, :-1]
