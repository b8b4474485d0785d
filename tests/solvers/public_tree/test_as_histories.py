"""Public trees against the same games written history by history, or as sequence forms."""

from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pytest
from tests.solvers.public_tree.forms import Forest

import untilt
from untilt.cards.card import card_name, parse_cards
from untilt.cards.combos import CLASS_OF_COMBO, COMBO_CARDS, NUM_COMBOS
from untilt.cards.equity.preflop_table import NUM_BOARDS, preflop_table, renaming_to_representative
from untilt.cards.hand import rank_hand
from untilt.cards.suits import renamed_combos
from untilt.game.protocol import Action, Game
from untilt.game.public.public_tree import (
    DECISION,
    FOLD,
    NO_PARENT,
    RUNOUT,
    Boards,
    PublicTree,
    RunoutBalances,
)
from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.spots.public_form import compile_spot
from untilt.games.holdem.spots.spot import Spot
from untilt.regret.rule import UpdateRule
from untilt.solvers.public_tree.solver import PublicTreeSolver

DCFR = UpdateRule(alpha=1.5, beta=0.0, gamma=3.0)
BOARD = "Td9d6h2c"
RANGES = ("AcAs, KdQd, 8s7s", "KcKh, QhJh, 9s6s")
POT, BET = 100, 75


class Knowledge(NamedTuple):
    player: int
    private: str
    public: str
    line: str
    legal: tuple[str, ...]

    def actions(self) -> tuple[str, ...]:
        return self.legal

    def __str__(self) -> str:
        return f"P{self.player}:{self.private}:{self.public}:{self.line}"


class Turn(Game):
    """Check or go all-in on the turn, then on the river, written without the package's rules."""

    def __init__(self, hands: tuple[str, ...] = (), river: str = "", line: str = "") -> None:
        self.hands, self.river, self.line = hands, river, line

    @cached_property
    def streets(self) -> list[str]:
        return self.line.split("/")

    @cached_property
    def is_all_in(self) -> bool:
        return "ac" in self.line

    @cached_property
    def terminal(self) -> bool:
        return self.line.endswith("f") or (
            bool(self.river) and (self.is_all_in or self.streets[-1].endswith("cc"))
        )

    @cached_property
    def chance(self) -> bool:
        if len(self.hands) < 2:
            return True
        is_over = self.is_all_in or self.line.endswith("cc")
        return not self.river and is_over

    @property
    def active(self) -> int:
        return len(self.streets[-1]) % 2

    def chances(self) -> list[tuple[str, float]]:
        if len(self.hands) < 2:
            hands = [each.strip() for each in RANGES[len(self.hands)].split(",")]
            pairs = [
                (first, second)
                for first in RANGES[0].split(", ")
                for second in RANGES[1].split(", ")
                if not set(parse_cards(first)) & set(parse_cards(second))
            ]
            seat = len(self.hands)
            counts = {
                hand: sum(pair[seat] == hand and pair[:seat] == self.hands for pair in pairs)
                for hand in hands
            }
            total = sum(counts.values())
            return [(hand, count / total) for hand, count in counts.items() if count]
        seen = set(parse_cards(BOARD + "".join(self.hands)))
        left = [card for card in parse_cards(DECK) if card not in seen]
        return [(card_name(card), 1 / len(left)) for card in left]

    def payoff(self, player: int) -> float:
        stake = POT / 2 + (BET if self.is_all_in else 0)
        if self.line.endswith("f"):
            folder = 1 - len(self.streets[-1]) % 2
            return stake if player != folder else -stake
        ranks = [rank_hand(parse_cards(BOARD + self.river + hand)) for hand in self.hands]
        if ranks[0] == ranks[1]:
            return 0.0
        return stake if ranks[player] < ranks[1 - player] else -stake  # 1 is the best hand

    def infoset(self, player: int) -> Knowledge:
        legal = ("fold", "call") if self.line.endswith("a") else ("check", "all-in")
        return Knowledge(player, self.hands[player], self.river, self.line, legal)

    def apply(self, action: Action) -> "Turn":
        if len(self.hands) < 2:
            return Turn((*self.hands, str(action)))
        if self.chance:
            line = self.line if self.is_all_in else self.line + "/"
            return Turn(self.hands, str(action), line)
        letter = {"fold": "f", "call": "c", "check": "c", "all-in": "a"}[str(action)]
        return Turn(self.hands, self.river, self.line + letter)


DECK = "".join(rank + suit for rank in "23456789TJQKA" for suit in "cdhs")


def test_a_turn_has_the_exact_value_of_its_histories() -> None:
    spot = Spot(board=BOARD, ranges=RANGES, pot=POT, stack=BET, sizes=Sizes("a", raises="a"))
    solver = PublicTreeSolver(compile_spot(spot).tree, DCFR)
    solver.advance(3000)
    found = solver.evaluate()
    exact = untilt.solve(Turn(), method="lp", save=False)
    assert exact.value is not None
    assert found.exploitability < 0.01
    assert found.value - POT / 2 == pytest.approx(exact.value, abs=0.02)


def push_fold(stack: float) -> PublicTree:
    """Push/fold in big blinds on all 1,326 combos; blinds 0.5 and 1."""
    forest = Forest()
    root = forest.add(NO_PARENT, "", DECISION, 0, 0.0, 0.0)
    forest.add(root, "f", FOLD, -1, -0.5, 0.0)
    push = forest.add(root, "a", DECISION, 1, 0.0, 0.0)
    forest.add(push, "af", FOLD, -1, 1.0, 0.0)
    forest.add(push, "ac", RUNOUT, -1, 0.0, stack)
    table = preflop_table()
    balance = 2 * table.wins + table.ties - table.boards  # wins minus losses
    images = renamed_combos()[renaming_to_representative()]
    units = 32_000  # of int16
    rows = balance[CLASS_OF_COMBO[:, np.newaxis], images] / NUM_BOARDS * units
    boards = Boards(
        np.array([0, NUM_COMBOS]),
        np.arange(NUM_COMBOS, dtype=np.uint16),
        COMBO_CARDS.astype(np.uint8),
        np.zeros(0, np.uint16),
    )
    runouts = RunoutBalances(
        np.array([0, NUM_COMBOS**2]), np.rint(rows).astype(np.int16).ravel(), 1 / units
    )
    weights = np.ones(NUM_COMBOS)
    blockers = int(COMBO_CARDS.max()) + 1
    return PublicTree(
        (weights, weights), (forest.street(),), ((boards, boards),), (), (runouts,), blockers
    )


@pytest.mark.long
def test_push_fold_on_all_combos_has_the_value_of_the_sequence_form() -> None:
    solver = PublicTreeSolver(push_fold(10.0), DCFR)
    solver.advance(300)
    found = solver.evaluate()
    assert found.exploitability < 1e-4
    assert found.value == pytest.approx(-0.0453707526, abs=1e-4)
    # Combos of one class play alike; 72o folds, aces push.
    strategy = solver.snapshot().strategy(0, 0, 0)
    aces = [n for n, cards in enumerate(combinations(range(52), 2)) if CLASS_OF_COMBO[n] == 0]
    assert len(aces) == 6
    assert strategy[1, aces].min() > 0.999
