"""Playing games: a table that deals and asks agents to act, and a review of what mistakes cost.

It needs only NumPy: neither a solver nor Numba is loaded.
"""

from untilt.game.tree_position import TreePosition
from untilt.play.agents import Agent, Rules, label_agent
from untilt.play.clock import Clock
from untilt.play.hand import Decision, Hand, LiveHand, Turn
from untilt.play.match import MatchResult, match
from untilt.play.opponent import Opponent
from untilt.play.replay import PlayState, state_of_hand
from untilt.play.review import Reviewed, review_decisions
from untilt.play.score import Score
from untilt.play.spots import find_hand
from untilt.play.strategy_agent import StrategyAgent
from untilt.play.table import Table

__all__ = [
    "Agent",
    "Clock",
    "Decision",
    "Hand",
    "LiveHand",
    "MatchResult",
    "Opponent",
    "PlayState",
    "Reviewed",
    "Rules",
    "Score",
    "StrategyAgent",
    "Table",
    "TreePosition",
    "Turn",
    "find_hand",
    "label_agent",
    "match",
    "review_decisions",
    "state_of_hand",
]
