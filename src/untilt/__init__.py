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
    from untilt.cards.all_in import equity as equity
    from untilt.cards.hand import rank as rank
    from untilt.dashboard.server import serve as serve
    from untilt.errors import UntiltError as UntiltError
    from untilt.exploitation.exploit import exploit as exploit
    from untilt.exploitation.exploit import local_best_response as local_best_response
    from untilt.formats.run_list import list_runs as list_runs
    from untilt.game.compiled import CompiledGame as CompiledGame
    from untilt.game.protocol import Game as Game
    from untilt.game.protocol import InfoSet as InfoSet
    from untilt.game.strategy import Profile as Profile
    from untilt.game.strategy import Strategy as Strategy
    from untilt.games.compiling import check as check
    from untilt.games.compiling import compile as compile  # noqa: A004
    from untilt.games.holdem.sizes import Sizes as Sizes
    from untilt.games.holdem.solution import Solution as Solution
    from untilt.games.holdem.spot import Spot as Spot
    from untilt.games.registry import GameSpec as GameSpec
    from untilt.games.registry import register_game as register_game
    from untilt.play.hand_review import review as review
    from untilt.play.head_to_head import match as match
    from untilt.policy.resolving import ResolvingPolicy as ResolvingPolicy
    from untilt.policy.tabular import StrategyAgent as StrategyAgent
    from untilt.runs.blueprints import BlueprintTrainer as BlueprintTrainer
    from untilt.runs.comparing import compare as compare
    from untilt.runs.exporting import export as export
    from untilt.runs.fitting import FittedPlay as FittedPlay
    from untilt.runs.fitting import fit as fit
    from untilt.runs.given_strategies import profile_from_dict as profile_from_dict
    from untilt.runs.given_strategies import random_profile as random_profile
    from untilt.runs.given_strategies import uniform_profile as uniform_profile
    from untilt.runs.loading import load as load
    from untilt.runs.measuring import action_values as action_values
    from untilt.runs.measuring import best_response as best_response
    from untilt.runs.measuring import distance as distance
    from untilt.runs.measuring import evaluate as evaluate
    from untilt.runs.measuring import head_to_head as head_to_head
    from untilt.runs.plotting import plot as plot
    from untilt.runs.pushfold import chart as chart
    from untilt.runs.pushfold import chart_sweep as chart_sweep
    from untilt.runs.quantal import QuantalResponse as QuantalResponse
    from untilt.runs.quantal import qre as qre
    from untilt.runs.report import report as report
    from untilt.runs.run import Run as Run
    from untilt.runs.solve import resume as resume
    from untilt.runs.solve import solve as solve
    from untilt.runs.spot_resolving import resolve as resolve
    from untilt.runs.spot_response import respond as respond
    from untilt.runs.tree_drawing import tree as tree
    from untilt.solvers.methods import register_method as register_method

__version__ = "0.1.0"

_HOME = {
    "Blueprint": "untilt.abstraction.blueprint",
    "BlueprintTrainer": "untilt.runs.blueprints",
    "CardAbstraction": "untilt.abstraction.buckets.card_abstraction",
    "CompiledGame": "untilt.game.compiled",
    "FittedPlay": "untilt.runs.fitting",
    "Game": "untilt.game.protocol",
    "GameSpec": "untilt.games.registry",
    "InfoSet": "untilt.game.protocol",
    "Profile": "untilt.game.strategy",
    "QuantalResponse": "untilt.runs.quantal",
    "ResolvingPolicy": "untilt.policy.resolving",
    "Run": "untilt.runs.run",
    "Sizes": "untilt.games.holdem.sizes",
    "Solution": "untilt.games.holdem.solution",
    "Spot": "untilt.games.holdem.spot",
    "Strategy": "untilt.game.strategy",
    "StrategyAgent": "untilt.policy.tabular",
    "UntiltError": "untilt.errors",
    "abstraction": "untilt",
    "action_values": "untilt.runs.measuring",
    "best_response": "untilt.runs.measuring",
    "cards": "untilt",
    "chart": "untilt.runs.pushfold",
    "chart_sweep": "untilt.runs.pushfold",
    "check": "untilt.games.compiling",
    "compare": "untilt.runs.comparing",
    "compile": "untilt.games.compiling",
    "distance": "untilt.runs.measuring",
    "equity": "untilt.cards.all_in",
    "evaluate": "untilt.runs.measuring",
    "exploit": "untilt.exploitation.exploit",
    "export": "untilt.runs.exporting",
    "fit": "untilt.runs.fitting",
    "games": "untilt",
    "head_to_head": "untilt.runs.measuring",
    "list_runs": "untilt.formats.run_list",
    "load": "untilt.runs.loading",
    "local_best_response": "untilt.exploitation.exploit",
    "match": "untilt.play.head_to_head",
    "openspiel": "untilt",
    "play": "untilt",
    "plot": "untilt.runs.plotting",
    "profile_from_dict": "untilt.runs.given_strategies",
    "qre": "untilt.runs.quantal",
    "random_profile": "untilt.runs.given_strategies",
    "rank": "untilt.cards.hand",
    "register_game": "untilt.games.registry",
    "register_method": "untilt.solvers.methods",
    "report": "untilt.runs.report",
    "research": "untilt",
    "resolve": "untilt.runs.spot_resolving",
    "respond": "untilt.runs.spot_response",
    "resume": "untilt.runs.solve",
    "review": "untilt.play.hand_review",
    "serve": "untilt.dashboard.server",
    "solve": "untilt.runs.solve",
    "tree": "untilt.runs.tree_drawing",
    "uniform_profile": "untilt.runs.given_strategies",
}
"""The public names: only these stay stable when other names change between versions."""

if not TYPE_CHECKING:  # a type checker would assume that every name exists
    __getattr__, __dir__ = lazy_names(__name__, _HOME)

# The game `abstract` takes the name of a game and is one: the catalogue lies below abstractions.
provide("the game abstract", "untilt.abstraction.recipe", "make")
# Spots take the ranges of whatever plays, and lie below policies.
provide("an agent of hold'em", "untilt.policy.given_agents", "agent_of_holdem")
