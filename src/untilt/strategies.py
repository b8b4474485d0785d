"""Strategies of all players: made, measured and compared, in any game that compiles.

    everything = untilt.strategies.uniform("leduc")
    response, value = untilt.strategies.best_response("leduc", everything, player=0)
    untilt.strategies.distance("leduc", everything, run).largest

A strategy is a profile, a run, a strategy per player, `{infoset: {action: probability}}`, or the
path of a run or of a strategy file. `untilt.evaluate` measures one, `untilt.compare` puts two side
by side, and `untilt.runs.export` writes one to a file.
"""

from typing import TYPE_CHECKING

from untilt.lazy import lazy_names

if TYPE_CHECKING:
    from untilt.evaluation.action_values import ActionValues as ActionValues
    from untilt.evaluation.comparison import Distance as Distance
    from untilt.evaluation.comparison import HeadToHead as HeadToHead
    from untilt.runs.results.comparing import StrategyComparison as StrategyComparison
    from untilt.runs.results.given_strategies import from_dict as from_dict
    from untilt.runs.results.given_strategies import random as random
    from untilt.runs.results.given_strategies import uniform as uniform
    from untilt.runs.results.measuring import action_values as action_values
    from untilt.runs.results.measuring import best_response as best_response
    from untilt.runs.results.measuring import distance as distance
    from untilt.runs.results.measuring import head_to_head as head_to_head

_HOME = {
    "ActionValues": "untilt.evaluation.action_values",
    "Distance": "untilt.evaluation.comparison",
    "HeadToHead": "untilt.evaluation.comparison",
    "StrategyComparison": "untilt.runs.results.comparing",
    "action_values": "untilt.runs.results.measuring",
    "best_response": "untilt.runs.results.measuring",
    "distance": "untilt.runs.results.measuring",
    "from_dict": "untilt.runs.results.given_strategies",
    "head_to_head": "untilt.runs.results.measuring",
    "random": "untilt.runs.results.given_strategies",
    "uniform": "untilt.runs.results.given_strategies",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
