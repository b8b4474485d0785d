"""Untilt: compute, show and play equilibria of imperfect-information poker games.

    import untilt
    run = untilt.solve("leduc", "cfr+", target=1e-6)
    run.value, run.exploitability, run.strategy["P0:J::"]

Names are loaded on first use, so importing the package is fast.
"""

from untilt.lazy import lazy_names, provide

# Not from `typing`: the program must begin soon, because only then it answers Ctrl-C.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilt import abstraction as abstraction
    from untilt import cards as cards
    from untilt import games as games
    from untilt import openspiel as openspiel
    from untilt import play as play
    from untilt import research as research
    from untilt.abstraction.blueprint import Blueprint as Blueprint
    from untilt.abstraction.buckets.card_abstraction import CardAbstraction as CardAbstraction
    from untilt.api import action_values as action_values
    from untilt.api import best_response as best_response
    from untilt.api import chart as chart
    from untilt.api import chart_sweep as chart_sweep
    from untilt.api import check as check
    from untilt.api import compare as compare
    from untilt.api import compile as compile  # noqa: A004
    from untilt.api import distance as distance
    from untilt.api import evaluate as evaluate
    from untilt.api import export as export
    from untilt.api import head_to_head as head_to_head
    from untilt.api import list_runs as list_runs
    from untilt.api import local_best_response as local_best_response
    from untilt.api import match as match
    from untilt.api import profile_from_dict as profile_from_dict
    from untilt.api import random_profile as random_profile
    from untilt.api import rank as rank
    from untilt.api import review as review
    from untilt.api import serve as serve
    from untilt.api import tree as tree
    from untilt.api import uniform_profile as uniform_profile
    from untilt.cards.all_in import equity as equity
    from untilt.errors import UntiltError as UntiltError
    from untilt.exploitation.exploit import exploit as exploit
    from untilt.game.compiled import CompiledGame as CompiledGame
    from untilt.game.protocol import Game as Game
    from untilt.game.protocol import InfoSet as InfoSet
    from untilt.game.strategy import Profile as Profile
    from untilt.game.strategy import Strategy as Strategy
    from untilt.games.holdem.sizes import Sizes as Sizes
    from untilt.games.holdem.solution import Solution as Solution
    from untilt.games.holdem.spot import Spot as Spot
    from untilt.games.registry import GameSpec as GameSpec
    from untilt.games.registry import register_game as register_game
    from untilt.policy.resolving import ResolvingPolicy as ResolvingPolicy
    from untilt.policy.tabular import StrategyAgent as StrategyAgent
    from untilt.result import Run as Run
    from untilt.runs.blueprints import BlueprintTrainer as BlueprintTrainer
    from untilt.runs.fitting import FittedPlay as FittedPlay
    from untilt.runs.fitting import fit as fit
    from untilt.runs.loading import load as load
    from untilt.runs.plotting import plot as plot
    from untilt.runs.quantal import QuantalResponse as QuantalResponse
    from untilt.runs.quantal import qre as qre
    from untilt.runs.report import report as report
    from untilt.runs.run import GameRun as GameRun
    from untilt.runs.solve import resume as resume
    from untilt.runs.solve import solve as solve
    from untilt.runs.spot_resolving import resolve as resolve
    from untilt.runs.spot_response import respond as respond
    from untilt.solvers.methods import register_method as register_method

__version__ = "0.1.0"

_HOME = {
    "Blueprint": "untilt.abstraction.blueprint",
    "BlueprintTrainer": "untilt.runs.blueprints",
    "CardAbstraction": "untilt.abstraction.buckets.card_abstraction",
    "CompiledGame": "untilt.game.compiled",
    "FittedPlay": "untilt.runs.fitting",
    "Game": "untilt.game.protocol",
    "GameRun": "untilt.runs.run",
    "GameSpec": "untilt.games.registry",
    "InfoSet": "untilt.game.protocol",
    "Profile": "untilt.game.strategy",
    "QuantalResponse": "untilt.runs.quantal",
    "ResolvingPolicy": "untilt.policy.resolving",
    "Run": "untilt.result",
    "Sizes": "untilt.games.holdem.sizes",
    "Solution": "untilt.games.holdem.solution",
    "Spot": "untilt.games.holdem.spot",
    "Strategy": "untilt.game.strategy",
    "StrategyAgent": "untilt.policy.tabular",
    "UntiltError": "untilt.errors",
    "abstraction": "untilt",
    "action_values": "untilt.api",
    "best_response": "untilt.api",
    "cards": "untilt",
    "chart": "untilt.api",
    "chart_sweep": "untilt.api",
    "check": "untilt.api",
    "compare": "untilt.api",
    "compile": "untilt.api",
    "distance": "untilt.api",
    "equity": "untilt.cards.all_in",
    "evaluate": "untilt.api",
    "exploit": "untilt.exploitation.exploit",
    "export": "untilt.api",
    "fit": "untilt.runs.fitting",
    "games": "untilt",
    "head_to_head": "untilt.api",
    "list_runs": "untilt.api",
    "load": "untilt.runs.loading",
    "local_best_response": "untilt.api",
    "match": "untilt.api",
    "openspiel": "untilt",
    "play": "untilt",
    "plot": "untilt.runs.plotting",
    "profile_from_dict": "untilt.api",
    "qre": "untilt.runs.quantal",
    "random_profile": "untilt.api",
    "rank": "untilt.api",
    "register_game": "untilt.games.registry",
    "register_method": "untilt.solvers.methods",
    "report": "untilt.runs.report",
    "research": "untilt",
    "resolve": "untilt.runs.spot_resolving",
    "respond": "untilt.runs.spot_response",
    "resume": "untilt.runs.solve",
    "review": "untilt.api",
    "serve": "untilt.api",
    "solve": "untilt.runs.solve",
    "tree": "untilt.api",
    "uniform_profile": "untilt.api",
}
"""The public names: only these stay stable when other names change between versions."""

if not TYPE_CHECKING:  # a type checker would assume that every name exists
    __getattr__, __dir__ = lazy_names(__name__, _HOME)

# The game `abstract` takes the name of a game and is one: the catalogue lies below abstractions.
provide("the game abstract", "untilt.abstraction.recipe", "make")
# Spots take the ranges of whatever plays, and lie below policies.
provide("an agent of hold'em", "untilt.policy.given_agents", "agent_of_holdem")
# Results lie below charts and draw themselves.
provide("the figure of runs", "untilt.charts.run_curves", "plot_curves")
# Reading a run.json needs to know which kinds there are, and what they do lies above formats.
provide("the kinds of runs", "untilt.runs.kinds", "KINDS")
