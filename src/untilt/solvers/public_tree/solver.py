"""CFR on a public tree."""

from typing import Any

import numpy as np

from untilt.game.public_layout import Singles, layout_of
from untilt.game.public_sweeps import scratch_of
from untilt.game.public_tree import PublicTree
from untilt.regret.rule import UpdateRule
from untilt.regret.step import Step
from untilt.solvers.public_tree.sweep import FOLLOW, LEARN, RESPOND, Chunks, Plan, Tables, sweep


class Sweeper:
    def __init__(self, tree: PublicTree, rule: UpdateRule) -> None:
        self.tree = tree
        self.layout, self.sides = layout_of(tree)
        self.rule = rule
        sizes = [side.table_size for side in self.sides]
        self.regret = [np.zeros(size, np.float32) for size in sizes]
        self.average = [np.zeros(size, np.float32) for size in sizes]
        self.ahead = (
            [np.zeros(size, np.float32) for size in sizes] if rule.prediction else self.regret
        )
        self.scratch = scratch_of(self.layout, self.sides)
        edges = int(self.layout.board[1].first_edge)
        child = self.layout.edge_child[:edges]
        first = (
            [0] + [e for e in range(1, edges) if child[e] != child[e - 1]] + [edges]
            if edges
            else [0]
        )
        roots = int(self.layout.street[1].num_roots) if self.layout.num_streets > 1 else 0
        self.chunks = tuple(
            [
                Chunks(
                    np.array(first, np.int64),
                    np.zeros((len(first) - 1) * roots * int(side.board[0].width), np.float32),
                    np.zeros(1, np.int64),
                )
                for side in self.sides
            ]
        )
        self.iteration = 0

    def _tables(self, of_average: bool) -> tuple[Tables, Tables]:
        source = self.average if of_average else self.ahead
        return tuple(
            Tables(source[p], self.regret[p], self.average[p], self.rule.prediction != 0.0)
            for p in (0, 1)
        )

    def iterate(self, count: int) -> None:
        plan = Plan(LEARN, self.rule, self.iteration + 1, count, 0, 2, True, True)
        sweep(
            self.layout,
            self.sides,
            self._tables(False),
            self.chunks,
            self.scratch.reach,
            self.scratch,
            plan,
        )
        self.iteration += count

    def values(self, mode: int) -> list[float]:
        found = []
        for p in (0, 1):
            plan = Plan(mode, self.rule, 1, 1, p, 1, True, True)
            sweep(
                self.layout,
                self.sides,
                self._tables(True),
                self.chunks,
                self.scratch.reach,
                self.scratch,
                plan,
            )
            weights = self.tree.weights[p]
            found.append(float(self.scratch.value[: len(weights)].astype(np.float64) @ weights))
        return found
