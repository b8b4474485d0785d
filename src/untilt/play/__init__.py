"""Playing games: a table that deals and asks agents to act, and a review of what mistakes cost.

It needs only NumPy: neither a solver nor Numba is loaded.
"""

from untilt.formats.phh import HandHistory, format_phh, parse_phh, read_phh
from untilt.game.protocol import Uniforms
from untilt.game.tree_position import TreePosition
from untilt.games.holdem.replay import replay_hand
from untilt.play.acpc import AcpcPlayer, play_acpc
from untilt.play.agent_spec import load_agents, named_game, parse_agent
from untilt.play.agents import Agent, Rules, label_agent
from untilt.play.bot import Bot
from untilt.play.clock import Clock
from untilt.play.entrants import RandomEntrant, TranslatedEntrant, call_entrant
from untilt.play.hand import Decision, Hand, LiveHand, Turn
from untilt.play.hand_record import record_hand
from untilt.play.match import MatchResult, match
from untilt.play.opponent import Opponent
from untilt.play.replay import PlayState, state_of_hand
from untilt.play.review import Reviewed, review_decisions
from untilt.play.score import Score
from untilt.play.spots import find_hand
from untilt.play.strategy_agent import StrategyAgent
from untilt.play.table import Table

__all__ = [
    "AcpcPlayer",
    "Agent",
    "Bot",
    "Clock",
    "Decision",
    "Hand",
    "HandHistory",
    "LiveHand",
    "MatchResult",
    "Opponent",
    "PlayState",
    "RandomEntrant",
    "Reviewed",
    "Rules",
    "Score",
    "StrategyAgent",
    "Table",
    "TranslatedEntrant",
    "TreePosition",
    "Turn",
    "Uniforms",
    "call_entrant",
    "find_hand",
    "format_phh",
    "label_agent",
    "load_agents",
    "match",
    "named_game",
    "parse_agent",
    "parse_phh",
    "play_acpc",
    "read_phh",
    "record_hand",
    "replay_hand",
    "review_decisions",
    "state_of_hand",
]
