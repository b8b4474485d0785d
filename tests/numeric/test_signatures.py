"""One compiled version per kernel: another one would be compiled, and cached, in silence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

WORKLOAD = """
import importlib, pkgutil
from pathlib import Path
from tempfile import TemporaryDirectory
import numpy as np
import untilt
from tests.game.trees import AGAINST_NATURE, FORCED
from untilt.evaluation.action_values import action_values
from untilt.evaluation.best_response import best_response, evaluate
from untilt.evaluation.comparison import distance, head_to_head
from untilt.abstraction import abstract, betting_line, hand_class, pot_fractions, street
from untilt.abstraction.buckets.long_boards import equity_on
from untilt.abstraction.dealer import CardDealer
from untilt.formats.run.compiled_game import read_game, write_game
from untilt.game.deals.deal_tree import make_deals
from untilt.game.compiled import NOTHING_KNOWN, compile
from untilt.game.strategy.strategy import profile_from_arrays, profile_from_dict, random_profile
from untilt.game.histories.tree import GameTree
from untilt.games import kuhn, leduc
from untilt.games.holdem.spots.public_form import compile_spot
from untilt.numeric.streams import Stream
from untilt.solvers.methods import METHODS

Stream(1).random(), Stream(2**63, 5, 7).random()
games = [compile(game) for game in (kuhn(), leduc(), leduc(ranks=13), AGAINST_NATURE, FORCED)]
with TemporaryDirectory() as folder:
    write_game(Path(folder) / "game.bin", games[1])
    games.append(read_game(Path(folder) / "game.bin"))
SAMPLING = [
    {"threads": 3, "regret": "discounted", "period": 100},
    {"threads": 2, "baseline": "none", "average": "lazy"},
    {"threads": 2, "sync": "none", "regret": "linear", "period": 70},
    {"threads": 2, "sync": "none", "baseline": "none"},
]
for game in games:
    form = game.exact_form()
    for method in METHODS.values():
        if method.extra is not None or (method.name == "lp" and game.num_infosets > 1000):
            continue  # slow, and no kernel of its own
        if GameTree in method.needs(method.defaults) and not game.has(GameTree):
            continue
        solver = method.build(game, method.options({}), 20)
        solver.warm_up()
        for _ in solver.progress(20):
            pass
        again = method.build(game, method.options({}), 20)
        again.restore(solver.state())
        profile = solver.snapshot().profile
        evaluate(form, profile)
    for options in SAMPLING if game.has(GameTree) else ():
        method = METHODS["os" if "baseline" in options else "es"]
        solver = method.build(game, method.options(options), 20)
        solver.warm_up()
        solver.advance(600)
        again = method.build(game, method.options(options), 20)
        again.restore(solver.state())
        again.advance(600)
    other = random_profile(game, np.random.default_rng(1))
    written = profile_from_dict(game, other.to_dict())
    for player in (0, 1):
        action_values(form, written, player)
        strategy, _ = best_response(form, other, player)
    head_to_head(form, profile, other), distance(form, profile, written)
for name, method in METHODS.items():
    for average in ("stochastic", "lazy") if method.is_sampling else ():
        options = method.options({"on": "objects", "average": average})
        for measure in (games[0], NOTHING_KNOWN):
            solver = method.build(measure, options, 20, root=kuhn())
            solver.warm_up()
            solver.advance(600)
            again = method.build(measure, options, 20, root=kuhn())
            again.restore(solver.state())
            again.advance(600)

for board in ("Td9d6hQc2s", "Td9d6hQc", "Td9d6h"):
    compile_spot(untilt.Spot(board, ("AA,AKs", "KK"), 100, 300, untilt.Sizes("50%, a")))
cards = untilt.abstraction.CardAbstraction(preflop=8, flop=20, turn=20, river=20)
for board in ("", "Td9d6h", "Td9d6hQc", "Td9d6hQc2s"):
    cards.bucket("AsKh", board), cards.buckets_on(board)
deals = make_deals(20, 4)
for keep_rivers in (False, True):
    CardDealer(cards, keep_rivers=keep_rivers).fill(deals, 0, 20, 0)
equity_on([60, 44], [0, 1, 2, 3, 4, 5])
states = street * hand_class * betting_line
small = abstract(untilt.games.holdem(stack=20), states, pot_fractions(1.0, all_in=True))
untilt.solve(small, "es-linear", iterations=2_000, save=False)
for module in pkgutil.walk_packages(untilt.__path__, "untilt."):
    if module.name.endswith("__main__"):
        continue
    for name, kernel in vars(importlib.import_module(module.name)).items():
        if hasattr(kernel, "signatures") and not kernel.targetoptions.get("forceinline"):
            if kernel.py_func.__module__ == module.name:
                print(len(kernel.signatures), module.name, name)
"""


@pytest.mark.long  # it compiles every kernel, alone
def test_every_kernel_has_one_signature_after_a_mixed_workload(tmp_path: Path) -> None:
    # With an empty cache, so that kernels inside of kernels are compiled and counted too.
    environment = {**os.environ, "UNTILT_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", WORKLOAD],
        cwd=Path(__file__).parents[2],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    counts = {line.split(" ", 1)[1]: int(line.split()[0]) for line in done.stdout.splitlines()}
    assert len(counts) >= 10
    assert {name: count for name, count in counts.items() if count > 1} == {}
    assert sum(counts.values()) >= 20
    sampling = {name for name in counts if name.startswith("untilt.solvers.mccfr.")}
    assert {name for name in sampling if counts[name] != 1} == set()
    assert len(sampling) >= 10
