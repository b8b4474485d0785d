"""Solve Kuhn poker, whose value is −1/18 chips for player 0, and print a strategy."""

import untilt

run = untilt.solve(untilt.games.kuhn(), method="cfr+", target=1e-6, save=False)
print(f"value {run.value:.7f} (exact: {-1 / 18:.7f}) after {run.iterations:,} iterations")
print(f"exploitability {run.exploitability:.1e}")

for label, actions in run.strategy.items():
    print(f"{label:8}", "  ".join(f"{name} {share:6.1%}" for name, share in actions.items()))

assert abs(run.value + 1 / 18) < 1e-5
# In every equilibrium player 0 opens with a king three times as often as with a jack.
assert abs(run.strategy["P0:K:"]["bet"] - 3 * run.strategy["P0:J:"]["bet"]) < 0.01
