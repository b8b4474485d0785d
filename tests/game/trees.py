"""Games written as trees: literal ones for single cases, random ones for properties."""

import math
import random
from dataclasses import dataclass, replace
from typing import NamedTuple

from hypothesis import strategies as st

from untilt.game.protocol import Action, Game


@dataclass(frozen=True)
class End:
    """The end of a history; without the second payoff the game is zero-sum."""

    payoff: float
    payoff_1: float | None = None


@dataclass(frozen=True)
class Nature:
    """A chance move: outcome, probability and what follows."""

    outcomes: tuple[tuple[str, float, "Node"], ...]


@dataclass(frozen=True)
class Choice:
    """A player's move at the infoset `label`."""

    player: int
    label: str
    children: tuple[tuple[str, "Node"], ...]


Node = End | Nature | Choice


class Seen(NamedTuple):
    """An infoset: equal by its label alone, so that inconsistent menus are the game's fault."""

    player: int
    label: str

    def __str__(self) -> str:
        return self.label


class SeenWithMenu(Seen):
    """The same, with the actions of one position; they are no part of equality."""

    menu: tuple[str, ...] = ()

    def actions(self) -> tuple[str, ...]:
        return self.menu


@dataclass(frozen=True)
class TreeGame(Game):
    """A position of a game that is given as its tree."""

    node: Node

    @property
    def terminal(self) -> bool:
        return isinstance(self.node, End)

    @property
    def chance(self) -> bool:
        return isinstance(self.node, Nature)

    @property
    def active(self) -> int:
        assert isinstance(self.node, Choice)
        return self.node.player

    def payoff(self, player: int) -> float:
        assert isinstance(self.node, End)
        if player == 0:
            return self.node.payoff
        return -self.node.payoff if self.node.payoff_1 is None else self.node.payoff_1

    def chances(self) -> list[tuple[str, float]]:
        assert isinstance(self.node, Nature)
        return [(outcome, probability) for outcome, probability, _ in self.node.outcomes]

    def infoset(self, player: int) -> SeenWithMenu:
        assert isinstance(self.node, Choice)
        infoset = SeenWithMenu(player, self.node.label)
        infoset.menu = tuple(action for action, _ in self.node.children)
        return infoset

    def apply(self, action: Action) -> "TreeGame":
        if isinstance(self.node, Nature):
            after = {outcome: node for outcome, _, node in self.node.outcomes}
        else:
            assert isinstance(self.node, Choice)
            after = dict(self.node.children)
        return replace(self, node=after[str(action)])


def choice(player: int, label: str, **children: Node) -> Choice:
    """Return a decision with its actions as keywords."""
    return Choice(player, label, tuple(children.items()))


def nature(**outcomes: tuple[float, Node]) -> Nature:
    """Return a chance move with its outcomes as keywords."""
    return Nature(tuple((name, chance, node) for name, (chance, node) in outcomes.items()))


GENERAL_SUM = TreeGame(
    nature(
        low=(
            0.25,
            choice(
                0,
                "P0:low",
                stop=End(1.0, 2.0),
                go=choice(1, "P1:go", trust=End(3.0, 0.5), doubt=End(-1.0, 1.0)),
            ),
        ),
        high=(
            0.75,
            choice(
                0,
                "P0:high",
                stop=End(0.5, 0.0),
                go=choice(
                    1,
                    "P1:go",
                    trust=choice(0, "P0:high:trusted", keep=End(4.0, -2.0), share=End(2.0, 2.0)),
                    doubt=End(-1.0, -1.0),
                ),
            ),
        ),
    )
)
"""A game of trust: both may win or lose together."""

AGAINST_NATURE = TreeGame(
    nature(
        sun=(0.6, choice(0, "P0:sun", out=End(3.0), home=End(1.0))),
        rain=(
            0.4,
            choice(
                0,
                "P0:rain",
                out=choice(0, "P0:rain:out", run=End(-2.0), swim=End(2.0)),
                home=End(1.0),
            ),
        ),
    )
)
"""Player 1 never decides; the best that player 0 can do is worth 0.6 · 3 + 0.4 · 2 = 2.6."""

NATURE_AGAINST = TreeGame(
    nature(
        sun=(0.6, choice(1, "P1:sun", out=End(3.0), home=End(1.0))),
        rain=(0.4, choice(1, "P1:rain", out=End(-2.0), home=End(1.0))),
    )
)
"""Player 0 never decides; player 1 holds her to 0.6 · 1 − 0.4 · 2 = −0.2."""

FORCED = TreeGame(
    nature(
        a=(0.5, choice(0, "P0:a", only=choice(1, "P1:x", left=End(1.0), right=End(-1.0)))),
        b=(
            0.5,
            choice(
                0,
                "P0:b",
                up=choice(1, "P1:y", left=End(2.0), right=End(-2.0)),
                down=choice(1, "P1:must", only=choice(1, "P1:must again", only=End(0.0))),
            ),
        ),
    )
)
"""Three forced moves: P0:a, P1:must and P1:must again."""

FORGETFUL = TreeGame(
    choice(
        0,
        "P0:first",
        left=choice(1, "P1:", l=choice(0, "P0:again", x=End(1.0), y=End(0.0)), r=End(0.0)),
        right=choice(1, "P1:", l=choice(0, "P0:again", x=End(0.0), y=End(1.0)), r=End(0.0)),
    )
)
"""At P0:again player 0 has forgotten whether she went left or right."""


def random_tree(rng: random.Random, depth: int, *, is_zero_sum: bool = True) -> TreeGame:
    """Return a game of at most `depth` moves, in which all remember what they did and saw.

    Whoever moves sees the own past, how many actions there are, and one of two signals, which
    nature draws anew at every position: histories that agree in these are one infoset.
    """

    def grow(left: int, pasts: tuple[str, str], is_root: bool) -> Node:
        kind = rng.random()
        if left == 0 or (kind < 0.15 and not is_root):
            payoff = rng.choice([-2.0, -1.0, 0.0, 1.0, 3.0, rng.gauss(0.0, 1.0)])
            return End(payoff, None if is_zero_sum else rng.gauss(0.0, 1.0))
        if kind < 0.35:
            weights = [rng.random() + 0.01 for _ in range(rng.randint(1, 3))]
            if rng.random() < 0.2:
                weights.append(0.0)
            total = math.fsum(weights)
            return Nature(
                tuple(
                    (f"n{index}", weight / total, grow(left - 1, pasts, False))
                    for index, weight in enumerate(weights)
                )
            )
        player = rng.randint(0, 1)
        num_actions = rng.choice([1, 2, 2, 2, 3])
        label = f"{pasts[player]}?{rng.randint(0, 1)}{num_actions}"
        children = []
        for action in "abc"[:num_actions]:
            past = label + action
            after = (past, pasts[1]) if player == 0 else (pasts[0], past)
            children.append((action, grow(left - 1, after, False)))
        return Choice(player, label, tuple(children))

    # A first choice of player 0, so that somebody decides.
    first = "P0:?first"
    return TreeGame(
        Choice(
            0,
            first,
            tuple(
                (action, grow(depth - 1, (first + action, "P1:"), True)) for action in ("a", "b")
            ),
        )
    )


def random_trees(max_depth: int = 5, *, is_zero_sum: bool = True) -> st.SearchStrategy[TreeGame]:
    """Return a Hypothesis strategy of random games with perfect recall."""
    return st.builds(
        lambda seed, depth: random_tree(random.Random(seed), depth, is_zero_sum=is_zero_sum),
        st.integers(0, 2**32 - 1),
        st.integers(1, max_depth),
    )
