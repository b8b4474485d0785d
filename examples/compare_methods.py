"""Exploitability of every full-width method on Leduc hold'em after equal numbers of iterations."""

import untilt
from untilt.research import METHODS

BUDGETS = (10, 100, 1_000, 10_000)

game = untilt.games.leduc()
print(f"{'method':8}", *(f"{budget:>10,}" for budget in BUDGETS), f"{'seconds':>9}")
for name, method in METHODS.items():
    if not method.has_iterations or method.is_sampling:
        continue
    runs = [untilt.solve(game, name, iterations=budget, save=False) for budget in BUDGETS]
    gaps = [f"{run.exploitability:10.2e}" for run in runs]
    print(f"{name:8}", *gaps, f"{runs[-1].seconds:9.3f}")

exact = untilt.solve(game, "lp", save=False)
print(f"{'lp':8} value {exact.value:+.9f}, exploitability {exact.exploitability:.0e}")
