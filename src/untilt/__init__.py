"""Untilt: compute, show and play equilibria of imperfect-information poker games.

    import untilt
    run = untilt.solve(untilt.games.leduc(), method="cfr+", target=1e-6)
    run.value, run.exploitability, run.strategy["P0:J::"]

Names are loaded on first use, so importing the package is fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from untilt import games
    from untilt.abstraction.blueprint import Blueprint
    from untilt.abstraction.buckets.card_abstraction import CardAbstraction
    from untilt.api import (
        action_values,
        best_response,
        compile,  # noqa: A004
        distance,
        evaluate,
        head_to_head,
        profile_from_dict,
        random_profile,
        resolve,
        uniform_profile,
    )
    from untilt.errors import UntiltError
    from untilt.game.compiled import CompiledGame
    from untilt.game.protocol import Game, InfoSet
    from untilt.game.strategy import Profile, Strategy
    from untilt.games.holdem.sizes import Sizes
    from untilt.games.holdem.solution import Solution
    from untilt.games.holdem.spot import Spot
    from untilt.play.resolving_agent import ResolvingAgent
    from untilt.runs.blueprints import BlueprintTrainer
    from untilt.runs.loading import load
    from untilt.runs.report import report
    from untilt.runs.run import Run
    from untilt.runs.solve import resume, solve

__version__ = "0.1.0"

_HOME = {
    "Blueprint": "untilt.abstraction.blueprint",
    "BlueprintTrainer": "untilt.runs.blueprints",
    "CardAbstraction": "untilt.abstraction.buckets.card_abstraction",
    "CompiledGame": "untilt.game.compiled",
    "Game": "untilt.game.protocol",
    "InfoSet": "untilt.game.protocol",
    "Profile": "untilt.game.strategy",
    "ResolvingAgent": "untilt.play.resolving_agent",
    "Run": "untilt.runs.run",
    "Sizes": "untilt.games.holdem.sizes",
    "Solution": "untilt.games.holdem.solution",
    "Spot": "untilt.games.holdem.spot",
    "Strategy": "untilt.game.strategy",
    "UntiltError": "untilt.errors",
    "action_values": "untilt.api",
    "best_response": "untilt.api",
    "compile": "untilt.api",
    "distance": "untilt.api",
    "evaluate": "untilt.api",
    "games": "untilt",
    "head_to_head": "untilt.api",
    "load": "untilt.runs.loading",
    "profile_from_dict": "untilt.api",
    "random_profile": "untilt.api",
    "report": "untilt.runs.report",
    "resolve": "untilt.api",
    "resume": "untilt.runs.solve",
    "solve": "untilt.runs.solve",
    "uniform_profile": "untilt.api",
}

__all__ = [
    "Blueprint",
    "BlueprintTrainer",
    "CardAbstraction",
    "CompiledGame",
    "Game",
    "InfoSet",
    "Profile",
    "ResolvingAgent",
    "Run",
    "Sizes",
    "Solution",
    "Spot",
    "Strategy",
    "UntiltError",
    "__version__",
    "action_values",
    "best_response",
    "compile",
    "distance",
    "evaluate",
    "games",
    "head_to_head",
    "load",
    "profile_from_dict",
    "random_profile",
    "report",
    "resolve",
    "resume",
    "solve",
    "uniform_profile",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'untilt' has no attribute {name!r}")
    if name == "games":
        return import_module("untilt.games")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
