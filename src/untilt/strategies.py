"""Strategies of both players: made, measured and compared, in any game that compiles.

    everything = untilt.strategies.uniform("leduc")
    response, value = untilt.strategies.best_response("leduc", everything, player=0)
    untilt.strategies.distance("leduc", everything, run).largest

A strategy is a profile, a run, a pair of strategies, a plain `{infoset: {action: probability}}`, or
the path of a run or of a strategy file. `untilt.evaluate` measures one, `untilt.compare` puts two
side by side, and `untilt.runs.export` writes one to a file.
"""

from typing import TYPE_CHECKING

from untilt.lazy import lazy_names

if TYPE_CHECKING:
    from untilt.evaluation.action_values import ActionValues as ActionValues
    from untilt.evaluation.comparison import Distance as Distance
    from untilt.evaluation.comparison import HeadToHead as HeadToHead
    from untilt.runs.comparing import StrategyComparison as StrategyComparison
    from untilt.runs.given_strategies import from_dict as from_dict
    from untilt.runs.given_strategies import random as random
    from untilt.runs.given_strategies import uniform as uniform
    from untilt.runs.measuring import action_values as action_values
    from untilt.runs.measuring import best_response as best_response
    from untilt.runs.measuring import distance as distance
    from untilt.runs.measuring import head_to_head as head_to_head

_HOME = {
    "ActionValues": "untilt.evaluation.action_values",
    "Distance": "untilt.evaluation.comparison",
    "HeadToHead": "untilt.evaluation.comparison",
    "StrategyComparison": "untilt.runs.comparing",
    "action_values": "untilt.runs.measuring",
    "best_response": "untilt.runs.measuring",
    "distance": "untilt.runs.measuring",
    "from_dict": "untilt.runs.given_strategies",
    "head_to_head": "untilt.runs.measuring",
    "random": "untilt.runs.given_strategies",
    "uniform": "untilt.runs.given_strategies",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
