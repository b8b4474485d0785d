"""Untilt: compute, show and play equilibria of imperfect-information poker games.

    import untilt
    run = untilt.solve("leduc", "cfr+", target=1e-6)
    run.value, run.exploitability, run.strategy["P0:J::"]

| to … | use |
| --- | --- |
| find a strategy, continue, read it again | `solve`, `resume`, `load` |
| model players who make mistakes | `qre`, `fit` |
| measure strategies | `evaluate`, `compare`, `match`, `exploit`, `review` |
| see results | `plot`, `serve` |

Everything else is in the namespace of its object: `untilt.games`, `untilt.strategies`,
`untilt.spots`, `untilt.blueprints`, `untilt.pushfold`, `untilt.cards`, `untilt.runs`,
`untilt.hands`, `untilt.play`, `untilt.abstraction`, `untilt.openspiel`, and `untilt.research` for
the parts of the solvers.

Names are loaded on first use, so importing the package is fast.
"""

from untilt.lazy import lazy_names, provide

# Not from `typing`: the program must begin soon, because only then it answers Ctrl-C.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilt import abstraction as abstraction
    from untilt import blueprints as blueprints
    from untilt import cards as cards
    from untilt import games as games
    from untilt import hands as hands
    from untilt import openspiel as openspiel
    from untilt import play as play
    from untilt import pushfold as pushfold
    from untilt import research as research
    from untilt import runs as runs
    from untilt import spots as spots
    from untilt import strategies as strategies
    from untilt.abstraction.blueprint import Blueprint as Blueprint
    from untilt.dashboard.server.server import serve as serve
    from untilt.errors import UntiltError as UntiltError
    from untilt.exploitation.exploit import exploit as exploit
    from untilt.game.protocol import Game as Game
    from untilt.game.protocol import InfoSet as InfoSet
    from untilt.game.strategy.strategy import Profile as Profile
    from untilt.game.strategy.strategy import Strategy as Strategy
    from untilt.games.holdem.bets.sizes import Sizes as Sizes
    from untilt.games.holdem.solutions.solution import Solution as Solution
    from untilt.games.holdem.spots.noise import Noise as Noise
    from untilt.games.holdem.spots.spot import Spot as Spot
    from untilt.play.matches.head_to_head import match as match
    from untilt.play.review.hand_review import review as review
    from untilt.result import Run as Run
    from untilt.runs.games.quantal import QuantalResponse as QuantalResponse
    from untilt.runs.games.quantal import qre as qre
    from untilt.runs.loading import load as load
    from untilt.runs.results.comparing import compare as compare
    from untilt.runs.results.fitting import FittedPlay as FittedPlay
    from untilt.runs.results.fitting import fit as fit
    from untilt.runs.results.measuring import evaluate as evaluate
    from untilt.runs.results.plotting import plot as plot
    from untilt.runs.run import GameRun as GameRun
    from untilt.runs.solve import resume as resume
    from untilt.runs.solve import solve as solve

__version__ = "0.2.0"

_HOME = {
    "Blueprint": "untilt.abstraction.blueprint",
    "FittedPlay": "untilt.runs.results.fitting",
    "Game": "untilt.game.protocol",
    "GameRun": "untilt.runs.run",
    "InfoSet": "untilt.game.protocol",
    "Noise": "untilt.games.holdem.spots.noise",
    "Profile": "untilt.game.strategy.strategy",
    "QuantalResponse": "untilt.runs.games.quantal",
    "Run": "untilt.result",
    "Sizes": "untilt.games.holdem.bets.sizes",
    "Solution": "untilt.games.holdem.solutions.solution",
    "Spot": "untilt.games.holdem.spots.spot",
    "Strategy": "untilt.game.strategy.strategy",
    "UntiltError": "untilt.errors",
    "abstraction": "untilt",
    "blueprints": "untilt",
    "cards": "untilt",
    "compare": "untilt.runs.results.comparing",
    "evaluate": "untilt.runs.results.measuring",
    "exploit": "untilt.exploitation.exploit",
    "fit": "untilt.runs.results.fitting",
    "games": "untilt",
    "hands": "untilt",
    "load": "untilt.runs.loading",
    "match": "untilt.play.matches.head_to_head",
    "openspiel": "untilt",
    "play": "untilt",
    "plot": "untilt.runs.results.plotting",
    "pushfold": "untilt",
    "qre": "untilt.runs.games.quantal",
    "research": "untilt",
    "resume": "untilt.runs.solve",
    "review": "untilt.play.review.hand_review",
    "runs": "untilt",
    "serve": "untilt.dashboard.server.server",
    "solve": "untilt.runs.solve",
    "spots": "untilt",
    "strategies": "untilt",
}
"""The public names: only these stay stable when other names change between versions."""

_RENAMED = {
    "BlueprintTrainer": "untilt.blueprints.BlueprintTrainer",
    "CardAbstraction": "untilt.abstraction.CardAbstraction",
    "CompiledGame": "untilt.games.CompiledGame",
    "GameSpec": "untilt.games.GameSpec",
    "ResolvingPolicy": "untilt.play.ResolvingPolicy",
    "StrategyAgent": "untilt.play.StrategyAgent",
    "action_values": "untilt.strategies.action_values",
    "best_response": "untilt.strategies.best_response",
    "chart": "untilt.pushfold.chart",
    "chart_sweep": "untilt.pushfold.chart_sweep",
    "check": "untilt.games.check",
    "compile": "untilt.games.compile",
    "distance": "untilt.strategies.distance",
    "equity": "untilt.cards.equity",
    "export": "untilt.runs.export",
    "head_to_head": "untilt.strategies.head_to_head",
    "list_runs": "untilt.runs.list_runs",
    "local_best_response": (
        "untilt.exploit",
        "untilt.exploitation.exploit.local_best_response",
    ),
    "profile_from_dict": "untilt.strategies.from_dict",
    "random_profile": "untilt.strategies.random",
    "rank": "untilt.cards.rank",
    "register_game": "untilt.games.register_game",
    "register_method": "untilt.research.register_method",
    "report": "untilt.spots.report",
    "resolve": "untilt.spots.resolve",
    "respond": "untilt.spots.respond",
    "tree": "untilt.games.tree",
    "uniform_profile": "untilt.strategies.uniform",
}
"""Former names and where they are now. They work in this version, with a warning."""

if not TYPE_CHECKING:  # a type checker would assume that every name exists
    __getattr__, __dir__ = lazy_names(__name__, _HOME, _RENAMED)

# The game `abstract` takes the name of a game and is one: the catalogue lies below abstractions.
provide("the game abstract", "untilt.abstraction.recipe", "make")
# Spots take the ranges of whatever plays, and lie below policies.
provide("an agent of hold'em", "untilt.policy.saved.given_agents", "agent_of_holdem")
# What is won from an agent is measured by playing, and lies above it.
provide("untilt.play.Exploitation", "untilt.exploitation.measuring.measure", "Exploitation")
# The picture of a game's tree shows strategies of runs, and games lie below runs.
provide("untilt.games.tree", "untilt.runs.results.tree_drawing", "tree")
# Hands are judged by whatever plays, and lie below it.
provide("untilt.hands.review", "untilt.play.leaks.reviewing", "review")
provide("untilt.hands.tilt", "untilt.play.leaks.tilt", "tilt")
provide("untilt.hands.read_leaks", "untilt.play.leaks.reviewing", "read_leaks")
# What plays and measures agents solves charts and spots where that is needed, and lies below runs.
provide("the chart of push/fold", "untilt.runs.pushfold.charts", "chart")
provide("the play of a chart", "untilt.runs.pushfold.pushfold_strategies", "read_play")
provide("the solution of a spot", "untilt.runs.solve", "solve")
provide("independent tasks", "untilt.runs.batches.pool", "pool_of")
provide("the gains in a spot", "untilt.runs.spots.spot_gains", "gains")
# Charts of push/fold lie below the files that keep them.
provide("the file of a table", "untilt.runs.pushfold.table_file", "write_table")
# Results lie below charts and draw themselves.
provide("the figure of runs", "untilt.charts.figures.run_curves", "plot_curves")
# Reading a run.json needs to know which kinds there are, and what they do lies above formats.
provide("the kinds of runs", "untilt.runs.kinds", "KINDS")
