"""Leduc as a betting tree with a dealer, which knows its six cards."""

import numpy as np

from untilt.game.deals.deal_tree import (
    DECISION,
    LANES,
    DealTree,
    DecisionNode,
    Fold,
    ShowdownNode,
    TrainerDeals,
    grow,
)
from untilt.solvers.blueprint.tables import average_of
from untilt.solvers.blueprint.trainer import Trainer

RANKS = "JQK"
_ANTE, _SIZES = 1, (2, 4)


def _street(line: str) -> str:
    return line.rpartition("/")[2]


def _num_bets(line: str) -> int:
    return _street(line).count("b") + _street(line).count("r")


def expand(line: str) -> DecisionNode | Fold | ShowdownNode:
    """Return what follows a line of betting."""
    put = [_ANTE, _ANTE]
    for size, street in zip(_SIZES, line.split("/"), strict=False):
        for turn, letter in enumerate(street):
            own = turn % 2
            if letter == "f":
                return Fold(-put[0] if own == 0 else put[1])
            put[own] = max(put) + (size if letter in "br" else 0)
    street = _street(line)
    if len(street) >= 2 and street.endswith("c"):
        return ShowdownNode(put[0]) if "/" in line else expand(line + "/")
    num_bets = _num_bets(line)
    letters = ("fc" if num_bets else "c") + ("" if num_bets == 2 else "r" if num_bets else "b")
    return DecisionNode(len(street) % 2, line.count("/"), [line + letter for letter in letters])


def leduc_tree() -> tuple[DealTree, list[str]]:
    """Return the betting of Leduc, and the line at each node."""
    lines: list[str] = []

    def listed(line: str) -> DecisionNode | Fold | ShowdownNode:
        found = expand(line)
        is_second = isinstance(found, DecisionNode) and found.street == 1
        lines.append(line + "/" if is_second and "/" not in line else line)
        return found

    return grow("", listed), lines


class LeducDealer:
    """Deals Leduc's cards; buckets are ranks, on the second street with the board's rank."""

    num_buckets = (3, 9)

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fill(self, deals: TrainerDeals, begin: int, end: int, first: int) -> None:
        """Write deals."""
        for place in range(begin, end):
            rng = np.random.default_rng((self.seed, first + place - begin))
            deck = rng.permutation(6) // 2
            hands = np.append(rng.choice(deck[2:], LANES), deck[0])
            board = deck[1]
            deals.buckets[place, 0] = hands
            deals.buckets[place, 1] = 3 * hands + board
            deals.strength[place] = np.where(hands == board, 10, hands)


def profile_of(trainer: Trainer, lines: list[str]) -> dict[str, dict[str, float]]:
    """Return the average strategy by Leduc's labels."""
    found: dict[str, dict[str, float]] = {}
    for street, num_buckets in enumerate(trainer.dealer.num_buckets):
        average = average_of(trainer.tree, trainer.layout, trainer.tables, street, num_buckets)
        for node, line in zip(trainer.tree.nodes, lines, strict=True):
            if node["kind"] != DECISION or node["street"] != street:
                continue
            count, num_bets = int(node["num_actions"]), _num_bets(line)
            names = ("fold", "call", "raise") if num_bets else ("check", "bet")
            for bucket in range(num_buckets):
                own = RANKS[bucket // 3] if street else RANKS[bucket]
                board = RANKS[bucket % 3] if street else ""
                row = average[bucket, node["row"] : node["row"] + count].astype(float)
                found[f"P{node['player']}:{own}:{board}:{line}"] = dict(
                    zip(names, (row / row.sum()).tolist(), strict=False)
                )
    return found
