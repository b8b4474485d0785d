"""Kernels as plain Python: the same results with the compiler switched off.

A mistake that the compiler hides, such as an index beyond an array, raises here.
"""

import json
import os
import subprocess
import sys

import pytest

SCRIPT = """
import json, warnings
warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning)  # random bits wrap round
import numpy as np
import untilt
from untilt.abstraction.buckets import histograms, rivers
from untilt.abstraction.buckets.board_rows import boards_of, row_tables
from untilt.abstraction.buckets.clustering import cluster
from untilt.abstraction.buckets.long_boards import equity_on
from untilt.cards import equity, evaluate, mask_of, parse_cards
from untilt.cards.evaluator.evaluator_tables import load_tables
from untilt.games.holdem.spots.public_form import compile_spot
from untilt.games.pushfold.learner import RegretLearner, Settings
from untilt.regret.rule import UpdateRule
from tests.solvers.blueprint.leduc import LeducDealer, leduc_tree
from untilt.solvers.blueprint.rule import RULES
from untilt.solvers.blueprint.trainer import Trainer
from untilt.solvers.public_tree.solver import PublicTreeSolver
from untilt.solvers.qre.estimates.estimation import fit
from untilt.solvers.qre.problem import QuantalProblem

found = {}
for method in ("cfr", "cfr+", "dcfr", "pcfr+"):
    found[method] = untilt.solve("kuhn", method=method, iterations=20).exploitability
for sampling in ("external", "outcome", "chance"):
    for options in ({}, {"threads": 2}, {"on": "objects"}):
        run = untilt.solve("kuhn", method=f"mccfr-{sampling}", iterations=300, **options)
        found[f"{sampling} {options}"] = run.exploitability
for definition in ("agent", "counterfactual", "ex-ante", "dilated"):
    run = untilt.solve("kuhn", method="qre", definition=definition, beta=3.0)
    found[definition] = run.exploitability
problem = QuantalProblem(untilt.games.compile(untilt.games.kuhn()))
counts = np.arange(1.0, 1.0 + problem.variables.num_actions)
fitted = fit(problem, counts, per_player=True)
found["fit"] = [fitted.beta, *fitted.per_player.betas]
learner = RegretLearner(Settings(batch=10), threads=2)
learner.advance(60)
found["push/fold"] = learner.codes.tolist()
deck = np.array([16 * suit + rank for suit in range(4) for rank in range(13)], dtype=np.uint8)
hands = np.random.default_rng(1).permuted(np.tile(deck, (9, 1)), axis=1)[:, :7].copy()
found["ranks"] = evaluate(hands).tolist()
found["equity"] = list(equity("AsAh", "KdKc", board="2c3c4d5h").equities)
form = compile_spot(untilt.Spot("Td9d6h", ("AsAh,7d6d", "KsKh"), 9, 9, untilt.Sizes("50%, a")))
found["spot"] = [
    *form.tree.boards[2][0].strength.tolist(),
    *form.tree.deals[1].lane[0].tolist(),
    *form.tree.runouts[0].balance.tolist(),
    *form.tree.runouts[1].balance.tolist(),
]
turn = compile_spot(untilt.Spot("Td9d6h2c", ("AsAh,7d6d", "KsKh"), 9, 9, untilt.Sizes("50%, a")))
for precision in ("float32", "int16"):
    solver = PublicTreeSolver(turn.tree, UpdateRule(1.5, 0.0, 2.0), precision=precision)
    solver.advance(2)
    evaluation = solver.evaluate()
    found[f"turn {precision}"] = [*evaluation.values, *evaluation.gains]
board = np.uint64(mask_of(parse_cards("Td9d6h2c3s")))
scratch = rivers.new_scratch()
rivers.rank_board(load_tables(), board, scratch)
found["river"] = scratch.equities.tolist()
found["long board"] = equity_on(parse_cards("QsJc"), parse_cards("Td9d6h2c3s4c"))
turns = boards_of(4).masks[700:702]
table = np.tile((np.arange(rivers.ROW_LENGTH) % 50).astype(np.uint8), (134_459, 1))
table[:, 1081:] = 50
space = histograms.new_scratch(4, 50)
cdfs = np.full((40, 64), 255, dtype=np.uint8)
columns = np.arange(0, 1120, 28, dtype=np.int16)
begins = np.array([0, 25, 40])
histograms.fill_histograms(row_tables(), table, turns, columns, begins, space, cdfs)
found["histograms"] = cdfs.reshape(-1).tolist()
found["clusters"] = cluster(cdfs, 5, 4, seed=1).cdfs.reshape(-1).tolist()
for name in ("float32", "bfloat16"):
    for sync in (True, False):
        learner = Trainer(
            *(leduc_tree()[0], LeducDealer(1), RULES["linear"]),
            batch=4,
            precision=name,
            is_synchronised=sync,
        )
        learner.train(8)
        tables = learner.tables
        found[f"deals {name} {sync}"] = [*tables.regrets.tolist(), *tables.sums.tolist()]
print(json.dumps(found))
"""


def run_script(**environment: str) -> dict[str, float | list[float]]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, float | list[float]] = json.loads(done.stdout)
    return found


@pytest.mark.long
def test_results_do_not_depend_on_the_compiler() -> None:
    without, compiled = run_script(NUMBA_DISABLE_JIT="1"), run_script(NUMBA_DISABLE_JIT="0")
    assert without.keys() == compiled.keys()
    for name, expected in compiled.items():
        assert without[name] == pytest.approx(expected, rel=1e-9), name
