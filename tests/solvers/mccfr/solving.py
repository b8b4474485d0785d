"""Sampling solvers by name for the tests, and what can be compared of them."""

from typing import Any

import numpy as np

from untilt.game.compiled import NOTHING_KNOWN, CompiledGame, compile_histories
from untilt.game.protocol import Game
from untilt.game.strategy.strategy import profile_from_arrays
from untilt.games import kuhn, leduc
from untilt.solvers.mccfr.solver import MccfrSolver
from untilt.solvers.methods import METHODS

GAMES: dict[str, Game] = {"kuhn": kuhn(), "leduc": leduc(), "kuhn for three": kuhn(players=3)}
COMPILED: dict[str, CompiledGame] = {name: compile_histories(GAMES[name]) for name in GAMES}

SCHEMES: dict[str, dict[str, Any]] = {
    "chance": {"method": "mccfr-chance"},
    "external": {"method": "mccfr-external"},
    "outcome": {"method": "mccfr-outcome", "baseline": "none"},
    "outcome with baselines": {"method": "mccfr-outcome", "baseline": "history"},
}
"""The schemes, as what `solver_of` takes."""


def solver_of(
    game: str | Game, *, method: str, seed: int = 0, measured: bool = True, **options: Any
) -> MccfrSolver:
    """Return a fresh solver of a game of `GAMES`, or of a position.

    On objects, `measured` says whether it has the compiled game beside it.
    """
    root = GAMES[game] if isinstance(game, str) else game
    is_on_objects = options.get("on") == "objects"
    compiled = NOTHING_KNOWN
    if measured or not is_on_objects:
        compiled = COMPILED[game] if isinstance(game, str) else compile_histories(root)
    solver = METHODS[method].build(
        compiled,
        METHODS[method].options(options),
        None,
        seed=seed,
        root=root if is_on_objects else None,
    )
    assert isinstance(solver, MccfrSolver)
    return solver


def shown(solver: MccfrSolver) -> dict[str, bytes]:
    """Return the bits of all that a solver shows: averages, strategies and regrets."""
    arrays = {
        "average": np.concatenate(solver.snapshot().behaviours),
        "current": np.concatenate(solver.current_behaviours()),
        "regrets": np.concatenate(solver.regrets()),
        "clock": np.array([solver.iteration, solver.nodes]),
        "mean regret": np.array([solver.mean_regret()]),
    }
    return {name: array.tobytes() for name, array in arrays.items()}


def everything(solver: MccfrSolver) -> dict[str, bytes]:
    """Return the bits of all that a solver shows and saves."""
    saved = {f"saved {name}": array.tobytes() for name, array in solver.state().items()}
    return shown(solver) | saved


def different(found: dict[str, bytes], expected: dict[str, bytes]) -> list[str]:
    """Return what differs, by name: pytest would compare the bytes to explain it."""
    assert found.keys() == expected.keys()
    return [name for name, value in expected.items() if found[name] != value]


def by_label(solver: MccfrSolver, arrays: Any) -> dict[str, dict[str, float]]:
    """Return numbers per sequence as numbers by label and action."""
    return profile_from_arrays(solver.game(), arrays).to_dict()
