"""Locks from how often a player was seen to take each action.

A few hands say little, so frequencies are shrunk towards those of the solution: n observations
count n times, and the solution as often as `shrink` says. Each hand keeps its inclination: its mix
is multiplied by one factor for each action, such that the whole range takes every action as often
as it should (iterative proportional fitting, Deming & Stephan 1940). Only decisions before the next
card are locked: later ones are spread over too many boards to be counted.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from untilt.cards.combos import NUM_COMBOS
from untilt.cards.ranges.range import Range
from untilt.errors import InvalidOption
from untilt.games.holdem.bets.sizes import SEATS
from untilt.games.holdem.solutions.solution import Solution, SolutionNode
from untilt.games.holdem.spots.locks import Lock
from untilt.number import Number
from untilt.numeric.arrays import Floats
from untilt.options.spot import SHRINK
from untilt.runs.spots.spot_pairs import verify_same_spot

if TYPE_CHECKING:
    from untilt.runs.results.noise_fitting import ObservedHands, SpotHands

_FLOOR = 0.01
"""The share of every mix that is spread over all actions: no action is ruled out for good."""
_ROUNDS = 500
_DIGITS = 4


def observed_locks(
    solution: Solution, hands: "ObservedHands", player: str, *, shrink: float = SHRINK.default
) -> list[dict[str, Any]]:
    """Return locks for a seat, `oop` or `ip`, as in `Spot.locks`, from hands that were seen.

    `hands` are as `untilt.spots.fit` reads them. `shrink` is how many hands the solution counts
    for. Solving the spot with these locks is the best answer to such a player.

    >>> import untilt
    >>> river = untilt.Spot("2c2d2h3c3d", ("AA, QQ", "KK"), 100, 100, untilt.Sizes("100%"))
    >>> solution = untilt.solve(river, iterations=50, save=False)
    >>> folds, calls = ({"line": f"all-in 100, {name}"} for name in ("fold", "call"))
    >>> seen = [{**folds, "count": 90}, {**calls, "count": 10}]
    >>> [lock] = untilt.spots.observed_locks(solution, seen, "ip")
    >>> lock["line"], sorted(lock["actions"])
    ('all-in 100', ['call', 'fold'])
    """
    from untilt.runs.results.noise_fitting import hands_of

    verify_same_spot([solution])
    if not isinstance(player, str) or player not in SEATS:
        raise InvalidOption.of("player", player, "give oop or ip")
    if not Number(above=0).accepts(shrink):
        raise InvalidOption.of("shrink", shrink, "use a number above 0")
    [seen], _ = hands_of(hands, {solution.spot.board_text: solution.spot})
    seat = SEATS.index(player)
    found = []
    for node, counts in _decisions(solution, seen, seat):
        lock = _lock(node, counts, float(shrink))
        found.append({"line": lock.line, "actions": dict(lock.actions)})
    if not found:
        raise InvalidOption.of("player", player, "this seat decides in none of the hands")
    return found


def _decisions(
    solution: Solution, seen: "SpotHands", seat: int
) -> Iterator[tuple[SolutionNode, Floats]]:
    """Yield the decisions of a seat before the next card, with how often each action was seen."""
    taken: dict[str, tuple[SolutionNode, Floats]] = {}
    for line, times in zip(seen.lines, seen.counts.tolist(), strict=True):
        node = solution.root
        for move in seen.view.place(line.street, line.node).line.streets[0]:
            number = node.actions.index(move.name)
            if node.player == seat:
                _, counts = taken.setdefault(node.line, (node, np.zeros(len(node.actions))))
                counts[number] += times
            node = node.child(move.name)
    yield from taken.values()


def _lock(node: SolutionNode, counts: Floats, shrink: float) -> Lock:
    """Return the lock of a decision."""
    mass = node.own.mass
    weights = mass if mass.sum() > 0.0 else np.ones_like(mass)
    target = counts + shrink * (node.strategy @ weights) / weights.sum()
    mix = raked(node.strategy, weights, target / target.sum())
    combos = node.combos(node.player)
    actions = {}
    for name, shares in zip(node.actions[:-1], mix[:-1], strict=True):
        spread = np.zeros(NUM_COMBOS)
        # Rounded down: the last action takes what is left.
        spread[combos] = np.floor(shares * 10**_DIGITS) / 10**_DIGITS
        if spread.any():
            actions[name] = str(Range(spread))
    return Lock(node.line, "", None, {**actions, node.actions[-1]: "rest"})


def raked(mix: Floats, weights: Floats, target: Floats) -> Floats:
    """Return [actions, hands] mixes whose mean over hands is `target` [actions].

    Each is `mix` times a factor for its action and one for its hand.
    """
    found: Floats = (1.0 - _FLOOR) * mix + _FLOOR / len(mix)
    shares = weights / weights.sum()
    for _ in range(_ROUNDS):
        found = found * (target / np.maximum(found @ shares, 1e-12))[:, np.newaxis]
        found = found / found.sum(axis=0)
    return found
