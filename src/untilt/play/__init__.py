"""Playing games: a table that deals and asks agents to act, and a review of what mistakes cost.

It needs only NumPy: neither a solver nor Numba is loaded.
"""

from typing import TYPE_CHECKING

from untilt.formats.phh import HandHistory, format_phh, parse_phh, read_phh
from untilt.game.protocol import Uniforms
from untilt.game.tree_position import TreePosition
from untilt.games.holdem.replay import replay_hand
from untilt.lazy import lazy_names
from untilt.play.acpc import AcpcPlayer, play_acpc
from untilt.play.bot import Bot
from untilt.play.hand import LiveHand
from untilt.play.hand_record import record_hand
from untilt.play.head_to_head import MatchResult
from untilt.play.replay import PlayState, state_of_hand
from untilt.play.review import Reviewed, review_decisions
from untilt.play.score import Score
from untilt.play.spots import find_hand
from untilt.play.table import Table
from untilt.play.versus import Versus
from untilt.policy.clock import Clock
from untilt.policy.code import Acts as Agent
from untilt.policy.code import label_agent
from untilt.policy.load import load_agents, parse_agent
from untilt.policy.match_game import named_game
from untilt.policy.policy import Policy, Stationary
from untilt.policy.public_state import PublicState, follow
from untilt.policy.rules import Rules
from untilt.policy.simple import RandomPolicy, always_call
from untilt.policy.tabular import StrategyAgent, TabularPolicy
from untilt.policy.translated import TranslatedPolicy
from untilt.policy.turn import Decision, Hand, Turn

if TYPE_CHECKING:
    from untilt.exploitation.measure import Exploitation as Exploitation
    from untilt.play.hand_review import HandReview as HandReview
    from untilt.policy.resolving import ResolvingPolicy as ResolvingPolicy

__all__ = [
    "AcpcPlayer",
    "Agent",
    "Bot",
    "Clock",
    "Decision",
    "Exploitation",
    "Hand",
    "HandHistory",
    "HandReview",
    "LiveHand",
    "MatchResult",
    "PlayState",
    "Policy",
    "PublicState",
    "RandomPolicy",
    "ResolvingPolicy",
    "Reviewed",
    "Rules",
    "Score",
    "Stationary",
    "StrategyAgent",
    "Table",
    "TabularPolicy",
    "TranslatedPolicy",
    "TreePosition",
    "Turn",
    "Uniforms",
    "Versus",
    "always_call",
    "find_hand",
    "follow",
    "format_phh",
    "label_agent",
    "load_agents",
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

_HOME = {
    "Exploitation": "untilt",
    "HandReview": "untilt.play.hand_review",
    "ResolvingPolicy": "untilt.policy.resolving",
}
"""Names that a bot seldom needs, or that lie above playing."""

_RENAMED = {
    "RandomEntrant": "untilt.play.RandomPolicy",
    "TranslatedEntrant": "untilt.play.TranslatedPolicy",
    "call_entrant": "untilt.play.always_call",
}
"""Names of 0.1.0 and what they are now."""

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOME, _RENAMED)
