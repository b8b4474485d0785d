"""Small rivers with noise equal the quantal response of the same game, written as a game.

The game is dealt and bet position by position, and solved by tracing a branch over its histories;
nothing of public trees is used.
"""

from collections.abc import Hashable
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from tests.reference.spots import balance

import untilt

BOARD = ("Td", "9d", "6h", "Qc", "2s")
RANGES = ("QsQh,JsTs,8c7c,AcKc,5h4h", "TcTh,KsJs,QdJd,8c8d,AcJc")
POT, STACK = 100, 300
MENU = {
    "": ("check", "bet 100"),
    "check": ("check", "bet 100"),
    "bet 100": ("fold", "call", "all-in 300"),
    "bet 100, all-in 300": ("fold", "call"),
    "check, bet 100": ("fold", "call", "all-in 300"),
    "check, bet 100, all-in 300": ("fold", "call"),
}
"""The actions by line: one size, and all-in over it."""
PAID = {"check": 0, "bet 100": 100, "all-in 300": 300}

Hand = tuple[str, str]


class Known(NamedTuple):
    """What a player knows."""

    player: int
    hand: Hand
    line: str

    def actions(self) -> tuple[str, ...]:
        return MENU[self.line]

    def __str__(self) -> str:
        return f"P{self.player}:{''.join(self.hand)}:{self.line.replace(', ', '/')}"


class River(untilt.Game):
    """The river as positions."""

    def __init__(self, hands: tuple[Hand, Hand] | None = None, line: tuple[str, ...] = ()) -> None:
        self.hands, self.line = hands, line

    @property
    def chance(self) -> bool:
        return self.hands is None

    @property
    def terminal(self) -> bool:
        return self.hands is not None and ", ".join(self.line) not in MENU

    @property
    def active(self) -> int:
        return len(self.line) % 2

    def chances(self) -> list[tuple[tuple[Hand, Hand], float]]:
        first, second = ([(each[:2], each[2:]) for each in text.split(",")] for text in RANGES)
        pairs = [(one, other) for one, other in product(first, second) if not {*one} & {*other}]
        return [(pair, 1.0 / len(pairs)) for pair in pairs]

    def infoset(self, player: int) -> Known:
        assert self.hands is not None
        return Known(player, self.hands[player], ", ".join(self.line))

    def apply(self, action: Hashable) -> "River":
        if isinstance(action, tuple):
            return River(action)
        return River(self.hands, (*self.line, str(action)))

    def payoff(self, player: int) -> float:
        assert self.hands is not None
        bets = [PAID[move] for move in self.line if move in PAID]
        if self.line[-1] == "fold":
            loser = (len(self.line) - 1) % 2
            put = sorted(bets)[-2] if len(bets) > 1 else 0
            won = POT / 2.0 + put
            return -won if player == loser else won
        put = max(bets)
        found = balance(*self.hands, BOARD) * (POT / 2.0 + put)
        return found if player == 0 else -found


@pytest.mark.parametrize("betas", [(0.02, 0.02), (0.2, 0.2), (0.1, 0.01), (0.01, 0.3)])
def test_a_small_river_equals_the_same_game_of_deals_and_histories(
    betas: tuple[float, float],
) -> None:
    spot = untilt.Spot(
        "".join(BOARD), RANGES, POT, STACK, untilt.Sizes("100%", raises="a", max_raises=1)
    )
    solution = untilt.solve(
        spot,
        noise=untilt.Noise(beta=betas),
        precision="float64",
        target_max=1e-11,
        save=False,
    )
    beta = max(betas)
    exact = untilt.solve(
        River(),
        "qre",
        beta=beta,
        scale0=betas[0] / beta,
        scale1=betas[1] / beta,
        tolerance=1e-12,
        save=False,
    ).strategy.to_dict()
    seen = 0
    for line, actions in MENU.items():
        node = solution.at(line)
        assert tuple(node.actions) == actions
        player = node.player
        for number, hand in enumerate(node.hands):
            cards = {hand[:2], hand[2:]}
            expected = next(
                mix
                for label, mix in exact.items()
                if label.startswith(f"P{player}:")
                and {label[3:5], label[5:7]} == cards
                and label.split(":")[2] == line.replace(", ", "/")
            )
            found = node.strategy[:, number]
            assert np.allclose(found, [*expected.values()], rtol=0.0, atol=1e-8), (line, hand)
            seen += 1
    assert seen == 6 * 5
