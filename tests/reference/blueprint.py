"""Slow, obvious twins of walks through a betting tree: plain recursion, one hand at a time.

For `walk` the opponent must play without mixing, so that nothing is drawn.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Node:
    """A node of the betting; `children` is empty at its end."""

    player: int = -1
    street: int = 0
    children: tuple["Node", ...] = ()
    fold_win: float | None = None
    """What player 0 wins; None at a showdown."""
    stake: float = 0.0


Mixes = Callable[[Node, int], Sequence[float]]
"""(node, bucket) → probabilities of its actions."""


def walk(
    node: Node,
    seat: int,
    own_buckets: Sequence[int],
    other_buckets: Sequence[int],
    sign: int,
    mixes: Mixes,
    regrets: dict[tuple[int, int], list[float]],
) -> float:
    """Return what `seat` wins, and add instantaneous regrets by (id of node, bucket)."""
    if not node.children:
        if node.fold_win is not None:
            return node.fold_win if seat == 0 else -node.fold_win
        return sign * node.stake
    if node.player != seat:
        mix = mixes(node, other_buckets[node.street])
        chosen = max(range(len(mix)), key=lambda action: mix[action])
        child = node.children[chosen]
        return walk(child, seat, own_buckets, other_buckets, sign, mixes, regrets)
    bucket = own_buckets[node.street]
    mix = mixes(node, bucket)
    values = [
        walk(child, seat, own_buckets, other_buckets, sign, mixes, regrets)
        for child in node.children
    ]
    mean = sum(p * value for p, value in zip(mix, values, strict=True))
    row = regrets.setdefault((id(node), bucket), [0.0] * len(values))
    for action, value in enumerate(values):
        row[action] += value - mean
    return mean


def full_walk(
    node: Node,
    seat: int,
    own_buckets: Sequence[int],
    other_buckets: Sequence[int],
    sign: int,
    mixes: Mixes,
    reach: float,
    regrets: dict[tuple[int, int], list[float]],
    sums: dict[tuple[int, int], list[float]],
) -> float:
    """Return what `seat` wins if the opponent mixes; see `walk`.

    `reach` is how likely the opponent plays to the node. Its strategies, times reach, go to `sums`.
    """
    if not node.children:
        if node.fold_win is not None:
            return node.fold_win if seat == 0 else -node.fold_win
        return sign * node.stake
    is_own = node.player == seat
    bucket = (own_buckets if is_own else other_buckets)[node.street]
    mix = mixes(node, bucket)
    values = [
        full_walk(
            child, seat, own_buckets, other_buckets, sign, mixes,
            reach if is_own else reach * p, regrets, sums,
        )
        for p, child in zip(mix, node.children, strict=True)
    ]  # fmt: skip
    mean = sum(p * value for p, value in zip(mix, values, strict=True))
    if is_own:
        row = regrets.setdefault((id(node), bucket), [0.0] * len(values))
        for action, value in enumerate(values):
            row[action] += reach * (value - mean)
    else:
        sums[id(node), bucket] = [reach * p for p in mix]
    return mean
